/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/csv.h"

#include "plugin/output/plain.h"

static void add_cell(struct str cell, struct buf *out)
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
	buf_add_char(out, '"');
	buf_release(&safe);
}

void csv_names(const char *const *names, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", names[i], i + 1 < n ? "," : "\n");
}

void csv_row(const struct str *cells, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		add_cell(cells[i], out);
		buf_add_char(out, i + 1 < n ? ',' : '\n');
	}
}
