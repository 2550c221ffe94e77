/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release of provider-helm and Object of provider-kubernetes: two managed resources whose Ready says less than the rest
 * of their status.
 */
#include "kube/family/crossplane/crossplane.h"

/* ---- Release ----------------------------------------------------------------- */

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
	struct reading r;
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

enum { HELM_UP = 1, IN_STEP = 2, UNSYNCED = 4 };

static void in_helms_words(struct reading *r)
{
	struct release *o = (struct release *)r;

	r->reason = o->ready ? o->ready->reason : STR_NONE;
	r->message = o->description;
	r->since = o->ready ? o->ready->since : 0;
}

/* "deployed" and "failed" do not decide alone. */
static const struct row rows[] = {
	{ "the release has failed, and is not synchronized", .word = "failed", .type = "Synced", .status = "False", .then = OUTCOME_TROUBLE },
	{ "the release has failed", .word = "failed", .then = OUTCOME_TROUBLE, .tell = in_helms_words },
	/*
	 * Ready does not say so yet: the provider reads it again at its next poll, up to ten minutes later.  Nothing is wrong.  When it is
	 * not synced, other values are wanted than those that run.
	 */
	{ "the release is deployed, and is read again", .is = IN_STEP, .not = UNSYNCED | HELM_UP, .word = "deployed", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_PROVISIONING, .flags = SINCE_CREATED, .tell = in_helms_words },
	{ "other values are wanted than those that run", .not = UNSYNCED | IN_STEP, .word = "deployed", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_UPDATING, .flags = SINCE_CREATED, .tell = in_helms_words },
	{ "helm installs the release", .not = UNSYNCED, .word = "pending-install uninstalled superseded", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_PROVISIONING, .tell = in_helms_words },
	{ "helm upgrades the release", .not = UNSYNCED, .word = "pending-upgrade", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING,
	  .tell = in_helms_words },
	{ "helm takes an upgrade back", .not = UNSYNCED, .word = "pending-rollback", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING,
	  .flags = RETRIED, .tell = in_helms_words },
	{ "helm uninstalls the release", .not = UNSYNCED, .word = "uninstalling", .then = OUTCOME_DELETION, .tell = in_helms_words },
	{ "helm does not know the release", .not = UNSYNCED, .word = "unknown", .then = OUTCOME_UNKNOWN, .flags = QUIET, .tell = in_helms_words },
	{ "the release is deployed", .is = HELM_UP, .not = UNSYNCED, .word = "deployed", .type = "Ready", .then = OUTCOME_READY },
	{ 0 }
};

/* A chart whose Secrets do not exist yet fails at first, so only the last attempt raises the severity. */
static bool has_another_attempt(const struct release *r)
{
	return r->limit >= 0 ? r->failed < r->limit : !json_bool(verdict_object(r->v), "status.synced", false);
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
	bool up = condition_is(r.ready, "True");

	verdict_version(v, STR_NONE, json_str(object, "spec.forProvider.chart.version"));
	if (r.state.len == 0)
		return false;
	release_async(&r);
	if (crossplane_paused(v) || crossplane_create_unknown(r.synced) || verdict_deleting(v))
		return false;
	r.r = (struct reading){ .v = v, .word = r.state, .rule = ARENA_JOIN(verdict_arena(v), STR("status.atProvider.state "), r.state),
				.is = (up ? HELM_UP : 0) | (json_bool(object, "status.synced", up) ? IN_STEP : 0) |
				      (condition_is(r.synced, "False") ? UNSYNCED : 0),
				.flags = str_is(r.state, "failed") && !has_another_attempt(&r) ? FINAL : 0 };
	if (!table_decide(&r.r, rows))
		return false;
	verdict_word(v, r.state);
	return true;
}

/* ---- Object ------------------------------------------------------------------ */

/* Conditions of the wrapped object that are trouble, whatever Ready of the wrapper says. */
static const char *const stopped[] = { "Failed", "Stalled" };

static const struct row wrapped_rows[] = {
	{ "the object that it wraps has failed", .then = OUTCOME_TROUBLE, .flags = FINAL }, { 0 }
};

static void wrapped_failed(struct verdict *v, struct json c)
{
	row_decides(&(struct reading){ .v = v, .usable = verdict_phase(v) == PHASE_READY, .reason = json_str(c, "reason"),
				       .word = json_str(c, "reason"), .message = json_str(c, "message"), .since = json_time(c, "lastTransitionTime"),
				       .rule = ARENA_JOIN(verdict_arena(v), STR("manifest "), json_str(c, "type"), STR("=True")) }, wrapped_rows);
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
