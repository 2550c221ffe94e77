/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OLM v1 (operator-controller).  Progressing=True with reason Succeeded is its state of rest; Progressing=False means
 * that nothing more will happen.
 */
#include "kube/family/olm/olm.h"

#define LABEL(name) "metadata.labels['" OLM_V1_GROUP "/" name "']"
#define ANNOTATION(name) "metadata.annotations['" OLM_V1_GROUP "/" name "']"

static void decide(struct verdict *v, const struct condition *c, enum phase phase,
		   enum severity severity)
{
	olm_decide(v, c, phase, severity);
	verdict_word(v, c->reason);
}

static enum phase moving_phase(bool serves)
{
	return serves ? PHASE_UPDATING : PHASE_PROVISIONING;
}

/* The condition is of an older generation; the object does not say when the newer generation was written. */
static void decide_outdated(struct verdict *v, const struct condition *c, enum phase moving)
{
	decide(v, c, moving, SEVERITY_INFO);
	verdict_since(v, moving == PHASE_PROVISIONING ? verdict_created(v) : 0);
}

/* The status of the condition decides; a reason that is not known adds nothing. */
static bool is_known(struct str reason)
{
	static const char *const reasons[] = { "Succeeded", "RollingOut", "Retrying", "Blocked",
					       "InvalidConfiguration", "ProgressDeadlineExceeded", "Archived",
					       "UserSpecifiedUnavailable", "Failed", "Absent", NULL };

	return family_lists(reasons, reason);
}

/* serves: an earlier state serves meanwhile.  Returns false when the object is at rest or has not begun. */
static bool by_progressing(struct verdict *v, bool serves)
{
	const struct condition *c = verdict_condition(v, "Progressing");
	enum phase moving = moving_phase(serves);

	verdict_polarity(v, "Progressing", POLARITY_TRANSITIONAL);
	if (!c)
		return false;
	if (verdict_condition_outdated(v, c)) {
		decide_outdated(v, c, moving);
	} else if (condition_is(c, "False") && !str_is(c->reason, "Archived")) {
		/* what was asked for is rejected; what is installed goes on serving */
		decide(v, c, serves ? PHASE_DEGRADED : PHASE_FAILED, SEVERITY_ERROR);
		verdict_flag(v, "terminal");
	} else if (condition_is(c, "True") && str_is(c->reason, "Retrying")) {
		decide(v, c, serves ? PHASE_DEGRADED : PHASE_PROVISIONING, SEVERITY_WARNING);
	} else if (condition_is(c, "True") && !str_is(c->reason, "Succeeded")) {
		decide(v, c, moving, SEVERITY_INFO);
	} else {
		return false;
	}
	if (!is_known(c->reason))
		verdict_unknown_word(v, "reason", c->reason);
	return true;
}

/* ---- ClusterExtension ---------------------------------------------------- */

static const struct cond_rule installed_rules[] = {
	{ "Installed", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Installed", "False", "Failed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Installed", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Installed", "Unknown", "Failed", NULL, PHASE_UNKNOWN, SEVERITY_WARNING },
	{ "Installed", NULL, NULL, NULL, PHASE_UNKNOWN, SEVERITY_NONE },
	{ 0 }
};

/* spec.source.catalog.version is usually a range, which is no version. */
static struct str exact_version(struct str wanted)
{
	const struct str range = STR(" ,|*<>~^=!xX");
	size_t dots = 0;

	/* behind a third dot or a dash stands a pre-release, which may contain any letter */
	for (size_t i = 0; i < wanted.len && dots < 3 && wanted.ptr[i] != '-'; i++) {
		dots += wanted.ptr[i] == '.';
		if (str_find(range, wanted.ptr[i]) < range.len)
			return STR_NONE;
	}
	return dots >= 2 && !str_contains(wanted, " ") ? olm_bare_version(wanted) : STR_NONE;
}

static void show_extension_version(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str runs = olm_bare_version(json_str(object, "status.install.bundle.version"));
	struct str wanted = exact_version(json_str(object, "spec.source.catalog.version"));

	if (verdict_phase(v) == PHASE_READY || str_eq(runs, wanted))
		verdict_version(v, STR_NONE, runs.len ? runs : wanted);
	else
		verdict_version(v, runs, wanted);
}

/* The kind has two names; the older one is shown only where objects of it exist. */
static void refer_revision(struct verdict *v, struct json revision, struct str via, const void *arg)
{
	struct ref ref = {
		.relation = RELATION_MANAGES,
		.flags = REF_CLUSTER,
		.group = STR(OLM_V1_GROUP),
		.kind = STR("ClusterObjectSet"),
		.name = json_str(revision, "name"),
		.via = arena_str(verdict_arena(v), via),
	};

	(void)arg;
	verdict_ref(v, ref);
	ref.kind = STR("ClusterExtensionRevision");
	ref.flags |= REF_IF_FOUND;
	verdict_ref(v, ref);
}

static void refer_account(struct verdict *v)
{
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.flags = REF_BLOCKS | REF_EXISTS,
		.kind = STR("ServiceAccount"),
		.ns = json_str(verdict_object(v), "spec.namespace"),
		.name = json_str(verdict_object(v), "spec.serviceAccount.name"),
		.via = STR("spec.serviceAccount"),
	});
}

void olm_cluster_extension_inspect(struct verdict *v)
{
	const struct condition *installed = verdict_condition(v, "Installed");
	bool serves = condition_is(installed, "True") ||
		      json_has(verdict_object(v), "status.install.bundle.version");

	if (serves)
		verdict_ever_ready(v);
	if (!by_progressing(v, serves)) {
		if (!installed)
			olm_never_reconciled(v);
		else if (verdict_condition_outdated(v, installed))
			decide_outdated(v, installed, moving_phase(serves));
		else if (verdict_by_conditions(v, installed_rules))
			verdict_word(v, installed->reason);
	}
	olm_show_deprecation(v);
	show_extension_version(v);
	refer_account(v);
	verdict_each(v, "status.activeRevisions[]", refer_revision, NULL);
}

struct newest {
	int64_t created;
	struct str version;
};

/* Of revisions of equal age the one that is listed later is newer: they are listed in their order. */
static void note_rolling(struct newest *newest, const struct neighbour *n)
{
	if (n->presence != PRESENCE_FOUND || n->status.phase == PHASE_READY ||
	    n->created < newest->created || n->status.version_to.len == 0)
		return;
	newest->created = n->created;
	newest->version = n->status.version_to;
}

/* Where no exact version is asked for, the newest revision that was rolled out tells the version. */
static void assess_extension_version(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct newest newest = { 0, STR_NONE };
	struct neighbour n;

	if (st->phase == PHASE_READY || st->version_to.len)
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES)
			note_rolling(&newest, &n);
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (n.relation == RELATION_OWNS)
			note_rolling(&newest, &n);
	assess_version(d, st->version_from, newest.version);
}

void olm_cluster_extension_assess(struct assessment *d)
{
	assess_extension_version(d);
	olm_assess_deprecation(d);
}

/* ---- ClusterCatalog ------------------------------------------------------ */

static const struct cond_rule serving_rules[] = {
	{ "Serving", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Serving", "False", "UserSpecifiedUnavailable", NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Serving", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 }
};

void olm_cluster_catalog_inspect(struct verdict *v)
{
	const struct condition *serving = verdict_condition(v, "Serving");
	bool serves = condition_is(serving, "True");
	/* this does not hold any more when another version was asked for since */
	bool paused = condition_is(serving, "False") && !verdict_condition_outdated(v, serving) &&
		      str_is(serving->reason, "UserSpecifiedUnavailable");

	if (serves || json_has(verdict_object(v), "status.lastUnpacked"))
		verdict_ever_ready(v);
	if (!paused && by_progressing(v, serves))
		return;
	if (!serving)
		olm_never_reconciled(v);
	else if (verdict_condition_outdated(v, serving))
		decide_outdated(v, serving, moving_phase(serves));
	else if (verdict_by_conditions(v, serving_rules))
		verdict_word(v, serving->reason);
}

/* ---- ClusterObjectSet, once ClusterExtensionRevision --------------------- */

static const struct cond_rule available_rules[] = {
	{ "Available", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Available", "False", "ProbeFailure", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Available", "Unknown", "Reconciling", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "Available", NULL, "Migrated", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "Available", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 }
};

static bool is_archived(const struct verdict *v)
{
	const struct condition *available = verdict_condition(v, "Available");
	const struct condition *progressing = verdict_condition(v, "Progressing");

	return str_is(json_str(verdict_object(v), "spec.lifecycleState"), "Archived") &&
	       ((available && str_is(available->reason, "Archived")) ||
		(progressing && str_is(progressing->reason, "Archived")));
}

static void refer_owner(struct verdict *v)
{
	json_foreach(it, json_at(verdict_object(v), "metadata.ownerReferences"))
		if (json_bool(it, "controller", false))
			return;
	verdict_ref(v, (struct ref){
		.relation = RELATION_OWNS,
		.flags = REF_CLUSTER | REF_CONTROLLER,
		.group = STR(OLM_V1_GROUP),
		.kind = json_str(verdict_object(v), LABEL("owner-kind")),
		.name = json_str(verdict_object(v), LABEL("owner-name")),
		.via = STR("metadata.labels[" OLM_V1_GROUP "/owner-name]"),
	});
}

static struct str bundle_version(const struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str version = json_str(object, ANNOTATION("bundle-version"));

	return olm_bare_version(version.len ? version : json_str(object, LABEL("bundle-version")));
}

void olm_cluster_object_set_inspect(struct verdict *v)
{
	/* once True the condition stays True, also when the objects are not healthy later */
	bool succeeded = olm_condition_with(v, "Succeeded", "True") != NULL;
	const struct condition *available = verdict_condition(v, "Available");

	refer_owner(v);
	verdict_version(v, STR_NONE, bundle_version(v));
	if (succeeded)
		verdict_ever_ready(v);
	if (is_archived(v)) {
		verdict_set(v, PHASE_READY, SEVERITY_NONE, STR("Archived"), STR_NONE);
		verdict_word(v, STR("Archived"));
		verdict_flag(v, "archived");
		verdict_complete(v);
	} else if (!by_progressing(v, succeeded)) {
		if (!available)
			olm_never_reconciled(v);
		else if (verdict_by_conditions(v, available_rules))
			verdict_word(v, available->reason);
	}
	/* what never was complete is still in progress */
	if (!succeeded &&
	    (verdict_phase(v) == PHASE_DEGRADED || verdict_phase(v) == PHASE_UPDATING))
		olm_decide(v, available, PHASE_PROVISIONING, verdict_severity(v));
}
