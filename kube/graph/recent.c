/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that were seen lately, and those of them that came shortly before a failure, of an object near to it.
 * That is evidence with a time; it does not prove the cause.
 */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/graph/observed.h"

#include <stdlib.h>

enum {
	KEPT = 1 << 14,		/* changes */
	NEAR_NODES = 2000,	/* that are looked at around a failure */
	NEAR_STEPS = 4
};
/* So long before a failure a change can have to do with it; so much later it may be noticed. */
#define SHORTLY MINUTES(15)
#define NOTICED SECONDS(2)

struct kept_change {
	int64_t time;
	struct handle object;
	uint8_t what, from, to;
};

struct recent {
	struct kept_change *ring;
	uint32_t cap, at, n;
};

void recent_free(struct recent *r)
{
	if (r)
		xfree(r->ring);
	xfree(r);
}

static const struct kept_change *change_at(const struct recent *r, uint32_t i)
{
	return &r->ring[(r->at + i) % r->cap];
}

struct recent *recent_copy(const struct recent *r)
{
	struct recent *copy;

	if (!r)
		return NULL;
	copy = xmalloc(sizeof(*copy));
	*copy = (struct recent){ xreallocarray(NULL, r->cap, sizeof(*r->ring)), r->cap, 0, r->n };
	for (uint32_t i = 0; i < r->n; i++)
		copy->ring[i] = *change_at(r, i);
	return copy;
}

static void keep(struct graph *g, struct kept_change c)
{
	struct recent *r = g->recent ? g->recent : (g->recent = xcalloc(1, sizeof(*r)));

	if (r->n == r->cap && r->cap < KEPT) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->ring = xreallocarray(r->ring, r->cap, sizeof(*r->ring));
	}
	if (r->n == r->cap)
		r->at = (r->at + 1) % r->cap;
	else
		r->n++;
	r->ring[(r->at + r->n - 1) % r->cap] = c;
}

bool graph_recent(const struct graph *g, size_t i, struct recent_change *out)
{
	const struct kept_change *c;

	if (!g->recent || i >= g->recent->n)
		return false;
	c = change_at(g->recent, (uint32_t)i);
	*out = (struct recent_change){ c->time, 0, (enum changed)c->what, (enum phase)c->from, (enum phase)c->to, false };
	if (store_knows(g->store, c->object)) {
		out->slot = c->object.slot;
		out->gone = store_node_named(g->store, c->object.slot).gen != c->object.gen;
	}
	return true;
}

void graph_set_recent(struct graph *g, const struct recent_change *c)
{
	struct kept_change kept = { c->time, { c->slot, 0 }, (uint8_t)c->what, (uint8_t)c->from, (uint8_t)c->to };

	if (c->slot)
		kept.object.gen = store_node_named(g->store, c->slot).gen - c->gone;
	keep(g, kept);
}

void recent_note(struct graph *g, uint32_t slot, const struct status *now, bool by_change)
{
	struct graph_node *n = &g->nodes[slot];
	struct handle h = store_node_handle(g->store, slot);
	struct kept_change c = { g->now, h, CHANGED_PHASE, n->phase, (uint8_t)now->phase };
	bool edited = h.slot && n->edits != (uint16_t)store_edits(g->store, h);
	bool same = h.slot && n->shown_gen == h.gen + 1;
	uint16_t generation = n->generation;

	if (edited || !same)
		n->generation = (uint16_t)store_meta(g->store, h).generation;
	if (!g->settled)
		return;
	if (!h.slot && n->shown_gen) {
		c.object = (struct handle){ slot, n->shown_gen - 1 };
		c.what = CHANGED_DELETED;
		keep(g, c);
	} else if (h.slot && !same) {
		c.what = CHANGED_CREATED;
		if (by_change)
			keep(g, c);
	} else if (h.slot) {
		if (n->phase != (uint8_t)now->phase)
			keep(g, c);
		c.what = CHANGED_SPEC;
		if (edited && n->generation != generation)
			keep(g, c);
	}
}

/* ---- what is near ----------------------------------------------------------- */

struct near {
	uint32_t slot;
	uint8_t steps;
	bool part;	/* of the object, or of one of its parts: what it shows, it does not cause */
};

struct search {
	struct graph *g;
	struct near *found;
	size_t n;
	struct map seen;
};

static void meet(struct search *s, uint32_t slot, unsigned steps, bool part)
{
	struct str key = { (const char *)&slot, sizeof(slot) };

	if (s->n == NEAR_NODES || steps > NEAR_STEPS || map_get(&s->seen, key))
		return;
	map_set(&s->seen, key, s);
	s->found[s->n++] = (struct near){ slot, (uint8_t)steps, part };
}

/* What it refers to and who owns it; its parts, and theirs. */
static void look_around(struct search *s, struct near from)
{
	struct graph *g = s->g;
	size_t n;
	const uint32_t *in = store_referrers(g->store, from.slot, &n);

	for (size_t i = 0; i < store_edge_count(g->store, from.slot); i++) {
		struct edge e = store_edge(g->store, from.slot, i);

		meet(s, graph_resolve(g, from.slot, &e), from.steps + 1u, from.part && e.relation == RELATION_MANAGES);
	}
	for (size_t i = 0; from.part && i < n && s->n < NEAR_NODES; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);

			if (e.target == from.slot && e.relation == RELATION_OWNS)
				meet(s, in[i], from.steps + 1u, true);
		}
}

/* May that explain a failure?  Not what became well, nor what only shows the failure. */
static bool may_explain(const struct kept_change *c, const struct near *near)
{
	enum phase to = (enum phase)c->to;

	if (c->what == CHANGED_CREATED)
		return !near->part || near->steps == 0;
	if (c->what != CHANGED_PHASE)
		return true;
	return !near->part && (to == PHASE_FAILED || to == PHASE_DEGRADED || to == PHASE_DELETING || to == PHASE_UNKNOWN ||
			       to == PHASE_SUSPENDED || to == PHASE_MAINTENANCE);
}

/* What only came to be says less than what was and became another. */
static int nearest_first(const void *pa, const void *pb)
{
	const struct change_before *a = pa, *b = pb;
	bool a_new = a->what == CHANGED_CREATED, b_new = b->what == CHANGED_CREATED;

	if (a_new != b_new)
		return a_new ? 1 : -1;
	if (a->steps != b->steps)
		return a->steps < b->steps ? -1 : 1;
	return a->time > b->time ? -1 : a->time < b->time;
}

/* The last change of an object before that time, its spec's before its phase's. */
static const struct kept_change *last_change(const struct search *s, const struct near *near, int64_t before)
{
	const struct recent *r = s->g->recent;
	const struct kept_change *best = NULL;

	for (uint32_t i = r->n; i-- > 0;) {
		const struct kept_change *c = change_at(r, i);

		if (c->time < before - SHORTLY)
			break;
		if (c->object.slot != near->slot || c->time > before + NOTICED || !store_knows(s->g->store, c->object) ||
		    !may_explain(c, near))
			continue;
		if (!best || (best->what == CHANGED_PHASE && c->what != CHANGED_PHASE))
			best = c;
	}
	return best;
}

const struct change_before *graph_changes_before(struct graph *g, struct handle h, int64_t began, struct arena *arena,
						 size_t *out_n)
{
	struct search s = { .g = g };
	struct change_before *out;

	*out_n = 0;
	if (!g->recent || !began || !store_alive(g->store, h))
		return NULL;
	s.found = xreallocarray(NULL, NEAR_NODES, sizeof(*s.found));
	meet(&s, h.slot, 0, true);
	for (size_t i = 0; i < s.n; i++)
		look_around(&s, s.found[i]);
	out = arena_array(arena, s.n, sizeof(*out));
	for (size_t i = 0; i < s.n; i++) {
		const struct kept_change *c = last_change(&s, &s.found[i], began);

		if (c)
			out[(*out_n)++] = (struct change_before){ graph_id(g, c->object.slot), (enum changed)c->what,
								  (enum phase)c->from, (enum phase)c->to, c->time,
								  s.found[i].steps };
	}
	if (*out_n)
		qsort(out, *out_n, sizeof(*out), nearest_first);
	map_release(&s.seen);
	xfree(s.found);
	return out;
}
