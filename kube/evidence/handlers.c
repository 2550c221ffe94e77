/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators in Python that are built with kopf note in their objects: a record for each handler that has not ended
 * yet, as an annotation, or below status.kopf.progress, and, when all of them have ended, the configuration that was
 * handled (kopf._cogs.configs.progress.ProgressRecord, kopf._cogs.configs.diffbase).  Many of these operators write no
 * status at all, and nothing else tells that a handler fails.
 */
#include "kube/evidence/fact.h"

enum {
	RECORDS = 32,	    /* handlers of one object that are read */
	RECORD_SIZE = 16384 /* bytes; a longer annotation is no record */
};

enum { WEIGHT_GAVE_UP = 50, WEIGHT_RETRIED = 46, WEIGHT_BEGUN = 1 };

/* A handler that raises "not yet" waits for something. */
static bool is_patient(struct str message)
{
	return word_class(message) == WORD_PROGRESS || phrase_has(message, "waiting wait yet");
}

static void read_record(struct facts *f, struct json record, struct str name)
{
	struct arena *a = verdict_arena(f->v);
	struct str message = json_str(record, "message");
	struct fact s = { .says = WORD_BAD, .weight = WEIGHT_RETRIED, .of = FACT_HANDLER, .level = SEVERITY_WARNING, .word = STR("handler") };
	bool tried = json_int(record, "retries", 0) > 0 && message.len;

	if (json_type(json_at(record, "success")) != JSON_BOOL || json_bool(record, "success", false))
		return;
	f->is |= IS_HANDLING;
	if (json_bool(record, "failure", false)) {
		s.level = SEVERITY_ERROR;
		s.weight = WEIGHT_GAVE_UP;
	} else if (!tried || is_patient(message)) {
		s.says = WORD_PROGRESS;
		s.level = SEVERITY_NONE;
		s.weight = WEIGHT_BEGUN;
	}
	s.about = s.says == WORD_BAD ? ABOUT_WHOLE : ABOUT_DETAIL;
	if (!facts_want(f, &s))
		return;
	s.message = arena_str(a, message);
	s.since = json_time(record, "started");
	s.where = ARENA_JOIN(a, STR("the handler "), name,
			    s.level == SEVERITY_ERROR ? STR(" has failed") :
			    s.says == WORD_BAD	      ? STR(" fails, and is tried again") :
							STR(" has not ended"));
	facts_add(f, s);
}

static bool looks_like_record(struct str text)
{
	return text.len <= RECORD_SIZE && text.len && text.ptr[0] == '{' && str_contains(text, "\"success\"") &&
	       str_contains(text, "\"failure\"") && str_contains(text, "\"retries\"");
}

static bool tells_handled(struct str annotation)
{
	return str_is(facts_last_part(annotation), "last-handled-configuration");
}

void facts_of_handlers(struct facts *f)
{
	size_t left = RECORDS;
	bool handled = false;

	json_foreach(a, json_at(verdict_object(f->v), "metadata.annotations"))
	{
		struct json record = JSON_NONE;

		handled |= tells_handled(json_key(a));
		if (!left || !looks_like_record(json_str(a, "")) || json_parse(json_str(a, ""), &record, NULL) < 0)
			continue;
		left--;
		read_record(f, record, facts_last_part(json_key(a)));
		json_free(record);
	}
	json_foreach(record, json_at(verdict_object(f->v), "status.kopf.progress"))
		if (left && left--)
			read_record(f, record, json_key(record));
	if (handled && !(f->is & IS_HANDLING))
		f->is |= IS_HANDLED;
}
