/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/rows.h"

void rows_name(const struct world *w, uint32_t slot, struct buf *out)
{
	struct object_id id = store_node_id(w->store, slot);

	buf_add(out, id.kind->singular);
	if (id.kind->group.len)
		buf_printf(out, "." STR_FMT, STR_ARG(id.kind->group));
	buf_printf(out, "/" STR_FMT "\n", STR_ARG(id.name));
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
	if (id.ns.len)
		buf_printf(out, STR_FMT "   ", STR_ARG(id.ns));
	buf_printf(out, STR_FMT "/" STR_FMT "   %s\n", STR_ARG(id.kind->singular), STR_ARG(id.name), event);
}
