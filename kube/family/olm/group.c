/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OperatorGroup.  A namespace with operators has exactly one: with none or several of them OLM does nothing there.  So
 * they are counted, and the namespace is named as the one cause.
 */
#include "kube/family/olm/olm.h"

#include "kube/status/thresholds.h"

#define HOME "metadata.namespace"

/* ---- who lives in one namespace ------------------------------------------ */

void olm_meet(struct verdict *v, struct str message)
{
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = REF_CLUSTER | REF_HIDDEN,
		.kind = STR("Namespace"),
		.name = verdict_namespace(v),
		.via = STR(HOME),
		.message = message,
	});
}

bool olm_next_peer(struct assessment *d, const char *kind, size_t *at, struct neighbour *out)
{
	struct neighbour home;

	if (!olm_target_via(d, HOME, &home))
		return false;
	while (assess_referrer_of(d, &home, (*at)++, out))
		if ((out->flags & REF_HIDDEN) && str_is(out->kind->kind, kind) &&
		    str_is(out->kind->group, OLM_GROUP) && out->presence == PRESENCE_FOUND)
			return true;
	return false;
}

size_t olm_count_groups(struct assessment *d, struct neighbour *out)
{
	struct neighbour group;
	size_t at = 0, n = 0;

	while (olm_next_peer(d, "OperatorGroup", &at, &group))
		if (!group.deleting && n++ == 0)
			*out = group;
	return n;
}

/*
 * Returns true when a ClusterServiceVersion says so, or all groups were listed; in the latter case the group may still
 * come a moment after what needs it.
 */
bool olm_has_no_group(struct assessment *d)
{
	struct neighbour n;
	size_t at = 0;

	if (olm_count_groups(d, &n))
		return false;
	while (olm_next_peer(d, "ClusterServiceVersion", &at, &n))
		if (str_is(n.status.reason, "NoOperatorGroup"))
			return true;
	if (!assess_readable(d, OLM_GROUP, "OperatorGroup", assess_namespace(d)))
		return false;
	assess_revisit(d, assess_created(d) + thresholds.young);
	return assess_now(d) - assess_created(d) >= thresholds.young;
}

void olm_share(struct assessment *d)
{
	struct neighbour n;
	size_t subs = 0, csvs = 0, seen = 0;

	while (seen < 2 && olm_next_peer(d, "Subscription", &subs, &n))
		seen++;
	while (seen < 2 && olm_next_peer(d, "ClusterServiceVersion", &csvs, &n))
		seen++;
	if (seen > 1)
		assess_flag(d, OLM_NAMESPACE_WIDE);
}

void olm_wait_for_groups(struct assessment *d)
{
	struct neighbour group;
	size_t at = 0;

	while (olm_next_peer(d, "OperatorGroup", &at, &group))
		if (!group.deleting)
			assess_wait(d, &group, WAIT_FAILED, group.status.message);
}

static bool fails_forward(const struct neighbour *group)
{
	return str_is(group->kind->kind, "OperatorGroup") && group->presence == PRESENCE_FOUND &&
	       status_has_flag(&group->status, OLM_FAIL_FORWARD);
}

/* A CSV names its group; a Subscription does not, so its group is the one that exists. */
bool olm_fails_forward(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (fails_forward(&n))
			return true;
	return olm_count_groups(d, &n) == 1 && fails_forward(&n);
}

/* ---- one object alone ---------------------------------------------------- */

static void wait_for_account(struct reading *r)
{
	verdict_waits_for(r->v, (struct ref){
				     .flags = REF_NAMED | REF_REPORTED_MISSING | REF_EXISTS,
				     .kind = STR("ServiceAccount"),
				     .name = json_str(verdict_object(r->v), "spec.serviceAccountName"),
				     .via = STR("spec.serviceAccountName"),
				     .message = r->condition->message,
			     });
}

enum { REPORTED = 1 };

static const struct row rows[] = {
	{ "its namespace has another OperatorGroup", .type = "MultipleOperatorGroup", .status = "True", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "its ServiceAccount is missing", .type = "OperatorGroupServiceAccount", .status = "True", .then = OUTCOME_MOVEMENT,
	  .tell = wait_for_account },
	{ "the namespaces of the OperatorGroup are known", .is = REPORTED, .then = OUTCOME_READY },
	{ "nobody has looked at the OperatorGroup", .then = OUTCOME_SILENCE },
	{ 0 }
};

void olm_operator_group_inspect(struct verdict *v)
{
	static const char *const known[] = { "MultipleOperatorGroup", "OperatorGroupServiceAccount", NULL };
	struct json object = verdict_object(v), namespaces = json_at(object, "status.namespaces");
	struct reading r = { .v = v, .is = json_is_array(namespaces) || json_has(object, "status.lastUpdated") ? REPORTED : 0 };

	olm_meet(v, STR_NONE);
	verdict_polarity(v, "MultipleOperatorGroup", POLARITY_NEGATIVE);
	verdict_polarity(v, "OperatorGroupServiceAccount", POLARITY_NEGATIVE);
	if (str_is(json_str(object, "spec.upgradeStrategy"), "TechPreviewUnsafeFailForward"))
		verdict_flag(v, OLM_FAIL_FORWARD);
	if (json_count(namespaces) == 1 && json_str(namespaces, "[0]").len == 0)
		verdict_flag(v, "all-namespaces");
	table_decide(&r, rows);
	if (verdict_phase(v) != PHASE_READY)
		return;
	verdict_since(v, json_time(object, "status.lastUpdated"));
	olm_unknown_condition(v, known);
}

/* ---- among the others ---------------------------------------------------- */

static const struct row beside_rows[] = {
	{ "a namespace has one OperatorGroup", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL }, { 0 }
};

void olm_operator_group_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour first;
	size_t n = olm_count_groups(d, &first);

	if (n < 2 || assess_deleting(d))
		return;
	assess_flag(d, OLM_NAMESPACE_WIDE);
	if (st->phase == PHASE_FAILED)
		return;
	table_assess(d, beside_rows, STR("MultipleOperatorGroupsFound"),
		     ARENA_JOIN(assess_arena(d), arena_printf(assess_arena(d), "%zu", n), STR(" OperatorGroups in namespace "), assess_namespace(d)));
}
