/* SPDX-License-Identifier: Apache-2.0 */
/* What leads to Services; autoscalers and disruption budgets. */
#include "kube/family/core/core.h"
#include "kube/evidence/leads.h"
#include "kube/evidence/pod_selector.h"

#include "kube/status/thresholds.h"

/* ---- addresses that others give -------------------------------------------- */

bool core_has_address(struct verdict *v)
{
	return json_count(json_at(verdict_object(v), "status.loadBalancer.ingress")) > 0;
}

/* ---- Ingress ----------------------------------------------------------------- */

static void backend(struct verdict *v, struct json service, struct str via, const void *arg)
{
	(void)via;
	(void)arg;
	leads_note(v, STR_NONE, json_str(service, "name"), json_at(service, json_has(service, "port.name") ? "port.name" : "port.number"));
}

enum { ADDRESSED = 1 };

static const struct row ingress_rows[] = {
	{ "it has an address", .is = ADDRESSED, .then = OUTCOME_READY, .rule = "status.loadBalancer.ingress has an address" },
	{ "no controller has given it an address", .then = OUTCOME_WAIT, .flags = SINCE_CREATED, .rule = "status.loadBalancer.ingress is empty" },
	{ 0 }
};

static void ingress(struct verdict *v)
{
	verdict_each_value(v, "spec.defaultBackend.service", backend, NULL);
	verdict_each_value(v, "spec.rules[].http.paths[].backend.service", backend, NULL);
	table_decide(&(struct reading){ .v = v, .is = core_has_address(v) ? ADDRESSED : 0 }, ingress_rows);
}

/* ---- HorizontalPodAutoscaler --------------------------------------------- */

/* What the rows ask for. */
enum {
	NEW = 1 << 0,		/* pods that have just started have no metrics yet */
	UNWRITTEN = 1 << 1,	/* the API server writes the zeros of a new object */
	DIFFERS = 1 << 2,	/* as many pods as it wants are not there */
	LIMITED = 1 << 3	/* and that by its maximum, for long */
};

/* autoscaling/v1 has its conditions as JSON text in an annotation. */
static void read_conditions_of_version_one(struct verdict *v)
{
	struct str text = json_str(verdict_object(v), "metadata.annotations['autoscaling.alpha.kubernetes.io/conditions']");
	struct arena *a = verdict_arena(v);
	struct json list;

	if (text.len == 0 || verdict_condition_count(v) || json_parse(text, &list, NULL) < 0)
		return;
	json_foreach(c, list) verdict_add_condition(v, (struct condition){ .type = arena_str(a, json_str(c, "type")),
									   .status = arena_str(a, json_str(c, "status")),
									   .reason = arena_str(a, json_str(c, "reason")),
									   .message = arena_str(a, json_str(c, "message")),
									   .since = json_time(c, "lastTransitionTime") });
	json_free(list);
}

static bool names_what_is_missing(struct reading *r)
{
	return core_names_missing(r->v, r->condition->message);
}

/* Where it only waits for some time before it scales again, it is able to. */
static bool cannot_scale(struct reading *r)
{
	return !table_has_word("BackoffBoth BackoffUpscale BackoffDownscale", r->condition->reason);
}

static void by_ability(struct reading *r)
{
	r->condition = verdict_condition(r->v, "AbleToScale");
	r->since = json_time(verdict_object(r->v), "status.lastScaleTime");
	r->flags |= r->since ? 0 : UNDATED;
}

static void by_activity(struct reading *r)
{
	r->condition = verdict_condition(r->v, "ScalingActive");
}

/* The reasons are those of kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go. */
static const struct row autoscaler_rows[] = {
	{ "what it scales is missing", .type = "AbleToScale", .status = "False", .holds = names_what_is_missing, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "what it scales cannot be read or written", .type = "AbleToScale", .status = "False", .reason = "FailedGetScale FailedUpdateScale",
	  .then = OUTCOME_TROUBLE },
	{ "scaling is switched off", .type = "ScalingActive", .status = "False", .reason = "ScalingDisabled", .then = OUTCOME_PAUSE, .flags = QUIET },
	{ "the selector of what it scales is wrong", .type = "ScalingActive", .status = "False", .reason = "InvalidSelector AmbiguousSelector",
	  .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "there are no metrics of what has just started", .is = NEW, .type = "ScalingActive", .status = "False", .then = OUTCOME_MOVEMENT },
	{ "it gets no metrics", .type = "ScalingActive", .status = "False", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "it cannot scale", .type = "AbleToScale", .status = "False", .holds = cannot_scale, .then = OUTCOME_TROUBLE },
	{ "its controller has not begun", .is = UNWRITTEN, .then = OUTCOME_SILENCE },
	{ "it scales", .is = DIFFERS, .then = OUTCOME_MOVEMENT, .phase = PHASE_SCALING, .rule = "status.currentReplicas differs from desiredReplicas",
	  .tell = by_ability },
	{ "more pods are needed than its maximum", .is = LIMITED, .type = "ScalingLimited", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .flag = "at-maximum" },
	{ "there are as many pods as it wants", .then = OUTCOME_READY, .rule = "status.currentReplicas equals desiredReplicas", .tell = by_activity },
	{ 0 }
};

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
	struct json status = json_at(verdict_object(v), "status");
	const struct condition *active, *limited;
	int64_t wanted = json_int(status, "desiredReplicas", -1), current = json_int(status, "currentReplicas", 0);
	struct reading r = { .v = v, .is = wanted >= 0 && wanted != current ? DIFFERS : 0 };
	const struct row *row;

	read_conditions_of_version_one(v);
	active = verdict_condition(v, "ScalingActive");
	limited = verdict_condition(v, "ScalingLimited");
	if (verdict_created(v) && !core_older_than(v, verdict_created(v), thresholds.young))
		r.is |= NEW;
	if (wanted <= 0 && current == 0 && verdict_condition_count(v) == 0)
		r.is |= UNWRITTEN;
	if (condition_is(limited, "True") && str_is(limited->reason, "TooManyReplicas") &&
	    core_older_than(v, limited->since, thresholds.pod_start_grace))
		r.is |= LIMITED;
	if (condition_is(active, "False"))
		needs_metrics(v, active->reason);
	row = table_decide(&r, autoscaler_rows);
	if (!row || row->status)	/* a condition tells of trouble */
		return;
	if (condition_is(limited, "True") && !(r.is & DIFFERS))
		verdict_flag(v, "scaling-limited");
	if (wanted >= 0 && wanted < INT32_MAX)
		verdict_replicas(v, (struct replicas){ (int)wanted, (int)current, -1, (int)current });
}

/* ---- PodDisruptionBudget ------------------------------------------------- */

enum { OUTDATED = 1 << 8, LACKS_HEALTHY = 1 << 9, SELECTS_NONE = 1 << 10 };
enum { MAKERS = 8 };	/* workloads of one budget that are looked at */

static void without_condition(struct reading *r)
{
	r->condition = NULL;
}

/* Its condition has no message (kubernetes pkg/controller/disruption/disruption.go). */
static void by_its_count(struct reading *r)
{
	struct json status = json_at(verdict_object(r->v), "status");

	r->reason = r->condition ? r->condition->reason : STR_NONE;
	r->message = arena_printf(verdict_arena(r->v), "%d pods are healthy, and it demands %d", (int)json_int(status, "currentHealthy", 0),
				  (int)json_int(status, "desiredHealthy", 0));
}

static const struct row budget_rows[] = {
	{ "its controller has not begun", .is = UNWRITTEN, .then = OUTCOME_SILENCE, .tell = without_condition },
	{ "its controller cannot find its pods", .type = "DisruptionAllowed", .status = "False", .reason = "SyncFailed", .then = OUTCOME_TROUBLE },
	{ "its controller has not seen the present spec", .is = OUTDATED, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING,
	  .rule = "status.observedGeneration is older than metadata.generation", .tell = without_condition },
	/* it guards pods that are not there; who ought to have made them tells it */
	{ "it selects no pod", .is = LACKS_HEALTHY | SELECTS_NONE, .then = OUTCOME_READY, .rule = "status.expectedPods is 0: it selects no pod" },
	{ "fewer pods are healthy than it demands", .is = LACKS_HEALTHY, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .rule = "status.currentHealthy is below desiredHealthy", .tell = by_its_count },
	{ "as many pods are healthy as it demands", .then = OUTCOME_READY, .rule = "status.currentHealthy reaches desiredHealthy" },
	{ 0 }
};

static void disruption_budget(struct verdict *v)
{
	struct json status = json_at(verdict_object(v), "status"), selector = json_at(verdict_object(v), "spec.selector");
	const struct condition *c = verdict_condition(v, "DisruptionAllowed");
	int64_t healthy = json_int(status, "currentHealthy", 0),
		wanted = json_int(status, "desiredHealthy", 0);
	struct reading r = { .v = v, .condition = c };
	const struct row *row;

	selector_refers(v, selector, STR("spec.selector"));
	if (json_count(json_at(selector, "matchExpressions")) == 0)
		selector_asks(v, json_at(selector, "matchLabels"));
	r.is = (!json_has(status, "observedGeneration") && !c ? UNWRITTEN : 0) | (core_is_outdated(v) ? OUTDATED : 0) |
	       (healthy < wanted ? LACKS_HEALTHY : 0) | (json_int(status, "expectedPods", -1) == 0 ? SELECTS_NONE : 0);
	row = table_decide(&r, budget_rows);
	if (row && row->then == OUTCOME_READY && !(r.is & LACKS_HEALTHY) && json_int(status, "disruptionsAllowed", 0) == 0 &&
	    json_int(status, "expectedPods", 0) > 0)
		verdict_flag(v, "no-disruption-allowed");
	if (json_int(status, "disruptionsAllowed", 1) == 0)
		core_drain_ref(v);
	if (json_has(status, "desiredHealthy") && wanted < INT32_MAX && healthy < INT32_MAX)
		verdict_replicas(v, (struct replicas){ (int)wanted, (int)healthy, -1, -1 });
}

bool core_wait_for_owner(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && n.status.phase != PHASE_READY &&
		    n.status.phase != PHASE_UNKNOWN && (n.kind->flags & KIND_CUSTOM)) {
			assess_wait_for(d, &n);
			return true;
		}
	return false;
}

/* Too few pods serve; why the others are not ready, the workloads tell whose pods it selects. */
static void budget_and_its_pods(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour makers[MAKERS];
	size_t n = selector_makers(d, makers, MAKERS), bad = 0;

	/* what was written without labels of its pods is known by its selector */
	if (n == 0)
		n = selector_workload(d, "spec.selector", &makers[0]);
	for (size_t i = 0; i < n; i++)
		bad += phase_is_bad(makers[i].status.phase);
	/* drains look for these */
	if (n && (st->phase == PHASE_DEGRADED || status_has_flag(st, "no-disruption-allowed")))
		assess_flag(d, bad ? "budget-short" : "budget-exact");
	if (st->phase != PHASE_DEGRADED)
		return;
	if (n == 0)
		core_wait_for_owner(d);
	for (size_t i = 0; i < n; i++)
		if (makers[i].status.phase != PHASE_READY)
			assess_wait_for(d, &makers[i]);
}

/* ---- Ingress beside its neighbours --------------------------------------------- */

enum { AWAITS_TOO, NAMES_NOTHING };

static const struct row existence_rows[] = {
	[AWAITS_TOO] = { "it has no address, and its class does not exist", .then = OUTCOME_WAIT, .flags = RETRIED },
	[NAMES_NOTHING] = { "its class does not exist", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flags = UNDATED,
			    .rule = "spec.ingressClassName names what does not exist" },
	{ 0 }
};

static bool names_no_class(struct assessment *d)
{
	struct neighbour n;
	struct str words;

	for (size_t at = 0; assess_next_target(d, "IngressClass", &at, &n);) {
		if (n.presence != PRESENCE_MISSING)
			continue;
		words = ARENA_JOIN(assess_arena(d), STR("no IngressClass "), n.name);
		assess_wait(d, &n, WAIT_MISSING, words);
		if (assess_status(d)->phase == PHASE_DELETING)
			return true;
		table_assess(d, &existence_rows[assess_status(d)->phase == PHASE_WAITING ? AWAITS_TOO : NAMES_NOTHING], STR_NONE, words);
		return true;
	}
	return false;
}

static void ingress_and_its_services(struct assessment *d)
{
	bool waits = assess_status(d)->phase == PHASE_WAITING;

	/* nobody gives an address to a class that does not exist */
	if (!names_no_class(d) && waits)
		assess_wait_external(d, (struct external_wait){ .state = WAIT_EXTERNAL, .kind = STR("IngressController"),
								.name = STR("address"), .via = STR("status.loadBalancer.ingress") });
	leads_to_services(d);
}

/* It gets no metrics from an extension of the API that is not available. */
static void autoscaler_and_its_metrics(struct assessment *d)
{
	core_waits_for_broken(d, "APIService");
}

/* ---- webhooks -------------------------------------------------------------------- */

enum { REQUIRED_EXPIRED = 1, EXPIRED = 2 };

static const struct row webhook_rows[] = {
	{ "the CA of a webhook that is required has expired", .is = REQUIRED_EXPIRED, .then = OUTCOME_TROUBLE, .flag = "contradiction",
	  .rule = "the certificates of caBundle have expired" },
	{ "the CA of a webhook has expired", .is = EXPIRED, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .flag = "contradiction",
	  .rule = "the certificates of caBundle have expired" },
	{ "its webhooks are registered", .then = OUTCOME_READY, .rule = "a kind without status" },
	{ 0 }
};

/* What nobody can do without the webhook's answer: its failurePolicy is Fail. */
static void webhooks(struct verdict *v)
{
	struct str kind = verdict_kind(v)->kind;
	struct reading r = { .v = v };

	json_foreach(webhook, json_at(verdict_object(v), "webhooks"))
	{
		struct json service = json_at(webhook, "clientConfig.service");
		bool required = str_is(json_str(webhook, "failurePolicy"), "Fail");

		leads_note(v, json_str(service, "namespace"), json_str(service, "name"), json_at(service, "port"));
		/* by its name who is refused finds it: "MutatingWebhook" of a MutatingWebhookConfiguration */
		verdict_ref(v, (struct ref){ .relation = RELATION_MANAGES, .flags = REF_HIDDEN, .kind = str_head(kind, str_find_str(kind, "Configuration")),
					     .name = json_str(webhook, "name"), .via = STR("webhooks[].name") });
		if (required && service.node)
			verdict_particular(v, "required", ARENA_JOIN(verdict_arena(v), json_str(service, "namespace"), STR("/"),
								    json_str(service, "name")));
		if (core_ca_has_expired(&r, json_str(webhook, "clientConfig.caBundle")))
			r.is |= required ? REQUIRED_EXPIRED : EXPIRED;
	}
	table_decide(&r, webhook_rows);
}

const struct core_kind core_net_kinds[] = {
	{ .kind = "Ingress", .inspect = ingress, .assess = ingress_and_its_services, .events = true, .warned = true },
	{ .kind = "HorizontalPodAutoscaler", .inspect = autoscaler, .assess = autoscaler_and_its_metrics },
	{ .kind = "PodDisruptionBudget", .inspect = disruption_budget, .assess = budget_and_its_pods, .events = true },
	{ .kind = "ValidatingWebhookConfiguration", .inspect = webhooks, .assess = leads_to_services },
	{ .kind = "MutatingWebhookConfiguration", .inspect = webhooks, .assess = leads_to_services },
	{ 0 }
};
