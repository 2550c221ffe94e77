/* SPDX-License-Identifier: Apache-2.0 */
/* What it means that nobody has written a status: nobody has come to it yet, nobody ever comes, or nobody ever will. */
#include "kube/evidence/evidence.h"
#include "kube/evidence/leads.h"
#include "kube/evidence/rules.h"
#include "kube/evidence/decision_table.h"

#include "kube/base/cron.h"
#include "kube/status/thresholds.h"

#define NEVER_TOLD "no status: never reconciled"

/* Whether somebody writes a status into objects of the kind. */
enum reporting {
	REPORTING,
	REPORTING_GUESSED, /* somebody writes one elsewhere, and perhaps not in this namespace; or the rows of the operator tell of one */
	REPORTING_UNKNOWN, /* nothing tells: the kind may be one that only holds settings */
	REPORTING_UNREAD,  /* there is no status subresource, and the definition was not read yet */
	REPORTING_NOT
};

static enum reporting reporting(struct verdict *v, const struct kind_row *const *rows)
{
	unsigned flags = verdict_kind(v)->flags;

	/* the definition has set it */
	if (json_has(verdict_object(v), "status"))
		return REPORTING;
	if ((flags & KIND_HAS_STATUS) || ((flags & KIND_REPORTS) && ((flags & KIND_SCHEMA_READ) || verdict_sibling_reports(v))))
		return REPORTING;
	if (flags & KIND_REPORTS)
		return REPORTING_GUESSED;
	if (flags & KIND_SCHEMA_READ)
		return REPORTING_NOT;
	if (flags & KIND_DISCOVERED)
		return flags & KIND_CUSTOM ? REPORTING_UNREAD : REPORTING_NOT;
	/* "offline" is a report here, and not what somebody wants */
	if (!json_has(verdict_object(v), "spec") && json_count(verdict_object(v)) > 3 && !json_has(verdict_object(v), "status"))
		return REPORTING_NOT;
	return rows && *rows ? REPORTING_GUESSED : REPORTING_UNKNOWN;
}

static struct str without_status(void)
{
	return STR("a kind without status");
}

enum { NO_REPORTS, NAMES_NOTHING, REFUSED_BY_EVENT };

static const struct row rows[] = {
	[NO_REPORTS] = { "nobody reports the health of such objects", .then = OUTCOME_READY, .flags = KEEPS_TIME | NAMES_ONLY | UNPROVEN },
	[NAMES_NOTHING] = { "what it names does not exist", .then = OUTCOME_WAIT, .flags = SINCE_CREATED },
	[REFUSED_BY_EVENT] = { "its controller refuses it, and says so in an Event alone", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL | SINCE_CREATED },
	{ 0 }
};

void silence_static(struct verdict *v)
{
	bool some = json_has(verdict_object(v), "status");

	row_decides(&(struct reading){ .v = v, .rule = some ? STR("a kind of which nobody reports the health") : without_status() },
		    &rows[NO_REPORTS]);
}

/* Asks for the definition: generic_assess() concludes from it; before it is read, nothing is known. */
static void ask_definition(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN | REF_CLUSTER,
				     .group = STR("apiextensions.k8s.io"),
				     .kind = STR("CustomResourceDefinition"),
				     .name = ARENA_JOIN(verdict_arena(v), kind->plural, STR("."), kind->group) });
}

enum { YOUNG = 1, SURE = 2 };

/* What it means that an object has no status although its controller should write one. */
static const struct row silence_rows[] = {
	{ "it was just made, and nobody has come to it", .is = YOUNG, .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING,
	  .flags = SINCE_CREATED, .rule = NEVER_TOLD },
	{ "nobody has come to it", .is = SURE, .then = OUTCOME_UNKNOWN, .flags = SINCE_CREATED | PASSED, .rule = NEVER_TOLD },
	{ "nobody has come to it, and perhaps nobody ever does", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING,
	  .flags = SINCE_CREATED | PASSED | RETRIED, .rule = NEVER_TOLD },
	{ 0 }
};

static bool is_young(int64_t created, int64_t now)
{
	return created == 0 || now - created < thresholds.young;
}

/*
 * The status is what the definition of the kind sets where nothing is given, and no controller has written it: Contour's
 * HTTPProxy (projectcontour/contour apis/projectcontour/v1/httpproxy.go), Gateway API's conditions
 * (kubernetes-sigs/gateway-api apis/v1/gateway_types.go).
 */
static bool has_only_defaults(const struct verdict *v)
{
	static const char says[] = "Waiting for controller";
	struct json status = json_at(verdict_object(v), "status");

	if (str_is(json_str(status, "description"), says) && str_is(json_str(status, "currentStatus"), "NotReconciled"))
		return true;
	for (size_t i = 0; i < verdict_condition_count(v); i++)
		if (!str_is(verdict_condition_at(v, i)->message, says) || verdict_condition_at(v, i)->generation > 0)
			return false;
	return verdict_condition_count(v) > 0;
}

/* One word, and neither "@daily" nor five fields: no scheduler reads that, however many fields it knows. */
static bool is_no_schedule(struct str text)
{
	struct cron cron;

	return text.len && text.ptr[0] != '@' && str_find(str_trim(text), ' ') == str_trim(text).len && !cron_parse(text, &cron);
}

/* Nothing is started by such a schedule, and nobody says so. */
static bool has_no_schedule(struct reading *r)
{
	struct json spec = json_at(verdict_object(r->v), "spec");
	struct str text = json_str(spec, "schedule");

	json_foreach(one, json_at(spec, "schedules"))
		if (is_no_schedule(json_str(one, "")))
			text = json_str(one, "");
	r->message = ARENA_JOIN(verdict_arena(r->v), STR("\""), text, STR("\" is no schedule"));
	return facts_is_schedule(r->v) && is_no_schedule(text);
}

static const struct row schedule_rows[] = {
	{ "its schedule is none", .holds = has_no_schedule, .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL | SINCE_CREATED, .rule = "spec.schedule" },
	{ 0 }
};

void silence_conclude(struct facts *f)
{
	struct verdict *v = f->v;
	enum reporting how = reporting(v, f->rows);
	int64_t created = verdict_created(v);
	bool young = is_young(created, verdict_now(v)), sure = how == REPORTING || how == REPORTING_UNKNOWN;
	/* nobody reports on the replicas that it asks for: the workloads that are made for it will */
	bool to_be_made = young && being_asks_for_replicas(v, 1);

	if (table_decide(&(struct reading){ .v = v }, schedule_rows))
		return;
	if (rows_static(f->rows) || (how == REPORTING_NOT && !to_be_made)) {
		silence_static(v);
		return;
	}
	if (how == REPORTING_UNREAD && !to_be_made) {
		ask_definition(v);
		return;
	}
	table_decide(&(struct reading){ .v = v, .flags = NAMES_ONLY, .is = (young ? YOUNG : 0) | (sure ? SURE : 0),
					.rule = how == REPORTING_UNKNOWN && !young ? STR("no status, and nothing tells whether the kind has one") : STR_NONE },
		     silence_rows);
	if (young && created)
		verdict_revisit(v, created + thresholds.young);
}

bool silence_is(struct facts *f)
{
	struct json object = verdict_object(f->v);
	bool written = json_has(object, "status") || facts_top_word(object) || facts_top_conditions(object);

	if (written)
		return has_only_defaults(f->v);
	if (f->is & (IS_PAUSED | IS_HANDLING))
		return false;
	if ((f->is & IS_HANDLED) && reporting(f->v, f->rows) != REPORTING)
		facts_add(f, (struct fact){ .of = FACT_HANDLER, .about = ABOUT_WHOLE, .says = WORD_OK, .where = STR("all handlers of its operator have ended") });
	return true;
}

static bool definition_of(struct assessment *d, struct neighbour *out)
{
	for (size_t i = 0; assess_target(d, i, out); i++)
		if ((out->flags & REF_HIDDEN) && str_is(out->kind->kind, "CustomResourceDefinition"))
			return true;
	return false;
}

/* A text that is a name only by the name of its field: "clusterName", "cluster". */
static bool is_surely_a_name(const struct neighbour *n)
{
	return !(n->flags & REF_IF_FOUND) || str_ends(n->via, "Name") || str_ends(n->via, ".cluster");
}

/*
 * Its operator has no word and no condition for the object, so that nobody has called it well, and another object of the
 * same operator that it names does not exist.
 */
static void wait_for_what_is_absent(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	if (st->phase != PHASE_READY || st->complete || st->operator_phase.len || st->nconditions || assess_deleting(d))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (n.relation != RELATION_NEEDS || n.presence != PRESENCE_MISSING || (n.flags & REF_HIDDEN) ||
		    !str_eq(n.kind->group, assess_kind(d)->group) || !(n.kind->flags & KIND_CUSTOM) || !is_surely_a_name(&n))
			continue;
		table_assess(d, &rows[NAMES_NOTHING], STR_NONE, STR_NONE);
		assess_wait(d, &n, WAIT_MISSING, n.message);
	}
}

/* "InvalidRayClusterSpec": some controllers write no status into what they refuse (ray-project/kuberay, raycluster_controller.go). */
static void conclude_from_refusal(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct event_told e;

	if (!st->untouched || assess_deleting(d) || phase_is_bad(st->phase) || st->phase == PHASE_WAITING || !(assess_kind(d)->flags & KIND_CUSTOM))
		return;
	if (!assess_known_event(d, &(struct events_asked){ .from = assess_created(d) }, &e) || e.tells != EVENT_TELLS_WHAT || !phrase_has(e.reason, "invalid*"))
		return;
	if (table_assess(d, &rows[REFUSED_BY_EVENT], e.reason, e.message))
		assess_rests_on_event(d, &e);
}

static void conclude_from_definition(struct assessment *d)
{
	unsigned flags = assess_kind(d)->flags;
	int64_t created = assess_created(d);
	struct neighbour definition;
	bool young;

	if (!assess_status(d)->untouched || assess_deleting(d) || !definition_of(d, &definition))
		return;
	/* a definition of which only the metadata is here has no status, and says nothing of its schema */
	if (!(flags & KIND_LEARNED) &&
	    (assess_is_unasked(d, &definition) || (definition.presence == PRESENCE_FOUND && definition.status.untouched)))
		return;
	/* also where the definition may not be read, or an aggregated server has none */
	if (!(flags & KIND_REPORTS)) {
		table_assess(d, &rows[NO_REPORTS], STR_NONE, STR_NONE);
		assess_rule(d, without_status());
		return;
	}
	if (assess_status(d)->phase != PHASE_UNKNOWN)
		return;
	young = is_young(created, assess_now(d));
	table_decide(&(struct reading){ .d = d, .is = (young ? YOUNG : 0) | (flags & KIND_SCHEMA_READ ? SURE : 0) }, silence_rows);
	if (young && created)
		assess_revisit(d, created + thresholds.young);
}

void evidence_assess(struct assessment *d)
{
	conclude_from_definition(d);
	conclude_from_refusal(d);
	wait_for_what_is_absent(d);
	evidence_own_part_is_awaited(d);
	leads_to_services(d);
}
