/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/name_line.h"

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

/* Of what is gone only the name is left. */
void rows_change(struct plain *plain, struct handle h, const char *event, struct buf *out)
{
	struct object_id id;

	if (!event) {
		plain_list(plain, &h, 1, out);
		return;
	}
	id = store_node_id(plain->store, h.slot);
	if (id.ns.len) {
		plain_safe(id.ns, out);
		buf_add_cstr(out, "   ");
	}
	add_name(id.kind->singular, STR_NONE, id.name, out);
	buf_printf(out, "   %s\n", event);
}
