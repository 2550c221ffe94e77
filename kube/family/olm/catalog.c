/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects around the installation of an operator: CatalogSource, PackageManifest, OperatorCondition, Operator and
 * OLMConfig.
 */
#include "kube/base/time.h"
#include "kube/family/olm/olm.h"

/* ---- CatalogSource ------------------------------------------------------- */

/* What the rows ask for. */
enum {
	CONNECTED = 1 << 0,	/* it serves, as far as its connection tells */
	BEGINS = 1 << 1,	/* the channel was never connected: see never_connected() */
	HAS_REASON = 1 << 2,	/* a reason is written only for an error, and each successful attempt clears it */
	GIVEN_UP = 1 << 3,	/* one that only a person can end */
	INTERVAL = 1 << 4	/* the interval is wrong, and the default interval is used instead */
};

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

/* OLM reads the ConfigMap that the catalog is made of again, and its error tells when the ConfigMap does not exist. */
static bool lacks_config_map(struct reading *r)
{
	struct json status = json_at(verdict_object(r->v), "status");
	struct str message = json_str(status, "message");

	if (!str_is(json_str(status, "reason"), "ConfigMapError") || !str_ends(message, "not found"))
		return false;
	verdict_waits_for(r->v, (struct ref){
				     .flags = REF_NAMED | REF_BLOCKS | REF_EXISTS | REF_REPORTED_MISSING,
				     .kind = STR("ConfigMap"),
				     .name = json_str(verdict_object(r->v), "spec.configMap"),
				     .via = STR("spec.configMap"),
				     .message = message,
			     });
	return true;
}

static void by_its_reason(struct reading *r)
{
	struct json status = json_at(verdict_object(r->v), "status");

	r->reason = json_str(status, "reason");
	r->message = json_str(status, "message");
}

/*
 * The reason counts, unless the connection is in a worse state.  A catalog that serves has not failed, and a catalog that does not serve
 * yet is not degraded.  The words are states of a gRPC channel; an idle one that was connected before has no calls to make.
 */
static const struct row catalog_rows[] = {
	{ "the ConfigMap of the catalog is missing", .holds = lacks_config_map, .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING,
	  .flags = RETRIED, .rule = "status.reason ConfigMapError", .tell = by_its_reason },
	{ "the catalog cannot be made as its spec asks", .is = GIVEN_UP, .then = OUTCOME_TROUBLE, .flags = FINAL, .tell = by_its_reason },
	{ "the catalog serves, and its controller has an error", .is = CONNECTED | HAS_REASON, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .tell = by_its_reason },
	{ "the catalog has shut down, and its controller has an error", .is = HAS_REASON, .not = INTERVAL, .word = "SHUTDOWN",
	  .then = OUTCOME_TROUBLE, .flags = FINAL, .tell = by_its_reason },
	{ "the catalog does not serve, and its controller has an error", .is = HAS_REASON, .not = INTERVAL, .then = OUTCOME_TROUBLE,
	  .tell = by_its_reason },
	{ "the catalog is being connected, and its interval is wrong", .is = INTERVAL | BEGINS, .then = OUTCOME_MOVEMENT, .flags = RETRIED,
	  .tell = by_its_reason },
	{ "nobody has connected to the catalog", .is = BEGINS, .then = OUTCOME_SILENCE },
	{ "the catalog is connected", .word = "READY IDLE", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ "the catalog is being connected again, and its interval is wrong", .is = INTERVAL, .word = "CONNECTING", .then = OUTCOME_MOVEMENT,
	  .flags = RETRIED, .tell = by_its_reason },
	{ "the catalog is being connected", .word = "CONNECTING", .then = OUTCOME_MOVEMENT },
	{ "the catalog does not answer", .word = "TRANSIENT_FAILURE", .then = OUTCOME_TROUBLE },
	{ "the connection to the catalog has shut down", .word = "SHUTDOWN", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the state of the connection is not known here", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

/* What the words and the reason of a catalog are, for its rows. */
static struct reading read_catalog(struct verdict *v, struct json status)
{
	struct str state = json_str(status, "connectionState.lastObservedState"), reason = json_str(status, "reason");
	bool begins = state.len == 0 || never_connected(v, status);
	struct reading r = { .v = v, .word = state, .is = begins ? BEGINS : table_has_word("READY IDLE", state) ? CONNECTED : 0 };

	if (state.len)
		r.rule = ARENA_JOIN(verdict_arena(v), STR("status.connectionState "), state);
	r.since = begins ? verdict_created(v) : json_time(status, "connectionState.lastConnect");
	if (reason.len)
		r.is |= HAS_REASON | (table_has_word("SpecInvalidError ConfigMapError", reason) ? GIVEN_UP : 0) |
			(str_is(reason, "InvalidIntervalError") ? INTERVAL : 0);
	return r;
}

void olm_catalog_source_inspect(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	struct json service = json_at(status, "registryService");
	struct reading r = read_catalog(v, status);
	struct str reason = json_str(status, "reason");
	const struct row *row;

	verdict_ref(v, (struct ref){
		.relation = RELATION_MANAGES,
		.kind = STR("Service"),
		.ns = json_str(service, "serviceNamespace"),
		.name = json_str(service, "serviceName"),
		.via = STR("status.registryService"),
	});
	row = table_decide(&r, catalog_rows);
	verdict_word(v, r.word);
	if (row && row->then == OUTCOME_UNKNOWN)
		verdict_unknown_word(v, "status.connectionState", r.word);
	if (reason.len && !table_has_word("SpecInvalidError ConfigMapError RegistryServerError InvalidIntervalError", reason))
		verdict_unknown_word(v, "status.reason", reason);
}

enum { UNHEALTHY_POD, UNHEALTHY_AND_UNWELL, IDLE_UNWELL, HOLDS_UPGRADE, RESOLVES_AGAIN, NEXT_VERSION, COMPONENT_UNWELL };

static const struct row beside_rows[] = {
	[UNHEALTHY_POD] = { "Subscriptions call the catalog unhealthy that it calls connected", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[UNHEALTHY_AND_UNWELL] = { "Subscriptions call the catalog unhealthy, too", .then = OUTCOME_TROUBLE, .flags = STAYS | AT_LEAST },
	[IDLE_UNWELL] = { "the Service of an idle catalog is not well", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[HOLDS_UPGRADE] = { "an upgrade waits for the operator's consent", .then = OUTCOME_PAUSE },
	[RESOLVES_AGAIN] = { "its Subscription tries the resolution again", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING },
	[NEXT_VERSION] = { "no component tells that it is between two versions", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	[COMPONENT_UNWELL] = { "a component of the operator is not well", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ 0 }
};

/*
 * There are two statements on the health of a catalog: that of its connection, here, and that of its pod, in the
 * Subscriptions.  When they differ, the catalog is not as healthy as it says.
 */
static void assess_reports(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	for (size_t i = 0; assess_referrer(d, i, &n); i++) {
		if (!str_is(n.via, OLM_UNHEALTHY_CATALOG) || n.presence != PRESENCE_FOUND)
			continue;
		assess_flag(d, "reported-unhealthy");
		if (st->severity < SEVERITY_WARNING)
			table_assess(d, &beside_rows[st->phase == PHASE_READY ? UNHEALTHY_POD : UNHEALTHY_AND_UNWELL], st->reason, st->message);
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
		    phase_is_bad(n.status.phase)) {
			table_assess(d, &beside_rows[IDLE_UNWELL], n.status.reason, n.status.message);
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

static const struct row manifest_rows[] = { { "it is the index of a catalog", .then = OUTCOME_READY, .flags = UNPROVEN }, { 0 } };

/*
 * A PackageManifest is no resource of its own: it is the index of a catalog, made when it is requested.  No controller
 * works on it.
 */
void olm_package_manifest_inspect(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");

	row_decides(&(struct reading){ .v = v }, manifest_rows);
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

enum { OVERRIDDEN = 1, ALLOWED = 2, OLDER = 4 };

/*
 * What the administrator says overrides what the operator says.  The operator writes the condition to spec, and OLM copies it to status;
 * before the copy, the operator counts as not upgradeable.
 */
static const struct row consent_rows[] = {
	{ "the administrator allows upgrades", .is = OVERRIDDEN | ALLOWED, .then = OUTCOME_READY, .flags = UNPROVEN, .flag = "override",
	  .rule = "spec.overrides Upgradeable" },
	{ "the administrator allows no upgrades", .is = OVERRIDDEN, .then = OUTCOME_PAUSE, .flags = QUIET, .flag = "override",
	  .rule = "spec.overrides Upgradeable" },
	{ "the operator's new word is not copied yet", .is = OLDER, .type = "Upgradeable", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "the operator allows upgrades", .type = "Upgradeable", .status = "True", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ "the operator allows no upgrades", .type = "Upgradeable", .then = OUTCOME_PAUSE, .flags = QUIET },
	{ "nobody holds upgrades back", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ 0 }
};

/* Only Upgradeable has an effect; no other condition holds anything back. */
void olm_operator_condition_inspect(struct verdict *v)
{
	struct json override = json_at(verdict_object(v), "spec.overrides[type=Upgradeable]");
	struct reading r = { .v = v, .flags = NAMES_ONLY };

	r.is = verdict_condition_outdated(v, verdict_condition(v, "Upgradeable")) ? OLDER : 0;
	verdict_ref(v, (struct ref){
		.relation = RELATION_NEEDS,
		.group = STR(OLM_GROUP),
		.kind = STR("ClusterServiceVersion"),
		.name = verdict_name(v),
		.via = STR("metadata.name"),
	});
	if (json_has(override, "status")) {
		r.is |= OVERRIDDEN | (str_is(json_str(override, "status"), "True") ? ALLOWED : 0);
		r.reason = json_str(override, "reason");
		r.message = json_str(override, "message");
		r.since = json_time(override, "lastTransitionTime");
	}
	table_decide(&r, consent_rows);
	if (verdict_phase(v) != PHASE_READY)
		verdict_flag(v, "not-upgradeable");
}

/* An operator that holds upgrades back is at rest until an upgrade waits for it. */
void olm_operator_condition_assess(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	for (size_t i = 0; st->phase == PHASE_SUSPENDED && assess_referrer(d, i, &n); i++)
		if ((n.flags & REF_NAMED) && n.presence == PRESENCE_FOUND) {
			table_assess(d, &beside_rows[HOLDS_UPGRADE], st->reason, st->message);
			return;
		}
}

/* ---- Operator ------------------------------------------------------------ */

/* Of several versions of one operator the one with trouble counts, then the one in progress. */
static const char *const versions[] = { "Failed", "Replacing", "Pending", "InstallReady", "Installing", "Succeeded", "Deleting", NULL };
/* Takes over what the Subscriptions of the operator say. */
static const char *const troubles[] = { "ResolutionFailed", "BundleUnpackFailed", "InstallPlanFailed", NULL };

static void refer_component(struct verdict *v, struct json value, struct str via, const void *rule)
{
	if (json_str(value, "kind").len)
		verdict_ref_value(v, value, via, rule);
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

/* Reads the first of these conditions that a component of that kind has. */
static struct reading read_component(struct verdict *v, const char *kind, const char *const *types)
{
	struct reading r = { .v = v, .rule = STR("status.components.refs") };

	for (; *types; types++) {
		struct json c = component_with(v, kind, *types);

		if (!c.node)
			continue;
		r.word = json_str(c, "type");
		r.reason = json_str(c, "reason");
		r.message = json_str(c, "message");
		r.since = json_time(c, "lastTransitionTime");
		return r;
	}
	return r;
}

enum { HAS_VERSION = 1, HAS_PARTS = 2 };

static const struct row version_rows[] = {
	{ "a version of the operator has failed", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "a version of the operator is replaced or removed", .word = "Replacing Deleting", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ "a version of the operator is being installed", .word = "Pending InstallReady Installing", .then = OUTCOME_MOVEMENT },
	{ "the operator is installed", .word = "Succeeded", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ 0 }
};

static const struct row subscription_rows[] = {
	{ "a Subscription of the operator has failed", .word = "ResolutionFailed BundleUnpackFailed InstallPlanFailed", .then = OUTCOME_TROUBLE,
	  .flags = FINAL },
	{ 0 }
};

static const struct row parts_rows[] = {
	{ "the operator is to be installed", .is = HAS_VERSION, .then = OUTCOME_MOVEMENT },
	/* its CRDs, with the objects that they define, are kept on purpose */
	{ "the operator was removed", .is = HAS_PARTS, .then = OUTCOME_READY, .flags = UNPROVEN, .flag = "leftover",
	  .rule = "neither a Subscription nor a ClusterServiceVersion is left" },
	{ "nobody has found a component of the operator", .then = OUTCOME_SILENCE },
	{ 0 }
};

static bool has_component(struct verdict *v, const char *kind)
{
	json_foreach(it, json_at(verdict_object(v), "status.components.refs"))
		if (str_is(json_str(it, "kind"), kind))
			return true;
	return false;
}

void olm_operator_inspect(struct verdict *v)
{
	static const struct ref_rule row = { NULL, "status.components.refs[]", "", "",
					     RELATION_MANAGES, 0, NULL };
	struct reading r = read_component(v, "ClusterServiceVersion", versions);
	bool found;

	verdict_each(v, row.path, refer_component, &row);
	found = table_decide(&r, version_rows);
	r = read_component(v, "Subscription", troubles);
	/* the version that is installed goes on serving */
	r.usable = found && verdict_phase(v) == PHASE_READY;
	if (r.word.len && !(found && verdict_phase(v) == PHASE_FAILED))
		table_decide(&r, subscription_rows);
	if (found || r.word.len)
		return;
	r = (struct reading){ .v = v };
	if (has_component(v, "ClusterServiceVersion") || has_component(v, "Subscription"))
		r.is |= HAS_VERSION;
	if (json_count(json_at(verdict_object(v), "status.components.refs")) > 0)
		r.is |= HAS_PARTS;
	table_decide(&r, parts_rows);
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
			row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message, .level = n.status.severity },
				    &beside_rows[RESOLVES_AGAIN]);
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
	struct str rule;

	assess_resolution(d);
	if (!serves && !phase_under_way(st->phase))
		return;
	/* between two versions the list of components has none that tells so */
	if (st->phase == PHASE_PROVISIONING && st->ever_ready)
		row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message, .level = st->severity },
			    &beside_rows[NEXT_VERSION]);
	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (is_telling(&n) && badness(n.status.phase) > badness(worst.slot ? worst.status.phase : PHASE_READY))
			worst = n;
	/* a version that waits does not stop the one that serves, nor the upgrade that it is a part of */
	if (!worst.slot || (worst.status.phase == PHASE_WAITING && (serves || st->phase == PHASE_UPDATING)))
		return;
	rule = ARENA_JOIN(assess_arena(d), worst.kind->kind, STR("/"), worst.name, STR(" is "), str_of(phase_name(worst.status.phase)));
	if (!serves) {
		olm_assess_waiting(d, &worst, worst.status.severity);
		assess_rule(d, rule);
		return;
	}
	assess_wait_for(d, &worst);
	row_decides(&(struct reading){ .d = d, .reason = worst.status.reason, .message = worst.status.message, .rule = rule,
				       .level = worst.status.severity }, &beside_rows[COMPONENT_UNWELL]);
	assess_since(d, worst.status.since);
}

/* ---- OLMConfig ----------------------------------------------------------- */

static bool is_not_done(struct reading *r)
{
	return json_bool(verdict_object(r->v), "spec.features.disableCopiedCSVs", false) != condition_is(r->condition, "True");
}

static const struct row config_rows[] = {
	{ "its setting is not carried out yet", .type = "DisabledCopiedCSVs", .holds = is_not_done, .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_UPDATING },
	{ "its setting is carried out", .type = "DisabledCopiedCSVs", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ 0 }
};

/* It has one setting: whether ClusterServiceVersions are copied to every namespace. */
void olm_config_inspect(struct verdict *v)
{
	verdict_polarity(v, "DisabledCopiedCSVs", POLARITY_UNKNOWN);
	table_decide(&(struct reading){ .v = v }, config_rows);
}
