/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells whether an object could ever be used, by what its own status still says of earlier times: trouble makes one that
 * was in use Degraded, and one that never was Failed.
 */
#include "kube/family/generic/generic.h"

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
	static const char *const names[] = { "artifact", "lastAppliedRevision", "notAfter", "refreshTime", NULL };

	static const char *const done[] = { "lastSuccess", "lastPush", "lastPulled", "lastFetched", "lastImported", "lastPublished", "lastDeployed", "lastSynced", NULL };

	return str_starts_any(key, done) || str_is_any_nocase(key, names);
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

static bool has_success_in_fields(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	json_foreach(field, status)
		if ((tells_success(json_key(field)) && is_something(field)) || is_of_an_earlier_one(v, status, field))
			return true;
	return false;
}

bool generic_ran_another_version(struct verdict *v)
{
	static const char *const fields[] = { "status.version", "status.currentVersion", "status.runningVersion", "status.installedVersion", NULL };
	struct str wanted = json_str(verdict_object(v), "spec.version"), runs = STR_NONE;

	for (const char *const *field = fields; *field && runs.len == 0; field++)
		runs = json_str(verdict_object(v), *field);
	return wanted.len && runs.len && !generic_version_reached(wanted, runs);
}

/* Returns true for "provisionedNamespaces: [a, b]", the parts for which all went well. */
static bool has_good_parts(struct verdict *v)
{
	static const char *const done[] = { "provisioned", "synced", "deployed", "installed", "applied", NULL };

	json_foreach(field, json_at(verdict_object(v), "status"))
		for (const char *const *word = done; json_is_array(field) && json_count(field) && *word; word++)
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
	int64_t created = verdict_created(v), old = created + thresholds.overdue;

	if (created && verdict_now(v) < old)
		verdict_revisit(v, old);
	return created && verdict_now(v) >= old;
}

/* "AllReplicasReady" of an object whose first generation was handled to its end: at the first time it comes too early. */
static bool is_of_all(struct verdict *v, struct str type)
{
	static const char *const ends[] = { "Ready", "Available", "Healthy", NULL };

	return str_starts(type, "All") && str_ends_any(type, ends) &&
	       json_int(json_at(verdict_object(v), "status"), "observedGeneration", 0) > 0;
}

static bool serves_now(struct verdict *v)
{
	static const char *const types[] = { "Available", "Serving", "Online", NULL };

	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (condition_is(c, "True") && (str_is_any_nocase(c->type, types) || is_of_all(v, c->type) || (is_available_by_kind(c->type, verdict_kind(v)->kind) && is_old(v))))
			return true;
	}
	return false;
}

const struct condition *generic_ready_condition(const struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++)
		if (str_eq_nocase(verdict_condition_at(v, i)->type, STR("ready")))
			return verdict_condition_at(v, i);
	return NULL;
}

/* Returns the condition that tells whether the object as a whole can be used, or NULL. */
static const struct condition *goal_of(const struct verdict *v)
{
	static const char *const types[] = { "Ready", "Available", "Healthy", "Succeeded", "Completed", NULL };
	const struct condition *c = NULL;

	for (const char *const *type = types; *type && !c; type++)
		c = verdict_condition(v, *type);
	return c;
}

/* A step that was made soon after the object, and still holds. */
static bool began_well(const struct verdict *v)
{
	int64_t soon = verdict_created(v) + thresholds.overdue;

	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (condition_is(c, "True") && c->since && c->since < soon && word_class(c->type) == WORD_OK)
			return true;
	}
	return false;
}

int64_t generic_lost_at(const struct evidence *e)
{
	const struct condition *goal = goal_of(e->v);
	int64_t created = verdict_created(e->v);

	return goal && !condition_is(goal, "True") && goal->since > created ? goal->since : created;
}

/* It was ready before. */
bool generic_lost_it_late(const struct evidence *e)
{
	const struct condition *goal = goal_of(e->v);
	int64_t created = verdict_created(e->v);

	return condition_is(goal, "False") && created && goal->since >= created + thresholds.overdue && began_well(e->v);
}

int64_t generic_lacks_since(const struct evidence *e)
{
	const struct condition *goal = goal_of(e->v);
	const struct replicas *r = &e->replicas;
	int64_t created = verdict_created(e->v);

	if (r->ready <= 0 || r->ready >= r->wanted || (r->updated >= 0 && r->updated < r->wanted) || e->runs_once || e->moving_since)
		return 0;
	if (!condition_is(goal, "False") || !created || goal->since < created + thresholds.overdue || generic_ran_another_version(e->v))
		return 0;
	return goal->since;
}

bool generic_part_was_lost(const struct evidence *e, const struct sign *s)
{
	static const char *const ends[] = { "Ready", "Available", "Healthy", "Reconciled", "Deployed", "Installed", NULL };
	int64_t late = verdict_created(e->v) + thresholds.overdue;

	if (!s->condition || !verdict_created(e->v) || s->since < late || e->runs_once || goal_of(e->v) || generic_is_down(e))
		return false;
	for (size_t i = 0; i < verdict_condition_count(e->v); i++) {
		const struct condition *c = verdict_condition_at(e->v, i);

		if (condition_is(c, "True") && c->since && c->since < s->since && str_ends_any(c->type, ends) && !str_ends(c->type, "NotReady"))
			return true;
	}
	return false;
}

bool generic_is_down(const struct evidence *e)
{
	return e->replicas.wanted > 0 && e->replicas.ready == 0;
}

bool generic_never_reconciled(const struct evidence *e)
{
	return json_int(verdict_object(e->v), "status.observedGeneration", 0) < 0 && !e->goal_is_current;
}

bool generic_was_usable(const struct evidence *e)
{
	if (e->runs_once || generic_never_reconciled(e))
		return false;
	return e->ready || e->usable || serves_now(e->v) || has_good_parts(e->v) || has_success_in_fields(e->v) ||
	       generic_ran_another_version(e->v) || generic_lost_it_late(e);
}

/* The object as a whole says since its creation that it is not ready. */
static bool is_just_made(const struct evidence *e)
{
	const struct condition *goal = goal_of(e->v);

	return goal && generic_never_at_goal(e) && goal->since < verdict_created(e->v) + AT_ONCE;
}

bool generic_serves(const struct evidence *e)
{
	/* the parts of what was just made may be ready before the whole */
	if (e->replicas.ready > 0)
		return !is_just_made(e) || is_old(e->v);
	return !generic_is_down(e) && generic_was_usable(e);
}

bool generic_never_at_goal(const struct evidence *e)
{
	const struct condition *goal = goal_of(e->v);
	int64_t created = verdict_created(e->v);

	if (!created || generic_was_usable(e))
		return false;
	if (goal)
		return (condition_is(goal, "False") || condition_is(goal, "Unknown")) && goal->since && goal->since < created + thresholds.pod_start_grace;
	/* there is no such condition yet */
	if (verdict_now(e->v) < created + thresholds.young)
		verdict_revisit(e->v, created + thresholds.young);
	return verdict_now(e->v) < created + thresholds.young;
}

/* "ControlPlaneInitialized=False": what is done once, at the beginning, is not done. */
static bool is_not_begun(const struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		const struct condition *c = verdict_condition_at(v, i);

		if (condition_is(c, "False") && phrase_has(c->type, "initialized bootstrapped"))
			return true;
	}
	return false;
}

bool generic_never_usable(const struct evidence *e)
{
	if (e->replicas.ready > 0)
		return false;
	return is_not_begun(e->v) || generic_never_at_goal(e) || (generic_is_down(e) && !generic_was_usable(e));
}

/* "Ready=False" beside "phase: Pending", and no error. */
static bool is_still_made(const struct evidence *e, const struct sign *s)
{
	const struct sign *moving = &e->best[STRONG][WORD_PROGRESS];

	return moving->class != WORD_NONE && moving->phase && !generic_tells_error(s->message) && !generic_tells_error(s->reason);
}

bool generic_first_attempt(const struct evidence *e, const struct sign *s)
{
	int64_t end = verdict_created(e->v) + thresholds.young;

	/* "Ready=False" may be said of a beginning, "Failed=True" and a word of a phase may not */
	if ((!s->lost && !s->undecided) || e->runs_once || !verdict_created(e->v) || verdict_now(e->v) >= end || generic_was_usable(e))
		return false;
	if (!((s->by_message || s->undecided) && s->since < verdict_created(e->v) + AT_ONCE) && !phrase_lacks(s->message) &&
	    !is_still_made(e, s) && !(phrase_lacks(s->reason) && word_class(s->message) != WORD_BAD) &&
	    !(e->moving_since && e->moving_since >= s->since))
		return false;
	verdict_revisit(e->v, end);
	return true;
}
