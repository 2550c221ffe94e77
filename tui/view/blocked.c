/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/blocked.h"

#include "kube/base/map.h"
#include "tui/view/words.h"

enum {
	NAMED = 8,	/* so many siblings are named, the rest is counted */
	KINDS = 32	/* so many kinds are told apart */
};

struct group {
	struct blocked b;
	struct group *next;
	struct handle *members;
	size_t cap;
};

static uint64_t group_key(const struct summary *s, const struct wait *w)
{
	uint64_t key = key_mix(s->kind->id, (uint64_t)s->phase << 8 | (uint64_t)w->state);

	key = key_mix_str(key_mix_str(key, s->id.ns), s->id.cluster);
	return key_mix_str(key_mix_str(key_mix_str(key, w->on.kind), w->on.ns), w->on.name);
}

static void group_add(struct group *g, struct handle h, struct arena *a)
{
	if (g->b.n == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 4;
		struct handle *grown = arena_array(a, cap, sizeof(*grown));

		for (size_t i = 0; i < g->b.n; i++)
			grown[i] = g->members[i];
		g->members = grown;
		g->cap = cap;
	}
	g->members[g->b.n++] = h;
	g->b.members = g->members;
}

struct grouping {
	struct map by_key;
	struct group *first, **end;
	size_t n;
};

static struct group *group_of(struct grouping *all, uint64_t key, struct arena *a)
{
	struct str name = { (const char *)&key, sizeof(key) };
	struct group *g = map_get(&all->by_key, name);

	if (g)
		return g;
	g = arena_alloc(a, sizeof(*g));
	map_set(&all->by_key, name, g);
	*all->end = g;
	all->end = &g->next;
	all->n++;
	return g;
}

const struct blocked *blocked_groups(struct graph *g, const struct root_cause *cause, struct arena *a, size_t *out_n)
{
	struct grouping all = { .end = &all.first };
	struct blocked *out;
	size_t n = 0;

	for (size_t i = 0; i < cause->nblocked; i++) {
		struct handle h = cause->blocked[i].handle;
		struct group *group;
		struct summary s;
		struct wait w;

		if (!graph_summary(g, h, &s))
			continue;
		w = graph_first_wait(g, h, a);
		group = group_of(&all, group_key(&s, &w), a);
		if (group->b.n == 0) {
			group->b.first = s;
			group->b.on = w;
		}
		group_add(group, h, a);
	}
	out = arena_array(a, all.n, sizeof(*out));
	for (const struct group *group = all.first; group; group = group->next)
		out[n++] = group->b;
	map_release(&all.by_key);
	*out_n = n;
	return out;
}

struct str blocked_names(const struct store *store, const struct kinds *kinds, const struct blocked *b,
			 struct arena *a)
{
	struct str names = words_id(kinds, &b->first.id, a);

	for (size_t i = 1; i < b->n && i < NAMED; i++)
		names = arena_printf(a, STR_FMT ", " STR_FMT, STR_ARG(names),
				     STR_ARG(store_node_id(store, b->members[i].slot).name));
	if (b->n > NAMED)
		names = arena_printf(a, STR_FMT " +%zu", STR_ARG(names), b->n - NAMED);
	return names;
}

struct kind_count {
	const struct id *id;
	size_t n;
};

static size_t count_kinds(const struct root_cause *cause, struct kind_count *counts)
{
	size_t n = 0, k;

	for (size_t i = 0; i < cause->nblocked; i++) {
		const struct id *id = &cause->blocked[i];

		for (k = 0; k < n; k++)
			if (str_eq(counts[k].id->kind, id->kind) && str_eq(counts[k].id->group, id->group))
				break;
		if (k == KINDS)
			continue;
		if (k == n)
			counts[n++] = (struct kind_count){ id, 0 };
		counts[k].n++;
	}
	return n;
}

struct str blocked_kinds(const struct kinds *kinds, const struct root_cause *cause, struct arena *a)
{
	struct kind_count counts[KINDS];
	size_t n = count_kinds(cause, counts);
	struct str out = STR_NONE;

	for (size_t i = 0; i < n; i++)
		out = arena_printf(a, STR_FMT "%s%zu " STR_FMT, STR_ARG(out), out.len ? ", " : "", counts[i].n,
				   STR_ARG(words_kind(kinds, counts[i].id->group, counts[i].id->kind, a)));
	return out;
}
