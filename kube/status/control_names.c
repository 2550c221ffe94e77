/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where common operators run when they are installed by their own manifests: for
 * objects whose family has no names of its own.
 */
#include "kube/status/graph_private.h"

const struct controller_rule control_names[] = {
	{ "cert-manager.io", NULL, "cert-manager", "cert-manager", NULL },
	{ "acme.cert-manager.io", NULL, "cert-manager", "cert-manager", NULL },
	{ "kustomize.toolkit.fluxcd.io", NULL, "flux-system", "kustomize-controller", NULL },
	{ "helm.toolkit.fluxcd.io", NULL, "flux-system", "helm-controller", NULL },
	{ "source.toolkit.fluxcd.io", NULL, "flux-system", "source-controller", NULL },
	{ "argoproj.io", "Application", "argocd", "argocd-application-controller", NULL },
	{ "argoproj.io", "Rollout", "argo-rollouts", "argo-rollouts", NULL },
	{ "argoproj.io", "Workflow", "argo", "workflow-controller", NULL },
	{ "cluster.x-k8s.io", NULL, "capi-system", "capi-controller-manager", NULL },
	{ "bootstrap.cluster.x-k8s.io", NULL, "capi-kubeadm-bootstrap-system",
	  "capi-kubeadm-bootstrap-controller-manager", NULL },
	{ "controlplane.cluster.x-k8s.io", NULL, "capi-kubeadm-control-plane-system",
	  "capi-kubeadm-control-plane-controller-manager", NULL },
	{ "external-secrets.io", NULL, "external-secrets", "external-secrets", NULL },
	{ "keda.sh", NULL, "keda", "keda-operator", NULL },
	{ "postgresql.cnpg.io", NULL, "cnpg-system", "cnpg-controller-manager", NULL },
	{ "kafka.strimzi.io", NULL, "kafka", "strimzi-cluster-operator", NULL },
	{ 0 },
};
