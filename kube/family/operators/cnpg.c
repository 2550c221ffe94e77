/* SPDX-License-Identifier: Apache-2.0 */
/* CloudNativePG: its phases are sentences, and backups and archives are part of the promise. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "Backup", "spec.cluster", NULL, "Cluster", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "ScheduledBackup", "spec.cluster", NULL, "Cluster", RELATION_NEEDS, 0, NULL },
	{ "Pooler", "spec.cluster", NULL, "Cluster", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Database", "spec.cluster", NULL, "Cluster", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Publication", "spec.cluster", NULL, "Cluster", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Subscription", "spec.cluster", NULL, "Cluster", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Cluster", "spec.imageCatalogRef", NULL, "ImageCatalog", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS | REF_CLUSTER_TWIN, NULL },
	{ 0 },
};

static const struct word_rule phases[] = {
	{ "Waiting for user action", NULL, PHASE_WAITING, SEVERITY_INFO },
	{ "Cluster upgrade delayed", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "Creating a new replica", NULL, PHASE_SCALING, SEVERITY_INFO },
	{ "Failing over", NULL, PHASE_UPDATING, SEVERITY_WARNING },
	{ "Not enough disk space", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Cluster is in an unrecoverable state, needs manual intervention", NULL, PHASE_FAILED,
	  SEVERITY_ERROR },
	{ 0 },
};

static const struct cond_rule cluster[] = {
	{ "cnpg.io/hibernation", "True", NULL, NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "ContinuousArchiving", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "LastBackupSucceeded", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

/* It restarts the primary only when it is told to. */
static void cluster_more(struct verdict *v)
{
	if (verdict_phase(v) != PHASE_WAITING)
		return;
	verdict_waits_external(v,
			       (struct external_wait){ .state = WAIT_APPROVAL,
						       .kind = STR("Restart"),
						       .name = verdict_name(v),
						       .via = STR("spec.primaryUpdateStrategy") });
}

static const struct generic_kind rows[] = {
	{ .kind = "Cluster", .word = "status.phase", .words = phases, .more = cluster_more },
	{ .kind = "Cluster", .conditions = cluster },
	{ .kind = "ScheduledBackup", .static_kind = true },
	{ .kind = "Pooler", .static_kind = true },
	{ .kind = "ImageCatalog", .static_kind = true },
	{ .kind = "ClusterImageCatalog", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "postgresql.cnpg.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ NULL, NULL, "cnpg-system", "cnpg-controller-manager", NULL },
	{ 0 },
};

const struct family family_cnpg = {
	.name = "generic",
	.id = "cnpg",
	.title = "CloudNativePG",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
