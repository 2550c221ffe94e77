/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes' own kinds: which function judges which kind. */
#include "kube/family/core/core.h"

#include "kube/evidence/pod_template.h"

static const struct core_kind *const tables[] = { core_pod_kinds,
						  core_workload_kinds, core_job_kinds,
						  core_net_kinds,      core_service_kinds, core_storage_kinds,
						  core_claim_kinds,    core_quota_kinds,
						  core_cluster_kinds,  core_node_kinds,
						  core_event_kinds,    core_helm_kinds,
						  NULL };

static const struct ref_rule refs[] = {
	{ "HorizontalPodAutoscaler", "spec.scaleTargetRef", "apps", "Deployment", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "Ingress", "spec.defaultBackend.service", "", "Service", RELATION_NEEDS, REF_EXISTS | REF_HEALTH,
	  NULL },
	{ "Ingress", "spec.rules[].http.paths[].backend.service", "", "Service", RELATION_NEEDS,
	  REF_EXISTS | REF_HEALTH, NULL },
	{ "Ingress", "spec.tls[].secretName", "", "Secret", RELATION_NEEDS, REF_EXISTS | REF_HEALTH, NULL },
	{ "Ingress", "spec.ingressClassName", "networking.k8s.io", "IngressClass", RELATION_NEEDS,
	  REF_EXISTS | REF_BLOCKS | REF_CLUSTER, NULL },
	{ "PersistentVolumeClaim", "spec.volumeName", "", "PersistentVolume", RELATION_NEEDS,
	  REF_BLOCKS | REF_CLUSTER, "kubernetes.io/pv-protection" },
	{ "PersistentVolumeClaim", "spec.dataSourceRef", "", "PersistentVolumeClaim",
	  RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "PersistentVolume", "spec.storageClassName", "storage.k8s.io", "StorageClass",
	  RELATION_NEEDS, REF_EXISTS | REF_CLUSTER, NULL },
	{ "VolumeAttachment", "spec.source.persistentVolumeName", "", "PersistentVolume",
	  RELATION_NEEDS, REF_BLOCKS | REF_CLUSTER, "external-attacher/" },
	{ "VolumeAttachment", "spec.nodeName", "", "Node", RELATION_NEEDS, REF_BLOCKS | REF_CLUSTER,
	  NULL },
	{ "APIService", "spec.service", "", "Service", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "StatefulSet", "spec.serviceName", "", "Service", RELATION_NEEDS, REF_EXISTS, NULL },
	{ "MutatingWebhookConfiguration", "webhooks[].clientConfig.service", "", "Service",
	  RELATION_NEEDS, REF_EXISTS | REF_HEALTH, NULL },
	{ "ValidatingWebhookConfiguration", "webhooks[].clientConfig.service", "", "Service",
	  RELATION_NEEDS, REF_EXISTS | REF_HEALTH, NULL },
	{ "CustomResourceDefinition", "spec.conversion.webhook.clientConfig.service", "", "Service",
	  RELATION_NEEDS, REF_EXISTS | REF_HEALTH, NULL },
	{ "RoleBinding", "roleRef", "rbac.authorization.k8s.io", "Role", RELATION_NEEDS, REF_EXISTS,
	  NULL },
	{ "ClusterRoleBinding", "roleRef", "rbac.authorization.k8s.io", "ClusterRole",
	  RELATION_NEEDS, REF_EXISTS | REF_CLUSTER, NULL },
	{ 0 }
};

/* ---- finalizers ---------------------------------------------------------- */

/* The kind for which a finalizer protects the object; "": the controller of the object's own kind cleans up. */
static const struct {
	const char *finalizer, *held_for;
} finalizers[] = {
	{ "kubernetes.io/pvc-protection", "Pod" },
	{ "kubernetes.io/pv-protection", "PersistentVolumeClaim" },
	{ "resource.kubernetes.io/delete-protection", "Pod" },
	{ "external-provisioner.volume.kubernetes.io/finalizer", "" },
	{ "service.kubernetes.io/load-balancer-cleanup", "" },
	{ "batch.kubernetes.io/job-tracking", "" },
	{ "customresourcecleanup.apiextensions.k8s.io", "" },
	{ "kubernetes", "" }, /* the finalizer of a namespace, in its spec */
};

static const char *held_for(struct str finalizer)
{
	for (size_t i = 0; i < sizeof(finalizers) / sizeof(finalizers[0]); i++)
		if (str_is(finalizer, finalizers[i].finalizer))
			return finalizers[i].held_for;
	/* each storage driver has one */
	return str_starts(finalizer, "external-attacher/") ? "" : NULL;
}

static bool protects(struct str finalizer, struct str *out_kind)
{
	const char *kind = held_for(finalizer);

	if (!kind || !*kind)
		return false;
	*out_kind = str_of(kind);
	return true;
}

static bool cleans_up(const struct kind *kind, struct str finalizer)
{
	const char *of = held_for(finalizer);

	(void)kind;
	return of && !*of;
}

/* Names by which objects find each other, and that are no objects. */
static const struct alias_rule aliases[] = {
	{ .kind = "Selector", .namespaced = true },		      /* the labels of a workload's pods */
	{ .kind = "SelectorAnywhere" },				      /* the same, whatever their namespace */
	{ .kind = "PodLabel", .namespaced = true },		      /* one of them: "app=shop" */
	{ .kind = "PodLabelKey", .namespaced = true },		      /* its name alone */
	{ .kind = "PodLabelValue", .namespaced = true },	      /* its value alone */
	{ .kind = "Taint", .listed = "Node", .group = "" },	      /* of nodes */
	{ .kind = "NodeLabel", .listed = "Node", .group = "" },	      /* that a pod asks for */
	{ .kind = "VolumePool", .listed = "PersistentVolume", .group = "" }, /* of what is not bound: claims and volumes */
	{ .kind = "Provisioner" },				      /* of volumes: the name of a storage driver */
	{ .kind = CORE_LOCK },					      /* of the leases of leaders, in any namespace */
	{ .kind = CORE_HANDLE },				      /* of volumes, as their driver knows them */
	{ .kind = CORE_NODE_DRIVER },				      /* of the pods of such a driver on nodes: its name */
	{ .kind = "Attachments", .listed = "VolumeAttachment", .group = "storage.k8s.io" }, /* of pods that do not start */
	{ .kind = "LimitRanges", .namespaced = true, .listed = "LimitRange", .group = "" }, /* of a namespace */
	{ .kind = "ValidatingWebhook", .listed = "ValidatingWebhookConfiguration", .group = "admissionregistration.k8s.io" }, /* of who is refused */
	{ .kind = "MutatingWebhook", .listed = "MutatingWebhookConfiguration", .group = "admissionregistration.k8s.io" },
	{ .kind = "Drain", .listed = "PodDisruptionBudget", .group = "policy" }, /* of cordoned nodes, and budgets that allow nothing */
	{ 0 }
};

/* ---- the family ---------------------------------------------------------- */

static const struct core_kind *find(struct str kind)
{
	for (size_t t = 0; tables[t]; t++)
		for (const struct core_kind *k = tables[t]; k->kind; k++)
			if (str_is(kind, k->kind))
				return k;
	return NULL;
}

static void inspect(struct verdict *v)
{
	const struct core_kind *k = find(verdict_kind(v)->kind);

	if (str_is(verdict_kind(v)->kind, "Deployment") || str_is(verdict_kind(v)->kind, "StatefulSet"))
		core_provides_volumes(v);
	if (k && k->inspect)
		k->inspect(v);
	else if (json_count(json_at(verdict_object(v), "status")) > 0 || (verdict_kind(v)->flags & KIND_HAS_STATUS))
		family_generic.inspect(v);
	else if (str_is(verdict_kind(v)->kind, "ConfigMap"))
		core_data(v);
	else
		core_is_there(v, NULL);
	pod_template_note(v);
}

static void with_neighbours(struct assessment *d)
{
	const struct core_kind *k = find(assess_kind(d)->kind);
	struct event_told event;

	if (k && k->events)
		core_assess_events(d, &event);
	if (k && k->assess)
		k->assess(d);
	core_assess_calls(d);
	if (k && k->warned)
		core_warned_again(d);
}

static const struct controller_rule controllers[] = {
	{ "", "Pod", "kube-system", NULL, "kube-scheduler" },
	{ "apps", "Deployment", "kube-system", NULL, "kube-controller-manager" },
	{ "apps", "ReplicaSet", "kube-system", NULL, "kube-controller-manager" },
	{ "apps", "StatefulSet", "kube-system", NULL, "kube-controller-manager" },
	{ "apps", "DaemonSet", "kube-system", NULL, "kube-controller-manager" },
	{ "batch", "Job", "kube-system", NULL, "kube-controller-manager" },
	{ "", "Namespace", "kube-system", NULL, "kube-controller-manager" },
	{ 0 }
};

static const struct companion_rule companions[] = {
	{ "Service", "discovery.k8s.io", "EndpointSlice", COMPANION_ALWAYS },
	/* who makes the pods that it selects */
	{ "Service", "apps", "Deployment", COMPANION_EXPLAINED },
	{ "Service", "apps", "StatefulSet", COMPANION_EXPLAINED },
	{ "Service", "apps", "DaemonSet", COMPANION_EXPLAINED },
	/* pods without an address are in no slice, and some are made by no workload */
	{ "Service", "batch", "Job", COMPANION_UNWELL },
	{ "Service", "", "Pod", COMPANION_UNWELL },
	/* who calls it: an empty Service that nobody calls is one thing, one behind a public address another */
	{ "Service", "networking.k8s.io", "Ingress", COMPANION_UNWELL },
	{ "Service", "gateway.networking.k8s.io", "HTTPRoute", COMPANION_UNWELL },
	{ "Service", "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", COMPANION_UNWELL },
	{ "Service", "admissionregistration.k8s.io", "MutatingWebhookConfiguration", COMPANION_UNWELL },
	{ "Service", "apiregistration.k8s.io", "APIService", COMPANION_UNWELL },
	/* whose pods it guards */
	{ "PodDisruptionBudget", "apps", "Deployment", COMPANION_UNWELL },
	{ "PodDisruptionBudget", "apps", "StatefulSet", COMPANION_UNWELL },
	/* which webhook refuses their pods only an Event tells: the others have a condition */
	{ "DaemonSet", "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", COMPANION_UNWELL },
	{ "DaemonSet", "admissionregistration.k8s.io", "MutatingWebhookConfiguration", COMPANION_UNWELL },
	{ "StatefulSet", "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", COMPANION_UNWELL },
	{ "StatefulSet", "admissionregistration.k8s.io", "MutatingWebhookConfiguration", COMPANION_UNWELL },
	{ "Job", "admissionregistration.k8s.io", "ValidatingWebhookConfiguration", COMPANION_UNWELL },
	{ "Job", "admissionregistration.k8s.io", "MutatingWebhookConfiguration", COMPANION_UNWELL },
	{ 0 }
};

const struct family family_core = {
	.name = "core",
	.title = "Kubernetes",
	.groups = kinds_builtin_groups,
	.refs = refs,
	.inspect = inspect,
	.assess = with_neighbours,
	.finalizer = protects,
	.own_finalizer = cleans_up,
	.controllers = controllers,
	.aliases = aliases,
	.companions = companions,
	.judges_parts = true,
};
