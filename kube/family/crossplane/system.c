/* SPDX-License-Identifier: Apache-2.0 */
/* Crossplane's own objects: definitions, packages, operations, usages. */
#include "kube/family/crossplane/rules.h"

#include "kube/family/generic/rows.h"
#include "kube/status/thresholds.h"

#define TERMINATING(type, reason) { type, "False", reason, NULL, PHASE_DELETING, SEVERITY_INFO }

/* A severity of "warning" rises with the age of the condition. */
static const struct cond_rule definition[] = {
	TERMINATING("Established", "TerminatingCompositeResource"),
	TERMINATING("Offered", "TerminatingCompositeResourceClaim"),
	{ "Established", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Offered", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Established", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule package[] = {
	{ "Installed", "False", "InactivePackageRevision", NULL, PHASE_WAITING, SEVERITY_INFO },
	{ "Installed", "False", "UnpackingPackage", NULL, PHASE_PROVISIONING, SEVERITY_WARNING },
	{ "Installed", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "Installed", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Healthy", NULL, "AwaitingActivation", NULL, PHASE_SUSPENDED, SEVERITY_NONE },
	{ "Healthy", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Healthy", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_WARNING },
	{ "Healthy", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Installed", "True", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 },
};

/* The first generation has only Healthy, which the second generation divides into two conditions. */
static const struct cond_rule revision[] = {
	{ "RevisionHealthy", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "RuntimeActive", "False", "AwaitingActivation", NULL, PHASE_SUSPENDED, SEVERITY_NONE },
	{ "RuntimeHealthy", "False", "AwaitingActivation", NULL, PHASE_SUSPENDED, SEVERITY_NONE },
	{ "RuntimeHealthy", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Healthy", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "RevisionHealthy", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_WARNING },
	{ "RuntimeHealthy", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_WARNING },
	{ "Healthy", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_WARNING },
	{ "RuntimeHealthy", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Healthy", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "RevisionHealthy", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule lock[] = {
	{ "Resolved", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Resolved", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule pipeline[] = {
	{ "ValidPipeline", "False", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "ValidPipeline", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

/* Hundreds of definitions are inactive on purpose: they are at rest. */
static const struct cond_rule managed_definition[] = {
	TERMINATING("Established", "TerminatingManagedResource"),
	{ "Established", NULL, "InactiveManagedResource", NULL, PHASE_SUSPENDED, SEVERITY_NONE },
	/* False with PendingManagedResource means blocked: the definition cannot be written */
	{ "Established", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "Established", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Established", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule activation[] = {
	TERMINATING("Established", "TerminatingManagedResourceActivationPolicy"),
	{ "Established", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "Healthy", "Unknown", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING }, /* the reason is EncounteredErrors */
	{ "Healthy", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Healthy", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule operation[] = {
	{ "ValidPipeline", "False", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Succeeded", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Succeeded", "False", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Succeeded", "Unknown", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 },
};

static const struct cond_rule trigger[] = {
	{ "Scheduling", "False", "ScheduleInvalid", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Scheduling", "False", "SchedulePaused", NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Watching", "False", "WatchPaused", NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Scheduling", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "Watching", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "Scheduling", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Watching", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

static const struct cond_rule usage[] = {
	{ "Ready", "False", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Ready", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

/* ---- what a row cannot say --------------------------------------------------- */

/* Returns the tag of the image: "…/provider-helm:v1.2.0". */
static void package_version(struct verdict *v, const char *path)
{
	struct str image = json_str(verdict_object(v), path);
	size_t colon = str_rfind(image, ':'), slash = str_rfind(image, '/');

	if (colon < image.len && (slash == image.len || colon > slash) && !str_contains(image, "@"))
		verdict_version(v, STR_NONE, str_from(image, colon + 1));
}

/*
 * The registry has answered, and has no such package or does not give it away: that ends when a person changes something.  A
 * registry that does not answer is asked again.  The codes are those of the OCI distribution specification.
 */
static bool registry_refuses(struct str message)
{
	static const char *const answers[] = {
		"MANIFEST_UNKNOWN", "manifest unknown", "NAME_UNKNOWN", "NAME_INVALID", "not known to the registry",
		"not found", "unauthorized", "denied", "forbidden", NULL
	};

	return str_contains_any_nocase(message, answers);
}

/*
 * The next version is unpacked without a word while the version before it serves; a message tells when it cannot be
 * fetched.  The first version has no revision before it.
 */
static void unpack_next(struct verdict *v, const struct condition *installed)
{
	bool fails = installed->message.len > 0;

	if (!str_is(installed->reason, "UnpackingPackage"))
		return;
	/* another attempt does not help: internal/controller/pkg/manager reads the name of the image before it asks */
	if (str_contains(installed->message, "not a valid reference"))
		verdict_set(v, PHASE_FAILED, SEVERITY_ERROR, installed->reason, installed->message);
	else if (fails && json_has(verdict_object(v), "status.currentRevision"))
		verdict_set(v, PHASE_DEGRADED, verdict_severity(v), installed->reason, installed->message);
	else if (fails && registry_refuses(installed->message))
		verdict_set(v, PHASE_FAILED, verdict_severity(v), installed->reason, installed->message);
	else if (fails)
		verdict_set_severity(v, SEVERITY_WARNING);
	else if (condition_is(verdict_condition(v, "Healthy"), "True"))
		verdict_set(v, PHASE_UPDATING, verdict_severity(v), installed->reason, installed->message);
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

/*
 * What is unhealthy since soon after its creation was never healthy: it has no state before that still serves.  A
 * Deployment that comes up is the package's own work; any other error is tried again, and is a failure when that lasts.
 */
static void never_healthy(struct verdict *v)
{
	const struct condition *c = unhealthy(v);
	int64_t created = verdict_created(v);
	enum severity severity;
	bool young;

	if (!c || c->message.len == 0 || (verdict_phase(v) != PHASE_DEGRADED && verdict_phase(v) != PHASE_PROVISIONING))
		return;
	if (created && c->since > created + thresholds.overdue) {
		verdict_ever_ready(v);
		verdict_set(v, PHASE_DEGRADED, verdict_severity(v), c->reason, c->message);
		return;
	}
	severity = crossplane_severity_by_age(v, c->since);
	young = severity == SEVERITY_INFO;
	if (str_contains(c->message, "package deployment")) {
		verdict_set(v, PHASE_PROVISIONING, young ? SEVERITY_INFO : SEVERITY_WARNING, c->reason, c->message);
		return;
	}
	verdict_set(v, young ? PHASE_PROVISIONING : PHASE_FAILED, young ? SEVERITY_WARNING : severity, c->reason, c->message);
	if (!young)
		verdict_by_time(v);
}

static void package_more(struct verdict *v)
{
	struct json object = verdict_object(v);
	const struct condition *installed = verdict_condition(v, "Installed");
	struct str revision_name = json_str(object, "status.currentRevision");

	if (!condition_is(installed, "False"))
		never_healthy(v);
	if (condition_is(installed, "False") && verdict_phase(v) == PHASE_PROVISIONING)
		unpack_next(v, installed);
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

/* An inactive revision is an old one that is kept for going back. */
static void revision_more(struct verdict *v)
{
	package_version(v, "spec.image");
	never_healthy(v);
	if (!str_is(json_str(verdict_object(v), "spec.desiredState"), "Inactive"))
		return;
	verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_word(v, STR("Inactive"));
	verdict_rule(v, STR("spec.desiredState Inactive"));
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
	verdict_set(v, PHASE_SUSPENDED, SEVERITY_INFO, STR_NONE, STR_NONE);
	verdict_rule(v, STR("spec.suspend"));
}

/* Adds one end of a Usage: "of" is what it protects, "by" is who needs that. */
static void usage_end(struct verdict *v, const char *path, enum relation relation, const char *via)
{
	struct json end = json_at(verdict_object(v), path);

	verdict_ref(v, (struct ref){
		.relation = relation,
		.flags = relation == RELATION_NEEDS && str_is(str_of(path), "spec.of") ? REF_BLOCKS | REF_EXISTS : 0,
		.group = crossplane_group_of(json_str(end, "apiVersion")),
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
	const struct cond_rule *rules;
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

static enum severity at_least_warning(enum severity severity)
{
	return severity < SEVERITY_WARNING ? SEVERITY_WARNING : severity;
}

/* Sets the verdict from the condition of the first row that matches. */
static bool by_rules(struct verdict *v, const struct cond_rule *rules)
{
	for (const struct cond_rule *r = rules; r->type; r++) {
		const struct condition *c = verdict_condition(v, r->type);
		enum severity level = r->level;

		if (!c || (r->status && !condition_is(c, r->status)) ||
		    (r->reason && !str_is(c->reason, r->reason)))
			continue;
		/* Unpacking goes on without a word, and tells when it fails. */
		if (level == SEVERITY_WARNING)
			level = r->phase == PHASE_PROVISIONING && c->message.len == 0 ?
					SEVERITY_INFO :
					at_least_warning(crossplane_severity_by_age(v, c->since));
		crossplane_decide(v, c, r->phase, level);
		return true;
	}
	return false;
}

static bool has_row(const struct cond_rule *rules, struct str type)
{
	for (const struct cond_rule *r = rules; r->type; r++)
		if (str_is(type, r->type))
			return true;
	return str_is(type, "Ready") || str_is(type, "Synced");
}

/* The conditions that exist decide nothing yet, or are of an unknown type. */
static void undecided(struct verdict *v, const struct cond_rule *rules)
{
	size_t n = verdict_condition_count(v);
	const struct condition *first = n ? verdict_condition_at(v, 0) : NULL;

	crossplane_inspect_resource(v);
	if (first && !verdict_condition(v, "Ready") && !verdict_condition(v, "Synced")) {
		crossplane_decide(v, first, verdict_phase(v), verdict_severity(v));
		verdict_since(v, verdict_created(v));
		verdict_rule(v, STR("no condition that decides"));
	}
	for (size_t i = 0; i < n; i++)
		if (!has_row(rules, verdict_condition_at(v, i)->type)) {
			verdict_unknown_word(v, "condition", verdict_condition_at(v, i)->type);
			return;
		}
}

bool crossplane_inspect_system(struct verdict *v)
{
	const struct system_kind *k = find(verdict_kind(v));
	const struct condition *synced = verdict_condition(v, "Synced");
	const struct cond_rule *rules = k ? k->rules : NULL;
	bool decided = false;

	if (!k)
		return false;
	if (rules == package && is_revision(verdict_kind(v)))
		rules = revision;
	verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_since(v, verdict_created(v));
	/* Its controller cannot handle it, so the rest of the status is outdated. */
	if (rules && (condition_is(synced, "False") || crossplane_paused(v))) {
		crossplane_inspect_resource(v);
		decided = true;
	} else if (rules) {
		decided = by_rules(v, rules);
	}
	if (!decided && k->reconciled)
		undecided(v, rules);
	else if (!decided && !k->kind && verdict_condition_count(v))
		/* an object with conditions is no configuration, so the general rules judge it */
		generic_inspect(v, NULL);
	if (k->more)
		k->more(v);
	return true;
}
