/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler names, put beside what it means: the nodes that have a taint, what the pod asks of nodes, where its
 * volumes are.
 */
#include "kube/family/core/core.h"

/* nodes that are listed by name, of all that have a taint; taints of all nodes that are told, and of which those are chosen */
enum { NODES_NAMED = 4, TAINTS_NAMED = 8, TAINTS_KEPT = 32 };
enum { LABELS_TOLD = 8 };	/* of a term of an affinity */

#define SCHEDULED "status.conditions[type=PodScheduled]"

/* ---- phase 1 ---------------------------------------------------------------- */

void core_taint_ref(struct verdict *v, struct str taint)
{
	bool node = str_is(verdict_kind(v)->kind, "Node");

	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS,
				     .flags = REF_HIDDEN | (node ? 0 : REF_STANDS),
				     .kind = STR("Taint"),
				     .name = taint,
				     .via = node ? STR("spec.taints") : STR(SCHEDULED) });
}

/* Each as "KEY=VALUE", as "KEY" for every value, or as CORE_TAINT_ANY. */
static void tell_tolerations(struct verdict *v)
{
	json_foreach(t, json_at(verdict_object(v), "spec.tolerations"))
	{
		struct str key = json_str(t, "key"), value = json_str(t, "value");

		verdict_particular(v, "tolerates", value.len ? ARENA_JOIN(verdict_arena(v), key, STR("="), value) : key.len ? key : STR(CORE_TAINT_ANY));
	}
}

/*
 * kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go: "untolerated taint {dedicated: gpu}", and from version
 * 1.35 on "untolerated taint(s)"; nodeunschedulable/node_unschedulable.go: "node(s) were unschedulable".
 */
static void names_taints(struct verdict *v, struct str message)
{
	static const char before[] = "taint {";
	struct str rest = str_head(message, str_find_str(message, "preemption:")), taint;
	size_t at;

	if (str_contains(rest, "were unschedulable"))
		core_taint_ref(v, STR(CORE_TAINT_CORDONED));
	if (str_contains(rest, "untolerated taint(s)")) {
		core_taint_ref(v, STR(CORE_TAINT_ANY));
		tell_tolerations(v);
	}
	while ((at = str_find_str(rest, before)) < rest.len) {
		struct str key, value;

		rest = str_from(rest, at + sizeof(before) - 1);
		taint = str_head(rest, str_find(rest, '}'));
		key = str_head(taint, str_find(taint, ':'));
		value = str_trim(str_from(taint, key.len + 1));
		core_taint_ref(v, value.len ? ARENA_JOIN(verdict_arena(v), key, STR("="), value) : key);
	}
}

static void tell_label(struct verdict *v, struct str key, struct str value)
{
	struct str label = ARENA_JOIN(verdict_arena(v), key, STR("="), value);

	verdict_particular(v, "node-label", label);
	verdict_ref(v, (struct ref){ .relation = RELATION_NEEDS, .flags = REF_HIDDEN, .kind = STR("NodeLabel"), .name = label, .via = STR(SCHEDULED) });
}

/* What the pod asks of a node's labels, where one value is asked. */
static void tell_labels(struct verdict *v, struct json spec)
{
	static const char terms[] = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

	json_foreach(pair, json_at(spec, "nodeSelector")) tell_label(v, json_key(pair), json_str(pair, ""));
	json_foreach(term, json_at(spec, terms))
		json_foreach(e, json_at(term, "matchExpressions"))
			if (str_is(json_str(e, "operator"), "In") && json_count(json_at(e, "values")) == 1)
				tell_label(v, json_str(e, "key"), json_str(json_first(json_at(e, "values")), ""));
}

static void tell_spread(struct verdict *v, struct json spec)
{
	json_foreach(c, json_at(spec, "topologySpreadConstraints"))
		if (!str_is(json_str(c, "whenUnsatisfiable"), "ScheduleAnyway"))
			verdict_particular(v, "wish", ARENA_JOIN(verdict_arena(v), STR("the pod is to be spread over "), json_str(c, "topologyKey"),
								 arena_printf(verdict_arena(v), ", maxSkew %d", (int)json_int(c, "maxSkew", 1))));
}

/* Which pods it wants near it, or not: "the pod has to share kubernetes.io/hostname with pods that have app=cache". */
static void tell_terms(struct verdict *v, struct json affinity, const char *how)
{
	struct arena *a = verdict_arena(v);

	json_foreach(term, json_at(affinity, "requiredDuringSchedulingIgnoredDuringExecution"))
	{
		struct str labels = STR_NONE;
		size_t n = 0;

		json_foreach(l, json_at(term, "labelSelector.matchLabels"))
			if (n++ < LABELS_TOLD)
				labels = ARENA_JOIN(a, labels, str_of(labels.len ? "," : " that have "), json_key(l), STR("="), json_str(l, ""));
		verdict_particular(v, "wish", ARENA_JOIN(a, STR("the pod "), str_of(how), STR(" share "), json_str(term, "topologyKey"), STR(" with pods"), labels));
	}
}

static void tell_affinity(struct verdict *v, struct json spec)
{
	tell_terms(v, json_at(spec, "affinity.podAffinity"), "has to");
}

static void tell_anti_affinity(struct verdict *v, struct json spec)
{
	tell_terms(v, json_at(spec, "affinity.podAntiAffinity"), "must not");
}

static void tell_ports(struct verdict *v, struct json spec)
{
	json_foreach(c, json_at(spec, "containers"))
		json_foreach(p, json_at(c, "ports"))
			if (json_int(p, "hostPort", 0) > 0)
				verdict_particular(v, "wish", arena_printf(verdict_arena(v), "the pod asks for port %d of its node", (int)json_int(p, "hostPort", 0)));
}

/* "Insufficient memory": how much of it each container requests. */
static void tell_requests(struct verdict *v, struct json spec)
{
	struct arena *a = verdict_arena(v);
	struct str message = verdict_condition(v, "PodScheduled")->message;

	json_foreach(c, json_at(spec, "containers"))
		json_foreach(r, json_at(c, "resources.requests"))
		{
			struct str of = json_key(r), much = json_str(r, "");

			if (much.len && str_contains(message, arena_printf(a, "Insufficient " STR_FMT, STR_ARG(of)).ptr))
				verdict_particular(v, "wish", ARENA_JOIN(a, STR("container "), json_str(c, "name"), STR(" requests "), of, STR(" "), much));
		}
}

/* What the pod asks for, by the words in which the scheduler says that no node has it: pkg/scheduler/framework/plugins. */
static const struct {
	const char *words;
	void (*tell)(struct verdict *v, struct json spec);
} wishes[] = {
	{ "node affinity/selector", tell_labels },
	{ "node selector", tell_labels },
	{ "topology spread constraints", tell_spread },
	{ "match pod affinity rules", tell_affinity },
	{ "match pod anti-affinity rules", tell_anti_affinity },
	{ "have free ports", tell_ports },
	{ "Insufficient ", tell_requests },
};

void core_unscheduled(struct verdict *v, struct str message)
{
	names_taints(v, message);
	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (str_contains(message, wishes[i].words))
			wishes[i].tell(v, json_at(verdict_object(v), "spec"));
}

/* ---- phase 2 ---------------------------------------------------------------- */

/* The nodes that have one taint: all are counted, the first by name are named. */
struct tainted {
	bool known;
	size_t n, named;
	struct str names[NODES_NAMED];
};

/* All taints that nodes have, or the first by name. */
struct taints {
	bool known;
	size_t n;
	struct str names[TAINTS_KEPT];
};

/* Adds a name to the first by name, each once; n of them are there.  Returns how many there are then. */
static size_t add_name(struct str *names, size_t n, size_t max, struct str name)
{
	size_t at;

	for (size_t i = 0; i < n; i++)
		if (str_eq(names[i], name))
			return n;
	if (n == max && str_cmp(names[n - 1], name) <= 0)
		return n;
	for (at = n < max ? n : max - 1; at > 0 && str_cmp(names[at - 1], name) > 0; at--)
		names[at] = names[at - 1];
	names[at] = name;
	return n < max ? n + 1 : n;
}

static const struct tainted *nodes_with(struct assessment *d, const struct neighbour *taint)
{
	struct tainted *t = assess_kept(d, ARENA_JOIN(assess_arena(d), STR("nodes with "), taint->name), sizeof(*t));
	struct neighbour n;

	for (size_t i = 0; !t->known && assess_referrer_of(d, taint, i, &n); i++) {
		if (!core_is_kind(&n, "Node") || n.presence != PRESENCE_FOUND)
			continue;
		t->n++;
		t->named = add_name(t->names, t->named, NODES_NAMED, n.name);
	}
	for (size_t i = 0; !t->known && i < t->named; i++)
		t->names[i] = assess_keep(d, t->names[i]);
	t->known = true;
	return t;
}

/* Returns how many nodes with the taint are broken. */
static size_t wait_for_broken(struct assessment *d, const struct neighbour *taint)
{
	struct neighbour n;
	size_t broken = 0;

	for (size_t at = 0; assess_next_bad_referrer_of(d, taint, "Node", &at, &n); broken++) {
		n.via = STR(SCHEDULED);
		assess_wait_for(d, &n);
	}
	return broken;
}

/*
 * Every node that there is has been cordoned, or is not set up yet: until one is there, the pod waits.  Returns how many are waited for.
 */
static size_t wait_for_all(struct assessment *d, const struct neighbour *taint)
{
	struct neighbour n;
	size_t waited = 0;

	for (size_t i = 0; assess_referrer_of(d, taint, i, &n); i++) {
		bool cordoned = n.status.phase == PHASE_SUSPENDED;

		if (!core_is_kind(&n, "Node") || n.presence != PRESENCE_FOUND || (!cordoned && n.status.phase != PHASE_PROVISIONING))
			continue;
		n.via = STR(SCHEDULED);
		assess_wait(d, &n, WAIT_NOT_READY, cordoned ? STR("is cordoned") : ARENA_JOIN(assess_arena(d), STR("has the taint "), taint->name));
		waited++;
	}
	return waited;
}

/* Returns 4 for "0/4 nodes are available: ..."; 0 for another text. */
static int64_t nodes_in_all(struct str message)
{
	struct str head = str_from(message, str_find(message, '/') + 1);
	int64_t n = 0;

	return str_starts(message, "0/") && str_to_int(str_head(head, str_find(head, ' ')), &n) ? n : 0;
}

static struct str tell_tainted(struct assessment *d, const struct neighbour *taint, const struct tainted *t)
{
	struct arena *a = assess_arena(d);
	int64_t all = nodes_in_all(assess_status(d)->message);
	struct str names = STR_NONE, of = all ? arena_printf(a, " of %d", (int)all) : STR_NONE;

	for (size_t i = 0; i < t->n && i < NODES_NAMED; i++)
		names = ARENA_JOIN(a, names, str_of(i ? ", node/" : "node/"), t->names[i]);
	if (t->n > NODES_NAMED)
		names = ARENA_JOIN(a, names, arena_printf(a, " and %zu more", t->n - NODES_NAMED));
	names = ARENA_JOIN(a, STR("taint "), taint->name, arena_printf(a, " on %zu", t->n), of, str_of(t->n == 1 && !all ? " node: " : " nodes: "), names);
	assess_because(d, names, STR_NONE, ARENA_JOIN(a, STR("Node/"), t->names[0]));
	return names;
}

/* The scheduler has counted the nodes: where as many are there, it is known which of them have the label. */
static struct str who_has(struct assessment *d, struct str label)
{
	struct labelled nodes = assess_count_labelled(d, label);
	struct arena *a = assess_arena(d);

	if (!nodes.all || (int64_t)nodes.all != nodes_in_all(assess_status(d)->message))
		return STR_NONE;
	return nodes.with ? arena_printf(a, ", which %zu of %zu %s", nodes.with, nodes.all, nodes.with == 1 ? "has" : "have") : STR(", and no node has it");
}

static struct str and_wish(struct assessment *d, struct str text, struct str wish)
{
	return ARENA_JOIN(assess_arena(d), text, str_of(text.len && wish.len ? "; " : ""), wish);
}

static struct str wished(struct assessment *d)
{
	struct arena *a = assess_arena(d);
	struct str one, text = STR_NONE;
	size_t at = 0;

	while ((one = status_particular(assess_status(d), "node-label", &at)).len)
		text = and_wish(d, text, ARENA_JOIN(a, str_of(text.len ? "with " : "the pod asks for nodes with "), one, who_has(d, one)));
	at = 0;
	while ((one = status_particular(assess_status(d), "wish", &at)).len)
		text = and_wish(d, text, one);
	return text;
}

static struct str where_volume_is(struct assessment *d, const struct neighbour *claim, const struct neighbour *volume)
{
	struct str label = status_first_particular(&volume->status, "node-label"), text;
	struct neighbour node;

	if (!label.len)
		return STR_NONE;
	text = ARENA_JOIN(assess_arena(d), STR("persistentvolume/"), volume->name, STR(" of claim "), claim->name,
			  STR(" can only be used on nodes with "), label, who_has(d, label));
	/* its node is gone */
	for (size_t i = 0; assess_target_of(d, volume, i, &node); i++)
		if (core_is_kind(&node, "Node") && node.presence == PRESENCE_MISSING && !assess_count_labelled(d, label).with)
			assess_wait(d, &node, WAIT_MISSING, text);
	return text;
}

/*
 * A volume that one zone or node has is of use there only: "volume node affinity conflict", and since version 1.35 "didn't match
 * PersistentVolume's node affinity" (pkg/scheduler/framework/plugins/volumebinding/binder.go).
 */
static struct str where_volumes_are(struct assessment *d)
{
	struct str one, text = STR_NONE, message = assess_status(d)->message;
	struct neighbour claim, volume;

	if (!str_contains(message, "volume node affinity") && !str_contains(message, "PersistentVolume's node affinity"))
		return text;
	for (size_t at = 0; assess_next_target(d, "PersistentVolumeClaim", &at, &claim);)
		for (size_t k = 0; assess_target_of(d, &claim, k, &volume); k++) {
			if (!core_is_kind(&volume, "PersistentVolume") || volume.presence != PRESENCE_FOUND)
				continue;
			one = where_volume_is(d, &claim, &volume);
			if (!one.len)
				continue;
			assess_because(d, one, STR_NONE, ARENA_JOIN(assess_arena(d), STR("PersistentVolume/"), volume.name));
			text = and_wish(d, text, one);
		}
	return text;
}

/* The scheduler does not say what is asked for, and which of the nodes have that; taints: those that it does not name. */
static void tell_wishes(struct assessment *d, struct str taints)
{
	struct str text = wished(d), message = assess_message(d);

	if (text.len)
		assess_because(d, text, STR_NONE, STR("spec"));
	text = and_wish(d, and_wish(d, taints, text), where_volumes_are(d));
	if (text.len && str_eq(message, assess_status(d)->message))
		assess_tell(d, assess_reason(d), and_wish(d, str_head(message, message.len - str_ends(message, ".")), text));
}

/* Every node that there is is broken: the pod waits for them, and for no other one. */
static void only_for_nodes(struct assessment *d, size_t broken)
{
	const struct neighbour scheduler = { .slot = 0 };

	if (broken && (int64_t)broken >= nodes_in_all(assess_status(d)->message))
		assess_drop_wait(d, &scheduler);
}

/* Returns what is told of the nodes that have the taint. */
static struct str look_at_taint(struct assessment *d, const struct neighbour *taint, size_t *broken)
{
	const struct tainted *t = nodes_with(d, taint);

	*broken += wait_for_broken(d, taint);
	if ((int64_t)t->n >= nodes_in_all(assess_status(d)->message))
		*broken += wait_for_all(d, taint);
	return t->n ? tell_tainted(d, taint, t) : STR_NONE;
}

static bool tolerates(struct assessment *d, struct str taint)
{
	const struct status *st = assess_status(d);

	return status_has_particular(st, "tolerates", taint) || status_has_particular(st, "tolerates", str_head(taint, str_find(taint, '='))) ||
	       status_has_particular(st, "tolerates", STR(CORE_TAINT_ANY));
}

static const struct taints *taints_of_nodes(struct assessment *d, const struct neighbour *every)
{
	struct taints *t = assess_kept(d, STR("taints"), sizeof(*t));
	struct neighbour node;
	struct str one;

	for (size_t i = 0; !t->known && assess_referrer_of(d, every, i, &node); i++)
		for (size_t at = 0; core_is_kind(&node, "Node") && (one = status_particular(&node.status, "taint", &at)).len;)
			t->n = add_name(t->names, t->n, TAINTS_KEPT, one);
	for (size_t i = 0; !t->known && i < t->n; i++)
		t->names[i] = assess_keep(d, t->names[i]);
	t->known = true;
	return t;
}

/* The scheduler does not name the taints: those that any node has, and the pod does not tolerate.  Returns what is told of them. */
static struct str look_at_taints(struct assessment *d, const struct neighbour *every, size_t *broken)
{
	const struct taints *t = taints_of_nodes(d, every);
	struct str text = STR_NONE;
	struct neighbour taint;
	size_t told = 0;

	for (size_t i = 0; i < t->n && told < TAINTS_NAMED; i++)
		if (!tolerates(d, t->names[i]) && assess_find(d, "", "Taint", STR_NONE, t->names[i], &taint)) {
			text = and_wish(d, text, look_at_taint(d, &taint, broken));
			told++;
		}
	return text;
}

void core_pod_and_nodes(struct assessment *d)
{
	struct str taints = STR_NONE;
	size_t broken = 0;
	struct neighbour n;

	for (size_t at = 0; assess_next_target(d, "Taint", &at, &n);)
		if (str_is(n.via, SCHEDULED) && str_is(n.name, CORE_TAINT_ANY))
			taints = look_at_taints(d, &n, &broken);
		else if (str_is(n.via, SCHEDULED))
			look_at_taint(d, &n, &broken);
	only_for_nodes(d, broken);
	tell_wishes(d, taints);
}
