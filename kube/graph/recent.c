/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which changes may explain a failure: of all changes in the journal and in the managedFields, also of objects that
 * nobody shows, the ones near to the object that failed.  That is evidence; it does not prove the cause.
 */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/journal/edits.h"

#include <stdlib.h>
#include <string.h>

enum {
	NEAR_NODES = 2000,	/* objects around a failure that are examined */
	NEAR_STEPS = 4,
	EDITS_TOLD = 3		/* edits of one object */
};
/* For so long before a failure a change may have led to it; for so long after its time a change may be noticed. */
#define SHORTLY MINUTES(10)
#define NOTICED SECONDS(2)
/* The clocks of this program and of the server may differ by so much for one change that both tell of. */
#define SKEW SECONDS(5)

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
	uint32_t slot;		/* 0: no object of the store refers to it */
	uint8_t steps, role;
	const struct journal_entry *change;	/* what it shows of itself; NULL: nothing */
	struct object_id named;	/* without a slot: who it is */
};

struct search {
	struct graph *g;
	uint32_t slot;		/* what has failed */
	int64_t began, from;	/* ms: when the failure began; changes that may have led to it are no older than from */
	struct near *found;
	size_t n;
	struct map seen;
	struct arena *arena;
	struct change_before *changes;
	size_t nchanges, cap;
};

static void meet(struct search *s, uint32_t slot, unsigned steps, enum role role)
{
	struct str key = { (const char *)&slot, sizeof(slot) };

	if (!slot || s->n == NEAR_NODES || steps > NEAR_STEPS || map_get(&s->seen, key))
		return;
	s->found[s->n] = (struct near){ .slot = slot, .steps = (uint8_t)steps, .role = (uint8_t)role };
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

/* ---- what concerns an object without being named by it ------------------------- */

static bool makes_pods(const struct kind *kind)
{
	return str_is(kind->group, "apps") || str_is(kind->group, "batch");
}

/* A webhook is asked about the object, one of its parts, or what it is a part of; also about Pods that there are none of yet. */
static bool is_asked(const struct search *s, const struct object_id *webhooks)
{
	static const struct kind pods = { .plural = { "pods", 4 } };
	const struct edits *edits = s->g->sources.edits;
	bool asked = !edits;

	for (size_t i = 0; !asked && i < s->n; i++) {
		const struct near *near = &s->found[i];
		const struct kind *kind = near->slot ? store_node_id(s->g->store, near->slot).kind : NULL;

		if (kind && (has_parts(near) || has_wholes(near)))
			asked = edits_cover(edits, webhooks, kind) || (makes_pods(kind) && edits_cover(edits, webhooks, &pods));
	}
	return asked;
}

/* True for a quota of its namespace, a webhook that is asked about it, and the definition of its kind. */
static bool concerns(const struct search *s, const struct object_id *id)
{
	struct object_id failed = store_node_id(s->g->store, s->slot);
	struct str plural = failed.kind->plural;

	if (id->cluster != failed.cluster || !edits_concern_others(id->kind))
		return false;
	if (str_is(id->kind->kind, "CustomResourceDefinition"))
		return str_starts(id->name, plural.ptr) && str_eq(str_from(id->name, plural.len + 1), failed.kind->group);
	return id->ns.len ? str_eq(id->ns, failed.ns) : is_asked(s, id);
}

/* Returns the place of an object that concerns the failed one; NULL when it does not, or there is no room. */
static struct near *meet_concerning(struct search *s, uint32_t slot, const struct object_id *id)
{
	struct near *near = &s->found[s->n];

	if (s->n == NEAR_NODES || !concerns(s, id))
		return NULL;
	*near = (struct near){ .slot = slot, .steps = NEAR_STEPS + 1, .role = OTHER, .named = *id };
	if (slot)
		map_set(&s->seen, (struct str){ (const char *)&slot, sizeof(slot) }, near);
	s->n++;
	return near;
}

static struct near *near_of(struct search *s, uint32_t slot)
{
	return map_get(&s->seen, (struct str){ (const char *)&slot, sizeof(slot) });
}

static void meet_edited(struct search *s)
{
	const struct edits *edits = s->g->sources.edits;
	struct object_id id;

	for (size_t i = 0; edits && edits_concerning(edits, i, &id); i++) {
		uint32_t slot = store_find_node(s->g->store, &id);

		if (!slot || !near_of(s, slot))
			meet_concerning(s, slot, &id);
	}
}

/* ---- what the journal says of them ----------------------------------------------- */

/* A change well before the failure is evidence; one at the same time or later only shows the failure. */
static bool came_before(const struct search *s, const struct journal_entry *c)
{
	enum phase to = (enum phase)c->to.phase;

	return c->time + NOTICED < s->began &&
	       (phase_is_bad(to) || (c->from.phase == PHASE_READY && to != PHASE_READY));
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
	/* that an object was created explains nothing once it is gone */
	return c->what != JOURNAL_CAME || (near->role != PART && store_alive(s->g->store, c->object));
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

/*
 * Takes the last change of each object before the failure: a change of its spec rather than one of its phase, and that
 * rather than that it came.
 */
static void find_changes(struct search *s)
{
	const struct journal_entry *c;

	for (struct evidence e = evidence_newest(s->g); (c = evidence_before(&e)) != NULL && c->time >= s->from;) {
		struct near *near = near_of(s, c->object.slot);

		if (!near && c->what != JOURNAL_PHASE && store_knows(s->g->store, c->object)) {
			struct object_id id = store_node_id(s->g->store, c->object.slot);

			near = meet_concerning(s, c->object.slot, &id);
		}
		if (!near || c->time > s->began + NOTICED || c->time > s->g->now || !store_knows(s->g->store, c->object) ||
		    !may_explain(s, c, near))
			continue;
		if (!near->change || (near->change->what == JOURNAL_PHASE && c->what != JOURNAL_PHASE && c->what != JOURNAL_CAME))
			near->change = c;
	}
}

/* ---- what managedFields say of them ------------------------------------------------ */

static bool has_owner(const struct search *s, uint32_t slot)
{
	struct summary summary;

	return slot && graph_summary(s->g, store_node_handle(s->g->store, slot), &summary) && summary.owner.slot;
}

/* True for kinds whose objects are written again and again, and tell only of others. */
static bool is_restless(const struct kind *kind)
{
	static const char *const kinds[] = { "Lease", "Event", "Endpoints", "EndpointSlice", NULL };

	return str_is_any(kind->kind, kinds);
}

/*
 * Returns true for an edit that may explain the failure: of what belongs to another object, only what its owner's
 * controller has not written, which follows from the owner.
 */
static bool edit_explains(const struct search *s, const struct near *near, const struct object_id *id, const struct edit *e)
{
	if (e->time > s->began || e->time > s->g->now || e->time + SECONDS(1) <= s->from || is_restless(id->kind))
		return false;
	if (e->made)
		return near->role != PART && !has_owner(s, near->slot);
	return !manager_is_controller(e->by.manager) || !has_owner(s, near->slot);
}

/* Returns the edit that the journal tells of, too; NULL: there is none. */
static const struct edit *edit_at(const struct edit *all, size_t n, const struct journal_entry *c)
{
	const struct edit *found = NULL;
	int64_t nearest = SKEW;

	for (size_t i = 0; i < n; i++) {
		int64_t off = llabs(c->time - all[i].time);

		if (off > nearest || all[i].made != (c->what == JOURNAL_CAME))
			continue;
		nearest = off;
		found = &all[i];
	}
	return found;
}

/* ---- the changes --------------------------------------------------------------------- */

static void add_change(struct search *s, const struct change_before *c)
{
	if (s->nchanges == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->changes = xreallocarray(s->changes, s->cap, sizeof(*s->changes));
	}
	s->changes[s->nchanges++] = *c;
}

static struct id id_of(const struct search *s, const struct near *near)
{
	const struct object_id *id = &near->named;

	if (near->slot)
		return graph_id(s->g, near->slot);
	return (struct id){ .group = id->kind->group, .kind = id->kind->kind, .ns = id->ns, .name = id->name,
			    .cluster = graph_cluster_name(s->g, id->cluster) };
}

/* The values of the fields are not known: nobody watched. */
static void add_edited_fields(struct search *s, struct change_before *c, const struct edit *e)
{
	struct changed_field *fields = arena_array(s->arena, e->nfields, sizeof(*fields));

	for (size_t i = 0; i < e->nfields; i++)
		fields[i] = (struct changed_field){ .path = e->fields[i], .unseen = true };
	c->fields = fields;
	c->nfields = e->nfields;
	c->more = e->more;
}

static void add_edit(struct search *s, const struct near *near, const struct edit *e)
{
	struct change_before c = { .id = id_of(s, near), .what = e->made ? CHANGED_CREATED : CHANGED_SPEC, .time = e->time,
				   .steps = near->steps, .by = e->by };

	add_edited_fields(s, &c, e);
	add_change(s, &c);
}

static void add_entry(struct search *s, const struct near *near, const struct edit *e)
{
	const struct journal_entry *entry = near->change;
	struct change_before c = { .id = graph_id(s->g, entry->object.slot), .what = evidence_word(entry),
				   .from = (enum phase)entry->from.phase, .to = (enum phase)entry->to.phase,
				   .time = entry->time, .steps = near->steps,
				   .part = near->role == PART && entry->what == JOURNAL_PHASE };

	if (e) {
		c.by = e->by;
		add_edited_fields(s, &c, e);
	}
	add_change(s, &c);
}

size_t graph_edits(const struct graph *g, const struct object_id *id, struct arena *arena, const struct edit **out)
{
	*out = NULL;
	return g->sources.edits ? edits_of(g->sources.edits, id, arena, out) : 0;
}

/* Returns who made the object: of those who wrote in that second a person or tool, before a controller that only added to it. */
static const struct edit *maker(const struct edit *all, size_t n)
{
	const struct edit *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (all[i].made && (!found || (manager_is_controller(found->by.manager) && !manager_is_controller(all[i].by.manager))))
			found = &all[i];
	return found;
}

/* Adds the changes of one object. */
static void add_changes(struct search *s, const struct near *near)
{
	struct object_id id = near->slot ? store_node_id(s->g->store, near->slot) : near->named;
	const struct edit *edits, *same = NULL, *made;
	size_t n = graph_edits(s->g, &id, s->arena, &edits), told = 0;
	bool came = near->change && near->change->what == JOURNAL_CAME;

	made = maker(edits, n);
	if (near->change && near->change->what != JOURNAL_PHASE)
		same = edit_at(edits, n, near->change);
	if (near->change)
		add_entry(s, near, came && same ? made : same);
	for (size_t i = 0; i < n && told < EDITS_TOLD; i++)
		if (&edits[i] != same && (!edits[i].made || (!came && &edits[i] == made)) && edit_explains(s, near, &id, &edits[i])) {
			add_edit(s, near, &edits[i]);
			told++;
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

/* Leaves out, behind a change of what existed, that an object was made by its owner: that follows from it. */
static size_t leave_out_made(struct search *s)
{
	size_t kept = 0;
	bool follows = s->nchanges && s->changes[0].what == CHANGED_SPEC;

	for (size_t i = 0; i < s->nchanges; i++)
		if (!follows || s->changes[i].what != CHANGED_CREATED || !has_owner(s, s->changes[i].id.handle.slot))
			s->changes[kept++] = s->changes[i];
	return kept;
}

/* Leaves out what is no change of the object itself, and what a Secret holds. */
static size_t keep_fields(struct changed_field *fields, size_t n, struct str kind)
{
	size_t kept = 0;

	for (size_t i = 0; i < n && !str_is(kind, "Secret"); i++)
		if (!str_starts(fields[i].path, "status"))
			fields[kept++] = fields[i];
	return kept;
}

/*
 * Finds the values of the fields where the versions of the object are known.  Returns false when nothing but its status
 * was changed.  Versions without a difference prove nothing: of some kinds only the metadata is read.
 */
static bool find_values(struct search *s, struct change_before *c)
{
	/* the journal may note a change some moments after it came; who wrote it says the second */
	static const int64_t before[] = { 1, 50, SECONDS(1) };
	const struct change_sources *from = &s->g->sources;
	const struct changed_field *found = NULL;
	struct changed_field *fields;
	bool seen;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]) && n == 0; i++)
		if (c->what == CHANGED_SPEC && from->fields && c->id.handle.slot) {
			struct object_id id = store_node_id(s->g->store, c->id.handle.slot);

			n = from->fields(from->ctx, &id, c->time - before[i], c->time, s->arena, &found);
		}
	seen = n > 0;
	if (!seen) {
		found = c->fields;
		n = c->nfields;
	} else {
		c->more = 0;
	}
	fields = arena_array(s->arena, n, sizeof(*fields));
	if (n)
		memcpy(fields, found, n * sizeof(*fields));
	c->fields = fields;
	c->nfields = keep_fields(fields, n, c->id.kind);
	return !seen || c->nfields > 0 || str_is(c->id.kind, "Secret");
}

static void look_near(struct search *s, struct handle h)
{
	s->slot = h.slot;
	s->found = xreallocarray(NULL, NEAR_NODES, sizeof(*s->found));
	meet(s, h.slot, 0, SELF);
	for (size_t i = 0; i < s->n; i++)
		look_around(s, s->found[i]);
}

static void end_search(struct search *s)
{
	map_release(&s->seen);
	xfree(s->found);
	xfree(s->changes);
}

const struct change_before *graph_changes_before(struct graph *g, struct handle h, int64_t began, struct arena *arena,
						 size_t *out_n)
{
	struct search s = { .g = g, .began = began, .arena = arena };
	struct change_before *out;

	*out_n = 0;
	if (!began || !store_alive(g->store, h))
		return NULL;
	look_near(&s, h);
	meet_edited(&s);
	s.from = well_until(&s, h.slot) - SHORTLY;
	find_changes(&s);
	for (size_t i = 0; i < s.n; i++)
		add_changes(&s, &s.found[i]);
	s.nchanges = keep_first_part(s.changes, s.nchanges);
	if (s.nchanges)
		qsort(s.changes, s.nchanges, sizeof(*s.changes), nearest_first);
	s.nchanges = leave_out_made(&s);
	out = arena_array(arena, CHANGES_BEFORE, sizeof(*out));
	*out_n = 0;
	for (size_t i = 0; i < s.nchanges && *out_n < CHANGES_BEFORE; i++) {
		out[*out_n] = s.changes[i];
		*out_n += find_values(&s, &out[*out_n]);
	}
	end_search(&s);
	return out;
}

/* ---- the last change of all ------------------------------------------------------------- */

struct last {
	struct graph *g;
	const struct change_asked *asked;
	struct arena *arena;
	struct change_before *out;
	bool found;
};

/* What is owned changes because its owner does. */
static bool counts(const struct last *l, struct handle h)
{
	struct summary s;

	return graph_summary(l->g, h, &s) && !s.owner.slot && !is_restless(s.kind) && (!l->asked->selects || l->asked->selects(l->asked->ctx, h));
}

static void look_at_edits(void *ctx, const struct object_id *id)
{
	struct last *l = ctx;
	struct handle h = store_find(l->g->store, id);
	const struct edit *edits;
	size_t n = edits_of(l->g->sources.edits, id, l->arena, &edits);

	for (size_t i = 0; i < n; i++)
		if (edits[i].time <= l->g->now && (!l->found || edits[i].time > l->out->time)) {
			if (!counts(l, h))
				return;
			*l->out = (struct change_before){ .id = graph_id(l->g, h.slot), .time = edits[i].time, .by = edits[i].by,
							  .what = edits[i].made ? CHANGED_CREATED : CHANGED_SPEC };
			l->found = true;
			return;
		}
}

static void look_at_journal(struct last *l)
{
	const struct edit *edits, *same;
	const struct journal_entry *c;
	struct evidence e = evidence_newest(l->g);
	struct object_id id;

	while ((c = evidence_before(&e)) != NULL)
		if ((c->what == JOURNAL_SPEC || c->what == JOURNAL_CAME) && c->time <= l->g->now && counts(l, c->object))
			break;
	if (!c || (l->found && c->time <= l->out->time + SKEW))
		return;
	id = store_node_id(l->g->store, c->object.slot);
	same = edit_at(edits, graph_edits(l->g, &id, l->arena, &edits), c);
	*l->out = (struct change_before){ .id = graph_id(l->g, c->object.slot), .time = c->time, .what = evidence_word(c) };
	if (same)
		l->out->by = same->by;
	l->found = true;
}

bool graph_last_change(struct graph *g, const struct change_asked *asked, struct arena *arena, struct change_before *out)
{
	enum { FEW = 20000 };	/* objects whose managedFields are looked through each time */
	struct last l = { .g = g, .asked = asked, .arena = arena, .out = out };

	if (asked->written && g->sources.edits && edits_count(g->sources.edits) <= FEW)
		edits_each(g->sources.edits, look_at_edits, &l);
	look_at_journal(&l);
	return l.found;
}

/* ---- whose managedFields are worth a request ---------------------------------------------- */

/*
 * Returns true when the managedFields of that object may tell of a change after its creation.  The first generation was
 * never edited, but for labels and annotations, for which only the failed object itself is worth a request.
 */
static bool may_tell(const struct search *s, const struct near *near)
{
	struct handle h = store_node_handle(s->g->store, near->slot);
	struct object_id id = store_node_id(s->g->store, near->slot);
	struct object_meta meta;

	if (is_restless(id.kind) || kind_is_alias(id.kind))
		return false;
	if (!h.slot)
		return store_name_coverage(s->g->store, &id) == COVERAGE_NONE || store_name_coverage(s->g->store, &id) == COVERAGE_PARTIAL;
	meta = store_meta(s->g->store, h);
	if (meta.generation <= 1 && meta.created + SHORTLY > s->began)
		return false;
	return near->role == SELF || (meta.generation != 1 && !has_owner(s, near->slot));
}

const uint32_t *graph_near(struct graph *g, struct handle h, int64_t began, size_t most, struct arena *arena, size_t *out_n)
{
	struct search s = { .g = g, .began = began, .arena = arena };
	uint32_t *out = arena_array(arena, most, sizeof(*out));

	*out_n = 0;
	if (!store_alive(g->store, h))
		return out;
	look_near(&s, h);
	for (size_t i = 0; i < s.n && *out_n < most; i++)
		if (may_tell(&s, &s.found[i]))
			out[(*out_n)++] = s.found[i].slot;
	end_search(&s);
	return out;
}

void graph_tell_changes(struct graph *g, const struct change_sources *sources)
{
	g->sources = *sources;
}
