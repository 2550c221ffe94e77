/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/tree.h"

#include "kube/base/assert.h"

#include <stdio.h>
#include <string.h>

#include "tui/words/words.h"

enum {
	STEP = 8,	    /* bytes of the lines drawn before a name, for each level */
	ALIKE = 6,	    /* more healthy siblings of a kind than this share a line */
	BRANCHES = 512	    /* so many branches of an object are shown at most */
};

const struct column tree_columns[TREE_COLUMNS] = {
	{ .title = "RESOURCE", .min = 16, .want = 44, .max = 80, .grow = 1, .clip = CLIP_MIDDLE },
	{ .title = "PHASE", .min = 14, .want = 14, .max = 14 },
	{ .title = "SINCE", .min = 5, .want = 5, .max = 5, .rank = 1, .right = true },
	{ .title = "RELATION", .min = 10, .want = 12, .max = 12, .rank = 3 },
	{ .title = "FIELD", .min = 30, .want = 30, .max = 50, .rank = 4, .grow = 1 },
	{ .title = "MESSAGE", .min = 16, .want = 30, .rank = 2, .grow = 2 },
};

struct branch {
	struct id id;
	enum relation relation;
	bool refers, found, missing;
	bool waits; /* the object above waits for it, although it does not refer to it */
	struct str via;
	struct summary s; /* the summary of the object, when found */
};

struct walk {
	const struct tree *t;
	enum tree_direction direction;
	struct arena *a;
	struct handle *path;
	size_t depth;
	char *prefix;
	size_t prefix_size;
	struct str ns; /* the namespace of the root: only other namespaces are shown */
	uint64_t key;
};

static bool same_id(const struct id *a, const struct id *b)
{
	if (a->handle.slot || b->handle.slot)
		return handle_eq(a->handle, b->handle);
	return str_eq(a->kind, b->kind) && str_eq(a->group, b->group) && str_eq(a->ns, b->ns) &&
	       str_eq(a->name, b->name);
}

static bool has_branch(const struct branch *all, size_t n, const struct id *id)
{
	for (size_t i = 0; i < n; i++)
		if (same_id(&all[i].id, id))
			return true;
	return false;
}

/*
 * True when the tree shows a reference in this direction.  An owner stands above what it owns, although the reference
 * is in the owned object.
 */
static bool goes(enum tree_direction direction, enum relation relation, bool refers)
{
	bool down = relation == RELATION_OWNS ? !refers : refers;

	return down == (direction == TREE_DOWN);
}

static size_t add_branches(struct walk *w, const struct item *item, bool refers, struct branch *out,
			   size_t n)
{
	const struct dependency *all = refers ? item->dependencies : item->dependents;
	size_t count = refers ? item->ndependencies : item->ndependents;

	assert(n <= BRANCHES);
	for (size_t i = 0; i < count && n < BRANCHES; i++) {
		const struct dependency *d = &all[i];
		struct branch b = { .id = d->on,
				    .relation = d->relation,
				    .refers = refers,
				    .found = d->found,
				    .via = d->via };

		if (!goes(w->direction, d->relation, refers) || has_branch(out, n, &d->on))
			continue;
		b.missing = !d->found && words_waits_missing(item, &d->on);
		b.found = graph_summary(w->t->graph, d->on.handle, &b.s);
		out[n++] = b;
	}
	return n;
}

/*
 * Adds what the object waits for and does not refer to, such as the Pod of an instance in another namespace: the tree
 * holds whatever is blamed.
 */
static size_t add_waits(struct walk *w, const struct item *item, struct branch *out, size_t n)
{
	for (size_t i = 0; i < item->nwaits && n < BRANCHES && w->direction == TREE_DOWN; i++) {
		const struct item_wait *wait = &item->waits[i];
		struct branch b = { .id = wait->on, .refers = true, .waits = true, .via = wait->via };

		if (handle_eq(wait->on.handle, item->s.id.handle) || has_branch(out, n, &wait->on) ||
		    !graph_summary(w->t->graph, wait->on.handle, &b.s))
			continue;
		b.found = true;
		out[n++] = b;
	}
	return n;
}

static bool is_well(const struct branch *b)
{
	return b->found && b->s.phase == PHASE_READY && b->s.severity == SEVERITY_NONE;
}

static bool on_path(const struct walk *w, struct handle h)
{
	for (size_t i = 0; i < w->depth; i++)
		if (h.slot && handle_eq(w->path[i], h))
			return true;
	return false;
}

/* Returns the place of a branch: the worst first, of equal ones what is waited for, then what is owned; what stands above already last. */
static uint64_t place_of(const struct walk *w, const struct item *item, const struct branch *b)
{
	enum { RANK_AT = 8, NOT_WAITED_FOR = 2, NOT_OWNED = 1 };
	uint32_t rank = b->found ? graph_rank(b->s.phase, b->s.severity, 0) :
			b->missing ? graph_rank(PHASE_FAILED, SEVERITY_ERROR, 0) : graph_rank(PHASE_UNKNOWN, SEVERITY_WARNING, 0);
	uint64_t place = is_well(b) ? 0 : NOT_WAITED_FOR | (b->relation == RELATION_OWNS ? 0 : NOT_OWNED);

	for (size_t i = 0; i < item->nwaits && place & NOT_WAITED_FOR; i++)
		if (same_id(&item->waits[i].on, &b->id))
			place &= ~(uint64_t)NOT_WAITED_FOR;
	return (uint64_t)on_path(w, b->id.handle) << 63 | (uint64_t)rank << RANK_AT | place;
}

/* Sorts the branches by their places; of equal ones the order of the references stays. */
static void worst_first(const struct walk *w, const struct item *item, struct branch *all, size_t n)
{
	uint64_t *places = arena_array(w->a, n, sizeof(*places));

	for (size_t i = 0; i < n; i++) {
		struct branch b = all[i];
		uint64_t place = place_of(w, item, &b);
		size_t at = i;

		for (; at > 0 && places[at - 1] > place; at--) {
			all[at] = all[at - 1];
			places[at] = places[at - 1];
		}
		all[at] = b;
		places[at] = place;
	}
}

static struct str branch_message(const struct branch *b, struct arena *a)
{
	struct str message;

	if (!b->found || is_well(b))
		return STR_NONE;
	message = words_message(b->s.severity, b->s.message, a);
	/* The reason of what only waits is "Progressing" or the like, which its phase tells, too. */
	return message.len && b->s.severity < SEVERITY_WARNING ? message : words_with_reason(b->s.reason, message, a);
}

static void branch_line(struct walk *w, const struct branch *b, const char *relation,
			const char *mark)
{
	struct lines *l = w->t->lines;
	struct arena *a = w->a;
	struct line *line = lines_add(l);
	struct str name = words_id(store_kinds(w->t->store), &b->id, a), ns;
	struct text phase = b->found ? words_phase(b->s.phase, a) : words_absent(b->missing);

	line->key = w->key;
	line->object = b->found ? b->id.handle : HANDLE_NONE;
	name = ARENA_JOIN(a, str_of(w->prefix), name);
	ns = b->id.ns.len && !str_eq(b->id.ns, w->ns) ? ARENA_JOIN(a, STR(" · "), b->id.ns) : STR_NONE;
	lines_cell_brief(l, ARENA_JOIN(a, name, ns, str_of(mark[0] ? "  " : ""), str_of(mark)), mark[0] ? STR_NONE : name,
			 is_well(b) ? STYLE_DIM : STYLE_NORMAL);
	lines_cell(l, phase.str, phase.style);
	lines_cell(l, b->found ? words_when(b->s.since, w->t->now, w->t->absolute_time, a) : STR_NONE, STYLE_NORMAL);
	/* In the dashboard the message of the object itself takes the rest of the line: it has neither relation nor field. */
	if (!w->t->toggled || relation[0] || b->via.len) {
		lines_cell(l, str_of(relation), STYLE_DIM);
		lines_cell(l, b->via, STYLE_DIM);
	}
	lines_cell(l, branch_message(b, a), STYLE_NORMAL);
}

static bool toggled(const struct walk *w, uint64_t key)
{
	return w->t->toggled && w->t->toggled(w->t->ctx, key);
}

static void walk_branches(struct walk *w, struct handle h);

/* Adds a branch and everything below it. */
static void walk_branch(struct walk *w, const struct branch *b, bool last)
{
	size_t len = strlen(w->prefix);
	uint64_t key = w->key;
	struct line *line;
	size_t index = w->t->lines->n;
	bool cycle = on_path(w, b->id.handle), again, more;

	assert(len + STEP < w->prefix_size);
	w->key = key_mix_str(key_mix_str(key_mix_str(key, b->id.kind), b->id.ns), b->id.name);
	again = b->found && w->t->shown[b->id.handle.slot] == w->t->number;
	snprintf(w->prefix + len, w->prefix_size - len, "%s", last ? "└─ " : "├─ ");
	branch_line(w, b, b->waits ? "waits on" : words_relation(b->relation, b->refers), cycle ? "↺ cycle" : "");
	snprintf(w->prefix + len, w->prefix_size - len, "%s", last ? "   " : "│  ");
	if (b->found && !cycle && !again && w->depth < TREE_DEPTH && w->t->lines->n < w->t->limit) {
		bool closed = toggled(w, w->key);

		if (!closed)
			walk_branches(w, b->id.handle);
		more = closed || w->t->lines->n > index + 1;
		line = &w->t->lines->all[index];
		line->fold = more ? closed ? FOLD_CLOSED : FOLD_OPEN : FOLD_NONE;
	}
	w->prefix[len] = '\0';
	w->key = key;
}

/* Returns how many healthy siblings of one kind follow each other. */
static size_t count_alike(const struct branch *all, size_t n)
{
	size_t alike = 1;

	while (is_well(&all[0]) && alike < n && is_well(&all[alike]) &&
	       all[alike].relation == all[0].relation && all[alike].waits == all[0].waits && all[alike].s.kind == all[0].s.kind)
		alike++;
	return alike;
}

/* Adds a line for several siblings, "pod ×12", and returns whether it is unfolded. */
static bool alike_line(struct walk *w, const struct branch *b, size_t alike, bool last)
{
	uint64_t key = key_mix_str(key_mix(w->key, 6), b->id.kind);
	struct str kind = words_kind(store_kinds(w->t->store), b->id.group, b->id.kind, w->a);
	bool open = toggled(w, key);
	struct lines *l = w->t->lines;
	struct line *line = lines_add(l);

	line->key = key;
	line->fold = open ? FOLD_OPEN : FOLD_CLOSED;
	line->count = (uint32_t)alike;
	line->object = b->id.handle;
	lines_cell(l, ARENA_JOIN(w->a, str_of(w->prefix), str_of(last && !open ? "└─ " : "├─ "), kind, STR(" ×"), words_count(alike, w->a)),
		   STYLE_DIM);
	lines_cell(l, STR("✔ Ready"), STYLE_GOOD);
	lines_cell(l, STR_NONE, STYLE_NORMAL);
	lines_cell(l, str_of(words_relation(b->relation, b->refers)), STYLE_DIM);
	return open;
}

static void walk_branches(struct walk *w, struct handle h)
{
	struct branch *all;
	struct item item;
	size_t n, alike;

	if (!graph_item_brief(w->t->graph, h, 0, w->a, &item))
		return;
	assert(h.slot < store_slots(w->t->store) && w->depth <= TREE_DEPTH);
	w->t->shown[h.slot] = w->t->number;
	w->path[w->depth++] = h;
	n = item.ndependencies + item.ndependents + item.nwaits;
	all = arena_array(w->a, n < BRANCHES ? n : BRANCHES, sizeof(*all));
	n = add_branches(w, &item, true, all, 0);
	n = add_branches(w, &item, false, all, n);
	n = add_waits(w, &item, all, n);
	worst_first(w, &item, all, n);
	for (size_t i = 0; i < n && w->t->lines->n < w->t->limit; i += alike) {
		alike = count_alike(&all[i], n - i);
		if (alike > ALIKE && !alike_line(w, &all[i], alike, i + alike == n))
			continue;
		for (size_t k = 0; k < alike; k++)
			walk_branch(w, &all[i + k], i + k + 1 == n);
	}
	assert(w->depth > 0 && handle_eq(w->path[w->depth - 1], h));
	w->depth--;
}

/* Allocates what the walk needs. */
static void make_room(struct walk *w)
{
	w->prefix_size = (TREE_DEPTH + 1) * STEP + 1;
	w->prefix = arena_array(w->a, w->prefix_size, 1);
	w->path = arena_array(w->a, TREE_DEPTH + 1, sizeof(*w->path));
}

static uint64_t root_key(const struct tree *t, struct handle h)
{
	struct object_id id = { .name = STR_NONE };

	if (!h.slot)
		return 0;
	id = store_node_id(t->store, h.slot);
	return key_of_name(&id);
}

void tree_root(const struct tree *t, struct handle h)
{
	struct arena a = { 0 };
	struct walk w = { .t = t, .a = &a, .key = key_mix(7, root_key(t, h)) };
	struct branch b = { .found = true };
	struct str alike = words_alike(t->alike, &a);

	make_room(&w);
	if (graph_summary(t->graph, h, &b.s)) {
		b.id = b.s.id;
		if (!t->all_namespaces)
			w.ns = b.id.ns;
		branch_line(&w, &b, "", alike.len ? alike.ptr + 1 : "");
	}
	arena_release(&a);
}

size_t tree_branches(const struct tree *t, struct handle h, enum tree_direction direction)
{
	struct arena a = { 0 };
	struct walk w = { .t = t, .direction = direction, .a = &a };
	size_t before = t->lines->n;

	make_room(&w);
	w.key = key_mix(key_mix(8, (uint64_t)direction), root_key(t, h));
	if (store_alive(t->store, h)) {
		w.ns = store_node_id(t->store, h.slot).ns;
		walk_branches(&w, h);
	}
	arena_release(&a);
	return t->lines->n - before;
}
