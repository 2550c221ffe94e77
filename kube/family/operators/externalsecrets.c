/* SPDX-License-Identifier: Apache-2.0 */
/* External Secrets: secrets wait for their store. */
#include "kube/family/generic/generic.h"

#define GROUP "external-secrets.io"

static const struct ref_rule refs[] = {
	{ "ExternalSecret", "spec.secretStoreRef", GROUP, "SecretStore", RELATION_NEEDS,
	  REF_BLOCKS | REF_CLUSTER_TWIN, NULL },
	{ "PushSecret", "spec.secretStoreRefs[]", GROUP, "SecretStore", RELATION_NEEDS,
	  REF_BLOCKS | REF_CLUSTER_TWIN, NULL },
	{ "PushSecret", "spec.selector.secret", "", "Secret", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	/* it makes this one */
	{ "ExternalSecret", "spec.target.name", "", "Secret", RELATION_MANAGES, REF_EXISTS, NULL },
	{ 0 },
};

/* Some namespaces are served, some are not. */
static const struct cond_rule many[] = {
	{ "PartiallyReady", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .kind = "ClusterExternalSecret", .conditions = many },
	{ 0 },
};

static const char *const groups[] = { GROUP, NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ NULL, NULL, "external-secrets", "external-secrets", NULL },
	{ 0 },
};

const struct family family_externalsecrets = {
	.name = "generic",
	.id = "externalsecrets",
	.title = "External Secrets",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
