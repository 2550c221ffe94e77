/* SPDX-License-Identifier: Apache-2.0 */
/* What labels and annotations name, for people: the team or person that owns an object, and where its runbook is. */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/status/labels.h"


enum { OWNERS = 8 };

/* What an alert has said of an object. */
struct given_runbook {
	struct given_runbook *next;
	char *group, *kind, *ns, *name, *address;
};

void graph_use_owner_keys(struct graph *g, struct str keys)
{
	xfree(g->owner_keys);
	g->owner_keys = xstrndup(keys.ptr, keys.len);
}

void graph_use_runbook_keys(struct graph *g, struct str keys)
{
	xfree(g->runbook_keys);
	g->runbook_keys = xstrndup(keys.ptr, keys.len);
}

static bool is_named_trait(const struct trait_value *it)
{
	return (it->what == TRAIT_LABEL || it->what == TRAIT_ANNOTATION) && it->value.len;
}

/* Returns the place of a key among those that count; most: it has none before that place. */
static size_t place_of_key(struct str keys, struct str key, size_t most)
{
	struct str one;

	for (size_t i = 0; i < most && str_split(&keys, ',', &one); i++)
		if (str_eq(one, key))
			return i;
	return most;
}

/* Returns what the object itself says, by the first key that it has; "": nothing. */
static struct str own_word(const struct graph *g, struct handle h, struct str keys)
{
	struct str set = labels_traits(g->labels, h, g->copied ? g->now : INT64_MAX), found = STR_NONE;
	size_t best = SIZE_MAX;
	struct trait_value it;

	while (best && trait_next(&set, &it)) {
		size_t place = is_named_trait(&it) ? place_of_key(keys, it.key, best) : best;

		if (place == SIZE_MAX || place >= best)
			continue;
		best = place;
		found = it.value;
	}
	return found;
}

/* Returns what the object says, or the nearest object that owns it. */
static struct str word_upwards(struct graph *g, struct handle h, struct str keys)
{
	struct str word = STR_NONE;
	struct summary s;

	for (int i = 0; i < OWNERS && !word.len && graph_summary(g, h, &s); i++) {
		word = own_word(g, h, keys);
		h = s.owner;
	}
	return word;
}

static bool tells(const struct graph *g, const char *keys)
{
	return g->labels && keys && *keys;
}

bool graph_namespace_may_own(struct graph *g, struct handle h)
{
	return tells(g, g->owner_keys) && store_alive(g->store, h) && store_node_id(g->store, h.slot).ns.len && !word_upwards(g, h, str_of(g->owner_keys)).len;
}

struct str graph_owner(struct graph *g, struct handle h)
{
	struct object_id ns = { .kind = kinds_find(store_kinds(g->store), STR_NONE, STR("Namespace")) }, id;
	struct handle at;
	struct str word;

	if (!tells(g, g->owner_keys) || !store_knows(g->store, h))
		return STR_NONE;
	word = word_upwards(g, h, str_of(g->owner_keys));
	id = store_node_id(g->store, h.slot);
	if (word.len || !id.ns.len || !ns.kind)
		return word;
	ns.cluster = id.cluster;
	ns.name = id.ns;
	at = store_find(g->store, &ns);
	return at.slot ? own_word(g, at, str_of(g->owner_keys)) : STR_NONE;
}

struct str graph_owner_of_root(struct graph *g, const struct root_cause *r)
{
	const uint32_t *waiting;
	size_t n;

	if (r->id.handle.slot)
		return graph_owner(g, r->id.handle);
	waiting = graph_blocked(g, &r->slot, 1, &n);
	return n ? graph_owner(g, store_node_handle(g->store, waiting[0])) : STR_NONE;
}

/* ---- runbooks -------------------------------------------------------------- */

static struct str given_address(const struct graph *g, const struct id *id)
{
	for (const struct given_runbook *one = g->runbooks; one; one = one->next)
		if (str_is(id->name, one->name) && str_is(id->kind, one->kind) && str_is(id->group, one->group) &&
		    (!*one->ns || !id->ns.len || str_is(id->ns, one->ns)))
			return str_of(one->address);
	return STR_NONE;
}

static char *copy(struct str s)
{
	return xstrndup(s.ptr, s.len);
}

void graph_give_runbook(struct graph *g, const struct id *of, struct str address)
{
	struct given_runbook *one;

	if (!address.len || given_address(g, of).len)
		return;
	one = xmalloc(sizeof(*one));
	*one = (struct given_runbook){ g->runbooks, copy(of->group), copy(of->kind), copy(of->ns), copy(of->name), copy(address) };
	g->runbooks = one;
}

void graph_take_runbooks(struct graph *g, const struct graph *from)
{
	for (const struct given_runbook *one = from->runbooks; one; one = one->next)
		graph_give_runbook(g, &(struct id){ .group = str_of(one->group), .kind = str_of(one->kind), .ns = str_of(one->ns),
						    .name = str_of(one->name) }, str_of(one->address));
}

void runbooks_free(struct graph *g)
{
	while (g->runbooks) {
		struct given_runbook *one = g->runbooks;

		g->runbooks = one->next;
		xfree(one->group);
		xfree(one->kind);
		xfree(one->ns);
		xfree(one->name);
		xfree(one->address);
		xfree(one);
	}
}

/* Returns what a rules file says of objects that are as this one is. */
static struct str address_by_rules(const struct graph *g, struct handle h)
{
	struct arena arena = { 0 };
	struct status st = store_status(g->store, h, &arena);
	struct str address = status_first_particular(&st, "runbook");	/* the store has its text */

	arena_release(&arena);
	return address;
}

struct str graph_runbook(struct graph *g, struct handle h)
{
	struct str address = STR_NONE;
	struct summary s;

	if (graph_summary(g, h, &s))
		address = given_address(g, &s.id);
	if (!address.len && tells(g, g->runbook_keys))
		address = word_upwards(g, h, str_of(g->runbook_keys));
	for (int i = 0; i < OWNERS && !address.len && graph_summary(g, h, &s); i++) {
		address = address_by_rules(g, h);
		h = s.owner;
	}
	return address;
}

struct str graph_runbook_of_root(struct graph *g, const struct root_cause *r)
{
	struct str address = r->id.handle.slot ? graph_runbook(g, r->id.handle) : STR_NONE;
	const uint32_t *waiting;
	size_t n;

	if (address.len || !g->runbooks)
		return address;
	waiting = graph_blocked(g, &r->slot, 1, &n);
	for (size_t i = 0; i < n && !address.len; i++) {
		struct id id = graph_id(g, waiting[i]);

		address = given_address(g, &id);
	}
	return address;
}
