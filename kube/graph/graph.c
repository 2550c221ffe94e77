/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps phase 2 up to date: an event costs what it touches, and not the size of the cluster. */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "kube/journal/undo.h"

#include <string.h>

/* Neighbours that keep changing each other's verdict are left as they are after that many turns. */
#define VISITS 32

struct graph *graph_new(struct store *store, const struct family *const *families)
{
	struct graph *g = xcalloc(1, sizeof(*g));

	g->store = store;
	g->families = families;
	g->journal = journal_new(JOURNAL_BRIEF_CEILING);
	return g;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	graph_keep_history(g, 0);
	for (uint32_t i = 0; i < g->nnodes; i++)
		xfree(g->nodes[i].health);
	for (size_t i = 0; i < g->nclusters; i++)
		xfree(g->cluster_names[i]);
	xfree(g->cluster_names);
	map_release(&g->unmet_controllers);
	kept_forget(g);
	arena_release(&g->kept_arena);
	xfree(g->context);
	xfree(g->kubeconfig);
	shared_free(g);
	arena_release(&g->arena);
	arena_release(&g->roots_arena);
	xfree(g->nodes);
	xfree(g->queue);
	xfree(g->changed);
	xfree(g->came);
	xfree(g->affected.marks);
	xfree(g->affected.slots);
	xfree(g->affected.above);
	xfree(g->before);
	xfree(g->earlier);
	if (!g->copied) {
		journal_free(g->journal);
		xfree(g->owner_keys);
		xfree(g->runbook_keys);
		runbooks_free(g);
	}
	xfree(g);
}

void graph_use_labels(struct graph *g, const struct labels *labels)
{
	g->labels = labels;
	shared_free(g);
}

void graph_use_usage(struct graph *g, const struct usage *usage)
{
	g->usage = usage;
}

bool graph_used(const struct graph *g, uint32_t slot, struct used *out)
{
	struct object_id id = store_node_id(g->store, slot);

	return g->usage && slot && usage_of(g->usage, &id, out);
}

/* ---- the queue ----------------------------------------------------------- */

static void grow_to(struct graph *g, uint32_t n)
{
	if (n <= g->nnodes)
		return;
	n += n / 8 + 64;
	g->nodes = xreallocarray(g->nodes, n, sizeof(*g->nodes));
	memset(g->nodes + g->nnodes, 0, (n - g->nnodes) * sizeof(*g->nodes));
	g->nnodes = n;
}

void graph_grow(struct graph *g)
{
	grow_to(g, store_slots(g->store));
}

static void enqueue(struct graph *g, uint32_t slot)
{
	assert(slot && slot < g->nnodes);
	g->nodes[slot].by_change |= g->by_change;
	if (g->nodes[slot].queued || g->nodes[slot].visits >= VISITS)
		return;
	g->queue = xgrow(g->queue, g->nqueue, &g->queue_cap, sizeof(*g->queue));
	g->nodes[slot].queued = true;
	g->queue[g->nqueue++] = slot;
}

static void visit_referrers(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot))
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < n; i++)
		visit(g, in[i]);
}

/* Queues objects that have named this one without its kind, and those that read the content of its namespace. */
static void visit_indirect(struct graph *g, const struct object_id *id, void (*visit)(struct graph *g, uint32_t slot))
{
	struct kinds *kinds = store_kinds(g->store);
	struct object_id unspecified = { id->cluster, kinds_put(kinds, STR_NONE, STR("?")), id->ns, id->name };
	struct object_id home = { id->cluster, kinds_put(kinds, STR_NONE, STR("Namespace")), STR_NONE, id->ns };
	uint32_t slot = store_find_node(g->store, &unspecified);
	size_t n = 0;
	const uint32_t *in;

	if (slot)
		visit_referrers(g, slot, visit);
	slot = id->ns.len ? store_find_node(g->store, &home) : 0;
	in = slot ? store_referrers(g->store, slot, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge_ends(g->store, in[i], k);

			if (e.target == slot && (e.flags & REF_CONTENTS))
				visit(g, in[i]);
		}
}

/* Visits who names the object of that edge by this alias, when the alias is the object's own. */
static void visit_by_alias(struct graph *g, const struct edge *e, void (*visit)(struct graph *g, uint32_t slot))
{
	/* only the object that the alias belongs to; the other ones do not read each other */
	if (e->relation == RELATION_MANAGES && kind_is_alias(store_node_id(g->store, e->target).kind))
		visit_referrers(g, e->target, visit);
}

void graph_visit_by_alias(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot))
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);

		visit_by_alias(g, &e, visit);
	}
}

void graph_visit_naming(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot))
{
	struct object_id id = store_node_id(g->store, slot);

	visit_referrers(g, slot, visit);
	graph_visit_by_alias(g, slot, visit);
	visit_indirect(g, &id, visit);
}

/* Queues the neighbours one step away, in both directions, also by an alias or without a kind. */
static void visit_around(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot))
{
	struct object_id id = store_node_id(g->store, slot);

	visit_referrers(g, slot, visit);
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);

		visit_by_alias(g, &e, visit);
		visit(g, graph_resolve(g, slot, &e));
	}
	visit_indirect(g, &id, visit);
}

static void enqueue_if_beyond(struct graph *g, uint32_t slot)
{
	if (g->nodes[slot].uses_beyond)
		enqueue(g, slot);
}

/*
 * Queues the objects around a neighbour that read beyond it.  They are queued until one of them is judged: before that,
 * another assessment would find nothing new.
 */
static void enqueue_beyond(struct graph *g, uint32_t neighbour)
{
	if (g->nodes[neighbour].beyond_round == g->round)
		return;
	g->nodes[neighbour].beyond_round = g->round;
	visit_around(g, neighbour, enqueue_if_beyond);
}

/* Queues every object whose verdict may depend on this one. */
static void enqueue_around(struct graph *g, uint32_t slot)
{
	uint32_t definition;

	visit_around(g, slot, enqueue);
	if (g->any_beyond)
		visit_around(g, slot, enqueue_beyond);
	definition = control_waiting_definition(g, slot);
	if (definition)
		enqueue(g, definition);
}

/* ---- what phase 2 made of an object -------------------------------------- */

static bool same_waits(const struct health *a, const struct health *b)
{
	if (a->nwaits != b->nwaits)
		return false;
	for (size_t i = 0; i < a->nwaits; i++) {
		const struct kept_wait *x = &a->waits[i], *y = &b->waits[i];

		if (x->target != y->target || x->state != y->state || x->blocks != y->blocks)
			return false;
	}
	return a->texts_hash == b->texts_hash;
}

/* Copies waits whose texts stay where they are. */
static bool texts_stay(const struct health *a, const struct health *b)
{
	_Static_assert(sizeof(struct kept_wait) == 8, "no padding");
	return a->nwaits == 0 || memcmp(a->waits, b->waits, a->nwaits * sizeof(*a->waits)) == 0;
}

static bool same_flags(const struct health *a, const struct health *b)
{
	if (a->nflags != b->nflags)
		return false;
	for (size_t i = 0; i < a->nflags; i++)
		if (!str_eq(a->flags[i], b->flags[i]))
			return false;
	return true;
}

static bool same_because(const struct health *a, const struct health *b)
{
	if (a->nbecause != b->nbecause)
		return false;
	for (size_t i = 0; i < a->nbecause; i++)
		if (!str_eq(a->because[i].what, b->because[i].what) || !str_eq(a->because[i].message, b->because[i].message) ||
		    !str_eq(a->because[i].from, b->because[i].from))
			return false;
	return true;
}

static bool health_same(const struct health *a, const struct health *b)
{
	return a->phase == b->phase && a->severity == b->severity && a->since == b->since && a->since_seen == b->since_seen &&
	       str_eq(a->operator_phase, b->operator_phase) && str_eq(a->reason, b->reason) &&
	       str_eq(a->message, b->message) && str_eq(a->rule, b->rule) && a->row == b->row && same_flags(a, b) && same_because(a, b) &&
	       str_eq(a->version_from, b->version_from) && str_eq(a->version_to, b->version_to) &&
	       same_waits(a, b);
}

static struct str keep_text(char **at, struct str s)
{
	struct str copy = { *at, s.len };

	if (s.len)
		memcpy(*at, s.ptr, s.len);
	*at += s.len;
	return s.len ? copy : STR_NONE;
}

static size_t text_size(const struct health *d)
{
	size_t n = d->operator_phase.len + d->reason.len + d->message.len + d->rule.len + d->version_from.len +
		   d->version_to.len;

	for (size_t i = 0; i < d->ntexts; i++)
		n += d->texts[i].via.len + d->texts[i].message.len + d->texts[i].kind.len + d->texts[i].name.len;
	for (size_t i = 0; i < d->nflags; i++)
		n += d->flags[i].len;
	for (size_t i = 0; i < d->nbecause; i++)
		n += d->because[i].what.len + d->because[i].message.len + d->because[i].from.len;
	return n;
}

static size_t health_bytes(const struct health *d)
{
	return sizeof(*d) + d->ntexts * sizeof(*d->texts) + d->nflags * sizeof(*d->flags) + d->nbecause * sizeof(*d->because) +
	       d->nwaits * sizeof(*d->waits) + text_size(d);
}

/* Makes one allocation, as the store does: record, texts of waits, flags, what it rests on, waits, text. */
static struct health *health_keep(const struct health *d)
{
	size_t waits = d->nwaits * sizeof(*d->waits);
	struct health *copy = xmalloc(health_bytes(d));
	struct wait_texts *t = (void *)(copy + 1);
	struct str *f = (void *)(t + d->ntexts);
	struct because *b = (void *)(f + d->nflags);
	struct kept_wait *w = (void *)(b + d->nbecause);
	char *at = (void *)(w + d->nwaits);
	const char *end = at + text_size(d);

	*copy = *d;
	copy->operator_phase = keep_text(&at, d->operator_phase);
	copy->reason = keep_text(&at, d->reason);
	copy->message = keep_text(&at, d->message);
	copy->rule = keep_text(&at, d->rule);
	copy->version_from = keep_text(&at, d->version_from);
	copy->version_to = keep_text(&at, d->version_to);
	if (waits)
		memcpy(w, d->waits, waits);
	for (size_t i = 0; i < d->ntexts; i++) {
		t[i].via = keep_text(&at, d->texts[i].via);
		t[i].message = keep_text(&at, d->texts[i].message);
		t[i].kind = keep_text(&at, d->texts[i].kind);
		t[i].name = keep_text(&at, d->texts[i].name);
	}
	for (size_t i = 0; i < d->nflags; i++)
		f[i] = keep_text(&at, d->flags[i]);
	for (size_t i = 0; i < d->nbecause; i++)
		b[i] = (struct because){ keep_text(&at, d->because[i].what), keep_text(&at, d->because[i].message),
					 keep_text(&at, d->because[i].from), d->because[i].role };
	assert(at == end);
	copy->waits = w;
	copy->texts = t;
	copy->flags = f;
	copy->because = b;
	return copy;
}

/* ---- what was before ------------------------------------------------------ */

/* A health that was there before the settle goes into the undo log. */
static void health_drop(struct health *h)
{
	if (h && !h->before)
		xfree(h);
}

static uint32_t health_size(const struct health *h)
{
	return h ? (uint32_t)health_bytes(h) : 0;
}

struct health *health_copy(const struct health *h)
{
	struct health *copy = h ? health_keep(h) : NULL;

	if (copy)
		copy->before = false;
	return copy;
}

/* Copies what is kept; the rest is needed during one settle only, or is found again. */
static bool same_node(const struct graph_node *a, const struct graph_node *b)
{
	return a->seen_as == b->seen_as && a->since == b->since && a->shown_gen == b->shown_gen && a->edits == b->edits &&
	       a->phase == b->phase && a->since_seen == b->since_seen && a->was_ready == b->was_ready &&
	       a->uses_beyond == b->uses_beyond && a->uses_coverage == b->uses_coverage &&
	       a->uses_controller == b->uses_controller && a->wants_events == b->wants_events;
}

static void keep_node(struct graph *g, uint32_t slot, const struct graph_node *was, bool same_health)
{
	struct undo_entry e = { .what = UNDO_HEALTH, .slot = slot, .state_size = sizeof(*was), .same = same_health };

	e.state = xmalloc(sizeof(*was));
	memcpy(e.state, was, sizeof(*was));
	if (!same_health) {
		e.record = was->health;
		e.size = health_size(was->health);
	}
	undo_add(g->undo, &e);
}

/* The settle is done. */
static void keep_before(struct graph *g)
{
	if (!g->undo)
		return;
	for (size_t i = 0; i < g->nbefore; i++) {
		const struct node_before *b = &g->before[i];
		struct graph_node *n = &g->nodes[b->slot];
		bool same_health = n->health == b->node.health;

		n->noted = false;
		if (b->node.health)
			b->node.health->before = false;
		if (!same_health || !same_node(n, &b->node))
			keep_node(g, b->slot, &b->node, same_health);
	}
	g->nbefore = 0;
	undo_mark(g->undo, g->now);
}

static void write_undo(void *log, const struct undo_entry *e)
{
	undo_add(log, e);
}

void graph_write_undo(struct graph *g, struct undo_log *h)
{
	g->undo = h;
	store_write_undo(g->store, h ? write_undo : NULL, h);
}

void graph_keep_history(struct graph *g, size_t ceiling)
{
	struct undo_log *old = g->undo, *h = ceiling ? undo_new(store_words(g->store), ceiling) : NULL;

	if (!old && !h)
		return;
	graph_write_undo(g, h);
	undo_free(old);
	if (h)
		undo_mark(h, g->now);
}

int64_t graph_history_from(const struct graph *g)
{
	return g->undo ? undo_from(g->undo) : 0;
}

size_t graph_history_size(const struct graph *g)
{
	return g->undo ? undo_size(g->undo) : 0;
}

void graph_exchange(struct graph *g, struct undo_entry *e)
{
	struct graph_node *state = e->state, was, *n;

	if (e->what != UNDO_HEALTH)
		return;
	grow_to(g, e->slot + 1);
	n = &g->nodes[e->slot];
	was = *n;
	*n = *state;
	n->health = e->same ? was.health : e->record;
	n->wait_number = was.wait_number;	/* it is valid until roots_forget() */
	n->by_change = n->queued = n->noted = false;
	n->visits = 0;
	*state = was;
	if (!e->same) {
		e->record = was.health;
		e->size = health_size(was.health);
	}
}

/* Forgets what was found by searching; it is found again. */
void graph_exchanged(struct graph *g)
{
	roots_forget(g);
	shared_forget(g);
	grow_to(g, store_slots(g->store));
	g->nchanged = g->ncame = 0;
	g->next_revisit = 1;	/* every object knows itself when it has to be assessed again */
	for (uint32_t slot = 0; slot < g->nnodes; slot++) {
		g->nodes[slot].owner = 0;
		g->nodes[slot].beyond_round = 0;
	}
}

struct graph *graph_copy(const struct graph *g, struct store *store)
{
	struct graph *copy = graph_new(store, g->families);

	copy->nnodes = g->nnodes;
	copy->nodes = xcalloc(g->nnodes + 1, sizeof(*copy->nodes));
	for (uint32_t slot = 0; slot < g->nnodes; slot++) {
		copy->nodes[slot] = g->nodes[slot];
		copy->nodes[slot].wait_number = 0;
		copy->nodes[slot].health = health_copy(g->nodes[slot].health);
	}
	journal_free(copy->journal);
	copy->journal = g->journal;
	copy->sources = g->sources;
	copy->copied = true;
	copy->labels = g->labels;
	copy->owner_keys = g->owner_keys;
	copy->runbook_keys = g->runbook_keys;
	copy->runbooks = g->runbooks;
	copy->any_beyond = g->any_beyond;
	copy->definition_deleting = g->definition_deleting;
	copy->round = g->round;
	copy->now = g->now;
	copy->settled = g->settled;
	copy->began = g->began;
	for (struct map_entry *e = map_next(&g->unmet_controllers, NULL); e; e = map_next(&g->unmet_controllers, e))
		map_set(&copy->unmet_controllers, map_key(e), copy);
	for (size_t i = 0; i < g->nclusters; i++)
		if (g->cluster_names[i])
			graph_name_cluster(copy, (uint16_t)i, str_of(g->cluster_names[i]));
	copy->context = g->context ? xstrdup(g->context) : NULL;
	copy->kubeconfig = g->kubeconfig ? xstrdup(g->kubeconfig) : NULL;
	graph_exchanged(copy);
	return copy;
}

/* ---- one object ---------------------------------------------------------- */

static struct health phase1_health(const struct graph *g, uint32_t slot)
{
	struct status st = store_brief(g->store, store_node_handle(g->store, slot));

	return (struct health){ st.phase, st.severity, st.operator_phase, st.reason, st.message, st.rule,
				 st.version_from, st.version_to, st.since, .revisit = 0 };
}

/* Returns true when the object looks different now. */
static bool judge(struct graph *g, uint32_t slot)
{
	struct health *old = g->nodes[slot].health, before, after;
	bool was = old != NULL, alive = graph_is_alive(g, slot), changed;

	graph_note_before(g, slot);
	if (!alive) {
		roots_forget(g);
		g->nodes[slot].health = NULL;
		health_drop(old);
		return was;
	}
	after = assess(g, slot, &g->arena);
	assert(after.phase < PHASE_COUNT && after.severity <= SEVERITY_ERROR);
	before = old ? *old : phase1_health(g, slot);
	changed = !health_same(&before, &after);
	if (after.revisit && (!g->next_revisit || after.revisit < g->next_revisit))
		g->next_revisit = after.revisit;
	if (changed || (old && (old->revisit != after.revisit || !texts_stay(old, &after))) || (!old && after.revisit)) {
		struct health plain = phase1_health(g, slot);

		roots_forget(g);
		g->nodes[slot].health = after.revisit || !health_same(&plain, &after) ? health_keep(&after) : NULL;
		health_drop(old);
	}
	arena_reset(&g->arena);
	return changed;
}

static void note_changed(struct graph *g, uint32_t slot)
{
	g->changed = xgrow(g->changed, g->nchanged, &g->changed_cap, sizeof(*g->changed));
	g->changed[g->nchanged++] = slot;
}

const uint32_t *graph_changed(const struct graph *g, size_t *out_n)
{
	*out_n = g->nchanged;
	return g->changed;
}

/*
 * Returns true when the object was created recently, and after the start, so that it is not only met now.  Times of
 * creation are in whole seconds.
 */
#define NEW_OBJECT MINUTES(1)

static void note_controller(struct graph *g, uint32_t slot)
{
	if (!control_concerned(g, slot))
		return;
	g->controllers_changed = true;
	g->controllers_by_change |= g->nodes[slot].by_change;
}

/*
 * Returns true when the object itself has changed while it was watched.  What a first list brings was so before, and an
 * object that has gained a referrer is as it was.
 */
static bool changed_while_watched(const struct graph *g, uint32_t slot)
{
	const struct graph_node *n = &g->nodes[slot];
	struct handle h = store_node_handle(g->store, slot);
	int64_t created;

	if (!g->settled)
		return false;
	if (!h.slot)
		return n->shown_gen != 0 && !store_was_let_go(g->store, slot);
	if (n->shown_gen == h.gen + 1)
		return n->edits != (uint16_t)store_edits(g->store, h);
	if (store_is_met(g->store, h))
		return false;
	created = store_meta(g->store, h).created;
	return n->shown_gen != 0 || (created && created + NEW_OBJECT >= g->now && created + SECONDS(1) > g->began);
}

/* Notes a name whose object came or went, or of which it is known now whether one is there. */
static void note_came(struct graph *g, uint32_t slot)
{
	struct handle h = store_node_handle(g->store, slot);

	if (h.slot && g->nodes[slot].shown_gen == h.gen + 1)
		return;
	g->came = xgrow(g->came, g->ncame, &g->came_cap, sizeof(*g->came));
	g->came[g->ncame++] = slot;
}

static void enqueue_touched(struct graph *g)
{
	size_t n;
	const uint32_t *touched = store_touched(g->store, &n);

	for (size_t i = 0; i < n; i++)
		graph_forget_owners(g, touched[i]);
	for (size_t i = 0; i < n; i++) {
		g->by_change = changed_while_watched(g, touched[i]);
		enqueue(g, touched[i]);
		note_changed(g, touched[i]);
		note_came(g, touched[i]);
		roots_touch(g, touched[i]);
		note_controller(g, touched[i]);
	}
	for (size_t i = 0; i < n; i++) {
		g->by_change = g->nodes[touched[i]].by_change;
		enqueue_around(g, touched[i]);
	}
	g->by_change = false;
	store_touched_clear(g->store);
}

/* Queues objects whose verdict expires without an event. */
static void enqueue_expired(struct graph *g)
{
	if (g->next_revisit == 0 || g->now < g->next_revisit)
		return;
	g->next_revisit = 0;
	for (uint32_t slot = 1; slot < g->nnodes; slot++) {
		const struct health *d = g->nodes[slot].health;

		if (!d || !d->revisit)
			continue;
		if (d->revisit <= g->now)
			enqueue(g, slot);
		else if (!g->next_revisit || d->revisit < g->next_revisit)
			g->next_revisit = d->revisit;
	}
}

/* Queues objects that use a controller, after one of these has changed. */
static bool enqueue_controlled(struct graph *g)
{
	if (!g->controllers_changed)
		return false;
	g->by_change = g->controllers_by_change;
	g->controllers_changed = g->controllers_by_change = false;
	for (uint32_t slot = 1; slot < g->nnodes; slot++)
		if (g->nodes[slot].uses_controller)
			enqueue(g, slot);
	g->by_change = false;
	return true;
}

/* Takes in what graph_add_observed() told.  Returns true when the object has to be judged again. */
static bool take_earlier(struct graph *g, const struct earlier_observed *e)
{
	struct graph_node *n = e->object.slot < g->nnodes ? &g->nodes[e->object.slot] : NULL;
	const struct observed *o = &e->observed;

	if (!n || !store_alive(g->store, e->object) || n->shown_gen != e->object.gen + 1)
		return false;
	graph_note_before(g, e->object.slot);
	n->was_ready |= o->was_ready;
	if (o->since_seen && !n->since_seen && n->phase == (uint8_t)o->phase) {
		n->since = o->since;
		n->since_seen = true;
	}
	return true;
}

static void enqueue_by_coverage(struct graph *g)
{
	if (!store_coverage_changed(g->store))
		return;
	for (uint32_t slot = 1; slot < g->nnodes; slot++)
		if (g->nodes[slot].uses_coverage)
			enqueue(g, slot);
}

static void note_shown(struct graph *g, uint32_t slot)
{
	struct graph_node *n = &g->nodes[slot];
	struct handle h = store_node_handle(g->store, slot);
	struct status st = graph_status(g, slot, NULL);

	entries_write(g, slot, &st, n->by_change);
	n->by_change = false;
	if (!h.slot || n->shown_gen != h.gen + 1)
		n->was_ready = false;
	n->shown_gen = h.slot ? h.gen + 1 : 0;
	n->edits = (uint16_t)store_edits(g->store, h);
	n->phase = (uint8_t)st.phase;
	n->since = st.since;
	n->since_seen = n->health && n->health->since_seen;
	n->was_ready |= h.slot && st.phase == PHASE_READY;
}

bool graph_was_shown(const struct graph *g, struct handle h)
{
	return g->settled && h.slot && h.slot < g->nnodes && g->nodes[h.slot].shown_gen == h.gen + 1;
}

void graph_settle_begin(struct graph *g, int64_t now)
{
	assert(g->nqueue == 0 && !g->by_change);
	g->judged = g->shown = 0;
	g->now = now;
	g->nchanged = g->ncame = 0;
	g->round++;
	graph_grow(g);
	enqueue_touched(g);
	enqueue_expired(g);
	enqueue_by_coverage(g);
	/* objects of which an earlier observer knows more */
	for (size_t i = 0; i < g->nearlier; i++)
		if (take_earlier(g, &g->earlier[i]))
			enqueue(g, g->earlier[i].object.slot);
	g->nearlier = 0;
	kept_forget(g);
	if (g->nqueue)
		shared_forget(g);
}

/* Judges the next object of the queue.  Returns false when there is none. */
static bool judge_next(struct graph *g)
{
	uint32_t slot;

	if (g->judged == g->nqueue && (!enqueue_controlled(g) || g->judged == g->nqueue))
		return false;
	slot = g->queue[g->judged++];
	g->nodes[slot].queued = 0;
	g->nodes[slot].visits++;
	g->round += g->nodes[slot].uses_beyond;
	if (judge(g, slot)) {
		note_changed(g, slot);
		g->by_change = g->nodes[slot].by_change;
		enqueue_around(g, slot);
		g->by_change = false;
		note_controller(g, slot);
	}
	return true;
}

/* Notes of the next object of the queue what is shown of it from now on.  Returns false when there is none. */
static bool show_next(struct graph *g)
{
	uint32_t slot;

	if (g->shown == g->nqueue)
		return false;
	slot = g->queue[g->shown++];
	assert(!g->nodes[slot].queued && g->nodes[slot].visits <= VISITS);
	g->nodes[slot].visits = 0;
	note_shown(g, slot);
	return true;
}

bool graph_settle_some(struct graph *g, size_t most)
{
	for (; most; most--)
		if (!judge_next(g) && !show_next(g))
			break;
	if (!most)
		return false;
	g->nqueue = 0;
	g->began = g->settled ? g->began : g->now;
	g->settled = g->now;
	keep_before(g);
	return true;
}

size_t graph_settle(struct graph *g, int64_t now)
{
	graph_settle_begin(g, now);
	while (!graph_settle_some(g, SIZE_MAX))
		;
	return g->nchanged;
}

static void shrink(struct graph *g)
{
	uint32_t n = store_slots(g->store);

	if (g->nnodes < 1024 || n >= g->nnodes / 2)
		return;
	roots_forget(g);
	g->nodes = xreallocarray(g->nodes, n, sizeof(*g->nodes));
	g->nnodes = n;
	xfree(g->queue);
	xfree(g->changed);
	xfree(g->came);
	g->queue = g->changed = g->came = NULL;
	g->queue_cap = g->changed_cap = g->nchanged = g->came_cap = g->ncame = 0;
	alloc_give_back();
}

size_t graph_forget(struct graph *g)
{
	const uint32_t *freed;
	size_t n;

	if (store_unreferenced(g->store) == 0)
		return 0;
	/* Some targets of waits are named by no edge: a controller, or an object that a family has looked up. */
	for (uint32_t slot = 1; slot < g->nnodes; slot++) {
		const struct health *d = g->nodes[slot].health;

		for (size_t i = 0; d && i < d->nwaits; i++)
			store_hold(g->store, d->waits[i].target);
	}
	freed = store_forget(g->store, &n);
	shared_forget(g);
	for (size_t i = 0; i < n; i++) {
		if (freed[i] >= g->nnodes)
			continue;
		assert(!g->nodes[freed[i]].health && !g->nodes[freed[i]].queued && !g->nodes[freed[i]].wait_number);
		if (g->undo && !same_node(&g->nodes[freed[i]], &(struct graph_node){ .health = NULL }))
			keep_node(g, freed[i], &g->nodes[freed[i]], true);
		g->nodes[freed[i]] = (struct graph_node){ .health = NULL };
	}
	shrink(g);
	return n;
}

int64_t graph_next_revisit(const struct graph *g)
{
	return g->next_revisit;
}

bool graph_wants_events(const struct graph *g, struct handle h)
{
	return store_alive(g->store, h) && h.slot < g->nnodes && g->nodes[h.slot].wants_events;
}
