/* SPDX-License-Identifier: Apache-2.0 */
/* The picture as a whole: bars above and below, and the lines between. */
#ifndef TUI_VIEW_PAGE_H
#define TUI_VIEW_PAGE_H

#include "tui/state/state.h"
#include "tui/view/chips.h"
#include "tui/view/layout.h"

struct page {
	struct layout layout;
	struct bar head, causes, title, tabs, foot;
	struct hits *hits;
	const struct column *columns;
	size_t ncolumns;
	struct str titles; /* in place of those of the columns */
	const struct line *lines; /* those on the screen */
	size_t nlines;
	int selected;	  /* among them, -1: none */
	const struct line *preview; /* of the selected row */
	size_t npreview;
	int scroll;	  /* columns that the list is scrolled to the right */
	struct str empty; /* shown when there are no lines */
	bool prompt;	  /* the cursor is behind the first chip of the foot */
};

/* Builds the page from the state after ui_refresh().  Everything is borrowed from ui, the store and the
 * frame's arena. */
void page_build(struct ui *ui, const struct scene *scene, struct page *out,
		struct arena *frame);

#endif
