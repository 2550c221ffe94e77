/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps phase 2 up to date: an event costs what it touches, not the cluster. */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Neighbours that keep changing each other's verdict are left as they are after so many turns. */
#define VISITS 32

struct graph *graph_new(struct store *store, const struct family *const *families)
{
	struct graph *g = xcalloc(1, sizeof(*g));

	g->store = store;
	g->families = families;
	return g;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	for (uint32_t i = 0; i < g->nslots; i++)
		xfree(g->by_slot[i]);
	for (struct map_entry *e = map_next(&g->cluster_names, NULL); e; e = map_next(&g->cluster_names, e))
		xfree(map_value(e));
	map_release(&g->cluster_names);
	map_release(&g->awaited);
	pace_forget(g);
	arena_release(&g->arena);
	arena_release(&g->roots_arena);
	xfree(g->by_slot);
	xfree(g->owners);
	xfree(g->queued);
	xfree(g->far);
	xfree(g->far_seen);
	xfree(g->asks);
	xfree(g->served);
	xfree(g->serves);
	xfree(g->visits);
	xfree(g->queue);
	xfree(g->changed);
	xfree(g);
}

static struct str cluster_key(uint16_t cluster, char *out, size_t size)
{
	snprintf(out, size, "%u", cluster);
	return str_of(out);
}

void graph_name_cluster(struct graph *g, uint16_t cluster, struct str name)
{
	char key[8];

	xfree(map_set(&g->cluster_names, cluster_key(cluster, key, sizeof(key)), xstrndup(name.ptr, name.len)));
}

bool kind_is_alias(const struct kind *kind)
{
	return kind->flags & KIND_ALIAS;
}

bool kind_is_untold(const struct kind *kind)
{
	return kind->group.len == 0 && str_is(kind->kind, "?");
}

struct id graph_id(const struct graph *g, uint32_t slot)
{
	struct object_id id = store_node_id(g->store, slot);
	char key[8];

	return (struct id){ id.kind->group, kind_is_untold(id.kind) ? STR("Object") : id.kind->kind, id.ns, id.name,
			    str_of(map_get(&g->cluster_names, cluster_key(id.cluster, key, sizeof(key)))),
			    store_node_handle(g->store, slot), kind_is_alias(id.kind) };
}

/* ---- edges --------------------------------------------------------------- */

static bool is_alive(const struct graph *g, uint32_t slot)
{
	return store_node_handle(g->store, slot).slot != 0;
}

/* The object that says "this name is mine". */
static uint32_t find_owner(const struct graph *g, uint32_t alias, uint32_t not_this)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, alias, &n);

	for (size_t i = 0; i < n; i++) {
		if (in[i] == not_this)
			continue;
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);

			if (e.target == alias && e.relation == RELATION_MANAGES)
				return in[i];
		}
	}
	return alias;
}

/* An object of that name whose kind nobody told: of the same family, the outermost group first. */
static uint32_t untold_target(const struct graph *g, uint32_t from, uint32_t name)
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

/* Many refer to one name: it is looked for once, until somebody comes or goes. */
static uint32_t alias_owner(const struct graph *g, uint32_t alias, uint32_t not_this)
{
	uint32_t owner;

	if (alias >= g->nslots)
		return find_owner(g, alias, not_this);
	if (!g->owners[alias])
		g->owners[alias] = find_owner(g, alias, 0) + 1;
	owner = g->owners[alias] - 1;
	return owner == not_this ? find_owner(g, alias, not_this) : owner;
}

static void forget_owners(struct graph *g, uint32_t slot)
{
	g->owners[slot] = 0;
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++)
		g->owners[store_edge(g->store, slot, i).target] = 0;
}

uint32_t graph_resolve(const struct graph *g, uint32_t from, const struct edge *e)
{
	const struct kind *kind = store_node_id(g->store, e->target).kind;

	if (kind_is_alias(kind) && e->relation != RELATION_MANAGES)
		return alias_owner(g, e->target, from);
	if (kind_is_untold(kind))
		return untold_target(g, from, e->target);
	return e->target;
}

enum presence graph_presence(const struct graph *g, uint32_t slot, unsigned flags)
{
	struct object_id id = store_node_id(g->store, slot);

	if (is_alive(g, slot))
		return PRESENCE_FOUND;
	if (kind_is_alias(id.kind))
		return PRESENCE_UNKNOWN;
	if ((flags & REF_SAYS_MISSING) || store_name_coverage(g->store, &id) == COVERAGE_COMPLETE)
		return PRESENCE_MISSING;
	/* a kind or a group that was guessed proves nothing */
	if (kind_is_untold(id.kind) || (flags & REF_ANY_GROUP))
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

/* ---- the queue ----------------------------------------------------------- */

static void grow(struct graph *g)
{
	uint32_t n = store_slots(g->store);

	if (n <= g->nslots)
		return;
	n += n / 2;
	g->by_slot = xreallocarray(g->by_slot, n, sizeof(*g->by_slot));
	g->owners = xreallocarray(g->owners, n, sizeof(*g->owners));
	memset(g->owners + g->nslots, 0, (n - g->nslots) * sizeof(*g->owners));
	g->queued = xreallocarray(g->queued, n, sizeof(*g->queued));
	g->far = xreallocarray(g->far, n, sizeof(*g->far));
	g->asks = xreallocarray(g->asks, n, sizeof(*g->asks));
	memset(g->asks + g->nslots, 0, (n - g->nslots) * sizeof(*g->asks));
	g->served = xreallocarray(g->served, n, sizeof(*g->served));
	memset(g->served + g->nslots, 0, (n - g->nslots) * sizeof(*g->served));
	g->serves = xreallocarray(g->serves, n, sizeof(*g->serves));
	memset(g->serves + g->nslots, 0, (n - g->nslots) * sizeof(*g->serves));
	g->far_seen = xreallocarray(g->far_seen, n, sizeof(*g->far_seen));
	memset(g->far_seen + g->nslots, 0, (n - g->nslots) * sizeof(*g->far_seen));
	g->visits = xreallocarray(g->visits, n, sizeof(*g->visits));
	memset(g->far + g->nslots, 0, (n - g->nslots) * sizeof(*g->far));
	memset(g->by_slot + g->nslots, 0, (n - g->nslots) * sizeof(*g->by_slot));
	memset(g->queued + g->nslots, 0, (n - g->nslots) * sizeof(*g->queued));
	memset(g->visits + g->nslots, 0, (n - g->nslots) * sizeof(*g->visits));
	g->nslots = n;
}

static void enqueue(struct graph *g, uint32_t slot)
{
	if (g->queued[slot] || g->visits[slot] >= VISITS)
		return;
	if (g->nqueue == g->queue_cap) {
		g->queue_cap = g->queue_cap ? g->queue_cap * 2 : 256;
		g->queue = xreallocarray(g->queue, g->queue_cap, sizeof(*g->queue));
	}
	g->queued[slot] = 1;
	g->queue[g->nqueue++] = slot;
}

static void visit_referrers(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot))
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);

	for (size_t i = 0; i < n; i++)
		visit(g, in[i]);
}

/* Those who named it without telling its kind, and those who look into its namespace. */
static void visit_indirect(struct graph *g, const struct object_id *id, void (*visit)(struct graph *g, uint32_t slot))
{
	struct kinds *kinds = store_kinds(g->store);
	struct object_id untold = { id->cluster, kinds_put(kinds, STR_NONE, STR("?")), id->ns, id->name };
	struct object_id home = { id->cluster, kinds_put(kinds, STR_NONE, STR("Namespace")), STR_NONE, id->ns };
	uint32_t slot = store_find_node(g->store, &untold);
	size_t n = 0;
	const uint32_t *in;

	if (slot)
		visit_referrers(g, slot, visit);
	slot = id->ns.len ? store_find_node(g->store, &home) : 0;
	in = slot ? store_referrers(g->store, slot, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);

			if (e.target == slot && (e.flags & REF_CONTENTS))
				visit(g, in[i]);
		}
}

/* One step away, in both directions, also by an alias or without a kind. */
static void visit_around(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot))
{
	struct object_id id = store_node_id(g->store, slot);

	visit_referrers(g, slot, visit);
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		/* whose it is; the others do not look at each other */
		if (e.relation == RELATION_MANAGES && kind_is_alias(store_node_id(g->store, e.target).kind))
			visit_referrers(g, e.target, visit);
		visit(g, graph_resolve(g, slot, &e));
	}
	visit_indirect(g, &id, visit);
}

void graph_note_far(struct graph *g, uint32_t slot)
{
	g->far[slot] = 1;
	g->any_far = true;
}

static void enqueue_if_far(struct graph *g, uint32_t slot)
{
	if (g->far[slot])
		enqueue(g, slot);
}

/*
 * Those around a neighbour who looked beyond it.  They are queued until one of
 * them is judged: before that, looking again would find nothing new.
 */
static void enqueue_far(struct graph *g, uint32_t neighbour)
{
	if (g->far_seen[neighbour] == g->round)
		return;
	g->far_seen[neighbour] = g->round;
	visit_around(g, neighbour, enqueue_if_far);
}

/* Everybody whose verdict may look at this object. */
static void enqueue_around(struct graph *g, uint32_t slot)
{
	uint32_t definition;

	visit_around(g, slot, enqueue);
	if (g->any_far)
		visit_around(g, slot, enqueue_far);
	definition = control_waiting_definition(g, slot);
	if (definition)
		enqueue(g, definition);
}

/* ---- one object ---------------------------------------------------------- */

static struct health undisturbed(const struct graph *g, uint32_t slot)
{
	struct status st = store_brief(g->store, store_node_handle(g->store, slot));

	return (struct health){ st.phase, st.severity, st.operator_phase, st.reason, st.message, st.rule,
				 st.version_from, st.version_to, st.since, 0, NULL, NULL, 0, 0 };
}

struct status graph_status(const struct graph *g, uint32_t slot, struct arena *arena)
{
	struct handle h = store_node_handle(g->store, slot);
	struct status st = arena ? store_status(g->store, h, arena) : store_brief(g->store, h);
	const struct health *d = slot < g->nslots ? g->by_slot[slot] : NULL;
	struct str *flags;

	if (!d || !h.slot)
		return st;
	st.phase = d->phase;
	st.severity = d->severity;
	st.operator_phase = d->operator_phase;
	st.reason = d->reason;
	st.message = d->message;
	st.rule = d->rule;
	st.since = d->since;
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

/* True when the object now looks different. */
static bool judge(struct graph *g, uint32_t slot)
{
	struct health *old = g->by_slot[slot], before, after;
	bool was = old != NULL, alive = is_alive(g, slot), changed;

	if (!alive) {
		roots_forget(g);
		g->by_slot[slot] = NULL;
		xfree(old);
		return was;
	}
	after = assess(g, slot, &g->arena);
	before = old ? *old : undisturbed(g, slot);
	changed = !health_same(&before, &after);
	if (after.revisit && (!g->next_revisit || after.revisit < g->next_revisit))
		g->next_revisit = after.revisit;
	if (changed || (old && old->revisit != after.revisit) || (!old && after.revisit)) {
		struct health plain = undisturbed(g, slot);

		roots_forget(g);
		g->by_slot[slot] = after.revisit || !health_same(&plain, &after) ? health_keep(&after) : NULL;
		xfree(old);
	}
	arena_reset(&g->arena);
	return changed;
}

static void note_changed(struct graph *g, uint32_t slot)
{
	if (g->nchanged == g->changed_cap) {
		g->changed_cap = g->changed_cap ? g->changed_cap * 2 : 256;
		g->changed = xreallocarray(g->changed, g->changed_cap, sizeof(*g->changed));
	}
	g->changed[g->nchanged++] = slot;
}

const uint32_t *graph_changed(const struct graph *g, size_t *out_n)
{
	*out_n = g->nchanged;
	return g->changed;
}

static void enqueue_touched(struct graph *g)
{
	size_t n;
	const uint32_t *touched = store_touched(g->store, &n);

	for (size_t i = 0; i < n; i++)
		forget_owners(g, touched[i]);
	for (size_t i = 0; i < n; i++) {
		enqueue(g, touched[i]);
		note_changed(g, touched[i]);
		roots_touch(g, touched[i]);
		g->serving_changed |= control_concerned(g, touched[i]);
	}
	for (size_t i = 0; i < n; i++)
		enqueue_around(g, touched[i]);
	store_touched_clear(g->store);
}

/* Verdicts that lapse without an event. */
static void enqueue_lapsed(struct graph *g)
{
	if (g->next_revisit == 0 || g->now < g->next_revisit)
		return;
	g->next_revisit = 0;
	for (uint32_t slot = 1; slot < g->nslots; slot++) {
		const struct health *d = g->by_slot[slot];

		if (!d || !d->revisit)
			continue;
		if (d->revisit <= g->now)
			enqueue(g, slot);
		else if (!g->next_revisit || d->revisit < g->next_revisit)
			g->next_revisit = d->revisit;
	}
}

void graph_note_asks(struct graph *g, uint32_t slot)
{
	g->asks[slot] |= ASKS_COVERAGE;
}

/* Those who asked for their controllers, once one of these is another. */
static bool enqueue_served(struct graph *g)
{
	if (!g->serving_changed)
		return false;
	g->serving_changed = false;
	for (uint32_t slot = 1; slot < g->nslots; slot++)
		if (g->served[slot])
			enqueue(g, slot);
	return true;
}

static void enqueue_asking(struct graph *g)
{
	if (!store_coverage_changed(g->store))
		return;
	for (uint32_t slot = 1; slot < g->nslots; slot++)
		if (g->asks[slot] & ASKS_COVERAGE)
			enqueue(g, slot);
}

size_t graph_settle(struct graph *g, int64_t now)
{
	size_t head = 0;

	g->now = now;
	g->nchanged = 0;
	g->round++;
	grow(g);
	enqueue_touched(g);
	enqueue_lapsed(g);
	enqueue_asking(g);
	if (g->nqueue)
		pace_forget(g);
	while (head < g->nqueue || (enqueue_served(g) && head < g->nqueue)) {
		uint32_t slot = g->queue[head++];

		g->queued[slot] = 0;
		g->visits[slot]++;
		g->round += g->far[slot];
		if (judge(g, slot)) {
			note_changed(g, slot);
			enqueue_around(g, slot);
			g->serving_changed |= control_concerned(g, slot);
		}
	}
	for (size_t i = 0; i < g->nqueue; i++)
		g->visits[g->queue[i]] = 0;
	g->nqueue = 0;
	return g->nchanged;
}

int64_t graph_next_revisit(const struct graph *g)
{
	return g->next_revisit;
}
