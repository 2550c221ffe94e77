/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the neighbourhood of an AppCat service: the claim, the composite, what it is composed of, and the pods and
 * workloads in the instance's namespace.
 */
#include "kube/family/appcat/appcat_service.h"

#include "kube/status/thresholds.h"


bool service_is_kind(const struct neighbour *n, const char *group, const char *kind)
{
	return str_is(n->kind->kind, kind) && str_is(n->kind->group, group);
}

bool service_is_workload(const struct neighbour *n)
{
	return n->status.replicas.wanted >= 0 &&
	       (service_is_kind(n, "apps", "StatefulSet") ||
		service_is_kind(n, "apps", "Deployment") ||
		service_is_kind(n, "stackgres.io", "SGCluster") ||
		service_is_kind(n, "postgresql.cnpg.io", "Cluster"));
}

bool service_is_nested(const struct neighbour *n)
{
	return str_is(n->kind->group, "vshn.appcat.vshn.io") && str_starts(n->kind->kind, "XVSHN");
}

static void add(struct assessment *d, struct neighbours *list, const struct neighbour *n)
{
	list->items = arena_grow(assess_arena(d), list->items, list->n, &list->cap, sizeof(*list->items));
	list->items[list->n++] = *n;
}

/* ---- pods --------------------------------------------------------------------- */

static const struct ref *controller(const struct neighbour *n)
{
	for (size_t i = 0; i < n->status.nrefs; i++)
		if (n->status.refs[i].relation == RELATION_OWNS)
			return &n->status.refs[i];
	return NULL;
}

/* A Deployment gives each of its ReplicaSets its own name with a hash. */
static struct str workload_name(const struct ref *owner)
{
	struct str name = owner->name;

	return str_is(owner->kind, "ReplicaSet") ? str_head(name, str_rfind(name, '-')) : name;
}

struct str service_pod_workload(const struct neighbour *pod)
{
	const struct ref *owner = controller(pod);

	return owner ? workload_name(owner) : STR_NONE;
}

/* The cluster has removed the pod, and its controller has made another one or needs no more. */
static bool displaced(const struct neighbours *all, const struct neighbour *pod)
{
	const struct ref *owner = controller(pod);

	if (!pod->status.complete || !owner)
		return false;
	for (size_t i = 0; i < all->n; i++) {
		const struct neighbour *n = &all->items[i];
		struct replicas r = n->status.replicas;

		if (service_is_kind(n, "", "Pod") && n->created > pod->created &&
		    str_eq(service_pod_workload(n), workload_name(owner)))
			return true;
		if (str_eq(n->kind->kind, owner->kind) && str_eq(n->name, owner->name) &&
		    r.wanted >= 0 && r.ready >= r.wanted)
			return true;
	}
	return false;
}

static bool succeeded(const struct neighbour *pod)
{
	return pod->status.complete && pod->status.phase == PHASE_READY;
}

static bool serves(const struct neighbours *all, const struct neighbour *n)
{
	const struct ref *owner = controller(n);

	return service_is_kind(n, "", "Pod") && !succeeded(n) &&
	       !(owner && str_is(owner->kind, "Job")) && !displaced(all, n);
}

/*
 * The condition of the kubelet, or where there is none, that of all containers.  The pod of a dead node keeps an
 * outdated one.
 */
bool service_pod_ready(const struct neighbour *pod)
{
	const struct condition *c = status_condition(&pod->status, "Ready");
	const struct status *st = &pod->status;

	if (pod->deleting || st->phase == PHASE_FAILED)
		return false;
	if (c || st->phase == PHASE_READY)
		return !c || condition_is(c, "True");
	return str_is(st->operator_phase, "Running") && st->replicas.wanted > 0 &&
	       st->replicas.ready >= st->replicas.wanted;
}

bool service_pod_regressed(const struct neighbour *pod)
{
	return !service_pod_ready(pod) && pod->status.ever_ready;
}

static bool service_pod_failing(const struct neighbour *pod)
{
	const struct status *st = &pod->status;

	if (pod->deleting || service_pod_ready(pod))
		return false;
	return phase_is_bad(st->phase) ||
	       st->severity >= SEVERITY_WARNING || service_pod_regressed(pod);
}

static bool worse(const struct neighbour *a, const struct neighbour *b)
{
	bool a_failed = a->status.phase == PHASE_FAILED, b_failed = b->status.phase == PHASE_FAILED;

	if (a_failed != b_failed)
		return a_failed;
	if (a->status.severity != b->status.severity)
		return a->status.severity > b->status.severity;
	return str_cmp(a->name, b->name) < 0;
}

/* The deletionTimestamp of a pod is the time by which it has to be gone. */
static void count_pod(struct pods *pods, const struct neighbour *pod, int64_t now)
{
	const struct condition *c = status_condition(&pod->status, "Ready");
	int64_t since = c && c->since ? c->since : pod->created;

	if (pod->deleting)
		since = pod->deleting < now ? pod->deleting : now;

	if (service_pod_ready(pod)) {
		pods->nready++;
		if (since > pods->ready_since)
			pods->ready_since = since;
		return;
	}
	if (pods->not_ready_since == 0 || since < pods->not_ready_since)
		pods->not_ready_since = since;
	pods->regressed |= service_pod_regressed(pod);
	if (service_pod_failing(pod) && (!pods->failing || worse(pod, pods->failing)))
		pods->failing = pod;
}

static void gather_pods(struct service *s)
{
	for (size_t i = 0; i < s->contents.n; i++)
		if (serves(&s->contents, &s->contents.items[i]))
			add(s->d, &s->pods.all, &s->contents.items[i]);
	for (size_t i = 0; i < s->pods.all.n; i++)
		count_pod(&s->pods, &s->pods.all.items[i], s->now);
}

/* No pod is seen: what the workloads say counts, here or wrapped in Objects, and then AppCat's own condition. */
static enum pods_ready pods_unseen(struct service *s)
{
	const struct condition *said = NULL;
	bool up = false, down = false;

	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];

		down |= service_is_workload(n) && n->status.replicas.ready >= 0 &&
			n->status.replicas.ready < n->status.replicas.wanted;
	}
	for (size_t i = 0; i < s->parts.n; i++) {
		struct replicas r = s->parts.items[i].status.replicas;

		if (!str_is(s->parts.items[i].kind->kind, "Object") || r.wanted <= 0)
			continue;
		up |= r.ready >= r.wanted;
		down |= r.ready < r.wanted;
	}
	if (up || down)
		return down ? PODS_NOT_READY : PODS_READY;
	if (s->composite)
		said = status_condition(s->composite, "PodReady");
	if (!said && s->claim)
		said = status_condition(s->claim, "PodReady");
	s->pods_said = said;
	if (condition_is(said, "True"))
		return PODS_READY;
	return condition_is(said, "False") ? PODS_NOT_READY : PODS_UNKNOWN;
}

bool service_has_pods(const struct kind *kind)
{
	return str_is(kind->group, "vshn.appcat.vshn.io") &&
	       (str_starts(kind->kind, "VSHN") || str_starts(kind->kind, "XVSHN"));
}

static enum pods_ready pods_of(struct service *s)
{
	if (s->pods.all.n)
		return s->pods.nready == s->pods.all.n ? PODS_READY : PODS_NOT_READY;
	if (s->instances == 0)
		return PODS_NOT_NEEDED;
	if (s->namespace.len || service_has_pods(assess_kind(s->d)))
		return pods_unseen(s);
	for (size_t i = 0; i < s->parts.n; i++)
		if (service_is_nested(&s->parts.items[i]) &&
		    s->parts.items[i].presence == PRESENCE_FOUND &&
		    s->parts.items[i].status.phase == PHASE_UNKNOWN)
			return PODS_UNKNOWN;
	return PODS_NOT_NEEDED;
}

/* ---- was it ready before? ------------------------------------------------------- */

static int64_t published(const struct service *s)
{
	for (size_t i = 0; s->claim && i < s->claim->nhistory; i++)
		if (str_is(s->claim->history[i].what, "Published"))
			return s->claim->history[i].time;
	return 0;
}

/* Crossplane called the service ready then; the time that it needs to start is left out. */
static int64_t grace_end(const struct service *s)
{
	int64_t when = published(s);

	if (condition_is(s->ready, "True") && s->ready->since && (!when || s->ready->since < when))
		when = s->ready->since;
	return when ? when + thresholds.pod_start_grace : 0;
}

/* Every pod that is not ready is one of the first pods, and none of them was ever ready. */
static bool only_first_pods(const struct service *s, int64_t grace)
{
	if (s->pods.all.n == 0 || s->pods.nready)
		return false;
	for (size_t i = 0; i < s->pods.all.n; i++)
		if (s->pods.all.items[i].created > grace)
			return false;
	return true;
}

/* A workload that replaces its pods had other pods before. */
static bool rolled_out(const struct service *s)
{
	for (size_t i = 0; i < s->contents.n; i++) {
		const struct neighbour *n = &s->contents.items[i];
		const struct condition *c = status_condition(&n->status, "Progressing");

		if (service_is_kind(n, "apps", "StatefulSet") && n->status.version_from.len)
			return true;
		if (service_is_kind(n, "apps", "Deployment") && c &&
		    str_is(c->reason, "NewReplicaSetAvailable"))
			return true;
	}
	return false;
}

/* Pods that have just become ready for the first time do not mean that the first deployment was over before. */
static bool pods_settled(const struct service *s)
{
	int64_t until = s->pods.ready_since + thresholds.pod_start_grace;

	if (s->pods_ready != PODS_READY && s->pods_ready != PODS_NOT_NEEDED)
		return false;
	if (condition_is(s->ready, "True"))
		return true;
	if (s->pods_ready != PODS_READY || s->pods.ready_since == 0)
		return false;
	assess_revisit(s->d, until);
	return s->now >= until;
}

static bool was_ready(const struct service *s)
{
	int64_t grace = grace_end(s);

	if (s->self->ever_ready || (s->composite && s->composite->ever_ready) ||
	    (s->claim && s->claim->ever_ready))
		return true;
	if (pods_settled(s) || s->pods.regressed || rolled_out(s))
		return true;
	if (grace == 0)
		return false;
	assess_revisit(s->d, grace);
	return s->now > grace && !only_first_pods(s, grace);
}

/* ---- gathering ------------------------------------------------------------------- */

static void older(int64_t *created, int64_t other)
{
	if (other && (*created == 0 || other < *created))
		*created = other;
}

static struct status *keep(struct assessment *d, const struct neighbour *n)
{
	struct status *st = arena_alloc(assess_arena(d), sizeof(*st));

	*st = n->status;
	return st;
}

static void add_part(struct service *s, const struct neighbour *n)
{
	if (n->relation == RELATION_MANAGES && (n->flags & REF_HEALTH))
		add(s->d, &s->parts, n);
}

static void gather_links(struct service *s)
{
	struct neighbour n, part;

	for (size_t i = 0; assess_target(s->d, i, &n); i++) {
		if (n.flags & REF_CONTENTS)
			s->namespace = n.name;
		if (str_is(n.via, "spec.claimRef") && n.presence == PRESENCE_FOUND) {
			s->claim = keep(s->d, &n);
			older(&s->created, n.created);
		}
		if (!str_is(n.via, "spec.resourceRef")) {
			add_part(s, &n);
			continue;
		}
		if (n.presence != PRESENCE_FOUND)
			continue;
		s->composite = keep(s->d, &n);
		s->composite_deleting = n.deleting;
		older(&s->created, n.created);
		for (size_t k = 0; assess_target_of(s->d, &n, k, &part); k++)
			add_part(s, &part);
	}
}

static bool paused(const struct service *s)
{
	return status_has_flag(s->self, "paused") || status_has_flag(s->composite, "paused") ||
	       status_has_flag(s->claim, "paused");
}

static int wanted(const struct service *s)
{
	const struct status *all[] = { s->self, s->claim, s->composite };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] && all[i]->replicas.wanted >= 0)
			return all[i]->replicas.wanted;
	return -1;
}

static const struct condition *said(const struct service *s, const char *type)
{
	const struct condition *c =
		s->composite ? status_condition(s->composite, type) : NULL;

	if (!c && s->claim)
		c = status_condition(s->claim, type);
	return c ? c : status_condition(s->self, type);
}

void service_gather(struct assessment *d, struct service *out)
{
	struct service *s = out;
	struct neighbour n;
	bool composite = str_starts(assess_kind(d)->kind, "X");

	*s = (struct service){
		.r.d = d, .d = d, .self = assess_status(d), .now = assess_now(d), .created = assess_created(d)
	};
	if (composite)
		s->composite = s->self;
	else
		s->claim = s->self;
	gather_links(s);
	for (size_t i = 0; assess_content(d, i, &n); i++)
		add(d, &s->contents, &n);
	gather_pods(s);
	s->ready = said(s, "Ready");
	s->r.word = s->ready ? s->ready->reason : STR_NONE;
	s->synced = said(s, "Synced");
	/* The composite does not know of a change that the claim could not hand on. */
	if (!composite && condition_is(status_condition(s->self, "Synced"), "False"))
		s->synced = status_condition(s->self, "Synced");
	s->instances = wanted(s);
	s->paused = paused(s);
	s->pods_ready = pods_of(s);
	s->ever_ready = was_ready(s);
}
