/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operator Lifecycle Manager.  Conditions have another meaning in each of its kinds (good when True, bad when True, a
 * history without a type), so each kind has its own function; kinds that are not listed here are judged by the general
 * rules.
 */
#include "kube/family/olm/olm.h"

struct olm_kind {
	const char *kind;
	void (*inspect)(struct verdict *v);
	void (*assess)(struct assessment *d);
};

static const struct olm_kind olm_kinds[] = {
	{ "ClusterServiceVersion", olm_csv_inspect, olm_csv_assess },
	{ "Subscription", olm_subscription_inspect, olm_subscription_assess },
	{ "InstallPlan", olm_install_plan_inspect, olm_install_plan_assess },
	{ "CatalogSource", olm_catalog_source_inspect, olm_catalog_source_assess },
	{ "PackageManifest", olm_package_manifest_inspect, NULL },
	{ "OperatorGroup", olm_operator_group_inspect, olm_operator_group_assess },
	{ "OperatorCondition", olm_operator_condition_inspect, olm_operator_condition_assess },
	{ "Operator", olm_operator_inspect, olm_operator_assess },
	{ "OLMConfig", olm_config_inspect, NULL },
	{ "ClusterExtension", olm_cluster_extension_inspect, olm_cluster_extension_assess },
	{ "ClusterCatalog", olm_cluster_catalog_inspect, NULL },
	{ "ClusterObjectSet", olm_cluster_object_set_inspect, NULL },
	/* the name before operator-controller renamed the type */
	{ "ClusterExtensionRevision", olm_cluster_object_set_inspect, NULL },
	{ 0 }
};

static const struct olm_kind *find(struct str kind)
{
	for (const struct olm_kind *k = olm_kinds; k->kind; k++)
		if (str_is(kind, k->kind))
			return k;
	return NULL;
}

/* A kind of OLM v1 that is newer than this program has the form of one of the known kinds. */
static const struct {
	const char *condition;
	void (*inspect)(struct verdict *v);
} shapes[] = {
	{ "Installed", olm_cluster_extension_inspect },
	{ "Serving", olm_cluster_catalog_inspect },
	{ "Available", olm_cluster_object_set_inspect },
};

static bool inspect_by_shape(struct verdict *v)
{
	if (!str_is(verdict_kind(v)->group, OLM_V1_GROUP) || !verdict_condition(v, "Progressing"))
		return false;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (verdict_condition(v, shapes[i].condition)) {
			shapes[i].inspect(v);
			return true;
		}
	return false;
}

static void inspect(struct verdict *v)
{
	const struct olm_kind *k = find(verdict_kind(v)->kind);

	if (k)
		k->inspect(v);
	else if (!inspect_by_shape(v))
		family_generic.inspect(v);
}

static void assess(struct assessment *d)
{
	const struct olm_kind *k = find(assess_kind(d)->kind);

	if (k && k->assess)
		k->assess(d);
}

static bool own_finalizer(const struct kind *kind, struct str finalizer)
{
	(void)kind;
	return str_starts(finalizer, OLM_GROUP "/") || str_starts(finalizer, OLM_V1_GROUP "/");
}

static const char *const groups[] = { OLM_GROUP, OLM_V1_GROUP, "packages." OLM_GROUP, NULL };

#define EXISTS (REF_BLOCKS | REF_EXISTS)

/* The references of a CSV stand in csv_refs.c, because a copy of a CSV has none of them. */
static const struct ref_rule refs[] = {
	{ "CatalogSource", "spec.configMap", "", "ConfigMap", RELATION_NEEDS, EXISTS, NULL },
	{ "CatalogSource", "spec.secrets[]", "", "Secret", RELATION_NEEDS, EXISTS, NULL },
	{ "CatalogSource", "status.configMapReference", "", "ConfigMap", RELATION_NEEDS, 0, NULL },
	{ "OperatorGroup", "spec.serviceAccountName", "", "ServiceAccount", RELATION_NEEDS, EXISTS,
	  NULL },
	{ "InstallPlan", "status.attenuatedServiceAccountRef", "", "ServiceAccount",
	  RELATION_NEEDS, 0, NULL },
	{ "InstallPlan", "status.bundleLookups[].catalogSourceRef", NULL, "CatalogSource",
	  RELATION_NEEDS, 0, NULL },
	{ "ClusterExtension", "spec.namespace", "", "Namespace", RELATION_NEEDS,
	  EXISTS | REF_CLUSTER, NULL },
	{ 0 }
};

static const struct controller_rule controllers[] = {
	{ OLM_GROUP, "Subscription", "olm", "catalog-operator", NULL },
	{ OLM_GROUP, "InstallPlan", "olm", "catalog-operator", NULL },
	{ OLM_GROUP, "CatalogSource", "olm", "catalog-operator", NULL },
	{ OLM_GROUP, "ClusterServiceVersion", "olm", "olm-operator", NULL },
	{ OLM_GROUP, "Subscription", "openshift-operator-lifecycle-manager", "catalog-operator", NULL },
	{ OLM_GROUP, "InstallPlan", "openshift-operator-lifecycle-manager", "catalog-operator", NULL },
	{ OLM_GROUP, "CatalogSource", "openshift-operator-lifecycle-manager", "catalog-operator", NULL },
	{ OLM_GROUP, "ClusterServiceVersion", "openshift-operator-lifecycle-manager", "olm-operator", NULL },
	{ "olm.operatorframework.io", "ClusterExtension", "olmv1-system", "operator-controller-controller-manager", NULL },
	{ "olm.operatorframework.io", "ClusterCatalog", "olmv1-system", "catalogd-controller-manager", NULL },
	{ 0 }
};

/* The kinds of objects that a ResolutionFailed of a whole namespace may name. */
static const char *const resolution_kinds[] = { "CatalogSource", "Subscription", NULL };

const struct family family_olm = {
	.name = "olm",
	.title = "Operator Lifecycle Manager",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.assess = assess,
	.own_finalizer = own_finalizer,
	.controllers = controllers,
	.shared_condition_kinds = resolution_kinds,
	.judges_parts = true,
	.knows_retries = true,
};
