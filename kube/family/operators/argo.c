/* SPDX-License-Identifier: Apache-2.0 */
/* Argo CD, Rollouts, Workflows and Events. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "Application", "spec.project", NULL, "AppProject", RELATION_NEEDS, REF_EXISTS, NULL },
	{ "Application", "status.resources[]", "", "Resource", RELATION_MANAGES, 0, NULL },
	{ "Rollout", "spec.strategy.canary.stableService", "", "Service", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	{ "Rollout", "spec.strategy.canary.canaryService", "", "Service", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	{ "Rollout", "spec.strategy.blueGreen.activeService", "", "Service", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	{ "Rollout", "spec.strategy.blueGreen.previewService", "", "Service", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	{ "Workflow", "spec.workflowTemplateRef", NULL, "WorkflowTemplate", RELATION_NEEDS,
	  REF_EXISTS, NULL },
	{ "EventSource", "spec.eventBusName", NULL, "EventBus", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Sensor", "spec.eventBusName", NULL, "EventBus", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ 0 },
};

/* Its conditions have no status: they are there while they are true. */
static const struct cond_rule application[] = {
	{ "InvalidSpecError", NULL, NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "UnknownError", NULL, NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "ComparisonError", NULL, NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "DeletionError", NULL, NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "SyncError", NULL, NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

static const struct word_rule operation[] = {
	{ "Running", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "Terminating", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ 0 },
};

/* What was synced before goes on as it is. */
static const struct word_rule sync_failed[] = {
	{ "Failed", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Error", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

static const struct word_rule health[] = {
	{ "Healthy", NULL, PHASE_READY, SEVERITY_NONE },
	{ "Progressing", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "Suspended", NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Degraded", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Missing", NULL, PHASE_PROVISIONING, SEVERITY_WARNING },
	{ 0 },
};

static const struct cond_rule set[] = {
	{ "ErrorOccurred", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "RolloutProgressing", "True", NULL, NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "ResourcesUpToDate", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule rollout[] = {
	{ "InvalidSpec", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Progressing", "False", "RolloutAborted", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Paused", "True", NULL, NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Progressing", "Unknown", "RolloutPaused", NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Progressing", "True", "ReplicaSetUpdated", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ 0 },
};

static void application_more(struct verdict *v)
{
	if (str_is(json_str(verdict_object(v), "status.sync.status"), "OutOfSync"))
		verdict_flag(v, "out-of-sync");
}

/* It runs another workload's template, and has not seen the newest of it yet. */
static bool workload_is_newer(struct verdict *v)
{
	struct str wanted = generic_annotation(v, "rollout.argoproj.io/workload-generation");
	struct str seen = json_str(verdict_object(v), "status.workloadObservedGeneration");

	return wanted.len && seen.len && !str_eq(wanted, seen);
}

/* The canary's step that is on, {} when none is. */
static struct json canary_step(struct verdict *v)
{
	int64_t index = json_int(verdict_object(v), "status.currentStepIndex", -1), i = 0;

	json_foreach(step, json_at(verdict_object(v), "spec.strategy.canary.steps"))
		if (i++ == index)
			return step;
	return (struct json){ 0 };
}

/* It goes on by itself when its time is over. */
static bool pause_has_an_end(struct verdict *v, struct str reason)
{
	if (str_is(reason, "CanaryPauseStep"))
		return json_has(canary_step(v), "pause.duration");
	return str_is(reason, "BlueGreenPause") &&
	       json_int(verdict_object(v), "spec.strategy.blueGreen.autoPromotionSeconds", 0) > 0;
}

/* Without an end it goes on when somebody promotes it. */
static void rollout_more(struct verdict *v)
{
	struct json pauses = json_at(verdict_object(v), "status.pauseConditions");
	struct str reason = json_str(json_first(pauses), "reason");

	if (verdict_phase(v) == PHASE_READY && workload_is_newer(v)) {
		verdict_set(v, PHASE_UPDATING, SEVERITY_INFO, STR_NONE, STR_NONE);
		verdict_rule(v, STR("status.workloadObservedGeneration lags behind"));
		return;
	}
	if (verdict_phase(v) != PHASE_SUSPENDED || json_count(pauses) == 0 ||
	    pause_has_an_end(v, reason))
		return;
	verdict_waits_external(v, (struct external_wait){
					  .state = WAIT_APPROVAL,
					  .kind = STR("Promotion"),
					  .name = verdict_name(v),
					  .via = STR("status.pauseConditions"),
					  .message = reason });
}

static const struct generic_kind rows[] = {
	{ .kind = "Application", .conditions = application, .more = application_more },
	{ .kind = "Application", .word = "status.operationState.phase", .words = operation },
	{ .kind = "Application",
	  .field = "status.health.status",
	  .value = "Healthy",
	  .word = "status.operationState.phase",
	  .words = sync_failed },
	{ .kind = "Application", .word = "status.health.status", .words = health },
	{ .kind = "ApplicationSet", .conditions = set },
	{ .kind = "Rollout", .conditions = rollout, .more = rollout_more },
	{ .kind = "AppProject", .static_kind = true },
	{ .kind = "CronWorkflow", .static_kind = true },
	{ .kind = "*Template", .static_kind = true },
	{ .kind = "WorkflowEventBinding", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "argoproj.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ NULL, "Application", "argocd", "argocd-application-controller", NULL },
	{ NULL, "Rollout", "argo-rollouts", "argo-rollouts", NULL },
	{ NULL, "Workflow", "argo", "workflow-controller", NULL },
	{ 0 },
};

const struct family family_argo = {
	.name = "generic",
	.id = "argo",
	.title = "Argo",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
