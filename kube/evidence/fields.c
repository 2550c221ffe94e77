/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields in the status of an unknown kind say: words of phases, and errors. */
#include "kube/evidence/fact.h"
#include "kube/evidence/field_name.h"
#include "kube/evidence/word_lists.h"

#include <string.h>

enum {
	DEPTH = 3,	    /* levels below the status that are read when no field nearer to it says anything */
	SHORT_TEXT = 40,    /* bytes; a longer text in a field for errors is an error */
	MAX_PART_WORD = 60  /* bytes; a longer text is no word for a state */
};

/* ---- phase words --------------------------------------------------------- */

/* Returns what the word in the field key says. */
static enum word_class phase_class(const struct facts *f, struct str key, struct str word)
{
	enum word_class class = word_class(word);

	if ((f->is & RUNS_ONCE) && str_eq_nocase(word, STR("skipped")))
		return WORD_OK;
	/* a session that is ready runs, and is no run that has to end */
	if (class == WORD_OK && (f->is & RUNS_ONCE) && being_lasts(word) && !condition_is(verdict_condition(f->v, "Ready"), "True"))
		return WORD_PROGRESS;
	/* "ImportScheduled" and "Queued" are steps that others have to make */
	if (class == WORD_OK && str_ends_any_nocase(word, list_promises))
		return WORD_PROGRESS;
	/* "buildStatus: running": what others do for it has not come to its end */
	if (class == WORD_OK && str_starts_any(key, list_done_for_it) && phrase_has(word, "running active"))
		return WORD_PROGRESS;
	return class;
}

/* "Created" says of what runs pods that it was made, and not that it works. */
static bool is_only_made(const struct facts *f, struct str word)
{
	return str_eq_nocase(word, STR("created")) && being_asks_for_replicas(f->v, 0);
}

/* The last time that an entry of a history tells; 0: none. */
static int64_t time_of_run(struct json run)
{
	int64_t last = 0;

	json_foreach(field, run)
		if (json_str(field, "").len && json_time(field, "") > last)
			last = json_time(field, "");
	return last;
}

/*
 * "ResourceReleased" says that somebody has cleaned up, and not how it ended: that does the state before it in the history
 * of states.
 */
static struct json before_cleaning(struct facts *f, struct json field)
{
	struct json last = JSON_NONE;

	json_foreach(history, json_at(verdict_object(f->v), "status"))
	{
		if (!str_contains_nocase(json_key(history), "history"))
			continue;
		json_foreach(entry, history)
		{
			struct str word = json_str(json_member(entry, json_key(field)), "");

			if (word.len && !str_eq(word, json_str(field, "")) && (!last.node || time_of_run(entry) >= time_of_run(last)))
				last = entry;
		}
	}
	return last;
}

/* Judges a word in a field of owner, which is the status or a part of it. */
static void word_fact(struct facts *f, enum fact_about about, struct json field,
		      struct json owner)
{
	struct str word = json_str(field, ""), key = json_key(field);
	bool strong = about == ABOUT_WHOLE;
	struct fact fact = {
		.of = FACT_WORD,
		.about = about,
		.says = phase_class(f, key, word),
		/* another word tells why some of it is there only once */
		.weight = strong ? 45 - str_eq_nocase(word, STR("yellow")) : 5,
		.flags = !strong && str_contains_nocase(word, "missing") ? BY_DEFAULT : 0,
		.word = word,
	};
	bool unread = fact.says == WORD_NONE && strong;
	struct json before = fact.says == WORD_OK && strong && phrase_has(word, "released cleaned archived") ? before_cleaning(f, field) : JSON_NONE;

	f->is |= HAS_SPOKEN;
	if (strong && is_only_made(f, word)) {
		strong = unread = false;
		fact.about = ABOUT_DETAIL;
		fact.says = WORD_PROGRESS;
	}
	if (unread)
		fact.flags |= UNREAD;
	/* what is in progress explains that the object is not ready yet */
	if (fact.says == WORD_PROGRESS && strong) {
		f->is |= IS_MOVING;
		fact.flags |= IS_CHANGE;
	}
	/* finding the words around it takes time, and there may be thousands of fields */
	if (!facts_want(f, &fact))
		return;
	if (word_class(json_str(json_member(before, key), "")) == WORD_BAD) {
		fact.says = WORD_BAD;
		fact.word = word = json_str(json_member(before, key), "");
		owner = before;
	}
	fact.reason = facts_reason(owner);
	fact.message = facts_explanation(owner);
	fact.since = json_time(owner, "lastTransitionTime");
	fact.at = field;
	fact.where = facts_where_word(verdict_arena(f->v), key, word, "");
	facts_add(f, fact);
}

/* "certificateStatus" of a ManagedCertificate is about the object: a part of its name is the kind's. */
static bool is_named_after(struct str key, struct str kind)
{
	for (const char *const *w = list_member_words; *w; w++) {
		size_t n = strlen(*w);

		if (key.len > n + 2 && str_eq_nocase(str_from(key, key.len - n), str_of(*w)))
			for (size_t at = 0; at + key.len - n <= kind.len; at++)
				if (str_eq_nocase(str_head(str_from(kind, at), key.len - n),
						  str_head(key, key.len - n)))
					return true;
	}
	return false;
}

/* Returns "cluster" for an InnoDBCluster. */
static bool is_part_of_name(struct str key, struct str kind)
{
	return key.len > 3 && key.len < kind.len &&
	       str_eq_nocase(str_from(kind, kind.len - key.len), key);
}

/* Reads "2/3" of readyMembers, a count as text. */
static bool share_sign(struct facts *f, struct json field)
{
	struct str text = json_str(field, ""), rest = text, part, whole;
	struct fact fact = { .of = FACT_COUNT, .about = ABOUT_DETAIL, .weight = 2, .word = json_key(field) };
	int64_t there, wanted;

	if (!str_contains_nocase(json_key(field), "ready") &&
	    !str_contains_nocase(json_key(field), "replicas") &&
	    !str_contains_nocase(json_key(field), "available"))
		return false;
	if (!str_split(&rest, '/', &part) || !str_split(&rest, '/', &whole) ||
	    !str_to_int(part, &there) || !str_to_int(whole, &wanted))
		return false;
	f->is |= HAS_SPOKEN;
	if (f->share.wanted < wanted && wanted < INT32_MAX && there >= 0) {
		f->share.wanted = (int)wanted;
		f->share.ready = (int)there;
	}
	if (there < wanted)
		return true;
	fact.says = WORD_OK;
	fact.where = facts_where_word(verdict_arena(f->v), fact.word, text, "");
	facts_add(f, fact);
	return true;
}

/* "stageStatus: success" is said of the stage that another field names, and not of the whole. */
static bool step_ended(struct facts *f, struct json field)
{
	struct fact fact = { .of = FACT_WORD, .about = ABOUT_STEP, .says = WORD_PROGRESS, .word = json_str(field, "") };

	if (!str_is_any_nocase(json_key(field), list_step_ended) || word_class(fact.word) != WORD_OK)
		return false;
	fact.where = ARENA_JOIN(verdict_arena(f->v), STR("field "), json_key(field));
	facts_add(f, fact);
	return true;
}

static bool is_change(struct str key)
{
	return str_starts(key, "last") && phrase_has(key, "update* upgrade* reconcil* sync* appl* deploy* rollout* modif* configur*");
}

/* "lastUpdateStatus": the last change of the object itself, and not of a run that it starts. */
static bool is_last_change(struct str key)
{
	return str_ends_any_nocase(key, list_last_change) && is_change(key);
}

/* The last change has failed, while what was there before it is as it was. */
static void last_change(struct facts *f, struct json field, struct json status)
{
	struct str key = json_key(field), word = json_str(field, "");
	struct fact fact = { .of = FACT_WORD, .about = ABOUT_PART, .says = word_class(word), .weight = 6, .word = word };

	f->is |= HAS_SPOKEN;
	if (fact.says != WORD_BAD || !facts_want(f, &fact))
		return;
	fact.reason = json_str(json_member(status, ARENA_JOIN(verdict_arena(f->v), key, STR("ReasonCode"))), "");
	fact.message = json_str(json_member(status, ARENA_JOIN(verdict_arena(f->v), key, STR("Reason"))), "");
	if (!fact.message.len)
		fact.message = json_str(json_member(status, ARENA_JOIN(verdict_arena(f->v), key, STR("Message"))), "");
	if (!fact.message.len && is_change(json_key(status)))
		fact.message = facts_explanation(status);
	fact.where = facts_where_word(verdict_arena(f->v), key, word, "");
	facts_add(f, fact);
}

/* Reads lastUpgrade: {state: Failed, message: ...}. */
static void last_change_in(struct facts *f, struct json map)
{
	for (const char *const *name = list_last_change; *name; name++)
		if (json_str(map, *name).len && is_change(json_key(map)))
			last_change(f, json_member(map, str_of(*name)), map);
}

static void top_word(struct facts *f, struct json field, struct json status)
{
	struct str key = json_key(field);

	if (share_sign(f, field) || step_ended(f, field))
		return;
	if (str_is_any_nocase(key, list_summaries) || is_named_after(key, verdict_kind(f->v)->kind)) {
		if (f->phase.len == 0)
			f->phase = json_str(field, "");
		word_fact(f, ABOUT_WHOLE, field, status);
	} else if (str_is_any_nocase(key, list_outcomes) && word_class(json_str(field, "")) == WORD_BAD) {
		/* "phase: Done" beside it says only that it has ended */
		word_fact(f, ABOUT_WHOLE, field, status);
	} else if (str_ends_any_nocase(key, list_suffixes) && !field_names_past(key)) {
		if (str_eq_nocase(json_str(field, ""), STR("unknown")))
			f->is |= KNOWS_NOT;
		word_fact(f, ABOUT_DETAIL, field, status);
	} else if (is_last_change(key)) {
		last_change(f, field, status);
	}
}

/* ---- errors -------------------------------------------------------------- */

static const struct error_row {
	const char *field;
	enum fact_about about;
	enum severity level;
} errors[] = {
	/* in Cluster API both fields are terminal by definition */
	{ "failureMessage", ABOUT_WHOLE, SEVERITY_ERROR },
	{ "failureReason", ABOUT_WHOLE, SEVERITY_ERROR },
	{ "error", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errors", ABOUT_DETAIL, SEVERITY_NONE },
	{ "problems", ABOUT_DETAIL, SEVERITY_NONE },
	{ "validationErrors", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errorMessage", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errorReason", ABOUT_DETAIL, SEVERITY_NONE },
	{ "lastError", ABOUT_DETAIL, SEVERITY_NONE },
	{ "reconcileError", ABOUT_DETAIL, SEVERITY_NONE },
	{ "reconciliationError", ABOUT_DETAIL, SEVERITY_NONE },
	{ "syncError", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errMsg", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errorMsg", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errorInfo", ABOUT_DETAIL, SEVERITY_NONE },
	{ "errorDetails", ABOUT_DETAIL, SEVERITY_NONE },
};

static void error_field(struct facts *f, struct json field, struct json status, const struct error_row *row)
{
	struct str text = facts_error_text(field);
	enum word_class class = word_class(text);

	/* "ok" counts in a text of a few words, but not within a long error or a list of errors */
	if (text.len == 0 || ignored_has(&f->ignored, field) || (class == WORD_OK && text.len < SHORT_TEXT && !json_is_array(field)))
		return;
	f->is |= HAS_SPOKEN;
	f->is |= row->level == SEVERITY_ERROR ? IS_GIVEN_UP : 0;
	facts_add(f, (struct fact){
			.of = FACT_ERROR,
			.about = row->about,
			.says = WORD_BAD,
			.weight = 8,
			.level = row->level,
			.word = STR("error"),
			.reason = facts_reason(status),
			.message = text,
			.at = field,
			.where = ARENA_JOIN(verdict_arena(f->v), STR("field "), json_key(field)),
		});
}

static void error_fields(struct facts *f, struct json status)
{
	static const struct error_row of_last = { "last*Error", ABOUT_DETAIL, SEVERITY_NONE };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		error_field(f, json_member(status, str_of(errors[i].field)), status, &errors[i]);
	/* "lastSyncError" */
	json_foreach(field, status)
		if (str_starts(json_key(field), "last") && str_ends(json_key(field), "Error") && !str_is(json_key(field), "lastError"))
			error_field(f, field, status, &of_last);
}

/* Reads the errors that a part lists of itself: status.source.errors, status.byPod[].errors. */
static void part_errors(struct facts *f, struct json part)
{
	for (const char *const *n = list_part_errors; *n; n++) {
		struct json field = json_member(part, str_of(*n));
		struct str text = facts_error_text(field);
		struct fact fact = { .of = FACT_ERROR, .about = ABOUT_DETAIL, .says = WORD_BAD, .weight = 3, .word = STR("error") };

		if (text.len == 0 || ignored_has(&f->ignored, field) || word_class(text) == WORD_OK ||
		    !facts_want(f, &fact))
			continue;
		fact.at = field;
		fact.message = text;
		fact.where = arena_printf(verdict_arena(f->v), "field %s of a part", *n);
		facts_add(f, fact);
	}
}

/* ---- all ----------------------------------------------------------------- */

/* Returns true for words that say that a part differs from what is wanted, although it may be healthy. */
static bool is_drift(struct str word)
{
	return str_is(word, "OutOfSync");
}

/* "cluster: {status: green}": a colour tells health, whatever its field is called. */
static bool is_colour(struct str word)
{
	return str_is_any_nocase(word, list_colour);
}

/* Words of parts one level down: status.ceph.health, status.lastOperation.state. */
static void part_words(struct facts *f, struct json part, bool one_of_many)
{
	bool operation = str_contains_nocase(json_key(part), "operation") ||
			 str_is(json_key(part), "provisioning") ||
			 is_part_of_name(json_key(part), verdict_kind(f->v)->kind) ||
			 str_is_any_nocase(json_key(part), list_summaries) ||
			 is_named_after(json_key(part), verdict_kind(f->v)->kind);

	part_errors(f, part);
	json_foreach(field, part)
	{
		if (json_str(field, "").len == 0 || ignored_has(&f->ignored, field))
			continue;
		if (share_sign(f, field))
			continue;
		/* "report: {result: failed}" of a run, whatever calls that run over */
		if ((f->is & RUNS_ONCE) && !one_of_many && str_is_any_nocase(json_key(field), list_outcomes) &&
		    facts_part_class(f, json_str(field, "")) == WORD_BAD)
			word_fact(f, ABOUT_WHOLE, field, part);
		/* "currentState: {currentStateSummary: RunningHealthy}" */
		else if (operation && !one_of_many && str_starts(json_key(field), "current") && str_ends(json_key(field), "Summary"))
			word_fact(f, ABOUT_WHOLE, field, part);
		else if (str_is_any_nocase(json_key(field), list_part_words) ||
		    (str_is_any_nocase(json_key(field), list_part_words_states) && is_colour(json_str(field, ""))) ||
		    (operation && str_is_any_nocase(json_key(field), list_part_words_states)))
			word_fact(f, operation && !one_of_many ? ABOUT_WHOLE : ABOUT_DETAIL, field, part);
		else if (one_of_many && str_is_any_nocase(json_key(field), list_part_words_states) &&
			 !is_drift(json_str(field, "")) && facts_part_class(f, json_str(field, "")) == WORD_BAD)
			word_fact(f, ABOUT_DETAIL, field, part);
	}
}

/*
 * "code: CritParentInvalid, msg: ..." without a status: it is listed while it holds.  "Crit" and "Critical" begin the
 * codes of what a person has to change.
 */
static void coded_condition(struct facts *f, struct json entry)
{
	struct str code = json_str(entry, "code");
	struct fact fact = { .of = FACT_CONDITION, .about = ABOUT_WHOLE, .says = word_class(code), .weight = 40, .word = code, .reason = code };

	fact.message = facts_explanation(entry);
	fact.since = json_time(entry, "lastTransitionTime");
	if (fact.says == WORD_NONE)
		fact.says = word_class(fact.message);
	if (str_starts(code, "Crit"))
		fact.level = SEVERITY_ERROR;
	f->is |= HAS_SPOKEN;
	if (fact.says == WORD_NONE || !facts_want(f, &fact))
		return;
	fact.where = ARENA_JOIN(verdict_arena(f->v), STR("condition "), str_head(code, code.len < 60 ? code.len : 60));
	facts_add(f, fact);
}

/* Conditions without types are a log of states: the last of them tells how the object is. */
static void untyped_conditions(struct facts *f, struct json list)
{
	struct json last = JSON_NONE, word;

	json_foreach(entry, list)
	{
		if (json_str(entry, "type").len)
			return;
		if (json_str(entry, "code").len && !json_has(entry, "status")) {
			coded_condition(f, entry);
			continue;
		}
		last = entry;
	}
	word = json_member(last, STR("status"));
	if (json_str(word, "").len)
		word_fact(f, ABOUT_WHOLE, word, last);
}

/* Returns the error of a part, or the first one of its list of errors. */
static struct str error_of(struct json part)
{
	struct str text = facts_error_text(json_member(part, STR("errors")));

	return text.len ? text : facts_error_text(json_member(part, STR("error")));
}

/* All parts report the same error: it is one of the whole. */
static void common_error(struct facts *f, struct json list)
{
	struct fact fact = { .of = FACT_ERROR, .about = ABOUT_DETAIL, .says = WORD_BAD, .weight = 4, .flags = OF_EVERY, .word = STR("error") };
	struct str text = error_of(json_first(list));

	if (text.len == 0 || json_count(list) < 2 || word_class(text) == WORD_OK || !facts_want(f, &fact))
		return;
	json_foreach(part, list)
		if (ignored_has(&f->ignored, part) || !str_eq(error_of(part), text))
			return;
	fact.message = text;
	fact.where = ARENA_JOIN(verdict_arena(f->v), STR("the same error of all "), json_key(list));
	facts_add(f, fact);
}

static void parts_of_list(struct facts *f, struct json list)
{
	facts_member_words(f, list);
	common_error(f, list);
	json_foreach(part, list)
		if (json_is_object(part) || json_is_array(part))
			part_words(f, part, true);
}

/* "jobs" and "history" list what came and went, and need not have succeeded. */
static bool is_record(struct str key)
{
	return field_names_past(key) || str_contains_any_nocase(key, list_record);
}

/* "backups: [{phase: Failed}, {phase: Completed}]": one of them that failed once says nothing of the present. */
static bool lists_what_was_done(const struct facts *f, struct str key)
{
	return !(f->is & RUNS_ONCE) && str_ends_any_nocase(key, list_lists_what_was_done);
}

/* "brokerState", "health" and "transitionStatus" tell how a part is, and not how it should be. */
static bool names_state(struct str key)
{
	return str_ends_any_nocase(key, list_member_words) && !str_starts(key, "desired") &&
	       !str_starts(key, "expected") && !str_starts(key, "previous");
}

/* Reads "waiting: {reason: CrashLoopBackOff}" of a container. */
static void waiting_part(struct facts *f, struct json part)
{
	struct json waiting = json_member(part, STR("waiting"));
	struct str reason = json_str(waiting, "reason");
	struct fact fact = { .of = FACT_ERROR, .about = ABOUT_DETAIL, .says = WORD_BAD, .weight = 3, .word = reason, .reason = reason };

	if (word_class(reason) != WORD_BAD || !facts_want(f, &fact))
		return;
	fact.message = json_str(waiting, "message");
	fact.at = waiting;
	fact.where = STR("field waiting of a part");
	facts_add(f, fact);
}

/*
 * "healthy: false" and "applied: false" are false only where something is wrong, and not while a part is in progress.
 */
static void denied_truth(struct facts *f, struct json field)
{
	struct fact fact = { .of = FACT_TRUTH, .about = ABOUT_PART, .says = WORD_BAD, .weight = 3, .word = json_key(field) };
	bool is = json_bool(field, "", false);

	if (json_type(field) != JSON_BOOL || !facts_want(f, &fact))
		return;
	/* "hasTimedOut: true", but "ignoreErrors: true" is a wish */
	if (is ? !str_starts(fact.word, "has") || word_class(fact.word) != WORD_BAD :
		 !(str_is(fact.word, "healthy") || str_is(fact.word, "applied")))
		return;
	fact.at = field;
	fact.where = arena_printf(verdict_arena(f->v), "field " STR_FMT " of a part is %s", STR_ARG(fact.word), is ? "true" : "false");
	facts_add(f, fact);
}

/*
 * For "componentStatus: {cache: Failed, queue: Running}": the keys are names of parts, and the values are words for
 * their states.
 */
static bool is_map_of_words(struct facts *f, struct json map)
{
	bool any = false;

	if (!json_is_object(map) || !names_state(json_key(map)))
		return false;
	json_foreach(field, map)
	{
		struct str key = json_key(field), word = json_str(field, "");

		any = true;
		if (facts_explains(key) || word.len == 0 ||
		    word.len > MAX_PART_WORD || facts_part_class(f, word) == WORD_NONE)
			return false;
	}
	return any;
}

/* Finds a part that is broken, at every depth. */
static void broken_parts(struct facts *f, struct json at, int depth)
{
	bool words = is_map_of_words(f, at), list = json_is_array(at);

	waiting_part(f, at);
	facts_of_parts(f, at);
	json_foreach(field, at)
	{
		/* a list may have a million numbers or names, which say nothing, and a map as many numbers */
		if (list ? !json_is_object(field) && !json_is_array(field) : json_type(field) == JSON_NUMBER)
			continue;
		struct str key = json_key(field), word = json_str(field, "");
		struct fact fact = { .of = FACT_WORD, .about = ABOUT_PART, .says = WORD_BAD, .weight = 6, .flags = words ? OF_MEMBER : 0, .word = word };

		if (is_record(key) || ignored_has(&f->ignored, field))
			continue;
		denied_truth(f, field);
		if ((json_is_object(field) || json_is_array(field)) && depth > 0)
			broken_parts(f, field, depth - 1);
		if (word.len == 0 || word.len > MAX_PART_WORD || (!words && !names_state(key)) ||
		    is_drift(word) ||
		    !facts_want(f, &fact) || facts_part_class(f, word) != WORD_BAD)
			continue;
		fact.reason = facts_reason(at);
		fact.message = facts_explanation(at);
		fact.at = field;
		fact.where = facts_where_word(verdict_arena(f->v), key, word, " of a part");
		facts_add(f, fact);
	}
}

static void parts(struct facts *f, struct json status)
{
	if ((f->is & RUNS_ONCE))
		return;
	json_foreach(field, status)
		if ((json_is_object(field) || json_is_array(field)) && !is_record(json_key(field)) &&
		    !ignored_has(&f->ignored, field))
			broken_parts(f, field, DEPTH);
}

/* "lastResult: {condition: Failed}" of a report, which has neither a spec nor a status. */
static struct json last_result(struct json object)
{
	struct json result = json_member(object, STR("lastResult"));

	if (json_has(object, "spec") || json_has(object, "status"))
		return JSON_NONE;
	for (const char *const *word = list_last_result; *word; word++)
		if (word_class(json_str(result, *word)) == WORD_BAD)
			return json_member(result, str_of(*word));
	return JSON_NONE;
}

bool facts_top_word(struct json object)
{
	return last_result(object).node || word_class(json_str(object, "state")) != WORD_NONE ||
	       word_class(json_str(object, "phase")) != WORD_NONE ||
	       word_class(json_str(object, "health")) != WORD_NONE;
}

static void only_message(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");
	struct str message = json_str(status, "message");
	struct fact fact = { .of = FACT_WORD, .about = ABOUT_DETAIL, .says = word_class(message), .weight = 1, .message = message };

	if (message.len == 0 || (f->is & HAS_SPOKEN))
		return;
	fact.where = STR("field message");
	facts_add(f, fact);
}

static void error_sentences(struct facts *f)
{
	struct fact fact = { .of = FACT_ERROR, .about = ABOUT_DETAIL, .says = WORD_BAD, .weight = 1 };
	struct json field = facts_error_sentence(f, json_at(verdict_object(f->v), "status"));

	fact.message = json_str(field, "");
	if (!fact.message.len || !facts_want(f, &fact))
		return;
	fact.where = ARENA_JOIN(verdict_arena(f->v), STR("field "), json_key(field));
	facts_add(f, fact);
}

static struct json word_of_run(struct json run)
{
	for (const char *const *name = list_last_change; *name; name++)
		if (json_str(run, *name).len)
			return json_member(run, str_of(*name));
	return JSON_NONE;
}

/* The last entry of a history by its time; the only one; JSON_NONE where nobody knows which was the last. */
static struct json last_run(struct facts *f, struct json list, bool *out_one_was_well)
{
	struct json last = JSON_NONE;
	int64_t at = 0;
	bool all_dated = true;

	json_foreach(run, list)
	{
		int64_t time = time_of_run(run);

		*out_one_was_well |= facts_part_class(f, json_str(word_of_run(run), "")) == WORD_OK;
		all_dated &= time > 0;
		if (!last.node || time > at) {
			last = run;
			at = time;
		}
	}
	return all_dated || json_count(list) == 1 ? last : JSON_NONE;
}

static void history(struct facts *f)
{
	struct json list = json_at(verdict_object(f->v), "status.history");
	bool one_was_well = false;
	struct json last = json_is_array(list) && !(f->is & HAS_SPOKEN) ? last_run(f, list, &one_was_well) : JSON_NONE;

	if (!last.node || !word_of_run(last).node)
		return;
	f->is |= one_was_well ? IS_USABLE : 0;
	word_fact(f, ABOUT_DETAIL, word_of_run(last), last);
}

void facts_of_fields(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");

	if (!status.node) {
		status = verdict_object(f->v);
		if (last_result(status).node)
			word_fact(f, ABOUT_WHOLE, last_result(status), json_member(status, STR("lastResult")));
	}
	/* the status itself is a word: a bad word is believed, a good one would be a guess */
	if (json_str(status, "").len && word_class(json_str(status, "")) == WORD_BAD)
		word_fact(f, ABOUT_WHOLE, status, verdict_object(f->v));

	json_foreach(field, status)
	{
		if (ignored_has(&f->ignored, field))
			continue;
		if (json_type(field) == JSON_STRING && json_str(field, "").len)
			top_word(f, field, status);
		else if (json_type(field) == JSON_NULL && str_ends_any_nocase(json_key(field), list_suffixes) && !field_names_past(json_key(field)))
			f->is |= KNOWS_NOT;
		else if (json_is_object(field) && str_is(json_key(field), "condition") && json_str(field, "type").len && !json_has(field, "status"))
			word_fact(f, ABOUT_WHOLE, json_member(field, STR("type")), field);
		else if (json_is_object(field) && !field_names_past(json_key(field)))
			part_words(f, field, false);
		else if (json_is_object(field) && str_is(json_key(field), "lastOperation"))
			part_words(f, field, false);
		else if (json_is_object(field))
			last_change_in(f, field);
		else if (json_is_array(field) && str_is(json_key(field), "conditions"))
			untyped_conditions(f, field);
		else if (json_is_array(field) && !field_names_past(json_key(field)) && !lists_what_was_done(f, json_key(field)))
			parts_of_list(f, field);
	}
	error_fields(f, status);
	facts_of_truths(f, status);
	facts_of_numbers(f, status);
	facts_of_schedule(f, status);
	parts(f, status);
	facts_of_shares(f);
}

static void deep(struct facts *f, struct json at, int depth)
{
	json_foreach(field, at)
	{
		if ((field_names_past(json_key(field)) && !str_starts(json_key(field), "last")) || ignored_has(&f->ignored, field))
			continue;
		if (json_str(field, "").len && str_ends_any_nocase(json_key(field), list_suffixes))
			word_fact(f, ABOUT_DETAIL, field, at);
		else if (is_map_of_words(f, field))
			json_foreach(word, field) word_fact(f, ABOUT_DETAIL, word, field);
		else if (depth > 0 && (json_is_object(field) || json_is_array(field)))
			deep(f, field, depth - 1);
	}
}

static void deep_fields(struct facts *f)
{
	deep(f, json_at(verdict_object(f->v), "status"), DEPTH);
}

void facts_of_last_resort(struct facts *f)
{
	deep_fields(f);
	only_message(f);
	error_sentences(f);
	history(f);
	facts_of_results(f);
	facts_of_assigned(f);
}
