/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neighbours: what has to be known of other objects to explain one that is not healthy.  Each object holds the feeds
 * that it needs; when it is examined again, it releases those that it does not need any more.  Only objects that have
 * changed are examined.
 */
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"
#include "kube/status/family.h"

#include <stdio.h>
#include <stdlib.h>

/* For a run that answers once: neighbours at most that many steps away are looked up. */
#define ROUNDS 12
/* From that many names of one kind on, one list of the kind costs less. */
#define NAMES_BEFORE_LIST 6
/*
 * There are many Events: they are read in at most that many namespaces, of which half are kept for what was asked for,
 * and only about objects whose status has said nothing, or nothing specific, for a while.
 */
#define EVENT_NAMESPACES 20
#define SILENT SECONDS(30)
/*
 * Up to the first number of objects in the query healthy ones are explained, too; beyond the second number they are not
 * any more.
 */
#define EXPLAIN_UP_TO 200
#define EXPLAIN_NO_MORE 400
/* How many objects are examined, or feeds collected, before the feeds are opened. */
#define BATCH 512

static void slot_list_add(struct slot_list *s, uint32_t slot)
{
	s->all = xgrow(s->all, s->n, &s->cap, sizeof(*s->all));
	s->all[s->n++] = slot;
}

/* ---- objects that ask for something ------------------------------------------- */

static bool holds(const struct tracked *t, const struct feed *f)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->feeds[i] == f)
			return true;
	return false;
}

/* Entries that do not hold the feed any more, and duplicates, are removed when they are in the majority. */
static void note_waiting(struct feeds *o, struct feed *f, uint32_t slot)
{
	struct slot_list *w = &f->waiting;
	size_t n = 0;

	if (w->n > 2 * (size_t)f->waiters + 16) {
		for (size_t i = 0; i < w->n; i++) {
			const struct tracked *t = tracked_of(o, w->all[i]);

			if (t && w->all[i] != slot && holds(t, f) && (n == 0 || w->all[n - 1] != w->all[i]))
				w->all[n++] = w->all[i];
		}
		w->n = n;
	}
	slot_list_add(w, slot);
}

static void hold(struct feeds *o, struct tracked *t, struct feed *f)
{
	if (holds(t, f))
		return;
	t->feeds = xgrow(t->feeds, t->n, &t->cap, sizeof(*t->feeds));
	t->feeds[t->n++] = f;
	f->waiters++;
	if (f->controls || f->what.name.len)
		note_waiting(o, f, t->slot);
}

/* ---- the queue ------------------------------------------------------------------ */

/* The examination of all objects will come to that slot. */
static bool is_ahead_of_rescan(const struct feeds *o, uint32_t slot)
{
	return o->rescan || (o->rescan_from && slot >= o->rescan_from);
}

static void lookup_queue(struct feeds *o, uint32_t slot)
{
	if (o->query.names_only || !o->started || (is_ahead_of_rescan(o, slot) && !tracked_of(o, slot)))
		return;
	o->queued = xgrow_zeroed(o->queued, &o->nqueued, slot, 1);
	assert(slot && slot < o->nqueued);
	if (o->queued[slot])
		return;
	o->queued[slot] = 1;
	slot_list_add(&o->queue, slot);
}

void lookup_queue_changed(struct feeds *o)
{
	size_t n;
	const uint32_t *changed = graph_changed(o->o.graph, &n);

	for (size_t i = 0; i < n; i++)
		lookup_queue(o, changed[i]);
}

void lookup_queue_waiters(struct feed *f)
{
	struct feeds *o = f->cluster->feeds;

	for (size_t i = 0; i < f->waiting.n; i++)
		lookup_queue(o, f->waiting.all[i]);
}

static bool has_room(const struct cluster *c)
{
	return c->lookups < FEEDS_LOOKUPS;
}

/*
 * Puts the object at the end of its cluster's queue.  Entries that were served or have gone are removed when they are
 * in the majority.
 */
static void add_deferred(struct cluster *c, struct tracked *t)
{
	struct feeds *o = c->feeds;
	struct slot_list *r = &c->deferred;
	size_t n = 0;

	if (r->n > 2 * o->ndeferred + 64) {
		for (size_t i = c->deferred_next; i < r->n; i++) {
			struct tracked *other = tracked_of(o, r->all[i]);

			if (!other || !other->deferred || other->noted)
				continue;
			other->noted = true;
			r->all[n++] = r->all[i];
		}
		for (size_t i = 0; i < n; i++)
			tracked_of(o, r->all[i])->noted = false;
		r->n = n;
		c->deferred_next = 0;
	}
	assert(!t->deferred && c->deferred_next <= r->n);
	t->deferred = true;
	o->ndeferred++;
	slot_list_add(r, t->slot);
}

/*
 * Queues the first of the deferred objects in whose cluster there is room again, a few at a time: what is closed makes
 * room for a few, while thousands may have been deferred.
 */
static void queue_deferred(struct feeds *o)
{
	enum { AT_ONCE = 32 };

	for (size_t i = 0; i < o->o.clusters; i++) {
		struct cluster *c = &o->clusters[i];
		size_t queued = 0;

		while (queued < AT_ONCE && c->deferred_next < c->deferred.n && has_room(c)) {
			struct tracked *t = tracked_of(o, c->deferred.all[c->deferred_next++]);

			if (!t || !t->deferred)
				continue;
			assert(o->ndeferred > 0);
			t->deferred = false;
			o->ndeferred--;
			lookup_queue(o, t->slot);
			queued++;
		}
	}
}

void lookup_close_idle(struct feeds *o)
{
	if (feeds_close_idle(o))
		queue_deferred(o);
}

bool lookup_pending(const struct feeds *o)
{
	return o->rescan || o->rescan_from || o->queue.n;
}

/* ---- what is needed -------------------------------------------------------------- */

/* A feed that is not open yet, and the object that asks for it. */
struct need {
	struct cluster *cluster;
	struct subscribe what;	/* its texts are in the arena of the batch */
	uint32_t slot;
	bool without_notice, controls;
	bool full;		/* a list of metadata is not enough */
};

struct batch {
	struct feeds *o;
	struct need *needs;
	size_t n, cap;
	struct slot_list examined;
	struct arena texts;	/* of needs */
	struct arena scratch;	/* of one object */
	struct tracked *object; /* the object that is examined */
	struct handle object_handle;
	bool without_notice, controls;
	size_t opened;
};

static struct tracked *examined_object(struct batch *b)
{
	if (!b->object)
		b->object = tracked_put(b->o, b->object_handle);
	if (!b->object->examined) {
		b->object->examined = true;
		slot_list_add(&b->examined, b->object->slot);
	}
	return b->object;
}

static bool can_be_listed(const struct cluster *c, const struct kind *kind)
{
	return (kind->flags & KIND_DISCOVERED) && (kind->flags & KIND_LIST) &&
	       !c->feeds->o.api->lacks(c->session, kind);
}

static void add_need(struct batch *b, struct cluster *c, const struct subscribe *what, bool full)
{
	struct need *need;

	b->needs = xgrow(b->needs, b->n, &b->cap, sizeof(*b->needs));
	need = &b->needs[b->n++];
	*need = (struct need){ c, *what, examined_object(b)->slot, b->without_notice, b->controls, full };
	need->what.ns = arena_str(&b->texts, what->ns);
	need->what.name = arena_str(&b->texts, what->name);
}

/* Returns the kind that a definition is about, where the server or anybody else has told of it, or NULL. */
static const struct kind *kind_defined_by(const struct cluster *c, const struct subscribe *what)
{
	const struct kinds *kinds = c->feeds->o.kinds;
	size_t dot = str_find(what->name, '.');

	for (uint32_t i = 0; i < kinds->count; i++)
		if (str_eq(kinds->all[i]->plural, str_head(what->name, dot)) &&
		    str_eq(kinds->all[i]->group, str_from(what->name, dot + 1)))
			return kinds->all[i];
	return NULL;
}

static bool is_definition(const struct subscribe *what)
{
	return what->name.len && str_is(what->kind->kind, "CustomResourceDefinition");
}

/* There is no status subresource, and nobody has looked whether the schema has a status all the same. */
static bool is_schema_unread(const struct kind *kind)
{
	return kind && (kind->flags & KIND_DISCOVERED) && !(kind->flags & (KIND_HAS_STATUS | KIND_LEARNED));
}

/* Of a definition whose kind is not served any more it matters that it exists, and whose it is. */
static bool needs_all_of(const struct cluster *c, const struct subscribe *what)
{
	const struct kind *kind;

	if (!is_definition(what))
		return false;
	kind = kind_defined_by(c, what);
	return !kind || !(kind->flags & KIND_DISCOVERED) || is_schema_unread(kind) || c->feeds->o.api->lacks(c->session, kind);
}

/* Returns the feed that has it, will have it, or has found that it may not be read. */
static struct feed *feed_for(const struct cluster *c, const struct subscribe *what)
{
	struct feed *f = feed_covering(c, what);

	return f ? f : feed_forbidden(c, what->kind, what->ns);
}

static void ask_for(struct batch *b, struct cluster *c, const struct subscribe *what)
{
	struct feed *f = feed_for(c, what);
	bool full = f && f->what.metadata_only && f->what.name.len == 0 && needs_all_of(c, what);

	/* definitions with their schemas are large: each is asked for by its name, and never all of them by one list */
	if (!f && is_definition(what))
		full = is_schema_unread(kind_defined_by(c, what));
	if (full)
		f = feed_named(c, what->kind, what->ns, what->name);
	if (!f) {
		add_need(b, c, what, full);
		return;
	}
	f->controls |= b->controls;
	if (!feed_is_asked(f) || b->controls)
		hold(b->o, examined_object(b), f);
}

/* Of these kinds it only matters that the object exists; its content is not read. */
static bool is_opaque(const struct kind *kind)
{
	return kind_is_secret(kind) || (kind->group.len == 0 && str_is(kind->kind, "ConfigMap"));
}

static void look_up(struct batch *b, const struct object_id *id)
{
	struct cluster *c = &b->o->clusters[id->cluster];
	struct subscribe what = { .kind = id->kind, .ns = scope_of(id->kind, id->ns), .name = id->name,
				  .metadata_only = is_opaque(id->kind) };

	if (can_be_listed(c, id->kind))
		ask_for(b, c, &what);
}

/* Lists the objects of another kind that have the same name, which only lets them find each other. */
static void look_up_namesakes(struct batch *b, const struct alias_rule *rule, struct handle of, const struct object_id *alias)
{
	const struct kind *kind = rule->listed ? served_kind(b->o, rule->group, rule->listed) : NULL;

	if (!kind || store_node_kind(b->o->o.store, of.slot) == kind)
		return;
	b->without_notice = true;
	look_up(b, &(struct object_id){ alias->cluster, kind, alias->ns, STR_NONE });
	b->without_notice = false;
}

/* Looks up an object that may be needed to judge another one. */
static void look_up_target(struct batch *b, struct handle of, const struct edge *e)
{
	struct object_id id = store_node_id(b->o->o.store, e->target);
	const struct alias_rule *alias = graph_alias(b->o->o.graph, id.kind);
	bool hidden = (e->flags & REF_HIDDEN) && !str_is(id.kind->kind, "CustomResourceDefinition");

	if (alias)
		look_up_namesakes(b, alias, of, &id);
	else if (!(e->flags & (REF_REPORTS | REF_IF_FOUND)) && !hidden)
		look_up(b, &id);
}

/* A namespace that is being deleted says what is left in it: "widgets.example.com has 2 resource instances". */
static void look_up_remaining(struct batch *b, struct handle h)
{
	const struct kinds *kinds = b->o->o.kinds;
	struct object_id id = store_node_id(b->o->o.store, h.slot);
	struct status st = store_status(b->o->o.store, h, &b->scratch);

	for (size_t i = 0; str_is(id.kind->kind, "Namespace") && i < st.nconditions; i++) {
		struct str rest = st.conditions[i].message, word, before = STR_NONE;

		while (str_split(&rest, ' ', &word)) {
			for (uint32_t k = 0; str_is(word, "has") && k < kinds->count; k++) {
				const struct kind *kind = kinds->all[k];
				size_t dot = str_find(before, '.');

				if (str_eq(kind->plural, str_head(before, dot)) &&
				    str_eq(kind->group, str_from(before, dot + 1)))
					look_up(b, &(struct object_id){ id.cluster, kind, id.name, STR_NONE });
			}
			before = word;
		}
	}
}

static void look_up_kinds(struct batch *b, uint16_t cluster, struct str ns, const char *const (*kinds)[2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct kind *kind = served_kind(b->o, kinds[i][0], kinds[i][1]);

		if (kind)
			look_up(b, &(struct object_id){ cluster, kind, ns, STR_NONE });
	}
}

/* Looks up what might still hold an object that is being deleted: the kinds for which its finalizers are held. */
static void look_up_holders(struct batch *b, struct handle h)
{
	struct item item;

	if (!store_meta(b->o->o.store, h).deleting || !graph_item_brief(b->o->o.graph, h, 0, &b->scratch, &item) ||
	    !item.deletion)
		return;
	for (size_t i = 0; i < item.deletion->nfinalizers; i++) {
		struct object_id id = { store_node_id(b->o->o.store, h.slot).cluster,
					kinds_find(b->o->o.kinds, item.s.id.group, item.deletion->finalizers[i].held_for),
					item.s.id.ns, STR_NONE };

		if (id.kind && item.deletion->finalizers[i].held_for.len)
			look_up(b, &id);
	}
}

/* Its controller should have written a status, and has not. */
static bool is_untouched(struct batch *b, struct handle h, const struct summary *s)
{
	return s->phase == PHASE_UNKNOWN && s->severity >= SEVERITY_WARNING && store_status(b->o->o.store, h, &b->scratch).untouched;
}

/*
 * Looks up whether the controller of an object that makes no progress runs.  Definitions lead to controllers, too, but
 * are requested only when the object takes too long.
 */
static void look_up_controllers(struct batch *b, struct handle h)
{
	uint16_t cluster = store_node_id(b->o->o.store, h.slot).cluster;
	/* the pods of a controller tell why it does not run */
	static const char *const pods[][2] = { { "apps", "ReplicaSet" }, { "", "Pod" } };
	const struct controller *all;
	struct summary s;
	size_t n;

	if (!graph_summary(b->o->o.graph, h, &s) || (!phase_under_way(s.phase) && s.phase != PHASE_DELETING && !is_untouched(b, h, &s)))
		return;
	all = graph_controllers(b->o->o.graph, h, &b->scratch, &n);
	b->without_notice = b->controls = true;
	for (size_t i = 0; i < n; i++) {
		struct object_id id = { cluster, kinds_find(b->o->o.kinds, all[i].id.group, all[i].id.kind),
					all[i].id.ns, all[i].id.name };

		if (id.kind && (all[i].workload || s.severity >= SEVERITY_WARNING))
			look_up(b, &id);
		b->controls = false;	/* pods lead to no further lookups */
		if (all[i].id.handle.slot && all[i].workload && all[i].down)
			look_up_kinds(b, cluster, id.ns, pods, 2);
		b->controls = true;
	}
	b->without_notice = b->controls = false;
}

/* Nobody expects a status of an object that has just been made; what is looked at once cannot wait for one. */
static bool is_silent(struct batch *b, struct handle h)
{
	struct feeds *o = b->o;
	struct summary s;
	int64_t since;

	if (!graph_wants_events(o->o.graph, h) || !graph_summary(o->o.graph, h, &s))
		return false;
	since = s.since ? s.since : store_meta(o->o.store, h).created;
	if (s.severity >= SEVERITY_WARNING || judged_at(o) - since >= SILENT || (o->o.once && o->o.ops->selects(o->o.ctx, h)))
		return true;
	due_set(&o->examinations, &examined_object(b)->examination, since + SILENT);
	return false;
}

static size_t event_namespaces(const struct feeds *o, const struct kind *events)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nfeeds; i++)
		n += o->feeds[i]->what.kind == events;
	return n;
}

static size_t event_namespaces_for(const struct feeds *o, struct handle h)
{
	return o->o.ops->selects(o->o.ctx, h) ? EVENT_NAMESPACES : EVENT_NAMESPACES / 2;
}

static void look_up_events(struct batch *b, struct handle h)
{
	struct object_meta meta = store_meta(b->o->o.store, h);
	struct cluster *c = &b->o->clusters[meta.id.cluster];
	/* those about what is in no namespace are in that one */
	struct subscribe what = { .kind = served_kind(b->o, "", "Event"), .ns = meta.id.ns.len ? meta.id.ns : STR("default") };
	bool silent = is_silent(b, h);

	if (!what.kind || (!silent && !(meta.deleting && meta.family->deletion_events)))
		return;
	if (!feed_covering(c, &what) && event_namespaces(b->o, what.kind) >= event_namespaces_for(b->o, h))
		return;
	if (!silent)
		what.field_selector = str_of(meta.family->deletion_events);
	b->without_notice = silent;
	ask_for(b, c, &what);
	b->without_notice = false;
}

/*
 * The namespace of an object in trouble may say whom to call.  Nobody has asked for the namespace, so it is no news that
 * it may not be read.
 */
static void look_up_namespace(struct batch *b, struct handle h)
{
	struct summary s;
	struct object_id id = store_node_id(b->o->o.store, h.slot);
	struct object_id ns = { id.cluster, served_kind(b->o, "", "Namespace"), STR_NONE, id.ns };

	if (!b->o->query.owners || !ns.kind || !graph_summary(b->o->o.graph, h, &s) || s.severity < SEVERITY_WARNING ||
	    !graph_namespace_may_own(b->o->o.graph, h))
		return;
	b->without_notice = true;
	look_up(b, &ns);
	b->without_notice = false;
}

static bool is_of(const struct store *store, uint32_t slot, const struct companion_rule *r)
{
	const struct kind *kind = store_node_kind(store, slot);

	return str_is(kind->kind, r->companion) && str_is(kind->group, r->group);
}

/* Looks up what the objects refer to that are parts of this one and of such a kind: the pods of which a slice tells. */
static void look_up_beyond(struct batch *b, struct handle h, const struct companion_rule *r)
{
	struct store *store = b->o->o.store;
	size_t n;
	const uint32_t *in = store_referrers(store, h.slot, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; is_of(store, in[i], r) && k < store_edge_count(store, in[i]); k++) {
			struct edge e = store_edge(store, in[i], k);

			if (e.relation == RELATION_NEEDS)
				look_up_target(b, store_node_handle(store, in[i]), &e);
		}
}

/* Nobody has asked for these kinds, so it is no news that they may not be read. */
static void look_up_companions(struct batch *b, struct handle h, bool explained)
{
	struct object_id id = store_node_id(b->o->o.store, h.slot);
	const struct companion_rule *r = store_meta(b->o->o.store, h).family->companions;
	struct summary s;

	if (!r || !graph_summary(b->o->o.graph, h, &s))
		return;
	b->without_notice = true;
	for (; r->kind; r++) {
		const struct kind *kind = served_kind(b->o, r->group, r->companion);

		if (!kind || !str_is(id.kind->kind, r->kind) || (r->when == COMPANION_EXPLAINED && !explained) ||
		    (r->when == COMPANION_UNWELL && s.phase == PHASE_READY))
			continue;
		look_up(b, &(struct object_id){ id.cluster, kind, id.ns, STR_NONE });
		if (explained || s.phase != PHASE_READY)
			look_up_beyond(b, h, r);
	}
	b->without_notice = false;
}

/* Who has a companion is examined with it: what that refers to may have to be looked up. */
static void queue_companions_whole(struct batch *b, struct handle h)
{
	struct store *store = b->o->o.store;

	for (size_t i = 0; i < store_edge_count(store, h.slot); i++) {
		struct edge e = store_edge_ends(store, h.slot, i);
		struct handle whole = store_node_handle(store, e.target);
		const struct companion_rule *r = whole.slot ? store_meta(store, whole).family->companions : NULL;

		for (; e.relation == RELATION_OWNS && r && r->kind; r++)
			if (str_is(store_node_kind(store, e.target)->kind, r->kind) && is_of(store, h.slot, r))
				lookup_queue(b->o, e.target);
	}
}

static void look_around(struct batch *b, struct handle h)
{
	static const char *const contents[][2] = { { "", "Pod" }, { "apps", "StatefulSet" }, { "batch", "Job" } };
	struct store *store = b->o->o.store;

	for (size_t i = 0; i < store_edge_count(store, h.slot); i++) {
		struct edge e = store_edge(store, h.slot, i);

		look_up_target(b, h, &e);
		if (e.flags & REF_CONTENTS && e.target == h.slot)
			look_up_remaining(b, h);
		else if (e.flags & REF_CONTENTS)
			look_up_kinds(b, store_node_id(store, h.slot).cluster, store_node_id(store, e.target).name, contents, 3);
	}
	look_up_holders(b, h);
	look_up_controllers(b, h);
	look_up_events(b, h);
	look_up_namespace(b, h);
	look_up_companions(b, h, true);
}

/*
 * A healthy object need not be explained, unless somebody has opened it.  An object that is healthy only if its
 * neighbours are needs them.
 */
static bool is_interesting(const struct feeds *o, struct handle h)
{
	struct summary s;

	if (!graph_summary(o->o.graph, h, &s))
		return false;
	if (s.phase != PHASE_READY || store_phase(o->o.store, h) != PHASE_READY ||
	    store_meta(o->o.store, h).family->judged_by_neighbours)
		return true;
	return o->explains_healthy && o->o.ops->selects(o->o.ctx, h);
}

static void examine(struct batch *b, uint32_t slot)
{
	struct feeds *o = b->o;
	struct handle h = store_node_handle(o->o.store, slot);
	struct tracked *t = tracked_of(o, slot);

	if (t && (!h.slot || t->gen != h.gen)) {
		assert(!t->examined);
		tracked_free(o, t);
		t = NULL;
	}
	if (!h.slot)
		return;
	b->object = t;
	b->object_handle = h;
	if (t && !t->examined) {
		assert(!t->before && !t->nbefore);
		t->before = t->feeds;
		t->nbefore = t->n;
		t->feeds = NULL;
		t->n = t->cap = 0;
		due_set(&o->examinations, &t->examination, 0);
		examined_object(b);
	}
	recheck_note(o, h);
	queue_companions_whole(b, h);
	if (is_interesting(o, h))
		look_around(b, h);
	else
		look_up_companions(b, h, false);
	arena_reset(&b->scratch);
}

/* ---- opening ------------------------------------------------------------------------ */

static int compare_group(const struct need *a, const struct need *b)
{
	int c = a->cluster->index - b->cluster->index;

	if (c == 0)
		c = (a->what.kind->id > b->what.kind->id) - (a->what.kind->id < b->what.kind->id);
	return c ? c : str_cmp(a->what.ns, b->what.ns);
}

static int compare_needs(const void *x, const void *y)
{
	const struct need *a = x, *b = y;
	int c = compare_group(a, b);

	return c ? c : str_cmp(a->what.name, b->what.name);
}

static void defer(struct batch *b, const struct need *need)
{
	const struct feeds *o = b->o;
	struct tracked *t = tracked_of(b->o, need->slot);
	char text[160];

	if (t && !t->deferred)
		add_deferred(need->cluster, t);
	snprintf(text, sizeof(text),
		 "%d lookups are open, the most at the same time: some waits and root causes may not be found",
		 FEEDS_LOOKUPS);
	o->o.ops->notice(o->o.ctx, "limit", STR("lookups"), STR_NONE, str_of(text));
}

static void open_need(struct batch *b, const struct need *need, bool whole)
{
	struct cluster *c = need->cluster;
	struct subscribe what = need->what;
	struct feed *f;

	if (whole && !need->full)
		what.name = STR_NONE;
	f = need->full ? feed_named(c, what.kind, what.ns, what.name) : feed_for(c, &what);
	if (!f && !has_room(c)) {
		defer(b, need);
		return;
	}
	if (!f) {
		f = feed_open(c, &what, 0);
		f->without_notice = need->without_notice;
		b->o->opened_at = b->o->now;
		b->opened++;
	}
	f->without_notice &= need->without_notice;
	f->controls |= need->controls;
	if (!feed_is_asked(f) || need->controls)
		hold(b->o, tracked_of(b->o, need->slot), f);
}

/* Collects the needs of one kind in one namespace: single objects by their names, or all by one list. */
static void open_group(struct batch *b, const struct need *needs, size_t n)
{
	const struct group *g = group_find(needs->cluster, needs->what.kind, needs->what.ns);
	size_t names = 0;

	assert(n > 0);
	bool whole = needs[0].what.name.len == 0;	/* the needs are sorted, so that no name comes first */

	for (size_t i = 0; g && i < g->n; i++)
		names += g->feeds[i]->what.name.len > 0;
	for (size_t i = 0; i < n; i++)
		names += i == 0 || !str_eq(needs[i].what.name, needs[i - 1].what.name);
	whole |= names > NAMES_BEFORE_LIST;
	for (size_t i = 0; i < n; i++)
		open_need(b, &needs[i], whole);
}

/* Opens the feeds that are needed, and then closes those that nobody needs any more. */
static void finish_batch(struct batch *b)
{
	struct feeds *o = b->o;

	if (b->n)
		qsort(b->needs, b->n, sizeof(*b->needs), compare_needs);
	for (size_t i = 0, end; i < b->n; i = end) {
		for (end = i + 1; end < b->n && compare_group(&b->needs[i], &b->needs[end]) == 0;)
			end++;
		open_group(b, &b->needs[i], end - i);
	}
	for (size_t i = 0; i < b->examined.n; i++) {
		struct tracked *t = tracked_of(o, b->examined.all[i]);

		assert(t && t->examined);
		t->examined = false;
		tracked_let_go(t);
		if (t->n == 0 && !t->deferred && !t->asking && !t->examination.at && !t->recheck.at)
			tracked_free(o, t);
	}
	b->n = b->examined.n = 0;
	arena_reset(&b->texts);
	lookup_close_idle(o);
}

static void examine_next(struct batch *b, uint32_t slot)
{
	examine(b, slot);
	if (b->n >= BATCH || b->examined.n >= BATCH)
		finish_batch(b);
}

/* Returns the objects that came by feeds of the query. */
static size_t count_selected(const struct feeds *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->nfeeds; i++)
		n += o->feeds[i]->asked & ASKED_QUERY ? o->feeds[i]->has.n : 0;
	return n;
}

/*
 * When there are few objects the healthy ones are explained, too; the two limits keep it from changing back and forth.
 */
static void choose_explained(struct feeds *o)
{
	bool explains_healthy = count_selected(o) <= (o->explains_healthy ? EXPLAIN_NO_MORE : EXPLAIN_UP_TO);

	if (explains_healthy != o->explains_healthy)
		o->rescan = true;
	o->explains_healthy = explains_healthy;
}

static void queue_due(struct feeds *o)
{
	struct due *first;

	while ((first = due_first(&o->examinations)) && first->when <= o->now) {
		struct tracked *t = (struct tracked *)(void *)((char *)first - offsetof(struct tracked, examination));

		due_set(&o->examinations, first, 0);
		lookup_queue(o, t->slot);
	}
}

/* Examines all objects of the store, in slices where somebody waits, so that keys are answered between them. */
static void examine_all(struct batch *b)
{
	enum { SLICE = 8192 };
	struct feeds *o = b->o;
	size_t left = o->o.once ? SIZE_MAX : SLICE;
	struct handle h = store_next(o->o.store, o->rescan_from);

	for (; h.slot && left; left--, h = store_next(o->o.store, h.slot + 1))
		examine_next(b, h.slot);
	o->rescan_from = h.slot;
}

size_t lookup_run(struct feeds *o)
{
	struct batch b = { .o = o };
	struct slot_list queue;

	if (o->query.names_only || (o->o.once && o->rounds >= ROUNDS)) {
		o->rescan = false;
		o->rescan_from = 0;
		o->queue.n = 0;
		return 0;
	}
	choose_explained(o);
	queue_due(o);
	queue = o->queue;
	o->queue = (struct slot_list){ 0 };
	for (size_t i = 0; i < queue.n; i++) {
		assert(o->queued[queue.all[i]]);
		o->queued[queue.all[i]] = 0;
	}
	if (o->rescan)
		o->rescan_from = 1;
	o->rescan = false;
	for (size_t i = 0; i < queue.n; i++)
		if (!is_ahead_of_rescan(o, queue.all[i]) || !store_node_handle(o->o.store, queue.all[i]).slot)
			examine_next(&b, queue.all[i]);
	if (o->rescan_from)
		examine_all(&b);
	finish_batch(&b);
	queue_deferred(o);
	xfree(queue.all);
	xfree(b.needs);
	xfree(b.examined.all);
	arena_release(&b.texts);
	arena_release(&b.scratch);
	o->rounds += b.opened && o->o.once;
	return b.opened;
}

void lookup_release(struct feeds *o)
{
	tracked_release(o);
	xfree(o->queue.all);
	for (size_t i = 0; i < o->o.clusters; i++)
		xfree(o->clusters[i].deferred.all);
	xfree(o->queued);
	due_release(&o->examinations);
}
