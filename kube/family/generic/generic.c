/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges every object that no family takes.  Its conditions, words of phases, errors, counts and booleans are collected
 * as signs: trouble counts more than a pause, a pause more than movement, movement more than health, and without a sign
 * nothing is concluded.
 */
#include "kube/family/generic/generic.h"
#include "kube/family/common/pod_selector.h"

#include "kube/status/thresholds.h"

static const struct sign *best(const struct evidence *e, enum strength strength,
			       enum word_class class)
{
	const struct sign *s = &e->best[strength][class];

	return s->class == WORD_NONE ? NULL : s;
}

/* ---- what a sign means --------------------------------------------------- */

/* A condition about the spec itself says no: that is the operator's answer, and not an attempt that failed. */
static bool is_refusal(const struct sign *s)
{
	static const char *const about_spec[] = { "Accepted", "Valid", "Validated", "ResolvedRefs", NULL };

	/* what a reference names may come to be */
	if (s->condition && str_is(generic_last_part(s->word), "ResolvedRefs") && phrase_has(s->reason, "referenced") && phrase_lacks(s->reason))
		return false;
	return s->condition && str_is_any(generic_last_part(s->word), about_spec);
}

/* Sets the verdict with the object's own words and the rule. */
static void conclude(struct evidence *e, const struct sign *s, enum phase phase,
		     enum severity severity)
{
	struct verdict *v = e->v;
	struct str message = verdict_pointed_at(v, s->message);

	verdict_set(v, phase, severity, s->reason, message);
	verdict_since(v, s->since);
	verdict_rule(v, s->rule);
	verdict_word(v, e->phase.len ? e->phase : s->phase ? s->word : s->reason);
	e->refused = is_refusal(s);
	if (phase != PHASE_READY) {
		e->complaint_reason = s->reason;
		e->complaint = message;
	}
}

static bool is_not_supported(struct str reason)
{
	return str_contains_nocase(reason, "notsupported");
}

static bool ends_by_time(struct str reason)
{
	return str_contains_nocase(reason, "deadlineexceeded");
}

/* "TLS must be enabled if ...": what the spec says contradicts itself, or is not possible. */
static bool is_about_the_spec(struct str message)
{
	static const char *const words[] = { "must be enabled", "must be set",	   "must be specified", "must be one of", "must be at least",
					     "must be less",	"must be greater", "must be a ",	"must be an ",	  "must not be",
					     "must consist of", "is not supported", "cannot be parsed",	 "could not be parsed", "syntax error",
					     "parse error",	"is invalid:",	   "invalid value",	 "invalid module",    "malformed",
					     NULL };

	return str_contains_any_nocase(message, words) && !phrase_lacks(message);
}

/* Trouble that only a person can end, by the words that operators use for it. */
static bool is_final(const struct sign *s)
{
	static const char final[] = "terminal invalid* permanent* unrecoverable unsupported forbidden denied unauthorized "
				    "misconfig* stalled validation unretr*";
	struct str word = generic_last_part(s->word);

	if (s->level == SEVERITY_ERROR)
		return true;
	if (s->level != SEVERITY_NONE)
		return false;
	/* what does not exist may come to be */
	if (s->phase && phrase_lacks(s->message))
		return false;
	return phrase_has(s->reason, final) || phrase_has(word, final) || is_not_supported(s->reason) || ends_by_time(s->reason) ||
	       is_about_the_spec(s->message);
}

/* An operator stays in a phase of the whole, while conditions and parts are tried again: "phase: Failed" is an end. */
static bool is_final_phase(const struct evidence *e, const struct sign *s)
{
	bool beside = s->phase && e->phase.len && !str_eq(s->word, e->phase) && word_class(e->phase) == WORD_OK;

	return s->level == SEVERITY_NONE && !s->condition && !s->part && !beside && phrase_has(s->word, "fail*") &&
	       !(s->phase && phrase_lacks(s->message));
}

/* A run that has failed is over; nobody tries it again unless its message says so. */
static bool is_failed_run(const struct sign *s)
{
	static const char ends[] = "failed succeeded successful complete completed";

	return s->condition && !s->soft && phrase_has(generic_last_part(s->word), ends) && !phrase_has(s->message, "retry* retries retried");
}

/* "Released=False, reason Failed" of a run that has ended. */
static bool has_failed_for_good(const struct evidence *e, const struct sign *s)
{
	return s->condition && !s->soft && generic_has_ended(json_at(verdict_object(e->v), "status")) && phrase_has(s->reason, "fail*");
}

/* Words for "it serves, but not as promised". */
static bool is_partial(const struct sign *s)
{
	static const char partial[] = "degrad* warn* partial* unhealthy drift* outofsync below";

	/* a condition of the category "Warn" */
	if (s->soft && s->level == SEVERITY_WARNING)
		return true;
	/* "SomeDataDropped": the rest is well */
	if (phrase_has(s->reason, "some"))
		return true;
	return str_contains_nocase(s->message, "not all ") || phrase_has(s->word, partial) || phrase_has(s->reason, partial) || str_contains_nocase(s->word, "outofsync") ||
	       str_contains_nocase(s->reason, "outofsync");
}

/* Returns true when that time has come; else the object is judged again then. */
static bool is_past(const struct evidence *e, int64_t time)
{
	if (verdict_now(e->v) < time)
		verdict_revisit(e->v, time);
	return verdict_now(e->v) >= time;
}

/* The object is older than it takes to make one. */
static bool is_grown(const struct evidence *e)
{
	int64_t created = verdict_created(e->v);

	if (e->ready || e->usable)
		return true;
	if (created)
		verdict_revisit(e->v, created + thresholds.overdue);
	return created && verdict_now(e->v) >= created + thresholds.overdue;
}

/* The operator's own word for the phase says that it can be used: "Running", and not only "Provisioned". */
static bool has_good_word(const struct evidence *e)
{
	const struct sign *word = best(e, STRONG, WORD_OK);

	return word && word->phase && !e->runs_once && !str_ends(word->word, "ed");
}

/* "Recoverable=True" beside "state: Active": what is tried again is a change. */
static bool is_beside_good_word(const struct evidence *e, const struct sign *s)
{
	return s->condition && !s->lost && !s->undecided && has_good_word(e) && !generic_never_usable(e) && is_grown(e);
}

static void trouble(struct evidence *e, const struct sign *s)
{
	bool other_parts = e->part_usable && s == best(e, WEAK, WORD_BAD);
	bool one_part = s->part && (best(e, STRONG, WORD_OK) || best(e, WEAK, WORD_OK));
	bool own_word = s->phase && e->phase.len && str_eq(s->word, e->phase);
	bool said = !s->condition && !own_word && !e->runs_once && best(e, STRONG, WORD_OK);
	/* "phase: Failed" of a run counts more than "Completed=True" beside it, which says only that it is over */
	bool failed_run = e->runs_once && (is_failed_run(s) || has_failed_for_good(e, s) || (own_word && !is_partial(s)));
	bool serves = !failed_run && !(s->every && !e->ready) && (e->usable || said || other_parts || one_part || generic_serves(e) ||
				      (is_partial(s) && !generic_never_usable(e)));
	bool ended = (e->runs_once || e->handled) && own_word && !is_partial(s);
	bool final = is_final(s) || is_final_phase(e, s) || failed_run || ended || e->terminal;

	serves |= !failed_run && !s->every && (generic_part_was_lost(e, s) || is_beside_good_word(e, s));

	conclude(e, s, serves ? PHASE_DEGRADED : PHASE_FAILED,
		 final ? SEVERITY_ERROR : SEVERITY_WARNING);
	if (e->outdated)
		verdict_stale(e->v);
}

/* The kind of movement, by its words. */
static const struct {
	const char *words;
	enum phase phase;
} movements[] = {
	{ "terminating deleting destroying uninstalling", PHASE_DELETING },
	{ "scal* upscal* downscal* rescal* autoscal* scaleup scaledown resiz* expand*", PHASE_SCALING },
	{ "maint* backing repair* compact*", PHASE_MAINTENANCE },
	{ "upgrad* updat* rolling rollout* migrat* restart* reconfigur* modify*", PHASE_UPDATING },
	/* what goes to sleep was there before */
	{ "stopping pausing suspending hibernating shutting", PHASE_UPDATING },
};

/* Returns true for "DELETE_IN_PROGRESS". */
static bool is_deletion(struct str telling)
{
	return str_contains_nocase(telling, "delete_in") || str_contains_nocase(telling, "deletein");
}

static bool begins_with_deletion(struct str telling)
{
	size_t end = 0;

	/* the first word of a name in CamelCase */
	while (end < telling.len && (end == 0 || !(telling.ptr[end] >= 'A' && telling.ptr[end] <= 'Z')))
		end++;
	return is_deletion(telling) || phrase_has(str_head(telling, end), movements[0].words);
}

/* "NamespaceTerminating" is about another object. */
static enum phase movement_in(struct str telling, bool condition)
{
	for (size_t i = 0; i < sizeof(movements) / sizeof(movements[0]); i++)
		if ((phrase_has(telling, movements[i].words) || (i == 0 && is_deletion(telling))) &&
		    (movements[i].phase != PHASE_DELETING || !condition || begins_with_deletion(telling)))
			return movements[i].phase;
	return PHASE_UNKNOWN;
}

/* Returns the kind of movement by the reason of a condition, or else by a type that is itself movement. */
static enum phase kind_of_movement(const struct sign *s)
{
	bool has_reason = s->condition && s->reason.len;
	enum phase phase = movement_in(has_reason ? s->reason : s->word, s->condition);

	if (phase == PHASE_UNKNOWN && has_reason && word_class(s->word) == WORD_PROGRESS)
		phase = movement_in(s->word, true);
	return phase;
}

/* It began with the object, and the object became ready since: that is the end of the first time, and no change. */
static bool is_of_the_beginning(const struct evidence *e, const struct sign *s)
{
	const struct condition *ready = verdict_condition(e->v, "Ready");

	return s->condition && s->since && condition_is(ready, "True") && s->since < ready->since &&
	       s->since < verdict_created(e->v) + thresholds.young;
}

/* "RollingOut=True": what is new is rolled out, which needs more of it for some time and less of what was there. */
static bool rolls_out(const struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (condition_is(c, "True") && phrase_has(c->type, "rolling rollout") && word_class(c->type) == WORD_PROGRESS)
			return true;
	}
	return false;
}

/*
 * "Reconciling" without a time, of an old object whose spec was changed since it was made: nothing says that this goes on
 * since then.
 */
static bool is_after_an_edit(const struct evidence *e, const struct sign *s)
{
	static const char works[] = "reconcil* process* sync* appl* progress* inprogress";

	return s->phase && !s->since && !e->runs_once && verdict_generation(e->v) > 1 && !e->outdated && phrase_has(s->word, works) &&
	       e->moving_since == 0 && !generic_never_usable(e) && is_grown(e);
}

/* "ready: true", in a field of its own. */
static bool is_called_ready(const struct evidence *e)
{
	const struct sign *well = best(e, STRONG, WORD_OK);

	return well && well->truth && !e->runs_once;
}

/* "Performing scaling operation, currentMembers=4, desiredMembers=5" */
static bool tells_scaling(struct str message)
{
	return phrase_has(message, "scaling upscaling downscaling rescaling") && !generic_tells_error(message);
}

/* "ProxyReady=False, reason DeploymentNotReady" of what was made long ago: the reason names nothing in progress. */
static bool lost_a_part(const struct evidence *e, const struct sign *s)
{
	return generic_part_was_lost(e, s) && !phrase_moves(s->reason);
}

static enum phase movement_of(const struct evidence *e, const struct sign *s)
{
	enum phase phase = kind_of_movement(s);

	/* from nothing to what is wanted, for the first time */
	if (phase == PHASE_SCALING && e->replicas.wanted > 0 && e->replicas.ready <= 0 && generic_never_at_goal(e))
		return PHASE_PROVISIONING;
	if (phase == PHASE_SCALING && rolls_out(e->v))
		return PHASE_UPDATING;
	if (phase != PHASE_UNKNOWN)
		return phase;
	if (s->phase && tells_scaling(s->message) && is_grown(e))
		return PHASE_SCALING;
	/* a new database may be made from a backup */
	if (!e->runs_once && phrase_has(s->condition ? s->reason : s->word, "restoring") && is_grown(e))
		return PHASE_MAINTENANCE;
	/* "phase: Running" beside a condition that is False, of an object that has existed for long */
	if (has_good_word(e) && is_grown(e) && !generic_never_usable(e))
		return PHASE_UPDATING;
	if (is_after_an_edit(e, s) || (is_called_ready(e) && is_grown(e)))
		return PHASE_UPDATING;
	return (generic_was_usable(e) || lost_a_part(e, s)) && !is_of_the_beginning(e, s) ? PHASE_UPDATING : PHASE_PROVISIONING;
}

static bool begins_nocase(struct str s, const char *prefix)
{
	struct str p = str_of(prefix);

	return s.len >= p.len && str_eq_nocase(str_head(s, p.len), p);
}

/* "Waiting for user to clean up", "new revision, waiting for approval". */
static bool asks_a_person(struct str message)
{
	static const char *const asks[] = { "waiting for approval", "awaiting approval", "waiting for manual approval", "manually confirm",
					    "manual confirmation", NULL };

	return (begins_nocase(message, "waiting ") && phrase_has(message, "user user's administrator* human* manual* manually")) ||
	       str_contains_any_nocase(message, asks);
}

/* The message of a condition that is not True says so, or of one that tells of a change in progress. */
static bool waits_for_a_person(const struct verdict *v, struct str *out_message)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if ((!condition_is(c, "True") || word_class(c->type) == WORD_PROGRESS) && asks_a_person(c->message)) {
			*out_message = c->message;
			return true;
		}
	}
	return false;
}

/* Things that only a person can give. */
static bool wants_approval(const struct sign *s)
{
	struct str telling = !s->condition ? s->word : s->reason.len ? s->reason : s->message;

	return str_contains_nocase(telling, "approval") ||
	       str_contains_nocase(telling, "awaitingapprove") || phrase_has(generic_last_part(s->word), "proposal");
}

/* Another word says that it can be used, or some of its replicas are there. */
static bool is_usable_in_part(const struct evidence *e, const struct sign *s)
{
	if (e->replicas.ready > 0 && e->replicas.ready < e->replicas.wanted)
		return !e->runs_once;
	return has_good_word(e) && !phrase_moves(s->reason) && !generic_never_usable(e);
}

/* Returns the time since which what was ready before is "initializing", as at its beginning; 0: it is not. */
static int64_t begins_again_since(const struct evidence *e)
{
	const struct condition *ready = generic_ready_condition(e->v);

	if (!condition_is(ready, "True") || !ready->since || e->runs_once)
		return 0;
	for (size_t i = 0; i < verdict_condition_count(e->v); i++) {
		const struct condition *c = verdict_condition_at(e->v, i);

		if (condition_is(c, "True") && c->since > ready->since && str_eq_nocase(generic_last_part(c->type), STR("initializing")))
			return c->since;
	}
	return 0;
}

/*
 * The object is "not ready", in no other words, and nothing says that a change is in progress.  When a condition became
 * so long after the object was made, the object was ready before.  A word of a phase has no time: an object of that age
 * is not being made for the first time.
 */
static bool is_partly_there(const struct evidence *e)
{
	const struct replicas *r = &e->replicas;

	return r->ready > 0 && r->ready < r->wanted && !(r->updated >= 0 && r->updated < r->wanted) && !e->runs_once && !e->moving_since &&
	       !generic_ran_another_version(e->v);
}

static bool lost_its_goal(const struct evidence *e, const struct sign *s)
{
	static const char *const not_ready[] = { "notready", "not ready", "unready", NULL };
	static const char *const yellow[] = { "yellow", NULL };
	int64_t created = verdict_created(e->v), from;

	if (!created || e->outdated || kind_of_movement(s) != PHASE_UNKNOWN)
		return false;
	if ((from = begins_again_since(e))) {
		if (verdict_now(e->v) < from + thresholds.overdue)
			verdict_revisit(e->v, from + thresholds.overdue);
		return verdict_now(e->v) >= from + thresholds.overdue;
	}
	/* the colour for "all is there, and some of it only once" */
	if (s->phase && str_is_any_nocase(s->word, yellow) && !e->moving_since)
		from = created + thresholds.overdue;
	else if (e->ready || e->usable)
		return false;
	else if (s->phase && is_partly_there(e)) /* "initializing" */
		from = generic_lost_at(e) + thresholds.overdue;
	else if (s->phase && str_is_any_nocase(s->word, not_ready))
		from = created + thresholds.overdue;
	else if (generic_lacks_since(e))
		from = generic_lacks_since(e) + thresholds.overdue;
	else if (!e->moving && generic_lost_it_late(e) && !phrase_moves(s->reason))
		from = s->since + thresholds.pod_start_grace;
	else if (!e->moving && ((s->lost && s->since >= created + thresholds.pod_start_grace) || lost_a_part(e, s)))
		from = s->since + thresholds.pod_start_grace;
	else if (s->condition && !e->moving && is_usable_in_part(e, s))
		from = (s->since > created ? s->since : created) + thresholds.overdue;
	else
		return false;
	if (verdict_now(e->v) < from)
		verdict_revisit(e->v, from);
	return verdict_now(e->v) >= from;
}

/* One of the conditions says that somebody has approved it. */
static bool is_approved(struct json conditions)
{
	json_foreach(c, conditions)
		if (str_contains_nocase(json_str(c, "type"), "approved") && str_is(json_str(c, "status"), "True"))
			return true;
	return false;
}

static bool names_approval(struct str key)
{
	static const char *const keys[] = { "approvalname", "approvalrequestname", "approvaltaskname", "pendingapprovalname", NULL };

	return str_is_any_nocase(key, keys);
}

/* Returns "web-2" of "approvalRequestName: web-2", which nobody has approved; "": nothing of the kind is there. */
static struct str approval_below(struct json at, int depth, int *left)
{
	struct str found = STR_NONE;

	json_foreach(field, at)
	{
		struct str key = json_key(field);

		if (--*left < 0 || found.len)
			return found;
		if (json_str(field, "").len && names_approval(key) && !is_approved(json_member(at, STR("conditions"))))
			return json_str(field, "");
		if (depth > 0 && (json_is_object(field) || json_is_array(field)))
			found = approval_below(field, depth - 1, left);
	}
	return found;
}

static struct str approval_asked(const struct verdict *v)
{
	enum { DEPTH = 5, FIELDS = 2000 };	/* levels and fields of a status that are searched */
	int left = FIELDS;

	return approval_below(json_at(verdict_object(v), "status"), DEPTH, &left);
}

static void movement(struct evidence *e, const struct sign *s)
{
	enum severity severity = s->level != SEVERITY_NONE ? s->level : SEVERITY_INFO;
	const struct sign *told = best(e, STRONG, WORD_BAD);
	struct sign with_error = *s;
	struct str message, approval = STR_NONE;

	/* an error that is told beside the operator's word is tried again */
	if (told && told->by_message && s->phase && (generic_tells_error(told->message) || !s->message.len)) {
		severity = generic_tells_error(told->message) ? SEVERITY_WARNING : severity;
		with_error.message = told->message;
		s = &with_error;
	} else if (s->phase && severity == SEVERITY_INFO && e->retried.class != WORD_NONE && !s->message.len) {
		severity = SEVERITY_WARNING;
		with_error.reason = s->reason.len ? s->reason : e->retried.reason;
		with_error.message = e->retried.message;
		s = &with_error;
	}
	message = s->message;
	if (lost_its_goal(e, s)) {
		conclude(e, s, PHASE_DEGRADED, SEVERITY_WARNING);
		return;
	}
	conclude(e, s, movement_of(e, s), severity);
	if (verdict_phase(e->v) == PHASE_PROVISIONING && generic_awaited(s->condition ? s->reason : s->word, message) != AWAITED_NOTHING)
		verdict_set_phase(e->v, PHASE_WAITING, severity);
	if (!wants_approval(s) && !waits_for_a_person(e->v, &message) &&
	    !((approval = approval_asked(e->v)).len && phrase_has(s->reason, "waiting awaiting waits")))
		return;
	verdict_set(e->v, PHASE_WAITING, severity, s->reason, message);
	verdict_waits_external(e->v, (struct external_wait){ .state = WAIT_APPROVAL,
							     .kind = STR("Approval"),
							     .name = approval.len ? approval : verdict_name(e->v),
							     .message = message });
}

/* The first attempt goes on; an error that is told already is tried again. */
static void beginning(struct evidence *e, const struct sign *s)
{
	conclude(e, s, movement_of(e, s), generic_tells_error(s->message) || s->undecided ? SEVERITY_WARNING : SEVERITY_INFO);
}

static void pause(struct evidence *e, const struct sign *s)
{
	conclude(e, s, PHASE_SUSPENDED, SEVERITY_INFO);
}

/* The object is being made: it has not existed for long, and was not seen to be ready before. */
static bool is_fresh(const struct evidence *e)
{
	int64_t created = verdict_created(e->v), now = verdict_now(e->v);
	const struct sign *well = best(e, STRONG, WORD_OK);
	bool served = e->ready && well && well->since && now - well->since > thresholds.young;

	if (!created || now - created >= thresholds.pod_start_grace || served)
		return false;
	verdict_revisit(e->v, created + thresholds.pod_start_grace);
	return true;
}

/* All are updated but those that the strategy holds back until a person lets them go. */
static bool is_held_back(const struct evidence *e)
{
	const struct replicas *r = &e->replicas;

	if (e->partition <= 0 || r->updated < 0 || r->updated >= r->wanted || (r->ready >= 0 && r->ready < r->wanted))
		return false;
	return r->updated >= r->wanted - e->partition;
}

static void hold_back(struct evidence *e)
{
	pause(e, &(struct sign){ .rule = STR("the partition of the strategy holds the rest back") });
}

/* The words are good, but the numbers are not as wanted yet. */
static bool all_but_counts(struct evidence *e, const struct sign *s)
{
	const struct replicas *r = &e->replicas;
	enum phase phase = PHASE_UPDATING;

	if (e->ready || e->runs_once || r->wanted <= 0)
		return false;
	if (is_held_back(e)) {
		hold_back(e);
		return true;
	}
	/* an object that is "Running" with no ready replicas had them before, unless it is being made */
	if (r->ready >= 0 && r->ready < r->wanted)
		phase = !is_fresh(e) && (r->ready || s->phase) ? PHASE_DEGRADED : PHASE_PROVISIONING;
	else if (r->updated < 0 || r->updated >= r->wanted)
		return false;
	if (phase == PHASE_PROVISIONING && r->ready < r->wanted && s->phase && !e->moving)
		verdict_contradicted(e->v);
	conclude(e, s, phase, phase == PHASE_DEGRADED ? SEVERITY_WARNING : SEVERITY_INFO);
	/* the good words are as old as the state before */
	verdict_since(e->v, 0);
	verdict_rule(e->v, arena_printf(verdict_arena(e->v), "%d of %d ready, %d updated", r->ready,
					r->wanted, r->updated < 0 ? 0 : r->updated));
	return true;
}

/* "Ready=True, reason Maintenance": it serves, and somebody works on it. */
static bool is_in_maintenance(const struct sign *s)
{
	static const char *const reasons[] = { "maintenance", "inmaintenance", "undermaintenance", "maintenancemode", NULL };

	return s->condition && str_is_any_nocase(s->reason, reasons);
}

static void all_well(struct evidence *e, const struct sign *s)
{
	if (all_but_counts(e, s))
		return;
	if (is_in_maintenance(s)) {
		conclude(e, s, PHASE_MAINTENANCE, SEVERITY_INFO);
		return;
	}
	conclude(e, s, PHASE_READY, SEVERITY_NONE);
	if (e->runs_once)
		verdict_complete(e->v);
}

static void older_spec(struct evidence *e)
{
	struct sign s = { .rule = STR(
				  "status.observedGeneration is older than metadata.generation") };
	const struct sign *moving = best(e, STRONG, WORD_PROGRESS);

	movement(e, moving ? moving : &s);
}

/* ---- without a word ------------------------------------------------------ */

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

static void no_status_to_have(struct verdict *v)
{
	bool some = json_has(verdict_object(v), "status");

	verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_rule(v, some ? STR("a kind of which nobody reports the health") : without_status());
}

/* Asks for the definition: generic_assess() concludes from it. */
static void ask_definition(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);

	verdict_set(v, PHASE_UNKNOWN, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_rule(v, STR("no status, and the definition of the kind is not read yet"));
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN | REF_CLUSTER,
				     .group = STR("apiextensions.k8s.io"),
				     .kind = STR("CustomResourceDefinition"),
				     .name = ARENA_JOIN(verdict_arena(v), kind->plural, STR("."), kind->group) });
}

/* What it means that an object has no status although its controller should write one. */
static struct silence {
	enum phase phase;
	enum severity severity;
	bool young;
} silence_of(int64_t created, int64_t now, bool sure)
{
	if (created == 0 || now - created < thresholds.young)
		return (struct silence){ PHASE_PROVISIONING, SEVERITY_INFO, true };
	return (struct silence){ sure ? PHASE_UNKNOWN : PHASE_PROVISIONING, SEVERITY_WARNING, false };
}

static struct str never_told(void)
{
	return STR("no status: never reconciled");
}

static void never_reconciled(struct verdict *v, const struct kind_row *const *rows)
{
	enum reporting how = reporting(v, rows);
	int64_t created = verdict_created(v);
	struct silence silence = silence_of(created, verdict_now(v), how == REPORTING || how == REPORTING_UNKNOWN);
	/* nobody reports on the replicas that it asks for: the workloads that are made for it will */
	bool to_be_made = silence.young && generic_asks_for_replicas(v, 1);

	if (rows_static(rows) || (how == REPORTING_NOT && !to_be_made)) {
		no_status_to_have(v);
		return;
	}
	if (how == REPORTING_UNREAD && !to_be_made) {
		ask_definition(v);
		return;
	}
	verdict_set(v, silence.phase, silence.severity, STR_NONE, STR_NONE);
	verdict_since(v, created);
	if (!silence.young)
		verdict_by_time(v);
	if (how == REPORTING_UNKNOWN && !silence.young)
		verdict_rule(v, STR("no status, and nothing tells whether the kind has one"));
	else
		verdict_rule(v, never_told());
	if (silence.young && created)
		verdict_revisit(v, created + thresholds.young);
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

/* One of the jobs that a run is made of is active. */
static bool has_active_part(struct json list)
{
	json_foreach(part, list)
		if (json_int(part, "active", 0) > 0)
			return true;
	return false;
}

/* Reads "active: 1" of a run, or of the jobs that it is made of. */
static bool is_active(struct json status)
{
	json_foreach(field, status)
	{
		if (json_int(field, "active", 0) > 0 || (str_is(json_key(field), "active") && json_int(field, "", 0) > 0) ||
		    (json_is_array(field) && has_active_part(field)))
			return true;
	}
	return false;
}

/*
 * A run with a word that is not known here, and a field that names what it does at present ("currentAction: kexec"), or
 * one that has begun and says no more.
 */
static bool runs_at_present(struct evidence *e)
{
	struct json status = json_at(verdict_object(e->v), "status");
	bool current = is_active(status), begun = current || generic_has_begun(status);

	if (generic_has_ended(status))
		return false;
	json_foreach(field, status)
		current |= str_starts(json_key(field), "current") && json_str(field, "").len > 0;
	return e->runs_once && (e->unread.word.len ? current : is_active(status) || (begun && !e->any));
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
		assess_set(d, PHASE_WAITING, SEVERITY_INFO, STR_NONE, STR_NONE);
		assess_since(d, assess_created(d));
		assess_rule(d, STR("what it names does not exist"));
		assess_wait(d, &n, WAIT_MISSING, n.message);
	}
}

static void conclude_from_definition(struct assessment *d)
{
	unsigned flags = assess_kind(d)->flags;
	int64_t created = assess_created(d);
	struct neighbour definition;
	struct silence silence;

	if (!assess_status(d)->untouched || assess_deleting(d) || !definition_of(d, &definition))
		return;
	/* a definition of which only the metadata is here has no status, and says nothing of its schema */
	if (!(flags & KIND_LEARNED) &&
	    (assess_is_unasked(d, &definition) || (definition.presence == PRESENCE_FOUND && definition.status.untouched)))
		return;
	/* also where the definition may not be read, or an aggregated server has none */
	if (!(flags & KIND_REPORTS)) {
		assess_set(d, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
		assess_rule(d, without_status());
		return;
	}
	if (assess_status(d)->phase != PHASE_UNKNOWN)
		return;
	silence = silence_of(created, assess_now(d), flags & KIND_SCHEMA_READ);
	assess_set(d, silence.phase, silence.severity, STR_NONE, STR_NONE);
	assess_since(d, created);
	assess_rule(d, never_told());
	if (silence.young && created)
		assess_revisit(d, created + thresholds.young);
	else
		assess_by_time(d);
}

void generic_assess(struct assessment *d)
{
	conclude_from_definition(d);
	wait_for_what_is_absent(d);
	generic_own_part_is_awaited(d);
}

static void nothing_recognised(struct evidence *e)
{
	struct verdict *v = e->v;
	int64_t created = verdict_created(v);
	/* a run that is over says nothing more of how it went */
	bool over = e->runs_once && e->unread.word.len && generic_has_ended(json_at(verdict_object(v), "status"));
	bool young = !over && (created == 0 || verdict_now(v) - created < thresholds.young);

	/* "Paused=False", and nothing else yet: its controller has begun */
	if (young && created && !e->unread.word.len && verdict_condition_count(v))
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	else
		verdict_set(v, PHASE_UNKNOWN, young ? SEVERITY_NONE : SEVERITY_WARNING, e->unread.reason, e->unread.message);
	verdict_word(v, e->phase);
	verdict_rule(v, e->unread.word.len ? e->unread.rule
					   : STR("nothing in the status that we can read"));
	if (!young || !created)
		return;
	verdict_revisit(v, created + thresholds.young);
	/* its controller has begun, and has said nothing of its state yet */
	if (e->unread.word.len == 0) {
		verdict_set_phase(v, PHASE_PROVISIONING, SEVERITY_INFO);
		verdict_since(v, created);
	}
}

/* ---- pauses that the spec or an annotation asks for ---------------------- */

static const char *const pause_fields[] = {
	"spec.suspend",	  "spec.suspended",  "spec.paused", "spec.pause",
	"spec.hibernate", "spec.hibernated", "spec.disabled", NULL
};

static const char *const enable_fields[] = { "spec.enabled", "spec.enable", NULL };

/* "reconciliationLoop: disabled": its controller ignores the object. */
static bool stops_reconciling(struct str name, struct str value)
{
	static const char *const stops[] = { "disabled", "false", "paused", NULL };

	/* Flux puts kustomize.toolkit.fluxcd.io/reconcile on objects that it leaves to others */
	if (!str_contains_nocase(generic_last_part(name), "reconcil") ||
	    str_contains(name, ".toolkit.fluxcd.io/"))
		return false;
	return str_is_any_nocase(value, stops);
}

/* Reads spec.updateStrategy.paused, spec.strategy.rollingUpdate.paused, ... */
static bool pause_in_strategy(struct json spec)
{
	json_foreach(part, spec)
	{
		bool about = str_contains_nocase(json_key(part), "strategy") ||
			     str_contains_nocase(json_key(part), "rollingupdate") ||
			     str_contains_nocase(json_key(part), "lifecycle");

		if (about && (json_bool(part, "paused", false) || json_bool(part, "pause", false) ||
			      pause_in_strategy(part)))
			return true;
	}
	return false;
}

/* Annotations of most operators, and a label of RabbitMQ's ("rabbitmq.com/pauseReconciliation"). */
static bool pause_by_mark(struct verdict *v, const char *path, const char *what, struct str *out_rule)
{
	json_foreach(mark, json_at(verdict_object(v), path))
	{
		struct str name = generic_last_part(json_key(mark)), value = json_str(mark, "");
		bool pauses = str_starts(name, "pause") || str_starts(name, "suspend") || str_ends(name, "paused");
		bool is_on = str_eq_nocase(value, STR("true")) ||
			     (str_is(name, "paused") && json_type(mark) == JSON_STRING && value.len == 0);

		if (!stops_reconciling(json_key(mark), value) && !(pauses && is_on))
			continue;
		*out_rule = ARENA_JOIN(verdict_arena(v), str_of(what), json_key(mark));
		return true;
	}
	return false;
}

static bool pause_asked(struct verdict *v, const struct kind_row *const *rows, struct str *out_rule)
{
	if (rows_suspended(v, rows, out_rule))
		return true;
	for (const char *const *f = pause_fields; *f; f++)
		if (json_bool(verdict_object(v), *f, false)) {
			*out_rule = str_of(*f);
			return true;
		}
	for (const char *const *f = enable_fields; *f; f++)
		if (json_type(json_at(verdict_object(v), *f)) == JSON_BOOL && !json_bool(verdict_object(v), *f, true)) {
			*out_rule = ARENA_JOIN(verdict_arena(v), str_of(*f), STR(" is false"));
			return true;
		}
	if (word_class(json_str(verdict_object(v), "spec.powerState")) == WORD_SUSPENDED ||
	    str_starts(json_str(verdict_object(v), "spec.powerState"), "Hibernat")) {
		*out_rule = STR("spec.powerState");
		return true;
	}
	if (pause_in_strategy(json_at(verdict_object(v), "spec"))) {
		*out_rule = STR("the strategy in the spec is paused");
		return true;
	}
	return pause_by_mark(v, "metadata.annotations", "annotation ", out_rule) || pause_by_mark(v, "metadata.labels", "label ", out_rule);
}

/* ---- the decision -------------------------------------------------------- */

/* Some operators write it as text, and -1 before their first reconciliation. */
static bool observed_is_older(struct verdict *v)
{
	struct json observed = json_at(verdict_object(v), "status.observedGeneration");
	int64_t n = json_int(observed, "", INT64_MIN);

	if (n == INT64_MIN && !str_to_int(json_str(observed, ""), &n))
		return false;
	return n < verdict_generation(v);
}

static bool is_over(struct str word)
{
	return phrase_has(word, "complete completed succeed* finish* done");
}

/* A run that has come to its end well says nothing more by parts of it that failed on the way: they were tried again. */
static bool ran_to_its_end(const struct evidence *e)
{
	const struct sign *well = best(e, STRONG, WORD_OK);

	return well && well->phase && is_over(well->word);
}

/* "Available=False, reason Unavailable", "Ready=False, reason ComponentsNotReady": no more than that it is not there. */
static bool tells_only_absence(const struct sign *bad)
{
	return !generic_tells_error(bad->message) && !generic_tells_error(bad->reason) &&
	       (bad->reason.len == 0 || phrase_has(bad->reason, "unavailable unready unreachable offline down stopped notready") ||
		(word_class(bad->reason) == WORD_PROGRESS && !phrase_moves(bad->reason)));
}

/* What was stopped because somebody wanted it is not available, and a message says how little of it is there. */
static bool is_consequence(const struct evidence *e, const struct sign *bad)
{
	const struct sign *stop = best(e, STRONG, WORD_SUSPENDED);

	return stop && (stop->condition || stop->phase) && bad->condition && ((bad->lost && bad->by_message) || tells_only_absence(bad)) &&
	       phrase_has(generic_last_part(stop->word), "stopped hibernat* shutdown halted shelved");
}

/* What only a message tells is trouble when it has been told for so long. */
static bool has_lasted(const struct evidence *e, const struct sign *s)
{
	int64_t end = s->since + thresholds.overdue;

	if (!s->since || !s->condition || !(generic_tells_error(s->message) || str_contains_nocase(s->message, "backoff")))
		return false;
	if (verdict_now(e->v) < end)
		verdict_revisit(e->v, end);
	return verdict_now(e->v) >= end;
}

/*
 * Strong trouble counts always; soft trouble only while nothing is in progress or paused; weak trouble unless the
 * object says that it is healthy.
 */
static const struct sign *trouble_in(const struct evidence *e)
{
	const struct sign *strong = best(e, STRONG, WORD_BAD), *weak = best(e, WEAK, WORD_BAD);
	const struct sign *moving = best(e, STRONG, WORD_PROGRESS);
	bool explained = e->moving || best(e, STRONG, WORD_SUSPENDED);

	if (strong && is_consequence(e, strong))
		strong = NULL;
	/* the operator's own word counts more than the words of a message */
	if (strong && strong->by_message && moving && moving->phase && !has_lasted(e, strong))
		strong = NULL;
	/* "Active=False" beside "Ready=False, reason AwaitingValidation" */
	if (weak && weak->hint && moving && moving->condition && phrase_moves(moving->reason))
		weak = NULL;
	if (weak && weak->by_message && moving && moving->phase && !has_lasted(e, weak))
		weak = NULL;

	if (weak && weak->member && ran_to_its_end(e))
		weak = NULL;
	if (weak && weak->caution && best(e, STRONG, WORD_OK))
		weak = NULL;

	if (strong && !(strong->soft && explained))
		return strong;
	if (weak && (weak->soft || (weak->part && e->ready)) && explained)
		return NULL;
	if (weak && weak->part)
		return weak;
	/*
	 * "ready" counts more than a part that merely does not exist, but not more than one that says what went wrong
	 */
	return e->ready && weak && (weak->soft || (!weak->condition && !weak->every)) ? NULL : weak;
}

/* The controller has handled this spec and had nothing to report: the rest of the status is empty. */
static bool is_seen_only(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	json_foreach(field, status)
		if (!str_is(json_key(field), "observedGeneration") &&
		    (json_count(field) || json_str(field, "").len || json_type(field) == JSON_BOOL || json_type(field) == JSON_NUMBER))
			return false;
	return verdict_generation(v) > 0 && json_int(status, "observedGeneration", -1) == verdict_generation(v);
}

/*
 * "phase: reconciling" beside "ready: true": the word says that the controller looks at the object, and not that anything
 * is changed.
 */
static bool is_only_looked_at(const struct evidence *e, const struct sign *s)
{
	static const char *const looks[] = { "reconcile", "reconciling", "reconciled", NULL };

	return s->phase && str_is_any_nocase(s->word, looks) && is_called_ready(e) && e->moving_since == 0;
}

/* "state: Inactive" of what was just made. */
static bool is_not_active_yet(struct evidence *e, const struct sign *s)
{
	int64_t end = verdict_created(e->v) + thresholds.young;

	if (!s->phase || !str_eq_nocase(s->word, STR("inactive")) || !verdict_created(e->v) || verdict_now(e->v) >= end)
		return false;
	verdict_revisit(e->v, end);
	return true;
}

/* "phase: Inactive, reason: InstallFailed": nobody has stopped it. */
static bool was_stopped_by_failure(const struct sign *s)
{
	return s->phase && phrase_has(s->reason, "fail* error errors") && word_class(s->reason) == WORD_BAD;
}

/* "Ready=False" of what shall have no replicas. */
static bool is_of_nothing(const struct evidence *e, const struct sign *s)
{
	return e->wants_none && s->condition && e->replicas.ready <= 0 && !generic_tells_error(s->message) && !generic_tells_error(s->reason);
}

static void nothing_wanted(struct evidence *e)
{
	conclude(e, &(struct sign){ .rule = STR("no replicas are wanted") }, PHASE_READY, SEVERITY_NONE);
}

/* "health: red" of what was just made, beside another word that says that something has yet to come. */
static bool is_red_from_the_start(const struct evidence *e, const struct sign *s)
{
	int64_t end = verdict_created(e->v) + thresholds.pod_start_grace;

	if (!s->phase || !str_eq_nocase(s->word, STR("red")) || !best(e, WEAK, WORD_PROGRESS) || !verdict_created(e->v) ||
	    verdict_now(e->v) >= end || generic_was_usable(e) || e->replicas.ready > 0)
		return false;
	verdict_revisit(e->v, end);
	return true;
}

static bool decide(struct evidence *e)
{
	const struct sign *s;

	if ((s = trouble_in(e)) && is_red_from_the_start(e, s))
		movement(e, best(e, WEAK, WORD_PROGRESS));
	else if (s && generic_first_attempt(e, s))
		beginning(e, s);
	else if (s && s->lost && is_of_nothing(e, s))
		nothing_wanted(e);
	else if (s)
		trouble(e, s);
	else if (e->outdated)
		older_spec(e);
	else if ((s = best(e, STRONG, WORD_SUSPENDED)) && is_not_active_yet(e, s))
		movement(e, s);
	else if (s && was_stopped_by_failure(s))
		trouble(e, s);
	else if (s)
		pause(e, s);
	else if ((s = best(e, STRONG, WORD_PROGRESS)) && s->lost && kind_of_movement(s) == PHASE_UNKNOWN && is_of_nothing(e, s))
		nothing_wanted(e);
	else if (s && !is_only_looked_at(e, s))
		movement(e, s);
	else if (!e->ready && !best(e, STRONG, WORD_OK) && (s = best(e, WEAK, WORD_PROGRESS)))
		movement(e, s);
	else if (!best(e, STRONG, WORD_OK) && (s = best(e, WEAK, WORD_SUSPENDED)))
		pause(e, s);
	else if ((s = best(e, STRONG, WORD_OK)) || (!e->knows_not && (s = best(e, WEAK, WORD_OK))))
		all_well(e, s);
	else if (e->milestone.class != WORD_NONE)
		movement(e, &e->milestone);
	else if (e->no_conditions_yet && e->unread.word.len == 0)
		movement(e, &(struct sign){ .rule = STR("the list of conditions is empty") });
	else if (is_seen_only(e->v))
		all_well(e, &(struct sign){ .rule = STR("status.observedGeneration, and nothing else") });
	else
		return false;
	return true;
}

/* Counts that are too low on an object of that age are no start, and nothing says that a new state is rolled out. */
static bool too_few_for_long(struct evidence *e)
{
	const struct replicas *r = &e->replicas;
	int64_t grace = e->counts_by_rows ? thresholds.pod_start_grace : thresholds.overdue;
	int64_t until = verdict_created(e->v) + grace;

	if (r->ready >= r->wanted || (!e->counts_by_rows && (e->moving || !verdict_created(e->v) || r->ready < 0 || (r->updated >= 0 && r->updated < r->wanted))))
		return false;
	if (verdict_now(e->v) >= until)
		return true;
	verdict_revisit(e->v, until);
	return false;
}

/* Where no number tells how many are ready, the members of a list do by their own words. */
static void count_members(struct evidence *e)
{
	struct replicas *r = &e->replicas;

	if (r->ready >= 0 || e->members_wanted == 0)
		return;
	r->wanted = r->wanted > 0 ? r->wanted : e->members_wanted;
	r->ready = e->members_ready;
	verdict_replicas(e->v, *r);
}

/* Counts decide when nothing else does. */
static bool decide_by_counts(struct evidence *e)
{
	const struct replicas *r = &e->replicas;
	struct sign s = { .weight = 1 };
	bool none, silent;

	count_members(e);
	none = r->wanted == 0 && e->wants_none && r->ready == 0;
	/* programs in Go leave out a 0, but not all that they count */
	silent = r->ready < 0 && r->current < 0 && r->updated < 0 && !e->wanted_by_status && json_count(json_at(verdict_object(e->v), "status"));

	if ((r->wanted <= 0 && !none) || e->unread.word.len || silent || (r->ready < 0 && rows_static(e->rows)))
		return false;
	s.rule = arena_printf(verdict_arena(e->v), "%d of %d ready", r->ready < 0 ? 0 : r->ready,
			      r->wanted);
	if (is_held_back(e)) {
		hold_back(e);
	} else if (r->ready >= r->wanted && (r->updated < 0 || r->updated >= r->wanted)) {
		all_well(e, &s);
	} else if (too_few_for_long(e)) {
		conclude(e, &s, r->ready > 0 ? PHASE_DEGRADED : PHASE_FAILED, SEVERITY_WARNING);
	} else {
		e->ready |= r->ready >= r->wanted; /* all replicas serve, some of them with the old state */
		movement(e, &s);
	}
	return true;
}

static void rule(struct evidence *e, const struct decision *r)
{
	struct verdict *v = e->v;

	verdict_set(v, r->phase, r->level, r->reason, r->message);
	verdict_word(v, e->phase.len ? e->phase : r->word);
	verdict_rule(v, r->rule);
	verdict_since(v, r->since);
	if (r->phase != PHASE_READY) {
		e->complaint_reason = r->reason;
		e->complaint = r->message;
	}
	if (r->phase == PHASE_READY && e->runs_once)
		verdict_complete(v);
}

/* "InProgress" of what was just made, and was never changed, is its first task. */
static bool is_first_task(const struct evidence *e, struct str word)
{
	int64_t created = verdict_created(e->v), end = created + thresholds.pod_start_grace;

	if (!created || verdict_generation(e->v) > 1 || verdict_now(e->v) >= end || generic_was_usable(e) ||
	    movement_in(word, false) != PHASE_UNKNOWN)
		return false;
	verdict_revisit(e->v, end);
	return true;
}

/* The operator's word tells of a beginning, and the object is older than that: it is scaled, or lacks some of its replicas. */
static void not_the_first_time(const struct evidence *e, struct decision *r)
{
	if (r->phase != PHASE_PROVISIONING || !r->by_word || r->word.len == 0 || !str_eq(r->word, e->phase) || e->runs_once || !verdict_created(e->v) || !is_grown(e))
		return;
	if (tells_scaling(r->message)) {
		r->phase = PHASE_SCALING;
	} else if (is_partly_there(e) && is_past(e, generic_lost_at(e) + thresholds.overdue)) {
		r->phase = PHASE_DEGRADED;
		r->level = SEVERITY_WARNING;
	}
}

static bool decide_by_rows(struct evidence *e)
{
	struct verdict *v = e->v;
	const struct sign *bad = trouble_in(e);
	struct decision r;

	if (!rows_decide(v, e->rows, &r))
		return false;
	/* the status is about an older spec: trouble, and that it is made for the first time, is believed until it is denied */
	if (e->outdated && r.phase != PHASE_FAILED && r.phase != PHASE_DEGRADED && r.phase != PHASE_SUSPENDED &&
	    !(r.by_word && r.phase == PHASE_PROVISIONING))
		return false;
	/* the word of a phase explains itself, but not trouble that another field reports */
	if (r.by_word && bad && !str_eq(bad->word, r.word) && r.phase != PHASE_FAILED) {
		e->usable |= r.phase == PHASE_READY && !e->runs_once;
		return false;
	}
	if (r.phase == PHASE_PROVISIONING && r.by_condition && generic_was_usable(e)) {
		bool late = r.since && verdict_now(e->v) >= r.since + thresholds.pod_start_grace;

		if (r.since && !late)
			verdict_revisit(e->v, r.since + thresholds.pod_start_grace);
		r.phase = late ? PHASE_DEGRADED : PHASE_UPDATING;
		r.level = late ? SEVERITY_WARNING : r.level;
	}
	/* a row calls Degraded what is trouble while the object serves, and this one never did */
	if ((r.phase == PHASE_UPDATING || r.phase == PHASE_SCALING) && generic_never_at_goal(e))
		r.phase = PHASE_PROVISIONING;
	if (r.phase == PHASE_UPDATING && r.by_word && is_first_task(e, r.word))
		r.phase = PHASE_PROVISIONING;
	if (r.phase == PHASE_PROVISIONING && r.by_word && !e->runs_once && generic_ran_another_version(e->v))
		r.phase = PHASE_UPDATING;
	not_the_first_time(e, &r);
	if (r.phase == PHASE_DEGRADED && r.by_condition && generic_never_at_goal(e)) {
		if (!r.by_reason && decide(e))
			return true;
		r.phase = generic_is_down(e) ? PHASE_FAILED : r.phase;
	}
	if (r.phase == PHASE_DEGRADED && generic_never_reconciled(e))
		r.phase = PHASE_FAILED;
	rule(e, &r);
	e->row_word = r.type.len ? r.type : r.word;
	e->row_reason = r.type.len ? r.reason : STR_NONE;
	return true;
}

/* The general rules have found nothing: it is enough that all parts are healthy. */
static bool decide_by_parts(struct evidence *e)
{
	struct decision r;

	if (e->unread.word.len || !rows_parts_well(e->v, e->rows, &r))
		return false;
	rule(e, &r);
	return true;
}

/* What follows of being asleep: it does not answer, and is not ready. */
static bool follows_of_sleep(const struct sign *bad)
{
	return bad->lost || phrase_has(generic_last_part(bad->word), "unreach* unavail* unready offline disconnect* down notready");
}

/* The spec asks it to hibernate, and the status says that it does: that is its goal. */
static bool sleeps_as_asked(const struct evidence *e, struct str rule)
{
	const struct sign *asleep = best(e, STRONG, WORD_SUSPENDED);

	return asleep && (str_contains_nocase(rule, "hibernat") || str_is(rule, "spec.powerState")) && !phrase_has(asleep->reason, "fail* error*");
}

static void pause_or_trouble(struct evidence *e, struct str rule)
{
	const struct sign *bad = trouble_in(e);
	struct sign s = { .rule = rule };
	bool asleep = sleeps_as_asked(e, rule);

	if (asleep && (!bad || follows_of_sleep(bad))) {
		s = *best(e, STRONG, WORD_SUSPENDED);
		conclude(e, &s, PHASE_SUSPENDED, SEVERITY_NONE);
		verdict_rule(e->v, rule);
		return;
	}

	/* "Evicted=True, reason Deactivated": what the pause itself has done */
	if (bad && word_class(bad->reason) == WORD_SUSPENDED && word_class(bad->message) != WORD_BAD) {
		s.reason = bad->reason;
		s.message = bad->message;
		bad = NULL;
	}
	/* a paused controller does not update the status */
	pause(e, bad ? bad : &s);
	verdict_rule(e->v, rule);
	if (bad)
		verdict_set_severity(e->v, SEVERITY_WARNING);
}

/* ---- vetoes ---------------------------------------------------------------- */

/* A change explains that little is there, but not that something has failed: "DEPLOY_FAILED". */
static bool has_failed(const struct sign *s)
{
	return s->phase && s->class == WORD_BAD && phrase_has(s->word, "fail* error* crash* fault*");
}

/* Something in the same status says that the object is not ready. */
static void veto(struct evidence *e, const struct sign *s)
{
	struct verdict *v = e->v;
	enum phase phase = s->condition ? movement_in(s->reason, true) : s->phase ? movement_in(s->word, false) : PHASE_UNKNOWN;
	bool fresh = is_fresh(e);
	bool moving = phase != PHASE_UNKNOWN || s->class == WORD_PROGRESS || (e->moving && !has_failed(s));

	if (phase == PHASE_UNKNOWN && moving)
		phase = PHASE_UPDATING;
	if (!moving)
		verdict_contradicted(v);
	if (fresh || moving)
		verdict_set(v, fresh ? PHASE_PROVISIONING : phase, SEVERITY_INFO, s->reason, s->message);
	else
		verdict_set(v, PHASE_DEGRADED, SEVERITY_WARNING, s->reason, s->message);
	verdict_since(v, s->since);
	verdict_rule(v, s->rule);
	if (s->condition)
		verdict_word(v, e->phase.len ? e->phase : s->reason);
	e->complaint = s->message;
}

/* The row that decided means this very word, condition or reason. */
static bool is_excused(const struct evidence *e, const struct sign *s)
{
	return (e->row_word.len && str_eq(s->word, e->row_word)) || (e->row_reason.len && str_eq(s->reason, e->row_reason));
}

/* No word and no condition, of a rule file neither, makes Ready what the same status contradicts. */
static void obey_vetoes(struct evidence *e)
{
	const struct sign *bad;
	struct sign s;

	if (verdict_phase(e->v) != PHASE_READY)
		return;
	bad = trouble_in(e);
	if (is_excused(e, &e->denial) || is_of_nothing(e, &e->denial))
		e->denial.class = WORD_NONE;
	if (bad && !is_excused(e, bad)) {
		e->usable |= !e->runs_once;
		trouble(e, bad);
	} else if (e->counts_by_rows && e->replicas.ready < e->replicas.wanted && !e->runs_once) {
		s = (struct sign){ .class = WORD_BAD };
		s.rule = arena_printf(verdict_arena(e->v), "%d of %d ready", e->replicas.ready, e->replicas.wanted);
		veto(e, &s);
	} else if (generic_contradicts(e, &s) && !(s.member && is_over(e->row_word.len ? e->row_word : e->phase))) {
		veto(e, &s);
	}
}

/* Counts by their names, where those that most operators use are not there. */
static void named_counts(struct evidence *e)
{
	struct replicas *r = &e->replicas;

	if ((r->wanted < 0 || r->ready < 0) && generic_named_counts(e, &r->wanted, &r->ready))
		verdict_replicas(e->v, *r);
}

static bool achieved(struct evidence *e)
{
	const struct sign *bad;

	generic_achievements(e);
	if ((bad = best(e, WEAK, WORD_BAD)))
		trouble(e, bad);
	else if (e->achieved.class == WORD_OK && !e->knows_not)
		all_well(e, &e->achieved);
	else
		return false;
	return true;
}

static void conclude_from_status(struct evidence *e)
{
	struct verdict *v = e->v;
	struct str rule = STR_NONE;
	bool paused = pause_asked(v, e->rows, &rule);

	generic_handlers(e);
	if (!json_has(verdict_object(v), "status") && !paused && !e->handling && !generic_has_top_word(verdict_object(v)) &&
	    !generic_has_top_conditions(verdict_object(v))) {
		if (e->handled && reporting(v, e->rows) != REPORTING)
			conclude(e, &(struct sign){ .rule = STR("all handlers of its operator have ended") }, PHASE_READY, SEVERITY_NONE);
		else
			never_reconciled(v, e->rows);
		return;
	}
	if (has_only_defaults(v)) {
		never_reconciled(v, e->rows);
		return;
	}
	e->runs_once = rows_runs_once(e->rows) ? rows_runs_once(e->rows) > 0 : generic_runs_once(v);
	e->ignored = rows_ignored(v, e->rows);
	generic_conditions(e);
	generic_fields(e);
	named_counts(e);
	e->outdated |= !e->goal_is_current && observed_is_older(v);
	e->usable |= rows_serve(e->rows);
	e->paused = paused;
	if (paused) {
		pause_or_trouble(e, rule);
		return;
	}
	e->counts_by_rows = rows_counts(v, e->rows, &e->replicas.wanted, &e->replicas.ready);
	if (e->counts_by_rows)
		verdict_replicas(v, e->replicas);
	if (decide_by_rows(e) || decide(e))
		return;
	if (decide_by_parts(e) || decide_by_counts(e))
		return;
	if (!e->unread.word.len && rows_static(e->rows)) {
		no_status_to_have(v);
		return;
	}
	generic_deep_fields(e);
	generic_only_message(e);
	generic_error_sentences(e);
	generic_history(e);
	if (!e->any && generic_has_ended(json_at(verdict_object(v), "status")))
		generic_results(e);
	generic_assigned(e);
	if (runs_at_present(e))
		movement(e, e->unread.word.len ? &e->unread : &(struct sign){ .rule = STR("it has begun, and has not ended") });
	else if (e->unread.word.len || !(decide(e) || achieved(e)))
		nothing_recognised(e);
}

/* "phase: Pending" beside "repo: Failed", of an object that is older than it takes to make one. */
static void unmask_trouble(struct evidence *e)
{
	const struct sign *word = best(e, STRONG, WORD_PROGRESS);
	struct sign s;

	if (verdict_phase(e->v) != PHASE_PROVISIONING || !word || !word->phase || word->since || e->runs_once || e->moving_since ||
	    !is_grown(e) || !generic_contradicts(e, &s) || !s.phase || word_class(s.word) != WORD_BAD || str_eq(s.word, word->word))
		return;
	trouble(e, &s);
}

/* A part of what is rolled out has failed, while the state before it serves. */
static void unmask_failed_change(struct evidence *e)
{
	struct sign s;

	if (verdict_phase(e->v) == PHASE_UPDATING && e->ready && !e->runs_once && generic_contradicts(e, &s) && has_failed(&s))
		veto(e, &s);
}

/* The object is at its goal, and something beside it went wrong or may go wrong. */
static void warn(struct evidence *e)
{
	if (verdict_phase(e->v) != PHASE_READY || verdict_severity(e->v) != SEVERITY_NONE || e->runs_once)
		return;
	generic_cautions(e);
	if (e->caution.class == WORD_NONE || is_excused(e, &e->caution))
		return;
	verdict_set(e->v, PHASE_READY, SEVERITY_WARNING, e->caution.reason, e->caution.message);
	verdict_rule(e->v, e->caution.rule);
}

static void judge(struct evidence *e)
{
	conclude_from_status(e);
	unmask_trouble(e);
	unmask_failed_change(e);
	obey_vetoes(e);
	warn(e);
	/* "Ready=True" beside "phase: Pending" is about to be */
	if (verdict_phase(e->v) == PHASE_READY || (e->ready && verdict_phase(e->v) != PHASE_PROVISIONING))
		verdict_ever_ready(e->v);
}

/*
 * The object says itself that something else is not there or not ready: that is no failure of its own while it tries
 * again, and no pause unless somebody has asked for one.
 */
static void blame(struct evidence *e, bool told)
{
	struct verdict *v = e->v;
	/* a sentence in the field of a phase describes a state, and is not the name of an end */
	bool described = str_find(e->phase, ' ') < e->phase.len;

	if (verdict_phase(v) == PHASE_FAILED && told && described)
		verdict_set_severity(v, SEVERITY_WARNING);
	if (verdict_phase(v) == PHASE_FAILED && verdict_severity(v) == SEVERITY_WARNING && !e->refused)
		verdict_blames(v, told ? BLAME_TOLD : BLAME_NAMED);
	else if (verdict_phase(v) == PHASE_SUSPENDED && told && !e->paused)
		verdict_set_phase(v, PHASE_PROVISIONING, SEVERITY_WARNING);
}

static bool is_as_it_ought_to_be(const struct condition *c)
{
	/* it may be at work and say why it cannot go on */
	if (c->polarity == POLARITY_TRANSITIONAL || word_class(generic_last_part(c->type)) == WORD_PROGRESS)
		return str_is(c->status, "False");
	return str_is(c->status, c->polarity == POLARITY_NEGATIVE ? "False" : "True");
}

/*
 * The words that decided name nothing: other conditions that are not as they ought to be may name what is missing.  A
 * failure of the object itself stays one, because it may have another reason.
 */
static void other_complaints(struct evidence *e)
{
	enum { MOST = 8 };	/* messages that are read */
	size_t n = 0;

	for (size_t i = 0; n < MOST && i < verdict_condition_count(e->v); i++) {
		const struct condition *c = verdict_condition_at(e->v, i);

		if (is_as_it_ought_to_be(c) || str_eq(c->message, e->complaint) || c->message.len == 0)
			continue;
		n++;
		generic_mentions(e->v, STR_NONE, c->message);
	}
}

/* "the referenced resource is not synced yet. name:db": some operators write into the reason what others write into the message. */
static bool is_sentence(struct str reason)
{
	size_t blanks = 0;

	for (size_t i = 0; i < reason.len; i++)
		blanks += reason.ptr[i] == ' ';
	return blanks >= 3;
}

void generic_inspect(struct verdict *v, const struct kind_row *rows)
{
	bool told;

	struct evidence e = { .v = v, .rows = rows_for(v, rows), .replicas = REPLICAS_NONE };

	rows_refs(v, e.rows);
	judge(&e);
	generic_version(v);
	rows_version(v, e.rows);
	told = generic_refs(v, is_sentence(e.complaint_reason) ? e.complaint_reason : e.complaint);
	told |= generic_mentions(v, e.complaint_reason, e.complaint);
	if (is_sentence(e.complaint_reason))
		told |= generic_mentions(v, STR_NONE, e.complaint_reason);
	blame(&e, told);
	if (!told && verdict_phase(v) != PHASE_READY)
		other_complaints(&e);
	selector_is_mine(v);
	rows_after(v, e.rows);
}

void generic_decides(struct verdict *v, const char *what, struct str word)
{
	struct evidence e = { .v = v, .rows = rows_for(v, NULL), .replicas = REPLICAS_NONE };

	judge(&e);
	if (verdict_phase(v) == PHASE_READY)
		verdict_set_phase(v, PHASE_UNKNOWN, SEVERITY_WARNING);
	verdict_unknown_word(v, what, word);
}

static void inspect(struct verdict *v)
{
	generic_inspect(v, NULL);
}

const struct family family_generic = {
	.name = "generic",
	.title = "any resource",
	.inspect = inspect,
	.assess = generic_assess,
	.workloads_speak = true,
	.provisions_once = true,
};
