/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phase 2 of OpenStack resource controller objects: what their status does not tell.  A dependency may be unavailable
 * without being named, an object may miss its wake-up, a deletion may need something, and there may be no controller at
 * all.
 */
#include "kube/family/orc/orc.h"
#include "kube/status/thresholds.h"

/* For so long an object may lag behind what its conditions say without a reason to worry. */
#define WAKE_UP SECONDS(60)

/*
 * Messages about a Secret that exists without the key that is needed; the text does not name the Secret, but the field
 * does.
 */
static const struct {
	const char *text, *via;
} missing_keys[] = {
	{ "User data secret does not contain", "spec.resource.userData.secretRef" },
	{ "Password secret does not contain", "spec.resource.passwordRef" },
	{ "Application credential secret does not contain", "spec.resource.secretRef" },
	{ NULL, NULL }
};

/* The fields whose targets are needed for a deletion. */
static const char *const needed_to_delete[] = { ORC_CREDENTIALS, "spec.resource.userRef", NULL };

/* ---- with the neighbours ------------------------------------------------- */

enum { WAITS, SLEEPS, UNSEEN, UNTOUCHED, NEEDED, GUARDED };

static const struct row rows[] = {
	[WAITS] = { "something else is awaited", .then = OUTCOME_WAIT, .flags = AT_LEAST | NAMES_ONLY },
	[SLEEPS] = { "what it waited for is ready, and its controller does not go on", .then = OUTCOME_MOVEMENT, .flags = STAYS | RETRIED | AT_LEAST,
		     .flag = "lost-wake-up" },
	[UNSEEN] = { "its controller takes too long to look at the present spec", .then = OUTCOME_MOVEMENT, .flags = STAYS | RETRIED | AT_LEAST },
	[UNTOUCHED] = { "it was just made, and its controller has not begun", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING,
			.flags = AT_LEAST },
	[NEEDED] = { "what its deletion needs is gone", .then = OUTCOME_DELETION, .flags = FINAL },
	[GUARDED] = { "a finalizer holds it that nobody removes", .then = OUTCOME_DELETION, .flags = FINAL, .flag = "stuck-guard" },
	{ 0 }
};

static void become(struct assessment *d, const struct row *row)
{
	table_assess(d, row, assess_status(d)->reason, assess_status(d)->message);
}

static bool is_under_way(const struct status *st)
{
	return st->phase == PHASE_PROVISIONING || st->phase == PHASE_UPDATING ||
	       st->phase == PHASE_WAITING ||
	       (st->phase == PHASE_UNKNOWN && !status_condition(st, "Progressing"));
}

static void wait_for(struct assessment *d, const struct neighbour *n, enum wait_state state,
		     struct str message)
{
	assess_wait(d, n, state, message);
	if (is_under_way(assess_status(d)))
		become(d, &rows[WAITS]);
}

/* Fields that ask more of their target than Available=True: the flag tells what the target lacks. */
static const struct {
	const char *via, *lacks;
} asks_more[] = {
	{ "spec.resource.keypairRef", "no-resource" },
	{ "spec.resource.hostID.serverRef", "no-host-id" },
	{ ORC_SAME_HOST, "not-active" },
	{ ORC_OTHER_HOST, "not-active" },
};

/*
 * Returns true when the target lacks what this field asks for: for this object it is not ready, as its controller says.
 */
static bool falls_short(const struct neighbour *n)
{
	for (size_t i = 0; (n->flags & REF_NAMED) && i < sizeof(asks_more) / sizeof(asks_more[0]); i++)
		if (str_starts(n->via, asks_more[i].via))
			return status_has_flag(&n->status, asks_more[i].lacks);
	return false;
}

/*
 * For this operator only Available counts, whatever else is said of an object.  But a router interface asks that its
 * subnet exists in OpenStack and is not being deleted, and lets go of its router; and a server asks that the other
 * server is running.
 */
static bool is_ready(const struct neighbour *n)
{
	if (str_is(n->via, ORC_SUBNET_OF_INTERFACE))
		return !n->deleting && n->status.ever_ready;
	if (str_is(n->via, ORC_ROUTER_OF_INTERFACE) && n->deleting)
		return n->status.ever_ready;
	if ((str_starts(n->via, ORC_SAME_HOST) || str_starts(n->via, ORC_OTHER_HOST)) &&
	    status_has_flag(&n->status, "active"))
		return true;
	return (n->flags & REF_EXISTS) ||
	       (condition_is(status_condition(&n->status, "Available"), "True") && !falls_short(n));
}

/*
 * The API server accepts no new finalizer on an object that is being deleted, so such an object cannot be guarded any
 * more.
 */
static bool refuses_guard(const struct neighbour *n)
{
	return n->deleting && n->guard.len && !status_has_finalizer(&n->status, n->guard);
}

/* Returns why the target blocks; WAIT_NONE: it does not. */
static enum wait_state state_of(const struct neighbour *n)
{
	bool end = str_ends(n->message, ORC_TO_BE_DELETED);

	if (n->presence == PRESENCE_MISSING)
		return end ? WAIT_NONE : WAIT_MISSING;
	if (n->deleting && ((n->flags & REF_NAMED) || refuses_guard(n) || !is_ready(n)))
		return WAIT_DELETING;
	if (is_ready(n) && !end)
		return WAIT_NONE;
	return n->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY;
}

/*
 * Finds the next reference, from *i on, that the controller reads and whose target is known to exist or to be missing.
 */
static bool next_read(struct assessment *d, size_t *i, struct neighbour *out)
{
	while (assess_target(d, (*i)++, out))
		if (out->relation == RELATION_NEEDS && (out->flags & (REF_BLOCKS | REF_NAMED)) &&
		    out->presence != PRESENCE_UNKNOWN)
			return true;
	return false;
}

/* OpenStack changes a server, which needed its neighbours when it was made, and its controller polls until that is ready. */
static bool is_polled(struct assessment *d)
{
	static const char *const changes[] = { "RESIZE", "REVERT_RESIZE", "REBUILD", "PASSWORD", NULL };

	return str_is_any(assess_status(d)->operator_phase, changes);
}

/* Removes waits that are none for this operator; in a deletion a target that exists may still block. */
static void drop_waits(struct assessment *d)
{
	bool going = assess_status(d)->phase == PHASE_DELETING, polled = is_polled(d);
	struct neighbour n;

	for (size_t i = 0; next_read(d, &i, &n);)
		if ((state_of(&n) == WAIT_NONE && (!going || n.presence == PRESENCE_MISSING)) ||
		    (polled && !going && n.presence == PRESENCE_FOUND && !(n.flags & REF_NAMED)))
			assess_drop_wait(d, &n);
}

/* Several fields may name one object, and only one of them may wait for it. */
static void add_waits(struct assessment *d)
{
	bool under_way = is_under_way(assess_status(d)), polled = is_polled(d);
	struct neighbour n;

	for (size_t i = 0; next_read(d, &i, &n);) {
		enum wait_state state = state_of(&n);
		bool over = polled && n.presence == PRESENCE_FOUND && !(n.flags & REF_NAMED);

		if (state != WAIT_NONE && ((under_way && !over) || refuses_guard(&n)))
			wait_for(d, &n, state, n.message);
	}
}

static void wait_for_target(struct assessment *d, const char *via, struct str message)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (str_is(n.via, via))
			wait_for(d, &n, n.deleting ? WAIT_DELETING : WAIT_NOT_READY, message);
}

static void wait_for_key(struct assessment *d)
{
	struct str rest = assess_status(d)->message, line;

	while (orc_next_line(&rest, &line))
		for (size_t k = 0; missing_keys[k].text; k++)
			if (str_starts(line, missing_keys[k].text))
				wait_for_target(d, missing_keys[k].via, line);
}

/* Returns since when the target has been in the state that others wait for. */
static int64_t ready_since(const struct neighbour *n)
{
	const struct condition *available = status_condition(&n->status, "Available");
	int64_t since = available && available->since ? available->since : n->status.since;

	return since > n->created ? since : n->created;
}

/* Returns true when everything that the message names exists and is ready, and the controller still does nothing. */
static bool is_asleep(struct assessment *d, int64_t *out_since)
{
	struct neighbour n;
	size_t named = 0;

	*out_since = assess_status(d)->since;
	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (!(n.flags & REF_NAMED))
			continue;
		if (n.presence != PRESENCE_FOUND)
			return false;
		named++;
		if (ready_since(&n) > *out_since)
			*out_since = ready_since(&n);
	}
	/* the controller polls OpenStack by itself, so it needs no wake-up */
	return named > 0 && !str_contains(assess_status(d)->message, "OpenStack resource to be");
}

static void check_wake_up(struct assessment *d)
{
	bool unobserved = status_has_flag(assess_status(d), "spec-not-observed");
	int64_t since = assess_status(d)->since;
	bool asleep;

	if (unobserved)
		assess_since(d, 0);
	asleep = is_asleep(d, &since);
	if (!asleep && !unobserved)
		return;
	if (assess_now(d) - since < WAKE_UP) {
		assess_revisit(d, since + WAKE_UP);
		return;
	}
	become(d, &rows[asleep ? SLEEPS : UNSEEN]);
}

/* ---- what was never reconciled ------------------------------------------- */

static void check_untouched(struct assessment *d)
{
	int64_t young = assess_created(d) + thresholds.young;

	if (assess_created(d) == 0 || assess_now(d) >= young)
		return;
	assess_revisit(d, young);
	become(d, &rows[UNTOUCHED]);
}

/* ---- deletion ------------------------------------------------------------ */

/* The controller asks OpenStack to delete only when its own finalizer is the last one on the object. */
static bool is_last_step(struct assessment *d)
{
	const struct status *st = assess_status(d);

	return st->nfinalizers == 1 && orc_own_finalizer(assess_kind(d), st->finalizers[0]);
}

/* why: the message where the operator has none. */
static void cannot_go(struct assessment *d, const struct row *row, struct str why)
{
	const struct status *st = assess_status(d);

	table_assess(d, row, st->reason, st->message.len ? st->message : why);
}

static void check_needed_to_delete(struct assessment *d, const struct neighbour *n)
{
	bool found = n->presence == PRESENCE_FOUND;
	bool missing = n->presence == PRESENCE_MISSING || (!found && (n->flags & REF_REPORTED_MISSING));
	bool lost = found && refuses_guard(n);

	if (!missing && !lost)
		return;
	assess_wait(d, n, lost ? WAIT_DELETING : WAIT_MISSING, n->message);
	cannot_go(d, &rows[NEEDED], ARENA_JOIN(assess_arena(d), n->kind->kind, STR("/"), n->name, STR(" is needed for it")));
}

/* Returns true for an object that this one owns: it is deleted together with it and blocks nothing. */
static bool is_its_own(const struct assessment *d, const struct neighbour *n)
{
	for (size_t i = 0; i < n->status.nrefs; i++) {
		const struct ref *r = &n->status.refs[i];

		if (r->relation == RELATION_OWNS && str_eq(r->name, assess_name(d)) &&
		    str_eq(r->kind, assess_kind(d)->kind) && str_eq(r->group, assess_kind(d)->group))
			return true;
	}
	return false;
}

static bool is_wanted(struct assessment *d, struct str guard)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (n.presence == PRESENCE_FOUND && str_eq(n.guard, guard) && !is_its_own(d, &n))
			return true;
	return false;
}

/*
 * A guard is removed when the last object that refers to this one is deleted.  A guard without any such object stays
 * for ever.
 */
static void check_guards(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (assess_now(d) - assess_deleting(d) < thresholds.guard_grace)
		return;
	for (size_t i = 0; i < st->nfinalizers; i++) {
		struct str guard = st->finalizers[i], kind;

		if (orc_own_finalizer(assess_kind(d), guard) || !orc_finalizer(guard, &kind) ||
		    is_wanted(d, guard) ||
		    !assess_readable(d, ORC_GROUP, arena_str(assess_arena(d), kind).ptr,
				     assess_namespace(d)))
			continue;
		cannot_go(d, &rows[GUARDED],
			  ARENA_JOIN(assess_arena(d), guard, STR(": nothing refers to this object any more, and nobody removes it")));
		return;
	}
}

static void check_deletion(struct assessment *d)
{
	bool credential = str_is(assess_kind(d)->kind, "ApplicationCredential");
	struct neighbour n;

	check_guards(d);
	if (!is_last_step(d))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		for (size_t k = 0; needed_to_delete[k] && (k == 0 || credential); k++)
			if (str_is(n.via, needed_to_delete[k]))
				check_needed_to_delete(d, &n);
}

void orc_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (st->phase == PHASE_FAILED || st->phase == PHASE_READY)
		return;
	drop_waits(d);
	if (st->phase == PHASE_DELETING) {
		check_deletion(d);
		return;
	}
	add_waits(d);
	if (!is_under_way(assess_status(d)))
		return;
	wait_for_key(d);
	if (assess_status(d)->phase == PHASE_UNKNOWN)
		check_untouched(d);
	else if (assess_status(d)->phase != PHASE_WAITING)
		check_wake_up(d);
}
