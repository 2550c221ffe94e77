/* SPDX-License-Identifier: Apache-2.0 */
/* The contract's JSON: the list document and the single item. */
#ifndef PLUGIN_DOCUMENT_H
#define PLUGIN_DOCUMENT_H

#include "plugin/output.h"
#include "plugin/world.h"

struct selected {
	const struct handle *handles;	/* in their order */
	size_t n;
};

/* The StatusList, flushed as it grows. */
void document_list(struct world *w, const struct selected *items, struct output *out);
/* One item on one line, with "event" when it is not NULL. */
void document_item(struct world *w, struct handle h, const char *event, struct buf *out);

#endif
