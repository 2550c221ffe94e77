/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/assert.h"
#include "tui/view/rows.h"

#include "kube/base/alloc.h"
#include "tui/state/filter.h"
#include "tui/view/blocked.h"
#include "tui/words/words.h"

#include <string.h>

enum slot_flags {
	SLOT_SELECTED = 1,
	SLOT_HEALTHY = 2,
	SLOT_BETWEEN = 4, /* the object only stands between its owner and what it owns, and tells nothing more */
	SLOT_PART = 8,	  /* the object is not well, and has its row under that of its owner */
	SLOT_ACKNOWLEDGED = 16 /* the object is a root cause that was acknowledged */
};
enum { OWNERS = 8 }; /* so many levels of owners are followed */

/* What is known of each object, by its slot. */
struct row_slot {
	struct table_row *row; /* NULL: the object has no row, or its row is made only when it is shown */
	uint32_t owner, children;
	uint32_t cause;	 /* 1 + the number of the root cause that it is; 0: it is none */
	uint8_t flags;
	uint8_t phase, severity; /* of an object that is not well */
};

struct list {
	struct table_row **all;
	size_t n, cap;
};

/* The sort items of healthy objects, of which there may be very many. */
struct ready {
	struct sort_item *all;
	size_t n, cap;
};

struct collect {
	struct ui *ui;
	const struct scene *scene;
	struct arena *a;
	struct row_slot *slots;
	uint32_t nslots;
	bool ready_open, filtered;
	const struct cause_group *causes;
	const struct filter *filter;
	uint8_t *matched; /* by slot: the object may pass the filter; NULL: there is no filter */
	struct list rows;
	struct ready ready;
	uint8_t *kinds; /* by kind id: an object of the kind is Ready */
	size_t ready_total, ready_kinds, matching;
	size_t ready_matching; /* healthy objects that pass the filter */
};

/* Without a filter, so few healthy objects are not folded. */
enum { READY_UNFOLDED = 5 };
/* With a filter, healthy objects are folded only when more than these pass it. */
enum { READY_UNFOLDED_FILTERED = 1000 };

uint64_t rows_key_of(struct handle h)
{
	return key_mix(1, key_of_handle(h));
}

uint64_t rows_key(const struct table_row *row)
{
	return row->gone && row->order.slot != row->object.slot ? key_mix(7, row->order.slot) : rows_key_of(row->object);
}

uint64_t rows_group_key(uint64_t group)
{
	return key_mix(2, group);
}

uint64_t rows_ready_key(void)
{
	return key_mix(3, PHASE_READY);
}

static void list_add(struct collect *c, struct list *list, struct table_row *row)
{
	list->all = arena_grow(c->a, list->all, list->n, &list->cap, sizeof(struct table_row *));
	assert(row && list->n < list->cap);
	list->all[list->n++] = row;
}

static void ready_add(struct collect *c, struct sort_item item)
{
	struct ready *r = &c->ready;

	r->all = arena_grow(c->a, r->all, r->n, &r->cap, sizeof(*r->all));
	r->all[r->n++] = item;
}

/*
 * Returns the number of the root cause that the row of an object stands for: the object, or what it failed of when that has
 * no row of its own, such as a node; 0: none.
 */
static uint32_t cause_of_row(struct collect *c, const struct summary *s)
{
	enum { CHAIN = 16 };
	uint32_t cause = c->slots[s->id.handle.slot].cause;
	struct item_wait chain[CHAIN];
	struct handle end;
	size_t n;

	if (cause || s->severity < SEVERITY_WARNING || s->phase == PHASE_WAITING)
		return cause;
	n = words_chain_of(c->scene->graph, s->id.handle, chain, CHAIN);
	end = n ? chain[n - 1].on.handle : HANDLE_NONE;
	return end.slot && !scene_selects(c->scene, end) ? c->slots[end.slot].cause : 0;
}

static bool is_pinned(const struct collect *c, uint32_t slot)
{
	return c->ui->pins.n && pins_over(&c->ui->pins, c->scene->store, slot) < c->ui->pins.n;
}

static struct sort_item order_item(struct collect *c, const struct summary *s)
{
	struct sort_item item = sort_item_of(c->scene->graph, c->ui->sort, s);
	bool acknowledged = c->slots[s->id.handle.slot].flags & SLOT_ACKNOWLEDGED;
	uint32_t cause = c->ui->sort == SORT_WORST && s->phase != PHASE_READY ? cause_of_row(c, s) : 0;

	if (cause)
		sort_item_place(&item, root_cause_rank(&c->causes[cause - 1].what), cause, acknowledged);
	item.rank = sort_rank(&c->ui->ranks, s->id.handle);
	item.pinned = is_pinned(c, s->id.handle.slot);
	return item;
}

static struct table_row *row_new(struct collect *c, const struct summary *s)
{
	struct table_row *row = arena_alloc(c->a, sizeof(*row));
	const struct recent_change *healed = observe_healed(&c->ui->observer, s->id.handle);

	row->object = s->id.handle;
	row->order = order_item(c, s);
	if (healed) {
		struct root_cause was = { .id = s->id, .phase = (enum phase)healed->bad_phase, .worst = (enum severity)healed->bad_severity,
					  .holds = graph_held(c->scene->graph, s->id.handle) };

		row->healed = true;
		if (c->ui->sort == SORT_WORST)
			sort_item_place(&row->order, root_cause_rank(&was), 0, false);
	}
	return row;
}

static struct table_row *row_of_slot(struct collect *c, struct row_slot *slot, const struct summary *s)
{
	return slot->row = row_new(c, s);
}

static bool is_healthy(const struct summary *s)
{
	return s->phase == PHASE_READY && s->severity == SEVERITY_NONE;
}

/*
 * True for a ReplicaSet that tells nothing more than its Deployment does.  One that has failed only counts when it waits
 * for a Pod, which then has a row.
 */
static bool is_between(struct collect *c, const struct summary *s)
{
	struct item_wait w;

	if (!str_is(s->id.kind, "ReplicaSet") || !str_is(s->id.group, "apps") || !s->owner.slot ||
	    s->phase == PHASE_DELETING)
		return false;
	if (s->phase != PHASE_FAILED)
		return true;
	w = graph_first_wait(c->scene->graph, s->id.handle);
	return w.state != WAIT_NONE && str_is(w.on.kind, "Pod");
}

static void collect_one(struct collect *c, const struct summary *s)
{
	struct row_slot *slot = &c->slots[s->id.handle.slot];

	assert(s->id.handle.slot < c->nslots && !(slot->flags & SLOT_SELECTED));
	slot->flags |= SLOT_SELECTED;
	slot->owner = s->owner.slot;
	slot->phase = (uint8_t)s->phase;
	slot->severity = (uint8_t)s->severity;
	if (is_healthy(s) && !observe_healed(&c->ui->observer, s->id.handle))
		slot->flags |= SLOT_HEALTHY;
	if (!c->filtered && !is_healthy(s) && is_between(c, s))
		slot->flags |= SLOT_BETWEEN;
	if (!filter_summary(c->filter, s))
		return;
	if (is_healthy(s)) {
		c->ready_total++;
		if (s->kind->id <= store_kinds(c->scene->store)->count && !c->kinds[s->kind->id]) {
			c->kinds[s->kind->id] = 1;
			c->ready_kinds++;
		}
	}
	c->matching++;
	if (c->matched)
		c->matched[s->id.handle.slot] = 1;
	if (c->filtered && slot->flags & SLOT_HEALTHY) {
		if (++c->ready_matching <= READY_UNFOLDED_FILTERED || c->ready_open)
			ready_add(c, order_item(c, s));
		return;
	}
	if (c->filtered || !(slot->flags & (SLOT_HEALTHY | SLOT_BETWEEN)))
		list_add(c, &c->rows, row_of_slot(c, slot, s));
}

/*
 * Counts an object that the last scan found healthy without asking for more: most objects are healthy, and while they
 * are folded only their number is shown.  Returns false when the object must be looked at.
 */
static bool collect_snapshot(struct collect *c, struct handle h)
{
	const struct snapshot *snapshot = c->filtered ? NULL : observe_snapshot(ui_shown(c->ui, c->scene), h);
	struct row_slot *slot = &c->slots[h.slot];
	uint32_t kind;

	if (!snapshot || observe_healed(&c->ui->observer, h) || snapshot->phase != PHASE_READY || snapshot->severity != SEVERITY_NONE)
		return false;
	slot->flags |= SLOT_SELECTED | SLOT_HEALTHY;
	slot->owner = snapshot->owner;
	c->matching++;
	c->ready_total++;
	kind = store_node_id(c->scene->store, h.slot).kind->id;
	c->ready_kinds += kind <= store_kinds(c->scene->store)->count && !c->kinds[kind];
	if (kind <= store_kinds(c->scene->store)->count)
		c->kinds[kind] = 1;
	return true;
}

/*
 * True when the owner is in no better state, so that its row tells of the failure of what it owns, too; or when both have just
 * healed.
 */
static bool tells_of(const struct row_slot *owner, const struct row_slot *part)
{
	if (owner->flags & SLOT_HEALTHY || owner->phase == PHASE_READY)
		return !(owner->flags & SLOT_HEALTHY) && part->phase == PHASE_READY;
	return owner->phase == PHASE_FAILED || owner->phase == PHASE_DEGRADED || owner->severity >= part->severity;
}

static bool is_child(const struct collect *c, const struct row_slot *slot)
{
	const struct row_slot *owner = slot->owner < c->nslots ? &c->slots[slot->owner] : NULL;

	if (!slot->owner || !owner || !(owner->flags & SLOT_SELECTED))
		return false;
	if (slot->flags & SLOT_HEALTHY)
		return true;
	/* of a rollout the Deployment tells, and not its ReplicaSets, each of which is as it should be */
	if (owner->flags & SLOT_HEALTHY && owner->owner && owner->owner < c->nslots && c->slots[owner->owner].flags & SLOT_SELECTED &&
	    str_is(store_node_kind(c->scene->store, slot->owner)->kind, "ReplicaSet"))
		owner = &c->slots[owner->owner];
	return slot->flags & SLOT_BETWEEN ? !(owner->flags & SLOT_HEALTHY) : tells_of(owner, slot);
}

/* Returns the slot of the object under whose row a child is folded. */
static uint32_t folded_under(const struct collect *c, uint32_t slot)
{
	for (int i = 0; i < OWNERS && is_child(c, &c->slots[slot]); i++)
		slot = c->slots[slot].owner;
	assert(slot < c->nslots);
	return slot;
}

/* Returns the owner of an object when that is selected, too, so that the object is a part of it; else 0. */
static uint32_t owner_of(const struct collect *c, uint32_t slot)
{
	uint32_t owner = c->slots[slot].owner;

	return owner && owner < c->nslots && c->slots[owner].flags & SLOT_SELECTED ? owner : 0;
}

/* Counts a part that is not well for each of its owners, under all of which it can be found. */
static void count_part(struct collect *c, uint32_t slot)
{
	for (int i = 0; i < OWNERS && (slot = owner_of(c, slot)) != 0; i++)
		c->slots[slot].children++;
}

/* Adds a healthy object.  It needs a row of its own only when it is pinned, or is unfolded, for its parts. */
static void add_ready(struct collect *c, uint32_t slot)
{
	struct handle h = store_node_handle(c->scene->store, slot);
	bool open = c->ui->ntoggled && ui_toggled(c->ui, rows_key_of(h));
	struct sort_item item;
	struct summary s;

	if (c->ui->pins.n && pins_of(&c->ui->pins, h) < c->ui->pins.n && graph_summary(c->scene->graph, h, &s)) {
		list_add(c, &c->rows, row_of_slot(c, &c->slots[slot], &s));
		return;
	}
	if (!c->ready_open)
		return;
	if (!open && !sort_by_facts(c->ui->sort)) {
		item = sort_item_ready(c->ui->sort, slot);
		item.rank = sort_rank(&c->ui->ranks, h);
		item.pinned = is_pinned(c, slot);
		ready_add(c, item);
		return;
	}
	if (graph_summary(c->scene->graph, h, &s))
		ready_add(c, open ? row_of_slot(c, &c->slots[slot], &s)->order : order_item(c, &s));
}

/* True when a key has come in; sorting asks it from time to time. */
static bool stopped(const void *ctx)
{
	const struct collect *c = ctx;

	return ui_interrupted(c->ui, c->scene);
}

/* Does the same for a loop, and asks only once in many turns. */
static bool is_stopped(const struct collect *c, uint32_t i)
{
	enum { MANY = 1024 };

	return i % MANY == 0 && stopped(c);
}

/*
 * Folds an object that is not well under its owner, when that is not well either: one failure is one row.  The row has
 * the place of the worst that it stands for.
 */
static void fold_part(struct collect *c, uint32_t i)
{
	struct row_slot *slot = &c->slots[i], *top = &c->slots[folded_under(c, i)];
	struct handle h = store_node_handle(c->scene->store, i);

	if (top == slot || is_child(c, top) || !top->row || !slot->row)
		return;
	slot->flags |= SLOT_PART;
	if (c->ui->sort == SORT_WORST && slot->row->order.first < top->row->order.first)
		top->row->order.first = slot->row->order.first;
	top->row->order.pinned |= slot->row->order.pinned;
	if (!phase_is_bad((enum phase)slot->phase))
		return;	/* what comes and goes in a rollout is told by the numbers of its owner */
	if (!top->row->parts++)
		top->row->part = h;
	else if (top->row->part.slot && store_node_id(c->scene->store, top->row->part.slot).kind != store_node_id(c->scene->store, i).kind)
		top->row->part = HANDLE_NONE;
}

static void remove_parts(struct collect *c)
{
	size_t keep = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		if (!(c->slots[c->rows.all[i]->object.slot].flags & SLOT_PART))
			c->rows.all[keep++] = c->rows.all[i];
	assert(keep <= c->rows.n);
	c->rows.n = keep;
}

/*
 * Pass 2, when it is known which objects are healthy: puts children under their owners, and the other healthy objects
 * together.
 */
static void place_folded(struct collect *c)
{
	struct summary s;

	for (uint32_t i = 1; i < c->nslots && !is_stopped(c, i); i++) {
		struct row_slot *slot = &c->slots[i];

		if (slot->flags & SLOT_SELECTED && !(slot->flags & (SLOT_HEALTHY | SLOT_BETWEEN))) {
			count_part(c, i);
			fold_part(c, i);
		}
		if (!(slot->flags & (SLOT_HEALTHY | SLOT_BETWEEN)))
			continue;
		if (is_child(c, slot))
			c->slots[folded_under(c, i)].children++;
		else if (!(slot->flags & SLOT_BETWEEN))
			add_ready(c, i);
		else if (graph_summary(c->scene->graph, store_node_handle(c->scene->store, i), &s))
			list_add(c, &c->rows, row_of_slot(c, slot, &s));
	}
	remove_parts(c);
}

/* Pass 3: puts the parts of unfolded owners below them, level by level. */
static void place_children(struct collect *c)
{
	struct summary s;

	for (uint32_t i = 1; i < c->nslots && !is_stopped(c, i); i++) {
		uint32_t top = i, above;
		struct table_row *row;
		int depth = 0;

		if (!(c->slots[i].flags & SLOT_SELECTED) || !owner_of(c, i))
			continue;
		while (depth < OWNERS && (above = owner_of(c, top)) != 0) {
			const struct table_row *owner = c->slots[above].row;

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
	const struct observer *o = &c->ui->observer;

	for (size_t i = 0; i < o->ntombs && !o->hidden; i++) {
		const struct tombstone *t = &o->tombs[i];
		struct summary s = {
			.id = observe_gone_id(o, c->scene->store, t),
			.phase = t->phase,
			.severity = t->severity,
			.since = t->time,
			.percent = -1,
		};
		struct table_row *row;

		s.kind = store_node_id(c->scene->store, t->handle.slot).kind;
		if (!filter_summary(c->filter, &s))
			continue;
		if (t->alike > 1) /* the row keeps its place while more of them go */
			s.phase = PHASE_DELETING;
		row = arena_alloc(c->a, sizeof(*row));
		row->object = t->handle;
		row->order = order_item(c, &s);
		if (t->alike > 1) {
			row->order.slot = t->owner;
			row->order.rank = sort_rank(&c->ui->ranks, store_node_handle(c->scene->store, t->owner));
		}
		row->gone = true;
		list_add(c, &c->rows, row);
	}
}

static struct sort_order order_of(const struct collect *c)
{
	return (struct sort_order){ .graph = c->scene->graph, .store = c->scene->store, .sort = c->ui->sort,
				    .reverse = c->ui->reverse, .stop = stopped, .stop_ctx = c };
}

static void sort_rows(struct collect *c, struct table_row **rows, size_t n)
{
	struct sort_order order = order_of(c);
	struct sort_item *items;
	struct table_row **before;

	if (n < 2)
		return;
	items = xmalloc(n * sizeof(*items));
	before = xmalloc(n * sizeof(struct table_row *));
	for (size_t i = 0; i < n; i++) {
		items[i] = rows[i]->order;
		items[i].tag = (uint32_t)i;
		before[i] = rows[i];
	}
	if (sort_items(&order, items, n))
		for (size_t i = 0; i < n; i++)
			rows[i] = before[items[i].tag];
	xfree(items);
	xfree(before);
}

/*
 * Sets the key that equal siblings share, and from how many on they share a row: members of one root cause as in Problems,
 * what one owner made, and from five on what waits for the same thing.
 */
static void set_group(struct collect *c, const struct summary *s, struct table_row *row)
{
	enum { OF_OWNER = 3, OF_SEVERAL = 5 };
	struct item_wait w = graph_first_wait(c->scene->graph, s->id.handle);
	uint64_t key = key_mix_str(key_mix(key_of_kind(s->kind), (uint64_t)s->phase << 8 | (uint64_t)s->severity), s->id.cluster);
	uint32_t cause = c->slots[row->object.slot].cause, of = graph_controller(c->scene->store, row->object.slot);

	row->least = OF_SEVERAL;
	if (cause) {
		row->least = 2;
		row->group = key_mix(6, c->causes[cause - 1].key);
	} else if (of) {
		struct object_id owner = store_node_id(c->scene->store, of);

		row->least = OF_OWNER;
		row->group = key_mix(key, key_of_name(&owner));
	} else if (s->copied || s->phase == PHASE_UNKNOWN) {
		/* copies of one object, or what one controller is silent about, in whatever namespace */
		row->group = key_mix_str(key_mix_str(key, s->reason), s->message);
	} else if (w.state != WAIT_NONE) {
		row->group = key_mix_str(key_mix_str(key_mix_str(key_mix(key, (uint64_t)w.state), w.on.kind), w.on.ns), w.on.name);
	}
}

static void find_group(struct collect *c, struct table_row *row)
{
	struct summary s;

	row->group = rows_key(row);
	row->least = 2;
	if (!row->gone && !row->healed && graph_summary(c->scene->graph, row->object, &s) && !is_healthy(&s))
		set_group(c, &s, row);
}

/* The groups by key: a hash table with open addressing that has 1 + the index of the first row of each group. */
struct groups {
	struct list *list;
	uint32_t *places, mask;
	struct table_row **last; /* the last row of each group, by the index of its first row */
};

static void join_group(struct groups *g, uint32_t i)
{
	struct table_row **all = g->list->all;
	uint32_t at = (uint32_t)all[i]->group & g->mask, first;

	assert(i < g->list->n && g->list->n <= g->mask);
	while (g->places[at] && all[g->places[at] - 1]->group != all[i]->group)
		at = (at + 1) & g->mask;
	if (!g->places[at])
		g->places[at] = i + 1;
	first = g->places[at] - 1;
	assert(first <= i && (first == i || g->last[first]));
	if (first != i)
		g->last[first]->next = all[i];
	g->last[first] = all[i];
	all[first]->members++;
}

/* Makes single rows of a group that has too few members. */
static void part_group(struct table_row *row)
{
	struct table_row *next;

	for (; row; row = next) {
		next = row->next;
		row->next = NULL;
		row->members = 1;
	}
}

/* Sorts the list, finds the groups, and leaves only the first row of each group in the list. */
static void group_rows(struct collect *c, struct list *list)
{
	struct groups g = { .list = list, .mask = 15 };
	size_t keep = 0;

	sort_rows(c, list->all, list->n);
	while (g.mask < 2 * list->n)
		g.mask = 2 * g.mask + 1;
	g.places = arena_array(c->a, (size_t)g.mask + 1, sizeof(*g.places));
	g.last = arena_array(c->a, list->n, sizeof(struct table_row *));
	for (uint32_t i = 0; i < list->n && !is_stopped(c, i); i++) {
		find_group(c, list->all[i]);
		join_group(&g, i);
	}
	for (size_t i = 0; i < list->n; i++)
		if (list->all[i]->members && list->all[i]->members < list->all[i]->least)
			part_group(list->all[i]);
	for (size_t i = 0; i < list->n; i++)
		if (list->all[i]->members)
			list->all[keep++] = list->all[i];
	assert(keep <= list->n);
	list->n = keep;
}

static void sort_children(struct collect *c, struct table_row *row)
{
	struct list children = { 0 };

	for (struct table_row *child = row->child; child; child = child->next)
		list_add(c, &children, child);
	sort_rows(c, children.all, children.n);
	for (size_t i = 0; i < children.n; i++)
		children.all[i]->next = i + 1 < children.n ? children.all[i + 1] : NULL;
	row->child = children.n ? children.all[0] : NULL;
}

static void count_children(struct collect *c)
{
	for (uint32_t i = 1; i < c->nslots; i++) {
		struct table_row *row = c->slots[i].row;

		if (!row || !c->slots[i].children)
			continue;
		row->children = c->slots[i].children;
		sort_children(c, row);
	}
}

/* Sorts the few healthy objects that pass a filter in among the other rows. */
static void merge_ready(struct collect *c)
{
	struct summary s;

	for (size_t i = 0; i < c->ready.n; i++)
		if (graph_summary(c->scene->graph, store_node_handle(c->scene->store, c->ready.all[i].slot), &s))
			list_add(c, &c->rows, row_new(c, &s));
	c->ready.n = 0;
}

/* Returns by slot whether an object may pass the filter; NULL: there is no filter. */
static uint8_t *may_pass(struct ui *ui, uint32_t nslots)
{
	struct filter_cache *p = &ui->filter_cache;
	struct str text = ui_filter(ui);
	bool narrows = p->n == nslots && filter_narrows(str_of(p->text), text);

	memcpy(p->text, ui_place_const(ui)->filter, sizeof(p->text));
	if (!text.len)
		return NULL;
	if (!narrows) {
		p->slots = xreallocarray(p->slots, nslots + 1, 1);
		p->n = nslots;
		memset(p->slots, 1, nslots);
	}
	return p->slots;
}

/* True when a shorter filter has already excluded the object.  Otherwise marks it as excluded until it passes. */
static bool is_out(struct collect *c, struct handle h)
{
	if (!c->matched)
		return false;
	if (!c->matched[h.slot])
		return true;
	c->matched[h.slot] = 0;
	return false;
}

/* Pass 1: finds the objects that are selected and that pass the filter. */
static void collect_all(struct collect *c)
{
	struct handle h = store_next(c->scene->store, 0);
	struct summary s;

	for (uint32_t i = 0; h.slot && !is_stopped(c, i); i++, h = store_next(c->scene->store, h.slot + 1))
		if (!is_out(c, h) && !collect_snapshot(c, h) && scene_selects(c->scene, h) &&
		    graph_summary(c->scene->graph, h, &s))
			collect_one(c, &s);
}

/* Notes which object is which root cause, and which of them were acknowledged, which come last. */
static void note_causes_of_rows(struct collect *c)
{
	size_t n;

	c->causes = cause_groups_selected(c->scene, c->a, &n);
	for (uint32_t i = 0; i < n; i++) {
		bool acknowledged = c->ui->nacked && ui_acknowledged(c->ui, cause_key(&c->causes[i]), cause_state(&c->causes[i]));

		for (size_t k = 0; k < c->causes[i].n; k++) {
			struct row_slot *slot = c->causes[i].slots[k] < c->nslots ? &c->slots[c->causes[i].slots[k]] : NULL;

			if (!slot)
				continue;
			slot->cause = i + 1;
			slot->flags |= acknowledged ? SLOT_ACKNOWLEDGED : 0;
		}
	}
}

/* Returns the slot of the row under which the selected object is folded; 0: it has a row of its own, or none. */
static uint32_t holds_selected(const struct collect *c)
{
	uint32_t slot = ui_place_const(c->ui)->object.slot;

	return slot && slot < c->nslots && c->slots[slot].flags & SLOT_PART ? folded_under(c, slot) : 0;
}

bool rows_collect(struct ui *ui, const struct scene *scene, struct arena *a, struct rows *out)
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
	struct sort_order order = order_of(&c);
	bool fold_ready;

	c.matched = may_pass(ui, c.nslots);
	c.slots = arena_array(a, c.nslots, sizeof(*c.slots));
	c.kinds = arena_alloc(a, store_kinds(scene->store)->count + 1);
	if (scene->header->lists_done >= scene->header->lists_total)
		sort_ranks_renew(&ui->ranks, &order);
	note_causes_of_rows(&c);
	collect_all(&c);
	fold_ready = c.filtered ? c.ready_matching > READY_UNFOLDED_FILTERED : !scene->asked && c.ready_total > READY_UNFOLDED;
	if (c.filtered) {
		c.ready_total = c.ready_matching;
		if (!fold_ready)
			merge_ready(&c);
		else if (!c.ready_open)
			c.ready.n = 0;
	}
	c.ready_open |= !fold_ready;
	if (!c.filtered && !ui_interrupted(ui, scene)) {
		place_folded(&c);
		place_children(&c);
		count_children(&c);
	}
	collect_gone(&c);
	group_rows(&c, &c.rows);
	sort_items(&order, c.ready.all, c.ready.n);
	*out = (struct rows){ c.rows.all,    c.rows.n,	    c.ready.all, c.ready.n, c.slots,
			      c.ready_total, c.ready_kinds, fold_ready,	 c.matching,  holds_selected(&c) };
	if (!ui_interrupted(ui, scene))
		return true;
	ui->filter_cache.text[0] = '\0';
	return false;
}

struct table_row rows_ready(const struct rows *rows, const struct store *store, size_t i)
{
	uint32_t slot = rows->ready[i].slot;
	const struct row_slot *at = &rows->slots[slot];

	return (struct table_row){ .object = store_node_handle(store, slot),
			     .children = at->children,
			     .child = at->row ? at->row->child : NULL };
}
