/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects around the installation of an operator: CatalogSource, PackageManifest, OperatorCondition, Operator and
 * OLMConfig.
 */
#include "kube/base/time.h"
#include "kube/family/olm/olm.h"

/* ---- CatalogSource ------------------------------------------------------- */

/* The states of a gRPC channel.  An idle one that was connected before has no calls to make: see never_connected(). */
static const struct word_rule connection_states[] = {
	{ "READY", NULL, PHASE_READY, SEVERITY_NONE },
	{ "IDLE", NULL, PHASE_READY, SEVERITY_NONE },
	{ "CONNECTING", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "TRANSIENT_FAILURE", NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "SHUTDOWN", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 }
};

/* The words in status.reason, which each successful attempt clears. */
static const struct word_rule catalog_reasons[] = {
	{ "SpecInvalidError", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "ConfigMapError", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "RegistryServerError", NULL, PHASE_FAILED, SEVERITY_WARNING },
	/* the interval is wrong, and the default interval is used instead */
	{ "InvalidIntervalError", NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 }
};

/*
 * The reason counts, unless the connection is in a worse state.  A catalog that serves has not failed, and a catalog
 * that does not serve yet is not degraded.
 */
static void inspect_reason(struct verdict *v, struct str reason, struct str message)
{
	enum phase phase = verdict_phase(v);
	enum severity severity = verdict_severity(v);
	bool serves = phase == PHASE_READY, explains;

	if (reason.len == 0)
		return;
	/* a reason is written only for an error */
	if (!verdict_by_word(v, reason, STR_NONE, catalog_reasons)) {
		verdict_set(v, PHASE_FAILED, SEVERITY_WARNING, reason, message);
		verdict_unknown_word(v, "status.reason", reason);
	}
	explains = verdict_phase(v) == PHASE_FAILED;
	if (serves && verdict_severity(v) == SEVERITY_WARNING)
		phase = PHASE_DEGRADED;
	else if (explains)
		phase = PHASE_FAILED;
	else if (phase == PHASE_FAILED)
		reason = message = STR_NONE;
	if (verdict_severity(v) > severity)
		severity = verdict_severity(v);
	verdict_set(v, phase, severity, reason, message);
}

/*
 * A channel begins idle, too, and gets idle again only half an hour after its last call (google.golang.org/grpc,
 * WithIdleTimeout) or when its server goes.  OLM notes the time of each change of the state: one that came with the
 * channel is its beginning.
 */
#define CHANNEL_BEGINS SECONDS(15)

static bool never_connected(const struct verdict *v, struct json status)
{
	int64_t changed = json_time(status, "connectionState.lastConnect");
	int64_t made = json_time(status, "registryService.createdAt");

	if (!str_is(json_str(status, "connectionState.lastObservedState"), "IDLE"))
		return false;
	made = made ? made : verdict_created(v);
	return changed == 0 || (made && changed < made + CHANNEL_BEGINS);
}

/*
 * The reason is about the ConfigMap that the catalog is made of; OLM reads it again, and its error tells when the
 * ConfigMap does not exist.
 */
static void wait_for_config_map(struct verdict *v, struct json status)
{
	struct str message = json_str(status, "message");

	if (verdict_phase(v) != PHASE_FAILED || !str_is(json_str(status, "reason"), "ConfigMapError") ||
	    !str_ends(message, "not found"))
		return;
	verdict_set(v, PHASE_PROVISIONING, SEVERITY_WARNING, json_str(status, "reason"), message);
	verdict_rule(v, STR("status.reason ConfigMapError"));
	verdict_waits_for(v, (struct ref){
				     .relation = RELATION_NEEDS,
				     .flags = REF_NAMED | REF_BLOCKS | REF_EXISTS | REF_REPORTED_MISSING,
				     .kind = STR("ConfigMap"),
				     .name = json_str(verdict_object(v), "spec.configMap"),
				     .via = STR("spec.configMap"),
				     .message = message,
			     });
}

void olm_catalog_source_inspect(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	struct json service = json_at(status, "registryService");
	struct str state = json_str(status, "connectionState.lastObservedState");
	int64_t connected = json_time(status, "connectionState.lastConnect");
	bool known = true;

	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.kind = STR("Service"),
		.ns = json_str(service, "serviceNamespace"),
		.name = json_str(service, "serviceName"),
		.via = STR("status.registryService"),
	});
	verdict_word(v, state);
	if (state.len == 0 || never_connected(v, status))
		olm_never_reconciled(v);
	else
		known = verdict_by_word(v, state, STR_NONE, connection_states);
	if (state.len) {
		if (!never_connected(v, status))
			verdict_since(v, connected);
		verdict_rule(v, arena_printf(verdict_arena(v), "status.connectionState " STR_FMT,
					     STR_ARG(state)));
	}
	if (!known)
		verdict_unknown_word(v, "status.connectionState", state);
	inspect_reason(v, json_str(status, "reason"), json_str(status, "message"));
	wait_for_config_map(v, status);
}

/*
 * There are two statements on the health of a catalog: that of its connection, here, and that of its pod, in the
 * Subscriptions.  When they differ, the catalog is not as healthy as it says.
 */
static void assess_reports(struct assessment *d)
{
	const struct status *st = assess_status(d);
	enum phase phase = st->phase == PHASE_READY ? PHASE_DEGRADED : st->phase;
	struct neighbour n;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		if (!str_is(n.via, OLM_UNHEALTHY_CATALOG) || n.presence != PRESENCE_FOUND)
			continue;
		assess_flag(d, "reported-unhealthy");
		if (st->severity < SEVERITY_WARNING)
			assess_set(d, phase, SEVERITY_WARNING, st->reason, st->message);
		return;
	}
}

/*
 * An idle channel says nothing of the other end: the Service of the catalog does.  What the Service waits for, the pod
 * of the catalog, is the cause.
 */
static void assess_idle(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	if (st->phase != PHASE_READY || !str_is(st->operator_phase, "IDLE"))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && n.presence == PRESENCE_FOUND &&
		    (n.status.phase == PHASE_DEGRADED || n.status.phase == PHASE_FAILED)) {
			assess_set(d, PHASE_DEGRADED, SEVERITY_WARNING, n.status.reason, n.status.message);
			assess_since(d, n.status.since);
			assess_wait(d, &n, WAIT_NOT_READY, n.status.message);
			return;
		}
}

void olm_catalog_source_assess(struct assessment *d)
{
	assess_idle(d);
	assess_reports(d);
}

/* ---- PackageManifest ----------------------------------------------------- */

/*
 * A PackageManifest is no resource of its own: it is the index of a catalog, made when it is requested.  No controller
 * works on it.
 */
void olm_package_manifest_inspect(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("CatalogSource"),
		.ns = json_str(status, "catalogSourceNamespace"),
		.name = json_str(status, "catalogSource"),
		.via = STR("status.catalogSource"),
	});
}

/* ---- OperatorCondition --------------------------------------------------- */

/* What the administrator says overrides what the operator says. */
static void inspect_override(struct verdict *v, struct json override)
{
	bool held = !str_is(json_str(override, "status"), "True");

	verdict_set(v, held ? PHASE_SUSPENDED : PHASE_READY, SEVERITY_NONE,
		    json_str(override, "reason"), json_str(override, "message"));
	verdict_since(v, json_time(override, "lastTransitionTime"));
	verdict_rule(v, STR("spec.overrides Upgradeable"));
	verdict_flag(v, "override");
	if (held)
		verdict_flag(v, "not-upgradeable");
}

/*
 * The operator writes the condition to spec, and OLM copies it to status; before the copy, the operator counts as not
 * upgradeable.
 */
static void inspect_upgradeable(struct verdict *v, const struct condition *c)
{
	if (verdict_condition_outdated(v, c))
		olm_decide(v, c, PHASE_UPDATING, SEVERITY_INFO);
	else if (condition_is(c, "True"))
		olm_decide(v, c, PHASE_READY, SEVERITY_NONE);
	else
		olm_decide(v, c, PHASE_SUSPENDED, SEVERITY_NONE);
	if (verdict_phase(v) != PHASE_READY)
		verdict_flag(v, "not-upgradeable");
}

/* Only Upgradeable has an effect; no other condition holds anything back. */
void olm_operator_condition_inspect(struct verdict *v)
{
	struct json override = json_at(verdict_object(v), "spec.overrides[type=Upgradeable]");
	const struct condition *c = verdict_condition(v, "Upgradeable");

	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("ClusterServiceVersion"),
		.name = verdict_name(v),
		.via = STR("metadata.name"),
	});
	if (json_has(override, "status"))
		inspect_override(v, override);
	else if (c)
		inspect_upgradeable(v, c);
	else
		verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
}

/* An operator that holds upgrades back is at rest until an upgrade waits for it. */
void olm_operator_condition_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	for (size_t i = 0; st->phase == PHASE_SUSPENDED && assess_referrer(d, i, &n); i++)
		if ((n.flags & REF_NAMED) && n.presence == PRESENCE_FOUND) {
			assess_set(d, PHASE_SUSPENDED, SEVERITY_INFO, st->reason, st->message);
			return;
		}
}

/* ---- Operator ------------------------------------------------------------ */

/* Of several versions of one operator the one with trouble counts, then the one in progress. */
static const struct word_rule component_words[] = {
	{ "Failed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Replacing", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ "Pending", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "InstallReady", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Installing", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Succeeded", NULL, PHASE_READY, SEVERITY_NONE },
	{ "Deleting", NULL, PHASE_UPDATING, SEVERITY_INFO },
	{ 0 }
};

/* Takes over what the Subscriptions of the operator say. */
static const struct word_rule component_troubles[] = {
	{ "ResolutionFailed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "BundleUnpackFailed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "InstallPlanFailed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 }
};

static void refer_component(struct verdict *v, struct json value, struct str via, const void *rule)
{
	if (json_str(value, "kind").len)
		verdict_ref_value(v, rule, value, via);
}

static struct json true_condition(struct json ref, const char *type)
{
	json_foreach(c, json_at(ref, "conditions"))
		if (str_is(json_str(c, "type"), type) && str_is(json_str(c, "status"), "True"))
			return c;
	return JSON_NONE;
}

/* The reference has a condition of that type, which is the phase of a ClusterServiceVersion. */
static struct json component_with(struct verdict *v, const char *kind, const char *type)
{
	json_foreach(it, json_at(verdict_object(v), "status.components.refs")) {
		struct json c = true_condition(it, type);

		if (c.node && str_is(json_str(it, "kind"), kind))
			return c;
	}
	return JSON_NONE;
}

/*
 * Returns the first row for which a component of that kind has a condition; a component that has failed stays failed.
 */
static bool by_component(struct verdict *v, const char *kind, const struct word_rule *rules)
{
	bool serves = verdict_phase(v) == PHASE_READY;

	for (const struct word_rule *r = rules; r->word; r++) {
		struct json c = component_with(v, kind, r->word);

		if (!c.node)
			continue;
		if (verdict_phase(v) == PHASE_FAILED)
			return true;
		/* the version that is installed goes on serving */
		verdict_set(v, serves ? PHASE_DEGRADED : r->phase, r->level,
			    json_str(c, "reason"), json_str(c, "message"));
		verdict_word(v, json_str(c, "type"));
		verdict_since(v, json_time(c, "lastTransitionTime"));
		verdict_rule(v, STR("status.components.refs"));
		return true;
	}
	return false;
}

static bool has_component(struct verdict *v, const char *kind)
{
	json_foreach(it, json_at(verdict_object(v), "status.components.refs"))
		if (str_is(json_str(it, "kind"), kind))
			return true;
	return false;
}

/* The operator was removed; its CRDs, with the objects that they define, are kept on purpose. */
static void leftover(struct verdict *v)
{
	verdict_set(v, PHASE_READY, SEVERITY_NONE, STR_NONE, STR_NONE);
	verdict_rule(v, STR("neither a Subscription nor a ClusterServiceVersion is left"));
	verdict_flag(v, "leftover");
}

void olm_operator_inspect(struct verdict *v)
{
	static const struct ref_rule row = { NULL, "status.components.refs[]", "", "",
					     RELATION_MANAGES, 0, NULL };
	bool found;

	verdict_each(v, row.path, refer_component, &row);
	found = by_component(v, "ClusterServiceVersion", component_words);
	found |= by_component(v, "Subscription", component_troubles);
	if (found)
		return;
	if (has_component(v, "ClusterServiceVersion") || has_component(v, "Subscription"))
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	else if (json_count(json_at(verdict_object(v), "status.components.refs")) > 0)
		leftover(v);
	else
		olm_never_reconciled(v);
}

/* The components that tell how the operator is; the others are what its ClusterServiceVersion makes. */
static bool is_telling(const struct neighbour *n)
{
	static const char *const kinds[] = { "ClusterServiceVersion", "Subscription", "InstallPlan", NULL };

	return n->relation == RELATION_MANAGES && n->presence == PRESENCE_FOUND && str_is(n->kind->group, OLM_GROUP) &&
	       str_is_any(n->kind->kind, kinds);
}

/* A version that is replaced or removed is Deleting, and a plan that nobody follows is Suspended: both are over. */
static int badness(enum phase phase)
{
	return phase == PHASE_FAILED ? 3 : phase == PHASE_WAITING ? 2 : phase == PHASE_DEGRADED ? 1 : 0;
}

/* The Subscription tells whether a resolution that was prevented is tried again: its condition alone does not. */
static void assess_resolution(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	if (st->phase != PHASE_FAILED || !str_is(st->reason, "ErrorPreventedResolution"))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (is_telling(&n) && str_is(n.kind->kind, "Subscription") && n.status.phase == PHASE_PROVISIONING)
			assess_set(d, PHASE_PROVISIONING, n.status.severity, st->reason, st->message);
}

/*
 * The list of components has copies of their conditions, without those that only other objects explain.  The operator
 * is as its worst component is: what is installed serves as before, else the operator waits for that component.
 */
void olm_operator_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n, worst = { .slot = 0 };
	bool serves = st->phase == PHASE_READY;

	assess_resolution(d);
	if (!serves && !phase_under_way(st->phase))
		return;
	/* between two versions the list of components has none that tells so */
	if (st->phase == PHASE_PROVISIONING && st->ever_ready)
		assess_set(d, PHASE_UPDATING, st->severity, st->reason, st->message);
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (is_telling(&n) && badness(n.status.phase) > badness(worst.slot ? worst.status.phase : PHASE_READY))
			worst = n;
	/* a version that waits does not stop the one that serves, nor the upgrade that it is a part of */
	if (!worst.slot || (worst.status.phase == PHASE_WAITING && (serves || st->phase == PHASE_UPDATING)))
		return;
	assess_rule(d, ARENA_JOIN(assess_arena(d), worst.kind->kind, STR("/"), worst.name, STR(" is "),
				  str_of(phase_name(worst.status.phase))));
	if (!serves) {
		olm_assess_waiting(d, &worst, worst.status.severity);
		return;
	}
	assess_wait(d, &worst, worst.status.phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY, worst.status.message);
	assess_set(d, PHASE_DEGRADED, worst.status.severity, worst.status.reason, worst.status.message);
	assess_since(d, worst.status.since);
}

/* ---- OLMConfig ----------------------------------------------------------- */

/* It has one setting: whether ClusterServiceVersions are copied to every namespace. */
void olm_config_inspect(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "DisabledCopiedCSVs");
	bool wanted = json_bool(verdict_object(v), "spec.features.disableCopiedCSVs", false);

	verdict_polarity(v, "DisabledCopiedCSVs", POLARITY_UNKNOWN);
	if (!c)
		return;
	verdict_word(v, c->reason);
	if (wanted != condition_is(c, "True"))
		olm_decide(v, c, PHASE_UPDATING, SEVERITY_INFO);
	else
		olm_decide(v, c, PHASE_READY, SEVERITY_NONE);
}
