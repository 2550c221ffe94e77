/* SPDX-License-Identifier: Apache-2.0 */
/* What the booleans in a status say: "ready: true", "infrastructureReady: false". */
#include "kube/evidence/field_name.h"
#include "kube/evidence/fact.h"
#include "kube/evidence/word_lists.h"

#include "kube/status/thresholds.h"

/* The first fields tell more than those behind them. */
static const struct bool_row {
	const char *fields;	/* with blanks between them */
	enum word_class when_true, when_false;
	enum fact_about about;
} bools[] = {
	{ "ready", WORD_OK, WORD_PROGRESS, ABOUT_WHOLE },
	{ "healthy", WORD_OK, WORD_BAD, ABOUT_WHOLE },
	{ "available succeeded readyToUse isReady completed synced provisioned", WORD_OK, WORD_PROGRESS, ABOUT_WHOLE },
	{ "applied", WORD_OK, WORD_PROGRESS, ABOUT_DETAIL },
	{ "active", WORD_OK, WORD_NONE, ABOUT_DETAIL },
	{ "initialized", WORD_NONE, WORD_PROGRESS, ABOUT_DETAIL },
	{ "valid", WORD_OK, WORD_BAD, ABOUT_DETAIL },
	{ "success isSuccess issuccess isHealthy", WORD_OK, WORD_BAD, ABOUT_WHOLE },
	{ "integrity", WORD_OK, WORD_BAD, ABOUT_DETAIL },
	{ "passed pass", WORD_OK, WORD_BAD, ABOUT_WHOLE },
	{ "mounted registered created", WORD_OK, WORD_PROGRESS, ABOUT_DETAIL },
	{ "failed degraded stalled", WORD_BAD, WORD_NONE, ABOUT_WHOLE },
	{ "paused suspended hibernated", WORD_SUSPENDED, WORD_NONE, ABOUT_WHOLE },
};

/* Returns 1 for true and 0 for false, in JSON or as a word; -1 for everything else. */
int facts_truth(struct json value)
{
	struct str word;

	if (json_type(value) == JSON_BOOL)
		return json_bool(value, "", false);
	word = json_str(value, "");
	if (str_eq_nocase(word, STR("true")))
		return 1;
	return str_eq_nocase(word, STR("false")) ? 0 : -1;
}

/* Older than anything takes for the first time. */
static bool is_old(const struct facts *f)
{
	int64_t created = verdict_created(f->v);

	return created && !(f->is & RUNS_ONCE) && verdict_past(f->v, created + thresholds.overdue);
}

/* Judges booleans by the words of their names: "infrastructureReady: false", "noMatchingInstances: true". */
static void other_bool(struct facts *f, struct json field, struct json status)
{
	struct str key = json_key(field);
	bool is = facts_truth(field) > 0;
	enum word_class class = word_class_of_name(key);
	struct fact fact;

	if (class == WORD_NONE && str_ends_any_nocase(key, list_other_bool_checks))
		class = is ? WORD_OK : WORD_BAD;
	else if (class == WORD_OK)
		class = !str_ends_any_nocase(key, list_other_bool) ? WORD_NONE : is ? WORD_OK : WORD_PROGRESS;
	else if (class != WORD_BAD || !is)
		class = WORD_NONE;
	fact = (struct fact){ .of = FACT_TRUTH, .about = ABOUT_DETAIL, .says = class, .weight = 4, .word = key };
	if (!facts_want(f, &fact))
		return;
	if (class == WORD_BAD && !is)
		fact.message = json_str(status, "message").len ? json_str(status, "message") : json_str(status, "reason");
	fact.at = field;
	fact.where = arena_printf(verdict_arena(f->v), "field " STR_FMT " is %s", STR_ARG(key),
				 is ? "true" : "false");
	facts_add(f, fact);
}

struct json facts_error_sentence(const struct facts *f, struct json status)
{
	json_foreach(field, status)
		if (str_starts_any(json_str(field, ""), list_error_sentences) && !field_names_past(json_key(field)) && !ignored_has(&f->ignored, field))
			return field;
	return JSON_NONE;
}

/* like: the reason and the message that stand beside the field. */
static void bool_field(struct facts *f, const struct bool_row *row, struct str name, struct json field, struct fact like)
{
	int is = facts_truth(field);
	enum word_class class = is > 0 ? row->when_true : row->when_false;

	if (is < 0 || class == WORD_NONE || ignored_has(&f->ignored, field))
		return;
	f->is |= HAS_SPOKEN;
	/* "applied: false" beside "permission denied" means more than not yet, and so does an outcome after a long time */
	if (class == WORD_PROGRESS && str_is(name, "succeeded") && is_old(f))
		class = WORD_BAD;
	if (class == WORD_PROGRESS && (word_class(like.message) == WORD_BAD || word_class(like.reason) == WORD_BAD))
		class = WORD_BAD;
	like.of = FACT_TRUTH;
	like.about = row->about;
	like.says = class;
	like.weight = 6;
	like.at = field;
	like.word = name;
	like.where = arena_printf(verdict_arena(f->v), "field " STR_FMT " is %s", STR_ARG(name), is ? "true" : "false");
	facts_add(f, like);
}

static void bool_fields(struct facts *f, struct json status)
{
	struct fact like = { .message = facts_explanation(status), .reason = facts_reason(status) };

	if (!like.message.len)
		like.message = json_str(facts_error_sentence(f, status), "");
	for (size_t i = 0; i < sizeof(bools) / sizeof(bools[0]); i++) {
		struct str rest = str_of(bools[i].fields), name;

		while (str_split(&rest, ' ', &name))
			bool_field(f, &bools[i], name, json_member(status, name), like);
	}
}

void facts_of_truths(struct facts *f, struct json status)
{
	bool_fields(f, status);
	json_foreach(field, status)
	{
		if (ignored_has(&f->ignored, field))
			continue;
		if (facts_truth(field) >= 0)
			other_bool(f, field, status);
		/* Reads health: {ready: false}. */
		if (json_is_object(field) && str_ends(json_key(field), "ealth"))
			bool_fields(f, field);
	}
}
