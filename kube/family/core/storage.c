/* SPDX-License-Identifier: Apache-2.0 */
/* Claims of volumes and devices; volumes, their attachments and classes. */
#include "kube/family/core/core.h"

#include "kube/status/thresholds.h"

/* ---- PersistentVolumeClaim ----------------------------------------------- */

static const struct cond_rule resize_rules[] = {
	{ "ControllerResizeError", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "NodeResizeError", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "ModifyVolumeError", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Resizing", "True", NULL, NULL, PHASE_SCALING, SEVERITY_INFO },
	{ "FileSystemResizePending", "True", NULL, NULL, PHASE_SCALING, SEVERITY_INFO },
	{ "ModifyingVolume", "True", NULL, NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ 0 }
};

/* A size that the storage cannot provide is not tried again. */
static bool resize_infeasible(struct verdict *v)
{
	struct json states = json_at(verdict_object(v), "status.allocatedResourceStatuses");
	struct str modify = json_str(verdict_object(v), "status.modifyVolumeStatus.status");

	json_foreach(state, states) if (str_ends(json_str(state, ""), "Infeasible"))
	{
		verdict_set(v, PHASE_DEGRADED, SEVERITY_ERROR, json_str(state, ""), STR_NONE);
		verdict_rule(v, STR("status.allocatedResourceStatuses"));
		return true;
	}
	if (!str_is(modify, "Infeasible"))
		return false;
	verdict_set(v, PHASE_DEGRADED, SEVERITY_ERROR, modify, STR_NONE);
	verdict_rule(v, STR("status.modifyVolumeStatus"));
	return true;
}

/*
 * A class makes volumes.  A claim that names its volume needs no volume made, and its class may be just a name that the
 * volume has, too (kubernetes.io/docs: persistent-volumes, "Class").
 */
static void claim_class(struct verdict *v)
{
	bool has_volume = json_str(verdict_object(v), "spec.volumeName").len > 0;

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_EXISTS | REF_CLUSTER | (has_volume ? 0 : REF_BLOCKS),
				     .group = STR("storage.k8s.io"),
				     .kind = STR("StorageClass"),
				     .name = json_str(verdict_object(v), "spec.storageClassName"),
				     .via = STR("spec.storageClassName") });
}

static void claim(struct verdict *v)
{
	struct str phase = json_str(verdict_object(v), "status.phase");

	claim_class(v);

	if (str_is(phase, "Bound")) {
		core_ready(v, "status.phase Bound");
		if (!resize_infeasible(v))
			verdict_by_conditions(v, resize_rules);
	} else if (str_is(phase, "Lost")) {
		verdict_set(v, PHASE_FAILED, SEVERITY_ERROR, STR_NONE, STR_NONE);
		verdict_rule(v, STR("status.phase Lost"));
	} else if (str_is(phase, "Pending")) {
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
		verdict_since(v, verdict_created(v));
		verdict_rule(v, STR("status.phase Pending"));
	} else if (phase.len == 0) {
		core_never_reconciled(v);
	} else {
		verdict_rule(v, STR("status.phase"));
	}
	verdict_word(v, phase);
}

/* ---- PersistentVolume ---------------------------------------------------- */

static const struct word_rule volume_phases[] = {
	{ "Available", NULL, PHASE_READY, SEVERITY_NONE },
	{ "Bound", NULL, PHASE_READY, SEVERITY_NONE },
	/* the claim was deleted; with policy Retain the volume stays until somebody deletes it */
	{ "Released", NULL, PHASE_READY, SEVERITY_NONE },
	{ "Pending", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Failed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 }
};

static void volume(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	struct str phase = json_str(status, "phase"), reason = json_str(status, "reason");

	if (phase.len == 0) {
		core_never_reconciled(v);
		return;
	}
	if (verdict_by_word(v, phase, reason, volume_phases))
		verdict_set(v, verdict_phase(v), verdict_severity(v), reason,
			    json_str(status, "message"));
	verdict_word(v, phase);
	verdict_since(v, json_time(status, "lastPhaseTransitionTime"));
	verdict_rule(v, arena_printf(verdict_arena(v), "status.phase " STR_FMT, STR_ARG(phase)));
	if (str_is(phase, "Released"))
		verdict_flag(v, "released");
}

/* ---- VolumeAttachment, StorageClass -------------------------------------- */

static bool attachment_error(struct verdict *v, const char *field)
{
	struct json error = json_at(json_at(verdict_object(v), "status"), field);

	if (!json_has(error, "message"))
		return false;
	verdict_set(v, verdict_deleting(v) ? PHASE_DELETING : PHASE_FAILED, SEVERITY_WARNING,
		    STR_NONE, json_str(error, "message"));
	verdict_since(v, json_time(error, "time"));
	verdict_rule(v, arena_printf(verdict_arena(v), "status.%s", field));
	return true;
}

static void attachment(struct verdict *v)
{
	if (attachment_error(v, verdict_deleting(v) ? "detachError" : "attachError"))
		return;
	if (json_bool(verdict_object(v), "status.attached", false)) {
		core_ready(v, "status.attached");
		return;
	}
	verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	verdict_since(v, verdict_created(v));
	verdict_rule(v, STR("status.attached is not true"));
}

/* The claims of such a class wait for a pod: phase 2 of the claims reads this flag. */
static void storage_class(struct verdict *v)
{
	core_ready(v, "a kind without status");
	if (str_is(json_str(verdict_object(v), "volumeBindingMode"), "WaitForFirstConsumer"))
		verdict_flag(v, "WaitForFirstConsumer");
}

/* ---- ResourceClaim: devices, which are claimed as volumes are ------------- */

static void device_claim(struct verdict *v)
{
	if (json_has(verdict_object(v), "status.allocation")) {
		core_ready(v, "status.allocation is there");
		return;
	}
	verdict_set(v, PHASE_WAITING, SEVERITY_INFO, STR_NONE, STR_NONE);
	verdict_since(v, verdict_created(v));
	verdict_rule(v, STR("status.allocation is absent: made when a pod that uses it is "
			    "scheduled"));
	verdict_waits_external(v, (struct external_wait){ .state = WAIT_EXTERNAL,
							  .kind = STR("Pod"),
							  .name = STR("scheduled"),
							  .via = STR("status.allocation") });
}

const struct core_kind core_storage_kinds[] = { { "PersistentVolumeClaim", claim },
						{ "PersistentVolume", volume },
						{ "VolumeAttachment", attachment },
						{ "StorageClass", storage_class },
						{ "ResourceClaim", device_claim },
						{ 0 } };
