/* SPDX-License-Identifier: Apache-2.0 */
/* Waits followed to their end: what is broken, and what each of it holds up. */
#include "kube/base/alloc.h"
#include "kube/graph/graph_private.h"
#include "kube/status/thresholds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of an object's chain of waits; its length, and whose wait begins its tail. */
struct chain {
	uint32_t n, tail;
	enum { CHAIN_UNKNOWN, CHAIN_WALKED, CHAIN_KNOWN } state;
};

/*
 * The graph of waits.  Nodes are slots.  to[] are the ends of the waits of a
 * node (from first[slot] to first[slot + 1]); back[] the same, reversed.
 */
struct roots {
	uint32_t n;
	uint32_t *first, *to, *back_first, *back;
	uint32_t *component;	/* equal for the members of a cycle; 0: in none */
	uint32_t *representative;	/* of each component: the member that the cycle is listed under */
	uint8_t *alive;
	uint8_t *cause;		/* enum wait_state of a root cause, WAIT_NONE: is none */
	uint32_t *mark;		/* of the search under way */
	uint32_t search;
	struct chain *chains;	/* by slot; as long as nobody is another, they stay */
	uint32_t *path;		/* of the chain under way */
	uint32_t *queue;	/* of the search under way */
	const struct root_cause *list;
	size_t nlist;
};

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
	if (slot >= r->n || !h.slot || !r->alive[slot] || g->nodes[slot].health || r->cause[slot] != WAIT_NONE ||
	    r->first[slot] < r->first[slot + 1] || r->back_first[slot] < r->back_first[slot + 1] ||
	    store_brief(g->store, h).phase != PHASE_READY)
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

/* A copy says what its origin says; a condition of a whole namespace is the namespace's. */
static uint32_t stands_for(struct graph *g, uint32_t slot, struct arena *scratch)
{
	struct object_id id = store_node_id(g->store, slot), ns;
	const struct family *family = store_meta(g->store, store_node_handle(g->store, slot)).family;
	size_t named;

	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);
		const struct kind *kind = store_node_id(g->store, e.target).kind;

		/* one that cannot be seen stands for its copies when there are several */
		store_referrers(g->store, e.target, &named);
		if ((e.flags & REF_COPY) && (store_node_handle(g->store, e.target).slot || named > 1))
			return e.target;
		if ((e.flags & REF_NAMED) && e.target != slot && has_flag(g, slot, "namespace-wide", scratch) &&
		    family && family_lists(family->shared_condition_kinds, kind->kind))
			return e.target;
	}
	if (!has_flag(g, slot, "namespace-wide", scratch))
		return 0;
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);

		if ((e.flags & REF_NAMED) && e.target == slot)
			return 0;	/* the message names this very one */
	}
	ns = (struct object_id){ id.cluster, kinds_find(store_kinds(g->store), STR_NONE, STR("Namespace")),
				 STR_NONE, id.ns };
	return ns.kind ? store_find_node(g->store, &ns) : 0;
}

/* Counts, or writes down as well. */
struct ends {
	uint32_t *to;	/* NULL: only counted */
	size_t n;
};

static void add_end(struct ends *e, uint32_t slot)
{
	if (e->to)
		e->to[e->n] = slot;
	e->n++;
}

static bool waits_for(const struct graph *g, uint32_t slot, uint32_t target)
{
	const struct health *d = health_of(g, slot);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (d->waits[i].target == target)
			return true;
	return false;
}

/* What is missed waits for who would make it and cannot. */
static void ends_of_absent(struct graph *g, uint32_t slot, struct ends *out)
{
	size_t n;
	const uint32_t *in = store_referrers(g->store, slot, &n);
	bool missed = false;

	for (size_t i = 0; i < n && !missed; i++)
		missed = waits_for(g, in[i], slot);
	for (size_t i = 0; i < n && missed; i++)
		for (size_t k = 0; k < store_edge_count(g->store, in[i]); k++) {
			struct edge e = store_edge(g->store, in[i], k);

			if (e.target != slot || e.relation != RELATION_MANAGES)
				continue;
			if (graph_status(g, in[i], NULL).phase != PHASE_READY && !waits_for(g, in[i], slot))
				add_end(out, in[i]);
			break;
		}
}

/* A copy that is on its way tells nothing of its own where its origin knows what it waits for. */
static uint32_t origin_that_waits(struct graph *g, uint32_t slot)
{
	for (size_t i = 0; i < store_edge_count(g->store, slot); i++) {
		struct edge e = store_edge(g->store, slot, i);
		const struct health *d = e.flags & REF_COPY ? health_of(g, e.target) : NULL;

		if (d && d->nwaits)
			return e.target;
	}
	return 0;
}

static void ends_of_waits(struct graph *g, uint32_t slot, uint32_t told, struct ends *out)
{
	const struct health *d = health_of(g, slot);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (wait_end(&d->waits[i]) && d->waits[i].target != told &&
		    (!told || d->waits[i].state == WAIT_FAILED))
			add_end(out, d->waits[i].target);
}

static size_t wait_ends(struct graph *g, uint32_t slot, struct arena *scratch, uint32_t *to)
{
	struct ends out = { .to = to };
	enum phase phase = graph_status(g, slot, NULL).phase;
	uint32_t other;

	if (!store_node_handle(g->store, slot).slot) {
		ends_of_absent(g, slot, &out);
		return out.n;
	}
	if (phase == PHASE_READY)
		return 0;
	other = phase == PHASE_FAILED ? stands_for(g, slot, scratch) : origin_that_waits(g, slot);
	arena_reset(scratch);
	if (other)
		add_end(&out, other);
	/* what failed besides is another fact */
	ends_of_waits(g, slot, other, &out);
	return out.n;
}

/* ---- the graph of waits -------------------------------------------------- */

static void build_edges(struct graph *g, struct roots *r)
{
	struct arena scratch = { 0 };
	size_t total = 0;

	r->n = store_slots(g->store);
	r->first = arena_array(&g->roots_arena, r->n + 1, sizeof(uint32_t));
	for (uint32_t slot = 1; slot < r->n; slot++) {
		r->first[slot] = (uint32_t)total;
		total += wait_ends(g, slot, &scratch, NULL);
	}
	r->first[r->n] = (uint32_t)total;
	r->to = arena_array(&g->roots_arena, total, sizeof(uint32_t));
	for (uint32_t slot = 1; slot < r->n; slot++)
		if (r->first[slot + 1] > r->first[slot])
			wait_ends(g, slot, &scratch, r->to + r->first[slot]);
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
		if (!wait_end(&d->waits[i]))
			return (enum wait_state)d->waits[i].state;
	return WAIT_NONE;
}

/* A name that is not here: known not to exist, to be approved, or only not to be seen. */
static enum wait_state absent_cause(const struct graph *g, const struct roots *r, uint32_t slot)
{
	enum wait_state cause = WAIT_NONE;

	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = health_of(g, r->back[i]);

		cause = WAIT_NOT_READY;
		for (size_t k = 0; d && k < d->nwaits; k++)
			if (d->waits[k].target == slot &&
			    (d->waits[k].state == WAIT_MISSING || d->waits[k].state == WAIT_APPROVAL))
				return (enum wait_state)d->waits[k].state;
	}
	return cause;
}

/* Does somebody wait for it because it is his controller? */
static bool is_missed(const struct graph *g, const struct roots *r, uint32_t slot)
{
	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = health_of(g, r->back[i]);

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
		return r->representative[r->component[slot]] == slot ? WAIT_CYCLE : WAIT_NONE;
	external = external_cause(health_of(g, slot));
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
static bool name_before(const struct graph *g, uint32_t a, uint32_t b)
{
	struct object_id x = store_node_id(g->store, a), y = store_node_id(g->store, b);
	int c = str_cmp(x.ns, y.ns);

	c = c ? c : str_cmp(x.kind->kind, y.kind->kind);
	return (c ? c : str_cmp(x.name, y.name)) < 0;
}

static void find_representatives(struct graph *g, struct roots *r)
{
	for (uint32_t slot = 1; slot < r->n; slot++) {
		uint32_t *representative = &r->representative[r->component[slot]];

		if (r->component[slot] && (!*representative || name_before(g, slot, *representative)))
			*representative = slot;
	}
}

static void find_causes(struct graph *g, struct roots *r)
{
	for (uint32_t slot = 1; slot < r->n; slot++)
		r->cause[slot] = (uint8_t)cause_of(g, r, slot);
}

/* ---- what is said of a cause --------------------------------------------- */

/* The first text that a waiter has for a thing that is not there. */
static void describe_missing(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	bool missing = c->cause == WAIT_MISSING;

	c->reason = missing ? STR("NotFound") : STR_NONE;
	c->severity = missing ? SEVERITY_WARNING : SEVERITY_INFO;
	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = health_of(g, r->back[i]);
		struct id waiter = graph_id(g, r->back[i]);

		if (d && d->since && (!c->since || d->since < c->since))
			c->since = d->since;
		for (size_t k = 0; d && k < d->nwaits && c->message.len == 0; k++)
			if (d->waits[k].target == slot)
				c->message = arena_printf(&g->roots_arena,
							  "%s; " STR_FMT "/" STR_FMT " names it in " STR_FMT,
							  missing ? "does not exist" : "not known here",
							  STR_ARG(waiter.kind), STR_ARG(waiter.name),
							  STR_ARG(graph_wait(g, r->back[i], k).via));
	}
}

/*
 * What is to be approved is not seen: who waits for it says why, and since when.  How bad
 * that one is may be for another reason.
 */
static void describe_approval(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	uint32_t waiter = r->back[r->back_first[slot]];
	const struct health *d = health_of(g, waiter);
	struct status st = graph_status(g, waiter, NULL);
	int64_t from;
	bool overdue;

	c->reason = st.reason;
	c->since = st.since;
	from = c->since ? c->since : store_meta(g->store, store_node_handle(g->store, waiter)).created;
	overdue = from && g->now - from >= thresholds.overdue;
	c->severity = overdue ? SEVERITY_WARNING : SEVERITY_INFO;
	for (size_t i = 0; d && i < d->nwaits; i++)
		if (d->waits[i].target == slot)
			c->message = graph_wait(g, waiter, i).message;
}

/* The text of the first wait of one object for another. */
static struct str words_of_wait(const struct graph *g, uint32_t waiter, uint32_t slot)
{
	const struct health *d = health_of(g, waiter);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (d->waits[i].target == slot)
			return graph_wait(g, waiter, i).message;
	return STR_NONE;
}

/* The more severe, of equal ones the one that waits longest, then the first by name. */
static bool worse_waiter(const struct graph *g, uint32_t a, uint32_t b)
{
	struct status x = graph_status(g, a, NULL), y = graph_status(g, b, NULL);

	if (x.severity != y.severity)
		return x.severity > y.severity;
	if (x.since != y.since)
		return x.since && (!y.since || x.since < y.since);
	return str_cmp(store_node_id(g->store, a).name, store_node_id(g->store, b).name) < 0;
}

/* A cause that says nothing itself (a namespace, a catalog, an origin) is described by its worst waiter. */
static void describe_by_waiters(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	uint32_t waiter = 0;
	struct str words;
	struct status st;

	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		bool in_words = waits_for(g, r->back[i], slot);

		/* who has failed for it says what is wrong with what cannot be seen */
		if (in_words && c->id.handle.slot == 0 &&
		    graph_status(g, r->back[i], NULL).phase != PHASE_FAILED)
			continue;
		if (!in_words && c->cause == WAIT_NOT_READY)
			c->cause = WAIT_FAILED;
		if (!waiter || worse_waiter(g, r->back[i], waiter))
			waiter = r->back[i];
	}
	if (!waiter)
		return;
	st = graph_status(g, waiter, NULL);
	if (st.severity <= c->severity && c->message.len)
		return;
	c->severity = st.severity > c->severity ? st.severity : c->severity;
	words = words_of_wait(g, waiter, slot);
	c->reason = st.reason;
	c->message = words.len ? words : st.message;
	c->since = st.since;
}

/*
 * The shortest way from there back to there, along waits within its component: a
 * cycle has one for each of its members.  Its slots go to ring, that one first.
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

static struct str cycle_text(struct graph *g, struct roots *r, uint32_t slot)
{
	enum { LONG = 12, HEAD = 8, TAIL = 2 };
	uint32_t *ring = xmalloc((size_t)r->n * sizeof(*ring)), n = find_ring(r, slot, ring);
	struct str text = STR_NONE;

	for (uint32_t i = 0; i < n; i++) {
		struct id id;

		if (n > LONG && i == HEAD) {
			i = n - TAIL;
			text = arena_printf(&g->roots_arena, STR_FMT "... (%u more) waits for ", STR_ARG(text),
					    (unsigned)(n - HEAD - TAIL));
		}
		id = graph_id(g, ring[i]);
		text = arena_printf(&g->roots_arena, STR_FMT STR_FMT "/" STR_FMT " waits for ", STR_ARG(text),
				    STR_ARG(id.kind), STR_ARG(id.name));
	}
	xfree(ring);
	return arena_printf(&g->roots_arena, STR_FMT "itself", STR_ARG(text));
}

/* A controller that was scaled to zero has nothing to say itself: those who miss it do. */
static void describe_controller(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = health_of(g, r->back[i]);

		for (size_t k = 0; d && k < d->nwaits; k++) {
			if (d->waits[k].target != slot || d->waits[k].state != WAIT_CONTROLLER)
				continue;
			if (c->severity < SEVERITY_WARNING)
				c->severity = SEVERITY_WARNING;
			if (c->message.len == 0)
				c->message = graph_wait(g, r->back[i], k).message;
		}
	}
}

static void describe(struct graph *g, struct roots *r, uint32_t slot, struct root_cause *c)
{
	struct status st = graph_status(g, slot, NULL);
	const struct health *d = health_of(g, slot);

	c->id = graph_id(g, slot);
	c->slot = slot;
	c->cause = (enum wait_state)r->cause[slot];
	c->phase = PHASE_UNKNOWN;
	if (c->cause == WAIT_APPROVAL && !c->id.handle.slot) {
		describe_approval(g, r, slot, c);
		return;
	}
	if (!c->id.handle.slot) {
		describe_missing(g, r, slot, c);
		if (c->cause == WAIT_NOT_READY)
			describe_by_waiters(g, r, slot, c);
		return;
	}
	c->phase = st.phase;
	c->severity = st.severity;
	c->reason = st.reason;
	c->message = st.message;
	c->since = st.since;
	if (c->cause == WAIT_CONTROLLER)
		describe_controller(g, r, slot, c);
	if (c->cause == WAIT_CYCLE) {
		c->severity = SEVERITY_ERROR;
		c->message = cycle_text(g, r, slot);
	}
	for (size_t i = 0; d && i < d->nwaits && c->message.len == 0; i++)
		c->message = graph_wait(g, slot, i).message;
	if (c->severity == SEVERITY_NONE)
		describe_by_waiters(g, r, slot, c);
}

/* ---- the list ------------------------------------------------------------ */

/*
 * Everything that waits for it, nearest first, itself and what the search under way has
 * met before left out: to queue[1] and behind; how many.
 */
static size_t search_back(struct roots *r, uint32_t start, uint32_t *queue)
{
	size_t head = 0, n = 1, there;

	queue[0] = start;
	while (head < n) {
		uint32_t slot = queue[head++];

		for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++)
			if (r->mark[r->back[i]] != r->search && r->back[i] != start) {
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
	struct root_cause *list;
	size_t n = 0;

	for (uint32_t slot = 1; slot < r->n; slot++)
		n += r->cause[slot] != WAIT_NONE;
	list = arena_array(&g->roots_arena, n, sizeof(*list));
	n = 0;
	for (uint32_t slot = 1; slot < r->n; slot++) {
		if (r->cause[slot] == WAIT_NONE)
			continue;
		describe(g, r, slot, &list[n]);
		r->search++;
		list[n++].nblocked = search_back(r, slot, r->queue);
	}
	qsort(list, n, sizeof(*list), compare);
	r->list = list;
	r->nlist = n;
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
	r->queue = arena_array(&g->roots_arena, (size_t)r->n + 1, sizeof(uint32_t));
	find_cycles(r);
	r->representative = arena_array(&g->roots_arena, r->n, sizeof(uint32_t));
	find_representatives(g, r);
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

const uint32_t *graph_blocked(struct graph *g, const uint32_t *causes, size_t n, size_t *out_n)
{
	struct roots *r = (struct roots *)(uintptr_t)roots_get(g);
	size_t found = 0;

	r->search++;
	for (size_t i = 0; i < n; i++) {
		uint32_t last = r->queue[found];
		size_t more;

		assert(causes[i] && causes[i] < r->n);
		/* a search has its start where the one before has its last */
		more = search_back(r, causes[i], r->queue + found);
		r->queue[found] = last;
		found += more;
	}
	*out_n = found;
	return r->queue + 1;
}

/* Of everything that waits or is a cause: what is selected. */
static size_t mark_selected(struct graph *g, struct roots *r, bool (*selects)(const void *ctx, struct handle h),
			    const void *ctx, uint8_t *marked)
{
	size_t n = 0;

	for (uint32_t slot = 1; slot < r->n; slot++) {
		bool waits = r->first[slot] < r->first[slot + 1];

		if (!r->alive[slot] || (!waits && r->cause[slot] == WAIT_NONE) ||
		    !selects(ctx, store_node_handle(g->store, slot)))
			continue;
		marked[slot] = 1;
		r->queue[n++] = slot;
	}
	return n;
}

const uint8_t *graph_concerned(struct graph *g, bool (*selects)(const void *ctx, struct handle h), const void *ctx,
			       struct arena *arena)
{
	struct roots *r = (struct roots *)(uintptr_t)roots_get(g);
	uint8_t *marked = arena_array(arena, r->n, 1);
	size_t n = mark_selected(g, r, selects, ctx, marked);

	while (n) {
		uint32_t slot = r->queue[--n];

		for (uint32_t i = r->first[slot]; i < r->first[slot + 1]; i++)
			if (!marked[r->to[i]]) {
				marked[r->to[i]] = 1;
				r->queue[n++] = r->to[i];
			}
	}
	return marked;
}

bool roots_in_cycle(struct graph *g, uint32_t from, uint32_t to)
{
	const struct roots *r = roots_get(g);

	return from < r->n && to < r->n && r->component[from] && r->component[from] == r->component[to];
}

/* A member of a cycle stands for the whole of it by its representative. */
/* Most wait for nothing: that is known without looking at anybody else. */
static bool waits_for_nothing(struct graph *g, uint32_t slot)
{
	struct arena scratch = { 0 };
	size_t n = wait_ends(g, slot, &scratch, NULL);

	arena_release(&scratch);
	return n == 0;
}

size_t roots_of(struct graph *g, uint32_t slot, struct arena *arena, const struct id **out)
{
	struct list found = { 0 };
	struct roots *r;
	uint32_t *queue;
	size_t head = 0, n = 1;

	*out = NULL;
	if (!g->roots && waits_for_nothing(g, slot))
		return 0;
	r = (struct roots *)(uintptr_t)roots_get(g);
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

/* What blocks before what merely belongs to it, what the operator itself names first, then failures. */
static int wait_rank(const struct health_wait *w)
{
	bool named = w->blocks && w->message.len;

	return (w->blocks ? 0 : 4) + (named ? 0 : 2) +
	       (w->state == WAIT_FAILED || w->state == WAIT_MISSING ? 0 : 1);
}

/* False: it waits for nothing. */
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

struct item_wait graph_first_wait(struct graph *g, struct handle h, struct arena *arena)
{
	struct health_wait w;

	(void)arena;
	return store_alive(g->store, h) && first_of(g, h.slot, &w) ? roots_wait(g, h.slot, w) :
								     (struct item_wait){ .state = WAIT_NONE };
}

/* What does not exist passes the wait on to who would make it. */
static struct item_wait wait_of_absent(struct graph *g, const struct roots *r, uint32_t slot)
{
	struct item_wait out = { .state = WAIT_NONE };
	uint32_t maker;

	if (r->first[slot] == r->first[slot + 1])
		return out;
	maker = r->to[r->first[slot]];
	out.on = graph_id(g, maker);
	out.state = graph_status(g, maker, NULL).phase == PHASE_FAILED ? WAIT_FAILED : WAIT_NOT_READY;
	if (roots_in_cycle(g, slot, maker))
		out.state = WAIT_CYCLE;
	return out;
}

/* A link of the chain, and whose link is the next; 0: this is the last one. */
static struct item_wait link_of(struct graph *g, uint32_t slot, uint32_t *out_next)
{
	const struct roots *r = roots_get(g);
	struct handle h = store_node_handle(g->store, slot);
	struct health_wait first = { .target = 0 };
	struct item_wait w = { .state = WAIT_NONE };

	if (first_of(g, slot, &first))
		w = roots_wait(g, slot, first);
	else if (!h.slot)
		w = wait_of_absent(g, r, slot);
	*out_next = w.on.handle.slot ? w.on.handle.slot : first.target;
	if (w.state == WAIT_FINALIZER || w.state == WAIT_APPROVAL || *out_next >= r->n)
		*out_next = 0;
	return w;
}

/* The links of a path that met itself again, all but the first at: as long as the circle. */
static void close_circle(struct chain *chains, const uint32_t *path, uint32_t at, uint32_t n)
{
	uint32_t round = n - at;

	for (uint32_t i = at; i < n; i++)
		chains[path[i]] = (struct chain){
			.state = CHAIN_KNOWN,
			.n = round,
			.tail = path[at + (i - at + (round > CHAIN_TAIL ? round - CHAIN_TAIL : 0)) % round],
		};
}

/*
 * How long the chain of an object is, and where its tail begins.  What is found on
 * the way is kept: every object of a world is walked over once, however long its
 * chains are.  A chain that meets itself ends there, once around the circle.
 */
static const struct chain *chain_of(struct graph *g, struct handle from)
{
	static const struct chain none;
	const struct roots *r = roots_get(g);
	struct chain *chains = r->chains;
	uint32_t n = 0, slot = from.slot, next;

	if (!store_alive(g->store, from) || slot >= r->n)
		return &none;
	for (; slot && chains[slot].state == CHAIN_UNKNOWN; slot = next) {
		if (link_of(g, slot, &next).state == WAIT_NONE) {
			chains[slot].state = CHAIN_KNOWN;
			break;
		}
		chains[slot] = (struct chain){ .state = CHAIN_WALKED, .n = n };
		r->path[n++] = slot;
	}
	if (chains[slot].state == CHAIN_WALKED) {
		uint32_t at = chains[slot].n;

		close_circle(chains, r->path, at, n);
		n = at;
	}
	while (n--) {
		struct chain ahead = chains[slot];

		slot = r->path[n];
		chains[slot] = (struct chain){
			.state = CHAIN_KNOWN,
			.n = ahead.n + 1,
			.tail = ahead.n < CHAIN_TAIL ? slot : ahead.tail,
		};
	}
	return &chains[from.slot];
}

/* n links, no more than there are. */
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
	const struct chain *c = chain_of(g, from);

	follow(g, c->tail, out, c->n < CHAIN_TAIL ? c->n : CHAIN_TAIL);
	return c->n;
}
