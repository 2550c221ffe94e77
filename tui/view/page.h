/* SPDX-License-Identifier: Apache-2.0 */
/* The picture as a whole: bars above and below, and the lines between. */
#ifndef TUI_VIEW_PAGE_H
#define TUI_VIEW_PAGE_H

#include "tui/words/text.h"
#include "tui/view/ui.h"

/* What a click does: one of these. */
struct click {
	enum action action;
	uint8_t tab;	/* 1 + the tab that it opens; 0: none */
	uint8_t sort;	/* 1 + the order that it chooses; 0: none */
	uint8_t input;	/* the key of a prompt that it stands for */
	bool density;	/* goes to a time */
	uint64_t cause; /* goes to that root cause in Problems; 0: none */
};

/*
 * A part of a bar: "✖ 3 failed", "t tree".  Where the bar is too narrow, chips with the highest rank are
 * shortened and left out first; rank 0 stays.  From rank CHIP_ORNAMENT on chips go before any is shortened.
 */
struct chip {
	struct text mark, text; /* a blank between them when both are there */
	uint8_t rank;
	struct click click;
};

/* What can be clicked on and where, set when the page is drawn. */
struct hit {
	int row, col, width;
	struct click click;
};

enum { HITS = 96 };

struct hits {
	struct hit all[HITS];
	size_t n;
	enum view_id view; /* that they are in */
};

enum { BAR_CHIPS = 24, CHIP_ORNAMENT = 100 };

struct bar {
	struct chip left[BAR_CHIPS], right[BAR_CHIPS];
	size_t nleft, nright;
	uint8_t gap; /* blanks between chips */
};

/* Rows, from 0; -1: not shown. */
struct layout {
	int head, causes, title, tabs, top_rule, columns;
	int list, list_rows;
	int list_cols;			   /* fewer than the screen has beside a preview */
	int preview, preview_rows;	   /* 0 rows: no preview */
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
	int scroll;	  /* columns that the list is scrolled to the right */
	struct str empty; /* shown when there are no lines */
	bool prompt;	  /* the cursor is behind the first chip of the foot */
};

/* Builds the page from the state after ui_refresh().  Everything is borrowed from ui, the store and the
 * frame's arena. */
void page_build(struct ui *ui, const struct scene *scene, struct page *out,
		struct arena *frame);

#endif
