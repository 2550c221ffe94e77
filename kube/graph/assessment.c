/* SPDX-License-Identifier: Apache-2.0 */
/* What a family may look at and change in phase 2 of one object (kube/status/family.h). */
#include "kube/base/limits.h"
#include "kube/graph/assessment.h"
#include "kube/status/labels.h"

/* Returns true for a state that only a person can end, whoever waits for it. */
static bool waits_for_approval(const struct assessment *d, uint32_t target)
{
	const struct health *health = graph_health(d->g, store_node_handle(d->g->store, target));

	for (size_t i = 0; health && i < health->nwaits; i++)
		if (!health->waits[i].target && health->waits[i].state == WAIT_APPROVAL)
			return true;
	return false;
}

void assessment_wait(struct assessment *d, struct health_wait wait)
{
	struct health_wait *waits = d->waits.items, *slot;

	if (wait.target && wait.state == WAIT_NOT_READY && waits_for_approval(d, wait.target))
		wait.state = WAIT_APPROVAL;
	for (size_t i = 0; i < d->waits.n; i++)
		if (wait.target && waits[i].target == wait.target) {
			waits[i].blocks |= wait.blocks;
			if (waits[i].message.len == 0)
				waits[i].message = wait.message;
			return;
		}
	slot = arena_list_add(&d->waits, d->arena, sizeof(wait), ASSESSMENT_WAITS);
	if (slot)
		*slot = wait;
}

const struct status *assess_status(struct assessment *d)
{
	d->shown.phase = d->out.phase;
	d->shown.severity = d->out.severity;
	return &d->shown;
}

struct str assess_reason(const struct assessment *d)
{
	return d->out.reason;
}

struct str assess_message(const struct assessment *d)
{
	return d->out.message;
}

const struct kind *assess_kind(const struct assessment *d)
{
	return d->meta.id.kind;
}

struct str assess_name(const struct assessment *d)
{
	return d->meta.id.name;
}

struct str assess_namespace(const struct assessment *d)
{
	return d->meta.id.ns;
}

struct str assess_target_flags(struct assessment *d)
{
	return graph_target_flags(d->g, graph_id(d->g, d->slot).cluster, READER_HERE, d->arena);
}

int64_t assess_created(const struct assessment *d)
{
	return d->meta.created;
}

int64_t assess_deleting(const struct assessment *d)
{
	return d->meta.deleting;
}

int64_t assess_now(const struct assessment *d)
{
	return d->g->now;
}

struct arena *assess_arena(struct assessment *d)
{
	return d->arena;
}

static struct neighbour neighbour_at(struct assessment *d, uint32_t slot, const struct edge *e)
{
	struct object_id id = store_node_id(d->g->store, slot);
	struct neighbour n = { .slot = slot, .kind = id.kind, .ns = id.ns, .name = id.name };

	if (e) {
		n.relation = e->relation;
		n.flags = e->flags;
		n.via = e->via;
		n.guard = e->guard;
		n.message = e->message;
	}
	n.presence = graph_presence(d->g, slot, n.flags & ~(unsigned)REF_REPORTED_MISSING);
	if (n.presence == PRESENCE_FOUND) {
		struct object_meta meta = store_meta(d->g->store, store_node_handle(d->g->store, slot));

		n.created = meta.created;
		n.deleting = meta.deleting;
		n.status = graph_status(d->g, slot, d->arena);
	}
	return n;
}

static bool target_at(struct assessment *d, uint32_t slot, size_t i, struct neighbour *out)
{
	struct edge e;

	if (i >= store_edge_count(d->g->store, slot))
		return false;
	e = store_edge(d->g->store, slot, i);
	*out = neighbour_at(d, graph_resolve(d->g, slot, &e), &e);
	return true;
}

/* A slot stands once for each reference: its k-th occurrence means its k-th edge to this object. */
static bool referrer_at(struct assessment *d, uint32_t slot, size_t i, struct neighbour *out)
{
	size_t n, before = 0;
	const uint32_t *in = store_referrers(d->g->store, slot, &n);

	if (i >= n)
		return false;
	for (size_t k = i; k-- > 0 && in[k] == in[i];)
		before++;
	*out = neighbour_at(d, in[i], NULL);
	for (size_t k = 0; k < store_edge_count(d->g->store, in[i]); k++) {
		struct edge e;

		if (store_edge_target(d->g->store, in[i], k) == slot && before-- == 0) {
			e = store_edge(d->g->store, in[i], k);
			out->relation = e.relation;
			out->flags = e.flags;
			out->via = e.via;
			out->guard = e.guard;
			out->message = e.message;
			break;
		}
	}
	return true;
}

bool assess_target(struct assessment *d, size_t i, struct neighbour *out)
{
	return target_at(d, d->slot, i, out);
}

bool assess_next_target(struct assessment *d, const char *kind, size_t *at, struct neighbour *out)
{
	for (; *at < store_edge_count(d->g->store, d->slot); ++*at)
		if (str_is(store_node_kind(d->g->store, store_edge_target(d->g->store, d->slot, *at))->kind, kind))
			return target_at(d, d->slot, (*at)++, out);
	return false;
}

bool assess_referrer(struct assessment *d, size_t i, struct neighbour *out)
{
	return referrer_at(d, d->slot, i, out);
}

bool assessment_next_referrer(struct assessment *d, const char *kind, size_t *at, struct neighbour *out)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);

	for (; *at < n; ++*at)
		if (str_is(store_node_kind(d->g->store, in[*at])->kind, kind))
			return referrer_at(d, d->slot, (*at)++, out);
	return false;
}

bool assessment_next_wait(struct assessment *d, size_t *at, struct neighbour *out)
{
	const struct health_wait *waits = d->waits.items;

	for (; *at < d->waits.n; ++*at)
		if (waits[*at].target) {
			*out = neighbour_at(d, waits[(*at)++].target, NULL);
			return true;
		}
	return false;
}

bool assess_find(struct assessment *d, const char *group, const char *kind, struct str ns, struct str name,
		 struct neighbour *out)
{
	const struct kind *k = kinds_find(store_kinds(d->g->store), str_of(group), str_of(kind));
	struct object_id id = { d->meta.id.cluster, k, ns, name };
	uint32_t slot = k ? store_find_node(d->g->store, &id) : 0;

	if (!slot)
		return false;
	*out = neighbour_at(d, slot, NULL);
	return true;
}

bool assess_target_of(struct assessment *d, const struct neighbour *of, size_t i, struct neighbour *out)
{
	graph_uses_beyond(d->g, d->slot);
	return target_at(d, of->slot, i, out);
}

bool assess_referrer_of(struct assessment *d, const struct neighbour *of, size_t i, struct neighbour *out)
{
	graph_uses_beyond(d->g, d->slot);
	return referrer_at(d, of->slot, i, out);
}

bool assess_next_bad_referrer_of(struct assessment *d, const struct neighbour *of, const char *kind, size_t *at, struct neighbour *out)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, of->slot, &n);

	graph_uses_beyond(d->g, d->slot);
	for (; *at < n; ++*at)
		if (str_is(store_node_kind(d->g->store, in[*at])->kind, kind) && phase_is_bad(graph_phase(d->g, in[*at])))
			return referrer_at(d, of->slot, (*at)++, out);
	return false;
}

/* ---- what is found out once for many objects ------------------------------------ */

void *assess_kept(struct assessment *d, struct str key, size_t size)
{
	const uint16_t cluster = d->meta.id.cluster;
	struct str of_cluster = ARENA_JOIN(d->arena, ((struct str){ (const char *)&cluster, sizeof(cluster) }), key);
	void *known = map_get(&d->g->kept, of_cluster);

	graph_uses_beyond(d->g, d->slot);
	if (!known) {
		known = arena_array(&d->g->kept_arena, 1, size);
		map_set(&d->g->kept, of_cluster, known);
	}
	return known;
}

struct str assess_keep(struct assessment *d, struct str text)
{
	return arena_str(&d->g->kept_arena, text);
}

void kept_forget(struct graph *g)
{
	map_release(&g->kept);
	arena_reset(&g->kept_arena);
}

static struct labelled count_labelled(const struct graph *g, uint16_t cluster, struct str label)
{
	enum { MOST = 4000 };	/* objects without a namespace that are looked at */
	struct labelled out = { .known = true };
	size_t n;
	const uint32_t *slots = store_in_namespace(g->store, cluster, STR_NONE, &n);

	for (size_t i = 0; i < n && n <= MOST && g->labels; i++) {
		if (!str_is(store_node_kind(g->store, slots[i])->kind, "Node"))
			continue;
		out.all++;
		out.with += labels_match_at(g->labels, store_node_handle(g->store, slots[i]), INT64_MAX, label);
	}
	return out;
}

struct labelled assess_count_labelled(struct assessment *d, struct str label)
{
	struct labelled *nodes = assess_kept(d, ARENA_JOIN(d->arena, STR("label "), label), sizeof(*nodes));

	d->g->nodes[d->slot].uses_coverage = true;
	if (!nodes->known)
		*nodes = count_labelled(d->g, d->meta.id.cluster, label);
	return *nodes;
}

size_t assess_referrers(const struct assessment *d, const struct neighbour *of)
{
	size_t n;

	store_referrers(d->g->store, of->slot, &n);
	return n;
}

bool assess_content(struct assessment *d, size_t i, struct neighbour *out)
{
	for (size_t k = 0; k < store_edge_count(d->g->store, d->slot); k++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, k);
		const uint32_t *slots;
		size_t n;

		if (!(e.flags & REF_CONTENTS))
			continue;
		slots = store_in_namespace(d->g->store, d->meta.id.cluster,
					   store_node_id(d->g->store, e.target).name, &n);
		if (i < n) {
			*out = neighbour_at(d, slots[i], NULL);
			return true;
		}
		i -= n;
	}
	return false;
}

bool assess_readable(const struct assessment *d, const char *group, const char *kind, struct str ns)
{
	uint16_t cluster = d->meta.id.cluster;
	const struct kind *exact = kinds_find(store_kinds(d->g->store), str_of(group), str_of(kind));
	const struct kind *k = exact ? exact : kinds_find_nocase(store_kinds(d->g->store), str_of(group), str_of(kind));
	enum coverage coverage = k ? store_coverage(d->g->store, cluster, k, ns) : COVERAGE_NONE;

	d->g->nodes[d->slot].uses_coverage = true;
	if (!k)
		return false;
	return coverage == COVERAGE_COMPLETE || store_kind_count(d->g->store, cluster, k, ns) > 0;
}

bool assess_is_unasked(const struct assessment *d, const struct neighbour *n)
{
	struct object_id id = { d->meta.id.cluster, n->kind, n->ns, n->name };

	d->g->nodes[d->slot].uses_coverage = true;
	return store_name_coverage(d->g->store, &id) == COVERAGE_NONE &&
	       store_coverage(d->g->store, id.cluster, n->kind, n->ns) == COVERAGE_NONE;
}

bool assess_is_unread(const struct assessment *d, const char *group, const char *kind, struct str ns)
{
	const struct kind *k = kinds_find(store_kinds(d->g->store), str_of(group), str_of(kind));

	d->g->nodes[d->slot].uses_coverage = true;
	return k && (k->flags & KIND_DISCOVERED) && store_coverage(d->g->store, d->meta.id.cluster, k, ns) == COVERAGE_NONE;
}

void assess_wants_events(struct assessment *d)
{
	d->g->nodes[d->slot].wants_events = true;
}

void assess_set(struct assessment *d, enum phase phase, enum severity severity, struct str reason, struct str message)
{
	d->by_time &= phase == d->out.phase;
	/* the family has concluded Ready after all, so the waits for parts do not matter */
	if (phase == PHASE_READY && d->out.phase != PHASE_READY)
		d->waits.n = 0;
	d->out.phase = phase;
	d->out.severity = severity;
	d->out.reason = reason;
	d->out.message = message;
}

void assess_tell(struct assessment *d, struct str reason, struct str message)
{
	d->out.reason = reason;
	d->out.message = message;
}

void assess_word(struct assessment *d, struct str operator_phase)
{
	d->out.operator_phase = operator_phase;
}

void assess_rule(struct assessment *d, struct str rule)
{
	d->out.rule = rule;
}

void assess_row(struct assessment *d, const char *name)
{
	d->out.row = name;
}

void assess_since(struct assessment *d, int64_t since)
{
	d->out.since = since;
}

void assess_by_time(struct assessment *d)
{
	d->by_time = true;
}

void assess_version(struct assessment *d, struct str from, struct str to)
{
	d->out.version_from = from;
	d->out.version_to = to;
}

void assess_flag(struct assessment *d, const char *flag)
{
	struct str *slot = arena_list_add(&d->flags, d->arena, sizeof(*slot), LIMIT_CONDITIONS);

	if (slot)
		*slot = arena_str(d->arena, str_of(flag));
}

void assess_because(struct assessment *d, struct str what, struct str message, struct str from)
{
	struct because *slot = arena_list_add(&d->because, d->arena, sizeof(*slot), LIMIT_BECAUSE);

	if (slot)
		*slot = (struct because){ what, message, from, BECAUSE_AGREES };
}

void assess_revisit(struct assessment *d, int64_t when)
{
	if (when > d->g->now && (d->out.revisit == 0 || when < d->out.revisit))
		d->out.revisit = when;
}

bool assess_waits(const struct assessment *d)
{
	return d->waits.n > 0;
}

void assess_wait(struct assessment *d, const struct neighbour *on, enum wait_state state, struct str message)
{
	assessment_wait(d, (struct health_wait){ .target = on->slot, .state = state, .via = on->via,
					   .message = message, .blocks = true });
}

void assess_wait_for(struct assessment *d, const struct neighbour *on)
{
	assess_wait(d, on, on->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY, on->status.message);
}

void assess_drop_wait(struct assessment *d, const struct neighbour *on)
{
	struct health_wait *waits = d->waits.items;
	uint16_t n = d->waits.n, kept = 0;
	bool blocks = false;

	for (uint16_t i = 0; i < n; i++)
		if (waits[i].target != on->slot) {
			blocks |= waits[i].blocks;
			waits[kept++] = waits[i];
		}
	d->waits.n = kept;
	if (kept == n || blocks || d->out.phase != PHASE_WAITING)
		return;
	assess_set(d, d->own.phase, d->own.severity, d->own.reason, d->own.message);
}

void assess_wait_external(struct assessment *d, struct external_wait w)
{
	assessment_wait(d, (struct health_wait){ .state = w.state, .via = w.via, .message = w.message,
					   .kind = w.kind, .name = w.name, .blocks = true });
}
