/* SPDX-License-Identifier: Apache-2.0 */
/* Cluster API and its providers. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "Cluster", "spec.infrastructureRef", NULL, "Cluster", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Cluster", "spec.controlPlaneRef", NULL, "KubeadmControlPlane", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "Machine", "spec.bootstrap.configRef", NULL, "KubeadmConfig", RELATION_NEEDS, REF_BLOCKS,
	  NULL },
	{ "Machine", "spec.infrastructureRef", NULL, "Machine", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Machine", "status.nodeRef", "", "Node", RELATION_MANAGES, REF_CLUSTER, NULL },
	{ NULL, "spec.clusterName", "cluster.x-k8s.io", "Cluster", RELATION_NEEDS, 0, NULL },
	{ 0 },
};

/* A machine is there when its node has joined, not before. */
static const struct word_rule machine[] = {
	{ "Pending", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Provisioned", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Failed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .kind = "Machine", .word = "status.phase", .words = machine },
	{ .kind = "*Template", .static_kind = true },
	{ 0 },
};

/* OpenShift's machines have the same words. */
static const char *const groups[] = { "cluster.x-k8s.io", "*.cluster.x-k8s.io",
				      "machine.openshift.io", NULL };

static bool rolls_machines(const struct kind *kind)
{
	return str_is(kind->kind, "MachineDeployment") || str_is(kind->kind, "MachineSet");
}

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
	if (rolls_machines(verdict_kind(v)))
		verdict_version(v, STR_NONE, json_str(verdict_object(v), "spec.template.spec.version"));
}

static const struct controller_rule controllers[] = {
	{ "cluster.x-k8s.io", NULL, "capi-system", "capi-controller-manager", NULL },
	{ "bootstrap.cluster.x-k8s.io", NULL, "capi-kubeadm-bootstrap-system",
	  "capi-kubeadm-bootstrap-controller-manager", NULL },
	{ "controlplane.cluster.x-k8s.io", NULL, "capi-kubeadm-control-plane-system",
	  "capi-kubeadm-control-plane-controller-manager", NULL },
	{ 0 },
};

const struct family family_clusterapi = {
	.name = "generic",
	.id = "clusterapi",
	.title = "Cluster API",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
