/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes, names and lists; how an object is packed is in pack.c. */
#include "kube/model/store.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"
#include "kube/model/pack.h"
#include "kube/model/referrers.h"

#include <string.h>

/* An object, or a name that one refers to. */
struct node {
	struct packed *object;	/* NULL: not (or no longer) there */
	char *name;
	struct referrers *in;	/* who refers to it */
	uint32_t name_len;
	uint32_t kind;		/* its id; 0: the slot is free */
	uint32_t ns;		/* interned */
	uint32_t gen;
	uint32_t ns_at;		/* where in its namespace's list */
	uint32_t next, prev;	/* the circle of its kind and cluster; of a free slot: the next free one */
	uint16_t cluster;
	uint16_t edits;		/* how often it was put and differed, time alone aside */
	bool touched : 1;	/* is in touched */
	bool left : 1;		/* is in unreferenced */
	bool held : 1;		/* by somebody who shows its name: until the next store_forget() */
	bool has_coverage : 1;	/* store_set_name_coverage() said something */
	bool let_go : 1;	/* its last object left because nobody looked at it any more */
	bool deselected : 1;	/* its last object left the selection by which it was watched */
	bool met : 1;		/* its object existed before somebody looked */
};

struct slots {
	uint32_t *slots;
	uint32_t n, cap;
};

struct store {
	struct kinds *kinds;
	struct intern words;
	struct map by_namespace, by_kind, coverage, counts;
	uint32_t *index;	/* slots by identity: open addressing */
	uint32_t nindex, nnamed;	/* places (a power of two), nodes in them */
	struct slots touched;
	struct slots unreferenced;	/* nodes that had an object or a referrer, and may have none any more */
	struct slots freed;	/* by the last store_forget() */
	bool coverage_changed;
	struct node *nodes;
	uint32_t nnodes, cap;
	uint32_t free;		/* the first free slot, 0: none */
	uint32_t nfree;
	uint32_t first_gen;	/* of slots that are new: above all of those that were cut off */
	size_t nobjects;
	struct buf key;
	undo_write *write_undo;	/* NULL: nobody goes back */
	void *undo_log;		/* what write_undo() is given */
	store_coverage_told *coverage_told;	/* NULL: nobody listens */
	void *coverage_ctx;
};

bool handle_eq(struct handle a, struct handle b)
{
	return a.slot == b.slot && a.gen == b.gen;
}

int slot_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void slots_add(struct slots *list, uint32_t slot)
{
	assert(slot && list->n <= list->cap);
	if (list->n == list->cap) {
		list->cap = list->cap ? list->cap * 2 : 4;
		list->slots = xreallocarray(list->slots, list->cap, sizeof(*list->slots));
	}
	list->slots[list->n++] = slot;
}

static void slots_release(struct slots *list)
{
	xfree(list->slots);
	*list = (struct slots){ 0 };
}

struct store *store_new(struct kinds *kinds)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->kinds = kinds;
	s->cap = 64;
	s->nodes = xcalloc(s->cap, sizeof(*s->nodes));
	s->nnodes = 1;	/* slot 0 means none, and is as a free one */
	s->nindex = 64;
	s->index = xcalloc(s->nindex, sizeof(*s->index));
	return s;
}

/* The counts are those of what is there. */
static bool is_counted(const struct store *s)
{
	uint32_t named = 0, free = 0;
	size_t objects = 0;

	for (uint32_t i = 1; i < s->nnodes; i++) {
		named += s->nodes[i].kind != 0;
		free += s->nodes[i].kind == 0;
		objects += s->nodes[i].object != NULL;
	}
	return named == s->nnamed && free == s->nfree && objects == s->nobjects;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	assert(is_counted(s));
	for (uint32_t i = 1; i < s->nnodes; i++) {
		xfree(s->nodes[i].object);
		xfree(s->nodes[i].in);
		xfree(s->nodes[i].name);
	}
	for (struct map_entry *e = map_next(&s->by_namespace, NULL); e; e = map_next(&s->by_namespace, e)) {
		slots_release(map_value(e));
		xfree(map_value(e));
	}
	map_release(&s->by_namespace);
	map_release(&s->by_kind);
	map_release(&s->coverage);
	map_release(&s->counts);
	intern_release(&s->words);
	buf_release(&s->key);
	slots_release(&s->touched);
	slots_release(&s->unreferenced);
	slots_release(&s->freed);
	xfree(s->index);
	xfree(s->nodes);
	xfree(s);
}

struct kinds *store_kinds(const struct store *s)
{
	return s->kinds;
}

static const struct kind *kind_of(const struct store *s, const struct node *node)
{
	assert(node->kind && node->kind <= s->kinds->count);
	return s->kinds->all[node->kind - 1];
}

static bool is_used(const struct node *node)
{
	return node->object || node->in;
}

/* It changed, or what is known of it. */
static void touch(struct store *s, uint32_t slot)
{
	assert(slot < s->nnodes && s->nodes[slot].kind);
	if (!s->nodes[slot].touched)
		slots_add(&s->touched, slot);
	s->nodes[slot].touched = true;
}

/* Its object went, or a referrer; perhaps the last one. */
static void leave(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];

	assert(slot < s->nnodes && node->kind);
	if (is_used(node) || node->left)
		return;
	slots_add(&s->unreferenced, slot);
	node->left = true;
}

/* A key of a few numbers and names; valid until the next call. */
static struct str store_key(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
			    struct str name)
{
	struct buf *b = &((struct store *)(uintptr_t)s)->key;
	uint32_t head[3] = { cluster, kind ? kind->id : 0, (uint32_t)ns.len };

	buf_reset(b);
	buf_add(b, (struct str){ (const char *)head, sizeof(head) });
	buf_add(b, ns);
	buf_add(b, name);
	return buf_str(b);
}

static struct str id_key(const struct store *s, const struct object_id *id)
{
	return store_key(s, id->cluster, id->kind, id->ns, id->name);
}

/* ---- nodes by identity ---------------------------------------------------- */

/*
 * Open addressing over slots, a quarter of the memory of a hash table with a node and a key
 * for each name: at a hundred thousand objects that is what counts.
 */

static uint32_t hash_of(uint16_t cluster, uint32_t kind, uint32_t ns, struct str name)
{
	uint64_t h = 14695981039346656037u ^ ((uint64_t)kind << 32 | ns) ^ (uint64_t)cluster << 48;

	h *= 1099511628211u;
	for (size_t i = 0; i < name.len; i++)
		h = (h ^ (unsigned char)name.ptr[i]) * 1099511628211u;
	/* so far cluster and kind are in the upper bits only: the same names in many clusters would share one place */
	return (uint32_t)((h ^ h >> 32) * 0x9E3779B97F4A7C15u >> 32);
}

static struct str name_of(const struct node *node)
{
	return (struct str){ node->name, node->name_len };
}

static uint32_t hash_of_node(const struct node *node)
{
	return hash_of(node->cluster, node->kind, node->ns, name_of(node));
}

/* Where a node is, or the free place where it belongs. */
static uint32_t place_of(const struct store *s, uint16_t cluster, uint32_t kind, uint32_t ns, struct str name)
{
	uint32_t mask = s->nindex - 1, at = hash_of(cluster, kind, ns, name) & mask;

	for (; s->index[at]; at = (at + 1) & mask) {
		const struct node *node = &s->nodes[s->index[at]];

		if (node->kind == kind && node->ns == ns && node->cluster == cluster && str_eq(name_of(node), name))
			break;
	}
	return at;
}

static void index_resize(struct store *s, uint32_t n)
{
	uint32_t *old = s->index, nold = s->nindex;

	assert(n > s->nnamed && (n & (n - 1)) == 0);
	s->index = xcalloc(n, sizeof(*s->index));
	s->nindex = n;
	for (uint32_t i = 0; i < nold; i++) {
		uint32_t at;

		if (!old[i])
			continue;
		for (at = hash_of_node(&s->nodes[old[i]]) & (n - 1); s->index[at]; at = (at + 1) & (n - 1))
			;
		s->index[at] = old[i];
	}
	xfree(old);
}

static void index_add(struct store *s, uint32_t slot)
{
	const struct node *node = &s->nodes[slot];
	uint32_t at;

	if (s->nnamed + 1 > s->nindex / 4 * 3)
		index_resize(s, s->nindex * 2);
	at = place_of(s, node->cluster, node->kind, node->ns, name_of(node));
	assert(!s->index[at] && node->kind);
	s->index[at] = slot;
	s->nnamed++;
}

/* Those behind it that were to be nearer to their place move up. */
static void index_remove(struct store *s, uint32_t slot)
{
	const struct node *node = &s->nodes[slot];
	uint32_t mask = s->nindex - 1, hole = place_of(s, node->cluster, node->kind, node->ns, name_of(node));

	assert(s->index[hole] == slot);
	for (uint32_t at = (hole + 1) & mask; s->index[at]; at = (at + 1) & mask) {
		uint32_t home = hash_of_node(&s->nodes[s->index[at]]) & mask;

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		s->index[hole] = s->index[at];
		hole = at;
	}
	s->index[hole] = 0;
	assert(s->nnamed > 0);
	s->nnamed--;
	if (s->nindex > 64 && s->nnamed < s->nindex / 8)
		index_resize(s, s->nindex / 2);
}

uint32_t store_find_node(const struct store *s, const struct object_id *id)
{
	uint32_t ns = intern_find(&s->words, id->ns);

	if (id->ns.len && !ns)
		return 0;
	return s->index[place_of(s, id->cluster, id->kind->id, ns, id->name)];
}

/* ---- nodes by kind --------------------------------------------------------- */

static struct str kind_key(uint32_t numbers[2], uint16_t cluster, uint32_t kind)
{
	numbers[0] = cluster;
	numbers[1] = kind;
	return (struct str){ (const char *)numbers, 2 * sizeof(numbers[0]) };
}

/* The oldest node of a kind; 0: there is none. */
static uint32_t first_of_kind(const struct store *s, uint16_t cluster, uint32_t kind)
{
	uint32_t numbers[2];

	return (uint32_t)(uintptr_t)map_get(&s->by_kind, kind_key(numbers, cluster, kind));
}

static void kind_enter(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];
	uint32_t first = first_of_kind(s, node->cluster, node->kind), numbers[2];

	if (!first) {
		node->next = node->prev = slot;
		map_set(&s->by_kind, kind_key(numbers, node->cluster, node->kind), (void *)(uintptr_t)slot);
		return;
	}
	assert(s->nodes[first].kind == node->kind && s->nodes[first].cluster == node->cluster);
	node->next = first;
	node->prev = s->nodes[first].prev;
	s->nodes[node->prev].next = slot;
	s->nodes[first].prev = slot;
}

static void kind_leave(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];
	uint32_t numbers[2];
	struct str key = kind_key(numbers, node->cluster, node->kind);

	assert(s->nodes[node->next].prev == slot && s->nodes[node->prev].next == slot);
	if (node->next == slot) {
		map_remove(&s->by_kind, key);
		return;
	}
	s->nodes[node->next].prev = node->prev;
	s->nodes[node->prev].next = node->next;
	if (first_of_kind(s, node->cluster, node->kind) == slot)
		map_set(&s->by_kind, key, (void *)(uintptr_t)node->next);
}

uint32_t store_next_of_kind(const struct store *s, uint32_t slot)
{
	assert(slot < s->nnodes && s->nodes[slot].kind);
	return s->nodes[slot].next;
}

/* ---- what was before ------------------------------------------------------- */

/* A node as it was; of one that was freed prev and first tell where it stood in the circle of its kind. */
struct node_state {
	struct node node;
	bool first;
};

/* The node is about to change.  Its object moves to the entry unless same. */
static void keep_node(struct store *s, uint32_t slot, bool same)
{
	const struct node *node = &s->nodes[slot];
	struct undo_entry e = { .what = UNDO_NODE, .slot = slot, .same = same, .state_size = sizeof(struct node_state) };
	struct node_state *state;

	if (!s->write_undo)
		return;
	state = xmalloc(sizeof(*state));
	*state = (struct node_state){ .node = *node };
	e.state = state;
	if (!same && node->object) {
		e.record = node->object;
		e.size = node->object->size;
	}
	s->write_undo(s->undo_log, &e);
}

/* The node goes, with its name. */
static void keep_named_node(struct store *s, uint32_t slot)
{
	const struct node *node = &s->nodes[slot];
	struct undo_entry e = { .what = UNDO_NODE, .slot = slot, .same = true, .ns = node->ns, .name = node->name,
				   .state_size = sizeof(struct node_state), .size = node->name_len };
	struct node_state *state = xmalloc(sizeof(*state));

	*state = (struct node_state){ *node, first_of_kind(s, node->cluster, node->kind) == slot };
	e.state = state;
	s->write_undo(s->undo_log, &e);
}

/* Of what is known of a kind or a name. */
struct coverage_state {
	enum coverage coverage;
	uint32_t len;
	char key[];
};

static void keep_coverage(struct store *s, struct str key)
{
	struct undo_entry e = { .what = UNDO_COVERAGE };
	struct coverage_state *state;

	if (!s->write_undo)
		return;
	e.state_size = (uint32_t)(sizeof(*state) + key.len);
	e.state = state = xmalloc(e.state_size);
	state->coverage = (enum coverage)(uintptr_t)map_get(&s->coverage, key);
	state->len = (uint32_t)key.len;
	memcpy(state->key, key.ptr, key.len);
	s->write_undo(s->undo_log, &e);
}

static void set_coverage(struct store *s, struct str key, enum coverage coverage)
{
	keep_coverage(s, key);
	if (coverage == COVERAGE_NONE)
		map_remove(&s->coverage, key);
	else
		map_set(&s->coverage, key, (void *)(uintptr_t)coverage);
}

/* What a server said, or stopped to say. */
static void learn(struct store *s, const struct object_id *id, enum coverage coverage)
{
	struct str key = id_key(s, id);
	bool news = (enum coverage)(uintptr_t)map_get(&s->coverage, key) != coverage;

	assert(coverage <= COVERAGE_FORBIDDEN);
	set_coverage(s, key, coverage);
	if (news && s->coverage_told)
		s->coverage_told(s->coverage_ctx, id, coverage);
}

/* Where the object that was replaced goes. */
static void packed_replaced(struct store *s, struct packed *old)
{
	if (!s->write_undo)
		packed_free(&s->words, old);
}

/* ---- nodes that come and go ------------------------------------------------ */

static uint32_t new_slot(struct store *s)
{
	uint32_t slot = s->free;

	if (slot) {
		assert(slot < s->nnodes && !s->nodes[slot].kind && s->nfree > 0);
		s->free = s->nodes[slot].next;
		s->nfree--;
		return slot;
	}
	if (s->nnodes == s->cap) {
		s->cap += s->cap / 2;
		s->nodes = xreallocarray(s->nodes, s->cap, sizeof(*s->nodes));
	}
	s->nodes[s->nnodes] = (struct node){ .gen = s->first_gen };
	return s->nnodes++;
}

static uint32_t node_of(struct store *s, const struct object_id *id)
{
	uint32_t slot = store_find_node(s, id);
	struct node *node;

	if (slot)
		return slot;
	slot = new_slot(s);
	keep_node(s, slot, true);
	node = &s->nodes[slot];
	*node = (struct node){
		.kind = id->kind->id,
		.cluster = id->cluster,
		.ns = intern_use(&s->words, id->ns),
		.name = xstrndup(id->name.ptr, id->name.len),
		.name_len = (uint32_t)id->name.len,
		.gen = node->gen,
	};
	index_add(s, slot);
	kind_enter(s, slot);
	return slot;
}

static void free_slot(struct store *s, uint32_t slot)
{
	assert(!s->nodes[slot].kind && !is_used(&s->nodes[slot]) && s->nfree < s->nnodes);
	s->nodes[slot].next = s->free;
	s->free = slot;
	s->nfree++;
}

static void free_node(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];

	assert(!is_used(node) && !node->touched);
	if (node->has_coverage) {
		struct object_id id = store_node_id(s, slot);

		learn(s, &id, COVERAGE_NONE);
	}
	index_remove(s, slot);
	if (s->write_undo)
		keep_named_node(s, slot);
	kind_leave(s, slot);
	if (!s->write_undo) {
		intern_drop(&s->words, node->ns);
		xfree(node->name);
	}
	*node = (struct node){ .gen = node->gen + 1 };
	free_slot(s, slot);
}

/* Where most slots are free, those at the end are cut off. */
static void cut_off(struct store *s)
{
	uint32_t n = s->nnodes;

	if (s->nfree < 1024 || s->nfree < n / 2)
		return;
	for (; n > 1 && !s->nodes[n - 1].kind; n--)
		if (s->nodes[n - 1].gen >= s->first_gen)
			s->first_gen = s->nodes[n - 1].gen + 1;
	if (n == s->nnodes)
		return;
	s->nnodes = n;
	s->cap = n + 64;
	s->nodes = xreallocarray(s->nodes, s->cap, sizeof(*s->nodes));
	s->free = s->nfree = 0;
	for (uint32_t slot = n; slot-- > 1;)
		if (!s->nodes[slot].kind)
			free_slot(s, slot);
	slots_release(&s->touched);
	slots_release(&s->unreferenced);
}

void store_hold(struct store *s, uint32_t slot)
{
	if (slot && slot < s->nnodes)
		s->nodes[slot].held = true;
}

size_t store_unreferenced(const struct store *s)
{
	return s->unreferenced.n;
}

const uint32_t *store_forget(struct store *s, size_t *out_n)
{
	uint32_t kept = 0;

	s->freed.n = 0;
	for (uint32_t i = 0; i < s->unreferenced.n; i++) {
		uint32_t slot = s->unreferenced.slots[i];
		struct node *node = &s->nodes[slot];

		assert(node->left && node->kind);
		node->left = node->touched || (node->held && !is_used(node));
		if (node->left) {
			s->unreferenced.slots[kept++] = slot;
		} else if (!is_used(node)) {
			free_node(s, slot);
			slots_add(&s->freed, slot);
		}
		s->nodes[slot].held = false;
	}
	s->unreferenced.n = kept;
	if (kept == 0 && s->touched.n == 0)
		cut_off(s);
	*out_n = s->freed.n;
	return s->freed.slots;
}

bool store_knows(const struct store *s, struct handle h)
{
	return h.slot && h.slot < s->nnodes && s->nodes[h.slot].kind &&
	       (s->nodes[h.slot].gen == h.gen || s->nodes[h.slot].gen == h.gen + 1);
}

/* ---- objects ---------------------------------------------------------------- */

static bool same_targets(const struct packed *a, const struct packed *b)
{
	if (!a || !b || a->nedges != b->nedges)
		return false;
	for (size_t i = 0; i < a->nedges; i++)
		if (packed_edges(a)[i].target != packed_edges(b)[i].target)
			return false;
	return true;
}

static void edges_replace(struct store *s, uint32_t slot, const struct packed *old, const struct packed *new)
{
	if (same_targets(old, new))
		return;
	for (size_t i = 0; old && i < old->nedges; i++)
		referrers_remove(&s->nodes[packed_edges(old)[i].target].in, slot);
	for (size_t i = 0; new && i < new->nedges; i++)
		referrers_add(&s->nodes[packed_edges(new)[i].target].in, slot);
	for (size_t i = 0; old && i < old->nedges; i++) {
		touch(s, packed_edges(old)[i].target);
		leave(s, packed_edges(old)[i].target);
	}
}

static struct slots *namespace_list(struct store *s, uint16_t cluster, struct str ns)
{
	struct str key = store_key(s, cluster, NULL, ns, STR_NONE);
	struct slots *list = map_get(&s->by_namespace, key);

	if (!list) {
		list = xcalloc(1, sizeof(*list));
		map_set(&s->by_namespace, key, list);
	}
	return list;
}

static void touch_if_absent(struct store *s, uint32_t slot, uint16_t cluster, struct str ns)
{
	const struct node *node = &s->nodes[slot];

	if (!node->object && node->in && node->cluster == cluster &&
	    (ns.len == 0 || str_eq(intern_str(&s->words, node->ns), ns)))
		touch(s, slot);
}

/* What is known of names that are not there changed: whoever named them is concerned. */
static void touch_absent(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	uint32_t first = kind ? first_of_kind(s, cluster, kind->id) : 0, slot = first;

	for (; slot; slot = s->nodes[slot].next == first ? 0 : s->nodes[slot].next)
		touch_if_absent(s, slot, cluster, ns);
	for (slot = 1; !kind && slot < s->nnodes; slot++)
		touch_if_absent(s, slot, cluster, ns);
}

bool store_coverage_changed(struct store *s)
{
	bool changed = s->coverage_changed;

	s->coverage_changed = false;
	return changed;
}

static void count_kind(struct store *s, const struct node *node, int more)
{
	const struct kind *kind = kind_of(s, node);
	struct str ns = intern_str(&s->words, node->ns), key = store_key(s, node->cluster, kind, ns, STR_NONE);
	intptr_t n = (intptr_t)map_get(&s->counts, key), now = n + more;

	assert(now >= 0);
	if (now)
		map_set(&s->counts, key, (void *)now);
	else
		map_remove(&s->counts, key);
	s->coverage_changed |= n == 0 || now == 0;
	if ((n == 0 || now == 0) && store_coverage(s, node->cluster, kind, ns) == COVERAGE_PARTIAL)
		touch_absent(s, node->cluster, kind, ns);
}

size_t store_kind_count(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	return (size_t)(uintptr_t)map_get(&s->counts, store_key(s, cluster, kind, ns, STR_NONE));
}

const uint32_t *store_touched(const struct store *s, size_t *out_n)
{
	*out_n = s->touched.n;
	return s->touched.slots;
}

void store_touched_clear(struct store *s)
{
	for (uint32_t i = 0; i < s->touched.n; i++) {
		assert(s->nodes[s->touched.slots[i]].touched);
		s->nodes[s->touched.slots[i]].touched = false;
	}
	s->touched.n = 0;
}

#define AT_END UINT32_MAX

/* at: where it stood when namespace_leave() took it out, which is undone. */
static void namespace_enter(struct store *s, uint32_t slot, uint32_t at)
{
	struct node *node = &s->nodes[slot];
	struct slots *list = namespace_list(s, node->cluster, intern_str(&s->words, node->ns));

	assert(node->object);
	node->ns_at = list->n;
	slots_add(list, slot);
	if (at < node->ns_at) {
		s->nodes[list->slots[at]].ns_at = node->ns_at;
		list->slots[node->ns_at] = list->slots[at];
		list->slots[at] = slot;
		node->ns_at = at;
	}
	count_kind(s, node, 1);
}

static void namespace_leave(struct store *s, uint32_t slot)
{
	struct node *node = &s->nodes[slot];
	struct slots *list = namespace_list(s, node->cluster, intern_str(&s->words, node->ns));
	uint32_t last;

	assert(node->ns_at < list->n && list->slots[node->ns_at] == slot);
	last = list->slots[--list->n];
	list->slots[node->ns_at] = last;
	s->nodes[last].ns_at = node->ns_at;
	if (list->n == 0) {
		slots_release(list);
		xfree(map_remove(&s->by_namespace, store_key(s, node->cluster, NULL,
							     intern_str(&s->words, node->ns), STR_NONE)));
	}
	count_kind(s, node, -1);
}

enum change store_put(struct store *s, const struct object_meta *meta, const struct status *status,
		      struct handle *out_handle)
{
	uint32_t slot = node_of(s, &meta->id), targets[LIMIT_REFS];
	size_t nrefs = status->nrefs < LIMIT_REFS ? status->nrefs : LIMIT_REFS;
	struct packed *old, *new;

	assert(meta->id.kind == s->kinds->all[meta->id.kind->id - 1]);
	assert(status->phase < PHASE_COUNT && status->severity <= SEVERITY_ERROR);
	for (size_t i = 0; i < nrefs; i++) {
		const struct ref *ref = &status->refs[i];
		struct object_id id = { meta->id.cluster, kinds_referred(s->kinds, ref->group, ref->kind), ref->ns, ref->name };

		targets[i] = node_of(s, &id);
	}
	new = pack(&s->words, meta, status, targets);
	old = s->nodes[slot].object;
	*out_handle = (struct handle){ slot, s->nodes[slot].gen };
	s->nodes[slot].met = meta->met && (!old || s->nodes[slot].met);
	if (old && packed_equal(old, new)) {
		packed_free(&s->words, new);
		return CHANGE_NONE;
	}
	keep_node(s, slot, false);
	s->nodes[slot].object = new;
	edges_replace(s, slot, old, new);
	touch(s, slot);
	s->nodes[slot].edits += !meta->again;
	if (old) {
		packed_replaced(s, old);
		return CHANGE_UPDATED;
	}
	namespace_enter(s, slot, AT_END);
	s->nobjects++;
	return CHANGE_ADDED;
}

enum change store_remove(struct store *s, struct handle h)
{
	struct node *node;
	struct packed *old;

	if (!store_alive(s, h))
		return CHANGE_NONE;
	node = &s->nodes[h.slot];
	old = node->object;
	keep_node(s, h.slot, false);
	node->object = NULL;
	edges_replace(s, h.slot, old, NULL);
	touch(s, h.slot);
	leave(s, h.slot);
	packed_replaced(s, old);
	node->gen++;
	node->let_go = node->deselected = node->met = false;
	namespace_leave(s, h.slot);
	assert(s->nobjects > 0);
	s->nobjects--;
	return CHANGE_REMOVED;
}

void store_touch(struct store *s, struct handle h)
{
	if (store_alive(s, h))
		touch(s, h.slot);
}

void store_let_go(struct store *s, struct handle h)
{
	if (store_remove(s, h) == CHANGE_REMOVED)
		s->nodes[h.slot].let_go = true;
}

bool store_was_let_go(const struct store *s, uint32_t slot)
{
	return slot < s->nnodes && s->nodes[slot].let_go && !s->nodes[slot].object;
}

enum change store_deselect(struct store *s, struct handle h)
{
	enum change change = store_remove(s, h);

	s->nodes[h.slot].deselected |= change == CHANGE_REMOVED;
	return change;
}

bool store_was_deselected(const struct store *s, uint32_t slot)
{
	return slot < s->nnodes && s->nodes[slot].deselected && !s->nodes[slot].object;
}

bool store_is_met(const struct store *s, struct handle h)
{
	return store_alive(s, h) && s->nodes[h.slot].met;
}

bool store_alive(const struct store *s, struct handle h)
{
	return h.slot && h.slot < s->nnodes && s->nodes[h.slot].object && s->nodes[h.slot].gen == h.gen;
}

struct handle store_node_handle(const struct store *s, uint32_t slot)
{
	if (slot == 0 || slot >= s->nnodes || !s->nodes[slot].object)
		return HANDLE_NONE;
	return (struct handle){ slot, s->nodes[slot].gen };
}

struct handle store_node_named(const struct store *s, uint32_t slot)
{
	if (slot == 0 || slot >= s->nnodes || !s->nodes[slot].kind)
		return HANDLE_NONE;
	return (struct handle){ slot, s->nodes[slot].gen };
}

void store_add_name(struct store *s, const struct object_id *id)
{
	leave(s, node_of(s, id));
}

struct handle store_find(const struct store *s, const struct object_id *id)
{
	return store_node_handle(s, store_find_node(s, id));
}

size_t store_count(const struct store *s)
{
	return s->nobjects;
}

uint32_t store_slots(const struct store *s)
{
	return s->nnodes;
}

struct handle store_next(const struct store *s, uint32_t slot)
{
	for (slot = slot ? slot : 1; slot < s->nnodes; slot++)
		if (s->nodes[slot].object)
			return (struct handle){ slot, s->nodes[slot].gen };
	return HANDLE_NONE;
}

/* ---- coverage ------------------------------------------------------------ */

void store_set_coverage(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
			enum coverage coverage)
{
	learn(s, &(struct object_id){ cluster, kind, ns, STR_NONE }, coverage);
	touch_absent(s, cluster, kind, ns);
	s->coverage_changed = true;
}

void store_set_name_coverage(struct store *s, const struct object_id *id, enum coverage coverage)
{
	uint32_t slot = node_of(s, id);

	learn(s, id, coverage);
	keep_node(s, slot, true);
	s->nodes[slot].has_coverage = coverage != COVERAGE_NONE;
	touch(s, slot);
	if (coverage == COVERAGE_NONE)
		leave(s, slot);
}

enum coverage store_name_coverage(const struct store *s, const struct object_id *id)
{
	return (enum coverage)(uintptr_t)map_get(&s->coverage, id_key(s, id));
}

static enum coverage coverage_of(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	return (enum coverage)(uintptr_t)map_get(&s->coverage, store_key(s, cluster, kind, ns, STR_NONE));
}

static const char *const coverage_names[] = { "none", "partial", "complete", "forbidden" };

const char *coverage_name(enum coverage coverage)
{
	assert(coverage < sizeof(coverage_names) / sizeof(coverage_names[0]));
	return coverage_names[coverage];
}

bool coverage_parse(struct str word, enum coverage *out)
{
	for (size_t i = 0; i < sizeof(coverage_names) / sizeof(coverage_names[0]); i++)
		if (str_is(word, coverage_names[i])) {
			*out = (enum coverage)i;
			return true;
		}
	return false;
}

void store_each_coverage(const struct store *s, store_coverage_told *told, void *ctx)
{
	for (struct map_entry *e = map_next(&s->coverage, NULL); e; e = map_next(&s->coverage, e)) {
		struct str key = map_key(e), names = str_from(key, 3 * sizeof(uint32_t));
		uint32_t head[3];
		struct object_id id;

		assert(key.len >= sizeof(head));
		memcpy(head, key.ptr, sizeof(head));
		assert(head[1] <= s->kinds->count && head[2] <= names.len);
		id = (struct object_id){ (uint16_t)head[0], head[1] ? s->kinds->all[head[1] - 1] : NULL,
					 str_head(names, head[2]), str_from(names, head[2]) };
		told(ctx, &id, (enum coverage)(uintptr_t)map_value(e));
	}
}

void store_listen_coverage(struct store *s, store_coverage_told *told, void *ctx)
{
	s->coverage_told = told;
	s->coverage_ctx = ctx;
}

/* What is known of all namespaces is known of each, unless that one says more. */
enum coverage store_coverage(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns)
{
	enum coverage all = coverage_of(s, cluster, kind, STR_NONE);
	enum coverage here = ns.len ? coverage_of(s, cluster, kind, ns) : all;

	if (here == COVERAGE_NONE || all == COVERAGE_COMPLETE)
		here = all;
	return here == COVERAGE_NONE ? coverage_of(s, cluster, NULL, STR_NONE) : here;
}

struct object_id store_node_id(const struct store *s, uint32_t slot)
{
	const struct node *node = slot < s->nnodes ? &s->nodes[slot] : &s->nodes[0];

	if (!node->kind)	/* of nobody any more */
		return (struct object_id){ .kind = kinds_put(s->kinds, STR_NONE, STR("?")) };
	return (struct object_id){ node->cluster, kind_of(s, node), intern_str(&s->words, node->ns), name_of(node) };
}

const struct kind *store_node_kind(const struct store *s, uint32_t slot)
{
	const struct node *node = slot < s->nnodes ? &s->nodes[slot] : &s->nodes[0];

	return node->kind ? kind_of(s, node) : store_node_id(s, slot).kind;
}

struct object_meta store_meta(const struct store *s, struct handle h)
{
	struct object_meta meta = { 0 };

	if (!store_alive(s, h))
		return meta;
	unpack_meta(&s->words, s->nodes[h.slot].object, &meta);
	meta.id = store_node_id(s, h.slot);
	return meta;
}

struct str store_uid(const struct store *s, struct handle h, struct arena *arena)
{
	return store_alive(s, h) ? unpack_uid(&s->words, s->nodes[h.slot].object, arena) : STR_NONE;
}

struct status store_brief(const struct store *s, struct handle h)
{
	struct status status = { .phase = PHASE_UNKNOWN, .replicas = REPLICAS_NONE };

	if (store_alive(s, h))
		unpack_brief(&s->words, s->nodes[h.slot].object, &status);
	return status;
}

enum phase store_phase(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? (enum phase)s->nodes[h.slot].object->phase : PHASE_UNKNOWN;
}

enum severity store_severity(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? (enum severity)s->nodes[h.slot].object->severity : SEVERITY_NONE;
}

bool store_knows_attempt(const struct store *s, struct handle h)
{
	const struct packed *p = store_alive(s, h) ? s->nodes[h.slot].object : NULL;

	return p && (p->nearlier || p->retried);
}

unsigned store_edits(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? s->nodes[h.slot].edits : 0;
}

double store_percent(const struct store *s, struct handle h)
{
	return store_alive(s, h) ? packed_percent(s->nodes[h.slot].object) : -1;
}

static void unpack_refs(const struct store *s, uint32_t slot, struct arena *arena, struct status *status)
{
	size_t n = store_edge_count(s, slot);
	struct ref *refs = arena_array(arena, n, sizeof(*refs));

	for (size_t i = 0; i < n; i++) {
		struct edge e = store_edge(s, slot, i);
		struct object_id id = store_node_id(s, e.target);

		refs[i] = (struct ref){ e.relation, e.flags, id.kind->group, id.kind->kind,
					id.ns, id.name, e.via, e.guard, e.message };
	}
	status->refs = refs;
	status->nrefs = (uint16_t)n;
}

struct status store_status(const struct store *s, struct handle h, struct arena *arena)
{
	struct status status = store_brief(s, h);

	if (store_alive(s, h)) {
		unpack_arrays(&s->words, s->nodes[h.slot].object, arena, &status);
		unpack_refs(s, h.slot, arena, &status);
	}
	return status;
}

size_t store_edge_count(const struct store *s, uint32_t slot)
{
	assert(slot < s->nnodes);
	return s->nodes[slot].object ? s->nodes[slot].object->nedges : 0;
}

/* The object in the slot, which has an edge i. */
static const struct packed *edges_of(const struct store *s, uint32_t slot, size_t i)
{
	const struct packed *object = s->nodes[slot].object;

	assert(object && i < object->nedges);
	return object;
}

struct edge store_edge(const struct store *s, uint32_t slot, size_t i)
{
	return unpack_edge(&s->words, edges_of(s, slot, i), i);
}

struct edge store_edge_ends(const struct store *s, uint32_t slot, size_t i)
{
	return unpack_edge_ends(&s->words, edges_of(s, slot, i), i);
}

uint32_t store_edge_target(const struct store *s, uint32_t slot, size_t i)
{
	return packed_edges(edges_of(s, slot, i))[i].target;
}

const uint32_t *store_referrers(const struct store *s, uint32_t slot, size_t *out_n)
{
	const struct referrers *in = s->nodes[slot].in;

	assert(slot < s->nnodes);
	*out_n = in ? in->n : 0;
	return in ? in->slots + in->first : NULL;
}

const uint32_t *store_in_namespace(const struct store *s, uint16_t cluster, struct str ns, size_t *out_n)
{
	struct slots *list = map_get(&s->by_namespace, store_key(s, cluster, NULL, ns, STR_NONE));

	*out_n = list ? list->n : 0;
	return list ? list->slots : NULL;
}

/* ---- back to what was before ---------------------------------------------------- */

void store_write_undo(struct store *s, undo_write *write, void *log)
{
	s->write_undo = write;
	s->undo_log = log;
}

struct intern *store_words(struct store *s)
{
	return &s->words;
}

static void copy_map(const struct map *from, struct map *out)
{
	for (struct map_entry *e = map_next(from, NULL); e; e = map_next(from, e))
		map_set(out, map_key(e), map_value(e));
}

static void copy_namespaces(const struct map *from, struct map *out)
{
	for (struct map_entry *e = map_next(from, NULL); e; e = map_next(from, e)) {
		const struct slots *list = map_value(e);
		struct slots *copy = xmalloc(sizeof(*copy));

		*copy = (struct slots){ xreallocarray(NULL, list->n + 1, sizeof(*copy->slots)), list->n, list->n + 1 };
		memcpy(copy->slots, list->slots, list->n * sizeof(*copy->slots));
		map_set(out, map_key(e), copy);
	}
}

struct store *store_copy(const struct store *s)
{
	struct store *copy = xcalloc(1, sizeof(*copy));

	copy->kinds = s->kinds;
	intern_copy(&s->words, &copy->words);
	copy_namespaces(&s->by_namespace, &copy->by_namespace);
	copy_map(&s->by_kind, &copy->by_kind);
	copy_map(&s->coverage, &copy->coverage);
	copy_map(&s->counts, &copy->counts);
	copy->nindex = s->nindex;
	copy->nnamed = s->nnamed;
	copy->index = xreallocarray(NULL, s->nindex, sizeof(*copy->index));
	memcpy(copy->index, s->index, s->nindex * sizeof(*copy->index));
	copy->nnodes = s->nnodes;
	copy->cap = s->nnodes + 64;
	copy->nodes = xreallocarray(NULL, copy->cap, sizeof(*copy->nodes));
	memcpy(copy->nodes, s->nodes, s->nnodes * sizeof(*copy->nodes));
	for (uint32_t slot = 1; slot < s->nnodes; slot++) {
		struct node *node = &copy->nodes[slot];

		node->object = packed_copy(node->object);
		node->in = referrers_copy(node->in);
		node->name = node->name ? xstrndup(node->name, node->name_len) : NULL;
	}
	copy->first_gen = s->first_gen;
	copy->nobjects = s->nobjects;
	store_exchanged(copy);
	return copy;
}

/* To where it stood in the circle of its kind. */
static void kind_enter_at(struct store *s, uint32_t slot, uint32_t prev, bool first)
{
	struct node *node = &s->nodes[slot];
	uint32_t numbers[2];

	if (prev == slot) {
		kind_enter(s, slot);
		return;
	}
	node->prev = prev;
	node->next = s->nodes[prev].next;
	s->nodes[node->next].prev = s->nodes[prev].next = slot;
	if (first)
		map_set(&s->by_kind, kind_key(numbers, node->cluster, node->kind), (void *)(uintptr_t)slot);
}

/* A name that came goes again, with what the entry needs to bring it back. */
static void take_name(struct store *s, struct undo_entry *e)
{
	struct node *node = &s->nodes[e->slot];

	index_remove(s, e->slot);
	kind_leave(s, e->slot);
	e->name = node->name;
	e->ns = node->ns;
	node->name = NULL;
	node->kind = 0;
}

static void give_name(struct store *s, struct undo_entry *e, const struct node_state *state)
{
	struct node *node = &s->nodes[e->slot];

	node->kind = state->node.kind;
	node->cluster = state->node.cluster;
	node->ns = e->ns;
	node->name = e->name;
	node->name_len = state->node.name_len;
	e->name = NULL;
	e->ns = 0;
	kind_enter_at(s, e->slot, state->node.prev, state->first);
	index_add(s, e->slot);
}

static void exchange_object(struct store *s, struct undo_entry *e, uint32_t ns_at)
{
	struct node *node = &s->nodes[e->slot];
	struct packed *old = node->object, *new = e->record;

	if (old && !new)
		namespace_leave(s, e->slot);
	node->object = new;
	edges_replace(s, e->slot, old, new);
	if (new && !old)
		namespace_enter(s, e->slot, ns_at);
	s->nobjects += (new != NULL) - (size_t)(old != NULL);
	e->record = old;
	e->size = old ? old->size : 0;
}

static void grow_to(struct store *s, uint32_t slot)
{
	if (slot < s->nnodes)
		return;
	if (slot >= s->cap) {
		s->cap = slot + 64;
		s->nodes = xreallocarray(s->nodes, s->cap, sizeof(*s->nodes));
	}
	memset(s->nodes + s->nnodes, 0, (slot + 1 - s->nnodes) * sizeof(*s->nodes));
	s->nnodes = slot + 1;
}

static void exchange_node(struct store *s, struct undo_entry *e)
{
	struct node_state *state = e->state, was;
	struct node *node;

	grow_to(s, e->slot);
	node = &s->nodes[e->slot];
	was = (struct node_state){ .node = *node };
	assert(!node->kind || !state->node.kind || e->name == NULL);
	if (node->kind && !state->node.kind) {
		was.first = first_of_kind(s, node->cluster, node->kind) == e->slot;
		take_name(s, e);
	} else if (!node->kind && state->node.kind) {
		give_name(s, e, state);
	}
	if (!e->same)
		exchange_object(s, e, state->node.ns_at);
	node->gen = state->node.gen;
	node->edits = state->node.edits;
	node->has_coverage = state->node.has_coverage;
	*state = was;
}

void store_exchange(struct store *s, struct undo_entry *e)
{
	undo_write *write = s->write_undo;

	s->write_undo = NULL;
	if (e->what == UNDO_NODE) {
		exchange_node(s, e);
	} else if (e->what == UNDO_COVERAGE) {
		struct coverage_state *state = e->state;
		struct str key = { state->key, state->len };
		enum coverage was = (enum coverage)(uintptr_t)map_get(&s->coverage, key);

		set_coverage(s, key, state->coverage);
		state->coverage = was;
	}
	s->write_undo = write;
}

void store_exchanged(struct store *s)
{
	s->touched.n = s->unreferenced.n = 0;
	s->free = s->nfree = 0;
	s->coverage_changed = false;
	for (uint32_t slot = s->nnodes; slot-- > 1;) {
		struct node *node = &s->nodes[slot];

		node->touched = node->left = node->held = false;
		if (!node->kind)
			free_slot(s, slot);
	}
}
