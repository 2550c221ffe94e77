/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a world shows, as sorted lines: two worlds look the same when
 * their lines are equal, in whatever order they came about.
 */
#ifndef TESTS_UNIT_LOOK_H
#define TESTS_UNIT_LOOK_H

#include "tests/unit/toy.h"

#include "kube/graph/graph_private.h"

#include <stdlib.h>

struct lines {
	char *lines[4096];
	size_t n;
};

static inline void line_add(struct lines *l, struct buf *b)
{
	assert_true(l->n < COUNT(l->lines));
	l->lines[l->n++] = xstrdup(buf_cstr(b));
	buf_reset(b);
}

static inline int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline void add_id(struct buf *b, const struct id *id)
{
	buf_printf(b, " " STR_FMT "/" STR_FMT "/" STR_FMT "%s", STR_ARG(id->kind), STR_ARG(id->ns),
		   STR_ARG(id->name), id->handle.slot ? "" : " (absent)");
}

/* A cycle goes by its first member, whoever stands for it in the graph. */
static inline void add_root(struct toy_world *w, struct buf *b, const struct id *id)
{
	struct str first = STR_NONE;

	for (struct handle h = store_next(w->store, 0); id->handle.slot && h.slot;
	     h = store_next(w->store, h.slot + 1)) {
		struct str name = store_meta(w->store, h).id.name;

		if (roots_in_cycle(w->graph, id->handle.slot, h.slot) &&
		    (first.len == 0 || str_cmp(name, first) < 0))
			first = name;
	}
	if (first.len)
		buf_printf(b, " cycle of " STR_FMT, STR_ARG(first));
	else
		add_id(b, id);
}

static inline void look_at_waits(struct toy_world *w, const struct item *it, struct lines *out,
				 struct buf *b)
{
	for (size_t i = 0; i < it->nwaits; i++) {
		buf_printf(b, STR_FMT " waits %s", STR_ARG(it->s.id.name),
			   wait_state_name(it->waits[i].state));
		add_id(b, &it->waits[i].on);
		buf_printf(b, " via " STR_FMT " " STR_FMT, STR_ARG(it->waits[i].via),
			   STR_ARG(it->waits[i].message));
		line_add(out, b);
	}
	for (size_t i = 0; i < it->nroots; i++) {
		/* a member's own cycle is not told by the one who stands for it */
		if (roots_in_cycle(w->graph, it->s.id.handle.slot, it->roots[i].handle.slot))
			continue;
		buf_printf(b, STR_FMT " root", STR_ARG(it->s.id.name));
		add_root(w, b, &it->roots[i]);
		line_add(out, b);
	}
}

static inline void look_at_edges(const struct item *it, struct lines *out, struct buf *b)
{
	for (size_t i = 0; i < it->ndependencies + it->ndependents; i++) {
		bool down = i < it->ndependencies;
		const struct dependency *d =
			down ? &it->dependencies[i] : &it->dependents[i - it->ndependencies];

		buf_printf(b, STR_FMT " %s %s", STR_ARG(it->s.id.name), down ? "to" : "from",
			   relation_name(d->relation));
		add_id(b, &d->on);
		buf_printf(b, " %s " STR_FMT, phase_name(d->phase), STR_ARG(d->via));
		line_add(out, b);
	}
	for (size_t i = 0; it->deletion && i < it->deletion->nfinalizers; i++) {
		const struct finalizer *f = &it->deletion->finalizers[i];

		buf_printf(b, STR_FMT " finalizer " STR_FMT " " STR_FMT " " STR_FMT,
			   STR_ARG(it->s.id.name), STR_ARG(f->name), STR_ARG(f->held_for),
			   STR_ARG(f->state));
		line_add(out, b);
	}
	for (size_t i = 0; it->deletion && i < it->deletion->nblocked_by; i++) {
		buf_printf(b, STR_FMT " blocked by", STR_ARG(it->s.id.name));
		add_id(b, &it->deletion->blocked_by[i]);
		line_add(out, b);
	}
}

static inline void look_at_item(struct toy_world *w, struct handle h, struct lines *out,
				struct buf *b)
{
	struct item it;

	assert_true(graph_item(w->graph, h, &w->arena, &it));
	buf_printf(b, STR_FMT ": %s %s " STR_FMT " '" STR_FMT "' since %lld", STR_ARG(it.s.id.name),
		   phase_name(it.s.phase), severity_name(it.s.severity), STR_ARG(it.s.reason),
		   STR_ARG(it.s.message), (long long)it.s.since);
	for (size_t i = 0; i < it.status.nflags; i++)
		buf_printf(b, " " STR_FMT, STR_ARG(it.status.flags[i]));
	if (it.s.owner.slot)
		BUF_JOIN(b, STR(" of "), store_meta(w->store, it.s.owner).id.name);
	line_add(out, b);
	look_at_waits(w, &it, out, b);
	look_at_edges(&it, out, b);
}

static inline void look_at_roots(struct toy_world *w, struct lines *out, struct buf *b)
{
	size_t n;
	const struct root_cause *r = graph_roots(w->graph, &w->arena, &n);

	for (size_t i = 0; i < n; i++) {
		struct buf head = { 0 };

		buf_printf(&head, "root %s %s", wait_state_name(r[i].cause),
			   severity_name(r[i].severity));
		add_root(w, &head, &r[i].id);
		buf_printf(b, "%s blocks %zu", buf_cstr(&head), r[i].nblocked);
		if (r[i].cause != WAIT_CYCLE)
			buf_printf(b, " %s " STR_FMT " %lld", phase_name(r[i].phase),
				   STR_ARG(r[i].reason), (long long)r[i].since);
		line_add(out, b);
		for (size_t k = 0; r[i].cause != WAIT_CYCLE && k < r[i].nblocked; k++) {
			struct id id = toy_blocked(w, &r[i], k);

			buf_printf(b, "%s blocks", buf_cstr(&head));
			add_id(b, &id);
			line_add(out, b);
		}
		buf_release(&head);
	}
}

/* As if nobody had looked on before: no phase was seen to begin. */
static inline void settle_anew(struct toy_world *w)
{
	w->graph->settled = 0;
	graph_settle(w->graph, w->now);
}

static inline void look(struct toy_world *w, struct lines *out)
{
	struct buf b = { 0 };

	settle_anew(w);
	arena_reset(&w->arena);
	for (struct handle h = store_next(w->store, 0); h.slot;
	     h = store_next(w->store, h.slot + 1))
		look_at_item(w, h, out, &b);
	look_at_roots(w, out, &b);
	qsort(out->lines, out->n, sizeof(out->lines[0]), line_compare);
	buf_release(&b);
}

/* How many lines differ; says which. */
static inline unsigned lines_differ(const struct lines *is, const struct lines *should_be)
{
	size_t i = 0, k = 0;
	unsigned n = 0;

	while (i < is->n || k < should_be->n) {
		int c = i == is->n	    ? 1
			: k == should_be->n ? -1
					    : strcmp(is->lines[i], should_be->lines[k]);

		if (c && n++ < 20)
			print_error("%s %s\n", c < 0 ? "  is:       " : "  should be:",
				    c < 0 ? is->lines[i] : should_be->lines[k]);
		i += c <= 0;
		k += c >= 0;
	}
	return n;
}

static inline void lines_clear(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		xfree(l->lines[i]);
	l->n = 0;
}

#endif
