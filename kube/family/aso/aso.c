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
static const struct reason_rule {
	const char *reasons;	/* with blanks between them */
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
	{ "ReconciliationBlocked ReconciliationPostponed", NULL, SEVERITY_WARNING, ASO_BLOCKED },
	/* api/network/customizations: reasons of a private endpoint */
	{ "PostReconciliationFailure", "requires approval", SEVERITY_WARNING, ASO_APPROVAL },
	{ "PostReconciliationFailure FailedWritingAdditionalKubernetesObjects", NULL, SEVERITY_WARNING, ASO_DEGRADED },
	{ "FailedWritingSecret", NULL, SEVERITY_ERROR, ASO_DEGRADED },	/* the name that the reason had before */
	/* api/keyvault/customizations: a key is disabled and never deleted, until a person decides otherwise */
	{ "KeyDeletionBlocked", NULL, SEVERITY_INFO, ASO_APPROVAL },
	/* of these, of api/keyvault/customizations and of internal/reconcilers/entra */
	{ "Failed UnknownError KeyDeletionBlockedDisableFailed KeyDeletionStatusUnknown GraphPermissionDenied "
	  "GraphRelationshipReconcileFailed", NULL, SEVERITY_WARNING, ASO_OTHER },
	{ "ReconciliationFailedPermanently SubscriptionMismatch", NULL, SEVERITY_ERROR, ASO_OTHER },
	/* codes of Azure itself: internal/reconcilers/arm/errorclassification */
	{ "AnotherOperationInProgress AuthorizationFailed AllocationFailed Conflict FailedIdentityOperation "
	  "InvalidResourceReference InvalidSubscriptionRegistrationState LinkedAuthorizationFailed "
	  "MissingRegistrationForLocation MissingSubscriptionRegistration NoRegisteredProviderFound NotFound "
	  "ParentResourceNotFound PrincipalNotFound ResourceGroupNotFound ResourceNotFound ResourceQuotaExceeded "
	  "SubscriptionNotRegistered ScopeLocked",
	  NULL, SEVERITY_WARNING, ASO_OTHER },
	{ "BadRequestFormat BadRequest PublicIpForGatewayIsRequired InvalidParameter InvalidParameterValue "
	  "InvalidResourceGroupLocation InvalidResourceType InvalidRequestContent InvalidTemplate "
	  "InvalidValuesForRequestParameters InvalidGatewaySkuProvidedForGatewayVpnType InvalidGatewaySize LocationRequired "
	  "MethodNotAllowed MissingRequiredParameter PasswordTooLong PrivateIPAddressInReservedRange "
	  "PrivateIPAddressNotInSubnet PropertyChangeNotAllowed RegionIsOfferRestricted RequestDisallowedByPolicy "
	  "ReservedResourceName SkuNotAvailable SubscriptionNotFound",
	  NULL, SEVERITY_ERROR, ASO_OTHER },
	/* Azure has many more codes, for which the severity decides */
	{ NULL, NULL, SEVERITY_WARNING, ASO_OTHER },
};

static const struct reason_rule *reason_rule(const struct condition *c)
{
	const struct reason_rule *r = reason_rules;

	while (r->reasons && (!table_has_word(r->reasons, c->reason) || (r->message_part && !str_contains(c->message, r->message_part))))
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

/* What the rows ask for. */
enum {
	GOES = 1 << 0,		/* it is being deleted, */
	BEFORE_THAT = 1 << 1,	/* and what Ready says is older than that */
	OLDER = 1 << 2,		/* Ready is about an older spec */
	ERROR_SAID = 1 << 3,	/* nobody tries again */
	WARNING_SAID = 1 << 4,
	WAS_MADE = 1 << 5,	/* it exists in Azure */
	SETTLED = 1 << 6,	/* references tell what it waits for */
	IN_DELETION = 1 << 7,	/* the reason tells of a deletion in Azure, */
	LACKS_A_PART = 1 << 8,	/* or that something beside the resource could not be done, */
	WAITS_IN_AZURE = 1 << 9, /* or of a state in Azure, which the Ready of the named object does not tell, */
	WAITS_HERE = 1 << 10	/* or of something in the cluster */
};

struct aso {
	struct reading r;
	enum aso_reading reading;
};

static unsigned says(enum aso_reading reading)
{
	switch (reading) {
	case ASO_OTHER: return 0;
	case ASO_DELETING: return IN_DELETION;
	case ASO_DEGRADED: return LACKS_A_PART;
	case ASO_AZURE:
	case ASO_APPROVAL:
	case ASO_BLOCKED: return WAITS_IN_AZURE;
	default: return WAITS_HERE;
	}
}

/* What was wrong before the deletion says nothing about the deletion. */
static void without_words(struct reading *r)
{
	r->since = r->condition->since;
	r->word = r->condition->reason;
	r->condition = NULL;
	r->level = SEVERITY_INFO;
}

static void waits(struct reading *r)
{
	wait_by_reading(r->v, r->condition, ((struct aso *)r)->reading, r->is & SETTLED);
}

static void waits_for_approval(struct reading *r)
{
	if (((struct aso *)r)->reading == ASO_APPROVAL)
		wait_by_reading(r->v, r->condition, ASO_APPROVAL, true);
}

static void tell_given_up(struct reading *r)
{
	if (!(r->is & SETTLED))
		r->flags |= BY_ITSELF;
	if (r->is & OLDER)
		verdict_stale(r->v);
}

static const struct row rows[] = {
	{ "its deletion was asked for", .is = GOES | BEFORE_THAT, .type = "Ready", .status = "False", .then = OUTCOME_DELETION, .tell = without_words },
	{ "it is being deleted, and says how that goes", .is = GOES, .type = "Ready", .status = "False", .then = OUTCOME_DELETION,
	  .tell = waits_for_approval },
	{ "its operator has given up", .is = ERROR_SAID, .type = "Ready", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_FAILED, .tell = tell_given_up },
	{ "it is being deleted in Azure", .is = IN_DELETION, .type = "Ready", .status = "False", .then = OUTCOME_DELETION },
	{ "what belongs to the resource could not be done", .is = LACKS_A_PART, .type = "Ready", .status = "False", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED },
	{ "it waits for something in Azure", .is = WAITS_IN_AZURE, .type = "Ready", .status = "False", .then = OUTCOME_WAIT, .tell = waits },
	/* an edge makes the object Waiting while the wait lasts; without an edge the operator's own word counts */
	{ "it waits for something that nothing names", .is = WAITS_HERE, .not = SETTLED, .type = "Ready", .status = "False", .then = OUTCOME_WAIT },
	{ "what exists in Azure has an error that is tried again", .is = WARNING_SAID | WAS_MADE, .not = WAITS_HERE, .type = "Ready",
	  .status = "False", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "its operator is at work", .type = "Ready", .status = "False", .then = OUTCOME_MOVEMENT },
	{ "its operator has not seen the present spec", .is = OLDER, .type = "Ready", .status = "True", .then = OUTCOME_MOVEMENT,
	  .phase = PHASE_UPDATING, .flags = UNDATED },
	{ "it is as its spec asks", .type = "Ready", .status = "True", .then = OUTCOME_READY },
	{ "its operator does not know how it is", .type = "Ready", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

static void inspect_ready(struct verdict *v, const struct condition *c)
{
	const struct reason_rule *rule = reason_rule(c);
	bool bad = condition_is(c, "False"), older = verdict_condition_outdated(v, c);
	bool before = bad && verdict_deleting(v) && c->since && c->since < verdict_deleting(v);
	enum severity severity = severity_of(c, rule);
	struct aso a = { .r = { .v = v, .usable = was_made(v), .level = bad ? severity : SEVERITY_NONE }, .reading = rule->reading };

	if (aso_refer(v, bad && !before ? c : NULL, bad ? rule->reading : ASO_OTHER))
		a.r.is |= SETTLED;
	a.r.is |= (verdict_deleting(v) ? GOES : 0) | (before ? BEFORE_THAT : 0) | (older ? OLDER : 0) | (a.r.usable ? WAS_MADE : 0) |
		  (severity == SEVERITY_ERROR ? ERROR_SAID : severity == SEVERITY_WARNING ? WARNING_SAID : 0) | says(rule->reading);
	a.r.rule = arena_printf(verdict_arena(v), "Ready=" STR_FMT "%s" STR_FMT "%s", STR_ARG(c->status), c->severity.len ? " severity " : "",
				STR_ARG(c->severity), older ? ", of an older generation" : "");
	table_decide(&a.r, rows);
	if (bad && !rule->reasons)
		verdict_unknown_word(v, "reason", c->reason);
}

/* ---- v2 alpha: annotations ---------------------------------------------- */

static const struct row alpha_rows[] = {
	{ "its deployment has succeeded", .word = "Succeeded", .then = OUTCOME_READY },
	{ "its deployment has failed", .word = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL | BY_ITSELF },
	{ "its deployment is being deleted", .word = "Deleting", .then = OUTCOME_DELETION },
	{ "its deployment is under way", .word = "Accepted", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .flags = SINCE_CREATED },
	{ "the state of its deployment is not known here", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	{ 0 }
};

static const char *class_of(enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_READY: return "succeeded";
	case OUTCOME_TROUBLE: return "failed";
	case OUTCOME_UNKNOWN: return "unknown";
	default: return "pending";
	}
}

static void inspect_alpha(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct str state = json_str(object, INFRA("resource-state"));
	struct str id = json_str(object, INFRA("deployment-id"));
	struct str error = json_str(object, INFRA("resource-error"));
	bool deleting = state.len ? str_is(state, "Deleting") : verdict_deleting(v) != 0;
	struct async *async = verdict_async(v);
	const struct row *row;

	aso_refer(v, NULL, ASO_OTHER);
	/* the operator starts a deployment before it writes a state */
	row = table_decide(&(struct reading){ .v = v, .word = state.len || id.len == 0 ? state : STR("Accepted"), .reason = state, .message = error,
					      .rule = ARENA_JOIN(verdict_arena(v), STR("resource-state.infra.azure.com "),
								 state.len ? state : STR("is not set")) }, alpha_rows);
	verdict_word(v, state);
	if (row && row->then == OUTCOME_UNKNOWN)
		verdict_unknown_word(v, "state", state);
	async->source = STR("deployment");
	/* until the operator starts the deletion, the deployment is an earlier one */
	async->phase = operation(v, deleting);
	async->class = str_of(class_of(row ? row->then : OUTCOME_UNKNOWN));
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

enum { POLLED = 1, YOUNG = 2 };

/* The operator has written no condition yet. */
static const struct row silence_rows[] = {
	{ "its operator follows an operation in Azure", .is = POLLED, .then = OUTCOME_MOVEMENT, .flags = SINCE_CREATED, .rule = "no condition Ready" },
	{ "it was just made", .is = YOUNG, .then = OUTCOME_MOVEMENT, .flags = SINCE_CREATED, .rule = "no condition Ready" },
	{ "its operator has not begun", .then = OUTCOME_UNKNOWN, .flags = SINCE_CREATED | PASSED, .rule = "no condition Ready" },
	{ 0 }
};

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
		table_decide(&(struct reading){ .v = v, .is = (poller ? POLLED : 0) |
							      (verdict_past(v, verdict_created(v) + thresholds.young) ? 0 : YOUNG) }, silence_rows);
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

enum { LACKS_KEY, FAILS_AS_MADE, CHANGES };

static const struct row beside_rows[] = {
	[LACKS_KEY] = { "what it names has not the key that is needed", .then = OUTCOME_WAIT, .flags = AT_LEAST },
	[FAILS_AS_MADE] = { "what was made before has an error that is tried again", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[CHANGES] = { "what was made before is changed", .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING },
	{ 0 }
};

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
			table_assess(d, &beside_rows[LACKS_KEY], st->reason, st->message);
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
	if (st->phase != PHASE_UPDATING || st->severity == SEVERITY_WARNING)
		row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message, .rule = st->rule, .level = st->severity },
			    &beside_rows[st->severity == SEVERITY_WARNING ? FAILS_AS_MADE : CHANGES]);
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
