/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/journal/watched.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/map.h"
#include "kube/base/time.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that malloc() needs for one allocation. */
enum { OVERHEAD = 16 };

/* The times of one scope, in their order, and apart; the last one may go on (INT64_MAX). */
struct row {
	struct gap *times;
	size_t n, cap;
	struct watch_scope scope;	/* its ns is in the key of the map */
};

struct watched {
	struct map rows;	/* by scope: struct row */
	size_t ceiling, bytes;
	uint64_t changes;
};

struct watched *watched_new(size_t ceiling)
{
	struct watched *w = xcalloc(1, sizeof(*w));

	w->ceiling = ceiling;
	return w;
}

static size_t size_of(const struct row *row, size_t key)
{
	return sizeof(*row) + row->cap * sizeof(*row->times) + map_entry_size(key) + 2 * OVERHEAD;
}

void watched_free(struct watched *w)
{
	if (!w)
		return;
	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e)) {
		struct row *row = map_value(e);

		xfree(row->times);
		xfree(row);
	}
	map_release(&w->rows);
	xfree(w);
}

static struct str key_of(const struct watch_scope *scope, struct arena *a)
{
	uint32_t head[2] = { scope->cluster, scope->kind };

	return ARENA_JOIN(a, ((struct str){ (const char *)head, sizeof(head) }), scope->ns);
}

/* Returns the row of a scope.  make: when there is none, it is made; else NULL is returned. */
static struct row *row_of(struct watched *w, const struct watch_scope *scope, bool make)
{
	struct arena a = { 0 };
	struct str key = key_of(scope, &a);
	struct row *row = map_get(&w->rows, key);

	if (!row && make) {
		row = xcalloc(1, sizeof(*row));
		row->scope = *scope;
		map_set(&w->rows, key, row);
		w->bytes += size_of(row, key.len);
	}
	arena_release(&a);
	return row;
}

/* ---- the ceiling ----------------------------------------------------------- */

/* Returns the row whose first time ended first; NULL: all that is kept goes on. */
static struct map_entry *oldest(const struct watched *w)
{
	struct map_entry *found = NULL;
	int64_t first = INT64_MAX;

	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e)) {
		const struct row *row = map_value(e);

		if (row->times[0].to < first) {
			first = row->times[0].to;
			found = e;
		}
	}
	return found;
}

static void keep_ceiling(struct watched *w)
{
	struct map_entry *e;

	while (w->bytes > w->ceiling && (e = oldest(w)) != NULL) {
		struct row *row = map_value(e);
		struct str key = map_key(e);

		assert(w->bytes >= size_of(row, key.len));
		w->bytes -= size_of(row, key.len);
		memmove(row->times, row->times + 1, --row->n * sizeof(*row->times));
		if (row->n) {
			row->times = xreallocarray(row->times, row->cap = row->n, sizeof(*row->times));
			w->bytes += size_of(row, key.len);
			continue;
		}
		map_remove(&w->rows, key);
		xfree(row->times);
		xfree(row);
	}
}

/* ---- writing ------------------------------------------------------------------ */

/* Puts a time into a row: it joins those that it touches, and those that ended a moment before it. */
static void put(struct watched *w, struct row *row, struct gap time)
{
	size_t at = 0, end;

	w->changes++;
	while (at < row->n && row->times[at].to < time.from - GAP_SHORTEST)
		at++;
	for (end = at; end < row->n && row->times[end].from - GAP_SHORTEST <= time.to; end++) {
		time.from = row->times[end].from < time.from ? row->times[end].from : time.from;
		time.to = row->times[end].to > time.to ? row->times[end].to : time.to;
	}
	if (row->n + 1 - (end - at) > row->cap) {
		size_t cap = row->cap ? row->cap * 2 : 1;

		row->times = xreallocarray(row->times, cap, sizeof(*row->times));
		w->bytes += (cap - row->cap) * sizeof(*row->times);
		row->cap = cap;
	}
	memmove(row->times + at + 1, row->times + end, (row->n - end) * sizeof(*row->times));
	row->n = row->n + 1 - (end - at);
	row->times[at] = time;
}

void watched_add(struct watched *w, const struct watch_scope *scope, struct gap time)
{
	if (time.from >= time.to)
		return;
	put(w, row_of(w, scope, true), time);
	keep_ceiling(w);
}

void watched_begin(struct watched *w, const struct watch_scope *scope, int64_t time)
{
	watched_add(w, scope, (struct gap){ time, INT64_MAX });
}

static void end(struct watched *w, struct row *row, int64_t time)
{
	struct gap *last = &row->times[row->n - 1];

	w->changes++;
	if (last->to == INT64_MAX)
		last->to = time > last->from ? time : last->from + 1;	/* a clock may have been set back */
}

void watched_end(struct watched *w, const struct watch_scope *scope, int64_t time)
{
	struct row *row = row_of(w, scope, false);

	if (row)
		end(w, row, time);
}

void watched_miss(struct watched *w, struct gap time, bool goes_on)
{
	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e)) {
		struct row *row = map_value(e);

		if (row->times[row->n - 1].to != INT64_MAX)
			continue;
		end(w, row, time.from);
		if (goes_on)
			put(w, row, (struct gap){ time.to, INT64_MAX });
	}
	keep_ceiling(w);
}

/* The key of an entry has the namespace behind the numbers. */
static struct watch_scope scope_of(struct map_entry *e)
{
	struct watch_scope scope = ((const struct row *)map_value(e))->scope;

	scope.ns = str_from(map_key(e), 2 * sizeof(uint32_t));
	return scope;
}

void watched_each(const struct watched *w, void (*visit)(void *ctx, const struct watch_scope *scope, struct gap time), void *ctx)
{
	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e)) {
		const struct row *row = map_value(e);
		struct watch_scope scope = scope_of(e);

		for (size_t i = 0; i < row->n; i++)
			visit(ctx, &scope, row->times[i]);
	}
}

uint64_t watched_changes(const struct watched *w)
{
	return w->changes;
}

bool watched_knows(const struct watched *w, uint16_t cluster, uint32_t kind)
{
	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e)) {
		const struct row *row = map_value(e);

		if (row->scope.cluster == cluster && row->scope.kind == kind)
			return true;
	}
	return false;
}

size_t watched_size(const struct watched *w)
{
	return w->bytes;
}

/* ---- gaps ------------------------------------------------------------------- */

/* A time in which one kind was watched. */
struct stay {
	uint32_t cluster, kind;
	bool everywhere;
	struct gap time;
};

static int compare_stays(const void *pa, const void *pb)
{
	const struct stay *a = pa, *b = pb;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->everywhere != b->everywhere)
		return a->everywhere ? -1 : 1;
	return a->time.from < b->time.from ? -1 : a->time.from > b->time.from;
}

static const struct stay *stays_of(const struct watched *w, const struct watch_question *q, struct arena *a, size_t *out_n)
{
	struct stay *all;
	size_t n = 0;

	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e))
		n += ((const struct row *)map_value(e))->n;
	all = arena_array(a, n, sizeof(*all));
	n = 0;
	for (struct map_entry *e = map_next(&w->rows, NULL); e; e = map_next(&w->rows, e)) {
		const struct row *row = map_value(e);
		struct watch_scope scope = scope_of(e);

		if ((scope.ns.len && !str_in_scope(scope.ns, q->ns)) || !q->wants(q->ctx, scope.cluster, scope.kind))
			continue;
		for (size_t i = 0; i < row->n; i++)
			all[n++] = (struct stay){ scope.cluster, scope.kind, !scope.ns.len, row->times[i] };
	}
	if (n)
		qsort(all, n, sizeof(*all), compare_stays);
	*out_n = n;
	return all;
}

struct found {
	struct gap *all;	/* with room for one more than there are stays of a kind */
	size_t n;
};

static void add_gap(struct found *f, int64_t from, int64_t to)
{
	if (to - from >= GAP_SHORTEST)
		f->all[f->n++] = (struct gap){ from, to };
}

/* Sorts gaps from a number on, and joins those that overlap. */
static void join(struct found *f)
{
	size_t kept = 0;

	if (f->n)
		qsort(f->all, f->n, sizeof(*f->all), time_compare);
	for (size_t i = 0; i < f->n; i++) {
		if (kept && f->all[i].from <= f->all[kept - 1].to)
			f->all[kept - 1].to = f->all[i].to > f->all[kept - 1].to ? f->all[i].to : f->all[kept - 1].to;
		else
			f->all[kept++] = f->all[i];
	}
	f->n = kept;
}

/*
 * Adds the gaps between the n times of one kind.  Where it was read in all namespaces, and all are asked for, single
 * namespaces do not count.
 */
static void add_gaps(struct found *f, const struct watch_question *q, const struct stay *stays, size_t n, struct gap within)
{
	size_t everywhere = 0;
	int64_t until = within.from;
	struct gap *times = NULL;

	while (everywhere < n && stays[everywhere].everywhere)
		everywhere++;
	if (everywhere && !q->ns.len)
		n = everywhere;
	times = xreallocarray(NULL, n, sizeof(*times));
	for (size_t i = 0; i < n; i++)
		times[i] = stays[i].time;
	qsort(times, n, sizeof(*times), time_compare);
	for (size_t i = 0; i < n && until < within.to; i++) {
		add_gap(f, until, times[i].from < within.to ? times[i].from : within.to);
		until = times[i].to > until ? times[i].to : until;
	}
	add_gap(f, until, within.to);
	xfree(times);
}

const struct gap *watched_gaps(const struct watched *w, const struct watch_question *q, struct gap within, struct arena *arena,
			       size_t *out_n)
{
	size_t n, end;
	const struct stay *stays = stays_of(w, q, arena, &n);
	struct found f = { .all = arena_array(arena, 2 * n, sizeof(*f.all)) };

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && stays[end].cluster == stays[i].cluster && stays[end].kind == stays[i].kind; end++)
			;
		add_gaps(&f, q, stays + i, end - i, within);
	}
	join(&f);
	*out_n = f.n;
	return f.all;
}
