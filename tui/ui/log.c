/* SPDX-License-Identifier: Apache-2.0 */
/* The key that opens the log that explains a row. */
#include "tui/ui/act.h"
#include "tui/view/detail.h"
#include "tui/words/words.h"

enum { JOBS = 64, OWNERS = 4 };	/* Jobs of a CronJob that are compared; owners above a Pod */

static bool is_kind(const struct scene *scene, struct handle h, const char *kind)
{
	return str_is(store_node_kind(scene->store, h.slot)->kind, kind);
}

/* Returns the worst Pod that belongs to the object, or the object itself when it is a Pod; HANDLE_NONE: there is none. */
static struct handle worst_pod(const struct scene *scene, struct handle h)
{
	struct handle found = HANDLE_NONE;

	if (store_alive(scene->store, h) && is_kind(scene, h, "Pod"))
		return h;
	graph_parts(scene->graph, h, "Pod", &found, 1);
	return found;
}

/* Returns the newest Job of a CronJob that has a Pod; h when there is none, and for everything else. */
static struct handle newest_job(const struct scene *scene, struct handle h)
{
	struct handle jobs[JOBS], newest = h;
	size_t n = store_alive(scene->store, h) && is_kind(scene, h, "CronJob") ? graph_parts(scene->graph, h, "Job", jobs, JOBS) : 0;
	int64_t created = 0;

	for (size_t i = 0; i < n && i < JOBS; i++) {
		struct summary s;

		if (!graph_summary(scene->graph, jobs[i], &s) || s.created <= created || !worst_pod(scene, jobs[i]).slot)
			continue;
		created = s.created;
		newest = jobs[i];
	}
	return newest;
}

/* Returns the workload that a Pod is of, up to the object h, whose log was asked for; the Pod itself when it is of none. */
static struct handle workload_of(const struct scene *scene, struct handle pod, struct handle h)
{
	struct handle found = pod;

	for (unsigned i = 0; i < OWNERS && !handle_eq(found, h); i++) {
		struct handle owner = store_node_handle(scene->store, graph_controller(scene->store, found.slot));

		if (!owner.slot || !tab_exists(scene, owner, TAB_LOGS))
			break;
		found = owner;
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
	const struct line *line = ui_line(ui);
	struct handle h = line && line->count > 1 && line->of.slot ? line->of : ui_subject(ui), pod;

	(void)action;
	if (place_is_log(ui_place(ui)))
		return act_say(ui, scene, "it is shown already");
	if (!scene->logs)
		return act_say(ui, scene, scene->header->link == LINK_FILES ? "there is no log: these files contain none" :
									      "there is no log: a recording contains none");
	if (ui_absent(ui).slot || (h.slot && !store_alive(scene->store, h)))
		return act_say(ui, scene, "there is no log: it does not exist");
	if (!h.slot)
		return act_say(ui, scene, "select a resource first");
	h = newest_job(scene, h);
	pod = explaining_pod(scene, h);
	if (!pod.slot)
		return act_say(ui, scene, "there is no log: no Pod of it or of its controller is known");
	ui_go(ui, VIEW_DETAIL, workload_of(scene, pod, h));
	ui_place(ui)->tab = TAB_LOGS;
	logs_show_all(ui);
	return act_moved(ui);
}
