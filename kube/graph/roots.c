/* SPDX-License-Identifier: Apache-2.0 */
/* Waits followed to their end: what is broken, and what each of it holds up. */
#include "kube/base/alloc.h"
#include "kube/graph/roots_private.h"

#include <stdlib.h>
#include <string.h>

void roots_forget(struct graph *g)
{
	if (!g->roots)
		return;
	g->roots = NULL;
	arena_reset(&g->roots_arena);
}

void roots_touch(struct graph *g, uint32_t slot)
{
	const struct roots *r = g->roots;
	struct handle h = store_node_handle(g->store, slot);

	if (!r)
		return;
	if (slot >= r->n || !h.slot || !r->alive[slot] || g->by_slot[slot] || r->cause[slot] != WAIT_NONE ||
	    r->first[slot] < r->first[slot + 1] || r->back_first[slot] < r->back_first[slot + 1] ||
	    store_brief(g->store, h).phase != PHASE_READY)
		roots_forget(g);
}

/* ---- edges --------------------------------------------------------------- */

static void build_edges(struct graph *g, struct roots *r)
{
	struct arena scratch = { 0 };
	size_t total = 0;

	r->n = store_slots(g->store);
	r->first = arena_array(&g->roots_arena, r->n + 1, sizeof(uint32_t));
	for (uint32_t slot = 1; slot < r->n; slot++) {
		r->first[slot] = (uint32_t)total;
		total += roots_ends(g, slot, &scratch, NULL);
	}
	r->first[r->n] = (uint32_t)total;
	r->to = arena_array(&g->roots_arena, total, sizeof(uint32_t));
	for (uint32_t slot = 1; slot < r->n; slot++)
		if (r->first[slot + 1] > r->first[slot])
			roots_ends(g, slot, &scratch, r->to + r->first[slot]);
	arena_release(&scratch);
}

static void build_back(struct graph *g, struct roots *r)
{
	uint32_t total = r->first[r->n], *at;

	r->back_first = arena_array(&g->roots_arena, (size_t)r->n + 1, sizeof(uint32_t));
	r->back = arena_array(&g->roots_arena, total, sizeof(uint32_t));
	at = arena_array(&g->roots_arena, (size_t)r->n + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < total; i++)
		r->back_first[r->to[i] + 1]++;
	for (uint32_t slot = 1; slot <= r->n; slot++)
		r->back_first[slot] += r->back_first[slot - 1];
	memcpy(at, r->back_first, ((size_t)r->n + 1) * sizeof(uint32_t));
	for (uint32_t slot = 1; slot < r->n; slot++)
		for (uint32_t i = r->first[slot]; i < r->first[slot + 1]; i++)
			r->back[at[r->to[i]]++] = slot;
}

/* ---- cycles: Tarjan's components, without recursion ---------------------- */

struct tarjan {
	uint32_t *index, *low, *stack, *path, *next;
	uint32_t count, nstack, npath;
};

static void tarjan_enter(struct tarjan *t, const struct roots *r, uint32_t slot)
{
	t->index[slot] = t->low[slot] = ++t->count;
	t->next[slot] = r->first[slot];
	t->stack[t->nstack++] = slot;
	t->path[t->npath++] = slot;
}

static bool waits_for_itself(const struct roots *r, uint32_t slot)
{
	for (uint32_t i = r->first[slot]; i < r->first[slot + 1]; i++)
		if (r->to[i] == slot)
			return true;
	return false;
}

static void tarjan_leave(struct tarjan *t, struct roots *r, uint32_t slot, uint8_t *on_stack)
{
	uint32_t members = 0, top = t->nstack;

	if (t->low[slot] != t->index[slot])
		return;
	while (t->stack[--top] != slot)
		members++;
	for (uint32_t i = top; i < t->nstack; i++) {
		on_stack[t->stack[i]] = 0;
		r->component[t->stack[i]] = members || waits_for_itself(r, slot) ? slot : 0;
	}
	t->nstack = top;
}

static void tarjan_run(struct tarjan *t, struct roots *r, uint32_t start, uint8_t *on_stack)
{
	tarjan_enter(t, r, start);
	on_stack[start] = 1;
	while (t->npath) {
		uint32_t slot = t->path[t->npath - 1], to;

		if (t->next[slot] == r->first[slot + 1]) {
			t->npath--;
			if (t->npath && t->low[slot] < t->low[t->path[t->npath - 1]])
				t->low[t->path[t->npath - 1]] = t->low[slot];
			tarjan_leave(t, r, slot, on_stack);
			continue;
		}
		to = r->to[t->next[slot]++];
		if (!t->index[to]) {
			tarjan_enter(t, r, to);
			on_stack[to] = 1;
		} else if (on_stack[to] && t->index[to] < t->low[slot]) {
			t->low[slot] = t->index[to];
		}
	}
}

static void find_cycles(struct roots *r)
{
	struct arena scratch = { 0 };
	struct tarjan t = { .index = arena_array(&scratch, r->n, 4), .low = arena_array(&scratch, r->n, 4),
			    .stack = arena_array(&scratch, r->n, 4), .path = arena_array(&scratch, r->n, 4),
			    .next = arena_array(&scratch, r->n, 4) };
	uint8_t *on_stack = arena_array(&scratch, r->n, 1);

	for (uint32_t slot = 1; slot < r->n; slot++)
		if (!t.index[slot] && r->first[slot] < r->first[slot + 1])
			tarjan_run(&t, r, slot, on_stack);
	arena_release(&scratch);
}

/* ---- causes -------------------------------------------------------------- */

static enum wait_state external_cause(const struct health *d)
{
	for (size_t i = 0; d && i < d->nwaits; i++)
		if (!roots_wait_end(&d->waits[i]))
			return d->waits[i].state;
	return WAIT_NONE;
}

/* A name that is not here: known not to exist, to be approved, or only not to be seen. */
static enum wait_state absent_cause(const struct graph *g, const struct roots *r, uint32_t slot)
{
	enum wait_state cause = WAIT_NONE;

	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = roots_health(g, r->back[i]);

		cause = WAIT_NOT_READY;
		for (size_t k = 0; d && k < d->nwaits; k++)
			if (d->waits[k].target == slot &&
			    (d->waits[k].state == WAIT_MISSING || d->waits[k].state == WAIT_APPROVAL))
				return d->waits[k].state;
	}
	return cause;
}

/* Does somebody wait for it because it is his controller? */
static bool is_missed(const struct graph *g, const struct roots *r, uint32_t slot)
{
	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = roots_health(g, r->back[i]);

		for (size_t k = 0; d && k < d->nwaits; k++)
			if (d->waits[k].target == slot && d->waits[k].state == WAIT_CONTROLLER)
				return true;
	}
	return false;
}

/* Why an object is the end of waits, or a trouble of its own. */
static enum wait_state cause_of(struct graph *g, const struct roots *r, uint32_t slot)
{
	bool waits = r->first[slot] < r->first[slot + 1], blocks = r->back_first[slot] < r->back_first[slot + 1];
	enum wait_state external;
	enum phase phase;

	if (!store_node_handle(g->store, slot).slot)
		return waits ? WAIT_NONE : absent_cause(g, r, slot);
	if (r->component[slot])
		return r->speaker[r->component[slot]] == slot ? WAIT_CYCLE : WAIT_NONE;
	external = external_cause(roots_health(g, slot));
	if (external != WAIT_NONE)
		return external;
	phase = graph_status(g, slot, NULL).phase;
	if (waits)
		return WAIT_NONE;
	if (is_missed(g, r, slot))
		return WAIT_CONTROLLER;
	if (phase == PHASE_FAILED)
		return WAIT_FAILED;
	if (phase == PHASE_DEGRADED)
		return WAIT_NOT_READY;
	if (!blocks)
		return WAIT_NONE;
	return phase == PHASE_DELETING ? WAIT_DELETING : WAIT_NOT_READY;
}

/* By namespace, kind and name: not by when a name was met. */
static bool speaks_before(const struct graph *g, uint32_t a, uint32_t b)
{
	struct object_id x = store_node_id(g->store, a), y = store_node_id(g->store, b);
	int c = str_cmp(x.ns, y.ns);

	c = c ? c : str_cmp(x.kind->kind, y.kind->kind);
	return (c ? c : str_cmp(x.name, y.name)) < 0;
}

static void find_speakers(struct graph *g, struct roots *r)
{
	for (uint32_t slot = 1; slot < r->n; slot++) {
		uint32_t *speaker = &r->speaker[r->component[slot]];

		if (r->component[slot] && (!*speaker || speaks_before(g, slot, *speaker)))
			*speaker = slot;
	}
}

static void find_causes(struct graph *g, struct roots *r)
{
	for (uint32_t slot = 1; slot < r->n; slot++)
		r->cause[slot] = (uint8_t)cause_of(g, r, slot);
}

/* Everything that waits for it, nearest first, itself left out. */
static size_t search_back(struct roots *r, uint32_t start, uint32_t *queue)
{
	size_t head = 0, n = 1, there;

	r->search++;
	queue[0] = start;
	r->mark[start] = r->search;
	while (head < n) {
		uint32_t slot = queue[head++];

		for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++)
			if (r->mark[r->back[i]] != r->search) {
				r->mark[r->back[i]] = r->search;
				queue[n++] = r->back[i];
			}
	}
	/* what does not exist passes waits on, and is not held up itself */
	for (head = 1, there = 1; head < n; head++)
		if (r->alive[queue[head]])
			queue[there++] = queue[head];
	return there - 1;
}

int root_cause_compare(const struct root_cause *a, const struct root_cause *b)
{
	int c;

	if (a->nblocked != b->nblocked)
		return a->nblocked > b->nblocked ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	c = str_cmp(a->id.ns, b->id.ns);
	c = c ? c : str_cmp(a->id.kind, b->id.kind);
	return c ? c : str_cmp(a->id.name, b->id.name);
}

static int compare(const void *x, const void *y)
{
	return root_cause_compare(x, y);
}

static void list_roots(struct graph *g, struct roots *r)
{
	uint32_t *queue = xmalloc((size_t)r->n * sizeof(*queue));
	struct root_cause *list;
	size_t n = 0;

	for (uint32_t slot = 1; slot < r->n; slot++)
		n += r->cause[slot] != WAIT_NONE;
	list = arena_array(&g->roots_arena, n, sizeof(*list));
	n = 0;
	for (uint32_t slot = 1; slot < r->n; slot++) {
		struct root_cause *c = &list[n];
		struct id *blocked;

		if (r->cause[slot] == WAIT_NONE)
			continue;
		n++;
		roots_describe(g, r, slot, c);
		c->nblocked = search_back(r, slot, queue);
		blocked = arena_array(&g->roots_arena, c->nblocked, sizeof(*blocked));
		for (size_t i = 0; i < c->nblocked; i++)
			blocked[i] = graph_id(g, queue[i + 1]);
		c->blocked = blocked;
	}
	qsort(list, n, sizeof(*list), compare);
	r->list = list;
	r->nlist = n;
	xfree(queue);
}

const struct roots *roots_get(struct graph *g)
{
	struct roots *r = g->roots;

	if (r)
		return r;
	arena_reset(&g->roots_arena);
	r = arena_alloc(&g->roots_arena, sizeof(*r));
	build_edges(g, r);
	build_back(g, r);
	r->component = arena_array(&g->roots_arena, r->n, sizeof(uint32_t));
	r->cause = arena_array(&g->roots_arena, r->n, 1);
	r->alive = arena_array(&g->roots_arena, r->n, 1);
	for (uint32_t slot = 1; slot < r->n; slot++)
		r->alive[slot] = store_node_handle(g->store, slot).slot != 0;
	r->mark = arena_array(&g->roots_arena, r->n, sizeof(uint32_t));
	r->chains = arena_array(&g->roots_arena, r->n, sizeof(*r->chains));
	r->path = arena_array(&g->roots_arena, r->n, sizeof(uint32_t));
	find_cycles(r);
	r->speaker = arena_array(&g->roots_arena, r->n, sizeof(uint32_t));
	find_speakers(g, r);
	find_causes(g, r);
	list_roots(g, r);
	g->roots = r;
	return r;
}

const struct root_cause *graph_roots(struct graph *g, struct arena *arena, size_t *out_n)
{
	const struct roots *r = roots_get(g);
	struct root_cause *copy = arena_array(arena, r->nlist, sizeof(*copy));

	if (r->nlist)
		memcpy(copy, r->list, r->nlist * sizeof(*copy));
	*out_n = r->nlist;
	return copy;
}

bool roots_in_cycle(struct graph *g, uint32_t from, uint32_t to)
{
	const struct roots *r = roots_get(g);

	return from < r->n && to < r->n && r->component[from] && r->component[from] == r->component[to];
}

/* A member of a cycle stands for the whole of it by its representative. */
size_t roots_of(struct graph *g, uint32_t slot, struct arena *arena, const struct id **out)
{
	struct roots *r = (struct roots *)(uintptr_t)roots_get(g);
	struct list found = { 0 };
	uint32_t *queue;
	size_t head = 0, n = 1;

	*out = NULL;
	if (slot >= r->n || r->first[slot] == r->first[slot + 1])
		return 0;
	queue = xmalloc((size_t)r->n * sizeof(*queue));
	r->search++;
	queue[0] = slot;
	r->mark[slot] = r->search;
	while (head < n) {
		uint32_t at = queue[head++];
		struct id *id = at != slot && r->cause[at] != WAIT_NONE ?
					list_add(&found, arena, sizeof(*id), 256) :
					NULL;

		if (id)
			*id = graph_id(g, at);
		for (uint32_t i = r->first[at]; i < r->first[at + 1]; i++)
			if (r->mark[r->to[i]] != r->search) {
				r->mark[r->to[i]] = r->search;
				queue[n++] = r->to[i];
			}
	}
	xfree(queue);
	*out = found.items;
	return found.n;
}
