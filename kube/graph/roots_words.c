/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a root cause. */
#include "kube/base/alloc.h"
#include "kube/graph/roots_private.h"
#include "kube/status/thresholds.h"

const struct health *roots_health(const struct graph *g, uint32_t slot)
{
	return slot < g->nslots ? g->by_slot[slot] : NULL;
}

/* The first text that a waiter has for a thing that is not there. */
static void describe_missing(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	bool missing = c->cause == WAIT_MISSING;

	c->reason = missing ? STR("NotFound") : STR_NONE;
	c->severity = missing ? SEVERITY_WARNING : SEVERITY_INFO;
	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		const struct health *d = roots_health(g, r->back[i]);
		struct id waiter = graph_id(g, r->back[i]);

		if (d && d->since && (!c->since || d->since < c->since))
			c->since = d->since;
		for (size_t k = 0; d && k < d->nwaits && c->message.len == 0; k++)
			if (d->waits[k].target == slot)
				c->message = arena_printf(&g->roots_arena,
							  "%s; " STR_FMT "/" STR_FMT " names it in " STR_FMT,
							  missing ? "does not exist" : "not known here",
							  STR_ARG(waiter.kind), STR_ARG(waiter.name),
							  STR_ARG(d->waits[k].via));
	}
}

/*
 * What is to be approved is not seen: who waits for it says why, and since when.  How bad
 * that one is may be for another reason.
 */
static void describe_approval(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	uint32_t waiter = r->back[r->back_first[slot]];
	const struct health *d = roots_health(g, waiter);
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
			c->message = d->waits[i].message;
}

static const struct health_wait *wait_for(const struct health *d, uint32_t slot)
{
	for (size_t i = 0; d && i < d->nwaits; i++)
		if (d->waits[i].target == slot)
			return &d->waits[i];
	return NULL;
}

/* What stands for somebody else's failure (a namespace, a catalog, an origin) speaks its words. */
/* The worst speaks, of equal ones who waits longest, then the first by name. */
static bool speaks_before(const struct graph *g, uint32_t a, uint32_t b)
{
	struct status x = graph_status(g, a, NULL), y = graph_status(g, b, NULL);

	if (x.severity != y.severity)
		return x.severity > y.severity;
	if (x.since != y.since)
		return x.since && (!y.since || x.since < y.since);
	return str_cmp(store_node_id(g->store, a).name, store_node_id(g->store, b).name) < 0;
}

static void describe_by_waiters(struct graph *g, const struct roots *r, uint32_t slot, struct root_cause *c)
{
	const struct health_wait *wait;
	uint32_t speaker = 0;
	struct status st;

	for (uint32_t i = r->back_first[slot]; i < r->back_first[slot + 1]; i++) {
		bool in_words = wait_for(roots_health(g, r->back[i]), slot);

		/* who has failed for it says what is wrong with what cannot be seen */
		if (in_words && c->id.handle.slot == 0 &&
		    graph_status(g, r->back[i], NULL).phase != PHASE_FAILED)
			continue;
		if (!in_words && c->cause == WAIT_NOT_READY)
			c->cause = WAIT_FAILED;
		if (!speaker || speaks_before(g, r->back[i], speaker))
			speaker = r->back[i];
	}
	if (!speaker)
		return;
	st = graph_status(g, speaker, NULL);
	if (st.severity <= c->severity && c->message.len)
		return;
	c->severity = st.severity > c->severity ? st.severity : c->severity;
	wait = wait_for(roots_health(g, speaker), slot);
	c->reason = st.reason;
	c->message = wait && wait->message.len ? wait->message : st.message;
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
		const struct health *d = roots_health(g, r->back[i]);

		for (size_t k = 0; d && k < d->nwaits; k++) {
			if (d->waits[k].target != slot || d->waits[k].state != WAIT_CONTROLLER)
				continue;
			if (c->severity < SEVERITY_WARNING)
				c->severity = SEVERITY_WARNING;
			if (c->message.len == 0)
				c->message = d->waits[k].message;
		}
	}
}

void roots_describe(struct graph *g, struct roots *r, uint32_t slot, struct root_cause *c)
{
	struct status st = graph_status(g, slot, NULL);
	const struct health *d = roots_health(g, slot);

	c->id = graph_id(g, slot);
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
		c->message = d->waits[i].message;
	if (c->severity == SEVERITY_NONE)
		describe_by_waiters(g, r, slot, c);
}
