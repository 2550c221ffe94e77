/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of actions share; private to tui/ui.  They return a set of enum effect. */
#ifndef TUI_UI_ACT_H
#define TUI_UI_ACT_H

#include "tui/ui/place.h"

typedef unsigned act_function(struct ui *ui, const struct scene *scene, enum action action);

/* Opens the n-th tab there is, from 0; returns effects. */
unsigned ui_set_tab(struct ui *ui, const struct scene *scene, size_t n);

/* In that order; again: reversed, then as usual. */
unsigned act_sort_by(struct ui *ui, const struct scene *scene, enum sort sort);
/* Groups the table by the n-th criterion, from 1; the -L labels follow the fixed ones.  The same n again ends it. */
unsigned act_group(struct ui *ui, const struct scene *scene, size_t n);
/* Scrolls to the next match of the search, from the top of the screen on. */
unsigned act_find_next(struct ui *ui, const struct scene *scene, bool down);

act_function act_seek, act_walk, act_palette, act_copy, act_markdown, act_run, act_editor, act_acknowledge;

/* Does what the selected match of the palette offers; returns the action that it stands for, which is still to be done. */
enum action palette_choose(struct ui *ui, const struct scene *scene, unsigned *out_effects);

/* Switches to the context where one was before, else to the first other one. */
unsigned palette_other_context(struct ui *ui, const struct scene *scene);

/* A click on the density line: column col of cols. */
unsigned seek_click(struct ui *ui, const struct scene *scene, int col, int cols);

/* The text of the open prompt; NULL when none is open. */
char *prompt_text(struct ui *ui);
/* Closes the prompt; a filter or search that was typed stays. */
void prompt_end(struct ui *ui);
/* Enter in the palette, or a click on its selected match. */
unsigned prompt_choose(struct ui *ui, const struct scene *scene);
/* True when the prompt used the key. */
bool prompt_key(struct ui *ui, const struct scene *scene, const struct key *key, unsigned *out_effects);

/* Goes back to what was shown before the namespace or the kinds were chosen; returns effects.  There must be one. */
unsigned palette_former_scope(struct ui *ui);

#endif
