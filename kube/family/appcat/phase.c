/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of ADR 0051: each predicate reads the whole neighbourhood, and the first one that holds decides.  Pods
 * alone never make a service Failed, and a service that was never ready is being provisioned, however badly that goes.
 */
#include "kube/family/appcat/phase.h"

#include "kube/family/crossplane/rules.h"
#include "kube/status/thresholds.h"

struct threshold appcat_thresholds[] = {
	[APPCAT_FAILED_AFTER_READY] = { "appcatFailedAfterReady", "Ready=False for longer, after it was ready: Failed",
					MINUTES(15) },
	[APPCAT_FAILED_NEVER_READY] = { "appcatFailedNeverReady", "Ready=False for longer, never ready: Failed", MINUTES(30) },
	[APPCAT_FAILED_UNSYNCED] = { "appcatFailedUnsynced", "Synced=False for longer: Failed", MINUTES(20) },
	[APPCAT_THRESHOLDS] = { 0 },
};

/* Takes the words of a condition. */
static void quote(struct finding *f, const struct condition *c)
{
	f->reason = c->reason;
	f->message = c->message;
	f->word = c->reason;
	f->since = c->since;
}

static bool set(struct finding *f, enum phase phase, enum severity severity, const char *rule)
{
	f->phase = phase;
	f->severity = severity;
	f->rule = rule;
	return true;
}

/* Returns true when it has lasted that long; else asks for another look at that time. */
static bool lasts(struct service *s, int64_t since, int64_t limit)
{
	if (since == 0)
		return false;
	assess_revisit(s->d, since + limit);
	return s->now - since >= limit;
}

static enum severity error_severity(struct service *s, const struct condition *c)
{
	return lasts(s, c->since, crossplane_thresholds[CROSSPLANE_ERROR_OLD].value) ? SEVERITY_ERROR : SEVERITY_WARNING;
}

/* A pause stops the reconciler on purpose, so it is no failure to synchronize. */
static bool unsynced(const struct service *s)
{
	return condition_is(s->synced, "False") &&
	       !(s->paused && str_is(s->synced->reason, "ReconcilePaused"));
}

/* ---- words for pods ---------------------------------------------------------------- */

static void describe_pods(struct service *s, struct finding *f)
{
	const struct pods *p = &s->pods;
	struct arena *arena = assess_arena(s->d);
	size_t down = p->all.n - p->nready;

	f->since = p->not_ready_since;
	f->reason = STR("PodsNotReady");
	if (p->all.n == 0 && s->pods_said) {
		quote(f, s->pods_said);
		return;
	}
	if (p->all.n == 0) {
		f->reason = STR("NoPods");
		f->message = arena_printf(arena, "no pod serves in namespace " STR_FMT,
					  STR_ARG(s->namespace));
		return;
	}
	f->message = arena_printf(arena, "%zu of %zu pods not ready", down, p->all.n);
	if (p->failing)
		f->message =
			arena_printf(arena, STR_FMT ": " STR_FMT "%s" STR_FMT, STR_ARG(f->message),
				     STR_ARG(p->failing->name),
				     p->failing->status.reason.len ? ": " : "",
				     STR_ARG(p->failing->status.reason));
}

/* The reason of the pod leads to the runbook. */
static void quote_failing_pod(struct service *s, struct finding *f)
{
	const struct status *st = &s->pods.failing->status;

	describe_pods(s, f);
	f->reason = st->reason.len ? st->reason : f->reason;
	f->word = st->operator_phase.len ? st->operator_phase : st->reason;
}

/* ---- one predicate each ------------------------------------------------------------- */

static bool deleting(struct service *s, struct finding *f)
{
	bool reported = condition_is(s->ready, "False") && str_is(s->ready->reason, "Deleting");

	if (!s->composite_deleting && !reported)
		return false;
	if (reported)
		quote(f, s->ready);
	if (s->composite_deleting)
		f->since = s->composite_deleting;
	return set(f, PHASE_DELETING, SEVERITY_INFO, "the composite is being deleted");
}

static bool release_failed(struct service *s, struct finding *f)
{
	if (condition_is(s->ready, "True"))
		return false;
	for (size_t i = 0; i < s->parts.n; i++) {
		const struct status *st = &s->parts.items[i].status;

		if (!st->async || !str_is(st->async->source, "helm") ||
		    !str_is(st->async->raw_status, "failed"))
			continue;
		f->reason = st->reason;
		f->word = st->operator_phase;
		f->message = arena_printf(assess_arena(s->d), "helm: " STR_FMT,
					  STR_ARG(st->async->message));
		f->since = st->since;
		return set(f, PHASE_FAILED,
			   st->severity == SEVERITY_ERROR ? SEVERITY_ERROR : SEVERITY_WARNING,
			   "helm release failed");
	}
	return false;
}

/* What no retry can end: a creation whose outcome is unknown, a cluster that its operator gave up. */
static bool part_stopped(struct service *s, struct finding *f)
{
	for (size_t i = 0; i < s->parts.n; i++) {
		const struct status *st = &s->parts.items[i].status;
		const struct condition *synced = status_condition(st, "Synced");

		if (crossplane_create_unknown(synced)) {
			quote(f, synced);
			return set(f, PHASE_FAILED, SEVERITY_ERROR, "creation result unknown");
		}
		if (str_starts(st->rule, "manifest Failed=True")) {
			f->reason = f->word = st->reason;
			f->message = st->message;
			f->since = st->since;
			return set(f, PHASE_FAILED, SEVERITY_ERROR, "wrapped object Failed=True");
		}
	}
	for (size_t i = 0; i < s->contents.n; i++) {
		const struct condition *c =
			status_condition(&s->contents.items[i].status, "Failed");

		if (!service_is_kind(&s->contents.items[i], "stackgres.io", "SGCluster") ||
		    !condition_is(c, "True"))
			continue;
		quote(f, c);
		return set(f, PHASE_FAILED, SEVERITY_ERROR, "SGCluster Failed=True");
	}
	return false;
}

static bool not_ready_too_long(struct service *s, struct finding *f)
{
	/* The time of Ready starts anew with each message, so until the service was ready once its age counts. */
	int64_t since = s->ready ? s->ready->since : 0;
	int64_t limit =
		appcat_thresholds[s->ever_ready ? APPCAT_FAILED_AFTER_READY : APPCAT_FAILED_NEVER_READY].value;

	if (!condition_is(s->ready, "False") || s->paused)
		return false;
	if (!since || (!s->ever_ready && s->created && s->created < since))
		since = s->created;
	if (!lasts(s, since, limit))
		return false;
	quote(f, unsynced(s) ? s->synced : s->ready);
	f->by_time = true;
	return set(f, PHASE_FAILED, SEVERITY_ERROR, "Ready=False for too long");
}

static bool unsynced_too_long(struct service *s, struct finding *f)
{
	if (!unsynced(s) || condition_is(s->ready, "True") || s->paused ||
	    !lasts(s, s->synced->since, appcat_thresholds[APPCAT_FAILED_UNSYNCED].value))
		return false;
	quote(f, s->synced);
	f->by_time = true;
	return set(f, PHASE_FAILED, SEVERITY_ERROR, "Synced=False for too long");
}

/* Chooses the reason that explains most. */
static enum severity describe_provisioning(struct service *s, struct finding *f)
{
	if (unsynced(s)) {
		quote(f, s->synced);
		return error_severity(s, s->synced);
	}
	if (s->pods.failing) {
		quote_failing_pod(s, f);
		return lasts(s, s->created, thresholds.overdue) ? SEVERITY_ERROR : SEVERITY_WARNING;
	}
	if (s->ready && !condition_is(s->ready, "True"))
		quote(f, s->ready);
	else if (s->pods_ready == PODS_NOT_READY)
		describe_pods(s, f);
	return SEVERITY_INFO;
}

static bool provisioning(struct service *s, struct finding *f)
{
	bool synced = condition_is(s->synced, "True") || (s->synced && s->paused);
	bool namespace =
		s->namespace.len || s->pods_ready == PODS_NOT_NEEDED || s->pods_ready == PODS_READY;

	if (s->ever_ready || (namespace && condition_is(s->ready, "True") && synced &&
			      s->pods_ready != PODS_NOT_READY))
		return false;
	set(f, PHASE_PROVISIONING, describe_provisioning(s, f), "never ready yet");
	f->since = s->created;
	return true;
}

static bool maintenance(struct service *s, struct finding *f)
{
	return appcat_maintenance(s, f) && set(f, PHASE_MAINTENANCE, SEVERITY_INFO, "maintenance");
}

static bool scaling(struct service *s, struct finding *f)
{
	return s->ever_ready && appcat_scaling(s, f) &&
	       set(f, PHASE_SCALING, SEVERITY_INFO, "scaling");
}

static bool pods_down(struct service *s, struct finding *f)
{
	if (!s->ever_ready || s->pods_ready != PODS_NOT_READY)
		return false;
	describe_pods(s, f);
	return set(f, PHASE_DEGRADED, SEVERITY_WARNING, "pods not ready");
}

/* The release is deployed and synced: the next poll of the provider will say that it is ready. */
static bool settles(const struct service *s)
{
	for (size_t i = 0; i < s->parts.n; i++) {
		const struct status *st = &s->parts.items[i].status;

		if (st->phase == PHASE_PROVISIONING && st->async &&
		    str_is(st->async->source, "helm") && str_is(st->async->raw_status, "deployed"))
			return true;
	}
	return false;
}

static bool crossplane_down(struct service *s, struct finding *f)
{
	enum severity severity;

	if (!s->ever_ready || (!unsynced(s) && !condition_is(s->ready, "False")))
		return false;
	severity = settles(s) ? SEVERITY_INFO : SEVERITY_WARNING;
	if (unsynced(s)) {
		severity = error_severity(s, s->synced);
		quote(f, s->synced);
	} else {
		quote(f, s->ready);
	}
	return set(f, PHASE_DEGRADED, severity, unsynced(s) ? "Synced=False" : "Ready=False");
}

static bool workload_down(struct service *s, struct finding *f)
{
	for (size_t i = 0; s->ever_ready && i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];
		struct replicas r = n->status.replicas;

		if (!service_is_workload(n) || r.wanted <= 1 || r.ready < 0 || r.ready >= r.wanted)
			continue;
		f->reason = STR("ReplicasNotReady");
		f->message = arena_printf(
			assess_arena(s->d), STR_FMT "/" STR_FMT ": %d of %d replicas ready",
			STR_ARG(n->kind->kind), STR_ARG(n->name), r.ready, r.wanted);
		f->since = n->status.since;
		return set(f, PHASE_DEGRADED, SEVERITY_WARNING, "replicas not ready");
	}
	return false;
}

/* Crossplane reads a healthy composite once an hour; its parts are seen now. */
static bool part_down(struct service *s, struct finding *f)
{
	for (size_t i = 0; s->ever_ready && i < s->parts.n; i++) {
		const struct neighbour *n = &s->parts.items[i];
		enum phase phase = n->status.phase;

		if (n->presence != PRESENCE_FOUND ||
		    (phase != PHASE_FAILED && phase != PHASE_DEGRADED) ||
		    n->status.severity < SEVERITY_WARNING)
			continue;
		f->reason = n->status.reason;
		f->word = n->status.operator_phase;
		f->message = n->status.message;
		f->since = n->status.since;
		assess_wait(s->d, n, phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY,
			    n->status.message);
		return set(f, PHASE_DEGRADED, SEVERITY_WARNING, "a composed resource is not well");
	}
	return false;
}

static bool ready(struct service *s, struct finding *f)
{
	const struct condition *claim =
		s->claim ? status_condition(s->claim, "Ready") : NULL;
	bool synced = condition_is(s->synced, "True") || (s->synced && s->paused);

	if (!condition_is(s->ready, "True") || !synced ||
	    (s->pods_ready != PODS_READY && s->pods_ready != PODS_NOT_NEEDED))
		return false;
	quote(f, s->ready);
	if (s->pods.ready_since > f->since)
		f->since = s->pods.ready_since;
	/* The claim may be older than its composite. */
	if (condition_is(claim, "False"))
		f->message = claim->message;
	return set(f, PHASE_READY, SEVERITY_NONE, "Ready, Synced and pods");
}

static bool unknown(struct service *s, struct finding *f)
{
	f->reason = STR("NotObservable");
	if (s->ready && s->pods_ready == PODS_UNKNOWN) {
		f->reason = STR("PodsNotObservable");
		f->message = s->namespace.len ?
				     arena_printf(assess_arena(s->d),
						  "no pod is known in namespace " STR_FMT,
						  STR_ARG(s->namespace)) :
				     STR("the instance's namespace is not known");
	}
	return set(f, PHASE_UNKNOWN, SEVERITY_NONE, "not enough is known");
}

void appcat_find_phase(struct service *s, struct finding *out)
{
	static bool (*const predicates[])(struct service *s, struct finding *f) = {
		deleting,
		release_failed,
		part_stopped,
		not_ready_too_long,
		unsynced_too_long,
		provisioning,
		maintenance,
		scaling,
		pods_down,
		crossplane_down,
		workload_down,
		part_down,
		ready,
		unknown,
	};

	for (size_t i = 0; i < sizeof(predicates) / sizeof(predicates[0]); i++) {
		*out = (struct finding){ .reason = STR_NONE, .message = STR_NONE };
		out->word = s->ready ? s->ready->reason : STR_NONE;
		if (predicates[i](s, out))
			return;
	}
}

void appcat_find_failing(struct service *s, struct finding *out)
{
	*out = (struct finding){ .word = s->ready ? s->ready->reason : STR_NONE };
	describe_pods(s, out);
	set(out, PHASE_DEGRADED, SEVERITY_WARNING, "pods are failing");
}
