/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crossplane: claims, composites of both generations, managed resources of every provider, and the objects that install
 * and configure them.  Users make API groups of their own, so a resource is known by its category or, where no
 * discovery told it, by its shape.
 */
#include "kube/family/crossplane/crossplane.h"
#include "kube/evidence/evidence.h"

#include "kube/base/limits.h"
#include "kube/status/thresholds.h"

static bool of_group(const struct kind *kind)
{
	return str_ends(kind->group, ".crossplane.io") || str_ends(kind->group, ".upbound.io");
}

/* Annotations of Crossplane's runtime; an object that is only composed has other ones. */
static bool has_annotation(struct json object)
{
	json_foreach(a, json_at(object, "metadata.annotations"))
		if (str_starts(json_key(a), "crossplane.io/external-") ||
		    str_is(json_key(a), "crossplane.io/paused"))
			return true;
	return false;
}

/* The reasons that the runtime's reconciler writes. */
static bool has_condition(struct json object)
{
	static const char *const reasons[] = { "ReconcileSuccess", "ReconcileError",
					       "ReconcilePaused", NULL };

	return str_is_any(json_str(object, "status.conditions[type=Synced].reason"), reasons);
}

static bool is_typed_ref(struct json ref)
{
	return json_str(ref, "apiVersion").len && json_str(ref, "kind").len;
}

/* Returns true for a claim, a composite of either generation, or a managed resource. */
static bool has_fields(struct json spec)
{
	bool composed = json_has(spec, "compositionRef") ||
			json_has(spec, "compositionRevisionRef") ||
			json_has(spec, "compositionSelector") ||
			json_has(spec, "compositionUpdatePolicy") ||
			json_has(spec, "compositeDeletePolicy");

	return json_is_object(json_at(spec, "forProvider")) ||
	       json_is_object(json_at(spec, "crossplane")) ||
	       is_typed_ref(json_at(spec, "claimRef")) ||
	       is_typed_ref(json_at(spec, "resourceRefs[0]")) ||
	       (composed && json_has(spec, "resourceRef"));
}

static bool by_shape(struct json object)
{
	static const char *const finalizers[] = { "finalizer.managedresource.crossplane.io", "composite.apiextensions.crossplane.io",
						  "finalizer.apiextensions.crossplane.io", NULL };

	json_foreach(f, json_at(object, "metadata.finalizers"))
		if (str_is_any(json_str(f, ""), finalizers))
			return true;
	return has_fields(json_at(object, "spec")) || has_annotation(object) ||
	       has_condition(object);
}

static bool claims(const struct kind *kind, struct json object)
{
	if (of_group(kind) || kind_in_category(kind, "claim") ||
	    kind_in_category(kind, "composite") || kind_in_category(kind, "managed"))
		return true;
	return kind->group.len && by_shape(object);
}

/* Adds that somebody tried to delete the object while a Usage protected it. */
static void protection(struct verdict *v)
{
	struct json metadata = json_at(verdict_object(v), "metadata");

	if (str_is(json_str(metadata, "labels['crossplane.io/in-use']"), "true"))
		verdict_flag(v, "in-use");
	if (json_has(metadata, "annotations['usage.crossplane.io/deletion-attempt-with-policy']") &&
	    !verdict_deleting(v))
		verdict_flag(v, "deletion-refused");
}

static void observe_only(struct verdict *v)
{
	struct json policies = json_at(verdict_object(v), "spec.managementPolicies");

	if (json_count(policies) == 1 && str_is(json_str(json_first(policies), ""), "Observe"))
		verdict_flag(v, "observe-only");
}

static void inspect(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);
	bool decided = false;

	if (crossplane_inspect_system(v)) {
		protection(v);
		return;
	}
	crossplane_links(v);
	if (json_is_object(json_at(verdict_object(v), "spec.forProvider")))
		crossplane_managed_refs(v);
	else if (of_group(kind) && !has_fields(json_at(verdict_object(v), "spec")))
		evidence_refs(v, STR_NONE);
	protection(v);
	observe_only(v);
	crossplane_revision_policy(v);
	crossplane_async(v);
	if (str_is(kind->kind, "Release") && str_starts(kind->group, "helm."))
		decided = crossplane_inspect_release(v);
	if (!decided)
		crossplane_inspect_resource(v);
	if (str_is(kind->kind, "Object") && str_starts(kind->group, "kubernetes."))
		crossplane_inspect_object(v);
}

/* ---- with the neighbours ------------------------------------------------------ */

/* What a part that is not ready means for the whole. */
static int badness(const struct neighbour *n)
{
	enum phase phase = n->status.phase;

	if (phase == PHASE_FAILED)
		return 4;
	if (phase == PHASE_DEGRADED)
		return n->status.severity >= SEVERITY_WARNING ? 3 : 0;
	if (phase == PHASE_WAITING || phase == PHASE_DELETING)
		return 2;
	return phase == PHASE_SUSPENDED ? 1 : 0;
}

/* A paused part blocks only until it was ready once. */
static bool in_the_way(const struct neighbour *n)
{
	return badness(n) > 0 &&
	       (n->status.phase != PHASE_SUSPENDED ||
		!condition_is(status_condition(&n->status, "Ready"), "True"));
}

/* Finds the worst of the parts that the object's health depends on; returns false when nothing is wrong with them. */
static bool worst_part(struct assessment *d, struct neighbour *out)
{
	struct neighbour n;
	int worst = 0;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if ((n.flags & REF_HEALTH) && n.presence == PRESENCE_FOUND && in_the_way(&n) &&
		    badness(&n) > worst) {
			*out = n;
			worst = badness(&n);
		}
	return worst > 0;
}

/* Who knows that the object was ready before: the claim of a composite, and of a package that is unpacked again its current revision. */
static bool knows_it_ready(struct assessment *d, const struct neighbour *n)
{
	if (n->presence != PRESENCE_FOUND)
		return false;
	if (str_is(n->via, "spec.claimRef"))
		return n->status.ever_ready;
	return str_is(n->via, "status.currentRevision") && n->status.phase == PHASE_READY && str_is(assess_reason(d), "UnpackingPackage");
}

static bool was_ready(struct assessment *d)
{
	struct neighbour n;

	if (assess_status(d)->ever_ready)
		return true;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (knows_it_ready(d, &n))
			return true;
	return crossplane_has_revision_before(d);
}

enum { CONFIG_BROKEN, PART_BROKEN, YOUNG_ERROR, OLD_ERROR, TOLD_LATE, GROWS, WAS_READY, PART_IN_THE_WAY, APPLIED_BROKEN };

static const struct row beside_rows[] = {
	[CONFIG_BROKEN] = { "its configuration is not well", .then = OUTCOME_WAIT },
	[PART_BROKEN] = { "a part of it is not well", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[YOUNG_ERROR] = { "a part could not be made a moment ago", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .flags = RETRIED },
	[OLD_ERROR] = { "a part cannot be made, and nothing else explains it", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = PASSED },
	[TOLD_LATE] = { "the composite that it waits for is Ready", .then = OUTCOME_READY },
	[GROWS] = { "it was ready before, and a new part is made", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	[WAS_READY] = { "it was ready before", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[PART_IN_THE_WAY] = { "a part that is not well keeps it from being made", .then = OUTCOME_WAIT },
	[APPLIED_BROKEN] = { "what it applied is not well", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ 0 }
};

/*
 * The controller reads a healthy composite once an hour: what the composite says of its parts may be outdated, the
 * parts themselves are not.
 */
static void fine_but_a_part(struct assessment *d, const struct neighbour *part)
{
	bool config = part->relation == RELATION_NEEDS;

	if (part->status.phase != PHASE_FAILED && part->status.phase != PHASE_DEGRADED)
		return;
	table_assess(d, &beside_rows[config ? CONFIG_BROKEN : PART_BROKEN], part->status.reason, part->status.message);
	assess_since(d, part->status.since);
	assess_rule(d, arena_printf(assess_arena(d), STR_FMT "/" STR_FMT " is %s",
				    STR_ARG(part->kind->kind), STR_ARG(part->name),
				    phase_name(part->status.phase)));
	assess_wait_for(d, part);
}

/*
 * The claim was not told that its composite is Ready.  Its controller tells it within moments, so for a while that is
 * the claim's last step; later its word is out of date, and counts where nothing else is wrong.
 */
static bool waits_for_ready_composite(struct assessment *d)
{
	const struct status *st = assess_status(d);
	const struct condition *ready = status_condition(st, "Ready");
	struct neighbour n;

	if ((st->phase != PHASE_WAITING && st->phase != PHASE_DEGRADED &&
	     st->phase != PHASE_PROVISIONING) ||
	    !condition_is(ready, "False") || !str_is(ready->reason, "Waiting") ||
	    condition_is(status_condition(st, "Synced"), "False"))
		return false;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (str_is(n.via, "spec.resourceRef") && n.presence == PRESENCE_FOUND) {
			assess_revisit(d, n.status.since + thresholds.young);
			return n.status.phase == PHASE_READY && assess_now(d) - n.status.since >= thresholds.young;
		}
	return false;
}

/* An error that is retried, and that nothing else explains: as phase 1 judges an error of the object's own. */
static void assess_error(struct assessment *d, const struct condition *c)
{
	const struct threshold *t = crossplane_thresholds;
	int64_t from = c->since ? c->since : assess_created(d), age = assess_now(d) - from;
	bool young = from == 0 || age < t[CROSSPLANE_ERROR_YOUNG].value;
	bool old = from && age >= t[CROSSPLANE_ERROR_OLD].value;

	assess_revisit(d, from + t[CROSSPLANE_ERROR_YOUNG].value);
	assess_revisit(d, from + t[CROSSPLANE_ERROR_OLD].value);
	row_decides(&(struct reading){ .d = d, .condition = c, .flags = old ? FINAL : 0 }, &beside_rows[young ? YOUNG_ERROR : OLD_ERROR]);
}

/* Returns true when a part has trouble of its own, which explains why the composite could not handle it. */
static bool is_explained(const struct neighbour *part)
{
	return part->presence == PRESENCE_FOUND &&
	       (badness(part) > 1 || condition_is(status_condition(&part->status, "Synced"), "False"));
}

/*
 * "Unsynced resources: a": the composite could not make a part or could not change it, tries again, and gives the part
 * that does not exist another name each time.  So that part is no cause: the composite is.
 */
static void assess_unsynced(struct assessment *d)
{
	const struct status *st = assess_status(d);
	const struct condition *synced = status_condition(st, "Synced");
	struct neighbour n;

	if (!condition_is(synced, "False") || !str_starts(synced->message, "Unsynced resources") ||
	    (st->phase != PHASE_PROVISIONING && st->phase != PHASE_WAITING))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && is_explained(&n))
			return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && n.presence == PRESENCE_MISSING)
			assess_drop_wait(d, &n);
	if (!was_ready(d))
		assess_error(d, synced);
}

/* Returns true when a part that was never ready is being made. */
static bool has_new_part(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && n.presence == PRESENCE_FOUND && n.status.phase == PHASE_PROVISIONING &&
		    !n.status.ever_ready)
			return true;
	return false;
}

static bool is_package(const struct kind *kind)
{
	return str_is(kind->group, "pkg.crossplane.io");
}

/*
 * Returns true for a package or revision that is looked at again without a complaint, and for a package whose current
 * revision comes after another one and was never healthy.
 */
static bool installs(struct assessment *d)
{
	struct neighbour n;

	if (assess_status(d)->message.len == 0)
		return true;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && n.presence == PRESENCE_FOUND && n.status.ever_ready)
			return false;
	return crossplane_has_revision_before(d);
}

static void assess_whole(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour part;
	bool stuck;

	assess_unsynced(d);
	stuck = worst_part(d, &part);
	if (!stuck && waits_for_ready_composite(d)) {
		table_assess(d, &beside_rows[TOLD_LATE], st->reason, st->message);
		return;
	}
	if (st->phase == PHASE_READY && stuck) {
		fine_but_a_part(d, &part);
		return;
	}
	if (st->phase != PHASE_PROVISIONING && st->phase != PHASE_WAITING && (st->phase != PHASE_FAILED || !is_package(assess_kind(d))))
		return;
	if (was_ready(d) && st->severity <= SEVERITY_INFO && (is_package(assess_kind(d)) ? installs(d) : !stuck && has_new_part(d))) {
		table_assess(d, &beside_rows[GROWS], st->reason, st->message);
	} else if (was_ready(d)) {
		row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message,
					       .level = st->phase == PHASE_FAILED ? st->severity : SEVERITY_NONE }, &beside_rows[WAS_READY]);
	} else if (stuck && st->phase == PHASE_PROVISIONING) {
		table_assess(d, &beside_rows[PART_IN_THE_WAY], st->reason, st->message);
		assess_wait_for(d, &part);
	}
}

/* The deletion of a part is refused, so the part has no deletionTimestamp: finds what protects it. */
static void wait_for_usages(struct assessment *d, const struct neighbour *part)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, part, i, &n); i++)
		if (n.relation == RELATION_GUARDS && n.presence == PRESENCE_FOUND)
			assess_wait(d, &n, n.deleting ? WAIT_DELETING : WAIT_FINALIZER,
				    STR("a Usage protects it"));
}

/* Adds slot; returns false when it is there already, because a part may stand in the list more than once. */
static bool add_once(uint32_t *slots, size_t *n, uint32_t slot)
{
	for (size_t i = 0; i < *n; i++)
		if (slots[i] == slot)
			return false;
	if (*n < LIMIT_REFS)
		slots[(*n)++] = slot;
	return true;
}

void crossplane_wait_for_deletion(struct assessment *d)
{
	uint32_t refused[LIMIT_REFS];
	size_t nrefused = 0;
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++) {
		if (n.presence == PRESENCE_FOUND && str_is(n.via, "spec.by"))	/* the neighbour is a Usage */
			assess_wait(d, &n, n.deleting ? WAIT_DELETING : WAIT_FINALIZER,
				    STR("still uses what it protects"));
		if (n.relation != RELATION_MANAGES || n.presence != PRESENCE_FOUND)
			continue;
		if (n.deleting)
			assess_wait(d, &n, WAIT_DELETING, n.status.message);
		else if (status_has_flag(&n.status, "deletion-refused") && add_once(refused, &nrefused, n.slot))
			wait_for_usages(d, &n);
	}
}

static struct str release_name(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (str_is(n.via, CROSSPLANE_EXTERNAL_NAME))
			return n.name;
	return assess_name(d);
}

/* Returns true for "web-0" and "web-5d9c-x2x7k" of the release web, which are the names that charts give. */
static bool is_of_release(struct str release, struct str pod)
{
	return pod.len > release.len && pod.ptr[release.len] == '-' &&
	       str_eq(str_head(pod, release.len), release);
}

/* The pods for which helm waits. */
static void assess_release(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct str release = release_name(d);
	struct neighbour n;

	if (st->phase == PHASE_READY || st->phase == PHASE_SUSPENDED || st->phase == PHASE_DELETING)
		return;
	for (size_t i = 0; assess_content(d, i, &n); i++)
		if (str_is(n.kind->kind, "Pod") && n.kind->group.len == 0 && !n.status.complete &&
		    phase_is_bad(n.status.phase) &&
		    is_of_release(release, n.name)) {
			n.via = STR("spec.forProvider.namespace");
			assess_wait(d, &n, WAIT_FAILED, n.status.message);
		}
}

bool crossplane_running_job(const struct neighbour *n)
{
	return str_is(n->kind->kind, "Job") && str_is(n->kind->group, "batch") &&
	       n->presence == PRESENCE_FOUND && !n->status.complete &&
	       n->status.phase != PHASE_SUSPENDED && n->status.replicas.current > 0 &&
	       !condition_is(status_condition(&n->status, "Complete"), "True") &&
	       !condition_is(status_condition(&n->status, "Failed"), "True");
}

/*
 * Ready means that the object was applied, unless a readiness policy asks for more.  Jobs run from time to time, and
 * may fail, beside what they serve.
 */
static void assess_wrapped(struct assessment *d, const struct neighbour *wrapped)
{
	if (assess_status(d)->phase != PHASE_READY || badness(wrapped) < 3 ||
	    str_is(wrapped->kind->group, "batch"))
		return;
	table_assess(d, &beside_rows[APPLIED_BROKEN], wrapped->status.reason, wrapped->status.message);
	assess_since(d, wrapped->status.since);
	assess_wait_for(d, wrapped);
}

/*
 * Operators run maintenance in a CronJob or Job that is wrapped in an Object; the composite that owns the Object does
 * not know what it does.
 */
static void assess_object(struct assessment *d)
{
	struct neighbour wrapped, job;
	bool running = false;

	for (size_t i = 0; assess_target(d, i, &wrapped); i++) {
		if (wrapped.relation != RELATION_MANAGES || wrapped.presence != PRESENCE_FOUND)
			continue;
		assess_wrapped(d, &wrapped);
		running |= crossplane_running_job(&wrapped);
		for (size_t k = 0; str_is(wrapped.kind->kind, "CronJob") &&
				   assess_referrer_of(d, &wrapped, k, &job);
		     k++)
			running |= job.relation == RELATION_OWNS && crossplane_running_job(&job);
	}
	if (running)
		assess_flag(d, "job-running");
}

static void assess(struct assessment *d)
{
	const struct kind *kind = assess_kind(d);

	if (assess_deleting(d))
		crossplane_wait_for_deletion(d);
	else if (str_is(kind->kind, "Release") && str_starts(kind->group, "helm."))
		assess_release(d);
	else if (str_is(kind->kind, "Object") && str_starts(kind->group, "kubernetes."))
		assess_object(d);
	else if (str_is(kind->group, "ops.crossplane.io"))
		crossplane_assess_operation(d);
	else
		assess_whole(d);
	if (!assess_deleting(d))
		crossplane_assess_revision(d);
	if (is_package(kind))
		crossplane_assess_package(d);
}

/* ---- finalizers ---------------------------------------------------------------- */

bool crossplane_own_finalizer(const struct kind *kind, struct str finalizer)
{
	static const char *const own[] = {
		"finalizer.managedresource.crossplane.io",
		"composite.apiextensions.crossplane.io",
		"finalizer.apiextensions.crossplane.io",
		"usage.apiextensions.crossplane.io",
		"defined.apiextensions.crossplane.io",
		"offered.apiextensions.crossplane.io",
		"revision.pkg.crossplane.io",
		"lock.pkg.crossplane.io",
		NULL,
	};

	(void)kind;
	return str_is_any(finalizer, own);
}

static bool finalizer(struct str name, struct str *out_kind)
{
	if (str_is(name, "in-use.crossplane.io"))
		*out_kind = STR("ProviderConfigUsage");
	else if (str_starts(name, "kubernetes.crossplane.io/referred-by-object"))
		*out_kind = STR("Object");
	else
		return false;
	return true;
}

static const struct controller_rule controllers[] = {
	{ "apiextensions.crossplane.io", NULL, "crossplane-system", "crossplane", NULL },
	{ "protection.crossplane.io", NULL, "crossplane-system", "crossplane", NULL },
	{ "pkg.crossplane.io", NULL, "crossplane-system", "crossplane", NULL },
	{ 0 }
};

static const struct companion_rule companions[] = {
	{ "CronOperation", "ops.crossplane.io", "Operation", COMPANION_ALWAYS },
	{ "WatchOperation", "ops.crossplane.io", "Operation", COMPANION_ALWAYS },
	{ 0 }
};

const struct family family_crossplane = {
	.name = "crossplane",
	.title = "Crossplane",
	.claims = claims,
	.refs = crossplane_ref_rows,
	.inspect = inspect,
	.assess = assess,
	.finalizer = finalizer,
	.own_finalizer = crossplane_own_finalizer,
	.controllers = controllers,
	.companions = companions,
	.thresholds = crossplane_thresholds,
};
