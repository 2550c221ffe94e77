/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/explaining.h"

#include <string.h>

enum { PARTS = 50 };	/* the parts of an object, and the Events about it, that are added */

/* One pass over a world. */
struct search {
	struct explaining *in;
	const struct world *w;
	struct arena arena;
	uint8_t *met;		/* by slot: 1: it was added, or left out */
	uint32_t *slots;	/* what was added in this pass, in that order */
	size_t n;
};

static struct str key_of(const struct object_id *id, struct arena *a)
{
	return arena_printf(a, "%u %u %zu " STR_FMT "/" STR_FMT, id->cluster, id->kind->id, id->ns.len, STR_ARG(id->ns),
			    STR_ARG(id->name));
}

bool explaining_has(const struct explaining *in, const struct object_id *id)
{
	struct arena a = { 0 };
	bool has = map_get(&in->known, key_of(id, &a));

	arena_release(&a);
	return has;
}

bool explaining_add_object(struct explaining *in, const struct object_id *id)
{
	struct arena a = { 0 };
	struct str key = key_of(id, &a);
	bool has = map_get(&in->known, key);

	if (!has && in->n < EXPLAINING_OBJECTS) {
		in->all[in->n] = (struct object_id){ id->cluster, id->kind, arena_str(&in->arena, id->ns), arena_str(&in->arena, id->name) };
		map_set(&in->known, key, &in->all[in->n++]);
		has = true;
	}
	arena_release(&a);
	return has;
}

/* A name whose kind is not known, or that only stands for other objects, is no object. */
static bool is_object(const struct object_id *id)
{
	return id->name.len && id->kind->version.len && !(id->kind->flags & KIND_ALIAS) && !str_is(id->kind->kind, "?");
}

static bool add(struct search *s, uint32_t slot)
{
	struct object_id id;

	if (!slot || s->met[slot])
		return true;
	s->met[slot] = 1;
	id = store_node_id(s->w->store, slot);
	if (!is_object(&id)) {
		s->slots[s->n++] = slot;
		return true;
	}
	if (!explaining_add_object(s->in, &id))
		return false;
	s->slots[s->n++] = slot;
	return true;
}

/* ---- the screen ------------------------------------------------------------- */

/* Adds the root causes that concern what is selected.  Returns the slots of these, in the arena. */
static const uint32_t *add_causes(struct search *s, const struct explaining_shown *shown, size_t *out_n)
{
	size_t n, kept = 0;
	const struct root_cause *roots = graph_roots(s->w->graph, &s->arena, &n);
	const uint8_t *concerned = graph_concerned(s->w->graph, shown->selects, shown->ctx, &s->arena);
	uint32_t *slots = arena_array(&s->arena, n, sizeof(*slots));

	for (size_t i = 0; i < n; i++) {
		if (!concerned[roots[i].slot])
			continue;
		slots[kept++] = roots[i].slot;
		s->in->left_out += !add(s, roots[i].slot);
		if (roots[i].since && (!s->in->began || roots[i].since < s->in->began))
			s->in->began = roots[i].since;
	}
	s->in->causes = kept > s->in->causes ? kept : s->in->causes;
	*out_n = kept;
	return slots;
}

static void add_blocked(struct search *s, const uint32_t *causes, size_t ncauses)
{
	size_t n;
	const uint32_t *blocked = graph_blocked(s->w->graph, causes, ncauses, &n);

	for (size_t i = 0; i < n; i++)
		if (i >= EXPLAINING_BLOCKED || !add(s, blocked[i]))
			s->in->left_out++;
}

/* ---- around it -------------------------------------------------------------- */

/* Adds what manages the name, or every object of that name, for a name that does not tell which object it is. */
static void add_meant(struct search *s, uint32_t slot)
{
	struct object_id id = store_node_id(s->w->store, slot);
	bool alias = id.kind->flags & KIND_ALIAS;
	size_t n;
	const uint32_t *all = alias ? store_referrers(s->w->store, slot, &n) : store_in_namespace(s->w->store, id.cluster, id.ns, &n);

	for (size_t i = 0; i < n; i++) {
		if (!alias && str_eq(store_node_id(s->w->store, all[i]).name, id.name))
			add(s, all[i]);
		for (size_t k = 0; alias && k < store_edge_count(s->w->store, all[i]); k++) {
			struct edge e = store_edge_ends(s->w->store, all[i], k);

			if (e.target == slot && e.relation == RELATION_MANAGES)
				add(s, all[i]);
		}
	}
}

/* Adds what the objects from *from on refer to, and what that refers to, until nothing is new. */
static void add_referred(struct search *s, size_t *from)
{
	for (; *from < s->n; ++*from) {
		uint32_t slot = s->slots[*from];
		struct object_id id = store_node_id(s->w->store, slot);

		if (!is_object(&id)) {
			add_meant(s, slot);
			continue;
		}
		for (size_t i = 0; i < store_edge_count(s->w->store, slot); i++)
			add(s, store_edge_target(s->w->store, slot, i));
	}
}

static bool is_part(const struct search *s, uint32_t part, uint32_t of)
{
	for (size_t k = 0; k < store_edge_count(s->w->store, part); k++) {
		struct edge e = store_edge_ends(s->w->store, part, k);

		if (e.target == of && e.relation == RELATION_OWNS)
			return true;
	}
	return false;
}

/* Adds the parts of one object and the Events about it.  Parts are appended to wholes, because they have parts, too. */
static void add_parts_of(struct search *s, uint32_t whole, uint32_t *wholes, size_t *n)
{
	size_t in, added = 0;
	const uint32_t *referrers = store_referrers(s->w->store, whole, &in);

	for (size_t k = 0; k < in && added < PARTS; k++) {
		uint32_t part = referrers[k];
		bool owned;

		if (s->met[part])
			continue;
		owned = is_part(s, part, whole);
		if (!owned && !str_is(store_node_kind(s->w->store, part)->kind, "Event"))
			continue;
		added++;
		if (add(s, part) && *n < EXPLAINING_OBJECTS)
			wholes[(*n)++] = part;
	}
}

/* Does so for the first n objects. */
static void add_parts(struct search *s, size_t n)
{
	uint32_t *wholes = arena_array(&s->arena, EXPLAINING_OBJECTS, sizeof(*wholes));

	n = n < EXPLAINING_OBJECTS ? n : EXPLAINING_OBJECTS;
	memcpy(wholes, s->slots, n * sizeof(*wholes));
	for (size_t i = 0; i < n; i++)
		add_parts_of(s, wholes[i], wholes, &n);
}

/* Adds what the first n objects wait for without referring to it, such as who still holds an object that is deleted. */
static void add_awaited(struct search *s, size_t n)
{
	struct arena a = { 0 };
	struct item item;

	for (size_t i = 0; i < n; i++) {
		if (!graph_item_brief(s->w->graph, store_node_handle(s->w->store, s->slots[i]), 0, &a, &item))
			continue;
		for (size_t k = 0; k < item.nwaits && k < PARTS; k++)
			add(s, item.waits[k].on.handle.slot);
		for (size_t k = 0; item.deletion && k < item.deletion->nblocked_by && k < PARTS; k++)
			add(s, item.deletion->blocked_by[k].handle.slot);
		arena_reset(&a);
	}
	arena_release(&a);
}

/* Adds what refers to the object: its verdict may depend on these. */
static void add_referrers(struct search *s, uint32_t slot)
{
	size_t n;
	const uint32_t *referrers = store_referrers(s->w->store, slot, &n);

	for (size_t i = 0; i < n && i < PARTS; i++)
		add(s, referrers[i]);
}

/* Adds what works on the object, and the definition of its kind, which leads there. */
static void add_controllers(struct search *s, uint32_t slot)
{
	struct object_id id = store_node_id(s->w->store, slot);
	struct object_id definition = { id.cluster, kinds_find(&s->w->kinds, STR("apiextensions.k8s.io"), STR("CustomResourceDefinition")),
					STR_NONE, ARENA_JOIN(&s->arena, id.kind->plural, STR("."), id.kind->group) };
	size_t n;
	const struct controller *all = graph_controllers(s->w->graph, store_node_handle(s->w->store, slot), &s->arena, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i].id.handle.slot && add(s, all[i].id.handle.slot))
			add_referrers(s, all[i].id.handle.slot);
	if (definition.kind && id.kind->flags & KIND_CUSTOM)
		add(s, store_find_node(s->w->store, &definition));
}

/* Adds the namespaces, whose labels may tell the owner. */
static void add_namespaces(struct search *s)
{
	struct object_id ns = { .kind = kinds_find(&s->w->kinds, STR_NONE, STR("Namespace")) };
	size_t n = s->n;

	for (size_t i = 0; ns.kind && i < n; i++) {
		struct object_id id = store_node_id(s->w->store, s->slots[i]);

		ns.cluster = id.cluster;
		ns.name = id.ns;
		if (ns.name.len)
			add(s, store_find_node(s->w->store, &ns));
	}
}

void explaining_add(struct explaining *in, const struct world *w, const struct explaining_shown *shown)
{
	struct search s = { .in = in, .w = w };
	size_t ncauses, at = 0, core;
	const uint32_t *causes;

	s.met = arena_array(&s.arena, store_slots(w->store), sizeof(*s.met));
	s.slots = arena_array(&s.arena, store_slots(w->store), sizeof(*s.slots));
	causes = add_causes(&s, shown, &ncauses);
	for (size_t i = 0; i < shown->n; i++)
		if (store_knows(w->store, shown->objects[i]))
			in->left_out += !add(&s, shown->objects[i].slot);
	add_blocked(&s, causes, ncauses);
	core = s.n;
	add_awaited(&s, core);
	add_referred(&s, &at);
	add_parts(&s, core);
	for (size_t i = 0; i < ncauses; i++) {
		add_referrers(&s, causes[i]);
		add_controllers(&s, causes[i]);
	}
	add_namespaces(&s);
	add_referred(&s, &at);
	arena_release(&s.arena);
}

void explaining_release(struct explaining *in)
{
	arena_release(&in->arena);
	map_release(&in->known);
}

uint8_t *explaining_slots(const struct explaining *in, const struct world *w, struct arena *arena, uint32_t *out_n)
{
	uint8_t *slots = arena_array(arena, store_slots(w->store), sizeof(*slots));

	for (size_t i = 0; i < in->n; i++) {
		uint32_t slot = store_find_node(w->store, &in->all[i]);

		if (slot)
			slots[slot] = 1;
	}
	*out_n = store_slots(w->store);
	return slots;
}
