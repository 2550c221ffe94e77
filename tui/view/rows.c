/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/rows.h"

#include "kube/base/alloc.h"
#include "tui/view/filter.h"

#include <stdlib.h>
#include <string.h>

enum slot_flags {
	SLOT_SELECTED = 1,
	SLOT_HEALTHY = 2,
	SLOT_BETWEEN = 4 /* stands only between its owner and what it owns, and adds nothing */
};
enum { OWNERS = 8 }; /* levels of ownership that are climbed */

/* Of every object, by slot. */
struct slot {
	struct row *row;
	uint32_t owner, children;
	uint8_t flags;
};

struct list {
	struct row **all;
	size_t n, cap;
};

struct collect {
	const struct ui *ui;
	const struct scene *scene;
	struct arena *a;
	struct slot *slots;
	uint32_t nslots;
	bool ready_open, filtered;
	const struct filter *filter;
	uint8_t *passed; /* by slot; NULL: there is no filter */
	struct list rows, ready;
	uint8_t *kinds; /* by id: one of that kind is ready */
	size_t ready_total, ready_kinds, matching;
	size_t ready_matching; /* healthy ones that pass the filter */
};

/* So many healthy ones are not worth a fold. */
enum { READY_FEW = 5 };
/* So many that pass a filter are, as without one. */
enum { READY_MANY = 1000 };

uint64_t rows_key(const struct row *row)
{
	return key_mix(1, key_of_handle(row->s.id.handle));
}

uint64_t rows_group_key(uint64_t group)
{
	return key_mix(2, group);
}

uint64_t rows_ready_key(void)
{
	return key_mix(3, PHASE_READY);
}

static void list_add(struct collect *c, struct list *list, struct row *row)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 256;
		struct row **grown = arena_array(c->a, cap, sizeof(struct row *));

		if (list->n)
			memcpy(grown, list->all, list->n * sizeof(struct row *));
		list->all = grown;
		list->cap = cap;
	}
	list->all[list->n++] = row;
}

static struct row *row_new(struct collect *c, const struct summary *s)
{
	struct row *row = arena_alloc(c->a, sizeof(*row));
	const struct seen *healed;

	row->s = *s;
	row->compare = sort_order(c->ui->sort);
	row->reverse = c->ui->reverse;
	healed = observe_healed(&c->ui->seen, s->id.handle);
	if (healed) {
		row->healed = true;
		row->s.phase = (enum phase)healed->was;
		row->s.severity = (enum severity)healed->was_severity;
		row->s.since -= healed->was_for;
	}
	return row;
}

static struct row *row_of_slot(struct collect *c, struct slot *slot, const struct summary *s)
{
	return slot->row = row_new(c, s);
}

static bool is_healthy(const struct summary *s)
{
	return s->phase == PHASE_READY && s->severity == SEVERITY_NONE;
}

/* A ReplicaSet says what its Deployment says, too; and what failed is its pod, which has a row. */
static bool is_between(struct collect *c, const struct summary *s)
{
	struct item_wait w;

	if (!str_is(s->id.kind, "ReplicaSet") || !str_is(s->id.group, "apps") || !s->owner.slot ||
	    s->phase == PHASE_DELETING)
		return false;
	if (s->phase != PHASE_FAILED)
		return true;
	w = graph_first_wait(c->scene->graph, s->id.handle, c->a);
	return w.state != WAIT_NONE && str_is(w.on.kind, "Pod");
}

static void count_ready(struct collect *c, const struct summary *s)
{
	c->ready_total++;
	if (s->kind->id <= store_kinds(c->scene->store)->count && !c->kinds[s->kind->id]) {
		c->kinds[s->kind->id] = 1;
		c->ready_kinds++;
	}
}

static void collect_one(struct collect *c, const struct summary *s)
{
	struct slot *slot = &c->slots[s->id.handle.slot];

	slot->flags = SLOT_SELECTED;
	slot->owner = s->owner.slot;
	if (is_healthy(s) && !observe_healed(&c->ui->seen, s->id.handle))
		slot->flags |= SLOT_HEALTHY;
	if (!c->filtered && !is_healthy(s) && is_between(c, s))
		slot->flags |= SLOT_BETWEEN;
	if (!filter_summary(c->filter, s))
		return;
	if (is_healthy(s))
		count_ready(c, s);
	c->matching++;
	if (c->passed)
		c->passed[s->id.handle.slot] = 1;
	if (c->filtered && slot->flags & SLOT_HEALTHY) {
		if (++c->ready_matching <= READY_MANY || c->ready_open)
			list_add(c, &c->ready, row_of_slot(c, slot, s));
		return;
	}
	if (c->filtered || !(slot->flags & (SLOT_HEALTHY | SLOT_BETWEEN)))
		list_add(c, &c->rows, row_of_slot(c, slot, s));
}

/*
 * Of what the last scan found healthy nothing more is asked: most are, and while they are
 * folded only their number is shown.  False: it has to be looked at.
 */
static bool collect_seen(struct collect *c, struct handle h)
{
	const struct seen *seen = c->filtered ? NULL : observe_seen(&c->ui->seen, h);
	struct slot *slot = &c->slots[h.slot];
	uint32_t kind;

	if (!seen || seen->healed || seen->phase != PHASE_READY || seen->severity != SEVERITY_NONE)
		return false;
	slot->flags = SLOT_SELECTED | SLOT_HEALTHY;
	slot->owner = seen->owner;
	c->matching++;
	c->ready_total++;
	kind = store_node_id(c->scene->store, h.slot).kind->id;
	c->ready_kinds += kind <= store_kinds(c->scene->store)->count && !c->kinds[kind];
	if (kind <= store_kinds(c->scene->store)->count)
		c->kinds[kind] = 1;
	return true;
}

static bool is_child(const struct collect *c, const struct slot *slot)
{
	const struct slot *owner = slot->owner < c->nslots ? &c->slots[slot->owner] : NULL;

	if (!slot->owner || !owner || !(owner->flags & SLOT_SELECTED))
		return false;
	return slot->flags & SLOT_HEALTHY ||
	       (slot->flags & SLOT_BETWEEN && !(owner->flags & SLOT_HEALTHY));
}

/* The object whose row a child is folded under. */
static uint32_t folded_under(const struct collect *c, uint32_t slot)
{
	for (int i = 0; i < OWNERS && is_child(c, &c->slots[slot]); i++)
		slot = c->slots[slot].owner;
	return slot;
}

/* Its owner is selected, too: it is a part of that. */
static uint32_t owner_of(const struct collect *c, uint32_t slot)
{
	uint32_t owner = c->slots[slot].owner;

	return owner && owner < c->nslots && c->slots[owner].flags & SLOT_SELECTED ? owner : 0;
}

/* A part that is not well can be found under each of its owners. */
static void count_part(struct collect *c, uint32_t slot)
{
	for (int i = 0; i < OWNERS && (slot = owner_of(c, slot)) != 0; i++)
		c->slots[slot].children++;
}

/* Pass 2, when it is known who is healthy: children go under their owners, the rest of the healthy
 * together. */
static void place_folded(struct collect *c)
{
	struct summary s;

	for (uint32_t i = 1; i < c->nslots; i++) {
		struct slot *slot = &c->slots[i];

		if (slot->flags & SLOT_SELECTED && !(slot->flags & (SLOT_HEALTHY | SLOT_BETWEEN)))
			count_part(c, i);
		if (!(slot->flags & (SLOT_HEALTHY | SLOT_BETWEEN)))
			continue;
		if (is_child(c, slot))
			c->slots[folded_under(c, i)].children++;
		else if ((slot->flags & SLOT_BETWEEN || c->ready_open) &&
			 graph_summary(c->scene->graph, store_node_handle(c->scene->store, i), &s))
			list_add(c, slot->flags & SLOT_BETWEEN ? &c->rows : &c->ready,
				 row_of_slot(c, slot, &s));
	}
}

/*
 * Pass 3: what belongs to unfolded owners, level by level.  What is not well has a row of
 * its own besides: it is why somebody looks in here.
 */
static void place_children(struct collect *c)
{
	struct summary s;

	for (uint32_t i = 1; i < c->nslots; i++) {
		uint32_t top = i, above;
		struct row *row;
		int depth = 0;

		if (!(c->slots[i].flags & SLOT_SELECTED) || !owner_of(c, i))
			continue;
		while (depth < OWNERS && (above = owner_of(c, top)) != 0) {
			const struct row *owner = c->slots[above].row;

			top = above;
			depth++;
			if (owner && ui_toggled(c->ui, rows_key(owner)))
				break;
		}
		if (!c->slots[top].row || !ui_toggled(c->ui, rows_key(c->slots[top].row)) ||
		    !graph_summary(c->scene->graph, store_node_handle(c->scene->store, i), &s))
			continue;
		row = row_new(c, &s);
		row->next = c->slots[top].row->child;
		c->slots[top].row->child = row;
	}
}

static void collect_gone(struct collect *c)
{
	const struct observer *o = &c->ui->seen;

	for (size_t i = 0; i < o->ntombs; i++) {
		const struct tombstone *t = &o->tombs[i];
		struct summary s = {
			.id = observe_gone_id(o, c->scene->store, t),
			.phase = t->phase,
			.severity = t->severity,
			.since = t->time,
			.percent = -1,
		};
		struct row *row;

		s.kind = store_node_id(c->scene->store, t->handle.slot).kind;
		if (!filter_summary(c->filter, &s))
			continue;
		row = arena_alloc(c->a, sizeof(*row));
		row->s = s;
		row->compare = sort_order(c->ui->sort);
		row->reverse = c->ui->reverse;
	row->reverse = c->ui->reverse;
		row->gone = true;
		list_add(c, &c->rows, row);
	}
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = *(const struct row *const *)pa, *b = *(const struct row *const *)pb;

	return a->reverse ? a->compare(&b->s, &a->s) : a->compare(&a->s, &b->s);
}

static void sort_rows(struct row **rows, size_t n)
{
	if (n > 1)
		qsort(rows, n, sizeof(struct row *), compare_rows);
}

/* Equal siblings: the same kind in the same state for the same reason. */
static uint64_t group_of(struct collect *c, const struct row *row)
{
	const struct summary *s = &row->s;
	struct item_wait w = graph_first_wait(c->scene->graph, s->id.handle, c->a);
	uint64_t key = key_mix(s->kind->id, (uint64_t)s->phase << 8 | (uint64_t)s->severity);

	key = key_mix_str(key_mix_str(key, s->id.cluster), s->reason);
	/* What repeats in every namespace is one fact. */
	if (!s->copied && s->phase != PHASE_UNKNOWN)
		key = key_mix_str(key, s->id.ns);
	key = key_mix(key, (uint64_t)w.state);
	if (w.state != WAIT_NONE)
		return key_mix_str(key_mix_str(key_mix_str(key, w.on.kind), w.on.ns), w.on.name);
	if (s->owner.slot)
		return key_mix(key, s->owner.slot);
	return key_mix_str(key, s->message);
}

static int compare_groups(const void *pa, const void *pb)
{
	const struct row *a = *(const struct row *const *)pa, *b = *(const struct row *const *)pb;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return compare_rows(pa, pb);
}

static void link_group(struct row **rows, size_t n)
{
	rows[0]->members = (uint32_t)n;
	for (size_t i = 0; i + 1 < n; i++) {
		rows[i]->next = rows[i + 1];
		rows[i + 1]->members = 0;
	}
}

/* Finds the groups, and leaves all but their first rows out of the list. */
static void group_rows(struct collect *c, struct list *list)
{
	size_t keep = 0, run;

	for (size_t i = 0; i < list->n; i++) {
		struct row *row = list->all[i];

		row->members = 1;
		row->group = row->gone || row->healed || is_healthy(&row->s) ? rows_key(row) : group_of(c, row);
	}
	if (list->n > 1)
		qsort(list->all, list->n, sizeof(struct row *), compare_groups);
	for (size_t i = 0; i < list->n; i += run) {
		for (run = 1;
		     i + run < list->n && list->all[i + run]->group == list->all[i]->group;)
			run++;
		if (run >= GROUP_LEAST)
			link_group(&list->all[i], run);
	}
	for (size_t i = 0; i < list->n; i++)
		if (list->all[i]->members)
			list->all[keep++] = list->all[i];
	list->n = keep;
	sort_rows(list->all, list->n);
}

static void sort_children(struct collect *c, struct row *row)
{
	struct list children = { 0 };

	for (struct row *child = row->child; child; child = child->next)
		list_add(c, &children, child);
	sort_rows(children.all, children.n);
	for (size_t i = 0; i < children.n; i++)
		children.all[i]->next = i + 1 < children.n ? children.all[i + 1] : NULL;
	row->child = children.n ? children.all[0] : NULL;
}

static void count_children(struct collect *c)
{
	for (uint32_t i = 1; i < c->nslots; i++) {
		struct row *row = c->slots[i].row;

		if (!row || !c->slots[i].children)
			continue;
		row->children = c->slots[i].children;
		sort_children(c, row);
	}
}

/* A few healthy ones that pass a filter stand in their order among the others. */
static void merge_ready(struct collect *c)
{
	for (size_t i = 0; i < c->ready.n; i++)
		list_add(c, &c->rows, c->ready.all[i]);
	c->ready.n = 0;
}

/* By slot: may pass the filter. */
static uint8_t *may_pass(struct ui *ui, uint32_t nslots)
{
	struct passed *p = &ui->passed;
	struct str text = ui_filter(ui);
	bool narrows = p->n == nslots && filter_narrows(str_of(p->text), text);

	memcpy(p->text, ui->filter, sizeof(p->text));
	if (!text.len)
		return NULL;
	if (!narrows) {
		p->slots = xreallocarray(p->slots, nslots + 1, 1);
		p->n = nslots;
		memset(p->slots, 1, nslots);
	}
	return p->slots;
}

/* Did the filter turn it away before?  Unless it passes again, from now on. */
static bool is_out(struct collect *c, struct handle h)
{
	if (!c->passed)
		return false;
	if (!c->passed[h.slot])
		return true;
	c->passed[h.slot] = 0;
	return false;
}

struct rows rows_collect(struct ui *ui, const struct scene *scene, struct arena *a)
{
	struct collect c = {
		.ui = ui,
		.scene = scene,
		.a = a,
		.nslots = store_slots(scene->store),
		.filtered = ui_filter(ui).len > 0,
		.filter = filter_compile(ui_filter(ui), scene, a),
		.ready_open = ui_toggled(ui, rows_ready_key()),
	};
	struct summary s;
	bool fold_ready;

	c.passed = may_pass(ui, c.nslots);
	c.slots = arena_array(a, c.nslots, sizeof(*c.slots));
	c.kinds = arena_alloc(a, store_kinds(scene->store)->count + 1);
	for (struct handle h = store_next(scene->store, 0); h.slot;
	     h = store_next(scene->store, h.slot + 1))
		if (!is_out(&c, h) && !collect_seen(&c, h) && scene_selects(scene, h) && graph_summary(scene->graph, h, &s))
			collect_one(&c, &s);
	fold_ready = c.filtered ? c.ready_matching > READY_MANY : !scene->asked && c.ready_total > READY_FEW;
	if (c.filtered) {
		c.ready_total = c.ready_matching;
		if (!fold_ready)
			merge_ready(&c);
		else if (!c.ready_open)
			c.ready.n = 0;
	}
	c.ready_open |= !fold_ready;
	if (!c.filtered) {
		place_folded(&c);
		place_children(&c);
		count_children(&c);
	}
	collect_gone(&c);
	group_rows(&c, &c.rows);
	sort_rows(c.ready.all, c.ready.n);
	return (struct rows){ c.rows.all,    c.rows.n,	    c.ready.all, c.ready.n,
			      c.ready_total, c.ready_kinds, fold_ready,	 c.matching };
}
