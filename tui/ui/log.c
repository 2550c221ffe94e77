/* SPDX-License-Identifier: Apache-2.0 */
/* The key that opens the log that explains a row. */
#include "tui/ui/act.h"
#include "tui/view/detail.h"
#include "tui/words/words.h"

/* The most objects that are looked at below an owner, and the longest list of references of one of them. */
enum { BELOW = 256, REFERRERS = 4096 };

/* The objects that belong to one object, directly or through others. */
struct family_tree {
	uint32_t slots[BELOW];
	size_t n;
};

static bool is_pod(const struct store *store, uint32_t slot)
{
	const struct kind *kind = store_node_kind(store, slot);

	return !kind->group.len && str_is(kind->kind, "Pod");
}

static void add_part(struct family_tree *tree, const struct store *store, uint32_t slot)
{
	if (!store_node_handle(store, slot).slot)
		return;
	for (size_t i = 0; i < tree->n; i++)
		if (tree->slots[i] == slot)
			return;
	if (tree->n < BELOW)
		tree->slots[tree->n++] = slot;
}

static bool owns(const struct store *store, uint32_t owner, uint32_t part)
{
	for (size_t i = 0; i < store_edge_count(store, part); i++) {
		struct edge e = store_edge_ends(store, part, i);

		if (e.target == owner && e.relation == RELATION_OWNS)
			return true;
	}
	return false;
}

/* Adds what an object owns, and what it manages. */
static void add_parts(struct family_tree *tree, const struct store *store, uint32_t slot)
{
	size_t n, edges = store_edge_count(store, slot);
	const uint32_t *referrers = store_referrers(store, slot, &n);

	for (size_t i = 0; i < n && i < REFERRERS && tree->n < BELOW; i++)
		if (owns(store, slot, referrers[i]))
			add_part(tree, store, referrers[i]);
	for (size_t i = 0; i < edges && tree->n < BELOW; i++) {
		struct edge e = store_edge_ends(store, slot, i);

		if (e.relation == RELATION_MANAGES)
			add_part(tree, store, e.target);
	}
}

/* Returns the worst Pod that belongs to the object, or the object itself when it is a Pod; HANDLE_NONE: there is none. */
static struct handle worst_pod(const struct scene *scene, struct handle h)
{
	struct family_tree tree = { { 0 }, 0 };
	struct summary worst = { .phase = PHASE_READY }, s;
	struct handle found = HANDLE_NONE;

	if (!store_alive(scene->store, h))
		return HANDLE_NONE;
	add_part(&tree, scene->store, h.slot);
	for (size_t i = 0; i < tree.n; i++) {
		struct handle part = store_node_handle(scene->store, tree.slots[i]);

		if (!is_pod(scene->store, tree.slots[i])) {
			add_parts(&tree, scene->store, tree.slots[i]);
			continue;
		}
		if (!graph_summary(scene->graph, part, &s) || (found.slot && summary_compare(&s, &worst) >= 0))
			continue;
		found = part;
		worst = s;
	}
	return found;
}

static bool is_well(const struct scene *scene, struct handle h)
{
	struct summary s;

	return graph_summary(scene->graph, h, &s) && s.phase == PHASE_READY && s.severity == SEVERITY_NONE;
}

static struct handle pod_of_controller(const struct scene *scene, struct handle h)
{
	struct arena a = { 0 };
	struct handle found = HANDLE_NONE;
	size_t n;
	const struct controller *all = graph_controllers(scene->graph, h, &a, &n);

	for (size_t i = 0; i < n && !found.slot; i++)
		if (all[i].workload)
			found = worst_pod(scene, all[i].id.handle);
	arena_release(&a);
	return found;
}

/* Returns the object at the end of what h waits for, when it exists; else h. */
static struct handle root_of(const struct scene *scene, struct handle h)
{
	struct item_wait tail[CHAIN_TAIL];
	size_t n = graph_chain_tail(scene->graph, h, tail), last = n < CHAIN_TAIL ? n : CHAIN_TAIL;

	return last && store_alive(scene->store, tail[last - 1].on.handle) ? tail[last - 1].on.handle : h;
}

/*
 * Returns the Pod whose log explains the state of an object.  When the object is not well: its worst Pod that is not
 * well either, else that of what it waits for, else that of the controller.  When it is well: its Pod, else that of its
 * controller.  HANDLE_NONE: no Pod is known.
 */
static struct handle explaining_pod(const struct scene *scene, struct handle h)
{
	struct handle own = worst_pod(scene, h), root = root_of(scene, h), found;

	if (own.slot && (handle_eq(own, h) || !is_well(scene, own)))
		return own;
	if (!is_well(scene, h)) {
		found = handle_eq(root, h) ? HANDLE_NONE : worst_pod(scene, root);
		if (found.slot && (handle_eq(found, root) || !is_well(scene, found)))
			return found;
		found = pod_of_controller(scene, root);
		if (found.slot)
			return found;
	}
	return own.slot ? own : pod_of_controller(scene, h);
}

unsigned act_log(struct ui *ui, const struct scene *scene, enum action action)
{
	struct handle h = ui_subject(ui), pod;

	(void)action;
	if (place_is_log(ui_place(ui)))
		return act_say(ui, scene, "it is shown already");
	if (!scene->logs)
		return act_say(ui, scene, scene->header->link == LINK_FILES ? "there is no log: files contain none" :
									      "there is no log: a recording contains none");
	if (ui_absent(ui).slot || (h.slot && !store_alive(scene->store, h)))
		return act_say(ui, scene, "there is no log: it does not exist");
	if (!h.slot)
		return act_say(ui, scene, "select a resource first");
	pod = explaining_pod(scene, h);
	if (!pod.slot)
		return act_say(ui, scene, "there is no log: no Pod of it or of its controller is known");
	ui_go(ui, VIEW_DETAIL, pod);
	ui_place(ui)->tab = TAB_LOGS;
	logs_show_all(ui);
	return act_moved(ui);
}
