/* SPDX-License-Identifier: Apache-2.0 */
/* Knative: what has no traffic may sleep; a service is what its revision is. */
#include "kube/family/generic/generic.h"

static const struct ref_rule refs[] = {
	{ "Service", "status.latestCreatedRevisionName", NULL, "Revision", RELATION_MANAGES, 0,
	  NULL },
	{ "Configuration", "status.latestCreatedRevisionName", NULL, "Revision", RELATION_MANAGES,
	  0, NULL },
	{ "Route", "status.traffic[].revisionName", NULL, "Revision", RELATION_NEEDS, REF_BLOCKS,
	  NULL },
	{ "Trigger", "spec.broker", NULL, "Broker", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ "Subscription", "spec.channel", "messaging.knative.dev", "Channel", RELATION_NEEDS,
	  REF_BLOCKS, NULL },
	{ "DomainMapping", "spec.ref", NULL, "Service", RELATION_NEEDS, REF_BLOCKS, NULL },
	{ 0 },
};

static const struct generic_kind rows[] = {
	{ .kind = "Image", .static_kind = true },
	{ .kind = "EventType", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "serving.knative.dev", "eventing.knative.dev",
				      "messaging.knative.dev", "sources.knative.dev",
				      "caching.internal.knative.dev", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_knative = {
	.name = "generic",
	.id = "knative",
	.title = "Knative",
	.groups = groups,
	.refs = refs,
	.inspect = inspect,
};
