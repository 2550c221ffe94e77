/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, names and lists; how an object is packed is in pack.c. */
#include "kube/model/store.h"

#include "kube/base/alloc.h"
#include "kube/base/buf.h"
#include "kube/model/pack.h"
#include "kube/model/referrers.h"

#include <stdio.h>
#include <string.h>

/* An object, or a name that one refers to. */
struct node {
	struct packed *object;	/* NULL: not (or no longer) there */
	const struct kind *kind;
	struct str name;	/* in the key of by_id */
	struct referrers in;	/* who refers to it */
	uint32_t ns;		/* interned */
	uint32_t gen;
	uint32_t stamp;		/* of the last store_put() */
	uint32_t ns_at;		/* where in its namespace's list */
	uint16_t cluster;
	uint16_t turns;		/* how often the phase was another */
	uint16_t failures;	/* how often it was seen to fail */
	uint16_t edits;		/* how often it was put and differed, time alone aside */
};

struct slots {
	uint32_t *slots;
	uint32_t n, cap;
};

struct store {
	struct kinds *kinds;
	struct intern words;
	struct map by_id, by_namespace, coverage, lists, counts;
	struct slots touched;
	bool coverage_changed;
	struct node *nodes;
	uint32_t nnodes, cap;
	uint32_t stamp;
	size_t nobjects;
	struct buf key;
};

static void slots_add(struct slots *list, uint32_t slot)
{
	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 4;
		list->slots = xreallocarray(list->slots, list->cap, sizeof(*list->slots));
	}
	list->slots[list->n++] = slot;
}

struct store *store_new(struct kinds *kinds)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->kinds = kinds;
	s->cap = 64;
	s->nodes = xcalloc(s->cap, sizeof(*s->nodes));
	s->nnodes = 1;	/* slot 0 means none */
	return s;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	for (uint32_t i = 1; i < s->nnodes; i++) {
		xfree(s->nodes[i].object);
		referrers_release(&s->nodes[i].in);
	}
	for (struct map_entry *e = map_next(&s->by_namespace, NULL); e; e = map_next(&s->by_namespace, e)) {
		struct slots *list = map_value(e);

		xfree(list->slots);
		xfree(list);
	}
	map_release(&s->by_id);
	map_release(&s->by_namespace);
	map_release(&s->coverage);
	map_release(&s->lists);
	map_release(&s->counts);
	intern_release(&s->words);
	buf_release(&s->key);
	xfree(s->touched.slots);
	xfree(s->nodes);
	xfree(s);
}

struct kinds *store_kinds(const struct store *s)
{
	return s->kinds;
}

/* A key of a few numbers and names; valid until the next call. */
static struct str store_key(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
			    struct str name)
{
	struct buf *b = &((struct store *)(uintptr_t)s)->key;
	uint32_t head[3] = { cluster, kind ? kind->id : 0, (uint32_t)ns.len };

	buf_reset(b);
	buf_add(b, (struct str){ (const char *)head, sizeof(head) });
	buf_add(b, ns);
	buf_add(b, name);
	return buf_str(b);
}

static struct str id_key(const struct store *s, const struct object_id *id)
{
	return store_key(s, id->cluster, id->kind, id->ns, id->name);
}

uint32_t store_find_node(const struct store *s, const struct object_id *id)
{
	return (uint32_t)(uintptr_t)map_get(&s->by_id, id_key(s, id));
}

static uint32_t node_of(struct store *s, const struct object_id *id)
{
	uint32_t slot = store_find_node(s, id);
	struct str key = id_key(s, id);
	struct node *node;

	if (slot)
		return slot;
	if (s->nnodes == s->cap) {
		s->cap *= 2;
		s->nodes = xreallocarray(s->nodes, s->cap, sizeof(*s->nodes));
	}
	slot = s->nnodes++;
	map_set(&s->by_id, key, (void *)(uintptr_t)slot);
	key = map_key(map_entry_of(&s->by_id, key));
	node = &s->nodes[slot];
	memset(node, 0, sizeof(*node));
	node->kind = id->kind;
	node->cluster = id->cluster;
	node->ns = intern_id(&s->words, id->ns);
	node->name = str_from(key, key.len - id->name.len);
	return slot;
}

static bool same_targets(const struct packed *a, const struct packed *b)
{
	if (!a || !b || a->nedges != b->nedges)
		return false;
	for (size_t i = 0; i < a->nedges; i++)
		if (packed_edges(a)[i].target != packed_edges(b)[i].target)
			return false;
	return true;
}

static void edges_replace(struct store *s, uint32_t slot, const struct packed *old, const struct packed *new)
{
	if (same_targets(old, new))
		return;
	for (size_t i = 0; old && i < old->nedges; i++) {
		referrers_remove(&s->nodes[packed_edges(old)[i].target].in, slot);
		slots_add(&s->touched, packed_edges(old)[i].target);
	}
	for (size_t i = 0; new && i < new->nedges; i++)
		referrers_add(&s->nodes[packed_edges(new)[i].target].in, slot);
}

static struct slots *namespace_list(struct store *s, uint16_t cluster, struct str ns)
{
	struct str key = store_key(s, cluster, NULL, ns, STR_NONE);
	struct slots *list = map_get(&s->by_namespace, key);

	if (!list) {
		list = xcalloc(1, sizeof(*list));
		map_set(&s->by_namespace, key, list);
	}
	return list;
}

/* What is known of names that are not there changed: whoever named them is concerned. */
static void touch_absent(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	uint32_t ns_id = intern_find(&s->words, ns);

	for (uint32_t slot = 1; slot < s->nnodes; slot++) {
		const struct node *node = &s->nodes[slot];

		if (!node->object && node->in.n && node->cluster == cluster && (!kind || node->kind == kind) &&
		    (ns.len == 0 || node->ns == ns_id))
			slots_add(&s->touched, slot);
	}
}

bool store_coverage_changed(struct store *s)
{
	bool changed = s->coverage_changed;

	s->coverage_changed = false;
	return changed;
}

static void count_kind(struct store *s, const struct node *node, int more)
{
	struct str key = store_key(s, node->cluster, node->kind, intern_str(&s->words, node->ns), STR_NONE);
	intptr_t n = (intptr_t)map_get(&s->counts, key);

	map_set(&s->counts, key, (void *)(n + more));
	s->coverage_changed |= n == 0 || n + more == 0;
	if ((n == 0 || n + more == 0) &&
	    store_coverage(s, node->cluster, node->kind, intern_str(&s->words, node->ns)) == COVERAGE_PARTIAL)
		touch_absent(s, node->cluster, node->kind, intern_str(&s->words, node->ns));
}

size_t store_kind_count(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	return (size_t)(uintptr_t)map_get(&s->counts, store_key(s, cluster, kind, ns, STR_NONE));
}

const uint32_t *store_touched(const struct store *s, size_t *out_n)
{
	*out_n = s->touched.n;
	return s->touched.slots;
}

void store_touched_clear(struct store *s)
{
	s->touched.n = 0;
}

static void namespace_enter(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];
	struct slots *list = namespace_list(s, node->cluster, intern_str(&s->words, node->ns));

	node->ns_at = list->n;
	slots_add(list, slot);
	count_kind(s, node, 1);
}

static void namespace_leave(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];
	struct slots *list = namespace_list(s, node->cluster, intern_str(&s->words, node->ns));
	uint32_t last = list->slots[--list->n];

	list->slots[node->ns_at] = last;
	s->nodes[last].ns_at = node->ns_at;
	count_kind(s, node, -1);
}

static struct object_id target_of(const struct object_meta *meta, struct kinds *kinds, const struct ref *ref)
{
	return (struct object_id){ meta->id.cluster, kinds_put(kinds, ref->group, ref->kind), ref->ns,
				   ref->name };
}

static bool in_trouble(const struct packed *p)
{
	return p->phase == PHASE_FAILED || p->phase == PHASE_DEGRADED ||
	       (phase_under_way((enum phase)p->phase) && p->severity >= SEVERITY_WARNING);
}

/* The words of a failure, or its time, are others: it was tried again. */
static bool says_anew(const struct store *s, const struct packed *old, const struct packed *new)
{
	struct status before, after;

	unpack_brief(&s->words, old, &before);
	unpack_brief(&s->words, new, &after);
	return before.since != after.since || !str_eq(before.message, after.message);
}

static void count_failure(struct store *s, struct node *node, const struct packed *old, const struct packed *new)
{
	if (in_trouble(new) && (!old || !in_trouble(old) || says_anew(s, old, new)) && node->failures < UINT16_MAX)
		node->failures++;
}

enum change store_put(struct store *s, const struct object_meta *meta, const struct status *status,
		      struct handle *out_handle)
{
	uint32_t slot = node_of(s, &meta->id), targets[LIMIT_REFS];
	size_t nrefs = status->nrefs < LIMIT_REFS ? status->nrefs : LIMIT_REFS;
	struct packed *old, *new;

	for (size_t i = 0; i < nrefs; i++) {
		struct object_id id = target_of(meta, s->kinds, &status->refs[i]);

		targets[i] = node_of(s, &id);
	}
	new = pack(&s->words, meta, status, targets);
	old = s->nodes[slot].object;
	s->nodes[slot].stamp = s->stamp;
	*out_handle = (struct handle){ slot, s->nodes[slot].gen };
	if (old && packed_equal(old, new)) {
		xfree(new);
		return CHANGE_NONE;
	}
	edges_replace(s, slot, old, new);
	slots_add(&s->touched, slot);
	s->nodes[slot].object = new;
	s->nodes[slot].edits += !meta->again;
	count_failure(s, &s->nodes[slot], old, new);
	if (old) {
		if (old->phase != new->phase && s->nodes[slot].turns < UINT16_MAX)
			s->nodes[slot].turns++;
		xfree(old);
		return CHANGE_UPDATED;
	}
	namespace_enter(s, slot);
	s->nobjects++;
	return CHANGE_ADDED;
}

enum change store_remove(struct store *s, struct handle h)
{
	struct node *node;

	if (!store_alive(s, h))
		return CHANGE_NONE;
	node = &s->nodes[h.slot];
	edges_replace(s, h.slot, node->object, NULL);
	slots_add(&s->touched, h.slot);
	xfree(node->object);
	node->object = NULL;
	node->gen++;
	node->turns = node->failures = 0;
	namespace_leave(s, h.slot);
	s->nobjects--;
	return CHANGE_REMOVED;
}

bool store_alive(const struct store *s, struct handle h)
{
	return h.slot && h.slot < s->nnodes && s->nodes[h.slot].object && s->nodes[h.slot].gen == h.gen;
}

struct handle store_node_handle(const struct store *s, uint32_t slot)
{
	if (slot == 0 || slot >= s->nnodes || !s->nodes[slot].object)
		return HANDLE_NONE;
	return (struct handle){ slot, s->nodes[slot].gen };
}

struct handle store_find(const struct store *s, const struct object_id *id)
{
	return store_node_handle(s, store_find_node(s, id));
}

size_t store_count(const struct store *s)
{
	return s->nobjects;
}

uint32_t store_slots(const struct store *s)
{
	return s->nnodes;
}

struct handle store_next(const struct store *s, uint32_t slot)
{
	for (slot = slot ? slot : 1; slot < s->nnodes; slot++)
		if (s->nodes[slot].object)
			return (struct handle){ slot, s->nodes[slot].gen };
	return HANDLE_NONE;
}

/* ---- lists and coverage -------------------------------------------------- */

void store_list_begin(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	map_set(&s->lists, store_key(s, cluster, kind, ns, STR_NONE), (void *)(uintptr_t)++s->stamp);
}

void store_list_end(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
		    void (*removed)(void *ctx, struct handle h), void *ctx)
{
	uint32_t begun = (uint32_t)(uintptr_t)map_get(&s->lists, store_key(s, cluster, kind, ns, STR_NONE));
	uint32_t ns_id = intern_id(&s->words, ns);

	for (uint32_t slot = 1; slot < s->nnodes; slot++) {
		struct node *node = &s->nodes[slot];

		if (!node->object || node->kind != kind || node->cluster != cluster ||
		    (ns.len && node->ns != ns_id) || node->stamp >= begun)
			continue;
		if (removed)
			removed(ctx, store_node_handle(s, slot));
		store_remove(s, store_node_handle(s, slot));
	}
}

void store_set_coverage(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
			enum coverage coverage)
{
	map_set(&s->coverage, store_key(s, cluster, kind, ns, STR_NONE), (void *)(uintptr_t)coverage);
	touch_absent(s, cluster, kind, ns);
	s->coverage_changed = true;
}

void store_set_name_coverage(struct store *s, const struct object_id *id, enum coverage coverage)
{
	uint32_t slot = node_of(s, id);

	map_set(&s->coverage, id_key(s, id), (void *)(uintptr_t)coverage);
	slots_add(&s->touched, slot);
}

enum coverage store_name_coverage(const struct store *s, const struct object_id *id)
{
	return (enum coverage)(uintptr_t)map_get(&s->coverage, id_key(s, id));
}

static enum coverage coverage_of(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	return (enum coverage)(uintptr_t)map_get(&s->coverage, store_key(s, cluster, kind, ns, STR_NONE));
}

/* What is known of all namespaces is known of each, unless that one says more. */
enum coverage store_coverage(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	enum coverage all = coverage_of(s, cluster, kind, STR_NONE);
	enum coverage here = ns.len ? coverage_of(s, cluster, kind, ns) : all;

	if (here == COVERAGE_NONE || all == COVERAGE_COMPLETE)
		here = all;
	return here == COVERAGE_NONE ? coverage_of(s, cluster, NULL, STR_NONE) : here;
}

struct object_id store_node_id(const struct store *s, uint32_t slot)
{
	const struct node *node = &s->nodes[slot];

	return (struct object_id){ node->cluster, node->kind, intern_str(&s->words, node->ns), node->name };
}

struct object_meta store_meta(const struct store *s, struct handle h)
{
	struct object_meta meta = { 0 };

	if (!store_alive(s, h))
		return meta;
	unpack_meta(&s->words, s->nodes[h.slot].object, &meta);
	meta.id = store_node_id(s, h.slot);
	return meta;
}

struct status store_brief(const struct store *s, struct handle h)
{
	struct status status = { .phase = PHASE_UNKNOWN, .replicas = REPLICAS_NONE };

	if (store_alive(s, h))
		unpack_brief(&s->words, s->nodes[h.slot].object, &status);
	return status;
}

unsigned store_turns(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? s->nodes[h.slot].turns : 0;
}

unsigned store_edits(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? s->nodes[h.slot].edits : 0;
}

unsigned store_failures(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? s->nodes[h.slot].failures : 0;
}

double store_percent(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? packed_percent(s->nodes[h.slot].object) : -1;
}

static void unpack_refs(const struct store *s, uint32_t slot, struct arena *arena, struct status *status)
{
	size_t n = store_edge_count(s, slot);
	struct ref *refs = arena_array(arena, n, sizeof(*refs));

	for (size_t i = 0; i < n; i++) {
		struct edge e = store_edge(s, slot, i);
		struct object_id id = store_node_id(s, e.target);

		refs[i] = (struct ref){ e.relation, e.flags, id.kind->group, id.kind->kind,
					id.ns, id.name, e.via, e.guard, e.message };
	}
	status->refs = refs;
	status->nrefs = (uint16_t)n;
}

struct status store_status(const struct store *s, struct handle h, struct arena *arena)
{
	struct status status = store_brief(s, h);

	if (store_alive(s, h)) {
		unpack_arrays(&s->words, s->nodes[h.slot].object, arena, &status);
		unpack_refs(s, h.slot, arena, &status);
	}
	return status;
}

size_t store_edge_count(const struct store *s, uint32_t slot)
{
	return s->nodes[slot].object ? s->nodes[slot].object->nedges : 0;
}

struct edge store_edge(const struct store *s, uint32_t slot, size_t i)
{
	return unpack_edge(&s->words, s->nodes[slot].object, i);
}

const uint32_t *store_referrers(const struct store *s, uint32_t slot, size_t *out_n)
{
	const struct referrers *in = &s->nodes[slot].in;

	*out_n = in->n;
	return in->n ? in->slots + in->first : NULL;
}

const uint32_t *store_in_namespace(const struct store *s, uint16_t cluster, struct str ns, size_t *out_n)
{
	struct slots *list = map_get(&s->by_namespace, store_key(s, cluster, NULL, ns, STR_NONE));

	*out_n = list ? list->n : 0;
	return list ? list->slots : NULL;
}
