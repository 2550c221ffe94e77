/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that wait for others: for a node, for gates that nobody has opened, for a new size that is not granted. */
#include "kube/family/core/core.h"

#include "kube/status/thresholds.h"

/* ---- a node -------------------------------------------------------------- */

/*
 * The words are those of the filters of kube-scheduler (pkg/scheduler/framework/plugins).  A lack of room passes with
 * time, or with another node; that no node fits the pod stays so until somebody changes the pod or a node.
 */
static bool suits_no_node(struct str message)
{
	static const char *const room[] = { "Insufficient ",
					    "Too many pods",
					    "free ports",
					    "node.kubernetes.io/",
					    "were unschedulable",
					    "max volume count",
					    "unbound immediate",
					    "not found",
					    NULL };
	static const char *const unfit[] = { "node affinity",	 "node selector",
					     "untolerated taint", "didn't tolerate",
					     "anti-affinity",	 "pod affinity rules",
					     "topology spread",	 NULL };
	struct str verdict = str_head(message, str_find_str(message, "preemption:"));

	return !str_contains_any(verdict, room) && str_contains_any(verdict, unfit);
}

void core_pod_unscheduled(struct verdict *v, const struct condition *c)
{
	int64_t since = c->since ? c->since : verdict_created(v);
	enum severity severity = core_older_than(v, since, thresholds.unschedulable_grace) ? SEVERITY_WARNING
										: SEVERITY_INFO;
	/* until then an autoscaler may add a node that fits */
	bool given_up = suits_no_node(c->message) && core_older_than(v, since, thresholds.pod_start_grace);

	core_by_condition(v, c, PHASE_PROVISIONING, severity);
	if (!str_is(c->reason, "Unschedulable") || core_names_claims(v, c->message))
		return;
	if (given_up) {
		core_by_condition(v, c, PHASE_FAILED, SEVERITY_WARNING);
		verdict_rule(v, STR("PodScheduled=False for longer than a start takes: no node "
				    "suits the pod"));
		return;
	}
	core_by_condition(v, c, PHASE_WAITING, severity);
	verdict_waits_external(v, (struct external_wait){ .state = WAIT_EXTERNAL,
							  .kind = STR("Scheduler"),
							  .name = STR("node"),
							  .via = STR("spec.nodeName"),
							  .message = c->message });
}

/* ---- gates --------------------------------------------------------------- */

void core_pod_gated(struct verdict *v, const struct condition *c)
{
	core_by_condition(v, c, PHASE_WAITING, SEVERITY_INFO);
	if (c->since == 0)
		verdict_since(v, verdict_created(v));
	json_foreach(gate, json_at(verdict_object(v), "spec.schedulingGates"))
		verdict_waits_external(
			v, (struct external_wait){ .state = WAIT_EXTERNAL,
						   .kind = STR("SchedulingGate"),
						   .name = json_str(gate, "name"),
						   .via = STR("spec.schedulingGates"),
						   .message = c->message });
}

bool core_pod_waits_for_readiness_gates(struct verdict *v)
{
	bool any = false;

	if (!condition_is(verdict_condition(v, "ContainersReady"), "True"))
		return false;
	json_foreach(gate, json_at(verdict_object(v), "spec.readinessGates"))
	{
		struct str type = json_str(gate, "conditionType");
		const struct condition *c =
			verdict_condition(v, arena_str(verdict_arena(v), type).ptr);

		if (condition_is(c, "True"))
			continue;
		any = true;
		verdict_waits_external(
			v, (struct external_wait){ .state = WAIT_EXTERNAL,
						   .kind = STR("ReadinessGate"),
						   .name = type,
						   .via = STR("spec.readinessGates"),
						   .message = c ? c->message : STR_NONE });
	}
	return any;
}

/* ---- a new size, while it runs ------------------------------------------- */

static const struct cond_rule resize_rules[] = {
	{ "PodResizePending", "True", "Infeasible", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "PodResizeInProgress", "True", "Error", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "PodResizePending", "True", NULL, NULL, PHASE_SCALING, SEVERITY_INFO },
	{ "PodResizeInProgress", "True", NULL, NULL, PHASE_SCALING, SEVERITY_INFO },
	{ 0 }
};

/* status.resize is older than the conditions for it */
static const struct word_rule resize_words[] = {
	{ "Infeasible", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Deferred", NULL, PHASE_SCALING, SEVERITY_INFO },
	{ "InProgress", NULL, PHASE_SCALING, SEVERITY_INFO },
	{ "Proposed", NULL, PHASE_SCALING, SEVERITY_INFO },
	{ 0 }
};

void core_pod_resizes(struct verdict *v)
{
	struct str word = json_str(verdict_object(v), "status.resize");

	if (verdict_by_conditions(v, resize_rules) ||
	    !verdict_by_word(v, word, word, resize_words))
		return;
	verdict_rule(v, arena_printf(verdict_arena(v), "status.resize " STR_FMT, STR_ARG(word)));
}
