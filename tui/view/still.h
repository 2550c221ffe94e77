/* SPDX-License-Identifier: Apache-2.0 */
/* Standing still at a moment, and stepping over what was observed; private to tui/view. */
#ifndef TUI_VIEW_STILL_H
#define TUI_VIEW_STILL_H

#include "tui/view/act.h"

/* [ ] { } P */
act_function act_time;
/* A click so far within the density line, in columns. */
unsigned still_click(struct ui *ui, const struct scene *scene, int col, int cols);
/* "paused 05:01:30 ‖ now 09:03:12" */
struct text still_words(const struct scene *scene, struct arena *a);
/* How much was observed when, what stands in the middle of it, what the keys do. */
void bar_density(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Another moment is shown than at the last refresh, or it is now again. */
void still_refresh(struct ui *ui, const struct scene *scene);

#endif
