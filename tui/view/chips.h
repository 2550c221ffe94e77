/* SPDX-License-Identifier: Apache-2.0 */
/* A bar above or below the lines, and its parts. */
#ifndef TUI_VIEW_CHIPS_H
#define TUI_VIEW_CHIPS_H

#include "tui/state/click.h"
#include "tui/words/text.h"

/*
 * A part of a bar: "✖ 3 failed", "t tree".  Where the bar is too narrow, chips with the highest rank are
 * shortened and left out first; rank 0 stays.  From rank CHIP_ORNAMENT on chips go before any is shortened.
 */
struct chip {
	struct text mark, text; /* a blank between them when both are there */
	uint8_t rank;
	struct click click;
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
