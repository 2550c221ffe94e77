/* SPDX-License-Identifier: Apache-2.0 */
/* Who owns an object, for people: the team or person that a label or an annotation names. */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"
#include "kube/status/labels.h"

#include <string.h>

enum { OWNERS = 8 };

void graph_use_owner_keys(struct graph *g, struct str keys)
{
	xfree(g->owner_keys);
	g->owner_keys = xstrndup(keys.ptr, keys.len);
}

static bool is_owner_trait(const struct trait_value *it)
{
	return (it->what == TRAIT_LABEL || it->what == TRAIT_ANNOTATION) && it->value.len;
}

/* Returns the place of a key among those that tell the owner; most: it has none before that place. */
static size_t place_of_key(struct str keys, struct str key, size_t most)
{
	struct str one;

	for (size_t i = 0; i < most && str_split(&keys, ',', &one); i++)
		if (str_eq(one, key))
			return i;
	return most;
}

/* Returns what the object itself says, by the first key that it has; "": nothing. */
static struct str own_word(const struct graph *g, struct handle h)
{
	struct str set = labels_traits(g->labels, h, g->copied ? g->now : INT64_MAX), found = STR_NONE;
	size_t best = SIZE_MAX;
	struct trait_value it;

	while (best && trait_next(&set, &it)) {
		size_t place = is_owner_trait(&it) ? place_of_key(str_of(g->owner_keys), it.key, best) : best;

		if (place == SIZE_MAX || place >= best)
			continue;
		best = place;
		found = it.value;
	}
	return found;
}

/* Returns what the object says, or the nearest object that owns it. */
static struct str word_upwards(struct graph *g, struct handle h)
{
	struct str word = STR_NONE;
	struct summary s;

	for (int i = 0; i < OWNERS && !word.len && graph_summary(g, h, &s); i++) {
		word = own_word(g, h);
		h = s.owner;
	}
	return word;
}

static bool tells_owners(const struct graph *g)
{
	return g->labels && g->owner_keys && *g->owner_keys;
}

bool graph_namespace_may_own(struct graph *g, struct handle h)
{
	return tells_owners(g) && store_alive(g->store, h) && store_node_id(g->store, h.slot).ns.len && !word_upwards(g, h).len;
}

struct str graph_owner(struct graph *g, struct handle h)
{
	struct object_id ns = { .kind = kinds_find(store_kinds(g->store), STR_NONE, STR("Namespace")) }, id;
	struct handle at;
	struct str word;

	if (!tells_owners(g) || !store_knows(g->store, h))
		return STR_NONE;
	word = word_upwards(g, h);
	id = store_node_id(g->store, h.slot);
	if (word.len || !id.ns.len || !ns.kind)
		return word;
	ns.cluster = id.cluster;
	ns.name = id.ns;
	at = store_find(g->store, &ns);
	return at.slot ? own_word(g, at) : STR_NONE;
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
