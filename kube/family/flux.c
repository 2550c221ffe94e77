/* SPDX-License-Identifier: Apache-2.0 */
/* Flux: what is applied waits for what it depends on and for its source. */
#include "kube/family/generic.h"

#define SOURCE "source.toolkit.fluxcd.io"

static const struct ref_rule refs[] = {
	{ "Kustomization", "spec.dependsOn[]", NULL, "Kustomization", RELATION_NEEDS, REF_BLOCKS,
	  NULL },
	{ "Kustomization", "spec.sourceRef", SOURCE, "GitRepository", RELATION_NEEDS, REF_BLOCKS,
	  NULL },
	{ "HelmRelease", "spec.dependsOn[]", NULL, "HelmRelease", RELATION_NEEDS, REF_BLOCKS,
	  NULL },
	{ "HelmRelease", "spec.chartRef", SOURCE, "HelmChart", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "HelmRelease", "spec.chart.spec.sourceRef", SOURCE, "HelmRepository", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "HelmRelease", "spec.valuesFrom[]", "", "ConfigMap", RELATION_NEEDS, REF_EXISTS, NULL },
	{ "HelmChart", "spec.sourceRef", SOURCE, "HelmRepository", RELATION_NEEDS, REF_BLOCKS,
	  NULL },
	{ "ImagePolicy", "spec.imageRepositoryRef", NULL, "ImageRepository", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "ImageUpdateAutomation", "spec.sourceRef", SOURCE, "GitRepository", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "Alert", "spec.providerRef", NULL, "Provider", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ 0 },
};

/* What was applied before goes on serving while something newer fails. */
static const struct cond_rule release[] = {
	{ "Stalled", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Ready", "False", "DependencyNotReady", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Ready", "False", "SourceNotReady", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Ready", "False", "UpgradeFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Ready", "False", "TestFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Ready", "False", "RollbackSucceeded", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

static const struct cond_rule kustomization[] = {
	{ "Stalled", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Ready", "False", "DependencyNotReady", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Ready", "False", "HealthCheckFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Ready", "False", "PruneFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

/* "apps/web": the chart that the controller made for the release. */
static void release_more(struct verdict *v)
{
	struct str chart = json_str(verdict_object(v), "status.helmChart");
	size_t slash = str_find(chart, '/');

	if (slash >= chart.len)
		return;
	verdict_ref(v, (struct ref){ .relation = RELATION_MANAGES,
				     .group = STR(SOURCE),
				     .kind = STR("HelmChart"),
				     .ns = str_head(chart, slash),
				     .name = str_from(chart, slash + 1),
				     .via = STR("status.helmChart") });
}

static const struct generic_kind rows[] = {
	{ .kind = "HelmRelease", .conditions = release, .more = release_more },
	{ .kind = "Kustomization", .conditions = kustomization },
	/* only an address: its charts are looked at one by one */
	{ .kind = "HelmRepository", .field = "spec.type", .value = "oci", .static_kind = true },
	{ .kind = "Alert", .static_kind = true },
	{ .kind = "Provider", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "kustomize.toolkit.fluxcd.io",
				      "helm.toolkit.fluxcd.io",
				      SOURCE,
				      "image.toolkit.fluxcd.io",
				      "notification.toolkit.fluxcd.io",
				      NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ "kustomize.toolkit.fluxcd.io", NULL, "flux-system", "kustomize-controller", NULL },
	{ "helm.toolkit.fluxcd.io", NULL, "flux-system", "helm-controller", NULL },
	{ "source.toolkit.fluxcd.io", NULL, "flux-system", "source-controller", NULL },
	{ 0 },
};

const struct family family_flux = {
	.name = "generic",
	.title = "Flux",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
