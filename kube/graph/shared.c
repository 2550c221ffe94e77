/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/graph/shared.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/graph/graph_private.h"
#include "kube/status/labels.h"

#include <stdlib.h>
#include <string.h>

enum {
	SAMPLE = 1024,		/* broken objects that are asked for what they have; of more, as many evenly spread */
	VIAS = 256,		/* healthy objects that are asked which fields their references come from */
	TRAITS = 64,		/* traits of an object that are looked at, and the bytes of a set in which they are */
	TRAIT_BYTES = 8192,
	COUNTED = 24,		/* things that many of the sample have, which are counted in all objects */
	ABOVE = 3,		/* owners of owners */
	BEYOND = 16,		/* references of what an object refers to that are looked at */
	STEPS = 20000,		/* references that are followed to count one thing, beside some for each broken object */
	STEPS_EACH = 8,
	SETS = 10000,		/* different sets of traits of a kind, and their bytes, that are counted; else none is */
	SETS_BYTES = 4 << 20,
	REASONS = 64		/* reasons for which broken objects are compared on their own */
};

/* ---- what is kept until the next settle --------------------------------------- */

/* Something that an object has. */
struct has {
	uint64_t key;		/* equal for equal things of one population; never 0 */
	enum shared_what what;
	uint32_t target;	/* the slot of an object, of a trait of a node the node; 0: it is a trait of the object */
	struct str text;	/* the text of a trait; else "" */
	struct str via;		/* the field of a reference; "": every object of the kind would have it there */
	bool far;		/* it is reached through another object */
};

struct fact {
	struct has has;
	struct str name;	/* of the object or trait: of equal facts the first by name is first */
	uint32_t last;		/* the last object of the sample that was seen to have it */
	size_t broken, healthy;
	uint64_t who;		/* a hash of the broken objects of the sample that have it */
	uint32_t counted;	/* how many of the sample have it */
};

/* A hash table from keys, which are not 0, to numbers: places is a power of two. */
struct tally {
	struct tally_place {
		uint64_t key;
		size_t broken, healthy;
		struct fact *fact;
	} *all;
	size_t places, n;
};

/* All objects of a kind of a cluster, healthy or not: what they have stays while only verdicts change. */
struct everyone {
	struct arena arena;
	struct everyone *next;		/* of another kind */
	uint64_t kind;			/* kind_at() */
	size_t n;
	struct tally traits;		/* by the key of the trait: who has it, all as healthy */
	/* counted when these were labels_changes(), as of then, and store_count(): all stay while no object comes, goes or is labelled */
	uint64_t labels;
	int64_t then;
	size_t objects;
};

/* The healthy objects of a kind: everyone but those that are not. */
struct census {
	struct everyone *all;
	size_t healthy;
	struct tally traits;		/* by the key of the trait: the broken ones, and as healthy all who are not */
	struct tally vias;		/* the fields of references of healthy objects */
};

/* The places in the order at which broken objects of one kind, or of one kind and reason, stand. */
struct range {
	uint32_t first, last;	/* last is the first place behind them */
};

/* Broken objects that are compared with the healthy ones of their kind. */
struct population {
	struct census *census;
	uint32_t first, last;
	struct str reason;
	struct fact facts[SHARED_MOST];
	size_t nfacts;
};

struct shared_cache {
	struct arena arena;
	const struct root_cause *causes;
	uint32_t *order, n;		/* causes by kind, cluster and reason */
	uint32_t *places;		/* by slot: 1 + the place of a broken object in the order; 0: it is none */
	struct range *kinds, *reasons;	/* by place: the objects of the same kind, and also of the same reason */
	struct population **by_kind, **by_reason;	/* at the first place of a range; NULL: not counted yet */
	uint32_t nreasons;		/* populations in by_reason */
	uint32_t *marks, mark;		/* by slot: it was met in the present search */
	uint32_t nslots;
	uint64_t labels;		/* labels_changes() */
	uint32_t made;			/* of the graph: roots_made */
};

/* What a key is made from. */
enum { BY_TRAIT = 1, BY_NODE, BY_OBJECT, BY_SET, BY_FIELD, BY_MEMBER, BY_GROUP };

static uint64_t mix(uint64_t key, uint64_t more)
{
	key = (key ^ more) * 0x9E3779B97F4A7C15u;
	key ^= key >> 29;
	return key ? key : 1;
}

static void tally_grow(struct tally *t, struct arena *a)
{
	struct tally was = *t;

	t->places = was.places ? was.places * 2 : 256;
	t->all = arena_array(a, t->places, sizeof(*t->all));
	for (size_t i = 0; i < was.places; i++) {
		size_t at = was.all[i].key & (t->places - 1);

		if (!was.all[i].key)
			continue;
		while (t->all[at].key)
			at = (at + 1) & (t->places - 1);
		t->all[at] = was.all[i];
	}
}

/* a NULL: nothing is added, and NULL is returned for what is not there. */
static struct tally_place *tally_of(struct tally *t, uint64_t key, struct arena *a)
{
	size_t at;

	assert(key);
	if (a && t->n * 2 >= t->places)
		tally_grow(t, a);
	if (!t->places)
		return NULL;
	for (at = key & (t->places - 1); t->all[at].key && t->all[at].key != key;)
		at = (at + 1) & (t->places - 1);
	if (t->all[at].key)
		return &t->all[at];
	if (!a)
		return NULL;
	t->n++;
	t->all[at].key = key;
	return &t->all[at];
}

void shared_forget(struct graph *g)
{
	if (!g->shared)
		return;
	arena_release(&g->shared->arena);
	xfree(g->shared);
	g->shared = NULL;
}

void shared_free(struct graph *g)
{
	shared_forget(g);
	for (struct everyone *e; (e = g->everyone); xfree(e)) {
		g->everyone = e->next;
		arena_release(&e->arena);
	}
}

/* ---- the broken objects ----------------------------------------------------- */

static bool is_broken(const struct root_cause *c)
{
	return c->id.handle.slot && c->phase != PHASE_READY && c->severity >= SEVERITY_WARNING;
}

static bool is_healthy(const struct graph *g, uint32_t slot)
{
	return slot < g->nnodes && g->nodes[slot].shown_gen && g->nodes[slot].phase == PHASE_READY;
}

/* Broken objects of one kind and reason. */
struct alike {
	uint64_t kind, reason;
	uint32_t n, first;	/* how many they are, and the place of the first one */
	uint32_t met;		/* the number of the group in the order in which they were met */
};

static int by_kind_and_reason(const void *x, const void *y)
{
	const struct alike *a = x, *b = y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->reason < b->reason ? -1 : a->reason > b->reason;
}

static struct object_id id_at(const struct graph *g, uint32_t slot)
{
	return store_node_id(g->store, slot);
}

static uint64_t kind_at(const struct graph *g, uint32_t slot)
{
	struct object_id id = id_at(g, slot);

	return (uint64_t)id.cluster << 32 | id.kind->id;
}

/* Finds the groups, and of which one each cause is: of[] has 1 + its number by cause, 0 for what is not broken. */
static struct alike *find_groups(struct graph *g, const struct shared_cache *c, size_t ncauses, uint32_t *of, uint32_t *out_n,
				 struct arena *a)
{
	struct tally seen = { 0 };
	struct alike *all = arena_array(a, ncauses, sizeof(*all));
	uint32_t n = 0;

	for (size_t i = 0; i < ncauses; i++) {
		uint64_t kind, reason;
		struct tally_place *p;

		if (!is_broken(&c->causes[i]))
			continue;
		kind = kind_at(g, c->causes[i].slot);
		reason = str_hash(c->causes[i].reason);
		p = tally_of(&seen, mix(mix(BY_GROUP, kind), reason), a);
		if (!p->broken) {
			p->broken = ++n;
			all[n - 1] = (struct alike){ kind, reason, 0, 0, n - 1 };
		}
		all[p->broken - 1].n++;
		of[i] = (uint32_t)p->broken;
	}
	*out_n = n;
	return all;
}

/* Gives each group its places, those of one kind in a row, and notes at each place the range that it is in. */
static void place_groups(struct shared_cache *c, struct alike *all, uint32_t n)
{
	uint32_t place = 0;

	qsort(all, n, sizeof(*all), by_kind_and_reason);
	for (uint32_t first = 0, last; first < n; first = last) {
		uint32_t start = place;

		for (last = first; last < n && all[last].kind == all[first].kind; last++) {
			all[last].first = place;
			place += all[last].n;
			for (uint32_t i = all[last].first; i < place; i++)
				c->reasons[i] = (struct range){ all[last].first, place };
		}
		for (uint32_t i = start; i < place; i++)
			c->kinds[i] = (struct range){ start, place };
	}
}

static void order_causes(struct graph *g, struct shared_cache *c)
{
	struct arena scratch = { 0 };
	uint32_t n, *of, *next;
	size_t ncauses;
	struct alike *all;

	c->causes = roots_list(g, &ncauses);
	of = arena_array(&scratch, ncauses, sizeof(*of));
	all = find_groups(g, c, ncauses, of, &n, &scratch);
	for (uint32_t i = 0; i < n; i++)
		c->n += all[i].n;
	c->kinds = arena_array(&c->arena, c->n, sizeof(*c->kinds));
	c->reasons = arena_array(&c->arena, c->n, sizeof(*c->reasons));
	c->order = arena_array(&c->arena, c->n, sizeof(*c->order));
	c->by_kind = arena_array(&c->arena, c->n, sizeof(struct population *));
	c->by_reason = arena_array(&c->arena, c->n, sizeof(struct population *));
	place_groups(c, all, n);
	next = arena_array(&scratch, n, sizeof(*next));
	for (uint32_t i = 0; i < n; i++)
		next[all[i].met] = all[i].first;
	for (uint32_t i = 0; i < ncauses; i++) {
		if (!of[i])
			continue;
		c->order[next[of[i] - 1]] = i;
		c->places[c->causes[i].slot] = ++next[of[i] - 1];
	}
	arena_release(&scratch);
}

static struct shared_cache *cache_of(struct graph *g)
{
	uint64_t labels = g->labels ? labels_changes(g->labels) : 0;
	struct shared_cache *c = g->shared;
	size_t n;

	roots_list(g, &n);
	if (c && c->labels == labels && c->made == g->roots_made)
		return c;
	shared_forget(g);
	c = g->shared = xcalloc(1, sizeof(*c));
	c->labels = labels;
	c->made = g->roots_made;
	c->nslots = store_slots(g->store);
	c->marks = arena_array(&c->arena, c->nslots, sizeof(*c->marks));
	c->places = arena_array(&c->arena, c->nslots, sizeof(*c->places));
	order_causes(g, c);
	return c;
}

static uint32_t slot_at(const struct shared_cache *c, uint32_t place)
{
	return c->causes[c->order[place]].slot;
}

/* ---- what one object has ------------------------------------------------------- */

struct asked {
	struct graph *g;
	void (*found)(void *ctx, const struct has *has);
	void *ctx;
};

/* The time at which objects have the traits that are asked for: of a copy its own. */
static int64_t traits_then(const struct graph *g)
{
	return g->copied ? g->now : INT64_MAX;
}

static struct str traits_of(const struct graph *g, uint32_t slot)
{
	struct str set = STR_NONE;

	if (g->labels)
		set = labels_traits(g->labels, store_node_handle(g->store, slot), traits_then(g));
	return str_head(set, TRAIT_BYTES);
}

static bool is_zone(struct str key)
{
	return str_is(key, "topology.kubernetes.io/zone") || str_is(key, "topology.kubernetes.io/region");
}

/* node: the slot of the object's node, whose zone is told; 0: the object's own traits are. */
static void ask_traits(const struct asked *a, uint32_t slot, uint32_t node)
{
	struct str set = traits_of(a->g, node ? node : slot);
	struct trait_value it;

	for (int i = 0; i < TRAITS && trait_next(&set, &it); i++) {
		struct has has = { mix(node ? BY_NODE : BY_TRAIT, str_hash(it.text)), SHARED_LABEL, node, it.text, STR_NONE, node };

		if (it.what == TRAIT_ANNOTATION || (node && (it.what != TRAIT_LABEL || !is_zone(it.key))))
			continue;
		if (it.what != TRAIT_LABEL)
			has.what = it.what == TRAIT_IMAGE ? SHARED_IMAGE : SHARED_ACCOUNT;
		else if (is_zone(it.key))
			has.what = SHARED_ZONE;
		a->found(a->ctx, &has);
	}
}

static bool is_node(const struct kind *kind)
{
	return !kind->group.len && str_is(kind->kind, "Node");
}

static bool is_class(const struct kind *kind)
{
	return str_ends(kind->kind, "Class");
}

static bool is_compared(const struct graph *g, const struct edge *e)
{
	const struct kind *kind = store_node_kind(g->store, e->target);

	if (e->relation != RELATION_NEEDS && e->relation != RELATION_OWNS)
		return false;
	return !(e->flags & (REF_REPORTS | REF_HIDDEN | REF_COPY)) && !kind_is_alias(kind) && !str_is(kind->kind, "?");
}

static size_t edges_beyond(const struct graph *g, uint32_t slot)
{
	size_t n = store_edge_count(g->store, slot);

	return n < BEYOND ? n : BEYOND;
}

static void ask_owners_above(const struct asked *a, uint32_t slot)
{
	for (int up = 0; up < ABOVE; up++) {
		uint32_t owner = 0;

		for (size_t i = 0; i < edges_beyond(a->g, slot) && !owner; i++) {
			struct edge e = store_edge_ends(a->g->store, slot, i);

			if (e.relation == RELATION_OWNS && is_compared(a->g, &e))
				owner = e.target;
		}
		if (!owner)
			return;
		a->found(a->ctx, &(struct has){ mix(BY_OBJECT, owner), SHARED_OWNER, owner, STR_NONE, STR_NONE, true });
		slot = owner;
	}
}

/* A claim is of a class, so the pod that needs the claim uses the class. */
static void ask_classes(const struct asked *a, uint32_t slot)
{
	for (size_t i = 0; i < edges_beyond(a->g, slot); i++) {
		struct edge e = store_edge_ends(a->g->store, slot, i);

		if (e.relation == RELATION_NEEDS && is_compared(a->g, &e) && is_class(store_node_kind(a->g->store, e.target)))
			a->found(a->ctx, &(struct has){ mix(BY_OBJECT, e.target), SHARED_CLASS, e.target, STR_NONE, STR_NONE, true });
	}
}

/* *node is the object's node, of which there is one. */
static void ask_edge(const struct asked *a, const struct edge *e, uint32_t *node)
{
	const struct kind *kind = store_node_kind(a->g->store, e->target);
	struct has has = { mix(BY_OBJECT, e->target), SHARED_REFERENCE, e->target, STR_NONE, e->via, false };

	if (e->relation == RELATION_OWNS) {
		has.what = SHARED_OWNER;
		has.via = STR_NONE;
		ask_owners_above(a, e->target);
	} else if (is_node(kind)) {
		has.what = SHARED_NODE;
		*node = e->target;
	} else if (is_class(kind)) {
		has.what = SHARED_CLASS;
	} else {
		ask_classes(a, e->target);
	}
	a->found(a->ctx, &has);
}

/* Tells all that an object has; some things more than once. */
static void ask(const struct asked *a, uint32_t slot)
{
	uint32_t node = 0;

	for (size_t i = 0; i < store_edge_count(a->g->store, slot); i++) {
		struct edge e = store_edge(a->g->store, slot, i);

		if (is_compared(a->g, &e))
			ask_edge(a, &e, &node);
	}
	if (node)
		ask_traits(a, slot, node);
	ask_traits(a, slot, 0);
}

/* ---- counting in all objects of a kind ------------------------------------------ */

/* What the objects of a kind have as traits, by sets: most objects have one of few sets. */
struct sets {
	struct tally by_ptr;
	struct tally_place *place;	/* of the last set: mostly the next object has the same */
	const char *last;
	struct str *all;
	size_t n, bytes;
	bool too_many;
};

static void count_set(struct sets *s, struct str set, bool broken, struct arena *a)
{
	size_t before = s->by_ptr.n;

	if (!set.len || s->too_many)
		return;
	if (set.ptr != s->last)
		s->place = tally_of(&s->by_ptr, mix(BY_SET, (uint64_t)(uintptr_t)set.ptr), a);
	s->last = set.ptr;
	s->place->broken += broken;
	s->place->healthy += !broken;
	if (s->by_ptr.n == before)
		return;
	s->bytes += set.len;
	s->too_many = s->n == SETS || s->bytes > SETS_BYTES;
	if (!s->too_many)
		s->all[s->n++] = set;
}

static void count_traits(struct tally *traits, struct sets *s, struct arena *a)
{
	for (size_t i = 0; i < s->n && !s->too_many; i++) {
		struct tally_place set = *tally_of(&s->by_ptr, mix(BY_SET, (uint64_t)(uintptr_t)s->all[i].ptr), NULL);
		struct str rest = s->all[i];
		struct trait_value it;

		for (int k = 0; k < TRAITS && trait_next(&rest, &it); k++) {
			struct tally_place *p = tally_of(traits, mix(BY_TRAIT, str_hash(it.text)), a);

			p->broken += set.broken;
			p->healthy += set.healthy;
		}
	}
}

static bool is_known(const struct graph *g, uint32_t slot)
{
	return slot < g->nnodes && g->nodes[slot].shown_gen;
}

/* Counts all that the last settle has left, of the kind of that slot. */
static void count_everyone(struct graph *g, struct everyone *e, uint32_t start)
{
	struct arena scratch = { 0 };
	struct sets sets = { .all = arena_array(&scratch, SETS, sizeof(*sets.all)) };
	uint32_t slot = start;
	bool settled = true;

	arena_release(&e->arena);
	*e = (struct everyone){ .next = e->next, .kind = e->kind, .labels = g->labels ? labels_changes(g->labels) : 0, .then = traits_then(g) };
	do {
		settled &= is_known(g, slot) == graph_is_alive(g, slot);
		if (is_known(g, slot)) {
			e->n++;
			count_set(&sets, traits_of(g, slot), false, &scratch);
		}
		slot = store_next_of_kind(g->store, slot);
	} while (slot != start);
	e->objects = settled ? store_count(g->store) : SIZE_MAX;
	count_traits(&e->traits, &sets, &e->arena);
	arena_release(&scratch);
}

static struct everyone *everyone_of(struct graph *g, uint32_t slot)
{
	uint64_t kind = kind_at(g, slot);
	struct everyone *e = g->everyone;

	while (e && e->kind != kind)
		e = e->next;
	if (!e) {
		e = xcalloc(1, sizeof(*e));
		*e = (struct everyone){ .next = g->everyone, .kind = kind, .objects = SIZE_MAX };
		g->everyone = e;
	}
	if (e->objects != store_count(g->store) || e->then != traits_then(g) || (g->labels && e->labels != labels_changes(g->labels)))
		count_everyone(g, e, slot);
	return e;
}

/* Tells which fields healthy objects have references in, of the first that are met. */
static void note_vias(struct graph *g, struct census *f, uint32_t start, struct arena *a)
{
	size_t left = f->healthy < VIAS ? f->healthy : VIAS;

	for (uint32_t slot = store_next_of_kind(g->store, start); left && slot != start; slot = store_next_of_kind(g->store, slot)) {
		if (!is_healthy(g, slot))
			continue;
		left--;
		for (size_t i = 0; i < store_edge_count(g->store, slot); i++)
			tally_of(&f->vias, mix(BY_FIELD, str_hash(store_edge(g->store, slot, i).via)), a);
	}
}

static struct census *count_kind(struct graph *g, struct shared_cache *c, struct range broken)
{
	struct census *f = arena_alloc(&c->arena, sizeof(*f));
	struct arena scratch = { 0 };
	struct sets sets = { .all = arena_array(&scratch, SETS, sizeof(*sets.all)) };
	uint32_t start = slot_at(c, broken.first);
	size_t n;
	const uint32_t *slots = roots_slots(g, &n);

	f->all = everyone_of(g, start);
	f->healthy = f->all->n;
	for (size_t i = 0; i < n; i++)
		if (is_known(g, slots[i]) && !is_healthy(g, slots[i]) && kind_at(g, slots[i]) == f->all->kind) {
			f->healthy--;
			count_set(&sets, traits_of(g, slots[i]), false, &scratch);
		}
	for (uint32_t i = broken.first; i < broken.last && f->healthy; i++)
		count_set(&sets, traits_of(g, slot_at(c, i)), true, &scratch);
	note_vias(g, f, start, &c->arena);
	count_traits(&f->traits, &sets, &c->arena);
	arena_release(&scratch);
	return f;
}

/* ---- counting who has one thing ------------------------------------------------- */

struct counting {
	struct graph *g;
	struct shared_cache *c;
	const struct population *p;
	uint64_t kind;
	size_t broken, healthy, most_healthy, steps;
};

/* Returns false when it is more than may be. */
static bool count_one(struct counting *n, uint32_t slot)
{
	uint32_t place = slot < n->c->nslots ? n->c->places[slot] : 0;
	bool in = place > n->p->first && place <= n->p->last;

	/* an object that is newer than what was counted does not count */
	if (slot >= n->c->nslots || n->c->marks[slot] == n->c->mark)
		return true;
	n->c->marks[slot] = n->c->mark;
	if (!in && (!is_healthy(n->g, slot) || kind_at(n->g, slot) != n->kind))
		return true;
	n->broken += in;
	n->healthy += !in;
	return n->healthy <= n->most_healthy;
}

/* Whether an object refers to the target as it must to have it. */
static bool refers(struct counting *n, uint32_t slot, uint32_t target, bool owned)
{
	size_t edges = store_edge_count(n->g->store, slot);

	n->steps -= n->steps < edges ? n->steps : edges;
	for (size_t i = 0; i < edges; i++) {
		struct edge e = store_edge_ends(n->g->store, slot, i);

		if (e.target == target && is_compared(n->g, &e) && (e.relation == RELATION_OWNS) == owned)
			return true;
	}
	return false;
}

/*
 * Counts who refers to the target, and up to depth who refers to what refers to it.  Returns false when that is too
 * much.
 */
static bool count_back(struct counting *n, uint32_t target, bool owned, unsigned depth)
{
	size_t in;
	const uint32_t *from = store_referrers(n->g->store, target, &in);
	uint32_t before = 0;

	for (size_t i = 0; i < in; i++) {
		if (!n->steps || !--n->steps)
			return false;
		if (from[i] == before)
			continue;
		before = from[i];
		/* of what others refer to, it matters how */
		if ((owned || depth) && !refers(n, from[i], target, owned))
			continue;
		if (!count_one(n, from[i]) || (depth && !count_back(n, from[i], owned, depth - 1)))
			return false;
	}
	return true;
}

static bool has_trait(const struct graph *g, uint32_t slot, struct str text)
{
	struct str set = traits_of(g, slot);
	struct trait_value it;

	for (int i = 0; i < TRAITS && trait_next(&set, &it); i++)
		if (str_eq(it.text, text))
			return true;
	return false;
}

/* Counts who is on a node with that label, as the given one is. */
static bool count_on_nodes(struct counting *n, uint32_t node, struct str label)
{
	uint32_t slot = node;

	do {
		if (!n->steps || !--n->steps || (has_trait(n->g, slot, label) && !count_back(n, slot, false, 0)))
			return false;
		slot = store_next_of_kind(n->g->store, slot);
	} while (slot != node);
	return true;
}

static bool count_trait(struct counting *n, const struct fact *f)
{
	const struct tally_place *p = tally_of(&n->p->census->traits, f->has.key, NULL),
				 *all = tally_of(&n->p->census->all->traits, f->has.key, NULL);

	if (!p || !all)
		return false;
	assert(p->healthy <= all->healthy);
	n->healthy = all->healthy - p->healthy;
	/* of the objects of one reason all were asked */
	n->broken = n->p->reason.len ? f->counted : p->broken;
	return true;
}

/* What fewer have is not what the broken objects share. */
static bool most_of(size_t n, size_t of)
{
	return n >= SHARED_LEAST && n * 3 >= of * 2;
}

/* Counts all broken and healthy objects that have it.  Returns false when that is too much, or hardly tells anything. */
static bool count_fact(struct graph *g, struct shared_cache *c, const struct population *p, struct fact *f)
{
	size_t of = p->last - p->first, all = p->census->healthy;
	struct counting n = { .g = g, .c = c, .p = p, .kind = kind_at(g, slot_at(c, p->first)),
			      .most_healthy = of / 4 < all / 10 ? of / 4 : all / 10, .steps = STEPS + STEPS_EACH * of };
	const struct has *has = &f->has;
	bool counted;

	if (has->via.len && !tally_of(&p->census->vias, mix(BY_FIELD, str_hash(has->via)), NULL))
		return false;
	c->mark++;
	if (has->text.len)
		counted = has->target ? count_on_nodes(&n, has->target, has->text) : count_trait(&n, f);
	else
		counted = count_back(&n, has->target, has->what == SHARED_OWNER,
				     !has->far ? 0 : has->what == SHARED_OWNER ? ABOVE : 1);
	f->broken = n.broken;
	f->healthy = n.healthy;
	return counted && n.healthy <= n.most_healthy && n.healthy * 4 <= n.broken &&
	       most_of(n.broken, of);
}

/* ---- what a population shares --------------------------------------------------- */

struct sampling {
	struct tally *seen;
	struct arena *arena;
	uint32_t slot;
	uint64_t who;
};

static void note_fact(void *ctx, const struct has *has)
{
	struct sampling *s = ctx;
	struct tally_place *p = tally_of(s->seen, has->key, s->arena);

	if (!p->fact) {
		p->fact = arena_alloc(s->arena, sizeof(*p->fact));
		p->fact->has = *has;
	}
	/* it may be reached in several ways, of which the nearest counts */
	if (p->fact->has.far && !has->far)
		p->fact->has = *has;
	if (p->fact->last == s->slot)
		return;
	p->fact->last = s->slot;
	p->fact->counted++;
	p->fact->who += s->who;
}

static int compare_facts(const struct fact *a, const struct fact *b)
{
	int c = (int)a->has.what - (int)b->has.what;

	c = c ? c : str_cmp(a->name, b->name);
	return c ? c : (a->has.target > b->has.target) - (a->has.target < b->has.target);
}

static int most_seen_first(const void *x, const void *y)
{
	const struct fact *const *pa = x, *const *pb = y, *a = *pa, *b = *pb;

	if (a->counted != b->counted)
		return a->counted > b->counted ? -1 : 1;
	return compare_facts(a, b);
}

/* What more broken and fewer healthy objects have, tells more. */
static int most_telling_first(const void *x, const void *y)
{
	const struct fact *a = x, *b = y;

	if (a->broken - a->healthy != b->broken - b->healthy)
		return a->broken - a->healthy > b->broken - b->healthy ? -1 : 1;
	return compare_facts(a, b);
}

/* Returns what most of the sample have. */
static size_t keep_common(const struct graph *g, const struct tally *seen, size_t asked, struct arena *a, struct fact ***out)
{
	size_t n = 0;

	*out = arena_array(a, seen->n, sizeof(**out));
	for (size_t i = 0; i < seen->places; i++) {
		struct fact *f = seen->all[i].fact;

		if (!f || !most_of(f->counted, asked))
			continue;
		f->name = f->has.text.len ? f->has.text : id_at(g, f->has.target).name;
		(*out)[n++] = f;
	}
	qsort(*out, n, sizeof(**out), most_seen_first);
	return n < COUNTED ? n : COUNTED;
}

/* Asks the broken objects, or a sample of them. */
static size_t ask_sample(struct graph *g, const struct shared_cache *c, const struct population *p, struct arena *a,
			 struct fact ***out)
{
	struct tally seen = { 0 };
	struct sampling s = { .seen = &seen, .arena = a };
	size_t of = p->last - p->first, n = of < SAMPLE ? of : SAMPLE;

	for (size_t i = 0; i < n; i++) {
		s.slot = slot_at(c, p->first + (uint32_t)(i * of / n));
		s.who = mix(BY_MEMBER, s.slot);
		ask(&(struct asked){ g, note_fact, &s }, s.slot);
	}
	return keep_common(g, &seen, n, a, out);
}

static struct population *compare(struct graph *g, struct shared_cache *c, struct census *census, struct range broken,
				  struct str reason)
{
	struct population *p = arena_alloc(&c->arena, sizeof(*p));
	struct arena scratch = { 0 };
	struct fact found[COUNTED], **common;
	size_t n, k = 0;

	*p = (struct population){ .census = census, .first = broken.first, .last = broken.last, .reason = reason };
	n = census->healthy ? ask_sample(g, c, p, &scratch, &common) : 0;
	for (size_t i = 0; i < n; i++) {
		found[k] = *common[i];
		k += count_fact(g, c, p, &found[k]);
	}
	qsort(found, k, sizeof(*found), most_telling_first);
	p->nfacts = k < SHARED_MOST ? k : SHARED_MOST;
	memcpy(p->facts, found, p->nfacts * sizeof(*found));
	arena_release(&scratch);
	return p;
}

static const struct population *of_kind(struct graph *g, struct shared_cache *c, uint32_t place)
{
	struct range r = c->kinds[place];

	if (r.last - r.first < SHARED_LEAST)
		return NULL;
	if (!c->by_kind[r.first])
		c->by_kind[r.first] = compare(g, c, count_kind(g, c, r), r, STR_NONE);
	return c->by_kind[r.first];
}

/* The objects with the reason of that one, when others of the kind have other reasons; NULL: they are not compared. */
static const struct population *of_reason(struct graph *g, struct shared_cache *c, uint32_t place, const struct population *all)
{
	struct str reason = c->causes[c->order[place]].reason;
	struct range r = c->reasons[place];
	size_t n = r.last - r.first;

	if (!reason.len || n < SHARED_LEAST || n > SAMPLE || n == all->last - all->first)
		return NULL;
	if (!c->by_reason[r.first] && c->nreasons++ < REASONS)
		c->by_reason[r.first] = compare(g, c, all->census, r, reason);
	return c->by_reason[r.first];
}

/* ---- the answer ------------------------------------------------------------------- */

struct matching {
	const struct population *p;
	size_t has[SHARED_MOST];	/* how many of the objects have it */
	bool now[SHARED_MOST];
};

static void note_match(void *ctx, const struct has *has)
{
	struct matching *m = ctx;

	for (size_t i = 0; i < m->p->nfacts; i++)
		m->now[i] |= m->p->facts[i].has.key == has->key;
}

static struct shared described(const struct graph *g, const struct population *p, const struct fact *f, struct str cluster)
{
	struct shared s = { .what = f->has.what, .reason = p->reason, .broken = f->broken, .of = p->last - p->first,
			    .healthy = f->healthy, .of_healthy = p->census->healthy };
	struct str text = f->has.text;
	struct trait_value it = { .what = TRAIT_LABEL };

	if (!f->has.text.len) {
		s.on = graph_id(g, f->has.target);
		return s;
	}
	trait_next(&text, &it);
	s.text = it.what == TRAIT_IMAGE ? it.value : str_from(it.text, 1);
	s.of_node = f->has.target != 0;
	if (it.what == TRAIT_ACCOUNT) {
		s.on = (struct id){ STR_NONE, STR("ServiceAccount"), it.key, it.value, cluster, HANDLE_NONE, false };
		s.text = STR_NONE;
	}
	return s;
}

/* Lists what at least half of the objects have. */
static size_t list(struct graph *g, const struct population *p, const uint32_t *slots, size_t n, struct shared *out)
{
	size_t asked = n < SHARED_MOST ? n : SHARED_MOST, listed = 0;
	struct matching m = { .p = p };

	for (size_t i = 0; i < asked && p->nfacts; i++) {
		memset(m.now, 0, sizeof(m.now));
		ask(&(struct asked){ g, note_match, &m }, slots[i]);
		for (size_t k = 0; k < p->nfacts; k++)
			m.has[k] += m.now[k];
	}
	for (size_t i = 0; i < p->nfacts; i++) {
		if (!m.has[i] || m.has[i] * 2 < asked)
			continue;
		out[listed] = described(g, p, &p->facts[i], graph_cluster_name(g, id_at(g, slots[0]).cluster));
		for (size_t k = 0; k < i; k++)
			out[listed].same |= p->facts[k].who == p->facts[i].who;
		listed++;
	}
	return listed;
}

const struct shared *graph_shared(struct graph *g, const uint32_t *slots, size_t n, struct arena *arena, size_t *out_n)
{
	struct shared_cache *c = n ? cache_of(g) : NULL;
	uint32_t place = n && slots[0] < c->nslots ? c->places[slots[0]] : 0;
	const struct population *kind = place ? of_kind(g, c, place - 1) : NULL, *reason;
	struct shared *out;

	*out_n = 0;
	if (!kind)
		return NULL;
	out = arena_array(arena, SHARED_MOST, sizeof(*out));
	*out_n = list(g, kind, slots, n, out);
	reason = *out_n ? NULL : of_reason(g, c, place - 1, kind);
	if (reason)
		*out_n = list(g, reason, slots, n, out);
	return out;
}

/* ---- what all have ---------------------------------------------------------------- */

enum { COMMON = 32 };

struct common {
	struct graph *g;
	bool pulled, first;
	struct has all[COMMON];		/* of an image the registry as its text */
	size_t n;
	bool met[COMMON];		/* the present object has it */
};

/* Returns the registry of an image: "ghcr.io" of "ghcr.io/shop/web:1.2"; without one docker.io is meant. */
static struct str registry_of(struct str image)
{
	size_t slash = str_find(image, '/');
	struct str host = str_head(image, slash);

	return slash < image.len && (str_find(host, '.') < host.len || str_find(host, ':') < host.len) ? host : STR("docker.io");
}

/* True for what can be the reason of a failure, and is not there for everybody. */
static bool may_be_reason(const struct common *c, const struct has *has)
{
	struct object_id id;

	if (has->what == SHARED_IMAGE)
		return c->pulled && !has->target;
	if (has->what != SHARED_NODE && has->what != SHARED_CLASS && has->what != SHARED_REFERENCE)
		return false;
	id = id_at(c->g, has->target);
	return !str_is(id.kind->kind, "ServiceAccount") && !str_is(id.kind->kind, "Namespace") && !str_is(id.name, "kube-root-ca.crt");
}

static void note_common(void *ctx, const struct has *found)
{
	struct common *c = ctx;
	struct has has = *found;
	struct trait_value it;
	struct str text = has.text;

	if (!may_be_reason(c, &has))
		return;
	if (has.what == SHARED_IMAGE && trait_next(&text, &it)) {
		has.text = registry_of(it.value);
		has.key = mix(BY_TRAIT, str_hash(has.text));
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->all[i].key == has.key) {
			c->met[i] = true;
			return;
		}
	if (c->first && c->n < COMMON) {
		c->met[c->n] = true;
		c->all[c->n++] = has;
	}
}

static bool tells_more(const struct common *c, const struct has *a, const struct has *b)
{
	if (a->what != b->what)
		return (a->what == SHARED_IMAGE) != (b->what == SHARED_IMAGE) ? a->what == SHARED_IMAGE : a->what < b->what;
	return !a->text.len && str_cmp(id_at(c->g, a->target).name, id_at(c->g, b->target).name) < 0;
}

static bool has_fact(const struct population *p, uint64_t key)
{
	for (size_t i = 0; p && i < p->nfacts; i++)
		if (p->facts[i].has.key == key)
			return true;
	return false;
}

/* Leaves out what healthy objects have, too. */
static void drop_usual(struct common *c, uint32_t slot)
{
	struct shared_cache *cache = cache_of(c->g);
	uint32_t place = slot < cache->nslots ? cache->places[slot] : 0;
	const struct population *kind = place ? of_kind(c->g, cache, place - 1) : NULL, *reason;
	size_t kept = 0;

	if (!kind || !kind->census->healthy)
		return;
	reason = of_reason(c->g, cache, place - 1, kind);
	for (size_t i = 0; i < c->n; i++)
		if (c->all[i].what == SHARED_IMAGE || has_fact(kind, c->all[i].key) || has_fact(reason, c->all[i].key))
			c->all[kept++] = c->all[i];
	c->n = kept;
}

bool graph_common(struct graph *g, const uint32_t *slots, size_t n, bool pulled, struct shared *out)
{
	struct common c = { .g = g, .pulled = pulled };
	const struct has *best = c.all;
	size_t asked = n < SAMPLE ? n : SAMPLE, kept;

	for (size_t i = 0; i < asked && (!i || c.n); i++) {
		c.first = i == 0;
		memset(c.met, 0, sizeof(c.met));
		ask(&(struct asked){ g, note_common, &c }, slots[i * n / asked]);
		kept = 0;
		for (size_t k = 0; k < c.n; k++)
			if (c.met[k])
				c.all[kept++] = c.all[k];
		c.n = kept;
	}
	if (c.n)
		drop_usual(&c, slots[0]);
	if (!c.n)
		return false;
	for (size_t i = 1; i < c.n; i++)
		if (tells_more(&c, &c.all[i], best))
			best = &c.all[i];
	*out = (struct shared){ .what = best->what, .text = best->text };
	if (best->target && !best->text.len)
		out->on = graph_id(g, best->target);
	return true;
}

struct str graph_image(const struct graph *g, uint32_t slot)
{
	struct str set = slot ? traits_of(g, slot) : STR_NONE;
	struct trait_value it;

	while (trait_next(&set, &it))
		if (it.what == TRAIT_IMAGE)
			return it.value;
	return STR_NONE;
}
