/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the documents of -o json: the list, and the single item of --watch (docs/status.schema.json). */
#ifndef PLUGIN_OUTPUT_STATUS_LIST_H
#define PLUGIN_OUTPUT_STATUS_LIST_H

#include "kube/model/document.h"
#include "plugin/output/output.h"
#include "plugin/world.h"

struct selected {
	const struct handle *handles;	/* the objects in the order in which they are printed */
	size_t n;
};

/* Returns what graph_concerned() does for these objects. */
const uint8_t *status_list_concerned(struct world *w, const struct selected *items, struct arena *arena);
/* Returns the root causes that concern these objects, the worst first, in the arena. */
const struct root_cause *status_list_causes(struct world *w, const struct selected *items, struct arena *arena, size_t *out_n);
/* Returns the member summary of the StatusList, and a root cause without what it blocks; free them. */
struct document status_list_summary(struct world *w, const struct selected *items);
struct document status_list_cause(struct world *w, const struct root_cause *c);
/* Writes the StatusList; writes out's buffer whenever it is large. */
void status_list_print(struct world *w, const struct selected *items, struct output *out);
/* ITEM_OF_ROW is without what no row of a table shows: what the object refers to, and how it recovers. */
enum item_part { ITEM_WHOLE, ITEM_OF_ROW };
/* Appends the document of one object on one line. */
void status_list_item(struct world *w, struct handle h, enum item_part part, struct buf *out);

#endif
