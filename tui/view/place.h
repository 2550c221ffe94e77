/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a view and going back, and moving the selection. */
#ifndef TUI_VIEW_PLACE_H
#define TUI_VIEW_PLACE_H

#include "tui/state/state.h"
#include "tui/state/effect.h"
#include "tui/view/layout.h"

/* Call it when places[depth] has become another place: restores its lines, or has them built. */
void ui_arrive(struct ui *ui);
/* Opens another view of subject (HANDLE_NONE: of all objects); back returns to the present one. */
void ui_go(struct ui *ui, enum view_id view, struct handle subject);
/* Opens another view of ui_subject(). */
void ui_go_subject(struct ui *ui, enum view_id view);
/* Selects the line with that key, else the line of that object, in a place that was just opened. */
void ui_choose(struct ui *ui, uint64_t key, struct handle object);
/* Moves the lines of the open view into out; the view has no lines afterwards. */
void place_take_lines(struct ui *ui, struct built *out);
/* Moves the lines back from in. */
void place_give_lines(struct ui *ui, const struct built *in);
/*
 * Finds the selected line of the place again after the lines were built.  row_before: the screen row that it had;
 * holds_row: it keeps that row also in a list that is not scrolled.
 */
void place_restore(struct ui *ui, size_t row_before, bool holds_row);

/* Moves the selection (in a text: the scroll position) by n lines.  Headings are skipped. */
void ui_move(struct ui *ui, long n);
void ui_move_to(struct ui *ui, size_t line);
/*
 * Call ui_begin_filter() before a filter is typed and ui_drop_filter() to remove it.  When the user has not moved the
 * selection since, it is then back at the row where it was before the filter.
 */
void ui_begin_filter(struct ui *ui);
void ui_drop_filter(struct ui *ui);

/* These return a set of enum effect. */

/* Calls ui_go() and returns what the program must do after it. */
unsigned act_go(struct ui *ui, enum view_id view, struct handle subject);
/* Goes back to the view from which the open one was opened.  ui->depth must not be 0. */
unsigned act_leave(struct ui *ui);
/* Shows text at the foot of the screen for a few seconds.  The text is copied. */
unsigned act_say(struct ui *ui, const struct scene *scene, const char *text);
unsigned act_set_tab(struct ui *ui, enum tab tab);
/* Opens Problems, and selects that root cause in it. */
unsigned act_to_cause(struct ui *ui, uint64_t key);
/*
 * Call it after a change of place or tab: has the lines built again, and a text fetched where the new place needs one.
 */
unsigned act_moved(struct ui *ui);

#endif
