/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of lists. */
#ifndef TUI_VIEW_SORT_H
#define TUI_VIEW_SORT_H

#include "kube/graph/graph.h"

/* Equal ones are ordered as SORT_WORST does; times that are not known come last. */
enum sort {
	SORT_WORST,	/* the order of every list */
	SORT_NEWEST,	/* the phase that began last comes first */
	SORT_SINCE,	/* the phase that began first comes first */
	SORT_NAME,
	SORT_NAMESPACE,
	SORT_KIND,
	SORT_PHASE,	/* in the order of enum phase */
	SORT_AGE,	/* the oldest object first */
	SORT_COUNT
};

typedef int sort_compare(const struct summary *a, const struct summary *b);

/* As --sort-by and the screen call it: "severity", "newest", "since" ... */
const char *sort_name(enum sort sort);
/* By that name, or kubectl's for it (".metadata.name"); case is ignored.  False leaves *out alone. */
bool sort_parse(struct str name, enum sort *out);
sort_compare *sort_order(enum sort sort);
/* Objects that are gone come last. */
void sort_handles(struct graph *g, struct handle *handles, size_t n, enum sort sort);

#endif
