/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what is told otherwise of an object after a settle although its own verdict is the same: what it refers to came or
 * went, its waits lead to another cause, or a part of it changed.
 */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"

#include <string.h>

static void name(struct graph *g, uint32_t slot)
{
	struct affected *a = &g->affected;

	if (slot >= a->nmarks || a->marks[slot].named == a->search)
		return;
	a->marks[slot].named = a->search;
	a->slots = xgrow(a->slots, a->n, &a->cap, sizeof(*a->slots));
	a->slots[a->n++] = slot;
}

static void name_all(struct graph *g, const uint32_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		name(g, slots[i]);
}

/* ---- what it refers to ---------------------------------------------------------- */

/* Names who tells whether such an object is there; of one that is there as before, only who names it by its alias. */
static void name_referrers(struct graph *g)
{
	size_t n;
	const uint32_t *changed = graph_changed(g, &n);

	for (size_t i = 0; i < g->ncame; i++)
		graph_visit_naming(g, g->came[i], name);
	for (size_t i = 0; i < n; i++)
		graph_visit_by_alias(g, changed[i], name);
}

/* ---- what it is a part of ------------------------------------------------------- */

static void meet(struct graph *g, uint32_t slot)
{
	struct affected *a = &g->affected;
	struct status st;

	if (slot >= a->nmarks || a->marks[slot].met == a->search || !graph_is_alive(g, slot))
		return;
	a->marks[slot].met = a->search;
	a->above = xgrow(a->above, a->nabove, &a->above_cap, sizeof(*a->above));
	a->above[a->nabove++] = slot;
	st = graph_status(g, slot, NULL);
	if (st.phase != PHASE_READY || st.severity != SEVERITY_NONE)
		name(g, slot);
}

/* Meets the objects that the object of that slot is a part of: its owners, and those that manage it. */
static void meet_wholes(struct graph *g, uint32_t slot)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);

		if (e.relation == RELATION_OWNS)
			meet(g, e.target);
	}
	for (size_t i = 0; i < n; i++)
		if (graph_refers(g, in[i], slot, RELATION_MANAGES))
			meet(g, in[i]);
}

/* How an object that is not healthy recovers depends on its parts, on their parts, and on what all these need. */
static void name_wholes(struct graph *g)
{
	struct affected *a = &g->affected;
	size_t n;
	const uint32_t *changed = graph_changed(g, &n);

	a->nabove = 0;
	for (size_t i = 0; i < n; i++) {
		meet(g, changed[i]);
		graph_visit_naming(g, changed[i], meet);
	}
	for (size_t i = 0; i < a->nabove; i++)
		meet_wholes(g, a->above[i]);
}

static void make_room(struct affected *a, uint32_t n)
{
	if (n <= a->nmarks)
		return;
	a->marks = xreallocarray(a->marks, n, sizeof(*a->marks));
	memset(a->marks + a->nmarks, 0, (n - a->nmarks) * sizeof(*a->marks));
	a->nmarks = n;
}

const uint32_t *graph_affected(struct graph *g, size_t *out_n)
{
	struct affected *a = &g->affected;
	const uint32_t *slots;
	size_t n;

	make_room(a, g->nnodes);
	a->search++;
	a->n = 0;
	slots = graph_changed(g, &n);
	name_all(g, slots, n);
	slots = roots_moved(g, &n);
	name_all(g, slots, n);
	slots = graph_blocked(g, a->slots, a->n, &n);
	name_all(g, slots, n);
	name_referrers(g);
	name_wholes(g);
	*out_n = a->n;
	return a->slots;
}
