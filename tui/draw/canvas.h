/* SPDX-License-Identifier: Apache-2.0 */
/* A screen in memory: cells with text and style, without a terminal. */
#ifndef TUI_DRAW_CANVAS_H
#define TUI_DRAW_CANVAS_H

#include "kube/base/buf.h"
#include "tui/words/style.h"

enum { CELL_BYTES = 14 };

struct cell {
	char utf8[CELL_BYTES]; /* one character with its combining marks; NUL-terminated, "" is a
				  blank */
	uint8_t width;	       /* 1 or 2; 0: the second half of the cell before */
	uint8_t style;	       /* enum style, with STYLE_FLASH and STYLE_SELECTED */
};

/* What canvas_put() writes. */
struct run {
	struct str text;
	enum style style;
};

struct canvas {
	int rows, cols;
	bool ascii;		    /* only ASCII is shown */
	int cursor_row, cursor_col; /* -1: hidden */
	struct cell *cells;
};

/* {0} is an empty canvas. */
void canvas_resize(struct canvas *c, int rows, int cols);
void canvas_release(struct canvas *c);
void canvas_clear(struct canvas *c);

/*
 * The only way to the screen: clips to max columns (an ellipsis shows it),
 * measures, and replaces what must not reach a terminal: newline and tab by a
 * blank, other control and bidirectional characters by U+FFFD, or "?" in ASCII.
 * Returns the columns used.
 */
int canvas_put(struct canvas *c, int row, int col, int max, struct run run);
/* The same; a text that is too long loses its middle: "pod/pay…-x7f2p". */
int canvas_put_middle(struct canvas *c, int row, int col, int max, struct run run);

/* Writes the same character n times. */
void canvas_fill(struct canvas *c, int row, int col, int n, struct run run);
/* Adds STYLE_FLASH or STYLE_SELECTED to n cells. */
void canvas_overlay(struct canvas *c, int row, int col, int n, unsigned overlay);

const struct cell *canvas_cell(const struct canvas *c, int row, int col);
/* Append a row as text without trailing blanks, or its styles as a letter per column. */
void canvas_text(const struct canvas *c, int row, struct buf *out);
void canvas_styles(const struct canvas *c, int row, struct buf *out);

#endif
