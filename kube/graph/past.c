/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/graph/past.h"

#include "kube/base/alloc.h"
#include "kube/graph/graph_private.h"
#include "kube/journal/undo.h"
#include "kube/model/pack.h"

#include <string.h>

struct past {
	const struct graph *live;
	struct store *store;
	struct graph *graph;
	/*
	 * numbers of entries of the live undo log: how many there were at the copy, and how many of them are not undone
	 * here
	 */
	uint64_t copied, at;
	struct undo_log *ahead;	/* settles that were undone, the last one on top: each has its mark above its entries */
	struct undo_log *own;	/* what was settled in the copy since the last move */
	uint32_t *moved;	/* slots of the entries that the last move has exchanged */
	size_t nmoved, moved_cap;
	bool untouched;		/* nothing was moved since everything was copied */
	bool copied_for_move;
};

static void open_copy(struct past *p)
{
	p->store = store_copy(p->live->store);
	p->graph = graph_copy(p->live, p->store);
	p->copied = p->at = undo_end(p->live->undo);
	p->ahead = undo_new(store_words(p->store), 0);
	p->own = undo_new(store_words(p->store), 0);
	graph_write_undo(p->graph, p->own);
	p->untouched = true;
}

static void close_copy(struct past *p)
{
	graph_write_undo(p->graph, NULL);
	undo_free(p->ahead);
	undo_free(p->own);
	graph_free(p->graph);
	store_free(p->store);
}

struct past *past_new(const struct graph *live)
{
	struct past *p = xcalloc(1, sizeof(*p));

	p->live = live;
	p->moved_cap = 256;
	p->moved = xcalloc(p->moved_cap, sizeof(*p->moved));
	open_copy(p);
	return p;
}

void past_free(struct past *p)
{
	if (!p)
		return;
	close_copy(p);
	xfree(p->moved);
	xfree(p);
}

struct store *past_store(const struct past *p)
{
	return p->store;
}

struct graph *past_graph(const struct past *p)
{
	return p->graph;
}

const uint32_t *past_moved(const struct past *p, size_t *out_n, bool *out_copied)
{
	*out_n = p->nmoved;
	*out_copied = p->copied_for_move;
	return p->moved;
}

/* ---- one entry ------------------------------------------------------------- */

static void note_moved(struct past *p, uint32_t slot)
{
	/* an object and its health often change together */
	if (p->nmoved && p->moved[p->nmoved - 1] == slot)
		return;
	if (p->nmoved == p->moved_cap) {
		p->moved_cap *= 2;
		p->moved = xreallocarray(p->moved, p->moved_cap, sizeof(*p->moved));
	}
	p->moved[p->nmoved++] = slot;
}

static void exchange(struct past *p, struct undo_entry *e)
{
	if (e->what != UNDO_COVERAGE)
		note_moved(p, e->slot);
	if (e->what == UNDO_HEALTH)
		graph_exchange(p->graph, e);
	else
		store_exchange(p->store, e);
}

/* The live undo log keeps its own entry, so the copy gets a copy. */
static struct undo_entry copy_of(const struct undo_entry *e)
{
	struct undo_entry copy = *e;

	copy.name = e->name ? xstrdup(e->name) : NULL;
	copy.state = memcpy(xmalloc(e->state_size), e->state, e->state_size);
	copy.record = e->what == UNDO_NODE ? (void *)packed_copy(e->record) : (void *)health_copy(e->record);
	return copy;
}

/* ---- settle by settle ------------------------------------------------------- */

/* Settles in the copy served only to show that moment, and are undone. */
static void undo_own(struct past *p)
{
	struct undo_entry e;

	while (undo_take(p->own, &e)) {
		exchange(p, &e);
		undo_drop(p->own, &e);
	}
}

static const struct undo_entry *before(const struct past *p)
{
	return p->at > undo_first(p->live->undo) ? undo_at(p->live->undo, p->at - 1) : NULL;
}

static bool is_mark(const struct undo_entry *e)
{
	return e->what == UNDO_MARK;
}

/*
 * Undoes the last settle and the changes before it; when the copy was made between two settles, these changes belong to
 * no later time.
 */
static void undo_settle(struct past *p)
{
	const struct undo_entry *mark = before(p), *e;
	bool amidst = !is_mark(mark);

	p->at -= !amidst;
	for (e = before(p); e && !is_mark(e); e = before(p)) {
		struct undo_entry copy = copy_of(e);

		exchange(p, &copy);
		if (amidst)
			undo_drop(p->ahead, &copy);
		else
			undo_add(p->ahead, &copy);
		p->at--;
	}
	if (!amidst)
		undo_add(p->ahead, mark);
}

/* Returns the time of the next settle; 0: there is none. */
static int64_t next_settle(const struct past *p)
{
	uint64_t end = undo_end(p->ahead);
	const struct undo_entry *top = end ? undo_at(p->ahead, end - 1) : NULL;

	return top && is_mark(top) ? top->time : 0;
}

static void redo_settle(struct past *p)
{
	struct undo_entry e;

	undo_take(p->ahead, &e);
	p->at++;
	while (!next_settle(p) && undo_take(p->ahead, &e)) {
		exchange(p, &e);
		undo_drop(p->ahead, &e);
		p->at++;
	}
}

/* Returns true when the live undo log has more entries of that time than were copied. */
static bool is_behind(const struct past *p, int64_t time)
{
	const struct undo_log *h = p->live->undo;

	for (uint64_t i = p->copied; i < undo_end(h); i++) {
		if (i < undo_first(h))
			return true;
		if (is_mark(undo_at(h, i)))
			return undo_at(h, i)->time <= time;
	}
	return false;
}

int64_t past_move(struct past *p, int64_t time)
{
	const struct undo_entry *e;
	int64_t from = undo_from(p->live->undo);

	p->nmoved = 0;
	undo_own(p);
	if (is_behind(p, time)) {
		close_copy(p);
		open_copy(p);
	}
	p->copied_for_move = p->untouched;
	p->untouched = false;
	time = from && time < from ? from : time;
	for (int64_t next = next_settle(p); next && next <= time; next = next_settle(p))
		redo_settle(p);
	for (e = before(p); e && (!is_mark(e) || e->time > time); e = before(p))
		undo_settle(p);
	store_exchanged(p->store);
	graph_exchanged(p->graph);
	return time;
}
