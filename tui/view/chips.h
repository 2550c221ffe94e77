/* SPDX-License-Identifier: Apache-2.0 */
/* A bar above or below the lines, and its parts, the chips. */
#ifndef TUI_VIEW_CHIPS_H
#define TUI_VIEW_CHIPS_H

#include "tui/state/click.h"
#include "tui/words/text.h"

/*
 * A part of a bar: "✖ 3 failed", "t tree".  When the bar is too narrow, the chips with the highest rank are shortened
 * first and then left out; rank 0 always stays.  Chips with a rank of CHIP_ORNAMENT or more are left out before any
 * other chip is shortened.
 */
struct chip {
	struct text mark, text; /* when there are both, a blank stands between them */
	uint8_t rank;
	struct click click;
};

enum { BAR_CHIPS = 24, CHIP_ORNAMENT = 100 };

struct bar {
	struct chip left[BAR_CHIPS], right[BAR_CHIPS];
	size_t nleft, nright;
	uint8_t gap; /* the number of blanks between two chips */
};

/* Add a chip on the left or on the right side.  A side with BAR_CHIPS chips drops further ones. */
void bar_left(struct bar *bar, struct chip chip);
void bar_right(struct bar *bar, struct chip chip);
void bar_left_text(struct bar *bar, struct str str, enum style style, uint8_t rank);
void bar_right_text(struct bar *bar, struct str str, enum style style, uint8_t rank);

#endif
