/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that belong to one object, directly or through others. */
#include "kube/graph/graph_private.h"

#include <stdlib.h>

enum { PARTS = 2000 };	/* how many are looked at */

struct parts {
	struct graph *graph;
	uint32_t *slots;
	uint8_t *visited;	/* by slot: it is in slots */
	size_t n;
};

static void add(struct parts *p, uint32_t slot)
{
	if (p->n == PARTS || p->visited[slot] || !store_node_handle(p->graph->store, slot).slot)
		return;
	p->visited[slot] = 1;
	p->slots[p->n++] = slot;
}

static bool owns(const struct store *store, uint32_t owner, uint32_t part)
{
	for (size_t i = 0; i < store_edge_count(store, part); i++) {
		struct edge e = store_edge_ends(store, part, i);

		if (e.target == owner && e.relation == RELATION_OWNS)
			return true;
	}
	return false;
}

/* Adds what an object owns, and what it says it manages. */
static void add_parts_of(struct parts *p, uint32_t slot)
{
	const struct store *store = p->graph->store;
	size_t n;
	const uint32_t *from = store_referrers(store, slot, &n);

	for (size_t i = 0; i < n && p->n < PARTS; i++)
		if (owns(store, slot, from[i]))
			add(p, from[i]);
	for (size_t i = 0; i < store_edge_count(store, slot); i++) {
		struct edge e = store_edge_ends(store, slot, i);

		if (e.relation == RELATION_MANAGES)
			add(p, e.target);
	}
}

static int worst_first(const void *x, const void *y)
{
	return summary_compare(x, y);
}

size_t graph_parts(struct graph *g, struct handle h, const char *kind, struct handle *out, size_t cap)
{
	struct arena a = { 0 };
	struct parts p = { .graph = g };
	struct summary *all;
	size_t n = 0;

	if (!store_alive(g->store, h))
		return 0;
	p.slots = arena_array(&a, PARTS, sizeof(*p.slots));
	p.visited = arena_alloc(&a, (size_t)store_slots(g->store) + 1);
	add(&p, h.slot);
	for (size_t i = 0; i < p.n; i++)
		add_parts_of(&p, p.slots[i]);
	all = arena_array(&a, p.n, sizeof(*all));
	for (size_t i = 1; i < p.n; i++)
		if (!kind || str_is(store_node_kind(g->store, p.slots[i])->kind, kind))
			n += graph_summary(g, store_node_handle(g->store, p.slots[i]), &all[n]);
	qsort(all, n, sizeof(*all), worst_first);
	for (size_t i = 0; i < n && i < cap; i++)
		out[i] = all[i].id.handle;
	arena_release(&a);
	return n;
}
