/* SPDX-License-Identifier: Apache-2.0 */
/*
 * InstallPlan: the one operation that the Operator Lifecycle Manager records.  Complete and Failed are final: a plan is
 * never tried again.
 */
#include "kube/base/shell.h"
#include "kube/family/olm/olm.h"
#include "kube/status/thresholds.h"

#define FIRST_CSV "spec.clusterServiceVersionNames[0]"

/* ---- the steps ----------------------------------------------------------- */

/* The steps contain whole CSVs and CRDs; only the status of each step is read. */
static double percent_of(struct json plan)
{
	size_t steps = 0, done = 0;

	json_foreach(it, plan) {
		struct str status = json_str(it, "status");

		steps++;
		done += str_is(status, "Created") || str_is(status, "Present");
	}
	return steps ? (double)done * 100.0 / (double)steps : -1;
}

static const char *class_of(struct str phase)
{
	if (str_is(phase, "Complete"))
		return "succeeded";
	if (str_is(phase, "Failed"))
		return "failed";
	return str_is(phase, "RequiresApproval") ? "attention" : "pending";
}

static void show_progress(struct verdict *v, struct str phase)
{
	struct json status = json_at(verdict_object(v), "status");
	const struct condition *installed = verdict_condition(v, "Installed");
	struct async *async;

	if (phase.len == 0)
		return;
	async = verdict_async(v);
	async->source = STR("installplan");
	async->class = str_of(class_of(phase));
	async->raw_status = phase;
	async->percent = percent_of(json_at(status, "plan"));
	async->message = json_str(status, "message");
	if (async->message.len == 0 && installed)
		async->message = installed->message;
	async->updated = installed ? installed->since : json_time(status, "startTime");
}

/* Adds a step that was not made yet; the steps of a finished plan are history. */
static void refer_step(struct verdict *v, struct json step, struct str via, const void *arg)
{
	struct json resource = json_at(step, "resource");
	struct str kind = json_str(resource, "kind");

	(void)arg;
	if (kind.len == 0)
		return;
	verdict_ref(v, (struct ref){
		/* a Subscription for a dependency waits for this plan and is no part of it */
		.relation = str_is(kind, "Subscription") ? RELATION_NEEDS : RELATION_MANAGES,
		.group = json_str(resource, "group"),
		.kind = kind,
		.name = json_str(resource, "name"),
		.via = arena_str(verdict_arena(v), via),
	});
}

static void refer_csv(struct verdict *v, struct json name, struct str via, const void *arg)
{
	(void)arg;
	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.group = STR(OLM_GROUP),
		.kind = STR("ClusterServiceVersion"),
		.name = json_str(name, ""),
		.via = arena_str(verdict_arena(v), via),
	});
}

/* ---- what it waits for --------------------------------------------------- */

static void wait_for_catalog(struct verdict *v, struct json lookup, struct str message)
{
	verdict_waits_for(v, (struct ref){
				     .flags = REF_NAMED | REF_REPORTED_MISSING,
				     .group = STR(OLM_GROUP),
				     .kind = STR("CatalogSource"),
				     .ns = json_str(lookup, "catalogSourceRef.namespace"),
				     .name = json_str(lookup, "catalogSourceRef.name"),
				     .via = STR("status.bundleLookups"),
				     .message = message,
			     });
}

/* Finds the last condition of that type of its lookups that is True, with its words. */
static bool lookup_says(struct reading *r, const char *type)
{
	bool any = false;

	json_foreach(lookup, json_at(verdict_object(r->v), "status.bundleLookups"))
		json_foreach(c, json_at(lookup, "conditions")) {
			if (!str_is(json_str(c, "status"), "True") || !str_is(json_str(c, "type"), type))
				continue;
			any = true;
			r->reason = json_str(c, "reason");
			r->message = json_str(c, "message");
			if (str_is(r->reason, "CatalogSourceMissing") && str_is(str_of(type), "BundleLookupPending"))
				wait_for_catalog(r->v, lookup, r->message);
		}
	return any;
}

static bool lookup_failed(struct reading *r)
{
	return lookup_says(r, "BundleLookupFailed");
}

/* Older releases have no plan before bundles are unpacked; newer releases unpack before they make a plan. */
static bool lookup_goes_on(struct reading *r)
{
	return lookup_says(r, "BundleLookupPending");
}

/* ---- the verdict --------------------------------------------------------- */

/*
 * "… please make sure the service account exists. sa=NAME operatorgroup=NS/NAME" (pkg/lib/scoped/querier.go): the plan
 * waits for the account of its OperatorGroup.
 */
static bool lacks_account(struct reading *r)
{
	struct str name = olm_word_after(r->message, " sa=");

	if (name.len == 0)
		return false;
	verdict_waits_for(r->v, (struct ref){ .relation = RELATION_NEEDS,
					      .flags = REF_REPORTED_MISSING,
					      .kind = STR("ServiceAccount"),
					      .name = name,
					      .via = STR("status.conditions"),
					      .message = r->message });
	return true;
}

enum { EMPTY = 1, GOES_ON = 2, ENDED_WELL = 4, APPROVED = 8, TOLD = 16, HAS_ERROR = 32 };

static void without_words(struct reading *r)
{
	r->reason = r->message = STR_NONE;
}

/* Waiting for approval begins with the plan. */
static void since_made(struct reading *r)
{
	const struct condition *installed = verdict_condition(r->v, "Installed");

	r->since = installed ? installed->since : verdict_created(r->v);
}

static const struct row rows[] = {
	/* the controller ignores a plan without steps and without lookups, for ever */
	{ "the plan has no steps, and its controller skips it", .is = EMPTY, .then = OUTCOME_SILENCE },
	{ "a bundle could not be unpacked", .not = ENDED_WELL, .holds = lookup_failed, .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "a bundle is being unpacked", .is = GOES_ON, .holds = lookup_goes_on, .then = OUTCOME_MOVEMENT },
	{ "its controller has not begun with the plan", .not = TOLD, .then = OUTCOME_MOVEMENT },
	{ "the plan is being made", .word = "Planning", .then = OUTCOME_MOVEMENT },
	/* errors of the first minute, and everything that is forbidden, are retried while the phase stays */
	{ "the account that carries out the plan does not exist", .is = HAS_ERROR, .word = "Installing", .holds = lacks_account,
	  .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "a step of the plan has failed, and is tried again", .is = HAS_ERROR, .word = "Installing", .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "the plan is being carried out", .word = "Installing", .then = OUTCOME_MOVEMENT },
	{ "the plan was approved a moment ago", .is = APPROVED, .word = "RequiresApproval", .then = OUTCOME_MOVEMENT, .tell = without_words },
	{ "a person has to approve the plan", .word = "RequiresApproval", .then = OUTCOME_WAIT, .tell = since_made },
	{ "the plan is carried out", .word = "Complete", .then = OUTCOME_READY, .flags = COMPLETE },
	{ "the plan has failed, and is never tried again", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the phase of the plan is not known here", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

static struct reading read_plan(struct verdict *v, struct str phase)
{
	const struct condition *installed = verdict_condition(v, "Installed"), *bad = installed;
	struct json object = verdict_object(v);
	struct reading r = { .v = v, .word = phase, .message = json_str(object, "status.message"), .is = phase.len ? TOLD : 0 };

	if (!installed && str_is(phase, "Failed"))
		bad = verdict_condition(v, "Resolved");
	if (r.message.len || condition_is(installed, "False"))
		r.is |= HAS_ERROR;
	if (condition_is(bad, "False")) {
		r.reason = bad->reason;
		r.message = r.message.len ? r.message : bad->message;
	}
	if (json_bool(object, "spec.approved", false))
		r.is |= APPROVED;
	if (!phase.len || table_has_word("Planning Installing", phase) || ((r.is & APPROVED) && str_is(phase, "RequiresApproval")))
		r.is |= GOES_ON;
	r.is |= str_is(phase, "Complete") ? ENDED_WELL : 0;
	if (phase.len) {
		r.since = installed ? installed->since : json_time(object, "status.startTime");
		r.rule = ARENA_JOIN(verdict_arena(v), STR("status.phase "), phase);
	} else if (json_count(json_at(object, "status.plan")) == 0 && json_count(json_at(object, "status.bundleLookups")) == 0) {
		r.is |= EMPTY;
		if (verdict_created(v) && verdict_past(v, verdict_created(v) + thresholds.young))
			r.rule = STR("no status: the controller skips it");
	}
	return r;
}

static struct str replaced_version(const struct verdict *v, struct str csv)
{
	json_foreach(it, json_at(verdict_object(v), "status.bundleLookups"))
		if (str_eq(json_str(it, "identifier"), csv))
			return olm_version_in_name(json_str(it, "replaces"));
	return STR_NONE;
}

void olm_install_plan_inspect(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str phase = json_str(object, "status.phase");
	struct str csv = json_str(object, FIRST_CSV);
	struct reading r = read_plan(v, phase);
	const struct row *row;

	olm_meet(v, arena_printf(verdict_arena(v), "%lld",
				 (long long)json_int(object, "spec.generation", 0)));
	row = table_decide(&r, rows);
	verdict_word(v, phase);
	if (row && row->then == OUTCOME_UNKNOWN)
		verdict_unknown_word(v, "status.phase", phase);
	if (str_is(phase, "Failed"))
		verdict_flag(v, "terminal");
	show_progress(v, phase);
	verdict_version(v, phase_under_way(verdict_phase(v)) ? replaced_version(v, csv) : STR_NONE,
			olm_version_in_name(csv));
	/* what a failed plan has not made is no problem of its own */
	if (verdict_phase(v) != PHASE_FAILED)
		verdict_each(v, "spec.clusterServiceVersionNames[]", refer_csv, NULL);
	if (phase_under_way(verdict_phase(v)))
		verdict_each(v, "status.plan[]", refer_step, NULL);
}

/* ---- with its Subscriptions ---------------------------------------------- */

static int64_t generation_of(const struct neighbour *n)
{
	int64_t generation = 0;

	return str_to_int(n->message, &generation) ? generation : 0;
}

/* The plans of a namespace are numbered; a Subscription can still follow an older one. */
static bool has_newer(struct assessment *d)
{
	struct neighbour plan;
	int64_t own = 0;
	size_t at = 0;

	while (olm_next_peer(d, "InstallPlan", &at, &plan))
		if (str_eq(plan.name, assess_name(d)))
			own = generation_of(&plan);
	at = 0;
	while (own && olm_next_peer(d, "InstallPlan", &at, &plan))
		if (generation_of(&plan) > own)
			return assess_readable(d, OLM_GROUP, "Subscription", assess_namespace(d));
	return false;
}

/*
 * No Subscription follows this plan, and there is a newer plan, or the Subscription that it was made for follows
 * another one.
 */
static bool is_superseded(struct assessment *d)
{
	struct neighbour sub, plan;
	bool followed = false;

	for (size_t i = 0; assess_referrer(d, i, &sub); i++)
		if (str_is(sub.kind->kind, "Subscription"))
			return false;
	for (size_t i = 0; assess_target(d, i, &sub); i++) {
		if (sub.relation != RELATION_OWNS || sub.presence != PRESENCE_FOUND)
			continue;
		for (size_t k = 0; assess_target_of(d, &sub, k, &plan); k++)
			followed |= str_is(plan.via, OLM_INSTALL_PLAN_REF) &&
				    (plan.presence != PRESENCE_FOUND || plan.created > assess_created(d));
	}
	return followed || has_newer(d);
}

struct str olm_how_to_approve(struct assessment *d, struct str ns, struct str plan)
{
	struct arena *a = assess_arena(d);

	/* kubectl would read a name that begins with '-' as a flag */
	return ARENA_JOIN(a, STR("kubectl"), assess_target_flags(d), STR(" -n "), shell_word(ns, a), STR(" patch installplan"),
			  arena_printf(a, "%c", str_starts(plan, "-") ? '/' : ' '), shell_word(plan, a),
			  STR(" --type merge -p '{\"spec\":{\"approved\":true}}'"));
}

/* Only a person can end this state. */
static void wait_for_approval(struct assessment *d)
{
	assess_wait_external(d, (struct external_wait){
		.state = WAIT_APPROVAL,
		.kind = STR("InstallPlan"),
		.name = assess_name(d),
		.via = STR("spec.approved"),
		.message = olm_how_to_approve(d, assess_namespace(d), assess_name(d)),
	});
}

static struct str named_via(const struct status *st, const char *via)
{
	for (size_t i = 0; i < st->nrefs; i++)
		if (str_is(st->refs[i].via, via))
			return st->refs[i].name;
	return STR_NONE;
}

/* One plan serves all Subscriptions of a namespace: this finds the package whose version the plan shows. */
static void assess_from(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct str csv = named_via(st, FIRST_CSV);
	struct neighbour n;

	if (!phase_under_way(st->phase) || st->version_from.len)
		return;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (str_is(n.via, OLM_INSTALL_PLAN_REF) && n.presence == PRESENCE_FOUND &&
		    str_eq(named_via(&n.status, OLM_CURRENT_CSV), csv)) {
			assess_version(d, n.status.version_from, st->version_to);
			return;
		}
}

static const struct row beside_rows[] = { { "nobody follows the plan any more", .then = OUTCOME_PAUSE, .flags = QUIET }, { 0 } };

void olm_install_plan_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (is_superseded(d)) {
		/* the outcome matters to nobody any more, unless the plan has made the operator */
		assess_flag(d, "superseded");
		if (st->phase != PHASE_READY && st->phase != PHASE_DELETING)
			table_assess(d, beside_rows, st->reason, st->message);
		return;
	}
	if (st->phase == PHASE_WAITING && str_is(st->operator_phase, "RequiresApproval"))
		wait_for_approval(d);
	assess_from(d);
}
