/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/fetch_events.h"

#include "kube/base/arena.h"

#include <stdlib.h>

enum { PARTS = 2000 };

struct parts {
	struct graph *graph;
	const struct store *store;
	struct summary *all;
	uint8_t *visited;	/* by slot: the object was looked at */
	size_t n;
};

static void add(struct parts *p, struct handle h)
{
	if (p->n == PARTS || p->visited[h.slot] || !graph_summary(p->graph, h, &p->all[p->n]))
		return;
	p->visited[h.slot] = 1;
	p->n++;
}

/* Adds the objects that have this one as their owner, and those that it says it manages. */
static void add_parts_of(struct parts *p, uint32_t slot)
{
	size_t n;
	const uint32_t *from = store_referrers(p->store, slot, &n);

	for (size_t i = 0; i < n; i++) {
		struct handle h = store_node_handle(p->store, from[i]);
		struct summary s;

		if (graph_summary(p->graph, h, &s) && s.owner.slot == slot)
			add(p, h);
	}
	for (size_t i = 0; i < store_edge_count(p->store, slot); i++) {
		struct edge e = store_edge(p->store, slot, i);

		if (e.relation == RELATION_MANAGES)
			add(p, store_node_handle(p->store, e.target));
	}
}

static int worst_first(const void *x, const void *y)
{
	return summary_compare(x, y);
}

size_t event_sources(struct graph *g, const struct store *store, struct handle h, struct handle out[EVENT_SOURCES],
		     size_t *out_left_out)
{
	struct arena a = { 0 };
	struct parts p = { .graph = g, .store = store };
	size_t n = 0;

	p.all = arena_array(&a, PARTS, sizeof(*p.all));
	p.visited = arena_alloc(&a, (size_t)store_slots(store) + 1);
	add(&p, h);
	for (size_t i = 0; i < p.n; i++)
		add_parts_of(&p, p.all[i].id.handle.slot);
	if (p.n > 2)
		qsort(p.all + 1, p.n - 1, sizeof(*p.all), worst_first);
	while (n < p.n && n < EVENT_SOURCES) {
		out[n] = p.all[n].id.handle;
		n++;
	}
	*out_left_out = p.n - n;
	arena_release(&a);
	return n;
}
