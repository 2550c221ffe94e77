/* SPDX-License-Identifier: Apache-2.0 */
/* Flux: what is applied waits for what it depends on and for its source. */
#include "kube/family/generic/generic.h"

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

static const struct cond_rule given_up[] = {
	{ "Stalled", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 },
};

/* By their words something was applied before, and goes on serving. */
static const struct cond_rule release[] = {
	{ "Ready", "False", "UpgradeFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Ready", "False", "TestFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Ready", "False", "RollbackSucceeded", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

static const struct cond_rule kustomization[] = {
	{ "Ready", "False", "HealthCheckFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Ready", "False", "PruneFailed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

/* "dependency 'shop/db' is not ready": that it serves is not enough. */
static void dependency(struct verdict *v, struct json value, struct str via, const void *arg)
{
	const struct condition *ready = arg;
	struct str name = json_str(value, "name");
	struct str quoted = arena_printf(verdict_arena(v), "/" STR_FMT "'", STR_ARG(name));

	if (name.len && str_contains(ready->message, quoted.ptr))
		verdict_waits_for(v, (struct ref){ .relation = RELATION_NEEDS,
						   .group = verdict_kind(v)->group,
						   .kind = verdict_kind(v)->kind,
						   .ns = json_str(value, "namespace"),
						   .name = name,
						   .via = via,
						   .message = ready->message });
}

static void dependencies(struct verdict *v)
{
	const struct condition *ready = verdict_condition(v, "Ready");

	if (condition_is(ready, "False") && str_is(ready->reason, "DependencyNotReady"))
		verdict_each(v, "spec.dependsOn[]", dependency, ready);
}

/* "apps/web": the chart that the controller made for the release. */
static void release_more(struct verdict *v)
{
	struct str chart = json_str(verdict_object(v), "status.helmChart");
	size_t slash = str_find(chart, '/');

	dependencies(v);
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
	{ .conditions = given_up },
	{ .kind = "HelmRelease", .conditions = release, .more = release_more },
	{ .kind = "HelmRelease",
	  .field = "status.history[].status",
	  .value = "deployed",
	  .serves = true },
	{ .kind = "Kustomization", .conditions = kustomization, .more = dependencies },
	/* also of a HelmRelease before its version 2 */
	{ .field = "status.lastAppliedRevision", .serves = true },
	{ .field = "status.artifact.revision", .serves = true },
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
	.id = "flux",
	.title = "Flux",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
