/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why an object that is being deleted still exists: finalizer by finalizer. */
#include "kube/graph/graph_private.h"
#include "kube/status/thresholds.h"

enum { HOLDERS = 64 };	/* holders that are listed of one object */

static bool knows(const struct family *f, struct str finalizer, struct str *out_kind)
{
	return f->finalizer && f->finalizer(finalizer, out_kind);
}

/* Asks the object's own family first; a Secret is guarded by the kinds that read it. */
static bool is_guard(const struct graph *g, const struct family *own, struct str finalizer, struct str *out_kind)
{
	if (knows(own, finalizer, out_kind))
		return true;
	for (const struct family *const *f = g->families; *f; f++)
		if (knows(*f, finalizer, out_kind))
			return true;
	return false;
}

/* Finalizers of the garbage collector, for which no controller of the object's kind is needed. */
static bool graph_is_collectors(struct str finalizer)
{
	return str_is(finalizer, "foregroundDeletion") || str_is(finalizer, "orphan");
}

bool graph_is_own_finalizer(const struct object_meta *meta, struct str finalizer)
{
	if (meta->family->own_finalizer)
		return meta->family->own_finalizer(meta->id.kind, finalizer);
	return !graph_is_collectors(finalizer);
}

/* "external-attacher/" stands for the finalizers of all drivers. */
static bool is_guard_of(struct str guard, struct str finalizer)
{
	return str_eq(guard, finalizer) ||
	       (str_ends(guard, "/") && str_eq(guard, str_head(finalizer, guard.len)));
}

static bool is_holder(const struct arena_list *blocked, uint32_t slot)
{
	const struct id *all = blocked->items;

	for (size_t i = 0; i < blocked->n; i++)
		if (all[i].handle.slot == slot)
			return true;
	return false;
}

/*
 * Adds a holder once, however many of its fields refer to the object.  Holders from first on are sorted by name, and
 * the last of too many are left out, because their order in the store is chance.
 */
static void add_holder(const struct graph *g, uint32_t slot, struct arena_list *blocked, size_t first, struct arena *arena)
{
	struct id id = graph_id(g, slot), *all;
	size_t at;

	if (is_holder(blocked, slot))
		return;
	if (!arena_list_add(blocked, arena, sizeof(id), HOLDERS)) {
		all = blocked->items;
		if (first == blocked->n || graph_compare_names(g, all[blocked->n - 1].handle.slot, slot) <= 0)
			return;
	}
	all = blocked->items;
	for (at = blocked->n - 1u; at > first && graph_compare_names(g, all[at - 1].handle.slot, slot) > 0; at--)
		all[at] = all[at - 1];
	all[at] = id;
}

/*
 * Counts the referrers that have put this guard on the object; going: those of them that are being deleted.  What the
 * object owns is deleted with it and holds nothing.
 */
static size_t guards(const struct graph *g, uint32_t slot, struct finalizer *f,
		     struct arena_list *blocked, struct arena *arena, size_t *out_going)
{
	size_t n, found = 0, first = blocked->n;
	const uint32_t *in = store_referrers(g->store, slot, &n);
	uint32_t by_name = 0;

	*out_going = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);

			if (e.target != slot || !is_guard_of(e.guard, f->name) || in[i] == slot ||
			    graph_refers(g, in[i], slot, RELATION_OWNS))
				continue;
			found++;
			if (!by_name || graph_compare_names(g, in[i], by_name) < 0)
				by_name = in[i];
			*out_going += graph_status(g, in[i], NULL).phase == PHASE_DELETING;
			add_holder(g, in[i], blocked, first, arena);
			break;
		}
	if (by_name)
		f->held_for = store_node_id(g->store, by_name).kind->kind;
	return found;
}

/*
 * Usages have no finalizer: a webhook refuses the deletion of what they protect as long as they exist.  An object that
 * is being deleted was not refused.
 */
static void protectors(const struct graph *g, uint32_t slot, struct arena_list *blocked, size_t first,
		       struct arena *arena)
{
	/* of phase 1, because this is a part of the assessment of phase 2 */
	bool going = store_brief(g->store, store_node_handle(g->store, slot)).phase == PHASE_DELETING;
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);

			if (e.target != slot || e.relation != RELATION_GUARDS || e.guard.len ||
			    (going && graph_status(g, in[i], NULL).phase == PHASE_DELETING))
				continue;
			add_holder(g, in[i], blocked, first, arena);
			break;
		}
}

/* Returns true for an object that this one owns and whose deletion a foreground deletion waits for. */
static bool is_standing_part(const struct graph *g, uint32_t slot, uint32_t owner)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		if (e.target == owner && e.relation == RELATION_OWNS && (e.flags & REF_STANDS))
			return true;
	}
	return false;
}

/* Finds what the object owns and what is deleted before it; and before these, what protects them. */
static void dependents_owned(const struct graph *g, uint32_t slot, struct arena_list *blocked, struct arena *arena)
{
	size_t n, first = blocked->n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++)
			if (is_standing_part(g, in[i], slot) && pass == 0)
				protectors(g, in[i], blocked, first, arena);
			else if (is_standing_part(g, in[i], slot))
				add_holder(g, in[i], blocked, first, arena);
		first = blocked->n;
	}
}

struct str graph_deletion_words(const struct graph *g, uint32_t slot, uint32_t blocker)
{
	if (graph_refers(g, blocker, slot, RELATION_OWNS))
		return STR("is owned by it, and goes first");
	if (!graph_refers(g, blocker, slot, RELATION_NEEDS) && graph_refers(g, blocker, slot, RELATION_GUARDS))
		return STR("protects it");
	for (size_t i = 0; i < store_edge_count(g->store, blocker); i++) {
		struct edge e = store_edge(g->store, blocker, i);

		if (e.relation == RELATION_GUARDS && e.target != slot &&
		    graph_refers(g, e.target, slot, RELATION_OWNS))
			return STR("protects what it owns");
	}
	return STR("still refers to it");
}

struct holder {
	const struct graph *g;
	uint32_t slot;
	const struct object_meta *meta;
	struct arena_list *blocked;
	struct arena *arena;
	bool alone; /* it is the only finalizer that is left */
	bool overdue;	/* it takes too long, and nobody is seen to work on it */
	bool controller_down;	/* the controller of the finalizer does not run */
	bool explained;	/* it is known what the controller waits for */
	bool told;	/* the controller itself says so */
};

/* The controller has written about the object lately, in its status or an Event, so somebody works on it. */
static bool is_worked_on(const struct graph *g, uint32_t slot, const struct status *st)
{
	int64_t newest = st->async ? st->async->updated : 0;
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);
			int64_t written = e.target == slot && (e.flags & REF_REPORTS) ? graph_status(g, in[i], NULL).since : 0;

			newest = written > newest ? written : newest;
		}
	return newest && g->now - newest < thresholds.stale_least;
}

/* ---- what is said of the deletion ------------------------------------------ */

/* A condition that changed so shortly before the deletion began may be about it. */
#define JUST_BEFORE MINUTES(1)

/* What is in the way of a removal; that something is being removed says nothing of why it is still there. */
static bool tells_obstacle(struct str text)
{
	static const char *const words[] = { "drain",  "evict",   "in use", "inuse",  "depend", "disruption",
					     "still ", "wait",	  "cannot", "can't",  "fail",	  "refus",
					     "block",  "violat",  "protect", "denied", "conflict",
					     NULL };

	return str_contains_any_nocase(text, words);
}

/* What others still have of it stands only in the way of its removal. */
static bool tells_of_removal(struct str text)
{
	static const char *const words[] = { "drain", "evict",	"delet",    "terminat", "detach",      "clean",	   "finaliz",
					     "remov", "destroy", "teardown", "unmount",	 "deprovision", "uninstall", "kill",
					     "in use", "inuse", "dependent", "dependency", NULL };

	return str_contains_any_nocase(text, words);
}

/* The condition has been written since the deletion began, and tells what is in the way. */
static bool tells(const struct condition *c, int64_t deleting)
{
	bool bad = c->polarity == POLARITY_NEGATIVE || word_class_of_name(c->type) == WORD_BAD;
	bool fine = str_is(c->status, bad || c->polarity == POLARITY_TRANSITIONAL ? "False" : "True") ||
		    word_class(c->reason) == WORD_OK || str_contains_nocase(c->message, "successful");

	return !fine && c->message.len && c->since + JUST_BEFORE >= deleting &&
	       (tells_obstacle(c->message) || tells_obstacle(c->reason));
}

static bool reports_on(const struct graph *g, uint32_t event, uint32_t slot)
{
	for (size_t k = 0; k < store_edge_count(g->store, event); k++) {
		struct edge e = store_edge_ends(g->store, event, k);

		if (e.target == slot && (e.flags & REF_REPORTS))
			return true;
	}
	return false;
}

/* Returns the latest warning that tells of the deletion since it began; "" when there is none. */
static struct str latest_warning(const struct graph *g, uint32_t slot, int64_t deleting, struct arena *arena)
{
	struct str message = STR_NONE;
	int64_t newest = deleting;
	uint32_t from = 0;
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < n; i++) {
		int64_t since = graph_status(g, in[i], NULL).since;
		struct status st;

		if (since < newest || (since == newest && from && graph_compare_names(g, in[i], from) <= 0) || !reports_on(g, in[i], slot))
			continue;
		st = graph_status(g, in[i], arena);
		if (!status_has_flag(&st, "warning") || (!tells_obstacle(st.message) && !tells_obstacle(st.reason)) ||
		    (!tells_of_removal(st.message) && !tells_of_removal(st.reason)))
			continue;
		message = st.message;
		newest = since;
		from = in[i];
	}
	return message;
}

struct str graph_deletion_says(const struct graph *g, uint32_t slot, const struct status *st, struct arena *arena)
{
	int64_t deleting = store_meta(g->store, store_node_handle(g->store, slot)).deleting;
	const struct condition *best = NULL;
	struct str warned;

	if (!deleting)
		return STR_NONE;
	for (size_t i = 0; i < st->nconditions; i++)	/* the longest says the most */
		if (tells(&st->conditions[i], deleting) && (!best || st->conditions[i].message.len > best->message.len))
			best = &st->conditions[i];
	warned = best ? best->message : latest_warning(g, slot, deleting, arena);
	/* its family has found in its status why it cannot go; of what is polled the last poll tells more */
	return warned.len || st->async || st->phase != PHASE_DELETING || st->severity < SEVERITY_WARNING ? warned : st->message;
}

/* A kind that the family does not know is shown as the finalizer has it, in lower case. */
static const struct kind *holding_kind(const struct holder *h, const struct finalizer *f)
{
	const struct kinds *kinds = store_kinds(h->g->store);
	struct str group = str_head(f->name, str_find(f->name, '/'));
	const struct kind *kind = kinds_find_nocase(kinds, group, f->held_for);

	return kind ? kind : kinds_find_nocase(kinds, h->meta->id.kind->group, f->held_for);
}

/* Returns true when objects of that kind could exist without being seen. */
static bool is_hidden(const struct holder *h, const struct kind *kind)
{
	const struct object_id *id = &h->meta->id;
	enum coverage coverage = COVERAGE_NONE;

	if (kind)
		coverage = store_coverage(h->g->store, id->cluster, kind, id->ns);
	if (coverage == COVERAGE_PARTIAL)
		return store_kind_count(h->g->store, id->cluster, kind, id->ns) == 0;
	return coverage != COVERAGE_COMPLETE;
}

/* Returns true when no object is seen that needs the guard. */
static struct str without_referrers(const struct holder *h, const struct kind *kind)
{
	if (h->g->now - h->meta->deleting < thresholds.guard_grace)
		return STR("releasing");
	return is_hidden(h, kind) ? STR("unknown") : STR("stuck");
}

/* The API server itself deletes the objects of a definition. */
static bool has_instances(const struct holder *h)
{
	return control_has_instances((struct graph *)(uintptr_t)h->g, h->slot);
}

/*
 * Returns the state of a finalizer of the garbage collector, by what it does with the objects that this one owns.  Nothing in a
 * namespace is owned by it, so that the collector has nothing to wait for there.
 */
static struct str by_collector(const struct holder *h, struct str name)
{
	bool namespace = h->meta->id.kind->group.len == 0 && str_is(h->meta->id.kind->kind, "Namespace");

	if (str_is(name, "orphan") || namespace)
		return h->overdue ? STR("stuck") : str_is(name, "orphan") ? STR("orphaning") : STR("foreground");
	dependents_owned(h->g, h->slot, h->blocked, h->arena);
	return STR("foreground");
}

/* The content of a definition or a namespace is deleted first. */
static bool is_emptied(struct str finalizer)
{
	return str_is(finalizer, "customresourcecleanup.apiextensions.k8s.io") ||
	       str_is(finalizer, "kubernetes");
}

static struct finalizer explain(const struct holder *h, struct str name)
{
	struct finalizer f = { .name = name };
	const struct family *family = h->meta->family;
	bool stuck = h->overdue && !(h->explained && graph_is_own_finalizer(h->meta, name));
	const struct kind *kind;
	size_t going, n;

	if (graph_is_collectors(name)) {
		f.state = by_collector(h, name);
		return f;
	}
	stuck |= h->controller_down && family->own_finalizer && graph_is_own_finalizer(h->meta, name);
	if (is_emptied(name)) {
		f.state = has_instances(h) ? STR("in-use") : stuck ? STR("stuck") : STR("cleanup");
		return f;
	}
	n = guards(h->g, h->slot, &f, h->blocked, h->arena, &going);
	if (n == 0 && family->own_finalizer && graph_is_own_finalizer(h->meta, name)) {
		f.held_for = h->meta->id.kind->kind;
		f.state = !h->alone && !h->controller_down ? STR("waiting")
			  : stuck		    ? STR("stuck")
						    : STR("cleanup");
		return f;
	}
	if (is_guard(h->g, family, name, &f.held_for) || n) {
		kind = holding_kind(h, &f);
		f.held_for = kind ? kind->kind : f.held_for;
		f.state = n == 0       ? without_referrers(h, kind)
			  : going == n ? STR("releasing")
				       : STR("in-use");
		return f;
	}
	f.state = stuck ? STR("stuck") : h->told ? STR("cleanup") : STR("unknown");
	return f;
}

/* Returns true when its controller or its family says why the object still exists. */
static bool is_explained(const struct health_wait *w)
{
	return w->state != WAIT_CONTROLLER && !str_is(w->via, "metadata.finalizers");
}

bool graph_deletion_hangs(const struct graph *g, uint32_t slot, struct arena *arena)
{
	struct object_meta meta = store_meta(g->store, store_node_handle(g->store, slot));
	struct status st;

	if (!meta.deleting || g->now - meta.deleting < thresholds.overdue)
		return false;
	st = store_status(g->store, store_node_handle(g->store, slot), arena);
	return !is_worked_on(g, slot, &st) || graph_deletion_says(g, slot, &st, arena).len > 0;
}

struct deletion graph_deletion(const struct graph *g, uint32_t slot,
			       const struct health_wait *waits, size_t nwaits, struct arena *arena)
{
	struct object_meta meta = store_meta(g->store, store_node_handle(g->store, slot));
	struct status st = store_status(g->store, store_node_handle(g->store, slot), arena);
	struct arena_list blocked = { 0 };
	struct holder h = { .g = g,
			    .slot = slot,
			    .meta = &meta,
			    .blocked = &blocked,
			    .arena = arena,
			    .alone = st.nfinalizers == 1 };
	struct finalizer *f = arena_array(arena, st.nfinalizers, sizeof(*f));
	size_t first;

	h.overdue = meta.deleting && g->now - meta.deleting >= thresholds.overdue &&
		    !is_worked_on(g, slot, &st);
	for (size_t i = 0; i < nwaits; i++) {
		h.controller_down |= waits[i].state == WAIT_CONTROLLER;
		h.explained |= is_explained(&waits[i]);
	}
	h.told = graph_deletion_says(g, slot, &st, arena).len > 0;
	h.explained |= h.told;
	for (size_t i = 0; i < st.nfinalizers; i++)
		f[i] = explain(&h, st.finalizers[i]);
	first = blocked.n;
	protectors(g, slot, &blocked, first, arena);
	return (struct deletion){ meta.deleting ? st.since : 0, f, st.nfinalizers, blocked.items, blocked.n };
}
