/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -o brief: the root causes for a chat or an agent, in few bytes however large the incident is; what is left out is counted.
 * Everything from the cluster stands on one line, as inline code of Markdown: it cannot be taken for the program's own words,
 * is no link, no picture and no mention.
 */
#ifndef PLUGIN_OUTPUT_BRIEF_H
#define PLUGIN_OUTPUT_BRIEF_H

#include "plugin/output/status_list.h"
#include "plugin/query.h"

enum { BRIEF_BYTES = 2000 };	/* of -o brief */

/* Appends the root causes that concern these objects, the worst first, in at most that many bytes, of which 500 are needed. */
void brief_print(struct world *w, const struct query *q, const struct selected *items, size_t most, struct buf *out);
/*
 * Appends, of these root causes, what was changed shortly before each began, in at most that many bytes.
 */
void brief_changes(struct world *w, const struct query *q, const struct selected *items, size_t most, struct buf *out);

#endif
