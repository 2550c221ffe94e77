/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a page stand. */
#ifndef TUI_VIEW_LAYOUT_H
#define TUI_VIEW_LAYOUT_H

struct ui;

/* Rows, from 0; -1: not shown. */
struct layout {
	int head, causes, title, tabs, top_rule, columns;
	int list, list_rows;
	int list_cols;			   /* fewer than the screen has beside a preview */
	int preview, preview_rows;	   /* 0 rows: no preview */
	int preview_col, preview_cols;
	int bottom_rule, foot;
};

struct layout ui_layout(const struct ui *ui);

#endif
