/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims, composites and managed resources: what Ready and Synced mean together.  A reconciliation that fails writes
 * only Synced and leaves Ready as it was, so a problem of Synced counts first, and Ready=True beside it means that the
 * object was ready before.
 */
#include "kube/family/crossplane/crossplane.h"

#include "kube/status/thresholds.h"

struct threshold crossplane_thresholds[] = {
	[CROSSPLANE_ERROR_YOUNG] = { "crossplaneErrorYoung", "a reconcile error for longer, and never ready: Failed",
				     MINUTES(2) },
	[CROSSPLANE_ERROR_OLD] = { "crossplaneErrorOld", "a reconcile error for longer: severity error", MINUTES(20) },
	[CROSSPLANE_CREATING_OLD] = { "crossplaneCreatingOld", "creating for longer: warning", MINUTES(15) },
	[CROSSPLANE_DELETE_OLD] = { "crossplaneDeleteOld", "a delete that fails for longer: severity error", MINUTES(10) },
	[CROSSPLANE_THRESHOLDS] = { 0 },
};

#define MINE(name) "metadata.annotations['crossplane.io/" name "']"

/* What the rows ask for. */
enum {
	PAUSED = 1 << 0,
	GOES = 1 << 1,	    /* it is being deleted */
	UP = 1 << 2,	    /* Ready is True, but perhaps outdated */
	YOUNG_ERROR = 1 << 3, /* Synced=False may be a conflict, which the next attempt resolves */
	OLDER = 1 << 4,	    /* a condition is about an older spec */
	LOST_LATE = 1 << 5, /* Ready became False long after the creation */
	PUBLISHED = 1 << 6, /* a claim publishes its secret only after the composite was ready, so it worked before */
	BAD_WORD = 1 << 7   /* the reason of Ready is a word for trouble */
};

/* One resource while it is judged. */
struct resource {
	struct reading r;
	const struct condition *ready, *synced;
};

/*
 * Returns the severity of something that lasts since that time; it becomes an error only where there is a second limit.
 */
static enum severity severity_by_age(struct verdict *v, int64_t since, int64_t first, int64_t second)
{
	int64_t from = since ? since : verdict_created(v);
	int64_t age = verdict_now(v) - from;

	if (from == 0)
		return SEVERITY_WARNING;
	verdict_revisit(v, from + first);
	verdict_revisit(v, from + second);
	if (age < first)
		return SEVERITY_INFO;
	return second && age >= second ? SEVERITY_ERROR : SEVERITY_WARNING;
}

enum severity crossplane_severity_by_age(struct verdict *v, int64_t since)
{
	return severity_by_age(v, since, crossplane_thresholds[CROSSPLANE_ERROR_YOUNG].value,
			crossplane_thresholds[CROSSPLANE_ERROR_OLD].value);
}

bool crossplane_create_unknown(const struct condition *synced)
{
	return condition_is(synced, "False") &&
	       str_contains(synced->message, "cannot determine creation result");
}

bool crossplane_paused(const struct verdict *v)
{
	struct json object = verdict_object(v),
		    policies = json_at(object, "spec.managementPolicies");
	const struct condition *synced = verdict_condition(v, "Synced");

	if (str_is(json_str(object, MINE("paused")), "true") ||
	    json_bool(object, MINE("paused"), false))
		return true;
	if (json_is_array(policies) && json_count(policies) == 0)
		return true;
	return synced && str_is(synced->reason, "ReconcilePaused");
}

/* ---- one rule each; true when it decided ------------------------------------ */

static void by_pause(struct reading *r)
{
	const struct condition *synced = verdict_condition(r->v, "Synced");

	if (synced && str_is(synced->reason, "ReconcilePaused"))
		r->condition = synced;
	r->rule = r->condition ? condition_text(verdict_arena(r->v), r->condition) : STR("crossplane.io/paused or spec.managementPolicies");
}

static bool is_create_unknown(struct reading *r)
{
	return crossplane_create_unknown(r->condition);
}

/* A refused deletion is a warning at once, and an error when it lasts. */
static void delete_fails(struct reading *r)
{
	evidence_mentions(r->v, STR_NONE, r->condition->message);
	r->level = severity_by_age(r->v, r->condition->since, 0, crossplane_thresholds[CROSSPLANE_DELETE_OLD].value);
}

/* What is only observed does not exist, and somebody outside has to make it (crossplane-runtime, errExternalResourceNotExist). */
static bool is_absent_outside(struct reading *r)
{
	struct json object = verdict_object(r->v);
	struct str name = json_str(object, CROSSPLANE_EXTERNAL_NAME);

	if (!str_contains(r->condition->message, "external resource does not exist"))
		return false;
	verdict_waits_external(r->v, (struct external_wait){ .state = WAIT_EXTERNAL,
							     .kind = STR("ExternalResource"),
							     .name = name.len ? name : verdict_name(r->v),
							     .via = STR("spec.managementPolicies"),
							     .message = r->condition->message });
	return true;
}

/* Synced is False because of something else, which counts first: another condition or another object. */
static bool is_because_of_others(struct reading *r)
{
	struct str message = r->condition->message;

	return evidence_mentions(r->v, STR_NONE, r->condition->message) || str_starts(message, "Unsynced resources") ||
	       str_contains(message, "cannot resolve references") || str_contains(message, "referenced resource may not yet be ready");
}

/* A step of the pipeline calls a function that has no revision, or none that answers: the composite waits for it. */
static void names_function(struct verdict *v, const struct condition *c)
{
	struct str name = str_quoted_after(c->message, "for Function \"");

	if (name.len == 0)
		return;
	verdict_blames(v, BLAME_NAMED);
	verdict_waits_for(v, (struct ref){
				     .flags = REF_CLUSTER,
				     .group = STR("pkg.crossplane.io"),
				     .kind = STR("Function"),
				     .name = name,
				     .via = STR("status.conditions"),
				     .message = c->message,
			     });
}

/* The error is retried for ever; an old error needs a person. */
static void tell_retry(struct reading *r)
{
	names_function(r->v, r->condition);
	r->level = crossplane_severity_by_age(r->v, r->condition->since);
	if (r->level < SEVERITY_WARNING)
		r->level = SEVERITY_WARNING;
}

/* A Composition that fits has yet to be made. */
static bool lacks_composition(struct reading *r)
{
	return str_starts(r->condition->message, "cannot select Composition");
}

static void was_up(struct reading *r)
{
	verdict_ever_ready(r->v);
}

/* The object does not say when its newer generation was written. */
static void by_readiness(struct reading *r)
{
	was_up(r);
	r->condition = verdict_condition(r->v, "Ready");
}

/* The claim's own condition, which names its composite. */
static void names_composite(struct reading *r)
{
	struct json object = verdict_object(r->v);

	if (r->is & PUBLISHED)
		was_up(r);
	if (json_has(object, "spec.resourceRef"))
		verdict_waits_for(r->v, (struct ref){
			.relation = RELATION_MANAGES,
			.flags = REF_CLUSTER,
			.group = verdict_group_of(json_str(
				object, "spec.resourceRef.apiVersion")),
			.kind = json_str(object, "spec.resourceRef.kind"),
			.name = json_str(object, "spec.resourceRef.name"),
			.via = STR("spec.resourceRef"),
			.message = r->condition->message,
		});
}

static void takes_its_time(struct reading *r)
{
	r->level = severity_by_age(r->v, r->condition->since, crossplane_thresholds[CROSSPLANE_CREATING_OLD].value, 0);
}

/* Problems of Synced count before those of Ready. */
static const struct row rows[] = {
	{ "its reconciliation is paused", .is = PAUSED, .then = OUTCOME_PAUSE, .flag = "paused", .tell = by_pause },
	{ "nobody knows whether what is being deleted was ever made", .is = GOES, .type = "Synced", .status = "False", .holds = is_create_unknown,
	  .then = OUTCOME_DELETION, .flags = FINAL },
	{ "nobody knows whether it was made: a person has to find out", .type = "Synced", .status = "False", .holds = is_create_unknown,
	  .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL },
	{ "its deletion is refused, and tried again", .is = GOES, .type = "Synced", .status = "False", .then = OUTCOME_DELETION, .tell = delete_fails },
	{ "the provider is deleting it", .type = "Ready", .status = "False", .reason = "Deleting", .then = OUTCOME_DELETION },
	{ "it serves, and others keep it from being synchronized", .is = UP, .type = "Synced", .status = "False", .holds = is_because_of_others,
	  .then = OUTCOME_TROUBLE },
	{ "others keep it from being made", .not = UP, .type = "Synced", .status = "False", .holds = is_because_of_others, .then = OUTCOME_MOVEMENT },
	{ "it serves, and cannot be synchronized", .is = UP, .type = "Synced", .status = "False", .then = OUTCOME_TROUBLE, .tell = tell_retry },
	{ "what it observes does not exist outside yet", .not = UP, .type = "Synced", .status = "False", .holds = is_absent_outside,
	  .then = OUTCOME_WAIT, .flags = RETRIED },
	{ "no Composition fits it yet", .is = YOUNG_ERROR, .type = "Synced", .status = "False", .holds = lacks_composition, .then = OUTCOME_WAIT,
	  .tell = tell_retry },
	{ "an error is tried again for a short time", .is = YOUNG_ERROR, .type = "Synced", .status = "False", .then = OUTCOME_MOVEMENT,
	  .tell = tell_retry },
	{ "it cannot be synchronized", .type = "Synced", .status = "False", .then = OUTCOME_TROUBLE, .flags = PASSED, .tell = tell_retry },
	/* upjet: the call of the provider runs in the background; Synced stays True in older versions */
	{ "the last call of the provider has failed", .type = "LastAsyncOperation", .status = "False", .then = OUTCOME_TROUBLE, .tell = tell_retry },
	{ "an update was asked for", .is = UP, .type = "UpToDate", .status = "False", .reason = "UpdateRequested", .then = OUTCOME_MOVEMENT },
	{ "it is not as its spec asks", .is = UP, .type = "UpToDate", .status = "False", .then = OUTCOME_TROUBLE },
	/* its controller limits how often it handles its events */
	{ "the composite changes too often", .is = UP, .type = "Responsive", .status = "False", .then = OUTCOME_TROUBLE },
	{ "a call of the provider is under way", .is = UP, .type = "AsyncOperation", .status = "False", .reason = "Ongoing", .then = OUTCOME_MOVEMENT,
	  .tell = was_up },
	{ "its controller has not seen the present spec", .is = UP | OLDER, .then = OUTCOME_MOVEMENT, .flags = UNDATED, .tell = by_readiness },
	{ "it is ready", .is = UP, .then = OUTCOME_READY, .tell = by_readiness },
	{ "the claim waits for its composite, which was ready before", .is = PUBLISHED, .type = "Ready", .status = "False", .reason = "Waiting",
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .tell = names_composite },
	{ "the claim waits for its composite", .type = "Ready", .status = "False", .reason = "Waiting", .then = OUTCOME_MOVEMENT,
	  .tell = names_composite },
	/* Unavailable means both "not yet" and "no more"; only the time of the change tells them apart */
	{ "it is not available any more", .is = LOST_LATE, .type = "Ready", .status = "False", .reason = "Unavailable", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = was_up },
	{ "it is not available yet", .type = "Ready", .status = "False", .reason = "Unavailable", .then = OUTCOME_MOVEMENT },
	{ "the provider's own word is one for trouble", .is = BAD_WORD, .type = "Ready", .then = OUTCOME_TROUBLE },
	{ "it is being made", .type = "Ready", .then = OUTCOME_MOVEMENT, .tell = takes_its_time },
	{ "it is being made, and says nothing of its readiness", .type = "Synced", .then = OUTCOME_MOVEMENT },
	{ "no controller has handled it", .then = OUTCOME_SILENCE, .rule = "no conditions" },
	{ 0 }
};

/* Older versions do not write observedGeneration; without it nothing counts as outdated. */
static bool behind(const struct condition *c, int64_t generation)
{
	return c && c->generation > 0 && c->generation < generation;
}

/* Returns true for the error of a resource whose Synced is False since so short a time that it may pass. */
static bool is_young_error(struct verdict *v, const struct condition *synced)
{
	return condition_is(synced, "False") && crossplane_severity_by_age(v, synced->since) == SEVERITY_INFO;
}

void crossplane_inspect_resource(struct verdict *v)
{
	struct resource o = { .ready = verdict_condition(v, "Ready"), .synced = verdict_condition(v, "Synced") };
	int64_t generation = verdict_generation(v), created = verdict_created(v);
	struct json object = verdict_object(v);
	bool published = json_has(object, "status.connectionDetails.lastPublishedTime") && json_has(object, "spec.writeConnectionSecretToRef");
	bool late = o.ready && created && o.ready->since - created > thresholds.overdue;

	o.r = (struct reading){ .v = v, .usable = condition_is(o.ready, "True") };
	o.r.is = (crossplane_paused(v) ? PAUSED : 0) | (verdict_deleting(v) ? GOES : 0) | (o.r.usable ? UP : 0) |
		 (is_young_error(v, o.synced) ? YOUNG_ERROR : 0) | (behind(o.ready, generation) || behind(o.synced, generation) ? OLDER : 0) |
		 (late ? LOST_LATE : 0) | (published ? PUBLISHED : 0) | (o.ready && word_class(o.ready->reason) == WORD_BAD ? BAD_WORD : 0);
	table_decide(&o.r, rows);
}

/* ---- the operation ----------------------------------------------------------- */

static int64_t latest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* These annotations are written before the external resource is created, and after it: the last one counts. */
static void creation(struct verdict *v)
{
	struct json object = verdict_object(v);
	int64_t pending = json_time(object, MINE("external-create-pending"));
	int64_t succeeded = json_time(object, MINE("external-create-succeeded"));
	int64_t failed = json_time(object, MINE("external-create-failed"));
	struct async *async;

	if (!pending && !succeeded && !failed)
		return;
	async = verdict_async(v);
	async->source = STR("external-create");
	async->phase = STR("create");
	async->updated = latest(pending, latest(succeeded, failed));
	if (pending > latest(succeeded, failed))
		async->class = crossplane_create_unknown(verdict_condition(v, "Synced")) ?
				       STR("attention") :
				       STR("pending");
	else
		async->class = failed > succeeded ? STR("failed") : STR("succeeded");
}

/* The reasons AsyncCreateFailure, AsyncUpdateFailure, ... */
static struct str call_of(struct str reason)
{
	if (str_contains(reason, "Create"))
		return STR("create");
	if (str_contains(reason, "Update"))
		return STR("update");
	if (str_contains(reason, "Delete") || str_contains(reason, "Destroy"))
		return STR("delete");
	return STR_NONE;
}

static void upjet(struct verdict *v)
{
	const struct condition *running = verdict_condition(v, "AsyncOperation");
	const struct condition *last = verdict_condition(v, "LastAsyncOperation"), *c = last;
	bool ongoing = condition_is(running, "False") && str_is(running->reason, "Ongoing");
	struct async *async;

	if (ongoing)
		c = running;
	if (!c)
		return;
	async = verdict_async(v);
	async->source = STR("upjet");
	async->phase = call_of(c->reason);
	async->class = ongoing		       ? STR("pending") :
		       condition_is(c, "True") ? STR("succeeded") :
						 STR("failed");
	async->raw_status = c->reason;
	async->message = c->message;
	async->updated = c->since;
}

void crossplane_async(struct verdict *v)
{
	creation(v);
	upjet(v);
}
