/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds that run to completion, once or repeatedly: Job and CronJob. */
#include "kube/family/core/core.h"

#include "kube/base/time.h"

/* ---- Job ----------------------------------------------------------------- */

/* The conditions of a Job; the first one that is True decides, the most final ones first. */
static const struct {
	const char *type, *word;
	enum phase phase;
	enum severity severity;
} job_ends[] = {
	{ "Complete", "Complete", PHASE_READY, SEVERITY_NONE },
	{ "Failed", "Failed", PHASE_FAILED, SEVERITY_ERROR },
	{ "FailureTarget", "FailureTarget", PHASE_FAILED, SEVERITY_ERROR },
	{ "SuccessCriteriaMet", "SuccessCriteriaMet", PHASE_PROVISIONING, SEVERITY_INFO },
};

static bool job_by_condition(struct verdict *v)
{
	for (size_t i = 0; i < sizeof(job_ends) / sizeof(job_ends[0]); i++) {
		const struct condition *c = verdict_condition(v, job_ends[i].type);

		if (!condition_is(c, "True"))
			continue;
		core_by_condition(v, c, job_ends[i].phase, job_ends[i].severity);
		verdict_word(v, str_of(job_ends[i].word));
		if (job_ends[i].phase == PHASE_READY)
			verdict_complete(v);
		return true;
	}
	return false;
}

static struct str job_counts(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	return arena_printf(verdict_arena(v), "%d active, %d succeeded, %d failed",
			    (int)json_int(status, "active", 0),
			    (int)json_int(status, "succeeded", 0),
			    (int)json_int(status, "failed", 0));
}

static void job_running(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	int64_t failed = json_int(status, "failed", 0), started = json_time(status, "startTime");

	if (started == 0) {
		core_never_reconciled(v);
		return;
	}
	verdict_set(v, PHASE_PROVISIONING, failed > 0 ? SEVERITY_WARNING : SEVERITY_INFO, STR_NONE,
		    STR_NONE);
	verdict_since(v, started);
	verdict_word(v, STR("Running"));
	verdict_rule(v, job_counts(v));
}

/* The Job is suspended, or is about to be suspended or resumed: what is asked for and what was done may differ. */
static bool job_suspended(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "Suspended");
	bool asked = json_bool(verdict_object(v), "spec.suspend", false);

	if (!asked && !condition_is(c, "True"))
		return false;
	if (asked && condition_is(c, "False")) {
		core_by_condition(v, c, PHASE_UPDATING, SEVERITY_INFO);
		verdict_rule(v, STR("spec.suspend is set, its pods are not gone yet"));
		verdict_word(v, STR("Running"));
		verdict_since(v, 0);
		return true;
	}
	core_by_condition(v, c, asked ? PHASE_SUSPENDED : PHASE_PROVISIONING, SEVERITY_INFO);
	verdict_word(v, STR("Suspended"));
	if (!asked) {
		verdict_rule(v, STR("spec.suspend is unset, Suspended is still True"));
		verdict_since(v, 0);
	} else if (!c) {
		verdict_rule(v, STR("spec.suspend"));
	}
	return true;
}

static void job(struct verdict *v)
{
	struct json object = verdict_object(v);
	int64_t wanted = json_int(object, "spec.completions", 1);

	if (json_has(object, "status.startTime") && wanted >= 0 && wanted < INT32_MAX)
		verdict_replicas(v, (struct replicas){ (int)wanted,
						       (int)json_int(object, "status.succeeded", 0),
						       -1,
						       (int)json_int(object, "status.active", 0) });
	if (!job_by_condition(v) && !job_suspended(v))
		job_running(v);
}

/* ---- CronJob ------------------------------------------------------------- */

static void cron_job(struct verdict *v)
{
	struct json object = verdict_object(v);
	int64_t scheduled = json_time(object, "status.lastScheduleTime");
	int64_t succeeded = json_time(object, "status.lastSuccessfulTime");
	bool active = json_count(json_at(object, "status.active")) > 0;

	if (json_bool(object, "spec.suspend", false)) {
		verdict_set(v, PHASE_SUSPENDED, SEVERITY_INFO, STR_NONE, STR_NONE);
		verdict_since(v, scheduled);
		verdict_rule(v, STR("spec.suspend"));
	} else if (scheduled == 0) {
		core_ready(v, "nothing was to be run yet");
	} else if (active) {
		core_ready(v, "a run is active");
	} else if (succeeded < scheduled) {
		verdict_set(v, PHASE_DEGRADED, SEVERITY_WARNING, STR_NONE, STR_NONE);
		verdict_since(v, scheduled);
		verdict_rule(v, STR("status.lastSuccessfulTime is before lastScheduleTime and none "
				    "is active"));
	} else {
		core_ready(v, "the last run succeeded");
		verdict_since(v, succeeded);
	}
}

const struct core_kind core_job_kinds[] = { { "Job", job }, { "CronJob", cron_job }, { 0 } };
