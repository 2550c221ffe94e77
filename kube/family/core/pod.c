/* SPDX-License-Identifier: Apache-2.0 */
/* Pods: from the states of their containers to one verdict.  The operator phase is what kubectl prints as STATUS. */
#include "kube/family/core/core.h"

#include "kube/base/quantity.h"
#include "kube/base/time.h"
#include "kube/status/thresholds.h"

enum {
	DAY_SECONDS = 24 * 60 * 60,
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
					    /* a taint that the one who sets a node up takes away: its cloud, the agents of its network and storage */
					    "/uninitialized",
					    "agent-not-ready",
					    "/unregistered",
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

/* ---- gates --------------------------------------------------------------- */

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

/* ---- containers ---------------------------------------------------------- */

/* A container that keeps the pod from running. */
struct failing {
	struct json state; /* status.containerStatuses[n] */
	struct str reason, message;
	bool final;   /* no retry can help */
};

/* What the rows ask for. */
enum {
	GOES = 1 << 0,		   /* it is being deleted, */
	LATE = 1 << 1,		   /* and its grace period has been over for long */
	OWNED = 1 << 2,
	IS_READY = 1 << 3,	   /* Ready=True */
	WAS_READY = 1 << 4,
	CANNOT_RUN = 1 << 5,	   /* a container fails, */
	CONTAINER_WAITS = 1 << 6,  /* and does not run at present */
	RUNS = 1 << 7,		   /* status.phase: Running */
	PENDING = 1 << 8,
	BEHIND_GATES = 1 << 9,	   /* all containers are ready, and a readiness gate is not */
	CONTAINER_BEHIND = 1 << 10, /* a container runs, and is not ready, */
	SLOW = 1 << 11,		   /* and that for longer than its probes allow */
	CRASHES = 1 << 12,	   /* a container runs between two crashes */
	HAS_RESIZE = 1 << 13	   /* there is a status.resize */
};

struct pod {
	struct reading r;
	struct verdict *v;
	struct json object, status;
	const struct condition *ready;
	const struct condition *disrupted; /* when True, the cluster has removed the pod; it did not fail by itself */
	struct failing failing;
	struct json crashing;	/* the state of a container that runs between two crashes */
	int64_t restarts;
	int containers, running;
	bool crashed; /* some container has failed before */
	bool oom;
};

/* ---- STATUS, as kubectl prints it ---------------------------------------- */

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
			word = core_ended_word(p->v, json_at(state, "state.terminated"));
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
			word = core_ended_word(p->v, json_at(state, "state.terminated"));
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

static void blame(struct pod *p, struct json state, struct str reason, struct str message)
{
	if (p->failing.state.node && !(no_retry_helps(reason) && !p->failing.final))
		return;
	p->failing = (struct failing){ state, reason, message, no_retry_helps(reason) };
}

/* Its container is started again, and was before. */
static bool is_again(const struct pod *p, struct json state)
{
	return json_int(state, "restartCount", 0) > 0 && !str_is(json_str(p->object, "spec.restartPolicy"), "Never") && !is_over(p);
}

/*
 * The container has failed and runs again, but not yet long enough for the kubelet to reset its back-off.  One that crashes again and
 * again runs in between, and its pod may be Ready then: that is no recovery before.
 */
static bool restarted_lately(struct pod *p, struct json state, struct json before)
{
	int64_t started = json_time(state, "state.running.startedAt");

	return core_ended_badly(before) && started &&
	       !core_older_than(p->v, started, CORE_BACK_OFF_FORGOTTEN);
}

static void look_at_container(struct pod *p, struct json state, bool init)
{
	struct json ended = json_at(state, "state.terminated"),
		    before = json_at(state, "lastState.terminated");
	struct str waiting = json_str(state, "state.waiting.reason");

	p->restarts += json_int(state, "restartCount", 0);
	p->oom |= str_is(json_str(ended, "reason"), "OOMKilled") ||
		  str_is(json_str(before, "reason"), "OOMKilled");
	if (restarted_lately(p, state, before)) {
		verdict_flag(p->v, "restarted");
		if (!p->crashing.node && json_int(state, "restartCount", 0) > 0)
			p->crashing = state;
	}
	p->crashed |= core_ended_badly(before) && !json_bool(state, "ready", false) && !init;
	if (str_is(waiting, "CrashLoopBackOff") && before.node)
		blame(p, state, core_why_it_ended(before, waiting), core_how_it_ended(p->v, state));
	else if (json_has(state, "state.waiting") && !is_starting(waiting))
		blame(p, state, waiting, json_str(state, "state.waiting.message"));
	else if (core_ended_badly(ended))
		blame(p, state, core_why_it_ended(ended, is_again(p, state) ? STR("CrashLoopBackOff") : core_ended_word(p->v, ended)),
		      core_how_it_ended(p->v, state));
}

/* Adds the limit of a container to the sum, which is -1 once one has none: such a container may use all of its node. */
static double with_limit(double sum, struct json container, const char *resource)
{
	double limit = quantity_read(json_str(json_at(container, "resources.limits"), resource));

	return sum < 0 || limit <= 0 ? -1 : sum + limit;
}

/* The limit of the pod as a whole, where it has one (kubernetes, KEP 2837), else the sum of those of its containers that go on running. */
static void note_limit(struct pod *p, const char *resource)
{
	struct json spec = json_at(p->object, "spec");
	double sum = 0, whole = quantity_read(json_str(json_at(spec, "resources.limits"), resource));

	json_foreach(container, json_at(spec, "containers"))
		sum = with_limit(sum, container, resource);
	json_foreach(container, json_at(spec, "initContainers"))
		if (str_is(json_str(container, "restartPolicy"), "Always"))
			sum = with_limit(sum, container, resource);
	core_may_use(p->v, resource, whole > 0 ? whole : sum);
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
	note_limit(p, "memory");
	note_limit(p, "cpu");
	if (p->restarts)	/* for the column */
		verdict_particular(p->v, "restarts", arena_printf(verdict_arena(p->v), "%lld", (long long)p->restarts));
	if (p->oom)
		verdict_flag(p->v, "OOMKilled");
}

/* Ready became False some time after the start, so it was True in between; Pending: one of its containers has never run. */
static bool was_ready(const struct pod *p)
{
	int64_t start = json_time(p->status, "startTime");

	if (condition_is(p->ready, "True"))
		return true;
	return !str_is(json_str(p->status, "phase"), "Pending") && condition_is(p->ready, "False") && start &&
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

static struct str rule_of_container(const struct pod *p)
{
	struct json before = json_at(p->failing.state, "lastState.terminated");
	struct str name = json_str(p->failing.state, "name"), kind = STR("container ");
	struct arena *a = verdict_arena(p->v);

	json_foreach(init, json_at(p->status, "initContainerStatuses")) if (init.node == p->failing.state.node) kind = STR("init container ");
	if (before.node)
		return ARENA_JOIN(a, kind, name, STR(": "), p->failing.reason, STR(", restarts "),
				  arena_printf(a, "%d", (int)json_int(p->failing.state, "restartCount", 0)), STR(", ended before: "),
				  json_str(before, "reason"), STR(" ("), arena_printf(a, "%d", (int)json_int(before, "exitCode", 0)), STR(")"));
	return ARENA_JOIN(a, kind, name, STR(": "), p->failing.reason);
}

/* Trying again has not helped for so long, or so often, that only a change helps. */
static bool is_hopeless(struct pod *p, int64_t since)
{
	/* the restarts of a pod that was ready may be those of a whole year */
	bool many = p->restarts >= MANY_RESTARTS &&
		    (!was_ready(p) || str_contains(json_str(p->failing.state, "state.waiting.message"), "back-off 5m0s"));

	return p->failing.final || many || core_older_than(p->v, since, thresholds.pod_start_grace);
}

/* Phase 2 puts the Events of that container beside it. */
static void keep_for_events(struct pod *p, struct json state)
{
	int64_t began = json_time(core_last_run(state), "startedAt");
	struct str prefix = core_container_prefix(p->v, state);

	verdict_particular(p->v, "container", json_str(state, "name"));
	core_note_probes(p->v, core_container_spec(p->v, json_str(state, "name")));
	if (prefix.len)
		verdict_particular(p->v, "prefix", prefix);
	if (began)
		verdict_particular(p->v, "last-run", arena_printf(verdict_arena(p->v), "%lld", (long long)began));
}

/* ---- what the rows tell of its container -------------------------------------- */

static void in_words_of_container(struct pod *p, int64_t since)
{
	p->r.condition = NULL;
	p->r.reason = p->failing.reason;
	p->r.message = p->failing.message;
	p->r.rule = rule_of_container(p);
	p->r.since = since;
}

static bool lacks_what_its_container_names(struct reading *r)
{
	struct pod *p = (struct pod *)r;

	return core_names_missing(p->v, p->failing.message);
}

/* A container cannot run: it is retried for ever, but only a change helps in the end. */
static void cannot_run(struct reading *r)
{
	struct pod *p = (struct pod *)r;
	const struct failing *c = &p->failing;
	int64_t since = not_ready_since(p);

	if (was_ready(p))
		since = time_earlier(since, core_loop_since(p->v, c->state));
	if (is_hopeless(p, since))
		r->flags |= core_image_comes_later(c->message) ? RETRIED : FINAL_IF_DOWN | RETRIED;
	if (str_is(c->reason, "ImagePullBackOff") || str_is(c->reason, "ErrImagePull")) {
		core_pod_pull_secrets(p->v);
		if (core_image_is_refused(c->message))
			verdict_flag(p->v, "image-refused");
	}
	if (str_is(json_str(c->state, "state.waiting.reason"), "CrashLoopBackOff") || is_again(p, c->state))
		verdict_flag(p->v, "crash-loop");
	keep_for_events(p, c->state);
	in_words_of_container(p, since);
}

static void runs_between_crashes(struct reading *r)
{
	struct pod *p = (struct pod *)r;
	struct json state = p->crashing;
	int64_t since = core_loop_since(p->v, state);
	bool proven = verdict_past(p->v, core_proven_at(state));

	r->usable = condition_is(p->ready, "True") && proven;
	p->failing = (struct failing){ .state = state, .reason = core_why_it_ended(core_last_run(state), STR("CrashLoopBackOff")),
				       .message = core_how_it_ended(p->v, state) };
	if (!since || !was_ready(p))
		since = not_ready_since(p);
	if (!r->usable && is_hopeless(p, since))
		r->flags |= FINAL;
	keep_for_events(p, state);
	in_words_of_container(p, since);
}

/* ---- its start ------------------------------------------------------------- */

static void by_gates(struct reading *r)
{
	r->flags |= SINCE_CREATED;
	json_foreach(gate, json_at(verdict_object(r->v), "spec.schedulingGates"))
		verdict_waits_external(r->v, (struct external_wait){ .state = WAIT_EXTERNAL,
								     .kind = STR("SchedulingGate"),
								     .name = json_str(gate, "name"),
								     .via = STR("spec.schedulingGates"),
								     .message = r->condition->message });
}

static int64_t unscheduled_since(const struct reading *r)
{
	return r->condition->since ? r->condition->since : verdict_created(r->v);
}

/* PodScheduled=False, whose reason is no missing node, or one that depends on claims. */
static bool is_no_node_missing(struct reading *r)
{
	const struct condition *c = r->condition;

	core_unscheduled(r->v, c->message);
	return !str_is(c->reason, "Unschedulable") || core_names_claims(r->v, c->message);
}

/* Until then an autoscaler may add a node that fits. */
static bool is_given_up(struct reading *r)
{
	return suits_no_node(r->condition->message) && core_older_than(r->v, unscheduled_since(r), thresholds.pod_start_grace);
}

static void slow_to_schedule(struct reading *r)
{
	if (core_older_than(r->v, unscheduled_since(r), thresholds.unschedulable_grace))
		r->flags |= RETRIED;
}

static void by_scheduler(struct reading *r)
{
	slow_to_schedule(r);
	verdict_waits_external(r->v, (struct external_wait){ .state = WAIT_EXTERNAL,
							     .kind = STR("Scheduler"),
							     .name = STR("node"),
							     .via = STR("spec.nodeName"),
							     .message = r->condition->message });
}

/* A scheduler writes within seconds what it finds; the usual one is known by its lease. */
static bool is_overlooked(struct reading *r)
{
	struct str name = json_str(verdict_object(r->v), "spec.schedulerName");

	return name.len && !str_is(name, "default-scheduler") && !json_has(verdict_object(r->v), "spec.nodeName") &&
	       !verdict_condition(r->v, "PodScheduled") && core_older_than(r->v, verdict_created(r->v), thresholds.young);
}

static void by_nobody(struct reading *r)
{
	struct str name = json_str(verdict_object(r->v), "spec.schedulerName");

	r->flags |= RETRIED | SINCE_CREATED;
	r->condition = NULL;
	r->message = ARENA_JOIN(verdict_arena(r->v), STR("the scheduler "), name, STR(" has not looked at the pod"));
	verdict_waits_external(r->v, (struct external_wait){ .state = WAIT_EXTERNAL, .kind = STR("Scheduler"), .name = name,
							     .via = STR("spec.schedulerName"), .message = r->message });
}

static void by_its_start(struct reading *r)
{
	const struct condition *initialized = verdict_condition(r->v, "Initialized");

	/* "containers with incomplete status: [migrate]" tells more than that the others are not ready */
	if (condition_is(initialized, "False") && initialized->message.len)
		r->condition = initialized;
	r->since = not_ready_since((struct pod *)r);
	if (!((struct pod *)r)->ready)
		r->rule = STR("status.phase");
	if (core_older_than(r->v, r->since, thresholds.pod_start_grace))
		r->flags |= RETRIED;
}

static int64_t at_most_a_day(struct json from, const char *field, int64_t absent)
{
	int64_t n = json_int(from, field, absent);

	return n < 0 ? absent : n < DAY_SECONDS ? n : DAY_SECONDS;
}

/* How long a container may take until it is ready, by its own probes. */
static int64_t start_grace(const struct pod *p, struct str name)
{
	struct json spec = core_container_spec(p->v, name), startup = json_at(spec, "startupProbe");
	int64_t seconds = at_most_a_day(spec, "readinessProbe.initialDelaySeconds", 0);

	if (startup.node)
		seconds += at_most_a_day(startup, "initialDelaySeconds", 0) +
			   at_most_a_day(startup, "failureThreshold", 3) * at_most_a_day(startup, "periodSeconds", 10);
	return SECONDS(seconds < DAY_SECONDS ? seconds : DAY_SECONDS) + thresholds.pod_start_grace;
}

/* Returns until when containers that run and were never ready are only starting, and the first of them. */
static int64_t starts_until(struct pod *p, struct json *out_behind)
{
	int64_t until = not_ready_since(p) + thresholds.pod_start_grace;

	*out_behind = (struct json){ 0 };
	json_foreach(state, json_at(p->status, "containerStatuses")) {
		int64_t began = json_time(state, "state.running.startedAt");
		int64_t end = began ? began + start_grace(p, json_str(state, "name")) : 0;

		if (json_bool(state, "ready", false) || !json_has(state, "state.running"))
			continue;
		if (!out_behind->node)
			*out_behind = state;
		until = end > until ? end : until;
	}
	if (out_behind->node)
		keep_for_events(p, *out_behind);
	return until;
}

static void since_not_ready(struct reading *r)
{
	struct pod *p = (struct pod *)r;

	r->since = not_ready_since(p);
	if (!p->ready)
		r->rule = STR("no condition Ready");
	if ((r->is & SLOW) || p->crashed)
		r->flags |= RETRIED;
}

/* A pod that runs and is not ready. */
static unsigned look_at_start(struct pod *p)
{
	struct json behind;
	unsigned is = waits_for_readiness_gates(p->v) ? BEHIND_GATES : 0;

	if (verdict_past(p->v, starts_until(p, &behind)))
		is |= SLOW;
	return is | (behind.node && p->ready ? CONTAINER_BEHIND : 0);
}

/* Why a container that was started again has ended is perhaps told by Events: a probe that does not answer. */
static void note_restart(struct pod *p)
{
	json_foreach(state, json_at(p->status, "containerStatuses"))
		if (json_int(state, "restartCount", 0) > 0 && json_has(state, "lastState.terminated") &&
		    !core_older_than(p->v, json_time(state, "state.running.startedAt"), CORE_BACK_OFF_FORGOTTEN)) {
			keep_for_events(p, state);
			return;
		}
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

static void tell_failure(struct reading *r)
{
	struct pod *p = (struct pod *)r;

	r->condition = NULL;
	r->reason = failed_word(p, &r->message);
	r->since = p->ready ? p->ready->since : json_time(p->failing.state, "state.terminated.finishedAt");
	if (p->failing.state.node)
		r->rule = rule_of_container(p);
	if (is_replaced(p))
		r->flags |= COMPLETE;
}

static void without_its_words(struct reading *r)
{
	r->since = r->condition ? r->condition->since : 0;
	r->condition = NULL;
}

static void tell_deletion(struct reading *r)
{
	struct pod *p = (struct pod *)r;

	r->reason = json_str(p->status, "reason");
	r->message = json_str(p->status, "message");
	r->condition = NULL;
	if (r->reason.len == 0 && condition_is(p->disrupted, "True")) {
		r->reason = p->disrupted->reason;
		r->message = p->disrupted->message;
	}
}

static void in_its_containers_words(struct reading *r)
{
	in_words_of_container((struct pod *)r, 0);
}

static bool has_old_resize(struct reading *r, const char *words)
{
	struct str word = json_str(verdict_object(r->v), "status.resize");

	r->reason = word;
	r->rule = ARENA_JOIN(verdict_arena(r->v), STR("status.resize "), word);
	return table_has_word(words, word);
}

/* status.resize is older than the conditions for it. */
static bool says_infeasible(struct reading *r)
{
	return has_old_resize(r, "Infeasible");
}

static bool says_it_is_resized(struct reading *r)
{
	return has_old_resize(r, "Deferred InProgress Proposed");
}

static const struct row rows[] = {
	/* the deletionTimestamp is the end of the grace period: after it the node should have stopped the pod */
	{ "the pod is still there a minute after its grace period", .is = GOES | LATE, .then = OUTCOME_DELETION, .flags = RETRIED,
	  .rule = "still there a minute after its grace period", .tell = tell_deletion },
	{ "the pod is being deleted", .is = GOES, .then = OUTCOME_DELETION, .rule = "metadata.deletionTimestamp", .tell = tell_deletion },
	{ "its containers have ended well", .word = "Succeeded", .then = OUTCOME_READY, .flags = COMPLETE, .rule = "status.phase Succeeded",
	  .tell = without_its_words },
	{ "the pod has failed, and its owner may make another", .is = OWNED, .word = "Failed", .then = OUTCOME_TROUBLE, .flag = "not-restarted",
	  .rule = "status.phase Failed", .tell = tell_failure },
	{ "the pod has failed, and nobody makes another", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL, .flag = "not-restarted",
	  .rule = "status.phase Failed", .tell = tell_failure },
	{ "something that a container needs is missing", .is = CANNOT_RUN, .not = IS_READY, .holds = lacks_what_its_container_names,
	  .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .tell = cannot_run },
	{ "a container cannot run", .is = CANNOT_RUN, .not = IS_READY, .then = OUTCOME_TROUBLE, .tell = cannot_run },
	{ "a container runs between two crashes", .is = CRASHES, .then = OUTCOME_TROUBLE, .flags = PASSED, .flag = "crash-loop",
	  .tell = runs_between_crashes },
	/* the condition Ready is older than the state of the container */
	{ "a container waits, although the pod is called ready", .is = RUNS | IS_READY | CONTAINER_WAITS, .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = in_its_containers_words },
	{ "its node has no room for its new size", .is = RUNS | IS_READY, .type = "PodResizePending", .status = "True", .reason = "Infeasible",
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "its new size cannot be set", .is = RUNS | IS_READY, .type = "PodResizeInProgress", .status = "True", .reason = "Error",
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "its new size waits for room", .is = RUNS | IS_READY, .type = "PodResizePending", .status = "True", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_SCALING },
	{ "its new size is being set", .is = RUNS | IS_READY, .type = "PodResizeInProgress", .status = "True", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_SCALING },
	{ "status.resize calls its new size infeasible", .is = RUNS | IS_READY | HAS_RESIZE, .holds = says_infeasible, .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED },
	{ "status.resize tells that its size is changed", .is = RUNS | IS_READY | HAS_RESIZE, .holds = says_it_is_resized, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_SCALING },
	{ "the pod is ready", .is = RUNS | IS_READY, .then = OUTCOME_READY, .rule = "Ready=True" },
	{ 0 }
};

/* Behind these: of a pod that runs, how it starts; of one that is pending, what it waits for. */
static const struct row start_rows[] = {
	{ "a container that was ready is not ready any more", .is = RUNS | CONTAINER_BEHIND | WAS_READY, .not = BEHIND_GATES,
	  .then = OUTCOME_TROUBLE, .tell = since_not_ready },
	{ "a container is not ready for longer than its probes allow", .is = RUNS | CONTAINER_BEHIND | SLOW, .not = BEHIND_GATES,
	  .then = OUTCOME_TROUBLE, .tell = since_not_ready },
	{ "the pod was ready, and is not any more", .is = RUNS | WAS_READY, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .tell = since_not_ready },
	{ "somebody else has not called the pod ready", .is = RUNS | BEHIND_GATES, .then = OUTCOME_WAIT, .tell = since_not_ready },
	{ "its containers run, and are not ready yet", .is = RUNS, .then = OUTCOME_MOVEMENT, .tell = since_not_ready },
	{ "a gate keeps the pod from being scheduled", .is = PENDING, .type = "PodScheduled", .status = "False", .reason = "SchedulingGated",
	  .then = OUTCOME_WAIT, .tell = by_gates },
	{ "the pod is not scheduled, for another reason than its nodes", .is = PENDING, .type = "PodScheduled", .status = "False",
	  .holds = is_no_node_missing, .then = OUTCOME_MOVEMENT, .tell = slow_to_schedule },
	{ "no node suits the pod", .is = PENDING, .type = "PodScheduled", .status = "False", .holds = is_given_up, .then = OUTCOME_TROUBLE,
	  .flag = "suits-no-node", .rule = "PodScheduled=False for longer than a start takes: no node suits the pod" },
	{ "no node takes the pod yet", .is = PENDING, .type = "PodScheduled", .status = "False", .then = OUTCOME_WAIT, .tell = by_scheduler },
	{ "the scheduler that the pod names has not looked at it", .is = PENDING, .holds = is_overlooked, .then = OUTCOME_WAIT, .tell = by_nobody },
	{ "its containers are being started", .is = PENDING, .then = OUTCOME_MOVEMENT, .tell = by_its_start },
	{ "its phase is not known", .then = OUTCOME_UNKNOWN, .rule = "status.phase" },
	{ 0 }
};

static unsigned facts_of(struct pod *p)
{
	struct str phase = json_str(p->status, "phase");
	bool ready = condition_is(p->ready, "True");
	unsigned is = (ready ? IS_READY : 0) | (was_ready(p) ? WAS_READY : 0);

	is |= json_count(json_at(p->object, "metadata.ownerReferences")) ? OWNED : 0;
	if (verdict_deleting(p->v))
		return is | GOES | (core_older_than(p->v, verdict_deleting(p->v), MINUTES(1)) ? LATE : 0);
	is |= (p->crashing.node ? CRASHES : 0) | (json_has(p->status, "resize") ? HAS_RESIZE : 0);
	is |= (p->failing.state.node ? CANNOT_RUN : 0) | (json_has(p->failing.state, "state.waiting") ? CONTAINER_WAITS : 0);
	is |= str_is(phase, "Running") ? RUNS : str_is(phase, "Pending") || phase.len == 0 ? PENDING : 0;
	return is;
}

/* The init container that has not come to its end keeps the others from their start. */
static void note_awaited(struct pod *p)
{
	json_foreach(state, json_at(p->status, "initContainerStatuses"))
		if (!init_is_done(p, state)) {
			/* the others start when its start-up probe has succeeded */
			if (is_sidecar(p, json_str(state, "name")) && json_has(state, "state.running"))
				keep_for_events(p, state);
			if (json_has(state, "state.running") || core_last_run(state).node)
				core_note_awaited(p->v, json_str(state, "name"));
			return;
		}
}

static void pod(struct verdict *v)
{
	struct pod p = { .v = v,
			 .object = verdict_object(v),
			 .status = json_at(verdict_object(v), "status"),
			 .ready = verdict_condition(v, "Ready"),
			 .disrupted = verdict_condition(v, "DisruptionTarget") };
	const struct row *row;

	core_pod_refs(v, !str_is(json_str(p.status, "phase"), "Running"));
	verdict_polarity(v, "DisruptionTarget", POLARITY_NEGATIVE);
	look_at_containers(&p);
	p.r = (struct reading){ .v = v, .is = facts_of(&p), .condition = p.ready, .word = json_str(p.status, "phase") };
	row = table_decide(&p.r, rows);
	if (row && (row->is & (RUNS | IS_READY)) == (RUNS | IS_READY) && !(row->is & CONTAINER_WAITS) && p.restarts)
		note_restart(&p);
	if (!row && (p.r.is & RUNS))
		p.r.is |= look_at_start(&p);
	if (!row)
		table_decide(&p.r, start_rows);
	if ((p.r.is & (PENDING | CANNOT_RUN)) && !(p.r.is & IS_READY))
		note_awaited(&p);
	verdict_word(v, status_word(&p));
	if (was_ready(&p))
		verdict_ever_ready(v);
}

const struct core_kind core_pod_kinds[] = { { .kind = "Pod", .inspect = pod, .assess = core_pod_with_neighbours, .warned = true }, { 0 } };
