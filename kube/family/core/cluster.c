/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces, and extensions of the API: APIService, CRD, CSR, leases. */
#include "kube/family/core/core.h"
#include "kube/evidence/leads.h"

#include "kube/status/thresholds.h"

/* ---- Namespace ----------------------------------------------------------- */

enum { GOES = 1 };

static const struct row namespace_rows[] = {
	{ "what is in it cannot be found out", .is = GOES, .type = "NamespaceDeletionDiscoveryFailure", .status = "True",
	  .then = OUTCOME_DELETION, .flags = RETRIED },
	{ "the versions of what is in it cannot be read", .is = GOES, .type = "NamespaceDeletionGroupVersionParsingFailure", .status = "True",
	  .then = OUTCOME_DELETION, .flags = RETRIED },
	{ "something in it cannot be deleted", .is = GOES, .type = "NamespaceDeletionContentFailure", .status = "True",
	  .then = OUTCOME_DELETION, .flags = RETRIED },
	{ "finalizers hold what is in it", .is = GOES, .type = "NamespaceFinalizersRemaining", .status = "True", .then = OUTCOME_DELETION },
	{ "something in it is left", .is = GOES, .type = "NamespaceContentRemaining", .status = "True", .then = OUTCOME_DELETION },
	{ "the namespace is being deleted", .is = GOES, .then = OUTCOME_DELETION, .rule = "status.phase Terminating" },
	{ "the namespace is active", .word = "Active", .then = OUTCOME_READY, .rule = "status.phase Active" },
	{ "nobody has written a phase", .then = OUTCOME_SILENCE },
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
			v, (struct ref){ .flags = REF_BLOCKS | REF_CLUSTER,
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
	bool goes = str_is(phase, "Terminating") || verdict_deleting(v);
	struct reading r = { .v = v, .is = goes ? GOES : 0, .word = phase };

	table_decide(&r, namespace_rows);
	verdict_word(v, phase);
	if (!goes)
		return;
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
}

/* ---- APIService ---------------------------------------------------------- */

/* Reasons of the aggregator that are about the Service, and not about the server behind it. */
static bool service_is_to_blame(struct str reason)
{
	return str_is(reason, "ServiceNotFound") || str_is(reason, "ServicePortError") ||
	       str_is(reason, "EndpointsNotFound") || str_is(reason, "MissingEndpoints");
}

static void wait_for_service(struct reading *r)
{
	struct verdict *v = r->v;
	const struct condition *c = r->condition;
	struct json service = json_at(verdict_object(v), "spec.service");
	bool missing = str_is(c->reason, "ServiceNotFound");

	verdict_waits_for(v, (struct ref){ .flags = REF_BLOCKS | (missing ? REF_REPORTED_MISSING : 0),
					   .kind = STR("Service"),
					   .ns = json_str(service, "namespace"),
					   .name = json_str(service, "name"),
					   .via = STR("spec.service"),
					   .message = c->message });
}

enum { REPORTED = 1, BEHIND = 2, NEVER = 4, YOUNG = 8, GONE = 16 };	/* BEHIND: the Service is to blame */

static bool api_ca_has_expired(struct reading *r)
{
	return core_ca_has_expired(r, json_str(verdict_object(r->v), "spec.caBundle"));
}

static const struct row api_service_rows[] = {
	{ "nobody has called it yet", .not = REPORTED, .then = OUTCOME_SILENCE },
	{ "the CA by which the API server knows it has expired", .type = "Available", .status = "True", .holds = api_ca_has_expired,
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flag = "contradiction", .rule = "the certificates of caBundle have expired" },
	{ "it can be called", .type = "Available", .status = "True", .then = OUTCOME_READY },
	{ "its Service has no such port", .type = "Available", .status = "False", .reason = "ServicePortError", .not = YOUNG,
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flag = "contradiction" },
	{ "its Service does not serve any more", .is = BEHIND, .not = NEVER, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = RETRIED,
	  .tell = wait_for_service },
	{ "its Service is not there", .is = GONE, .not = YOUNG, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = RETRIED,
	  .tell = wait_for_service },
	{ "its Service never served", .is = BEHIND, .then = OUTCOME_MOVEMENT, .flags = RETRIED, .tell = wait_for_service },
	{ "its server has only just been made", .is = YOUNG, .then = OUTCOME_MOVEMENT },
	{ "it cannot be called", .then = OUTCOME_TROUBLE },
	{ 0 }
};

static void api_service(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "Available");
	int64_t created = verdict_created(v);
	struct reading r = { .v = v, .condition = c };

	if (created && !core_older_than(v, created, thresholds.young))
		r.is |= YOUNG;
	/* False since its first report, or nobody knows since when: it was never seen to be available */
	if (c && (!created || c->since <= created + thresholds.young))
		r.is |= NEVER;
	if (c && service_is_to_blame(c->reason))
		r.is |= BEHIND;
	if (c && str_is(c->reason, "ServiceNotFound"))
		r.is |= GONE;
	r.is |= c ? REPORTED : 0;
	table_decide(&r, api_service_rows);
}

/* ---- CustomResourceDefinition, CertificateSigningRequest ----------------- */

enum { BODILESS = 1, ISSUED = 2 };

static bool crd_ca_has_expired(struct reading *r)
{
	return core_ca_has_expired(r, json_str(verdict_object(r->v), "spec.conversion.webhook.clientConfig.caBundle"));
}

static const struct row definition_rows[] = {
	/* a definition was read without its body, while its kind is served: it is only asked whether it exists */
	{ "only its metadata was read", .is = BODILESS, .then = OUTCOME_READY, .rule = "its metadata: it is there" },
	{ "its objects cannot be deleted", .type = "Terminating", .status = "True", .reason = "InstanceDeletionFailed", .then = OUTCOME_DELETION,
	  .flags = RETRIED },
	{ "its objects are being deleted", .type = "Terminating", .status = "True", .then = OUTCOME_DELETION },
	{ "another definition has one of its names", .type = "NamesAccepted", .status = "False", .then = OUTCOME_TROUBLE, .flags = FINAL | NAMES_ONLY },
	{ "its schema is not structural", .type = "NonStructuralSchema", .status = "True", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .flags = NAMES_ONLY },
	{ "the CA of its conversion webhook has expired", .type = "Established", .status = "True", .holds = crd_ca_has_expired,
	  .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = NAMES_ONLY, .flag = "contradiction",
	  .rule = "the certificates of caBundle have expired" },
	{ "its kind is served", .type = "Established", .status = "True", .then = OUTCOME_READY, .flags = NAMES_ONLY },
	{ "its kind is being installed", .type = "Established", .status = "False", .reason = "Installing", .then = OUTCOME_MOVEMENT,
	  .flags = NAMES_ONLY },
	{ "its kind is not served", .type = "Established", .status = "False", .then = OUTCOME_TROUBLE, .flags = FINAL | NAMES_ONLY },
	{ "the API server has not looked at it", .then = OUTCOME_SILENCE },
	{ 0 }
};

static void definition(struct verdict *v)
{
	struct json object = verdict_object(v);
	struct reading r = { .v = v, .is = !json_has(object, "spec") && !json_has(object, "status") ? BODILESS : 0 };

	table_decide(&r, definition_rows);
}

static void wait_for_approval(struct reading *r)
{
	verdict_waits_external(r->v, (struct external_wait){ .state = WAIT_APPROVAL, .kind = STR("Approval"), .name = verdict_name(r->v),
							 .via = STR("status.conditions") });
}

static const struct row request_rows[] = {
	{ "the request was denied", .type = "Denied", .then = OUTCOME_TROUBLE, .flags = FINAL, .says = "Denied" },
	{ "the request has failed", .type = "Failed", .then = OUTCOME_TROUBLE, .flags = FINAL, .says = "Failed" },
	{ "the certificate is issued", .is = ISSUED, .then = OUTCOME_READY, .flags = COMPLETE, .says = "Approved,Issued",
	  .rule = "status.certificate is issued" },
	{ "the request is approved, and its certificate not made yet", .type = "Approved", .then = OUTCOME_MOVEMENT, .says = "Approved" },
	{ "nobody has approved or denied the request", .then = OUTCOME_WAIT, .flags = SINCE_CREATED, .says = "Pending",
	  .rule = "neither approved nor denied", .tell = wait_for_approval },
	{ 0 }
};

static void signing_request(struct verdict *v)
{
	struct reading r = { .v = v, .is = json_str(verdict_object(v), "status.certificate").len ? ISSUED : 0 };

	table_decide(&r, request_rows);
}

/* ---- Lease ---------------------------------------------------------------------- */

enum { RENEWALS_MISSED = 5 };	/* a holder renews several times within the duration */

/* kubernetes cmd/kube-scheduler, cmd/kube-controller-manager: they work only while they hold their lease. */
static bool is_of_control_plane(struct verdict *v)
{
	static const char *const names[] = { "kube-scheduler", "kube-controller-manager", NULL };

	return str_is(verdict_namespace(v), "kube-system") && str_is_any(verdict_name(v), names);
}

/* The leader election of client-go names a holder by its host, which is the pod or its node, and a random suffix. */
static void holder_of_lease(struct verdict *v, struct str host)
{
	struct ref pod = { .relation = RELATION_NEEDS, .kind = STR("Pod"), .name = host, .via = STR("spec.holderIdentity") };

	verdict_ref(v, pod);
	if (!is_of_control_plane(v))
		return;
	pod.name = ARENA_JOIN(verdict_arena(v), verdict_name(v), STR("-"), host);
	pod.flags = REF_IF_FOUND;
	verdict_ref(v, pod);
}

static void refs_of_leader(struct verdict *v, struct str holder)
{
	size_t end = str_find(holder, '_');

	if (end < holder.len)
		holder_of_lease(v, str_head(holder, end));
	else	/* kubernetes-csi/csi-lib-utils leaderelection: the name of the pod alone */
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN | REF_IF_FOUND, .kind = STR("Pod"), .name = holder,
					     .via = STR("spec.holderIdentity") });
	verdict_ref(v, (struct ref){ .relation = RELATION_MANAGES, .flags = REF_HIDDEN, .kind = STR(CORE_LOCK), .name = verdict_name(v),
				     .via = STR("metadata.name") });
}

enum { EXPIRED = 1, OF_CONTROL_PLANE = 2 };

static void of_its_holder(struct reading *r)
{
	struct str holder = json_str(verdict_object(r->v), "spec.holderIdentity");

	r->message = ARENA_JOIN(verdict_arena(r->v), verdict_name(r->v), STR(" does not work: "), str_head(holder, str_find(holder, '_')),
				STR(" has stopped renewing the lease that it holds"));
}

static const struct row lease_rows[] = {
	{ "a part of the control plane does not renew its lease", .is = EXPIRED | OF_CONTROL_PLANE, .then = OUTCOME_TROUBLE,
	  .rule = "spec.renewTime is older than five times spec.leaseDurationSeconds", .tell = of_its_holder },
	{ "the lease is there", .then = OUTCOME_READY, .rule = "a kind without status" },
	{ 0 }
};

/* When the renewal is much older than the duration, the holder does not run any more. */
static void lease(struct verdict *v)
{
	int64_t renewed = json_time(verdict_object(v), "spec.renewTime");
	int64_t duration = json_int(verdict_object(v), "spec.leaseDurationSeconds", 0);
	struct str holder = json_str(verdict_object(v), "spec.holderIdentity");
	int64_t limit = renewed + RENEWALS_MISSED * SECONDS(duration);
	struct reading r = { .v = v };

	if (str_is(verdict_namespace(v), "kube-node-lease"))
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN | REF_CLUSTER | REF_IF_FOUND, .kind = STR("Node"),
					     .name = verdict_name(v), .via = STR("metadata.name") });
	else
		refs_of_leader(v, holder);
	if (renewed && duration > 0 && duration < 86400) {
		/* each renewal is an event that sets a later time */
		verdict_revisit(v, limit + 1);
		verdict_revisit(v, renewed + thresholds.lease_forgotten);
		r.is = verdict_now(v) > limit ? EXPIRED : 0;
	}
	if (r.is) {
		verdict_flag(v, "expired");
		r.since = renewed + SECONDS(duration);
	}
	if (is_of_control_plane(v) && verdict_now(v) - renewed < thresholds.lease_forgotten)
		r.is |= OF_CONTROL_PLANE;
	table_decide(&r, lease_rows);
}

/* The pod that holds the lease tells why it does not renew it. */
static void lease_and_its_holder(struct assessment *d)
{
	struct neighbour n;

	for (size_t at = 0; assess_status(d)->phase == PHASE_FAILED && assess_next_target(d, "Pod", &at, &n);)
		if (n.presence == PRESENCE_FOUND && n.status.phase != PHASE_READY)
			assess_wait_for(d, &n);
}

/* ---- kinds with little to tell --------------------------------------------------- */

static const struct row flow_rows[] = {
	{ "its priority level does not exist", .type = "Dangling", .status = "True", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .flags = NAMES_ONLY },
	{ "no trouble is reported of it", .then = OUTCOME_READY, .rule = "no trouble reported" },
	{ 0 }
};

static void flow_schema(struct verdict *v)
{
	struct reading r = { .v = v };

	verdict_polarity(v, "Dangling", POLARITY_NEGATIVE);
	table_decide(&r, flow_rows);
}

/* Expressions that the API server cannot compile fail when they are evaluated. */
static bool has_wrong_expression(struct reading *r)
{
	struct json warning = json_first(json_at(verdict_object(r->v), "status.typeChecking.expressionWarnings"));

	r->message = json_str(warning, "warning");
	r->rule = ARENA_JOIN(verdict_arena(r->v), STR("status.typeChecking: "), json_str(warning, "fieldRef"));
	return json_is_object(warning);
}

static const struct row policy_rows[] = {
	{ "one of its expressions is wrong", .holds = has_wrong_expression, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "its expressions are right", .then = OUTCOME_READY, .rule = "no warning about its expressions" },
	{ 0 }
};

static void admission_policy(struct verdict *v)
{
	struct reading r = { .v = v };

	table_decide(&r, policy_rows);
}

/* k8s.io/api core/v1 ComponentStatus: its conditions stand beside its metadata. */
static bool is_unhealthy(struct reading *r)
{
	json_foreach(c, json_at(verdict_object(r->v), "conditions"))
		if (str_is(json_str(c, "type"), "Healthy") && !str_is(json_str(c, "status"), "True")) {
			r->message = json_str(c, json_str(c, "message").len ? "message" : "error");
			return true;
		}
	return false;
}

static const struct row component_rows[] = {
	{ "it does not answer its health check", .holds = is_unhealthy, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .rule = "conditions: Healthy" },
	{ "it answers its health check", .then = OUTCOME_READY, .rule = "conditions: Healthy" },
	{ 0 }
};

static void component(struct verdict *v)
{
	struct reading r = { .v = v };

	table_decide(&r, component_rows);
}

/* Kinds whose status says nothing about their health. */
static void always_ready(struct verdict *v)
{
	core_is_there(v, "its status is not about health");
}

enum { REMAINING_LOOKED_AT = 200 }; /* objects that are examined in a namespace that is being deleted */

/* ---- namespaces that go -------------------------------------------------- */

static const struct condition *remaining(const struct status *st, const char *type)
{
	const struct condition *c = status_condition(st, type);

	return condition_is(c, "True") ? c : NULL;
}

/*
 * k8s.io/kubernetes pkg/controller/namespace/deletion/status_condition_utils.go:
 * "Some content in the namespace has finalizers remaining: a.b/c in 2 resource instances, ..."
 */
static void wait_for_finalizers(struct assessment *d, const struct condition *c)
{
	size_t at = str_find_str(c->message, "remaining: ");
	struct str rest = str_from(c->message, at + str_of("remaining: ").len), one, name;

	while (at < c->message.len && str_split(&rest, ',', &one)) {
		one = str_trim(one);
		if (!str_split(&one, ' ', &name) || name.len == 0)
			continue;
		assess_wait_external(d, (struct external_wait){ .state = WAIT_FINALIZER,
								.kind = STR("Finalizer"),
								.name = name,
								.via = STR("status.conditions"),
								.message = c->message });
	}
}

/* The deletion of the namespace was refused, perhaps by a webhook: finds what protects it. */
static struct str words_of_refused(struct assessment *d, const struct neighbour *content)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, content, i, &n); i++)
		if (n.relation == RELATION_GUARDS && n.guard.len == 0 &&
		    n.presence == PRESENCE_FOUND)
			return arena_printf(assess_arena(d),
					    "is still there: " STR_FMT "/" STR_FMT " protects it",
					    STR_ARG(n.kind->kind), STR_ARG(n.name));
	return STR("is still there");
}

/*
 * The namespace waits for every object in it that is still there, also one whose deletion is refused; where objects are
 * not seen, for what its status says of them.
 */
static void namespace_and_its_contents(struct assessment *d)
{
	const struct condition *finalizers = remaining(assess_status(d), "NamespaceFinalizersRemaining");
	bool refused = remaining(assess_status(d), "NamespaceDeletionContentFailure");
	bool seen = false;
	size_t left = REMAINING_LOOKED_AT;
	struct neighbour n;

	if (assess_status(d)->phase != PHASE_DELETING)
		return;
	for (size_t i = 0; left && assess_content(d, i, &n); i++, left--) {
		if (!n.deleting && refused)
			assess_wait(d, &n, WAIT_FINALIZER, words_of_refused(d, &n));
		if (!n.deleting)
			continue;
		/* what nothing holds is deleted in a moment */
		assess_revisit(d, n.deleting + thresholds.young);
		if (n.status.nfinalizers == 0 && assess_now(d) - n.deleting < thresholds.young)
			continue;
		assess_wait(d, &n, WAIT_DELETING, STR("is still being deleted"));
		seen |= n.status.nfinalizers > 0;
	}
	if (finalizers && !seen)
		wait_for_finalizers(d, finalizers);
}

/* The APIService is not available any more, and neither is the Service that it calls. */
static void api_service_and_its_service(struct assessment *d)
{
	core_waits_for_broken(d, "Service");
}

const struct core_kind core_cluster_kinds[] = {
	{ .kind = "Namespace", .inspect = name_space, .assess = namespace_and_its_contents },
	{ .kind = "APIService", .inspect = api_service, .assess = api_service_and_its_service },
	{ .kind = "CustomResourceDefinition", .inspect = definition, .assess = leads_to_services },
	{ .kind = "CertificateSigningRequest", .inspect = signing_request },
	{ .kind = "Lease", .inspect = lease, .assess = lease_and_its_holder },
	{ .kind = "FlowSchema", .inspect = flow_schema },
	{ .kind = "ComponentStatus", .inspect = component },
	{ .kind = "PriorityLevelConfiguration", .inspect = always_ready },
	{ .kind = "ValidatingAdmissionPolicy", .inspect = admission_policy },
	{ .kind = "MutatingAdmissionPolicy", .inspect = always_ready },
	{ .kind = "NetworkPolicy", .inspect = always_ready },
	{ .kind = "ClusterRole", .inspect = always_ready },
	{ 0 }
};
