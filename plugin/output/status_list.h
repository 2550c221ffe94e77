/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the documents of -o json: the list, and the single item of --watch (docs/status.schema.json). */
#ifndef PLUGIN_OUTPUT_STATUS_LIST_H
#define PLUGIN_OUTPUT_STATUS_LIST_H

#include "plugin/output/output.h"
#include "plugin/world.h"

struct selected {
	const struct handle *handles;	/* the objects in the order in which they are printed */
	size_t n;
};

/* Writes the StatusList; writes out's buffer whenever it is large. */
void status_list_print(struct world *w, const struct selected *items, struct output *out);
/* Appends the document of one object on one line; event (ADDED, MODIFIED, DELETED) may be NULL. */
void status_list_item(struct world *w, struct handle h, const char *event, struct buf *out);

#endif
