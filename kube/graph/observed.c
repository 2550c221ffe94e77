/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/graph/observed.h"

#include "kube/base/alloc.h"
#include "kube/graph/graph_private.h"

bool graph_observed(const struct graph *g, struct handle h, struct observed *out)
{
	const struct graph_node *n = h.slot < g->nnodes ? &g->nodes[h.slot] : NULL;

	if (!n || !store_alive(g->store, h) || n->shown_gen != h.gen + 1)
		return false;
	*out = (struct observed){
		.phase = (enum phase)n->phase,
		.since = n->since,
		.since_seen = n->since_seen,
		.was_ready = n->was_ready,
	};
	return true;
}

void graph_set_observed(struct graph *g, struct handle h, const struct observed *o)
{
	struct graph_node *n;

	if (!store_alive(g->store, h))
		return;
	graph_grow(g);
	n = &g->nodes[h.slot];
	n->phase = (uint8_t)o->phase;
	n->since = o->since;
	n->since_seen = o->since_seen;
	n->was_ready = o->was_ready;
	n->shown_gen = h.gen + 1;
	n->edits = (uint16_t)store_edits(g->store, h);
	n->generation = (uint16_t)store_meta(g->store, h).generation;
}

void graph_add_observed(struct graph *g, struct handle h, const struct observed *o)
{
	g->earlier = xgrow(g->earlier, g->nearlier, &g->earlier_cap, sizeof(*g->earlier));
	g->earlier[g->nearlier++] = (struct earlier_observed){ h, *o };
}
