/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deployment, ReplicaSet, ReplicationController, StatefulSet and DaemonSet: counts compared with what is wanted, with
 * the words of the conditions.  Whether pods that are not ready were ready before is known in phase 2, from the pods
 * themselves.
 */
#include "kube/family/core/core.h"
#include "kube/family/common/pod_selector.h"

#include "kube/status/thresholds.h"

#define FIRST_REPORT SECONDS(10) /* conditions that were set by then are first reports and no transitions */

struct workload {
	struct verdict *v;
	struct json spec, status;
	int wanted, current, updated, ready, available;
	bool was_ready; /* there is evidence that it was ready before */
	bool old;	/* its pods have had all the time that a start may take */
	bool paused;
};

static int count(struct json from, const char *field, int absent)
{
	int64_t n = json_int(from, field, absent);

	return n < 0 || n > INT32_MAX ? absent : (int)n;
}

/* Returns true when the workload is older than the time that so many pods may take to start one after the other. */
static bool had_time(struct verdict *v, int pods)
{
	return core_older_than(v, verdict_created(v), thresholds.pod_start_grace * pods + 1);
}

static struct workload workload(struct verdict *v)
{
	struct json object = verdict_object(v), status = json_at(object, "status");
	struct workload w = {
		.v = v,
		.spec = json_at(object, "spec"),
		.status = status,
		.wanted = count(object, "spec.replicas", 1),
		.current = count(status, "replicas", 0),
		.updated = count(status, "updatedReplicas", 0),
		.ready = count(status, "readyReplicas", 0),
		.available = count(status, "availableReplicas", 0),
		.old = had_time(v, 1),
	};

	return w;
}

/* The API server writes the zeros of a new object; what the controller writes has an observedGeneration. */
static bool was_reconciled(const struct workload *w)
{
	return w->current > 0 || json_has(w->status, "observedGeneration");
}

/* Reports counts, and whether the workload was ever ready: facts beside the verdict. */
static void tell(const struct workload *w)
{
	struct json object = verdict_object(w->v);

	verdict_replicas(w->v, (struct replicas){ w->wanted, w->ready, w->updated, w->current });
	verdict_version(w->v, STR_NONE,
			json_str(object, "metadata.annotations['deployment.kubernetes.io/revision']"));
	if (w->was_ready)
		verdict_ever_ready(w->v);
}

static struct str counted(const struct workload *w, const char *what, int have)
{
	return arena_printf(verdict_arena(w->v), "%d of %d %s", have, w->wanted, what);
}

static void under_way(const struct workload *w, enum phase phase, const struct condition *c,
		      struct str rule)
{
	core_by_condition(w->v, c, phase, SEVERITY_INFO);
	verdict_rule(w->v, rule);
	if (!c)
		verdict_since(w->v, phase == PHASE_PROVISIONING ? verdict_created(w->v) : 0);
}

/* Fewer pods serve than wanted although no rollout is in progress. */
static void short_of_pods(const struct workload *w, const struct condition *c, int have)
{
	enum phase phase = have ? PHASE_DEGRADED : PHASE_FAILED;

	/* a condition that calls the number of pods sufficient does not explain the missing ones */
	core_by_condition(w->v, condition_is(c, "True") ? NULL : c, phase, SEVERITY_WARNING);
	verdict_rule(w->v, counted(w, "available", have));
}

static void scaled_to_zero(const struct workload *w)
{
	if (w->current > 0) {
		under_way(w, PHASE_SCALING, NULL,
			  arena_printf(verdict_arena(w->v), "%d pods still there, 0 wanted",
				       w->current));
		return;
	}
	core_ready(w->v, "spec.replicas is 0");
	verdict_flag(w->v, "scaled-to-zero");
}

/* Pods cannot even be created: because of a quota, an admission, a missing service account. */
static bool creation_fails(const struct workload *w)
{
	const struct condition *c = verdict_condition(w->v, "ReplicaFailure");
	enum phase phase = w->ready ? PHASE_DEGRADED : PHASE_FAILED;

	if (!condition_is(c, "True"))
		return false;
	core_names_quota(w->v, c->message);
	if (core_names_missing(w->v, c->message) && !w->ready)
		phase = PHASE_PROVISIONING;
	core_by_condition(w->v, c, phase, SEVERITY_WARNING);
	return true;
}

/* ---- Deployment ---------------------------------------------------------- */

/* The controller says so when a rollout has ended, and Available changes only after that. */
static bool deployment_was_ready(const struct workload *w, const struct condition *available,
				 const struct condition *progressing)
{
	int64_t created = verdict_created(w->v);

	if (condition_is(available, "True") || w->available > 0)
		return true;
	if (progressing && str_is(progressing->reason, "NewReplicaSetAvailable"))
		return true;
	return available && created && available->since > created + FIRST_REPORT;
}

/*
 * Progressing became True when the first rollout began, and stays True; only the time of its last update tells how old
 * the progress of the present rollout is.
 */
static void updating(const struct workload *w, const struct condition *progressing, struct str rule)
{
	under_way(w, PHASE_UPDATING, progressing, rule);
	json_foreach(c, json_at(w->status, "conditions"))
		if (str_is(json_str(c, "type"), "Progressing") && json_has(c, "lastUpdateTime"))
			verdict_since(w->v, json_time(c, "lastUpdateTime"));
}

/* While a rollout is paused nothing changes: missing pods do not come by themselves. */
static void rollout(const struct workload *w, const struct condition *available,
		    const struct condition *progressing)
{
	bool template_changed = w->updated < w->current;
	bool settled = progressing && str_is(progressing->reason, "NewReplicaSetAvailable");

	if (!w->was_ready)
		under_way(w, PHASE_PROVISIONING, available ? available : progressing,
			  counted(w, "available", w->available));
	else if (w->paused && w->available < w->wanted)
		short_of_pods(w, available, w->available);
	else if (template_changed || (w->updated < w->wanted && w->current >= w->wanted))
		updating(w, progressing, counted(w, "updated", w->updated));
	else if (w->current != w->wanted && !settled && progressing)
		/* strategy Recreate: all old pods are deleted before the first new one is made */
		updating(w, progressing, counted(w, "created", w->current));
	else if (w->current != w->wanted)
		under_way(w, PHASE_SCALING, NULL, counted(w, "created", w->current));
	else if ((settled || !progressing) && w->available < w->wanted)
		short_of_pods(w, available, w->available);
	else
		updating(w, progressing, counted(w, "available", w->available));
}

/* All counts are as wanted, and no condition denies it. */
static bool deployment_is_there(const struct workload *w, const struct condition *available,
				const struct condition *progressing)
{
	return w->updated >= w->wanted && w->current == w->updated && w->available >= w->wanted &&
	       !condition_is(available, "False") && !condition_is(progressing, "False");
}

/* The conditions are about the spec that the controller has handled. */
static bool rollout_fails(const struct workload *w, const struct condition *progressing)
{
	if (core_is_outdated(w->v))
		return false;
	if (progressing && str_is(progressing->reason, "ProgressDeadlineExceeded")) {
		core_by_condition(w->v, progressing, PHASE_FAILED, SEVERITY_ERROR);
		return true;
	}
	return creation_fails(w);
}

static void deployment_counts(const struct workload *w, const struct condition *available,
			      const struct condition *progressing)
{
	if (json_count(w->status) == 0) {
		core_never_reconciled(w->v);
	} else if (core_is_outdated(w->v)) {
		under_way(w, w->was_ready ? PHASE_UPDATING : PHASE_PROVISIONING, NULL,
			  STR("status.observedGeneration is older than metadata.generation"));
	} else if (w->wanted == 0) {
		scaled_to_zero(w);
	} else if (deployment_is_there(w, available, progressing)) {
		core_by_condition(w->v, available, PHASE_READY, SEVERITY_NONE);
		verdict_rule(w->v, counted(w, "available", w->available));
	} else {
		rollout(w, available, progressing);
	}
}

/* The pause explains that nothing changes, but not that too few pods serve. */
static void pause_rollout(const struct workload *w, const struct condition *progressing)
{
	enum phase phase = verdict_phase(w->v);

	if (phase != PHASE_PROVISIONING && phase != PHASE_UPDATING && phase != PHASE_READY)
		return;
	core_by_condition(w->v, progressing, PHASE_SUSPENDED, SEVERITY_INFO);
	verdict_rule(w->v, STR("spec.paused"));
}

static void deployment(struct verdict *v)
{
	const struct condition *available = verdict_condition(v, "Available");
	const struct condition *progressing = verdict_condition(v, "Progressing");
	struct workload w = workload(v);

	selector_is_mine(v);
	w.paused = json_bool(w.spec, "paused", false);
	w.was_ready = deployment_was_ready(&w, available, progressing);
	if (json_count(w.status) > 0)
		tell(&w);
	if (w.paused)
		verdict_flag(v, "paused");
	if (rollout_fails(&w, progressing))
		return;
	deployment_counts(&w, available, progressing);
	if (w.paused)
		pause_rollout(&w, progressing);
}

/* ---- ReplicaSet, ReplicationController ----------------------------------- */

static void replica_set(struct verdict *v)
{
	struct workload w = workload(v);
	/* the owner decides how long a first start may take: a Deployment has a deadline */
	bool is_owned = json_count(json_at(verdict_object(v), "metadata.ownerReferences")) > 0;

	w.updated = w.current;
	if (w.available == 0 && !json_has(w.status, "observedGeneration"))
		w.available = w.ready; /* older ReplicationControllers do not count available replicas */
	if (w.ready < w.available)
		w.available = w.ready;
	w.was_ready = w.available >= w.wanted && w.wanted > 0;
	if (json_count(w.status) == 0 || (w.wanted > 0 && !was_reconciled(&w))) {
		core_never_reconciled(v);
		return;
	}
	tell(&w);
	if (!core_is_outdated(v) && creation_fails(&w))
		return;
	if (w.wanted == 0)
		scaled_to_zero(&w);
	else if (w.current != w.wanted || core_is_outdated(v))
		under_way(&w, w.available || w.old ? PHASE_SCALING : PHASE_PROVISIONING, NULL,
			  counted(&w, "created", w.current));
	else if (w.available >= w.wanted)
		core_ready(v, "all replicas available");
	else if (w.old && (w.available > 0 || !is_owned))
		short_of_pods(&w, NULL, w.available);
	else
		under_way(&w, PHASE_PROVISIONING, NULL, counted(&w, "available", w.available));
}

/* ---- StatefulSet --------------------------------------------------------- */

/* Pods are made one by one, each when the one before is ready. */
static bool is_ordered(const struct workload *w)
{
	return !str_is(json_str(w->spec, "podManagementPolicy"), "Parallel");
}

/*
 * When more pods than the last of ordered ones are not ready, some of them were ready before.  Of a size that was edited
 * since, all pods of the old one were.
 */
static bool stateful_was_ready(const struct workload *w)
{
	if (w->wanted > 0 && w->ready >= w->wanted)
		return true;
	if (core_is_outdated(w->v) && w->current > 0 && w->ready >= w->current)
		return true;
	if (!str_eq(json_str(w->status, "currentRevision"), json_str(w->status, "updateRevision")))
		return true;
	return is_ordered(w) && w->current > w->ready + 1;
}

/* Somebody else, perhaps its owner, deletes the pods of the old revision. */
static bool is_updated_by_hand(const struct workload *w)
{
	return str_is(json_str(w->spec, "updateStrategy.type"), "OnDelete");
}

static int stateful_to_update(const struct workload *w)
{
	int partition = count(w->spec, "updateStrategy.rollingUpdate.partition", 0);

	if (is_updated_by_hand(w))
		return 0;
	return partition < w->wanted ? w->wanted - partition : 0;
}

static void stateful_counts(const struct workload *w)
{
	bool one_revision = str_eq(json_str(w->status, "currentRevision"),
				   json_str(w->status, "updateRevision"));
	int to_update = stateful_to_update(w);
	bool by_hand = is_updated_by_hand(w) && w->ready < w->wanted && (w->updated > 0 || w->current < w->wanted);
	/* the last pod of the new revision is not ready yet */
	bool last = to_update >= w->wanted && w->ready == w->wanted - 1 && w->updated >= w->wanted;
	bool rolling = one_revision ? count(w->status, "currentReplicas", w->current) < w->current
				    : w->updated < to_update || last || by_hand;
	bool first = verdict_generation(w->v) <= 1 && !w->was_ready;

	if (rolling)
		under_way(w, PHASE_UPDATING, NULL, counted(w, "updated", w->updated));
	else if (w->current != w->wanted)
		under_way(w, first ? PHASE_PROVISIONING : PHASE_SCALING, NULL,
			  counted(w, "created", w->current));
	else if (w->ready >= w->wanted)
		core_ready(w->v, "all replicas ready");
	else if (w->was_ready || w->old)
		short_of_pods(w, NULL, w->ready);
	else
		under_way(w, first || w->ready == 0 ? PHASE_PROVISIONING : PHASE_SCALING, NULL, counted(w, "ready", w->ready));
}

static void stateful_revisions(const struct workload *w)
{
	struct str from = json_str(w->status, "currentRevision"), to = json_str(w->status, "updateRevision");

	verdict_version(w->v, str_eq(from, to) ? STR_NONE : from, to.len ? to : from);
}

/* The controller has not seen the edit yet; a new size shows all the same. */
static enum phase phase_of_edit(const struct workload *w)
{
	if (!w->was_ready && !w->old)
		return PHASE_PROVISIONING;
	return w->current != w->wanted ? PHASE_SCALING : PHASE_UPDATING;
}

static void stateful_set(struct verdict *v)
{
	struct workload w = workload(v);

	selector_is_mine(v);
	/* available means ready for long enough */
	if (json_int(w.spec, "minReadySeconds", 0) > 0 && w.available < w.ready)
		w.ready = w.available;
	w.was_ready = stateful_was_ready(&w);
	w.old = had_time(v, is_ordered(&w) ? w.wanted : 1);
	if (json_count(w.status) == 0) {
		core_never_reconciled(v);
		return;
	}
	tell(&w);
	stateful_revisions(&w);
	/* an edit alone changes nothing where pods are replaced by hand */
	if (core_is_outdated(v) && !(is_updated_by_hand(&w) && w.ready == w.wanted && w.current == w.wanted))
		under_way(&w, phase_of_edit(&w), NULL, STR("status.observedGeneration is older than metadata.generation"));
	else if (w.wanted == 0)
		scaled_to_zero(&w);
	else
		stateful_counts(&w);
}

/* ---- DaemonSet ----------------------------------------------------------- */

static struct workload daemon_workload(struct verdict *v)
{
	struct workload w = workload(v);

	w.wanted = count(w.status, "desiredNumberScheduled", 0);
	w.current = count(w.status, "currentNumberScheduled", 0);
	w.updated = count(w.status, "updatedNumberScheduled", 0);
	w.ready = count(w.status, "numberReady", 0);
	w.available = count(w.status, "numberAvailable", 0);
	w.was_ready = w.wanted > 0 && w.available >= w.wanted;
	return w;
}

static void daemon_set(struct verdict *v)
{
	struct workload w = daemon_workload(v);
	bool on_delete = str_is(json_str(w.spec, "updateStrategy.type"), "OnDelete");

	selector_is_mine(v);
	if (!json_has(w.status, "desiredNumberScheduled") || (w.wanted == 0 && !was_reconciled(&w))) {
		core_never_reconciled(v);
		return;
	}
	tell(&w);
	if (core_is_outdated(v))
		under_way(&w, w.old ? PHASE_UPDATING : PHASE_PROVISIONING, NULL,
			  STR("status.observedGeneration is older than metadata.generation"));
	else if (!on_delete && w.updated < w.wanted)
		under_way(&w, w.old ? PHASE_UPDATING : PHASE_PROVISIONING, NULL,
			  counted(&w, "updated", w.updated));
	else if (w.current < w.wanted)
		under_way(&w, w.old ? PHASE_SCALING : PHASE_PROVISIONING, NULL,
			  counted(&w, "scheduled", w.current));
	else if (w.available >= w.wanted && w.ready >= w.wanted)
		core_ready(v, w.wanted ? "available on every node" : "no node to run on");
	else if (w.old)
		short_of_pods(&w, NULL, w.available);
	else
		under_way(&w, PHASE_PROVISIONING, NULL, counted(&w, "available", w.available));
	if (count(w.status, "numberMisscheduled", 0) > 0)
		verdict_flag(v, "misscheduled");
}

const struct core_kind core_workload_kinds[] = { { "Deployment", deployment },
						 { "ReplicaSet", replica_set },
						 { "ReplicationController", replica_set },
						 { "StatefulSet", stateful_set },
						 { "DaemonSet", daemon_set },
						 { 0 } };
