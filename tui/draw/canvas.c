/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/draw/canvas.h"

#include <string.h>

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/utf8.h"
#include "tui/draw/sanitize.h"

void canvas_resize(struct canvas *c, int rows, int cols)
{
	c->rows = rows < 1 ? 1 : rows;
	c->cols = cols < 1 ? 1 : cols;
	c->cells = xreallocarray(c->cells, (size_t)c->rows * (size_t)c->cols, sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_release(struct canvas *c)
{
	xfree(c->cells);
	*c = (struct canvas){ 0 };
}

void canvas_clear(struct canvas *c)
{
	size_t n = (size_t)c->rows * (size_t)c->cols;

	for (size_t i = 0; i < n; i++)
		c->cells[i] = (struct cell){ .width = 1 };
	c->cursor_row = c->cursor_col = -1;
}

static struct cell *cell_at(struct canvas *c, int row, int col)
{
	assert(row >= 0 && row < c->rows && col >= 0 && col < c->cols);
	return &c->cells[(size_t)row * (size_t)c->cols + (size_t)col];
}

const struct cell *canvas_cell(const struct canvas *c, int row, int col)
{
	assert(row >= 0 && row < c->rows && col >= 0 && col < c->cols);
	return &c->cells[(size_t)row * (size_t)c->cols + (size_t)col];
}

/* Replaces the other half of a wide character by a blank when one of its two cells at row, col is overwritten. */
static void break_wide(struct canvas *c, int row, int col)
{
	struct cell *cell = cell_at(c, row, col);

	if (cell->width == 0 && col > 0)
		*cell_at(c, row, col - 1) =
			(struct cell){ .width = 1, .style = cell_at(c, row, col - 1)->style };
	if (cell->width == 2 && col + 1 < c->cols)
		*cell_at(c, row, col + 1) = (struct cell){ .width = 1, .style = cell->style };
}

static void set_cell(struct canvas *c, int row, int col, uint32_t rune, enum style style)
{
	int width = utf8_width(rune) == 2 ? 2 : 1;
	struct cell *cell = cell_at(c, row, col);

	for (int i = 0; i < width; i++)
		break_wide(c, row, col + i);
	*cell = (struct cell){ .width = (uint8_t)width, .style = (uint8_t)style };
	if (rune != ' ')
		cell->utf8[utf8_put(rune, cell->utf8)] = '\0';
	if (width == 2)
		*cell_at(c, row, col + 1) = (struct cell){ .width = 0, .style = (uint8_t)style };
}

/* Adds an accent to the character before it, while its cell has room. */
static void combine(struct cell *cell, uint32_t rune)
{
	size_t n = strlen(cell->utf8);
	char utf8[4];
	size_t bytes = utf8_put(rune, utf8);

	if (n == 0 || n + bytes >= CELL_BYTES)
		return;
	memcpy(cell->utf8 + n, utf8, bytes);
	cell->utf8[n + bytes] = '\0';
	assert(n + bytes < sizeof(cell->utf8));
}

static int clip(const struct canvas *c, int row, int col, int max)
{
	if (row < 0 || row >= c->rows || col < 0 || col >= c->cols)
		return 0;
	return max < c->cols - col ? max : c->cols - col;
}

/* Puts as much of the text as fits into max columns, and returns the columns used. */
static int put_head(struct canvas *c, int row, int col, int max, struct run run)
{
	struct cell *last = NULL;
	int used = 0;

	for (size_t at = 0; at < run.text.len;) {
		uint32_t rune = sanitize_next(run.text, &at, c->ascii);
		int width = utf8_width(rune);

		if (width == 0 && last)
			combine(last, rune);
		if (width == 0)
			continue;
		if (used + width > max)
			break;
		set_cell(c, row, col + used, rune, run.style);
		last = cell_at(c, row, col + used);
		used += width;
	}
	assert(used <= max || used == 0);
	return used;
}

static void put_ellipsis(struct canvas *c, int row, int col, enum style style)
{
	set_cell(c, row, col, c->ascii ? '~' : 0x2026, style);
}

int canvas_put(struct canvas *c, int row, int col, int max, struct run run)
{
	int used;

	max = clip(c, row, col, max);
	if (max <= 0)
		return 0;
	if (sanitized_width(run.text, c->ascii) <= max)
		return put_head(c, row, col, max, run);
	used = put_head(c, row, col, max - 1, run);
	put_ellipsis(c, row, col + used, run.style);
	return used + 1;
}

/* Returns the longest tail of s that takes at most width columns. */
static struct str tail_of(struct str s, int width, bool ascii)
{
	int all = sanitized_width(s, ascii);
	size_t at = 0;

	while (at < s.len && all > width)
		all -= utf8_width(sanitize_next(s, &at, ascii));
	return str_from(s, at);
}

int canvas_put_middle(struct canvas *c, int row, int col, int max, int tail, struct run run)
{
	int used;

	max = clip(c, row, col, max);
	if (max < 8 || sanitized_width(run.text, c->ascii) <= max)
		return canvas_put(c, row, col, max, run);
	used = put_head(c, row, col, tail < max - 1 ? max - 1 - tail : 1, run);
	put_ellipsis(c, row, col + used, run.style);
	used++;
	run.text = tail_of(run.text, max - used, c->ascii);
	return used + put_head(c, row, col + used, max - used, run);
}

void canvas_fill(struct canvas *c, int row, int col, int n, struct run run)
{
	n = clip(c, row, col, n);
	for (int i = 0; i < n;) {
		int used = put_head(c, row, col + i, n - i, run);

		if (used == 0)
			break;
		i += used;
	}
}

void canvas_overlay(struct canvas *c, int row, int col, int n, unsigned overlay)
{
	n = clip(c, row, col, n);
	for (int i = 0; i < n; i++)
		cell_at(c, row, col + i)->style |= (uint8_t)overlay;
}
