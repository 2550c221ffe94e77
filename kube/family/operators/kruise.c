/* SPDX-License-Identifier: Apache-2.0 */
/* OpenKruise: a partition holds a rollout until somebody moves it. */
#include "kube/family/generic/generic.h"

static int64_t first_number(struct json object, const char *const *paths)
{
	for (; *paths; paths++)
		if (json_int(object, *paths, -1) >= 0)
			return json_int(object, *paths, -1);
	return -1;
}

/* All that the partition lets through is updated, and the rest stays behind. */
static void partition_more(struct verdict *v)
{
	static const char *const partitions[] = { "spec.updateStrategy.partition",
						  "spec.updateStrategy.rollingUpdate.partition",
						  NULL };
	static const char *const wants[] = { "spec.replicas", "status.desiredNumberScheduled",
					     NULL };
	static const char *const updates[] = { "status.updatedReplicas",
					       "status.updatedNumberScheduled", NULL };
	int64_t partition = first_number(verdict_object(v), partitions);
	int64_t wanted = first_number(verdict_object(v), wants);
	int64_t updated = first_number(verdict_object(v), updates);

	if (verdict_phase(v) == PHASE_FAILED || verdict_phase(v) == PHASE_DEGRADED ||
	    partition <= 0 || updated < 0 || updated >= wanted || updated < wanted - partition)
		return;
	verdict_set(v, PHASE_SUSPENDED, SEVERITY_INFO, STR_NONE, STR_NONE);
	verdict_rule(v, STR("the partition of spec.updateStrategy"));
}

static const struct generic_kind rows[] = {
	{ .kind = "CloneSet", .more = partition_more },
	{ .kind = "StatefulSet", .more = partition_more },
	{ .kind = "DaemonSet", .more = partition_more },
	{ 0 },
};

static const char *const groups[] = { "apps.kruise.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_kruise = {
	.name = "generic",
	.id = "kruise",
	.title = "OpenKruise",
	.groups = groups,
	.inspect = inspect,
};
