/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was done at some time, and how it went: runs by a schedule, entries of a history, backups, counted errors.  It says
 * little of the present: it counts where nothing else is said, or is a warning beside "Ready".
 */
#include "kube/evidence/field_name.h"
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

/* A condition, which is the operator's own sentence, has more. */
enum { WEIGHT_RECORD = 4, WEIGHT_COUNT = 3 };

/* ---- what was done beside the goal ------------------------------------------- */

/*
 * "backupStatus", "lastScan": something that the object does from time to time, and that is not how the object is.  What came
 * before the last one ("previousBackup") says nothing of the present.
 */
static bool is_record(struct str key)
{
	return str_contains_any_nocase(key, list_record_done) && !str_contains_any_nocase(key, list_record_past);
}

static bool tells_outcome(struct str key)
{
	return str_ends_any_nocase(key, list_ended_well) && !str_contains_nocase(key, "desired") && !str_contains_nocase(key, "previous");
}

static bool has_failed(struct str word)
{
	enum { LONGEST = 60 };	/* bytes; a longer text is no word */

	return word.len && word.len <= LONGEST && phrase_has(word, "fail* error* errored unsuccess* abort* partial*") &&
	       word_class(word) == WORD_BAD;
}

/* Returns the newest of the times in a map: of a success, or all others. */
static int64_t newest(struct json map, bool success)
{
	int64_t last = 0;

	json_foreach(field, map)
		if (json_str(field, "").len && str_contains_nocase(json_key(field), "succe") == success && json_time(field, "") > last)
			last = json_time(field, "");
	return last;
}

/* A success, in the record or beside it, is as new as what the record tells. */
static bool is_made_good(struct json record, int64_t beside)
{
	int64_t well = newest(record, true), failed = newest(record, false);

	return failed && (well >= failed || beside >= failed);
}

/* Reads a field of a record, or of the status beside the records: then the field is all of it. */
static void record(struct facts *f, struct json owner, bool beside, struct json field)
{
	struct str key = json_key(beside ? field : owner), word = json_str(field, "");
	struct fact fact = { .of = FACT_RECORD, .about = ABOUT_BESIDE, .says = WORD_BAD, .weight = WEIGHT_RECORD, .word = word, .reason = word };

	if (!facts_want(f, &fact) || !tells_outcome(json_key(field)) || !has_failed(word))
		return;
	if (!beside && facts_reason(owner).len)
		fact.reason = facts_reason(owner);
	if (!beside)
		fact.message = facts_explanation(owner);
	fact.at = field;
	fact.where = facts_where_word(verdict_arena(f->v), key, word, "");
	facts_add(f, fact);
}

/* ---- counts ------------------------------------------------------------------ */

/* The numbers of a map are sums since the beginning. */
static bool sums_up(struct json map)
{
	if (str_contains_any_nocase(json_key(map), list_sums_up))
		return true;
	json_foreach(field, map)
		if (json_type(field) == JSON_NUMBER && field_sums_up(json_key(field)))
			return true;
	return false;
}

/* Reads a field that may count errors, of a map whose numbers are no sums. */
static void count(struct facts *f, struct json map, struct json field)
{
	struct fact fact = { .of = FACT_COUNT, .about = ABOUT_BESIDE, .says = WORD_BAD, .weight = WEIGHT_COUNT, .word = json_key(field) };
	int64_t n = json_is_array(field) ? (int64_t)json_count(field) : json_int(field, "", 0);

	if (n <= 0 || !facts_want(f, &fact) || !field_counts_errors(fact.word))
		return;
	fact.reason = fact.word;
	fact.message = json_is_array(field) ? facts_error_text(field) : facts_explanation(map);
	fact.at = field;
	fact.where = arena_printf(verdict_arena(f->v), "field " STR_FMT ": %lld", STR_ARG(fact.word), (long long)n);
	facts_add(f, fact);
}

/* Reads a map in the status; beside: when there was a success beside it last. */
static void look_into(struct facts *f, struct json map, int64_t beside)
{
	bool counts = !sums_up(map), records = is_record(json_key(map)) && !is_made_good(map, beside);

	json_foreach(field, map)
	{
		if (ignored_has(&f->ignored, field))
			continue;
		if (counts)
			count(f, map, field);
		if (records)
			record(f, map, false, field);
	}
}

void facts_of_records(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");
	bool counts = !sums_up(status);
	int64_t beside = newest(status, true);

	json_foreach(field, status)
	{
		if (ignored_has(&f->ignored, field))
			continue;
		if (counts)
			count(f, status, field);
		if (json_str(field, "").len && is_record(json_key(field)))
			record(f, status, true, field);
		if (json_is_object(field) && field_is_aside(json_key(field)) == is_record(json_key(field)))
			look_into(f, field, beside);
	}
}

bool facts_is_schedule(struct verdict *v)
{
	struct str kind = verdict_kind(v)->kind;

	return json_has(verdict_object(v), "spec.schedule") || str_starts(kind, "Cron") ||
	       str_starts(kind, "Scheduled") || str_ends(kind, "Schedule");
}

/*
 * An object that starts runs by a schedule is healthy when it has started one, or knows when it will; whether the run
 * succeeds is the run's own matter.
 */
void facts_of_schedule(struct facts *f, struct json status)
{
	for (const char *const *field = list_schedule; *field; field++) {
		if (json_str(status, *field).len == 0 || !facts_is_schedule(f->v))
			continue;
		f->is |= HAS_SPOKEN;
		facts_add(f, (struct fact){ .of = FACT_RECORD,
						.about = ABOUT_DETAIL,
						.says = WORD_OK,
						.weight = 1,
						.word = str_of(*field),
						.where = arena_printf(verdict_arena(f->v), "field %s, and a schedule", *field) });
		return;
	}
}

/* How many a list names, or a number says. */
static int64_t amount_of(struct json status, const char *const *names)
{
	for (; *names; names++) {
		struct json field = json_member(status, str_of(*names));
		int64_t n = json_is_array(field) || json_is_object(field) ? (int64_t)json_count(field) : json_int(field, "", 0);

		if (n > 0)
			return n;
	}
	return 0;
}

/* "finished: [a], failed: [b]" */
void facts_of_results(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");
	bool failed = amount_of(status, list_results_ill) > 0;
	struct fact fact = { .of = FACT_WORD, .about = ABOUT_DETAIL, .says = failed ? WORD_BAD : WORD_OK, .weight = 1 };

	if ((f->is & HAS_SPOKEN) || !facts_is(f, ENDED) || !(f->is & RUNS_ONCE) || (!failed && amount_of(status, list_results) == 0))
		return;
	fact.word = failed ? STR("failed") : STR("finished");
	fact.where = failed ? STR("it has ended, and some of it failed") : STR("it has ended, and none of it failed");
	facts_add(f, fact);
}

/* ---- what went well ------------------------------------------------------- */

enum { ACHIEVEMENT_DEPTH = 2 }; /* levels below the status */

static void achieve(struct facts *f, struct json field)
{
	struct fact fact = { .of = FACT_RECORD, .about = ABOUT_DETAIL, .says = WORD_OK, .flags = FAINT, .word = json_key(field) };

	if (!facts_want(f, &fact))
		return;
	fact.where = arena_printf(verdict_arena(f->v), "field " STR_FMT ", and nothing else", STR_ARG(fact.word));
	facts_add(f, fact);
}

/* "lastSyncAttempt", "lastFailedCopyTime" */
static bool is_no_success(struct str key)
{
	return str_contains_any_nocase(key, list_no_success);
}

/* The time of the last success. */
static bool tells_success(struct json field, bool top)
{
	struct str key = json_key(field);
	bool success = str_starts(key, "lastSuccess") || (str_starts(key, "last") && str_ends(key, "Success"));

	if ((!success && !(top && (str_starts_any(key, list_success_times) || str_ends(key, "CompletedTime")))) || is_no_success(key))
		return false;
	return json_time(field, "") > 0 || json_int(field, "", 0) > 0;
}

/* Returns a field with the time of a failure that is later than the last success of the same map, or JSON_NONE. */
static struct json later_failure(struct json map)
{
	struct json failure = JSON_NONE;
	int64_t failed = 0, succeeded = 0;

	json_foreach(field, map)
	{
		struct str key = json_key(field);
		int64_t at = str_starts(key, "last") ? json_time(field, "") : 0;

		if (at <= 0)
			continue;
		if (str_contains_nocase(key, "succe") && at > succeeded)
			succeeded = at;
		if ((str_contains_nocase(key, "fail") || str_contains_nocase(key, "error")) && at > failed) {
			failed = at;
			failure = field;
		}
	}
	return succeeded && failed > succeeded ? failure : JSON_NONE;
}

/* "lastFailedCopyTime" after "lastSuccessfulCopyTime" */
static void failed_since(struct facts *f, struct json map)
{
	struct json failure = later_failure(map);
	struct str key = json_key(failure);

	if (!failure.node)
		return;
	f->is |= IS_USABLE;
	facts_add(f, (struct fact){ .of = FACT_RECORD, .about = ABOUT_DETAIL, .says = WORD_BAD,
							 .weight = 1,
						 .level = SEVERITY_WARNING,
						 .word = key,
						 .since = json_time(failure, ""),
						 .where = arena_printf(verdict_arena(f->v), "field " STR_FMT ", after the last success",
								      STR_ARG(key)) });
}

/* The generation that was handled last; or "rulesGenerated: true" beside the generation that is handled. */
static bool is_done(const struct facts *f, struct json field, struct json map)
{
	struct str key = json_key(field);
	int64_t generation = verdict_generation(f->v);

	if (str_is(key, "lastGeneration"))
		return generation > 0 && json_int(field, "", -1) == generation;
	return facts_truth(field) > 0 && str_ends(key, "ed") && word_class(key) == WORD_OK && generation > 0 &&
	       json_int(map, "observedGeneration", -1) == generation;
}

/* How many times something failed; -1: the field does not count that. */
static int64_t failures(struct json field)
{
	return str_ends_any_nocase(json_key(field), list_failures) ? json_int(field, "", -1) : -1;
}

/* "lastRun: {success: 1, errors: 2}" */
static void failed_run(struct facts *f, struct json map)
{
	for (const char *const *name = list_records_failed_run; *name; name++) {
		struct json field = json_member(map, str_of(*name));
		struct fact fact = { .of = FACT_RECORD, .about = ABOUT_DETAIL, .says = WORD_BAD, .weight = 1, .level = SEVERITY_WARNING, .word = json_key(map) };

		if (!str_starts(json_key(map), "last") || (json_int(field, "", 0) <= 0 && json_count(field) == 0))
			continue;
		fact.message = facts_explanation(map);
		fact.where = arena_printf(verdict_arena(f->v), "field %s in " STR_FMT, *name, STR_ARG(fact.word));
		facts_add(f, fact);
	}
}

static void achievements_in(struct facts *f, struct json map, int depth)
{
	bool top = depth == ACHIEVEMENT_DEPTH;
	struct json none = JSON_NONE;
	bool some = false;

	failed_since(f, map);
	failed_run(f, map);
	json_foreach(field, map)
	{
		int64_t n = failures(field);

		if (json_is_object(field) && depth > 0)
			achievements_in(f, field, depth - 1);
		if (n > 0)
			return;
		if (n == 0)
			none = field;
		else
			some |= json_int(field, "", 0) > 0 || json_count(field) > 0;
		if (tells_success(field, top) || is_done(f, field, map))
			achieve(f, field);
	}
	/* "entriesMade: 3, entryFailures: 0" */
	if (none.node && some)
		achieve(f, none);
}

void facts_of_achievements(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");

	if ((f->is & RUNS_ONCE))
		return;
	achievements_in(f, status, ACHIEVEMENT_DEPTH);
}
