/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subscription.  Its conditions are bad when True.  The state AtLatestKnown is set as soon as the CSV exists, whatever
 * happens to the CSV, so the CSV counts, too.  ResolutionFailed, BundleUnpacking and BundleUnpackFailed are written
 * alike to every Subscription of the namespace.
 */
#include "kube/family/olm/olm.h"

#include "kube/status/thresholds.h"

#define CONDITIONS "status.conditions"

/* ---- references ---------------------------------------------------------- */

static struct ref catalog_ref(struct str ns, struct str name, const char *via)
{
	return (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("CatalogSource"),
		.ns = ns,
		.name = name,
		.via = str_of(via),
	};
}

static void refer_csv(struct verdict *v, const char *path)
{
	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.group = STR(OLM_GROUP),
		.kind = STR("ClusterServiceVersion"),
		.name = json_str(verdict_object(v), path),
		.via = str_of(path),
	});
}

/* status.installplan is an older form of the reference. */
static struct ref plan_ref(const struct verdict *v)
{
	struct str name = json_str(verdict_object(v), OLM_INSTALL_PLAN_REF ".name");

	return (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("InstallPlan"),
		.name = name.len ? name : json_str(verdict_object(v), "status.installplan.name"),
		.via = STR(OLM_INSTALL_PLAN_REF),
	};
}

/* The health of the pod and service of a catalog, which may differ from the state of its connection. */
static void refer_unhealthy_catalogs(struct verdict *v)
{
	json_foreach(it, json_at(verdict_object(v), "status.catalogHealth")) {
		struct json ref = json_at(it, "catalogSourceRef");
		struct str ns = json_str(ref, "namespace"), name = json_str(ref, "name");

		if (!json_bool(it, "healthy", true))
			verdict_ref(v, catalog_ref(ns, name, OLM_UNHEALTHY_CATALOG));
	}
}

static void refer(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str ns = json_str(object, "spec.sourceNamespace"), state = json_str(object, "status.state");
	struct ref source = catalog_ref(ns, json_str(object, "spec.source"), "spec.source");
	struct ref plan = plan_ref(v);

	/* once a version is chosen the catalog is not needed any more */
	if (!json_has(object, "status.currentCSV"))
		source.flags = REF_BLOCKS;
	/*
	 * once that version is installed the plan is not needed any more; without a state the reference is an old one
	 */
	if (state.len && !str_is(state, "AtLatestKnown"))
		plan.flags = REF_BLOCKS;
	olm_meet(v, STR_NONE);
	verdict_ref(v, source);
	verdict_ref(v, plan);
	refer_csv(v, OLM_CURRENT_CSV);
	refer_csv(v, "status.installedCSV");
	refer_unhealthy_catalogs(v);
}

/* ---- what a message names ------------------------------------------------ */

/*
 * The resolver writes all three: "catalogsource ns/name", "from source name/ns", "from catalog name in namespace ns".
 */
static struct ref named_catalog(struct str message)
{
	struct str word = olm_word_after(message, "catalogsource ");
	size_t slash = str_find(word, '/');

	if (slash < word.len)
		return catalog_ref(str_head(word, slash), str_from(word, slash + 1), CONDITIONS);
	word = olm_word_after(message, "from source ");
	slash = str_find(word, '/');
	if (slash < word.len)
		return catalog_ref(str_from(word, slash + 1), str_head(word, slash), CONDITIONS);
	word = olm_word_after(message, "from catalog ");
	return catalog_ref(olm_word_after(message, " in namespace "), word, CONDITIONS);
}

static struct str named_subscription(struct str message)
{
	struct str name = olm_word_after(message, "referenced by subscription ");

	return name.len ? name : olm_word_after(message, "subscription ");
}

/* Where the message names no catalog, those that the list calls unhealthy are meant. */
static bool name_unhealthy(struct verdict *v, const struct condition *c)
{
	bool any = false;

	json_foreach(it, json_at(verdict_object(v), "status.catalogHealth")) {
		struct json ref = json_at(it, "catalogSourceRef");
		struct ref on = catalog_ref(json_str(ref, "namespace"), json_str(ref, "name"),
					    OLM_UNHEALTHY_CATALOG);

		if (json_bool(it, "healthy", true) || on.name.len == 0)
			continue;
		on.flags = REF_NAMED | REF_BLOCKS;
		on.message = c->message;
		verdict_waits_for(v, on);
		any = true;
	}
	return any;
}

/* The catalog that the message names, or that is known to be unhealthy; else a Subscription; else the namespace. */
static void name_broken(struct reading *r)
{
	struct verdict *v = r->v;
	const struct condition *c = r->condition;
	const struct condition *ill = olm_condition_with(v, "CatalogSourcesUnhealthy", "True");
	bool prevented = str_is(c->reason, "ErrorPreventedResolution");
	struct ref on = named_catalog(c->message);

	if (on.name.len == 0 && ill && prevented)
		on = named_catalog(ill->message);
	if (on.name.len == 0 && prevented && name_unhealthy(v, c))
		return;
	if (on.name.len == 0) {
		on.kind = STR("Subscription");
		on.ns = STR_NONE;
		on.name = named_subscription(c->message);
	}
	if (on.name.len == 0) {
		on.group = STR_NONE;
		on.kind = STR("Namespace");
		on.name = verdict_namespace(v);
	}
	/* a namespace blocks nobody: it only stands for all objects that have the condition */
	on.flags = str_is(on.kind, "Namespace") ? REF_CLUSTER : REF_NAMED;
	on.message = c->message;
	verdict_ref(v, on);
}

static bool names_catalog(struct reading *r)
{
	const struct condition *c = r->condition;
	struct ref on = named_catalog(c->message);

	on.flags = REF_NAMED | REF_BLOCKS;
	if (str_contains(c->message, "missing"))
		on.flags |= REF_REPORTED_MISSING;
	on.message = c->message;
	if (on.name.len)
		verdict_waits_for(r->v, on);
	return on.name.len || name_unhealthy(r->v, c);
}

static void name_catalog(struct reading *r)
{
	names_catalog(r);
}

static void name_plan(struct reading *r)
{
	const struct condition *c = r->condition;
	struct ref on = plan_ref(r->v);

	on.flags = REF_NAMED;
	if (str_is(c->type, "InstallPlanMissing"))
		on.flags |= REF_REPORTED_MISSING;
	on.message = c->message;
	if (on.name.len)
		verdict_waits_for(r->v, on);
}

/* ---- conditions ---------------------------------------------------------- */

/* What the rows ask for. */
enum {
	INSTALLED = 1 << 0,	/* a version is installed, which goes on serving */
	UNTOUCHED = 1 << 1,
	UPGRADE_PENDING = 1 << 2,
	UNTOLD = 1 << 3		/* it has no state */
};

/* The condition has a message only while the image cannot be pulled. */
static void by_its_message(struct reading *r)
{
	r->flags |= r->condition->message.len ? RETRIED : 0;
}

/* BundleUnpacking, ResolutionFailed and BundleUnpackFailed are the same on every Subscription of the namespace. */
static const struct row rows[] = {
	{ "the resolution has failed", .type = "ResolutionFailed", .status = "True", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED,
	  .flags = FINAL, .flag = OLM_NAMESPACE_WIDE, .tell = name_broken },
	{ "a bundle could not be unpacked", .type = "BundleUnpackFailed", .status = "True", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED,
	  .flags = FINAL, .flag = OLM_NAMESPACE_WIDE, .tell = name_broken },
	{ "its InstallPlan has failed", .type = "InstallPlanFailed", .status = "True", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED,
	  .flags = FINAL, .tell = name_plan },
	{ "a catalog of what is installed is not healthy", .is = INSTALLED, .type = "CatalogSourcesUnhealthy", .status = "True",
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .tell = name_catalog },
	{ "the catalog that it needs is not healthy", .type = "CatalogSourcesUnhealthy", .status = "True", .holds = names_catalog,
	  .then = OUTCOME_WAIT, .flags = FINAL },
	{ "catalogs are not healthy, and nothing tells which", .type = "CatalogSourcesUnhealthy", .status = "True", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_FAILED, .flags = FINAL },
	{ "a person has to approve its InstallPlan", .type = "InstallPlanPending", .status = "True", .reason = "RequiresApproval",
	  .then = OUTCOME_WAIT },
	{ "a bundle is being unpacked", .type = "BundleUnpacking", .status = "True", .then = OUTCOME_MOVEMENT, .flag = OLM_NAMESPACE_WIDE,
	  .tell = by_its_message },
	/* a missing plan matters only while it is carried out: OLM deletes plans that are complete */
	{ "its InstallPlan is missing", .is = UPGRADE_PENDING, .type = "InstallPlanMissing", .status = "True", .then = OUTCOME_WAIT,
	  .flags = RETRIED, .tell = name_plan },
	{ "its InstallPlan is being carried out", .type = "InstallPlanPending", .status = "True", .then = OUTCOME_MOVEMENT },
	{ "its controller has not begun", .is = UNTOUCHED, .then = OUTCOME_SILENCE },
	{ "the upgrade has failed", .word = "UpgradeFailed", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL },
	{ "the upgrade is under way", .word = "UpgradePending", .then = OUTCOME_MOVEMENT },
	{ "an upgrade is there, and not begun", .word = "UpgradeAvailable", .then = OUTCOME_WAIT },
	{ "it is at the latest version", .word = "AtLatestKnown", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ 0 }
};

/* Behind these: nothing is chosen yet, or a state that only a newer release has. */
static const struct row last_rows[] = {
	{ "no version is chosen yet", .is = UNTOLD, .then = OUTCOME_MOVEMENT },
	{ "its state is not known here", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

static bool is_installed(const struct verdict *v)
{
	return json_str(verdict_object(v), "status.installedCSV").len > 0;
}

static void show_polarity(struct verdict *v)
{
	static const char *const bad[] = { "CatalogSourcesUnhealthy", "ResolutionFailed",
					   "BundleUnpackFailed", "InstallPlanMissing",
					   "InstallPlanFailed" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		verdict_polarity(v, bad[i], POLARITY_NEGATIVE);
	verdict_polarity(v, "BundleUnpacking", POLARITY_TRANSITIONAL);
	verdict_polarity(v, "InstallPlanPending", POLARITY_TRANSITIONAL);
}

/* All conditions are bad when True; those of known types were read before. */
static void by_unknown_condition(struct verdict *v)
{
	static const char *const known[] = { "ResolutionFailed", "BundleUnpackFailed", "BundleUnpacking",
					     "InstallPlanFailed", "InstallPlanMissing", "InstallPlanPending",
					     "CatalogSourcesUnhealthy", NULL };

	if (verdict_phase(v) == PHASE_READY)
		olm_unknown_condition(v, known);
}

void olm_subscription_inspect(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	struct str state = json_str(status, "state"), installed = json_str(status, "installedCSV");
	struct str current = json_str(status, "currentCSV");
	struct reading r = { .v = v, .word = state, .usable = installed.len > 0 };
	bool touched = json_has(status, "lastUpdated") || verdict_condition_count(v) > 0, known;
	const struct row *row;

	show_polarity(v);
	refer(v);
	r.is = (installed.len ? INSTALLED : 0) | (state.len ? 0 : UNTOLD) | (state.len || touched ? 0 : UNTOUCHED) |
	       (str_is(state, "UpgradePending") ? UPGRADE_PENDING : 0);
	row = table_find(&r, rows);
	known = row;
	row = row ? row : table_find(&r, last_rows);
	/* lastUpdated also moves without a change: the plan and the CSV tell more */
	if (row && !row->type && row->then != OUTCOME_SILENCE)
		r.rule = arena_printf(verdict_arena(v), "status.state \"" STR_FMT "\"", STR_ARG(state));
	if (row)
		row_decides(&r, row);
	verdict_word(v, state.len || !r.condition ? state : r.condition->reason);
	if (!known && state.len)
		verdict_unknown_word(v, "status.state", state);
	if (row && !row->type)
		by_unknown_condition(v);
	if (is_installed(v))
		verdict_ever_ready(v);
	olm_show_deprecation(v);
	if (current.len == 0)
		current = installed;
	verdict_version(v, str_eq(installed, current) ? STR_NONE : olm_version_in_name(installed),
			olm_version_in_name(current));
}

/* ---- with the plan and the CSV ------------------------------------------- */

static bool is_there(const struct neighbour *n)
{
	return n->presence == PRESENCE_FOUND;
}

/* The Subscription says, too, that a person has to approve: it is known without the plan. */
static void assess_approval(struct assessment *d, const struct neighbour *plan)
{
	const struct status *st = assess_status(d);

	if (st->phase != PHASE_WAITING || !str_is(st->reason, "RequiresApproval") || is_there(plan))
		return;
	assess_wait(d, plan, WAIT_APPROVAL,
		    olm_how_to_approve(d, plan->ns, plan->name));
}

static bool is_condition(const struct status *st, const char *type)
{
	return condition_is(status_condition(st, type), "True");
}

/*
 * A namespace is not resolved again when all its Subscriptions are in that state: then nothing will change without a
 * person, else that is only likely.
 */
static enum severity assess_stuck(struct assessment *d, const char *dead_end)
{
	struct neighbour n;
	size_t at = 0;

	while (olm_next_peer(d, "Subscription", &at, &n))
		if (!str_is(n.status.operator_phase, "UpgradePending")) {
			assess_flag(d, "likely-stuck");
			return SEVERITY_WARNING;
		}
	assess_flag(d, dead_end);
	return SEVERITY_ERROR;
}

enum { PLAN_FAILED, FIRST_VERSION, VERSION_MOVES, VERSION_WAITS, VERSION_UNKNOWN, VERSION_UNWELL, SEVERAL_GROUPS, NO_GROUP, GROUP_UNSEEN, TRIES_AGAIN };

static const struct row beside_rows[] = {
	[PLAN_FAILED] = { "its InstallPlan is Failed, whatever its own copy says", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL,
			  .rule = "its InstallPlan is Failed" },
	[FIRST_VERSION] = { "the plan that is in progress installs its first version", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING },
	[VERSION_MOVES] = { "its version is being installed", .then = OUTCOME_MOVEMENT },
	[VERSION_WAITS] = { "its version waits for what it makes", .then = OUTCOME_WAIT },
	[VERSION_UNKNOWN] = { "its version does not say how it is", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	[VERSION_UNWELL] = { "its version has failed, or does not serve", .then = OUTCOME_TROUBLE },
	[SEVERAL_GROUPS] = { "its namespace has several OperatorGroups", .then = OUTCOME_WAIT, .flags = FINAL },
	[NO_GROUP] = { "its namespace has no OperatorGroup", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL },
	[GROUP_UNSEEN] = { "the catalogs are healthy, and nothing is resolved", .then = OUTCOME_WAIT, .flags = RETRIED },
	[TRIES_AGAIN] = { "the resolution is tried again, now that its catalog is healthy", .then = OUTCOME_MOVEMENT,
			  .phase = PHASE_PROVISIONING, .flags = RETRIED },
	{ 0 }
};

/* In the words of its version, and as serious as that. */
static void as_its_version(struct assessment *d, const struct status *csv, const struct row *row)
{
	bool usable = csv->phase != PHASE_FAILED && csv->phase != PHASE_PROVISIONING;

	row_decides(&(struct reading){ .d = d, .usable = usable, .reason = csv->reason, .message = csv->message, .level = csv->severity }, row);
}

/*
 * The Subscription has a copy of the state of its plan, which may be a moment old or be written again from an older
 * read.  A plan that has failed stays so.
 */
static void assess_failed_plan(struct assessment *d, const struct neighbour *plan)
{
	const struct status *st = assess_status(d);

	if (!is_condition(st, "InstallPlanPending") || st->phase == PHASE_FAILED || st->phase == PHASE_DELETING ||
	    !is_there(plan) || plan->status.phase != PHASE_FAILED)
		return;
	assess_wait(d, plan, WAIT_FAILED, plan->status.message);
	table_assess(d, &beside_rows[PLAN_FAILED], plan->status.reason, plan->status.message);
	assess_since(d, plan->status.since);
}

/* A plan that failed is not tried again while the Subscription is in that state. */
static void assess_plan(struct assessment *d, const struct neighbour *plan)
{
	const struct status *st = assess_status(d);
	bool failed = is_there(plan) ? str_is(plan->status.operator_phase, "Failed") :
				       is_condition(st, "InstallPlanFailed");
	enum severity severity;

	assess_approval(d, plan);
	if (is_there(plan) && assess_own_work(d, plan))
		assess_drop_wait(d, plan);
	if (is_there(plan) && !st->since && phase_under_way(st->phase))
		assess_since(d, plan->created);
	if (!failed || olm_fails_forward(d))
		return;
	if (!str_is(st->operator_phase, "UpgradePending")) {
		assess_failed_plan(d, plan);
		return;
	}
	severity = assess_stuck(d, "dead:installplan-failed");
	if (is_there(plan))
		olm_assess_waiting(d, plan, severity);
}

/* The plan is complete, so the CSV that it made was deleted, and nobody makes it again. */
static void assess_absent_csv(struct assessment *d, const struct neighbour *csv, bool complete)
{
	struct str state = assess_status(d)->operator_phase;

	if (csv->presence != PRESENCE_MISSING)
		return;
	if (complete && str_is(state, "UpgradePending"))
		olm_assess_waiting(d, csv, assess_stuck(d, "dead:plan-complete-csv-missing"));
	else if (str_is(state, "AtLatestKnown"))
		olm_assess_waiting(d, csv, SEVERITY_WARNING);
}

/* A CSV that has failed or does not serve is not waited for: it was installed before. */
static void assess_csv(struct assessment *d, const struct neighbour *csv)
{
	const struct status *st = assess_status(d);
	enum phase phase = csv->status.phase;
	bool dead_end = false;

	if (phase == PHASE_READY && st->phase == PHASE_READY)
		assess_since(d, csv->status.since);
	/* OLM notes a version as installed as soon as its CSV exists: the plan that is in progress installs the first one */
	if (st->phase == PHASE_UPDATING && is_condition(st, "InstallPlanPending") && !st->version_from.len &&
	    !olm_replaces_any(&csv->status))
		row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message, .rule = st->rule, .level = st->severity },
			    &beside_rows[FIRST_VERSION]);
	if (phase == PHASE_READY || (phase_under_way(st->phase) && assess_own_work(d, csv)))
		return;
	/* AtLatestKnown says only that the CSV exists */
	if (st->phase == PHASE_READY)
		assess_since(d, csv->status.since);
	if (st->phase == PHASE_READY && assess_own_work(d, csv)) {
		as_its_version(d, &csv->status, &beside_rows[phase == PHASE_WAITING ? VERSION_WAITS : VERSION_MOVES]);
		return;
	}
	for (size_t i = 0; i < csv->status.nflags; i++)
		if (str_starts(csv->status.flags[i], "dead:")) {
			assess_flag(d, arena_str(assess_arena(d), csv->status.flags[i]).ptr);
			dead_end = true;
		}
	if (phase == PHASE_UNKNOWN) {
		if (st->phase == PHASE_READY)
			table_assess(d, &beside_rows[VERSION_UNKNOWN], csv->status.reason, csv->status.message);
		return;
	}
	if ((phase == PHASE_FAILED || phase == PHASE_DEGRADED) &&
	    (st->phase == PHASE_READY || st->phase == PHASE_DEGRADED)) {
		assess_wait_for(d, csv);
		as_its_version(d, &csv->status, &beside_rows[VERSION_UNWELL]);
		return;
	}
	/* the error is on what it waits for */
	olm_assess_waiting(d, csv, dead_end || csv->status.severity < SEVERITY_WARNING ? csv->status.severity : SEVERITY_WARNING);
}

/*
 * The catalogs have answered, and still nothing is chosen: OLM does not say so when there is no OperatorGroup.  Where
 * none is seen, but might exist unseen, that is what the Subscription most likely waits for.
 */
static bool misses_group(struct assessment *d)
{
	const struct status *st = assess_status(d);
	const struct condition *ill = status_condition(st, "CatalogSourcesUnhealthy");
	int64_t answered = ill ? ill->since + thresholds.young : 0;
	struct neighbour first, csv;
	size_t at = 0;

	if (st->phase != PHASE_PROVISIONING || st->operator_phase.len || st->nconditions > 1 || !condition_is(ill, "False") ||
	    st->version_to.len || olm_count_groups(d, &first) || olm_next_peer(d, "ClusterServiceVersion", &at, &csv))
		return false;
	assess_revisit(d, answered);
	return assess_now(d) >= answered;
}

static void wait_for_a_group(struct assessment *d)
{
	struct str message = ARENA_JOIN(assess_arena(d), STR("no OperatorGroup is seen in namespace "), assess_namespace(d));

	assess_wait_external(d, (struct external_wait){ .state = WAIT_EXTERNAL,
							.kind = STR("OperatorGroup"),
							.name = assess_namespace(d),
							.via = STR("metadata.namespace"),
							.message = message });
	table_assess(d, &beside_rows[GROUP_UNSEEN], STR_NONE, message);
}

/* Nothing is resolved in a namespace that does not have exactly one OperatorGroup. */
static void assess_groups(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour first;

	if (!phase_under_way(st->phase))
		return;
	if (olm_count_groups(d, &first) > 1) {
		olm_wait_for_groups(d);
		table_assess(d, &beside_rows[SEVERAL_GROUPS], st->reason, st->message.len ? st->message : first.status.message);
	} else if (olm_has_no_group(d)) {
		olm_share(d);
		table_assess(d, &beside_rows[NO_GROUP], STR("NoOperatorGroup"),
			     ARENA_JOIN(assess_arena(d), STR("no OperatorGroup in namespace "), assess_namespace(d)));
	} else if (misses_group(d)) {
		wait_for_a_group(d);
	}
}

/*
 * A resolution that an error has prevented is tried again.  Where the catalog that the error names is healthy by now,
 * the next attempt is due.
 */
static void assess_resolution(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	if (st->phase != PHASE_FAILED || !str_is(st->reason, "ErrorPreventedResolution") || st->ever_ready)
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (!str_is(n.via, CONDITIONS) || !str_is(n.kind->kind, "CatalogSource") || !is_there(&n) ||
		    n.status.phase != PHASE_READY || n.status.since == 0)
			continue;
		assess_revisit(d, n.status.since + thresholds.overdue);
		if (assess_now(d) < n.status.since + thresholds.overdue)
			table_assess(d, &beside_rows[TRIES_AGAIN], st->reason, st->message);
		return;
	}
}

static void assess_operation(struct assessment *d)
{
	struct neighbour plan, csv;
	bool complete = false;

	if (olm_target_via(d, OLM_INSTALL_PLAN_REF, &plan)) {
		complete = is_there(&plan) && str_is(plan.status.operator_phase, "Complete");
		assess_plan(d, &plan);
	}
	if (!olm_target_via(d, OLM_CURRENT_CSV, &csv))
		return;
	if (is_there(&csv))
		assess_csv(d, &csv);
	else
		assess_absent_csv(d, &csv, complete);
}

void olm_subscription_assess(struct assessment *d)
{
	assess_resolution(d);
	assess_groups(d);
	assess_operation(d);
	olm_assess_deprecation(d);
}
