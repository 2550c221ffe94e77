/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Azure service operator.  Three generations of it are in use: v2 (a condition Ready with a severity), the alpha of v2
 * (annotations), and v1 (three booleans).  Reasons and severities are those of the operator's pkg/genruntime/conditions
 * and of its proposal "Proposal for reporting resource Status".
 */
#include "kube/family/aso/aso.h"

#include "kube/status/thresholds.h"

#define INFRA(name) "metadata.annotations['" name ".infra.azure.com']"

/* ---- whose object it is ------------------------------------------------- */

static const char *const groups[] = { ASO_V1_GROUP, "*.azure.com", NULL };

/* Reads "v1api20200601", "v20240101", "v1api20230202preview": the date is the version of Azure's own API. */
static bool is_dated(struct str api_version)
{
	struct str version = str_from(api_version, str_rfind(api_version, '/') + 1);
	size_t digits = 0;

	for (size_t i = 0; i < version.len && digits < 8; i++)
		digits = version.ptr[i] >= '0' && version.ptr[i] <= '9' ? digits + 1 : 0;
	return str_starts(version, "v") && digits == 8;
}

/* Groups of resources that are not made by Azure's resource manager have versions without a date: v1. */
static bool is_undated_kind(const struct kind *kind)
{
	static const char *const with_users[] = { "sql.azure.com", "dbformysql.azure.com", "dbforpostgresql.azure.com" };

	for (size_t i = 0; i < sizeof(with_users) / sizeof(with_users[0]); i++)
		if (str_is(kind->group, with_users[i]) && str_is(kind->kind, "User"))
			return true;
	return str_is(kind->group, "entra.azure.com");
}

static bool has_our_metadata(struct json object)
{
	json_foreach(it, json_at(object, "metadata.finalizers"))
		if (str_starts(json_str(it, ""), ASO_OURS))
			return true;
	json_foreach(it, json_at(object, "metadata.annotations"))
		if (str_starts(json_key(it), ASO_OURS) ||
		    str_ends(json_key(it), ".infra.azure.com"))
			return true;
	return false;
}

static bool claims(const struct kind *kind, struct json object)
{
	if (str_is(kind->group, ASO_V1_GROUP))
		return aso_v1_claims(object);
	return is_dated(json_str(object, "apiVersion")) || is_undated_kind(kind) || has_our_metadata(object) ||
	       json_has(object, "status.conditions[type=Ready].severity");
}

/* ---- v2: the Ready condition -------------------------------------------- */

/* What the operator retries, at the pace that it has for the reason, is a warning; what it gives up is an error. */
#define RETRIED(code) { code, NULL, SEVERITY_WARNING, ASO_OTHER }
#define GIVEN_UP(code) { code, NULL, SEVERITY_ERROR, ASO_OTHER }

static const struct reason_rule {
	const char *reason;
	const char *message_part; /* NULL: every message */
	enum severity usual;	/* the severity where the condition has none */
	enum aso_reading reading;
} reason_rules[] = {
	/* pkg/genruntime/conditions */
	{ "Reconciling", NULL, SEVERITY_INFO, ASO_OTHER },
	{ "Deleting", NULL, SEVERITY_INFO, ASO_DELETING },
	{ "WaitingForOwner", NULL, SEVERITY_WARNING, ASO_OWNER },
	{ "ReferenceNotFound", NULL, SEVERITY_WARNING, ASO_REFERENCE },
	{ "SecretNotFound", NULL, SEVERITY_WARNING, ASO_SECRET },
	{ "ConfigMapNotFound", NULL, SEVERITY_WARNING, ASO_CONFIGMAP },
	{ "AzureResourceNotFound", NULL, SEVERITY_WARNING, ASO_AZURE },
	{ "ReconciliationBlocked", NULL, SEVERITY_WARNING, ASO_BLOCKED },
	{ "ReconciliationPostponed", NULL, SEVERITY_WARNING, ASO_BLOCKED },
	/* api/network/customizations: reasons of a private endpoint */
	{ "PostReconciliationFailure", "requires approval", SEVERITY_WARNING, ASO_APPROVAL },
	{ "PostReconciliationFailure", NULL, SEVERITY_WARNING, ASO_DEGRADED },
	{ "FailedWritingAdditionalKubernetesObjects", NULL, SEVERITY_WARNING, ASO_DEGRADED },
	{ "FailedWritingSecret", NULL, SEVERITY_ERROR, ASO_DEGRADED },	/* the name that the reason had before */
	GIVEN_UP("ReconciliationFailedPermanently"),
	GIVEN_UP("SubscriptionMismatch"),
	RETRIED("Failed"),
	RETRIED("UnknownError"),
	/* api/keyvault/customizations: a key is disabled and never deleted, until a person decides otherwise */
	{ "KeyDeletionBlocked", NULL, SEVERITY_INFO, ASO_APPROVAL },
	RETRIED("KeyDeletionBlockedDisableFailed"),
	RETRIED("KeyDeletionStatusUnknown"),
	/* internal/reconcilers/entra */
	RETRIED("GraphPermissionDenied"),
	RETRIED("GraphRelationshipReconcileFailed"),
	/* codes of Azure itself: internal/reconcilers/arm/errorclassification */
	RETRIED("AnotherOperationInProgress"),
	RETRIED("AuthorizationFailed"),
	RETRIED("AllocationFailed"),
	RETRIED("Conflict"),
	RETRIED("FailedIdentityOperation"),
	RETRIED("InvalidResourceReference"),
	RETRIED("InvalidSubscriptionRegistrationState"),
	RETRIED("LinkedAuthorizationFailed"),
	RETRIED("MissingRegistrationForLocation"),
	RETRIED("MissingSubscriptionRegistration"),
	RETRIED("NoRegisteredProviderFound"),
	RETRIED("NotFound"),
	RETRIED("ParentResourceNotFound"),
	RETRIED("PrincipalNotFound"),
	RETRIED("ResourceGroupNotFound"),
	RETRIED("ResourceNotFound"),
	RETRIED("ResourceQuotaExceeded"),
	RETRIED("SubscriptionNotRegistered"),
	RETRIED("ScopeLocked"),
	GIVEN_UP("BadRequestFormat"),
	GIVEN_UP("BadRequest"),
	GIVEN_UP("PublicIpForGatewayIsRequired"),
	GIVEN_UP("InvalidParameter"),
	GIVEN_UP("InvalidParameterValue"),
	GIVEN_UP("InvalidResourceGroupLocation"),
	GIVEN_UP("InvalidResourceType"),
	GIVEN_UP("InvalidRequestContent"),
	GIVEN_UP("InvalidTemplate"),
	GIVEN_UP("InvalidValuesForRequestParameters"),
	GIVEN_UP("InvalidGatewaySkuProvidedForGatewayVpnType"),
	GIVEN_UP("InvalidGatewaySize"),
	GIVEN_UP("LocationRequired"),
	GIVEN_UP("MethodNotAllowed"),
	GIVEN_UP("MissingRequiredParameter"),
	GIVEN_UP("PasswordTooLong"),
	GIVEN_UP("PrivateIPAddressInReservedRange"),
	GIVEN_UP("PrivateIPAddressNotInSubnet"),
	GIVEN_UP("PropertyChangeNotAllowed"),
	GIVEN_UP("RegionIsOfferRestricted"),
	GIVEN_UP("RequestDisallowedByPolicy"),
	GIVEN_UP("ReservedResourceName"),
	GIVEN_UP("SkuNotAvailable"),
	GIVEN_UP("SubscriptionNotFound"),
	/* Azure has many more codes, for which the severity decides */
	{ NULL, NULL, SEVERITY_WARNING, ASO_OTHER },
};

static const struct reason_rule *reason_rule(const struct condition *c)
{
	const struct reason_rule *r = reason_rules;

	while (r->reason && (!str_is(c->reason, r->reason) || (r->message_part && !str_contains(c->message, r->message_part))))
		r++;
	return r;
}

/* Azure's word for a resource that was made: "Ready", "Updating", "Stopped"; but not "Creating" or "Failed". */
static bool is_word_of_made(struct str word)
{
	return word.len && word_class(word) != WORD_BAD && !phrase_has(word, "creat* provisioning accepted pending unknown");
}

/*
 * Returns true when the resource was made in Azure at some time.  The annotation does not prove it, because it is
 * written before the first call, and the id in the status proves it only where what a first attempt that failed has left
 * in Azure is not read (internal/reconcilers/arm, BeginCreateOrUpdateResource).  So where Azure's own word is missing,
 * an object that is not ready since soon after its creation was never made.
 */
static bool was_made(const struct verdict *v)
{
	struct json object = verdict_object(v);
	bool read = json_str(object, "status.id").len > 0;
	const struct condition *ready = verdict_condition(v, "Ready");
	int64_t soon = verdict_created(v) + (read ? thresholds.pod_start_grace : thresholds.overdue);

	if (!read && json_str(object, ASO_ANNOTATION("resource-id")).len == 0)
		return false;
	if (condition_is(ready, "True") || is_word_of_made(json_str(object, "status.provisioningState")) ||
	    is_word_of_made(json_str(object, "status.state")))
		return true;
	return ready && ready->since > soon;
}

static enum phase under_way(const struct verdict *v)
{
	return was_made(v) ? PHASE_UPDATING : PHASE_PROVISIONING;
}

/* Tells what is done in Azure, which no annotation tells. */
static struct str operation(const struct verdict *v, bool deleting)
{
	if (deleting)
		return STR("delete");
	return was_made(v) ? STR("update") : STR("create");
}

static enum severity severity_of(const struct condition *c, const struct reason_rule *rule)
{
	if (str_is(c->severity, "Error"))
		return SEVERITY_ERROR;
	if (str_is(c->severity, "Warning"))
		return SEVERITY_WARNING;
	return str_is(c->severity, "Info") ? SEVERITY_INFO : rule->usual;
}

static enum phase phase_of(const struct verdict *v, enum aso_reading reading,
			   enum severity severity, bool settled)
{
	if (severity == SEVERITY_ERROR)
		return PHASE_FAILED;
	switch (reading) {
	case ASO_DELETING:
		return PHASE_DELETING;
	case ASO_DEGRADED:
		return PHASE_DEGRADED;
	case ASO_AZURE:
	case ASO_APPROVAL:
	case ASO_BLOCKED:
		/* it waits for a state in Azure, which the Ready of the named object does not tell */
		return PHASE_WAITING;
	case ASO_OTHER:
		if (severity == SEVERITY_WARNING && was_made(v))
			return PHASE_DEGRADED;
		return under_way(v);
	default:
		/*
		 * an edge makes the object Waiting while the wait lasts; without an edge the operator's own word counts
		 */
		return settled ? under_way(v) : PHASE_WAITING;
	}
}

/* The object waits for somebody or something in Azure; via: the field that tells so. */
static void wait_in_azure(struct verdict *v, const struct condition *c, enum wait_state state, struct str via)
{
	struct str id = json_str(verdict_object(v), ASO_ANNOTATION("resource-id"));
	struct str azure_name = json_str(verdict_object(v), "spec.azureName");

	verdict_waits_external(v, (struct external_wait){
		.state = state,
		.kind = STR("AzureResource"),
		.name = id.len ? id : azure_name.len ? azure_name : verdict_name(v),
		.via = via,
		.message = c->message,
	});
}

/* settled: references tell what the object waits for; where none does, it is the state of the resource in Azure. */
static void wait_by_reading(struct verdict *v, const struct condition *c, enum aso_reading reading, bool settled)
{
	if (reading == ASO_BLOCKED && !settled)
		wait_in_azure(v, c, WAIT_EXTERNAL, STR("status.conditions"));
	else if (reading == ASO_AZURE)
		wait_in_azure(v, c, WAIT_EXTERNAL, STR("metadata.annotations[" ASO_OURS "reconcile-policy]"));
	else if (reading == ASO_APPROVAL)
		wait_in_azure(v, c, WAIT_APPROVAL, STR("status.conditions"));
}

/* What was wrong before the deletion says nothing about the deletion. */
static void inspect_deletion(struct verdict *v, const struct condition *c)
{
	const struct reason_rule *rule = reason_rule(c);
	bool before = c->since && c->since < verdict_deleting(v);

	aso_refer(v, before ? NULL : c, rule->reading);
	if (before)
		verdict_set(v, PHASE_DELETING, SEVERITY_INFO, STR_NONE, STR_NONE);
	else
		verdict_set(v, PHASE_DELETING, severity_of(c, rule), c->reason, c->message);
	if (!before && rule->reading == ASO_APPROVAL)
		wait_by_reading(v, c, rule->reading, true);
}

static void inspect_false(struct verdict *v, const struct condition *c)
{
	const struct reason_rule *rule = reason_rule(c);
	enum severity severity = severity_of(c, rule);
	bool settled;

	if (verdict_deleting(v)) {
		inspect_deletion(v, c);
		return;
	}
	settled = aso_refer(v, c, rule->reading);
	verdict_set(v, phase_of(v, rule->reading, severity, settled), severity, c->reason,
		    c->message);
	if (severity == SEVERITY_ERROR && !settled)
		verdict_own_failure(v);
	if (severity != SEVERITY_ERROR)
		wait_by_reading(v, c, rule->reading, settled);
	if (severity == SEVERITY_ERROR && verdict_condition_outdated(v, c))
		verdict_stale(v);
}

static void inspect_ready(struct verdict *v, const struct condition *c)
{
	if (condition_is(c, "False")) {
		inspect_false(v, c);
	} else {
		aso_refer(v, NULL, ASO_OTHER);
		if (condition_is(c, "True") && verdict_condition_outdated(v, c))
			verdict_set(v, PHASE_UPDATING, SEVERITY_INFO, c->reason, c->message);
		else if (condition_is(c, "True"))
			verdict_set(v, PHASE_READY, SEVERITY_NONE, c->reason, c->message);
		else
			verdict_set(v, PHASE_UNKNOWN, SEVERITY_NONE, c->reason, c->message);
	}
	verdict_word(v, c->reason);
	/* the object does not say when its newer generation was written */
	verdict_since(v, condition_is(c, "True") && verdict_condition_outdated(v, c) ? 0 : c->since);
	verdict_rule(v, arena_printf(verdict_arena(v), "Ready=" STR_FMT "%s" STR_FMT "%s",
				     STR_ARG(c->status), c->severity.len ? " severity " : "",
				     STR_ARG(c->severity),
				     verdict_condition_outdated(v, c) ? ", of an older generation" : ""));
	if (condition_is(c, "False") && !reason_rule(c)->reason)
		verdict_unknown_word(v, "reason", c->reason);
}

/* ---- v2 alpha: annotations ---------------------------------------------- */

struct alpha_rule {
	const char *state;
	const char *class;
	enum phase phase;
	enum severity level;
};

static const struct alpha_rule alpha_rules[] = {
	{ "Succeeded", "succeeded", PHASE_READY, SEVERITY_NONE },
	{ "Failed", "failed", PHASE_FAILED, SEVERITY_ERROR },
	{ "Deleting", "pending", PHASE_DELETING, SEVERITY_INFO },
	{ "Accepted", "pending", PHASE_PROVISIONING, SEVERITY_INFO },
	{ NULL, "unknown", PHASE_UNKNOWN, SEVERITY_NONE },
};

static void inspect_alpha(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str state = json_str(object, INFRA("resource-state"));
	struct str id = json_str(object, INFRA("deployment-id"));
	struct str error = json_str(object, INFRA("resource-error"));
	bool deleting = state.len ? str_is(state, "Deleting") : verdict_deleting(v) != 0;
	const struct alpha_rule *r = alpha_rules;
	struct async *async = verdict_async(v);

	aso_refer(v, NULL, ASO_OTHER);
	/* the operator starts a deployment before it writes a state */
	while (r->state && !str_is(state.len || id.len == 0 ? state : STR("Accepted"), r->state))
		r++;
	verdict_set(v, r->phase, r->level, state, error);
	verdict_word(v, state);
	if (r->phase == PHASE_FAILED)
		verdict_own_failure(v);
	if (r->phase == PHASE_PROVISIONING)
		verdict_since(v, verdict_created(v));
	verdict_rule(v, ARENA_JOIN(verdict_arena(v), STR("resource-state.infra.azure.com "), state.len ? state : STR("is not set")));
	if (!r->state)
		verdict_unknown_word(v, "state", state);
	async->source = STR("deployment");
	/* until the operator starts the deletion, the deployment is an earlier one */
	async->phase = operation(v, deleting);
	async->class = str_of(r->class);
	async->raw_status = state;
	async->work_request_id = id;
	async->message = error;
}

static bool is_alpha(struct json object)
{
	json_foreach(it, json_at(object, "metadata.annotations"))
		if (str_ends(json_key(it), ".infra.azure.com"))
			return true;
	return false;
}

/* ---- all of them -------------------------------------------------------- */

static void show_policy(struct verdict *v)
{
	struct str policy = json_str(verdict_object(v), ASO_ANNOTATION("reconcile-policy"));

	if (str_is(policy, "skip"))
		verdict_flag(v, "skip");
	else if (str_is(policy, "detach-on-delete"))
		verdict_flag(v, "detach-on-delete");
}

/* The token lets whoever has it act on the operation: only its presence is shown. */
static bool has_poller(struct verdict *v)
{
	struct str id = json_str(verdict_object(v), ASO_ANNOTATION("poller-resume-id"));
	struct str token = json_str(verdict_object(v), ASO_ANNOTATION("poller-resume-token"));
	struct async *async;

	if (id.len == 0 && token.len == 0)
		return false;
	async = verdict_async(v);
	async->source = STR("poller");
	async->phase = operation(v, verdict_deleting(v) != 0);
	async->class = STR("pending");
	async->work_request_id = id;
	return true;
}

/* The operator has written no condition yet. */
static void inspect_silence(struct verdict *v, bool poller)
{
	int64_t until = verdict_created(v) + thresholds.young;
	bool young = verdict_now(v) < until;

	verdict_since(v, verdict_created(v));
	verdict_rule(v, STR("no condition Ready"));
	if (poller || young)
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_INFO, STR_NONE, STR_NONE);
	else
		verdict_set(v, PHASE_UNKNOWN, SEVERITY_WARNING, STR_NONE, STR_NONE);
	if (young)
		verdict_revisit(v, until);
	else if (!poller)
		verdict_by_time(v);
}

static void inspect_v2(struct verdict *v)
{
	const struct condition *ready = verdict_condition(v, "Ready");
	bool poller = has_poller(v);

	if (was_made(v))
		verdict_ever_ready(v);
	if (ready) {
		inspect_ready(v, ready);
	} else if (is_alpha(verdict_object(v))) {
		inspect_alpha(v);
	} else {
		aso_refer(v, NULL, ASO_OTHER);
		inspect_silence(v, poller);
	}
}

static void inspect(struct verdict *v)
{
	show_policy(v);
	if (str_is(verdict_kind(v)->group, ASO_V1_GROUP))
		aso_v1_inspect(v);
	else
		inspect_v2(v);
}

/* A Secret without the key counts as SecretNotFound, too: the Secret exists, but not as it has to be. */
static void assess_absent_key(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	if (!str_is(st->reason, "SecretNotFound") && !str_is(st->reason, "ConfigMapNotFound"))
		return;
	for (size_t i = 0; assess_target(d, i, &n); i++) {
		bool is_there = !(n.flags & REF_REPORTED_MISSING) || aso_names_key(st->message);

		if (!(n.flags & REF_NAMED) || !is_there || n.presence != PRESENCE_FOUND)
			continue;
		assess_wait(d, &n, WAIT_NOT_READY, st->message);
		if (st->phase != PHASE_DELETING && st->phase != PHASE_FAILED)
			assess_set(d, PHASE_WAITING, st->severity, st->reason, st->message);
	}
}

/*
 * What was made before is not made for the first time, also where only the time before told so.  An error that is
 * retried while the old state still serves is no update; what the object waited for exists by now.
 */
static void assess_made(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (st->phase != PHASE_UPDATING && (st->phase != PHASE_PROVISIONING || !st->ever_ready))
		return;
	assess_set(d, st->severity == SEVERITY_WARNING ? PHASE_DEGRADED : PHASE_UPDATING, st->severity, st->reason, st->message);
}

/* Garbage collection deletes the object together with its owner. */
static void assess_owner(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; !assess_deleting(d) && assess_target(d, i, &n); i++)
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && n.deleting) {
			assess_flag(d, "owner-deleting");
			return;
		}
}

static void assess(struct assessment *d)
{
	assess_absent_key(d);
	assess_made(d);
	assess_owner(d);
}

static bool own_finalizer(const struct kind *kind, struct str finalizer)
{
	(void)kind;
	return str_starts(finalizer, ASO_OURS) || str_starts(finalizer, ASO_V1_GROUP "/");
}

static const struct controller_rule controllers[] = {
	{ ASO_V1_GROUP, NULL, "azureoperator-system", "azureoperator-controller-manager", NULL },
	{ "*.azure.com", NULL, "azureserviceoperator-system",
	  "azureserviceoperator-controller-manager", NULL },
	{ 0 }
};

const struct family family_aso = {
	.name = "aso",
	.title = "Azure service operator",
	.groups = groups,
	.claims = claims,
	.refs = aso_v1_refs,
	.inspect = inspect,
	.assess = assess,
	.own_finalizer = own_finalizer,
	.controllers = controllers,
};
