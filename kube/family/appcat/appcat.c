/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VSHN AppCat: database and application services as Crossplane claims.  Its ADR 0051 defines eight phases and a
 * status.phase for them, which no released version writes.  So the verdict comes from what Crossplane says of the
 * composite, together with the pods in the instance's namespace.
 */
#include "kube/family/appcat/phase.h"
#include "kube/family/crossplane/crossplane.h"
#include "kube/evidence/evidence.h"

/* That many waits on pods and nested services are listed; further ones would repeat them. */
#define LISTED 10

static const char *const groups[] = {
	"vshn.appcat.vshn.io",	   "codey.io",	    "appcat.vshn.io",
	"exoscale.appcat.vshn.io", APPCAT_UPGRADES, NULL,
};

/* For upgrades of the cluster only the job is read. */
static bool is_upgrade(const struct kind *kind)
{
	return str_is(kind->group, APPCAT_UPGRADES);
}

static bool claims(const struct kind *kind, struct json object)
{
	(void)object;
	return !is_upgrade(kind) || str_is(kind->kind, "UpgradeJob");
}

/* "Unknown" is the default of the field: nobody has computed it. */
static const struct row phases[] = {
	{ "AppCat is deleting the service", .word = "Deleting", .then = OUTCOME_DELETION },
	{ "AppCat calls the service failed", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "AppCat is making the service", .word = "Provisioning", .then = OUTCOME_MOVEMENT },
	{ "AppCat maintains the service", .word = "Maintenance", .then = OUTCOME_MOVEMENT, .phase = PHASE_MAINTENANCE },
	{ "AppCat changes the size of the service", .word = "Scaling", .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING },
	{ "AppCat calls the service degraded", .word = "Degraded", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "AppCat calls the service ready", .word = "Ready", .then = OUTCOME_READY },
	{ 0 },
};

/* ---- one object --------------------------------------------------------------------- */

/* Phases that a service has only after it was ready. */
static bool proves_ready_before(enum phase phase)
{
	return phase == PHASE_READY || phase == PHASE_DEGRADED || phase == PHASE_SCALING ||
	       phase == PHASE_MAINTENANCE;
}

static void explicit_phase(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	struct str word = json_str(status, "phase");

	struct reading r = { .v = v, .word = word, .reason = json_str(status, "reason"), .message = json_str(status, "message"),
			     .since = json_time(status, "lastTransitionTime"), .rule = STR("status.phase") };

	r.flags = r.since ? PASSED : 0;	/* its own time counts, whenever it was written, and not that of a condition */
	if (table_decide(&r, phases) && proves_ready_before(verdict_phase(v)))
		verdict_ever_ready(v);
}

static void size(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct replicas replicas = REPLICAS_NONE;

	replicas.wanted = crossplane_count(object, "spec.parameters.instances", -1);
	replicas.current = crossplane_count(object, "status.currentInstances", -1);
	verdict_replicas(v, replicas);
	if (replicas.wanted == 0)
		verdict_flag(v, "suspended");
}

/* Returns true for "15.4-bookworm" and "15", which are the same major version. */
static struct str major_of(struct str version)
{
	size_t n = 0;

	while (n < version.len && version.ptr[n] >= '0' && version.ptr[n] <= '9')
		n++;
	return str_head(version, n);
}

static void version(struct verdict *v)
{
	static const char *const paths[] = { "status.currentVersion", "status.currentReleaseTag",
					     "status.mariadbVersion", "status.version" };
	struct json object = verdict_object(v);
	struct str current = STR_NONE,
		   wanted = json_str(object, "spec.parameters.service.majorVersion");

	for (size_t i = 0; current.len == 0 && i < sizeof(paths) / sizeof(paths[0]); i++)
		current = json_str(object, paths[i]);
	if (current.len && wanted.len && json_str(object, "status.currentVersion").len &&
	    !str_eq(major_of(current), major_of(wanted)))
		verdict_version(v, current, wanted);
	else
		verdict_version(v, STR_NONE, current);
	if (json_bool(object, "status.isEOL", false))
		verdict_flag(v, "end-of-life");
}

static void history(struct verdict *v)
{
	struct json object = verdict_object(v);
	int64_t published = json_time(object, "status.connectionDetails.lastPublishedTime");
	int64_t maintained = json_time(object, "status.initialMaintenance.completedAt");

	/* A claim publishes its secret only after its composite was ready; a composite may do so before. */
	if (published && json_has(object, "spec.writeConnectionSecretToRef") &&
	    json_has(object, "spec.resourceRef"))
		verdict_history(v, (struct transition){ published, STR("Published"), STR_NONE,
							STR("connection details were published") });
	if (maintained)
		verdict_history(v, (struct transition){ maintained, STR("InitialMaintenance"),
							STR_NONE, STR_NONE });
}

static void instance_namespace(struct verdict *v)
{
	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.flags = REF_CONTENTS | REF_CLUSTER,
		.kind = STR("Namespace"),
		.name = json_str(verdict_object(v), "status.instanceNamespace"),
		.via = STR("status.instanceNamespace"),
	});
}

/*
 * AppCat runs the maintenance of some services in a namespace of its own.  The Objects that wrap these jobs tell which
 * one it is (job-running); this is for clusters where they are not seen.
 */
static void control_jobs(struct verdict *v)
{
	struct str composite = verdict_name(v);
	struct ref ref = { .relation = RELATION_NEEDS,
			   .flags = REF_HIDDEN,
			   .group = STR("batch"),
			   .ns = STR(APPCAT_CONTROL_NAMESPACE),
			   .via = STR(APPCAT_CONTROL) };

	if (!str_starts(verdict_kind(v)->kind, "X"))
		composite = json_str(verdict_object(v), "spec.resourceRef.name");
	if (composite.len == 0)
		return;
	ref.kind = STR("CronJob");
	ref.name = arena_printf(verdict_arena(v), STR_FMT "-maintenancejob", STR_ARG(composite));
	verdict_ref(v, ref);
	ref.kind = STR("Job");
	ref.name = arena_printf(verdict_arena(v), STR_FMT "-initial-maintenance",
				STR_ARG(composite));
	verdict_ref(v, ref);
}

/* ---- the cluster's upgrade ------------------------------------------------------------ */

static const struct row upgrade[] = {
	{ "the upgrade has ended well", .type = "Succeeded", .status = "True", .then = OUTCOME_READY, .flags = COMPLETE | NAMES_ONLY },
	{ "the upgrade has failed", .type = "Failed", .status = "True", .then = OUTCOME_TROUBLE, .flags = FINAL | COMPLETE | NAMES_ONLY },
	{ "the upgrade is paused", .type = "Paused", .status = "True", .then = OUTCOME_PAUSE, .flags = NAMES_ONLY },
	{ "the upgrade is under way", .type = "Started", .status = "True", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING, .flags = NAMES_ONLY },
	{ "the upgrade was made for a later time", .then = OUTCOME_PAUSE, .flags = QUIET | NAMES_ONLY },
	{ 0 },
};

static void upgrade_ref(struct verdict *v, struct str name)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN | REF_CLUSTER,
				     .group = STR(APPCAT_UPGRADES),
				     .kind = STR("UpgradeJob"),
				     .name = name,
				     .via = STR("status.conditions") });
}

/* The job was made for a later time, and is at rest until then. */
static void inspect_upgrade(struct verdict *v)
{
	const struct row *row = table_decide(&(struct reading){ .v = v }, upgrade);

	verdict_version(v, STR_NONE,
			json_str(verdict_object(v), "spec.desiredVersion.version"));
	if (!(row && row->flags & COMPLETE) && condition_is(verdict_condition(v, "Started"), "True")) {
		upgrade_ref(v, STR(APPCAT_RUNNING));
		upgrade_ref(v, STR(APPCAT_SERVED));
	}
}

/* Neither a claim nor a composite: its references are known by the names of the fields. */
static bool is_plain(const struct verdict *v)
{
	struct json spec = json_at(verdict_object(v), "spec");

	return !service_has_pods(verdict_kind(v)) && !str_starts(verdict_kind(v)->kind, "X") &&
	       !json_has(spec, "compositionRef") && !json_has(spec, "resourceRef") &&
	       !json_has(spec, "resourceRefs") && !json_has(spec, "writeConnectionSecretToRef");
}

static void inspect(struct verdict *v)
{
	if (is_upgrade(verdict_kind(v))) {
		inspect_upgrade(v);
		return;
	}
	if (service_has_pods(verdict_kind(v))) {
		control_jobs(v);
		upgrade_ref(v, STR(APPCAT_SERVED));
	}
	crossplane_links(v);
	if (is_plain(v))
		evidence_refs(v, STR_NONE);
	instance_namespace(v);
	size(v);
	version(v);
	history(v);
	if (crossplane_paused(v))
		verdict_flag(v, "paused");
	else if (verdict_deleting(v))
		crossplane_inspect_resource(v);
	explicit_phase(v);
}

/* ---- with the neighbours -------------------------------------------------------------- */

static void wait_for_pods(struct service *s)
{
	size_t listed = 0;

	for (size_t i = 0; i < s->pods.all.n && listed < LISTED; i++) {
		struct neighbour *pod = &s->pods.all.items[i];

		if (service_pod_ready(pod))
			continue;
		pod->via = STR("status.instanceNamespace");
		assess_wait(s->d, pod,
			    pod->deleting		      ? WAIT_DELETING :
			    pod->status.phase == PHASE_FAILED ? WAIT_FAILED :
								WAIT_NOT_READY,
			    pod->status.message.len ? pod->status.message : pod->status.reason);
		listed++;
	}
}

static void wait_for_nested(struct service *s)
{
	size_t listed = 0;

	for (size_t i = 0; i < s->parts.n && listed < LISTED; i++) {
		const struct neighbour *n = &s->parts.items[i];
		enum phase phase = n->status.phase;

		if (!service_is_nested(n) || n->presence != PRESENCE_FOUND ||
		    phase == PHASE_READY || phase == PHASE_UNKNOWN)
			continue;
		assess_wait_for(s->d, n);
		listed++;
	}
}

static void apply(struct service *s, const struct row *row)
{
	row_decides(&s->r, row);
	assess_word(s->d, s->r.word);
	assess_since(s->d, s->r.since);
}

/*
 * The operator's own phase counts; but Ready and Scaling do not count against pods that are seen to fail.  Returns true
 * when the phase counts.
 */
static bool stands(struct service *s, const struct row **row)
{
	enum phase explicit = s->self->phase, phase = outcome_phase_of_row(&s->r, *row);

	if (!str_is(s->self->rule, "status.phase") || phase == PHASE_DELETING)
		return false;
	if ((explicit == PHASE_READY || explicit == PHASE_SCALING) && s->pods.failing) {
		if (!phase_is_bad(phase))
			*row = appcat_find_failing(s);
		s->r.word = s->self->operator_phase;
		return false;
	}
	if (phase != explicit && phase != PHASE_UNKNOWN)
		assess_flag(s->d, "phase-diverges");
	return true;
}

static void assess(struct assessment *d)
{
	struct service s;
	const struct row *row;
	enum phase phase;

	if (is_upgrade(assess_kind(d)))
		return;
	if (assess_deleting(d)) {
		crossplane_wait_for_deletion(d);
		return;
	}
	service_gather(d, &s);
	if (s.paused && !status_has_flag(s.self, "paused"))
		assess_flag(d, "paused");
	row = appcat_find_phase(&s);
	phase = s.self->phase;
	if (row && !stands(&s, &row)) {
		apply(&s, row);
		phase = outcome_phase_of_row(&s.r, row);
	}
	if (phase == PHASE_READY || phase == PHASE_DELETING)
		return;
	wait_for_pods(&s);
	wait_for_nested(&s);
}

const struct family family_appcat = {
	.name = "appcat",
	.title = "VSHN AppCat",
	.groups = groups,
	.claims = claims,
	.refs = crossplane_ref_rows,
	.inspect = inspect,
	.assess = assess,
	.own_finalizer = crossplane_own_finalizer,
	.thresholds = appcat_thresholds,
	.never_waits = true,	/* ADR 0051 has eight phases, and Waiting is none of them */
	.judged_by_neighbours = true,
};
