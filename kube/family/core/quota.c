/* SPDX-License-Identifier: Apache-2.0 */
/* Quotas and limits; whom they refuse: kube/graph/refused.c. */
#include "kube/family/core/core.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/base/quantity.h"

/* ---- phase 1 ---------------------------------------------------------------- */

#define NEARLY_ALL 0.9	/* of what may be used: with more than this, it is told before somebody is refused */

/* Returns which part of a limit is used.  A limit of zero forbids something; nothing of it is used. */
static double share_used(struct json hard, struct json used)
{
	double limit = quantity_read(json_str(hard, "")), now = quantity_read(json_str(used, ""));

	return limit > 0 ? now / limit : 0;
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
		struct json one = used_of(hard, used, &at, &searches);
		double share = share_used(hard, one);

		if (share > NEARLY_ALL)
			verdict_nearly_used(v, ARENA_JOIN(verdict_arena(v), json_key(hard), STR(" "), json_str(one, ""), STR(" of "), json_str(hard, "")));
		if (share < 1)
			continue;
		verdict_flag(v, "exhausted");
		r.rule = ARENA_JOIN(verdict_arena(v), STR("status.used."), json_key(hard), STR(" reaches status.hard"));
		r.is = USED_UP;
	}
	if (!json_has(verdict_object(v), "status.hard") && json_has(verdict_object(v), "spec.hard"))
		r.is = UNCOUNTED;
	table_decide(&r, rows);
}

static void limit_range(struct verdict *v)
{
	core_is_there(v, NULL);
	/* the words of a refusal do not name the limits: they are found by this name */
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN, .kind = STR("LimitRanges"), .name = STR("all"),
				     .via = STR("metadata.namespace") });
}

const struct core_kind core_quota_kinds[] = {
	{ .kind = "ResourceQuota", .inspect = quota },
	{ .kind = "LimitRange", .inspect = limit_range },
	{ 0 }
};
