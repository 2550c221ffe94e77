/* SPDX-License-Identifier: Apache-2.0 */
/* KEDA: to have nothing to do is fine. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "ScaledObject", "spec.scaleTargetRef", "apps", "Deployment", RELATION_NEEDS, REF_EXISTS,
	  NULL },
	{ NULL, "spec.triggers[].authenticationRef", NULL, "TriggerAuthentication", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS | REF_CLUSTER_TWIN, NULL },
	{ "ScaledObject", "status.hpaName", "autoscaling", "HorizontalPodAutoscaler",
	  RELATION_MANAGES, 0, NULL },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .kind = "TriggerAuthentication", .static_kind = true },
	{ .kind = "ClusterTriggerAuthentication", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "keda.sh", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ NULL, NULL, "keda", "keda-operator", NULL },
	{ 0 },
};

const struct family family_keda = {
	.name = "generic",
	.id = "keda",
	.title = "KEDA",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
