/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown of a pause: the moment, and when how much changed (the density line). */
#ifndef TUI_VIEW_DENSITY_H
#define TUI_VIEW_DENSITY_H

#include "tui/state/state.h"
#include "tui/view/chips.h"

/* "09:00:00" */
struct str clock_text(int64_t time, struct arena *a);
/* An earlier moment stands on the screen, or is on its way there. */
bool pause_is_shown(const struct ui *ui, const struct scene *scene);
/* "paused 05:01:30 ‖ now 09:03:12", "going to 05:01:30 ..." */
struct text pause_words(const struct ui *ui, const struct scene *scene, struct arena *a);
/* The moment that column col of cols of the density line stands for. */
int64_t density_time(const struct scene *scene, int col, int cols);
/* Fills the bar: how many changes were observed when (the density line), and the keys. */
void bar_density(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);

#endif
