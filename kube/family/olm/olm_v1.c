/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OLM v1 (operator-controller).  Progressing=True with reason Succeeded is its state of rest; Progressing=False means
 * that nothing more will happen.
 */
#include "kube/family/olm/olm.h"

#define LABEL(name) "metadata.labels['" OLM_V1_GROUP "/" name "']"
#define ANNOTATION(name) "metadata.annotations['" OLM_V1_GROUP "/" name "']"

/* The status of the condition decides; a reason that is not known adds nothing. */
static bool is_known(struct str reason)
{
	static const char *const reasons[] = { "Succeeded", "RollingOut", "Retrying", "Blocked",
					       "InvalidConfiguration", "ProgressDeadlineExceeded", "Archived",
					       "UserSpecifiedUnavailable", "Failed", "Absent", NULL };

	return family_lists(reasons, reason);
}

/* What the rows ask for. */
enum {
	SERVES = 1 << 0,	/* an earlier state serves meanwhile */
	OLDER = 1 << 1,		/* Progressing is about an older generation; the object does not say when the newer one was written */
	STATE_OLDER = 1 << 2,	/* so is the condition for the state of rest */
	PAUSED = 1 << 3		/* a person has asked for that */
};

static bool is_no_archive(struct reading *r)
{
	return !str_is(r->condition->reason, "Archived");
}

static bool is_no_success(struct reading *r)
{
	return !str_is(r->condition->reason, "Succeeded");
}

/* What moves; behind these rows stand those of the state of rest. */
static const struct row progress_rows[] = {
	{ "its controller has not seen the present spec", .is = OLDER, .not = PAUSED, .type = "Progressing", .then = OUTCOME_MOVEMENT,
	  .flags = UNDATED },
	/* what is installed goes on serving */
	{ "what is asked for is rejected", .not = PAUSED, .type = "Progressing", .status = "False", .holds = is_no_archive,
	  .then = OUTCOME_TROUBLE, .flags = FINAL, .flag = "terminal" },
	{ "a change fails, and is tried again", .is = SERVES, .not = PAUSED, .type = "Progressing", .status = "True", .reason = "Retrying",
	  .then = OUTCOME_TROUBLE },
	{ "the first attempt fails, and is tried again", .not = PAUSED, .type = "Progressing", .status = "True", .reason = "Retrying",
	  .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "its controller is at work", .not = PAUSED, .type = "Progressing", .status = "True", .holds = is_no_success, .then = OUTCOME_MOVEMENT },
	{ 0 }
};

/* state: the condition for the state of rest, which rows are about. */
static void judge(struct verdict *v, unsigned is, const struct condition *state, const struct row *rows)
{
	const struct condition *c = verdict_condition(v, "Progressing");
	struct reading r = { .v = v, .usable = is & SERVES, .is = is | (verdict_condition_outdated(v, c) ? OLDER : 0) |
							       (verdict_condition_outdated(v, state) ? STATE_OLDER : 0) };
	const struct row *row;

	verdict_polarity(v, "Progressing", POLARITY_TRANSITIONAL);
	row = table_decide(&r, progress_rows);
	if (!row)
		table_decide(&r, rows);
	else if (!is_known(c->reason))
		verdict_unknown_word(v, "reason", c->reason);
}

/* ---- ClusterExtension ---------------------------------------------------- */

static const struct row extension_rows[] = {
	{ "what is installed is not of the present spec", .is = STATE_OLDER, .type = "Installed", .then = OUTCOME_MOVEMENT, .flags = UNDATED },
	{ "the extension is installed", .type = "Installed", .status = "True", .then = OUTCOME_READY },
	{ "the extension could not be installed", .type = "Installed", .status = "False", .reason = "Failed", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_FAILED, .flags = FINAL },
	{ "the extension is not installed yet", .type = "Installed", .status = "False", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING },
	{ "nobody could find out whether the extension is installed", .type = "Installed", .status = "Unknown", .reason = "Failed",
	  .then = OUTCOME_UNKNOWN },
	{ "it is not known whether the extension is installed", .type = "Installed", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ "nobody has looked at the extension", .then = OUTCOME_SILENCE },
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
	judge(v, serves ? SERVES : 0, installed, extension_rows);
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
	if (newest.version.len)
		assess_version(d, st->version_from, newest.version);
	else
		assess_version(d, STR_NONE, st->version_from);	/* nothing tells of another version: it is the one that runs */
}

void olm_cluster_extension_assess(struct assessment *d)
{
	assess_extension_version(d);
	olm_assess_deprecation(d);
}

/* ---- ClusterCatalog ------------------------------------------------------ */

static const struct row catalog_rows[] = {
	{ "what the catalog serves is not of the present spec", .is = STATE_OLDER, .type = "Serving", .then = OUTCOME_MOVEMENT, .flags = UNDATED },
	{ "the catalog serves", .type = "Serving", .status = "True", .then = OUTCOME_READY },
	{ "a person has switched the catalog off", .type = "Serving", .status = "False", .reason = "UserSpecifiedUnavailable", .then = OUTCOME_PAUSE },
	{ "the catalog does not serve yet", .type = "Serving", .status = "False", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING },
	{ "it is not known whether the catalog serves", .type = "Serving", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ "nobody has looked at the catalog", .then = OUTCOME_SILENCE },
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
	judge(v, (serves ? SERVES : 0) | (paused ? PAUSED : 0), serving, catalog_rows);
}

/* ---- ClusterObjectSet, once ClusterExtensionRevision --------------------- */

static const struct row set_rows[] = {
	{ "the objects are there", .type = "Available", .status = "True", .then = OUTCOME_READY },
	/* what never was complete is still in progress */
	{ "an object is not healthy yet", .not = SERVES, .type = "Available", .status = "False", .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "the objects are being made", .not = SERVES, .type = "Available", .status = "Unknown", .reason = "Reconciling", .then = OUTCOME_MOVEMENT },
	{ "the objects are taken over for the first time", .not = SERVES, .type = "Available", .reason = "Migrated", .then = OUTCOME_MOVEMENT },
	{ "the objects are being changed", .type = "Available", .status = "Unknown", .reason = "Reconciling", .then = OUTCOME_MOVEMENT },
	{ "the objects are taken over", .type = "Available", .reason = "Migrated", .then = OUTCOME_MOVEMENT },
	{ "an object is not healthy", .type = "Available", .status = "False", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "it is not known whether the objects are there", .type = "Available", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ "nobody has looked at the objects", .then = OUTCOME_SILENCE },
	{ 0 }
};

static const struct row archive_rows[] = {
	{ "the revision is archived", .then = OUTCOME_READY, .flags = COMPLETE, .says = "Archived", .flag = "archived" }, { 0 }
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
	if (is_archived(v))
		row_decides(&(struct reading){ .v = v, .reason = STR("Archived") }, archive_rows);
	else
		judge(v, succeeded ? SERVES : 0, available, set_rows);
}
