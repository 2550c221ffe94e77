/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of lists. */
#ifndef TUI_STATE_SORT_H
#define TUI_STATE_SORT_H

#include "kube/graph/graph.h"

/* The orders of a list.  Objects that are equal in an order are sorted by SORT_WORST; unknown times come last. */
enum sort {
	SORT_WORST,	/* graph_rank(); the default */
	SORT_NEWEST,	/* the object whose phase changed last comes first */
	SORT_SINCE,	/* the object that has had its phase longest comes first */
	SORT_NAME,
	SORT_NAMESPACE,
	SORT_KIND,
	SORT_PHASE,	/* by phase, in the order of enum phase */
	SORT_AGE,	/* the oldest object first */
	SORT_MEM,	/* what uses most memory, or most processor time, comes first; what is not known last */
	SORT_CPU,
	SORT_USED,	/* the claim of whose volume the largest part is used comes first; what is not known last */
	SORT_COUNT
};

/* An object with its first sort key.  It is small because a list may have a hundred thousand of them. */
struct sort_item {
	uint64_t first;
	uint32_t worst, slot;	/* worst: graph_rank(), by which objects are sorted that are equal in the order */
	uint32_t tag;	/* free for the use of the caller */
	uint32_t rank;	/* the result of sort_rank(); 0: names are compared instead */
	bool pinned;	/* it comes before what is not pinned, in every order, also a reversed one */
};

/* Returns the name of an order in --sort-by and on the screen: "severity", "newest", "since" ... */
const char *sort_name(enum sort sort);
/*
 * Parses such a name, or the path that kubectl uses (".metadata.name"); case is ignored.  Returns false and leaves *out
 * unchanged when there is no such order.
 */
bool sort_parse(struct str name, enum sort *out);
struct sort_item sort_item_of(const struct graph *g, enum sort sort, const struct summary *s);
/* Returns the item of a Ready object, for the orders by its name, its kind and its verdict: !sort_by_facts(). */
struct sort_item sort_item_ready(enum sort sort, uint32_t slot);
/*
 * Puts an item of SORT_WORST where a root cause has its place: what was acknowledged comes last; rank is graph_rank(), and of equal ones
 * those with a position, from 1, come in that order before those without one (0).
 */
void sort_item_place(struct sort_item *item, uint32_t rank, uint32_t position, bool acknowledged);
/* Returns true for the orders that depend on times, and on how much is used. */
bool sort_by_facts(enum sort sort);
/* Returns true for the orders by how much is used, which is known while the column of that name is shown. */
bool sort_by_use(enum sort sort);

struct sort_order {
	struct graph *graph;
	const struct store *store;
	enum sort sort;
	bool reverse;
	bool (*stop)(const void *ctx);	/* called from time to time; true ends the sorting; NULL: it is never ended */
	const void *stop_ctx;
};

/* Sorts items.  Returns false when stop() ended the sorting: the order is then undefined. */
bool sort_items(const struct sort_order *order, struct sort_item *items, size_t n);
/*
 * The rank of each object among all objects by cluster, namespace, kind and name, which is the order of objects that
 * are otherwise equal.  Ranks are kept because comparing a hundred thousand names is most of the work of sorting.  {0}
 * has no ranks.
 */
struct sort_ranks {
	struct sort_ranked {
		uint32_t rank, gen;
	} *slots;
	uint32_t n;
	/* known: objects that have a rank; unknown: lookups without a result since the last renewal */
	size_t known, unknown;
};

/* Returns the rank of an object, from 1; 0: it is not known. */
uint32_t sort_rank(struct sort_ranks *r, struct handle h);
/* Computes all ranks again when too many lookups had no result.  Keeps the old ones when order->stop() returns true. */
void sort_ranks_renew(struct sort_ranks *r, const struct sort_order *order);
void sort_ranks_release(struct sort_ranks *r);

/* Sorts handles.  Objects that do not exist any more come last. */
void sort_handles(struct graph *g, const struct store *store, struct handle *handles, size_t n, enum sort sort);

#endif
