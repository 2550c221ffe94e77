/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes: what the kubelet reports, who keeps pods away from them, who updates them, and the agents on which their network
 * rests.
 */
#include "kube/family/core/core.h"

#include "kube/base/quantity.h"
#include "kube/status/thresholds.h"

/* ---- conditions ---------------------------------------------------------- */

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

/* What the rows ask for. */
enum {
	REPORTED = 1 << 0,	/* there is a condition Ready */
	UP = 1 << 1,		/* which is True */
	YOUNG = 1 << 2,		/* its kubelet is only starting for the first time */
	LONG_DOWN = 1 << 3,	/* it is not ready for longer than a start takes */
	RESTARTS = 1 << 4,	/* somebody changes it, and that for no longer */
	UNINITIALIZED = 1 << 5, /* the controller of the cloud has not handled it yet */
	WORK_FAILS = 1 << 6,	/* who configures it reports trouble, */
	WORKED_ON = 1 << 7,	/* or a change */
	CORDONED = 1 << 8
};

/* ---- taints, and who works on the node ------------------------------------ */

/* A taint as the scheduler writes it: "dedicated=gpu", or "dedicated" without a value. */
static struct str taint_text(struct verdict *v, struct json taint)
{
	struct str key = json_str(taint, "key"), value = json_str(taint, "value");

	return value.len ? ARENA_JOIN(verdict_arena(v), key, STR("="), value) : key;
}

/*
 * Taints that keep pods away; taints for conditions and roles add nothing and are left out of the flag.  By their names pods
 * that no node takes find the nodes.  Returns true for the taint that tells that the controller of the cloud has not handled
 * the node yet.
 */
static bool node_taints(struct verdict *v)
{
	bool uninitialized = false, cordoned = json_bool(verdict_object(v), "spec.unschedulable", false);

	json_foreach(taint, json_at(verdict_object(v), "spec.taints"))
	{
		struct str key = json_str(taint, "key");

		cordoned &= !str_is(key, CORE_TAINT_CORDONED);
		uninitialized |= str_is(key, "node.cloudprovider.kubernetes.io/uninitialized");
		if (key.len == 0 || str_is(json_str(taint, "effect"), "PreferNoSchedule"))
			continue;
		core_taint_ref(v, taint_text(v, taint));
		core_taint_ref(v, STR(CORE_TAINT_ANY));
		verdict_particular(v, "taint", taint_text(v, taint));
		if (!str_starts(key, "node.kubernetes.io/") && !str_starts(key, "node-role.kubernetes.io/"))
			verdict_flag(v, "tainted");
	}
	if (cordoned)	/* a controller adds the taint a moment later */
		core_taint_ref(v, STR(CORE_TAINT_CORDONED));
	return uninitialized;
}

/*
 * Who scales the cluster down taints a node before it evicts the pods: kubernetes/autoscaler cluster-autoscaler/utils/taints/taints.go,
 * kubernetes-sigs/karpenter pkg/apis/v1/taints.go, and pkg/apis/v1beta1/taints.go.
 */
static bool is_to_be_removed(struct verdict *v)
{
	static const char *const keys[] = { "ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption", NULL };

	json_foreach(taint, json_at(verdict_object(v), "spec.taints"))
		if (str_is_any(json_str(taint, "key"), keys))
			return true;
	return false;
}

/* Daemons that configure nodes write what they do into annotations of the node, as "DOMAIN/state" and "DOMAIN/reason". */
struct work {
	struct str state, reason, message;
	bool trouble, moves;
};

static struct str annotation(struct verdict *v, struct str domain, const char *name)
{
	json_foreach(a, json_at(verdict_object(v), "metadata.annotations"))
		if (str_eq(json_key(a), ARENA_JOIN(verdict_arena(v), domain, str_of(name))))
			return json_str(a, "");
	return STR_NONE;
}

/*
 * openshift/machine-config-operator pkg/daemon/constants/constants.go: the state is Done, Working, Degraded or
 * Unreconcilable; a node whose desired configuration or drain is not the present one is being changed.
 */
static bool is_being_changed(struct verdict *v, struct str domain, struct str state)
{
	struct str config = annotation(v, domain, "desiredConfig"), drain = annotation(v, domain, "desiredDrain");

	return str_is(state, "Working") || str_is(state, "Rebooting") ||
	       (config.len && !str_eq(config, annotation(v, domain, "currentConfig"))) ||
	       (str_starts(drain, "drain") && !str_eq(drain, annotation(v, domain, "lastAppliedDrain")));
}

static struct work node_work(struct verdict *v)
{
	struct work w = { .state = STR_NONE };

	json_foreach(a, json_at(verdict_object(v), "metadata.annotations"))
	{
		struct str key = json_key(a), domain = str_head(key, str_find(key, '/') + 1), state = json_str(a, "");

		if (!str_ends(key, "/state") || w.trouble)
			continue;
		w.trouble = word_class(state) == WORD_BAD || str_is(state, "Unreconcilable");
		w.moves |= is_being_changed(v, domain, state);
		if (!w.trouble && !w.moves)
			continue;
		w.state = state;
		w.reason = annotation(v, domain, "reason");
		w.message = annotation(v, domain, "message");
	}
	return w;
}

/* ---- the node ------------------------------------------------------------- */

struct node {
	struct reading r;
	struct work work;
};

static void by_work(struct reading *r)
{
	const struct work *w = &((struct node *)r)->work;

	r->condition = NULL;
	r->reason = w->state;
	r->message = w->message.len ? w->message : w->reason;
	r->rule = ARENA_JOIN(verdict_arena(r->v), STR("annotation state "), w->state);
}

static bool has_problem(struct reading *r)
{
	r->condition = node_problem(r->v);
	return r->condition;
}

static void tell_cordon(struct reading *r)
{
	r->condition = NULL;
	r->reason = STR("SchedulingDisabled");
	r->message = STR("it is cordoned: no new pod is put on it");
}

static const struct row rows[] = {
	{ "its kubelet has not reported yet", .not = REPORTED, .then = OUTCOME_SILENCE },
	{ "the node restarts while it is changed", .is = RESTARTS, .not = UP, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING, .tell = by_work },
	{ "the node starts for the first time", .is = YOUNG, .not = UP, .then = OUTCOME_MOVEMENT },
	{ "the node is not ready for longer than a start takes", .is = LONG_DOWN, .not = UP, .then = OUTCOME_TROUBLE, .flags = FINAL },
	{ "the node is not ready", .not = UP, .then = OUTCOME_TROUBLE },
	{ "the controller of the cloud has not handled the node yet", .is = UNINITIALIZED, .then = OUTCOME_MOVEMENT,
	  .rule = "taint node.cloudprovider.kubernetes.io/uninitialized" },
	{ "who configures the node reports trouble", .is = WORK_FAILS, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED, .tell = by_work },
	{ "a condition of the node tells of trouble", .holds = has_problem, .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ "the node is being changed", .is = WORKED_ON, .then = OUTCOME_MOVEMENT, .phase = PHASE_UPDATING, .tell = by_work },
	{ "the node is cordoned", .is = CORDONED, .then = OUTCOME_PAUSE, .rule = "spec.unschedulable", .tell = tell_cordon },
	{ "the node is ready", .then = OUTCOME_READY },
	{ 0 }
};

static unsigned readiness(struct verdict *v, const struct condition *ready, const struct work *w)
{
	bool was_up = str_is(ready->reason, "NodeStatusUnknown");	/* else the reason is NodeStatusNeverUpdated */
	bool young = !core_older_than(v, verdict_created(v), thresholds.young) && verdict_created(v) && !was_up;
	bool long_ago = core_older_than(v, ready->since, thresholds.pod_start_grace);

	return REPORTED | (young ? YOUNG : 0) | (long_ago ? LONG_DOWN : 0) | (w->moves && !w->trouble && !long_ago ? RESTARTS : 0);
}

static void node(struct verdict *v)
{
	const struct condition *ready = verdict_condition(v, "Ready");
	bool cordoned = json_bool(verdict_object(v), "spec.unschedulable", false);
	struct node n = { .r = { .v = v, .condition = ready }, .work = node_work(v) };
	/* this is what kubectl prints; it calls a node without heartbeats NotReady, too */
	const char *word = !ready ? "Unknown" : condition_is(ready, "True") ? "Ready" : "NotReady";

	node_polarities(v);
	n.r.is = (node_taints(v) ? UNINITIALIZED : 0) | (n.work.trouble ? WORK_FAILS : 0) | (n.work.moves ? WORKED_ON : 0) | (cordoned ? CORDONED : 0);
	if (condition_is(ready, "True"))
		n.r.is |= REPORTED | UP;
	else if (ready)
		n.r.is |= readiness(v, ready, &n.work);
	table_decide(&n.r, rows);
	verdict_word(v, arena_printf(verdict_arena(v), "%s%s", word,
				     cordoned ? ",SchedulingDisabled" : ""));
	if (cordoned)
		verdict_flag(v, "cordoned");
	if (cordoned || is_to_be_removed(v)) {
		verdict_flag(v, "drained");
		core_drain_ref(v);
	}
	if (condition_is(ready, "True"))
		verdict_ever_ready(v);
	core_may_use(v, "memory", quantity_read(json_str(verdict_object(v), "status.allocatable.memory")));
	core_may_use(v, "cpu", quantity_read(json_str(verdict_object(v), "status.allocatable.cpu")));
}

/* ---- what runs on it ------------------------------------------------------ */

bool core_lacks_network(const struct neighbour *node)
{
	/* kubernetes pkg/kubelet/kubelet.go, with the words of the container runtime: "cni plugin not initialized" */
	return core_is_kind(node, "Node") && (str_contains(node->status.message, "NetworkPluginNotReady") ||
					      str_contains(node->status.message, "cni "));
}

/* ---- budgets that hold a drain -------------------------------------------- */

enum { PODS_LOOKED_AT = 250 };	/* of one node; the kubelet runs 110 by default */

void core_drain_ref(struct verdict *v)
{
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN,
				     .kind = STR("Drain"),
				     .name = STR("all"),
				     .via = STR("spec.unschedulable") });
}

/* Returns the workload whose pod that is. */
static bool workload_of(struct assessment *d, const struct neighbour *pod, struct neighbour *out)
{
	struct neighbour owner;

	for (size_t i = 0; assess_target_of(d, pod, i, &owner); i++) {
		if (owner.relation != RELATION_OWNS || owner.presence != PRESENCE_FOUND)
			continue;
		*out = owner;
		for (size_t k = 0; core_is_kind(&owner, "ReplicaSet") && assess_target_of(d, &owner, k, out); k++)
			if (out->relation == RELATION_OWNS && out->presence == PRESENCE_FOUND)
				return true;
		return !core_is_kind(&owner, "ReplicaSet");
	}
	return false;
}

static bool is_budget(const struct neighbour *n)
{
	return core_is_kind(n, "PodDisruptionBudget") && n->presence == PRESENCE_FOUND;
}

static bool allows_nothing(const struct neighbour *n)
{
	return status_has_flag(&n->status, "budget-exact") || status_has_flag(&n->status, "budget-short");
}

/* Finds the first by name of the budgets of a workload that allow nothing; of two none does, whatever each of them allows alone. */
static bool budget_of(struct assessment *d, const struct neighbour *workload, struct neighbour *out, struct str *out_second)
{
	struct neighbour labels, n, budget = { .name = STR_NONE };

	out->name = *out_second = STR_NONE;
	for (size_t i = 0; assess_target_of(d, workload, i, &labels); i++) {
		if (labels.relation != RELATION_MANAGES || !core_is_kind(&labels, "Selector"))
			continue;
		for (size_t k = 0; assess_referrer_of(d, &labels, k, &n); k++) {
			if (!is_budget(&n))
				continue;
			if (allows_nothing(&n) && (out->name.len == 0 || str_cmp(n.name, out->name) < 0))
				*out = n;
			if (budget.name.len && !str_eq(budget.name, n.name))
				*out_second = str_cmp(budget.name, n.name) < 0 ? n.name : budget.name;
			if (!budget.name.len || str_cmp(n.name, budget.name) < 0)
				budget = n;
		}
	}
	if (out_second->len)
		*out = budget;
	return out->name.len > 0;
}

/*
 * A budget that allows no eviction because pods are missing waits for these; else it is itself in the way, as two are together
 * (kubernetes pkg/registry/core/pod/storage/eviction.go).  Returns what is said of it, or "".
 */
static struct str wait_for_budget(struct assessment *d, const struct neighbour *pod)
{
	struct neighbour workload, budget;
	struct str message, second;

	if (!workload_of(d, pod, &workload) || core_is_kind(&workload, "DaemonSet") || !budget_of(d, &workload, &budget, &second))
		return STR_NONE;
	message = ARENA_JOIN(assess_arena(d), STR("poddisruptionbudget/"), budget.name, STR(" allows no eviction of pod/"),
			     pod->name, str_of(second.len ? ", which is also of poddisruptionbudget/" : ""), second);
	assess_wait(d, !second.len && status_has_flag(&budget.status, "budget-short") ? &workload : &budget, WAIT_NOT_READY, message);
	return message;
}

/*
 * Who cordons a node, or is to remove it, wants to drain it.  The way from a pod to its budget is long: the budget tells by flags what it found at
 * its end of it.
 */
static void node_and_budgets(struct assessment *d)
{
	const struct status *st = assess_status(d);
	size_t left = PODS_LOOKED_AT;
	struct str first = STR_NONE, message;
	struct neighbour n;

	if (!status_has_flag(st, "drained") || phase_is_bad(st->phase))
		return;
	for (size_t i = 0; left && assess_referrer(d, i, &n); i++) {
		if (!core_is_kind(&n, "Pod") || n.relation != RELATION_NEEDS || n.presence != PRESENCE_FOUND || n.deleting ||
		    n.status.complete)
			continue;
		left--;
		message = wait_for_budget(d, &n);
		if (message.len && (first.len == 0 || str_cmp(message, first) < 0))
			first = message;
	}
	if (first.len)
		assess_because(d, first, STR_NONE, STR("spec.unschedulable"));
}

/* ---- its lease ------------------------------------------------------------ */

static const struct row lease_rows[] = {
	{ "its kubelet does not renew its lease", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ 0 }
};

/*
 * pkg/controller/nodelifecycle/node_lifecycle_controller.go calls a node unknown whose lease is not renewed; as long as that has
 * not happened, what the node says of itself is old.
 */
static void node_and_lease(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_status(d)->phase == PHASE_READY && assess_referrer(d, i, &n); i++) {
		if (!core_is_kind(&n, "Lease") || !str_is(n.ns, "kube-node-lease") || !status_has_flag(&n.status, "expired") ||
		    assess_now(d) - n.status.since >= thresholds.lease_forgotten)
			continue;
		table_assess(d, &lease_rows[0], STR("LeaseExpired"), STR("its kubelet does not renew its lease in kube-node-lease"));
		assess_since(d, n.status.since);
		assess_because(d, STR("the lease has expired"), STR_NONE, ARENA_JOIN(assess_arena(d), STR("Lease/"), n.name));
	}
}

/* ---- agents --------------------------------------------------------------- */

/* Agents set the network of a node up, and so do not use it themselves; one that fails is why the node has none. */
static void node_and_its_pods(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour self = { .kind = assess_kind(d), .status = *st }, n;

	node_and_budgets(d);
	node_and_lease(d);
	if (st->phase != PHASE_FAILED || !core_lacks_network(&self))
		return;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (core_is_kind(&n, "Pod") && n.presence == PRESENCE_FOUND && n.relation == RELATION_NEEDS &&
		    n.status.phase == PHASE_FAILED && status_has_flag(&n.status, "host-network"))
			assess_wait(d, &n, WAIT_FAILED, n.status.message);
}

const struct core_kind core_node_kinds[] = {
	{ .kind = "Node", .inspect = node, .assess = node_and_its_pods, .warned = true },
	{ 0 }
};
