/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims, composites and managed resources: what Ready and Synced mean together.  A reconciliation that fails writes
 * only Synced and leaves Ready as it was, so a problem of Synced counts first, and Ready=True beside it means that the
 * object was ready before.
 */
#include "kube/family/crossplane/rules.h"

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

/* One resource while it is judged. */
struct resource {
	struct verdict *v;
	const struct condition *ready, *synced;
	bool up; /* Ready is True, but perhaps outdated */
};

void crossplane_decide(struct verdict *v, const struct condition *c, enum phase phase,
		       enum severity severity)
{
	verdict_set(v, phase, severity, c->reason, c->message);
	verdict_word(v, c->reason);
	verdict_since(v, c->since);
	verdict_rule(v, arena_printf(verdict_arena(v), STR_FMT "=" STR_FMT "%s" STR_FMT,
				     STR_ARG(c->type), STR_ARG(c->status), c->reason.len ? " " : "",
				     STR_ARG(c->reason)));
}

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

static bool paused(const struct resource *r)
{
	if (!crossplane_paused(r->v))
		return false;
	verdict_set(r->v, PHASE_SUSPENDED, SEVERITY_INFO, STR_NONE, STR_NONE);
	verdict_rule(r->v, STR("crossplane.io/paused or spec.managementPolicies"));
	if (r->synced && str_is(r->synced->reason, "ReconcilePaused"))
		crossplane_decide(r->v, r->synced, PHASE_SUSPENDED, SEVERITY_INFO);
	verdict_flag(r->v, "paused");
	return true;
}

static bool create_unknown(const struct resource *r)
{
	if (!crossplane_create_unknown(r->synced))
		return false;
	crossplane_decide(r->v, r->synced,
			  verdict_deleting(r->v) ? PHASE_DELETING : PHASE_FAILED, SEVERITY_ERROR);
	return true;
}

/* A refused deletion is a warning at once, and an error when it lasts. */
static bool delete_fails(const struct resource *r)
{
	enum severity severity;

	if (!verdict_deleting(r->v) || !condition_is(r->synced, "False"))
		return false;
	crossplane_names_missing(r->v, r->synced);
	severity = severity_by_age(r->v, r->synced->since, 0, crossplane_thresholds[CROSSPLANE_DELETE_OLD].value);
	crossplane_decide(r->v, r->synced, PHASE_DELETING, severity);
	return true;
}

static bool deleting(const struct resource *r)
{
	bool reported = condition_is(r->ready, "False") && str_is(r->ready->reason, "Deleting");

	if (!reported)
		return false;
	crossplane_decide(r->v, r->ready, PHASE_DELETING, SEVERITY_INFO);
	return true;
}

/* Synced is False because of something else, which counts first: another condition or another object. */
static bool unsynced_by_others(const struct resource *r)
{
	bool others;

	if (!condition_is(r->synced, "False"))
		return false;
	others = crossplane_names_missing(r->v, r->synced) ||
		 str_starts(r->synced->message, "Unsynced resources") ||
		 str_contains(r->synced->message, "cannot resolve references") ||
		 str_contains(r->synced->message, "referenced resource may not yet be ready");
	if (!others)
		return false;
	crossplane_decide(r->v, r->synced, r->up ? PHASE_DEGRADED : PHASE_PROVISIONING,
			  r->up ? SEVERITY_WARNING : SEVERITY_INFO);
	return true;
}

/* A step of the pipeline calls a function that has no revision, or none that answers: the composite waits for it. */
static void names_function(struct verdict *v, const struct condition *c)
{
	static const char lead[] = "for Function \"";
	struct str rest = str_from(c->message, str_find_str(c->message, lead));

	rest = str_from(rest, sizeof(lead) - 1);
	if (rest.len == 0)
		return;
	verdict_blames(v, BLAME_NAMED);
	verdict_waits_for(v, (struct ref){
				     .relation = RELATION_NEEDS,
				     .flags = REF_CLUSTER,
				     .group = STR("pkg.crossplane.io"),
				     .kind = STR("Function"),
				     .name = str_head(rest, str_find(rest, '"')),
				     .via = STR("status.conditions"),
				     .message = c->message,
			     });
}

/* The error is retried for ever; an old error needs a person. */
static bool unsynced(const struct resource *r)
{
	enum severity severity;
	enum phase first = PHASE_PROVISIONING;
	bool young;

	if (!condition_is(r->synced, "False"))
		return false;
	/* a Composition that fits has yet to be made */
	if (str_starts(r->synced->message, "cannot select Composition"))
		first = PHASE_WAITING;
	names_function(r->v, r->synced);
	severity = crossplane_severity_by_age(r->v, r->synced->since);
	young = severity == SEVERITY_INFO;
	crossplane_decide(r->v, r->synced, r->up ? PHASE_DEGRADED : young ? first : PHASE_FAILED,
			  young ? SEVERITY_WARNING : severity);
	if (!r->up && !young)
		verdict_by_time(r->v);
	return true;
}

/* upjet: the call of the provider runs in the background; Synced stays True in older versions. */
static bool async_failed(const struct resource *r)
{
	const struct condition *last = verdict_condition(r->v, "LastAsyncOperation");
	enum severity severity;

	if (!condition_is(last, "False"))
		return false;
	severity = crossplane_severity_by_age(r->v, last->since);
	if (severity < SEVERITY_WARNING)
		severity = SEVERITY_WARNING;
	crossplane_decide(r->v, last, r->up ? PHASE_DEGRADED : PHASE_FAILED, severity);
	return true;
}

static bool not_up_to_date(const struct resource *r)
{
	const struct condition *c = verdict_condition(r->v, "UpToDate");
	bool requested;

	if (!r->up || !condition_is(c, "False"))
		return false;
	requested = str_is(c->reason, "UpdateRequested");
	crossplane_decide(r->v, c, requested ? PHASE_UPDATING : PHASE_DEGRADED,
			  requested ? SEVERITY_INFO : SEVERITY_WARNING);
	return true;
}

/* The composite changes so often that its controller limits how often it handles its events. */
static bool unresponsive(const struct resource *r)
{
	const struct condition *c = verdict_condition(r->v, "Responsive");

	if (!r->up || !condition_is(c, "False"))
		return false;
	crossplane_decide(r->v, c, PHASE_DEGRADED, SEVERITY_WARNING);
	return true;
}

/* Older versions do not write observedGeneration; without it nothing counts as outdated. */
static bool behind(const struct condition *c, int64_t generation)
{
	return c && c->generation > 0 && c->generation < generation;
}

/* The object does not say when its newer generation was written. */
static void update_without_time(const struct resource *r)
{
	crossplane_decide(r->v, r->ready, PHASE_UPDATING, SEVERITY_INFO);
	verdict_since(r->v, 0);
}

static bool ready(const struct resource *r)
{
	const struct condition *operation = verdict_condition(r->v, "AsyncOperation");
	int64_t generation = verdict_generation(r->v);

	if (!r->up)
		return false;
	verdict_ever_ready(r->v);
	if (condition_is(operation, "False") && str_is(operation->reason, "Ongoing"))
		crossplane_decide(r->v, operation, PHASE_UPDATING, SEVERITY_INFO);
	else if (behind(r->ready, generation) || behind(r->synced, generation))
		update_without_time(r);
	else
		crossplane_decide(r->v, r->ready, PHASE_READY, SEVERITY_NONE);
	return true;
}

/* The claim's own condition, which names its composite. */
static bool claim_waits(const struct resource *r)
{
	struct json object = verdict_object(r->v);

	if (!condition_is(r->ready, "False") || !str_is(r->ready->reason, "Waiting"))
		return false;
	crossplane_decide(r->v, r->ready, PHASE_PROVISIONING, SEVERITY_INFO);
	if (json_has(object, "spec.resourceRef"))
		verdict_waits_for(r->v, (struct ref){
			.relation = RELATION_MANAGES,
			.flags = REF_CLUSTER,
			.group = crossplane_group_of(json_str(
				object, "spec.resourceRef.apiVersion")),
			.kind = json_str(object, "spec.resourceRef.kind"),
			.name = json_str(object, "spec.resourceRef.name"),
			.via = STR("spec.resourceRef"),
			.message = r->ready->message,
		});
	/* A claim publishes its secret only after the composite was ready, so it worked before. */
	if (json_has(object, "status.connectionDetails.lastPublishedTime") &&
	    json_has(object, "spec.writeConnectionSecretToRef")) {
		verdict_ever_ready(r->v);
		crossplane_decide(r->v, r->ready, PHASE_DEGRADED, SEVERITY_WARNING);
	}
	return true;
}

/*
 * Unavailable means both "not yet" and "no more".  Only the time of the change tells them apart: at first it follows
 * the creation closely.
 */
static bool unavailable(const struct resource *r)
{
	int64_t created = verdict_created(r->v), since;

	if (!condition_is(r->ready, "False") || !str_is(r->ready->reason, "Unavailable"))
		return false;
	since = r->ready->since;
	if (created && since && since - created > thresholds.overdue) {
		verdict_ever_ready(r->v);
		crossplane_decide(r->v, r->ready, PHASE_DEGRADED, SEVERITY_WARNING);
	} else {
		crossplane_decide(r->v, r->ready, PHASE_PROVISIONING, SEVERITY_INFO);
	}
	return true;
}

/* The reason is Creating, or a word of the provider's own. */
static bool not_ready(const struct resource *r)
{
	enum severity severity;
	bool bad;

	if (!r->ready)
		return false;
	bad = word_class(r->ready->reason) == WORD_BAD;
	severity = severity_by_age(r->v, r->ready->since, crossplane_thresholds[CROSSPLANE_CREATING_OLD].value, 0);
	crossplane_decide(r->v, r->ready, bad ? PHASE_FAILED : PHASE_PROVISIONING,
			  bad ? SEVERITY_WARNING : severity);
	return true;
}

/* No controller has handled the object yet; after a while this is a sign that there is none. */
static bool untouched(const struct resource *r)
{
	int64_t created = verdict_created(r->v), now = verdict_now(r->v);

	if (r->synced) {
		crossplane_decide(r->v, r->synced, PHASE_PROVISIONING, SEVERITY_INFO);
		return true;
	}
	verdict_set(r->v, PHASE_PROVISIONING,
		    created && now - created >= thresholds.young ? SEVERITY_WARNING : SEVERITY_INFO, STR_NONE,
		    STR_NONE);
	verdict_rule(r->v, STR("no conditions"));
	verdict_since(r->v, created);
	if (created)
		verdict_revisit(r->v, created + thresholds.young);
	return true;
}

void crossplane_inspect_resource(struct verdict *v)
{
	/* Problems of Synced count before those of Ready. */
	static bool (*const rules[])(const struct resource *r) = {
		paused,	     create_unknown, delete_fails,   deleting,	   unsynced_by_others,
		unsynced,    async_failed,   not_up_to_date, unresponsive, ready,
		claim_waits, unavailable,    not_ready,	     untouched,
	};
	struct resource r = { v, verdict_condition(v, "Ready"), verdict_condition(v, "Synced"),
			      false };

	r.up = condition_is(r.ready, "True");
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i](&r))
			return;
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
