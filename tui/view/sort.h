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

/* What an order looks at first, so that a hundred thousand objects are ordered in little memory. */
struct sort_item {
	uint64_t first;
	uint32_t badness, slot;
	uint32_t tag;	/* the caller's */
	uint32_t rank;	/* sort_rank(); 0: names are compared */
};

/* As --sort-by and the screen call it: "severity", "newest", "since" ... */
const char *sort_name(enum sort sort);
/* By that name, or kubectl's for it (".metadata.name"); case is ignored.  False leaves *out alone. */
bool sort_parse(struct str name, enum sort *out);
struct sort_item sort_item_of(enum sort sort, const struct summary *s);
/* Of something Ready, when its times do not count. */
struct sort_item sort_item_ready(enum sort sort, uint32_t slot);
bool sort_by_time(enum sort sort);

struct sort_order {
	struct graph *graph;
	const struct store *store;
	enum sort sort;
	bool reverse;
	bool (*stop)(const void *ctx);	/* asked now and then; NULL: never */
	const void *stop_ctx;
};

/* False: it was stopped, and the order is any. */
bool sort_items(const struct sort_order *order, struct sort_item *items, size_t n);
/*
 * Where each object stands among all of them by cluster, namespace, kind and name.  What an order calls equal is
 * ordered so, which of a hundred thousand names in a row is most of the work.  Zeroed, it knows none.
 */
struct sort_ranks {
	struct sort_ranked {
		uint32_t rank, gen;
	} *slots;
	uint32_t n;
	size_t known, unknown;	/* asked for since they were made, and had none */
};

/* 0: it is not known. */
uint32_t sort_rank(struct sort_ranks *r, struct handle h);
/* Makes them anew where too many were not known; not when order->stop() stops it. */
void sort_ranks_renew(struct sort_ranks *r, const struct sort_order *order);
void sort_ranks_release(struct sort_ranks *r);

/* Objects that are gone come last. */
void sort_handles(struct graph *g, const struct store *store, struct handle *handles, size_t n, enum sort sort);

#endif
