/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done to an AppCat service: maintenance and scaling.  Each is concluded from evidence in the cluster, because
 * the status of the service does not tell it.
 */
#include "kube/family/appcat/phase.h"
#include "kube/family/crossplane/crossplane.h"
#include "kube/status/thresholds.h"

/* The volume of a pod is made with the first pod of that ordinal, and kept. */
#define FIRST_VOLUME SECONDS(60)

/* A pod that was ready is not part of the change; a pod that is being deleted should be gone by then. */
static int64_t pod_start(const struct service *s, const struct neighbour *pod)
{
	assess_revisit(s->d, pod->deleting);
	if (pod->deleting)
		return pod->deleting <= s->now ? pod->deleting : 0;
	return service_pod_ready(pod) || service_pod_regressed(pod) ? 0 : pod->created;
}

/* Returns when a change of unknown time began, as far as a pod tells; 0: not known. */
static int64_t newest_start(const struct service *s)
{
	int64_t newest = 0;

	for (size_t i = 0; i < s->pods.all.n; i++) {
		int64_t start = pod_start(s, &s->pods.all.items[i]);

		if (start > newest)
			newest = start;
	}
	return newest;
}

static bool found(struct reading *out, const char *reason, struct str message, int64_t since)
{
	out->reason = str_of(reason);
	out->message = message;
	out->since = since;
	return true;
}

static struct str name_of(struct service *s, const struct neighbour *n)
{
	return arena_printf(assess_arena(s->d), STR_FMT "/" STR_FMT, STR_ARG(n->kind->kind),
			    STR_ARG(n->name));
}

/* ---- maintenance ---------------------------------------------------------------- */

/* Returns the name of the CronJob in the instance's namespace; elsewhere the name has a prefix. */
static bool of_maintenance(const struct neighbour *job)
{
	for (size_t i = 0; i < job->status.nrefs; i++) {
		const struct ref *r = &job->status.refs[i];

		if (r->relation == RELATION_OWNS && str_is(r->kind, "CronJob") &&
		    (str_is(r->name, "maintenancejob") || str_ends(r->name, "-maintenancejob")))
			return true;
	}
	return str_ends(job->name, "-initial-maintenance");
}

static bool unfinished(const struct neighbour *n)
{
	return !n->status.complete &&
	       !condition_is(status_condition(&n->status, "Completed"), "True") &&
	       !condition_is(status_condition(&n->status, "Failed"), "True");
}

/* Finds jobs in AppCat's own namespace by the names that belong to this service. */
static bool control_job(struct service *s, struct reading *out)
{
	struct neighbour n, job;

	for (size_t i = 0; assess_target(s->d, i, &n); i++) {
		if (!str_is(n.via, APPCAT_CONTROL))
			continue;
		if (crossplane_running_job(&n))
			return found(out, "MaintenanceJobRunning", name_of(s, &n), n.created);
		for (size_t k = 0; str_is(n.kind->kind, "CronJob") &&
				   assess_referrer_of(s->d, &n, k, &job);
		     k++)
			if (job.relation == RELATION_OWNS && crossplane_running_job(&job))
				return found(out, "MaintenanceJobRunning", name_of(s, &job),
					     job.created);
	}
	return false;
}

/* An upgrade of the cluster drains the nodes one after the other, and with them the pods of all services. */
static bool cluster_upgrade(struct service *s, struct reading *out)
{
	const struct condition *started;
	struct neighbour all, job;

	if (!assess_find(s->d, APPCAT_UPGRADES, "UpgradeJob", STR_NONE, STR(APPCAT_RUNNING), &all) ||
	    !assess_referrer_of(s->d, &all, 0, &job) || job.presence != PRESENCE_FOUND)
		return false;
	started = status_condition(&job.status, "Started");
	return found(out, "ClusterUpgrade", name_of(s, &job), started ? started->since : 0);
}

bool appcat_maintenance(struct service *s, struct reading *out)
{
	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];

		if (crossplane_running_job(n) && of_maintenance(n))
			return found(out, "MaintenanceJobRunning", name_of(s, n), n->created);
		if (service_is_kind(n, "stackgres.io", "SGDbOps") && unfinished(n))
			return found(out, "DatabaseOperationRunning", name_of(s, n), n->created);
	}
	for (size_t i = 0; i < s->parts.n; i++) {
		const struct neighbour *n = &s->parts.items[i];

		if (status_has_flag(&n->status, "job-running") &&
		    str_contains(n->name, "maintenance"))
			return found(out, "MaintenanceJobRunning", name_of(s, n), newest_start(s));
	}
	if (control_job(s, out) || cluster_upgrade(s, out))
		return true;
	if (s->self->version_from.len)
		return found(out, "VersionChange",
			     arena_printf(assess_arena(s->d), STR_FMT " to " STR_FMT,
					  STR_ARG(s->self->version_from),
					  STR_ARG(s->self->version_to)),
			     newest_start(s));
	return false;
}

/* ---- scaling --------------------------------------------------------------------- */

/* The namespace of the instance begins, up to its first dash, with the product's or the composite's name. */
static bool is_main(const struct service *s, struct str workload)
{
	struct str rest = s->namespace, word;

	while (str_split(&rest, '-', &word))
		if (word.len && str_eq(word, str_head(workload, str_find(workload, '-'))))
			return true;
	return false;
}

/* This also finds a namespace that may not be read, while its pods may. */
static bool knows_main(const struct service *s)
{
	for (size_t i = 0; i < s->contents.n; i++)
		if (service_is_workload(&s->contents.items[i]) &&
		    is_main(s, s->contents.items[i].name))
			return true;
	for (size_t i = 0; i < s->pods.all.n; i++)
		if (is_main(s, service_pod_workload(&s->pods.all.items[i])))
			return true;
	return false;
}

static bool pods_leave(const struct service *s)
{
	for (size_t i = 0; i < s->pods.all.n; i++)
		if (s->pods.all.items[i].deleting)
			return true;
	return false;
}

/* Nothing changes: that the workload is smaller than wanted does not mean that it is being scaled. */
static bool is_settled(const struct service *s, const struct neighbour *workload)
{
	struct replicas r = workload->status.replicas;

	return workload->status.phase == PHASE_READY && r.current == r.wanted && r.ready == r.wanted &&
	       s->pods.all.n == (size_t)r.wanted && s->pods.nready == s->pods.all.n;
}

/*
 * A service may have workloads of a fixed size beside those that scale.  Where their names tell them apart they do not
 * count; else one workload of the wanted size is enough.
 */
static bool size_differs(struct service *s, struct reading *out)
{
	const struct neighbour *one = NULL;
	bool named = knows_main(s), suspending = s->instances == 0 && pods_leave(s);
	struct str have;

	if (s->instances < 0 || (s->instances == 0 && s->pods.all.n == 0))
		return false;
	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];

		if (!service_is_workload(n) || (named && !is_main(s, n->name)))
			continue;
		if (n->status.replicas.wanted == s->instances && !suspending)
			return false;
		if (!one)
			one = n;
	}
	if (!one && s->instances > 0)
		return false;
	if (one && one->status.replicas.wanted < s->instances && is_settled(s, one))
		return false;
	if (one && one->status.replicas.wanted != s->instances)
		have = ARENA_JOIN(assess_arena(s->d), name_of(s, one), STR(" has "),
				  arena_printf(assess_arena(s->d), "%d", one->status.replicas.wanted));
	else
		have = arena_printf(assess_arena(s->d), "%zu pods are there", s->pods.all.n);
	return found(out, "InstancesChanging",
		     arena_printf(assess_arena(s->d), "%d instances wanted, " STR_FMT, s->instances,
				  STR_ARG(have)),
		     newest_start(s));
}

/* Returns when the volume of a pod was made, found by the naming of StatefulSets; 0: no volume is seen. */
static int64_t volume_created(struct service *s, const struct neighbour *pod)
{
	struct str suffix = arena_printf(assess_arena(s->d), "-" STR_FMT, STR_ARG(pod->name));

	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];

		if (service_is_kind(n, "", "PersistentVolumeClaim") && n->name.len > suffix.len &&
		    str_eq(str_from(n->name, n->name.len - suffix.len), suffix))
			return n->created;
	}
	return 0;
}

/* A pod that starts on an old volume is not new. */
static bool came_back(struct service *s)
{
	for (size_t i = 0; i < s->pods.all.n; i++) {
		const struct neighbour *pod = &s->pods.all.items[i];
		int64_t volume = service_pod_ready(pod) ? 0 : volume_created(s, pod);

		if (volume && volume + FIRST_VOLUME < pod->created)
			return true;
	}
	return false;
}

static bool workload_scales(struct service *s, struct reading *out)
{
	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];
		struct replicas r = n->status.replicas;
		bool unseen = str_starts(n->status.rule, "status.observedGeneration is older");
		bool counted = r.current > 0 || s->pods.all.n == 0;
		/* The verdict of the workload goes by the age of its pods. */
		bool grows = n->status.phase == PHASE_SCALING && s->pods.nready && !came_back(s);

		if (!service_is_workload(n) ||
		    !((counted && r.current >= 0 && r.current != r.wanted) || grows || unseen))
			continue;
		return found(out, "ReplicasChanging",
			     ARENA_JOIN(assess_arena(s->d), name_of(s, n), STR(": "),
					arena_printf(assess_arena(s->d), "%d", r.ready), STR(" of "),
					arena_printf(assess_arena(s->d), "%d", r.wanted), STR(" replicas ready")),
			     n->status.phase == PHASE_SCALING && n->status.since ?
				     n->status.since :
				     newest_start(s));
	}
	return false;
}

static bool volume_resizes(struct service *s, struct reading *out)
{
	static const char *const types[] = { "Resizing", "FileSystemResizePending" };

	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];

		for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
			const struct condition *c = status_condition(&n->status, types[t]);

			if (service_is_kind(n, "", "PersistentVolumeClaim") &&
			    condition_is(c, "True"))
				return found(out, types[t], name_of(s, n), c->since);
		}
		/* A StatefulSet cannot resize its volumes, so a job makes it anew. */
		if (crossplane_running_job(n) && str_ends(n->name, "-sts-deleter"))
			return found(out, "Resizing", name_of(s, n), n->created);
	}
	return false;
}

/* Returns 2 for "redis-2"; -1 when the name does not end with a number. */
static int ordinal(const struct neighbour *pod)
{
	size_t dash = str_rfind(pod->name, '-');
	int64_t n;

	return dash < pod->name.len && str_to_int(str_from(pod->name, dash + 1), &n) && n >= 0 &&
			       n < INT32_MAX ?
		       (int)n :
		       -1;
}

/* A rollout begins with the last pod, too. */
static bool rolls(const struct service *s)
{
	for (size_t i = 0; i < s->contents.n; i++)
		if (service_is_workload(&s->contents.items[i]) &&
		    s->contents.items[i].status.phase == PHASE_UPDATING)
			return true;
	return false;
}

/* Returns true for the last pod of the wanted size when it was made long after all the others. */
static bool is_latest(struct service *s, const struct neighbour *pod)
{
	assess_revisit(s->d, pod->created + thresholds.pod_start_grace);
	if (s->instances < 2 || ordinal(pod) != s->instances - 1 ||
	    s->now - pod->created >= thresholds.pod_start_grace || rolls(s))
		return false;
	for (size_t i = 0; i < s->pods.all.n; i++) {
		const struct neighbour *other = &s->pods.all.items[i];

		if (ordinal(other) != ordinal(pod) &&
		    (!service_pod_ready(other) ||
		     other->created + thresholds.pod_start_grace >= pod->created))
			return false;
	}
	return true;
}

/*
 * The StatefulSet already counts the new pod.  The volume of the pod tells whether it is new; where no volume is seen,
 * a young last pod counts as new.
 */
static bool pod_is_added(struct service *s, struct reading *out)
{
	if (s->pods.nready == 0 || s->pods.failing)
		return false;
	for (size_t i = 0; i < s->pods.all.n; i++) {
		const struct neighbour *pod = &s->pods.all.items[i];
		int64_t volume = volume_created(s, pod);

		if (service_pod_ready(pod) || pod->deleting || pod->created == 0)
			continue;
		if (volume ? volume + FIRST_VOLUME >= pod->created : is_latest(s, pod))
			return found(out, "ReplicasChanging", name_of(s, pod), pod->created);
	}
	return false;
}

bool appcat_scaling(struct service *s, struct reading *out)
{
	/* MariaDB tells how many instances it runs. */
	if (s->instances > 1 && s->self->replicas.current >= 0 &&
	    s->self->replicas.current != s->instances)
		return found(out, "InstancesChanging",
			     arena_printf(assess_arena(s->d), "%d of %d instances",
					  s->self->replicas.current, s->instances),
			     newest_start(s));
	return size_differs(s, out) || pod_is_added(s, out) || workload_scales(s, out) ||
	       volume_resizes(s, out);
}
