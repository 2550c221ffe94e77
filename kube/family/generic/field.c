/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields in the status of an unknown kind say: words of phases, and errors. */
#include "kube/family/generic/generic.h"

#include <string.h>

enum {
	DEPTH = 3,	    /* levels below the status that are read when no field nearer to it says anything */
	SHORT_TEXT = 40,    /* bytes; a longer text in a field for errors is an error */
	MAX_PART_WORD = 60  /* bytes; a longer text is no word for a state */
};

/* ---- phase words --------------------------------------------------------- */

/* Names of fields whose value is the word for the state of the whole object. */
static const char *const summaries[] = { "phase",
					 "state",
					 "status",
					 "health",
					 "currentstate",
					 "currentphase",
					 "currentstatus",
					 "currenthealth",
					 "overallstatus",
					 "overallstate",
					 "overallphase",
					 "overallhealth",
					 "healthstatus",
					 "healthstate",
					 "lifecyclestate",
					 "lifecyclephase",
					 "lifecyclestatus",
					 "provisioningstate",
					 "provisioningstatus",
					 "printablestatus",
					 "clusterstate",
					 "clusterstatus",
					 "clusterphase",
					 "clusterhealth",
					 "resourcestatus",
					 "resourcestate",
					 "deploymentstatus",
					 "deploymentstate",
					 "jobstatus",
					 "jobstate",
					 "jobphase",
					 "servicestatus",
					 "instancestatus",
					 "instancestate",
					 "dbinstancestatus",
					 "installstatus",
					 "syncstatus",
					 "syncstate",
					 "compliant",
					 "robustness",
					 "lastoperationstatus",
					 "lastoperationstate",
					 "conditionstatus",
					 "reconcilestatus",
					 "reconciliationstatus",
					 "validation",
					 "operationstate",
					 "condition",
					 NULL };

static const char *const suffixes[] = { "phase",   "state",  "status",	 "health",
					"verdict", "result", "progress", "stage", NULL };

/* Names of fields that tell how something ended. */
static const char *const outcomes[] = { "result", "outcome", "verdict", NULL };

static const char *const promises[] = { "scheduled", "assigned",  "planned",
					"requested", "submitted", NULL };

static enum word_class phase_class(const struct evidence *e, struct str word)
{
	enum word_class class = word_class(word);

	if (e->runs_once && str_eq_nocase(word, STR("skipped")))
		return WORD_OK;
	/* a session that is ready runs, and is no run that has to end */
	if (class == WORD_OK && e->runs_once && generic_lasts(word) && !condition_is(verdict_condition(e->v, "Ready"), "True"))
		return WORD_PROGRESS;
	/* "ImportScheduled" and "Queued" are steps that others have to make */
	if (class == WORD_OK && str_ends_any_nocase(word, promises))
		return WORD_PROGRESS;
	return class;
}

enum { SPEC_DEPTH = 3, SPEC_FIELDS = 400 };	/* levels and fields of a spec that are searched */

static bool has_replicas(struct json at, int least, int depth, int *left)
{
	json_foreach(field, at)
	{
		if (--*left < 0)
			return false;
		if (str_is(json_key(field), "replicas") && json_int(field, "", -1) >= least)
			return true;
		if (depth > 0 && json_is_object(field) && has_replicas(field, least, depth - 1, left))
			return true;
	}
	return false;
}

bool generic_asks_for_replicas(struct verdict *v, int least)
{
	int left = SPEC_FIELDS;

	return has_replicas(json_at(verdict_object(v), "spec"), least, SPEC_DEPTH, &left);
}

/* "Created" says of what runs pods that it was made, and not that it works. */
static bool is_only_made(const struct evidence *e, struct str word)
{
	return str_eq_nocase(word, STR("created")) && generic_asks_for_replicas(e->v, 0);
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
static struct json before_cleaning(struct evidence *e, struct json field)
{
	struct json last = JSON_NONE;

	json_foreach(history, json_at(verdict_object(e->v), "status"))
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
static void word_sign(struct evidence *e, enum strength strength, struct json field,
		      struct json owner)
{
	struct str word = json_str(field, ""), key = json_key(field);
	bool strong = strength == STRONG;
	struct sign sign = {
		.class = phase_class(e, word),
		/* another word tells why some of it is there only once */
		.weight = strong ? 45 - str_eq_nocase(word, STR("yellow")) : 5,
		.soft = !strong && str_contains_nocase(word, "missing"),
		.phase = true,
		.word = word,
	};
	bool unread = sign.class == WORD_NONE && strong && e->unread.word.len == 0;
	struct json before = sign.class == WORD_OK && strong && phrase_has(word, "released cleaned archived") ? before_cleaning(e, field) : JSON_NONE;

	e->any = true;
	if (strong && is_only_made(e, word)) {
		strong = unread = false;
		strength = WEAK;
		sign.class = WORD_PROGRESS;
	}
	/* what is in progress explains that the object is not ready yet */
	e->moving |= sign.class == WORD_PROGRESS && strong;
	/* finding the words around it takes time, and there may be thousands of fields */
	if (!unread && !generic_outweighs(e, strength, sign))
		return;
	if (word_class(json_str(json_member(before, key), "")) == WORD_BAD) {
		sign.class = WORD_BAD;
		sign.word = word = json_str(json_member(before, key), "");
		owner = before;
	}
	sign.reason = generic_reason(owner);
	sign.message = generic_explanation(owner);
	sign.since = json_time(owner, "lastTransitionTime");
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("field "), key, STR(" \""), str_head(word, word.len < 60 ? word.len : 60),
			       STR("\""));
	if (unread)
		e->unread = sign;
	generic_add_sign(e, strength, sign);
}

/* Returns true for "lastRunStatus" and "previousState", which are about something that is over. */
static bool is_past(struct str key)
{
	return str_starts(key, "last") || str_starts(key, "previous") || str_starts(key, "prev") ||
	       str_contains_nocase(key, "history") || str_contains_nocase(key, "condition") ||
	       str_contains_nocase(key, "event");
}

/* "certificateStatus" of a ManagedCertificate is about the object: a part of its name is the kind's. */
static bool is_named_after(struct str key, struct str kind)
{
	static const char *const words[] = { "phase", "state", "status", "health", NULL };

	for (const char *const *w = words; *w; w++) {
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
static bool share_sign(struct evidence *e, struct json field)
{
	struct str text = json_str(field, ""), rest = text, part, whole;
	struct sign sign = { .weight = 2, .word = json_key(field) };
	int64_t there, wanted;

	if (!str_contains_nocase(json_key(field), "ready") &&
	    !str_contains_nocase(json_key(field), "replicas") &&
	    !str_contains_nocase(json_key(field), "available"))
		return false;
	if (!str_split(&rest, '/', &part) || !str_split(&rest, '/', &whole) ||
	    !str_to_int(part, &there) || !str_to_int(whole, &wanted))
		return false;
	e->any = true;
	if (e->share_wanted < wanted && wanted < INT32_MAX && there >= 0) {
		e->share_wanted = (int)wanted;
		e->share_ready = (int)there;
	}
	if (there < wanted)
		return true;
	sign.class = WORD_OK;
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("field "), sign.word, STR(" \""), str_head(text, 40), STR("\""));
	generic_add_sign(e, WEAK, sign);
	return true;
}

/* "stageStatus: success" is said of the stage that another field names, and not of the whole. */
static bool step_ended(struct evidence *e, struct json field)
{
	static const char *const steps[] = { "stagestatus", "stagestate", "stepstatus", "stepstate", NULL };
	struct sign sign = { .class = WORD_PROGRESS, .phase = true, .word = json_str(field, "") };

	if (!str_is_any_nocase(json_key(field), steps) || word_class(sign.word) != WORD_OK)
		return false;
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("field "), json_key(field));
	if (e->milestone.class == WORD_NONE)
		e->milestone = sign;
	return true;
}

static bool is_change(struct str key)
{
	return str_starts(key, "last") && phrase_has(key, "update* upgrade* reconcil* sync* appl* deploy* rollout* modif* configur*");
}

/* "lastUpdateStatus": the last change of the object itself, and not of a run that it starts. */
static bool is_last_change(struct str key)
{
	static const char *const ends[] = { "status", "state", "phase", "result", NULL };

	return str_ends_any_nocase(key, ends) && is_change(key);
}

/* The last change has failed, while what was there before it is as it was. */
static void last_change(struct evidence *e, struct json field, struct json status)
{
	struct str key = json_key(field), word = json_str(field, "");
	struct sign sign = { .class = word_class(word), .weight = 6, .part = true, .phase = true, .word = word };

	e->any = true;
	if (sign.class != WORD_BAD || !generic_outweighs(e, WEAK, sign))
		return;
	sign.reason = json_str(json_member(status, ARENA_JOIN(verdict_arena(e->v), key, STR("ReasonCode"))), "");
	sign.message = json_str(json_member(status, ARENA_JOIN(verdict_arena(e->v), key, STR("Reason"))), "");
	if (!sign.message.len)
		sign.message = json_str(json_member(status, ARENA_JOIN(verdict_arena(e->v), key, STR("Message"))), "");
	if (!sign.message.len && is_change(json_key(status)))
		sign.message = generic_explanation(status);
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("field "), key, STR(" \""), str_head(word, MAX_PART_WORD), STR("\""));
	generic_add_sign(e, WEAK, sign);
}

/* Reads lastUpgrade: {state: Failed, message: ...}. */
static void last_change_in(struct evidence *e, struct json map)
{
	static const char *const names[] = { "state", "status", "phase", "result", NULL };

	for (const char *const *name = names; *name; name++)
		if (json_str(map, *name).len && is_change(json_key(map)))
			last_change(e, json_member(map, str_of(*name)), map);
}

static void top_word(struct evidence *e, struct json field, struct json status)
{
	struct str key = json_key(field);

	if (share_sign(e, field) || step_ended(e, field))
		return;
	if (str_is_any_nocase(key, summaries) || is_named_after(key, verdict_kind(e->v)->kind)) {
		if (e->phase.len == 0)
			e->phase = json_str(field, "");
		word_sign(e, STRONG, field, status);
	} else if (str_is_any_nocase(key, outcomes) && word_class(json_str(field, "")) == WORD_BAD) {
		/* "phase: Done" beside it says only that it has ended */
		word_sign(e, STRONG, field, status);
	} else if (str_ends_any_nocase(key, suffixes) && !is_past(key)) {
		if (str_eq_nocase(json_str(field, ""), STR("unknown")))
			e->knows_not = true;
		word_sign(e, WEAK, field, status);
	} else if (is_last_change(key)) {
		last_change(e, field, status);
	}
}

/* ---- errors -------------------------------------------------------------- */

static const struct error_row {
	const char *field;
	enum strength strength;
	enum severity level;
} errors[] = {
	/* in Cluster API both fields are terminal by definition */
	{ "failureMessage", STRONG, SEVERITY_ERROR },
	{ "failureReason", STRONG, SEVERITY_ERROR },
	{ "error", WEAK, SEVERITY_NONE },
	{ "errors", WEAK, SEVERITY_NONE },
	{ "problems", WEAK, SEVERITY_NONE },
	{ "validationErrors", WEAK, SEVERITY_NONE },
	{ "errorMessage", WEAK, SEVERITY_NONE },
	{ "errorReason", WEAK, SEVERITY_NONE },
	{ "lastError", WEAK, SEVERITY_NONE },
	{ "reconcileError", WEAK, SEVERITY_NONE },
	{ "reconciliationError", WEAK, SEVERITY_NONE },
	{ "syncError", WEAK, SEVERITY_NONE },
	{ "errMsg", WEAK, SEVERITY_NONE },
	{ "errorMsg", WEAK, SEVERITY_NONE },
	{ "errorInfo", WEAK, SEVERITY_NONE },
	{ "errorDetails", WEAK, SEVERITY_NONE },
};

static void error_fields(struct evidence *e, struct json status)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const struct error_row *row = &errors[i];
		struct json field = json_member(status, str_of(row->field));
		struct str text = generic_error_text(field);
		enum word_class class = word_class(text);

		/* "ok" counts in a text of a few words, but not within a long error or a list of errors */
		if (text.len == 0 || ignored_has(&e->ignored, field) ||
		    (class == WORD_OK && text.len < SHORT_TEXT && !json_is_array(field)))
			continue;
		e->any = true;
		e->terminal |= row->level == SEVERITY_ERROR;
		generic_add_sign(
			e, row->strength,
			(struct sign){
				.class = WORD_BAD,
				.weight = 8,
				.level = row->level,
				.word = STR("error"),
				.reason = generic_reason(status),
				.message = text,
				.rule = arena_printf(verdict_arena(e->v), "field %s", row->field),
			});
	}
}

/* Reads the errors that a part lists of itself: status.source.errors, status.byPod[].errors. */
static void part_errors(struct evidence *e, struct json part)
{
	static const char *const names[] = { "errors", "error", "errorMessage", NULL };

	for (const char *const *n = names; *n; n++) {
		struct json field = json_member(part, str_of(*n));
		struct str text = generic_error_text(field);
		struct sign sign = { .class = WORD_BAD, .weight = 3, .word = STR("error") };

		if (text.len == 0 || ignored_has(&e->ignored, field) || word_class(text) == WORD_OK ||
		    !generic_outweighs(e, WEAK, sign))
			continue;
		sign.message = text;
		sign.rule = arena_printf(verdict_arena(e->v), "field %s of a part", *n);
		generic_add_sign(e, WEAK, sign);
	}
}

/* ---- all ----------------------------------------------------------------- */

/* Returns true for words that say that a part differs from what is wanted, although it may be healthy. */
static bool is_drift(struct str word)
{
	return str_is(word, "OutOfSync");
}

/* Calls word_class(), which is slow, once for each word that parts repeat. */
static enum word_class part_class(struct evidence *e, struct str word)
{
	enum { SEEN = sizeof(e->seen) / sizeof(e->seen[0]) };
	size_t n = e->nseen < SEEN ? e->nseen : SEEN;

	for (size_t i = 0; i < n; i++)
		if (str_eq(e->seen[i].word, word))
			return e->seen[i].class;
	n = e->nseen++ % SEEN;
	e->seen[n].word = word;
	e->seen[n].class = word_class(word);
	return e->seen[n].class;
}

/* "cluster: {status: green}": a colour tells health, whatever its field is called. */
static bool is_colour(struct str word)
{
	static const char *const colours[] = { "green", "yellow", "red", NULL };

	return str_is_any_nocase(word, colours);
}

/* Words of parts one level down: status.ceph.health, status.lastOperation.state. */
static void part_words(struct evidence *e, struct json part, bool one_of_many)
{
	static const char *const healths[] = { "health", "healthStatus", NULL };
	static const char *const states[] = { "state", "phase", "status", NULL };
	bool operation = str_contains_nocase(json_key(part), "operation") ||
			 str_is(json_key(part), "provisioning") ||
			 is_part_of_name(json_key(part), verdict_kind(e->v)->kind) ||
			 str_is_any_nocase(json_key(part), summaries) ||
			 is_named_after(json_key(part), verdict_kind(e->v)->kind);

	part_errors(e, part);
	json_foreach(field, part)
	{
		if (json_str(field, "").len == 0 || ignored_has(&e->ignored, field))
			continue;
		if (share_sign(e, field))
			continue;
		/* "currentState: {currentStateSummary: RunningHealthy}" */
		if (operation && !one_of_many && str_starts(json_key(field), "current") && str_ends(json_key(field), "Summary"))
			word_sign(e, STRONG, field, part);
		else if (str_is_any_nocase(json_key(field), healths) ||
		    (str_is_any_nocase(json_key(field), states) && is_colour(json_str(field, ""))) ||
		    (operation && str_is_any_nocase(json_key(field), states)))
			word_sign(e, operation && !one_of_many ? STRONG : WEAK, field, part);
		else if (one_of_many && str_is_any_nocase(json_key(field), states) &&
			 !is_drift(json_str(field, "")) && part_class(e, json_str(field, "")) == WORD_BAD)
			word_sign(e, WEAK, field, part);
	}
}

/*
 * "code: CritParentInvalid, msg: ..." without a status: it is listed while it holds.  "Crit" and "Critical" begin the
 * codes of what a person has to change.
 */
static void coded_condition(struct evidence *e, struct json entry)
{
	struct str code = json_str(entry, "code");
	struct sign sign = { .class = word_class(code), .weight = 40, .condition = true, .word = code, .reason = code };

	sign.message = generic_explanation(entry);
	sign.since = json_time(entry, "lastTransitionTime");
	if (sign.class == WORD_NONE)
		sign.class = word_class(sign.message);
	if (str_starts(code, "Crit"))
		sign.level = SEVERITY_ERROR;
	e->any = true;
	if (sign.class == WORD_NONE || !generic_outweighs(e, STRONG, sign))
		return;
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("condition "), str_head(code, code.len < 60 ? code.len : 60));
	generic_add_sign(e, STRONG, sign);
}

/* Conditions without types are a log of states: the last of them tells how the object is. */
static void untyped_conditions(struct evidence *e, struct json list)
{
	struct json last = JSON_NONE, word;

	json_foreach(entry, list)
	{
		if (json_str(entry, "type").len)
			return;
		if (json_str(entry, "code").len && !json_has(entry, "status")) {
			coded_condition(e, entry);
			continue;
		}
		last = entry;
	}
	word = json_member(last, STR("status"));
	if (json_str(word, "").len)
		word_sign(e, STRONG, word, last);
}

/* Returns the error of a part, or the first one of its list of errors. */
static struct str error_of(struct json part)
{
	struct str text = generic_error_text(json_member(part, STR("errors")));

	return text.len ? text : generic_error_text(json_member(part, STR("error")));
}

/* All parts report the same error: it is one of the whole. */
static void common_error(struct evidence *e, struct json list)
{
	struct sign sign = { .class = WORD_BAD, .weight = 4, .every = true, .word = STR("error") };
	struct str text = error_of(json_first(list));

	if (text.len == 0 || json_count(list) < 2 || word_class(text) == WORD_OK || !generic_outweighs(e, WEAK, sign))
		return;
	json_foreach(part, list)
		if (ignored_has(&e->ignored, part) || !str_eq(error_of(part), text))
			return;
	sign.message = text;
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("the same error of all "), json_key(list));
	generic_add_sign(e, WEAK, sign);
}

static void parts_of_list(struct evidence *e, struct json list)
{
	generic_member_words(e, list);
	common_error(e, list);
	json_foreach(part, list)
		if (json_is_object(part) || json_is_array(part))
			part_words(e, part, true);
}

/* "jobs" and "history" list what came and went, and need not have succeeded. */
static bool is_record(struct str key)
{
	static const char *const names[] = { "debug", "histor", "attempt", "record", "recent", "backup", "job",
					     "execution", "run", "log", NULL };

	return is_past(key) || str_contains_any_nocase(key, names);
}

/* "backups: [{phase: Failed}, {phase: Completed}]": one of them that failed once says nothing of the present. */
static bool lists_what_was_done(const struct evidence *e, struct str key)
{
	static const char *const ends[] = { "backups", "snapshots", "restores", "attempts", "executions", NULL };

	return !e->runs_once && str_ends_any_nocase(key, ends);
}

/* "brokerState", "health" and "transitionStatus" tell how a part is, and not how it should be. */
static bool names_state(struct str key)
{
	static const char *const ends[] = { "state", "status", "phase", "health", NULL };

	return str_ends_any_nocase(key, ends) && !str_starts(key, "desired") &&
	       !str_starts(key, "expected") && !str_starts(key, "previous");
}

/* Reads "waiting: {reason: CrashLoopBackOff}" of a container. */
static void waiting_part(struct evidence *e, struct json part)
{
	struct json waiting = json_member(part, STR("waiting"));
	struct str reason = json_str(waiting, "reason");
	struct sign sign = { .class = WORD_BAD, .weight = 3, .word = reason, .reason = reason };

	if (word_class(reason) != WORD_BAD || !generic_outweighs(e, WEAK, sign))
		return;
	sign.message = json_str(waiting, "message");
	sign.rule = STR("field waiting of a part");
	generic_add_sign(e, WEAK, sign);
}

/*
 * "healthy: false" and "applied: false" are false only where something is wrong, and not while a part is in progress.
 */
static void denied_truth(struct evidence *e, struct json field)
{
	struct sign sign = { .class = WORD_BAD, .weight = 3, .part = true, .word = json_key(field) };
	bool is = json_bool(field, "", false);

	if (json_type(field) != JSON_BOOL || !generic_outweighs(e, WEAK, sign))
		return;
	/* "hasTimedOut: true", but "ignoreErrors: true" is a wish */
	if (is ? !str_starts(sign.word, "has") || word_class(sign.word) != WORD_BAD :
		 !(str_is(sign.word, "healthy") || str_is(sign.word, "applied")))
		return;
	sign.rule = arena_printf(verdict_arena(e->v), "field " STR_FMT " of a part is %s", STR_ARG(sign.word), is ? "true" : "false");
	generic_add_sign(e, WEAK, sign);
}

/*
 * For "componentStatus: {cache: Failed, queue: Running}": the keys are names of parts, and the values are words for
 * their states.
 */
static bool is_map_of_words(struct evidence *e, struct json map)
{
	bool any = false;

	if (!json_is_object(map) || !names_state(json_key(map)))
		return false;
	json_foreach(field, map)
	{
		struct str key = json_key(field), word = json_str(field, "");

		any = true;
		if (generic_explains(key) || word.len == 0 ||
		    word.len > MAX_PART_WORD || part_class(e, word) == WORD_NONE)
			return false;
	}
	return any;
}

/* Finds a part that is broken, at every depth. */
static void broken_parts(struct evidence *e, struct json at, int depth)
{
	bool words = is_map_of_words(e, at), list = json_is_array(at);

	waiting_part(e, at);
	generic_part_counts(e, at);
	json_foreach(field, at)
	{
		/* a list may have a million numbers or names, which say nothing, and a map as many numbers */
		if (list ? !json_is_object(field) && !json_is_array(field) : json_type(field) == JSON_NUMBER)
			continue;
		struct str key = json_key(field), word = json_str(field, "");
		struct sign sign = { .class = WORD_BAD, .weight = 6, .part = true, .member = words, .phase = true, .word = word };

		if (is_record(key) || ignored_has(&e->ignored, field))
			continue;
		denied_truth(e, field);
		if ((json_is_object(field) || json_is_array(field)) && depth > 0)
			broken_parts(e, field, depth - 1);
		if (word.len == 0 || word.len > MAX_PART_WORD || (!words && !names_state(key)) ||
		    is_drift(word) ||
		    !generic_outweighs(e, WEAK, sign) || part_class(e, word) != WORD_BAD)
			continue;
		sign.reason = generic_reason(at);
		sign.message = generic_explanation(at);
		sign.rule = arena_printf(verdict_arena(e->v), "field " STR_FMT " \"" STR_FMT "\" of a part",
					 STR_ARG(key), STR_ARG(word));
		generic_add_sign(e, WEAK, sign);
	}
}

static void parts(struct evidence *e, struct json status)
{
	if (e->runs_once)
		return;
	json_foreach(field, status)
		if ((json_is_object(field) || json_is_array(field)) && !is_record(json_key(field)) &&
		    !ignored_has(&e->ignored, field))
			broken_parts(e, field, DEPTH);
}

/* "lastResult: {condition: Failed}" of a report, which has neither a spec nor a status. */
static struct json last_result(struct json object)
{
	static const char *const words[] = { "condition", "status", "state", "result", "outcome", "phase", NULL };
	struct json result = json_member(object, STR("lastResult"));

	if (json_has(object, "spec") || json_has(object, "status"))
		return JSON_NONE;
	for (const char *const *word = words; *word; word++)
		if (word_class(json_str(result, *word)) == WORD_BAD)
			return json_member(result, str_of(*word));
	return JSON_NONE;
}

bool generic_has_top_word(struct json object)
{
	return last_result(object).node || word_class(json_str(object, "state")) != WORD_NONE ||
	       word_class(json_str(object, "phase")) != WORD_NONE ||
	       word_class(json_str(object, "health")) != WORD_NONE;
}

void generic_only_message(struct evidence *e)
{
	struct json status = json_at(verdict_object(e->v), "status");
	struct str message = json_str(status, "message");
	struct sign sign = { .class = word_class(message), .weight = 1, .message = message };

	if (message.len == 0 || e->any)
		return;
	sign.rule = STR("field message");
	generic_add_sign(e, WEAK, sign);
}

/* "unable to create the client: 409 Conflict", in whatever field. */
void generic_error_sentences(struct evidence *e)
{
	static const char *const begins[] = { "unable to ", "Unable to ", "failed to ", "Failed to ", "could not ", "Could not ", "cannot ", "Cannot ",
					      "error: ", "Error: ", NULL };
	struct sign sign = { .class = WORD_BAD, .weight = 1 };

	json_foreach(field, json_at(verdict_object(e->v), "status"))
	{
		sign.message = json_str(field, "");
		if (!str_starts_any(sign.message, begins) || is_past(json_key(field)) || ignored_has(&e->ignored, field) ||
		    !generic_outweighs(e, WEAK, sign))
			continue;
		sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("field "), json_key(field));
		generic_add_sign(e, WEAK, sign);
	}
}

static struct json word_of_run(struct json run)
{
	static const char *const names[] = { "phase", "state", "status", "result", NULL };

	for (const char *const *name = names; *name; name++)
		if (json_str(run, *name).len)
			return json_member(run, str_of(*name));
	return JSON_NONE;
}

/* The last entry of a history by its time; the only one; JSON_NONE where nobody knows which was the last. */
static struct json last_run(struct evidence *e, struct json list, bool *out_one_was_well)
{
	struct json last = JSON_NONE;
	int64_t at = 0;
	bool all_dated = true;

	json_foreach(run, list)
	{
		int64_t time = time_of_run(run);

		*out_one_was_well |= part_class(e, json_str(word_of_run(run), "")) == WORD_OK;
		all_dated &= time > 0;
		if (!last.node || time > at) {
			last = run;
			at = time;
		}
	}
	return all_dated || json_count(list) == 1 ? last : JSON_NONE;
}

void generic_history(struct evidence *e)
{
	struct json list = json_at(verdict_object(e->v), "status.history");
	bool one_was_well = false;
	struct json last = json_is_array(list) && !e->any ? last_run(e, list, &one_was_well) : JSON_NONE;

	if (!last.node || !word_of_run(last).node)
		return;
	e->usable |= one_was_well;
	word_sign(e, WEAK, word_of_run(last), last);
}

void generic_fields(struct evidence *e)
{
	struct json status = json_at(verdict_object(e->v), "status");

	if (!status.node) {
		status = verdict_object(e->v);
		if (last_result(status).node)
			word_sign(e, STRONG, last_result(status), json_member(status, STR("lastResult")));
	}
	/* the status itself is a word: a bad word is believed, a good one would be a guess */
	if (json_str(status, "").len && word_class(json_str(status, "")) == WORD_BAD)
		word_sign(e, STRONG, status, verdict_object(e->v));

	json_foreach(field, status)
	{
		if (ignored_has(&e->ignored, field))
			continue;
		if (json_type(field) == JSON_STRING && json_str(field, "").len)
			top_word(e, field, status);
		else if (json_is_object(field) && str_is(json_key(field), "condition") && json_str(field, "type").len && !json_has(field, "status"))
			word_sign(e, STRONG, json_member(field, STR("type")), field);
		else if (json_is_object(field) && !is_past(json_key(field)))
			part_words(e, field, false);
		else if (json_is_object(field) && str_is(json_key(field), "lastOperation"))
			part_words(e, field, false);
		else if (json_is_object(field))
			last_change_in(e, field);
		else if (json_is_array(field) && str_is(json_key(field), "conditions"))
			untyped_conditions(e, field);
		else if (json_is_array(field) && !is_past(json_key(field)) && !lists_what_was_done(e, json_key(field)))
			parts_of_list(e, field);
	}
	error_fields(e, status);
	generic_facts(e, status);
	parts(e, status);
	generic_counts_of_parts(e);
}

static void deep(struct evidence *e, struct json at, int depth)
{
	json_foreach(field, at)
	{
		if ((is_past(json_key(field)) && !str_starts(json_key(field), "last")) || ignored_has(&e->ignored, field))
			continue;
		if (json_str(field, "").len && str_ends_any_nocase(json_key(field), suffixes))
			word_sign(e, WEAK, field, at);
		else if (is_map_of_words(e, field))
			json_foreach(word, field) word_sign(e, WEAK, word, field);
		else if (depth > 0 && (json_is_object(field) || json_is_array(field)))
			deep(e, field, depth - 1);
	}
}

void generic_deep_fields(struct evidence *e)
{
	deep(e, json_at(verdict_object(e->v), "status"), DEPTH);
}
