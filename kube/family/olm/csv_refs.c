/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ClusterServiceVersion refers to, and what its status says that it waits for.  A copy of one refers only to its
 * original: what its spec names is not in the namespace of the copy.
 */
#include "kube/family/olm/olm.h"

/* ---- references ---------------------------------------------------------- */

#define CRD "apiextensions.k8s.io", "CustomResourceDefinition"

static const struct ref_rule rows[] = {
	{ NULL, "spec.replaces", NULL, "ClusterServiceVersion", RELATION_REPLACES, 0, NULL },
	{ NULL, "spec.install.spec.deployments[].name", "apps", "Deployment", RELATION_MANAGES, 0,
	  NULL },
	{ NULL, "spec.webhookdefinitions[].deploymentName", "apps", "Deployment", RELATION_MANAGES,
	  0, NULL },
	{ NULL, "spec.apiservicedefinitions.owned[].deploymentName", "apps", "Deployment",
	  RELATION_MANAGES, 0, NULL },
	{ NULL, "spec.install.spec.permissions[].serviceAccountName", "", "ServiceAccount",
	  RELATION_NEEDS, 0, NULL },
	{ NULL, "spec.install.spec.clusterPermissions[].serviceAccountName", "", "ServiceAccount",
	  RELATION_NEEDS, 0, NULL },
	{ NULL, "spec.customresourcedefinitions.owned[].name", CRD, RELATION_MANAGES, REF_CLUSTER,
	  NULL },
	{ NULL, "spec.customresourcedefinitions.required[].name", CRD, RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS | REF_CLUSTER, NULL },
	{ NULL, "status.installPlanRef", NULL, "InstallPlan", RELATION_NEEDS, 0, NULL },
	{ NULL, "status.subscriptionRef", NULL, "Subscription", RELATION_NEEDS, 0, NULL },
	{ NULL, "status.catalogSourceRef", NULL, "CatalogSource", RELATION_NEEDS, 0, NULL },
	{ 0 }
};

static const struct ref_rule related = { NULL, "status.relatedObjects[]", "", "", RELATION_NEEDS, 0,
					 NULL };

static void refer_row(struct verdict *v, struct json value, struct str via, const void *rule)
{
	verdict_ref_value(v, value, via, rule);
}

static void refer_related(struct verdict *v, struct json value, struct str via, const void *rule)
{
	if (json_str(value, "kind").len)
		verdict_ref_value(v, value, via, rule);
}

/* The name of an APIService is made of what it serves: v1.metrics.example.com. */
static void refer_api(struct verdict *v, struct json value, struct str via, const void *relation)
{
	struct str version = json_str(value, "version"), group = json_str(value, "group");
	bool owned = *(const enum relation *)relation == RELATION_MANAGES;

	if (version.len == 0 || group.len == 0)
		return;
	verdict_ref(v, (struct ref){
		.relation = *(const enum relation *)relation,
		.flags = REF_CLUSTER | (owned ? 0U : (unsigned)REF_BLOCKS),
		.group = STR("apiregistration.k8s.io"),
		.kind = STR("APIService"),
		.name = arena_printf(verdict_arena(v), STR_FMT "." STR_FMT, STR_ARG(version),
				     STR_ARG(group)),
		.via = arena_str(verdict_arena(v), via),
	});
}

static struct ref group_ref(const struct verdict *v)
{
	return (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("OperatorGroup"),
		.name = json_str(verdict_object(v), "metadata.annotations['olm.operatorGroup']"),
		.via = STR("metadata.annotations[olm.operatorGroup]"),
	};
}

/* The spec does not name the successor, but the message of a version that is being replaced does. */
static void refer_successor(struct verdict *v, const struct olm_csv *csv)
{
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("ClusterServiceVersion"),
		.name = olm_word_after(csv->message, OLM_SUCCESSOR),
		.via = STR("status.message"),
	});
}

static void refer(struct verdict *v)
{
	static const enum relation owned = RELATION_MANAGES, required = RELATION_NEEDS;

	for (const struct ref_rule *r = rows; r->path; r++)
		verdict_each(v, r->path, refer_row, r);
	verdict_each(v, related.path, refer_related, &related);
	verdict_each(v, "spec.apiservicedefinitions.owned[]", refer_api, &owned);
	verdict_each(v, "spec.apiservicedefinitions.required[]", refer_api, &required);
	verdict_ref(v, group_ref(v));
}

/* ---- what it waits for --------------------------------------------------- */

/* That a certain rule is missing says more than that some rule is missing. */
static struct str requirement_message(struct verdict *v, struct json requirement)
{
	json_foreach(it, json_at(requirement, "dependents"))
		if (str_is(json_str(it, "status"), "NotSatisfied"))
			return ARENA_JOIN(verdict_arena(v), json_str(it, "kind"), STR(": "), json_str(it, "message"));
	return json_str(requirement, "message");
}

/* The requirement with the CSV's own name is the version of the cluster. */
static void wait_for_cluster_version(struct verdict *v, struct str message)
{
	verdict_waits_external(v, (struct external_wait){
		.state = WAIT_EXTERNAL,
		.kind = STR("Kubernetes"),
		.name = json_str(verdict_object(v), "spec.minKubeVersion"),
		.via = STR("spec.minKubeVersion"),
		.message = message,
	});
}

static void wait_for_requirement(struct verdict *v, struct json requirement)
{
	static const char *const unmet[] = { "NotPresent", "DeploymentNotFound",
					     "PresentNotSatisfied", "PresentNotAvailable",
					     "NotSatisfied", NULL };
	struct str status = json_str(requirement, "status"), kind = json_str(requirement, "kind");
	/* a definition that exists without the required version is NotPresent, too */
	bool missing = str_is(status, "NotPresent") &&
		       !str_contains(json_str(requirement, "message"), "not served");
	struct ref on = {
		.relation = RELATION_NEEDS,
		.flags = REF_NAMED | REF_BLOCKS | (missing ? REF_REPORTED_MISSING | REF_EXISTS : 0U),
		.group = json_str(requirement, "group"),
		.kind = kind,
		.name = json_str(requirement, "name"),
		.via = STR(OLM_REQUIREMENT),
		.message = requirement_message(v, requirement),
	};

	if (!str_is_any(status, unmet) || kind.len == 0)
		return;
	if (str_is(kind, "ClusterServiceVersion") && str_eq(on.name, verdict_name(v)))
		wait_for_cluster_version(v, on.message);
	else
		verdict_waits_for(v, on);
}

/* An OperatorCondition has the name of the CSV that runs, which is the one that is going to be replaced. */
static void wait_for_upgradeable(struct verdict *v, struct str message)
{
	verdict_waits_for(v, (struct ref){
		.flags = REF_NAMED | REF_BLOCKS,
		.group = STR(OLM_GROUP),
		.kind = STR("OperatorCondition"),
		.name = json_str(verdict_object(v), "spec.replaces"),
		.via = STR("spec.replaces"),
		.message = message,
	});
}

/* The message of the installer names the deployment that it waits for. */
static void wait_for_deployment(struct verdict *v, struct str message, bool failed)
{
	static const char *const leads[] = { "missing deployment with name=",
					     "waiting for deployment ", "deployment \"", NULL };
	bool missing = str_contains(message, leads[0]);
	struct str name = STR_NONE;

	for (size_t i = 0; leads[i] && name.len == 0; i++)
		name = olm_word_after(message, leads[i]);
	/*
	 * an installation that gave up does not wait any more: the trouble of its Deployment explains it, where the
	 * Deployment is seen
	 */
	if (name.len == 0 || (failed && !missing))
		return;
	verdict_waits_for(v, (struct ref){
				     .relation = RELATION_MANAGES,
				     .flags = REF_NAMED | (missing ? REF_REPORTED_MISSING | REF_EXISTS : 0U),
				     .group = STR("apps"),
				     .kind = STR("Deployment"),
				     .name = name,
				     .via = STR("status.message"),
				     .message = message,
			     });
}

static const char *const group_reasons[] = {
	"NoOperatorGroup",
	"TooManyOperatorGroups",
	"UnsupportedOperatorGroup",
	"NoTargetNamespaces",
	"InterOperatorGroupOwnerConflict",
	"CannotModifyStaticOperatorGroupProvidedAPIs",
	NULL,
};

static void wait_for_group(struct verdict *v, struct str message)
{
	struct ref on = group_ref(v);

	on.flags = REF_NAMED;
	on.message = message;
	if (on.name.len)
		verdict_waits_for(v, on);
}

static void waits(struct verdict *v, const struct olm_csv *csv)
{
	/* this check comes before the check of requirements, whose list is then of an earlier attempt */
	if (str_is(csv->reason, "OperatorConditionNotUpgradeable"))
		wait_for_upgradeable(v, csv->message);
	else if (str_is(csv->word, "Pending") || str_is(csv->reason, "RequirementsNotMet"))
		json_foreach(it, json_at(csv->status, "requirementStatus"))
			wait_for_requirement(v, it);
	else if (str_is_any(csv->reason, group_reasons))
		wait_for_group(v, csv->message);
	else if (str_is(csv->word, "Installing") || str_is(csv->word, "Failed"))
		wait_for_deployment(v, csv->message, str_is(csv->word, "Failed"));
}

/* Instances that are deleted together with the operator, in versions of OLM that tell them. */
static void refer_cleanup(struct verdict *v, const struct olm_csv *csv)
{
	json_foreach(kind, json_at(csv->status, "cleanup.pendingDeletion"))
		json_foreach(it, json_at(kind, "instances"))
			verdict_ref(v, (struct ref){
				.relation = RELATION_MANAGES,
				.group = json_str(kind, "group"),
				.kind = json_str(kind, "kind"),
				.ns = json_str(it, "namespace"),
				.name = json_has(kind, "kind") ? json_str(it, "name") : STR_NONE,
				.via = STR(OLM_CLEANUP),
			});
}

/* ---- copies -------------------------------------------------------------- */

/* Returns the namespace in which the operator runs; "" when this is not a copy. */
static struct str origin(const struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str label = json_str(object, "metadata.labels['olm.copiedFrom']");
	struct str home = json_str(object, "metadata.annotations['olm.operatorNamespace']");

	if (label.len)
		return label;
	if (home.len && !str_eq(home, verdict_namespace(v)))
		return home;
	return str_is(json_str(object, "status.reason"), "Copied") ?
		       olm_word_after(json_str(object, "status.message"), "running in ") :
		       STR_NONE;
}

static bool show_copy(struct verdict *v)
{
	struct str ns = origin(v);

	if (ns.len == 0 && !str_is(json_str(verdict_object(v), "status.reason"), "Copied"))
		return false;
	verdict_flag(v, "copied");
	if (ns.len)
		verdict_ref(v, (struct ref){
			.relation = RELATION_NEEDS,
			.flags = REF_COPY,
			.group = STR(OLM_GROUP),
			.kind = STR("ClusterServiceVersion"),
			.ns = ns,
			.name = verdict_name(v),
			.via = STR("metadata.labels[olm.copiedFrom]"),
		});
	return true;
}

void olm_csv_refer(struct verdict *v, const struct olm_csv *csv)
{
	if (show_copy(v))
		return;
	olm_meet(v, STR_NONE);
	refer(v);
	refer_successor(v, csv);
	refer_cleanup(v, csv);
	waits(v, csv);
}
