/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which objects run to completion, and whether and how a run has ended. */
#include "kube/family/generic/generic.h"

/* The ends of names of kinds that run to completion. */
static const char *const runs[] = { "Job",	 "Run",	      "Workflow",   "Task",
				    "Backup",	 "Restore",   "Experiment", "Execution",
				    "Build",	 "Import",    "Export",	    "Migration",
				    "Test",	 "Benchmark", "Evaluation", "Scan",
				    "Snapshot",	 "Operation", "Request",    "Report",
				    "Promotion", "Upgrade",   "Plan",	    "Maintenance",
				    "Rotation",	 "Remediation", "Rollback", "Cleanup",	    "Action",
				 "Session",	 "Batch",      NULL };

/* For an object that runs to completion, a state that lasts is not its end. */
static const char *const endings[] = { "succe",	 "complet",  "finish",	"done",	    "pass",
				       "ok",	 "ready",    "applied", "deployed", "healthy",
				       "stored", "promoted", "complian", "published",
				       "merged", "released", "skipped",  "executed", "earlystop", NULL };

bool generic_runs_once(struct verdict *v)
{
	struct str kind = verdict_kind(v)->kind;
	struct json status = json_at(verdict_object(v), "status");

	if (str_starts(kind, "Cron") || str_starts(kind, "Scheduled") || str_starts(kind, "Scaled"))
		return false;
	/* what was requested and can be ready lasts */
	if (str_ends(kind, "Request") && (verdict_condition(v, "Ready") || verdict_condition(v, "Available")))
		return false;
	if (str_ends_any(kind, runs))
		return true;
	/* what can be available lasts */
	if (verdict_condition(v, "Available"))
		return false;
	return generic_has_begun(status);
}

bool generic_has_begun(struct json status)
{
	static const char *const begins[] = { "startTime", "startedAt", "startTimestamp", "started", "startedTime", "beginTime", "beganAt", NULL };

	for (const char *const *begin = begins; *begin; begin++)
		if (json_str(status, *begin).len)
			return true;
	return false;
}

bool generic_lasts(struct str word)
{
	return !str_contains_any_nocase(word, endings);
}

/* The time at which a run ended; JSON_NONE: it has not. */
static struct json end_of(struct json status)
{
	static const char *const ends[] = { "completionTime", "completedAt", "endTime", "finishedAt", "stoppedAt",
					    "finishTime", "endedAt", "finishedTime", "stopTime", "endTimestamp", "completionTimestamp", NULL };

	for (const char *const *end = ends; *end; end++)
		if (json_has(status, *end))
			return json_member(status, str_of(*end));
	return JSON_NONE;
}

bool generic_has_ended(struct json status)
{
	return end_of(status).node != NULL;
}

int64_t generic_ended_well(const struct verdict *v)
{
	static const char *const outcomes[] = { "result", "outcome", "phase", "state", "status", NULL };
	struct json status = json_at(verdict_object(v), "status");

	for (const char *const *name = outcomes; *name; name++) {
		struct str word = json_str(status, *name);

		/* "Completed" may say only that it is over */
		if (word.len)
			return word_class(word) == WORD_OK && phrase_has(word, "succe* pass*") ? json_time(end_of(status), "") : 0;
	}
	return 0;
}
