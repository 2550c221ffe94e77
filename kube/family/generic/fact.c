/* SPDX-License-Identifier: Apache-2.0 */
/* Plain facts in the status of an unknown kind: booleans, numbers, times. */
#include "kube/family/generic/field_name.h"
#include "kube/family/generic/generic.h"

#include "kube/status/thresholds.h"

/* ---- booleans ------------------------------------------------------------ */

static const struct bool_row {
	const char *field;
	enum word_class when_true, when_false;
	enum strength strength;
} bools[] = {
	{ "ready", WORD_OK, WORD_PROGRESS, STRONG },
	{ "healthy", WORD_OK, WORD_BAD, STRONG },
	{ "available", WORD_OK, WORD_PROGRESS, STRONG },
	{ "succeeded", WORD_OK, WORD_PROGRESS, STRONG },
	{ "readyToUse", WORD_OK, WORD_PROGRESS, STRONG },
	{ "isReady", WORD_OK, WORD_PROGRESS, STRONG },
	{ "completed", WORD_OK, WORD_PROGRESS, STRONG },
	{ "synced", WORD_OK, WORD_PROGRESS, STRONG },
	{ "provisioned", WORD_OK, WORD_PROGRESS, STRONG },
	{ "applied", WORD_OK, WORD_PROGRESS, WEAK },
	{ "active", WORD_OK, WORD_NONE, WEAK },
	{ "initialized", WORD_NONE, WORD_PROGRESS, WEAK },
	{ "valid", WORD_OK, WORD_BAD, WEAK },
	{ "success", WORD_OK, WORD_BAD, STRONG },
	{ "isSuccess", WORD_OK, WORD_BAD, STRONG },
	{ "issuccess", WORD_OK, WORD_BAD, STRONG },
	{ "isHealthy", WORD_OK, WORD_BAD, STRONG },
	{ "integrity", WORD_OK, WORD_BAD, WEAK },
	{ "passed", WORD_OK, WORD_BAD, STRONG },
	{ "pass", WORD_OK, WORD_BAD, STRONG },
	{ "mounted", WORD_OK, WORD_PROGRESS, WEAK },
	{ "registered", WORD_OK, WORD_PROGRESS, WEAK },
	{ "created", WORD_OK, WORD_PROGRESS, WEAK },
	{ "failed", WORD_BAD, WORD_NONE, STRONG },
	{ "degraded", WORD_BAD, WORD_NONE, STRONG },
	{ "stalled", WORD_BAD, WORD_NONE, STRONG },
	{ "paused", WORD_SUSPENDED, WORD_NONE, STRONG },
	{ "suspended", WORD_SUSPENDED, WORD_NONE, STRONG },
	{ "hibernated", WORD_SUSPENDED, WORD_NONE, STRONG },
};

/* Returns 1 for true and 0 for false, in JSON or as a word; -1 for everything else. */
static int truth(struct json value)
{
	struct str word;

	if (json_type(value) == JSON_BOOL)
		return json_bool(value, "", false);
	word = json_str(value, "");
	if (str_eq_nocase(word, STR("true")))
		return 1;
	return str_eq_nocase(word, STR("false")) ? 0 : -1;
}

static bool is_listed_bool(struct str key)
{
	for (size_t i = 0; i < sizeof(bools) / sizeof(bools[0]); i++)
		if (str_is(key, bools[i].field))
			return true;
	return false;
}

/* Older than anything takes for the first time. */
static bool is_old(const struct evidence *e)
{
	int64_t created = verdict_created(e->v);

	if (!created || e->runs_once)
		return false;
	verdict_revisit(e->v, created + thresholds.overdue);
	return verdict_now(e->v) - created >= thresholds.overdue;
}

/* Judges booleans by the words of their names: "infrastructureReady: false", "noMatchingInstances: true". */
static void other_bool(struct evidence *e, struct json field, struct json status)
{
	static const char *const goals[] = { "ready",	  "available", "healthy", "synced",
					     "connected", "bound",     "valid",	  "accepted",
					     "provisioned", "uptodate", "insync", NULL };
	static const char *const checks[] = { "checkresult", NULL };
	struct str key = json_key(field);
	bool is = truth(field) > 0;
	enum word_class class = word_class_of_name(key);
	struct sign sign;

	if (class == WORD_NONE && str_ends_any_nocase(key, checks))
		class = is ? WORD_OK : WORD_BAD;
	else if (field_tells_life(key))
		class = is ? WORD_OK : is_old(e) ? WORD_BAD : WORD_PROGRESS;
	else if (class == WORD_OK)
		class = !str_ends_any_nocase(key, goals) ? WORD_NONE : is ? WORD_OK : WORD_PROGRESS;
	else if (class != WORD_BAD || !is)
		class = WORD_NONE;
	sign = (struct sign){ .class = class, .weight = 4, .word = key };
	if (!generic_outweighs(e, WEAK, sign))
		return;
	if (class == WORD_BAD && !is)
		sign.message = json_str(status, "message").len ? json_str(status, "message") : json_str(status, "reason");
	sign.rule = arena_printf(verdict_arena(e->v), "field " STR_FMT " is %s", STR_ARG(key),
				 is ? "true" : "false");
	generic_add_sign(e, WEAK, sign);
}

static void bool_fields(struct evidence *e, struct json status)
{
	struct str message = generic_explanation(status), reason = generic_reason(status);

	for (size_t i = 0; i < sizeof(bools) / sizeof(bools[0]); i++) {
		const struct bool_row *row = &bools[i];
		struct json field = json_member(status, str_of(row->field));
		int is = truth(field);
		enum word_class class = is > 0 ? row->when_true : row->when_false;

		if (is < 0 || class == WORD_NONE || ignored_has(&e->ignored, field))
			continue;
		e->any = true;
		/* "applied: false" beside "permission denied" means more than not yet, and so does an outcome after a long time */
		if (class == WORD_PROGRESS && str_is(str_of(row->field), "succeeded") && is_old(e))
			class = WORD_BAD;
		if (class == WORD_PROGRESS &&
		    (word_class(message) == WORD_BAD || word_class(reason) == WORD_BAD))
			class = WORD_BAD;
		generic_add_sign(e, row->strength,
			     (struct sign){
				     .class = class,
				     .weight = 6,
				     .truth = true,
				     .word = str_of(row->field),
				     .reason = reason,
				     .message = message,
				     .rule = arena_printf(verdict_arena(e->v), "field %s is %s",
							  row->field, is ? "true" : "false"),
			     });
	}
}

/* ---- counts -------------------------------------------------------------- */

static const char *const wanted_in_status[] = { "desiredReplicas",
						"expectedReplicas",
						"desiredNumberScheduled",
						"expectedNodes",
						"expectedMachines",
						"desired",
						"size",
						"desiredCount",
						"expected",
						"instances",
						"total",
						NULL };
static const char *const wanted_in_spec[] = { "replicas", "instances", "size",
					      "nodes",	  "members",   NULL };
static const char *const ready_names[] = { "readyReplicas",  "numberReady",    "availableReplicas",
					   "availableNodes", "readyNodes",     "readyInstances",
					   "readyMembers",   "currentHealthy", "readyCount",
					   "ready",	     NULL };
/* Numbers of what runs; "size" and "total" may be those of a supply, of which some is available. */
static const char *const wanted_of_parts[] = { "replicas", "instances", "nodes", "members", "desired", "expected", "desiredReplicas", NULL };

static int number(struct json from, const char *const *names)
{
	for (; *names; names++) {
		int64_t n = json_int(json_member(from, str_of(*names)), "", -1);

		if (n >= 0 && n < INT32_MAX)
			return (int)n;
	}
	return -1;
}

/* Reads "nodeSets: [{count: 3}, {count: 2}]": the first list of the spec whose elements all have a size. */
static int sum_of_list(struct json spec)
{
	static const char *const sizes[] = { "count", "replicas", "size", NULL };

	json_foreach(list, spec)
	{
		int sum = 0;

		if (!json_is_array(list) || json_count(list) == 0)
			continue;
		json_foreach(element, list)
		{
			int n = number(element, sizes);

			sum = sum < 0 || n < 0 || sum > INT32_MAX - n ? -1 : sum + n;
		}
		if (sum >= 0)
			return sum;
	}
	return -1;
}

/* Returns the wanted number that belongs to "readyMembers": members, desiredMembers, ... */
static int wanted_beside(struct arena *a, struct json part, struct str what, bool ready)
{
	static const char *const plain[] = { "desired", "expected", "size", "total", "count", "replicas", "all", NULL };
	const char *names[4] = { NULL };
	char *first;

	if (what.len == 0)
		return ready ? number(part, plain) : -1;
	names[0] = arena_printf(a, "desired" STR_FMT, STR_ARG(what)).ptr;
	names[1] = arena_printf(a, "expected" STR_FMT, STR_ARG(what)).ptr;
	if (ready) {
		first = arena_alloc(a, what.len + 1);
		for (size_t i = 0; i < what.len; i++)
			first[i] = what.ptr[i];
		if (first[0] >= 'A' && first[0] <= 'Z')
			first[0] = (char)(first[0] - 'A' + 'a');
		names[2] = first;
	}
	return number(part, names);
}

/*
 * The wanted number is searched for among all fields of the part, so this is done only for as many counts as a part
 * usually has.
 */
enum { PART_COUNTS = 16 };

/* Reads podStatus: {ready: [a], starting: [b, c]}: what lives, in a list for each state. */
static bool lists_by_state(struct evidence *e, struct json part)
{
	int ready = -1;
	size_t all = 0;

	if (!field_is_alive(json_key(part)))
		return false;
	json_foreach(field, part)
	{
		if (json_type(field) != JSON_NULL && !json_is_array(field))
			return false;
		all += json_count(field);
		if (str_is(json_key(field), "ready") && all < INT32_MAX / 2)
			ready = (int)json_count(field);
	}
	if (ready < 0 || all > INT32_MAX / 2 || e->parts_wanted > INT32_MAX / 2)
		return false;
	e->parts_wanted += (int)all;
	e->parts_ready += ready;
	return true;
}

void generic_part_counts(struct evidence *e, struct json part)
{
	int searches = PART_COUNTS;

	if (!json_is_object(part) || lists_by_state(e, part))
		return;
	json_foreach(field, part)
	{
		struct str key = json_key(field);
		bool ready = str_starts(key, "ready"), available = str_starts(key, "available");
		int64_t have = json_int(field, "", -1);
		int wanted;

		if ((!ready && !available) || have < 0 || have > INT32_MAX / 2)
			continue;
		if (searches-- == 0)
			return;
		wanted = wanted_beside(verdict_arena(e->v), part, str_from(key, ready ? 5 : 9), ready);
		if (wanted < 0 || wanted > INT32_MAX / 2 || e->parts_wanted > INT32_MAX / 2)
			continue;
		/* a part with more than it wants does not make up for another one */
		e->parts_wanted += wanted;
		e->parts_ready += have < wanted ? (int)have : wanted;
	}
}

/* Reads updateStrategy: {type: OnDelete}: what runs is updated only when somebody deletes it. */
static bool is_updated_by_hand(struct json spec)
{
	json_foreach(field, spec)
		if (str_contains_nocase(json_key(field), "strategy") &&
		    (str_is(json_str(field, ""), "OnDelete") || str_is(json_str(field, "type"), "OnDelete")))
			return true;
	return false;
}

/* Reads updateStrategy: {rollingUpdate: {partition: 2}}: so many keep the old state until somebody lowers it; 0: none do. */
static int partition(struct json spec)
{
	static const char *const names[] = { "partition", NULL };

	json_foreach(strategy, spec)
	{
		int held = number(strategy, names);

		if (!str_contains_nocase(json_key(strategy), "strategy"))
			continue;
		json_foreach(part, strategy)
			if (held < 0)
				held = number(part, names);
		if (held > 0)
			return held;
	}
	return 0;
}

int generic_in_use(struct json map)
{
	static const char *const allocated[] = { "allocatedReplicas", NULL };
	static const char *const reserved[] = { "reservedReplicas", NULL };
	int a = number(map, allocated), b = number(map, reserved);

	return (a > 0 && a < INT32_MAX / 4 ? a : 0) + (b > 0 && b < INT32_MAX / 4 ? b : 0);
}

static void counts(struct evidence *e, struct json status)
{
	static const char *const updated[] = { "updatedReplicas", "updatedNumberScheduled", "upToDateReplicas", NULL };
	static const char *const current[] = { "replicas", "currentNumberScheduled", NULL };
	static const char *const available_name[] = { "available", NULL };
	static const char *const unavailable[] = { "unavailableReplicas", "unreadyReplicas", "numberUnavailable", NULL };
	struct json spec = json_at(verdict_object(e->v), "spec");
	struct replicas *r = &e->replicas;

	r->wanted = number(spec, wanted_in_spec);
	e->wants_none = r->wanted == 0;
	if (r->wanted < 0) {
		r->wanted = number(status, wanted_in_status);
		e->wanted_by_status = r->wanted >= 0;
	}
	e->partition = partition(spec);
	r->ready = number(status, ready_names);
	if (r->ready < 0 && (number(spec, wanted_of_parts) >= 0 || number(status, wanted_of_parts) >= 0))
		r->ready = number(status, available_name);
	if (r->ready >= 0 && r->ready < INT32_MAX / 4)
		r->ready += generic_in_use(status);
	r->updated = is_updated_by_hand(spec) ? -1 : number(status, updated);
	r->current = number(status, current);
	/* programs in Go leave out a 0: what is counted as unavailable tells how many are left */
	if (r->ready < 0 && r->current >= 0 && number(status, unavailable) > 0)
		r->ready = r->current > number(status, unavailable) ? r->current - number(status, unavailable) : 0;
	if (r->wanted < 0 && r->ready >= 0)
		r->wanted = r->current;
	if (r->wanted < 0 && r->ready >= 0)
		r->wanted = sum_of_list(spec);
	if (r->wanted >= 0)
		verdict_replicas(e->v, *r);
}

static bool is_schedule(struct verdict *v)
{
	struct str kind = verdict_kind(v)->kind;

	return json_has(verdict_object(v), "spec.schedule") || str_starts(kind, "Cron") ||
	       str_starts(kind, "Scheduled") || str_ends(kind, "Schedule");
}

/*
 * An object that starts runs by a schedule is healthy when it has started one, or knows when it will; whether the run
 * succeeds is the run's own matter.
 */
static void schedule(struct evidence *e, struct json status)
{
	static const char *const times[] = { "lastScheduleTime", "lastCheckTime", "nextScheduleTime", NULL };

	for (const char *const *field = times; *field; field++) {
		if (json_str(status, *field).len == 0 || !is_schedule(e->v))
			continue;
		e->any = true;
		generic_add_sign(e, WEAK,
				 (struct sign){ .class = WORD_OK,
						.weight = 1,
						.word = str_of(*field),
						.rule = arena_printf(verdict_arena(e->v), "field %s, and a schedule", *field) });
		return;
	}
}

void generic_facts(struct evidence *e, struct json status)
{
	bool_fields(e, status);
	json_foreach(field, status)
	{
		if (ignored_has(&e->ignored, field))
			continue;
		if (truth(field) >= 0 && !is_listed_bool(json_key(field)))
			other_bool(e, field, status);
		/* Reads health: {ready: false}. */
		if (json_is_object(field) && str_ends(json_key(field), "ealth"))
			bool_fields(e, field);
	}
	counts(e, status);
	schedule(e, status);
}

void generic_counts_of_parts(struct evidence *e)
{
	struct replicas *r = &e->replicas;

	if (r->wanted >= 0 && r->ready >= 0)
		return;
	/* "stacks: 2, readyStacks: 1" of the status itself */
	if (e->parts_wanted == 0)
		generic_part_counts(e, json_at(verdict_object(e->v), "status"));
	if (e->parts_wanted > 0) {
		r->wanted = e->parts_wanted;
		r->ready = e->parts_ready;
	} else if (e->share_wanted > 0) {
		r->wanted = e->share_wanted;
		r->ready = e->share_ready;
	} else {
		return;
	}
	verdict_replicas(e->v, *r);
}

void generic_member_words(struct evidence *e, struct json list)
{
	static const char *const names[] = { "state", "status", "phase", "health", NULL };
	enum { MOST = 64 }; /* members that are read: more than that are counted by their operator */
	int ready = 0;

	if (!field_is_alive(json_key(list)) || json_count(list) == 0 || json_count(list) > MOST)
		return;
	json_foreach(member, list)
	{
		struct str word = STR_NONE;

		for (const char *const *name = names; *name && word.len == 0; name++)
			word = json_str(member, *name);
		if (word.len == 0)
			return;
		ready += word_class(word) == WORD_OK;
	}
	e->members_wanted += (int)json_count(list);
	e->members_ready += ready;
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
void generic_results(struct evidence *e)
{
	static const char *const well[] = { "finished", "succeeded", "completed", NULL };
	static const char *const ill[] = { "failed", "failures", "errors", "inProgress", "pending", NULL };
	struct json status = json_at(verdict_object(e->v), "status");
	bool failed = amount_of(status, ill) > 0;
	struct sign sign = { .class = failed ? WORD_BAD : WORD_OK, .weight = 1, .phase = true };

	if (!e->runs_once || (!failed && amount_of(status, well) == 0))
		return;
	sign.word = failed ? STR("failed") : STR("finished");
	sign.rule = failed ? STR("it has ended, and some of it failed") : STR("it has ended, and none of it failed");
	generic_add_sign(e, WEAK, sign);
}

/* ---- what went well ------------------------------------------------------- */

enum { ACHIEVEMENT_DEPTH = 2 }; /* levels below the status */

static void achieve(struct evidence *e, struct json field)
{
	if (e->achieved.class != WORD_NONE)
		return;
	e->achieved = (struct sign){ .class = WORD_OK, .word = json_key(field) };
	e->achieved.rule =
		arena_printf(verdict_arena(e->v), "field " STR_FMT ", and nothing else", STR_ARG(e->achieved.word));
}

/* "lastSyncAttempt", "lastFailedCopyTime" */
static bool is_no_success(struct str key)
{
	static const char *const words[] = { "attempt", "start", "tried", "fail", "error", NULL };

	return str_contains_any_nocase(key, words);
}

/* The time of the last success. */
static bool tells_success(struct json field, bool top)
{
	static const char *const times[] = { "lastSync", "lastResync", "lastRefresh", "lastRenew", "lastRotat", NULL };
	struct str key = json_key(field);
	bool success = str_starts(key, "lastSuccess") || (str_starts(key, "last") && str_ends(key, "Success"));

	if ((!success && !(top && (str_starts_any(key, times) || str_ends(key, "CompletedTime")))) || is_no_success(key))
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
static void failed_since(struct evidence *e, struct json map)
{
	struct json failure = later_failure(map);
	struct str key = json_key(failure);

	if (!failure.node)
		return;
	e->usable = true;
	generic_add_sign(e, WEAK, (struct sign){ .class = WORD_BAD,
						 .weight = 1,
						 .level = SEVERITY_WARNING,
						 .word = key,
						 .since = json_time(failure, ""),
						 .rule = arena_printf(verdict_arena(e->v), "field " STR_FMT ", after the last success",
								      STR_ARG(key)) });
}

/* The generation that was handled last; or "rulesGenerated: true" beside the generation that is handled. */
static bool is_done(const struct evidence *e, struct json field, struct json map)
{
	struct str key = json_key(field);
	int64_t generation = verdict_generation(e->v);

	if (str_is(key, "lastGeneration"))
		return generation > 0 && json_int(field, "", -1) == generation;
	return truth(field) > 0 && str_ends(key, "ed") && word_class(key) == WORD_OK && generation > 0 &&
	       json_int(map, "observedGeneration", -1) == generation;
}

/* How many times something failed; -1: the field does not count that. */
static int64_t failures(struct json field)
{
	static const char *const ends[] = { "failures", "errors", "violations", NULL };

	return str_ends_any_nocase(json_key(field), ends) ? json_int(field, "", -1) : -1;
}

/* "lastRun: {success: 1, errors: 2}" */
static void failed_run(struct evidence *e, struct json map)
{
	static const char *const names[] = { "error", "errors", "failed", "failures", NULL };

	for (const char *const *name = names; *name; name++) {
		struct json field = json_member(map, str_of(*name));
		struct sign sign = { .class = WORD_BAD, .weight = 1, .level = SEVERITY_WARNING, .word = json_key(map) };

		if (!str_starts(json_key(map), "last") || (json_int(field, "", 0) <= 0 && json_count(field) == 0))
			continue;
		sign.message = generic_explanation(map);
		sign.rule = arena_printf(verdict_arena(e->v), "field %s in " STR_FMT, *name, STR_ARG(sign.word));
		generic_add_sign(e, WEAK, sign);
	}
}

static void achievements_in(struct evidence *e, struct json map, int depth)
{
	bool top = depth == ACHIEVEMENT_DEPTH;
	struct json none = JSON_NONE;
	bool some = false;

	failed_since(e, map);
	failed_run(e, map);
	json_foreach(field, map)
	{
		int64_t n = failures(field);

		if (json_is_object(field) && depth > 0)
			achievements_in(e, field, depth - 1);
		if (n > 0)
			return;
		if (n == 0)
			none = field;
		else
			some |= json_int(field, "", 0) > 0 || json_count(field) > 0;
		if (tells_success(field, top) || is_done(e, field, map))
			achieve(e, field);
	}
	/* "entriesMade: 3, entryFailures: 0" */
	if (none.node && some)
		achieve(e, none);
}

void generic_achievements(struct evidence *e)
{
	struct json status = json_at(verdict_object(e->v), "status");

	if (e->runs_once)
		return;
	achievements_in(e, status, ACHIEVEMENT_DEPTH);
}
