/* SPDX-License-Identifier: Apache-2.0 */
/* Standing still at a moment, and stepping through observed changes; private to tui/view. */
#ifndef TUI_VIEW_STILL_H
#define TUI_VIEW_STILL_H

#include "tui/view/act.h"

/* The keys [ ] { } P. */
act_function act_time;
/* A click on the density line: column col of cols. */
unsigned still_click(struct ui *ui, const struct scene *scene, int col, int cols);
/* An earlier moment stands on the screen, or is on its way there. */
bool still_is_shown(const struct ui *ui, const struct scene *scene);
/* "paused 05:01:30 ‖ now 09:03:12", "going to 05:01:30 ..." */
struct text still_words(const struct ui *ui, const struct scene *scene, struct arena *a);
/* Fills the bar: how many changes were observed when (the density line), and the keys. */
void bar_density(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Call it when another moment is shown than at the last refresh. */
void still_refresh(struct ui *ui, const struct scene *scene);

#endif
