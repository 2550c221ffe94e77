/* SPDX-License-Identifier: Apache-2.0 */
/* AWS controllers for Kubernetes: what they refer to must be synced first. */
#include "kube/family/generic/generic.h"

static const struct cond_rule resource[] = {
	{ "ACK.Terminal", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "ACK.ReferencesResolved", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "ACK.ReferencesResolved", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .conditions = resource },
	{ 0 },
};

static const char *const groups[] = { "services.k8s.aws", "*.services.k8s.aws", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_ack = {
	.name = "generic",
	.id = "ack",
	.title = "AWS controllers for Kubernetes",
	.groups = groups,
	.inspect = inspect,
};
