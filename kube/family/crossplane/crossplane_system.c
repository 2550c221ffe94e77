/* SPDX-License-Identifier: Apache-2.0 */
/* Crossplane's own objects: definitions, packages, operations, usages. */
#include "kube/family/crossplane/crossplane.h"

#include "kube/evidence/evidence.h"
#include "kube/status/thresholds.h"

/* A severity of warning rises with the age of the condition. */
static void rises(struct reading *r)
{
	enum severity severity = crossplane_severity_by_age(r->v, r->condition->since);

	r->level = severity < SEVERITY_WARNING ? SEVERITY_WARNING : severity;
}

/* Unpacking goes on without a word, and tells when it fails. */
static void rises_with_words(struct reading *r)
{
	if (r->condition->message.len)
		rises(r);
}

static bool is_no_reference(struct reading *r)
{
	return str_contains(r->condition->message, "not a valid reference");
}

static bool has_words(struct reading *r)
{
	return r->condition->message.len > 0;
}

/*
 * The registry has answered, and has no such package or does not give it away: that ends when a person changes something.  A
 * registry that does not answer is asked again.  The codes are those of the OCI distribution specification.
 */
static bool registry_refuses(struct reading *r)
{
	static const char *const answers[] = {
		"MANIFEST_UNKNOWN", "manifest unknown", "NAME_UNKNOWN", "NAME_INVALID", "not known to the registry",
		"not found", "unauthorized", "denied", "forbidden", NULL
	};

	return str_contains_any_nocase(r->condition->message, answers);
}

static bool serves(struct reading *r)
{
	return condition_is(verdict_condition(r->v, "Healthy"), "True");
}

/*
 * The next version is unpacked without a word while the version before it serves; a message tells when it cannot be
 * fetched.  Its controller then calls the package unhealthy, too (internal/controller/pkg/manager): the revision that
 * serves is seen in phase 2.
 */
static bool next_is_not_fetched(struct reading *r)
{
	return has_words(r) && serves(r);
}

static const struct row definition[] = {
	{ "the definition's resources are being deleted", .type = "Established", .status = "False", .reason = "TerminatingCompositeResource", .then = OUTCOME_DELETION },
	{ "the definition's claims are being deleted", .type = "Offered", .status = "False", .reason = "TerminatingCompositeResourceClaim", .then = OUTCOME_DELETION },
	{ "its composite kind is not served yet", .type = "Established", .status = "False", .then = OUTCOME_MOVEMENT },
	{ "its claim kind is not served yet", .type = "Offered", .status = "False", .then = OUTCOME_MOVEMENT },
	{ "its kinds are served", .type = "Established", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row package[] = {
	/* another attempt does not help: internal/controller/pkg/manager reads the name of the image before it asks */
	{ "the package has no valid name", .type = "Installed", .status = "False", .reason = "UnpackingPackage", .holds = is_no_reference,
	  .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the next version cannot be fetched", .type = "Installed", .status = "False", .reason = "UnpackingPackage", .holds = next_is_not_fetched,
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .tell = rises },
	{ "the registry does not give the package", .type = "Installed", .status = "False", .reason = "UnpackingPackage", .holds = registry_refuses,
	  .then = OUTCOME_TROUBLE, .tell = rises },
	{ "the package cannot be fetched yet", .type = "Installed", .status = "False", .reason = "UnpackingPackage", .holds = has_words,
	  .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "the next version is unpacked, while the one before serves", .type = "Installed", .status = "False", .reason = "UnpackingPackage",
	  .holds = serves, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "a person has to activate the revision", .type = "Installed", .status = "False",
	  .reason = "InactivePackageRevision", .then = OUTCOME_WAIT },
	{ "the package is unpacked", .type = "Installed", .status = "False", .reason = "UnpackingPackage",
	  .then = OUTCOME_MOVEMENT, .tell = rises_with_words },
	{ "the package cannot be installed", .type = "Installed", .status = "False", .then = OUTCOME_TROUBLE, .tell = rises },
	{ "nobody knows yet whether the package is installed", .type = "Installed", .status = "Unknown", .then = OUTCOME_MOVEMENT },
	{ "the package waits for its activation", .type = "Healthy", .reason = "AwaitingActivation", .then = OUTCOME_PAUSE,
	  .flags = QUIET },
	{ "the package is not healthy", .type = "Healthy", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = rises },
	{ "the package is not healthy yet", .type = "Healthy", .status = "Unknown", .then = OUTCOME_MOVEMENT,
	  .tell = rises_with_words },
	{ "the package is healthy", .type = "Healthy", .status = "True", .then = OUTCOME_READY },
	{ "the package is installed, and its health not told yet", .type = "Installed", .status = "True",
	  .then = OUTCOME_MOVEMENT },
	{ 0 }
};

/* The first generation has only Healthy, which the second generation divides into two conditions. */
static const struct row revision[] = {
	{ "the revision is not healthy", .type = "RevisionHealthy", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = rises },
	{ "the runtime waits for its activation", .type = "RuntimeActive", .status = "False", .reason = "AwaitingActivation",
	  .then = OUTCOME_PAUSE, .flags = QUIET },
	{ "the runtime's health waits for its activation", .type = "RuntimeHealthy", .status = "False",
	  .reason = "AwaitingActivation", .then = OUTCOME_PAUSE, .flags = QUIET },
	{ "the runtime is not healthy", .type = "RuntimeHealthy", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = rises },
	{ "the revision of the first generation is not healthy", .type = "Healthy", .status = "False",
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .tell = rises },
	{ "the revision is not healthy yet", .type = "RevisionHealthy", .status = "Unknown", .then = OUTCOME_MOVEMENT,
	  .tell = rises_with_words },
	{ "the runtime is not healthy yet", .type = "RuntimeHealthy", .status = "Unknown", .then = OUTCOME_MOVEMENT,
	  .tell = rises_with_words },
	{ "the revision of the first generation is not healthy yet", .type = "Healthy", .status = "Unknown",
	  .then = OUTCOME_MOVEMENT, .tell = rises_with_words },
	{ "the runtime is healthy", .type = "RuntimeHealthy", .status = "True", .then = OUTCOME_READY },
	{ "the revision of the first generation is healthy", .type = "Healthy", .status = "True", .then = OUTCOME_READY },
	{ "the revision is healthy", .type = "RevisionHealthy", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row lock[] = {
	{ "the dependencies of packages cannot be resolved", .type = "Resolved", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = rises },
	{ "the dependencies of packages are resolved", .type = "Resolved", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row pipeline[] = {
	{ "the pipeline is not valid", .type = "ValidPipeline", .status = "False", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the pipeline is valid", .type = "ValidPipeline", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

/* Hundreds of definitions are inactive on purpose: they are at rest. */
static const struct row managed_definition[] = {
	{ "the definition is being deleted", .type = "Established", .status = "False", .reason = "TerminatingManagedResource", .then = OUTCOME_DELETION },
	{ "the definition is inactive, as was asked", .type = "Established", .reason = "InactiveManagedResource",
	  .then = OUTCOME_PAUSE, .flags = QUIET },
	/* False with PendingManagedResource means blocked: the definition cannot be written */
	{ "the definition cannot be written", .type = "Established", .status = "False", .then = OUTCOME_TROUBLE, .tell = rises },
	{ "the definition is not established yet", .type = "Established", .status = "Unknown", .then = OUTCOME_MOVEMENT },
	{ "the definition is established", .type = "Established", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row activation[] = {
	{ "the activation policy is being deleted", .type = "Established", .status = "False", .reason = "TerminatingManagedResourceActivationPolicy", .then = OUTCOME_DELETION },
	{ "the activation policy cannot be established", .type = "Established", .status = "False", .then = OUTCOME_TROUBLE,
	  .tell = rises },
	{ "the activation has errors", .type = "Healthy", .status = "Unknown", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = rises },
	{ "the activation is not healthy", .type = "Healthy", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED, .tell = rises },
	{ "the activation is healthy", .type = "Healthy", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row operation[] = {
	{ "the pipeline of the operation is not valid", .type = "ValidPipeline", .status = "False", .then = OUTCOME_TROUBLE,
	  .flags = FINAL },
	{ "the operation has succeeded", .type = "Succeeded", .status = "True", .then = OUTCOME_READY },
	{ "the operation has failed", .type = "Succeeded", .status = "False", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the operation is under way", .type = "Succeeded", .status = "Unknown", .then = OUTCOME_MOVEMENT },
	{ 0 }
};

static const struct row trigger[] = {
	{ "the schedule is not valid", .type = "Scheduling", .status = "False", .reason = "ScheduleInvalid",
	  .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the schedule is paused", .type = "Scheduling", .status = "False", .reason = "SchedulePaused", .then = OUTCOME_PAUSE },
	{ "the watch is paused", .type = "Watching", .status = "False", .reason = "WatchPaused", .then = OUTCOME_PAUSE },
	{ "nothing is scheduled", .type = "Scheduling", .status = "False", .then = OUTCOME_TROUBLE, .tell = rises },
	{ "nothing is watched", .type = "Watching", .status = "False", .then = OUTCOME_TROUBLE, .tell = rises },
	{ "it is scheduled", .type = "Scheduling", .status = "True", .then = OUTCOME_READY },
	{ "it is watched", .type = "Watching", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

static const struct row usage[] = {
	{ "the usage is not in effect yet", .type = "Ready", .status = "False", .then = OUTCOME_MOVEMENT },
	{ "the usage is in effect", .type = "Ready", .status = "True", .then = OUTCOME_READY },
	{ 0 }
};

/* ---- what a row cannot say --------------------------------------------------- */

/* The version of a package is the tag of its image: "…/provider-helm:v1.2.0". */
static void package_version(struct verdict *v, const char *path)
{
	struct str image = json_str(verdict_object(v), path);
	size_t colon = str_rfind(image, ':'), slash = str_rfind(image, '/');

	if (colon < image.len && (slash == image.len || colon > slash) && !str_contains(image, "@"))
		verdict_version(v, STR_NONE, str_from(image, colon + 1));
}

/* Returns the condition that makes the package or revision unhealthy, or NULL. */
static const struct condition *unhealthy(const struct verdict *v)
{
	static const char *const types[] = { "RevisionHealthy", "RuntimeHealthy", "Healthy", NULL };

	for (const char *const *type = types; *type; type++) {
		const struct condition *c = verdict_condition(v, *type);

		if (c && !condition_is(c, "True"))
			return c;
	}
	return NULL;
}

enum { WAS_HEALTHY = 1, YOUNG = 2, DEPLOYS = 4 };

static void was_healthy(struct reading *r)
{
	r->level = verdict_severity(r->v);
	verdict_ever_ready(r->v);
}

/*
 * What is unhealthy since soon after its creation was never healthy: it has no state before that still serves.  A
 * Deployment that comes up is the package's own work; any other error is tried again, and is a failure when that lasts.
 */
static const struct row unhealthy_rows[] = {
	{ "what was healthy before is not any more", .is = WAS_HEALTHY, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .tell = was_healthy },
	{ "its Deployment comes up", .is = DEPLOYS | YOUNG, .then = OUTCOME_MOVEMENT },
	{ "its Deployment does not come up for long", .is = DEPLOYS, .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "it is not healthy yet, and tried again", .is = YOUNG, .then = OUTCOME_MOVEMENT, .flags = RETRIED },
	{ "it was never healthy", .then = OUTCOME_TROUBLE, .flags = PASSED, .tell = rises },
	{ 0 }
};

static void never_healthy(struct verdict *v)
{
	const struct condition *c = unhealthy(v);
	int64_t created = verdict_created(v);
	struct reading r = { .v = v, .condition = c };

	if (!c || c->message.len == 0 || (verdict_phase(v) != PHASE_DEGRADED && verdict_phase(v) != PHASE_PROVISIONING))
		return;
	r.is = (created && c->since > created + thresholds.overdue ? WAS_HEALTHY : 0) | (str_contains(c->message, "package deployment") ? DEPLOYS : 0) |
	       (crossplane_severity_by_age(v, c->since) == SEVERITY_INFO ? YOUNG : 0);
	table_decide(&r, unhealthy_rows);
}

static void package_more(struct verdict *v)
{
	struct json object = verdict_object(v);
	const struct condition *installed = verdict_condition(v, "Installed");
	struct str revision_name = json_str(object, "status.currentRevision");

	if (!condition_is(installed, "False"))
		never_healthy(v);
	package_version(v, "spec.package");
	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.flags = REF_HEALTH | REF_CLUSTER,
		.group = verdict_kind(v)->group,
		.kind = ARENA_JOIN(verdict_arena(v), verdict_kind(v)->kind, STR("Revision")),
		.name = revision_name,
		.via = STR("status.currentRevision"),
	});
	if (condition_is(installed, "False") &&
	    str_is(installed->reason, "InactivePackageRevision"))
		verdict_waits_external(v, (struct external_wait){
			.state = WAIT_APPROVAL,
			.kind = STR("PackageRevision"),
			.name = revision_name,
			.via = STR("spec.revisionActivationPolicy"),
			.message = installed->message,
		});
}

static struct str current_revision(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES)
			return n.name;
	return STR_NONE;
}

/* Finds the next revision of a package, from referrer *i on, that is not the current one. */
static bool earlier_revision(struct assessment *d, size_t *i, struct str current, struct neighbour *out)
{
	while (current.len && assess_referrer(d, (*i)++, out))
		if (out->relation == RELATION_OWNS && out->presence == PRESENCE_FOUND && str_ends(out->kind->kind, "Revision") &&
		    !str_eq(out->name, current))
			return true;
	return false;
}

bool crossplane_has_revision_before(struct assessment *d)
{
	struct neighbour n;
	size_t i = 0;

	return str_is(assess_kind(d)->group, "pkg.crossplane.io") && earlier_revision(d, &i, current_revision(d), &n);
}

void crossplane_assess_package(struct assessment *d)
{
	struct str to = assess_status(d)->version_to, current = current_revision(d);
	struct neighbour n;
	int64_t newest = 0;
	size_t i = 0;

	if (to.len == 0 || assess_status(d)->phase == PHASE_READY)
		return;
	while (earlier_revision(d, &i, current, &n)) {
		if (n.created <= newest || n.status.version_to.len == 0 || str_eq(n.status.version_to, to))
			continue;
		newest = n.created;
		assess_version(d, n.status.version_to, to);
	}
}

enum { INACTIVE, SUSPENDED, CONFIGURED };

/* What the spec alone decides. */
static const struct row asked_rows[] = {
	[INACTIVE] = { "the revision is kept for going back", .then = OUTCOME_READY, .flags = KEEPS_TIME, .says = "Inactive", .rule = "spec.desiredState Inactive" },
	[SUSPENDED] = { "a person has suspended it", .then = OUTCOME_PAUSE, .flags = KEEPS_TIME | NAMES_ONLY, .rule = "spec.suspend" },
	[CONFIGURED] = { "it is configuration, and is there", .then = OUTCOME_READY, .flags = SINCE_CREATED },
	{ 0 }
};

/* An inactive revision is an old one that is kept for going back. */
static void revision_more(struct verdict *v)
{
	package_version(v, "spec.image");
	never_healthy(v);
	if (!str_is(json_str(verdict_object(v), "spec.desiredState"), "Inactive"))
		return;
	row_decides(&(struct reading){ .v = v }, &asked_rows[INACTIVE]);
}

static bool is_revision(const struct kind *kind)
{
	return str_ends(kind->kind, "Revision");
}

/* Judges a kind that is not known here: a package, its revision, or configuration. */
static void other_package_more(struct verdict *v)
{
	if (is_revision(verdict_kind(v)))
		revision_more(v);
	else
		package_more(v);
}

static void operation_more(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "Succeeded");

	if (condition_is(c, "True"))
		verdict_complete(v);
}

static void trigger_more(struct verdict *v)
{
	if (!json_bool(verdict_object(v), "spec.suspend", false))
		return;
	row_decides(&(struct reading){ .v = v }, &asked_rows[SUSPENDED]);
}

/* Adds one end of a Usage: "of" is what it protects, "by" is who needs that. */
static void usage_end(struct verdict *v, const char *path, enum relation relation, const char *via)
{
	struct json end = json_at(verdict_object(v), path);

	verdict_ref(v, (struct ref){
		.relation = relation,
		.flags = relation == RELATION_NEEDS && str_is(str_of(path), "spec.of") ? REF_BLOCKS | REF_EXISTS : 0,
		.group = verdict_group_of(json_str(end, "apiVersion")),
		.kind = json_str(end, "kind"),
		.ns = json_str(end, "resourceRef.namespace"),
		.name = json_str(end, "resourceRef.name"),
		.via = str_of(via),
	});
}

static void usage_more(struct verdict *v)
{
	if (json_str(verdict_object(v), "spec.of.kind").len)
		usage_end(v, "spec.of", RELATION_GUARDS, "spec.of");
	/* it is not in use before what it protects is there; only an Event tells so */
	if (verdict_phase(v) != PHASE_READY)
		usage_end(v, "spec.of", RELATION_NEEDS, "spec.of.resourceRef");
	if (json_str(verdict_object(v), "spec.by.kind").len)
		usage_end(v, "spec.by", RELATION_NEEDS, "spec.by");
}

/* A usage of a configuration, made for each resource that uses it; the configuration cannot be deleted before them. */
static void config_usage_more(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str kind = json_str(object, "providerConfigRef.kind");

	verdict_ref(v, (struct ref){
		.relation = RELATION_GUARDS,
		.flags = verdict_namespace(v).len == 0 || str_starts(kind, "Cluster") ?
				 REF_CLUSTER :
				 0,
		.group = verdict_kind(v)->group,
		.kind = kind.len ? kind : STR("ProviderConfig"),
		.name = json_str(object, "providerConfigRef.name"),
		.via = STR("providerConfigRef"),
		.guard = STR("in-use.crossplane.io"),
	});
}

/* ---- the kinds ---------------------------------------------------------------- */

/* Kinds without rules are configuration: they are ready when they exist. */
static const struct system_kind {
	const char *group, *kind;
	const struct row *rules;
	void (*more)(struct verdict *v);
	bool reconciled; /* a controller writes conditions in every version of it */
} kinds[] = {
	{ "apiextensions.crossplane.io", "CompositeResourceDefinition", definition, NULL, true },
	{ "apiextensions.crossplane.io", "CompositionRevision", pipeline,
	  crossplane_inspect_revision, false },
	{ "apiextensions.crossplane.io", "ManagedResourceDefinition", managed_definition, NULL,
	  true },
	{ "apiextensions.crossplane.io", "ManagedResourceActivationPolicy", activation, NULL,
	  true },
	{ "apiextensions.crossplane.io", "Usage", usage, usage_more, true },
	{ "apiextensions.crossplane.io", NULL, NULL, NULL, false },
	{ "protection.crossplane.io", NULL, usage, usage_more, true },
	{ "pkg.crossplane.io", "Provider", package, package_more, true },
	{ "pkg.crossplane.io", "Function", package, package_more, true },
	{ "pkg.crossplane.io", "Configuration", package, package_more, true },
	{ "pkg.crossplane.io", "ProviderRevision", revision, revision_more, true },
	{ "pkg.crossplane.io", "FunctionRevision", revision, revision_more, true },
	{ "pkg.crossplane.io", "ConfigurationRevision", revision, revision_more, true },
	{ "pkg.crossplane.io", "Lock", lock, NULL, false },
	{ "pkg.crossplane.io", NULL, package, other_package_more, false },
	{ "ops.crossplane.io", "Operation", operation, operation_more, true },
	{ "ops.crossplane.io", NULL, trigger, trigger_more, true },
	{ "secrets.crossplane.io", NULL, NULL, NULL, false },
	{ NULL, "ProviderConfigUsage", NULL, config_usage_more, false },
	{ NULL, "ClusterProviderConfigUsage", NULL, config_usage_more, false },
	{ NULL, "ProviderConfig", NULL, NULL, false },
	{ NULL, "ClusterProviderConfig", NULL, NULL, false },
	{ NULL, "StoreConfig", NULL, NULL, false },
};

static const struct system_kind *find(const struct kind *kind)
{
	bool provider =
		str_ends(kind->group, ".crossplane.io") || str_ends(kind->group, ".upbound.io");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct system_kind *k = &kinds[i];

		if ((k->group ? str_is(kind->group, k->group) : provider) &&
		    (!k->kind || str_is(kind->kind, k->kind)))
			return k;
	}
	return NULL;
}

static bool has_row(const struct row *rules, struct str type)
{
	for (const struct row *r = rules; r->name; r++)
		if (str_is(type, r->type))
			return true;
	return str_is(type, "Ready") || str_is(type, "Synced");
}

/* The conditions that exist decide nothing yet, or are of an unknown type. */
static void undecided(struct verdict *v, const struct row *rules)
{
	size_t n = verdict_condition_count(v);
	const struct condition *first = n ? verdict_condition_at(v, 0) : NULL;

	crossplane_inspect_resource(v);
	if (first && !verdict_condition(v, "Ready") && !verdict_condition(v, "Synced")) {
		verdict_tell(v, first->reason, first->message);
		verdict_word(v, first->reason);
		verdict_since(v, verdict_created(v));
		verdict_rule(v, STR("no condition that decides"));
	}
	for (size_t i = 0; i < n; i++)
		if (!has_row(rules, verdict_condition_at(v, i)->type)) {
			verdict_unknown_word(v, "condition", verdict_condition_at(v, i)->type);
			return;
		}
}

/* Returns true when a condition of its kind says that no attempt follows: "ScheduleInvalid" stands beside Synced=False. */
static bool is_given_up(struct verdict *v, const struct row *rules)
{
	const struct row *row = table_find(&(struct reading){ .v = v }, rules);

	return row && (row->flags & FINAL);
}

bool crossplane_inspect_system(struct verdict *v)
{
	const struct system_kind *k = find(verdict_kind(v));
	const struct condition *synced = verdict_condition(v, "Synced");
	const struct row *rules = k ? k->rules : NULL;

	if (!k)
		return false;
	if (rules == package && is_revision(verdict_kind(v)))
		rules = revision;
	/* Its controller cannot handle it, so the rest of the status is outdated, but for what it gave up. */
	if (rules && (crossplane_paused(v) || (condition_is(synced, "False") && !is_given_up(v, rules))))
		crossplane_inspect_resource(v);
	else if (rules && table_decide(&(struct reading){ .v = v, .flags = UNPROVEN }, rules))
		;
	else if (k->reconciled)
		undecided(v, rules);
	else if (!k->kind && verdict_condition_count(v))
		/* an object with conditions is no configuration, so the general rules judge it */
		evidence_inspect(v, NULL);
	else
		row_decides(&(struct reading){ .v = v }, &asked_rows[CONFIGURED]);
	if (k->more)
		k->more(v);
	return true;
}
