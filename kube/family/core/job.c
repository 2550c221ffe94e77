/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds that run to completion, once or repeatedly: Job and CronJob. */
#include "kube/family/core/core.h"

#include "kube/base/cron.h"
#include "kube/base/time.h"
#include "kube/status/thresholds.h"

/* ---- Job ----------------------------------------------------------------- */

/* What the rows of Jobs and CronJobs ask for. */
enum {
	SUSPENDED = 1 << 0,	/* spec.suspend */
	STARTED = 1 << 1,	/* its controller has begun */
	HAS_FAILURES = 1 << 2,	/* some of its pods have failed */
	NO_RUN_YET = 1 << 3,
	ACTIVE = 1 << 4,	/* a run is active */
	LAST_RUN_FAILED = 1 << 5 /* the last run has not ended well, and none is active */
};

static struct str job_counts(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	return arena_printf(verdict_arena(v), "%d active, %d succeeded, %d failed",
			    (int)json_int(status, "active", 0),
			    (int)json_int(status, "succeeded", 0),
			    (int)json_int(status, "failed", 0));
}

static void by_suspension(struct reading *r)
{
	r->condition = verdict_condition(r->v, "Suspended");
	r->rule = r->condition ? STR_NONE : STR("spec.suspend");
	if (r->condition)
		r->rule = condition_text(verdict_arena(r->v), r->condition);
}

static void by_counts(struct reading *r)
{
	r->rule = job_counts(r->v);
	r->since = json_time(verdict_object(r->v), "status.startTime");
}

/* The most final conditions come first.  What is asked for and what was done may differ while it is suspended or resumed. */
static const struct row job_rows[] = {
	{ "the job has ended well", .type = "Complete", .status = "True", .then = OUTCOME_READY, .flags = COMPLETE, .says = "Complete" },
	{ "the job has failed", .type = "Failed", .status = "True", .then = OUTCOME_TROUBLE, .flags = FINAL, .says = "Failed", .flag = "not-restarted" },
	{ "the job has failed, and its pods are being ended", .type = "FailureTarget", .status = "True", .then = OUTCOME_TROUBLE, .flags = FINAL,
	  .says = "FailureTarget", .flag = "not-restarted" },
	{ "the job has succeeded, and its pods are being ended", .type = "SuccessCriteriaMet", .status = "True", .then = OUTCOME_MOVEMENT,
	  .says = "SuccessCriteriaMet" },
	{ "the job is about to be suspended", .is = SUSPENDED, .type = "Suspended", .status = "False", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_UPDATING, .flags = UNDATED, .says = "Running", .rule = "spec.suspend is set, its pods are not gone yet" },
	{ "the job is suspended", .is = SUSPENDED, .then = OUTCOME_PAUSE, .says = "Suspended", .tell = by_suspension },
	{ "the job is about to be resumed", .type = "Suspended", .status = "True", .then = OUTCOME_MOVEMENT, .flags = UNDATED, .says = "Suspended",
	  .rule = "spec.suspend is unset, Suspended is still True" },
	{ "the job's controller has not begun", .not = STARTED, .then = OUTCOME_SILENCE },
	{ "the job runs again, after a failure", .is = HAS_FAILURES, .then = OUTCOME_MOVEMENT, .flags = RETRIED, .says = "Running", .tell = by_counts },
	{ "the job runs", .then = OUTCOME_MOVEMENT, .says = "Running", .tell = by_counts },
	{ 0 }
};

static void job(struct verdict *v)
{
	struct json object = verdict_object(v);
	int64_t wanted = json_int(object, "spec.completions", 1);

	if (json_has(object, "status.startTime") && wanted >= 0 && wanted < INT32_MAX)
		verdict_replicas(v, (struct replicas){ (int)wanted,
						       (int)json_int(object, "status.succeeded", 0),
						       -1,
						       (int)json_int(object, "status.active", 0) });
	table_decide(&(struct reading){ .v = v, .is = (json_bool(object, "spec.suspend", false) ? SUSPENDED : 0) |
						      (json_time(object, "status.startTime") ? STARTED : 0) |
						      (json_int(object, "status.failed", 0) > 0 ? HAS_FAILURES : 0) }, job_rows);
}

/* ---- CronJob ------------------------------------------------------------- */

/* The controller looks at a schedule within seconds; with clocks and a controller that restarts it may be late. */
#define CONTROLLER_LATE MINUTES(2)
/* Without the rules of a time zone, a time of day is known only so well. */
#define ZONE_UNKNOWN HOURS(26)

static bool is_of_utc(struct json object)
{
	struct str zone = json_str(object, "spec.timeZone");

	return zone.len == 0 || str_is(zone, "UTC") || str_is(zone, "Etc/UTC");
}

/*
 * Returns when the second of two runs should have been begun since that time; 0: the schedule cannot be read, or has no
 * second run.  The hours are those of the controller's own time zone, which is UTC nearly everywhere.
 */
static int64_t second_run_due(struct json object, int64_t from)
{
	bool utc = is_of_utc(object);
	struct cron cron;
	int64_t due;

	if (!from || !cron_parse(json_str(object, "spec.schedule"), &cron))
		return 0;
	due = cron_next(&cron, from);
	due = due ? cron_next(&cron, due) : 0;
	return !due ? 0 : due + CONTROLLER_LATE + (utc || cron.every ? 0 : cron.any_hour ? HOURS(1) : ZONE_UNKNOWN);
}

/* Nothing was begun for more than two intervals of the schedule, which a person has not suspended. */
static bool is_not_scheduled(struct reading *r)
{
	struct json object = verdict_object(r->v);
	int64_t scheduled = json_time(object, "status.lastScheduleTime");
	int64_t from = scheduled ? scheduled : verdict_created(r->v), due = second_run_due(object, from);
	struct str words = r->is & ACTIVE ? STR("nothing is scheduled since a run that is still active (concurrencyPolicy Forbid)")
					  : STR("nothing was scheduled");

	r->since = from;
	r->reason = r->is & ACTIVE ? STR("JobAlreadyActive") : STR("MissSchedule");
	r->message = ARENA_JOIN(verdict_arena(r->v), words, STR(", schedule "), json_str(object, "spec.schedule"));
	r->rule = scheduled ? STR("status.lastScheduleTime is older than two intervals of the schedule")
			    : STR("it is older than two intervals of the schedule, and has no lastScheduleTime");
	return due && verdict_past(r->v, due);
}

static bool forbids_two(struct json object)
{
	return str_is(json_str(object, "spec.concurrencyPolicy"), "Forbid");
}

static bool hangs(struct reading *r)
{
	return forbids_two(verdict_object(r->v)) && is_not_scheduled(r);
}

/* Notes when the next run is due, which is not begun while the last one is active. */
static void note_next_run(struct verdict *v, int64_t scheduled)
{
	struct json object = verdict_object(v);
	struct cron cron;
	int64_t due = forbids_two(object) && is_of_utc(object) && cron_parse(json_str(object, "spec.schedule"), &cron) ? cron_next(&cron, scheduled) : 0;

	if (due)
		verdict_expires(v, due, scheduled, 0);
}

static void since_scheduled(struct reading *r)
{
	r->since = json_time(verdict_object(r->v), "status.lastScheduleTime");
}

static void since_succeeded(struct reading *r)
{
	r->since = json_time(verdict_object(r->v), "status.lastSuccessfulTime");
}

static const struct row cron_rows[] = {
	{ "the schedule is suspended", .is = SUSPENDED, .then = OUTCOME_PAUSE, .rule = "spec.suspend" },
	{ "a run that does not end keeps the next from being begun", .is = ACTIVE, .holds = hangs, .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .flags = PASSED, .flag = "run-hangs" },
	{ "no run was begun when it was due", .not = ACTIVE, .holds = is_not_scheduled, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .flags = PASSED, .flag = "not-scheduled" },
	{ "nothing was to be run yet", .is = NO_RUN_YET, .then = OUTCOME_READY },
	{ "a run is active", .is = ACTIVE, .then = OUTCOME_READY },
	{ "the last run has not ended well", .is = LAST_RUN_FAILED, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .rule = "status.lastSuccessfulTime is before lastScheduleTime and none is active", .tell = since_scheduled },
	{ "the last run succeeded", .then = OUTCOME_READY, .tell = since_succeeded },
	{ 0 }
};

static void cron_job(struct verdict *v)
{
	struct json object = verdict_object(v);
	int64_t scheduled = json_time(object, "status.lastScheduleTime");
	bool active = json_count(json_at(object, "status.active")) > 0, suspended = json_bool(object, "spec.suspend", false);

	if (active && scheduled && !suspended)
		note_next_run(v, scheduled);
	table_decide(&(struct reading){ .v = v, .is = (suspended ? SUSPENDED : 0) | (active ? ACTIVE : 0) | (scheduled ? 0 : NO_RUN_YET) |
						      (json_time(object, "status.lastSuccessfulTime") < scheduled ? LAST_RUN_FAILED : 0) }, cron_rows);
}

/* ---- jobs ---------------------------------------------------------------- */

/*
 * Who suspends a Job, and admits it when it may run, keeps an object of its own for it, which the Job owns (Kueue's
 * Workload): what that one waits for, the Job waits for.
 */
static void wait_for_admission(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		if (n.relation != RELATION_OWNS || n.presence != PRESENCE_FOUND || !(n.kind->flags & KIND_CUSTOM))
			continue;
		if (n.status.phase == PHASE_READY || n.status.phase == PHASE_UNKNOWN)
			continue;
		assess_wait_for(d, &n);
		if (assess_message(d).len == 0)
			assess_tell(d, assess_reason(d), n.status.message);
	}
}

/* Finds the newest pod of an ended Job that failed. */
static bool last_failed_pod(struct assessment *d, struct neighbour *out)
{
	struct neighbour n;
	bool any = false;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		bool failed = core_is_kind(&n, "Pod") && n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND &&
			      n.status.phase == PHASE_FAILED;

		if (!failed || (any && (n.created < out->created || (n.created == out->created && str_cmp(n.name, out->name) > 0))))
			continue;
		*out = n;
		any = true;
	}
	return any;
}

/* The controller's words tell that it has given up; the last pod tells why. */
static void why_it_failed(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour pod = { 0 };
	struct str reason;

	if (!last_failed_pod(d, &pod) || !pod.status.message.len)
		return;
	reason = str_is(pod.status.reason, "Error") || !pod.status.reason.len ? st->reason : pod.status.reason;
	assess_tell(d, reason, ARENA_JOIN(assess_arena(d), st->message, str_of(st->message.len ? ": " : ""), pod.status.message));
	assess_because(d, ARENA_JOIN(assess_arena(d), STR("pod/"), pod.name, STR(" failed")), pod.status.message,
		       ARENA_JOIN(assess_arena(d), STR("Pod/"), pod.name));
}

enum { LEFTOVER, POD_FAILED, TRIED_AGAIN, POD_CRASHES, RUN_FAILED, RUN_WAITS, RUN_SUCCEEDED, UNREADABLE, REFUSED };

static const struct row beside_rows[] = {
	[LEFTOVER] = { "it has failed, and its owner has what it wants without it", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = QUIET,
		       .flag = "leftover" },
	[POD_FAILED] = { "a pod of the job cannot run", .then = OUTCOME_TROUBLE },
	[TRIED_AGAIN] = { "a pod of the job failed, and the next one runs well", .then = OUTCOME_MOVEMENT },
	[POD_CRASHES] = { "a pod of the job runs between two crashes", .then = OUTCOME_TROUBLE },
	[RUN_FAILED] = { "the last run of the schedule has failed", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[RUN_WAITS] = { "the last run of the schedule waits for something else", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[RUN_SUCCEEDED] = { "the Job of the last run has ended well", .then = OUTCOME_READY },
	[UNREADABLE] = { "an Event tells that its schedule cannot be read", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = FINAL },
	[REFUSED] = { "an Event tells that the API server takes no Job of it", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ 0 }
};

/* ---- leftovers ------------------------------------------------------------- */

enum { RUNS_LOOKED_AT = 200 };	/* of one owner: more of them are not put beside each other */

/* A newer run of the same owner has ended well. */
static bool newer_ended_well(struct assessment *d, const struct neighbour *owner)
{
	struct neighbour n, newest = { 0 };

	for (size_t i = 0; i < RUNS_LOOKED_AT && assess_referrer_of(d, owner, i, &n); i++)
		if (core_is_kind(&n, "Job") && n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND &&
		    (n.status.phase == PHASE_READY || n.status.phase == PHASE_FAILED) && n.created > newest.created)
			newest = n;
	return newest.kind && newest.status.phase == PHASE_READY && newest.created > assess_created(d);
}

/* The Job goes on, with a newer pod. */
static bool made_newer_pod(struct assessment *d, const struct neighbour *job)
{
	struct neighbour n;

	for (size_t i = 0; job->status.phase == PHASE_PROVISIONING && i < RUNS_LOOKED_AT && assess_referrer_of(d, job, i, &n); i++)
		if (core_is_kind(&n, "Pod") && n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && n.created > assess_created(d))
			return true;
	return false;
}

/* The owner has all that it wants without it, or has made all of it. */
static bool owner_is_full(struct assessment *d, const struct neighbour *owner)
{
	const struct status *st = &owner->status;

	if (core_is_kind(owner, "Job"))
		return st->phase == PHASE_READY || phase_is_leftover(st->phase, st->severity) || made_newer_pod(d, owner);
	if (str_is(assess_kind(d)->kind, "Job"))
		return newer_ended_well(d, owner);
	if (!assess_status(d)->complete || st->replicas.wanted <= 0)
		return false;
	/* another was made in its place, which tells what is wrong with the owner now */
	return (st->phase == PHASE_READY && st->replicas.ready >= st->replicas.wanted) ||
	       core_look_at_pods(d, owner).active >= (size_t)st->replicas.wanted;
}

bool core_is_left_over(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (n.relation != RELATION_OWNS || n.presence != PRESENCE_FOUND)
			continue;
		if (core_is_kind(&n, "Job") && n.status.phase == PHASE_PROVISIONING)
			assess_flag(d, "tried-again");
		if (!owner_is_full(d, &n))
			continue;
		return table_assess(d, &beside_rows[LEFTOVER], st->reason, st->message);
	}
	return false;
}

/*
 * A pod that runs well may do so for days.  What failed before is tried again by the controller, and forgotten when the
 * new pod has run for as long as the kubelet remembers a crash.
 */
static void job_goes_on(struct assessment *d, const struct core_pods *pods)
{
	const struct status *st = assess_status(d);
	struct neighbour failed = { 0 }, n;
	int64_t began = 0;

	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (core_is_kind(&n, "Pod") && n.relation == RELATION_OWNS && n.status.phase == PHASE_READY && !n.status.complete)
			began = began && began < n.status.since ? began : n.status.since;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (core_is_kind(&n, "Pod") && n.relation == RELATION_OWNS && n.status.phase == PHASE_FAILED)
			assess_drop_wait(d, &n);
	if (began && !pods->unready)
		assess_flag(d, "at-work");
	if (st->severity < SEVERITY_WARNING || !last_failed_pod(d, &failed))
		return;
	assess_tell(d, failed.status.reason, failed.status.message);
	if (began && !pods->unready)
		assess_revisit(d, began + CORE_BACK_OFF_FORGOTTEN);
	if (began && !pods->unready && assess_now(d) - began >= CORE_BACK_OFF_FORGOTTEN)
		table_assess(d, &beside_rows[TRIED_AGAIN], failed.status.reason, failed.status.message);
	else
		assess_flag(d, "tried-again");
}

/* A pod that cannot run, and has not ended, keeps its Job from its end. */
static void job_and_its_pods(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct core_pods pods;
	const struct neighbour *pod;

	if (st->phase == PHASE_SUSPENDED)
		wait_for_admission(d);
	if (st->phase == PHASE_FAILED && status_has_flag(st, "not-restarted") && !core_is_left_over(d))
		why_it_failed(d);
	if (st->phase != PHASE_PROVISIONING || st->untouched)
		return;
	pods = core_look_at_pods(d, NULL);
	if (!pods.failed && !pods.crashing) {
		job_goes_on(d, &pods);
		return;
	}
	pod = pods.failed ? &pods.first_failed : &pods.first_unready;
	row_decides(&(struct reading){ .d = d, .usable = pods.working > 0, .reason = pod->status.reason, .message = pod->status.message },
		    &beside_rows[pods.failed ? POD_FAILED : POD_CRASHES]);
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("pod "), pod->name, str_of(pods.failed ? " failed" : " runs between two crashes")));
	assess_since(d, pod->status.since);
}

/* ---- schedules: how their last run went ---------------------------------- */

static bool last_run(struct assessment *d, bool ended, struct neighbour *out)
{
	struct neighbour n;
	bool any = false;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		bool run = core_is_kind(&n, "Job") && n.relation == RELATION_OWNS &&
			   n.presence == PRESENCE_FOUND;

		if (ended && n.status.phase != PHASE_READY && n.status.phase != PHASE_FAILED)
			continue;
		if (!run || (any && n.created <= out->created))
			continue;
		*out = n;
		any = true;
	}
	return any;
}

/* The last run explains it: it has failed, or hangs because its pods cannot run. */
static void by_last_run(struct assessment *d, const struct neighbour *run)
{
	table_assess(d, &beside_rows[RUN_FAILED], run->status.reason, run->status.message);
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("Job "), run->name, STR(" failed")));
	assess_since(d, run->status.since);
}

/*
 * The controller says of a schedule only in Events that it cannot read it, and that the API server takes no Job of it; the status
 * tells of the runs before (kubernetes pkg/controller/cronjob/cronjob_controllerv2.go).
 */
static bool is_refused(struct assessment *d)
{
	static const char *const final[] = { "UnparseableSchedule", "UnparseableCronJobSchedule", "UnParseableCronJobSchedule", "UnknownTimeZone", NULL };
	static const char *const tried[] = { "FailedCreate", NULL };
	int64_t lately = assess_now(d) - thresholds.pod_start_grace;
	struct neighbour run = { 0 };
	struct event_told e;
	bool for_good;

	if (!assess_events_are_read(d))
		return false;
	for_good = assess_find_event(d, &(struct events_asked){ .reasons = final, .from = lately }, &e);
	if (!for_good && !assess_find_event(d, &(struct events_asked){ .reasons = tried, .from = lately }, &e))
		return false;
	if (!for_good && last_run(d, false, &run) && run.created >= e.last)
		return false;
	table_assess(d, &beside_rows[for_good ? UNREADABLE : REFUSED], e.reason, e.message);
	assess_since(d, e.first);
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("Event "), e.reason));
	assess_rests_on_event(d, &e);
	return true;
}

/*
 * The controller writes the time of the last success in the reconciliation after the one that saw the end of the run.
 * How a run that is active goes is told by its Job.
 */
static void cron_job_and_its_runs(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour run = { 0 }, ended = { 0 };

	if (st->phase != PHASE_SUSPENDED && is_refused(d))
		return;
	if (st->phase == PHASE_SUSPENDED || status_has_flag(st, "not-scheduled") || !last_run(d, false, &run))
		return;
	/* whether the next is begun meanwhile or not, this one does not come to its end */
	if (run.status.phase == PHASE_WAITING && !status_has_flag(st, "run-hangs") && run.status.severity >= SEVERITY_WARNING) {
		assess_wait(d, &run, WAIT_NOT_READY, run.status.message);
		table_assess(d, &beside_rows[RUN_WAITS], run.status.reason, run.status.message);
		assess_since(d, run.status.since);
		return;
	}
	/* what runs has not made it good yet */
	if (phase_under_way(run.status.phase) && !status_has_flag(st, "run-hangs") && last_run(d, true, &ended))
		run = ended;
	if (st->phase == PHASE_DEGRADED && run.status.phase == PHASE_READY && !status_has_flag(st, "run-hangs")) {
		table_assess(d, &beside_rows[RUN_SUCCEEDED], STR_NONE, STR_NONE);
		assess_rule(d, arena_printf(assess_arena(d), "Job " STR_FMT " succeeded", STR_ARG(run.name)));
		assess_since(d, run.status.since);
	} else if (run.status.phase == PHASE_FAILED) {
		if (st->phase == PHASE_READY)
			assess_wait(d, &run, WAIT_FAILED, run.status.message);
		by_last_run(d, &run);
	} else if (status_has_flag(st, "run-hangs") && phase_under_way(run.status.phase)) {
		assess_wait(d, &run, WAIT_NOT_READY, run.status.message);
	}
}

const struct core_kind core_job_kinds[] = {
	{ .kind = "Job", .inspect = job, .assess = job_and_its_pods, .events = true },
	{ .kind = "CronJob", .inspect = cron_job, .assess = cron_job_and_its_runs, .events = true },
	{ 0 }
};
