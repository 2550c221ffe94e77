/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes' own kinds: which function judges which kind. */
#include "kube/family/core/core.h"

#include "kube/family/common/pod_selector.h"

static const char *const groups[] = { "",
				      "apps",
				      "batch",
				      "autoscaling",
				      "policy",
				      "extensions",
				      "networking.k8s.io",
				      "discovery.k8s.io",
				      "storage.k8s.io",
				      "rbac.authorization.k8s.io",
				      "scheduling.k8s.io",
				      "coordination.k8s.io",
				      "certificates.k8s.io",
				      "apiextensions.k8s.io",
				      "apiregistration.k8s.io",
				      "admissionregistration.k8s.io",
				      "events.k8s.io",
				      "node.k8s.io",
				      "flowcontrol.apiserver.k8s.io",
				      "internal.apiserver.k8s.io",
				      "authentication.k8s.io",
				      "authorization.k8s.io",
				      "resource.k8s.io",
				      "storagemigration.k8s.io",
				      "metrics.k8s.io",
				      NULL };

static const struct core_kind *const tables[] = { core_workload_kinds, core_job_kinds,
						  core_net_kinds,      core_storage_kinds,
						  core_cluster_kinds,  core_event_kinds,
						  core_helm_kinds,     NULL };

static const struct ref_rule refs[] = {
	{ "HorizontalPodAutoscaler", "spec.scaleTargetRef", "apps", "Deployment", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "Ingress", "spec.defaultBackend.service", "", "Service", RELATION_NEEDS, REF_EXISTS,
	  NULL },
	{ "Ingress", "spec.rules[].http.paths[].backend.service", "", "Service", RELATION_NEEDS,
	  REF_EXISTS, NULL },
	{ "Ingress", "spec.tls[].secretName", "", "Secret", RELATION_NEEDS, REF_EXISTS, NULL },
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
	  RELATION_NEEDS, REF_EXISTS, NULL },
	{ "ValidatingWebhookConfiguration", "webhooks[].clientConfig.service", "", "Service",
	  RELATION_NEEDS, REF_EXISTS, NULL },
	{ "CustomResourceDefinition", "spec.conversion.webhook.clientConfig.service", "", "Service",
	  RELATION_NEEDS, REF_EXISTS, NULL },
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

	if (str_is(verdict_kind(v)->kind, "Pod"))
		core_pod(v);
	else if (k)
		k->inspect(v);
	else if (json_count(json_at(verdict_object(v), "status")) > 0)
		family_generic.inspect(v);
	else if (verdict_kind(v)->flags & KIND_HAS_STATUS)
		core_never_reconciled(v);
	else if (str_is(verdict_kind(v)->kind, "ConfigMap"))
		core_data(v);
	else
		core_ready(v, "a kind without status");
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

const struct family family_core = {
	.name = "core",
	.title = "Kubernetes",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.assess = core_assess,
	.finalizer = protects,
	.own_finalizer = cleans_up,
	.controllers = controllers,
	.aliases = selector_aliases,
	.judges_parts = true,
};
