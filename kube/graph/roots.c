/* SPDX-License-Identifier: Apache-2.0 */
/* Follows waits to their end: finds what is broken, and what each broken object blocks. */
#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/graph/graph_private.h"
#include "kube/status/thresholds.h"

#include <stdlib.h>
#include <string.h>

/* The length of an object's chain of waits, and the object at which its tail begins. */
struct wait_chain {
	uint32_t n, tail;
	enum { CHAIN_UNKNOWN, CHAIN_WALKED, CHAIN_KNOWN } state;
};

/*
 * The graph of waits.  Its nodes are the objects that are not healthy, what they wait for, and what would make that:
 * each has a number, which is graph_node.wait_number of its slot.  Most objects are healthy and have no number.  to[]
 * are the targets of the waits of a node (from first[i] to first[i + 1]); back[] is the same, reversed.
 */
struct roots {
	/* false: it holds only what one object leads to, without the list of causes, and without back[] beyond it */
	bool complete;
	uint32_t n;		/* one above the highest number; no node has 0 */
	uint32_t *slots;	/* slots by number, ascending */
	uint32_t *first, *to, *back_first, *back;
	uint32_t *component;	/* the same number for all members of a cycle; 0: the node is in no cycle */
	uint32_t *representative;	/* for each component: the member under which the cycle is listed */
	uint8_t *alive;
	bool all_alive;
	uint8_t *cause;		/* enum wait_state of a root cause; WAIT_NONE: the node is none */
	uint32_t *mark;		/* used by the present search */
	uint32_t search;
	struct wait_chain *chains;	/* they stay valid while no wait changes */
	uint32_t *path;		/* the present chain */
	uint32_t *queue;	/* the queue of the present search for what waits, which graph_blocked() returns */
	uint32_t *ahead;	/* the queue of the present search for what is waited for */
	uint32_t *held;		/* 1 + the number of objects that wait for the node; 0: not counted yet */
	const struct kind **kinds;	/* by number; NULL until somebody asks */
	const struct root_cause *list;
	size_t nlist;
	struct roots_kept kept;
	uint32_t *moved;	/* slots, for roots_moved(); NULL until somebody asks */
	uint32_t *listed;	/* 1 + the index of the node in the list of causes; 0: it is not in the list */
};

static uint32_t number_of(const struct graph *g, uint32_t slot)
{
	return slot < g->nnodes ? g->nodes[slot].wait_number : 0;
}

static void drop_roots(struct graph *g)
{
	for (uint32_t i = 1; g->roots && i < g->roots->n; i++) {
		assert(g->nodes[g->roots->slots[i]].wait_number == i);
		g->nodes[g->roots->slots[i]].wait_number = 0;
	}
	g->roots = NULL;
	arena_reset(&g->roots_arena);
}

void roots_forget(struct graph *g)
{
	g->near_work = 0;
	if (g->roots)
		drop_roots(g);
}

void roots_touch(struct graph *g, uint32_t slot)
{
	struct handle h = store_node_handle(g->store, slot);

	if (g->roots && (!h.slot || number_of(g, slot) || g->nodes[slot].health ||
			 store_brief(g->store, h).phase != PHASE_READY))
		roots_forget(g);
}

/* ---- where the waits of one object lead ---------------------------------- */

static const struct health *health_of(const struct graph *g, uint32_t slot)
{
	return graph_health(g, store_node_handle(g->store, slot));
}

static uint32_t wait_end(const struct kept_wait *w)
{
	return w->state == WAIT_FINALIZER || w->state == WAIT_EXTERNAL ? 0 : w->target;
}

static bool has_flag(const struct graph *g, uint32_t slot, const char *flag, struct arena *scratch)
{
	struct status st = graph_status(g, slot, scratch);

	return status_has_flag(&st, flag);
}

/* A copy stands for its original, and a condition of a whole namespace for the namespace. */
static uint32_t stands_for(struct graph *g, uint32_t slot, struct arena *scratch)
{
	struct object_id id = store_node_id(g->store, slot), ns;
	const struct family *family = store_meta(g->store, store_node_handle(g->store, slot)).family;
	bool wide = family && family->shared_condition_kinds && has_flag(g, slot, "namespace-wide", scratch), itself = false;
	size_t named;

	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);

		if (e.flags & REF_COPY) {
			/* an original that cannot be seen stands for its copies when there are several */
			store_referrers(g->store, e.target, &named);
			if (store_node_handle(g->store, e.target).slot || named > 1)
				return e.target;
		}
		if (!wide || !(e.flags & REF_NAMED))
			continue;
		if (e.target != slot && family_lists(family->shared_condition_kinds, store_node_kind(g->store, e.target)->kind))
			return e.target;
		itself |= e.target == slot;	/* the message names this object itself */
	}
	if (!wide || itself)
		return 0;
	ns = (struct object_id){ id.cluster, kinds_find(store_kinds(g->store), STR_NONE, STR("Namespace")),
				 STR_NONE, id.ns };
	return ns.kind ? store_find_node(g->store, &ns) : 0;
}

/* Where the waits of an object lead: slots. */
struct ends {
	uint32_t *to;
	size_t n;
};

static void add_end(struct ends *e, uint32_t slot)
{
	e->to[e->n++] = slot;
}

static bool waits_for(const struct graph *g, uint32_t slot, uint32_t target)
{
	const struct health *d = health_of(g, slot);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (d->waits[i].target == target)
			return true;
	return false;
}

/* A missing object waits for the object that would make it and cannot. */
static void ends_of_absent(struct graph *g, uint32_t slot, struct ends *out)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);
	bool missed = false;

	for (size_t i = 0; i < n && !missed; i++)
		missed = waits_for(g, in[i], slot);
	for (size_t i = 0; i < n && missed; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge_ends(g->store, in[i], k);

			if (e.target != slot || e.relation != RELATION_MANAGES)
				continue;
			if (graph_status(g, in[i], NULL).phase != PHASE_READY && !waits_for(g, in[i], slot))
				add_end(out, in[i]);
			break;
		}
}

/* A copy in progress has nothing to tell where its original knows what it waits for. */
static uint32_t origin_that_waits(struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge_ends(g->store, slot, i);
		const struct health *d = e.flags & REF_COPY ? health_of(g, e.target) : NULL;

		if (d && d->nwaits)
			return e.target;
	}
	return 0;
}

static void ends_of_waits(struct graph *g, uint32_t slot, uint32_t listed, struct ends *out)
{
	const struct health *d = health_of(g, slot);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (wait_end(&d->waits[i]) && d->waits[i].target != listed &&
		    (!listed || d->waits[i].state == WAIT_FAILED))
			add_end(out, d->waits[i].target);
}

/* Returns a number that wait_ends() does not exceed. */
static uint32_t most_ends(const struct graph *g, uint32_t slot)
{
	const struct health *d = health_of(g, slot);
	size_t n = 0;

	if (store_node_handle(g->store, slot).slot)
		return 1 + (d ? d->nwaits : 0);
	store_referrers(g->store, slot, &n);
	return (uint32_t)n;
}

static size_t wait_ends(struct graph *g, uint32_t slot, struct arena *scratch, uint32_t *to)
{
	struct ends out = { .to = to };
	enum phase phase;
	uint32_t other;

	if (!store_node_handle(g->store, slot).slot) {
		ends_of_absent(g, slot, &out);
		return out.n;
	}
	phase = graph_status(g, slot, NULL).phase;
	if (phase == PHASE_READY)
		return 0;
	other = phase == PHASE_FAILED ? stands_for(g, slot, scratch) : origin_that_waits(g, slot);
	arena_reset(scratch);
	if (other)
		add_end(&out, other);
	/* other failures of the object are another fact */
	ends_of_waits(g, slot, other, &out);
	return out.n;
}

/* ---- the graph of waits -------------------------------------------------- */

/* The slots that were met, in that order, and the slots to which the waits of each lead. */
struct closure {
	struct graph *g;
	struct arena arena, scratch;
	uint32_t *slots, *first, *to;
	uint32_t n, nto, cap, to_cap;
};

static uint32_t *grown(struct closure *c, const uint32_t *old, uint32_t n, uint32_t *cap, uint32_t wanted)
{
	uint32_t *new;

	while (*cap < wanted)
		*cap *= 2;
	new = arena_array(&c->arena, *cap, sizeof(*new));
	if (n)
		memcpy(new, old, n * sizeof(*new));
	return new;
}

/* An object that was put since the last graph_settle() has no node yet: nothing is known of it. */
static void meet(struct closure *c, uint32_t slot)
{
	if (!slot || slot >= c->g->nnodes || c->g->nodes[slot].wait_number)
		return;
	if (c->n + 1 >= c->cap) {
		uint32_t cap = c->cap;

		c->slots = grown(c, c->slots, c->n, &c->cap, c->n + 2);
		c->first = grown(c, c->first, c->n, &cap, c->n + 2);
	}
	assert(c->n < c->cap);
	c->g->nodes[slot].wait_number = 1;
	c->slots[c->n++] = slot;
}

/* Adds everything to which the waits of the slots lead. */
static void follow_all(struct closure *c)
{
	struct graph *g = c->g;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct health *d = health_of(g, c->slots[i]);
		uint32_t most = most_ends(g, c->slots[i]), first = c->nto;

		if (first + most > c->to_cap)
			c->to = grown(c, c->to, first, &c->to_cap, first + most);
		c->first[i] = first;
		c->nto += (uint32_t)wait_ends(g, c->slots[i], &c->scratch, c->to + first);
		assert(c->nto <= first + most);
		for (uint32_t k = first; k < c->nto; k++)
			meet(c, c->to[k]);
		/* a chain may go on where no cause is looked for */
		for (size_t k = 0; d && k < d->nwaits; k++)
			meet(c, d->waits[k].target);
	}
	c->first[c->n] = c->nto;
}

/* Slots in ascending order, each with its position in the closure. */
struct met {
	uint32_t slot, at;
};

static int compare_met(const void *x, const void *y)
{
	const struct met *a = x, *b = y;

	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* The result must not depend on which object was met first. */
static struct met *ordered(struct closure *c)
{
	struct met *all = arena_array(&c->arena, c->n, sizeof(*all));
	bool sorted = true;

	for (uint32_t i = 0; i < c->n; i++) {
		all[i] = (struct met){ c->slots[i], i };
		sorted &= i == 0 || c->slots[i - 1] < c->slots[i];
	}
	if (!sorted)
		qsort(all, c->n, sizeof(*all), compare_met);
	return all;
}

static void number_all(struct closure *c, struct roots *r)
{
	struct arena *a = &c->g->roots_arena;
	const struct met *all = ordered(c);
	uint32_t n = 0;

	r->n = c->n + 1;
	r->slots = arena_array(a, r->n, sizeof(uint32_t));
	r->first = arena_array(a, (size_t)r->n + 1, sizeof(uint32_t));
	r->to = arena_array(a, c->nto, sizeof(uint32_t));
	for (uint32_t i = 1; i < r->n; i++) {
		r->slots[i] = all[i - 1].slot;
		c->g->nodes[r->slots[i]].wait_number = i;
	}
	for (uint32_t i = 1; i < r->n; i++) {
		uint32_t at = all[i - 1].at;

		r->first[i] = n;
		for (uint32_t k = c->first[at]; k < c->first[at + 1]; k++)
			if (number_of(c->g, c->to[k]))
				r->to[n++] = number_of(c->g, c->to[k]);
	}
	assert(n <= c->nto);
	r->first[r->n] = n;
}

/* start 0: computes everything that is not healthy. */
static void build_edges(struct graph *g, struct roots *r, uint32_t start)
{
	struct closure c = { .g = g };
	uint32_t n = store_slots(g->store) < g->nnodes ? store_slots(g->store) : g->nnodes;

	c.cap = c.to_cap = 256;
	c.to = arena_array(&c.arena, c.to_cap, sizeof(*c.to));
	c.slots = arena_array(&c.arena, c.cap, sizeof(*c.slots));
	c.first = arena_array(&c.arena, c.cap, sizeof(*c.first));
	if (start)
		meet(&c, start);
	for (uint32_t slot = 1; !start && slot < n; slot++)
		if (g->nodes[slot].health || (g->nodes[slot].shown_gen && g->nodes[slot].phase != PHASE_READY))
			meet(&c, slot);
	follow_all(&c);
	number_all(&c, r);
	arena_release(&c.arena);
	arena_release(&c.scratch);
}

static void build_back(struct graph *g, struct roots *r)
{
	uint32_t total = r->first[r->n], *at;

	r->back_first = arena_array(&g->roots_arena, (size_t)r->n + 1, sizeof(uint32_t));
	r->back = arena_array(&g->roots_arena, total, sizeof(uint32_t));
	at = arena_array(&g->roots_arena, (size_t)r->n + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < total; i++)
		r->back_first[r->to[i] + 1]++;
	for (uint32_t node = 1; node <= r->n; node++)
		r->back_first[node] += r->back_first[node - 1];
	assert(r->back_first[r->n] == total);
	memcpy(at, r->back_first, ((size_t)r->n + 1) * sizeof(uint32_t));
	for (uint32_t node = 1; node < r->n; node++)
		for (uint32_t i = r->first[node]; i < r->first[node + 1]; i++)
			r->back[at[r->to[i]]++] = node;
}

/* ---- cycles: Tarjan's components, without recursion ---------------------- */

struct tarjan {
	uint32_t *index, *low, *stack, *path, *next;
	uint32_t count, nstack, npath;
};

static void tarjan_enter(struct tarjan *t, const struct roots *r, uint32_t node)
{
	assert(node < r->n && !t->index[node] && t->nstack < r->n && t->npath < r->n);
	t->index[node] = t->low[node] = ++t->count;
	t->next[node] = r->first[node];
	t->stack[t->nstack++] = node;
	t->path[t->npath++] = node;
}

static bool waits_for_itself(const struct roots *r, uint32_t node)
{
	for (uint32_t i = r->first[node]; i < r->first[node + 1]; i++)
		if (r->to[i] == node)
			return true;
	return false;
}

static void tarjan_leave(struct tarjan *t, struct roots *r, uint32_t node, uint8_t *on_stack)
{
	uint32_t members = 0, top = t->nstack;

	if (t->low[node] != t->index[node])
		return;
	assert(top > 0);
	while (t->stack[--top] != node)
		members++;
	for (uint32_t i = top; i < t->nstack; i++) {
		on_stack[t->stack[i]] = 0;
		r->component[t->stack[i]] = members || waits_for_itself(r, node) ? node : 0;
	}
	t->nstack = top;
}

static void tarjan_run(struct tarjan *t, struct roots *r, uint32_t start, uint8_t *on_stack)
{
	tarjan_enter(t, r, start);
	on_stack[start] = 1;
	while (t->npath) {
		uint32_t node = t->path[t->npath - 1], to;

		if (t->next[node] == r->first[node + 1]) {
			t->npath--;
			if (t->npath && t->low[node] < t->low[t->path[t->npath - 1]])
				t->low[t->path[t->npath - 1]] = t->low[node];
			tarjan_leave(t, r, node, on_stack);
			continue;
		}
		to = r->to[t->next[node]++];
		if (!t->index[to]) {
			tarjan_enter(t, r, to);
			on_stack[to] = 1;
		} else if (on_stack[to] && t->index[to] < t->low[node]) {
			t->low[node] = t->index[to];
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

	for (uint32_t node = 1; node < r->n; node++)
		if (!t.index[node] && r->first[node] < r->first[node + 1])
			tarjan_run(&t, r, node, on_stack);
	assert(t.nstack == 0 && t.npath == 0);
	arena_release(&scratch);
}

/* ---- causes -------------------------------------------------------------- */

static enum wait_state external_cause(const struct health *d)
{
	for (size_t i = 0; d && i < d->nwaits; i++)
		if (!wait_end(&d->waits[i]))
			return (enum wait_state)d->waits[i].state;
	return WAIT_NONE;
}

/* Returns the slot of back[i]. */
static uint32_t waiter_at(const struct roots *r, uint32_t i)
{
	return r->slots[r->back[i]];
}

/* Judges a name without an object: it is known not to exist, has to be approved, or is only not seen. */
static enum wait_state absent_cause(const struct graph *g, const struct roots *r, uint32_t node)
{
	enum wait_state cause = WAIT_NONE;

	for (uint32_t i = r->back_first[node]; i < r->back_first[node + 1]; i++) {
		const struct health *d = health_of(g, waiter_at(r, i));

		cause = WAIT_NOT_READY;
		for (size_t k = 0; d && k < d->nwaits; k++)
			if (d->waits[k].target == r->slots[node] &&
			    (d->waits[k].state == WAIT_MISSING || d->waits[k].state == WAIT_APPROVAL))
				return (enum wait_state)d->waits[k].state;
	}
	return cause;
}

/* Returns true when an object waits for it because it is the object's controller. */
static bool is_missed(const struct graph *g, const struct roots *r, uint32_t node)
{
	for (uint32_t i = r->back_first[node]; i < r->back_first[node + 1]; i++) {
		const struct health *d = health_of(g, waiter_at(r, i));

		for (size_t k = 0; d && k < d->nwaits; k++)
			if (d->waits[k].target == r->slots[node] && d->waits[k].state == WAIT_CONTROLLER)
				return true;
	}
	return false;
}

/* Returns why an object is the end of waits, or a trouble of its own. */
static bool deletion_hangs(const struct graph *g, uint32_t slot)
{
	struct arena scratch = { 0 };
	bool hangs = graph_deletion_hangs(g, slot, &scratch);

	arena_release(&scratch);
	return hangs;
}

static enum wait_state cause_of(struct graph *g, const struct roots *r, uint32_t node)
{
	bool waits = r->first[node] < r->first[node + 1], blocks = r->back_first[node] < r->back_first[node + 1];
	uint32_t slot = r->slots[node];
	enum wait_state external;
	struct status st;

	if (!store_node_handle(g->store, slot).slot)
		return waits ? WAIT_NONE : absent_cause(g, r, node);
	if (r->component[node])
		return r->representative[r->component[node]] == node ? WAIT_CYCLE : WAIT_NONE;
	external = external_cause(health_of(g, slot));
	if (external != WAIT_NONE)
		return external;
	if (waits)
		return WAIT_NONE;
	st = graph_status(g, slot, NULL);
	if (phase_is_leftover(st.phase, st.severity))
		return WAIT_NONE;
	if (is_missed(g, r, node))
		return WAIT_CONTROLLER;
	if (st.phase == PHASE_FAILED)
		return WAIT_FAILED;
	if (st.phase == PHASE_DEGRADED)
		return WAIT_NOT_READY;
	/* a deletion that hangs, or a creation that was given up, blocks itself */
	if (!blocks && st.severity != SEVERITY_ERROR && !deletion_hangs(g, slot))
		return WAIT_NONE;
	return st.phase == PHASE_DELETING ? WAIT_DELETING : WAIT_NOT_READY;
}

/* The order is by namespace, kind and name, and not by when a name was met. */
static bool name_before(const struct graph *g, uint32_t a, uint32_t b)
{
	struct object_id x = store_node_id(g->store, a), y = store_node_id(g->store, b);
	int c = str_cmp(x.ns, y.ns);

	c = c ? c : str_cmp(x.kind->kind, y.kind->kind);
	return (c ? c : str_cmp(x.name, y.name)) < 0;
}

static void find_representatives(struct graph *g, struct roots *r)
{
	for (uint32_t node = 1; node < r->n; node++) {
		uint32_t *representative = &r->representative[r->component[node]];

		if (r->component[node] &&
		    (!*representative || name_before(g, r->slots[node], r->slots[*representative])))
			*representative = node;
	}
}

/* ---- what is said of a cause --------------------------------------------- */

/* Returns the slot of the first object, by name, that waits for that node in its own words; 0: there is none. */
static uint32_t first_waiter(const struct graph *g, const struct roots *r, uint32_t node)
{
	uint32_t first = 0;

	for (uint32_t i = r->back_first[node]; i < r->back_first[node + 1]; i++)
		if (waits_for(g, waiter_at(r, i), r->slots[node]) && (!first || name_before(g, waiter_at(r, i), first)))
			first = waiter_at(r, i);
	return first;
}

/* Returns its wait for that slot; an empty one when it has none. */
static struct health_wait wait_of(const struct graph *g, uint32_t waiter, uint32_t slot)
{
	const struct health *d = health_of(g, waiter);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (d->waits[i].target == slot)
			return graph_wait(g, waiter, i);
	return (struct health_wait){ 0 };
}

/* A missing object: it is missing since the first object has waited for it. */
static void describe_missing(struct graph *g, const struct roots *r, uint32_t node, struct root_cause *c)
{
	bool missing = c->cause == WAIT_MISSING;
	uint32_t waiter = first_waiter(g, r, node);
	struct health_wait wait;
	struct id id;
	bool field, told;

	c->reason = missing ? STR("NotFound") : STR_NONE;
	c->severity = missing ? SEVERITY_WARNING : SEVERITY_INFO;
	for (uint32_t i = r->back_first[node]; i < r->back_first[node + 1]; i++) {
		const struct health *d = health_of(g, waiter_at(r, i));

		if (d && d->since && (!c->since || d->since < c->since))
			c->since = d->since;
	}
	if (!waiter)
		return;
	id = graph_id(g, waiter);
	wait = wait_of(g, waiter, r->slots[node]);
	field = str_starts(wait.via, "spec.") || str_starts(wait.via, "metadata.");	/* what a person wrote, and can correct */
	/* "Waiting for Network/net to be ready" says no more than that it needs it */
	told = !field && wait.message.len && !str_eq_nocase(str_head(wait.message, 11), STR("waiting for"));
	c->message = ARENA_JOIN(&g->roots_arena, str_of(missing ? "does not exist" : "was not read"), STR("; "), id.kind, STR("/"), id.name,
				str_of(field ? " refers to it in " : told ? ": " : " needs it"), field ? wait.via : told ? wait.message : STR_NONE);
}

/*
 * What has to be approved is not seen: the object that waits for it says why, and since when.  How bad that object is
 * may have another reason.
 */
static void describe_approval(struct graph *g, const struct roots *r, uint32_t node, struct root_cause *c)
{
	uint32_t slot = r->slots[node], first = first_waiter(g, r, node);
	uint32_t waiter = first ? first : waiter_at(r, r->back_first[node]);
	struct status st = graph_status(g, waiter, NULL);
	int64_t from;
	bool overdue;

	c->reason = st.reason;
	c->since = st.since;
	from = c->since ? c->since : store_meta(g->store, store_node_handle(g->store, waiter)).created;
	overdue = from && g->now - from >= thresholds.overdue;
	c->severity = overdue ? SEVERITY_WARNING : SEVERITY_INFO;
	c->message = wait_of(g, waiter, slot).message;
}

/* Compares waiters: the more severe comes first, then the one that has waited longest, then the first by name. */
static bool worse_waiter(const struct graph *g, uint32_t a, uint32_t b)
{
	struct status x = graph_status(g, a, NULL), y = graph_status(g, b, NULL);

	if (x.severity != y.severity)
		return x.severity > y.severity;
	if (x.since != y.since)
		return x.since && (!y.since || x.since < y.since);
	return graph_compare_names(g, a, b) < 0;
}

/*
 * A cause that says nothing itself (a namespace, a catalog, an original) is described by the object in the worst state
 * that waits for it.
 */
static void describe_by_waiters(struct graph *g, const struct roots *r, uint32_t node, struct root_cause *c)
{
	uint32_t slot = r->slots[node], waiter = 0;
	struct str words;
	struct status st;

	for (uint32_t i = r->back_first[node]; i < r->back_first[node + 1]; i++) {
		uint32_t other = waiter_at(r, i);
		bool in_words = waits_for(g, other, slot);

		/* an object that has failed because of it says what is wrong with what cannot be seen */
		if (in_words && c->id.handle.slot == 0 &&
		    graph_status(g, other, NULL).phase != PHASE_FAILED)
			continue;
		if (!in_words && c->cause == WAIT_NOT_READY)
			c->cause = WAIT_FAILED;
		if (!waiter || worse_waiter(g, other, waiter))
			waiter = other;
	}
	if (!waiter)
		return;
	st = graph_status(g, waiter, NULL);
	if (st.severity <= c->severity && c->message.len)
		return;
	c->severity = st.severity > c->severity ? st.severity : c->severity;
	words = wait_of(g, waiter, slot).message;
	c->reason = st.reason;
	c->message = words.len ? words : st.message;
	c->since = st.since;
}

/*
 * Finds the shortest way from a node back to itself along waits within its component: every member of a cycle has one.
 * Its nodes are written to ring, that node first.
 */
static uint32_t find_ring(struct roots *r, uint32_t start, uint32_t *ring)
{
	uint32_t *queue = xmalloc((size_t)r->n * sizeof(*queue)), *from = xmalloc((size_t)r->n * sizeof(*from));
	uint32_t head = 0, tail = 1, last = 0, n = 0;

	r->search++;
	queue[0] = start;
	while (head < tail && !last) {
		uint32_t at = queue[head++];

		for (uint32_t i = r->first[at]; i < r->first[at + 1] && !last; i++) {
			uint32_t to = r->to[i];

			if (to == start)
				last = at;
			if (to == start || r->mark[to] == r->search || r->component[to] != r->component[start])
				continue;
			r->mark[to] = r->search;
			from[to] = at;
			queue[tail++] = to;
		}
	}
	for (uint32_t at = last; at && at != start; at = from[at])
		ring[n++] = at;
	ring[n++] = start;
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t other = ring[n - 1 - i];

		ring[n - 1 - i] = ring[i];
		ring[i] = other;
	}
	xfree(queue);
	xfree(from);
	return n;
}

static struct str cycle_text(struct graph *g, struct roots *r, uint32_t node)
{
	enum { LONG = 12, HEAD = 8, TAIL = 2 };
	uint32_t *ring = xmalloc((size_t)r->n * sizeof(*ring)), n = find_ring(r, node, ring);
	struct str text = STR_NONE;

	for (uint32_t i = 0; i < n; i++) {
		struct id id;

		if (n > LONG && i == HEAD) {
			i = n - TAIL;
			text = arena_printf(&g->roots_arena, STR_FMT "... (%u more) waits for ", STR_ARG(text),
					    (unsigned)(n - HEAD - TAIL));
		}
		id = graph_id(g, r->slots[ring[i]]);
		text = arena_printf(&g->roots_arena, STR_FMT STR_FMT "/" STR_FMT " waits for ", STR_ARG(text),
				    STR_ARG(id.kind), STR_ARG(id.name));
	}
	xfree(ring);
	return arena_printf(&g->roots_arena, STR_FMT "itself", STR_ARG(text));
}

/* A controller that was scaled to zero says nothing itself; the objects that need it do. */
static void describe_controller(struct graph *g, const struct roots *r, uint32_t node, struct root_cause *c)
{
	for (uint32_t i = r->back_first[node]; i < r->back_first[node + 1]; i++) {
		const struct health *d = health_of(g, waiter_at(r, i));

		for (size_t k = 0; d && k < d->nwaits; k++) {
			if (d->waits[k].target != r->slots[node] || d->waits[k].state != WAIT_CONTROLLER)
				continue;
			if (c->severity < SEVERITY_WARNING)
				c->severity = SEVERITY_WARNING;
			if (c->message.len == 0)
				c->message = graph_wait(g, waiter_at(r, i), k).message;
		}
	}
}

static void describe(struct graph *g, struct roots *r, uint32_t node, struct root_cause *c)
{
	uint32_t slot = r->slots[node];
	struct status st = graph_status(g, slot, NULL);
	const struct health *d = health_of(g, slot);

	c->id = graph_id(g, slot);
	c->slot = slot;
	c->cause = (enum wait_state)r->cause[node];
	c->phase = PHASE_UNKNOWN;
	if (c->cause == WAIT_APPROVAL && !c->id.handle.slot) {
		describe_approval(g, r, node, c);
		return;
	}
	if (!c->id.handle.slot) {
		describe_missing(g, r, node, c);
		if (c->cause == WAIT_NOT_READY)
			describe_by_waiters(g, r, node, c);
		return;
	}
	c->phase = st.phase;
	c->severity = st.severity;
	c->reason = st.reason;
	c->message = st.message;
	c->since = st.since;
	if (c->cause == WAIT_CONTROLLER)
		describe_controller(g, r, node, c);
	if (c->cause == WAIT_CYCLE) {
		c->severity = SEVERITY_ERROR;
		c->message = cycle_text(g, r, node);
	}
	for (size_t i = 0; d && i < d->nwaits && c->message.len == 0; i++)
		c->message = graph_wait(g, slot, i).message;
	if (c->severity == SEVERITY_NONE)
		describe_by_waiters(g, r, node, c);
}

/* ---- the list ------------------------------------------------------------ */

/*
 * Finds everything that waits for a node, the nearest first, without itself and what the present search has met before:
 * it is written to queue[1] and behind.  Returns how many there are.
 */
static size_t search_back(struct roots *r, uint32_t start, uint32_t *queue)
{
	const uint32_t *first = r->back_first, *back = r->back, search = r->search;
	uint32_t *mark = r->mark;
	size_t head = 0, n = 1, there;

	queue[0] = start;
	while (head < n) {
		uint32_t node = queue[head++];

		for (uint32_t i = first[node], end = first[node + 1]; i < end; i++)
			if (mark[back[i]] != search && back[i] != start) {
				mark[back[i]] = search;
				queue[n++] = back[i];
			}
	}
	assert(n <= r->n);
	if (r->all_alive)
		return n - 1;
	/* an object that does not exist passes waits on, and is not blocked itself */
	for (head = 1, there = 1; head < n; head++)
		if (r->alive[queue[head]])
			queue[there++] = queue[head];
	return there - 1;
}

/* Returns the only node that waits for it directly; 0: there is none, there are several, or it is in a cycle. */
static uint32_t only_waiter(const struct roots *r, uint32_t node)
{
	uint32_t first = r->back_first[node], waiter;

	if (r->back_first[node + 1] != first + 1 || r->component[node])
		return 0;
	waiter = r->back[first];
	return waiter == node ? 0 : waiter;
}

/*
 * Counts how many objects wait for a node.  Along a chain, where each node has one waiter, the number grows by one at
 * each step.
 */
static size_t count_held(struct roots *r, uint32_t start)
{
	uint32_t node = start, n = 0, waiter;

	for (; !r->held[node] && (waiter = only_waiter(r, node)); node = waiter)
		r->path[n++] = node;
	if (!r->held[node]) {
		r->search++;
		r->held[node] = 1 + (uint32_t)search_back(r, node, r->queue);
	}
	for (; n > 0; node = r->path[n])
		r->held[r->path[--n]] = r->held[node] + r->alive[node];
	return r->held[start] - 1;
}

enum phase root_cause_phase(const struct root_cause *r)
{
	static const enum phase stands_for[SEVERITY_COUNT] = {
		[SEVERITY_NONE] = PHASE_UNKNOWN,
		[SEVERITY_INFO] = PHASE_WAITING,
		[SEVERITY_WARNING] = PHASE_DEGRADED,
		[SEVERITY_ERROR] = PHASE_FAILED,
	};

	if (!r->id.handle.slot)
		return stands_for[r->severity < SEVERITY_COUNT ? r->severity : SEVERITY_NONE];
	return r->phase == PHASE_READY ? PHASE_DEGRADED : r->phase;
}

uint32_t root_cause_rank(const struct root_cause *r)
{
	enum phase phase = root_cause_phase(r);
	bool stands = r->id.handle.slot && r->phase == PHASE_READY && r->worst < SEVERITY_WARNING;

	if (phase == PHASE_DEGRADED && str_is(r->id.kind, "Pod") && !r->id.group.len)
		phase = PHASE_FAILED;
	return graph_rank(phase, stands ? SEVERITY_WARNING : r->worst, r->holds);
}

int root_cause_compare(const struct root_cause *a, const struct root_cause *b)
{
	uint32_t x = root_cause_rank(a), y = root_cause_rank(b);

	return x != y ? (x < y ? -1 : 1) : id_compare(&a->id, &b->id);
}

static int compare(const void *x, const void *y)
{
	return root_cause_compare(x, y);
}

/* Returns true when the object, or a workload above it, has no replica that serves, though some are wanted. */
static bool nobody_serves(struct graph *g, uint32_t slot)
{
	enum { OWNERS = 8 };

	for (int i = 0; i < OWNERS && store_node_handle(g->store, slot).slot; i++, slot = graph_controller(g->store, slot)) {
		const struct kind *kind = store_node_kind(g->store, slot);
		struct replicas r = graph_status(g, slot, NULL).replicas;

		if (r.wanted > 0 && r.ready == 0 && !str_is(kind->kind, "Pod") && !str_is(kind->group, "batch"))
			return true;
	}
	return false;
}

static int compare_held(const void *x, const void *y)
{
	const struct held_before *a = x, *b = y;

	if (a->at.slot != b->at.slot)
		return a->at.slot < b->at.slot ? -1 : 1;
	return a->at.gen < b->at.gen ? -1 : a->at.gen > b->at.gen;
}

/*
 * Remembers how many objects the first causes hold up and how severe they are, and gives each the largest of these of the
 * last ten minutes: what crashes serves, and is waited for, in turn.
 */
static void steady_holds(struct graph *g, struct root_cause *list, size_t n)
{
	enum { REMEMBERED = 10 * 60 * 1000 };
	struct held_before was[HELD_BEFORE];
	size_t nwas = 0, nnow = 0;

	for (size_t i = 0; i < g->nheld; i++)
		if (g->held[i].until > g->now)
			was[nwas++] = g->held[i];
	for (size_t i = 0; i < n; i++) {
		struct held_before now = { { list[i].slot, list[i].id.handle.gen }, (uint32_t)list[i].holds, g->now + REMEMBERED, list[i].severity },
				   *before = nwas ? bsearch(&now, was, nwas, sizeof(*was), compare_held) : NULL;

		if (before && (before->holds > now.holds || before->severity > now.severity)) {
			now.holds = before->holds > now.holds ? before->holds : now.holds;
			now.severity = before->severity > now.severity ? before->severity : now.severity;
			now.until = before->until;
		}
		if (before)
			before->until = 0;
		list[i].holds = now.holds;
		list[i].worst = now.severity;
		g->held[nnow++] = now;
	}
	for (size_t i = 0; i < nwas && nnow < HELD_BEFORE; i++)
		if (was[i].until)
			g->held[nnow++] = was[i];
	g->nheld = nnow;
	qsort(g->held, nnow, sizeof(g->held[0]), compare_held);
}

void graph_keep_places(struct graph *g)
{
	g->keeps_places = true;
}

size_t graph_held(const struct graph *g, struct handle h)
{
	const struct held_before key = { .at = h }, *found = bsearch(&key, g->held, g->nheld, sizeof(key), compare_held);

	return found ? found->holds : 0;
}

/* Puts the causes in order.  Only for the first ones, of which a screen shows some, it is asked who is left to serve. */
static void order_roots(struct graph *g, struct root_cause *list, size_t n)
{
	size_t first = n < HELD_BEFORE ? n : HELD_BEFORE;

	qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < first; i++)
		list[i].holds += nobody_serves(g, list[i].slot);
	if (g->keeps_places)
		steady_holds(g, list, first);
	qsort(list, first, sizeof(*list), compare);
}

static void list_roots(struct graph *g, struct roots *r)
{
	struct root_cause *list;
	size_t n = 0;

	for (uint32_t node = 1; node < r->n; node++)
		n += r->cause[node] != WAIT_NONE;
	list = arena_array(&g->roots_arena, n, sizeof(*list));
	n = 0;
	for (uint32_t node = 1; node < r->n; node++) {
		if (r->cause[node] == WAIT_NONE)
			continue;
		describe(g, r, node, &list[n]);
		list[n].nblocked = list[n].holds = count_held(r, node);
		list[n].worst = list[n].severity;
		assert(list[n].nblocked < r->n);
		n++;
	}
	order_roots(g, list, n);
	r->list = list;
	r->nlist = n;
	r->listed = arena_array(&g->roots_arena, r->n, sizeof(uint32_t));
	for (size_t i = 0; i < n; i++)
		r->listed[number_of(g, list[i].slot)] = (uint32_t)i + 1;
}

/* start 0: computes everything. */
static struct roots *make_roots(struct graph *g, uint32_t start)
{
	struct arena *a = &g->roots_arena;
	struct roots *r;

	drop_roots(g);
	g->roots_made++;
	r = arena_alloc(a, sizeof(*r));
	r->complete = !start;
	build_edges(g, r, start);
	build_back(g, r);
	r->component = arena_array(a, r->n, sizeof(uint32_t));
	r->cause = arena_array(a, r->n, 1);
	r->alive = arena_array(a, r->n, 1);
	r->all_alive = true;
	for (uint32_t node = 1; node < r->n; node++) {
		r->alive[node] = store_node_handle(g->store, r->slots[node]).slot != 0;
		r->all_alive &= r->alive[node] != 0;
	}
	r->mark = arena_array(a, r->n, sizeof(uint32_t));
	r->chains = arena_array(a, r->n, sizeof(*r->chains));
	r->path = arena_array(a, r->n, sizeof(uint32_t));
	r->queue = arena_array(a, (size_t)r->n + 1, sizeof(uint32_t));
	r->ahead = arena_array(a, r->n, sizeof(uint32_t));
	r->held = arena_array(a, r->n, sizeof(uint32_t));
	find_cycles(r);
	r->representative = arena_array(a, r->n, sizeof(uint32_t));
	find_representatives(g, r);
	for (uint32_t node = 1; node < r->n; node++)
		r->cause[node] = (uint8_t)cause_of(g, r, node);
	g->roots = r;
	return r;
}

static struct roots *all_roots(struct graph *g)
{
	if (!g->roots || !g->roots->complete)
		list_roots(g, make_roots(g, 0));
	assert(g->roots->listed);
	return g->roots;
}

/*
 * Makes sure that at least the part is there to which the waits of that slot lead: after a change of one object nobody
 * needs more.  When many slots are asked for, everything is computed once.
 */
static struct roots *roots_near(struct graph *g, uint32_t slot)
{
	if (g->roots && (g->roots->complete || number_of(g, slot)))
		return g->roots;
	/* without a slot everything is computed, with the list of causes */
	if (!slot || g->near_work > g->nnodes / 8)
		return all_roots(g);
	make_roots(g, slot);
	g->near_work += g->roots->n;
	return g->roots;
}

const struct root_cause *graph_roots(struct graph *g, struct arena *arena, size_t *out_n)
{
	const struct roots *r = all_roots(g);
	struct root_cause *copy = arena_array(arena, r->nlist, sizeof(*copy));

	if (r->nlist)
		memcpy(copy, r->list, r->nlist * sizeof(*copy));
	*out_n = r->nlist;
	return copy;
}

const struct root_cause *roots_list(struct graph *g, size_t *out_n)
{
	const struct roots *r = all_roots(g);

	*out_n = r->nlist;
	return r->list;
}

const uint32_t *roots_slots(struct graph *g, size_t *out_n)
{
	const struct roots *r = all_roots(g);

	*out_n = r->n - 1;
	return r->slots + 1;
}

struct roots_kept *graph_roots_kept(struct graph *g)
{
	struct roots *r = all_roots(g);

	r->kept.arena = &g->roots_arena;
	return &r->kept;
}

const struct root_cause *graph_root(struct graph *g, struct handle h)
{
	const struct roots *r = all_roots(g);
	uint32_t at = store_alive(g->store, h) ? r->listed[number_of(g, h.slot)] : 0;

	assert(at <= r->nlist);
	return at ? &r->list[at - 1] : NULL;
}

/* Finds what waits for any of these slots: it is written to queue[1] and behind.  Returns how many there are. */
static size_t search_held(struct graph *g, struct roots *r, const uint32_t *causes, size_t n)
{
	size_t found = 0;

	r->search++;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = number_of(g, causes[i]), last = r->queue[found];
		size_t more;

		if (!node)	/* it is healthy, and nothing waits for it */
			continue;
		/* a search begins in the queue where the one before has ended */
		more = search_back(r, node, r->queue + found);
		r->queue[found] = last;
		found += more;
	}
	return found;
}

const uint32_t *graph_blocked(struct graph *g, const uint32_t *causes, size_t n, size_t *out_n)
{
	struct roots *r = all_roots(g);
	size_t found = search_held(g, r, causes, n);

	for (size_t i = 1; i <= found; i++)
		r->queue[i] = r->slots[r->queue[i]];
	*out_n = found;
	return r->queue + 1;
}

static uint64_t hash_step(uint64_t h, uint64_t more)
{
	return (h ^ more) * 1099511628211u;
}

/* A hash of where the node's own waits lead, of its cycle, and whether it is a cause. */
static uint64_t hash_waits(const struct roots *r, uint32_t node)
{
	uint32_t cycle = r->component[node] ? r->slots[r->representative[r->component[node]]] : 0;
	uint64_t h = hash_step(hash_step(14695981039346656037u, cycle), r->cause[node] != WAIT_NONE);

	for (uint32_t i = r->first[node]; i < r->first[node + 1]; i++)
		h = hash_step(h, r->slots[r->to[i]]);
	return h;
}

const uint32_t *roots_moved(struct graph *g, size_t *out_n)
{
	struct roots *r = all_roots(g);
	uint32_t *moved = r->moved;
	size_t n = 0;

	*out_n = 0;
	if (moved)	/* they are the same as at the last call */
		return moved;
	moved = r->moved = arena_array(&g->roots_arena, r->n, sizeof(*moved));
	for (uint32_t node = 1; node < r->n; node++) {
		uint64_t *waited = &g->affected.marks[r->slots[node]].waited, now = hash_waits(r, node);

		if (*waited == now)
			continue;
		*waited = now;
		moved[n++] = r->slots[node];
	}
	*out_n = n;
	return moved;
}

static void find_kinds(struct graph *g, struct roots *r)
{
	r->kinds = arena_array(&g->roots_arena, r->n, sizeof(const struct kind *));
	for (uint32_t node = 1; node < r->n; node++)
		r->kinds[node] = graph_kind(g, r->slots[node]);
}

size_t graph_blocked_kinds(struct graph *g, const uint32_t *causes, size_t n, struct kind_count *counts, size_t max,
			   size_t *out_others)
{
	struct roots *r = all_roots(g);
	size_t found = search_held(g, r, causes, n), k = 0;

	if (!r->kinds)
		find_kinds(g, r);
	n = 0;
	*out_others = 0;
	for (size_t i = 1; i <= found; i++) {
		const struct kind *kind = r->kinds[r->queue[i]];

		/* mostly the kind is that of the object before */
		if (k >= n || counts[k].kind != kind)
			for (k = 0; k < n && counts[k].kind != kind; k++)
				;
		if (k == max) {
			++*out_others;
			continue;
		}
		if (k == n)
			counts[n++] = (struct kind_count){ kind, 0 };
		counts[k].n++;
	}
	return n;
}

/* Marks which of everything that waits, or is a cause, is selected. */
static size_t mark_selected(struct graph *g, struct roots *r, bool (*selects)(const void *ctx, struct handle h),
			    const void *ctx, uint8_t *marked)
{
	size_t n = 0;

	for (uint32_t node = 1; node < r->n; node++) {
		bool waits = r->first[node] < r->first[node + 1];

		if (!r->alive[node] || (!waits && r->cause[node] == WAIT_NONE) ||
		    !selects(ctx, store_node_handle(g->store, r->slots[node])))
			continue;
		marked[r->slots[node]] = 1;
		r->queue[n++] = node;
	}
	return n;
}

const uint8_t *graph_concerned(struct graph *g, bool (*selects)(const void *ctx, struct handle h), const void *ctx,
			       struct arena *arena)
{
	struct roots *r = all_roots(g);
	uint8_t *marked = arena_array(arena, store_slots(g->store), 1);
	size_t n = mark_selected(g, r, selects, ctx, marked);

	while (n) {
		uint32_t node = r->queue[--n];

		for (uint32_t i = r->first[node]; i < r->first[node + 1]; i++)
			if (!marked[r->slots[r->to[i]]]) {
				marked[r->slots[r->to[i]]] = 1;
				r->queue[n++] = r->to[i];
			}
	}
	return marked;
}

bool roots_in_cycle(struct graph *g, uint32_t from, uint32_t to)
{
	const struct roots *r = roots_near(g, from);
	uint32_t node = number_of(g, from), end = number_of(g, to);

	return node && end && r->component[node] && r->component[node] == r->component[end];
}

size_t roots_of(struct graph *g, uint32_t slot, size_t most, struct arena *arena, const struct id **out)
{
	struct arena_list found = { 0 };
	struct roots *r;
	uint32_t start;
	size_t head = 0, n = 1;

	*out = NULL;
	if (graph_status(g, slot, NULL).phase == PHASE_READY)	/* most objects are Ready and wait for nothing */
		return 0;
	r = roots_near(g, slot);
	start = number_of(g, slot);
	if (!start || r->first[start] == r->first[start + 1])
		return 0;
	r->search++;
	r->ahead[0] = start;
	r->mark[start] = r->search;
	while (head < n && found.n < most) {
		uint32_t at = r->ahead[head++];
		struct id *id = at != start && r->cause[at] != WAIT_NONE ?
					arena_list_add(&found, arena, sizeof(*id), 256) :
					NULL;

		/* the representative of a cycle stands for all members */
		if (id)
			*id = graph_id(g, r->slots[at]);
		for (uint32_t i = r->first[at]; i < r->first[at + 1]; i++)
			if (r->mark[r->to[i]] != r->search) {
				r->mark[r->to[i]] = r->search;
				r->ahead[n++] = r->to[i];
			}
	}
	*out = found.items;
	return found.n;
}

/* ---- chains -------------------------------------------------------------- */

struct item_wait roots_wait(struct graph *g, uint32_t slot, struct health_wait w)
{
	struct item_wait out = { .state = w.state, .via = w.via, .message = w.message };
	struct object_id self = store_node_id(g->store, slot);

	if (w.target) {
		out.on = graph_id(g, w.target);
		if (roots_in_cycle(g, slot, w.target))
			out.state = WAIT_CYCLE;
		return out;
	}
	out.on = graph_id(g, slot);
	out.on.handle = HANDLE_NONE;
	if (str_eq(self.kind->kind, w.kind) && str_eq(self.name, w.name)) {
		out.on.handle = store_node_handle(g->store, slot);
		return out;
	}
	out.on.group = STR_NONE;
	out.on.ns = STR_NONE;
	out.on.kind = w.kind;
	out.on.name = w.name;
	return out;
}

/*
 * The order of waits: what blocks comes before what merely belongs to the object, what the operator names itself comes
 * first, then failures.
 */
static int wait_rank(const struct health_wait *w)
{
	bool named = w->blocks && w->message.len;

	return (w->blocks ? 0 : 4) + (named ? 0 : 2) +
	       (w->state == WAIT_FAILED || w->state == WAIT_MISSING ? 0 : 1);
}

/* Returns false when the object waits for nothing. */
static bool first_of(const struct graph *g, uint32_t slot, struct health_wait *out)
{
	const struct health *d = health_of(g, slot);

	for (size_t i = 0; d && i < d->nwaits; i++) {
		struct health_wait w = graph_wait(g, slot, i);

		if (i == 0 || wait_rank(&w) < wait_rank(out))
			*out = w;
	}
	return d && d->nwaits;
}

struct item_wait graph_first_wait(struct graph *g, struct handle h)
{
	struct health_wait w;

	return store_alive(g->store, h) && first_of(g, h.slot, &w) ? roots_wait(g, h.slot, w) :
								     (struct item_wait){ .state = WAIT_NONE };
}

/* What does not exist passes the wait on to the object that would make it. */
static struct item_wait wait_of_absent(struct graph *g, const struct roots *r, uint32_t slot)
{
	struct item_wait out = { .state = WAIT_NONE };
	uint32_t node = number_of(g, slot), maker;

	if (r->first[node] == r->first[node + 1])
		return out;
	maker = r->slots[r->to[r->first[node]]];
	out.on = graph_id(g, maker);
	out.state = graph_status(g, maker, NULL).phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY;
	if (roots_in_cycle(g, slot, maker))
		out.state = WAIT_CYCLE;
	return out;
}

/* Returns a link of the chain, and the slot whose link is the next; 0: this is the last link. */
static struct item_wait link_of(struct graph *g, uint32_t slot, uint32_t *out_next)
{
	const struct roots *r = roots_near(g, slot);
	struct handle h = store_node_handle(g->store, slot);
	struct health_wait first = { .target = 0 };
	struct item_wait w = { .state = WAIT_NONE };

	if (first_of(g, slot, &first))
		w = roots_wait(g, slot, first);
	else if (!h.slot)
		w = wait_of_absent(g, r, slot);
	*out_next = w.on.handle.slot ? w.on.handle.slot : first.target;
	if (w.state == WAIT_FINALIZER || w.state == WAIT_APPROVAL || !number_of(g, *out_next))
		*out_next = 0;
	return w;
}

/*
 * Numbers the links of a path that has met itself again, from position at on: each is as far from the end as the circle
 * is long.
 */
static void close_circle(struct wait_chain *chains, const uint32_t *path, uint32_t at, uint32_t n)
{
	uint32_t round = n - at;

	assert(at < n);
	for (uint32_t i = at; i < n; i++)
		chains[path[i]] = (struct wait_chain){
			.state = CHAIN_KNOWN,
			.n = round,
			.tail = path[at + (i - at + (round > CHAIN_TAIL ? round - CHAIN_TAIL : 0)) % round],
		};
}

/*
 * Computes how long the chain of an object is, and where its tail begins.  What is found on the way is kept, so that
 * every object of a world is visited once, however long its chains are.  A chain that meets itself ends there, after
 * one round of the circle.
 */
static const struct wait_chain *chain_of(struct graph *g, struct handle from)
{
	static const struct wait_chain none;
	const struct roots *r = roots_near(g, from.slot);
	struct wait_chain *chains = r->chains;
	uint32_t n = 0, start = number_of(g, from.slot), node, next;

	if (!store_alive(g->store, from) || !start)
		return &none;
	for (node = start; node && chains[node].state == CHAIN_UNKNOWN; node = number_of(g, next)) {
		if (link_of(g, r->slots[node], &next).state == WAIT_NONE) {
			chains[node].state = CHAIN_KNOWN;
			break;
		}
		chains[node] = (struct wait_chain){ .state = CHAIN_WALKED, .n = n };
		r->path[n++] = node;
	}
	if (chains[node].state == CHAIN_WALKED) {
		uint32_t at = chains[node].n;

		close_circle(chains, r->path, at, n);
		n = at;
	}
	while (n--) {
		struct wait_chain ahead = chains[node];

		assert(ahead.n <= r->n);
		node = r->path[n];
		chains[node] = (struct wait_chain){
			.state = CHAIN_KNOWN,
			.n = ahead.n + 1,
			.tail = ahead.n < CHAIN_TAIL ? node : ahead.tail,
		};
	}
	return &chains[start];
}

/* Returns n links; there are at least that many. */
static size_t follow(struct graph *g, uint32_t from, struct item_wait *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = link_of(g, from, &from);
	return n;
}

size_t graph_chain(struct graph *g, struct handle from, struct item_wait *out, size_t cap)
{
	size_t n = chain_of(g, from)->n;

	return follow(g, from.slot, out, n < cap ? n : cap);
}

size_t graph_chain_tail(struct graph *g, struct handle from, struct item_wait *out)
{
	const struct wait_chain *c = chain_of(g, from);

	follow(g, c->n ? g->roots->slots[c->tail] : 0, out, c->n < CHAIN_TAIL ? c->n : CHAIN_TAIL);
	return c->n;
}
