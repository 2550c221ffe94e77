/* SPDX-License-Identifier: Apache-2.0 */
/* What views and printers get: one object with its neighbourhood. */
#include "kube/graph/graph_private.h"

#include <stdlib.h>
#include <string.h>

#define DEPENDENTS 1000

/* ---- summary ------------------------------------------------------------- */

static struct handle controller_of(const struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);

		if (e.relation == RELATION_OWNS && (e.flags & REF_CONTROLLER))
			return store_node_handle(g->store, e.target);
	}
	return HANDLE_NONE;
}

static bool is_copied(const struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++)
		if (store_edge_ends(g->store, slot, i).flags & REF_COPY)
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

bool graph_unreadable(const struct graph *g, struct handle h)
{
	struct object_id id = store_node_id(g->store, h.slot);

	return store_name_coverage(g->store, &id) == COVERAGE_FORBIDDEN ||
	       store_coverage(g->store, id.cluster, id.kind, id.ns) == COVERAGE_FORBIDDEN;
}

/* Compares by severity, then by phase; Unknown comes before phases that are good. */
unsigned summary_badness(const struct summary *s)
{
	static const uint8_t by_phase[PHASE_COUNT] = {
		[PHASE_FAILED] = 9,	 [PHASE_DEGRADED] = 8, [PHASE_WAITING] = 7, [PHASE_DELETING] = 6,
		[PHASE_UNKNOWN] = 5,	 [PHASE_PROVISIONING] = 4, [PHASE_UPDATING] = 4,
		[PHASE_MAINTENANCE] = 4, [PHASE_SCALING] = 4,  [PHASE_SUSPENDED] = 1, [PHASE_READY] = 0,
	};

	return (unsigned)s->severity * 16 + by_phase[s->phase];
}

int summary_compare(const struct summary *a, const struct summary *b)
{
	int c = (int)summary_badness(b) - (int)summary_badness(a);

	c = c ? c : str_cmp(a->id.cluster, b->id.cluster);
	c = c ? c : str_cmp(a->id.ns, b->id.ns);
	c = c ? c : str_cmp(a->id.kind, b->id.kind);
	c = c ? c : str_cmp(a->id.name, b->id.name);
	return c ? c : str_cmp(a->id.group, b->id.group);
}

/* ---- item ---------------------------------------------------------------- */

/* An alias that no object has: "<whole> <group> <kind> <name>" names a part of the whole. */
static void name_part(struct id *id)
{
	struct str rest = id->name, whole, group, kind;

	if (!str_split(&rest, ' ', &whole) || !str_split(&rest, ' ', &group) ||
	    !str_split(&rest, ' ', &kind) || kind.len == 0 || rest.len == 0)
		return;
	id->group = group;
	id->kind = kind;
	id->name = rest;
	id->alias = false;
}

static struct dependency dependency_of(const struct graph *g, uint32_t other, const struct edge *e)
{
	struct dependency dep = { .on = graph_id(g, other), .relation = e->relation, .via = e->via,
				  .phase = PHASE_UNKNOWN };

	dep.found = dep.on.handle.slot != 0;
	dep.missing = !dep.found && graph_presence(g, other, e->flags) == PRESENCE_MISSING;
	if (dep.found)
		dep.phase = graph_status(g, other, NULL).phase;
	else if (kind_is_alias(store_node_id(g->store, other).kind))
		name_part(&dep.on);
	return dep;
}

/* Edges to the object's own alias and to itself are no dependencies. */
static bool is_shown(const struct graph *g, uint32_t slot, const struct edge *e, uint32_t end)
{
	if (e->target == slot || (e->flags & REF_HIDDEN) ||
	    (e->relation == RELATION_MANAGES && kind_is_alias(store_node_id(g->store, e->target).kind)))
		return false;
	return !(e->flags & REF_IF_FOUND) || store_node_handle(g->store, end).slot;
}

static void item_dependencies(struct graph *g, uint32_t slot, struct arena *arena, struct item *out)
{
	size_t n = store_edge_count(g->store, slot);
	struct dependency *deps = arena_array(arena, n, sizeof(*deps));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		struct edge e = store_edge(g->store, slot, i);
		uint32_t end = graph_resolve(g, slot, &e);

		if (is_shown(g, slot, &e, end))
			deps[used++] = dependency_of(g, end, &e);
	}
	out->dependencies = deps;
	out->ndependencies = used;
}

static void add_dependents(struct graph *g, uint32_t slot, uint32_t of, struct arena_list *found, struct arena *arena)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, of, &n);

	for (size_t i = 0; i < n && found->n < DEPENDENTS; i++) {
		bool repeated = i > 0 && in[i] == in[i - 1];

		for (size_t k = 0; !repeated && in[i] != slot && k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);
			struct dependency *dep;

			if (e.target != of || (e.flags & (REF_REPORTS | REF_HIDDEN)))
				continue;
			dep = arena_list_add(found, arena, sizeof(*dep), DEPENDENTS);
			if (dep)
				*dep = dependency_of(g, in[i], &e);
		}
	}
}

static int compare_dependents(const void *x, const void *y)
{
	const struct dependency *a = x, *b = y;
	int c = str_cmp(a->on.kind, b->on.kind);

	c = c ? c : str_cmp(a->on.ns, b->on.ns);
	c = c ? c : str_cmp(a->on.name, b->on.name);
	c = c ? c : str_cmp(a->on.group, b->on.group);
	return c ? c : str_cmp(a->via, b->via);
}

/* Sorts by kind and name, because the order in the store is chance. */
static void item_dependents(struct graph *g, uint32_t slot, struct arena *arena, struct item *out)
{
	struct arena_list found = { 0 };

	add_dependents(g, slot, slot, &found, arena);
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		if (e.relation == RELATION_MANAGES && kind_is_alias(store_node_id(g->store, e.target).kind))
			add_dependents(g, slot, e.target, &found, arena);
	}
	if (found.n > 1)
		qsort(found.items, found.n, sizeof(struct dependency), compare_dependents);
	out->dependents = found.items;
	out->ndependents = found.n;
}

static void item_waits(struct graph *g, struct handle h, size_t most_roots, struct arena *arena, struct item *out)
{
	const struct health *d = graph_health(g, h);
	struct item_wait *waits = arena_array(arena, d ? d->nwaits : 0, sizeof(*waits));

	for (size_t i = 0; d && i < d->nwaits; i++)
		waits[i] = roots_wait(g, h.slot, graph_wait(g, h.slot, i));
	out->waits = waits;
	out->nwaits = d ? d->nwaits : 0;
	out->nroots = roots_of(g, h.slot, most_roots, arena, &out->roots);
}

/* Objects that only the family knows to block are waits, and block as well. */
static void add_waits_to_blockers(const struct item *it, struct deletion *d, struct arena *arena)
{
	struct id *all = arena_array(arena, d->nblocked_by + it->nwaits, sizeof(*all));
	size_t n = d->nblocked_by;

	for (size_t i = 0; i < n; i++)
		all[i] = d->blocked_by[i];
	for (size_t i = 0; i < it->nwaits; i++) {
		const struct item_wait *w = &it->waits[i];
		bool blocks = w->state == WAIT_FINALIZER || w->state == WAIT_DELETING ||
			      w->state == WAIT_CYCLE;
		bool known = !w->on.handle.slot || !blocks;

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
	return graph_item_brief(g, h, SIZE_MAX, arena, out);
}

bool graph_item_brief(struct graph *g, struct handle h, size_t most_roots, struct arena *arena, struct item *out)
{
	const struct health *d = graph_health(g, h);
	struct deletion *deletion;
	struct object_meta meta;

	memset(out, 0, sizeof(*out));
	if (!graph_summary(g, h, &out->s))
		return false;
	meta = store_meta(g->store, h);
	out->uid = store_uid(g->store, h, arena);
	out->api_version = meta.version.len ? meta.version : meta.id.kind->version;
	if (meta.id.kind->group.len)
		out->api_version = arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(meta.id.kind->group),
						STR_ARG(out->api_version));
	out->status = graph_status(g, h.slot, arena);
	out->rule = out->status.rule;
	item_waits(g, h, most_roots, arena, out);
	item_dependencies(g, h.slot, arena, out);
	item_dependents(g, h.slot, arena, out);
	if (meta.deleting) {
		size_t nwaits = d ? d->nwaits : 0;
		struct health_wait *waits = arena_array(arena, nwaits, sizeof(*waits));

		for (size_t i = 0; i < nwaits; i++)
			waits[i] = graph_wait(g, h.slot, i);
		deletion = arena_alloc(arena, sizeof(*deletion));
		*deletion = graph_deletion(g, h.slot, waits, nwaits, arena);
		add_waits_to_blockers(out, deletion, arena);
		out->deletion = deletion;
	}
	return true;
}
