/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/scene.h"

#include "kube/journal/journal.h"

bool scene_selects(const struct scene *scene, struct handle h)
{
	return !scene->selected || scene->selected(scene->selected_ctx, h);
}

static struct handle namespace_of(const struct scene *scene, struct handle h)
{
	struct object_id id = store_node_id(scene->store, h.slot);
	struct object_id ns = { .cluster = id.cluster, .name = id.ns };

	ns.kind = kinds_find(store_kinds(scene->store), STR_NONE, STR("Namespace"));
	return ns.kind && id.ns.len ? store_find(scene->store, &ns) : HANDLE_NONE;
}

struct str label_value(const struct scene *scene, struct handle h, size_t label)
{
	enum { OWNERS = 8 };
	struct handle at = h;
	struct str value;

	if (!scene->label_of || !h.slot)
		return STR_NONE;
	for (int i = 0; i < OWNERS && at.slot; i++) {
		struct summary s;

		value = scene->label_of(scene->label_ctx, at, label);
		if (value.len)
			return value;
		at = graph_summary(scene->graph, at, &s) ? s.owner : HANDLE_NONE;
	}
	at = namespace_of(scene, h);
	return at.slot ? scene->label_of(scene->label_ctx, at, label) : STR_NONE;
}

bool scene_has_owners(const struct scene *scene)
{
	struct handle h = store_next(scene->store, 0);

	for (int i = 0; i < MANY_OBJECTS && h.slot; i++, h = store_next(scene->store, h.slot + 1))
		if (graph_owner(scene->graph, h).len)
			return true;
	return false;
}

bool scene_find_cluster(const struct scene *scene, struct str name, uint16_t *out)
{
	enum { CLUSTERS = 10000 };

	for (uint16_t i = 0; i < CLUSTERS; i++) {
		struct str known = graph_cluster_name(scene->graph, i);

		if (str_eq(known, name)) {
			*out = i;
			return true;
		}
		if (!known.len)
			break;
	}
	return false;
}

struct handle scene_find(const struct scene *scene, const struct id *id)
{
	struct object_id named = { .kind = kinds_find(store_kinds(scene->store), id->group, id->kind), .ns = id->ns, .name = id->name };
	uint32_t slot;

	if (!named.kind || !named.name.len || !scene_find_cluster(scene, id->cluster, &named.cluster))
		return HANDLE_NONE;
	slot = store_find_node(scene->store, &named);
	return slot ? store_node_named(scene->store, slot) : HANDLE_NONE;
}

const struct fetched *scene_fetched(const struct scene *scene, struct handle h, enum want want)
{
	const struct fetched *f = scene->fetched;

	return f && f->want == want && handle_eq(f->handle, h) ? f : NULL;
}

bool scene_is_replay(const struct scene *scene)
{
	return scene->header->link == LINK_REPLAY;
}

const struct journal *scene_journal(const struct scene *scene)
{
	return graph_journal(scene->live_graph ? scene->live_graph : scene->graph);
}

static bool is_that_kind(const void *id, uint16_t cluster, uint32_t kind)
{
	const struct object_id *only = id;

	return only->cluster == cluster && only->kind->id == kind;
}

const struct gap *scene_gaps(const struct scene *scene, struct handle only, int64_t from, struct arena *arena, size_t *out_n)
{
	struct handle h = scene_to_journal(scene, only);
	struct object_id id = store_node_id(scene->live_store ? scene->live_store : scene->store, h.slot);
	struct watch_question q = h.slot ? (struct watch_question){ id.ns, is_that_kind, &id } : scene->watched;

	*out_n = 0;
	from = from > scene->history_from ? from : scene->history_from;
	if (!q.wants || !scene->history_from)
		return NULL;
	return watched_gaps(journal_watched(scene_journal(scene)), &q, (struct gap){ from, scene->now }, arena, out_n);
}

bool scene_is_unwatched(const struct scene *scene)
{
	struct arena a = { 0 };
	struct scene later = *scene;
	const struct gap *gaps;
	bool unwatched = false;
	size_t n;

	if (!scene->past)
		return false;
	later.now += GAP_SHORTEST;
	gaps = scene_gaps(&later, HANDLE_NONE, 0, &a, &n);
	for (size_t i = 0; i < n; i++)
		unwatched |= gaps[i].from <= scene->now && scene->now < gaps[i].to;
	arena_release(&a);
	return unwatched;
}

const struct kinds *scene_journal_kinds(const struct scene *scene)
{
	return store_kinds(scene->live_store ? scene->live_store : scene->store);
}

struct str scene_journal_cluster(const struct scene *scene, uint16_t cluster)
{
	return graph_cluster_name(scene->live_graph ? scene->live_graph : scene->graph, cluster);
}

struct handle scene_to_journal(const struct scene *scene, struct handle shown)
{
	return scene->live_graph ? graph_same_object(scene->graph, shown, scene->live_graph) : shown;
}

struct handle scene_from_journal(const struct scene *scene, struct handle observed)
{
	return scene->live_graph ? graph_same_object(scene->live_graph, observed, scene->graph) : observed;
}

bool is_absent(const struct scene *scene, struct handle h)
{
	return h.slot && !store_alive(scene->store, h) && store_knows(scene->store, h);
}

void scene_look(const struct scene *scene, struct handle failed)
{
	struct looked *looked = scene->looked;

	if (!looked || !failed.slot || looked->n == LOOKED)
		return;
	for (size_t i = 0; i < looked->n; i++)
		if (handle_eq(looked->failed[i], failed))
			return;
	looked->failed[looked->n++] = failed;
}

void scene_look_at_change(const struct scene *scene, const struct change_before *c)
{
	if (!scene->looked || c->what != CHANGED_SPEC || !c->id.handle.slot)
		return;
	scene->looked->changed = c->id.handle;
	scene->looked->changed_at = c->time;
}
