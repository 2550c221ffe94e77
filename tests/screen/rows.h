/* SPDX-License-Identifier: Apache-2.0 */
/* What is on a canvas, as texts that tests compare. */
#ifndef TESTS_SCREEN_ROWS_H
#define TESTS_SCREEN_ROWS_H

#include "tui/draw/canvas.h"

/* Appends a row without trailing blanks. */
static inline void canvas_text(const struct canvas *c, int row, struct buf *out)
{
	size_t end = out->len;

	for (int col = 0; col < c->cols; col++) {
		const struct cell *cell = canvas_cell(c, row, col);

		if (cell->width == 0)
			continue;
		buf_add_cstr(out, cell->utf8[0] ? cell->utf8 : " ");
		if (cell->utf8[0])
			end = out->len;
	}
	if (out->len > end) {
		out->len = end;
		out->ptr[end] = '\0';
	}
}

/* Returns the letter that stands for a style. */
static inline char style_letter(enum style style)
{
	static const char letters[STYLE_COUNT] = {
#define STYLE(id, letter) letter,
#include "tui/words/styles.def"
#undef STYLE
	};

	return style < STYLE_COUNT ? letters[style] : '?';
}

/* Appends the styles of a row, one letter for each column. */
static inline void canvas_styles(const struct canvas *c, int row, struct buf *out)
{
	for (int col = 0; col < c->cols; col++)
		buf_add_char(out, style_letter((enum style)(canvas_cell(c, row, col)->style & STYLE_MASK)));
}

#endif
