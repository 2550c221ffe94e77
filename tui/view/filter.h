/* SPDX-License-Identifier: Apache-2.0 */
/* Words that a row must have: "web !ready" is all with "web" and without "ready". */
#ifndef TUI_VIEW_FILTER_H
#define TUI_VIEW_FILTER_H

#include "kube/graph/graph.h"
#include "tui/view/text.h"

/* Case is ignored (ASCII).  An empty filter matches everything. */
bool filter_matches(struct str filter, const struct str *fields, size_t nfields);
bool filter_summary(struct str filter, const struct summary *s);
bool filter_line(struct str filter, const struct line *line);

#endif
