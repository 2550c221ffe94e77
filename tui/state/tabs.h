/* SPDX-License-Identifier: Apache-2.0 */
/* The tabs of details: their names, and which of them an object has.  detail.c builds their lines. */
#ifndef TUI_STATE_TABS_H
#define TUI_STATE_TABS_H

#include "tui/state/scene.h"

enum tab {
	TAB_OVERVIEW,
	TAB_CONDITIONS,
	TAB_ASYNC,
	TAB_DEPENDENCIES,
	TAB_DELETION,
	TAB_EVENTS,
	TAB_YAML,
	TAB_LOGS,
	TAB_COUNT
};

/* brief: where there is little room. */
const char *tab_title(enum tab tab, bool brief);
/* True when its lines can be selected. */
bool tab_lists(enum tab tab);
/* True for YAML and Logs: "/" searches in them. */
bool tab_is_text(enum tab tab);
/* What the program must fetch for it. */
enum want tab_wants(enum tab tab);
/* True when the text of the tab was read before that object went away. */
bool tab_has_text(const struct scene *scene, struct handle h, enum tab tab);
/* True when details of that object have the tab. */
bool tab_exists(const struct scene *scene, struct handle h, enum tab tab);

#endif
