/* SPDX-License-Identifier: Apache-2.0 */
/* What the views and the printers get: one object with its neighbourhood. */
#include "kube/status/graph_private.h"
#include "kube/status/thresholds.h"

#include <string.h>

#define DEPENDENTS 1000

/* ---- deletion ------------------------------------------------------------ */

static bool asks_family(const struct family *f, struct str finalizer, struct str *out_kind)
{
	return f && f->finalizer && f->finalizer(finalizer, out_kind);
}

static bool is_owned_by(const struct graph *g, uint32_t slot, uint32_t owner)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		if (e.relation == RELATION_OWNS && e.target == owner)
			return true;
	}
	return false;
}

/* What the object owns goes with it and holds nothing.  Referrers that put this guard on the object; going counts those that are deleted themselves. */
static size_t guards(const struct graph *g, uint32_t slot, struct str finalizer, struct list *blocked,
		     struct arena *arena, size_t *out_going)
{
	size_t n, found = 0;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	*out_going = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);
			struct id *id;

			if (e.target != slot || !str_eq(e.guard, finalizer) || in[i] == slot ||
			    is_owned_by(g, in[i], slot))
				continue;
			found++;
			*out_going += graph_status(g, in[i], NULL).phase == PHASE_DELETING;
			id = blocked ? list_add(blocked, arena, sizeof(*id), 64) : NULL;
			if (id)
				*id = graph_id(g, in[i]);
			break;
		}
	return found;
}

static size_t dependents_owned(const struct graph *g, uint32_t slot, struct list *blocked, struct arena *arena)
{
	size_t n, found = 0;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);
			struct id *id;

			if (e.target != slot || e.relation != RELATION_OWNS)
				continue;
			found++;
			id = list_add(blocked, arena, sizeof(*id), 64);
			if (id)
				*id = graph_id(g, in[i]);
			break;
		}
	return found;
}

struct holder {
	const struct graph *g;
	uint32_t slot;
	const struct object_meta *meta;
	struct list *blocked;
	struct arena *arena;
	bool alone;	/* the only finalizer left */
	bool overdue;
};

/* Could objects of that kind be here unseen? */
static bool is_hidden(const struct holder *h, struct str kind_name)
{
	const struct kind *kind = kinds_find(store_kinds(h->g->store), h->meta->id.kind->group, kind_name);
	enum coverage coverage =
		kind ? store_coverage(h->g->store, h->meta->id.cluster, kind, h->meta->id.ns) : COVERAGE_NONE;

	if (coverage == COVERAGE_PARTIAL)
		return store_kind_count(h->g->store, h->meta->id.cluster, kind, h->meta->id.ns) == 0;
	return coverage != COVERAGE_COMPLETE;
}

/* Nobody is seen who would want that guard. */
static struct str without_referrers(const struct holder *h, struct str held_for)
{
	if (h->g->now - h->meta->deleting < GUARD_GRACE)
		return STR("releasing");
	return is_hidden(h, held_for) ? STR("unknown") : STR("stuck");
}

static struct finalizer explain(const struct holder *h, struct str name)
{
	struct finalizer f = { .name = name };
	const struct family *family = h->meta->family;
	size_t going, n;

	if (str_is(name, "foregroundDeletion") || str_is(name, "orphan")) {
		dependents_owned(h->g, h->slot, h->blocked, h->arena);
		f.state = STR("foreground");
		return f;
	}
	if (family->own_finalizer && family->own_finalizer(h->meta->id.kind, name)) {
		f.held_for = h->meta->id.kind->kind;
		f.state = h->alone ? (h->overdue ? STR("stuck") : STR("cleanup")) : STR("waiting");
		return f;
	}
	n = guards(h->g, h->slot, name, h->blocked, h->arena, &going);
	if (asks_family(family, name, &f.held_for) || n) {
		f.state = n == 0 ? without_referrers(h, f.held_for) : going == n ? STR("releasing") : STR("in-use");
		return f;
	}
	f.state = h->overdue ? STR("stuck") : STR("unknown");
	return f;
}

struct deletion graph_deletion(const struct graph *g, uint32_t slot, struct arena *arena)
{
	struct object_meta meta = store_meta(g->store, store_node_handle(g->store, slot));
	struct status st = store_status(g->store, store_node_handle(g->store, slot), arena);
	struct list blocked = { 0 };
	struct holder h = { g, slot, &meta, &blocked, arena, st.nfinalizers == 1,
			    meta.deleting && g->now - meta.deleting >= OVERDUE };
	struct finalizer *f = arena_array(arena, st.nfinalizers, sizeof(*f));

	for (size_t i = 0; i < st.nfinalizers; i++)
		f[i] = explain(&h, st.finalizers[i]);
	return (struct deletion){ meta.deleting, f, st.nfinalizers, blocked.items, blocked.n };
}

/* ---- summary ------------------------------------------------------------- */

static struct handle controller_of(const struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		if (e.relation == RELATION_OWNS && (e.flags & REF_CONTROLLER))
			return store_node_handle(g->store, e.target);
	}
	return HANDLE_NONE;
}

static bool is_copied(const struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++)
		if (store_edge(g->store, slot, i).flags & REF_COPY)
			return true;
	return false;
}

bool graph_summary(struct graph *g, struct handle h, struct summary *out)
{
	struct object_meta meta;
	struct status st;

	if (!store_alive(g->store, h))
		return false;
	meta = store_meta(g->store, h);
	st = graph_status(g, h.slot, NULL);
	*out = (struct summary){
		.id = graph_id(g, h.slot),
		.kind = meta.id.kind,
		.family = meta.family->name,
		.phase = st.phase,
		.severity = st.severity,
		.operator_phase = st.operator_phase,
		.reason = st.reason,
		.message = st.message,
		.since = st.since,
		.created = meta.created,
		.stale = st.stale,
		.copied = is_copied(g, h.slot),
		.percent = store_percent(g->store, h),
		.replicas = st.replicas,
		.owner = controller_of(g, h.slot),
	};
	return true;
}

/* Severity first, then how bad the phase is; Unknown stands before what is fine. */
static int badness(const struct summary *s)
{
	static const uint8_t by_phase[PHASE_COUNT] = {
		[PHASE_FAILED] = 9,	 [PHASE_DEGRADED] = 8, [PHASE_WAITING] = 7, [PHASE_DELETING] = 6,
		[PHASE_UNKNOWN] = 5,	 [PHASE_PROVISIONING] = 4, [PHASE_UPDATING] = 4,
		[PHASE_MAINTENANCE] = 4, [PHASE_SCALING] = 4,  [PHASE_SUSPENDED] = 1, [PHASE_READY] = 0,
	};

	return (int)s->severity * 16 + by_phase[s->phase];
}

int summary_compare(const struct summary *a, const struct summary *b)
{
	int c = badness(b) - badness(a);

	c = c ? c : str_cmp(a->id.cluster, b->id.cluster);
	c = c ? c : str_cmp(a->id.ns, b->id.ns);
	c = c ? c : str_cmp(a->id.kind, b->id.kind);
	c = c ? c : str_cmp(a->id.name, b->id.name);
	return c ? c : str_cmp(a->id.group, b->id.group);
}

/* ---- waits --------------------------------------------------------------- */

static struct wait wait_of(struct graph *g, uint32_t slot, const struct derived_wait *w)
{
	struct wait out = { .state = w->state, .via = w->via, .message = w->message };
	struct object_id self = store_node_id(g->store, slot);

	if (w->target) {
		out.on = graph_id(g, w->target);
		if (roots_in_cycle(g, slot, w->target))
			out.state = WAIT_CYCLE;
		return out;
	}
	out.on = graph_id(g, slot);
	out.on.handle = HANDLE_NONE;
	if (str_eq(self.kind->kind, w->kind) && str_eq(self.name, w->name)) {
		out.on.handle = store_node_handle(g->store, slot);
		return out;
	}
	out.on.group = STR_NONE;
	out.on.ns = STR_NONE;
	out.on.kind = w->kind;
	out.on.name = w->name;
	return out;
}

static const struct derived *derived_at(const struct graph *g, struct handle h)
{
	return store_alive(g->store, h) && h.slot < g->nslots ? g->by_slot[h.slot] : NULL;
}

/* What blocks before what merely belongs to it, what the operator itself names first, then failures. */
static int wait_rank(const struct derived_wait *w)
{
	bool named = w->blocks && w->message.len;

	return (w->blocks ? 0 : 4) + (named ? 0 : 2) +
	       (w->state == WAIT_FAILED || w->state == WAIT_MISSING ? 0 : 1);
}

static const struct derived_wait *first_of(const struct derived *d)
{
	const struct derived_wait *best = NULL;

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (!best || wait_rank(&d->waits[i]) < wait_rank(best))
			best = &d->waits[i];
	return best;
}

struct wait graph_first_wait(struct graph *g, struct handle h, struct arena *arena)
{
	const struct derived_wait *w = first_of(derived_at(g, h));

	(void)arena;
	return w ? wait_of(g, h.slot, w) : (struct wait){ .state = WAIT_NONE };
}

size_t graph_chain(struct graph *g, struct handle from, struct wait *out, size_t cap, struct arena *arena)
{
	size_t n = 0;

	while (n < cap) {
		struct wait w = graph_first_wait(g, from, arena);

		if (w.state == WAIT_NONE)
			break;
		out[n++] = w;
		if (!w.on.handle.slot || w.state == WAIT_FINALIZER || w.state == WAIT_APPROVAL)
			break;
		for (size_t i = 0; i + 1 < n; i++)
			if (out[i].on.handle.slot == w.on.handle.slot)
				return n;
		from = w.on.handle;
	}
	return n;
}

/* ---- item ---------------------------------------------------------------- */

static struct dependency dependency_of(const struct graph *g, uint32_t other, const struct edge *e)
{
	struct dependency dep = { .on = graph_id(g, other), .relation = e->relation, .via = e->via,
				  .phase = PHASE_UNKNOWN };

	dep.found = dep.on.handle.slot != 0;
	if (dep.found)
		dep.phase = graph_status(g, other, NULL).phase;
	return dep;
}

/* The edges to its own alias and to itself are bookkeeping, no dependencies. */
static void item_dependencies(struct graph *g, uint32_t slot, struct arena *arena, struct item *out)
{
	size_t n = store_edge_count(g->store, slot);
	struct dependency *deps = arena_array(arena, n, sizeof(*deps));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		struct edge e = store_edge(g->store, slot, i);

		if (e.target == slot || (e.relation == RELATION_MANAGES &&
					 kind_is_alias(store_node_id(g->store, e.target).kind)))
			continue;
		deps[used++] = dependency_of(g, graph_resolve(g, slot, &e), &e);
	}
	out->dependencies = deps;
	out->ndependencies = used;
}

static void add_dependents(struct graph *g, uint32_t slot, uint32_t of, struct list *found, struct arena *arena)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, of, &n);

	for (size_t i = 0; i < n && found->n < DEPENDENTS; i++) {
		bool repeated = i > 0 && in[i] == in[i - 1];

		for (size_t k = 0; !repeated && in[i] != slot && k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);
			struct dependency *dep;

			if (e.target != of)
				continue;
			dep = list_add(found, arena, sizeof(*dep), DEPENDENTS);
			if (dep)
				*dep = dependency_of(g, in[i], &e);
		}
	}
}

static void item_dependents(struct graph *g, uint32_t slot, struct arena *arena, struct item *out)
{
	struct list found = { 0 };

	add_dependents(g, slot, slot, &found, arena);
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		if (e.relation == RELATION_MANAGES && kind_is_alias(store_node_id(g->store, e.target).kind))
			add_dependents(g, slot, e.target, &found, arena);
	}
	out->dependents = found.items;
	out->ndependents = found.n;
}

static void item_waits(struct graph *g, struct handle h, struct arena *arena, struct item *out)
{
	const struct derived *d = derived_at(g, h);
	struct wait *waits = arena_array(arena, d ? d->nwaits : 0, sizeof(*waits));

	for (size_t i = 0; d && i < d->nwaits; i++)
		waits[i] = wait_of(g, h.slot, &d->waits[i]);
	out->waits = waits;
	out->nwaits = d ? d->nwaits : 0;
	out->nroots = roots_of(g, h.slot, arena, &out->roots);
}

/* Those whom only the family knows to stand in the way are waits, and block as well. */
static void add_waits_to_blockers(const struct item *it, struct deletion *d, struct arena *arena)
{
	struct id *all = arena_array(arena, d->nblocked_by + it->nwaits, sizeof(*all));
	size_t n = d->nblocked_by;

	for (size_t i = 0; i < n; i++)
		all[i] = d->blocked_by[i];
	for (size_t i = 0; i < it->nwaits; i++) {
		const struct wait *w = &it->waits[i];
		bool known = !w->on.handle.slot || (w->state != WAIT_FINALIZER && w->state != WAIT_DELETING);

		for (size_t k = 0; k < n && !known; k++)
			known = all[k].handle.slot == w->on.handle.slot;
		if (!known)
			all[n++] = w->on;
	}
	d->blocked_by = all;
	d->nblocked_by = n;
}

bool graph_item(struct graph *g, struct handle h, struct arena *arena, struct item *out)
{
	struct deletion *deletion;
	struct object_meta meta;

	memset(out, 0, sizeof(*out));
	if (!graph_summary(g, h, &out->s))
		return false;
	meta = store_meta(g->store, h);
	out->uid = meta.uid;
	out->api_version = meta.id.kind->group.len ?
				   arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(meta.id.kind->group),
						STR_ARG(meta.id.kind->version)) :
				   meta.id.kind->version;
	out->status = graph_status(g, h.slot, arena);
	out->rule = out->status.rule;
	item_waits(g, h, arena, out);
	item_dependencies(g, h.slot, arena, out);
	item_dependents(g, h.slot, arena, out);
	if (meta.deleting) {
		deletion = arena_alloc(arena, sizeof(*deletion));
		*deletion = graph_deletion(g, h.slot, arena);
		add_waits_to_blockers(out, deletion, arena);
		out->deletion = deletion;
	}
	return true;
}
