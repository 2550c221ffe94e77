/* SPDX-License-Identifier: Apache-2.0 */
/* A bar above or below the lines: its parts, and what a click on one of them does. */
#ifndef TUI_VIEW_CHIPS_H
#define TUI_VIEW_CHIPS_H

#include "tui/view/action.h"
#include "tui/words/text.h"

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

/* Add a chip on the left or right; above BAR_CHIPS it is dropped. */
void bar_left(struct bar *bar, struct chip chip);
void bar_right(struct bar *bar, struct chip chip);
void bar_left_text(struct bar *bar, struct str str, enum style style, uint8_t rank);
void bar_right_text(struct bar *bar, struct str str, enum style style, uint8_t rank);

#endif
