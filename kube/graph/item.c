/* SPDX-License-Identifier: Apache-2.0 */
/* What views and printers get: one object with its neighbourhood. */
#include "kube/graph/graph_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPENDENTS 1000

/* ---- summary ------------------------------------------------------------- */

/* Only custom resources are copied: they are in a group with a domain. */
static bool is_copied(const struct graph *g, uint32_t slot, const struct kind *kind)
{
	if (str_find(kind->group, '.') == kind->group.len)
		return false;
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
		.runs_out = st.runs_out,
		.copied = is_copied(g, h.slot, meta.id.kind),
		.percent = store_percent(g->store, h),
		.replicas = st.replicas,
		.owner = store_node_handle(g->store, graph_controller(g->store, h.slot)),
	};
	return true;
}

bool graph_unreadable(const struct graph *g, struct handle h)
{
	struct object_id id = store_node_id(g->store, h.slot);

	return store_name_coverage(g->store, &id) == COVERAGE_FORBIDDEN ||
	       store_coverage(g->store, id.cluster, id.kind, id.ns) == COVERAGE_FORBIDDEN;
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
		dep.phase = graph_phase(g, other);
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

enum { IN_THE_WAY = 16, DEPENDENCIES = 2000 };	/* objects with one name that are shown; and all that one object depends on */

static void add_dependency(const struct graph *g, uint32_t on, const struct edge *e, struct arena *arena, struct arena_list *deps)
{
	struct dependency *dep = arena_list_add(deps, arena, sizeof(*dep), DEPENDENCIES);

	if (dep)
		*dep = dependency_of(g, on, e);
}

/* Adds those of another kind that have the same name as what is in the way: the nodes with a taint. */
static void add_in_the_way(struct graph *g, uint32_t slot, const struct edge *e, struct arena *arena, struct arena_list *deps)
{
	uint32_t first[IN_THE_WAY];
	size_t n, nfirst = 0;
	const uint32_t *in = store_referrers(g->store, e->target, &n);

	for (size_t i = 0; i < n; i++)
		if (graph_is_alive(g, in[i]) && graph_kind(g, in[i]) != graph_kind(g, slot) && (i == 0 || in[i] != in[i - 1]))
			graph_keep_first(g, first, &nfirst, IN_THE_WAY, in[i]);
	for (size_t i = 0; i < nfirst; i++)
		add_dependency(g, first[i], e, arena, deps);
}

static void item_dependencies(struct graph *g, uint32_t slot, struct arena *arena, struct item *out)
{
	struct arena_list deps = { .n = 0 };

	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);
		uint32_t end = graph_resolve(g, slot, &e);

		if ((e.flags & (REF_HIDDEN | REF_STANDS)) == (REF_HIDDEN | REF_STANDS))
			add_in_the_way(g, slot, &e, arena, &deps);
		else if (is_shown(g, slot, &e, end))
			add_dependency(g, end, &e, arena, &deps);
	}
	out->dependencies = deps.items;
	out->ndependencies = deps.n;
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

/* Returns the word of the rule that begins there, without what ends a clause or a quotation. */
static struct str word_at(struct str rule, size_t at)
{
	struct str rest = str_from(rule, at), word;

	word = str_head(rest, str_find(rest, ' '));
	while (word.len && strchr(",:\"", word.ptr[word.len - 1]))
		word.len--;
	return word;
}

/* Returns the first word of the rule that is the path of a field: "status.phase"; "": none is. */
static struct str path_in(struct str rule)
{
	for (size_t at = 0; at < rule.len; at += str_find(str_from(rule, at), ' ') + 1) {
		struct str word = word_at(rule, at);

		if (str_starts(word, "status.") || str_starts(word, "metadata.") || str_starts(word, "spec."))
			return word;
	}
	return STR_NONE;
}

/* A rule names what it was read from by these words, with a name behind them. */
static const struct place {
	const char *begins, *before, *behind;
} places[] = {
	{ "Event ", "Event ", "" },
	{ "field ", "status.", "" },
	{ "container ", "status.containerStatuses[name=", "]" },
	{ "init container ", "status.initContainerStatuses[name=", "]" },
	{ "annotation ", "metadata.annotations['", "']" },
};

/*
 * Returns "status.conditions[type=Ready]" for a rule that begins with that condition, the field or the Event that it names, the object
 * that is waited for where neighbours decided, and else the status, which the counts of replicas are in; "kind": nobody writes one.
 */
static struct str where_from(const struct item *it, bool neighbours, struct arena *arena)
{
	struct str rule = str_starts(it->rule, "condition ") ? str_from(it->rule, 10) : it->rule, path = path_in(rule);

	for (size_t i = 0; i < it->status.nconditions; i++) {
		struct str type = it->status.conditions[i].type;

		if (type.len && rule.len > type.len && str_eq(str_head(rule, type.len), type) && rule.ptr[type.len] == '=')
			return ARENA_JOIN(arena, STR("status.conditions[type="), type, STR("]"));
	}
	if (path.len)
		return path;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (str_starts(rule, places[i].begins))
			return ARENA_JOIN(arena, str_of(places[i].before), word_at(rule, strlen(places[i].begins)), str_of(places[i].behind));
	if (it->nwaits && neighbours)
		return ARENA_JOIN(arena, it->waits[0].on.kind, STR("/"), it->waits[0].on.name);
	return it->status.untouched ? STR("kind") : STR("status");
}

/* ---- what the verdict rests on ------------------------------------------------- */

enum { KIND_NAME = 256 };	/* bytes of a kind's name, with its group */
enum side { SIDE_NONE, SIDE_WELL, SIDE_UNDER_WAY, SIDE_TROUBLE, SIDE_STOPPED };

static enum side side_of_phase(enum phase phase)
{
	if (phase_is_bad(phase))
		return SIDE_TROUBLE;
	if (phase == PHASE_READY)
		return SIDE_WELL;
	if (phase == PHASE_SUSPENDED)
		return SIDE_STOPPED;
	return phase == PHASE_UNKNOWN ? SIDE_NONE : SIDE_UNDER_WAY;
}

static enum side side_of_condition(const struct condition *c)
{
	bool is = str_is(c->status, "True");

	if (!is && !str_is(c->status, "False"))
		return SIDE_NONE;
	if (c->polarity == POLARITY_TRANSITIONAL)
		return is ? SIDE_UNDER_WAY : SIDE_NONE;
	return is == (c->polarity == POLARITY_NEGATIVE) ? SIDE_TROUBLE : SIDE_WELL;
}

static void rests_on(struct item *it, struct because *list, struct because fact)
{
	for (size_t i = 0; i < it->nbecause; i++)
		if (str_eq(list[i].what, fact.what) || (fact.from.len && str_eq(list[i].from, fact.from)))
			return;
	if (it->nbecause < LIMIT_BECAUSE)
		list[it->nbecause++] = fact;
}

static struct str what_of_wait(struct graph *g, const struct item_wait *w, struct arena *arena)
{
	const struct kind *kind = kinds_find(store_kinds(g->store), w->on.group, w->on.kind);
	char name[KIND_NAME];

	snprintf(name, sizeof(name), STR_FMT, STR_ARG(w->on.kind));
	if (kind && !w->on.alias)
		kind_display(store_kinds(g->store), kind, name, sizeof(name));
	return arena_printf(arena, "%s/" STR_FMT " %s", name, STR_ARG(w->on.name),
			    w->on.handle.slot ? phase_name(graph_phase(g, w->on.handle.slot)) : wait_state_name(w->state));
}

/* What it waits for agrees, where it is not what decided already. */
static void rests_on_waits(struct graph *g, struct item *out, struct because *list, struct arena *arena)
{
	if (out->s.phase == PHASE_READY)
		return;
	for (size_t i = 0; i < out->nwaits && out->nbecause < LIMIT_BECAUSE; i++)
		rests_on(out, list, (struct because){ what_of_wait(g, &out->waits[i], arena), out->waits[i].message,
						      ARENA_JOIN(arena, out->waits[i].on.kind, STR("/"), out->waits[i].on.name), BECAUSE_AGREES });
}

/* The conditions of a family that has no facts: those that say the same agree, the others are overruled. */
static void rests_on_conditions(struct item *out, struct because *list, struct arena *arena, bool agrees)
{
	for (size_t i = 0; i < out->status.nconditions && out->nbecause < LIMIT_BECAUSE; i++) {
		const struct condition *c = &out->status.conditions[i];
		enum side side = side_of_condition(c);

		if (side == SIDE_NONE || (side == side_of_phase(out->s.phase)) != agrees)
			continue;
		rests_on(out, list, (struct because){ ARENA_JOIN(arena, STR("condition "), c->type, STR("="), c->status, str_of(c->reason.len ? " " : ""), c->reason),
						      c->message, ARENA_JOIN(arena, STR("status.conditions[type="), c->type, STR("]")),
						      agrees ? BECAUSE_AGREES : BECAUSE_OVERRULED });
	}
}

/*
 * What was concluded of the object alone stands behind what its neighbours made of it: it agrees where it is the same
 * kind of phase, and else it is overruled.
 */
static void rests_on_itself(struct graph *g, struct handle h, struct item *out, struct because *list)
{
	bool agrees = side_of_phase(store_phase(g->store, h)) == side_of_phase(out->s.phase);

	for (size_t i = 0; i < out->status.nbecause; i++) {
		struct because b = out->status.because[i];

		if (b.role == BECAUSE_DECIDES)
			b.role = agrees ? BECAUSE_AGREES : BECAUSE_OVERRULED;
		rests_on(out, list, b);
	}
}

/* The row that won: a step of assess.c, a row of the general rules, or one of these two. */
static struct str row_of(const struct item *it, const struct health *d)
{
	if (d && d->row)
		return str_of(d->row);
	if (it->status.row.len)
		return it->status.row;
	return it->s.phase == PHASE_DELETING ? STR(GRAPH_ROW_DELETION) : STR(GRAPH_ROW_FAMILY);
}

static void item_because(struct graph *g, struct handle h, struct arena *arena, struct item *out)
{
	const struct status *st = &out->status;
	const struct health *d = graph_health(g, h);
	struct because *list;

	out->row = row_of(out, d);
	list = arena_array(arena, LIMIT_BECAUSE, sizeof(*list));
	list[0] = (struct because){ out->rule.len ? out->rule : out->row, out->s.message, where_from(out, d && d->row, arena), BECAUSE_DECIDES };
	if (str_starts(list[0].from, "status.conditions[") && !str_starts(out->rule, "condition "))
		list[0].what = ARENA_JOIN(arena, STR("condition "), out->rule);
	if (st->nbecause && str_eq(st->because[0].what, out->rule)) {
		list[0].message = st->because[0].message;
		list[0].from = st->because[0].from.len ? st->because[0].from : list[0].from;
	}
	out->because = list;
	out->nbecause = 1;
	for (size_t i = 0; d && i < d->nbecause; i++)
		rests_on(out, list, d->because[i]);
	rests_on_waits(g, out, list, arena);
	if (st->nbecause)
		rests_on_itself(g, h, out, list);
	if (st->nbecause || out->s.phase == PHASE_READY)
		return;
	rests_on_conditions(out, list, arena, true);
	rests_on_conditions(out, list, arena, false);
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
	item_because(g, h, arena, out);
	return true;
}
