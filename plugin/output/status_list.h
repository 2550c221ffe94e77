/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of -o json: the list, and the single item of --watch (docs/status.schema.json). */
#ifndef PLUGIN_OUTPUT_STATUS_LIST_H
#define PLUGIN_OUTPUT_STATUS_LIST_H

#include "plugin/output/output.h"
#include "plugin/world.h"

struct selected {
	const struct handle *handles;	/* in the order in which they are printed */
	size_t n;
};

/* Writes the StatusList; flushes out as it grows. */
void status_list_print(struct world *w, const struct selected *items, struct output *out);
/* Appends one item on one line; event (ADDED, MODIFIED, DELETED) may be NULL. */
void status_list_item(struct world *w, struct handle h, const char *event, struct buf *out);

#endif
