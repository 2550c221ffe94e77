/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas and limits, and who is refused because of them. */
#include "kube/family/core/core.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"

/* ---- phase 1 ---------------------------------------------------------------- */

/* A limit of zero forbids something; it is not used up. */
static bool is_used_up(struct json hard, struct json used)
{
	double limit = core_quantity(json_str(hard, "")), now = core_quantity(json_str(used, ""));

	return limit > 0 && now >= limit;
}

/* Writes "pods=10,cpu=4,". */
static struct str quota_limits(struct verdict *v)
{
	struct buf text = { 0 };

	json_foreach(hard, json_at(verdict_object(v), "spec.hard"))
		BUF_JOIN(&text, json_key(hard), STR("="), json_str(hard, ""), STR(","));
	return arena_take(verdict_arena(v), &text);
}

/*
 * Returns the member of used that belongs to the member of hard.  The API server writes both in the same order, so *at
 * is where it stands then; members in another order are searched for, up to a limit.
 */
static struct json used_of(struct json hard, struct json used, struct json *at, int *searches)
{
	struct json found = *at;

	if (!found.node || !str_eq(json_key(found), json_key(hard)))
		return (*searches)-- > 0 ? json_member(used, json_key(hard)) : JSON_NONE;
	*at = json_next(found);
	return found;
}

enum { UNCOUNTED = 1, USED_UP = 2 };

static const struct row rows[] = {
	{ "its use is not counted yet", .is = UNCOUNTED, .then = OUTCOME_SILENCE },
	{ "it is used up", .is = USED_UP, .then = OUTCOME_READY },
	{ "its use is counted", .then = OUTCOME_READY, .rule = "status.used is counted" },
	{ 0 }
};

static void quota(struct verdict *v)
{
	struct reading r = { .v = v };
	struct json used = json_at(verdict_object(v), "status.used"), at = json_first(used);
	int searches = LIMIT_CONDITIONS;

	verdict_edited_by(v, quota_limits(v));
	json_foreach(hard, json_at(verdict_object(v), "status.hard"))
	{
		if (!is_used_up(hard, used_of(hard, used, &at, &searches)))
			continue;
		verdict_flag(v, "exhausted");
		r.rule = ARENA_JOIN(verdict_arena(v), STR("status.used."), json_key(hard), STR(" reaches status.hard"));
		r.is = USED_UP;
	}
	if (!json_has(verdict_object(v), "status.hard") && json_has(verdict_object(v), "spec.hard"))
		r.is = UNCOUNTED;
	table_decide(&r, rows);
}

/* The words of a refusal do not name the limits: those of the namespace are found by this name. */
static struct ref limits_of_namespace(void)
{
	return (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN, .kind = STR("LimitRanges"), .name = STR("all"),
			     .via = STR("metadata.namespace") };
}

static void limit_range(struct verdict *v)
{
	core_is_there(v, NULL);
	verdict_ref(v, limits_of_namespace());
}

/* kubernetes staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go */
struct str core_quota_named(struct str message)
{
	static const char words[] = "exceeded quota: ";
	struct str rest = str_from(message, str_find_str(message, words));

	rest = str_from(rest, sizeof(words) - 1);
	return str_head(rest, str_find(rest, ','));
}

/* kubernetes plugin/pkg/admission/limitranger/admission.go: "maximum memory usage per Container is 1Gi, but limit is 2Gi" */
static bool names_limit(struct str message)
{
	static const char *const per[] = { " usage per Container is ", " usage per Pod is ", " usage per PersistentVolumeClaim is ",
					   " limit to request ratio per ", NULL };

	return str_contains(message, "forbidden: ") && str_contains_any(message, per);
}

void core_names_limits(struct verdict *v, struct str message)
{
	if (names_limit(message))
		verdict_ref(v, limits_of_namespace());
}

/* ---- phase 2: who is refused --------------------------------------------------- */

static void wait_for_limits(struct assessment *d, struct str message)
{
	struct neighbour all, n;

	/* an Event has said it: nothing tells of the limits that are read after it */
	assess_revisit(d, assess_now(d) + MINUTES(1));
	if (!assess_find(d, "", "LimitRanges", assess_namespace(d), STR("all"), &all))
		return;
	for (size_t i = 0; assess_referrer_of(d, &all, i, &n); i++)
		if (core_is_kind(&n, "LimitRange") && n.presence == PRESENCE_FOUND)
			assess_wait(d, &n, WAIT_NOT_READY, message);
}

/* kubernetes staging/src/k8s.io/apimachinery/pkg/api/errors (NewForbidden); what a namespace lacks that ends is gone with it */
static bool is_forbidden(struct str message)
{
	return str_contains(message, " is forbidden: ") && !str_contains(message, "being terminated");
}

/* The words of the object, or of its Events, say that what it makes is refused. */
void core_refused(struct assessment *d)
{
	struct str message = assess_message(d), name = core_quota_named(message);
	enum phase phase = assess_status(d)->phase;
	struct neighbour quota;

	if (!phase_is_bad(phase) && !phase_under_way(phase))
		return;
	for (size_t at = 0; name.len == 0 && assess_next_target(d, "ResourceQuota", &at, &quota);)
		if (quota.message.len) {	/* a condition that did not decide */
			assess_wait(d, &quota, WAIT_NOT_READY, quota.message);
			return;
		}
	if (name.len && assess_find(d, "", "ResourceQuota", assess_namespace(d), name, &quota))
		assess_wait(d, &quota, WAIT_NOT_READY, message);
	else if (names_limit(message))
		wait_for_limits(d, message);
	else if (is_forbidden(message) && !assess_waits(d))
		assess_flag(d, "refused");
}

const struct core_kind core_quota_kinds[] = {
	{ .kind = "ResourceQuota", .inspect = quota },
	{ .kind = "LimitRange", .inspect = limit_range },
	{ 0 }
};
