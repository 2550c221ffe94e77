/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes, their attachments and classes, and claims of devices. */
#include "kube/family/core/core.h"

#include <string.h>

/* ---- PersistentVolume ---------------------------------------------------- */

static const struct row volume_rows[] = {
	{ "nobody has written the state of the volume", .is = 1, .then = OUTCOME_SILENCE },
	/* the claim of a released one was deleted; with policy Retain the volume stays until somebody deletes it */
	{ "the volume is there", .word = "Available Bound Released", .then = OUTCOME_READY },
	{ "the volume is being made", .word = "Pending", .then = OUTCOME_MOVEMENT },
	{ "the volume has failed", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the state of the volume is not known", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

/* Operators of storage systems have an object of their own for each volume, whose rules name its handle (kube/rules/longhorn.yaml). */
static void tell_handle(struct verdict *v)
{
	struct json csi = json_at(verdict_object(v), "spec.csi");

	verdict_particular(v, "driver", json_str(csi, "driver"));
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN, .kind = STR(CORE_HANDLE), .name = json_str(csi, "volumeHandle"),
				     .via = STR("spec.csi.volumeHandle") });
}

/* What a claim that looks for a volume compares with what it asks. */
static void tell_claims(struct verdict *v, struct str phase)
{
	struct json spec = json_at(verdict_object(v), "spec"), claim = json_at(spec, "claimRef");
	struct arena *a = verdict_arena(v);

	if (json_has(claim, "name"))
		verdict_particular(v, "claim", ARENA_JOIN(a, json_str(claim, "namespace"), STR("/"), json_str(claim, "name")));
	json_foreach(term, json_at(spec, "nodeAffinity.required.nodeSelectorTerms"))
		json_foreach(e, json_at(term, "matchExpressions"))
		{
			struct str value = json_str(json_first(json_at(e, "values")), "");

			verdict_particular(v, "node-label", ARENA_JOIN(a, json_str(e, "key"), STR("="), value));
			/* on most clusters nodes are called as that label says */
			if (str_is(json_str(e, "key"), "kubernetes.io/hostname"))
				verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN | REF_CLUSTER, .kind = STR("Node"), .name = value,
							     .via = STR("spec.nodeAffinity") });
		}
	if (!str_is(phase, "Bound"))
		core_tell_volume(v, "spec.capacity.storage", "metadata.labels");
}

static void volume(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	struct str phase = json_str(status, "phase");
	struct reading r = { .v = v, .is = phase.len == 0, .word = phase, .reason = json_str(status, "reason"), .message = json_str(status, "message") };

	tell_claims(v, phase);
	tell_handle(v);
	if (phase.len) {
		r.since = json_time(status, "lastPhaseTransitionTime");
		r.rule = ARENA_JOIN(verdict_arena(v), STR("status.phase "), phase);
	}
	table_decide(&r, volume_rows);
	if (str_is(phase, "Released"))
		verdict_flag(v, "released");
}

/* ---- VolumeAttachment, StorageClass -------------------------------------- */

static bool has_error(struct reading *r, const char *field)
{
	struct json error = json_at(json_at(verdict_object(r->v), "status"), field);

	r->message = json_str(error, "message");
	r->since = json_time(error, "time");
	r->rule = ARENA_JOIN(verdict_arena(r->v), STR("status."), str_of(field));
	return json_has(error, "message");
}

static bool cannot_be_detached(struct reading *r)
{
	return verdict_deleting(r->v) && has_error(r, "detachError");
}

static bool cannot_be_attached(struct reading *r)
{
	return !verdict_deleting(r->v) && has_error(r, "attachError");
}

static bool is_attached(struct reading *r)
{
	return json_bool(verdict_object(r->v), "status.attached", false);
}

static const struct row attachment_rows[] = {
	{ "the volume cannot be detached", .holds = cannot_be_detached, .then = OUTCOME_DELETION, .flags = RETRIED },
	{ "the volume cannot be attached", .holds = cannot_be_attached, .then = OUTCOME_TROUBLE },
	{ "the volume is attached", .holds = is_attached, .then = OUTCOME_READY, .rule = "status.attached" },
	{ "the volume is being attached", .then = OUTCOME_MOVEMENT, .rule = "status.attached is not true" },
	{ 0 }
};

static void attachment(struct verdict *v)
{
	struct reading r = { .v = v };

	core_attachments_ref(v);
	table_decide(&r, attachment_rows);
}

/*
 * rook/rook deploy/examples/csi: clusterID is the namespace of the cluster, which is often called as that.  The pools of other
 * storage systems are not objects, or are not named by the class.
 */
static const struct store {
	const char *driver, *parameter, *kind;
} stores[] = {
	{ ".rbd.csi.ceph.com", "pool", "CephBlockPool" },
	{ ".cephfs.csi.ceph.com", "fsName", "CephFilesystem" },
	{ ".csi.ceph.com", "clusterID", "CephCluster" },
};

static void tell_stores(struct verdict *v)
{
	struct json parameters = json_at(verdict_object(v), "parameters");

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++)
		if (str_ends(json_str(verdict_object(v), "provisioner"), stores[i].driver) && json_str(parameters, "clusterID").len)
			verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
						     .flags = strcmp(stores[i].kind, "CephCluster") == 0 ? REF_IF_FOUND : 0,
						     .group = STR("ceph.rook.io"),
						     .kind = str_of(stores[i].kind),
						     .ns = json_str(parameters, "clusterID"),
						     .name = json_str(parameters, stores[i].parameter),
						     .via = ARENA_JOIN(verdict_arena(v), STR("parameters."), str_of(stores[i].parameter)) });
}

/* The claims of such a class wait for a pod: phase 2 of the claims reads this flag. */
static void storage_class(struct verdict *v)
{
	core_is_there(v, NULL);
	verdict_particular(v, "provisioner", json_str(verdict_object(v), "provisioner"));
	tell_stores(v);
	if (str_is(json_str(verdict_object(v), "volumeBindingMode"), "WaitForFirstConsumer"))
		verdict_flag(v, "WaitForFirstConsumer");
}

/* ---- ResourceClaim: devices, which are claimed as volumes are ------------- */

static bool is_allocated(struct reading *r)
{
	return json_has(verdict_object(r->v), "status.allocation");
}

static void wait_for_pod(struct reading *r)
{
	verdict_waits_external(r->v, (struct external_wait){
					     .state = WAIT_EXTERNAL, .kind = STR("Pod"), .name = STR("scheduled"), .via = STR("status.allocation") });
}

static const struct row device_rows[] = {
	{ "the devices are allocated", .holds = is_allocated, .then = OUTCOME_READY, .rule = "status.allocation is there" },
	{ "devices are allocated when a pod that uses them is scheduled", .then = OUTCOME_WAIT, .flags = SINCE_CREATED,
	  .rule = "status.allocation is absent: made when a pod that uses it is scheduled", .tell = wait_for_pod },
	{ 0 }
};

/* The class stands in a request, since resource.k8s.io/v1beta2 one level below, in each of its alternatives or in the only one. */
static void need_class(struct verdict *v, struct json request)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_EXISTS | REF_BLOCKS | REF_CLUSTER, .group = STR("resource.k8s.io"),
				     .kind = STR("DeviceClass"), .name = json_str(request, "deviceClassName"), .via = STR("spec.devices.requests[]") });
}

static void device_claim(struct verdict *v)
{
	struct reading r = { .v = v };

	if (!is_allocated(&r))
		json_foreach(request, json_at(verdict_object(v), "spec.devices.requests"))
		{
			need_class(v, request);
			need_class(v, json_at(request, "exactly"));
			json_foreach(one, json_at(request, "firstAvailable")) need_class(v, one);
		}
	table_decide(&r, device_rows);
}

const struct core_kind core_storage_kinds[] = {
	{ .kind = "PersistentVolume", .inspect = volume, .assess = core_volume_and_storage },
	{ .kind = "VolumeAttachment", .inspect = attachment },
	{ .kind = "StorageClass", .inspect = storage_class },
	{ .kind = "ResourceClaim", .inspect = device_claim },
	{ 0 }
};
