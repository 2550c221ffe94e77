/* SPDX-License-Identifier: Apache-2.0 */
/* A page is the whole screen: the bars above and below, and the lines between them. */
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
	struct str titles; /* shown in place of the titles of the columns, unless it is empty */
	const struct line *lines; /* the lines that are on the screen */
	size_t nlines;
	int selected;	  /* the index of the selected line in lines; -1: none */
	const struct line *preview; /* the lines of the preview of the selected row */
	size_t npreview;
	int scroll;	  /* how many columns the list is scrolled to the right */
	struct str empty; /* the text that is shown when there are no lines */
	bool prompt;	  /* a prompt is open: the cursor stands behind the first chip of the footer */
};

/*
 * Builds the page from the state after ui_refresh().  Everything in it is borrowed from ui, the store and the arena
 * frame.
 */
void page_build(struct ui *ui, const struct scene *scene, struct page *out,
		struct arena *frame);

#endif
