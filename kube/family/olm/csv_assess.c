/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phase 2 of a ClusterServiceVersion: the two versions of an upgrade, and the states without an end that olm-operator
 * writes only to its log.
 */
#include "kube/family/olm/olm.h"

static bool is_kind(const struct neighbour *n, const char *kind)
{
	return n->presence == PRESENCE_FOUND && str_is(n->kind->kind, kind);
}

static bool word_is(const struct status *st, const char *word)
{
	return str_is(st->operator_phase, word);
}

static bool is_leaving(const struct status *st)
{
	return word_is(st, "Replacing") || word_is(st, "BeingReplaced") ||
	       word_is(st, "Deleting") || st->phase == PHASE_DELETING;
}

/* A version that is being replaced shows itself as "from". */
static struct str own_version(const struct status *st)
{
	return is_leaving(st) && st->version_from.len ? st->version_from : st->version_to;
}

static void show_way(struct assessment *d, struct str from, struct str to)
{
	assess_version(d, str_eq(from, to) ? STR_NONE : from, to);
}

static bool predecessor(struct assessment *d, struct neighbour *out)
{
	for (size_t i = 0; assess_target(d, i, out); i++)
		if (out->relation == RELATION_REPLACES && out->presence == PRESENCE_FOUND)
			return true;
	return false;
}

bool olm_replaces_any(const struct status *st)
{
	for (size_t i = 0; i < st->nrefs; i++)
		if (st->refs[i].relation == RELATION_REPLACES)
			return true;
	return false;
}

/*
 * Returns true for a version of the same package that does not say what it replaces, as in the examples of the
 * proposal.
 */
static bool may_succeed(struct assessment *d, const struct neighbour *n)
{
	struct str package = olm_package_in_name(n->name);

	return package.len && str_eq(package, olm_package_in_name(assess_name(d))) &&
	       !str_eq(n->name, assess_name(d)) && !is_leaving(&n->status) &&
	       !olm_replaces_any(&n->status);
}

/*
 * Finds the successor: the version that says that it replaces this one, else the one that this one's message names,
 * else one that may be it.
 */
static bool successor(struct assessment *d, struct neighbour *out)
{
	size_t at = 0;

	for (size_t i = 0; assess_referrer(d, i, out); i++)
		if (out->relation == RELATION_REPLACES && out->presence == PRESENCE_FOUND) {
			out->via = STR("status.message");
			return true;
		}
	if (olm_target_via(d, "status.message", out) && is_kind(out, "ClusterServiceVersion"))
		return true;
	while (olm_next_peer(d, "ClusterServiceVersion", &at, out))
		if (may_succeed(d, out)) {
			out->via = STR("status.version");
			return true;
		}
	return false;
}

/* ---- the way out: Replacing ---------------------------------------------- */

/*
 * That there is no successor means something only where other objects of this kind, or their names for it, are known.
 */
static bool others_are_known(struct assessment *d)
{
	struct neighbour at, other;
	size_t seen = 0;

	if (olm_target_via(d, "status.message", &at))
		for (size_t i = 0; assess_referrer_of(d, &at, i, &other); i++)
			if (is_kind(&other, "Subscription") || is_kind(&other, "InstallPlan"))
				return true;
	while (olm_next_peer(d, "ClusterServiceVersion", &seen, &other))
		if (!str_eq(other.name, assess_name(d)))
			return true;
	return false;
}

enum { NOT_REPLACED, REPLACES };

static const struct row rows[] = {
	[NOT_REPLACED] = { "it is to be replaced, and nothing replaces it", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL,
			   .flag = "dead:no-replacement", .rule = "status.phase Replacing, and nothing that replaces it" },
	[REPLACES] = { "it replaces another version", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ 0 }
};

static void assess_leaving(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour next;
	bool failed;

	if (successor(d, &next)) {
		failed = word_is(&next.status, "Failed");
		show_way(d, own_version(st), own_version(&next.status));
		/* this version serves, and moves on while its successor does */
		if (st->phase == PHASE_UPDATING && failed)
			olm_assess_waiting(d, &next, SEVERITY_ERROR);
		else if (st->phase == PHASE_UPDATING && next.status.phase == PHASE_WAITING)
			assess_wait(d, &next, WAIT_NOT_READY, next.status.message);
	} else if (word_is(st, "Replacing") && others_are_known(d)) {
		table_assess(d, &rows[NOT_REPLACED], st->reason, st->message);
	}
}

/* ---- the way in ---------------------------------------------------------- */

static void assess_upgrade(struct assessment *d, const struct neighbour *old)
{
	const struct status *st = assess_status(d);

	if (st->phase == PHASE_READY)
		return;
	if (st->version_from.len == 0)
		show_way(d, own_version(&old->status), st->version_to);
	if (st->phase == PHASE_PROVISIONING)
		row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message, .rule = st->rule, .level = st->severity },
			    &rows[REPLACES]);
}

/* An InstallPlan that has made this CSV and is complete makes nothing again. */
static bool plan_is_complete(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (is_kind(&n, "InstallPlan") && word_is(&n.status, "Complete"))
			return true;
	return false;
}

/* Operators may depend on each other: the CRD comes with another CSV that is not installed yet. */
static void assess_provider(struct assessment *d, const struct neighbour *crd)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, crd, i, &n); i++)
		if (is_kind(&n, "ClusterServiceVersion") && n.relation == RELATION_MANAGES &&
		    n.status.phase != PHASE_READY && !status_has_flag(&n.status, "copied")) {
			n.via = crd->via;
			olm_assess_waiting(d, &n, SEVERITY_INFO);
		}
}

static void assess_requirement(struct assessment *d, const struct neighbour *n)
{
	bool says_missing = n->flags & REF_REPORTED_MISSING;
	bool held = str_is(n->kind->kind, "OperatorCondition");

	/* the object exists and is still not as it has to be: only the status knows why */
	if (!says_missing && n->presence == PRESENCE_FOUND && !held)
		olm_assess_waiting(d, n, SEVERITY_INFO);
	if (!says_missing || n->presence == PRESENCE_FOUND ||
	    !str_is(n->kind->kind, "CustomResourceDefinition"))
		return;
	if (n->relation != RELATION_MANAGES) {
		assess_provider(d, n);
	} else if (plan_is_complete(d)) {
		assess_flag(d, "dead:plan-complete-crd-missing");
		olm_assess_waiting(d, n, SEVERITY_ERROR);
	}
}

/*
 * All requirements are met, and still nothing happens: while the old version is not Replacing yet, olm-operator returns
 * without a word in the status.
 */
static void assess_stuck(struct assessment *d, const struct neighbour *old)
{
	if (is_leaving(&old->status) || old->status.phase == PHASE_READY)
		return;
	if (!word_is(&old->status, "Failed")) {
		olm_assess_waiting(d, old, SEVERITY_INFO);
	} else if (!olm_fails_forward(d)) {
		assess_flag(d, "dead:replaced-csv-failed");
		olm_assess_waiting(d, old, SEVERITY_ERROR);
		assess_rule(d, STR("replaces a ClusterServiceVersion that is Failed"));
	}
}

static void assess_pending(struct assessment *d, const struct neighbour *old)
{
	bool met = assess_status(d)->nexternal == 0;
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (!(n.flags & REF_NAMED))
			continue;
		met = false;
		assess_requirement(d, &n);
	}
	if (met && old)
		assess_stuck(d, old);
}

/* ---- Failed for its OperatorGroup ---------------------------------------- */

/*
 * The installation goes on by itself when there is exactly one OperatorGroup, so the failure counts only while that is
 * not so.
 */
static void assess_groups(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour group;
	size_t n;

	if (st->phase != PHASE_FAILED)
		return;
	n = olm_count_groups(d, &group);
	if (str_is(st->reason, "NoOperatorGroup") && n == 0)
		olm_share(d);
	else if (str_is(st->reason, "TooManyOperatorGroups") && n > 1)
		olm_wait_for_groups(d);
}

/* ---- beside it ----------------------------------------------------------- */

static void assess_badges(struct assessment *d)
{
	bool subscribed = false, held = false;
	struct neighbour n;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		subscribed |= is_kind(&n, "Subscription");
		held |= is_kind(&n, "OperatorCondition") && str_eq(n.name, assess_name(d)) &&
			status_has_flag(&n.status, "not-upgradeable");
	}
	if (held)
		assess_flag(d, "not-upgradeable");
	if (!subscribed && !is_leaving(assess_status(d)) &&
	    assess_readable(d, OLM_GROUP, "Subscription", assess_namespace(d)))
		assess_flag(d, "unmanaged");
}

static void assess_cleanup(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (str_starts(n.via, OLM_CLEANUP) && n.presence == PRESENCE_FOUND)
			assess_wait(d, &n, WAIT_DELETING, STR_NONE);
}

void olm_csv_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour old;
	bool replaces;

	if (status_has_flag(st, "copied"))
		return;
	if (st->phase == PHASE_DELETING)
		assess_cleanup(d);
	if (is_leaving(st)) {
		assess_leaving(d);
		return;
	}
	replaces = predecessor(d, &old);
	if (replaces)
		assess_upgrade(d, &old);
	if (word_is(st, "Pending"))
		assess_pending(d, replaces ? &old : NULL);
	assess_groups(d);
	assess_badges(d);
}
