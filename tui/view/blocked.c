/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/blocked.h"

#include "tui/state/state.h"

#include "kube/graph/shared.h"
#include "kube/base/assert.h"
#include "kube/base/map.h"
#include "tui/words/explain.h"
#include "tui/words/words.h"

#include <stdlib.h>

enum {
	NAMED = 8, /* so many members of a group are named, the others are counted */
	KINDS = 32 /* so many kinds are counted one by one, the others together */
};

/* Things by a key, in the order in which each key was met first. */
struct keyed {
	struct map by_key;
	void **all;
	size_t n, cap;
};

/* Returns the thing with that key; a new one has so many bytes, which are 0. */
static void *of_key(struct keyed *keyed, uint64_t key, size_t size, struct arena *a)
{
	struct str name = { (const char *)&key, sizeof(key) };
	void *one = map_get(&keyed->by_key, name);

	if (one)
		return one;
	one = arena_alloc(a, size);
	map_set(&keyed->by_key, name, one);
	keyed->all = arena_grow(a, keyed->all, keyed->n, &keyed->cap, sizeof(void *));
	return keyed->all[keyed->n++] = one;
}

struct group {
	struct blocked b;
	struct handle *members;
	size_t cap;
};

static uint64_t group_key(const struct summary *s, const struct item_wait *w)
{
	uint64_t key = key_mix(key_of_kind(s->kind), (uint64_t)s->phase << 8 | (uint64_t)w->state);

	key = key_mix_str(key_mix_str(key, s->id.ns), s->id.cluster);
	return key_mix_str(key_mix_str(key_mix_str(key, w->on.kind), w->on.ns), w->on.name);
}

/* Adds an object to those with the same key.  on: what the first of them waits for. */
static void group_add(struct keyed *groups, uint64_t key, const struct summary *s, const struct item_wait *on, struct arena *a)
{
	struct group *g = of_key(groups, key, sizeof(*g), a);

	if (g->b.n == 0)
		g->b = (struct blocked){ .key = key, .first = *s, .on = *on };
	g->members = arena_grow(a, g->members, g->b.n, &g->cap, sizeof(*g->members));
	g->members[g->b.n++] = s->id.handle;
	g->b.members = g->members;
}

static struct blocked *all_groups(struct keyed *groups, struct arena *a, size_t *out_n)
{
	struct blocked *out = arena_array(a, groups->n, sizeof(*out));

	for (size_t i = 0; i < groups->n; i++)
		out[i] = ((const struct group *)groups->all[i])->b;
	map_release(&groups->by_key);
	*out_n = groups->n;
	return out;
}

const struct blocked *blocked_groups(struct graph *g, const struct cause_group *c, struct arena *a, size_t *out_n)
{
	struct keyed groups = { .n = 0 };
	size_t nblocked;
	const uint32_t *slots = graph_blocked(g, c->slots, c->n, &nblocked);

	for (size_t i = 0; i < nblocked; i++) {
		struct handle h = graph_id(g, slots[i]).handle;
		struct summary s;
		struct item_wait w;

		if (!graph_summary(g, h, &s))
			continue;
		w = graph_first_wait(g, h);
		group_add(&groups, group_key(&s, &w), &s, &w, a);
	}
	return all_groups(&groups, a, out_n);
}

struct str blocked_names(const struct store *store, const struct kinds *kinds,
			 const struct blocked *b, struct arena *a)
{
	struct str names = words_id(kinds, &b->first.id, a);

	for (size_t i = 1; i < b->n && i < NAMED; i++)
		names = ARENA_JOIN(a, names, STR(", "), store_node_id(store, b->members[i].slot).name);
	if (b->n > NAMED)
		names = ARENA_JOIN(a, names, STR(" +"), words_count(b->n - NAMED, a));
	return names;
}

/* ---- root causes ------------------------------------------------------------------ */

static int compare_counts(const void *x, const void *y)
{
	const struct kind_count *a = x, *b = y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return str_cmp(a->kind->kind, b->kind->kind);
}

struct str cause_blocked_kinds(struct graph *g, const struct kinds *kinds, const struct cause_group *c,
			       struct arena *a)
{
	struct kind_count counts[KINDS];
	size_t others, n = graph_blocked_kinds(g, c->slots, c->n, counts, KINDS, &others);
	struct str out = STR_NONE;

	assert(n <= KINDS && (others == 0 || n == KINDS));
	/*
	 * The most frequent kind comes first; equal numbers are sorted by name and not by the order in which objects
	 * came.
	 */
	qsort(counts, n, sizeof(*counts), compare_counts);
	for (size_t i = 0; i < n; i++)
		out = ARENA_JOIN(a, out, str_of(out.len ? ", " : ""), words_number(kinds, counts[i].n, counts[i].kind, a));
	if (others)
		out = ARENA_JOIN(a, out, STR(", "), words_count(others, a), STR(" of other kinds"));
	return out;
}

struct str cause_blocks(struct graph *g, const struct kinds *kinds, const struct root_cause *root, struct arena *a)
{
	struct cause_group c = { .n = 1 };

	if (!root || !root->nblocked)
		return STR_NONE;
	c.what = *root;
	c.slots = &root->slot;
	return ARENA_JOIN(a, words_count(root->nblocked, a), STR(": "), cause_blocked_kinds(g, kinds, &c, a));
}

struct str cause_name(const struct kinds *kinds, const struct cause_group *c, struct arena *a)
{
	if (c->n > 1)
		return ARENA_JOIN(a, words_kind(kinds, c->what.id.group, c->what.id.kind, a), STR(" ×"),
				  words_count(c->n, a));
	return words_id(kinds, &c->what.id, a);
}

struct str cause_title(const struct kinds *kinds, const struct cause_group *c, unsigned how, struct arena *a)
{
	const struct kind *pods = kinds_find(kinds, STR_NONE, STR("Pod"));
	struct str of = (how & TITLE_SHORT ? words_id_short : words_id)(kinds, &c->of, a);

	if (how & TITLE_SHORT && c->n == 1 && !c->of.kind.len)
		return words_id_short(kinds, &c->what.id, a);

	if (c->share.len)
		return ARENA_JOIN(a, cause_name(kinds, c, a), STR(" "), c->share);
	if (!c->of.kind.len)
		return cause_name(kinds, c, a);
	return c->pods > 1 && pods && !(how & TITLE_ALONE) ? ARENA_JOIN(a, of, STR(" "), words_times(kinds, c->pods, pods, a)) : of;
}

struct str cause_owner(struct graph *g, const struct cause_group *c)
{
	struct str owner = graph_owner_of_root(g, &c->what);

	for (size_t i = 1; c->share.len && i < c->n; i++)
		if (!str_eq(graph_owner(g, c->members[i]), owner))
			return STR_NONE;
	return owner;
}

struct str cause_where(const struct cause_group *c, struct arena *a)
{
	return c->namespaces > 1 ? ARENA_JOIN(a, words_count(c->namespaces, a), STR(" namespaces")) : c->what.id.ns;
}

struct str cause_label(const struct scene *scene, const struct root_cause *r, size_t label)
{
	size_t n;
	const uint32_t *blocked;

	if (r->id.handle.slot)
		return label_value(scene, r->id.handle, label);
	blocked = graph_blocked(scene->graph, &r->slot, 1, &n);
	return n ? label_value(scene, store_node_handle(scene->store, blocked[0]), label) : STR_NONE;
}

/* Returns the operator's reason when it tells something about this kind of root cause, else words for the kind; or "". */
static struct str cause_reason(const struct root_cause *r)
{
	if (r->cause == WAIT_FAILED || r->cause == WAIT_NOT_READY || r->cause == WAIT_NONE)
		return r->reason;
	return r->cause == WAIT_APPROVAL ? str_of(explain_cause(r->cause)) : STR_NONE;
}

/* Returns what is said of a root cause that has neither reason nor message. */
static struct str cause_kind_words(const struct root_cause *r)
{
	/* The object itself is not outside of the cluster, only what it waits for is. */
	if (r->cause == WAIT_EXTERNAL && r->id.handle.slot)
		return STR("waits for something outside of the cluster");
	return str_of(explain_cause(r->cause));
}

struct str cause_words(const struct root_cause *r, struct arena *a)
{
	struct str said = words_with_reason(cause_reason(r), words_message(r->severity, r->message, a), a);

	return said.len ? said : cause_kind_words(r);
}

struct str cause_words_beside_state(const struct root_cause *r, struct arena *a)
{
	static const char said[] = "does not exist; ";	/* the state says it already */
	struct str words = cause_words(r, a);

	if (str_eq(words, cause_state_words(r)))
		return STR_NONE;
	return str_starts(words, said) ? str_from(words, sizeof(said) - 1) : words;
}

struct str cause_words_whole(const struct root_cause *r, struct arena *a)
{
	struct str reason = cause_reason(r), message = words_first_line(r->message);

	if (reason.len && message.len && !str_eq(str_head(message, reason.len), reason))
		return ARENA_JOIN(a, reason, STR(": "), message);
	if (message.len)
		return message;
	return reason.len ? reason : cause_kind_words(r);
}

struct id cause_nearest(struct graph *g, const struct root_cause *r)
{
	size_t n;
	const uint32_t *slots = graph_blocked(g, &r->slot, 1, &n);

	return n ? graph_id(g, slots[0]) : (struct id){ .handle = HANDLE_NONE };
}

size_t cause_groups_under_way(const struct cause_group *causes, size_t n)
{
	size_t under_way = 0;

	for (size_t i = 0; i < n; i++)
		under_way += causes[i].what.cause == WAIT_NOT_READY && causes[i].what.severity < SEVERITY_WARNING &&
			     phase_under_way(causes[i].what.phase);
	return under_way;
}

struct str cause_command(struct graph *g, const struct root_cause *r, enum command_reader reader, struct arena *a)
{
	if (words_kind_unknown(&r->id) && !r->id.handle.slot && r->nblocked) {
		struct id nearest = cause_nearest(g, r);

		return words_command(g, &nearest, WAIT_NONE, STR_NONE, reader, a);
	}
	return words_command(g, &r->id, r->cause, r->reason, reader, a);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static bool is_made_of(struct str word, const char *set)
{
	for (size_t i = 0; i < word.len; i++)
		if (str_find(str_of(set), word.ptr[i]) == str_of(set).len)
			return false;
	return true;
}

/*
 * True for a word that differs in equal messages: a time that passes ("2m40s"), the id of a request, an upload or an
 * object.
 */
static bool is_incidental(struct str word)
{
	enum { ID = 6 };	/* a shorter word tells something: a port, a code */
	bool digits = false;

	for (size_t i = 0; i < word.len; i++)
		digits |= word.ptr[i] >= '0' && word.ptr[i] <= '9';
	if (!digits)
		return false;
	if (word.len >= ID && is_made_of(word, "0123456789abcdefABCDEF-"))
		return true;
	return word.ptr[0] <= '9' && word.ptr[word.len - 1] > '9' && is_made_of(word, "0123456789hmsnu");
}

static size_t word_length(struct str text)
{
	size_t n = 0;

	while (n < text.len && is_word(text.ptr[n]))
		n++;
	return n;
}

static bool starts_with_name(struct str text, struct str name)
{
	return name.len && str_eq(str_head(text, name.len), name) &&
	       word_length(str_from(text, name.len)) == 0;
}

/* Returns the length of the time at the start of text, such as "2026-11-20T09:00:05Z"; 0: it begins with none. */
static size_t time_length(struct str text)
{
	static const char form[] = "0000-00-00T00:00:00";
	size_t n = 0;

	for (; form[n]; n++)
		if (n >= text.len || (form[n] == '0' ? text.ptr[n] < '0' || text.ptr[n] > '9' : text.ptr[n] != form[n]))
			return 0;
	while (n < text.len && str_find(STR("0123456789.+:Z-"), text.ptr[n]) < strlen("0123456789.+:Z-"))
		n++;
	return n;
}

/* Returns the length of ", 37 restarts in 26m" at the start of text, which one crash loop says otherwise after each crash. */
static size_t restarts_length(struct str text)
{
	struct str rest = str_from(text, 2), word;
	size_t n = 2, digits = word_length(rest);

	if (!str_starts(text, ", ") || !digits || !is_made_of(str_head(rest, digits), "0123456789"))
		return 0;
	n += digits;
	word = str_head(str_from(text, n + 1), word_length(str_from(text, n + 1)));
	if (!str_is(word, "restart") && !str_is(word, "restarts"))
		return 0;
	n += 1 + word.len;
	return str_starts(str_from(text, n), " in ") ? n + 4 + word_length(str_from(text, n + 4)) : n;
}

/*
 * Hashes what equal messages have in common.  Words that are not incidental count, also those with digits: "flavor
 * m1-large not found" and "flavor c2-tiny not found" differ.
 */
static uint64_t message_key(uint64_t key, struct str message, struct str name)
{
	enum { OWN = 256 };

	while (message.len) {
		size_t n = word_length(message), time = time_length(message), restarts = restarts_length(message);

		if (restarts) {
			n = restarts;
		} else if (time) {
			key = key_mix(key, OWN);
			n = time;
		} else if (n && starts_with_name(message, name)) {
			key = key_mix(key, OWN);
			n = name.len;
		} else if (n == 0) {
			key = key_mix(key, (uint64_t)(unsigned char)message.ptr[n++]);
		} else if (is_incidental(str_head(message, n))) {
			key = key_mix(key, OWN);
		} else {
			key = key_mix_str(key, str_head(message, n));
		}
		message = str_from(message, n);
	}
	return key;
}

/* Hashes what holds the object: the same finalizer, the same holder or the same gate. */
static uint64_t held_key(struct graph *g, const struct root_cause *r, uint64_t key)
{
	struct item_wait w;

	if (r->cause != WAIT_FINALIZER && r->cause != WAIT_APPROVAL && r->cause != WAIT_EXTERNAL)
		return key;
	w = graph_first_wait(g, r->id.handle);
	if (w.on.handle.slot == r->id.handle.slot)
		return key;
	key = key_mix_str(key_mix_str(key_mix(key, (uint64_t)w.state), w.on.kind), w.on.ns);
	return message_key(key, w.on.name, r->id.name);
}

/* Pods of one crash loop are Failed at one moment, and Degraded at another. */
static uint64_t state_key(const struct root_cause *r)
{
	bool runs = str_is(r->id.kind, "Pod") && r->phase == PHASE_DEGRADED && r->cause == WAIT_NOT_READY;

	return runs ? (uint64_t)PHASE_FAILED << 8 | WAIT_FAILED : (uint64_t)r->phase << 8 | (uint64_t)r->cause;
}

/*
 * Returns a key that equal root causes share, also those of another store.  A root cause that does not exist, a controller, and a
 * cycle are never joined with others.
 */
static uint64_t same_fact_key(struct graph *g, const struct root_cause *r)
{
	const struct store *store = graph_store(g);
	struct object_id id;
	uint32_t owner;
	uint64_t key;

	if (!store_alive(store, r->id.handle)) {
		key = key_mix_str(key_mix_str(key_mix(1, (uint64_t)r->cause), r->id.group),
				  r->id.kind);
		return key_mix_str(key_mix_str(key_mix_str(key, r->id.ns), r->id.name),
				   r->id.cluster);
	}
	id = store_node_id(store, r->id.handle.slot);
	if (r->cause == WAIT_CONTROLLER || r->cause == WAIT_CYCLE)
		return key_of_name(&id);
	key = key_mix(key_of_kind(id.kind), state_key(r));
	key = held_key(g, r, key_mix_str(key_mix_str(key, r->id.cluster), r->reason));
	/* messages such as that of a used up quota are equal for all objects, in whatever namespace they are */
	if (r->message.len)
		return message_key(key, r->message, r->id.name);
	owner = graph_controller(store, r->slot);
	if (!store_node_handle(store, owner).slot)
		return key_mix_str(key, r->id.ns);
	id = store_node_id(store, owner);
	return key_mix(key, key_of_name(&id));
}

static size_t count_namespaces(const struct store *store, const struct handle *members, size_t n,
			       struct arena *a)
{
	struct str *found = arena_array(a, n, sizeof(*found));
	size_t count = 0, k;

	for (size_t i = 0; i < n; i++) {
		struct str ns = store_node_id(store, members[i].slot).ns;

		/* members are mostly sorted by namespace, so the last namespace found is compared first */
		for (k = count; k > 0 && !str_eq(found[k - 1], ns); k--)
			;
		if (k == 0)
			found[count++] = ns;
	}
	return count;
}

/*
 * Returns a key that the causes share which one owner made: all of a workload, whatever each says at the moment, and of
 * another owner those that say the same.  It is made of names, so that it is the same in another store.
 */
static uint64_t one_owner_key(struct graph *g, const struct root_cause *r, uint32_t workload)
{
	const struct store *store = graph_store(g);
	uint32_t owner = graph_controller(store, r->slot);
	struct object_id id;

	if (!r->id.handle.slot || r->cause == WAIT_CONTROLLER || r->cause == WAIT_CYCLE)
		return same_fact_key(g, r);
	id = store_node_id(store, workload ? workload : owner ? owner : r->slot);
	return key_mix(workload ? 0 : same_fact_key(g, r), key_of_name(&id));
}

/* A Job that hangs says nothing, and its CronJob says what follows. */
static void let_owner_speak(struct graph *g, struct cause_group *c)
{
	struct summary s;

	if (c->what.reason.len || c->what.message.len || !graph_summary(g, c->of.handle, &s) || !(s.reason.len || s.message.len))
		return;
	c->of_says = true;
	c->what.phase = s.phase;
	c->what.reason = s.reason;
	c->what.message = s.message;
}

/* The root causes that share a key, in the order of graph_roots(). */
struct same {
	uint64_t key;
	const struct root_cause **members;
	size_t n, cap;
	uint32_t workload;	/* of one owner: words_workload() of all of them; 0: they have none, or several owners */
	struct same *fact;	/* what says the same, whoever made it */
	size_t owners;		/* of a fact: how many made what says so */
	struct str share;	/* of a fact: what all of them have; "": nothing, or they are too few */
};

static void unite(struct graph *g, struct cause_group *c, const struct same *s, struct arena *a)
{
	const struct root_cause *const *members = s->members;
	struct handle *handles = arena_array(a, c->n, sizeof(*handles));

	for (size_t i = 0; i < c->n; i++) {
		handles[i] = members[i]->id.handle;
		c->pods += !words_makes_pods(&members[i]->id);
		if (members[i]->since && members[i]->since < c->what.since)
			c->what.since = members[i]->since;
		if (members[i]->severity > c->what.severity)
			c->what.severity = members[i]->severity;
		if (members[i]->worst > c->what.worst)
			c->what.worst = members[i]->worst;
		if (members[i]->holds > c->what.holds)
			c->what.holds = members[i]->holds;
	}
	c->members = handles;
	if (s->workload && s->workload != c->what.slot)
		c->of = graph_id(g, s->workload);
	let_owner_speak(g, c);
	c->namespaces = count_namespaces(graph_store(g), handles, c->n, a);
	graph_blocked(g, c->slots, c->n, &c->what.nblocked);
	if (c->what.nblocked > c->what.holds)
		c->what.holds = c->what.nblocked;
}

static struct same *same_add(struct keyed *sames, uint64_t key, const struct root_cause *r, struct arena *a)
{
	struct same *s = of_key(sames, key, sizeof(*s), a);

	s->key = key;
	s->members = arena_grow(a, s->members, s->n, &s->cap, sizeof(*s->members));
	s->members[s->n++] = r;
	return s;
}

static const uint32_t *slots_of(const struct same *s, struct arena *a)
{
	uint32_t *slots = arena_array(a, s->n, sizeof(*slots));

	for (size_t i = 0; i < s->n; i++)
		slots[i] = s->members[i]->slot;
	return slots;
}

struct str cause_state_words(const struct root_cause *r)
{
	if (!r->id.handle.slot)
		return str_of(explain_cause(r->cause));
	if (r->phase != PHASE_READY)
		return str_of(phase_name(r->phase));
	return r->cause == WAIT_CONTROLLER ? STR("does not work") : STR("stands in the way");
}

static int compare_groups(const void *x, const void *y)
{
	return root_cause_compare(&((const struct cause_group *)x)->what, &((const struct cause_group *)y)->what);
}

/* Returns what all of these wait for outside of any object, or what their message names; "": nothing that can be the reason. */
static struct str said_share(struct graph *g, const struct root_cause *r, bool pulled, struct arena *a)
{
	struct item_wait w;

	if (r->cause == WAIT_APPROVAL)
		return STR("for approval");
	if (pulled || text_contains(r->message, STR("quota")))
		return str_of(pulled ? "with one image" : "with one quota");
	w = r->cause == WAIT_FINALIZER || r->cause == WAIT_EXTERNAL ? graph_first_wait(g, r->id.handle) : (struct item_wait){ .state = WAIT_NONE };
	return w.state != WAIT_NONE && w.on.name.len && w.on.handle.slot != r->id.handle.slot ? ARENA_JOIN(a, STR("held by "), w.on.name) : STR_NONE;
}

/* Returns in words what all of these have that can be the reason: "on node/rack-7"; "": there is no such thing. */
static struct str share_words(struct graph *g, const struct same *s, struct arena *a)
{
	static const char *const how[] = { [SHARED_NODE] = "on ", [SHARED_IMAGE] = "from ", [SHARED_CLASS] = "of " };
	struct str reason = s->members[0]->reason;
	bool pulled = str_find_str(reason, "Image") < reason.len;
	struct shared on;
	const char *word;

	if (!graph_common(g, slots_of(s, a), s->n, pulled, &on))
		return said_share(g, s->members[0], pulled, a);
	word = on.what < sizeof(how) / sizeof(how[0]) && how[on.what] ? how[on.what] : "with ";
	return ARENA_JOIN(a, str_of(word), on.text.len ? on.text : words_id(store_kinds(graph_store(g)), &on.on, a));
}

/* Joins what several owners made, when they say the same and share a thing that can be the reason. */
static void join_owners(struct graph *g, struct keyed *owners, struct arena *a)
{
	enum { OWNERS_LEAST = 5 };
	struct keyed facts = { .n = 0 };
	size_t keep = 0;

	for (size_t i = 0; i < owners->n; i++) {
		struct same *own = owners->all[i];
		uint64_t key = same_fact_key(g, own->members[0]);

		for (size_t k = 0; k < own->n; k++)
			own->fact = same_add(&facts, key, own->members[k], a);
		own->fact->owners++;
	}
	for (size_t i = 0; i < facts.n; i++) {
		struct same *fact = facts.all[i];

		if (fact->owners >= OWNERS_LEAST)
			fact->share = share_words(g, fact, a);
	}
	for (size_t i = 0; i < owners->n; i++) {
		struct same *fact = ((struct same *)owners->all[i])->fact;

		if (!fact->share.len)
			owners->all[keep++] = owners->all[i];
		else if (fact->owners) {
			owners->all[keep++] = fact;
			fact->owners = 0;
		}
	}
	owners->n = keep;
	map_release(&facts.by_key);
}

const struct cause_group *cause_groups(struct graph *g, size_t *out_n)
{
	struct roots_kept *kept = graph_roots_kept(g);
	struct arena *a = kept->arena;
	size_t n;
	const struct root_cause *roots;
	struct keyed all = { .n = 0 };
	struct cause_group *out;

	*out_n = kept->n;
	if (kept->what)
		return kept->what;
	roots = graph_roots(g, a, &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t workload = words_workload(g, roots[i].id.handle.slot);

		same_add(&all, one_owner_key(g, &roots[i], workload), &roots[i], a)->workload = workload;
	}
	map_release(&all.by_key);
	join_owners(g, &all, a);
	out = arena_array(a, all.n, sizeof(*out));
	for (size_t i = 0; i < all.n; i++) {
		const struct same *s = all.all[i];

		out[i] = (struct cause_group){ .key = s->key, .what = *s->members[0], .n = s->n, .share = s->share };
		out[i].slots = slots_of(s, a);
		if (out[i].n > 1 || s->workload)
			unite(g, &out[i], s, a);
	}
	qsort(out, all.n, sizeof(*out), compare_groups);
	kept->what = out;
	*out_n = kept->n = all.n;
	return out;
}

enum cause_place cause_place(const struct ui *ui, const struct store *store, const struct cause_group *c)
{
	if (ui->nacked && ui_acknowledged(ui, cause_key(c), cause_state(c)))
		return CAUSE_ACKNOWLEDGED;
	for (size_t i = 0; ui->pins.n && i < c->n; i++)
		if (pins_over(&ui->pins, store, c->slots[i]) < ui->pins.n)
			return CAUSE_PINNED;
	return CAUSE_USUAL;
}

const uint32_t *cause_groups_blocked(struct graph *g, const struct cause_group *causes, size_t n, struct arena *a,
				     size_t *out_n)
{
	size_t nslots = 0;
	uint32_t *slots;

	for (size_t i = 0; i < n; i++)
		nslots += causes[i].n;
	slots = arena_array(a, nslots, sizeof(*slots));
	nslots = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < causes[i].n; k++)
			slots[nslots++] = causes[i].slots[k];
	return graph_blocked(g, slots, nslots, out_n);
}

bool cause_group_concerned(const struct cause_group *c, const uint8_t *concerned)
{
	for (size_t i = 0; i < c->n; i++)
		if (concerned[c->slots[i]])
			return true;
	return false;
}

const struct cause_group *cause_groups_concerned(struct graph *g, const uint8_t *concerned, struct arena *a, size_t *out_n)
{
	size_t n;
	const struct cause_group *all = cause_groups(g, &n);
	struct cause_group *out = arena_array(a, n, sizeof(*out));

	*out_n = 0;
	for (size_t i = 0; i < n; i++)
		if (cause_group_concerned(&all[i], concerned))
			out[(*out_n)++] = all[i];
	return out;
}

static bool selects(const void *scene, struct handle h)
{
	return scene_selects(scene, h);
}

const struct cause_group *cause_groups_selected(const struct scene *scene, struct arena *a, size_t *out_n)
{
	return cause_groups_concerned(scene->graph, graph_concerned(scene->graph, selects, scene, a), a, out_n);
}

/*
 * The key is made of names and not of handles: an object that is read again, after another kind was shown, is the same
 * root cause.
 */
uint64_t cause_key(const struct cause_group *c)
{
	const struct root_cause *r = &c->what;
	uint64_t key = key_mix_str(key_mix_str(key_mix(4, (uint64_t)r->cause), r->id.group), r->id.kind);

	return key_mix_str(key_mix_str(key_mix_str(key, r->id.ns), r->id.name), r->id.cluster);
}

uint64_t cause_state(const struct cause_group *c)
{
	const struct root_cause *r = &c->what;
	uint64_t key = key_mix(key_mix(5, (uint64_t)r->phase << 8 | (uint64_t)r->severity), c->n);

	return message_key(key_mix_str(key, r->reason), r->message, r->id.name);
}

bool cause_concerns(struct graph *g, const struct cause_group *c, struct handle h)
{
	size_t n;
	const uint32_t *slots;

	if (h.slot && c->what.id.handle.slot == h.slot)
		return true;
	for (size_t i = 0; c->n > 1 && i < c->n; i++)
		if (c->members[i].slot == h.slot)
			return true;
	slots = graph_blocked(g, c->slots, c->n, &n);
	for (size_t i = 0; i < n; i++)
		if (h.slot && slots[i] == h.slot)
			return true;
	return false;
}

const struct cause_group *cause_concerning(struct graph *g, const struct cause_group *causes, size_t n, struct handle h)
{
	for (size_t i = 0; i < n; i++)
		if (cause_concerns(g, &causes[i], h))
			return &causes[i];
	return NULL;
}

struct handle cause_example(struct graph *g, const struct cause_group *c)
{
	return c->what.id.handle.slot ? c->what.id.handle : cause_nearest(g, &c->what).handle;
}

/* ---- what is in no cause ------------------------------------------------------------ */

const uint8_t *cause_groups_marked(struct graph *g, const struct cause_group *causes, size_t n, struct arena *a)
{
	uint8_t *in = arena_alloc(a, store_slots(graph_store(g)) + 1);
	size_t nblocked;
	const uint32_t *blocked = cause_groups_blocked(g, causes, n, a, &nblocked);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < causes[i].n; k++)
			in[causes[i].slots[k]] = 1;
	for (size_t i = 0; i < nblocked; i++)
		in[blocked[i]] = 1;
	return in;
}

static uint64_t rest_key(const struct summary *s)
{
	uint64_t key = key_mix(key_of_kind(s->kind), (uint64_t)s->phase << 8 | (uint64_t)s->severity);

	return key_mix_str(key_mix_str(key_mix_str(key, s->id.cluster), s->id.ns), s->reason);
}

static int compare_rest(const void *x, const void *y)
{
	const struct blocked *a = x, *b = y;

	return summary_compare(&a->first, &b->first);
}

/* True for a pod that a rollout makes or removes: the row of its workload tells how far that is. */
static bool is_rolled(struct graph *g, const struct summary *s)
{
	struct handle workload = store_node_handle(graph_store(g), words_workload(g, s->id.handle.slot));
	struct summary of;

	return (phase_under_way(s->phase) || s->phase == PHASE_DELETING) && s->severity < SEVERITY_WARNING &&
	       !handle_eq(workload, s->id.handle) && graph_summary(g, workload, &of) && of.phase != PHASE_READY;
}

static bool was_ready(const struct observer *o, struct handle h)
{
	const struct snapshot *snapshot = observe_snapshot(o, h);

	return snapshot && snapshot->phase == PHASE_READY;
}

const struct blocked *blocked_rest(const struct scene *scene, const struct observer *observer,
				   const struct cause_group *causes, size_t ncauses, struct arena *a, size_t *out_n)
{
	const uint8_t *in = cause_groups_marked(scene->graph, causes, ncauses, a);
	const struct item_wait none = { .state = WAIT_NONE };
	struct keyed groups = { .n = 0 };
	struct blocked *out;
	struct summary s;

	for (struct handle h = store_next(scene->store, 0); h.slot; h = store_next(scene->store, h.slot + 1)) {
		if (in[h.slot] || was_ready(observer, h) || !scene_selects(scene, h) || !graph_summary(scene->graph, h, &s) ||
		    s.phase == PHASE_READY || phase_is_leftover(s.phase, s.severity) || is_rolled(scene->graph, &s))
			continue;
		group_add(&groups, rest_key(&s), &s, &none, a);
	}
	out = all_groups(&groups, a, out_n);
	if (*out_n)
		qsort(out, *out_n, sizeof(*out), compare_rest);
	return out;
}

struct str blocked_leftovers(struct graph *g, const struct handle *handles, size_t n, struct arena *a)
{
	const struct kinds *kinds = store_kinds(graph_store(g));
	struct str names = STR_NONE;
	size_t found = 0;
	struct summary s;

	for (size_t i = 0; i < n; i++) {
		if (!graph_summary(g, handles[i], &s) || !phase_is_leftover(s.phase, s.severity))
			continue;
		if (found++ < NAMED)
			names = ARENA_JOIN(a, names, str_of(names.len ? ", " : ""), words_id(kinds, &s.id, a));
	}
	if (!found)
		return STR_NONE;
	if (found > NAMED)
		names = ARENA_JOIN(a, names, STR(" +"), words_count(found - NAMED, a));
	return ARENA_JOIN(a, STR("Left over, nothing uses "), str_of(found == 1 ? "it" : "them"), STR(" any more: "), names);
}
