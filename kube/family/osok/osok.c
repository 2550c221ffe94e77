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

static const struct row silence_rows[] = {
	{ "its controller does not poll it any more", .then = OUTCOME_MOVEMENT, .flags = STAYS | RETRIED | AT_LEAST }, { 0 }
};

static void say_stale(struct verdict *v, int64_t touched)
{
	struct told told = verdict_told(v);
	struct str group = verdict_kind(v)->group;
	struct str service = str_head(group, str_find(group, '.'));
	char when[TIME_TEXT];

	verdict_stale(v);
	row_decides(&(struct reading){ .v = v, .reason = told.reason, .message = told.message,
				       .rule = arena_printf(verdict_arena(v), "no poll since %s: is the " STR_FMT " controller running?",
							    time_format(touched, when), STR_ARG(service)) }, silence_rows);
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
	if (verdict_past(v, touched + poll * LATE_POLLS))
		verdict_flag(v, "late");
	if (verdict_past(v, touched + limit))
		say_stale(v, touched);
}

/* ---- the verdict --------------------------------------------------------- */

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

/* What the rows ask for. */
enum {
	UNTOLD = 1 << 0,	/* no state is written yet; the controller has begun with the object when its finalizer is there */
	OTHER_TYPE = 1 << 1,	/* but a condition of a type that is not known here */
	GOES = 1 << 2,		/* it is being deleted */
	DELETE_FAILED = 1 << 3
};

static void by_other_type(struct reading *r)
{
	struct osok *o = (struct osok *)r;

	r->word = o->last.type;
	r->reason = o->last.reason;
	r->message = o->last.message;
	r->since = o->run_since;
	r->rule = ARENA_JOIN(verdict_arena(r->v), STR("condition type "), o->last.type, STR(" is not known here"));
}

static void in_its_words(struct reading *r)
{
	struct osok *o = (struct osok *)r;

	r->since = since_of(r->v, o);
	r->reason = o->say_reason;
	r->message = o->say_message;
	r->rule = r->is & GOES ? STR_NONE : rule_text(r->v, o);
	/* the cloud deletes a resource whose object nobody has deleted */
	if (!(r->is & GOES) && (o->state == OSOK_TERMINATING || str_is(o->cur.phase, "delete"))) {
		verdict_flag(r->v, "external-delete");
		if (o->state != OSOK_FAILED)
			r->flags |= RETRIED;
	}
}

static void asked_to_go(struct reading *r)
{
	struct osok *o = (struct osok *)r;

	r->since = since_of(r->v, o);
	if (osok_has_finalizer(verdict_object(r->v)) && o->state != OSOK_FAILED)
		verdict_flag(r->v, "delete-requested");
}

static const struct row rows[] = {
	{ "its state is one that is not known here", .is = UNTOLD | OTHER_TYPE, .then = OUTCOME_UNKNOWN, .tell = by_other_type },
	{ "its controller has not begun", .is = UNTOLD, .then = OUTCOME_SILENCE, .rule = "no condition yet" },
	/* this is the only failure that is retried */
	{ "its deletion has failed, and is tried again", .is = GOES | DELETE_FAILED, .then = OUTCOME_DELETION, .flags = RETRIED,
	  .rule = "the delete failed and is tried again every 2m", .tell = in_its_words },
	{ "the cloud is deleting it, as was asked", .is = GOES, .word = "Terminating", .then = OUTCOME_DELETION,
	  .rule = "metadata.deletionTimestamp", .tell = in_its_words },
	{ "its deletion was asked for", .is = GOES, .then = OUTCOME_DELETION, .rule = "metadata.deletionTimestamp", .tell = asked_to_go },
	{ "the cloud is making it", .word = "Provisioning", .then = OUTCOME_MOVEMENT, .tell = in_its_words },
	{ "the cloud is changing it", .word = "Updating", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING, .tell = in_its_words },
	{ "the cloud is deleting it, and nobody here has asked for that", .word = "Terminating", .then = OUTCOME_DELETION, .tell = in_its_words },
	{ "it is active in the cloud", .word = "Active", .then = OUTCOME_READY, .tell = in_its_words },
	{ "it has failed in the cloud", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL,
	  .flag = "no-retry", .tell = in_its_words },
	{ 0 }
};

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
	o.r = (struct reading){ .v = v, .word = str_of(osok_word(o.state)),
				.is = (verdict_deleting(v) ? GOES : o.state == OSOK_NONE ? UNTOLD : 0) | (o.last.type.len ? OTHER_TYPE : 0) |
				      (o.delete_failed ? DELETE_FAILED : 0) };
	table_decide(&o.r, rows);
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
static const struct alias_rule aliases[] = { { .kind = "Ocid" }, { 0 } };

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
