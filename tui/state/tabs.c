/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/state/tabs.h"

static const struct tab_row {
	const char *title, *brief;
	bool lists;
	enum want want;
} tabs[TAB_COUNT] = {
	[TAB_OVERVIEW] = { "Overview", "Over", false, WANT_NOTHING },
	[TAB_CONDITIONS] = { "Conditions", "Cond", false, WANT_NOTHING },
	[TAB_ASYNC] = { "Async", "Async", false, WANT_NOTHING },
	[TAB_DEPENDENCIES] = { "Dependencies", "Deps", true, WANT_NOTHING },
	[TAB_DELETION] = { "Deletion", "Del", true, WANT_NOTHING },
	[TAB_EVENTS] = { "Events", "Events", false, WANT_EVENTS },
	[TAB_YAML] = { "YAML", "YAML", true, WANT_YAML },
	[TAB_LOGS] = { "Logs", "Logs", false, WANT_LOGS },
};

const char *tab_title(enum tab tab, bool brief)
{
	return brief ? tabs[tab].brief : tabs[tab].title;
}

bool tab_lists(enum tab tab)
{
	return tabs[tab].lists;
}

bool tab_is_text(enum tab tab)
{
	return tab == TAB_YAML || tab == TAB_LOGS;
}

enum want tab_wants(enum tab tab)
{
	return tabs[tab].want;
}

/* Returns true for a Pod, and for the workloads whose Pods the Logs tab shows together; a CronJob has those of its Jobs. */
static bool has_logs(const struct kind *kind)
{
	static const struct {
		const char *group, *kind;
	} kinds[] = { { "", "Pod" }, { "", "ReplicationController" }, { "apps", "Deployment" }, { "apps", "ReplicaSet" },
		      { "apps", "StatefulSet" }, { "apps", "DaemonSet" }, { "batch", "Job" } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_is(kind->group, kinds[i].group) && str_is(kind->kind, kinds[i].kind))
			return true;
	return false;
}

bool tab_has_text(const struct scene *scene, struct handle h, enum tab tab)
{
	const struct fetched *f = tab_is_text(tab) && !scene->past ? scene_fetched(scene, h, tabs[tab].want) : NULL;

	return f && f->state == FETCH_OK && f->text.len;
}

bool tab_exists(const struct scene *scene, struct handle h, enum tab tab)
{
	if (is_absent(scene, h))
		return tab == TAB_DEPENDENCIES || tab_has_text(scene, h, tab);
	if (tab != TAB_LOGS)
		return tab < TAB_COUNT;
	return scene->logs && store_alive(scene->store, h) && has_logs(store_node_kind(scene->store, h.slot));
}
