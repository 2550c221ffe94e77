/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an object is like, beside the facts: its age, whether it runs once and has ended, whether it could ever be used by what
 * its own status still says of earlier times, and how many replicas it lacks.
 */
#include "kube/evidence/fact.h"
#include "kube/evidence/version.h"
#include "kube/evidence/word_lists.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

/* What is not ready since so soon after its creation was never ready. */
#define AT_ONCE SECONDS(10)

/* Returns true for the name of a field that is written only when all went well: "lastSuccessfulTime". */
static bool tells_success(struct str key)
{
	/*
	 * Flux keeps the last artifact and the last revision that it applied; cert-manager the end of the last
	 * certificate; External Secrets the last time at which it wrote the secret.
	 */
	return str_starts_any(key, list_success_done) || str_is_any_nocase(key, list_success);
}

static bool is_something(struct json value)
{
	return json_str(value, "").len > 0 || json_count(value) > 0 || json_int(value, "", 0) > 0;
}

/* "latestReadyRevisionName" of Knative: what was ready before serves while the latest one that was created is not ready. */
static bool is_of_an_earlier_one(struct verdict *v, struct json status, struct json ready)
{
	static const char start[] = "latestReady";
	struct str key = json_key(ready), latest;

	if (!str_starts(key, start) || json_str(ready, "").len == 0)
		return false;
	key = ARENA_JOIN(verdict_arena(v), STR("latestCreated"), str_from(key, sizeof(start) - 1));
	latest = json_str(json_member(status, key), "");
	return latest.len && !str_eq(latest, json_str(ready, ""));
}

/* What is good until a time serves no longer: a certificate that has expired. */
static bool is_past_its_end(struct facts *f, struct json field)
{
	int64_t end = str_is(json_key(field), "notAfter") ? json_time(field, "") : 0;

	return end && verdict_past(f->v, end);
}

static bool has_success_in_fields(struct facts *f)
{
	struct verdict *v = f->v;
	struct json status = json_at(verdict_object(v), "status");

	json_foreach(field, status)
		if ((tells_success(json_key(field)) && is_something(field) && !is_past_its_end(f, field)) || is_of_an_earlier_one(v, status, field))
			return true;
	return false;
}

bool being_ran_another_version(struct verdict *v)
{
	struct str wanted = json_str(verdict_object(v), "spec.version"), runs = STR_NONE;

	for (const char *const *field = list_ran_another_version; *field && runs.len == 0; field++)
		runs = json_str(verdict_object(v), *field);
	return wanted.len && runs.len && !version_reached(wanted, runs);
}

/* Returns true for "provisionedNamespaces: [a, b]", the parts for which all went well. */
static bool has_good_parts(struct verdict *v)
{
	json_foreach(field, json_at(verdict_object(v), "status"))
		for (const char *const *word = list_done; json_is_array(field) && json_count(field) && *word; word++)
			if (str_starts(json_key(field), *word))
				return true;
	return false;
}

/* Returns true for "ClusterAvailable" of a RabbitmqCluster. */
static bool is_available_by_kind(struct str type, struct str kind)
{
	static const char end[] = "Available";
	size_t n = sizeof(end) - 1;
	struct str name;

	if (!str_ends(type, end) || type.len == n)
		return false;
	name = str_head(type, type.len - n);
	return name.len <= kind.len && str_eq_nocase(str_from(kind, kind.len - name.len), name);
}

/* "ClusterAvailable" may be True as soon as the first part is there, while the others are made. */
static bool is_old(struct verdict *v)
{
	return verdict_created(v) && verdict_past(v, verdict_created(v) + thresholds.overdue);
}

/* "AllReplicasReady" of an object whose first generation was handled to its end: at the first time it comes too early. */
static bool is_of_all(struct verdict *v, struct str type)
{
	return str_starts(type, "All") && str_ends_any(type, list_all) &&
	       json_int(json_at(verdict_object(v), "status"), "observedGeneration", 0) > 0;
}

static bool serves_now(struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (condition_is(c, "True") && (str_is_any_nocase(c->type, list_serves_now) || is_of_all(v, c->type) || (is_available_by_kind(c->type, verdict_kind(v)->kind) && is_old(v))))
			return true;
	}
	return false;
}

const struct condition *being_ready_condition(const struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++)
		if (str_eq_nocase(verdict_condition_at(v, i)->type, STR("ready")))
			return verdict_condition_at(v, i);
	return NULL;
}

/* Returns the condition that tells whether the object as a whole can be used, or NULL. */
static const struct condition *goal_of(const struct verdict *v)
{
	const struct condition *c = NULL;

	for (const char *const *type = list_goal_of; *type && !c; type++)
		c = verdict_condition(v, *type);
	return c;
}

/* A step that was made soon after the object, or long before it lost its goal, and still holds. */
static bool began_well(const struct verdict *v, int64_t lost)
{
	int64_t soon = verdict_created(v) + thresholds.overdue, before = lost - thresholds.overdue > soon ? lost - thresholds.overdue : soon;

	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (condition_is(c, "True") && c->since && c->since < before && word_class(c->type) == WORD_OK)
			return true;
	}
	return false;
}

int64_t being_lost_at(struct facts *f)
{
	const struct condition *goal = goal_of(f->v);
	int64_t created = verdict_created(f->v);

	return goal && !condition_is(goal, "True") && goal->since > created ? goal->since : created;
}

/* It was ready before. */
bool being_lost_it_late(struct facts *f)
{
	const struct condition *goal = goal_of(f->v);
	int64_t created = verdict_created(f->v);

	return goal && !condition_is(goal, "True") && created && goal->since >= created + thresholds.overdue && began_well(f->v, goal->since);
}

int64_t being_lacks_since(struct facts *f)
{
	const struct condition *goal = goal_of(f->v);
	const struct replicas *r = &f->replicas;
	int64_t created = verdict_created(f->v);

	if (r->ready <= 0 || r->ready >= r->wanted || (r->updated >= 0 && r->updated < r->wanted) || (f->is & RUNS_ONCE) || f->moving_since)
		return 0;
	if (!condition_is(goal, "False") || !created || goal->since < created + thresholds.overdue || being_ran_another_version(f->v))
		return 0;
	return goal->since;
}

bool being_lost_part(struct facts *f, const struct fact *s)
{
	int64_t late = verdict_created(f->v) + thresholds.overdue;

	if (s->of != FACT_CONDITION || !verdict_created(f->v) || s->since < late || (f->is & RUNS_ONCE) || goal_of(f->v) || being_is_down(f))
		return false;
	for (size_t i = 0; i < verdict_condition_count(f->v); i++) {
		const struct condition *c = verdict_condition_at(f->v, i);

		if (condition_is(c, "True") && c->since && c->since < s->since && str_ends_any(c->type, list_lost_part) && !str_ends(c->type, "NotReady"))
			return true;
	}
	return false;
}

bool being_is_down(struct facts *f)
{
	return f->replicas.wanted > 0 && f->replicas.ready == 0;
}

bool being_never_reconciled(struct facts *f)
{
	return json_int(verdict_object(f->v), "status.observedGeneration", 0) < 0 && !(f->is & GOAL_IS_CURRENT);
}

static bool was_usable(struct facts *f)
{
	if ((f->is & RUNS_ONCE) || being_never_reconciled(f))
		return false;
	return (f->is & (IS_AT_GOAL | IS_USABLE)) || serves_now(f->v) || has_good_parts(f->v) || has_success_in_fields(f) ||
	       being_ran_another_version(f->v) || being_lost_it_late(f);
}

/* The object as a whole says since its creation that it is not ready. */
static bool is_just_made(struct facts *f)
{
	const struct condition *goal = goal_of(f->v);

	return goal && being_never_at_goal(f) && goal->since < verdict_created(f->v) + AT_ONCE;
}

bool being_serves(struct facts *f)
{
	/* the parts of what was just made may be ready before the whole */
	if (f->replicas.ready > 0)
		return !is_just_made(f) || is_old(f->v);
	return !being_is_down(f) && facts_is(f, WAS_USABLE);
}

bool being_never_at_goal(struct facts *f)
{
	const struct condition *goal = goal_of(f->v);
	int64_t created = verdict_created(f->v);

	if (!created || facts_is(f, WAS_USABLE))
		return false;
	if (goal)
		return (condition_is(goal, "False") || condition_is(goal, "Unknown")) && goal->since && goal->since < created + thresholds.pod_start_grace;
	/* there is no such condition yet */
	return !verdict_past(f->v, created + thresholds.young);
}

static bool never_usable(struct facts *f)
{
	if (f->replicas.ready > 0)
		return false;
	return being_never_at_goal(f) || (being_is_down(f) && !facts_is(f, WAS_USABLE));
}

/* ---- runs --------------------------------------------------------------------- */

bool being_runs_once(struct verdict *v)
{
	struct str kind = verdict_kind(v)->kind;
	struct json status = json_at(verdict_object(v), "status");

	if (str_starts(kind, "Cron") || str_starts(kind, "Scheduled") || str_starts(kind, "Scaled"))
		return false;
	/* what was requested and can be ready lasts */
	if (str_ends(kind, "Request") && (verdict_condition(v, "Ready") || verdict_condition(v, "Available")))
		return false;
	if (str_ends_any(kind, list_runs))
		return true;
	/* what can be available lasts */
	if (verdict_condition(v, "Available"))
		return false;
	return being_has_begun(status);
}

bool being_has_begun(struct json status)
{
	for (const char *const *begin = list_has_begun; *begin; begin++)
		if (json_str(status, *begin).len)
			return true;
	return false;
}

bool being_lasts(struct str word)
{
	return !str_contains_any_nocase(word, list_endings);
}

/* The time at which a run ended; JSON_NONE: it has not. */
static struct json end_of(struct json status)
{
	for (const char *const *end = list_end_of; *end; end++)
		if (json_has(status, *end))
			return json_member(status, str_of(*end));
	return JSON_NONE;
}

bool being_has_ended(struct json status)
{
	return end_of(status).node != NULL;
}

int64_t being_ended_well(const struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	for (const char *const *name = list_ended_well; *name; name++) {
		struct str word = json_str(status, *name);

		/* "Completed" may say only that it is over */
		if (word.len)
			return word_class(word) == WORD_OK && phrase_has(word, "succe* pass*") ? json_time(end_of(status), "") : 0;
	}
	return 0;
}

/* ---- replicas ------------------------------------------------------------------- */

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

bool being_asks_for_replicas(struct verdict *v, int least)
{
	int left = SPEC_FIELDS;

	return has_replicas(json_at(verdict_object(v), "spec"), least, SPEC_DEPTH, &left);
}

/* All are updated but those that the strategy holds back until a person lets them go. */
static bool is_held_back(struct facts *f)
{
	const struct replicas *r = &f->replicas;

	if (f->partition <= 0 || r->updated < 0 || r->updated >= r->wanted || (r->ready >= 0 && r->ready < r->wanted))
		return false;
	return r->updated >= r->wanted - f->partition;
}

/* Counts that are too low on an object of that age are no start, and nothing says that a new state is rolled out. */
static bool lacks_for_long(struct facts *f)
{
	const struct replicas *r = &f->replicas;
	bool by_rows = f->is & COUNTED_BY_ROWS;
	int64_t created = verdict_created(f->v);

	if (r->ready >= r->wanted || (!by_rows && ((f->is & IS_MOVING) || !created || r->ready < 0 || (r->updated >= 0 && r->updated < r->wanted))))
		return false;
	return verdict_past(f->v, created + (by_rows ? thresholds.pod_start_grace : thresholds.overdue));
}

/* ---- what follows of it, when somebody asks --------------------------------------- */

/* The object is being made: it has not existed for long, and was not seen to be ready before. */
static bool is_fresh(struct facts *f)
{
	const struct fact *well = facts_best(f, FACT_ANYTHING, ABOUT_WHOLE, WORD_OK);
	bool served = (f->is & IS_AT_GOAL) && well && well->since && verdict_now(f->v) - well->since > thresholds.young;

	return verdict_created(f->v) && !served && !verdict_past(f->v, verdict_created(f->v) + thresholds.pod_start_grace);
}

static bool is_young(struct facts *f)
{
	return verdict_created(f->v) && !verdict_past(f->v, verdict_created(f->v) + thresholds.young);
}

static bool is_grown(struct facts *f)
{
	if (f->is & (IS_AT_GOAL | IS_USABLE))
		return true;
	return verdict_created(f->v) && verdict_past(f->v, verdict_created(f->v) + thresholds.overdue);
}

static bool lacks_some(struct facts *f)
{
	return f->replicas.wanted > 0 && f->replicas.ready >= 0 && f->replicas.ready < f->replicas.wanted;
}

static bool lacks_updates(struct facts *f)
{
	return f->replicas.wanted > 0 && f->replicas.updated >= 0 && f->replicas.updated < f->replicas.wanted;
}

static bool has_some(struct facts *f)
{
	return f->replicas.ready > 0;
}

static bool has_ended(struct facts *f)
{
	return being_has_ended(json_at(verdict_object(f->v), "status"));
}

/* The controller has handled this spec and had nothing to report: the rest of the status is empty. */
static bool follows_spec(struct facts *f)
{
	struct json status = json_at(verdict_object(f->v), "status");

	json_foreach(field, status)
		if (!str_is(json_key(field), "observedGeneration") &&
		    (json_count(field) || json_str(field, "").len || json_type(field) == JSON_BOOL || json_type(field) == JSON_NUMBER))
			return false;
	return verdict_generation(f->v) > 0 && json_int(status, "observedGeneration", -1) == verdict_generation(f->v);
}

static const struct {
	enum being being;
	bool (*is)(struct facts *f);
} asked[] = {
	{ IS_FRESH, is_fresh },		{ IS_YOUNG, is_young },		{ IS_GROWN, is_grown },
	{ WAS_USABLE, was_usable },	{ NEVER_USABLE, never_usable }, { IS_HELD_BACK, is_held_back },
	{ LACKS_SOME, lacks_some },	{ LACKS_UPDATES, lacks_updates }, { HAS_SOME, has_some },
	{ LACKS_FOR_LONG, lacks_for_long }, { ENDED, has_ended },	{ FOLLOWS_SPEC, follows_spec },
};

void facts_forget(struct facts *f)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		f->is &= ~(unsigned)asked[i].being;
	f->known = 0;
}

bool facts_is(struct facts *f, unsigned being)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if ((being & asked[i].being) && !(f->known & asked[i].being)) {
			f->known |= asked[i].being;
			f->is |= asked[i].is(f) ? asked[i].being : 0;
		}
	return (f->is & being) == being;
}

/* ---- words for errors ------------------------------------------------------------- */

/* "400: the name is too long", "HTTP 409 Conflict": the answer of a server that refused. */
static bool begins_with_refusal(struct str message)
{
	struct str code = str_starts(message, "HTTP ") ? str_from(message, 5) : message;

	if (code.len < 4 || (code.ptr[0] != '4' && code.ptr[0] != '5') || !is_digit(code.ptr[1]) || !is_digit(code.ptr[2]))
		return false;
	return code.ptr[3] == ':' || (code.ptr[3] == ' ' && code.len > 4 && is_upper(code.ptr[4]));
}

bool being_is_surely_error(struct str message)
{
	return str_contains_any_nocase(message, list_surely_an_error) || (str_starts(message, "no ") && str_contains(message, " could "));
}

bool being_tells_error(struct str message)
{
	if (begins_with_refusal(message) || being_is_surely_error(message))
		return true;
	return !phrase_has(message, "waiting") && phrase_has(message, "err error* errors fail* cannot unable denied forbidden refused timeout* timed invalid exceeded");
}
