/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phase 2 of OCI service operator objects, what only their neighbours tell: who still uses an object that is being
 * deleted, whether the operator itself works, and what it says only in Events.  That the cloud refuses a delete stands
 * in no status, only in an Event of type Normal.
 */
#include "kube/family/osok/osok.h"

/* ---- Events -------------------------------------------------------------- */

/* Finds the newest Event about the object after that time. */
static bool newest_event(struct assessment *d, int64_t after, struct neighbour *out)
{
	struct neighbour n;
	bool found = false;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		if (!(n.flags & REF_REPORTS) || n.presence != PRESENCE_FOUND ||
		    n.status.since <= after || (found && n.status.since < out->status.since))
			continue;
		*out = n;
		found = true;
	}
	return found;
}

/* Returns when the operator last wrote the status, as far as it is known. */
static int64_t last_written(const struct status *st)
{
	int64_t when = st->async ? st->async->updated : 0;

	for (size_t i = 0; i < st->nconditions; i++)
		if (st->conditions[i].since > when)
			when = st->conditions[i].since;
	return when;
}

/* An Event about an earlier object of the same name is older than this object. */
static int64_t not_before(int64_t own, int64_t written)
{
	return own - 1 > written ? own - 1 : written;
}

/* Nobody in this cluster uses the object, so it is held by something outside the cluster. */
static void wait_for_cloud(struct assessment *d, const struct neighbour *event)
{
	assess_wait_external(d, (struct external_wait){ .state = WAIT_EXTERNAL,
							.kind = STR("OCI"),
							.name = assess_name(d),
							.via = STR("Event"),
							.message = event->status.message });
}

enum { BLOCKED, FAILED_TO_GO, RESOLVED };

static const struct row rows[] = {
	[BLOCKED] = { "an Event tells that the cloud refuses its deletion", .then = OUTCOME_DELETION, .flags = RETRIED | AT_LEAST,
		      .flag = "delete-blocked" },
	[FAILED_TO_GO] = { "an Event tells that its deletion has failed", .then = OUTCOME_DELETION, .flags = RETRIED | AT_LEAST },
	[RESOLVED] = { "an Event that is newer than the last condition tells that it is active", .then = OUTCOME_READY,
		       .flag = "event-resolved", .rule = "Event Success, newer than the last condition" },
	{ 0 }
};

/* Takes the outcome of the last attempt to delete from an Event, where the status does not have it. */
static void tried_by_event(struct assessment *d, bool used)
{
	const struct status *st = assess_status(d);
	struct neighbour event;
	bool blocked;

	if (!newest_event(d, not_before(assess_deleting(d), last_written(st)), &event))
		return;
	blocked = str_is(event.status.reason, "DeleteBlocked");
	if (!blocked && (!str_is(event.status.reason, "Failed") ||
			 !str_starts(event.status.message, "Failed to delete")))
		return;
	table_assess(d, &rows[blocked ? BLOCKED : FAILED_TO_GO], event.status.reason, event.status.message);
	assess_rule(d, arena_printf(assess_arena(d), "Event " STR_FMT ": tried again every 2m",
				    STR_ARG(event.status.reason)));
	if (blocked && !used)
		wait_for_cloud(d, &event);
}

/*
 * A return to Active that the status does not tell may be told by an Event.  While an operation is in progress every
 * pass of the controller has such an Event, too, with the phase of the operation in it.
 */
static void resolved_by_event(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour event;

	if (!newest_event(d, not_before(assess_created(d), last_written(st)), &event) ||
	    !str_is(event.status.reason, "Success") ||
	    str_contains(event.status.message, "(async phase="))
		return;
	table_assess(d, &rows[RESOLVED], event.status.reason, event.status.message);
	assess_word(d, str_of(osok_word(OSOK_ACTIVE)));
	assess_since(d, event.status.since);
}

/* ---- the operator and the users ------------------------------------------ */

static bool is_replaced(struct assessment *d, const struct neighbour *csv)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, csv, i, &n); i++)
		if (n.relation == RELATION_REPLACES && n.presence == PRESENCE_FOUND)
			return true;
	return false;
}

/* An operator that does not work explains why nothing was polled. */
static void blame_operator(struct assessment *d, const struct neighbour *definition)
{
	struct neighbour csv;

	for (size_t i = 0; assess_referrer_of(d, definition, i, &csv); i++)
		if (csv.presence == PRESENCE_FOUND && csv.status.phase != PHASE_READY &&
		    str_is(csv.kind->kind, "ClusterServiceVersion") && !is_replaced(d, &csv))
			assess_wait_for(d, &csv);
}

/*
 * A user that waits for this object cannot be made while it is being deleted, and holds up the deletion: it will not
 * change by itself.
 */
static enum wait_state state_of_user(const struct neighbour *user)
{
	if (user->deleting)
		return WAIT_DELETING;
	return user->status.phase == PHASE_WAITING && (user->flags & REF_BLOCKS) ? WAIT_NOT_READY
										 : WAIT_FINALIZER;
}

/* The cloud refuses to delete what another resource still uses, and the status does not say so. */
static bool blame_users(struct assessment *d, const struct neighbour *own_ocid)
{
	struct neighbour user;
	bool any = false;

	for (size_t i = 0; assess_referrer_of(d, own_ocid, i, &user); i++) {
		struct str field = user.via;

		if (user.relation != RELATION_NEEDS || user.presence != PRESENCE_FOUND)
			continue;
		user.via = own_ocid->via;
		assess_wait(d, &user, state_of_user(&user),
			    arena_printf(assess_arena(d), "still refers to it in " STR_FMT,
					 STR_ARG(field)));
		any = true;
	}
	return any;
}

/*
 * The cloud has accepted the request, so the objects that it refers to exist there.  That one of these is itself in
 * progress blocks nothing, unless the service says that it waits.
 */
static void drop_waits_of_request(struct assessment *d)
{
	const struct async *a = assess_status(d)->async;
	struct neighbour n;

	if (!a || !str_is(a->class, "pending") || str_starts(a->raw_status, "WAIT"))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_NEEDS && n.presence == PRESENCE_FOUND &&
		    phase_under_way(n.status.phase))
			assess_drop_wait(d, &n);
}

void osok_assess(struct assessment *d)
{
	bool stale = assess_status(d)->stale, used = false;
	bool deleting = assess_deleting(d) && status_has_finalizer(assess_status(d), STR(OSOK_FINALIZER));	/* else the cloud has finished */
	struct neighbour n;

	drop_waits_of_request(d);
	for (size_t i = 0; (stale || deleting) && assess_target(d, i, &n); i++) {
		if (stale && str_is(n.kind->kind, "CustomResourceDefinition"))
			blame_operator(d, &n);
		if (deleting && n.relation == RELATION_MANAGES && str_is(n.kind->kind, "Ocid"))
			used = blame_users(d, &n) || used;
	}
	if (deleting)
		tried_by_event(d, used);
	else if (status_has_flag(assess_status(d), "ambiguous"))
		resolved_by_event(d);
}
