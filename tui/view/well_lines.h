/* SPDX-License-Identifier: Apache-2.0 */
/* What the table and Problems say while nothing that is selected is in trouble: since when, what was changed last, what runs out. */
#ifndef TUI_VIEW_WELL_LINES_H
#define TUI_VIEW_WELL_LINES_H

#include "tui/state/state.h"
#include "tui/view/runs_out.h"

/* Adds the sentence if bar_is_well().  Returns true when it did. */
bool well_add(const struct ui *ui, const struct scene *scene, struct lines *lines);
/* Returns those of the objects on the screen that run out soon, as runs_out_soon() does. */
const struct running_out *well_running_out(const struct ui *ui, const struct scene *scene, struct arena *a, size_t *out_n);
/* Adds them to a list without columns for them, in a section of their own. */
void well_add_running_out(const struct ui *ui, const struct scene *scene, struct lines *lines);

#endif
