/* SPDX-License-Identifier: Apache-2.0 */
/*
 * InstallPlan: the one operation that the Operator Lifecycle Manager records.  Complete and Failed are final: a plan is
 * never tried again.
 */
#include "kube/base/shell.h"
#include "kube/family/olm/olm.h"

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
				     .relation = RELATION_NEEDS,
				     .flags = REF_NAMED | REF_REPORTED_MISSING,
				     .group = STR(OLM_GROUP),
				     .kind = STR("CatalogSource"),
				     .ns = json_str(lookup, "catalogSourceRef.namespace"),
				     .name = json_str(lookup, "catalogSourceRef.name"),
				     .via = STR("status.bundleLookups"),
				     .message = message,
			     });
}

/* Older releases have no plan before bundles are unpacked; newer releases unpack before they make a plan. */
static void inspect_lookup(struct verdict *v, struct json lookup)
{
	json_foreach(c, json_at(lookup, "conditions")) {
		struct str type = json_str(c, "type"), reason = json_str(c, "reason");
		struct str message = json_str(c, "message");

		if (!str_is(json_str(c, "status"), "True"))
			continue;
		if (str_is(type, "BundleLookupFailed"))
			verdict_set(v, PHASE_FAILED, SEVERITY_ERROR, reason, message);
		if (!str_is(type, "BundleLookupPending") || verdict_phase(v) != PHASE_PROVISIONING)
			continue;
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, reason, message);
		if (str_is(reason, "CatalogSourceMissing"))
			wait_for_catalog(v, lookup, message);
	}
}

/* ---- the verdict --------------------------------------------------------- */

static const struct word_rule phases[] = {
	{ "Planning", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Installing", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "RequiresApproval", NULL, PHASE_WAITING, SEVERITY_INFO },
	{ "Complete", NULL, PHASE_READY, SEVERITY_NONE },
	{ "Failed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 }
};

/* Errors of the first minute, and everything that is forbidden, are retried while the phase stays. */
static void inspect_installing(struct verdict *v, const struct condition *installed)
{
	struct str message = json_str(verdict_object(v), "status.message");

	if (message.len || condition_is(installed, "False"))
		verdict_set_severity(v, SEVERITY_WARNING);
}

static void inspect_phase(struct verdict *v, struct str phase)
{
	const struct condition *installed = verdict_condition(v, "Installed"), *bad = installed;
	struct str message = json_str(verdict_object(v), "status.message");
	bool known = verdict_by_word(v, phase, STR_NONE, phases);

	if (!installed && verdict_phase(v) == PHASE_FAILED)
		bad = verdict_condition(v, "Resolved");
	if (condition_is(bad, "False") && message.len == 0)
		message = bad->message;
	verdict_set(v, verdict_phase(v), verdict_severity(v), condition_is(bad, "False") ? bad->reason : STR_NONE,
		    message);
	verdict_since(v, json_time(verdict_object(v), "status.startTime"));
	/* waiting for approval begins with the plan */
	if (str_is(phase, "RequiresApproval"))
		verdict_since(v, verdict_created(v));
	if (installed)
		verdict_since(v, installed->since);
	verdict_rule(v, arena_printf(verdict_arena(v), "status.phase " STR_FMT, STR_ARG(phase)));
	if (!known)
		verdict_unknown_word(v, "status.phase", phase);
	if (str_is(phase, "Installing"))
		inspect_installing(v, installed);
	if (str_is(phase, "Complete"))
		verdict_complete(v);
	if (str_is(phase, "Failed"))
		verdict_flag(v, "terminal");
}

/* The controller ignores a plan without steps and without lookups, for ever. */
static void inspect_empty(struct verdict *v)
{
	olm_never_reconciled(v);
	if (verdict_severity(v) == SEVERITY_WARNING)
		verdict_rule(v, STR("no status: the controller skips it"));
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
	bool empty = phase.len == 0 && json_count(json_at(object, "status.plan")) == 0 &&
		     json_count(json_at(object, "status.bundleLookups")) == 0;

	olm_meet(v, arena_printf(verdict_arena(v), "%lld",
				 (long long)json_int(object, "spec.generation", 0)));
	verdict_word(v, phase);
	if (empty)
		inspect_empty(v);
	else if (phase.len == 0)
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	else
		inspect_phase(v, phase);
	if (str_is(phase, "RequiresApproval") && json_bool(object, "spec.approved", false))
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	if (verdict_phase(v) != PHASE_READY)
		json_foreach(it, json_at(object, "status.bundleLookups"))
			inspect_lookup(v, it);
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

void olm_install_plan_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (is_superseded(d)) {
		/* the outcome matters to nobody any more, unless the plan has made the operator */
		assess_flag(d, "superseded");
		if (st->phase != PHASE_READY && st->phase != PHASE_DELETING)
			assess_set(d, PHASE_SUSPENDED, SEVERITY_NONE, st->reason, st->message);
		return;
	}
	if (st->phase == PHASE_WAITING && str_is(st->operator_phase, "RequiresApproval"))
		wait_for_approval(d);
	assess_from(d);
}
