/* SPDX-License-Identifier: Apache-2.0 */
/* cert-manager: certificates wait for issuers, orders for challenges, challenges for the world. */
#include "kube/family/generic/generic.h"

#define GROUP "cert-manager.io"

/* an Issuer or a ClusterIssuer */
#define ISSUER(kind) \
	{ kind, "spec.issuerRef", GROUP, "Issuer", RELATION_NEEDS, REF_BLOCKS | REF_CLUSTER_TWIN, NULL }

static const struct ref_rule refs[] = {
	ISSUER("Certificate"),
	ISSUER("CertificateRequest"),
	ISSUER("Order"),
	ISSUER("Challenge"),
	/* it makes this one */
	{ "Certificate", "spec.secretName", "", "Secret", RELATION_MANAGES, REF_EXISTS, NULL },
	{ 0 },
};

static const struct cond_rule request[] = {
	{ "Denied", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "InvalidRequest", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Ready", "False", "Failed", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Ready", "False", "Pending", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 },
};

/* The words of ACME itself (RFC 8555): "ready" is not the end of an order. */
static const struct word_rule acme[] = {
	{ "valid", NULL, PHASE_READY, SEVERITY_NONE },
	{ "pending", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "ready", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "processing", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "invalid", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "expired", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "errored", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ 0 },
};

/* Nobody signs what nobody approved. */
static void request_more(struct verdict *v)
{
	if (verdict_phase(v) != PHASE_PROVISIONING || verdict_condition(v, "Approved"))
		return;
	verdict_waits_external(v, (struct external_wait){ .state = WAIT_APPROVAL,
							  .kind = STR("CertificateRequest"),
							  .name = verdict_name(v),
							  .via = STR("status.conditions") });
}

/* Presented: now the authority must see it, in DNS or over HTTP. */
static void challenge_more(struct verdict *v)
{
	struct json object = verdict_object(v);

	if (verdict_phase(v) != PHASE_PROVISIONING || !json_bool(object, "status.presented", false))
		return;
	verdict_waits_external(
		v, (struct external_wait){ .state = WAIT_EXTERNAL,
					   .kind = json_str(object, "spec.type"),
					   .name = json_str(object, "spec.dnsName"),
					   .via = STR("spec.dnsName"),
					   .message = json_str(object, "status.reason") });
}

static const struct generic_kind rows[] = {
	{ .kind = "CertificateRequest", .conditions = request, .more = request_more },
	{ .kind = "Order", .word = "status.state", .words = acme },
	{ .kind = "Challenge", .word = "status.state", .words = acme, .more = challenge_more },
	{ 0 },
};

static const char *const groups[] = { GROUP, "acme." GROUP, NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ NULL, NULL, "cert-manager", "cert-manager", NULL },
	{ 0 },
};

const struct family family_certmanager = {
	.name = "generic",
	.id = "certmanager",
	.title = "cert-manager",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
	.controllers = controllers,
};
