/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OCI service operator.  Its status stands under status.status; read.c finds out which of its states an object is in.
 * A failure is retried only when the spec changes, because each controller watches only its own objects.
 */
#include "kube/family/osok/osok.h"

#include "kube/status/thresholds.h"

/* The time between two polls of the controller. */
#define POLL SECONDS(60)
#define POLL_FAST SECONDS(30)
#define POLL_DELETE SECONDS(120)
#define LATE_POLLS 3

static const char *const groups[] = { "*.oracle.com", "oci.oracle.com", NULL };
static const char *const fast_groups[] = { "redis.oracle.com", "opensearch.oracle.com",
					   "functions.oracle.com", NULL };

static const struct {
	enum phase phase;
	enum severity level;
} verdicts[] = {
	[OSOK_NONE] = { PHASE_UNKNOWN, SEVERITY_NONE },
	[OSOK_PROVISIONING] = { PHASE_PROVISIONING, SEVERITY_INFO },
	[OSOK_UPDATING] = { PHASE_UPDATING, SEVERITY_INFO },
	[OSOK_TERMINATING] = { PHASE_DELETING, SEVERITY_INFO },
	[OSOK_ACTIVE] = { PHASE_READY, SEVERITY_NONE },
	[OSOK_FAILED] = { PHASE_FAILED, SEVERITY_ERROR },
};

static bool is_first_kind(struct str kind)
{
	return str_is(kind, "AutonomousDatabases") || str_is(kind, "MySqlDbSystem") ||
	       str_is(kind, "Stream");
}

/*
 * No controller has handled the object yet: only its version, which all kinds of the operator share, can tell that it
 * is the operator's.
 */
static bool is_new(const struct kind *kind, struct json object)
{
	return str_ends(json_str(object, "apiVersion"), "/v1beta1") &&
	       json_count(json_at(object, "status")) == 0 &&
	       (!str_is(kind->group, "oci.oracle.com") || is_first_kind(kind->kind));
}

/* The suffix of the group is not enough: other operators have *.oracle.com groups, too. */
static bool osok_claims(const struct kind *kind, struct json object)
{
	return json_is_object(json_at(object, "status.status")) || osok_has_finalizer(object) ||
	       is_new(kind, object);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void at_least_warning(struct verdict *v)
{
	if (verdict_severity(v) < SEVERITY_WARNING)
		verdict_set_severity(v, SEVERITY_WARNING);
}

/* ---- silence ------------------------------------------------------------- */

static int64_t poll_interval(const struct verdict *v, const struct osok *o)
{
	if (verdict_deleting(v) || o->state == OSOK_TERMINATING)
		return POLL_DELETE;
	for (size_t i = 0; fast_groups[i]; i++)
		if (str_is(verdict_kind(v)->group, fast_groups[i]))
			return POLL_FAST;
	return POLL;
}

static void say_stale(struct verdict *v, int64_t touched)
{
	struct str group = verdict_kind(v)->group;
	struct str service = str_head(group, str_find(group, '.'));
	char when[TIME_TEXT];

	verdict_stale(v);
	at_least_warning(v);
	verdict_rule(v, arena_printf(verdict_arena(v),
				     "no poll since %s: is the " STR_FMT " controller running?",
				     time_format(touched, when), STR_ARG(service)));
	osok_ref_definition(v);
}

/* That nothing was written lately means something only while the controller polls. */
static void check_silence(struct verdict *v, const struct osok *o)
{
	int64_t touched = later(o->updated, o->cur.updated), deleting = verdict_deleting(v);
	int64_t poll = poll_interval(v, o), limit = later(poll * thresholds.stale_polls, thresholds.stale_least);

	if (deleting && !osok_has_finalizer(verdict_object(v)))
		return;
	if (!deleting && (!osok_requeued(o->state) || touched == 0))
		return;
	touched = later(touched, deleting);
	if (verdict_now(v) - touched >= poll * LATE_POLLS)
		verdict_flag(v, "late");
	if (verdict_now(v) - touched >= limit)
		say_stale(v, touched);
	verdict_revisit(v, touched + poll * LATE_POLLS);
	verdict_revisit(v, touched + limit);
}

/* ---- the verdict --------------------------------------------------------- */

/* No state is written yet; the controller has begun with the object when its finalizer is there. */
static void say_new(struct verdict *v, const struct osok *o)
{
	int64_t overdue_at = verdict_created(v) + thresholds.young;
	bool overdue = verdict_created(v) && verdict_now(v) >= overdue_at;
	enum severity severity = overdue ? SEVERITY_WARNING : SEVERITY_INFO;

	if (o->last.type.len) {
		verdict_set(v, PHASE_UNKNOWN, SEVERITY_WARNING, o->last.reason, o->last.message);
		verdict_rule(v, arena_printf(verdict_arena(v), "condition type " STR_FMT " is not known here",
					     STR_ARG(o->last.type)));
		verdict_word(v, o->last.type);
		verdict_since(v, o->run_since);
		return;
	}
	verdict_set(v, PHASE_PROVISIONING, severity, STR_NONE, STR_NONE);
	verdict_rule(v, STR("no condition yet"));
	verdict_since(v, verdict_created(v));
	verdict_revisit(v, overdue_at);
}

static struct str rule_text(struct verdict *v, const struct osok *o)
{
	const char *retry = o->state == OSOK_FAILED ? "; retried only when the spec changes" : "";

	if (o->cur.known)
		return arena_printf(verdict_arena(v),
				    "status.status.async.current: " STR_FMT "%s" STR_FMT "%s", STR_ARG(o->cur.phase),
				    o->cur.phase.len ? " " : "", STR_ARG(o->cur.class), retry);
	if (o->reason.len)
		return arena_printf(verdict_arena(v), "status.status.reason " STR_FMT "%s",
				    STR_ARG(o->reason), retry);
	return arena_printf(verdict_arena(v), "condition %s%s", osok_word(o->state), retry);
}

/* No operation takes longer than this: then the entry is of an earlier operation with the same words. */
#define OPERATION_LONGEST HOURS(24)

static bool is_repeated(const struct osok *o)
{
	return o->state == OSOK_UPDATING && o->was_active && o->cur.updated - o->run_since > OPERATION_LONGEST;
}

/*
 * The tracker does not tell when an operation began, and every poll writes its updatedAt anew.  Where no entry tells it
 * either, the operation began after the newest entry.
 */
static int64_t since_of(const struct verdict *v, const struct osok *o)
{
	if (o->last_state == o->state && o->run_since && !is_repeated(o))
		return o->run_since;
	if (o->state == OSOK_PROVISIONING && verdict_created(v))
		return verdict_created(v);
	/* a second update whose words are those of the first: only the time of the last poll is written */
	if (osok_requeued(o->state) && o->was_active)
		return o->cur.updated ? o->cur.updated : o->updated;
	if (osok_requeued(o->state))
		return o->newest;
	return o->updated ? o->updated : o->cur.updated;
}

static void say_deleting(struct verdict *v, const struct osok *o)
{
	bool polled = osok_has_finalizer(verdict_object(v));

	if (o->delete_failed) {
		/* this is the only failure that is retried */
		verdict_set(v, PHASE_DELETING, SEVERITY_WARNING, o->say_reason, o->say_message);
		verdict_rule(v, STR("the delete failed and is tried again every 2m"));
		return;
	}
	verdict_rule(v, STR("metadata.deletionTimestamp"));
	if (o->state == OSOK_TERMINATING) {
		verdict_set(v, PHASE_DELETING, SEVERITY_INFO, o->say_reason, o->say_message);
		return;
	}
	verdict_set(v, PHASE_DELETING, SEVERITY_INFO, STR_NONE, STR_NONE);
	if (polled && o->state != OSOK_FAILED)
		verdict_flag(v, "delete-requested");
}

static void say_state(struct verdict *v, const struct osok *o)
{
	verdict_word(v, str_of(osok_word(o->state)));
	verdict_since(v, since_of(v, o));
	if (verdict_deleting(v)) {
		say_deleting(v, o);
		return;
	}
	verdict_set(v, verdicts[o->state].phase, verdicts[o->state].level, o->say_reason,
		    o->say_message);
	verdict_rule(v, rule_text(v, o));
	if (o->state == OSOK_FAILED)
		verdict_flag(v, "no-retry");
	/* the cloud deletes a resource whose object nobody has deleted */
	if (o->state == OSOK_TERMINATING || str_is(o->cur.phase, "delete")) {
		verdict_flag(v, "external-delete");
		at_least_warning(v);
	}
}

/* ---- the operation ------------------------------------------------------- */

/* Finds the id in "Service error:<text>. http status code: <n>. Opc request id: <id>". */
static struct str request_id_in(struct str message)
{
	static const char mark[] = "Opc request id: ";
	const struct str ends = STR(" \t\n,;)\"'");
	struct str id = str_trim(str_from(message, str_find_str(message, mark) + sizeof(mark) - 1));
	size_t n = 0;

	while (n < id.len && str_find(ends, id.ptr[n]) == ends.len)
		n++;
	id = str_head(id, n);
	return str_ends(id, ".") ? str_head(id, n - 1) : id;
}

static struct str class_of(const struct osok *o)
{
	bool modelled;
	enum osok_state projected = osok_projected(&o->cur, &modelled);

	/* where the tracker is outdated, the class follows from the state */
	return modelled && projected == o->state ? o->cur.class : str_of(osok_class(o->state));
}

static double percent_of(const struct osok *o, struct str class)
{
	double percent = json_number(o->inner, "async.current.percentComplete", -1);

	if (json_type(json_at(o->inner, "async.current.percentComplete")) == JSON_NUMBER)
		return percent < 0 ? 0 : percent > 100 ? 100 : percent;
	return str_is(class, "succeeded") && !str_is(o->cur.phase, "delete") ? 100 : -1;
}

static void show_operation(struct verdict *v, const struct osok *o)
{
	struct str request = json_str(o->inner, "opcRequestId");
	struct async *a;

	if (request.len == 0)
		request = request_id_in(o->say_message);
	if (request.len == 0)
		request = request_id_in(o->cur.message);
	if (!o->cur.known && request.len == 0)
		return;
	a = verdict_async(v);
	a->request_id = request;
	if (!o->cur.known)
		return;
	a->source = o->cur.source;
	a->phase = o->cur.phase;
	a->class = class_of(o);
	a->percent = percent_of(o, a->class);
	a->work_request_id = o->cur.work_request;
	a->message = o->cur.message;
	a->updated = o->cur.updated;
	a->raw_status = json_str(o->inner, "async.current.rawStatus");
	a->raw_operation = json_str(o->inner, "async.current.rawOperationType");
}

static void osok_inspect(struct verdict *v)
{
	struct osok o;

	osok_read(v, &o);
	if (o.was_active || o.state == OSOK_ACTIVE)
		verdict_ever_ready(v);
	if (o.state == OSOK_NONE && !verdict_deleting(v))
		say_new(v, &o);
	else
		say_state(v, &o);
	check_silence(v, &o);
	osok_show_history(v, &o);
	show_operation(v, &o);
	osok_refs(v, &o);
}

static bool osok_own_finalizer(const struct kind *kind, struct str finalizer)
{
	(void)kind;
	return str_is(finalizer, OSOK_FINALIZER);
}

#define NAMESPACE "oci-service-operator-*-system"

/* There is one operator for each service, or one for all services. */
static const struct controller_rule controllers[] = {
	{ NULL, NULL, NAMESPACE, "oci-service-operator-*-controller-manager", NULL },
	{ NULL, NULL, NAMESPACE, "oci-service-operator-controller-manager", NULL },
	{ NULL, NULL, "oci-service-operator-system", "oci-service-operator-controller-manager", NULL },
	{ 0 }
};

/* A spec names a resource by its identifier in the cloud. */
static const struct alias_rule aliases[] = { { "Ocid", false }, { 0 } };

const struct family family_osok = {
	.name = "osok",
	.title = "OCI service operator",
	.groups = groups,
	.claims = osok_claims,
	.conditions_path = "status.status.conditions",
	.inspect = osok_inspect,
	.assess = osok_assess,
	.own_finalizer = osok_own_finalizer,
	.controllers = controllers,
	.deletion_events = "reason=DeleteBlocked",
	.aliases = aliases,
};
