/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release of provider-helm and Object of provider-kubernetes: two managed resources whose Ready says less than the rest
 * of their status.
 */
#include "kube/family/crossplane/rules.h"

/* ---- Release ----------------------------------------------------------------- */

/* The states of helm; "deployed" and "failed" do not decide alone. */
static const struct word_rule states[] = {
	{ "pending-install", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "pending-upgrade", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "pending-rollback", NULL, PHASE_UPDATING, SEVERITY_WARNING },
	{ "uninstalling", NULL, PHASE_DELETING, SEVERITY_INFO },
	{ "uninstalled", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "superseded", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "unknown", NULL, PHASE_UNKNOWN, SEVERITY_NONE },
	{ 0 },
};

/* What helm is doing, or has done last, as an asynchronous operation. */
static const struct {
	const char *state, *phase, *class;
} operations[] = {
	{ "deployed", "", "succeeded" },
	{ "failed", "", "failed" },
	{ "pending-install", "create", "pending" },
	{ "pending-upgrade", "update", "pending" },
	{ "pending-rollback", "update", "pending" },
	{ "uninstalling", "delete", "pending" },
	{ "uninstalled", "delete", "succeeded" },
	{ "superseded", "update", "succeeded" },
	{ "unknown", "", "unknown" },
};

struct release {
	struct verdict *v;
	const struct condition *ready, *synced;
	struct str state, description;
	int64_t failed, limit; /* numbers of attempts; a limit of -1 means that nothing is tried again */
};

static struct str attempts(const struct release *r)
{
	struct arena *arena = verdict_arena(r->v);

	if (!str_is(r->state, "failed") || r->failed <= 0)
		return r->description;
	if (r->limit < 0)
		return arena_printf(arena, STR_FMT " (attempt %lld)", STR_ARG(r->description),
				    (long long)r->failed);
	return arena_printf(arena, STR_FMT " (attempt %lld/%lld)", STR_ARG(r->description),
			    (long long)r->failed, (long long)r->limit);
}

static void release_async(const struct release *r)
{
	struct async *async = verdict_async(r->v);
	bool first = json_int(verdict_object(r->v), "status.atProvider.revision", 0) <= 1;

	async->source = STR("helm");
	async->raw_status = r->state;
	async->message = attempts(r);
	async->class = STR("unknown");
	async->phase = STR_NONE;
	async->updated = r->ready ? r->ready->since : 0;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (!str_is(r->state, operations[i].state))
			continue;
		async->class = str_of(operations[i].class);
		async->phase = str_of(operations[i].phase);
	}
	if (async->phase.len == 0)
		async->phase = first ? STR("create") : STR("update");
}

/* A chart whose Secrets do not exist yet fails at first, so only the last attempt raises the severity. */
static void release_failed(const struct release *r)
{
	bool pending = r->limit >= 0 ? r->failed < r->limit :
				       !json_bool(verdict_object(r->v), "status.synced", false);
	enum severity severity = pending ? SEVERITY_WARNING : SEVERITY_ERROR;

	verdict_set(r->v, PHASE_FAILED, severity, STR_NONE, r->description);
	if (condition_is(r->synced, "False")) {
		crossplane_decide(r->v, r->synced, PHASE_FAILED, severity);
	} else if (r->ready) {
		crossplane_decide(r->v, r->ready, PHASE_FAILED, severity);
		verdict_set(r->v, PHASE_FAILED, severity, r->ready->reason, r->description);
	}
}

/*
 * The release is deployed and synced, and Ready does not say so yet: the provider reads it again at its next poll, up
 * to ten minutes later.  Nothing is wrong.  When it is not synced, other values are wanted than those that run.
 */
static bool release_settles(const struct release *r)
{
	bool up = condition_is(r->ready, "True");
	bool in_step = json_bool(verdict_object(r->v), "status.synced", up);

	if (!str_is(r->state, "deployed") || condition_is(r->synced, "False") || (up && in_step))
		return false;
	verdict_since(r->v, r->ready ? r->ready->since : verdict_created(r->v));
	verdict_set(r->v, in_step ? PHASE_PROVISIONING : PHASE_UPDATING, SEVERITY_INFO,
		    r->ready ? r->ready->reason : STR_NONE, r->description);
	return true;
}

static bool release_by_state(const struct release *r)
{
	if (condition_is(r->synced, "False") || !verdict_by_word(r->v, r->state, STR_NONE, states))
		return false;
	verdict_set(r->v, verdict_phase(r->v), verdict_severity(r->v),
		    r->ready ? r->ready->reason : STR_NONE, r->description);
	if (r->ready)
		verdict_since(r->v, r->ready->since);
	return true;
}

static bool release_is_up(const struct release *r)
{
	if (!str_is(r->state, "deployed") || !condition_is(r->ready, "True") ||
	    condition_is(r->synced, "False"))
		return false;
	crossplane_decide(r->v, r->ready, PHASE_READY, SEVERITY_NONE);
	verdict_ever_ready(r->v);
	return true;
}

bool crossplane_inspect_release(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct release r = {
		.v = v,
		.ready = verdict_condition(v, "Ready"),
		.synced = verdict_condition(v, "Synced"),
		.state = json_str(object, "status.atProvider.state"),
		.description = json_str(object, "status.atProvider.releaseDescription"),
		.failed = json_int(object, "status.failed", 0),
		.limit = json_int(object, "spec.rollbackLimit", -1),
	};
	bool decided = true;

	verdict_version(v, STR_NONE, json_str(object, "spec.forProvider.chart.version"));
	if (r.state.len == 0)
		return false;
	release_async(&r);
	if (crossplane_paused(v) || crossplane_create_unknown(r.synced) || verdict_deleting(v))
		return false;
	if (str_is(r.state, "failed"))
		release_failed(&r);
	else
		decided = release_settles(&r) || release_by_state(&r) || release_is_up(&r);
	if (!decided)
		return false;
	verdict_word(v, r.state);
	verdict_rule(v, arena_printf(verdict_arena(v), "status.atProvider.state " STR_FMT,
				     STR_ARG(r.state)));
	return true;
}

/* ---- Object ------------------------------------------------------------------ */

/* Conditions of the wrapped object that are trouble, whatever Ready of the wrapper says. */
static const char *const stopped[] = { "Failed", "Stalled" };

static void wrapped_failed(struct verdict *v, struct json c)
{
	enum phase phase = verdict_phase(v) == PHASE_READY ? PHASE_DEGRADED : PHASE_FAILED;

	verdict_set(v, phase, SEVERITY_ERROR, json_str(c, "reason"), json_str(c, "message"));
	verdict_word(v, json_str(c, "reason"));
	verdict_since(v, json_time(c, "lastTransitionTime"));
	verdict_rule(v, ARENA_JOIN(verdict_arena(v), STR("manifest "), json_str(c, "type"), STR("=True")));
}

/* The replicas of the wrapped object are all that is seen of a workload in another cluster. */
static void wrapped_replicas(struct verdict *v, struct json live)
{
	static const char *const workloads[] = { "Deployment", "StatefulSet", "ReplicaSet" };

	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (str_is(json_str(live, "kind"), workloads[i]) &&
		    json_is_object(json_at(live, "status")))
			verdict_replicas(v, (struct replicas){
				crossplane_count(live, "spec.replicas", 1),
				crossplane_count(live, "status.readyReplicas", 0),
				crossplane_count(live, "status.updatedReplicas", -1),
				crossplane_count(live, "status.replicas", -1),
			});
}

void crossplane_inspect_object(struct verdict *v)
{
	struct json live = json_at(verdict_object(v), "status.atProvider.manifest");

	wrapped_replicas(v, live);
	if (verdict_phase(v) != PHASE_READY && verdict_phase(v) != PHASE_PROVISIONING)
		return;
	json_foreach(c, json_at(live, "status.conditions"))
		for (size_t i = 0; i < sizeof(stopped) / sizeof(stopped[0]); i++)
			if (str_is(json_str(c, "type"), stopped[i]) &&
			    str_is(json_str(c, "status"), "True")) {
				wrapped_failed(v, c);
				return;
			}
}
