/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of ADR 0051: each predicate reads the whole neighbourhood, and the first one that holds decides.  Pods
 * alone never make a service Failed, and a service that was never ready is being provisioned, however badly that goes.
 */
#include "kube/family/appcat/phase.h"

#include "kube/family/crossplane/crossplane.h"
#include "kube/status/thresholds.h"

struct threshold appcat_thresholds[] = {
	[APPCAT_FAILED_AFTER_READY] = { "appcatFailedAfterReady", "Ready=False for longer, after it was ready: Failed",
					MINUTES(15) },
	[APPCAT_FAILED_NEVER_READY] = { "appcatFailedNeverReady", "Ready=False for longer, never ready: Failed", MINUTES(30) },
	[APPCAT_FAILED_UNSYNCED] = { "appcatFailedUnsynced", "Synced=False for longer: Failed", MINUTES(20) },
	[APPCAT_THRESHOLDS] = { 0 },
};

/* Takes the words of a condition. */
static void quote(struct reading *f, const struct condition *c)
{
	f->reason = c->reason;
	f->message = c->message;
	f->word = c->reason;
	f->since = c->since;
}

/* Returns true when it has lasted that long; else asks for another look at that time. */
static bool lasts(struct service *s, int64_t since, int64_t limit)
{
	if (since == 0)
		return false;
	assess_revisit(s->d, since + limit);
	return s->now - since >= limit;
}

static unsigned error_flags(struct service *s, const struct condition *c)
{
	return lasts(s, c->since, crossplane_thresholds[CROSSPLANE_ERROR_OLD].value) ? FINAL : RETRIED;
}

/* A pause stops the reconciler on purpose, so it is no failure to synchronize. */
static bool unsynced(const struct service *s)
{
	return condition_is(s->synced, "False") &&
	       !(s->paused && str_is(s->synced->reason, "ReconcilePaused"));
}

/* ---- words for pods ---------------------------------------------------------------- */

static void describe_pods(struct service *s, struct reading *f)
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
static void quote_failing_pod(struct service *s, struct reading *f)
{
	const struct status *st = &s->pods.failing->status;

	describe_pods(s, f);
	f->reason = st->reason.len ? st->reason : f->reason;
	f->word = st->operator_phase.len ? st->operator_phase : st->reason;
}

/* ---- one predicate each ------------------------------------------------------------- */

static bool deleting(struct reading *f)
{
	struct service *s = (struct service *)f;
	bool reported = condition_is(s->ready, "False") && str_is(s->ready->reason, "Deleting");

	if (!s->composite_deleting && !reported)
		return false;
	if (reported)
		quote(f, s->ready);
	if (s->composite_deleting)
		f->since = s->composite_deleting;
	return true;
}

static bool release_failed(struct reading *f)
{
	struct service *s = (struct service *)f;
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
		f->flags |= st->severity == SEVERITY_ERROR ? FINAL : 0;
		return true;
	}
	return false;
}

/* What no retry can end: a creation whose outcome is unknown, a cluster that its operator gave up. */
static bool part_stopped(struct reading *f)
{
	struct service *s = (struct service *)f;
	for (size_t i = 0; i < s->parts.n; i++) {
		const struct status *st = &s->parts.items[i].status;
		const struct condition *synced = status_condition(st, "Synced");

		if (crossplane_create_unknown(synced)) {
			quote(f, synced);
			f->rule = STR("creation result unknown");
			return true;
		}
		if (str_starts(st->rule, "manifest Failed=True")) {
			f->reason = f->word = st->reason;
			f->message = st->message;
			f->since = st->since;
			f->rule = STR("wrapped object Failed=True");
			return true;
		}
	}
	for (size_t i = 0; i < s->contents.n; i++) {
		const struct condition *c =
			status_condition(&s->contents.items[i].status, "Failed");

		if (!service_is_kind(&s->contents.items[i], "stackgres.io", "SGCluster") ||
		    !condition_is(c, "True"))
			continue;
		quote(f, c);
		f->rule = STR("SGCluster Failed=True");
		return true;
	}
	return false;
}

static bool not_ready_too_long(struct reading *f)
{
	struct service *s = (struct service *)f;
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
	return true;
}

static bool unsynced_too_long(struct reading *f)
{
	struct service *s = (struct service *)f;
	if (!unsynced(s) || condition_is(s->ready, "True") || s->paused ||
	    !lasts(s, s->synced->since, appcat_thresholds[APPCAT_FAILED_UNSYNCED].value))
		return false;
	quote(f, s->synced);
	return true;
}

/* Chooses the reason that explains most. */
static unsigned describe_provisioning(struct service *s, struct reading *f)
{
	if (unsynced(s)) {
		quote(f, s->synced);
		return error_flags(s, s->synced);
	}
	if (s->pods.failing) {
		quote_failing_pod(s, f);
		return lasts(s, s->created, thresholds.overdue) ? FINAL : RETRIED;
	}
	if (s->ready && !condition_is(s->ready, "True"))
		quote(f, s->ready);
	else if (s->pods_ready == PODS_NOT_READY)
		describe_pods(s, f);
	return 0;
}

static bool provisioning(struct reading *f)
{
	struct service *s = (struct service *)f;
	bool synced = condition_is(s->synced, "True") || (s->synced && s->paused);
	bool namespace =
		s->namespace.len || s->pods_ready == PODS_NOT_NEEDED || s->pods_ready == PODS_READY;

	if (s->ever_ready || (namespace && condition_is(s->ready, "True") && synced &&
			      s->pods_ready != PODS_NOT_READY))
		return false;
	f->flags |= describe_provisioning(s, f);
	f->since = s->created;
	return true;
}

static bool maintenance(struct reading *f)
{
	struct service *s = (struct service *)f;
	return appcat_maintenance(s, f);
}

static bool scaling(struct reading *f)
{
	struct service *s = (struct service *)f;
	return s->ever_ready && appcat_scaling(s, f);
}

static bool pods_down(struct reading *f)
{
	struct service *s = (struct service *)f;
	if (!s->ever_ready || s->pods_ready != PODS_NOT_READY)
		return false;
	describe_pods(s, f);
	return true;
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

static bool crossplane_down(struct reading *f)
{
	struct service *s = (struct service *)f;

	if (!s->ever_ready || (!unsynced(s) && !condition_is(s->ready, "False")))
		return false;
	if (unsynced(s))
		f->flags |= error_flags(s, s->synced);
	quote(f, unsynced(s) ? s->synced : s->ready);
	return true;
}

static bool crossplane_lags(struct reading *f)
{
	struct service *s = (struct service *)f;

	return !unsynced(s) && settles(s) && crossplane_down(f);
}

static bool workload_down(struct reading *f)
{
	struct service *s = (struct service *)f;
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
		return true;
	}
	return false;
}

/* Crossplane reads a healthy composite once an hour; its parts are seen now. */
static bool part_down(struct reading *f)
{
	struct service *s = (struct service *)f;
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
		assess_wait_for(s->d, n);
		return true;
	}
	return false;
}

static bool ready(struct reading *f)
{
	struct service *s = (struct service *)f;
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
	return true;
}

static bool unknown(struct reading *f)
{
	struct service *s = (struct service *)f;
	f->reason = STR("NotObservable");
	if (s->ready && s->pods_ready == PODS_UNKNOWN) {
		f->reason = STR("PodsNotObservable");
		f->message = s->namespace.len ?
				     arena_printf(assess_arena(s->d),
						  "no pod is known in namespace " STR_FMT,
						  STR_ARG(s->namespace)) :
				     STR("the instance's namespace is not known");
	}
	return true;
}

static const struct row rows[] = {
	{ "the composite is being deleted", .holds = deleting, .then = OUTCOME_DELETION },
	{ "helm could not roll its release out", .holds = release_failed, .then = OUTCOME_TROUBLE, .rule = "helm release failed" },
	{ "a part of it has failed for good", .holds = part_stopped, .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the service is not ready for too long", .holds = not_ready_too_long, .then = OUTCOME_TROUBLE, .flags = FINAL | PASSED,
	  .rule = "Ready=False for too long" },
	{ "the service cannot be synchronized for too long", .holds = unsynced_too_long, .then = OUTCOME_TROUBLE, .flags = FINAL | PASSED,
	  .rule = "Synced=False for too long" },
	{ "the service was never ready yet", .holds = provisioning, .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .rule = "never ready yet" },
	{ "its maintenance is under way", .holds = maintenance, .then = OUTCOME_MOVEMENT, .phase = PHASE_MAINTENANCE, .rule = "maintenance" },
	{ "its size is being changed", .holds = scaling, .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING, .rule = "scaling" },
	{ "pods of the service are not ready", .holds = pods_down, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .rule = "pods not ready" },
	{ "its release is deployed, and Crossplane has not looked at it since", .holds = crossplane_lags, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_DEGRADED, .rule = "Ready=False" },
	{ "Crossplane does not call the service well any more", .holds = crossplane_down, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "a workload of the service lacks replicas", .holds = workload_down, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .rule = "replicas not ready" },
	{ "a composed resource is not well", .holds = part_down, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "the service and its pods are ready", .holds = ready, .then = OUTCOME_READY, .rule = "Ready, Synced and pods" },
	{ "not enough is known of the service", .holds = unknown, .then = OUTCOME_UNKNOWN, .flags = QUIET, .rule = "not enough is known" },
	{ 0 }
};

static const struct row failing_rows[] = {
	{ "pods of the service fail, whatever it says of itself", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .rule = "pods are failing" },
	{ 0 }
};

const struct row *appcat_find_phase(struct service *s)
{
	return table_find(&s->r, rows);
}

const struct row *appcat_find_failing(struct service *s)
{
	s->r = (struct reading){ .d = s->d, .word = s->ready ? s->ready->reason : STR_NONE };
	describe_pods(s, &s->r);
	return failing_rows;
}
