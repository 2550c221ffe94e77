/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pod needs from the cluster: volumes, environment, identity, node; and what the messages of kubelet and
 * scheduler call missing.
 */
#include "kube/family/core/core.h"

#include "kube/evidence/evidence.h"
#include "kube/status/thresholds.h"

enum { MAX_SEEN = 48 };

/* A target has one edge, however often a pod names it. */
struct needs {
	struct verdict *v;
	unsigned flags; /* flags for ConfigMaps and Secrets that have to exist */
	struct str guard; /* the finalizer on claims that are in use */
	bool over;
	struct {
		const char *kind;
		struct str name;
	} seen[MAX_SEEN];
	size_t nseen;
};

static bool is_new(struct needs *n, const char *kind, struct str name)
{
	for (size_t i = 0; i < n->nseen; i++)
		if (n->seen[i].kind == kind && str_eq(n->seen[i].name, name))
			return false;
	if (n->nseen == MAX_SEEN)
		return false;
	n->seen[n->nseen].kind = kind;
	n->seen[n->nseen++].name = name;
	return true;
}

static const char config_map[] = "ConfigMap", secret[] = "Secret",
		  claim[] = "PersistentVolumeClaim";

static void need(struct needs *n, const char *kind, struct str name, struct str via)
{
	/* the API server puts this ConfigMap into every namespace */
	if (name.len == 0 || (kind == config_map && str_is(name, "kube-root-ca.crt")) ||
	    (n->over && kind != claim) || !is_new(n, kind, name))
		return;
	verdict_ref(n->v, (struct ref){ .relation = RELATION_NEEDS,
					.flags = kind == claim ? 0 : n->flags,
					.kind = str_of(kind),
					.name = name,
					.guard = kind == claim ? n->guard : STR_NONE,
					.via = via });
}

/*
 * kubernetes pkg/controller/volume/pvcprotection/pvc_protection_controller.go: every pod that was given a node keeps its claims from
 * being deleted, also when it has ended.
 */
static struct str claim_guard(struct json pod)
{
	return json_str(pod, "spec.nodeName").len ? STR("kubernetes.io/pvc-protection") : STR_NONE;
}

/* Optional sources block nothing and are not shown as dependencies. */
static void need_source(struct needs *n, const char *kind, struct json source, struct str via)
{
	if (!json_bool(source, "optional", false))
		need(n, kind, json_str(source, "name"), via);
}

/* Returns the claim of a volume, "" when there is none; the claim of an ephemeral volume is named after the pod. */
static struct str claim_of(struct verdict *v, struct json volume, struct str *out_via)
{
	*out_via = STR("spec.volumes[].persistentVolumeClaim.claimName");
	if (!json_has(volume, "ephemeral"))
		return json_str(volume, "persistentVolumeClaim.claimName");
	*out_via = STR("spec.volumes[].ephemeral");
	return ARENA_JOIN(verdict_arena(v), verdict_name(v), STR("-"), json_str(volume, "name"));
}

static bool has_claim(struct json spec)
{
	json_foreach(volume, json_at(spec, "volumes"))
		if (json_has(volume, "persistentVolumeClaim") || json_has(volume, "ephemeral"))
			return true;
	return false;
}

static void volumes(struct needs *n, struct json spec)
{
	json_foreach(volume, json_at(spec, "volumes"))
	{
		struct str via, claim_name = claim_of(n->v, volume, &via);

		need(n, claim, claim_name, via);
		need_source(n, config_map, json_at(volume, "configMap"),
			    STR("spec.volumes[].configMap.name"));
		if (!json_bool(volume, "secret.optional", false))
			need(n, secret, json_str(volume, "secret.secretName"),
			     STR("spec.volumes[].secret.secretName"));
		json_foreach(source, json_at(volume, "projected.sources"))
		{
			need_source(n, config_map, json_at(source, "configMap"),
				    STR("spec.volumes[].projected.sources[].configMap.name"));
			need_source(n, secret, json_at(source, "secret"),
				    STR("spec.volumes[].projected.sources[].secret.name"));
		}
	}
}

static void environment(struct needs *n, struct json container)
{
	json_foreach(source, json_at(container, "envFrom"))
	{
		need_source(n, config_map, json_at(source, "configMapRef"),
			    STR("spec.containers[].envFrom[].configMapRef.name"));
		need_source(n, secret, json_at(source, "secretRef"),
			    STR("spec.containers[].envFrom[].secretRef.name"));
	}
	json_foreach(entry, json_at(container, "env"))
	{
		need_source(n, config_map, json_at(entry, "valueFrom.configMapKeyRef"),
			    STR("spec.containers[].env[].valueFrom.configMapKeyRef.name"));
		need_source(n, secret, json_at(entry, "valueFrom.secretKeyRef"),
			    STR("spec.containers[].env[].valueFrom.secretKeyRef.name"));
	}
}

/*
 * For a pod without an owner a label tells that it belongs to a job, which matters where pods that serve are counted.
 */
static void job_by_label(struct verdict *v)
{
	static const char *const labels[] = {
		"metadata.labels['batch.kubernetes.io/job-name']",
		"metadata.labels['job-name']",
		"metadata.labels['k8upjob']",
	};

	if (json_count(json_at(verdict_object(v), "metadata.ownerReferences")))
		return;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		verdict_ref(v, (struct ref){ .relation = RELATION_OWNS,
					     .flags = REF_HIDDEN,
					     .group = STR("batch"),
					     .kind = STR("Job"),
					     .name = json_str(verdict_object(v), labels[i]),
					     .via = STR("metadata.labels") });
}

/*
 * The pod of a storage driver on a node registers the driver with the kubelet there, in a folder that has the driver's name
 * (kubernetes.io/docs: volume drivers, "--kubelet-registration-path").
 */
static void serves_volumes(struct verdict *v)
{
	static const char folder[] = "/var/lib/kubelet/plugins/";

	json_foreach(volume, json_at(verdict_object(v), "spec.volumes"))
	{
		struct str path = json_str(volume, "hostPath.path"), name = str_from(path, sizeof(folder) - 1);

		name = str_head(name, str_find(name, '/'));
		if (str_starts(path, folder) && str_find(name, '.') < name.len)
			verdict_ref(v, (struct ref){ .relation = RELATION_MANAGES, .flags = REF_HIDDEN, .kind = STR(CORE_NODE_DRIVER), .name = name,
						     .via = STR("spec.volumes[].hostPath") });
	}
}

static void need_device(struct verdict *v, const char *kind, struct str name, const char *via, unsigned flags)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = flags, .group = STR("resource.k8s.io"), .kind = str_of(kind), .name = name,
				     .via = str_of(via) });
}

void core_pod_refs(struct verdict *v, bool blocks)
{
	struct needs n = { .v = v,
			   .flags = REF_EXISTS | (blocks ? REF_BLOCKS : 0),
			   .guard = claim_guard(verdict_object(v)) };
	struct json spec = json_at(verdict_object(v), "spec");
	struct str account = json_str(spec, "serviceAccountName");

	job_by_label(v);
	if (json_bool(spec, "hostNetwork", false))
		verdict_flag(v, "host-network");
	/* a pod that has completed does not need its configuration any more */
	n.over = str_is(json_str(verdict_object(v), "status.phase"), "Succeeded");
	volumes(&n, spec);
	serves_volumes(v);
	json_foreach(container, json_at(spec, "initContainers")) environment(&n, container);
	json_foreach(container, json_at(spec, "containers")) environment(&n, container);
	json_foreach(device, json_at(spec, "resourceClaims")) {
		need_device(v, "ResourceClaim", json_str(device, "resourceClaimName"), "spec.resourceClaims[].resourceClaimName", blocks ? REF_BLOCKS : 0);
		if (!json_has(verdict_object(v), "status.resourceClaimStatuses"))
			need_device(v, "ResourceClaimTemplate", json_str(device, "resourceClaimTemplateName"),
				    "spec.resourceClaims[].resourceClaimTemplateName", blocks ? REF_EXISTS | REF_BLOCKS : REF_EXISTS);
	}
	json_foreach(made, json_at(verdict_object(v), "status.resourceClaimStatuses"))
		need_device(v, "ResourceClaim", json_str(made, "resourceClaimName"), "status.resourceClaimStatuses[].resourceClaimName", blocks ? REF_BLOCKS : 0);
	if (blocks && json_has(spec, "nodeName") && has_claim(spec) && core_older_than(v, verdict_created(v), thresholds.young))
		core_attachments_ref(v);
	/* a pod that runs does not need its service account any more */
	if (blocks && account.len && !str_is(account, "default"))
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
					     .flags = REF_EXISTS,
					     .kind = STR("ServiceAccount"),
					     .name = account,
					     .via = STR("spec.serviceAccountName") });
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_CLUSTER,
				     .kind = STR("Node"),
				     .name = json_str(spec, "nodeName"),
				     .via = STR("spec.nodeName") });
}

/* The words are those of the registries' API (distribution/distribution, registry/api/errcode) as containerd and CRI-O pass them on. */
bool core_image_is_refused(struct str message)
{
	static const char *const answers[] = { "manifest unknown", "manifest for",	  ": not found",     "does not exist",
					       "name unknown",	   "nauthorized",	  "403 Forbidden",   "access denied",
					       "denied:",	   "authentication required", NULL };

	return str_contains_any(message, answers);
}

/*
 * opencontainers/distribution-spec (TOOMANYREQUESTS), and what servers and proxies before a registry answer while it is overloaded: the
 * same image can be pulled later.
 */
bool core_image_comes_later(struct str message)
{
	static const char *const answers[] = { "toomanyrequests", "429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable",
					       "504 Gateway Timeout", "TLS handshake timeout", NULL };

	return str_contains_any(message, answers);
}

void core_pod_pull_secrets(struct verdict *v)
{
	json_foreach(secret_name, json_at(verdict_object(v), "spec.imagePullSecrets"))
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
					     .flags = REF_EXISTS | REF_BLOCKS,
					     .kind = str_of(secret),
					     .name = json_str(secret_name, "name"),
					     .via = STR("spec.imagePullSecrets[].name") });
}

/* ---- names in the words of kubelet, scheduler and controllers ------------ */

/* Reads "no PriorityClass with name high was found", which the admission of priorities writes. */
static bool names_missing_priority(struct verdict *v, struct str message)
{
	static const char before[] = "no PriorityClass with name ", after[] = " was found";
	struct str rest = str_from(message, str_find_str(message, before));

	if (rest.len < sizeof(before) || !str_contains(rest, after))
		return false;
	rest = str_from(rest, sizeof(before) - 1);
	verdict_waits_for(v, (struct ref){ .relation = RELATION_NEEDS,
					   .flags = REF_BLOCKS | REF_EXISTS | REF_REPORTED_MISSING | REF_CLUSTER,
					   .group = STR("scheduling.k8s.io"),
					   .kind = STR("PriorityClass"),
					   .name = str_head(rest, str_find_str(rest, after)),
					   .via = STR("status"),
					   .message = message });
	return true;
}

bool core_names_missing(struct verdict *v, struct str message)
{
	return names_missing_priority(v, message) || evidence_mentions(v, STR_NONE, message);
}

/*
 * kubernetes pkg/scheduler/framework/plugins/volumebinding/volume_binding.go: a claim "is being deleted", or is "bound to non-existent
 * persistentvolume".
 */
static bool names_claim(struct verdict *v, struct str message)
{
	struct str name = str_quoted_after(message, "persistentvolumeclaim \"");

	verdict_waits_for(v, (struct ref){ .flags = REF_BLOCKS,
					   .kind = str_of(claim),
					   .name = name,
					   .via = STR("spec.volumes[].persistentVolumeClaim.claimName"),
					   .message = message });
	return name.len > 0;
}

bool core_names_claims(struct verdict *v, struct str message)
{
	static const char *const unmade[] = { "waiting for dynamic resource controller to create the resourceclaim", "ResourceClaim not created yet", NULL };
	bool any = false;

	if (core_names_missing(v, message))
		return true;
	/* pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go: its spec names them, or their templates */
	if (names_claim(v, message) || str_contains_any(message, unmade))
		return true;
	/* kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go */
	if (!str_contains_nocase(message, "unbound immediate PersistentVolumeClaims") &&
	    !str_contains(message, "didn't find available persistent volumes to bind"))
		return false;
	json_foreach(volume, json_at(verdict_object(v), "spec.volumes"))
	{
		struct str via, name = claim_of(v, volume, &via);

		if (name.len == 0)
			continue;
		any = true;
		verdict_waits_for(v, (struct ref){ .flags = REF_BLOCKS,
						   .kind = str_of(claim),
						   .name = name,
						   .via = via,
						   .message = message });
	}
	return any;
}
