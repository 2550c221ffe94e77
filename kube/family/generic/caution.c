/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does not keep an object from its goal, and yet a person should know: a backup has failed, or errors are counted.
 * The object stays Ready, with a warning.
 */
#include "kube/family/generic/field_name.h"
#include "kube/family/generic/generic.h"

/* A condition, which is the operator's own sentence, has more. */
enum { WEIGHT_RECORD = 4, WEIGHT_COUNT = 3 };

static bool has_better(const struct evidence *e, int weight)
{
	return e->caution.class != WORD_NONE && weight <= e->caution.weight;
}

void generic_caution(struct evidence *e, struct sign sign)
{
	if (!has_better(e, sign.weight))
		e->caution = sign;
}

/* ---- what was done beside the goal ------------------------------------------- */

/*
 * "backupStatus", "lastScan": something that the object does from time to time, and that is not how the object is.  What came
 * before the last one ("previousBackup") says nothing of the present.
 */
static bool is_record(struct str key)
{
	static const char *const done[] = { "backup", "snapshot", "restore", "job", "run", "task", "test", "export", "import", "upload",
					    "scan", "check", NULL };
	static const char *const past[] = {
		"histor", "previous", "prev", "attempt", "desired", "expected", "target", "template",
		"condition", "recent", "log", "runtime", NULL
	};

	return str_contains_any_nocase(key, done) && !str_contains_any_nocase(key, past);
}

static bool tells_outcome(struct str key)
{
	static const char *const ends[] = { "state", "status", "phase", "result", "outcome", NULL };

	return str_ends_any_nocase(key, ends) && !str_contains_nocase(key, "desired") && !str_contains_nocase(key, "previous");
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
static void record(struct evidence *e, struct json owner, bool beside, struct json field)
{
	struct str key = json_key(beside ? field : owner), word = json_str(field, "");
	struct sign sign = { .class = WORD_BAD, .weight = WEIGHT_RECORD, .phase = true, .word = word, .reason = word };

	if (has_better(e, sign.weight) || !tells_outcome(json_key(field)) || !has_failed(word))
		return;
	if (!beside && generic_reason(owner).len)
		sign.reason = generic_reason(owner);
	if (!beside)
		sign.message = generic_explanation(owner);
	sign.rule = ARENA_JOIN(verdict_arena(e->v), STR("field "), key, STR(" \""), word, STR("\""));
	generic_caution(e, sign);
}

/* ---- counts ------------------------------------------------------------------ */

/* The numbers of a map are sums since the beginning. */
static bool sums_up(struct json map)
{
	static const char *const names[] = { "metric", "statistic", "stats", "counter", NULL };

	if (str_contains_any_nocase(json_key(map), names))
		return true;
	json_foreach(field, map)
		if (json_type(field) == JSON_NUMBER && field_sums_up(json_key(field)))
			return true;
	return false;
}

/* Reads a field that may count errors, of a map whose numbers are no sums. */
static void count(struct evidence *e, struct json map, struct json field)
{
	struct sign sign = { .class = WORD_BAD, .weight = WEIGHT_COUNT, .word = json_key(field) };
	int64_t n = json_is_array(field) ? (int64_t)json_count(field) : json_int(field, "", 0);

	if (n <= 0 || has_better(e, sign.weight) || !field_counts_errors(sign.word))
		return;
	sign.reason = sign.word;
	sign.message = json_is_array(field) ? generic_error_text(field) : generic_explanation(map);
	sign.rule = arena_printf(verdict_arena(e->v), "field " STR_FMT ": %lld", STR_ARG(sign.word), (long long)n);
	generic_caution(e, sign);
}

/* Reads a map in the status; beside: when there was a success beside it last. */
static void look_into(struct evidence *e, struct json map, int64_t beside)
{
	bool counts = !sums_up(map), records = is_record(json_key(map)) && !is_made_good(map, beside);

	json_foreach(field, map)
	{
		if (ignored_has(&e->ignored, field))
			continue;
		if (counts)
			count(e, map, field);
		if (records)
			record(e, map, false, field);
	}
}

void generic_cautions(struct evidence *e)
{
	struct json status = json_at(verdict_object(e->v), "status");
	bool counts = !sums_up(status);
	int64_t beside = newest(status, true);

	json_foreach(field, status)
	{
		if (ignored_has(&e->ignored, field))
			continue;
		if (counts)
			count(e, status, field);
		if (json_str(field, "").len && is_record(json_key(field)))
			record(e, status, true, field);
		if (json_is_object(field) && field_is_aside(json_key(field)) == is_record(json_key(field)))
			look_into(e, field, beside);
	}
}
