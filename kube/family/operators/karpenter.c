/* SPDX-License-Identifier: Apache-2.0 */
/* Karpenter: nodes that are replaced on purpose are no trouble. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "NodePool", "spec.template.spec.nodeClassRef", NULL, "NodeClass", RELATION_NEEDS,
	  REF_BLOCKS | REF_CLUSTER, NULL },
	{ "NodeClaim", "spec.nodeClassRef", NULL, "NodeClass", RELATION_NEEDS,
	  REF_BLOCKS | REF_CLUSTER, NULL },
	{ "NodeClaim", "status.nodeName", "", "Node", RELATION_MANAGES, REF_CLUSTER, NULL },
	{ 0 },
};

static const struct cond_rule claim[] = {
	{ "InstanceTerminating", "True", NULL, NULL, PHASE_DELETING, SEVERITY_INFO },
	{ "DisruptionReason", "True", NULL, NULL, PHASE_MAINTENANCE, SEVERITY_INFO },
	{ "Disrupting", "True", NULL, NULL, PHASE_MAINTENANCE, SEVERITY_INFO },
	/* Drifted, Consolidatable, Empty, Expired: candidates for a replacement, and they serve */
	{ "Ready", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule pool[] = {
	{ "Ready", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule pool_trouble[] = {
	{ "NodeRegistrationHealthy", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .kind = "NodeClaim", .conditions = claim },
	{ .kind = "NodePool", .conditions = pool_trouble },
	{ .kind = "NodePool", .conditions = pool },
	{ 0 },
};

static const char *const groups[] = { "karpenter.sh", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_karpenter = {
	.name = "generic",
	.id = "karpenter",
	.title = "Karpenter",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
};
