/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2 of Kubernetes' own kinds: what is concluded from their neighbours. */
#include "kube/family/core/core.h"
#include "kube/family/common/pod_selector.h"

#include "kube/status/thresholds.h"

enum {
	PODS_LOOKED_AT = 200,	    /* pods of one workload that are examined: enough to know what is wrong with it */
	FEW_PODS = 8,		    /* so few are examined also where the counts say that all is well */
	REMAINING_LOOKED_AT = 200, /* objects that are examined in a namespace that is being deleted */
};

static bool is_bad(enum phase phase)
{
	return phase == PHASE_FAILED || phase == PHASE_DEGRADED;
}

/* ---- workloads: what their pods know ------------------------------------- */

struct pods {
	size_t seen, unready, working;	/* working: neither ended nor failed */
	bool lost; /* a pod that was ready is not any more */
	bool old;  /* a pod is not ready for longer than a start takes */
	bool failed;
	bool stateful; /* they are of a StatefulSet */
	int64_t since; /* since when the first pod is not ready; 0: not known */
	struct neighbour first_failed;
	int64_t ordinal; /* the lowest ordinal of a StatefulSet's pods that are not ready */
};

/* Returns 2 for "db-2". */
static int64_t ordinal(struct str name)
{
	int64_t n;

	return str_to_int(str_from(name, str_rfind(name, '-') + 1), &n) ? n : INT64_MAX;
}

static void look_at_pod(struct assessment *d, struct pods *pods, const struct neighbour *pod)
{
	pods->seen++;
	pods->working += !pod->status.complete && pod->status.phase != PHASE_FAILED &&
			 pod->status.phase != PHASE_DELETING;
	if (pod->status.phase == PHASE_READY || pod->status.complete ||
	    pod->status.phase == PHASE_DELETING)
		return;
	pods->unready++;
	if (pod->status.since && (!pods->since || pod->status.since < pods->since))
		pods->since = pod->status.since;
	pods->lost |= pod->status.ever_ready;
	pods->old |= assess_now(d) - pod->created >= thresholds.pod_start_grace;
	assess_revisit(d, pod->created + thresholds.pod_start_grace);
	if (pods->stateful && ordinal(pod->name) < pods->ordinal)
		pods->ordinal = ordinal(pod->name);
	/* the first by name, in whichever order the lists came */
	if (pod->status.phase == PHASE_FAILED && (!pods->failed || str_cmp(pod->name, pods->first_failed.name) < 0)) {
		pods->failed = true;
		pods->first_failed = *pod;
	}
}

/* The pods of a Deployment's ReplicaSets count for the Deployment. */
static struct pods look_at_pods(struct assessment *d)
{
	struct pods pods = { .ordinal = INT64_MAX, .stateful = str_is(assess_kind(d)->kind, "StatefulSet") };
	struct neighbour n, pod;

	for (size_t i = 0; pods.seen < PODS_LOOKED_AT && assess_referrer(d, i, &n); i++) {
		if (n.relation != RELATION_OWNS || n.presence != PRESENCE_FOUND)
			continue;
		if (core_is_kind(&n, "Pod"))
			look_at_pod(d, &pods, &n);
		for (size_t k = 0; core_is_kind(&n, "ReplicaSet") && pods.seen < PODS_LOOKED_AT &&
				   assess_referrer_of(d, &n, k, &pod);
		     k++)
			if (pod.relation == RELATION_OWNS && pod.presence == PRESENCE_FOUND)
				look_at_pod(d, &pods, &pod);
	}
	return pods;
}

/*
 * The counts say that pods are missing, but they have only just started.  A StatefulSet grows at its end: a young pod
 * before ready ones replaces a pod that was lost.
 */
static bool only_starting(const struct status *st, const struct pods *pods)
{
	return pods->unready && !pods->lost && !pods->old && !pods->failed &&
	       pods->ordinal >= st->replicas.ready && st->replicas.current == st->replicas.wanted;
}

/* The workload is neither made for the first time nor scaled, so pods that served before are missing. */
static bool lost_pods(const struct status *st, const struct pods *pods)
{
	if (st->phase == PHASE_PROVISIONING)
		return pods->lost;
	/* pods of a rollout that had their time */
	if (st->phase == PHASE_UPDATING && pods->stateful)
		return pods->old && st->replicas.current == st->replicas.wanted;
	return st->phase == PHASE_SCALING && st->replicas.wanted > 0 && st->replicas.ready <= 0 &&
	       (pods->lost || pods->old);
}

/*
 * Without a condition the workload's own time is that of its creation: trouble that came later is as old as that of its
 * pods.
 */
static void date_by_its_pods(struct assessment *d, const struct pods *pods)
{
	const struct status *st = assess_status(d);
	int64_t created = assess_created(d);

	if (st->since == created && pods->since > created + thresholds.pod_start_grace)
		assess_since(d, pods->since);
}

static void by_its_pods(struct assessment *d, bool short_of)
{
	const struct status *st = assess_status(d);
	struct pods pods = look_at_pods(d);
	/* the counts come later than what the pods say, and count one as ready that crashes again and again */
	bool none_well = pods.seen > 0 && pods.unready == pods.seen && st->replicas.current >= 0 &&
			 pods.seen >= (uint64_t)st->replicas.current;
	bool serves = st->replicas.ready > 0 && !none_well;
	enum phase phase = serves ? PHASE_DEGRADED : PHASE_FAILED;

	if (pods.failed && (serves || !short_of)) {
		/* a workload at rest is shown without its parts */
		if (st->phase == PHASE_SUSPENDED || st->phase == PHASE_READY)
			assess_wait(d, &pods.first_failed, WAIT_FAILED,
				    pods.first_failed.status.message);
		assess_set(d, phase, SEVERITY_WARNING, pods.first_failed.status.reason,
			   pods.first_failed.status.message);
		assess_rule(d, arena_printf(assess_arena(d), "pod " STR_FMT " failed",
					    STR_ARG(pods.first_failed.name)));
	} else if (lost_pods(st, &pods)) {
		assess_set(d, phase, SEVERITY_WARNING, st->reason, st->message);
		assess_rule(d, pods.lost ? STR("a pod that was ready is not ready any more")
					 : STR("no pod is ready, and they had time to start"));
	} else if (short_of && only_starting(st, &pods)) {
		assess_set(d, PHASE_SCALING, SEVERITY_INFO, st->reason, st->message);
		assess_rule(d, STR("the pods that are not ready are new"));
	}
	date_by_its_pods(d, &pods);
}

static void workload(struct assessment *d)
{
	const struct status *st = assess_status(d);
	bool short_of = is_bad(st->phase) && st->severity == SEVERITY_WARNING;

	if (short_of || st->phase == PHASE_PROVISIONING || st->phase == PHASE_UPDATING ||
	    st->phase == PHASE_SCALING || st->phase == PHASE_SUSPENDED)
		by_its_pods(d, short_of);
	else if (st->phase == PHASE_READY && st->replicas.wanted > 0 && st->replicas.wanted <= FEW_PODS)
		by_its_pods(d, false);
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
		if (n.status.phase == PHASE_FAILED)
			assess_wait(d, &n, WAIT_FAILED, n.status.message);
		else if (n.status.phase != PHASE_READY && n.status.phase != PHASE_UNKNOWN)
			assess_wait(d, &n, WAIT_NOT_READY, n.status.message);
	}
}

/* A pod that cannot run, and has not ended, keeps its Job from its end. */
static void job(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct pods pods;

	if (st->phase == PHASE_SUSPENDED)
		wait_for_admission(d);
	if (st->phase != PHASE_PROVISIONING || st->untouched)
		return;
	pods = look_at_pods(d);
	if (!pods.failed)
		return;
	assess_set(d, pods.working ? PHASE_DEGRADED : PHASE_FAILED, SEVERITY_WARNING, pods.first_failed.status.reason,
		   pods.first_failed.status.message);
	assess_rule(d, arena_printf(assess_arena(d), "pod " STR_FMT " failed", STR_ARG(pods.first_failed.name)));
	assess_since(d, pods.first_failed.status.since);
}

/* ---- pods: the node under them, and their volumes --------------------------- */

/* A volume that is being made is a part of the pod's start while it is young. */
static void start_with_volumes(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++) {
		int64_t end = n.created + thresholds.young;

		if (!core_is_kind(&n, "PersistentVolumeClaim") || n.presence != PRESENCE_FOUND ||
		    n.status.phase != PHASE_PROVISIONING || assess_now(d) >= end)
			continue;
		assess_drop_wait(d, &n);
		assess_revisit(d, end);
	}
}

static void pod(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	if (st->phase == PHASE_READY || st->complete)
		return;
	start_with_volumes(d);
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (core_is_kind(&n, "Node") && n.relation == RELATION_NEEDS &&
		    n.presence == PRESENCE_FOUND && n.status.phase == PHASE_FAILED)
			assess_wait(d, &n, WAIT_FAILED, n.status.message);
}

/* ---- schedules: how their last run went ---------------------------------- */

static bool last_run(struct assessment *d, struct neighbour *out)
{
	struct neighbour n;
	bool any = false;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		bool run = core_is_kind(&n, "Job") && n.relation == RELATION_OWNS &&
			   n.presence == PRESENCE_FOUND;

		if (!run || (any && n.created <= out->created))
			continue;
		*out = n;
		any = true;
	}
	return any;
}

/*
 * The controller writes the time of the last success in the reconciliation after the one that saw the end of the run.
 */
static void cron_job(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour run = { 0 };

	if (st->phase != PHASE_DEGRADED || !last_run(d, &run))
		return;
	if (run.status.phase == PHASE_READY) {
		assess_set(d, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
		assess_rule(d, arena_printf(assess_arena(d), "Job " STR_FMT " succeeded",
					    STR_ARG(run.name)));
		assess_since(d, run.status.since);
	} else if (run.status.phase == PHASE_FAILED) {
		assess_set(d, PHASE_DEGRADED, SEVERITY_WARNING, run.status.reason,
			   run.status.message);
		assess_rule(d, arena_printf(assess_arena(d), "Job " STR_FMT " failed",
					    STR_ARG(run.name)));
		assess_since(d, run.status.since);
	}
}

/* ---- Services and what leads to them ------------------------------------- */

static void wait_for_pods_of(struct assessment *d, const struct neighbour *slice)
{
	struct neighbour p;

	for (size_t i = 0; assess_target_of(d, slice, i, &p); i++) {
		if (!core_is_kind(&p, "Pod") || p.presence != PRESENCE_FOUND ||
		    p.status.phase == PHASE_READY)
			continue;
		assess_wait(d, &p, p.status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY,
			    p.status.message);
	}
}

/* The addresses of a Service's pods are written to EndpointSlices, in older versions to Endpoints. */
static bool is_slice(const struct neighbour *n)
{
	return (core_is_kind(n, "EndpointSlice") || core_is_kind(n, "Endpoints")) &&
	       n->relation == RELATION_OWNS && n->presence == PRESENCE_FOUND;
}

static void wait_for_workload(struct assessment *d, const struct neighbour *n)
{
	assess_wait(d, n, n->status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY, n->status.message);
}

static bool is_younger_than(struct assessment *d, int64_t limit)
{
	int64_t created = assess_created(d);

	if (created)
		assess_revisit(d, created + limit);
	return created && assess_now(d) - created < limit;
}

/* The Service has just been made, and nothing is wrong with what it selects: no endpoint was to be expected yet. */
static bool is_coming_up(struct assessment *d)
{
	struct neighbour n, pod;

	if (!is_younger_than(d, thresholds.pod_start_grace))
		return false;
	if (selector_workload(d, "spec.selector", &n) && (is_bad(n.status.phase) || n.status.phase == PHASE_WAITING))
		return false;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		for (size_t k = 0; is_slice(&n) && assess_target_of(d, &n, k, &pod); k++)
			if (core_is_kind(&pod, "Pod") && pod.presence == PRESENCE_FOUND && is_bad(pod.status.phase))
				return false;
	return true;
}

static void comes_up(struct assessment *d, struct str rule)
{
	assess_set(d, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	assess_since(d, assess_created(d));
	assess_rule(d, rule);
}

/* Where there are no slices (in a dump, for example), the workload behind the Service counts. */
static void service_by_workload(struct assessment *d)
{
	struct neighbour n;
	bool seen = selector_workload(d, "spec.selector", &n);

	if (!seen && is_younger_than(d, thresholds.young)) {
		comes_up(d, STR("its EndpointSlices are not seen yet"));
		return;
	}
	if (!seen || n.status.replicas.wanted <= 0 || n.status.replicas.ready != 0)
		return;
	if (is_coming_up(d)) {
		comes_up(d, STR("the pods of the workload that it selects are starting"));
		return;
	}
	assess_set(d, PHASE_DEGRADED, SEVERITY_WARNING, STR_NONE, STR("no pod behind it is ready"));
	assess_since(d, n.status.since);
	assess_rule(d, STR("the workload that it selects has no ready pod"));
	wait_for_workload(d, &n);
}

/*
 * What an operator made beside the pods, and that is not well because they are not ready, tells nothing of its owner:
 * the owner tells why.
 */
static bool wait_for_owner(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && n.status.phase != PHASE_READY &&
		    n.status.phase != PHASE_UNKNOWN && (n.kind->flags & KIND_CUSTOM)) {
			wait_for_workload(d, &n);
			return true;
		}
	return false;
}

/* Too few pods serve; why the others are not ready, their workload tells. */
static void budget(struct assessment *d)
{
	struct neighbour n;

	if (assess_status(d)->phase != PHASE_DEGRADED)
		return;
	if (!selector_workload(d, "spec.selector", &n))
		wait_for_owner(d);
	else if (n.status.phase != PHASE_READY)
		wait_for_workload(d, &n);
}

static void service(struct assessment *d)
{
	const struct status *st = assess_status(d);
	int slices = 0, ready = 0;
	struct neighbour n;

	if (st->phase != PHASE_READY || !status_has_flag(st, "selects-pods"))
		return;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (is_slice(&n)) {
			slices++;
			ready += n.status.replicas.ready > 0 ? n.status.replicas.ready : 0;
		}
	if (slices == 0)
		service_by_workload(d);
	if (slices == 0 || ready > 0)
		return;
	if (is_coming_up(d)) {
		comes_up(d, STR("no endpoint yet in its EndpointSlices"));
		return;
	}
	assess_set(d, PHASE_DEGRADED, SEVERITY_WARNING, STR_NONE, STR("no endpoint is ready"));
	assess_rule(d, STR("no ready endpoint in its EndpointSlices"));
	wait_for_owner(d);
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (is_slice(&n))
			wait_for_pods_of(d, &n);
}

/* An Ingress or a webhook is as healthy as the Services behind it. */
static void leads_to_services(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++) {
		bool missing = n.presence == PRESENCE_MISSING;

		if (!core_is_kind(&n, "Service") || (!missing && n.presence != PRESENCE_FOUND))
			continue;
		if (!missing && !is_bad(n.status.phase))
			continue;
		assess_wait(d, &n, missing ? WAIT_MISSING : WAIT_NOT_READY, n.status.message);
		if (assess_status(d)->phase == PHASE_DELETING)
			continue;
		assess_set(d, PHASE_DEGRADED, SEVERITY_WARNING, n.status.reason, n.status.message);
		assess_rule(d,
			    arena_printf(assess_arena(d), "Service " STR_FMT " %s", STR_ARG(n.name),
					 missing ? "does not exist" : "serves nothing"));
	}
}

/* The APIService is not available any more, and neither is the Service that it calls. */
static void api_service(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; is_bad(assess_status(d)->phase) && assess_target(d, i, &n); i++)
		if (core_is_kind(&n, "Service") && n.presence == PRESENCE_FOUND &&
		    is_bad(n.status.phase))
			assess_wait(d, &n, WAIT_NOT_READY, n.status.message);
}

/* ---- claims that wait for a pod ------------------------------------------ */

static bool class_binds_late(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (core_is_kind(&n, "StorageClass") && n.presence == PRESENCE_FOUND)
			return status_has_flag(&n.status, "WaitForFirstConsumer");
	return core_assess_has_event(d, "WaitForFirstConsumer"); /* the class is not seen */
}

static bool has_scheduled_pod(struct assessment *d)
{
	struct neighbour n, target;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		bool is_pod = core_is_kind(&n, "Pod");

		for (size_t k = 0; is_pod && assess_target_of(d, &n, k, &target); k++)
			if (core_is_kind(&target, "Node"))
				return true;
	}
	return false;
}

static void claim(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (st->phase != PHASE_PROVISIONING || !class_binds_late(d) || has_scheduled_pod(d))
		return;
	assess_set(d, PHASE_WAITING, st->severity, STR("WaitForFirstConsumer"), st->message);
	assess_rule(d, STR("its class binds when a pod that uses it is scheduled"));
	assess_wait_external(d, (struct external_wait){ .state = WAIT_EXTERNAL,
							.kind = STR("Pod"),
							.name = STR("first consumer"),
							.via = STR("spec.storageClassName") });
}

/* ---- namespaces that go -------------------------------------------------- */

static const struct condition *remaining(const struct status *st, const char *type)
{
	const struct condition *c = status_condition(st, type);

	return condition_is(c, "True") ? c : NULL;
}

/*
 * k8s.io/kubernetes pkg/controller/namespace/deletion/status_condition_utils.go:
 * "Some content in the namespace has finalizers remaining: a.b/c in 2 resource instances, ..."
 */
static void wait_for_finalizers(struct assessment *d, const struct condition *c)
{
	size_t at = str_find_str(c->message, "remaining: ");
	struct str rest = str_from(c->message, at + str_of("remaining: ").len), one, name;

	while (at < c->message.len && str_split(&rest, ',', &one)) {
		one = str_trim(one);
		if (!str_split(&one, ' ', &name) || name.len == 0)
			continue;
		assess_wait_external(d, (struct external_wait){ .state = WAIT_FINALIZER,
								.kind = STR("Finalizer"),
								.name = name,
								.via = STR("status.conditions"),
								.message = c->message });
	}
}

/* The deletion of the namespace was refused, perhaps by a webhook: finds what protects it. */
static struct str words_of_refused(struct assessment *d, const struct neighbour *content)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, content, i, &n); i++)
		if (n.relation == RELATION_GUARDS && n.guard.len == 0 &&
		    n.presence == PRESENCE_FOUND)
			return arena_printf(assess_arena(d),
					    "is still there: " STR_FMT "/" STR_FMT " protects it",
					    STR_ARG(n.kind->kind), STR_ARG(n.name));
	return STR("is still there");
}

/*
 * The namespace waits for every object in it that is still there, also one whose deletion is refused; where objects are
 * not seen, for what its status says of them.
 */
static void name_space(struct assessment *d)
{
	const struct condition *finalizers = remaining(assess_status(d), "NamespaceFinalizersRemaining");
	bool refused = remaining(assess_status(d), "NamespaceDeletionContentFailure");
	bool seen = false;
	size_t left = REMAINING_LOOKED_AT;
	struct neighbour n;

	if (assess_status(d)->phase != PHASE_DELETING)
		return;
	for (size_t i = 0; left && assess_content(d, i, &n); i++, left--) {
		if (!n.deleting && refused)
			assess_wait(d, &n, WAIT_FINALIZER, words_of_refused(d, &n));
		if (!n.deleting)
			continue;
		/* what nothing holds is deleted in a moment */
		assess_revisit(d, n.deleting + thresholds.young);
		if (n.status.nfinalizers == 0 && assess_now(d) - n.deleting < thresholds.young)
			continue;
		assess_wait(d, &n, WAIT_DELETING, STR("is still being deleted"));
		seen |= n.status.nfinalizers > 0;
	}
	if (finalizers && !seen)
		wait_for_finalizers(d, finalizers);
}

/* ---- all ----------------------------------------------------------------- */

/* events: the controller of this kind tells of trouble only in Events. */
static const struct {
	const char *kind;
	void (*assess)(struct assessment *d);
	bool events;
} assessors[] = {
	{ "Pod", pod, true },
	{ "Deployment", workload, true },
	{ "ReplicaSet", workload, true },
	{ "ReplicationController", workload, true },
	{ "StatefulSet", workload, true },
	{ "DaemonSet", workload, true },
	{ "Job", job, true },
	{ "CronJob", cron_job, true },
	{ "Service", service, true },
	{ "PodDisruptionBudget", budget, true },
	{ "Ingress", leads_to_services, true },
	{ "ValidatingWebhookConfiguration", leads_to_services, false },
	{ "MutatingWebhookConfiguration", leads_to_services, false },
	{ "APIService", api_service, false },
	{ "CustomResourceDefinition", leads_to_services, false },
	{ "PersistentVolumeClaim", claim, true },
	{ "Namespace", name_space, false },
	{ "Secret", core_helm_assess, false },
};

void core_assess(struct assessment *d)
{
	for (size_t i = 0; i < sizeof(assessors) / sizeof(assessors[0]); i++) {
		if (!str_is(assess_kind(d)->kind, assessors[i].kind))
			continue;
		if (assessors[i].events)
			core_assess_events(d);
		if (assessors[i].assess)
			assessors[i].assess(d);
		return;
	}
}
