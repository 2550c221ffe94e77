/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 of one object: the common rules, and then those of its family. */
#include "kube/base/assert.h"
#include "kube/graph/assessment.h"
#include "kube/status/engine.h"
#include "kube/status/thresholds.h"


/* ---- waits --------------------------------------------------------------- */

static bool is_serving(enum phase phase)
{
	return phase == PHASE_READY || phase == PHASE_DEGRADED || phase == PHASE_UPDATING ||
	       phase == PHASE_SCALING || phase == PHASE_MAINTENANCE || phase == PHASE_SUSPENDED;
}

/*
 * Returns the phase of the target by itself.  That the target waits, too, counts only when it was in progress by
 * itself: else two objects that serve could keep each other waiting.
 */
static enum phase phase_of(const struct assessment *d, uint32_t target)
{
	enum phase phase = graph_phase(d->g, target);
	enum phase own;

	if (phase != PHASE_WAITING)
		return phase;
	own = store_phase(d->g->store, store_node_handle(d->g->store, target));
	return own == PHASE_UPDATING ? own : phase;
}

/* What a person has suspended serves as before, unless it says that it is not ready. */
static bool is_suspended_unready(const struct assessment *d, uint32_t target)
{
	struct status st = store_status(d->g->store, store_node_handle(d->g->store, target), d->arena);
	const struct condition *ready = status_condition(&st, "Ready");

	return ready && str_is(ready->status, "False");
}

/* Returns why the target blocks; WAIT_NONE: it does not. */
static enum wait_state state_of(const struct assessment *d, uint32_t target, unsigned flags)
{
	enum presence presence = graph_presence(d->g, target, flags);
	bool named = flags & REF_NAMED;
	enum phase phase;

	/* what proves that it was ready once has found the configuration that it names */
	if (presence == PRESENCE_MISSING && (flags & (REF_EXISTS | REF_ALWAYS | REF_NAMED)) == REF_EXISTS &&
	    store_brief(d->g->store, store_node_handle(d->g->store, d->slot)).ever_ready) {
		d->g->nodes[d->slot].uses_coverage = true;
		if (!graph_is_surely_missing(d->g, target, flags))
			return WAIT_NONE;
	}
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

/* Returns true when the edge matters while the object is in that phase. */
static bool edge_blocks(const struct edge *e, enum phase phase)
{
	if (e->relation == RELATION_OWNS || e->relation == RELATION_GUARDS)
		return false;
	if (e->flags & REF_NAMED)
		return !at_goal(phase);
	return (e->flags & REF_BLOCKS) && (!at_goal(phase) || (e->flags & REF_ALWAYS)) &&
	       phase != PHASE_DELETING;
}

/* It waits for something other than the end of what it replaces or removes. */
static bool is_held_back(const struct health *health)
{
	for (size_t i = 0; health && i < health->nwaits; i++)
		if (health->waits[i].blocks || health->waits[i].state != WAIT_DELETING)
			return true;
	return false;
}

/* Returns the field in which the part says whose part it is. */
static bool is_part(const struct assessment *d, uint32_t slot, struct str *out_via)
{
	for (size_t k = 0; k < store_edge_count(d->g->store, slot); k++) {
		struct edge e = store_edge_ends(d->g->store, slot, k);

		if (e.target != d->slot || e.relation != RELATION_OWNS)
			continue;
		*out_via = store_edge(d->g->store, slot, k).via;
		return true;
	}
	return false;
}

static bool has_as_controller(const struct assessment *d, uint32_t part)
{
	for (size_t k = 0; k < store_edge_count(d->g->store, part); k++) {
		struct edge e = store_edge_ends(d->g->store, part, k);

		if (e.target == d->slot && e.relation == RELATION_OWNS && (e.flags & REF_CONTROLLER))
			return true;
	}
	return false;
}

/*
 * The same, but not for what is only deleted with the object: a part in a namespace whose owner has none and does not call itself its
 * controller, as a class has it of what was made for one who uses the class.
 */
static bool is_made_part(const struct assessment *d, uint32_t slot, struct str *out_via)
{
	bool outside = !d->meta.id.ns.len && store_node_id(d->g->store, slot).ns.len && !has_as_controller(d, slot);

	return !outside && is_part(d, slot, out_via);
}

static bool is_in_progress(const struct assessment *d, uint32_t part)
{
	struct handle h = store_node_handle(d->g->store, part);
	const struct health *health = graph_health(d->g, h);
	enum phase phase = graph_phase(d->g, part);

	return h.slot && phase_under_way(phase) && phase != PHASE_WAITING && !is_held_back(health);
}

/* What is made together comes one after the other: a pod before its ConfigMap. */
#define TOGETHER SECONDS(10)

/* The part was just made, and so will be what it lacks. */
static bool comes_first(struct assessment *d, const struct kept_wait *wait, uint32_t part)
{
	int64_t end = store_meta(d->g->store, store_node_handle(d->g->store, part)).created + TOGETHER;

	if (wait->state != WAIT_MISSING || d->g->now >= end)
		return false;
	assess_revisit(d, end);
	return true;
}

/* The part waits for nothing but other parts of the object, which are in progress, and for what is made together with it. */
static bool waits_inside(struct assessment *d, uint32_t part)
{
	const struct health *health = graph_health(d->g, store_node_handle(d->g->store, part));
	struct str via;

	for (size_t i = 0; health && i < health->nwaits; i++) {
		const struct kept_wait *wait = &health->waits[i];

		if (!wait->target || wait->target == d->slot)
			return false;
		if (!comes_first(d, wait, part) && (!is_part(d, wait->target, &via) || !is_in_progress(d, wait->target)))
			return false;
	}
	return health && health->nwaits > 0 && phase_under_way(graph_phase(d->g, part));
}

/*
 * A part that the object makes itself, and that is in progress, is the object's own work: it is neither a wait nor a
 * cause until the part itself waits for something else, or fails.
 */
static bool is_own_work(struct assessment *d, uint32_t part)
{
	return is_in_progress(d, part) || waits_inside(d, part);
}

bool assess_own_work(struct assessment *d, const struct neighbour *part)
{
	return is_own_work(d, part->slot);
}

/*
 * A part may be noted before it is made: its absence is no cause while the whole has just begun.  A part that the words
 * of the whole name is to be made only where the whole's family says that its health is that of the whole.
 */
static bool is_to_be_made(struct assessment *d, const struct edge *e)
{
	int64_t began = d->own.since ? d->own.since : d->meta.created;

	if (e->relation != RELATION_MANAGES || (e->flags & (REF_NAMED | REF_HEALTH)) == REF_NAMED || began == 0)
		return false;
	assess_revisit(d, began + thresholds.young);
	return d->g->now - began < thresholds.young;
}

static bool fails_by_itself(const struct assessment *d)
{
	return d->own.own_failure && d->own.phase == PHASE_FAILED;
}

/* A part that is named and not seen, and that is not known to be missing, counts as one in progress. */
static bool is_unseen_part(const struct assessment *d, const struct edge *e, uint32_t target)
{
	return e->relation == RELATION_MANAGES && graph_presence(d->g, target, e->flags) == PRESENCE_UNKNOWN;
}

/* The object makes the target itself. */
static bool is_mine(const struct assessment *d, const struct edge *e, uint32_t target)
{
	struct str via;

	return e->relation == RELATION_MANAGES || ((e->flags & REF_NAMED) && is_part(d, target, &via));
}

/* The object is being deleted and waited for the deletion of the target. */
static bool is_gone_as_awaited(const struct assessment *d, const struct edge *e)
{
	return d->own.phase == PHASE_DELETING && !(e->flags & REF_REPORTED_MISSING);
}

/* What an object that has failed did not come to make is no reason for its failure, unless its words say so. */
static bool is_not_made(const struct assessment *d, const struct edge *e)
{
	return d->own.phase == PHASE_FAILED && e->relation == RELATION_MANAGES && !(e->flags & (REF_NAMED | REF_REPORTED_MISSING));
}

static void waits_for_references(struct assessment *d)
{
	if (fails_by_itself(d))
		return;
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, i);
		enum wait_state state;
		uint32_t target;

		if (!edge_blocks(&e, d->own.phase))
			continue;
		e = store_edge(d->g->store, d->slot, i);
		target = graph_resolve(d->g, d->slot, &e);
		if (target == d->slot || (is_mine(d, &e, target) && is_own_work(d, target)) || is_unseen_part(d, &e, target))
			continue;
		state = state_of(d, target, e.flags);
		if (state == WAIT_MISSING && is_not_made(d, &e))
			continue;
		if (state == WAIT_MISSING && (is_to_be_made(d, &e) || is_gone_as_awaited(d, &e)))
			continue;
		if (state != WAIT_NONE)
			assessment_wait(d, (struct health_wait){ .target = target, .state = state, .via = e.via,
							   .message = e.message, .blocks = true,
							   .edge = (uint16_t)(i + 1) });
	}
}

/* A part that waits for its whole is no reason for the whole to wait. */
static bool part_waits_for(const struct assessment *d, uint32_t part)
{
	const struct health *health;

	for (size_t i = 0; i < store_edge_count(d->g->store, part); i++) {
		struct edge e = store_edge_ends(d->g->store, part, i);

		if ((e.flags & (REF_BLOCKS | REF_NAMED)) && graph_resolve(d->g, part, &e) == d->slot)
			return true;
	}
	health = graph_health(d->g, store_node_handle(d->g->store, part));
	for (size_t i = 0; health && i < health->nwaits; i++)
		if (health->waits[i].target == d->slot)
			return true;
	return false;
}

/* An object that scales or rolls out removes parts: that nothing holds up is its own work, too. */
static bool goes_by_plan(const struct assessment *d, uint32_t part)
{
	const struct health *health = graph_health(d->g, store_node_handle(d->g->store, part));
	struct status st = graph_status(d->g, part, NULL);

	return st.phase == PHASE_DELETING && st.severity <= SEVERITY_INFO && (!health || health->nwaits == 0) &&
	       (d->own.phase == PHASE_SCALING || d->own.phase == PHASE_UPDATING);
}

/* No controller has written anything into a part of which one should have by now: others of its kind have a status. */
static bool is_neglected(struct assessment *d, uint32_t part)
{
	return (graph_kind(d->g, part)->flags & KIND_REPORTS) && graph_severity(d->g, part) >= SEVERITY_WARNING &&
	       store_status(d->g->store, store_node_handle(d->g->store, part), d->arena).untouched;
}

/* failed: true asks for parts that have failed, false for other parts that are not healthy. */
static bool is_awaited(struct assessment *d, uint32_t part, bool failed)
{
	enum phase phase;

	if (part == d->slot || !store_node_handle(d->g->store, part).slot)
		return false;
	phase = graph_phase(d->g, part);
	if (phase_is_leftover(phase, graph_severity(d->g, part)))
		return false;
	if (phase == PHASE_UNKNOWN && !is_neglected(d, part))
		return false;
	return phase != PHASE_READY && phase != PHASE_SUSPENDED && (phase == PHASE_FAILED) == failed && !is_own_work(d, part) &&
	       !goes_by_plan(d, part) && !part_waits_for(d, part);
}

static void wait_for_part(struct assessment *d, uint32_t part, struct str via)
{
	struct status st = graph_status(d->g, part, NULL);

	assessment_wait(d, (struct health_wait){
		.target = part,
		.state = st.phase == PHASE_FAILED   ? WAIT_FAILED :
			 st.phase == PHASE_DELETING ? WAIT_DELETING :
						      WAIT_NOT_READY,
		.via = via,
		.message = st.message,
		/* a part that is under way and is not its owner's own work waits for something */
		.blocks = !d->meta.family->judges_parts &&
			  (st.phase == PHASE_FAILED || st.phase == PHASE_UNKNOWN || phase_under_way(st.phase)),
	});
}

/*
 * Finds the parts for which is_awaited() is true with failed.  Of very many the first by name are taken, because their
 * order in the store is chance.
 */
static void waits_for_parts_that(struct assessment *d, bool failed)
{
	uint32_t first[ASSESSMENT_WAITS];
	size_t n, nfirst = 0;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);
	struct str via;

	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, i);
		uint32_t part;

		if (e.relation != RELATION_MANAGES)
			continue;
		e = store_edge(d->g->store, d->slot, i);
		part = graph_resolve(d->g, d->slot, &e);
		if (!kind_is_alias(store_node_id(d->g->store, e.target).kind) && is_awaited(d, part, failed))
			wait_for_part(d, part, e.via);
	}
	for (size_t i = 0; i < n && d->waits.n < ASSESSMENT_WAITS; i++)
		if (is_made_part(d, in[i], &via) && is_awaited(d, in[i], failed))
			graph_keep_first(d->g, first, &nfirst, ASSESSMENT_WAITS, in[i]);
	for (size_t i = 0; i < nfirst; i++)
		if (is_part(d, first[i], &via))
			wait_for_part(d, first[i], via);
}

/* An object that is not healthy waits for its parts that are not: failed parts first, up to ASSESSMENT_WAITS. */
static void waits_for_parts(struct assessment *d)
{
	if (at_goal(d->own.phase) || d->own.phase == PHASE_DELETING || fails_by_itself(d))
		return;
	waits_for_parts_that(d, true);
	waits_for_parts_that(d, false);
}

/*
 * The waits of the object's own fields are in its order.  The order of those that come from one field or relation of
 * other objects is chance: failed ones come first, then they are sorted by name.
 */
static int compare_waits(const struct assessment *d, const struct health_wait *a, const struct health_wait *b)
{
	bool chance = !a->edge && !b->edge && a->target && b->target && str_eq(a->via, b->via);
	int c = (b->state == WAIT_FAILED) - (a->state == WAIT_FAILED);

	return !chance ? 0 : c ? c : graph_compare_names(d->g, a->target, b->target);
}

/* The sorting is stable; there are few waits. */
static void sort_waits(struct assessment *d)
{
	struct health_wait *waits = d->waits.items;

	for (size_t i = 1; i < d->waits.n; i++) {
		struct health_wait wait = waits[i];
		size_t at = i;

		for (; at > 0 && compare_waits(d, &waits[at - 1], &wait) > 0; at--)
			waits[at] = waits[at - 1];
		waits[at] = wait;
	}
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

/* Returns true when the deletion of the object needs its own controller; finalizers of others are not its work. */
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

/* An object that is in progress, or is being deleted and has finalizers, waits for a controller that does not work. */
static void waits_for_controllers(struct assessment *d)
{
	struct control_trouble found[CONTROL_TROUBLES];
	bool untouched = is_untouched(d);
	size_t n;

	d->g->nodes[d->slot].uses_controller = false;
	if (!phase_under_way(d->own.phase) && d->own.phase != PHASE_UNKNOWN && !is_held(d))
		return;
	d->g->nodes[d->slot].uses_controller = true;
	n = control_troubles(d->g, d->slot, untouched, found, d->arena);
	if (untouched && n == 0)
		/* a controller that has just started needs some time */
		assess_revisit(d, d->g->now + thresholds.young);
	for (size_t i = 0; i < n; i++)
		if (found[i].slot != d->slot)
			assessment_wait(d, (struct health_wait){
				.target = found[i].slot,
				.state = found[i].health == CONTROLLER_MISSING ? WAIT_MISSING : WAIT_CONTROLLER,
				.via = found[i].via,
				.message = found[i].message,
				/*
				 * that the controller runs and does not handle the object is what the phase says
				 * already
				 */
				.blocks = found[i].health != CONTROLLER_IDLE || !d->own.untouched });
}

/* ---- deletion ------------------------------------------------------------ */

/* A definition is deleted after the last of its objects. */
static void waits_for_instances(struct assessment *d)
{
	uint32_t found[ASSESSMENT_WAITS];
	size_t n = control_instances(d->g, d->slot, found, ASSESSMENT_WAITS);

	for (size_t i = 0; i < n; i++) {
		bool going = graph_phase(d->g, found[i]) == PHASE_DELETING;

		if (!going && d->g->now - d->meta.deleting < thresholds.guard_grace)
			continue;	/* it is examined in its turn */
		assessment_wait(d, (struct health_wait){
			.target = found[i],
			.state = going ? WAIT_DELETING : WAIT_NOT_READY,
			.via = STR("metadata.finalizers"),
			.message = going ? STR("is still being deleted") : STR("is still there") });
	}
}

/* What nothing holds is deleted in a moment. */
static bool lingers(struct assessment *d, uint32_t part)
{
	struct handle h = store_node_handle(d->g->store, part);
	int64_t deleting = store_meta(d->g->store, h).deleting;

	assess_revisit(d, deleting + thresholds.young);
	return store_status(d->g->store, h, d->arena).nfinalizers > 0 || d->g->now - deleting >= thresholds.young;
}

static bool is_going(const struct assessment *d, uint32_t part)
{
	return part != d->slot && graph_is_alive(d->g, part) && store_meta(d->g->store, store_node_handle(d->g->store, part)).deleting;
}

static void wait_for_going(struct assessment *d, uint32_t part, struct str via)
{
	assessment_wait(d, (struct health_wait){ .target = part, .state = WAIT_DELETING, .via = via, .message = STR("is still being deleted") });
}

/* Parts that are being deleted, too, keep their owner's controller from its end. */
static void waits_for_going_parts(struct assessment *d)
{
	uint32_t first[ASSESSMENT_WAITS];
	size_t n, nfirst = 0;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);
	struct str via;

	for (size_t i = 0; i < n; i++)
		if (is_going(d, in[i]) && is_part(d, in[i], &via))
			graph_keep_first(d->g, first, &nfirst, ASSESSMENT_WAITS, in[i]);
	for (size_t i = 0; i < nfirst; i++)
		if (lingers(d, first[i]) && is_part(d, first[i], &via))
			wait_for_going(d, first[i], via);
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, i);
		uint32_t part;

		if (e.relation != RELATION_MANAGES || kind_is_alias(store_node_id(d->g->store, e.target).kind))
			continue;
		e = store_edge(d->g->store, d->slot, i);
		part = graph_resolve(d->g, d->slot, &e);
		if (is_going(d, part) && lingers(d, part))
			wait_for_going(d, part, e.via);
	}
}

/* Its controller says what it waits for, and goes on doing so: that, and not the finalizer, is why the object is still there. */
static void waits_as_told(struct assessment *d, const struct deletion *del)
{
	struct str says = graph_deletion_says(d->g, d->slot, &d->own, d->arena);

	if (d->out.message.len == 0)
		d->out.message = says;
	if (del->nfinalizers && d->waits.n == 0 && says.len && d->g->now - d->meta.deleting >= thresholds.overdue)
		assessment_wait(d, (struct health_wait){ .state = WAIT_FINALIZER,
						   .kind = STR("Finalizer"),
						   .name = del->finalizers[0].name,
						   .via = STR("metadata.finalizers"),
						   .message = says });
}

static void waits_of_deletion(struct assessment *d)
{
	struct deletion del;
	const struct health_wait *waits;
	bool controller_down = false;

	waits_for_going_parts(d);
	del = graph_deletion(d->g, d->slot, d->waits.items, d->waits.n, d->arena);
	waits = d->waits.items;
	for (size_t i = 0; i < d->waits.n; i++)
		controller_down |= waits[i].state == WAIT_CONTROLLER;
	for (size_t i = 0; i < del.nfinalizers; i++)
		if (str_is(del.finalizers[i].state, "foreground"))
			graph_uses_beyond(d->g, d->slot);	/* finds the objects that protect what this one owns */
	waits_for_instances(d);
	d->g->nodes[d->slot].uses_coverage = true;
	for (size_t i = 0; i < del.nblocked_by; i++) {
		uint32_t other = del.blocked_by[i].handle.slot;
		bool going = other && graph_phase(d->g, other) == PHASE_DELETING;

		assessment_wait(d, (struct health_wait){ .target = other,
						   .state = going ? WAIT_DELETING : WAIT_FINALIZER,
						   .via = STR("metadata.finalizers"),
						   .message = graph_deletion_words(d->g, d->slot, other) });
	}
	for (size_t i = 0; i < del.nfinalizers; i++)
		if (!controller_down && str_is(del.finalizers[i].state, "stuck"))
			assessment_wait(d, (struct health_wait){ .state = WAIT_FINALIZER, .kind = STR("Finalizer"),
							   .name = del.finalizers[i].name,
							   .via = STR("metadata.finalizers"),
							   .message = STR(GRAPH_NOBODY_REMOVES) });
	assess_revisit(d, d->meta.deleting + thresholds.guard_grace);
	assess_revisit(d, d->meta.deleting + thresholds.overdue);
	if (d->g->now - d->meta.deleting >= thresholds.overdue)
		/* asks whether the object is still being worked on */
		assess_revisit(d, d->g->now + thresholds.stale_least);
	waits_as_told(d, &del);
	if (d->out.message.len || d->own.nfinalizers == 0)
		return;
	if (d->g->now - d->meta.deleting >= thresholds.guard_grace && !d->meta.family->deletion_events)
		assess_wants_events(d);
	d->out.message = STR("held by ");
	for (size_t i = 0; i < d->own.nfinalizers; i++)
		d->out.message = arena_printf(d->arena, STR_FMT "%s" STR_FMT, STR_ARG(d->out.message),
					      i ? ", " : "", STR_ARG(d->own.finalizers[i]));
}

/* ---- versions ------------------------------------------------------------ */

/* Deployments, and kinds modelled on them, own one set of pods, machines, ... for each revision. */
static bool is_revision_of(const struct assessment *d, uint32_t part)
{
	const struct kind *kind = store_node_id(d->g->store, part).kind;

	if (!str_eq(kind->group, d->meta.id.kind->group) || !str_ends(kind->kind, "Set"))
		return false;
	for (size_t i = 0; i < store_edge_count(d->g->store, part); i++) {
		struct edge e = store_edge_ends(d->g->store, part, i);

		if (e.target == d->slot && e.relation == RELATION_OWNS)
			return true;
	}
	return false;
}

/* The versions are shown as a change until the last object of the earlier revision is gone. */
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

/*
 * The object has failed, and tries again, because of what its own words name: for as long as that is not there or not
 * ready, the object waits for it.
 */
static bool is_explained(const struct assessment *d, const struct health_wait *wait)
{
	struct edge edge;

	if (d->own.blames == BLAME_NONE || d->out.phase != PHASE_FAILED || !wait->edge)
		return false;
	edge = store_edge_ends(d->g->store, d->slot, wait->edge - 1u);
	/* something could not be got, and what it needs does not exist or has failed itself: that is the reason */
	if (!(edge.flags & REF_NAMED))
		return edge.relation == RELATION_NEEDS && d->own.blames == BLAME_UNNAMED && (wait->state == WAIT_MISSING || wait->state == WAIT_FAILED);
	return d->own.blames == BLAME_TOLD || wait->state == WAIT_MISSING || graph_is_alive(d->g, wait->target);
}

/* What it makes has failed, and is tried again. */
static bool is_for_failed_part(const struct assessment *d, const struct health_wait *wait)
{
	struct str via;

	if (wait->state != WAIT_FAILED || !wait->target || !d->meta.family->workloads_speak)
		return false;
	if (wait->edge && store_edge_ends(d->g->store, d->slot, wait->edge - 1u).relation == RELATION_MANAGES)
		return true;
	return is_part(d, wait->target, &via);
}

/*
 * Its size is being changed, or nothing more is known of its state, but its own words name what that waits for, or a part that is to be
 * there has failed; or nothing is known of it, and what it needs does not exist.
 */
static bool is_held_up(const struct assessment *d, const struct health_wait *wait)
{
	if (d->out.phase == PHASE_SCALING && is_for_failed_part(d, wait))
		return true;
	if (d->out.phase == PHASE_UNKNOWN && !d->own.operator_phase.len && wait->state == WAIT_MISSING && !d->meta.family->never_waits)
		return true;
	return (d->out.phase == PHASE_SCALING || d->out.phase == PHASE_UNKNOWN) && !d->meta.family->never_waits && wait->edge &&
	       (store_edge_ends(d->g->store, d->slot, wait->edge - 1u).flags & REF_NAMED);
}

/*
 * What the object has failed for is there now: it is going to try again.  If it has not succeeded after a long time, it
 * has failed for another reason.
 */
static void retry_is_due(struct assessment *d)
{
	int64_t newest = 0;

	if (d->own.blames != BLAME_TOLD || d->out.phase != PHASE_FAILED)
		return;
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, i);
		struct handle h;
		int64_t since;

		if (!(e.flags & REF_NAMED))
			continue;
		h = store_node_handle(d->g->store, graph_resolve(d->g, d->slot, &e));
		if (!h.slot)
			continue;
		since = graph_status(d->g, h.slot, NULL).since;
		since = since ? since : store_meta(d->g->store, h).created;
		newest = since > newest ? since : newest;
	}
	if (newest == 0 || d->g->now - newest >= thresholds.overdue)
		return;
	d->out.phase = PHASE_PROVISIONING;
	assess_revisit(d, newest + thresholds.overdue);
}

/* A neighbour's words count where the object has none, or only counts. */
static void tell_why(struct assessment *d, struct str message)
{
	if (d->out.message.len == 0 || (!phrase_says_why(d->out.message) && phrase_says_why(message)))
		d->out.message = message;
}

static void become_waiting(struct assessment *d)
{
	const struct health_wait *waits = d->waits.items;

	for (size_t i = 0; i < d->waits.n; i++) {
		if (!waits[i].blocks || (!may_wait(d) && !is_explained(d, &waits[i]) && !is_held_up(d, &waits[i])))
			continue;
		d->out.phase = PHASE_WAITING;
		/* the wait explains why nobody has written anything */
		if (d->out.severity == SEVERITY_NONE || (d->own.untouched && d->out.message.len == 0))
			d->out.severity = SEVERITY_INFO;
		if (d->out.severity == SEVERITY_INFO && is_for_failed_part(d, &waits[i]))
			d->out.severity = SEVERITY_WARNING;
		tell_why(d, waits[i].message);
		return;
	}
}

/*
 * The object was ready, and says that something else is not, which is: a healthy dependency is looked at from time to
 * time, too, and was not ready for that moment.  The object says so itself at its next attempt.
 */
static void complaint_is_over(struct assessment *d)
{
	const struct conclusion *c = d->own.earlier;
	int64_t until = d->own.since + thresholds.young;
	bool named = false;

	/* a family that knows its own attempts says itself that one goes on */
	if (!c || d->meta.family->knows_retries || c->phase != PHASE_READY || d->out.phase != PHASE_UPDATING || d->out.severity > SEVERITY_INFO || d->waits.n)
		return;
	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, i);

		if (!(e.flags & REF_NAMED))
			continue;
		named = true;
		if (graph_phase(d->g, graph_resolve(d->g, d->slot, &e)) != PHASE_READY)
			return;
	}
	if (!named || d->g->now >= until)
		return;
	assess_revisit(d, until);
	d->out.phase = PHASE_READY;
	d->out.severity = SEVERITY_NONE;
	d->out.reason = c->reason;
	d->out.message = c->message;
	d->out.rule = c->rule;
	d->out.since = c->since;
}

/* ---- parts against the whole ----------------------------------------------- */

enum { REFERRERS_LOOKED_AT = 2000 };	/* of an object that says that it is well */

struct whole {
	size_t parts, failed, waiting, starting;	/* of the workloads; without any, of the other parts */
	bool workloads;
	/* the first by name that has failed or lacks something, that waits, whose pods are replaced, and that is only under way */
	uint32_t broken, held, rolling, moving;
	const struct kind *kind;	/* of which newest_of() has found: */
	int64_t newest;
};

/* Somebody writes a status into objects of the kind. */
static bool is_reported(const struct kind *kind)
{
	return kind->flags & (KIND_HAS_STATUS | KIND_REPORTS);
}

static bool is_job(const struct kind *kind)
{
	return str_is(kind->group, "batch") && str_is(kind->kind, "Job");
}

/* The object has made one Job, which is its whole work; one that makes several knows what a failed one means. */
static bool is_its_only_job(const struct assessment *d, uint32_t job)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);
	struct str via;

	for (size_t i = 0; i < n && i < REFERRERS_LOOKED_AT; i++)
		if (in[i] != job && in[i] != d->slot && is_job(graph_kind(d->g, in[i])) && is_part(d, in[i], &via))
			return false;
	return n < REFERRERS_LOOKED_AT;
}

/* A workload, its only Job, or an object of which its operator reports nothing wrong and whose own workloads do. */
static bool speaks_against(const struct assessment *d, uint32_t part)
{
	const struct kind *kind = graph_kind(d->g, part);
	struct handle h = store_node_handle(d->g->store, part);

	if (is_job(kind))
		return h.slot && graph_phase(d->g, part) == PHASE_FAILED && is_its_only_job(d, part);
	if (str_is(kind->group, "apps"))
		return h.slot && (str_is(kind->kind, "Deployment") || str_is(kind->kind, "StatefulSet") ||
				  str_is(kind->kind, "DaemonSet"));
	return h.slot && (kind->flags & KIND_CUSTOM) && graph_health(d->g, h) &&
	       (store_phase(d->g->store, h) == PHASE_READY || !is_reported(kind));
}

static void keep_first_part(const struct assessment *d, uint32_t *first, uint32_t part)
{
	if (!*first || graph_compare_names(d->g, part, *first) < 0)
		*first = part;
}

/* Returns when the newest part of that kind that has not failed was made, ms; 0: there is none.  Many parts of one kind ask once. */
static int64_t newest_of(const struct assessment *d, struct whole *w, const struct kind *kind)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);

	if (w->kind == kind)
		return w->newest;
	w->kind = kind;
	w->newest = 0;
	for (size_t i = 0; i < n && i < REFERRERS_LOOKED_AT; i++) {
		struct handle h = store_node_handle(d->g->store, in[i]);

		if (h.slot && graph_kind(d->g, in[i]) == kind && store_meta(d->g->store, h).created > w->newest &&
		    store_phase(d->g->store, h) != PHASE_FAILED && has_as_controller(d, in[i]))
			w->newest = store_meta(d->g->store, h).created;
	}
	return w->newest;
}

static bool is_pod(const struct kind *kind)
{
	return kind->group.len == 0 && str_is(kind->kind, "Pod");
}

/*
 * A custom resource or a pod that was made for this one has failed, and is no run that is over: its owner has had the time to say so,
 * too.
 */
static bool has_failed_unnoticed(struct assessment *d, struct whole *w, uint32_t part)
{
	struct handle h = store_node_handle(d->g->store, part);
	const struct kind *kind = graph_kind(d->g, part);
	struct status st = store_brief(d->g->store, h);
	int64_t until = (st.since ? st.since : store_meta(d->g->store, h).created) + thresholds.young;

	if (!h.slot || !((kind->flags & KIND_CUSTOM) || is_pod(kind)) || st.phase != PHASE_FAILED || st.severity < SEVERITY_WARNING || st.complete ||
	    !has_as_controller(d, part))
		return false;
	/* a later one of its kind has taken its place */
	if (newest_of(d, w, kind) > store_meta(d->g->store, h).created)
		return false;
	if (d->g->now < until)
		assess_revisit(d, until);
	return d->g->now >= until;
}

static void look_at_part(struct assessment *d, uint32_t part, struct whole *w)
{
	enum phase phase = graph_phase(d->g, part);
	bool broken = phase_is_bad(phase), starting = phase == PHASE_PROVISIONING;
	bool held = phase == PHASE_WAITING || (starting && !is_own_work(d, part));
	bool workload = str_is(graph_kind(d->g, part)->group, "apps");

	if (broken)
		keep_first_part(d, &w->broken, part);
	else if (held)
		keep_first_part(d, &w->held, part);
	if (workload && phase == PHASE_UPDATING)
		keep_first_part(d, &w->rolling, part);
	if (workload && !held && phase_under_way(phase) && graph_severity(d->g, part) <= SEVERITY_INFO)
		keep_first_part(d, &w->moving, part);
	if (workload && !w->workloads) {
		w->parts = w->failed = w->waiting = w->starting = 0;
		w->workloads = true;
	}
	if (!workload && w->workloads)
		return;
	w->parts++;
	w->failed += phase == PHASE_FAILED;
	w->waiting += held;
	w->starting += starting && !held;
}

static void look_at_parts(struct assessment *d, struct whole *w)
{
	size_t n;
	const uint32_t *in = store_referrers(d->g->store, d->slot, &n);
	struct str via;

	for (size_t i = 0; i < store_edge_count(d->g->store, d->slot); i++) {
		struct edge e = store_edge_ends(d->g->store, d->slot, i);

		if (e.relation == RELATION_MANAGES && speaks_against(d, e.target))
			look_at_part(d, e.target, w);
	}
	for (size_t i = 0; i < n && i < REFERRERS_LOOKED_AT; i++)
		if (in[i] != d->slot && speaks_against(d, in[i]) && is_made_part(d, in[i], &via)) {
			look_at_part(d, in[i], w);
		} else if (d->out.phase == PHASE_READY && has_failed_unnoticed(d, w, in[i])) {
			keep_first_part(d, &w->broken, in[i]);
			w->parts++;
		}
}

static struct str part_rule(const struct assessment *d, uint32_t part, const char *how)
{
	struct object_id id = store_node_id(d->g->store, part);

	return arena_printf(d->arena, STR_FMT " " STR_FMT " %s", STR_ARG(id.kind->kind), STR_ARG(id.name), how);
}

/* The operator has not said yet that the pods are replaced, or does not tell. */
static void follow_rollout(struct assessment *d, uint32_t part)
{
	d->out.phase = PHASE_UPDATING;
	d->out.severity = SEVERITY_INFO;
	d->out.since = graph_status(d->g, part, NULL).since;
	d->out.rule = part_rule(d, part, "is being updated");
}

/*
 * All that its operator misses are pods, without a word of why, and nothing is wrong with the workloads that it made: they start, roll
 * out or change their size.
 */
static bool follow_movement(struct assessment *d, const struct whole *w)
{
	struct status st;

	if (d->out.phase != PHASE_DEGRADED || d->out.severity != SEVERITY_WARNING || !w->moving || w->broken || w->held ||
	    phrase_says_why(d->out.message))
		return false;
	st = graph_status(d->g, w->moving, NULL);
	d->out.phase = st.phase;
	d->out.severity = SEVERITY_INFO;
	d->out.since = st.since;
	d->out.rule = part_rule(d, w->moving, "is under way");
	return true;
}

/* A change that is being rolled out, or the first start, does not come to its end: a workload lacks pods. */
static void part_against_change(struct assessment *d, const struct whole *w)
{
	struct status st;

	if (d->out.phase != PHASE_UPDATING && d->out.phase != PHASE_PROVISIONING)
		return;
	/* what is rolled out so long after it was made was there before */
	if (w->rolling && !w->broken && d->out.phase == PHASE_PROVISIONING && d->g->now - d->meta.created >= thresholds.overdue)
		follow_rollout(d, w->rolling);
	if (!w->broken || graph_phase(d->g, w->broken) != PHASE_DEGRADED)
		return;
	st = graph_status(d->g, w->broken, d->arena);
	d->out.severity = SEVERITY_WARNING;
	tell_why(d, st.message);
	if (d->out.phase == PHASE_PROVISIONING)
		return;
	d->out.phase = PHASE_DEGRADED;
	d->out.since = st.since;
	d->out.rule = part_rule(d, w->broken, "is not well");
}

/*
 * Nobody writes a status into it, and it was made only just, or is still being handled; or its status has no word for its
 * state.
 */
static bool is_told_by_parts(const struct assessment *d)
{
	if (d->out.phase == PHASE_UNKNOWN)
		return d->own.operator_phase.len == 0 && d->own.nconditions == 0;
	return d->own.phase == PHASE_PROVISIONING && d->own.untouched && !is_reported(d->meta.id.kind) &&
	       (d->out.phase == PHASE_PROVISIONING || d->out.phase == PHASE_WAITING);
}

/* What is made of one Job fares as the Job does, also where its operator has not said so. */
static bool fares_as_its_job(struct assessment *d, const struct whole *w)
{
	struct status st;

	if (!phase_under_way(d->out.phase) || !w->broken || w->workloads || w->parts != 1 || !is_job(graph_kind(d->g, w->broken)))
		return false;
	st = graph_status(d->g, w->broken, d->arena);
	if (st.severity < SEVERITY_ERROR)	/* its next try may go well */
		return false;
	d->out.phase = PHASE_FAILED;
	d->out.severity = SEVERITY_WARNING;
	d->out.since = st.since;
	d->out.rule = part_rule(d, w->broken, "has failed");
	d->by_time = false;
	tell_why(d, st.message);
	return true;
}

/*
 * The operator calls its object well, perhaps because it does not look again, or nobody writes its status: but a
 * workload that it made for the object has failed, lacks pods, or has never been up.
 */
static void parts_against_ready(struct assessment *d)
{
	struct whole w = { 0 };
	struct str via = STR_NONE;
	struct status st;
	bool none_up;
	uint32_t part;

	/* what has run to its end needs no parts that are up */
	if (!(d->meta.id.kind->flags & KIND_CUSTOM) || !d->meta.family->workloads_speak || d->own.complete)
		return;
	look_at_parts(d, &w);
	if (fares_as_its_job(d, &w) || follow_movement(d, &w))
		return;
	if (d->out.phase != PHASE_READY && !is_told_by_parts(d)) {
		part_against_change(d, &w);
		return;
	}
	if (d->out.phase == PHASE_WAITING && !w.broken)
		return;
	if (d->out.phase != PHASE_READY && d->out.phase != PHASE_WAITING && w.workloads) {
		d->by_time = false;
		d->out.since = 0;
		d->out.phase = PHASE_READY;
		d->out.severity = SEVERITY_NONE;
		d->out.rule = STR("the workloads that it made are up");
	}
	if (w.rolling && !w.broken && !w.held)
		follow_rollout(d, w.rolling);
	none_up = w.parts > 0 && w.failed + w.waiting + w.starting == w.parts;
	part = w.broken ? w.broken : w.held;
	if (!part && !none_up)
		return;
	d->out.phase = !none_up ? PHASE_DEGRADED : w.failed ? PHASE_FAILED : part ? PHASE_WAITING : PHASE_PROVISIONING;
	d->out.severity = w.broken ? SEVERITY_WARNING : SEVERITY_INFO;
	d->out.rule = STR("the workloads that it made are not up yet");
	d->out.since = d->meta.created;
	if (!part)
		return;
	is_part(d, part, &via);
	wait_for_part(d, part, via);
	st = graph_status(d->g, part, d->arena);
	d->out.severity = st.severity > d->out.severity ? st.severity : d->out.severity;
	d->out.severity = d->out.severity > SEVERITY_WARNING ? SEVERITY_WARNING : d->out.severity;
	d->out.message = st.message;
	d->out.since = st.since;
	d->out.rule = part_rule(d, part, "is not well");
}

/* The time that an operator writes is late by seconds at most; an older time was written for something else. */
#define LATE SECONDS(10)

/*
 * since belongs to the phase that is shown.  The time at which this program saw the phase begin is better than a time
 * that the operator wrote for the phase before, or wrote anew in the same phase.
 */
static void date_phase(struct assessment *d)
{
	const struct graph_node *n = &d->g->nodes[d->slot];
	struct health *o = &d->out;
	int64_t before = n->since ? n->since : d->g->settled;
	bool edited = n->edits != (uint16_t)store_edits(d->g->store, store_node_handle(d->g->store, d->slot));
	bool dated = o->since > before && (o->since > d->g->settled || o->since + LATE >= d->g->now) &&
		     /* a time that was there before says nothing about the new phase */
		     (edited || o->since != d->own.since);

	if (n->shown_gen != store_node_handle(d->g->store, d->slot).gen + 1 || o->phase == PHASE_DELETING)
		return;
	if (o->phase == (enum phase)n->phase) {
		bool later = n->since && (o->since == 0 || o->since > n->since);

		o->since_seen = n->since_seen || (n->by_change && later);
		if (o->since_seen)
			o->since = n->since;
	} else if (n->by_change && !d->by_time && !dated) {
		o->since_seen = true;
		o->since = d->g->now;
	} else if (n->since_seen && o->since < n->since) {
		o->since_seen = true;
		o->since = n->since;	/* a phase that began by time is no older than the state that led to it */
	}
}

/* Returns true for a flag that phase 2 has set. */
static bool has_concluded(const struct assessment *d, const char *flag)
{
	const struct str *all = d->flags.items;

	for (size_t i = 0; i < d->flags.n; i++)
		if (str_is(all[i], flag))
			return true;
	return false;
}

/*
 * What takes too long becomes a warning, but work that goes on takes as long as it does, and what nobody uses is not late; until then this
 * asks for another look at that time.
 */
static void check_overdue(struct assessment *d)
{
	struct health *o = &d->out;
	bool person = o->phase == PHASE_SUSPENDED && o->severity == SEVERITY_INFO;
	bool waits = phase_under_way(o->phase) || o->phase == PHASE_DELETING || person;
	/* An object that was never ready has been in progress since its creation. */
	bool first = o->phase == PHASE_PROVISIONING || o->phase == PHASE_WAITING || o->phase == PHASE_UNKNOWN;
	int64_t from = waits && o->since ? o->since : first ? d->meta.created : 0;
	int64_t limit = waits ? thresholds.overdue : thresholds.young;

	if (o->phase == PHASE_DELETING && from < d->meta.deleting)
		from = d->meta.deleting;	/* the grace period does not count */
	if (has_concluded(d, "at-work") || has_concluded(d, "nobody-waits"))
		return;
	if ((!waits && o->phase != PHASE_UNKNOWN) || from == 0 || o->severity >= SEVERITY_WARNING)
		return;
	if (d->g->now - from >= limit)
		o->severity = SEVERITY_WARNING;
	else
		assess_revisit(d, from + limit);
}

static uint64_t hash_text(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 1099511628211u;
	return (h ^ 0x100 ^ s.len) * 1099511628211u;
}

/* The wait says nothing beyond its edge. */
static bool is_edges(const struct assessment *d, const struct health_wait *w)
{
	struct edge e;

	if (!w->edge)
		return false;
	e = store_edge(d->g->store, d->slot, w->edge - 1u);
	return str_eq(w->via, e.via) && str_eq(w->message, e.message);
}

static void keep_waits(struct assessment *d)
{
	const struct health_wait *w = d->waits.items;
	struct kept_wait *kept = arena_array(d->arena, d->waits.n, sizeof(*kept));
	struct wait_texts *texts = arena_array(d->arena, d->waits.n, sizeof(*texts));
	struct health *o = &d->out;

	for (size_t i = 0; i < d->waits.n; i++, w++) {
		bool by_edge = is_edges(d, w);

		assert((by_edge ? w->edge - 1u : o->ntexts) <= UINT8_MAX);
		kept[i] = (struct kept_wait){ w->target, (uint8_t)w->state,
					      (uint8_t)(by_edge ? w->edge - 1u : o->ntexts), by_edge, w->blocks };
		if (!by_edge)
			texts[o->ntexts++] = (struct wait_texts){ w->via, w->message, w->kind, w->name };
		o->texts_hash = hash_text(hash_text(o->texts_hash, w->via), w->message);
		o->texts_hash = hash_text(hash_text(o->texts_hash, w->kind), w->name);
	}
	assert(o->ntexts <= d->waits.n && d->waits.n <= ASSESSMENT_WAITS);
	o->waits = kept;
	o->texts = texts;
	o->nwaits = d->waits.n;
}

/* What is in no cluster cannot be well there. */
static void never_in_cluster(struct assessment *d)
{
	if (!d->own.manifest || d->out.phase != PHASE_READY)
		return;
	d->out.phase = PHASE_UNKNOWN;
	d->out.rule = STR("it was never in a cluster");
}

static void by_its_family(struct assessment *d)
{
	if (d->meta.family->assess && !status_has_flag(&d->own, ENGINE_UNREAD))
		d->meta.family->assess(d);
}

/*
 * What its neighbours make of an object, in order; the last step that changes the verdict gives it its name
 * (docs/rules-general.md is made from this table).
 */
static const struct step {
	const char *name;
	const char *when;	/* for docs/rules-general.md */
	void (*take)(struct assessment *d);
} steps[] = {
	{ "something else is awaited",
	  "it is Provisioning, Updating or Unknown without conditions, or has failed and names what it failed for, and what it refers to, one "
	  "of its parts, its controller or somebody outside is not there or not ready: Waiting",
	  become_waiting },
	{ "what it waited for is there, and it tries again",
	  "it has failed, and what it failed for by its own words has been there for less than the time after which things are overdue: Provisioning",
	  retry_is_due },
	{ "what it complained of is over",
	  "it was Ready, its words say that something else is not, and that is Ready again: Ready, until its next attempt",
	  complaint_is_over },
	{ GRAPH_ROW_FAMILY ", with its neighbours",
	  "its family of operators knows more of its parts or of what it waits for: as that family says",
	  by_its_family },
	{ "the workloads that it made decide",
	  "its operator calls it well, or nobody writes its status, and a workload that it made has failed, lacks pods, was never up or is being "
	  "updated: Degraded, Failed, Waiting, Provisioning or Updating",
	  parts_against_ready },
	{ "something else says why",
	  "it is not Ready, and its own status does not say why: the words, and not the phase, are those of the Warning Event that tells most "
	  "since the state began, else of what it waits for or is made of",
	  carry_reason },
	{ "what it makes is refused",
	  "it is not at its goal, and its words, or those of an Event about it, name a quota or the limits of its namespace, which refuse it "
	  "(Waiting in place of Provisioning, Updating, Scaling), or a webhook that cannot be called: a wait for these, and for the "
	  "webhook's configuration unless its Service had no pods then and has some now",
	  wait_for_refusal },
	{ "it was never in a cluster", "it is read from a file that no server has written: Unknown in place of Ready", never_in_cluster },
};

static void take_step(struct assessment *d, const struct step *step)
{
	enum phase phase = d->out.phase;
	struct str rule = d->out.rule;
	const char *row = d->out.row;

	d->out.row = NULL;
	step->take(d);
	if (!d->out.row)	/* a family names the row of its own table */
		d->out.row = d->out.phase != phase || !str_eq(d->out.rule, rule) ? step->name : row;
}

struct health assess(struct graph *g, uint32_t slot, struct arena *arena)
{
	struct handle h = store_node_handle(g->store, slot);
	struct assessment d = { .g = g, .slot = slot, .arena = arena, .meta = store_meta(g->store, h) };
	bool goes;

	g->nodes[slot].wants_events = false;
	d.own = store_status(g->store, h, arena);
	d.out = (struct health){ d.own.phase, d.own.severity, d.own.operator_phase, d.own.reason,
				  d.own.message, d.own.rule, d.own.version_from, d.own.version_to,
				  d.own.since, .revisit = 0 };
	d.by_time = d.own.by_time;
	d.own.ever_ready |= g->nodes[slot].shown_gen == h.gen + 1 && g->nodes[slot].was_ready;
	goes = d.own.phase == PHASE_DELETING;
	waits_for_references(&d);
	waits_external(&d);
	waits_for_parts(&d);
	waits_for_controllers(&d);
	sort_waits(&d);
	d.shown = d.own;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		take_step(&d, &steps[i]);
	version_from_revisions(&d);
	sort_waits(&d);
	if (goes)	/* what the family knows of the deletion explains the finalizers */
		waits_of_deletion(&d);
	date_phase(&d);
	check_overdue(&d);
	keep_waits(&d);
	d.out.flags = d.flags.items;
	d.out.nflags = d.flags.n;
	d.out.because = d.because.items;
	d.out.nbecause = d.because.n;
	return d.out;
}
