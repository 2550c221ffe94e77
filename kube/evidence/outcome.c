/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a row of the table decides, as a phase and a severity.  trouble() is the one place that says Failed or Degraded, and error
 * or warning; movement() the one that names the kind of movement; wait() the one that says Waiting, and for whom.
 */
#include "kube/evidence/evidence.h"
#include "kube/evidence/rules.h"
#include "kube/evidence/word_lists.h"

#include "kube/status/thresholds.h"

/* ---- trouble --------------------------------------------------------------------- */

/* "TLS must be enabled if ...": what the spec says contradicts itself, or is not possible. */
static bool is_about_the_spec(struct str message)
{
	return str_contains_any_nocase(message, list_about_the_spec) && !phrase_lacks(message);
}

/* Trouble that only a person can end, by the words that operators use for it. */
static bool is_final(const struct fact *t)
{
	if (t->level != SEVERITY_NONE)
		return t->level == SEVERITY_ERROR;
	/* what does not exist may come to be */
	if (phrase_lacks(t->message))
		return false;
	return phrase_has(t->reason, list_final) || phrase_has(facts_last_part(t->word), list_final) || str_contains_any_nocase(t->reason, list_final_reasons) ||
	       is_about_the_spec(t->message);
}

/* Words for "it serves, but not as promised". */
static bool is_partial(const struct fact *t)
{
	/* a condition of the category "Warn" */
	if ((t->flags & BY_DEFAULT) && t->level == SEVERITY_WARNING)
		return true;
	return str_contains_nocase(t->message, "not all ") || phrase_has(t->word, list_partial) ||
	       phrase_has(t->reason, list_partial) || str_contains_any_nocase(t->word, list_partial_drift) || str_contains_any_nocase(t->reason, list_partial_drift);
}

/* An operator stays in a phase of the whole, while conditions and parts are tried again: "phase: Failed" is an end. */
static bool is_final_phase(const struct facts *f, const struct fact *t)
{
	bool beside = t->of == FACT_WORD && f->phase.len && !str_eq(t->word, f->phase) && word_class(f->phase) == WORD_OK;

	return t->level == SEVERITY_NONE && t->of != FACT_CONDITION && t->about != ABOUT_PART && !beside && phrase_has(t->word, "fail*") && !is_partial(t) &&
	       !(t->of == FACT_WORD && phrase_lacks(t->message));
}

/*
 * A run that has failed is over, and nobody tries it again unless its message says so; "phase: Failed" of a run counts more than
 * "Completed=True" beside it, which says only that it is over.
 */
static bool is_failed_run(struct facts *f, const struct fact *t, bool own_word)
{
	if (own_word && !is_partial(t))
		return true;
	if (t->of != FACT_CONDITION || (t->flags & BY_DEFAULT))
		return false;
	return (phrase_has(facts_last_part(t->word), list_failed_run) && !phrase_has(t->message, "retry* retries retried")) ||
	       (facts_is(f, ENDED) && phrase_has(t->reason, "fail*"));
}

bool outcome_is_good_word(struct facts *f)
{
	const struct fact *word = facts_best(f, FACT_ANYTHING, ABOUT_WHOLE, WORD_OK);

	return word && word->of == FACT_WORD && !(f->is & RUNS_ONCE) && !str_ends(word->word, "ed");
}

/* All conditions are those of parts: one for each parent, each listener. */
static bool is_told_by_entries(const struct facts *f)
{
	return json_count(json_at(verdict_object(f->v), "status.conditions")) == 0;
}

/* "phase: Rejected" beside "Degraded=True": the operator's own word says that it does not serve. */
static bool is_called_bad(const struct facts *f)
{
	return word_class(f->phase) == WORD_BAD && !phrase_has(f->phase, list_partial);
}

/* The object, or a part of it, serves while there is this trouble. */
static bool serves(struct facts *f, const struct fact *t, bool own_word)
{
	bool whole_is_well = facts_best(f, FACT_ANYTHING, ABOUT_WHOLE, WORD_OK);
	bool something_is_well = whole_is_well || facts_best(f, FACT_ANYTHING, ABOUT_PART | ABOUT_DETAIL, WORD_OK);
	bool attempt = t->of == FACT_CONDITION && !(t->flags & (LOST | UNDECIDED));

	if (t->flags & OF_EVERY)
		return f->is & IS_AT_GOAL;
	if ((f->is & IS_USABLE) || ((f->is & PART_IS_USABLE) && (t->about != ABOUT_WHOLE || is_told_by_entries(f))) || (t->about == ABOUT_PART && something_is_well))
		return true;
	if (t->of != FACT_CONDITION && !own_word && !(f->is & RUNS_ONCE) && whole_is_well)
		return true;
	if (being_serves(f) || (is_partial(t) && !facts_is(f, NEVER_USABLE) && !is_called_bad(f)) || being_lost_part(f, t))
		return true;
	/* "Recoverable=True" beside "state: Active": what is tried again is a change */
	return attempt && outcome_is_good_word(f) && !facts_is(f, NEVER_USABLE) && facts_is(f, IS_GROWN);
}

/* Some of it is there, and what is there serves: numbers, members and what has lasted too long are never all of it. */
static bool is_a_lack(const struct facts *f, const struct fact *t)
{
	if (t->about == ABOUT_NUMBERS)
		return f->replicas.ready > 0 || facts_best(f, FACT_ANYTHING, ABOUT_WHOLE | ABOUT_DETAIL, WORD_OK);
	return t->about == ABOUT_MEMBER || t->says == WORD_PROGRESS;
}

static bool never_worked(struct facts *f, const struct fact *t)
{
	return being_never_reconciled(f) || ((t->flags & IN_DETAIL) && being_never_at_goal(f) && being_is_down(f));
}

/* "phase: Failed", or "result: failed" of a run that is called over. */
static bool is_own_word(const struct facts *f, const struct fact *t)
{
	if (t->of != FACT_WORD)
		return false;
	return (f->phase.len && str_eq(t->word, f->phase)) || ((f->is & RUNS_ONCE) && str_is_any_nocase(json_key(t->at), list_outcomes) && phrase_has(t->word, "fail* error*"));
}

static void trouble(struct facts *f, const struct fact *t)
{
	bool own_word = is_own_word(f, t);
	bool failed_run = (f->is & RUNS_ONCE) && is_failed_run(f, t, own_word);
	bool ended = (f->is & (RUNS_ONCE | IS_HANDLED)) && own_word && !is_partial(t);
	bool final = is_final(t) || is_final_phase(f, t) || failed_run || ended || (f->is & IS_GIVEN_UP);
	enum phase phase = !failed_run && serves(f, t, own_word) ? PHASE_DEGRADED : PHASE_FAILED;

	/* a rules file says what it is, of an object that was usable at some time */
	if (t->about == ABOUT_RULED && t->says == WORD_BAD) {
		verdict_set_phase(f->v, t->phase == PHASE_DEGRADED && never_worked(f, t) ? PHASE_FAILED : t->phase, t->level);
		return;
	}
	if (t->about == ABOUT_NUMBERS || t->about == ABOUT_MEMBER || t->says == WORD_PROGRESS) {
		phase = is_a_lack(f, t) ? PHASE_DEGRADED : PHASE_FAILED;
		final = false;
	}
	verdict_set_phase(f->v, phase, final ? SEVERITY_ERROR : SEVERITY_WARNING);
	if ((f->is & RUNS_ONCE) && final)
		verdict_complete(f->v);
	if (f->is & LAGS)
		verdict_stale(f->v);
}

/* ---- movement -------------------------------------------------------------------- */

/* The kind of movement, by its words. */
static const struct {
	const char *words;
	enum phase phase;
} movements[] = {
	{ "terminating deleting destroying uninstalling", PHASE_DELETING },
	{ "scal* upscal* downscal* rescal* autoscal* scaleup scaledown resiz* expand*", PHASE_SCALING },
	{ "maint* backing repair* compact*", PHASE_MAINTENANCE },
	{ "upgrad* updat* rolling rollout* migrat* restart* reconfigur* modify* patching failover* switchover* relocating", PHASE_UPDATING },
	/* what goes to sleep was there before */
	{ "stopping pausing suspending hibernating shutting", PHASE_UPDATING },
};

/* Returns true for "DELETE_IN_PROGRESS". */
static bool is_deletion(struct str telling)
{
	return str_contains_nocase(telling, "delete_in") || str_contains_nocase(telling, "deletein");
}

/* The first word of a name in CamelCase: "NamespaceTerminating" is about another object. */
static bool begins_with_deletion(struct str telling)
{
	size_t end = 0;

	while (end < telling.len && (end == 0 || !(telling.ptr[end] >= 'A' && telling.ptr[end] <= 'Z')))
		end++;
	return is_deletion(telling) || phrase_has(str_head(telling, end), movements[0].words);
}

static enum phase movement_in(struct str telling, bool condition)
{
	for (size_t i = 0; i < sizeof(movements) / sizeof(movements[0]); i++)
		if ((phrase_has(telling, movements[i].words) || (i == 0 && is_deletion(telling))) &&
		    (movements[i].phase != PHASE_DELETING || !condition || begins_with_deletion(telling)))
			return movements[i].phase;
	return PHASE_UNKNOWN;
}

enum phase outcome_movement_named(const struct fact *t)
{
	bool condition = t->of == FACT_CONDITION, has_reason = condition && t->reason.len;
	enum phase phase;

	if (t->about == ABOUT_MEMBER)
		return condition ? movement_in(t->reason, true) : t->of == FACT_WORD ? movement_in(t->word, false) : PHASE_UNKNOWN;
	phase = movement_in(has_reason ? t->reason : t->word, condition);
	/* the type may itself be movement */
	if (phase == PHASE_UNKNOWN && has_reason && word_class(t->word) == WORD_PROGRESS)
		phase = movement_in(t->word, true);
	return phase;
}

/* It began with the object, and the object became ready since: that is the end of the first time, and no change. */
static bool is_of_the_beginning(struct facts *f, const struct fact *t)
{
	const struct condition *ready = verdict_condition(f->v, "Ready");

	return t->of == FACT_CONDITION && t->since && condition_is(ready, "True") && t->since < ready->since &&
	       t->since < verdict_created(f->v) + thresholds.young;
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
static bool is_after_an_edit(struct facts *f, const struct fact *t)
{
	return t->of == FACT_WORD && !t->since && !(f->is & (RUNS_ONCE | LAGS)) && verdict_generation(f->v) > 1 && phrase_has(t->word, list_after_an_edit) &&
	       f->moving_since == 0 && !facts_is(f, NEVER_USABLE) && facts_is(f, IS_GROWN);
}

/* "ready: true", in a field of its own. */
static bool is_called_ready(struct facts *f)
{
	const struct fact *well = facts_best(f, FACT_ANYTHING, ABOUT_WHOLE, WORD_OK);

	return well && well->of == FACT_TRUTH && !(f->is & RUNS_ONCE);
}

/* "Performing scaling operation, currentMembers=4, desiredMembers=5" */
bool outcome_tells_scaling(struct str message)
{
	return phrase_has(message, "scaling upscaling downscaling rescaling") && !being_tells_error(message);
}

bool outcome_is_partly_there(struct facts *f)
{
	const struct replicas *r = &f->replicas;

	return r->ready > 0 && r->ready < r->wanted && !(r->updated >= 0 && r->updated < r->wanted) && !(f->is & RUNS_ONCE) && !f->moving_since &&
	       !being_ran_another_version(f->v);
}

static enum phase movement_of(struct facts *f, const struct fact *t)
{
	enum phase phase = outcome_movement_named(t);

	/* from nothing to what is wanted, for the first time */
	if (phase == PHASE_SCALING && f->replicas.wanted > 0 && f->replicas.ready <= 0 && being_never_at_goal(f))
		return PHASE_PROVISIONING;
	if (phase == PHASE_SCALING && rolls_out(f->v))
		return PHASE_UPDATING;
	/* "Updating", of what was made a moment ago: it gets its first state */
	if (phase == PHASE_UPDATING && t->of == FACT_WORD && !(f->is & RUNS_ONCE) && verdict_generation(f->v) <= 1 && facts_is(f, IS_FRESH))
		return PHASE_PROVISIONING;
	if (phase != PHASE_UNKNOWN)
		return phase;
	if (t->of == FACT_WORD && outcome_tells_scaling(t->message) && facts_is(f, IS_GROWN))
		return PHASE_SCALING;
	/* a new database may be made from a backup */
	if (!(f->is & RUNS_ONCE) && phrase_has(t->of == FACT_CONDITION ? t->reason : t->word, "restoring") && facts_is(f, IS_GROWN))
		return PHASE_MAINTENANCE;
	/* "phase: Running" beside a condition that is False, of an object that has existed for long */
	if (outcome_is_good_word(f) && facts_is(f, IS_GROWN) && !facts_is(f, NEVER_USABLE))
		return PHASE_UPDATING;
	if (is_after_an_edit(f, t) || (is_called_ready(f) && facts_is(f, IS_GROWN)))
		return PHASE_UPDATING;
	/* "Creating", of what was made long ago and runs */
	if (facts_is(f, HAS_SOME) && !(f->is & RUNS_ONCE) && facts_is(f, IS_GROWN))
		return PHASE_UPDATING;
	/* "ProxyReady=False, reason DeploymentNotReady" of what was made long ago: the reason names nothing in progress */
	return (facts_is(f, WAS_USABLE) || (being_lost_part(f, t) && !phrase_moves(t->reason))) && !is_of_the_beginning(f, t) ? PHASE_UPDATING :
																 PHASE_PROVISIONING;
}

/* "InProgress" of what was just made, and was never changed, is its first task. */
static bool is_first_task(struct facts *f, struct str word)
{
	int64_t created = verdict_created(f->v);

	return created && verdict_generation(f->v) <= 1 && !facts_is(f, WAS_USABLE) && movement_in(word, false) == PHASE_UNKNOWN &&
	       !verdict_past(f->v, created + thresholds.pod_start_grace);
}

/* A rules file names the movement; an object that was never ready is made, and one that was ready before is not made again. */
static enum phase movement_of_file(struct facts *f, const struct fact *t)
{
	bool word = t->of == FACT_WORD, own = word && t->word.len && str_eq(t->word, f->phase) && !(f->is & RUNS_ONCE) && verdict_created(f->v);
	enum phase phase = t->phase;

	if (phase == PHASE_PROVISIONING && (t->flags & IN_DETAIL) && facts_is(f, WAS_USABLE))
		phase = PHASE_UPDATING;
	if ((phase == PHASE_UPDATING || phase == PHASE_SCALING) && being_never_at_goal(f))
		phase = PHASE_PROVISIONING;
	if (phase == PHASE_UPDATING && word && is_first_task(f, t->word))
		phase = PHASE_PROVISIONING;
	if (phase == PHASE_PROVISIONING && word && !(f->is & RUNS_ONCE) && being_ran_another_version(f->v))
		phase = PHASE_UPDATING;
	/* the word tells of a beginning, and the object is older than that */
	if (phase == PHASE_PROVISIONING && own && facts_is(f, IS_GROWN) && outcome_tells_scaling(t->message))
		phase = PHASE_SCALING;
	return phase;
}

/* An error that is told beside the operator's word is tried again: then it explains, and is a warning. */
static const struct fact *told_beside(struct facts *f, const struct fact *t)
{
	const struct fact *told = t->of == FACT_WORD ? facts_best_with(f, ABOUT_WHOLE, WORD_BAD, BY_MESSAGE | SILENCED) : NULL;

	return told && (being_tells_error(told->message) || !t->message.len) ? told : NULL;
}

static const struct fact *retried_beside(struct facts *f, const struct fact *t)
{
	if (t->of != FACT_WORD || t->level != SEVERITY_NONE || t->message.len)
		return NULL;
	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].of == FACT_CONDITION && f->all[i].says == WORD_PROGRESS && f->all[i].level == SEVERITY_WARNING && f->all[i].message.len)
			return &f->all[i];
	return NULL;
}

/* ---- waiting --------------------------------------------------------------------- */

static bool begins_nocase(struct str s, const char *prefix)
{
	struct str p = str_of(prefix);

	return s.len >= p.len && str_eq_nocase(str_head(s, p.len), p);
}

/* As a word of its own: a DatabaseUser is no person. */
static bool names_a_person(struct str message)
{
	struct str word;

	while (str_split(&message, ' ', &word))
		if (str_is_any_nocase(word, list_person) || str_starts(word, "manual"))
			return true;
	return false;
}

/* "Waiting for user to clean up", "new revision, waiting for approval". */
static bool asks_a_person(struct str message)
{
	if (begins_nocase(message, "waiting ") && names_a_person(message))
		return true;
	return str_contains_any_nocase(message, list_asks_a_person);
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
static bool wants_approval(const struct fact *t)
{
	struct str telling = t->of != FACT_CONDITION ? t->word : t->reason.len ? t->reason : t->message;

	return str_contains_nocase(telling, "approval") || str_contains_nocase(telling, "awaitingapprove") ||
	       phrase_has(facts_last_part(t->word), "proposal");
}

/* One of the conditions says that somebody has approved it. */
static bool is_approved(struct json conditions)
{
	json_foreach(c, conditions)
		if (str_contains_nocase(json_str(c, "type"), "approved") && str_is(json_str(c, "status"), "True"))
			return true;
	return false;
}

/* Returns "web-2" of "approvalRequestName: web-2", which nobody has approved; "": nothing of the kind is there. */
static struct str approval_below(struct json at, int depth, int *left)
{
	struct str found = STR_NONE;

	json_foreach(field, at)
	{
		if (--*left < 0 || found.len)
			return found;
		if (json_str(field, "").len && str_is_any_nocase(json_key(field), list_approval_below) && !is_approved(json_member(at, STR("conditions"))))
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

/* Waiting is what is made, where it says that it waits for others or for a person. */
static void wait(struct facts *f, const struct fact *t, struct ruling *r)
{
	enum severity severity = verdict_severity(f->v);
	struct str message = r->message, approval = STR_NONE;

	if (verdict_phase(f->v) == PHASE_PROVISIONING && evidence_awaits(t->of == FACT_CONDITION ? t->reason : t->word, message) != AWAITED_NOTHING)
		verdict_set_phase(f->v, PHASE_WAITING, severity);
	if (!wants_approval(t) && !waits_for_a_person(f->v, &message) &&
	    !(phrase_has(t->reason, "waiting awaiting waits") && (approval = approval_asked(f->v)).len))
		return;
	verdict_set(f->v, PHASE_WAITING, severity, r->reason, message);
	verdict_waits_external(f->v, (struct external_wait){ .state = WAIT_APPROVAL,
							     .kind = STR("Approval"),
							     .name = approval.len ? approval : verdict_name(f->v),
							     .via = STR("status"),
							     .message = message });
}

static void movement(struct facts *f, struct ruling *r)
{
	const struct fact *t = r->fact, *told = told_beside(f, t), *retried = told ? NULL : retried_beside(f, t);
	enum severity severity = t->level != SEVERITY_NONE ? t->level : SEVERITY_INFO;

	if (t->about == ABOUT_RULED) {
		verdict_set_phase(f->v, movement_of_file(f, t), t->level);
		return;
	}
	if (t->says == WORD_BAD && (t->about & ABOUT_SELF)) {
		/* the first attempt goes on; an error that is told already is tried again */
		verdict_set_phase(f->v, movement_of(f, t),
				  being_tells_error(t->message) || (t->flags & UNDECIDED) ? SEVERITY_WARNING : SEVERITY_INFO);
		return;
	}
	/* its word is good, and its numbers are not, without any change */
	if (t->about == ABOUT_NUMBERS && t->says == WORD_BAD && facts_best(f, FACT_WORD, ABOUT_WHOLE, WORD_OK) && !(f->is & IS_MOVING))
		verdict_contradicted(f->v);
	if (t->about == ABOUT_NUMBERS && f->replicas.ready >= f->replicas.wanted)
		f->is |= IS_AT_GOAL; /* all serve, some of them with the old state */
	if (told && being_tells_error(told->message))
		severity = SEVERITY_WARNING;
	if (retried) {
		severity = SEVERITY_WARNING;
		r->reason = r->reason.len ? r->reason : retried->reason;
	}
	if (told || retried)
		r->message = (told ? told : retried)->message;
	verdict_set(f->v, t->about == ABOUT_NUMBERS && !(t->flags & FAINT) ? t->phase : movement_of(f, t), severity, r->reason, r->message);
	wait(f, t, r);
}

/* Something in the same status says that the object is not ready, and it is new, or a change goes on. */
static void movement_of_members(struct facts *f, const struct fact *t)
{
	bool fresh = facts_is(f, IS_FRESH);
	enum phase named = outcome_movement_named(t);

	if (t->of == FACT_SPEC)
		named = PHASE_UPDATING;
	else if (fresh)
		named = PHASE_PROVISIONING;
	verdict_set_phase(f->v, named != PHASE_UNKNOWN ? named : PHASE_UPDATING, SEVERITY_INFO);
}

/* ---- the verdict ------------------------------------------------------------------ */

static void paused(struct facts *f, const struct fact *t)
{
	const struct fact *pause = facts_best(f, FACT_PAUSE, ABOUT_WHOLE, WORD_SUSPENDED);
	bool asleep = t->flags & AS_ASKED;

	/* what asks for the pause was refused with it: "ValidationFailed" */
	if (t->says == WORD_BAD && t->of == FACT_WORD && phrase_has(t->word, "validation invalid")) {
		trouble(f, t);
		return;
	}
	/* a paused controller does not update the status */
	verdict_set_phase(f->v, PHASE_SUSPENDED, t->says == WORD_BAD ? SEVERITY_WARNING : asleep ? SEVERITY_NONE : SEVERITY_INFO);
	if (pause)
		verdict_rule(f->v, pause->where);
	if (t->about == ABOUT_NUMBERS)
		verdict_rule(f->v, STR("the partition of the strategy holds the rest back"));
}

static void unknown(struct facts *f, const struct fact *t)
{
	struct verdict *v = f->v;
	int64_t created = verdict_created(v);
	bool unread = t->flags & UNREAD;
	/* a run that is over says nothing more of how it went */
	bool over = (f->is & RUNS_ONCE) && unread && facts_is(f, ENDED);
	bool young = !over && (!created || facts_is(f, IS_YOUNG));

	verdict_set_phase(v, PHASE_UNKNOWN, young ? SEVERITY_NONE : SEVERITY_WARNING);
	verdict_word(v, f->phase);
	if (!unread)
		verdict_rule(v, STR("nothing in the status that we can read"));
	/* its controller has begun, and has said nothing of its state yet */
	if (young && created && !unread) {
		verdict_set_phase(v, PHASE_PROVISIONING, SEVERITY_INFO);
		verdict_since(v, created);
	}
}

static void ready(struct facts *f, const struct ruling *r)
{
	const struct fact *t = r->fact;
	bool but = r->rule->then == OUTCOME_READY_BUT;

	if (!t->of && !(f->is & IS_SILENT)) {
		silence_static(f->v);
		return;
	}
	if (but)
		verdict_set(f->v, PHASE_READY, SEVERITY_WARNING, t->reason, t->message);
	else
		verdict_set_phase(f->v, PHASE_READY, t->about == ABOUT_RULED ? t->level : SEVERITY_NONE);
	if (f->is & RUNS_ONCE)
		verdict_complete(f->v);
}

/* The operator's own word for the state. */
static struct str word_of(const struct facts *f, const struct fact *t)
{
	return f->phase.len ? f->phase : t->of == FACT_WORD ? t->word : t->reason;
}

/* A word or a number has no time: where the object says that it is not ready, that tells since when. */
static void date_by_its_goal(struct facts *f)
{
	enum phase phase = verdict_phase(f->v);
	int64_t lost = being_lost_at(f);

	if ((phase_is_bad(phase) || (phase_under_way(phase) && phase != PHASE_PROVISIONING)) && !(f->is & (LAGS | RUNS_ONCE)) &&
	    lost > verdict_created(f->v))
		verdict_since(f->v, lost);
}

void outcome_conclude(struct facts *f, struct ruling *r)
{
	const struct fact *t = r->fact, *said = r->rule->then == OUTCOME_READY_BUT ? r->ready : t;
	struct verdict *v = f->v;
	bool against = r->rule->against && r->rule->then != OUTCOME_READY_BUT;

	r->reason = t->reason;
	r->message = t->about == ABOUT_RULED || against ? t->message : verdict_pointed_at(v, t->message);
	verdict_set(v, PHASE_UNKNOWN, SEVERITY_NONE, r->reason, r->message);
	verdict_since(v, said->since);
	verdict_rule(v, t->where);
	if (!against || t->reason.len)
		verdict_word(v, word_of(f, said));
	else
		verdict_word(v, word_of(f, r->ready));
	switch (r->rule->then) {
	case OUTCOME_TROUBLE: trouble(f, t); break;
	case OUTCOME_MOVEMENT:
		if (against)
			movement_of_members(f, t);
		else
			movement(f, r);
		break;
	case OUTCOME_PAUSE: paused(f, t); break;
	case OUTCOME_READY:
	case OUTCOME_READY_BUT: ready(f, r); break;
	case OUTCOME_SILENCE: silence_conclude(f); break;
	case OUTCOME_UNKNOWN: unknown(f, t); break;
	case OUTCOME_DELETION:
	case OUTCOME_WAIT: break;
	case OUTCOME_AS_RULED:
		if (t->says == WORD_BAD || (t->flags & OVERDUE))
			trouble(f, t);
		else if (t->says == WORD_PROGRESS)
			movement(f, r);
		else
			verdict_set_phase(v, t->phase, t->level);
		break;
	}
	if (!said->since)
		date_by_its_goal(f);
	if (against && !(r->rule->then == OUTCOME_MOVEMENT && ((f->is & IS_MOVING) || (t->flags & MOVES))))
		verdict_contradicted(v);
	if (verdict_phase(v) == PHASE_READY)
		r->reason = r->message = STR_NONE;
}

/* Its own words name an object that does not exist. */
static bool names_what_is_missing(const struct verdict *v)
{
	const struct ref *ref;

	for (size_t i = 0; (ref = verdict_ref_at(v, i)); i++)
		if ((ref->flags & REF_NAMED) && (ref->flags & REF_REPORTED_MISSING))
			return true;
	return false;
}

/*
 * The object says itself that something else is not there or not ready: that is no failure of its own while it tries
 * again, and no pause unless somebody has asked for one.
 */
void outcome_blame(struct facts *f, const struct ruling *r, bool told)
{
	struct verdict *v = f->v;
	/* a sentence in the field of a phase describes a state, and is not the name of an end */
	bool described = str_find(f->phase, ' ') < f->phase.len;
	/* whatever the reason is called: the spec that refers to it is as it ought to be once it is there */
	bool missing = told && r->fact->about != ABOUT_RULED && !(f->is & (RUNS_ONCE | IS_GIVEN_UP)) && names_what_is_missing(v);

	if (verdict_phase(v) == PHASE_FAILED && told && (described || missing))
		verdict_set_phase(v, PHASE_FAILED, SEVERITY_WARNING);
	if (verdict_phase(v) == PHASE_FAILED && verdict_severity(v) == SEVERITY_WARNING)
		verdict_blames(v, told ? BLAME_TOLD : evidence_could_not_get(r->message) ? BLAME_UNNAMED : BLAME_NAMED);
	else if (verdict_phase(v) == PHASE_SUSPENDED && told && !(f->is & IS_PAUSED))
		verdict_set_phase(v, PHASE_PROVISIONING, SEVERITY_WARNING);
}
