/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler names, put beside what it means: the nodes that have a taint, what the pod asks of nodes, where its
 * volumes are.
 */
#include "kube/family/core/core.h"

enum { NODES_NAMED = 4 };	/* nodes that are listed by name, of all that have a taint */

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

/*
 * kubernetes pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go: "untolerated taint {dedicated: gpu}";
 * nodeunschedulable/node_unschedulable.go: "node(s) were unschedulable".
 */
static void names_taints(struct verdict *v, struct str message)
{
	static const char before[] = "taint {";
	struct str rest = str_head(message, str_find_str(message, "preemption:")), taint;
	size_t at;

	if (str_contains(rest, "were unschedulable"))
		core_taint_ref(v, STR(CORE_TAINT_CORDONED));
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
static void tell_labels(struct verdict *v)
{
	struct json spec = json_at(verdict_object(v), "spec");
	static const char terms[] = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

	json_foreach(pair, json_at(spec, "nodeSelector")) tell_label(v, json_key(pair), json_str(pair, ""));
	json_foreach(term, json_at(spec, terms))
		json_foreach(e, json_at(term, "matchExpressions"))
			if (str_is(json_str(e, "operator"), "In") && json_count(json_at(e, "values")) == 1)
				tell_label(v, json_str(e, "key"), json_str(json_first(json_at(e, "values")), ""));
}

void core_unscheduled(struct verdict *v, struct str message)
{
	names_taints(v, message);
	if (str_contains(message, "node affinity/selector") || str_contains(message, "node selector"))
		tell_labels(v);
}

/* ---- phase 2 ---------------------------------------------------------------- */

/* The nodes that have one taint: all are counted, the first by name are named. */
struct tainted {
	size_t n, broken;
	struct str names[NODES_NAMED];
};

static void name_node(struct tainted *t, struct str name)
{
	size_t at = t->n < NODES_NAMED ? t->n : NODES_NAMED - 1;

	if (t->n++ >= NODES_NAMED && str_cmp(t->names[at], name) <= 0)
		return;
	for (; at > 0 && str_cmp(t->names[at - 1], name) > 0; at--)
		t->names[at] = t->names[at - 1];
	t->names[at] = name;
}

static struct tainted nodes_with(struct assessment *d, const struct neighbour *taint)
{
	struct tainted t = { .n = 0 };
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, taint, i, &n); i++) {
		if (!core_is_kind(&n, "Node") || n.presence != PRESENCE_FOUND)
			continue;
		name_node(&t, n.name);
		if (!phase_is_bad(n.status.phase))
			continue;
		t.broken++;
		n.via = STR(SCHEDULED);
		assess_wait_for(d, &n);
	}
	return t;
}

/* Somebody has cordoned every node that there is: until one is uncordoned, the pod waits. */
static void wait_for_cordoned(struct assessment *d, const struct neighbour *taint, struct tainted *t)
{
	struct neighbour n;

	for (size_t i = 0; assess_referrer_of(d, taint, i, &n); i++) {
		if (!core_is_kind(&n, "Node") || n.presence != PRESENCE_FOUND || n.status.phase != PHASE_SUSPENDED)
			continue;
		n.via = STR(SCHEDULED);
		assess_wait(d, &n, WAIT_NOT_READY, STR("is cordoned"));
		t->broken++;
	}
}

/* Returns 4 for "0/4 nodes are available: ..."; 0 for another text. */
static int64_t nodes_in_all(struct str message)
{
	struct str head = str_from(message, str_find(message, '/') + 1);
	int64_t n = 0;

	return str_starts(message, "0/") && str_to_int(str_head(head, str_find(head, ' ')), &n) ? n : 0;
}

static void tell_tainted(struct assessment *d, const struct neighbour *taint, const struct tainted *t)
{
	struct arena *a = assess_arena(d);
	int64_t all = nodes_in_all(assess_status(d)->message);
	struct str names = STR_NONE, of = all ? arena_printf(a, " of %d", (int)all) : STR_NONE;

	for (size_t i = 0; i < t->n && i < NODES_NAMED; i++)
		names = ARENA_JOIN(a, names, str_of(i ? ", node/" : "node/"), t->names[i]);
	if (t->n > NODES_NAMED)
		names = ARENA_JOIN(a, names, arena_printf(a, " and %zu more", t->n - NODES_NAMED));
	assess_because(d, ARENA_JOIN(a, STR("taint "), taint->name, arena_printf(a, " on %zu", t->n), of,
				     str_of(t->n == 1 && !all ? " node: " : " nodes: "), names),
		       STR_NONE, ARENA_JOIN(a, STR("Node/"), t->names[0]));
}

/* The scheduler has counted the nodes: where as many are there, it is known which of them have the label. */
static struct str who_has(struct assessment *d, struct str label)
{
	struct labelled nodes;
	struct arena *a = assess_arena(d);

	if (!assess_count_labelled(d, label, &nodes) || (int64_t)nodes.all != nodes_in_all(assess_status(d)->message))
		return STR_NONE;
	return nodes.with ? arena_printf(a, ", which %zu of %zu %s", nodes.with, nodes.all, nodes.with == 1 ? "has" : "have") : STR(", and no node has it");
}

static void tell_wishes(struct assessment *d)
{
	struct arena *a = assess_arena(d);
	struct str label, text = STR_NONE;
	size_t at = 0;

	while ((label = status_particular(assess_status(d), "node-label", &at)).len)
		text = ARENA_JOIN(a, text, text.len ? STR("; with ") : STR("the pod asks for nodes with "), label, who_has(d, label));
	if (text.len)
		assess_because(d, text, STR_NONE, STR("spec.nodeSelector"));
}

static void tell_volume(struct assessment *d, const struct neighbour *claim, const struct neighbour *volume)
{
	struct arena *a = assess_arena(d);
	size_t at = 0;
	struct str label = status_particular(&volume->status, "node-label", &at);

	if (label.len)
		assess_because(d, ARENA_JOIN(a, STR("persistentvolume/"), volume->name, STR(" of claim "), claim->name,
					     STR(" can only be used on nodes with "), label),
			       STR_NONE, ARENA_JOIN(a, STR("PersistentVolume/"), volume->name));
}

/* A volume that one zone or node has is of use there only. */
static void tell_volumes(struct assessment *d)
{
	struct neighbour claim, volume;

	if (!str_contains(assess_status(d)->message, "volume node affinity"))
		return;
	for (size_t at = 0; assess_next_target(d, "PersistentVolumeClaim", &at, &claim);)
		for (size_t k = 0; assess_target_of(d, &claim, k, &volume); k++)
			if (core_is_kind(&volume, "PersistentVolume") && volume.presence == PRESENCE_FOUND)
				tell_volume(d, &claim, &volume);
}

/* Every node that there is is broken: the pod waits for them, and for no other one. */
static void only_for_nodes(struct assessment *d, size_t broken)
{
	const struct neighbour scheduler = { .slot = 0 };

	if (broken && (int64_t)broken >= nodes_in_all(assess_status(d)->message))
		assess_drop_wait(d, &scheduler);
}

void core_pod_and_nodes(struct assessment *d)
{
	size_t broken = 0;
	struct neighbour n;

	for (size_t at = 0; assess_next_target(d, "Taint", &at, &n);) {
		struct tainted t;

		if (!str_is(n.via, SCHEDULED))
			continue;
		t = nodes_with(d, &n);
		if (str_is(n.name, CORE_TAINT_CORDONED) && (int64_t)t.n >= nodes_in_all(assess_status(d)->message))
			wait_for_cordoned(d, &n, &t);
		broken += t.broken;
		if (t.n)
			tell_tainted(d, &n, &t);
	}
	only_for_nodes(d, broken);
	tell_wishes(d);
	tell_volumes(d);
}
