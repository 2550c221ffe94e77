/* SPDX-License-Identifier: Apache-2.0 */
/* The picture as a whole: bars above and below, and the lines between. */
#ifndef TUI_VIEW_PAGE_H
#define TUI_VIEW_PAGE_H

#include "tui/view/text.h"
#include "tui/view/ui.h"

/*
 * Part of a bar: "✖ 3 failed", "t tree".  Where room is scarce the highest rank
 * shrinks and goes first; 0 stays, and from CHIP_ORNAMENT on it goes before anything shrinks.
 */
struct chip {
	struct text mark, text; /* a blank between them when both are there */
	uint8_t rank;
	uint8_t tab;	    /* 1 + the tab that a click on it opens; 0: none */
	enum action action; /* that a click on it does */
	bool density;	    /* a click on it goes to a time */
};

/* Where chips stand that can be clicked on: noted when the page is drawn. */
struct hit {
	int row, col, width;
	enum action action;
	uint8_t tab;
	bool density;
};

enum { HITS = 48 };

struct hits {
	struct hit all[HITS];
	size_t n;
};

enum { BAR_CHIPS = 24, CHIP_ORNAMENT = 100 };

struct bar {
	struct chip left[BAR_CHIPS], right[BAR_CHIPS];
	size_t nleft, nright;
	uint8_t gap; /* blanks between chips */
};

/* Rows from 0; -1: there is no room for it on this screen, or no use. */
struct layout {
	int head, causes, title, tabs, top_rule, columns;
	int list, list_rows;
	int list_cols;			   /* beside a preview the list is narrower */
	int preview, preview_rows;	   /* 0 rows: there is none */
	int preview_col, preview_cols;
	int bottom_rule, foot;
};

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
	int scroll;	  /* columns of the list that are out of sight to the left */
	struct str empty; /* said where there are no lines at all */
	bool prompt;	  /* the cursor stands behind the first chip of the foot */
};

/* Of what ui_refresh() made ready.  Everything is borrowed from ui, the store and the frame's
 * arena. */
void page_build(struct ui *ui, const struct scene *scene, struct page *out,
		struct arena *frame);

#endif
