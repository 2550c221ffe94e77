/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 of one object: the common rules, then its family's own. */
#include "kube/base/limits.h"
#include "kube/status/graph_private.h"
#include "kube/status/thresholds.h"

/* Waits listed of one object; ten thousand pods of one owner are one problem. */
#define WAITS 64

/* ---- waits --------------------------------------------------------------- */

static bool is_serving(enum phase phase)
{
	return phase == PHASE_READY || phase == PHASE_DEGRADED || phase == PHASE_UPDATING ||
	       phase == PHASE_SCALING || phase == PHASE_MAINTENANCE || phase == PHASE_SUSPENDED;
}

static void add_wait(struct derivation *d, struct derived_wait wait)
{
	struct derived_wait *waits = d->waits.items, *slot;

	for (size_t i = 0; i < d->waits.n; i++)
		if (wait.target && waits[i].target == wait.target) {
			waits[i].blocks |= wait.blocks;
			if (waits[i].message.len == 0)
				waits[i].message = wait.message;
			return;
		}
	slot = list_add(&d->waits, d->arena, sizeof(wait), WAITS);
	if (slot)
		*slot = wait;
}

/*
 * How the other end is by itself.  That it waits as well counts only for what
 * was on its way alone: else two who serve could keep each other waiting.
 */
static enum phase phase_of(const struct derivation *d, uint32_t target)
{
	enum phase phase = graph_status(d->g, target, NULL).phase;
	enum phase own;

	if (phase != PHASE_WAITING)
		return phase;
	own = store_brief(d->g->store, store_node_handle(d->g->store, target)).phase;
	return own == PHASE_UPDATING ? own : phase;
}

/* What stands in the way at the other end; WAIT_NONE: nothing does. */
static enum wait_state state_of(const struct derivation *d, uint32_t target, unsigned flags)
{
	enum presence presence = graph_presence(d->g, target, flags);
	bool named = flags & REF_NAMED;
	enum phase phase;

	if (presence == PRESENCE_MISSING)
		return WAIT_MISSING;
	if (presence == PRESENCE_UNKNOWN)
		return named ? WAIT_NOT_READY : WAIT_NONE;
	phase = phase_of(d, target);
	if (phase == PHASE_DELETING)
		return (flags & REF_EXISTS) && !named ? WAIT_NONE : WAIT_DELETING;
	if (flags & REF_EXISTS)
		return WAIT_NONE;
	if (phase == PHASE_FAILED)
		return WAIT_FAILED;
	if (phase == PHASE_UNKNOWN)
		return named ? WAIT_NOT_READY : WAIT_NONE;
	if (named)
		return phase == PHASE_READY ? WAIT_NONE : WAIT_NOT_READY;
	return is_serving(phase) ? WAIT_NONE : WAIT_NOT_READY;
}

static bool at_goal(enum phase phase)
{
	return phase == PHASE_READY || phase == PHASE_SUSPENDED;
}

/* Does the edge matter while the object is in that phase? */
static bool edge_blocks(const struct edge *e, enum phase phase)
{
	if (e->relation == RELATION_OWNS || e->relation == RELATION_GUARDS)
		return false;
	if (e->flags & REF_NAMED)
		return !at_goal(phase);
	return (e->flags & REF_BLOCKS) && (!at_goal(phase) || (e->flags & REF_ALWAYS)) &&
	       phase != PHASE_DELETING;
}

static void waits_for_references(struct derivation *d)
{
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge(d->g->store, d->slot, i);
		uint32_t target = graph_resolve(d->g, d->slot, &e);
		enum wait_state state;

		if (target == d->slot || !edge_blocks(&e, d->own.phase))
			continue;
		state = state_of(d, target, e.flags);
		if (state != WAIT_NONE)
			add_wait(d, (struct derived_wait){ .target = target, .state = state, .via = e.via,
							   .message = e.message, .blocks = true });
	}
}

/* A part that waits for its whole is no reason for the whole to wait. */
static bool part_waits_for(const struct derivation *d, uint32_t part)
{
	for (size_t i = 0; i < store_edge_count(d->g->store, part); i++) {
		struct edge e = store_edge(d->g->store, part, i);

		if ((e.flags & (REF_BLOCKS | REF_NAMED)) && graph_resolve(d->g, part, &e) == d->slot)
			return true;
	}
	return false;
}

static void wait_for_part(struct derivation *d, uint32_t part, struct str via)
{
	struct status st;

	if (!store_node_handle(d->g->store, part).slot || part_waits_for(d, part))
		return;
	st = graph_status(d->g, part, NULL);
	if (st.phase == PHASE_READY || st.phase == PHASE_SUSPENDED || st.phase == PHASE_UNKNOWN)
		return;
	add_wait(d, (struct derived_wait){
		.target = part,
		.state = st.phase == PHASE_FAILED   ? WAIT_FAILED :
			 st.phase == PHASE_DELETING ? WAIT_DELETING :
						      WAIT_NOT_READY,
		.via = via,
		.message = st.message,
	});
}

/* Somebody who is not well is shown with those of its parts that are not. */
static void waits_for_parts(struct derivation *d)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);

	if (at_goal(d->own.phase) || d->own.phase == PHASE_DELETING)
		return;
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge(d->g->store, d->slot, i);

		if (e.relation == RELATION_MANAGES && !kind_is_alias(store_node_id(d->g->store, e.target).kind))
			wait_for_part(d, graph_resolve(d->g, d->slot, &e), e.via);
	}
	for (size_t i = 0; i < n && d->waits.n < WAITS; i++)
		for (size_t k = 0; k < store_edge_count(d->g->store, in[i]); k++) {
			struct edge e = store_edge(d->g->store, in[i], k);

			if (e.target == d->slot && e.relation == RELATION_OWNS)
				wait_for_part(d, in[i], e.via);
		}
}

static void waits_external(struct derivation *d)
{
	for (size_t i = 0; i < d->own.nexternal; i++) {
		const struct external_wait *w = &d->own.external[i];

		add_wait(d, (struct derived_wait){ .state = w->state, .via = w->via, .message = w->message,
						   .kind = w->kind, .name = w->name, .blocks = true });
	}
}

/* ---- deletion ------------------------------------------------------------ */

static void waits_of_deletion(struct derivation *d)
{
	struct deletion del = graph_deletion(d->g, d->slot, d->arena);

	graph_note_asks(d->g, d->slot);
	for (size_t i = 0; i < del.nblocked_by; i++) {
		uint32_t other = del.blocked_by[i].handle.slot;
		bool going = other && graph_status(d->g, other, NULL).phase == PHASE_DELETING;

		add_wait(d, (struct derived_wait){ .target = other,
						   .state = going ? WAIT_DELETING : WAIT_FINALIZER,
						   .via = STR("metadata.finalizers"),
						   .message = STR("still refers to it") });
	}
	for (size_t i = 0; i < del.nfinalizers; i++)
		if (str_is(del.finalizers[i].state, "stuck"))
			add_wait(d, (struct derived_wait){ .state = WAIT_FINALIZER, .kind = STR("Finalizer"),
							   .name = del.finalizers[i].name,
							   .via = STR("metadata.finalizers"),
							   .message = STR("nobody takes it off") });
	derive_revisit(d, del.since + GUARD_GRACE);
	derive_revisit(d, del.since + OVERDUE);
	if (d->out.message.len || d->own.nfinalizers == 0)
		return;
	d->out.message = STR("held by ");
	for (size_t i = 0; i < d->own.nfinalizers; i++)
		d->out.message = arena_printf(d->arena, STR_FMT "%s" STR_FMT, STR_ARG(d->out.message),
					      i ? ", " : "", STR_ARG(d->own.finalizers[i]));
}

/* ---- the common rules ---------------------------------------------------- */

static bool may_wait(const struct derivation *d)
{
	enum phase phase = d->out.phase;

	if (str_is(str_of(d->meta.family->name), "appcat"))
		return false;	/* its eight phases have no such word */
	return phase == PHASE_PROVISIONING || phase == PHASE_UPDATING ||
	       (phase == PHASE_UNKNOWN && d->own.nconditions == 0);
}

static void become_waiting(struct derivation *d)
{
	const struct derived_wait *waits = d->waits.items;

	for (size_t i = 0; i < d->waits.n; i++) {
		if (!waits[i].blocks || !may_wait(d))
			continue;
		d->out.phase = PHASE_WAITING;
		if (d->out.severity == SEVERITY_NONE)
			d->out.severity = SEVERITY_INFO;
		if (d->out.message.len == 0)
			d->out.message = waits[i].message;
		return;
	}
}

/* What takes too long is a warning; until then, when to look again. */
static void lose_patience(struct derivation *d)
{
	struct derived *o = &d->out;
	bool person = o->phase == PHASE_SUSPENDED && o->severity == SEVERITY_INFO;
	bool waits = phase_under_way(o->phase) || o->phase == PHASE_DELETING || person;
	/* Before it was ready for the first time it has been on its way since it was made. */
	bool first = o->phase == PHASE_PROVISIONING || o->phase == PHASE_WAITING || o->phase == PHASE_UNKNOWN;
	int64_t from = waits && o->since ? o->since : first ? d->meta.created : 0;
	int64_t limit = waits ? OVERDUE : YOUNG;

	if ((!waits && o->phase != PHASE_UNKNOWN) || from == 0 || o->severity >= SEVERITY_WARNING)
		return;
	if (d->g->now - from >= limit)
		o->severity = SEVERITY_WARNING;
	else
		derive_revisit(d, from + limit);
}

struct derived derive(struct graph *g, uint32_t slot, struct arena *arena)
{
	struct handle h = store_node_handle(g->store, slot);
	struct derivation d = { .g = g, .slot = slot, .arena = arena, .meta = store_meta(g->store, h) };

	d.own = store_status(g->store, h, arena);
	d.out = (struct derived){ d.own.phase, d.own.severity, d.own.operator_phase, d.own.reason,
				  d.own.message, d.own.rule, d.own.version_from, d.own.version_to,
				  d.own.since, 0, NULL, NULL, 0, 0 };
	waits_for_references(&d);
	waits_external(&d);
	waits_for_parts(&d);
	if (d.own.phase == PHASE_DELETING)
		waits_of_deletion(&d);
	become_waiting(&d);
	if (d.meta.family->derive)
		d.meta.family->derive(&d);
	lose_patience(&d);
	d.out.waits = d.waits.items;
	d.out.nwaits = d.waits.n;
	d.out.flags = d.flags.items;
	d.out.nflags = d.flags.n;
	return d.out;
}

/* ---- for families -------------------------------------------------------- */

const struct status *derive_status(const struct derivation *d)
{
	struct derivation *mutable = (struct derivation *)(uintptr_t)d;

	mutable->own.phase = d->out.phase;
	mutable->own.severity = d->out.severity;
	return &d->own;
}

const struct kind *derive_kind(const struct derivation *d)
{
	return d->meta.id.kind;
}

struct str derive_name(const struct derivation *d)
{
	return d->meta.id.name;
}

struct str derive_namespace(const struct derivation *d)
{
	return d->meta.id.ns;
}

int64_t derive_created(const struct derivation *d)
{
	return d->meta.created;
}

int64_t derive_deleting(const struct derivation *d)
{
	return d->meta.deleting;
}

int64_t derive_now(const struct derivation *d)
{
	return d->g->now;
}

struct arena *derive_arena(struct derivation *d)
{
	return d->arena;
}

static struct neighbour neighbour_at(struct derivation *d, uint32_t slot, const struct edge *e)
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
	n.presence = graph_presence(d->g, slot, n.flags & ~(unsigned)REF_SAYS_MISSING);
	if (n.presence == PRESENCE_FOUND) {
		struct object_meta meta = store_meta(d->g->store, store_node_handle(d->g->store, slot));

		n.created = meta.created;
		n.deleting = meta.deleting;
		n.status = graph_status(d->g, slot, d->arena);
	}
	return n;
}

static bool target_at(struct derivation *d, uint32_t slot, size_t i, struct neighbour *out)
{
	struct edge e;

	if (i >= store_edge_count(d->g->store, slot))
		return false;
	e = store_edge(d->g->store, slot, i);
	*out = neighbour_at(d, graph_resolve(d->g, slot, &e), &e);
	return true;
}

/* A slot stands once per reference: the k-th time it means its k-th edge to here. */
static bool referrer_at(struct derivation *d, uint32_t slot, size_t i, struct neighbour *out)
{
	size_t n, before = 0;
	const uint32_t *in = store_referrers(d->g->store, slot, &n);

	if (i >= n)
		return false;
	for (size_t k = i; k-- > 0 && in[k] == in[i];)
		before++;
	*out = neighbour_at(d, in[i], NULL);
	for (size_t k = 0; k < store_edge_count(d->g->store, in[i]); k++) {
		struct edge e = store_edge(d->g->store, in[i], k);

		if (e.target == slot && before-- == 0) {
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

bool derive_target(struct derivation *d, size_t i, struct neighbour *out)
{
	return target_at(d, d->slot, i, out);
}

bool derive_referrer(struct derivation *d, size_t i, struct neighbour *out)
{
	return referrer_at(d, d->slot, i, out);
}

bool derive_find(struct derivation *d, const char *group, const char *kind, struct str ns, struct str name,
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

bool derive_target_of(struct derivation *d, const struct neighbour *of, size_t i, struct neighbour *out)
{
	graph_note_far(d->g, d->slot);
	return target_at(d, of->slot, i, out);
}

bool derive_referrer_of(struct derivation *d, const struct neighbour *of, size_t i, struct neighbour *out)
{
	graph_note_far(d->g, d->slot);
	return referrer_at(d, of->slot, i, out);
}

bool derive_content(struct derivation *d, size_t i, struct neighbour *out)
{
	for (size_t k = 0; k < store_edge_count(d->g->store, d->slot); k++) {
		struct edge e = store_edge(d->g->store, d->slot, k);
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

bool derive_readable(const struct derivation *d, const char *group, const char *kind, struct str ns)
{
	uint16_t cluster = d->meta.id.cluster;
	const struct kind *k = kinds_find(store_kinds(d->g->store), str_of(group), str_of(kind));
	enum coverage coverage = k ? store_coverage(d->g->store, cluster, k, ns) : COVERAGE_NONE;

	graph_note_asks(d->g, d->slot);
	if (!k)
		return false;
	return coverage == COVERAGE_COMPLETE || store_kind_count(d->g->store, cluster, k, ns) > 0;
}

void derive_set(struct derivation *d, enum phase phase, enum severity severity, struct str reason, struct str message)
{
	d->out.phase = phase;
	d->out.severity = severity;
	d->out.reason = reason;
	d->out.message = message;
}

void derive_word(struct derivation *d, struct str operator_phase)
{
	d->out.operator_phase = operator_phase;
}

void derive_rule(struct derivation *d, struct str rule)
{
	d->out.rule = rule;
}

void derive_since(struct derivation *d, int64_t since)
{
	d->out.since = since;
}

void derive_version(struct derivation *d, struct str from, struct str to)
{
	d->out.version_from = from;
	d->out.version_to = to;
}

void derive_flag(struct derivation *d, const char *flag)
{
	struct str *slot = list_add(&d->flags, d->arena, sizeof(*slot), LIMIT_CONDITIONS);

	if (slot)
		*slot = arena_str(d->arena, str_of(flag));
}

void derive_revisit(struct derivation *d, int64_t when)
{
	if (when > d->g->now && (d->out.revisit == 0 || when < d->out.revisit))
		d->out.revisit = when;
}

void derive_wait(struct derivation *d, const struct neighbour *on, enum wait_state state, struct str message)
{
	add_wait(d, (struct derived_wait){ .target = on->slot, .state = state, .via = on->via,
					   .message = message, .blocks = true });
}

void derive_wait_external(struct derivation *d, struct external_wait w)
{
	add_wait(d, (struct derived_wait){ .state = w.state, .via = w.via, .message = w.message,
					   .kind = w.kind, .name = w.name, .blocks = true });
}
