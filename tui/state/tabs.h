/* SPDX-License-Identifier: Apache-2.0 */
/* The tabs of the details: their names, and which of them an object has.  detail.c builds their lines. */
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

/* Returns the title of a tab; brief: a short one, for narrow screens. */
const char *tab_title(enum tab tab, bool brief);
/* Returns true when the lines of the tab can be selected. */
bool tab_lists(enum tab tab);
/* Returns true for YAML and Logs, in which "/" searches. */
bool tab_is_text(enum tab tab);
/* Returns what the program must fetch for the tab. */
enum want tab_wants(enum tab tab);
/* Returns true when the text of the tab was read before the object went away. */
bool tab_has_text(const struct scene *scene, struct handle h, enum tab tab);
/* Returns true when the details of the object have the tab. */
bool tab_exists(const struct scene *scene, struct handle h, enum tab tab);

#endif
