/* SPDX-License-Identifier: Apache-2.0 */
/* Services and the kinds that lead to them; autoscalers and disruption budgets. */
#include "kube/family/core/core.h"
#include "kube/family/common/pod_selector.h"

#include "kube/status/thresholds.h"

/* ---- Service, Ingress ---------------------------------------------------- */

/* A cloud, or a controller that is not seen here, gives the addresses. */
static void wait_for_address(struct verdict *v, struct str kind)
{
	verdict_set(v, PHASE_WAITING, SEVERITY_INFO, STR_NONE, STR_NONE);
	verdict_since(v, verdict_created(v));
	verdict_rule(v, STR("status.loadBalancer.ingress is empty"));
	verdict_waits_external(v,
			       (struct external_wait){ .state = WAIT_EXTERNAL,
						       .kind = kind,
						       .name = STR("address"),
						       .via = STR("status.loadBalancer.ingress") });
}

static bool has_address(struct verdict *v)
{
	return json_count(json_at(verdict_object(v), "status.loadBalancer.ingress")) > 0;
}

/* Controllers of load balancers report ports that they could not open. */
static bool load_balancer_fails(struct verdict *v)
{
	const struct condition *c = verdict_condition(v, "LoadBalancerPortsError");

	if (condition_is(c, "True")) {
		core_by_condition(v, c, PHASE_DEGRADED, SEVERITY_WARNING);
		return true;
	}
	json_foreach(address, json_at(verdict_object(v), "status.loadBalancer.ingress"))
		json_foreach(port, json_at(address, "ports")) if (json_str(port, "error").len)
	{
		verdict_set(v, PHASE_DEGRADED, SEVERITY_WARNING, json_str(port, "error"), STR_NONE);
		verdict_rule(v, STR("status.loadBalancer.ingress[].ports[].error"));
		return true;
	}
	return false;
}

static void service(struct verdict *v)
{
	struct json object = verdict_object(v), selector = json_at(object, "spec.selector");

	if (json_is_object(selector) && json_count(selector) > 0 &&
	    !str_is(json_str(object, "spec.type"), "ExternalName")) {
		verdict_flag(v, "selects-pods");
		selector_refers(v, selector, STR("spec.selector"));
	}
	if (load_balancer_fails(v))
		return;
	if (str_is(json_str(object, "spec.type"), "LoadBalancer") && !has_address(v))
		wait_for_address(v, STR("LoadBalancer"));
	else
		core_ready(v, "a Service needs nothing more");
}

static void ingress(struct verdict *v)
{
	if (has_address(v))
		core_ready(v, "status.loadBalancer.ingress has an address");
	else
		wait_for_address(v, STR("IngressController"));
}

/* By these references the Service finds those of its pods that do not serve. */
static void pod_not_serving(struct verdict *v, struct json target, const char *via)
{
	if (str_is(json_str(target, "kind"), "Pod"))
		verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
					     .kind = STR("Pod"),
					     .name = json_str(target, "name"),
					     .via = str_of(via) });
}

/* Returns the Service of these addresses; slices that were written by hand have no owner. */
static void addresses_of(struct verdict *v, struct str service, const char *via)
{
	json_foreach(owner, json_at(verdict_object(v), "metadata.ownerReferences"))
		if (str_is(json_str(owner, "kind"), "Service"))
			return;
	verdict_ref(v, (struct ref){ .relation = RELATION_OWNS,
				     .kind = STR("Service"),
				     .name = service,
				     .via = str_of(via) });
}

/* A slice has no status: its endpoints are counted for the Service that owns it. */
static void endpoint_slice(struct verdict *v)
{
	int all = 0, ready = 0;

	addresses_of(v,
		     json_str(verdict_object(v),
			      "metadata.labels['kubernetes.io/service-name']"),
		     "metadata.labels['kubernetes.io/service-name']");
	json_foreach(endpoint, json_at(verdict_object(v), "endpoints"))
	{
		/* an absent value means yes */
		bool is_ready = json_bool(endpoint, "conditions.ready", true);

		all++;
		ready += is_ready;
		if (!is_ready)
			pod_not_serving(v, json_at(endpoint, "targetRef"), "endpoints[].targetRef");
	}
	verdict_replicas(v, (struct replicas){ all, ready, -1, -1 });
	core_ready(v, "a kind without status");
}

/*
 * Endpoints, the older form, belong to the Service of their name; some components use empty ones for leader election.
 */
static void endpoints(struct verdict *v)
{
	int all = 0, ready = 0;

	core_ready(v, "a kind without status");
	if (json_has(verdict_object(v),
		     "metadata.annotations['control-plane.alpha.kubernetes.io/leader']"))
		return;
	addresses_of(v, verdict_name(v), "metadata.name");
	json_foreach(subset, json_at(verdict_object(v), "subsets"))
	{
		ready += (int)json_count(json_at(subset, "addresses"));
		json_foreach(address, json_at(subset, "notReadyAddresses"))
		{
			all++;
			pod_not_serving(v, json_at(address, "targetRef"),
					"subsets[].notReadyAddresses[].targetRef");
		}
	}
	verdict_replicas(v, (struct replicas){ all + ready, ready, -1, -1 });
}

/* ---- HorizontalPodAutoscaler --------------------------------------------- */

static const struct cond_rule hpa_rules[] = {
	{ "AbleToScale", "False", "FailedGetScale", NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "AbleToScale", "False", "FailedUpdateScale", NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ "ScalingActive", "False", "ScalingDisabled", NULL, PHASE_SUSPENDED, SEVERITY_NONE },
	{ "ScalingActive", "False", "InvalidSelector", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "ScalingActive", "False", "AmbiguousSelector", NULL, PHASE_FAILED, SEVERITY_ERROR },
	{ "ScalingActive", "False", NULL, NULL, PHASE_DEGRADED, SEVERITY_WARNING },
	{ "AbleToScale", "False", "BackoffBoth", NULL, PHASE_READY, SEVERITY_NONE },
	{ "AbleToScale", "False", "BackoffUpscale", NULL, PHASE_READY, SEVERITY_NONE },
	{ "AbleToScale", "False", "BackoffDownscale", NULL, PHASE_READY, SEVERITY_NONE },
	{ "AbleToScale", "False", NULL, NULL, PHASE_FAILED, SEVERITY_WARNING },
	{ 0 }
};

/* autoscaling/v1 has its conditions as JSON text in an annotation. */
static bool hpa_text_says(struct verdict *v, const char *words)
{
	return str_contains(
		json_str(verdict_object(v),
			 "metadata.annotations['autoscaling.alpha.kubernetes.io/conditions']"),
		words);
}

static void hpa_counts(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	int64_t wanted = json_int(status, "desiredReplicas", -1),
		current = json_int(status, "currentReplicas", 0);

	/* the API server writes the zeros of a new object */
	if (wanted <= 0 && current == 0 && verdict_condition_count(v) == 0 && !hpa_text_says(v, "AbleToScale")) {
		core_never_reconciled(v);
	} else if (hpa_text_says(v, "\"FailedGet") || hpa_text_says(v, "\"FailedUpdateScale") ||
		   hpa_text_says(v, "\"FailedCompute") || hpa_text_says(v, "\"InvalidSelector")) {
		verdict_set(v, PHASE_DEGRADED, SEVERITY_WARNING, STR_NONE, STR_NONE);
		verdict_rule(v, STR("annotation autoscaling.alpha.kubernetes.io/conditions"));
	} else if (wanted >= 0 && wanted != current) {
		core_by_condition(v, verdict_condition(v, "AbleToScale"), PHASE_SCALING,
				  SEVERITY_INFO);
		verdict_since(v, json_time(status, "lastScaleTime"));
		verdict_rule(v, STR("status.currentReplicas differs from desiredReplicas"));
	} else {
		verdict_rule(v, STR("status.currentReplicas equals desiredReplicas"));
		core_by_condition(v, verdict_condition(v, "ScalingActive"), PHASE_READY,
				  SEVERITY_NONE);
		if (condition_is(verdict_condition(v, "ScalingLimited"), "True"))
			verdict_flag(v, "scaling-limited");
	}
	if (wanted >= 0 && wanted < INT32_MAX)
		verdict_replicas(v,
				 (struct replicas){ (int)wanted, (int)current, -1, (int)current });
}

/* Metrics come from extensions of the API; the reason tells the type of metric, and so the extension. */
static const struct {
	const char *reason, *api;
} metric_apis[] = {
	{ "FailedGetResourceMetric", "v1beta1.metrics.k8s.io" },
	{ "FailedGetContainerResourceMetric", "v1beta1.metrics.k8s.io" },
	{ "FailedGetPodsMetric", "v1beta1.custom.metrics.k8s.io" },
	{ "FailedGetObjectMetric", "v1beta1.custom.metrics.k8s.io" },
	{ "FailedGetExternalMetric", "v1beta1.external.metrics.k8s.io" },
};

static void needs_metrics(struct verdict *v, struct str reason)
{
	for (size_t i = 0; i < sizeof(metric_apis) / sizeof(metric_apis[0]); i++)
		if (str_is(reason, metric_apis[i].reason))
			verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
						     .flags = REF_BLOCKS | REF_CLUSTER,
						     .group = STR("apiregistration.k8s.io"),
						     .kind = STR("APIService"),
						     .name = str_of(metric_apis[i].api),
						     .via = STR("spec.metrics") });
}

static void autoscaler(struct verdict *v)
{
	const struct condition *able = verdict_condition(v, "AbleToScale"),
			       *active = verdict_condition(v, "ScalingActive");
	bool trouble = verdict_by_conditions(v, hpa_rules) && verdict_phase(v) != PHASE_READY;
	bool young = verdict_created(v) && !core_older_than(v, verdict_created(v), thresholds.young);

	if (condition_is(active, "False"))
		needs_metrics(v, active->reason);
	if (!trouble) {
		hpa_counts(v);
		return;
	}
	verdict_word(v, condition_is(able, "False") ? able->reason : active->reason);
	if (condition_is(able, "False") && core_names_missing(v, able->message))
		verdict_set(v, PHASE_PROVISIONING, SEVERITY_WARNING, able->reason, able->message);
	else if (young && verdict_phase(v) == PHASE_DEGRADED)
		/* pods that have just started have no metrics yet */
		core_by_condition(v, active, PHASE_PROVISIONING, SEVERITY_INFO);
}

/* ---- PodDisruptionBudget ------------------------------------------------- */

static void disruption_budget(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status");
	const struct condition *c = verdict_condition(v, "DisruptionAllowed");
	int64_t healthy = json_int(status, "currentHealthy", 0),
		wanted = json_int(status, "desiredHealthy", 0);

	selector_refers(v, json_at(verdict_object(v), "spec.selector"), STR("spec.selector"));
	if (!json_has(status, "observedGeneration") && !c) {
		core_never_reconciled(v);
	} else if (condition_is(c, "False") && str_is(c->reason, "SyncFailed")) {
		core_by_condition(v, c, PHASE_FAILED, SEVERITY_WARNING);
	} else if (core_is_outdated(v)) {
		core_by_condition(v, NULL, PHASE_UPDATING, SEVERITY_INFO);
		verdict_rule(v, STR("status.observedGeneration is older than metadata.generation"));
	} else if (healthy < wanted && json_int(status, "expectedPods", -1) == 0) {
		/* it guards pods that are not there; who ought to have made them tells it */
		core_by_condition(v, c, PHASE_READY, SEVERITY_NONE);
		verdict_rule(v, STR("status.expectedPods is 0: it selects no pod"));
	} else if (healthy < wanted) {
		core_by_condition(v, c, PHASE_DEGRADED, SEVERITY_WARNING);
		verdict_rule(v, STR("status.currentHealthy is below desiredHealthy"));
	} else {
		core_by_condition(v, c, PHASE_READY, SEVERITY_NONE);
		verdict_rule(v, STR("status.currentHealthy reaches desiredHealthy"));
		if (json_int(status, "disruptionsAllowed", 0) == 0 &&
		    json_int(status, "expectedPods", 0) > 0)
			verdict_flag(v, "no-disruption-allowed");
	}
	if (json_has(status, "desiredHealthy") && wanted < INT32_MAX && healthy < INT32_MAX)
		verdict_replicas(v, (struct replicas){ (int)wanted, (int)healthy, -1, -1 });
}

const struct core_kind core_net_kinds[] = { { "Service", service },
					    { "Ingress", ingress },
					    { "EndpointSlice", endpoint_slice },
					    { "Endpoints", endpoints },
					    { "HorizontalPodAutoscaler", autoscaler },
					    { "PodDisruptionBudget", disruption_budget },
					    { 0 } };
