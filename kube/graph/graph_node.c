/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of one object: its name, where its references lead, and the verdict that the last settle made. */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/base/shell.h"

#include "kube/base/assert.h"
#include <string.h>

void graph_name_cluster(struct graph *g, uint16_t cluster, struct str name)
{
	if (cluster >= g->nclusters) {
		g->cluster_names = xreallocarray(g->cluster_names, (size_t)cluster + 1, sizeof(*g->cluster_names));
		while (g->nclusters <= cluster)
			g->cluster_names[g->nclusters++] = NULL;
	}
	xfree(g->cluster_names[cluster]);
	g->cluster_names[cluster] = xstrndup(name.ptr, name.len);
}

void graph_name_target(struct graph *g, struct str context, bool is_current, struct str kubeconfig)
{
	xfree(g->context);
	xfree(g->kubeconfig);
	g->context = xstrndup(context.ptr, context.len);
	g->context_is_current = is_current;
	g->kubeconfig = xstrndup(kubeconfig.ptr, kubeconfig.len);
}

struct str graph_target_flags(const struct graph *g, struct str cluster, enum command_reader reader, struct arena *arena)
{
	bool unsaid = g->context_is_current && reader == READER_HERE;
	struct str context = cluster.len ? cluster : unsaid ? STR_NONE : str_of(g->context), kubeconfig = str_of(g->kubeconfig);

	return ARENA_JOIN(arena, str_of(context.len ? " --context " : ""), context.len ? shell_word(context, arena) : STR_NONE,
			  str_of(kubeconfig.len ? " --kubeconfig " : ""),
			  kubeconfig.len ? shell_word(kubeconfig, arena) : STR_NONE);
}

bool kind_is_alias(const struct kind *kind)
{
	return kind->flags & KIND_ALIAS;
}

static bool kind_is_unspecified(const struct kind *kind)
{
	return kind->group.len == 0 && str_is(kind->kind, "?");
}

struct str graph_cluster_name(const struct graph *g, uint16_t cluster)
{
	return str_of(cluster < g->nclusters ? g->cluster_names[cluster] : NULL);
}

/* Returns the number that a cluster of g has in the other graph; a cluster without a name has the same in both. */
static bool same_cluster(const struct graph *g, uint16_t cluster, const struct graph *other, uint16_t *out)
{
	struct str name = graph_cluster_name(g, cluster);

	for (*out = 0; name.len && *out < other->nclusters; (*out)++)
		if (str_eq(graph_cluster_name(other, *out), name))
			return true;
	*out = cluster;
	return !name.len || !other->nclusters;
}

const struct store *graph_store(const struct graph *g)
{
	return g->store;
}

struct handle graph_same_object(const struct graph *g, struct handle h, const struct graph *other)
{
	struct object_id id = { .name = STR_NONE };

	if (!h.slot || !store_knows(g->store, h))
		return HANDLE_NONE;
	id = store_node_id(g->store, h.slot);
	if (store_kinds(g->store) != store_kinds(other->store))
		id.kind = kinds_find(store_kinds(other->store), id.kind->group, id.kind->kind);
	return id.kind && same_cluster(g, id.cluster, other, &id.cluster) ? store_find(other->store, &id) : HANDLE_NONE;
}

const struct kind *graph_kind(const struct graph *g, uint32_t slot)
{
	return store_node_kind(g->store, slot);
}

struct id graph_id(const struct graph *g, uint32_t slot)
{
	struct object_id id = store_node_id(g->store, slot);

	return (struct id){ id.kind->group, kind_is_unspecified(id.kind) ? STR("Object") : id.kind->kind, id.ns, id.name,
			    graph_cluster_name(g, id.cluster), store_node_handle(g->store, slot), kind_is_alias(id.kind) };
}

const struct alias_rule *graph_alias(const struct graph *g, const struct kind *kind)
{
	for (const struct family *const *f = g->families; kind_is_alias(kind) && *f; f++)
		for (const struct alias_rule *r = (*f)->aliases; r && r->kind; r++)
			if (str_is(kind->kind, r->kind))
				return r;
	return NULL;
}

/* ---- edges --------------------------------------------------------------- */

bool graph_is_alive(const struct graph *g, uint32_t slot)
{
	return store_node_handle(g->store, slot).slot != 0;
}

/* Finds the object that manages this name. */
static uint32_t find_owner(const struct graph *g, uint32_t alias, uint32_t not_this)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, alias, &n);

	for (size_t i = 0; i < n; i++) {
		if (in[i] == not_this)
			continue;
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge_ends(g->store, in[i], k);

			if (e.target == alias && e.relation == RELATION_MANAGES)
				return in[i];
		}
	}
	return alias;
}

/*
 * Finds an object of that name for a reference without a kind: one of the same family, the group with the shortest name
 * first.
 */
static uint32_t unspecified_target(const struct graph *g, uint32_t from, uint32_t name)
{
	struct object_id id = store_node_id(g->store, name);
	const struct family *family = store_meta(g->store, store_node_handle(g->store, from)).family;
	size_t n;
	const uint32_t *slots = store_in_namespace(g->store, id.cluster, id.ns, &n);
	uint32_t best = name;

	for (size_t i = 0; i < n; i++) {
		struct object_id other = store_node_id(g->store, slots[i]);

		if (slots[i] == from || !str_eq(other.name, id.name) ||
		    !family_same(store_meta(g->store, store_node_handle(g->store, slots[i])).family, family))
			continue;
		if (best == name || str_starts(other.kind->group, "resources."))
			best = slots[i];
	}
	return best;
}

/* Many objects refer to one name: it is looked for once, until who manages it may be another one. */
static uint32_t alias_owner(const struct graph *g, uint32_t alias, uint32_t not_this)
{
	uint32_t owner;

	if (alias >= g->nnodes)
		return find_owner(g, alias, not_this);
	if (!g->nodes[alias].owner)
		g->nodes[alias].owner = find_owner(g, alias, 0) + 1;
	owner = g->nodes[alias].owner - 1;
	return owner == not_this ? find_owner(g, alias, not_this) : owner;
}

void graph_forget_owners(struct graph *g, uint32_t slot)
{
	g->nodes[slot].owner = 0;
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);

		/* who merely refers to a name changes nothing: thousands of pods may carry one label */
		if (e.relation == RELATION_MANAGES || g->nodes[e.target].owner == slot + 1)
			g->nodes[e.target].owner = 0;
	}
}

uint32_t graph_resolve(const struct graph *g, uint32_t from, const struct edge *e)
{
	const struct kind *kind = store_node_id(g->store, e->target).kind;

	if (kind_is_alias(kind) && e->relation != RELATION_MANAGES)
		return alias_owner(g, e->target, from);
	if (kind_is_unspecified(kind))
		return unspecified_target(g, from, e->target);
	return e->target;
}

int graph_compare_names(const struct graph *g, uint32_t x, uint32_t y)
{
	struct object_id a = store_node_id(g->store, x), b = store_node_id(g->store, y);
	int c = str_cmp(a.ns, b.ns);

	c = c ? c : str_cmp(a.kind->kind, b.kind->kind);
	c = c ? c : str_cmp(a.name, b.name);
	return c ? c : str_cmp(a.kind->group, b.kind->group);
}

void graph_keep_first(const struct graph *g, uint32_t *slots, size_t *n, size_t cap, uint32_t slot)
{
	size_t at = *n;

	if (at == cap && graph_compare_names(g, slots[at - 1], slot) <= 0)
		return;
	if (at < cap)
		++*n;
	else
		at--;
	for (; at > 0 && graph_compare_names(g, slots[at - 1], slot) > 0; at--)
		slots[at] = slots[at - 1];
	slots[at] = slot;
}

enum presence graph_presence(const struct graph *g, uint32_t slot, unsigned flags)
{
	struct object_id id = store_node_id(g->store, slot);

	if (graph_is_alive(g, slot))
		return PRESENCE_FOUND;
	if (kind_is_alias(id.kind))
		return PRESENCE_UNKNOWN;
	if ((flags & REF_REPORTED_MISSING) || store_name_coverage(g->store, &id) == COVERAGE_COMPLETE)
		return PRESENCE_MISSING;
	/* the group or kind was only guessed, so this proves nothing */
	if (kind_is_unspecified(id.kind) || (flags & REF_ANY_GROUP))
		return PRESENCE_UNKNOWN;
	switch (store_coverage(g->store, id.cluster, id.kind, id.ns)) {
	case COVERAGE_COMPLETE:
		return PRESENCE_MISSING;
	case COVERAGE_PARTIAL:
		return store_kind_count(g->store, id.cluster, id.kind, id.ns) ? PRESENCE_MISSING :
										PRESENCE_UNKNOWN;
	case COVERAGE_NONE:
	case COVERAGE_FORBIDDEN:
		break;
	}
	return PRESENCE_UNKNOWN;
}

bool graph_is_surely_missing(const struct graph *g, uint32_t slot, unsigned flags)
{
	struct object_id id = store_node_id(g->store, slot);

	return (flags & REF_REPORTED_MISSING) || store_name_coverage(g->store, &id) == COVERAGE_COMPLETE ||
	       store_coverage(g->store, id.cluster, id.kind, id.ns) == COVERAGE_COMPLETE;
}

void graph_uses_beyond(struct graph *g, uint32_t slot)
{
	g->nodes[slot].uses_beyond = true;
	g->any_beyond = true;
}

/* ---- its verdict ---------------------------------------------------------- */

const struct health *graph_health(const struct graph *g, struct handle h)
{
	return store_alive(g->store, h) && h.slot < g->nnodes ? g->nodes[h.slot].health : NULL;
}

struct health_wait graph_wait(const struct graph *g, uint32_t slot, size_t i)
{
	const struct health *d = g->nodes[slot].health;
	const struct kept_wait *k = &d->waits[i];
	struct health_wait w = { .target = k->target, .state = (enum wait_state)k->state, .blocks = k->blocks };

	assert(i < d->nwaits);
	if (!k->by_edge) {
		const struct wait_texts *t = &d->texts[k->at];

		w.via = t->via;
		w.message = t->message;
		w.kind = t->kind;
		w.name = t->name;
	/* there are fewer edges when the object was put again since the last settle */
	} else if (k->at < store_edge_count(g->store, slot)) {
		struct edge e = store_edge(g->store, slot, k->at);

		w.via = e.via;
		w.message = e.message;
	}
	return w;
}

bool graph_refers(const struct graph *g, uint32_t from, uint32_t to, enum relation relation)
{
	for (size_t i = 0; i < store_edge_count(g->store, from); i++) {
		struct edge e = store_edge_ends(g->store, from, i);

		if (e.target == to && e.relation == relation)
			return true;
	}
	return false;
}

enum phase graph_phase(const struct graph *g, uint32_t slot)
{
	struct handle h = store_node_handle(g->store, slot);
	const struct health *d = graph_health(g, h);

	return d ? d->phase : store_phase(g->store, h);
}

enum severity graph_severity(const struct graph *g, uint32_t slot)
{
	struct handle h = store_node_handle(g->store, slot);
	const struct health *d = graph_health(g, h);

	return d ? d->severity : store_severity(g->store, h);
}

struct status graph_status(const struct graph *g, uint32_t slot, struct arena *arena)
{
	struct handle h = store_node_handle(g->store, slot);
	struct status st = arena ? store_status(g->store, h, arena) : store_brief(g->store, h);
	const struct health *d = graph_health(g, h);
	struct str *flags;

	if (!d)
		return st;
	st.phase = d->phase;
	st.severity = d->severity;
	st.operator_phase = d->operator_phase;
	st.reason = d->reason;
	st.message = d->message;
	if (!str_eq(st.rule, d->rule))
		st.row = STR_NONE;
	st.rule = d->rule;
	st.since = d->since;
	st.ever_ready |= g->nodes[slot].was_ready;
	st.version_from = d->version_from;
	st.version_to = d->version_to;
	if (!arena || d->nflags == 0)
		return st;
	flags = arena_array(arena, (size_t)st.nflags + d->nflags, sizeof(*flags));
	if (st.nflags)
		memcpy(flags, st.flags, st.nflags * sizeof(*flags));
	memcpy(flags + st.nflags, d->flags, d->nflags * sizeof(*flags));
	st.flags = flags;
	st.nflags = (uint16_t)(st.nflags + d->nflags);
	return st;
}

void graph_note_before(struct graph *g, uint32_t slot)
{
	struct graph_node *n = &g->nodes[slot];

	if (!g->undo || n->noted)
		return;
	g->before = xgrow(g->before, g->nbefore, &g->before_cap, sizeof(*g->before));
	g->before[g->nbefore++] = (struct node_before){ slot, *n };
	n->noted = true;
	if (n->health)
		n->health->before = true;
}

uint32_t graph_controller(const struct store *store, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(store, slot); i++) {
		struct edge e = store_edge_ends(store, slot, i);

		if (e.relation == RELATION_OWNS && e.flags & REF_CONTROLLER)
			return e.target;
	}
	return 0;
}
