/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of tui/ui share to carry out actions; private to tui/ui.  A function that returns unsigned returns a
 * set of enum effect.
 */
#ifndef TUI_UI_ACT_H
#define TUI_UI_ACT_H

#include "tui/ui/ui.h"
#include "tui/view/place.h"

typedef unsigned act_function(struct ui *ui, const struct scene *scene, enum action action);

/* Opens the n-th of the tabs that the object has, from 0. */
unsigned ui_set_tab(struct ui *ui, const struct scene *scene, size_t n);

/*
 * Sorts by that order; when it is the order already, reverses it; when it is reversed, goes back to the default order.
 */
unsigned act_sort_by(struct ui *ui, const struct scene *scene, enum sort sort);
/*
 * Groups the table by the n-th criterion, from 1; the labels of -L follow the fixed criteria.  The same n again ends
 * the grouping.
 */
unsigned act_group(struct ui *ui, const struct scene *scene, size_t n);
/*
 * Scrolls to the next match of the search: behind the last match while that is on the screen, else from the top of the
 * screen on.
 */
unsigned act_find_next(struct ui *ui, const struct scene *scene, bool down);

act_function act_seek, act_walk, act_palette, act_copy, act_markdown, act_run, act_acknowledge, act_hand_over, act_log;

/*
 * Does what the selected match of the palette offers.  Returns the action that the match stands for and that the caller
 * must still do, or ACTION_NONE.
 */
enum action palette_choose(struct ui *ui, const struct scene *scene, unsigned *out_effects);

/* Switches to the context that was shown before, else to the first other context. */

/* Goes to the time at column col of the density line, which has cols columns. */
unsigned seek_click(struct ui *ui, const struct scene *scene, int col, int cols);

/* Returns the text of the open prompt; NULL when none is open. */
char *prompt_text(struct ui *ui);
/* Does what Enter does in the palette; a click on the selected match does the same. */
unsigned prompt_choose(struct ui *ui, const struct scene *scene);
/* Returns true when the prompt used the key; *out_effects is then set. */
bool prompt_key(struct ui *ui, const struct scene *scene, const struct key *key, unsigned *out_effects);

/* Goes back to what was shown before the namespace or the kinds were chosen.  ui->nformer must not be 0. */
unsigned palette_former_scope(struct ui *ui);

#endif
