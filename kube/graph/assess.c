/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 of one object: the common rules, then its family's own. */
#include "kube/graph/assessment.h"
#include "kube/status/thresholds.h"

#include <string.h>

/* ---- waits --------------------------------------------------------------- */

static bool is_serving(enum phase phase)
{
	return phase == PHASE_READY || phase == PHASE_DEGRADED || phase == PHASE_UPDATING ||
	       phase == PHASE_SCALING || phase == PHASE_MAINTENANCE || phase == PHASE_SUSPENDED;
}

void assessment_wait(struct assessment *d, struct health_wait wait)
{
	struct health_wait *waits = d->waits.items, *slot;

	for (size_t i = 0; i < d->waits.n; i++)
		if (wait.target && waits[i].target == wait.target) {
			waits[i].blocks |= wait.blocks;
			if (waits[i].message.len == 0)
				waits[i].message = wait.message;
			return;
		}
	slot = list_add(&d->waits, d->arena, sizeof(wait), ASSESSMENT_WAITS);
	if (slot)
		*slot = wait;
}

/*
 * How the other end is by itself.  That it waits as well counts only for what
 * was on its way alone: else two who serve could keep each other waiting.
 */
static enum phase phase_of(const struct assessment *d, uint32_t target)
{
	enum phase phase = graph_status(d->g, target, NULL).phase;
	enum phase own;

	if (phase != PHASE_WAITING)
		return phase;
	own = store_brief(d->g->store, store_node_handle(d->g->store, target)).phase;
	return own == PHASE_UPDATING ? own : phase;
}

/* What a person suspended serves as it did before; one that says it is not ready does not. */
static bool is_suspended_unready(const struct assessment *d, uint32_t target)
{
	struct status st = store_status(d->g->store, store_node_handle(d->g->store, target), d->arena);
	const struct condition *ready = status_condition(&st, "Ready");

	return ready && str_is(ready->status, "False");
}

/* What stands in the way at the other end; WAIT_NONE: nothing does. */
static enum wait_state state_of(const struct assessment *d, uint32_t target, unsigned flags)
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
		return phase == PHASE_READY && !(flags & REF_STANDS) ? WAIT_NONE : WAIT_NOT_READY;
	if (phase == PHASE_SUSPENDED && is_suspended_unready(d, target))
		return WAIT_NOT_READY;
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

static bool fails_by_itself(const struct assessment *d)
{
	return d->own.own_failure && d->own.phase == PHASE_FAILED;
}

static void waits_for_references(struct assessment *d)
{
	if (fails_by_itself(d))
		return;
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge(d->g->store, d->slot, i);
		uint32_t target = graph_resolve(d->g, d->slot, &e);
		enum wait_state state;

		if (target == d->slot || !edge_blocks(&e, d->own.phase))
			continue;
		state = state_of(d, target, e.flags);
		if (state != WAIT_NONE)
			assessment_wait(d, (struct health_wait){ .target = target, .state = state, .via = e.via,
							   .message = e.message, .blocks = true });
	}
}

/* A part that waits for its whole is no reason for the whole to wait. */
static bool part_waits_for(const struct assessment *d, uint32_t part)
{
	for (size_t i = 0; i < store_edge_count(d->g->store, part); i++) {
		struct edge e = store_edge(d->g->store, part, i);

		if ((e.flags & (REF_BLOCKS | REF_NAMED)) && graph_resolve(d->g, part, &e) == d->slot)
			return true;
	}
	return false;
}

static void wait_for_part(struct assessment *d, uint32_t part, struct str via, bool failed)
{
	struct status st;

	if (!store_node_handle(d->g->store, part).slot || part_waits_for(d, part))
		return;
	st = graph_status(d->g, part, NULL);
	if (st.phase == PHASE_READY || st.phase == PHASE_SUSPENDED || st.phase == PHASE_UNKNOWN ||
	    (st.phase == PHASE_FAILED) != failed)
		return;
	assessment_wait(d, (struct health_wait){
		.target = part,
		.state = st.phase == PHASE_FAILED   ? WAIT_FAILED :
			 st.phase == PHASE_DELETING ? WAIT_DELETING :
						      WAIT_NOT_READY,
		.via = via,
		.message = st.message,
	});
}

/* failed: those that are, else the others that are not well. */
static void waits_for_parts_that(struct assessment *d, bool failed)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);

	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge(d->g->store, d->slot, i);

		if (e.relation == RELATION_MANAGES && !kind_is_alias(store_node_id(d->g->store, e.target).kind))
			wait_for_part(d, graph_resolve(d->g, d->slot, &e), e.via, failed);
	}
	for (size_t i = 0; i < n && d->waits.n < ASSESSMENT_WAITS; i++)
		for (size_t k = 0; k < store_edge_count(d->g->store, in[i]); k++) {
			struct edge e = store_edge(d->g->store, in[i], k);

			if (e.target == d->slot && e.relation == RELATION_OWNS)
				wait_for_part(d, in[i], e.via, failed);
		}
}

/* Somebody who is not well is shown with those of its parts that are not: no more than there is
 * room for, and the worst of many. */
static void waits_for_parts(struct assessment *d)
{
	if (at_goal(d->own.phase) || d->own.phase == PHASE_DELETING || fails_by_itself(d))
		return;
	waits_for_parts_that(d, true);
	waits_for_parts_that(d, false);
}

static void waits_external(struct assessment *d)
{
	for (size_t i = 0; i < d->own.nexternal; i++) {
		const struct external_wait *w = &d->own.external[i];

		assessment_wait(d, (struct health_wait){ .state = w->state, .via = w->via, .message = w->message,
						   .kind = w->kind, .name = w->name, .blocks = true });
	}
}

/* ---- controllers --------------------------------------------------------- */

/* Does its deletion need its own controller?  Others' finalizers are none of its business. */
static bool is_held(const struct assessment *d)
{
	const struct family *f = d->meta.family;
	struct str kind;

	for (size_t i = 0; d->own.phase == PHASE_DELETING && i < d->own.nfinalizers; i++)
		if (graph_is_own_finalizer(&d->meta, d->own.finalizers[i]) ||
		    (f->finalizer && f->finalizer(d->own.finalizers[i], &kind)))
			return true;
	return false;
}

static bool is_untouched(const struct assessment *d)
{
	bool first = d->own.phase == PHASE_PROVISIONING || d->own.phase == PHASE_UNKNOWN;

	return d->own.stale || (first && d->own.untouched && d->meta.created &&
				d->g->now - d->meta.created >= thresholds.young);
}

/* What is on its way, and what goes and is held, gets nowhere without its controller. */
static void waits_for_controllers(struct assessment *d)
{
	struct control found[CONTROLS];
	size_t n;

	d->g->served[d->slot] = 0;
	if (!phase_under_way(d->own.phase) && d->own.phase != PHASE_UNKNOWN && !is_held(d))
		return;
	d->g->served[d->slot] = 1;
	n = control_troubles(d->g, d->slot, is_untouched(d), found, d->arena);
	for (size_t i = 0; i < n; i++)
		if (found[i].slot != d->slot)
			assessment_wait(d, (struct health_wait){
				.target = found[i].slot,
				.state = found[i].standing == STANDING_MISSING ? WAIT_MISSING : WAIT_CONTROLLER,
				.via = found[i].via,
				.message = found[i].message,
				/* that it runs and does not look is no more than its phase says */
				.blocks = found[i].standing != STANDING_IDLE || !d->own.untouched });
}

/* ---- deletion ------------------------------------------------------------ */

/* A definition goes after the last of its objects. */
static void waits_for_instances(struct assessment *d)
{
	uint32_t found[ASSESSMENT_WAITS];
	size_t n = control_instances(d->g, d->slot, found, ASSESSMENT_WAITS);

	for (size_t i = 0; i < n; i++) {
		bool going = graph_status(d->g, found[i], NULL).phase == PHASE_DELETING;

		if (!going && d->g->now - d->meta.deleting < thresholds.guard_grace)
			continue;	/* its turn comes */
		assessment_wait(d, (struct health_wait){
			.target = found[i],
			.state = going ? WAIT_DELETING : WAIT_NOT_READY,
			.via = STR("metadata.finalizers"),
			.message = going ? STR("is still being deleted") : STR("is still there") });
	}
}

static void waits_of_deletion(struct assessment *d)
{
	struct deletion del = graph_deletion(d->g, d->slot, d->waits.items, d->waits.n, d->arena);
	const struct health_wait *waits = d->waits.items;
	bool unserved = false;

	for (size_t i = 0; i < d->waits.n; i++)
		unserved |= waits[i].state == WAIT_CONTROLLER;
	for (size_t i = 0; i < del.nfinalizers; i++)
		if (str_is(del.finalizers[i].state, "foreground"))
			graph_note_far(d->g, d->slot);	/* who protects what it owns */
	waits_for_instances(d);
	graph_note_asks(d->g, d->slot);
	for (size_t i = 0; i < del.nblocked_by; i++) {
		uint32_t other = del.blocked_by[i].handle.slot;
		bool going = other && graph_status(d->g, other, NULL).phase == PHASE_DELETING;

		assessment_wait(d, (struct health_wait){ .target = other,
						   .state = going ? WAIT_DELETING : WAIT_FINALIZER,
						   .via = STR("metadata.finalizers"),
						   .message = graph_deletion_words(d->g, d->slot, other) });
	}
	for (size_t i = 0; i < del.nfinalizers; i++)
		if (!unserved && str_is(del.finalizers[i].state, "stuck"))
			assessment_wait(d, (struct health_wait){ .state = WAIT_FINALIZER, .kind = STR("Finalizer"),
							   .name = del.finalizers[i].name,
							   .via = STR("metadata.finalizers"),
							   .message = STR("nobody takes it off") });
	assess_revisit(d, del.since + thresholds.guard_grace);
	assess_revisit(d, del.since + thresholds.overdue);
	if (d->g->now - del.since >= thresholds.overdue)
		assess_revisit(d, d->g->now + thresholds.stale_least);	/* is it still worked on? */
	if (d->out.message.len || d->own.nfinalizers == 0)
		return;
	d->out.message = STR("held by ");
	for (size_t i = 0; i < d->own.nfinalizers; i++)
		d->out.message = arena_printf(d->arena, STR_FMT "%s" STR_FMT, STR_ARG(d->out.message),
					      i ? ", " : "", STR_ARG(d->own.finalizers[i]));
}

/* ---- versions ------------------------------------------------------------ */

/* Deployments and what is modelled on them own a set of pods, machines, ... per revision. */
static bool is_revision_of(const struct assessment *d, uint32_t part)
{
	const struct kind *kind = store_node_id(d->g->store, part).kind;

	if (!str_eq(kind->group, d->meta.id.kind->group) || !str_ends(kind->kind, "Set"))
		return false;
	for (size_t i = 0; i < store_edge_count(d->g->store, part); i++) {
		struct edge e = store_edge(d->g->store, part, i);

		if (e.target == d->slot && e.relation == RELATION_OWNS)
			return true;
	}
	return false;
}

/* Until the last one of the revision before is gone, it is a way from there to here. */
static void version_from_revisions(struct assessment *d)
{
	int64_t newest = 0;
	size_t n;
	const uint32_t *in;

	if (d->out.version_to.len == 0 || d->out.version_from.len ||
	    !str_ends(d->meta.id.kind->kind, "Deployment"))
		return;
	in = store_referrers(d->g->store, d->slot, &n);
	for (size_t i = 0; i < n; i++) {
		struct status st = graph_status(d->g, in[i], NULL);
		int64_t created = store_meta(d->g->store, store_node_handle(d->g->store, in[i])).created;

		if (st.replicas.current <= 0 || st.version_to.len == 0 || created <= newest ||
		    str_eq(st.version_to, d->out.version_to) || !is_revision_of(d, in[i]))
			continue;
		newest = created;
		d->out.version_from = st.version_to;
	}
}

/* ---- the common rules ---------------------------------------------------- */

static bool may_wait(const struct assessment *d)
{
	enum phase phase = d->out.phase;

	if (d->meta.family->never_waits)
		return false;
	return phase == PHASE_PROVISIONING || phase == PHASE_UPDATING ||
	       (phase == PHASE_UNKNOWN && d->own.nconditions == 0);
}

static void become_waiting(struct assessment *d)
{
	const struct health_wait *waits = d->waits.items;

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
static void lose_patience(struct assessment *d)
{
	struct health *o = &d->out;
	bool person = o->phase == PHASE_SUSPENDED && o->severity == SEVERITY_INFO;
	bool waits = phase_under_way(o->phase) || o->phase == PHASE_DELETING || person;
	/* Before it was ready for the first time it has been on its way since it was made. */
	bool first = o->phase == PHASE_PROVISIONING || o->phase == PHASE_WAITING || o->phase == PHASE_UNKNOWN;
	int64_t from = waits && o->since ? o->since : first ? d->meta.created : 0;
	int64_t limit = waits ? thresholds.overdue : thresholds.young;

	if ((!waits && o->phase != PHASE_UNKNOWN) || from == 0 || o->severity >= SEVERITY_WARNING)
		return;
	if (d->g->now - from >= limit)
		o->severity = SEVERITY_WARNING;
	else
		assess_revisit(d, from + limit);
}

struct health assess(struct graph *g, uint32_t slot, struct arena *arena)
{
	struct handle h = store_node_handle(g->store, slot);
	struct assessment d = { .g = g, .slot = slot, .arena = arena, .meta = store_meta(g->store, h) };
	bool goes;

	g->asks[slot] &= (uint8_t)~ASKS_WHY;
	d.own = store_status(g->store, h, arena);
	d.out = (struct health){ d.own.phase, d.own.severity, d.own.operator_phase, d.own.reason,
				  d.own.message, d.own.rule, d.own.version_from, d.own.version_to,
				  d.own.since, 0, NULL, NULL, 0, 0 };
	goes = d.own.phase == PHASE_DELETING;
	waits_for_references(&d);
	waits_external(&d);
	waits_for_parts(&d);
	waits_for_controllers(&d);
	become_waiting(&d);
	version_from_revisions(&d);
	if (d.meta.family->assess)
		d.meta.family->assess(&d);
	if (goes)	/* what its family knows of it explains its finalizers */
		waits_of_deletion(&d);
	lose_patience(&d);
	d.out.waits = d.waits.items;
	d.out.nwaits = d.waits.n;
	d.out.flags = d.flags.items;
	d.out.nflags = d.flags.n;
	return d.out;
}
