/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: from the states of their containers to one verdict.  The operator phase is what kubectl prints as STATUS. */
#include "kube/family/core/core.h"

#include "kube/status/thresholds.h"

/* after it has run for so long, the kubelet resets the back-off of a container */
#define BACK_OFF_FORGOTTEN MINUTES(10)
#define AFTER_RESTART MINUTES(1)
enum {
	CRASH_LOOP = 2,	/* restarts; after the first one the container may run well */
	MANY_RESTARTS = 10,	/* after that many restarts the back-off is at its longest */
	/* ms after the start: what the kubelet reports by then is its first report and no transition */
	TRANSITION_SLACK = 5000
};

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

/* PodScheduled=False, whose reason is a missing node. */
static void unscheduled(struct verdict *v, const struct condition *c)
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

/* PodScheduled=False, whose reason is a scheduling gate. */
static void gated(struct verdict *v, const struct condition *c)
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

/* The containers are ready and a readiness gate is not; adds the waits for the gates. */
static bool waits_for_readiness_gates(struct verdict *v)
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

/* A pod that is ready has not reached its goal while it is being resized. */
static void note_resize(struct verdict *v)
{
	struct str word = json_str(verdict_object(v), "status.resize");

	if (verdict_by_conditions(v, resize_rules) ||
	    !verdict_by_word(v, word, word, resize_words))
		return;
	verdict_rule(v, arena_printf(verdict_arena(v), "status.resize " STR_FMT, STR_ARG(word)));
}

/* ---- containers ---------------------------------------------------------- */

/* A container that keeps the pod from running. */
struct failing {
	struct json state; /* status.containerStatuses[n] */
	struct str reason, message;
	bool missing; /* its message names something that does not exist */
	bool final;   /* no retry can help */
};

struct pod {
	struct verdict *v;
	struct json object, status;
	const struct condition *ready;
	const struct condition *disrupted; /* when True, the cluster has removed the pod; it did not fail by itself */
	struct failing failing;
	int64_t restarts;
	int containers, running;
	bool crashed; /* some container has failed before */
	bool oom;
};

/* ---- STATUS, as kubectl prints it ---------------------------------------- */

static struct str ended_word(struct pod *p, struct json terminated)
{
	struct arena *a = verdict_arena(p->v);
	int64_t sig = json_int(terminated, "signal", 0);

	if (json_str(terminated, "reason").len)
		return json_str(terminated, "reason");
	if (sig)
		return arena_printf(a, "Signal:%d", (int)sig);
	return arena_printf(a, "ExitCode:%d", (int)json_int(terminated, "exitCode", 0));
}

static bool is_sidecar(const struct pod *p, struct str name)
{
	json_foreach(c, json_at(p->object, "spec.initContainers")) if (
		str_eq(json_str(c, "name"), name)) return str_is(json_str(c, "restartPolicy"),
								 "Always");
	return false;
}

static bool init_is_done(const struct pod *p, struct json state)
{
	if (json_has(state, "state.terminated") &&
	    json_int(state, "state.terminated.exitCode", 0) == 0)
		return true;
	return is_sidecar(p, json_str(state, "name")) && json_bool(state, "started", false);
}

/* Returns "Init:0/2" or "Init:CrashLoopBackOff"; "" when all init containers have completed. */
static struct str init_word(struct pod *p)
{
	struct arena *a = verdict_arena(p->v);
	size_t total = json_count(json_at(p->object, "spec.initContainers"));
	int done = 0;

	json_foreach(state, json_at(p->status, "initContainerStatuses"))
	{
		struct str waiting = json_str(state, "state.waiting.reason"), word;

		if (init_is_done(p, state)) {
			done++;
			continue;
		}
		if (json_has(state, "state.terminated"))
			word = ended_word(p, json_at(state, "state.terminated"));
		else if (waiting.len && !str_is(waiting, "PodInitializing"))
			word = waiting;
		else
			word = arena_printf(a, "%d/%zu", done, total);
		return arena_printf(a, "Init:" STR_FMT, STR_ARG(word));
	}
	return STR_NONE;
}

/* The first container is read last, so its state counts most, as in kubectl. */
static struct str containers_word(struct pod *p, struct str word)
{
	bool running = false, named = false;

	json_foreach(state, json_at(p->status, "containerStatuses"))
	{
		struct str waiting = json_str(state, "state.waiting.reason");

		running |= json_bool(state, "ready", false) && json_has(state, "state.running");
		if (named)
			continue;
		named = waiting.len || json_has(state, "state.terminated");
		if (waiting.len)
			word = waiting;
		else if (named)
			word = ended_word(p, json_at(state, "state.terminated"));
	}
	if (str_is(word, "Completed") && running)
		return condition_is(p->ready, "True") ? STR("Running") : STR("NotReady");
	return word;
}

static bool is_over(const struct pod *p)
{
	struct str phase = json_str(p->status, "phase");

	return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static struct str status_word(struct pod *p)
{
	struct str phase = json_str(p->status, "phase"), reason = json_str(p->status, "reason");
	struct str word = reason.len ? reason : phase, init;

	if (verdict_deleting(p->v) && str_is(reason, "NodeLost"))
		return STR("Unknown");
	if (verdict_deleting(p->v) && !is_over(p))
		return STR("Terminating");
	if (condition_is(verdict_condition(p->v, "PodScheduled"), "False") &&
	    str_is(verdict_condition(p->v, "PodScheduled")->reason, "SchedulingGated"))
		word = STR("SchedulingGated");
	init = init_word(p);
	if (init.len && !condition_is(verdict_condition(p->v, "Initialized"), "True"))
		return init;
	return containers_word(p, word);
}

/* ---- what keeps it from running ------------------------------------------ */

static bool is_starting(struct str reason)
{
	return reason.len == 0 || str_is(reason, "ContainerCreating") ||
	       str_is(reason, "PodInitializing");
}

static bool no_retry_helps(struct str reason)
{
	return str_is(reason, "InvalidImageName") || str_is(reason, "ErrImageNeverPull");
}

static bool ended_badly(struct json terminated)
{
	return terminated.node && json_int(terminated, "exitCode", 0) != 0;
}

static void blame(struct pod *p, struct json state, struct str reason, struct str message)
{
	if (p->failing.state.node && !(no_retry_helps(reason) && !p->failing.final))
		return;
	p->failing = (struct failing){ state, reason, message, false, no_retry_helps(reason) };
}

/* The container has failed and runs again, but not yet long enough for the kubelet to reset its back-off. */
static bool restarted_lately(struct pod *p, struct json state, struct json before)
{
	int64_t started = json_time(state, "state.running.startedAt");

	return ended_badly(before) && started &&
	       !core_older_than(p->v, started, BACK_OFF_FORGOTTEN);
}

static void look_at_container(struct pod *p, struct json state, bool init)
{
	struct json ended = json_at(state, "state.terminated"),
		    before = json_at(state, "lastState.terminated");
	struct str waiting = json_str(state, "state.waiting.reason");

	p->restarts += json_int(state, "restartCount", 0);
	p->oom |= str_is(json_str(ended, "reason"), "OOMKilled") ||
		  str_is(json_str(before, "reason"), "OOMKilled");
	if (restarted_lately(p, state, before))
		verdict_flag(p->v, "restarted");
	p->crashed |= ended_badly(before) && !json_bool(state, "ready", false) && !init;
	if (json_has(state, "state.waiting") && !is_starting(waiting))
		blame(p, state, waiting, json_str(state, "state.waiting.message"));
	else if (ended_badly(ended))
		blame(p, state, ended_word(p, ended), json_str(ended, "message"));
}

static void look_at_containers(struct pod *p)
{
	json_foreach(state, json_at(p->status, "initContainerStatuses"))
		look_at_container(p, state, !is_sidecar(p, json_str(state, "name")));
	json_foreach(state, json_at(p->status, "containerStatuses"))
	{
		look_at_container(p, state, false);
		p->running += json_bool(state, "ready", false);
	}
	p->containers = (int)json_count(json_at(p->object, "spec.containers"));
	if (p->containers)
		verdict_replicas(p->v, (struct replicas){ p->containers, p->running, -1, -1 });
	if (p->oom)
		verdict_flag(p->v, "OOMKilled");
}

/* Ready became False some time after the start, so it was True in between. */
static bool was_ready(const struct pod *p)
{
	int64_t start = json_time(p->status, "startTime");

	if (condition_is(p->ready, "True"))
		return true;
	return condition_is(p->ready, "False") && start &&
	       p->ready->since > start + TRANSITION_SLACK &&
	       !str_is(p->ready->reason, "PodCompleted");
}

static int64_t not_ready_since(const struct pod *p)
{
	if (p->ready && p->ready->since)
		return p->ready->since;
	return json_has(p->status, "startTime") ? json_time(p->status, "startTime")
						: verdict_created(p->v);
}

static void rule_of_container(struct pod *p)
{
	struct json before = json_at(p->failing.state, "lastState.terminated");
	struct str name = json_str(p->failing.state, "name");
	struct arena *a = verdict_arena(p->v);

	if (before.node)
		verdict_rule(p->v, ARENA_JOIN(a, STR("container "), name, STR(": "), p->failing.reason, STR(", restarts "),
					      arena_printf(a, "%d", (int)json_int(p->failing.state, "restartCount", 0)),
					      STR(", ended before: "), json_str(before, "reason"), STR(" ("),
					      arena_printf(a, "%d", (int)json_int(before, "exitCode", 0)), STR(")")));
	else
		verdict_rule(p->v, arena_printf(a, "container " STR_FMT ": " STR_FMT, STR_ARG(name),
						STR_ARG(p->failing.reason)));
}

/* A container cannot run: it is retried for ever, but only a change helps in the end. */
static void cannot_run(struct pod *p)
{
	const struct failing *c = &p->failing;
	int64_t since = not_ready_since(p);
	/* the restarts of a pod that was ready may be those of a whole year */
	bool many = p->restarts >= MANY_RESTARTS &&
		    (!was_ready(p) || str_contains(c->message, "back-off 5m0s"));
	bool hopeless = c->final || many || core_older_than(p->v, since, thresholds.pod_start_grace);

	if (str_is(c->reason, "ImagePullBackOff") || str_is(c->reason, "ErrImagePull"))
		core_pod_pull_secrets(p->v);
	if (core_names_missing(p->v, c->message))
		verdict_set(p->v, PHASE_PROVISIONING, hopeless ? SEVERITY_WARNING : SEVERITY_INFO,
			    c->reason, c->message);
	else
		verdict_set(p->v, PHASE_FAILED, hopeless ? SEVERITY_ERROR : SEVERITY_WARNING,
			    c->reason, c->message);
	verdict_since(p->v, since);
	rule_of_container(p);
}

/* ---- by the phase of the pod --------------------------------------------- */

static void starting(struct pod *p)
{
	const struct condition *scheduled = verdict_condition(p->v, "PodScheduled");
	bool slow = core_older_than(p->v, not_ready_since(p), thresholds.pod_start_grace);

	if (condition_is(scheduled, "False") && str_is(scheduled->reason, "SchedulingGated")) {
		gated(p->v, scheduled);
	} else if (condition_is(scheduled, "False")) {
		unscheduled(p->v, scheduled);
	} else {
		core_by_condition(p->v, p->ready, PHASE_PROVISIONING,
				  slow ? SEVERITY_WARNING : SEVERITY_INFO);
		if (!p->ready)
			verdict_rule(p->v, STR("status.phase"));
		verdict_since(p->v, not_ready_since(p));
	}
}

static void not_ready(struct pod *p)
{
	bool gates = waits_for_readiness_gates(p->v);
	bool slow = core_older_than(p->v, not_ready_since(p), thresholds.pod_start_grace);

	if (was_ready(p))
		core_by_condition(p->v, p->ready, PHASE_DEGRADED, SEVERITY_WARNING);
	else
		core_by_condition(p->v, p->ready, gates ? PHASE_WAITING : PHASE_PROVISIONING,
				  slow || p->crashed ? SEVERITY_WARNING : SEVERITY_INFO);
	if (!p->ready)
		verdict_rule(p->v, STR("no condition Ready"));
	verdict_since(p->v, not_ready_since(p));
}

/*
 * A container that crashes again and again runs for a moment in between, and its pod may be Ready then.  That is no
 * recovery before it has run for longer than the last time; but nobody waits for longer than AFTER_RESTART for that.
 */
static bool runs_no_longer_than_before(struct pod *p, struct json state)
{
	struct json before = json_at(state, "lastState.terminated");
	int64_t started = json_time(state, "state.running.startedAt"), ended = json_time(before, "finishedAt");
	int64_t proof = ended - json_time(before, "startedAt") + TRANSITION_SLACK;

	if (json_int(state, "restartCount", 0) < CRASH_LOOP || !ended_badly(before) || !started || !ended)
		return false;
	proof = proof < AFTER_RESTART ? proof : AFTER_RESTART;
	verdict_revisit(p->v, started + proof);
	return verdict_now(p->v) < started + proof;
}

static bool is_in_crash_loop(struct pod *p)
{
	json_foreach(state, json_at(p->status, "containerStatuses")) {
		struct json before = json_at(state, "lastState.terminated");

		if (!runs_no_longer_than_before(p, state))
			continue;
		p->failing = (struct failing){ .state = state, .reason = ended_word(p, before), .message = json_str(before, "message") };
		verdict_set(p->v, PHASE_FAILED, SEVERITY_WARNING, p->failing.reason, p->failing.message);
		verdict_since(p->v, json_time(before, "finishedAt"));
		rule_of_container(p);
		return true;
	}
	return false;
}

static void is_running(struct pod *p)
{
	if (is_in_crash_loop(p))
		return;
	if (!condition_is(p->ready, "True")) {
		not_ready(p);
		return;
	}
	/* the condition Ready is older than the state of the container */
	if (json_has(p->failing.state, "state.waiting")) {
		verdict_set(p->v, PHASE_DEGRADED, SEVERITY_WARNING, p->failing.reason, p->failing.message);
		rule_of_container(p);
		return;
	}
	core_by_condition(p->v, p->ready, PHASE_READY, SEVERITY_NONE);
	verdict_rule(p->v, STR("Ready=True"));
	note_resize(p->v);
}

static void succeeded(struct pod *p)
{
	core_ready(p->v, "status.phase Succeeded");
	verdict_since(p->v, p->ready ? p->ready->since : 0);
	verdict_complete(p->v);
}

/* Pods that the node or a controller has removed; another pod replaces them. */
static bool is_replaced(const struct pod *p)
{
	static const char *const reasons[] = {
		"Evicted",    "NodeShutdown", "Shutdown",  "Terminated",
		"Preempting", "NodeAffinity", "NodeLost",  "UnexpectedAdmissionError",
		"OutOfcpu",   "OutOfmemory",  "OutOfpods", NULL
	};

	json_foreach(o,
		     json_at(p->object, "metadata.ownerReferences")) if (str_is(json_str(o, "kind"),
										"Job")) return true;
	if (json_count(json_at(p->object, "metadata.ownerReferences")) == 0)
		return false;
	return str_is_any(json_str(p->status, "reason"), reasons) || condition_is(p->disrupted, "True");
}

/* Finds the container whose failure ended the pod, for its words. */
static struct str failed_word(struct pod *p, struct str *out_message)
{
	struct str reason = json_str(p->status, "reason");

	*out_message = json_str(p->status, "message");
	if (reason.len == 0 && condition_is(p->disrupted, "True")) {
		*out_message = p->disrupted->message;
		return p->disrupted->reason;
	}
	if (p->failing.state.node && out_message->len == 0)
		*out_message = p->failing.message;
	return reason.len || !p->failing.state.node ? reason : p->failing.reason;
}

static void failed(struct pod *p)
{
	struct str message, reason = failed_word(p, &message);
	bool replaced = json_count(json_at(p->object, "metadata.ownerReferences")) > 0;

	verdict_set(p->v, PHASE_FAILED, replaced ? SEVERITY_WARNING : SEVERITY_ERROR, reason,
		    message);
	verdict_since(p->v, p->ready ? p->ready->since : 0);
	if (p->failing.state.node)
		rule_of_container(p);
	else
		verdict_rule(p->v, STR("status.phase Failed"));
	if (is_replaced(p))
		verdict_complete(p->v);
}

/* The deletionTimestamp is the end of the grace period: after it the node should have stopped the pod. */
static void terminating(struct pod *p)
{
	bool late = core_older_than(p->v, verdict_deleting(p->v), MINUTES(1));
	struct str reason = json_str(p->status, "reason"), message = json_str(p->status, "message");

	if (reason.len == 0 && condition_is(p->disrupted, "True")) {
		reason = p->disrupted->reason;
		message = p->disrupted->message;
	}
	verdict_set(p->v, PHASE_DELETING, late ? SEVERITY_WARNING : SEVERITY_INFO, reason, message);
	verdict_rule(p->v, late ? STR("still there a minute after its grace period")
				: STR("metadata.deletionTimestamp"));
}

static void judge(struct pod *p)
{
	struct str phase = json_str(p->status, "phase");

	if (verdict_deleting(p->v)) {
		terminating(p);
	} else if (str_is(phase, "Succeeded")) {
		succeeded(p);
	} else if (str_is(phase, "Failed")) {
		failed(p);
	} else if (p->failing.state.node && !condition_is(p->ready, "True")) {
		cannot_run(p);
	} else if (str_is(phase, "Running")) {
		is_running(p);
	} else if (str_is(phase, "Pending") || phase.len == 0) {
		starting(p);
	} else {
		core_by_condition(p->v, p->ready, PHASE_UNKNOWN, SEVERITY_WARNING);
		verdict_rule(p->v, STR("status.phase"));
	}
}

void core_pod(struct verdict *v)
{
	struct pod p = { .v = v,
			 .object = verdict_object(v),
			 .status = json_at(verdict_object(v), "status"),
			 .ready = verdict_condition(v, "Ready"),
			 .disrupted = verdict_condition(v, "DisruptionTarget") };

	core_pod_refs(v, !str_is(json_str(p.status, "phase"), "Running"));
	verdict_polarity(v, "DisruptionTarget", POLARITY_NEGATIVE);
	look_at_containers(&p);
	judge(&p);
	verdict_word(v, status_word(&p));
	if (was_ready(&p))
		verdict_ever_ready(v);
}
