/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/csv.h"

#include "tui/draw/plain.h"

void csv_cell(struct str cell, bool last, struct buf *out)
{
	struct buf safe = { 0 };

	plain_safe(cell, &safe);
	buf_add_char(out, '"');
	if (safe.len && str_find(STR("=+-@"), safe.ptr[0]) < 4)
		buf_add_char(out, '\'');
	for (size_t i = 0; i < safe.len; i++) {
		buf_add_char(out, safe.ptr[i]);
		if (safe.ptr[i] == '"')
			buf_add_char(out, '"');
	}
	buf_add_cstr(out, last ? "\"\n" : "\",");
	buf_release(&safe);
}
