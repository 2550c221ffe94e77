/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of lists. */
#ifndef TUI_VIEW_SORT_H
#define TUI_VIEW_SORT_H

#include "kube/graph/graph.h"

enum sort {
	SORT_WORST,  /* the order of every list */
	SORT_NEWEST, /* phase changed last */
	SORT_OLDEST,
	SORT_NAME,
	SORT_NAMESPACE,
	SORT_KIND,
	SORT_COUNT
};

typedef int sort_compare(const struct summary *a, const struct summary *b);

/* "worst", "newest", ... */
const char *sort_name(enum sort sort);
/* Case is ignored.  False leaves *out alone. */
bool sort_parse(struct str name, enum sort *out);
sort_compare *sort_order(enum sort sort);
/* Objects that are gone come last. */
void sort_handles(struct graph *g, struct handle *handles, size_t n, enum sort sort);

#endif
