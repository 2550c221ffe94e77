/* SPDX-License-Identifier: Apache-2.0 */
/* The vertical pod autoscaler: a recommendation is its goal, and how sure it is a detail. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "VerticalPodAutoscaler", "spec.targetRef", "apps", "Deployment", RELATION_NEEDS,
	  REF_EXISTS, NULL },
	{ 0 },
};

static const struct cond_rule autoscaler[] = {
	{ "ConfigUnsupported", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "NoPodsMatched", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "RecommendationProvided", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "RecommendationProvided", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .kind = "VerticalPodAutoscaler", .conditions = autoscaler },
	/* it keeps samples */
	{ .kind = "VerticalPodAutoscalerCheckpoint", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "autoscaling.k8s.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_vpa = {
	.name = "generic",
	.id = "vpa",
	.title = "Vertical pod autoscaler",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
};
