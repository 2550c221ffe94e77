/* SPDX-License-Identifier: Apache-2.0 */
/* The Prometheus operator: monitors and rules are read by others. */
#include "kube/family/generic/generic.h"

#include "kube/status/thresholds.h"

static const struct cond_rule server[] = {
	{ "Reconciled", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "Available", "Degraded", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ 0 },
};

/* No pod at all is a start, and trouble when it lasts. */
static void server_more(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "Available");

	if (verdict_phase(v) != PHASE_PROVISIONING || !condition_is(c, "False"))
		return;
	if (!c->since || verdict_now(v) - c->since < thresholds.pod_start_grace) {
		verdict_revisit(v, c->since + thresholds.pod_start_grace);
		return;
	}
	verdict_set(v, PHASE_FAILED, SEVERITY_WARNING, c->reason, c->message);
}

static const struct generic_kind rows[] = {
	{ .kind = "Prometheus", .conditions = server, .more = server_more },
	{ .kind = "PrometheusAgent", .conditions = server, .more = server_more },
	{ .kind = "Alertmanager", .conditions = server, .more = server_more },
	{ .kind = "ThanosRuler", .conditions = server, .more = server_more },
	{ .kind = "PrometheusRule", .static_kind = true },
	{ .kind = "ServiceMonitor", .static_kind = true },
	{ .kind = "PodMonitor", .static_kind = true },
	{ .kind = "Probe", .static_kind = true },
	{ .kind = "ScrapeConfig", .static_kind = true },
	{ .kind = "AlertmanagerConfig", .static_kind = true },
	{ 0 },
};

static const char *const groups[] = { "monitoring.coreos.com", NULL };

static void inspect(struct verdict *v)
{
	generic_inspect(v, rows);
}

const struct family family_prometheus = {
	.name = "generic",
	.id = "prometheus",
	.title = "Prometheus operator",
	.groups = groups,
	.inspect = inspect,
};
