/* SPDX-License-Identifier: Apache-2.0 */
/* The table of views, and the functions that its rows name.  Each function is in the file of its view. */
#ifndef TUI_VIEW_VIEWS_H
#define TUI_VIEW_VIEWS_H

#include "tui/state/state.h"

extern const struct view views[VIEW_COUNT];

/* Each adds all lines of a view and sets ui->columns, as struct view says. */
void table_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void problems_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void tree_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void why_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void timeline_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void changes_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void detail_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void help_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void palette_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void text_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void output_build(struct ui *ui, const struct scene *scene, struct lines *lines);

/* Each makes the cells of a line with LINE_LAZY. */
struct line table_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a);
struct line timeline_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a);
struct line changes_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a);

/* Returns what Changes says when it is empty: "Nothing changed since 11:11:20" where no more of its time is known. */
struct str changes_none(const struct ui *ui, const struct scene *scene, struct arena *a);
/* Adds the lines of the table when it is grouped. */
void groups_build(struct ui *ui, const struct scene *scene, struct lines *lines);
/* Returns the text that stands above the groups in place of column titles. */
struct str groups_titles(const struct ui *ui, const struct scene *scene, struct arena *a);

#endif
