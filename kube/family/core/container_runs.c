/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of containers: how the last one ended, since when they end again and again, and until when the next end is expected. */
#include "kube/family/core/core.h"

#include "kube/base/time.h"

/*
 * pkg/kubelet/kubelet.go (MaxContainerBackOff, backOffPeriod): a container is started again at once, then after 10 s, and
 * each time after twice as long, up to 5 min; after it has run for twice the longest back-off, that begins anew.
 */
#define FIRST_BACK_OFF SECONDS(10)
#define MAX_BACK_OFF MINUTES(5)
#define AFTER_RESTART MINUTES(1)
enum {
	MOST_RESTARTS = 1000000,	/* more are not counted */
	LONGEST_BACK_OFF = 6	/* restarts after which each further one is a whole back-off later */
};
#define LONGER SECONDS(5) /* so much longer than the last run is no chance */

struct str core_ended_word(struct verdict *v, struct json terminated)
{
	struct arena *a = verdict_arena(v);
	int64_t sig = json_int(terminated, "signal", 0);

	if (json_str(terminated, "reason").len)
		return json_str(terminated, "reason");
	if (sig)
		return arena_printf(a, "Signal:%d", (int)sig);
	return arena_printf(a, "ExitCode:%d", (int)json_int(terminated, "exitCode", 0));
}

bool core_ended_badly(struct json terminated)
{
	return terminated.node && json_int(terminated, "exitCode", 0) != 0;
}

struct json core_container_spec(const struct verdict *v, struct str name)
{
	static const char *const lists[] = { "spec.containers", "spec.initContainers", NULL };

	for (const char *const *list = lists; *list; list++)
		json_foreach(c, json_at(verdict_object(v), *list))
			if (str_eq(json_str(c, "name"), name))
				return c;
	return (struct json){ 0 };
}

static int64_t pod_started(const struct verdict *v)
{
	int64_t start = json_time(verdict_object(v), "status.startTime");

	return start ? start : verdict_created(v);
}

static int64_t restarts(struct json state)
{
	int64_t n = json_int(state, "restartCount", 0);

	return n < 0 ? 0 : n > MOST_RESTARTS ? MOST_RESTARTS : n;
}

/* Runs of the container that have ended and were followed by another one, or will be. */
static int64_t runs_ended(struct json state)
{
	return restarts(state) + !json_has(state, "state.running");
}

/* The container may have crashed all the time since the pod began: no run need have been a long one. */
static bool crashed_all_its_life(const struct verdict *v, struct json state, struct json last)
{
	int64_t finished = json_time(last, "finishedAt");

	return finished && finished - pod_started(v) <= runs_ended(state) * (CORE_BACK_OFF_FORGOTTEN + MAX_BACK_OFF);
}

struct json core_last_run(struct json state)
{
	struct json ended = json_at(state, "state.terminated");

	return ended.node ? ended : json_at(state, "lastState.terminated");
}

static struct str memory_limit(const struct verdict *v, struct json state)
{
	struct str limit = json_str(core_container_spec(v, json_str(state, "name")), "resources.limits.memory");

	return limit.len ? limit : json_str(state, "resources.limits.memory");
}

/* Returns ", 37 restarts in 26m", or "" before the first restart. */
static struct str restarts_told(struct verdict *v, struct json state, struct json last)
{
	int n = (int)restarts(state);
	char age[TIME_TEXT];

	if (n == 0)
		return STR_NONE;
	if (!crashed_all_its_life(v, state, last))
		return arena_printf(verdict_arena(v), ", %d restart%s", n, n == 1 ? "" : "s");
	return arena_printf(verdict_arena(v), ", %d restart%s in %s", n, n == 1 ? "" : "s",
			    time_age(json_time(last, "finishedAt") - pod_started(v), age));
}

struct str core_container_prefix(struct verdict *v, struct json state)
{
	struct json spec = json_at(verdict_object(v), "spec");
	size_t n = json_count(json_at(spec, "containers")) + json_count(json_at(spec, "initContainers"));

	return n < 2 ? STR_NONE : ARENA_JOIN(verdict_arena(v), STR("container "), json_str(state, "name"), STR(": "));
}

struct str core_how_it_ended(struct verdict *v, struct json state)
{
	struct json last = core_last_run(state);
	struct arena *a = verdict_arena(v);
	struct str word = core_ended_word(v, last), limit = memory_limit(v, state), exit = STR_NONE;
	struct str said = str_trim(json_str(last, "message"));

	if (str_is(word, "OOMKilled") && limit.len)
		word = ARENA_JOIN(a, word, STR(" (limit "), limit, STR(")"));
	if (json_str(last, "reason").len && json_has(last, "exitCode"))
		exit = arena_printf(a, ", exit %d", (int)json_int(last, "exitCode", 0));
	return ARENA_JOIN(a, core_container_prefix(v, state), word, exit, restarts_told(v, state, last),
			  str_of(said.len ? ": " : ""), said);
}

struct str core_why_it_ended(struct json last, struct str otherwise)
{
	struct str reason = json_str(last, "reason");
	bool tells = reason.len && !str_is(reason, "Error") && !str_is(reason, "Completed");

	return tells ? reason : otherwise;
}

/* How long the kubelet has waited until so many restarts were made. */
static int64_t waited(int64_t restarts)
{
	int64_t sum = 0, wait = FIRST_BACK_OFF;

	for (int64_t i = 1; i < restarts && i < LONGEST_BACK_OFF; i++, wait *= 2)
		sum += wait;
	return restarts > LONGEST_BACK_OFF ? sum + (restarts - LONGEST_BACK_OFF) * MAX_BACK_OFF : sum;
}

/* Of "back-off 2m40s restarting failed container": how many restarts of this loop were made before that wait. */
static int64_t restarts_before(struct str back_off)
{
	struct str wait = str_from(back_off, sizeof("back-off ") - 1);
	int64_t ms = str_starts(back_off, "back-off ") ? time_duration(str_head(wait, str_find(wait, ' '))) : -1, n = 1;

	for (int64_t each = FIRST_BACK_OFF; each < ms && n < LONGEST_BACK_OFF; each *= 2)
		n++;
	return n;
}

/*
 * The latest time at which the first crash of a loop can have been: each restart came after its back-off, and the runs
 * lasted as long as the last one.  Restarts of a long life may have been of other troubles: then the present back-off
 * tells how many belong to this one.
 */
int64_t core_loop_since(const struct verdict *v, struct json state)
{
	struct json last = core_last_run(state);
	int64_t finished = json_time(last, "finishedAt"), run = finished - json_time(last, "startedAt"), before, since;

	if (!finished)
		return 0;
	before = crashed_all_its_life(v, state, last) ? runs_ended(state) - 1
						      : restarts_before(json_str(state, "state.waiting.message"));
	if (before <= 0 || (json_has(state, "state.running") && !crashed_all_its_life(v, state, last)))
		return finished;
	run = json_has(last, "startedAt") && run > 0 && run < CORE_BACK_OFF_FORGOTTEN ? run : 0;
	since = finished - waited(before) - before * run;
	return since > pod_started(v) ? since : pod_started(v);
}

/* Returns until when the container runs no longer than the last time, so that its next crash is to be expected. */
int64_t core_proven_at(struct json state)
{
	struct json before = json_at(state, "lastState.terminated");
	int64_t began = json_time(state, "state.running.startedAt"), ended = json_time(before, "finishedAt");
	int64_t run = ended - json_time(before, "startedAt");

	if (!ended || !json_has(before, "startedAt") || run < 0 || run > AFTER_RESTART)
		return began;
	return began + run + LONGER;
}
