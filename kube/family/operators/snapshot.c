/* SPDX-License-Identifier: Apache-2.0 */
/* The external snapshotter: a claim stays until what is made from it is made. */
#include "kube/family/generic/generic.h"

/* kubernetes-csi/external-snapshotter pkg/common-controller: isPVCBeingUsed() */
static void keeps_its_source(struct verdict *v)
{
	if (json_bool(verdict_object(v), "status.readyToUse", false))
		return;
	verdict_ref(v, (struct ref){
			       .relation = RELATION_GUARDS,
			       .kind = STR("PersistentVolumeClaim"),
			       .name = json_str(verdict_object(v),
						"spec.source.persistentVolumeClaimName"),
			       .via = STR("spec.source.persistentVolumeClaimName"),
			       .guard = STR("snapshot.storage.kubernetes.io/"
					    "pvc-as-source-protection"),
		       });
}

static const struct generic_kind rows[] = {
	{ .kind = "VolumeSnapshot", .more = keeps_its_source },
	{ 0 },
};

static const char *const groups[] = { "snapshot.storage.k8s.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_snapshot = {
	.name = "generic",
	.id = "snapshot",
	.title = "Volume snapshots",
	.groups = groups,
	.inspect = inspect,
};
