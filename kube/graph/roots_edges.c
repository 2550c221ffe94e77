/* SPDX-License-Identifier: Apache-2.0 */
/* Where the waits of one object lead: the edges of the graph of waits. */
#include "kube/graph/roots_private.h"

uint32_t roots_wait_end(const struct health_wait *w)
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
	const struct health *d = roots_health(g, slot);

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
		const struct health *d = e.flags & REF_COPY ? roots_health(g, e.target) : NULL;

		if (d && d->nwaits)
			return e.target;
	}
	return 0;
}

static void ends_of_waits(struct graph *g, uint32_t slot, uint32_t told, struct ends *out)
{
	const struct health *d = roots_health(g, slot);

	for (size_t i = 0; d && i < d->nwaits; i++)
		if (roots_wait_end(&d->waits[i]) && d->waits[i].target != told &&
		    (!told || d->waits[i].state == WAIT_FAILED))
			add_end(out, d->waits[i].target);
}

size_t roots_ends(struct graph *g, uint32_t slot, struct arena *scratch, uint32_t *to)
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
