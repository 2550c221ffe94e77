/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, namespaces, and extensions of the API: APIService, CRD, CSR, quotas, leases. */
#include "kube/family/core/core.h"

#include "kube/base/buf.h"
#include "kube/base/limits.h"
#include "kube/status/thresholds.h"

/* ---- Node ---------------------------------------------------------------- */

/*
 * Condition types whose meaning the words of the type do not tell; the first ones are those of
 * k8s.io/node-problem-detector.
 */
static const struct {
	const char *begin, *end;
	enum polarity polarity;
} node_types[] = {
	{ "Frequent", "", POLARITY_NEGATIVE },
	{ "Readonly", "", POLARITY_NEGATIVE },
	{ "", "Shutdown", POLARITY_NEGATIVE },
	{ "", "NotReady", POLARITY_NEGATIVE },
	{ "", "Ready", POLARITY_POSITIVE },
	{ "", "Healthy", POLARITY_POSITIVE },
};

static enum polarity node_polarity(struct str type)
{
	if (word_class(type) == WORD_BAD)
		return POLARITY_NEGATIVE;
	for (size_t i = 0; i < sizeof(node_types) / sizeof(node_types[0]); i++)
		if (str_starts(type, node_types[i].begin) && str_ends(type, node_types[i].end))
			return node_types[i].polarity;
	return POLARITY_UNKNOWN;
}

/* Everybody may add condition types to a node; an unknown type is judged by its reason. */
static bool is_node_problem(const struct condition *c)
{
	switch (node_polarity(c->type)) {
	case POLARITY_NEGATIVE: return condition_is(c, "True");
	case POLARITY_POSITIVE: return condition_is(c, "False");
	default: return condition_is(c, "True") && word_class(c->reason) == WORD_BAD;
	}
}

static const struct condition *node_problem(struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++)
		if (is_node_problem(verdict_condition_at(v, i)))
			return verdict_condition_at(v, i);
	return NULL;
}

static void node_polarities(struct verdict *v)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++) {
		struct str type = arena_str(verdict_arena(v), verdict_condition_at(v, i)->type);

		verdict_polarity(v, type.ptr, node_polarity(type));
	}
}

static void node_not_ready(struct verdict *v, const struct condition *ready)
{
	bool was_up = str_is(ready->reason, "NodeStatusUnknown");	/* else the reason is NodeStatusNeverUpdated */
	bool young = !core_older_than(v, verdict_created(v), thresholds.young) && verdict_created(v) && !was_up;
	bool long_ago = core_older_than(v, ready->since, thresholds.pod_start_grace);

	if (young)
		core_by_condition(v, ready, PHASE_PROVISIONING, SEVERITY_INFO);
	else
		core_by_condition(v, ready, PHASE_FAILED,
				  long_ago ? SEVERITY_ERROR : SEVERITY_WARNING);
}

/*
 * Taints that keep pods away; taints for conditions and roles add nothing and are left out.  The first taint tells that
 * the controller of the cloud has not handled the node yet.
 */
static bool node_taints(struct verdict *v)
{
	bool uninitialized = false;

	json_foreach(taint, json_at(verdict_object(v), "spec.taints"))
	{
		struct str key = json_str(taint, "key");

		uninitialized |= str_is(key, "node.cloudprovider.kubernetes.io/uninitialized");
		if (key.len && !str_is(json_str(taint, "effect"), "PreferNoSchedule") &&
		    !str_starts(key, "node.kubernetes.io/") &&
		    !str_starts(key, "node-role.kubernetes.io/"))
			verdict_flag(v, "tainted");
	}
	return uninitialized;
}

static void node(struct verdict *v)
{
	const struct condition *ready = verdict_condition(v, "Ready"), *problem = node_problem(v);
	bool cordoned = json_bool(verdict_object(v), "spec.unschedulable", false);
	bool uninitialized = node_taints(v);
	/* this is what kubectl prints; it calls a node without heartbeats NotReady, too */
	const char *word = !ready ? "Unknown" : condition_is(ready, "True") ? "Ready" : "NotReady";

	node_polarities(v);
	if (!ready) {
		core_never_reconciled(v);
	} else if (!condition_is(ready, "True")) {
		node_not_ready(v, ready);
	} else if (uninitialized) {
		core_by_condition(v, ready, PHASE_PROVISIONING, SEVERITY_INFO);
		verdict_rule(v, STR("taint node.cloudprovider.kubernetes.io/uninitialized"));
	} else if (problem) {
		core_by_condition(v, problem, PHASE_DEGRADED, SEVERITY_WARNING);
	} else if (cordoned) {
		core_by_condition(v, ready, PHASE_SUSPENDED, SEVERITY_INFO);
		verdict_since(v, 0);
		verdict_rule(v, STR("spec.unschedulable"));
	} else {
		core_by_condition(v, ready, PHASE_READY, SEVERITY_NONE);
	}
	verdict_word(v, arena_printf(verdict_arena(v), "%s%s", word,
				     cordoned ? ",SchedulingDisabled" : ""));
	if (condition_is(ready, "True"))
		verdict_ever_ready(v);
}

/* ---- Namespace ----------------------------------------------------------- */

static const struct cond_rule namespace_rules[] = {
	{ "NamespaceDeletionDiscoveryFailure", "True", NULL, NULL, PHASE_DELETING,
	  SEVERITY_WARNING },
	{ "NamespaceDeletionGroupVersionParsingFailure", "True", NULL, NULL, PHASE_DELETING,
	  SEVERITY_WARNING },
	{ "NamespaceDeletionContentFailure", "True", NULL, NULL, PHASE_DELETING, SEVERITY_WARNING },
	{ "NamespaceFinalizersRemaining", "True", NULL, NULL, PHASE_DELETING, SEVERITY_INFO },
	{ "NamespaceContentRemaining", "True", NULL, NULL, PHASE_DELETING, SEVERITY_INFO },
	{ 0 }
};

/* "metrics.k8s.io/v1beta1: stale ..." names an APIService that keeps the namespace from being deleted. */
static void wait_for_apis(struct verdict *v, struct str message)
{
	struct str rest = message, word;

	while (str_split(&rest, ' ', &word)) {
		size_t slash = str_find(word, '/');
		struct str group = str_head(word, slash), version = str_from(word, slash + 1);

		if (slash == word.len || str_find(group, '.') == group.len ||
		    !str_starts(version, "v"))
			continue;
		while (version.len && (str_ends(version, ":") || str_ends(version, ",")))
			version.len--;
		verdict_waits_for(
			v, (struct ref){ .relation = RELATION_NEEDS,
					 .flags = REF_BLOCKS | REF_CLUSTER,
					 .group = STR("apiregistration.k8s.io"),
					 .kind = STR("APIService"),
					 .name = arena_printf(verdict_arena(v), STR_FMT "." STR_FMT,
							      STR_ARG(version), STR_ARG(group)),
					 .via = STR("status.conditions"),
					 .message = message });
	}
}

static void name_space(struct verdict *v)
{
	const struct condition *discovery =
		verdict_condition(v, "NamespaceDeletionDiscoveryFailure");
	struct str phase = json_str(verdict_object(v), "status.phase");

	if (str_is(phase, "Terminating") || verdict_deleting(v)) {
		verdict_set(v, PHASE_DELETING, SEVERITY_INFO, STR_NONE, STR_NONE);
		verdict_rule(v, STR("status.phase Terminating"));
		verdict_by_conditions(v, namespace_rules);
		if (condition_is(discovery, "True"))
			wait_for_apis(v, discovery->message);
		json_foreach(f, json_at(verdict_object(v), "spec.finalizers"))
			verdict_finalizer(v, json_str(f, ""));
		/* the namespace waits for what is left in it */
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
					     .flags = REF_CONTENTS | REF_CLUSTER,
					     .kind = STR("Namespace"),
					     .name = verdict_name(v),
					     .via = STR("metadata.name") });
	} else if (str_is(phase, "Active")) {
		core_ready(v, "status.phase Active");
	} else {
		core_never_reconciled(v);
	}
	verdict_word(v, phase);
}

/* ---- APIService ---------------------------------------------------------- */

/* Reasons of the aggregator that are about the Service, and not about the server behind it. */
static bool service_is_to_blame(struct str reason)
{
	return str_is(reason, "ServiceNotFound") || str_is(reason, "ServicePortError") ||
	       str_is(reason, "EndpointsNotFound") || str_is(reason, "MissingEndpoints");
}

static void wait_for_service(struct verdict *v, const struct condition *c)
{
	struct json service = json_at(verdict_object(v), "spec.service");
	bool missing = str_is(c->reason, "ServiceNotFound");

	verdict_waits_for(v, (struct ref){ .relation = RELATION_NEEDS,
					   .flags = REF_BLOCKS | (missing ? REF_REPORTED_MISSING : 0),
					   .kind = STR("Service"),
					   .ns = json_str(service, "namespace"),
					   .name = json_str(service, "name"),
					   .via = STR("spec.service"),
					   .message = c->message });
}

static void api_service(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "Available");
	int64_t created = verdict_created(v);
	bool young = created && !core_older_than(v, created, thresholds.young);

	if (!c) {
		core_never_reconciled(v);
	} else if (condition_is(c, "True")) {
		core_by_condition(v, c, PHASE_READY, SEVERITY_NONE);
	} else {
		/* it became False after its first report, so it was available before */
		bool lost = created && c->since > created + thresholds.young;
		bool named = service_is_to_blame(c->reason);
		bool never = named && (!lost || str_is(c->reason, "ServiceNotFound"));

		core_by_condition(v, c, young || never ? PHASE_PROVISIONING : PHASE_FAILED,
				  young && !named ? SEVERITY_INFO : SEVERITY_WARNING);
		if (never)
			wait_for_service(v, c);
	}
}

/* ---- CustomResourceDefinition, CertificateSigningRequest ----------------- */

static const struct cond_rule crd_rules[] = {
	{ "NamesAccepted", "False", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "NonStructuralSchema", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "Established", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ "Established", "False", "Installing", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Established", "False", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 }
};

static void definition(struct verdict *v)
{
	const struct condition *terminating = verdict_condition(v, "Terminating");
	struct json object = verdict_object(v);

	/* A definition was read without its body, while its kind is served: it is only asked whether it exists. */
	if (!json_has(object, "spec") && !json_has(object, "status"))
		core_ready(v, "its metadata: it is there");
	else if (condition_is(terminating, "True"))
		core_by_condition(v, terminating, PHASE_DELETING,
				  str_ends(terminating->reason, "Failed") ? SEVERITY_WARNING
									  : SEVERITY_INFO);
	else if (!verdict_by_conditions(v, crd_rules))
		core_never_reconciled(v);
}

static void signing_request(struct verdict *v)
{
	const struct condition *denied = verdict_condition(v, "Denied"),
			       *failed = verdict_condition(v, "Failed");
	const struct condition *approved = verdict_condition(v, "Approved");

	if (denied || failed) {
		core_by_condition(v, denied ? denied : failed, PHASE_FAILED, SEVERITY_ERROR);
		verdict_word(v, denied ? STR("Denied") : STR("Failed"));
	} else if (json_str(verdict_object(v), "status.certificate").len) {
		core_ready(v, "status.certificate is issued");
		verdict_word(v, STR("Approved,Issued"));
		verdict_complete(v);
	} else if (approved) {
		core_by_condition(v, approved, PHASE_PROVISIONING, SEVERITY_INFO);
		verdict_word(v, STR("Approved"));
	} else {
		verdict_set(v, PHASE_WAITING, SEVERITY_INFO, STR_NONE, STR_NONE);
		verdict_since(v, verdict_created(v));
		verdict_rule(v, STR("neither approved nor denied"));
		verdict_word(v, STR("Pending"));
		verdict_waits_external(v, (struct external_wait){ .state = WAIT_APPROVAL,
								  .kind = STR("Approval"),
								  .name = verdict_name(v) });
	}
}

/* ---- ResourceQuota, Lease ------------------------------------------------ */

static const struct {
	const char *suffix;
	double factor;
} quantity_units[] = {
	{ "Ki", 1024.0 },		{ "Mi", 1048576.0 },
	{ "Gi", 1073741824.0 },		{ "Ti", 1099511627776.0 },
	{ "Pi", 1125899906842624.0 },	{ "Ei", 1152921504606846976.0 },
	{ "n", 1e-9 },			{ "u", 1e-6 },
	{ "m", 1e-3 },			{ "k", 1e3 },
	{ "M", 1e6 },			{ "G", 1e9 },
	{ "T", 1e12 },			{ "P", 1e15 },
	{ "E", 1e18 },			{ "", 1 },
};

/* Reads "1500m", "4Gi", "2"; returns -1 when the text is no such quantity. */
static double quantity(struct str text)
{
	double value = 0, digit = 1;
	size_t n = 0, dot = text.len;

	for (; n < text.len && ((text.ptr[n] >= '0' && text.ptr[n] <= '9') || text.ptr[n] == '.');
	     n++) {
		if (text.ptr[n] == '.') {
			if (dot < text.len)
				return -1;
			dot = n;
			continue;
		}
		digit = n > dot ? digit / 10 : 1;
		value = n > dot ? value + digit * (text.ptr[n] - '0')
				: value * 10 + (text.ptr[n] - '0');
	}
	for (size_t i = 0; n && i < sizeof(quantity_units) / sizeof(quantity_units[0]); i++)
		if (str_is(str_from(text, n), quantity_units[i].suffix))
			return value * quantity_units[i].factor;
	return -1;
}

/* A limit of zero forbids something; it is not used up. */
static bool is_used_up(struct json hard, struct json used)
{
	double limit = quantity(json_str(hard, "")), now = quantity(json_str(used, ""));

	return limit > 0 && now >= limit;
}

/* Writes "pods=10,cpu=4,". */
static struct str quota_limits(struct verdict *v)
{
	struct buf text = { 0 };
	struct str limits;

	json_foreach(hard, json_at(verdict_object(v), "spec.hard"))
		BUF_JOIN(&text, json_key(hard), STR("="), json_str(hard, ""), STR(","));
	limits = arena_str(verdict_arena(v), buf_str(&text));
	buf_release(&text);
	return limits;
}

/*
 * Returns the member of used that belongs to the member of hard.  The API server writes both in the same order, so *at
 * is where it stands then; members in another order are searched for, up to a limit.
 */
static struct json used_of(struct json hard, struct json used, struct json *at, int *searches)
{
	struct json found = *at;

	if (!found.node || !str_eq(json_key(found), json_key(hard)))
		return (*searches)-- > 0 ? json_member(used, json_key(hard)) : JSON_NONE;
	*at = json_next(found);
	return found;
}

static void quota(struct verdict *v)
{
	struct json used = json_at(verdict_object(v), "status.used"), at = json_first(used);
	int searches = LIMIT_CONDITIONS;

	verdict_edited_by(v, quota_limits(v));
	if (!json_has(verdict_object(v), "status.hard") &&
	    json_has(verdict_object(v), "spec.hard")) {
		core_never_reconciled(v);
		return;
	}
	core_ready(v, "status.used is counted");
	json_foreach(hard, json_at(verdict_object(v), "status.hard"))
	{
		if (!is_used_up(hard, used_of(hard, used, &at, &searches)))
			continue;
		verdict_flag(v, "exhausted");
		verdict_rule(v, ARENA_JOIN(verdict_arena(v), STR("status.used."), json_key(hard), STR(" reaches status.hard")));
	}
}

/*
 * The holder of a lease renews it well within its duration; when the renewal is much older, the holder does not run any
 * more.
 */
static void lease(struct verdict *v)
{
	int64_t renewed = json_time(verdict_object(v), "spec.renewTime");
	int64_t duration = json_int(verdict_object(v), "spec.leaseDurationSeconds", 0);
	struct str holder = json_str(verdict_object(v), "spec.holderIdentity");
	size_t end = str_find(holder, '_');

	if (end < holder.len)	/* the leader election of client-go names a holder by its host and a random suffix */
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
					     .kind = STR("Pod"),
					     .name = str_head(holder, end),
					     .via = STR("spec.holderIdentity") });
	core_ready(v, "a kind without status");
	/* each renewal is an event that sets a later time */
	if (renewed && duration > 0 && duration < 86400)
		verdict_revisit(v, renewed + SECONDS(duration) + 1);
	if (renewed && duration > 0 && duration < 86400 &&
	    verdict_now(v) - renewed > SECONDS(duration)) {
		verdict_flag(v, "expired");
		verdict_since(v, renewed + SECONDS(duration));
	}
}

static const struct cond_rule flow_rules[] = {
	{ "Dangling", "True", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING }, { 0 }
};

static void flow_schema(struct verdict *v)
{
	core_ready(v, "no trouble reported");
	verdict_polarity(v, "Dangling", POLARITY_NEGATIVE);
	verdict_by_conditions(v, flow_rules);
}

/* Expressions that the API server cannot compile fail when they are evaluated. */
static void admission_policy(struct verdict *v)
{
	struct json warning = json_first(json_at(
		verdict_object(v), "status.typeChecking.expressionWarnings"));

	core_ready(v, "no warning about its expressions");
	if (!json_is_object(warning))
		return;
	verdict_set(v, PHASE_DEGRADED, SEVERITY_WARNING, STR_NONE, json_str(warning, "warning"));
	verdict_rule(v, ARENA_JOIN(verdict_arena(v), STR("status.typeChecking: "), json_str(warning, "fieldRef")));
}

/* Kinds whose status says nothing about their health. */
static void always_ready(struct verdict *v)
{
	core_ready(v, "its status is not about health");
}

const struct core_kind core_cluster_kinds[] = { { "Node", node },
						{ "Namespace", name_space },
						{ "APIService", api_service },
						{ "CustomResourceDefinition", definition },
						{ "CertificateSigningRequest", signing_request },
						{ "ResourceQuota", quota },
						{ "Lease", lease },
						{ "FlowSchema", flow_schema },
						{ "PriorityLevelConfiguration", always_ready },
						{ "ValidatingAdmissionPolicy", admission_policy },
						{ "MutatingAdmissionPolicy", always_ready },
						{ "NetworkPolicy", always_ready },
						{ "ClusterRole", always_ready },
						{ 0 } };
