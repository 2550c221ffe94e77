/* SPDX-License-Identifier: Apache-2.0 */
/* What actions have in common; private to tui/view.  All return a set of enum effect. */
#ifndef TUI_VIEW_ACT_H
#define TUI_VIEW_ACT_H

#include "tui/view/state.h"

typedef unsigned act_function(struct ui *ui, const struct scene *scene, enum action action);

/* Opens another view. */
unsigned act_go(struct ui *ui, enum view_id view, struct handle subject);
/* Back to where the open view was opened from; not in the first one. */
unsigned act_leave(struct ui *ui);
unsigned act_say(struct ui *ui, const struct scene *scene, const char *text);
unsigned act_set_tab(struct ui *ui, enum tab tab);
/* The table in groups of the n-th kind, from 1; behind the fixed ones there is one for each label.  Again: none. */
unsigned act_group(struct ui *ui, const struct scene *scene, size_t n);
/* The next line, from what is at the top of the screen on, that has what was searched for. */
unsigned act_find_next(struct ui *ui, const struct scene *scene, bool down);

act_function act_export, act_palette, act_copy, act_markdown, act_run, act_editor, act_acknowledge;

/* Does what the selected match stands for. */
unsigned palette_choose(struct ui *ui, const struct scene *scene);

/* What is being typed; NULL: nothing. */
char *prompt_text(struct ui *ui);
/* True when the prompt used the key. */
bool prompt_key(struct ui *ui, const struct scene *scene, const struct key *key, unsigned *out_effects);

#endif
