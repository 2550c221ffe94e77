/* SPDX-License-Identifier: Apache-2.0 */
/* The rows and columns of the screen that each part of a page has. */
#ifndef TUI_VIEW_LAYOUT_H
#define TUI_VIEW_LAYOUT_H

#include "kube/graph/graph.h"

struct ui;

/* The rows of the parts, from 0; -1: the part is not shown. */
struct layout {
	int head, causes, title, tabs, top_rule, columns;
	int list, list_rows;
	/* the columns of the list, which has fewer than the screen when the preview stands beside it */
	int list_cols;
	int preview, preview_rows;	   /* preview_rows 0: there is no preview */
	int preview_col, preview_cols;
	int bottom_rule, foot;
};

struct layout ui_layout(const struct ui *ui);
/* Returns what lists call an object: its kind and name, on narrow screens with kubectl's short name of the kind. */
struct str name_on_screen(const struct ui *ui, const struct kinds *kinds, const struct id *id, struct arena *a);

#endif
