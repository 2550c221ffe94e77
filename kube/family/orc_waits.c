/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What OpenStack resource controller objects wait for.
 *
 * The message of Progressing has a wait a line (releases before 2.1 put "; "
 * between them).  The controller wakes up only when a dependency becomes
 * available, so the text may be old: phase 2 looks at what it names, and for
 * what no text names.
 */
#include "kube/family/orc.h"
#include "kube/status/thresholds.h"

/* What the conditions may be behind without a reason to worry. */
#define WAKE_UP SECONDS(60)

/* A Secret that is there without its key; the text does not name it. */
static const struct {
	const char *text, *via;
} missing_keys[] = {
	{ "User data secret does not contain", "spec.resource.userData.secretRef" },
	{ "Password secret does not contain", "spec.resource.passwordRef" },
	{ "Application credential secret does not contain", "spec.resource.secretRef" },
	{ NULL, NULL }
};

/* References that stand in the way of a deletion. */
static const char *const needed_to_delete[] = { ORC_CREDENTIALS, "spec.resource.userRef", NULL };

/* ---- the text ------------------------------------------------------------ */

/* Takes the next wait off *rest. */
static bool next_line(struct str *rest, struct str *out)
{
	size_t newline = str_find(*rest, '\n'), semicolon = str_find_str(*rest, "; ");
	size_t end = newline < semicolon ? newline : semicolon;

	if (rest->len == 0)
		return false;
	*out = str_trim(str_head(*rest, end));
	*rest = str_from(*rest, end + (end == newline ? 1 : 2));
	return true;
}

/* Takes "Waiting for <what> to be <goal>" apart. */
static bool parse_wait(struct str line, struct str *out_what, struct str *out_goal)
{
	struct str rest = str_from(line, sizeof("Waiting for ") - 1);
	size_t to_be = str_find_str(rest, " to be ");

	if (!str_starts(line, "Waiting for ") || to_be == rest.len)
		return false;
	*out_what = str_head(rest, to_be);
	*out_goal = str_from(rest, to_be + sizeof(" to be ") - 1);
	return true;
}

static bool is_goal(struct str goal)
{
	return str_is(goal, "created") || str_is(goal, "ready") || str_is(goal, "deleted") ||
	       str_is(goal, "updated");
}

static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')))
			return false;
	return s.len > 0;
}

static void wait_for_object(struct verdict *v, struct str line, struct str what, struct str goal)
{
	size_t slash = str_find(what, '/');
	struct str kind = str_head(what, slash), name = str_from(what, slash + 1);
	struct ref on = { .relation = RELATION_NEEDS, .flags = REF_NAMED, .message = line };

	if (!is_word(kind) || name.len == 0 || str_find(name, ' ') < name.len || !is_goal(goal))
		return;
	on.kind = orc_kind(kind);
	on.name = name;
	if (str_is(on.kind, "Secret"))
		on.flags |= REF_EXISTS;
	else
		on.group = STR(ORC_GROUP);
	if (str_is(goal, "created"))
		on.flags |= REF_SAYS_MISSING;
	verdict_waits_for(v, on);
}

/* Somebody has to make it in OpenStack. */
static void wait_for_somebody(struct verdict *v, const struct orc *o, struct str line)
{
	struct str name = json_str(o->object, "spec.import.filter.name");
	bool import = json_has(o->object, "spec.import");

	verdict_waits_external(v, (struct external_wait){
					  .state = WAIT_EXTERNAL,
					  .kind = STR("OpenStack"),
					  .name = name.len ? name : verdict_name(v),
					  .via = import ? STR("spec.import") : STR_NONE,
					  .message = line,
				  });
}

static void wait_line(struct verdict *v, const struct orc *o, struct str line)
{
	struct str what, goal;

	if (str_is(line, "Waiting for glance image content to be uploaded externally"))
		wait_for_somebody(v, o, line);
	else if (!parse_wait(line, &what, &goal))
		return;
	else if (str_is(what, "OpenStack resource") && str_is(goal, "created externally"))
		wait_for_somebody(v, o, line);
	else
		wait_for_object(v, line, what, goal);
}

void orc_waits(struct verdict *v, const struct orc *o)
{
	const struct condition *p = o->progressing;
	struct str rest, line;

	/* an error hides the waits; those of another generation may name what is named no more */
	if (!condition_is(p, "True") || !str_is(p->reason, "Progressing") ||
	    (!o->fresh && !verdict_deleting(v)))
		return;
	rest = p->message;
	while (next_line(&rest, &line))
		wait_line(v, o, line);
}

/* ---- with the neighbours ------------------------------------------------- */

static bool has_flag(const struct status *st, const char *flag)
{
	for (size_t i = 0; i < st->nflags; i++)
		if (str_is(st->flags[i], flag))
			return true;
	return false;
}

static bool has_finalizer(const struct status *st, struct str finalizer)
{
	for (size_t i = 0; i < st->nfinalizers; i++)
		if (str_eq(st->finalizers[i], finalizer))
			return true;
	return false;
}

static const struct condition *condition_of(const struct status *st, const char *type)
{
	for (size_t i = 0; i < st->nconditions; i++)
		if (str_is(st->conditions[i].type, type))
			return &st->conditions[i];
	return NULL;
}

static enum severity at_least(enum severity a, enum severity b)
{
	return a > b ? a : b;
}

static void become(struct derivation *d, enum phase phase, enum severity severity)
{
	const struct status *st = derive_status(d);

	derive_set(d, phase, at_least(st->severity, severity), st->reason, st->message);
}

static bool is_under_way(const struct status *st)
{
	return st->phase == PHASE_PROVISIONING || st->phase == PHASE_UPDATING ||
	       st->phase == PHASE_WAITING || (st->phase == PHASE_UNKNOWN && st->nconditions == 0);
}

static void wait_for(struct derivation *d, const struct neighbour *n, struct str message)
{
	derive_wait(d, n, n->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY, message);
	become(d, PHASE_WAITING, SEVERITY_INFO);
}

/* For this operator only Available counts, whatever else is said of the object. */
static bool is_unavailable(const struct derivation *d, const struct neighbour *n)
{
	return n->presence == PRESENCE_FOUND && !n->deleting && (n->flags & REF_BLOCKS) &&
	       !(n->flags & REF_EXISTS) && str_eq(n->kind->group, derive_kind(d)->group) &&
	       !condition_is(condition_of(&n->status, "Available"), "True");
}

static void wait_for_unavailable(struct derivation *d)
{
	struct neighbour n;

	for (size_t i = 0; derive_target(d, i, &n); i++)
		if (is_unavailable(d, &n))
			wait_for(d, &n, n.message);
}

static void wait_for_target(struct derivation *d, const char *via, struct str message)
{
	struct neighbour n;

	for (size_t i = 0; derive_target(d, i, &n); i++)
		if (str_is(n.via, via))
			wait_for(d, &n, message);
}

static void wait_for_key(struct derivation *d)
{
	struct str rest = derive_status(d)->message, line;

	while (next_line(&rest, &line))
		for (size_t k = 0; missing_keys[k].text; k++)
			if (str_starts(line, missing_keys[k].text))
				wait_for_target(d, missing_keys[k].via, line);
}

/* All that the text names is there and ready, and yet nothing happens. */
static bool is_asleep(struct derivation *d, int64_t *out_since)
{
	struct neighbour n;
	size_t named = 0;

	*out_since = derive_status(d)->since;
	for (size_t i = 0; derive_target(d, i, &n); i++) {
		if (!(n.flags & REF_NAMED))
			continue;
		if (n.presence != PRESENCE_FOUND)
			return false;
		named++;
		if (n.status.since > *out_since)
			*out_since = n.status.since;
		if (n.created > *out_since)
			*out_since = n.created;
	}
	/* this one is polled */
	return named > 0 && !str_contains(derive_status(d)->message, "OpenStack resource to be");
}

static void check_wake_up(struct derivation *d)
{
	int64_t since = derive_status(d)->since;
	const char *flag = NULL;

	if (is_asleep(d, &since))
		flag = "lost-wake-up";
	else if (!has_flag(derive_status(d), "spec-not-observed"))
		return;
	if (derive_now(d) - since < WAKE_UP) {
		derive_revisit(d, since + WAKE_UP);
		return;
	}
	if (flag)
		derive_flag(d, flag);
	become(d, derive_status(d)->phase, SEVERITY_WARNING);
}

/* ---- what was never reconciled ------------------------------------------- */

static void check_untouched(struct derivation *d)
{
	int64_t young = derive_created(d) + YOUNG;

	if (derive_created(d) == 0 || derive_now(d) >= young)
		return;
	derive_revisit(d, young);
	become(d, PHASE_PROVISIONING, SEVERITY_INFO);
}

/* ---- deletion ------------------------------------------------------------ */

/* OpenStack is asked only when the object's own finalizer is the last one. */
static bool is_last_step(struct derivation *d)
{
	const struct status *st = derive_status(d);

	return st->nfinalizers == 1 && orc_own_finalizer(derive_kind(d), st->finalizers[0]);
}

static void check_needed_to_delete(struct derivation *d, const struct neighbour *n)
{
	bool found = n->presence == PRESENCE_FOUND;
	bool missing = n->presence == PRESENCE_MISSING || (!found && (n->flags & REF_SAYS_MISSING));
	/* one that is going cannot be guarded any more */
	bool lost = found && n->deleting && !has_finalizer(&n->status, n->guard);

	if (!missing && !lost)
		return;
	derive_wait(d, n, lost ? WAIT_DELETING : WAIT_MISSING, n->message);
	become(d, PHASE_DELETING, SEVERITY_ERROR);
}

static void check_deletion(struct derivation *d)
{
	bool credential = str_is(derive_kind(d)->kind, "ApplicationCredential");
	struct neighbour n;

	if (!is_last_step(d))
		return;
	for (size_t i = 0; derive_target(d, i, &n); i++)
		for (size_t k = 0; needed_to_delete[k] && (k == 0 || credential); k++)
			if (str_is(n.via, needed_to_delete[k]))
				check_needed_to_delete(d, &n);
}

void orc_derive(struct derivation *d)
{
	const struct status *st = derive_status(d);

	if (st->phase == PHASE_DELETING) {
		check_deletion(d);
		return;
	}
	if (!is_under_way(st))
		return;
	wait_for_unavailable(d);
	wait_for_key(d);
	if (derive_status(d)->phase == PHASE_UNKNOWN)
		check_untouched(d);
	else if (derive_status(d)->phase != PHASE_WAITING)
		check_wake_up(d);
}
