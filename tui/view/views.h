/* SPDX-License-Identifier: Apache-2.0 */
/* The views by their ids.  Each is in the file that defines it. */
#ifndef TUI_VIEW_VIEWS_H
#define TUI_VIEW_VIEWS_H

#include "tui/state/state.h"

#define VIEW_DECLARED(x, id, name, takes) extern const struct view view_##name;
VIEWS(VIEW_DECLARED, VIEW_NOTHING)
#undef VIEW_DECLARED

extern const struct view *const views[VIEW_COUNT];

/* Adds the lines of the table when it is grouped. */
void groups_build(struct ui *ui, const struct scene *scene, struct lines *lines);
/* Returns the text that stands above the groups in place of column titles. */
struct str groups_titles(const struct ui *ui, const struct scene *scene, struct arena *a);

#endif
