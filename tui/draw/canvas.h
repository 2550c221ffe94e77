/* SPDX-License-Identifier: Apache-2.0 */
/* A canvas is a screen in memory: cells with text and style, without a terminal. */
#ifndef TUI_DRAW_CANVAS_H
#define TUI_DRAW_CANVAS_H

#include "kube/base/buf.h"
#include "tui/words/style.h"

enum { CELL_BYTES = 14 };

struct cell {
	char utf8[CELL_BYTES]; /* one character with its combining marks and a NUL; "" is a blank */
	uint8_t width;	       /* in columns, 1 or 2; 0: the cell is the second half of the wide character before it */
	uint8_t style;	       /* enum style, with the flags STYLE_FLASH and STYLE_SELECTED */
};

/* A styled text that canvas_put() writes. */
struct run {
	struct str text;
	enum style style;
};

struct canvas {
	int rows, cols;
	bool ascii;		    /* only ASCII characters are shown */
	int cursor_row, cursor_col; /* where the cursor is; -1: it is hidden */
	struct cell *cells;
};

/* A canvas that is {0} is empty.  canvas_resize() also clears it. */
void canvas_resize(struct canvas *c, int rows, int cols);
void canvas_release(struct canvas *c);
void canvas_clear(struct canvas *c);

/*
 * Writes a text into a row: the only way by which text reaches the screen.  Clips the text to max columns, with an
 * ellipsis at its end, and replaces what must not reach a terminal: newline and tab by a blank, other control and
 * bidirectional characters by U+FFFD, or by "?" in ASCII.  Returns the columns used.
 */
int canvas_put(struct canvas *c, int row, int col, int max, struct run run);
/*
 * Does the same, but cuts the middle out of a text that is too long: "pod/pay…-x7f2p".  tail: the columns that its end
 * has then.
 */
int canvas_put_middle(struct canvas *c, int row, int col, int max, int tail, struct run run);

/* Repeats a text, such as one character, over n columns. */
void canvas_fill(struct canvas *c, int row, int col, int n, struct run run);
/* Adds STYLE_FLASH or STYLE_SELECTED to n cells. */
void canvas_overlay(struct canvas *c, int row, int col, int n, unsigned overlay);

const struct cell *canvas_cell(const struct canvas *c, int row, int col);

#endif
