/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of lists. */
#ifndef TUI_STATE_SORT_H
#define TUI_STATE_SORT_H

#include "kube/graph/graph.h"

/* Objects that are equal in an order are ordered as by SORT_WORST; unknown times come last. */
enum sort {
	SORT_WORST,	/* the default */
	SORT_NEWEST,	/* the latest phase first */
	SORT_SINCE,	/* the oldest phase first */
	SORT_NAME,
	SORT_NAMESPACE,
	SORT_KIND,
	SORT_PHASE,	/* in the order of enum phase */
	SORT_AGE,	/* the oldest object first */
	SORT_COUNT
};

/* An object with the key by which it is ordered first: small, as there may be a hundred thousand. */
struct sort_item {
	uint64_t first;
	uint32_t badness, slot;
	uint32_t tag;	/* for the caller */
	uint32_t rank;	/* sort_rank(); 0: names are compared */
};

/* Its name in --sort-by and on the screen: "severity", "newest", "since" ... */
const char *sort_name(enum sort sort);
/* Accepts that name, or kubectl's for it (".metadata.name"); case is ignored.  False leaves *out alone. */
bool sort_parse(struct str name, enum sort *out);
struct sort_item sort_item_of(enum sort sort, const struct summary *s);
/* The item of a Ready object, for orders that do not look at times. */
struct sort_item sort_item_ready(enum sort sort, uint32_t slot);
/* True for orders that look at times. */
bool sort_by_time(enum sort sort);

struct sort_order {
	struct graph *graph;
	const struct store *store;
	enum sort sort;
	bool reverse;
	bool (*stop)(const void *ctx);	/* called now and then, true: stop; NULL: never */
	const void *stop_ctx;
};

/* Sorts.  False when stop() ended it: the order is undefined. */
bool sort_items(const struct sort_order *order, struct sort_item *items, size_t n);
/*
 * The rank of each object among all by cluster, namespace, kind and name: the order of objects that are otherwise
 * equal.  Kept because comparing a hundred thousand names is most of the work of sorting.  {0} is empty.
 */
struct sort_ranks {
	struct sort_ranked {
		uint32_t rank, gen;
	} *slots;
	uint32_t n;
	size_t known, unknown;	/* lookups since the last renewal, with and without a rank */
};

/* 0: not known. */
uint32_t sort_rank(struct sort_ranks *r, struct handle h);
/* Computes them again when too many were unknown; gives up when order->stop() returns true. */
void sort_ranks_renew(struct sort_ranks *r, const struct sort_order *order);
void sort_ranks_release(struct sort_ranks *r);

/* Objects that are gone come last. */
void sort_handles(struct graph *g, const struct store *store, struct handle *handles, size_t n, enum sort sort);

#endif
