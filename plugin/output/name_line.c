/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/name_line.h"

static void add_name(struct str singular, struct str group, struct str name, struct buf *out)
{
	plain_safe(singular, out);
	if (group.len) {
		buf_add_char(out, '.');
		plain_safe(group, out);
	}
	buf_add_char(out, '/');
	plain_safe(name, out);
}

void rows_name(const struct world *w, uint32_t slot, struct buf *out)
{
	struct object_id id = store_node_id(w->store, slot);

	add_name(id.kind->singular, id.kind->group, id.name, out);
	buf_add_char(out, '\n');
}

