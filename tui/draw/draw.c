/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/draw/draw.h"

#include "kube/base/assert.h"

#include "tui/draw/sanitize.h"
#include "tui/draw/column_widths.h"

enum { GUTTER = 2, WIDE = 100 };

/* ---- bars ---------------------------------------------------------------------- */

struct fit {
	const struct canvas *c;
	const struct bar *bar;
	uint8_t shown[2][BAR_CHIPS]; /* of each chip on the left and on the right: 0: dropped, 1: brief, 2: whole */
};

static const struct chip *chip_at(const struct bar *bar, int side, size_t i)
{
	return side ? &bar->right[i] : &bar->left[i];
}

static size_t chip_count(const struct bar *bar, int side)
{
	return side ? bar->nright : bar->nleft;
}

static struct str chosen(const struct text *text, int how)
{
	return how == 1 && text->brief.len ? text->brief : text->str;
}

static int chip_width(const struct fit *f, const struct chip *chip, int how)
{
	int mark = sanitized_width(chosen(&chip->mark, how), f->c->ascii);
	int text = sanitized_width(chosen(&chip->text, how), f->c->ascii);

	return mark + text + (mark && text);
}

static int bar_width(const struct fit *f)
{
	int width = 2; /* for a blank at both ends */

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < chip_count(f->bar, side); i++)
			if (f->shown[side][i])
				width +=
					chip_width(f, chip_at(f->bar, side, i), f->shown[side][i]) +
					f->bar->gap;
	return width;
}

/*
 * Reduces the chip of the highest rank, which must be least or higher, to 1 (brief) or 0 (dropped).  Returns false when
 * there is no such chip.
 */
static bool fit_less(struct fit *f, int to, int least)
{
	int best = -1, best_side = 0;
	size_t best_at = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < chip_count(f->bar, side); i++) {
			const struct chip *chip = chip_at(f->bar, side, i);

			if (f->shown[side][i] <= to || chip->rank <= best || chip->rank < least ||
			    (to == 1 && !chip->text.brief.len))
				continue;
			best = chip->rank;
			best_side = side;
			best_at = i;
		}
	if (best < 0)
		return false;
	f->shown[best_side][best_at] = (uint8_t)to;
	return true;
}

/* Makes the bar fit into the row: drops the ornaments first, then shortens the other chips, then drops them. */
static void fit_bar(struct fit *f)
{
	while (bar_width(f) > f->c->cols && fit_less(f, 0, CHIP_ORNAMENT))
		;
	while (bar_width(f) > f->c->cols && fit_less(f, 1, 1))
		;
	while (bar_width(f) > f->c->cols && fit_less(f, 0, 1))
		;
}

static void note_hit(struct hits *hits, struct hit hit)
{
	const struct click *c = &hit.click;

	if ((c->action != ACTION_NONE || c->tab || c->sort || c->input || c->density || c->cause) && hits->n < HITS)
		hits->all[hits->n++] = hit;
}

/* Draws a chip at at.row and at.col, brief or whole as fit_bar() chose, and returns its columns. */
static int draw_chip(struct canvas *c, struct hit at, const struct chip *chip, int how, struct hits *hits)
{
	int row = at.row, col = at.col;
	struct run mark = { chosen(&chip->mark, how), chip->mark.style };
	struct run text = { chosen(&chip->text, how), chip->text.style };
	int start = col;

	col += canvas_put(c, row, col, c->cols - col - 1, mark);
	if (mark.text.len && text.text.len)
		col++;
	col += canvas_put(c, row, col, c->cols - col - 1, text);
	note_hit(hits, (struct hit){ row, start, col - start, chip->click });
	return col - start;
}

/* Draws a bar and returns the column behind its first chip. */
static int draw_bar(struct canvas *c, int row, const struct bar *bar, struct hits *hits)
{
	struct fit f = { .c = c, .bar = bar };
	int col = 1, first = 1, right = c->cols - 1;

	assert(bar->nleft <= BAR_CHIPS && bar->nright <= BAR_CHIPS);
	if (row < 0)
		return 0;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < chip_count(bar, side); i++)
			f.shown[side][i] = 2;
	fit_bar(&f);
	for (size_t i = 0; i < bar->nleft; i++) {
		if (!f.shown[0][i])
			continue;
		col += draw_chip(c, (struct hit){ .row = row, .col = col }, &bar->left[i], f.shown[0][i], hits);
		if (i == 0)
			first = col;
		col += bar->gap;
	}
	for (size_t i = bar->nright; i-- > 0;) {
		if (!f.shown[1][i])
			continue;
		right -= chip_width(&f, &bar->right[i], f.shown[1][i]);
		if (right >= 0)
			draw_chip(c, (struct hit){ .row = row, .col = right }, &bar->right[i], f.shown[1][i], hits);
		right -= bar->gap ? bar->gap : 2;
	}
	return first;
}

static void draw_rule(struct canvas *c, int row)
{
	if (row >= 0)
		canvas_fill(c, row, 0, c->cols, (struct run){ STR("─"), STYLE_RULE });
}

/* ---- lines --------------------------------------------------------------------- */

/* A part of one row: width columns from col on. */
struct spot {
	int row, col, width;
};

static void put_cell(struct canvas *c, struct spot at, const struct column *column,
		     const struct text *text, int scroll)
{
	struct run run = { text->str, text->style };
	int needed = sanitized_width(run.text, c->ascii);

	bool scrolled = scroll > 0;

	/*
	 * When the list is scrolled to the right, a text that is too long begins further behind, until its end is on
	 * the screen.
	 */
	while (scroll > 0 && needed > at.width && run.text.len) {
		size_t next = 0;

		sanitize_next(run.text, &next, c->ascii);
		run.text = str_from(run.text, next);
		scroll--;
		needed = sanitized_width(run.text, c->ascii);
	}

	if (needed > at.width && text->brief.len && !scrolled) {
		run.text = text->brief;
		needed = sanitized_width(run.text, c->ascii);
	}
	if (column->right && needed < at.width) {
		at.col += at.width - needed;
		at.width = needed;
	}
	if (column->clip != CLIP_END)
		canvas_put_middle(c, at.row, at.col, at.width, column->clip == CLIP_MIDDLE ? at.width / 2 : at.width / 3, run);
	else
		canvas_put(c, at.row, at.col, at.width, run);
}

struct grid {
	struct canvas *c;
	const struct page *page;
	int widths[LINE_CELLS];
	int gap;
	int cols;   /* columns of the list */
	int scroll; /* how many columns the cells are scrolled to the right */
};

/*
 * Returns the width that a text may take which is too long for its column: that of the empty cells behind it, too, so
 * that it is only cut when the line is full.
 */
static int width_with_empty(const struct grid *g, const struct line *line, size_t cell)
{
	int width = g->widths[cell], needed = g->page->columns[cell].right ? 0 : sanitized_width(line->cells[cell].str, g->c->ascii);

	for (size_t i = cell + 1; width < needed && i < line->ncells && i < g->page->ncolumns && !line->cells[i].str.len; i++)
		if (g->widths[i])
			width += g->gap + g->widths[i];
	return width;
}

/* Returns the columns behind the last cell of a line, which its other cells may have: none is cut while the line has room. */
static int spare_of(const struct grid *g, const struct line *line)
{
	size_t last = g->page->ncolumns;
	int spare;

	while (last && !g->widths[last - 1])
		last--;
	if (!last || line->ncells < last || g->scroll || g->page->columns[last - 1].right)
		return 0;
	spare = g->widths[last - 1] - sanitized_width(line->cells[last - 1].str, g->c->ascii);
	return spare > 0 ? spare : 0;
}

/* Returns how many columns more than its room a cell gets of those that are spare; one that has a brief form needs none. */
static int lacking(const struct grid *g, const struct text *cell, int room, int spare)
{
	int whole = sanitized_width(cell->str, g->c->ascii) - room, brief = sanitized_width(cell->brief, g->c->ascii) - room;

	if (whole <= 0 || (cell->brief.len && brief <= 0))
		return 0;
	if (whole > spare && cell->brief.len)
		whole = brief;
	return whole < spare ? whole : spare;
}

/*
 * Draws the cells of a line in their columns.  When the line has fewer cells than columns, its last cell takes the rest
 * of the line.
 */
static void draw_cells(struct grid *g, int row, const struct line *line)
{
	int col = GUTTER, indent = line->depth * 2, spare = spare_of(g, line);

	assert(line->ncells <= LINE_CELLS);
	for (size_t i = 0; i < line->ncells && i < g->page->ncolumns; i++) {
		int width = g->widths[i], shift = i == 0 ? 0 : i == 1 ? indent : 0, room, lacks;

		if (width == 0)
			continue;
		room = width_with_empty(g, line, i);
		if (i + 1 == line->ncells && i + 1 < g->page->ncolumns)
			room = g->cols - col;
		lacks = room > width ? 0 : lacking(g, &line->cells[i], room - shift, spare);
		spare -= lacks;
		room += lacks;
		if (shift < room && line->cells[i].str.len)
			put_cell(g->c, (struct spot){ row, col + shift, room - shift },
				 &g->page->columns[i], &line->cells[i], g->scroll);
		col += width + lacks + g->gap;
	}
}

static void draw_span(struct grid *g, int row, const struct line *line)
{
	int col = line->depth * 2 + (line->fold != FOLD_NONE || line->depth ? GUTTER : 0);

	for (size_t i = 0; i < line->ncells; i++)
		col += canvas_put(g->c, row, col, g->cols - col,
				  (struct run){ line->cells[i].str, line->cells[i].style });
}

static void draw_titles(struct grid *g, int row)
{
	int col = GUTTER;

	if (row < 0)
		return;
	for (size_t i = 0; i < g->page->ncolumns; i++) {
		const struct column *column = &g->page->columns[i];
		struct text title = { str_of(column->title), STR_NONE, STYLE_HEADING };

		if (g->widths[i] == 0)
			continue;
		put_cell(g->c, (struct spot){ row, col, g->widths[i] }, column, &title, 0);
		note_hit(g->page->hits, (struct hit){ row, col, g->widths[i], { .sort = column->sort } });
		col += g->widths[i] + g->gap;
	}
}

static void draw_line(struct grid *g, int row, const struct line *line, bool selected)
{
	struct canvas *c = g->c;

	if (line->fold != FOLD_NONE && g->page->ncolumns)
		canvas_put(c, row, line->flags & LINE_SPAN ? line->depth * 2 : 0, 1,
			   (struct run){ line->fold == FOLD_OPEN ? STR("▾") : STR("▸"),
					 STYLE_KEY });
	if (line->flags & LINE_MARKED)
		canvas_put(c, row, 1, 1, (struct run){ STR("*"), STYLE_KEY });
	if (line->flags & LINE_TITLES)
		draw_titles(g, row);
	else if (line->flags & LINE_SPAN || g->page->ncolumns == 0)
		draw_span(g, row, line);
	else
		draw_cells(g, row, line);
	if (line->flags & LINE_FLASH)
		canvas_overlay(c, row, 0, g->cols, STYLE_FLASH);
	if (selected)
		canvas_overlay(c, row, 0, g->cols, STYLE_SELECTED);
}

static void draw_list(struct grid *g)
{
	const struct layout *l = &g->page->layout;

	assert(g->page->selected < (int)g->page->nlines);
	for (size_t i = 0; i < g->page->nlines && (int)i < l->list_rows; i++)
		draw_line(g, l->list + (int)i, &g->page->lines[i], (int)i == g->page->selected);
	if (g->page->nlines == 0 && l->list_rows > 0)
		canvas_put(g->c, l->list + (l->list_rows > 4 ? 1 : 0), GUTTER, g->cols - GUTTER,
			   (struct run){ g->page->empty, STYLE_DIM });
}

static void draw_preview(struct grid *g)
{
	const struct layout *l = &g->page->layout;
	bool beside = l->preview_col > 0;

	for (int i = 0; i < l->preview_rows; i++) {
		int row = l->preview + i, col = l->preview_col;
		size_t at = (size_t)(beside || i == 0 ? i : i - 1);

		if (beside)
			canvas_put(g->c, row, col - 1, 1, (struct run){ STR("│"), STYLE_RULE });
		if (!beside && i == 0) {
			draw_rule(g->c, row);
			continue;
		}
		for (size_t k = 0; at < g->page->npreview && k < g->page->preview[at].ncells; k++)
			col += canvas_put(g->c, row, col, g->c->cols - col,
					  (struct run){ g->page->preview[at].cells[k].str,
							g->page->preview[at].cells[k].style });
	}
}

void draw_page(struct canvas *c, const struct page *page)
{
	const struct layout *l = &page->layout;
	struct grid g = { .c = c, .page = page, .gap = l->list_cols >= WIDE ? 2 : 1, .cols = l->list_cols, .scroll = page->scroll };
	int behind;

	assert(page->ncolumns <= LINE_CELLS && l->list_rows >= 0 && l->list_cols <= c->cols);
	canvas_clear(c);
	layout_columns(page->columns, page->ncolumns, g.cols - GUTTER, g.gap, g.widths);
	draw_bar(c, l->head, &page->head, page->hits);
	draw_bar(c, l->causes, &page->causes, page->hits);
	draw_bar(c, l->title, &page->title, page->hits);
	draw_bar(c, l->tabs, &page->tabs, page->hits);
	draw_rule(c, l->top_rule);
	if (page->titles.len && l->columns >= 0)
		canvas_put(c, l->columns, GUTTER, g.cols - GUTTER, (struct run){ page->titles, STYLE_HEADING });
	else
		draw_titles(&g, l->columns);
	draw_list(&g);
	draw_preview(&g);
	draw_rule(c, l->bottom_rule);
	behind = draw_bar(c, l->foot, &page->foot, page->hits);
	if (page->prompt && l->foot >= 0) {
		c->cursor_row = l->foot;
		c->cursor_col = behind < c->cols ? behind : c->cols - 1;
	}
}
