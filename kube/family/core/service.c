/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Services.  Their EndpointSlices count who serves; who makes the pods that they select, and who looks almost like it, is
 * found by labels (kube/evidence/pod_selector.h).  Which pods are listed in a slice: kubernetes/endpointslice,
 * utils.go (ShouldPodBeInEndpoints): those with an address that have not ended, also while they are not ready.
 */
#include "kube/family/core/core.h"
#include "kube/evidence/leads.h"
#include "kube/evidence/pod_selector.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

enum { MAKERS = 8 };	/* workloads behind one Service that are looked at */

/* ---- one object alone ------------------------------------------------------ */

enum { WITHOUT_ADDRESS = 1 };

/* Controllers of load balancers report ports that they could not open. */
static bool has_port_error(struct reading *r)
{
	json_foreach(address, json_at(verdict_object(r->v), "status.loadBalancer.ingress"))
		json_foreach(port, json_at(address, "ports")) if ((r->reason = json_str(port, "error")).len) return true;
	return false;
}

static void wait_for_address(struct reading *r)
{
	verdict_waits_external(r->v, (struct external_wait){ .state = WAIT_EXTERNAL,
							     .kind = STR("LoadBalancer"),
							     .name = STR("address"),
							     .via = STR("status.loadBalancer.ingress") });
}

/* Who gives a Service a further address tells in a condition whether that is there: the Service serves without it meanwhile. */
static bool lacks_what_others_add(struct reading *r)
{
	for (size_t i = 0; i < verdict_condition_count(r->v); i++) {
		const struct condition *c = verdict_condition_at(r->v, i);

		if (!condition_is(c, "False") || !str_ends(c->type, "Ready") || !core_older_than(r->v, c->since, thresholds.pod_start_grace))
			continue;
		r->condition = c;
		return true;
	}
	return false;
}

static const struct row alone_rows[] = {
	{ "the load balancer could not open its ports", .type = "LoadBalancerPortsError", .status = "True", .then = OUTCOME_TROUBLE,
	  .phase = PHASE_DEGRADED },
	{ "the load balancer could not open one of its ports", .holds = has_port_error, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED,
	  .rule = "status.loadBalancer.ingress[].ports[].error" },
	{ "no load balancer has given it an address", .is = WITHOUT_ADDRESS, .then = OUTCOME_WAIT, .flags = SINCE_CREATED,
	  .rule = "status.loadBalancer.ingress is empty", .tell = wait_for_address },
	{ "what somebody else adds to it is not ready", .holds = lacks_what_others_add, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	/* it was ready before only if endpoints were seen */
	{ "a Service needs nothing more", .then = OUTCOME_READY, .flags = UNPROVEN },
	{ 0 }
};

/* "http/80/TCP/web": the name, number and protocol, and where it leads, which by default is the same number. */
static void note_port(struct verdict *v, struct json port)
{
	struct arena *a = verdict_arena(v);
	struct str number = arena_printf(a, "%d", (int)json_int(port, "port", 0)), protocol = json_str(port, "protocol"),
		   target = json_str(port, "targetPort");
	int to = (int)json_int(port, "targetPort", 0);

	if (!target.len && to > 0)
		target = arena_printf(a, "%d", to);
	verdict_particular(v, "port", ARENA_JOIN(a, json_str(port, "name"), STR("/"), number, STR("/"),
						protocol.len ? protocol : STR("TCP"), STR("/"), target.len ? target : number));
}

static void service(struct verdict *v)
{
	struct json object = verdict_object(v), selector = json_at(object, "spec.selector");
	bool external = str_is(json_str(object, "spec.type"), "ExternalName");
	struct reading r = { .v = v };

	json_foreach(port, json_at(object, "spec.ports")) note_port(v, port);
	if (str_is(json_str(object, "spec.type"), "LoadBalancer"))
		verdict_particular(v, "balanced", STR("by a cloud"));
	if (external || str_is(json_str(object, "spec.clusterIP"), "None"))
		verdict_flag(v, "without-address");
	if (json_is_object(selector) && json_count(selector) > 0 && !external) {
		verdict_flag(v, "selects-pods");
		selector_refers(v, selector, STR("spec.selector"));
		selector_asks(v, selector);
	}
	if (str_is(json_str(object, "spec.type"), "LoadBalancer") && !core_has_address(v))
		r.is = WITHOUT_ADDRESS;
	table_decide(&r, alone_rows);
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

/* Adds a reference to the Service of these addresses; slices that were written by hand have no owner. */
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

/* Which ports of the Service these addresses have: a named port that no container has is left out by its controller. */
static void note_ports_of(struct verdict *v, struct json addresses)
{
	if (json_type(json_member(addresses, STR("ports"))) == JSON_ABSENT)
		return;
	verdict_flag(v, "lists-ports");
	json_foreach(port, json_at(addresses, "ports")) note_port(v, port);
}

/* A slice has no status: its endpoints are counted for the Service that owns it. */
static void endpoint_slice(struct verdict *v)
{
	int all = 0, ready = 0, serving = 0;

	addresses_of(v,
		     json_str(verdict_object(v),
			      "metadata.labels['kubernetes.io/service-name']"),
		     "metadata.labels['kubernetes.io/service-name']");
	json_foreach(endpoint, json_at(verdict_object(v), "endpoints"))
	{
		/* an absent value means yes; "ready" is what the Service publishes, also of pods that are not, where it says so */
		bool is_ready = json_bool(endpoint, "conditions.ready", true), serves = is_ready && json_bool(endpoint, "conditions.serving", true);

		all++;
		ready += is_ready;
		serving += serves;
		if (!serves)
			pod_not_serving(v, json_at(endpoint, "targetRef"), "endpoints[].targetRef");
	}
	if (all)
		note_ports_of(v, verdict_object(v));
	else if (verdict_generation(v) > 1)
		verdict_flag(v, "emptied");	/* it is made empty, so it had addresses since */
	verdict_replicas(v, (struct replicas){ all, ready, serving, -1 });
	core_is_there(v, NULL);
}

/*
 * Endpoints, the older form, belong to the Service of their name; some components use empty ones for leader election.
 */
static void endpoints(struct verdict *v)
{
	int all = 0, ready = 0;

	core_is_there(v, NULL);
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
		note_ports_of(v, subset);
	}
	verdict_replicas(v, (struct replicas){ all + ready, ready, -1, -1 });
}

/* ---- who is behind it ------------------------------------------------------- */

/* What is known of the pods that a Service selects. */
struct behind {
	struct assessment *d;
	size_t slices, addresses, ready, serving;
	struct neighbour *makers;
	size_t nmakers;
	size_t zero;		/* makers that are to have no pod */
	bool was_ready;		/* there is evidence that some pod was ready before */
	int64_t since;		/* when the last pod ceased to serve; 0: that is not known */
};

/* It is to have no pod: it was scaled to zero, there is no node for it, its work is done, or it has pods only now and then. */
static bool is_at_zero(const struct neighbour *n)
{
	return n->status.complete || n->status.replicas.wanted == 0 || core_is_kind(n, "CronJob");
}

static void count_addresses(struct behind *b)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer(b->d, i, &n); i++) {
		if (!core_is_slice(&n))
			continue;
		b->slices++;
		b->addresses += n.status.replicas.wanted > 0 ? (size_t)n.status.replicas.wanted : 0;
		b->ready += n.status.replicas.ready > 0 ? (size_t)n.status.replicas.ready : 0;
		b->serving += (size_t)(n.status.replicas.updated >= 0 ? n.status.replicas.updated : n.status.replicas.ready);
		b->was_ready |= status_has_flag(&n.status, "emptied");
	}
}

/* The StatefulSet of the one pod that is selected: "db" of "statefulset.kubernetes.io/pod-name=db-0". */
static bool set_of_member(struct assessment *d, struct neighbour *out)
{
	static const char key[] = "statefulset.kubernetes.io/pod-name=";
	struct str asked = selector_asked(d);

	return str_starts(asked, key) && assess_find(d, "apps", "StatefulSet", assess_namespace(d),
						     str_from(str_head(asked, str_rfind(asked, '-')), sizeof(key) - 1), out) &&
	       out->presence == PRESENCE_FOUND;
}

static void find_makers(struct behind *b)
{
	struct neighbour n;

	b->makers = arena_array(assess_arena(b->d), MAKERS, sizeof(*b->makers));
	b->nmakers = selector_makers(b->d, b->makers, MAKERS);
	/* what was written without labels of its pods (a chart, an operator) is known by its selector */
	if (b->nmakers == 0 && selector_workload(b->d, "spec.selector", &n))
		b->makers[b->nmakers++] = n;
	if (b->nmakers == 0 && set_of_member(b->d, &n) && is_at_zero(&n))
		b->makers[b->nmakers++] = n;
	for (size_t i = 0; i < b->nmakers; i++) {
		b->zero += is_at_zero(&b->makers[i]);
		b->was_ready |= b->makers[i].status.ever_ready;
	}
}

static struct behind look_behind(struct assessment *d)
{
	struct behind b = { .d = d };

	count_addresses(&b);
	find_makers(&b);
	return b;
}

static bool is_younger_than(struct assessment *d, int64_t limit)
{
	int64_t created = assess_created(d);

	if (created)
		assess_revisit(d, created + limit);
	return created && assess_now(d) - created < limit;
}

/* The next of its pods that are listed and do not serve; *slice and *at are 0 at first. */
static bool next_pod(struct assessment *d, size_t *slice, size_t *at, struct neighbour *out)
{
	struct neighbour n;

	for (; assess_referrer(d, *slice, &n); ++*slice, *at = 0)
		while (core_is_slice(&n) && assess_target_of(d, &n, (*at)++, out))
			if (core_is_kind(out, "Pod") && out->presence == PRESENCE_FOUND)
				return true;
	return false;
}

#define TOGETHER SECONDS(5) /* what is applied together comes one after the other, within this time */

/* Pods that are ready become endpoints in a moment. */
static bool is_starting(const struct behind *b, const struct neighbour *maker)
{
	struct core_pods pods;

	if (is_at_zero(maker) || core_is_in_trouble(maker))
		return false;
	if (maker->status.phase == PHASE_READY)
		return is_younger_than(b->d, thresholds.young);
	pods = core_look_at_pods(b->d, maker);
	return is_younger_than(b->d, TOGETHER) || pods.seen == 0 || pods.troubled < pods.seen;
}

/* It publishes addresses of pods that are not ready (publishNotReadyAddresses), and all of them are in trouble. */
static bool publishes_in_vain(struct assessment *d)
{
	size_t slice = 0, at = 0, pods = 0;
	struct neighbour pod;

	for (; next_pod(d, &slice, &at, &pod); pods++)
		if (!core_is_in_trouble(&pod))
			return false;
	return pods > 0;
}

/* The Service has just been made, and some of its pods start with nothing wrong: no endpoint was to be expected yet. */
static bool is_coming_up(const struct behind *b)
{
	size_t slice = 0, at = 0, pods = 0, bad_pods = 0, starting = 0;
	struct neighbour pod;
	struct str differs;

	if (!is_younger_than(b->d, thresholds.pod_start_grace))
		return false;
	for (size_t i = 0; i < b->nmakers; i++)
		starting += is_starting(b, &b->makers[i]);
	for (; next_pod(b->d, &slice, &at, &pod); pods++)
		bad_pods += core_is_in_trouble(&pod);
	if (pods && bad_pods == pods)
		return false;
	if (b->nmakers)
		return starting > 0;
	if (b->addresses > 0)
		return true;
	/* whoever is to make its pods is made together with it, where somebody is there whose labels almost fit */
	return is_younger_than(b->d, selector_nearest(b->d, &pod, &differs) ? TOGETHER : thresholds.young);
}

enum { NOT_READ, COMES_UP, SERVES_NOTHING, SELECTS_NOTHING, AT_ZERO, AT_ZERO_AND_CALLED, NO_FOLLOWER };

static const struct row rows[] = {
	[NOT_READ] = { "its EndpointSlices were not read yet", .then = OUTCOME_UNKNOWN, .flags = QUIET },
	[COMES_UP] = { "its first pods are starting", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING, .flags = SINCE_CREATED },
	[SERVES_NOTHING] = { "no pod behind it serves", .then = OUTCOME_TROUBLE },
	[SELECTS_NOTHING] = { "no pod has the labels that it selects", .then = OUTCOME_TROUBLE, .flag = "contradiction" },
	[AT_ZERO] = { "what it selects is to have no pod, and nothing that is seen calls it", .then = OUTCOME_PAUSE, .flags = QUIET },
	[AT_ZERO_AND_CALLED] = { "what it selects is to have no pod, and something calls it", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[NO_FOLLOWER] = { "it selects only followers, and nothing that is seen calls it", .then = OUTCOME_PAUSE, .flags = QUIET },
	{ 0 }
};

static void comes_up(struct assessment *d, struct str rule)
{
	table_assess(d, &rows[COMES_UP], STR_NONE, STR_NONE);
	assess_rule(d, rule);
}

/* ---- why there is no endpoint ------------------------------------------------ */

static void serves_nothing(const struct behind *b, const struct row *row, struct str message, const char *rule)
{
	row_decides(&(struct reading){ .d = b->d, .usable = b->was_ready, .message = message, .rule = str_of(rule) }, row);
	/* one that is young and never served has been so since it was made */
	assess_since(b->d, b->since || b->was_ready || !is_younger_than(b->d, thresholds.pod_start_grace) ? b->since : assess_created(b->d));
}

static void wait_for_pods(struct behind *b)
{
	size_t slice = 0, at = 0;
	struct neighbour pod;

	while (next_pod(b->d, &slice, &at, &pod)) {
		b->was_ready |= pod.status.ever_ready;
		b->since = pod.status.since > b->since ? pod.status.since : b->since;
		if (pod.status.phase != PHASE_READY)
			assess_wait_for(b->d, &pod);
	}
}

static void wait_for_makers(const struct behind *b)
{
	for (size_t i = 0; i < b->nmakers; i++)
		if (b->makers[i].status.phase != PHASE_READY)
			assess_wait_for(b->d, &b->makers[i]);
}

/* Somebody's variables have the values of that ConfigMap. */
static bool is_told(struct assessment *d, const struct neighbour *config)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, config, i, &n); i++)
		if (n.presence == PRESENCE_FOUND && status_first_particular(&n.status, "told").len && !is_at_zero(&n))
			return true;
	return false;
}

/* Whoever calls the Service expects an answer; who owns it, scales its pods, or only reports on it, does not. */
static bool is_called(struct assessment *d, struct neighbour *out)
{
	for (size_t i = 0; assess_referrer(d, i, out); i++)
		if (out->relation == RELATION_NEEDS && out->presence == PRESENCE_FOUND &&
		    !(out->flags & (REF_REPORTS | REF_HIDDEN | REF_COPY)) && !str_is(out->via, "spec.serviceName") &&
		    !str_contains(out->kind->kind, "Scal") && !is_at_zero(out) && (!core_is_kind(out, "ConfigMap") || is_told(d, out)))
			return true;
	return false;
}

static const char *why_at_zero(const struct neighbour *n)
{
	if (core_is_kind(n, "CronJob"))
		return " has pods only while it runs";
	if (core_is_kind(n, "DaemonSet"))
		return " has no node to run on";
	return n->status.complete ? " has ended" : " is scaled to 0 replicas";
}

/* Everything that makes its pods is at zero. */
static void at_zero(const struct behind *b)
{
	const struct neighbour *maker = &b->makers[0];
	struct arena *a = assess_arena(b->d);
	struct str words = ARENA_JOIN(a, leads_called(b->d, maker),
				      str_of(why_at_zero(maker))), by;
	struct neighbour caller;

	by = status_first_particular(&maker->status, "scaled");
	words = ARENA_JOIN(a, words, str_of(by.len ? " by " : ""), by);

	if (!is_called(b->d, &caller)) {
		table_assess(b->d, &rows[AT_ZERO], STR_NONE, words);
		return;
	}
	words = ARENA_JOIN(a, words, STR(", and "), leads_called(b->d, &caller), STR(" calls service/"), assess_name(b->d));
	table_assess(b->d, &rows[AT_ZERO_AND_CALLED], STR_NONE, words);
	assess_since(b->d, maker->status.since);
	assess_because(b->d, ARENA_JOIN(a, leads_called(b->d, &caller), STR(" calls it")), caller.via,
		       ARENA_JOIN(a, caller.kind->kind, STR("/"), caller.name));
	for (size_t i = 0; i < b->nmakers; i++)
		assess_wait(b->d, &b->makers[i], WAIT_NOT_READY, words);
}

/* Nobody makes pods with these labels. */
static void selects_nothing(const struct behind *b)
{
	struct arena *a = assess_arena(b->d);
	struct str differs, words = ARENA_JOIN(a, STR("no pod has the labels "), selector_asked(b->d));
	struct neighbour n;

	if (selector_nearest(b->d, &n, &differs))
		differs = ARENA_JOIN(a, STR("the pods of "), leads_called(b->d, &n), STR(" "), differs);
	else if (selector_elsewhere(b->d, &n))
		differs = ARENA_JOIN(a, STR("the pods of "), leads_called(b->d, &n), STR(" have them, and a Service selects only in its own namespace"));
	else
		differs = STR_NONE;
	if (differs.len)
		words = ARENA_JOIN(a, words, STR("; "), differs);
	else if (assess_readable(b->d, "apps", "Deployment", assess_namespace(b->d)))
		words = ARENA_JOIN(a, words, STR("; no workload of this namespace makes such pods"));
	serves_nothing(b, &rows[SELECTS_NOTHING], words, "no pod has the labels of spec.selector");
	if (differs.len)
		assess_because(b->d, differs, STR_NONE, ARENA_JOIN(a, n.kind->kind, STR("/"), n.name));
}

/* A database of one pod has a leader and nobody who follows it: the Service for those is empty on purpose. */
static bool asks_for_followers(struct assessment *d, struct neighbour *caller)
{
	static const char *const followers[] = { "replica", "standby", "secondary", "slave", "follower", "reader", "read", NULL };
	struct str pair;
	size_t at = 0;

	while ((pair = status_particular(assess_status(d), "selects", &at)).len) {
		size_t end = str_find(pair, '=');

		if (str_contains_nocase(str_head(pair, end), "role") && str_is_any_nocase(str_from(pair, end + 1), followers))
			return !is_called(d, caller);
	}
	return false;
}

static struct str has_no_endpoint(struct assessment *d, const struct neighbour *maker)
{
	bool pod = core_is_kind(maker, "Pod");

	return ARENA_JOIN(assess_arena(d), str_of(pod ? "" : "no pod of "), leads_called(d, maker), str_of(pod ? " is no endpoint" : " is an endpoint"));
}

static void without_endpoints(struct behind *b)
{
	struct neighbour caller;

	if (b->addresses) {
		wait_for_pods(b);
		if (!assess_waits(b->d))
			wait_for_makers(b);
		serves_nothing(b, &rows[SERVES_NOTHING], STR("no endpoint is ready"), "no ready endpoint in its EndpointSlices");
	} else if (b->nmakers && b->zero == b->nmakers) {
		at_zero(b);
	} else if (b->nmakers) {
		wait_for_makers(b);
		serves_nothing(b, &rows[SERVES_NOTHING], has_no_endpoint(b->d, &b->makers[0]), "no endpoint in its EndpointSlices");
	} else if (asks_for_followers(b->d, &caller)) {
		table_assess(b->d, &rows[NO_FOLLOWER], STR_NONE,
			     ARENA_JOIN(assess_arena(b->d), STR("no pod follows the leader: none has the labels "), selector_asked(b->d)));
		return;
	} else {
		selects_nothing(b);
	}
	core_wait_for_owner(b->d);
}

/* Where there are no slices (in a dump, for example), what makes the pods counts. */
static void by_makers(struct behind *b)
{
	bool unready = b->nmakers > 0, any_ready = false;

	for (size_t i = 0; i < b->nmakers; i++) {
		unready &= b->makers[i].status.replicas.wanted > 0 && b->makers[i].status.replicas.ready == 0;
		any_ready |= b->makers[i].status.replicas.ready > 0;
	}
	if (b->nmakers && b->zero == b->nmakers) {
		at_zero(b);
	} else if (!any_ready && !unready && is_younger_than(b->d, thresholds.young)) {
		comes_up(b->d, STR("its EndpointSlices are not seen yet"));
	} else if (unready && is_coming_up(b)) {
		comes_up(b->d, STR("the pods of the workload that it selects are starting"));
	} else if (unready) {
		serves_nothing(b, &rows[SERVES_NOTHING], STR("no pod behind it is ready"), "the workload that it selects has no ready pod");
		assess_since(b->d, b->makers[0].status.since);
		wait_for_makers(b);
	}
}

static void service_and_its_pods(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct behind b;

	if (st->phase != PHASE_READY || !status_has_flag(st, "selects-pods"))
		return;
	b = look_behind(d);
	if (b.slices == 0 && assess_is_unread(d, "discovery.k8s.io", "EndpointSlice", assess_namespace(d))) {
		table_assess(d, &rows[NOT_READ], STR_NONE, STR_NONE);
	} else if (b.slices == 0) {
		by_makers(&b);
	} else if (b.ready == 0 && is_coming_up(&b)) {
		comes_up(d, STR("no endpoint yet in its EndpointSlices"));
	} else if (b.ready == 0) {
		without_endpoints(&b);
	} else if (b.serving == 0 && publishes_in_vain(d)) {
		wait_for_pods(&b);
		serves_nothing(&b, &rows[SERVES_NOTHING], STR("its addresses are published, and no pod behind them is ready"),
			       "no endpoint in its EndpointSlices serves");
	}
	if (assess_status(d)->phase == PHASE_READY)
		core_check_ports(d, b.makers, b.nmakers);
}

const struct core_kind core_service_kinds[] = {
	{ .kind = "Service", .inspect = service, .assess = service_and_its_pods, .events = true, .warned = true },
	{ .kind = "EndpointSlice", .inspect = endpoint_slice },
	{ .kind = "Endpoints", .inspect = endpoints },
	{ 0 }
};
