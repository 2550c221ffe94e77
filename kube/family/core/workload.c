/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deployment, ReplicaSet, ReplicationController, StatefulSet and DaemonSet: counts compared with what is wanted, with
 * the words of the conditions.  Whether pods that are not ready were ready before is known in phase 2, from the pods
 * themselves.
 */
#include "kube/family/core/core.h"
#include "kube/evidence/pod_selector.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

#define FIRST_REPORT SECONDS(10) /* conditions that were set by then are first reports and no transitions */

#define DEADLINE "ProgressDeadlineExceeded"
#define OLDER_STATUS "status.observedGeneration is older than metadata.generation"

/* What the rows ask for. */
enum {
	UNTOUCHED = 1 << 0,	/* its controller has written nothing */
	OLDER = 1 << 1,		/* its status is about an older spec */
	OUTDATED = 1 << 2,	/* and nothing else tells what goes on */
	NONE_WANTED = 1 << 3,	/* it is to have no pod */
	SOME_THERE = 1 << 4,	/* it has pods */
	SOME_READY = 1 << 5,
	IS_THERE = 1 << 6,	/* all counts are as wanted, and no condition denies it */
	FIRST = 1 << 7,		/* it was never up, and had no time for it */
	SHORT = 1 << 8,		/* fewer pods serve than wanted, although nothing goes on that explains it */
	ROLLS = 1 << 9,		/* pods are replaced by those of another template */
	RESIZES = 1 << 10	/* pods are made or removed */
};

struct workload {
	struct reading r;
	struct verdict *v;
	struct json spec, status;
	const struct condition *available_is, *progressing;	/* of a Deployment */
	int wanted, current, updated, ready, available;
	int serving;	/* how many pods count as serving, and by which word */
	const char *serves;
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
		.serving = count(status, "availableReplicas", 0),
		.serves = "available",
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

/* ---- the rules of all of them ---------------------------------------------- */

/* Pods cannot even be created: because of a quota, an admission, a missing service account. */
static bool names_what_is_missing(struct reading *r)
{
	return core_names_missing(r->v, r->condition->message) && !(r->is & SOME_READY);
}

static void while_some_are_ready(struct reading *r)
{
	r->usable = r->is & SOME_READY;
}

static void while_some_serve(struct reading *r)
{
	r->usable = ((struct workload *)r)->serving > 0;
}

static void in_its_words(struct reading *r)
{
	struct workload *w = (struct workload *)r;

	r->condition = w->available_is;
	r->rule = counted(w, w->serves, w->serving);
}

static void by_its_size(struct reading *r)
{
	struct workload *w = (struct workload *)r;

	r->rule = w->current != w->wanted ? counted(w, "created", w->current) : counted(w, w->serves, w->serving);
}

static void for_the_first_time(struct reading *r)
{
	struct workload *w = (struct workload *)r;

	by_its_size(r);
	r->condition = w->available_is ? w->available_is : w->progressing;
}

static void lacks_pods(struct reading *r)
{
	struct workload *w = (struct workload *)r;

	while_some_serve(r);
	r->condition = w->available_is;
	r->rule = counted(w, "available", w->serving);
	/* a condition that calls the number of pods sufficient does not explain the missing ones, but their number does */
	if (condition_is(r->condition, "True"))
		r->condition = NULL;
	if (!r->condition)
		r->message = r->rule;
}

/*
 * Progressing became True when the first rollout began, and stays True; only the time of its last update tells how old
 * the progress of the present rollout is.
 */
static void by_its_progress(struct reading *r)
{
	struct workload *w = (struct workload *)r;

	r->condition = w->progressing;
	r->rule = w->current != w->wanted && w->updated >= w->current ? counted(w, "created", w->current) : counted(w, "updated", w->updated);
	json_foreach(c, json_at(w->status, "conditions"))
		if (str_is(json_str(c, "type"), "Progressing") && json_has(c, "lastUpdateTime"))
			r->since = json_time(c, "lastUpdateTime");
}

static const struct row rows[] = {
	{ "its controller has not begun", .is = UNTOUCHED, .then = OUTCOME_SILENCE },
	{ "what its pods need is missing, so they cannot be made", .type = "ReplicaFailure", .status = "True", .not = OLDER,
	  .holds = names_what_is_missing, .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .flags = RETRIED },
	{ "its pods cannot be made", .type = "ReplicaFailure", .status = "True", .not = OLDER, .then = OUTCOME_TROUBLE,
	  .tell = while_some_are_ready },
	{ "its rollout has exceeded its deadline", .type = "Progressing", .reason = DEADLINE, .not = OLDER, .then = OUTCOME_TROUBLE,
	  .flags = FINAL_IF_DOWN, .tell = while_some_serve },
	{ "its controller has not seen the present spec of what was never up", .is = OUTDATED | FIRST, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_PROVISIONING, .rule = OLDER_STATUS },
	{ "its controller has not seen the new size", .is = OUTDATED | RESIZES, .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING, .rule = OLDER_STATUS },
	{ "its controller has not seen the present spec", .is = OUTDATED, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING, .rule = OLDER_STATUS },
	{ "no pod is wanted, and some are still there", .is = NONE_WANTED | SOME_THERE, .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING },
	{ "it is scaled to zero", .is = NONE_WANTED, .then = OUTCOME_READY, .flag = "scaled-to-zero", .rule = "spec.replicas is 0",
	  .tell = core_note_scaler },
	{ "all pods that are wanted serve", .is = IS_THERE, .then = OUTCOME_READY, .tell = in_its_words },
	{ "its pods start for the first time", .is = FIRST, .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .tell = for_the_first_time },
	{ "fewer pods serve than are wanted", .is = SHORT, .then = OUTCOME_TROUBLE, .tell = lacks_pods },
	{ "its pods are replaced", .is = ROLLS, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING, .tell = by_its_progress },
	{ "pods are made or removed", .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING, .tell = by_its_size },
	{ 0 }
};

static void decide(struct workload *w, unsigned is)
{
	w->r.v = w->v;
	w->r.is = is | (core_is_outdated(w->v) ? OLDER : 0) | (w->current > 0 ? SOME_THERE : 0) | (w->ready > 0 ? SOME_READY : 0);
	if (!(is & UNTOUCHED))
		tell(w);
	table_decide(&w->r, rows);
}

/* ---- Deployment ---------------------------------------------------------- */

/* The controller says so when a rollout has ended, and Available changes only after that. */
static bool deployment_was_ready(const struct workload *w, const struct condition *available,
				 const struct condition *progressing)
{
	int64_t created = verdict_created(w->v);

	/* some that serve, of what was just made and is not available yet, are a part of the first rollout */
	bool begins = available && verdict_generation(w->v) <= 1 && created && !verdict_past(w->v, created + thresholds.overdue);

	if (condition_is(available, "True") || (w->available > 0 && !begins))
		return true;
	if (progressing && str_is(progressing->reason, "NewReplicaSetAvailable"))
		return true;
	return available && created && available->since > created + FIRST_REPORT;
}

/* The counts of a Deployment that was ready before.  While a rollout is paused nothing changes: missing pods do not come by themselves. */
static unsigned rollout(const struct workload *w)
{
	bool template_changed = w->updated < w->current || (w->updated < w->wanted && w->current >= w->wanted);
	bool settled = !w->progressing || str_is(w->progressing->reason, "NewReplicaSetAvailable");
	bool sized = w->current == w->wanted;

	if (w->available < w->wanted && (w->paused || (!template_changed && sized && settled)))
		return SHORT;
	/* strategy Recreate: all old pods are deleted before the first new one is made */
	return template_changed || sized || !settled ? ROLLS : RESIZES;
}

/* All counts are as wanted, and no condition denies it. */
static bool deployment_is_there(const struct workload *w)
{
	return w->updated >= w->wanted && w->current == w->updated && w->available >= w->wanted &&
	       !condition_is(w->available_is, "False") && !condition_is(w->progressing, "False");
}

static void by_progressing(struct reading *r)
{
	r->condition = ((struct workload *)r)->progressing;
}

/* The pause explains that nothing changes, but not that too few pods serve. */
static const struct row pause_rows[] = {
	{ "its rollout is paused", .then = OUTCOME_PAUSE, .rule = "spec.paused", .tell = by_progressing }, { 0 }
};

static void deployment(struct verdict *v)
{
	struct workload w = workload(v);
	enum phase phase;

	selector_is_mine(v);
	w.available_is = verdict_condition(v, "Available");
	w.progressing = verdict_condition(v, "Progressing");
	w.paused = json_bool(w.spec, "paused", false);
	w.was_ready = deployment_was_ready(&w, w.available_is, w.progressing);
	if (w.paused)
		verdict_flag(v, "paused");
	decide(&w, (json_count(w.status) == 0 ? UNTOUCHED : 0) | (core_is_outdated(v) ? OUTDATED : 0) | (w.wanted == 0 ? NONE_WANTED : 0) |
		   (deployment_is_there(&w) ? IS_THERE : 0) | (w.was_ready ? rollout(&w) & ~(core_is_outdated(v) ? RESIZES : 0u) : FIRST));
	phase = verdict_phase(v);
	if (w.paused && (phase == PHASE_PROVISIONING || phase == PHASE_UPDATING || phase == PHASE_READY))
		table_decide(&w.r, pause_rows);
}

/* ---- ReplicaSet, ReplicationController ----------------------------------- */

static void replica_set(struct verdict *v)
{
	struct workload w = workload(v);
	/* the owner decides how long a first start may take: a Deployment has a deadline */
	bool is_owned = json_count(json_at(verdict_object(v), "metadata.ownerReferences")) > 0, sized, first;
	bool begins = is_owned && verdict_created(v) && !verdict_past(v, verdict_created(v) + thresholds.overdue);

	w.updated = w.current;
	if (w.available == 0 && !json_has(w.status, "observedGeneration"))
		w.available = w.ready; /* older ReplicationControllers do not count available replicas */
	if (w.ready < w.available)
		w.available = w.ready;
	w.was_ready = w.available >= w.wanted && w.wanted > 0;
	w.serving = w.available;
	sized = w.current == w.wanted && !core_is_outdated(v);
	first = sized ? !w.old || begins || (w.available == 0 && is_owned) : !w.available && !w.old;
	decide(&w, (json_count(w.status) == 0 || (w.wanted > 0 && !was_reconciled(&w)) ? UNTOUCHED : 0) | (w.wanted == 0 ? NONE_WANTED : 0) |
		   (sized && w.available >= w.wanted ? IS_THERE : 0) | (first ? FIRST : sized ? SHORT : RESIZES));
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

static unsigned stateful_counts(const struct workload *w)
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
		return ROLLS;
	if (w->current != w->wanted)
		return first ? FIRST : RESIZES;
	if (w->ready >= w->wanted)
		return IS_THERE;
	if (w->was_ready || w->old)
		return SHORT;
	return first || w->ready == 0 ? FIRST : RESIZES;
}

static void stateful_revisions(const struct workload *w)
{
	struct str from = json_str(w->status, "currentRevision"), to = json_str(w->status, "updateRevision");

	verdict_version(w->v, str_eq(from, to) ? STR_NONE : from, to.len ? to : from);
}

/* The controller has not seen the edit yet; a new size shows all the same. */
static unsigned stateful_edit(const struct workload *w)
{
	/* an edit alone changes nothing where pods are replaced by hand */
	if (!core_is_outdated(w->v) || (is_updated_by_hand(w) && w->ready == w->wanted && w->current == w->wanted))
		return stateful_counts(w);
	return OUTDATED | (!w->was_ready && !w->old ? FIRST : w->current != w->wanted ? RESIZES : 0);
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
	w.serving = w.ready;
	w.serves = "ready";
	decide(&w, (json_count(w.status) == 0 ? UNTOUCHED : 0) | (w.wanted == 0 ? NONE_WANTED : 0) | stateful_edit(&w));
	if (json_count(w.status))
		stateful_revisions(&w);
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
	bool on_delete = str_is(json_str(w.spec, "updateStrategy.type"), "OnDelete"), there;
	unsigned goes_on;

	selector_is_mine(v);
	w.serving = w.available;
	goes_on = !on_delete && w.updated < w.wanted ? ROLLS : w.current < w.wanted ? RESIZES : 0;
	there = !goes_on && w.available >= w.wanted && w.ready >= w.wanted;
	decide(&w, (!json_has(w.status, "desiredNumberScheduled") || (w.wanted == 0 && !was_reconciled(&w)) ? UNTOUCHED : 0) |
		   (core_is_outdated(v) ? OUTDATED : 0) | (there ? IS_THERE : 0) |
		   (!w.old ? FIRST : goes_on ? goes_on & ~(core_is_outdated(v) ? RESIZES : 0u) : SHORT));
	if (count(w.status, "numberMisscheduled", 0) > 0)
		verdict_flag(v, "misscheduled");
}

/* ---- workloads: what their pods know ------------------------------------- */

enum {
	PODS_LOOKED_AT = 200,	/* pods of one workload that are examined: enough to know what is wrong with it */
	FEW_PODS = 8,		/* so few are examined also where the counts say that all is well */
	OFTEN_REMOVED = 3	/* times that a node has removed each of its pods in an hour, and none stays: the next one will not either */
};
#define REMOVED_IN MINUTES(60)

/* Returns 2 for "db-2". */
static int64_t ordinal(struct str name)
{
	int64_t n;

	return str_to_int(str_from(name, str_rfind(name, '-') + 1), &n) ? n : INT64_MAX;
}

/* A node has evicted it, or has not let it in: its controller makes another one, for which the same may hold. */
static void note_removed(struct assessment *d, struct core_pods *pods, const struct neighbour *pod)
{
	/* what a kubelet has not let in has no conditions */
	int64_t when = pod->status.since ? pod->status.since : pod->created;

	if (!pod->status.complete || pod->status.phase != PHASE_FAILED || assess_now(d) - when >= REMOVED_IN)
		return;
	assess_revisit(d, when + REMOVED_IN);
	pods->removed_since = pods->removed ? time_earlier(pods->removed_since, when) : when;
	if (!pods->removed++ || pod->created > pods->last_removed.created)
		pods->last_removed = *pod;
}

static void look_at_pod(struct assessment *d, struct core_pods *pods, const struct neighbour *pod)
{
	bool crashes;

	pods->seen++;
	pods->active += !pod->status.complete && pod->status.phase != PHASE_DELETING;
	pods->working += !pod->status.complete && pod->status.phase != PHASE_FAILED &&
			 pod->status.phase != PHASE_DELETING;
	note_removed(d, pods, pod);
	if (pod->status.phase == PHASE_READY || pod->status.complete ||
	    pod->status.phase == PHASE_DELETING)
		return;
	pods->unready++;
	pods->troubled += core_is_in_trouble(pod);
	pods->held |= pod->status.phase == PHASE_WAITING && pod->status.severity >= SEVERITY_WARNING;
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
	crashes = status_has_flag(&pod->status, "crash-loop") && pod->status.phase == PHASE_DEGRADED;
	if (!pods->first_unready.kind || (crashes && !pods->crashing) ||
	    (crashes == pods->crashing && str_cmp(pod->name, pods->first_unready.name) < 0))
		pods->first_unready = *pod;
	pods->crashing |= crashes;
}

struct core_pods core_look_at_pods(struct assessment *d, const struct neighbour *workload)
{
	const struct kind *kind = workload ? workload->kind : assess_kind(d);
	struct core_pods pods = { .ordinal = INT64_MAX, .stateful = str_is(kind->kind, "StatefulSet"), .on_nodes = str_is(kind->kind, "DaemonSet") };
	struct neighbour n, pod;

	for (size_t i = 0; pods.seen < PODS_LOOKED_AT &&
			   (workload ? assess_referrer_of(d, workload, i, &n) : assess_referrer(d, i, &n)); i++) {
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
 * before ready ones replaces a pod that was lost.  Where none serves, those that no node takes do not start.
 */
static bool only_starting(const struct status *st, const struct core_pods *pods)
{
	return pods->unready && !pods->lost && !pods->old && !pods->failed && !(pods->held && st->replicas.ready <= 0) &&
	       pods->ordinal >= st->replicas.ready && st->replicas.current == st->replicas.wanted;
}

/* The workload is neither made for the first time nor scaled, so pods that served before are missing. */
static bool lost_pods(const struct status *st, const struct core_pods *pods)
{
	if (st->phase == PHASE_PROVISIONING)
		return pods->lost;
	/* pods of a rollout that had their time; one that was lost takes the place of one that may be replaced */
	if (st->phase == PHASE_UPDATING && (pods->stateful || (pods->on_nodes && pods->lost)))
		return pods->old && st->replicas.current == st->replicas.wanted;
	return st->phase == PHASE_SCALING && st->replicas.wanted > 0 && st->replicas.ready <= 0 &&
	       (pods->lost || pods->old);
}

/* Not those that lost their node together. */
static bool are_removed_again(const struct status *st, const struct core_pods *pods)
{
	return st->replicas.wanted > 0 && st->replicas.ready <= 0 && pods->removed / OFTEN_REMOVED >= (size_t)st->replicas.wanted;
}

/*
 * Without a condition the workload's own time is that of its creation: trouble that came later is as old as that of its
 * pods.
 */
static void date_by_its_pods(struct assessment *d, const struct core_pods *pods)
{
	const struct status *st = assess_status(d);
	int64_t created = assess_created(d);

	if ((st->since == created || (st->since == 0 && phase_is_bad(st->phase))) && pods->since > created + thresholds.pod_start_grace)
		assess_since(d, pods->since);
}

/* A sum of pods says nothing beside the words of one that is not ready, and that does not only start. */
static void in_words_of(struct assessment *d, const struct neighbour *pod)
{
	const struct status *st = assess_status(d);
	bool held = pod->status.phase == PHASE_WAITING || pod->status.severity >= SEVERITY_WARNING;

	if (pod->kind && pod->status.message.len && (phase_is_bad(st->phase) || held))
		assess_tell(d, pod->status.reason, pod->status.message);
}

/* What the rows of its pods ask for. */
enum {
	HAS_FAILED = 1 << 0,	/* a pod has failed, which the counts do not tell */
	CRASHES = 1 << 1,	/* one runs between two crashes */
	WAS_LOST = 1 << 2,	/* pods that served before are missing, or had all the time to start */
	WAS_READY = 1 << 3,	/* one of them was ready */
	ARE_NEW = 1 << 4,	/* those that are missing have only just been made */
	ARE_HELD = 1 << 5,	/* it is made for the first time, and its pods wait for something else */
	NONE_STAYS = 1 << 6	/* nodes have removed its pods, one after the other */
};

struct beside {
	struct reading r;
	struct core_pods pods;
};

static void by_failed_pod(struct reading *r)
{
	const struct neighbour *pod = &((struct beside *)r)->pods.first_failed;
	const struct status *st = assess_status(r->d);

	/* a workload at rest is shown without its parts */
	if (st->phase == PHASE_SUSPENDED || st->phase == PHASE_READY)
		assess_wait(r->d, pod, WAIT_FAILED, pod->status.message);
	r->reason = pod->status.reason;
	r->message = pod->status.message;
	r->rule = ARENA_JOIN(assess_arena(r->d), STR("pod "), pod->name, STR(" failed"));
}

/* The counts are as wanted, and one of the pods runs between two crashes: its owner is not well before it is. */
static void by_crashing_pod(struct reading *r)
{
	const struct neighbour *pod = &((struct beside *)r)->pods.first_unready;

	assess_wait(r->d, pod, WAIT_NOT_READY, pod->status.message);
	r->reason = pod->status.reason;
	r->message = pod->status.message;
	r->rule = ARENA_JOIN(assess_arena(r->d), STR("pod "), pod->name, STR(" runs between two crashes"));
	r->since = pod->status.since;
}

static void by_removed_pod(struct reading *r)
{
	const struct core_pods *pods = &((struct beside *)r)->pods;
	struct arena *a = assess_arena(r->d);
	struct str why = str_trim(pods->last_removed.status.message);

	r->reason = pods->last_removed.status.reason;
	r->message = ARENA_JOIN(a, why, str_of(why.len ? "; " : ""), arena_printf(a, "%zu pods were removed within an hour", pods->removed));
	r->rule = ARENA_JOIN(a, STR("pod "), pods->last_removed.name, STR(" was removed from its node"));
	r->since = pods->removed_since;
}

static void by_held_pod(struct reading *r)
{
	const struct neighbour *pod = &((struct beside *)r)->pods.first_unready;

	r->reason = pod->status.reason;
	r->message = pod->status.message;
	r->since = pod->status.since;
}

static const struct row pod_rows[] = {
	{ "one of its pods has failed", .is = HAS_FAILED, .then = OUTCOME_TROUBLE, .tell = by_failed_pod },
	{ "one of its pods runs between two crashes", .is = CRASHES, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = PASSED,
	  .tell = by_crashing_pod },
	{ "nodes remove its pods again and again", .is = NONE_STAYS, .then = OUTCOME_TROUBLE, .flags = RETRIED, .tell = by_removed_pod },
	{ "a pod that was ready is not ready any more", .is = WAS_LOST | WAS_READY, .then = OUTCOME_TROUBLE },
	{ "no pod is ready, and they had time to start", .is = WAS_LOST, .then = OUTCOME_TROUBLE },
	{ "its pods wait for something else", .is = ARE_HELD, .then = OUTCOME_WAIT, .tell = by_held_pod },
	{ "the pods that are not ready are new", .is = ARE_NEW, .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING },
	{ 0 }
};

static void by_its_pods(struct assessment *d, bool short_of)
{
	const struct status *st = assess_status(d);
	struct beside b = { .r = { .d = d, .reason = st->reason, .message = st->message }, .pods = core_look_at_pods(d, NULL) };
	const struct core_pods *pods = &b.pods;
	/* the counts come later than what the pods say, and count one as ready that crashes again and again */
	bool none_well = pods->seen > 0 && pods->unready == pods->seen && st->replicas.current >= 0 &&
			 pods->seen >= (uint64_t)st->replicas.current;
	bool counts = st->phase == PHASE_READY || short_of || st->phase == PHASE_PROVISIONING || st->phase == PHASE_UPDATING;
	const struct row *row;

	b.r.usable = st->replicas.ready > 0 && !none_well;
	b.r.is = (pods->failed && (b.r.usable || !short_of) ? HAS_FAILED : 0) | (pods->crashing && counts ? CRASHES : 0) |
		 (are_removed_again(st, pods) ? NONE_STAYS : 0) |
		 (lost_pods(st, pods) ? WAS_LOST : 0) | (pods->lost ? WAS_READY : 0) | (short_of && only_starting(st, pods) ? ARE_NEW : 0) |
		 (st->phase == PHASE_PROVISIONING && (pods->old || pods->held) && pods->first_unready.status.phase == PHASE_WAITING ? ARE_HELD : 0);
	row = table_decide(&b.r, pod_rows);
	if (row && (row->is == CRASHES || row->is == NONE_STAYS))
		return;
	if ((short_of || phase_under_way(st->phase)) && core_has_no_words(st))
		in_words_of(d, pods->failed ? &pods->first_failed : &pods->first_unready);
	date_by_its_pods(d, pods);
}

/*
 * That a rollout takes too long is told by its deadline; why, by the pod that does not become ready, which is the cause
 * also while it is only starting.  A pod that had failed before has made it what it is since then, by by_its_pods().
 */
static void by_deadline(struct assessment *d)
{
	struct core_pods pods = core_look_at_pods(d, NULL);
	const struct neighbour *pod = pods.failed ? &pods.first_failed : &pods.first_unready;
	int64_t failed = pods.failed ? pods.first_failed.status.since : 0;

	if (!pod->kind)
		return;
	if (failed && failed < assess_status(d)->since)
		assess_since(d, failed);
	if (!assess_waits(d))
		assess_wait(d, pod, pods.failed ? WAIT_FAILED : WAIT_NOT_READY, pod->status.message);
	if (pod->status.message.len)
		assess_tell(d, pod->status.reason, pod->status.message);
}

/* Where neither the workload nor a pod has words, the ReplicaSet whose pods are refused has. */
static void in_words_of_its_set(struct assessment *d)
{
	struct neighbour n;

	if (assess_message(d).len || !phase_is_bad(assess_status(d)->phase))
		return;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (core_is_kind(&n, "ReplicaSet") && n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && core_is_in_trouble(&n) &&
		    n.status.message.len) {
			assess_tell(d, n.status.reason, n.status.message);
			return;
		}
}

static void workload_and_its_pods(struct assessment *d)
{
	const struct status *st = assess_status(d);
	bool short_of = phase_is_bad(st->phase) && st->severity == SEVERITY_WARNING;

	if (str_is(st->operator_phase, DEADLINE))
		by_deadline(d);
	else if (short_of || st->phase == PHASE_PROVISIONING || st->phase == PHASE_UPDATING ||
	    st->phase == PHASE_SCALING || st->phase == PHASE_SUSPENDED)
		by_its_pods(d, short_of);
	else if (st->phase == PHASE_READY && st->replicas.wanted > 0 && st->replicas.wanted <= FEW_PODS)
		by_its_pods(d, false);
	in_words_of_its_set(d);
}

const struct core_kind core_workload_kinds[] = {
	{ .kind = "Deployment", .inspect = deployment, .assess = workload_and_its_pods, .events = true },
	{ .kind = "ReplicaSet", .inspect = replica_set, .assess = workload_and_its_pods, .events = true },
	{ .kind = "ReplicationController", .inspect = replica_set, .assess = workload_and_its_pods, .events = true },
	{ .kind = "StatefulSet", .inspect = stateful_set, .assess = workload_and_its_pods, .events = true },
	{ .kind = "DaemonSet", .inspect = daemon_set, .assess = workload_and_its_pods, .events = true },
	{ 0 }
};
