/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which changes may explain a failure: of all changes in the journal, also of objects that nobody shows, the ones near to
 * the object that failed.  That is evidence; it does not prove the cause.
 */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

#include <stdlib.h>

enum {
	NEAR_NODES = 2000,	/* objects around a failure that are examined */
	NEAR_STEPS = 4
};
/* For so long before a failure a change may have led to it; for so long after its time a change may be noticed. */
#define SHORTLY MINUTES(15)
#define NOTICED SECONDS(2)

/* ---- what is near ----------------------------------------------------------- */

/* What an object is to the one that has failed. */
enum role {
	SELF,
	PART,	/* the failed object, or one of its parts, has made it */
	WHOLE,	/* the failed object is a part of it */
	AWAITED,
	OTHER
};

struct near {
	uint32_t slot;
	uint8_t steps, role;
	const struct journal_entry *change;	/* what it shows of itself; NULL: nothing */
};

struct search {
	struct graph *g;
	int64_t began, from;	/* ms: when the failure began; changes that may have led to it are no older than from */
	struct near *found;
	size_t n;
	struct map seen;
};

static void meet(struct search *s, uint32_t slot, unsigned steps, enum role role)
{
	struct str key = { (const char *)&slot, sizeof(slot) };

	if (!slot || s->n == NEAR_NODES || steps > NEAR_STEPS || map_get(&s->seen, key))
		return;
	s->found[s->n] = (struct near){ slot, (uint8_t)steps, (uint8_t)role, NULL };
	map_set(&s->seen, key, &s->found[s->n++]);
}

static bool has_parts(const struct near *from)
{
	return from->role == SELF || from->role == PART;
}

static bool has_wholes(const struct near *from)
{
	return from->role == SELF || from->role == WHOLE;
}

static enum role role_of(const struct near *from, const struct edge *e)
{
	if (e->relation == RELATION_MANAGES && has_parts(from))
		return PART;
	return e->relation == RELATION_OWNS && has_wholes(from) ? WHOLE : OTHER;
}

/* Adds what the object refers to: its parts and what it is a part of, or everything else. */
static void look_along(struct search *s, struct near from, bool others)
{
	for (size_t i = 0; i < store_edge_count(s->g->store, from.slot); i++) {
		struct edge e = store_edge(s->g->store, from.slot, i);
		enum role role = role_of(&from, &e);

		/* the other parts of a whole share its failure and do not explain it */
		if (e.relation == RELATION_MANAGES && from.role == WHOLE)
			continue;
		if ((role == OTHER) == others)
			meet(s, graph_resolve(s->g, from.slot, &e), from.steps + 1u, role);
	}
}

/* Adds objects that are a part of this one by their own word, or have it as a part. */
static void look_back(struct search *s, struct near from, uint32_t referrer)
{
	for (size_t k = 0; k < store_edge_count(s->g->store, referrer); k++) {
		struct edge e = store_edge(s->g->store, referrer, k);

		if (e.target == from.slot && e.relation == RELATION_OWNS && has_parts(&from))
			meet(s, referrer, from.steps + 1u, PART);
		else if (e.target == from.slot && e.relation == RELATION_MANAGES && has_wholes(&from))
			meet(s, referrer, from.steps + 1u, WHOLE);
	}
}

/* Adds the object's parts and their parts; what it is a part of; what it waits for and refers to. */
static void look_around(struct search *s, struct near from)
{
	struct graph *g = s->g;
	/* NULL: the object is new since the last settle */
	const struct health *health = from.slot < g->nnodes ? g->nodes[from.slot].health : NULL;
	size_t n;
	const uint32_t *in = store_referrers(g->store, from.slot, &n);

	look_along(s, from, false);
	for (size_t i = 0; (has_parts(&from) || has_wholes(&from)) && i < n && s->n < NEAR_NODES; i++)
		look_back(s, from, in[i]);
	for (size_t i = 0; health && from.role != WHOLE && i < health->nwaits; i++)
		meet(s, health->waits[i].target, from.steps + 1u, from.role == SELF ? AWAITED : OTHER);
	look_along(s, from, true);
}

/* A change well before the failure is evidence; one at the same time or later only shows the failure. */
static bool came_before(const struct search *s, const struct journal_entry *c)
{
	enum phase to = (enum phase)c->to.phase;

	return c->time + NOTICED < s->began &&
	       (to == PHASE_FAILED || to == PHASE_DEGRADED || (c->from.phase == PHASE_READY && to != PHASE_READY));
}

/*
 * Changes of the object and of its parts count when they came before the failure; a whole is unhealthy because of its
 * parts.
 */
static bool phase_may_explain(const struct search *s, const struct journal_entry *c, const struct near *near)
{
	if (has_parts(near))
		return came_before(s, c);
	if (c->from.phase == PHASE_READY && (near->role == AWAITED || (near->role == OTHER && near->steps == 1)))
		return true;
	switch ((enum phase)c->to.phase) {
	case PHASE_DELETING:
	case PHASE_SUSPENDED:
	case PHASE_MAINTENANCE:
		return true;
	case PHASE_FAILED:
	case PHASE_DEGRADED:
	case PHASE_UNKNOWN:
		return near->role != WHOLE;
	default:
		return false;
	}
}

/*
 * Returns true for a change that may explain a failure: not for what became healthy, and not for what only shows the
 * failure.
 */
static bool may_explain(const struct search *s, const struct journal_entry *c, const struct near *near)
{
	if (c->what == JOURNAL_PHASE)
		return phase_may_explain(s, c, near);
	return c->what != JOURNAL_CAME || near->role != PART;
}

/* Returns when the object was healthy for the last time, because a failure may have begun as something less. */
static int64_t well_until(const struct search *s, uint32_t slot)
{
	const struct journal_entry *c;
	int64_t until = s->began;

	for (struct evidence e = evidence_newest(s->g); (c = evidence_before(&e)) != NULL;) {
		if (c->object.slot != slot || c->what == JOURNAL_SPEC || c->time > s->began + NOTICED)
			continue;
		if (c->what != JOURNAL_PHASE || c->to.phase == PHASE_READY)
			break;
		until = c->time < until ? c->time : until;
	}
	return until;
}

/* Takes the last change of each object before the failure, a change of its spec before one of its phase. */
static void find_changes(struct search *s)
{
	const struct journal_entry *c;

	for (struct evidence e = evidence_newest(s->g); (c = evidence_before(&e)) != NULL && c->time >= s->from;) {
		struct near *near = map_get(&s->seen, (struct str){ (const char *)&c->object.slot, sizeof(c->object.slot) });

		if (!near || c->time > s->began + NOTICED || c->time > s->g->now || !store_knows(s->g->store, c->object) ||
		    !may_explain(s, c, near))
			continue;
		if (!near->change || (near->change->what == JOURNAL_PHASE && c->what != JOURNAL_PHASE))
			near->change = c;
	}
}

/* What existed and has changed says most, then a part that has failed before, then what was created. */
static int rank(const struct change_before *c)
{
	return c->what == CHANGED_CREATED ? 2 : c->part;
}

static int nearest_first(const void *pa, const void *pb)
{
	const struct change_before *a = pa, *b = pb;

	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	if (a->steps != b->steps)
		return a->steps < b->steps ? -1 : 1;
	return a->time > b->time ? -1 : a->time < b->time;
}

/* Of the parts that have failed before, only the first one is kept. */
static size_t keep_first_part(struct change_before *all, size_t n)
{
	int64_t first = INT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].part && all[i].time < first)
			first = all[i].time;
	for (size_t i = 0; i < n; i++) {
		if (all[i].part && all[i].time != first)
			continue;
		if (all[i].part)
			first = INT64_MIN;
		all[kept++] = all[i];
	}
	return kept;
}

const struct change_before *graph_changes_before(struct graph *g, struct handle h, int64_t began, struct arena *arena,
						 size_t *out_n)
{
	struct search s = { .g = g, .began = began };
	struct change_before *out;

	*out_n = 0;
	if (!began || !store_alive(g->store, h))
		return NULL;
	s.found = xreallocarray(NULL, NEAR_NODES, sizeof(*s.found));
	meet(&s, h.slot, 0, SELF);
	for (size_t i = 0; i < s.n; i++)
		look_around(&s, s.found[i]);
	s.from = well_until(&s, h.slot) - SHORTLY;
	find_changes(&s);
	out = arena_array(arena, s.n, sizeof(*out));
	for (size_t i = 0; i < s.n; i++) {
		const struct near *near = &s.found[i];
		const struct journal_entry *c = near->change;

		if (c)
			out[(*out_n)++] = (struct change_before){ graph_id(g, c->object.slot), evidence_word(c),
								  (enum phase)c->from.phase, (enum phase)c->to.phase, c->time,
								  near->steps, near->role == PART && c->what == JOURNAL_PHASE };
	}
	*out_n = keep_first_part(out, *out_n);
	if (*out_n)
		qsort(out, *out_n, sizeof(*out), nearest_first);
	map_release(&s.seen);
	xfree(s.found);
	return out;
}
