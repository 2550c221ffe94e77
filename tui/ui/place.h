/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a view and going back, and the selected line. */
#ifndef TUI_UI_PLACE_H
#define TUI_UI_PLACE_H

#include "tui/state/state.h"
#include "tui/ui/ui.h"
#include "tui/view/layout.h"

/* Call it when places[depth] is another one: restores its lines, or has them built. */
void ui_arrive(struct ui *ui);
/* Opens another view; back returns here. */
void ui_go(struct ui *ui, enum view_id view, struct handle subject);
/* The same, of ui_subject(). */
void ui_go_subject(struct ui *ui, enum view_id view);
/* Of a place that was just opened: that line, or that object's, is the selected one. */
void ui_choose(struct ui *ui, uint64_t key, struct handle object);
/* Moves the lines of the open view out: there are none afterwards. */
void place_take_lines(struct ui *ui, struct built *out);
/* Moves them back. */
void place_give_lines(struct ui *ui, const struct built *in);
/* Finds the place's line again after the lines were built; holds_row: it stays in its row also in a list that stands at its top. */
void place_restore(struct ui *ui, size_t row_before, bool holds_row);

/* Moves the selection (or the text) by n lines; headings are stepped over. */
void ui_move(struct ui *ui, long n);
void ui_move_to(struct ui *ui, size_t line);
/* Call it before a filter is typed, and when it was dropped: who has not moved since is back at the row of before. */
void ui_begin_filter(struct ui *ui);
void ui_drop_filter(struct ui *ui);

/* These return a set of enum effect. */

/* ui_go(), and what it makes the program do. */
unsigned act_go(struct ui *ui, enum view_id view, struct handle subject);
/* Back to the view from which the open one was opened; does nothing in the first view. */
unsigned act_leave(struct ui *ui);
/* Shows text at the foot for a few seconds; copied. */
unsigned act_say(struct ui *ui, const struct scene *scene, const char *text);
unsigned act_set_tab(struct ui *ui, enum tab tab);
/* To that root cause in Problems. */
unsigned act_to_cause(struct ui *ui, uint64_t key);
/* After a change of place or tab: perhaps something must be read. */
unsigned act_moved(struct ui *ui);

#endif
