/* SPDX-License-Identifier: Apache-2.0 */
/* Strimzi: topics, users and connectors belong to a cluster by a label. */
#include "kube/family/generic/generic.h"

#define GROUP "kafka.strimzi.io"

/* The type of the one condition that is True is the state. */
static const struct cond_rule rebalance[] = {
	{ "ReconciliationPaused", "True", NULL, NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "NotReady", "True", NULL, NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "Stopped", "True", NULL, NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "Rebalancing", "True", NULL, NULL, PHASE_MAINTENANCE, SEVERITY_INFO },
	{ "ProposalReady", "True", NULL, NULL, PHASE_WAITING, SEVERITY_INFO },
	{ "PendingProposal", "True", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "New", "True", NULL, NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ "Ready", "True", NULL, NULL, PHASE_READY, SEVERITY_NONE },
	{ 0 },
};

/* Only its reason says whether a cluster is being made or in trouble. */
static const struct cond_rule cluster[] = {
	{ "ReconciliationPaused", "True", NULL, NULL, PHASE_SUSPENDED, SEVERITY_INFO },
	{ "NotReady", "True", "Creating", NULL, PHASE_PROVISIONING, SEVERITY_INFO },
	{ 0 },
};

static void rebalance_more(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "ProposalReady");

	if (verdict_phase(v) != PHASE_WAITING || !condition_is(c, "True"))
		return;
	verdict_waits_external(v, (struct external_wait){
					  .state = WAIT_APPROVAL,
					  .kind = STR("KafkaRebalance"),
					  .name = verdict_name(v),
					  .via = STR("metadata.annotations") });
}

static void member_more(struct verdict *v)
{
	bool connector = str_is(verdict_kind(v)->kind, "KafkaConnector");

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_BLOCKS,
				     .group = STR(GROUP),
				     .kind = connector ? STR("KafkaConnect") : STR("Kafka"),
				     .name = generic_label(v, "strimzi.io/cluster"),
				     .via = STR("metadata.labels['strimzi.io/cluster']") });
}

static const struct generic_kind rows[] = {
	{ .kind = "KafkaRebalance", .conditions = rebalance, .more = rebalance_more },
	{ .kind = "KafkaRebalance", .more = member_more },
	{ .kind = "KafkaTopic", .more = member_more },
	{ .kind = "KafkaUser", .more = member_more },
	{ .kind = "KafkaConnector", .more = member_more },
	/* the Kafka that it belongs to speaks for it */
	{ .kind = "KafkaNodePool", .more = member_more, .static_kind = true },
	{ .conditions = cluster },
	{ 0 },
};

static const char *const groups[] = { GROUP, "core.strimzi.io", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

static const struct controller_rule controllers[] = {
	{ NULL, NULL, "kafka", "strimzi-cluster-operator", NULL },
	{ 0 },
};

const struct family family_strimzi = {
	.name = "generic",
	.id = "strimzi",
	.title = "Strimzi",
	.groups = groups,
	.refs = NULL,
	.inspect = inspect,
	.controllers = controllers,
};
