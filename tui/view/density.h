/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown while the dashboard is paused: the moment, and how much changed when (the density line). */
#ifndef TUI_VIEW_DENSITY_H
#define TUI_VIEW_DENSITY_H

#include "tui/state/state.h"
#include "tui/view/chips.h"

/* Returns what is said of a time in which nobody watched: "until 14:02:30: what happened is not known". */
struct str gap_words(const struct gap *gap, const struct scene *scene, struct arena *a);
/* Returns true when an earlier moment is on the screen or will be next. */
bool pause_is_shown(const struct ui *ui, const struct scene *scene);
/* Returns which moment is shown: "paused 05:01:30 ‖ now 09:03:12", "going to 05:01:30 ...". */
struct text pause_words(const struct ui *ui, const struct scene *scene, struct arena *a);
/* Returns the moment that column col of the cols columns of the density line stands for. */
int64_t density_time(const struct scene *scene, int col, int cols);
/* Fills the bar: the density line, the last transition, and the keys. */
void bar_density(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);

#endif
