/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of actions share; private to tui/view.  They return a set of enum effect. */
#ifndef TUI_VIEW_ACT_H
#define TUI_VIEW_ACT_H

#include "tui/view/state.h"

typedef unsigned act_function(struct ui *ui, const struct scene *scene, enum action action);

/* Opens another view. */
unsigned act_go(struct ui *ui, enum view_id view, struct handle subject);
/* Back to the view from which the open one was opened; does nothing in the first view. */
unsigned act_leave(struct ui *ui);
/* Shows text at the foot for a few seconds; copied. */
unsigned act_say(struct ui *ui, const struct scene *scene, const char *text);
unsigned act_set_tab(struct ui *ui, enum tab tab);
/* To that root cause in Problems. */
unsigned act_to_cause(struct ui *ui, uint64_t key);
/* In that order; again: reversed, then as usual. */
unsigned act_sort_by(struct ui *ui, const struct scene *scene, enum sort sort);
/* Groups the table by the n-th criterion, from 1; the -L labels follow the fixed ones.  The same n again ends it. */
unsigned act_group(struct ui *ui, const struct scene *scene, size_t n);
/* Scrolls to the next match of the search, from the top of the screen on. */
unsigned act_find_next(struct ui *ui, const struct scene *scene, bool down);

act_function act_export, act_palette, act_copy, act_markdown, act_run, act_editor, act_acknowledge;

/* Does what the selected match of the palette offers. */
unsigned palette_choose(struct ui *ui, const struct scene *scene);

/* Switches to the context where one was before, else to the first other one. */
unsigned palette_other_context(struct ui *ui, const struct scene *scene);

/* The text of the open prompt; NULL when none is open. */
char *prompt_text(struct ui *ui);
/* Closes the prompt; a filter or search that was typed stays. */
void prompt_end(struct ui *ui);
/* True when the prompt used the key. */
bool prompt_key(struct ui *ui, const struct scene *scene, const struct key *key, unsigned *out_effects);

/* Goes back to what was shown before the namespace or the kinds were chosen; returns effects.  There must be one. */
unsigned palette_former_scope(struct ui *ui);

#endif
