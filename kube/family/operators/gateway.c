/* SPDX-License-Identifier: Apache-2.0 */
/* Gateway API: routes wait for gateways, gateways for their class and for an address. */
#include "kube/family/generic/generic.h"

#define GROUP "gateway.networking.k8s.io"

static const struct ref_rule refs[] = {
	{ NULL, "spec.parentRefs[]", GROUP, "Gateway", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ NULL, "spec.rules[].backendRefs[]", "", "Service", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	{ "Gateway", "spec.gatewayClassName", GROUP, "GatewayClass", RELATION_NEEDS,
	  REF_BLOCKS | REF_CLUSTER, NULL },
	{ "Gateway", "spec.listeners[].tls.certificateRefs[]", "", "Secret", RELATION_NEEDS,
	  REF_BLOCKS | REF_EXISTS, NULL },
	{ 0 },
};

/* Somebody outside has to give it an address. */
static void gateway_more(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "Programmed");

	if (verdict_phase(v) != PHASE_PROVISIONING || !condition_is(c, "False") ||
	    !str_is(c->reason, "AddressNotAssigned"))
		return;
	verdict_waits_external(v, (struct external_wait){ .state = WAIT_EXTERNAL,
							  .kind = STR("Address"),
							  .name = verdict_name(v),
							  .via = STR("status.addresses"),
							  .message = c->message });
}

static const struct generic_kind rows[] = {
	{ .kind = "Gateway", .more = gateway_more },
	{ .kind = "ReferenceGrant", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { GROUP, "*." GROUP, NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_gateway = {
	.name = "generic",
	.id = "gateway",
	.title = "Gateway API",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
};
