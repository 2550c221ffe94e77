/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/plain.h"

#include <string.h>

#include "kube/base/utf8.h"
#include "tui/draw/sanitize.h"

enum { GAP = 3, LEAST_CUT = 16, CELL_MOST = 48 };

/* The SGR parameters of each style; NULL: the terminal's own colour. */
static const char *const colors[STYLE_COUNT] = {
	[STYLE_STRONG] = "1",	[STYLE_GOOD] = "32",	[STYLE_PROGRESS] = "36",
	[STYLE_WAIT] = "33",	[STYLE_WARN] = "33;1",	[STYLE_BAD] = "31;1",
	[STYLE_LEAVING] = "35", [STYLE_UNKNOWN] = "35",
};

/* Returns s without the white space at its end. */
static struct str without_end(struct str s)
{
	while (s.len && str_trim(str_from(s, s.len - 1)).len == 0)
		s.len--;
	return s;
}

static bool is_plain_ascii(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < ' ' || s.ptr[i] > '~')
			return false;
	return true;
}

/* Appends s, sanitized, in at most max columns; an ellipsis shows where it was cut.  Returns the number of columns. */
static int add_text(struct str s, int max, struct buf *out)
{
	int width, used = 0;
	bool cut;

	if (max >= 0 && s.len <= (size_t)max && is_plain_ascii(s)) {
		buf_add(out, s);
		return (int)s.len;
	}
	width = sanitized_width(s, false);
	cut = width > max;
	for (size_t at = 0; at < s.len;) {
		uint32_t rune = sanitize_next(s, &at, false);
		int w = utf8_width(rune);
		char utf8[4];

		if (cut && used + w > max - 1)
			break;
		buf_add(out, (struct str){ utf8, utf8_put(rune, utf8) });
		used += w;
	}
	if (cut) {
		buf_add_cstr(out, "…");
		used++;
	}
	return used;
}

void plain_safe(struct str s, struct buf *out)
{
	add_text(s, UNWRAPPED, out);
}

static int add_colored(const struct plain *p, const struct text *text, int max, struct buf *out)
{
	const char *color = p->color && text->str.len ? colors[text->style] : NULL;
	int used;

	if (color)
		buf_printf(out, "\033[%sm", color);
	used = add_text(text->str, max, out);
	if (color)
		buf_add_cstr(out, "\033[0m");
	return used;
}

static void add_blanks(int n, struct buf *out)
{
	while (n-- > 0)
		buf_add_char(out, ' ');
}

/* ---- columns -------------------------------------------------------------------- */

struct grid {
	const struct plain *p;
	const struct table *table;
	const struct columns_shown *shown; /* the meaning of each column; NULL: its columns are others */
	int widths[LINE_CELLS];
};

/* True for a column in which few long cells do not make every row as long: a reason, or a chain of waits. */
static bool is_capped(const struct grid *g, size_t k)
{
	return g->shown && k + 1 < g->table->ncolumns && g->shown->at[k] < COLUMN_COUNT && column_row(g->shown->at[k])->explains;
}

static void measure(struct grid *g)
{
	struct plain_memory *memory = g->p->memory;
	bool same = memory && memory->ncolumns == g->table->ncolumns;

	for (size_t k = 0; k < g->table->ncolumns; k++) {
		int widest = g->p->no_headers ? 0 : (int)strlen(g->table->columns[k].title);

		if (same && memory->widths[k] > widest)
			widest = memory->widths[k];
		for (size_t i = 0; i < g->table->lines->n; i++) {
			const struct line *line = &g->table->lines->all[i];
			int width = k < line->ncells ? sanitized_width(line->cells[k].str, false) : 0;

			if (width > widest && (width <= CELL_MOST || !is_capped(g, k)))
				widest = width;
		}
		g->widths[k] = widest;
	}
	if (!memory)
		return;
	memory->ncolumns = g->table->ncolumns;
	memcpy(memory->widths, g->widths, sizeof(g->widths));
}

/* Appends a row.  Spaces are appended only before further text, so that no line ends with one. */
static void add_row(const struct grid *g, const struct text *cells, size_t n, struct buf *out)
{
	int owed = 0, col = 0;

	for (size_t k = 0; k < n && k < g->table->ncolumns; k++) {
		bool last = k + 1 == g->table->ncolumns;
		int max = UNWRAPPED, used = 0;
		struct text text = cells[k];

		text.str = without_end(text.str);
		if (text.str.len) {
			if (last && g->p->listing.width)
				max = g->p->listing.width - col - owed > LEAST_CUT
					      ? g->p->listing.width - col - owed
					      : LEAST_CUT;
			else if (g->p->listing.width && is_capped(g, k))
				max = CELL_MOST;
			add_blanks(owed, out);
			col += owed;
			owed = 0;
			used = add_colored(g->p, &text, max, out);
			col += used;
		}
		owed += (g->widths[k] > used ? g->widths[k] - used : 0) + GAP;
	}
	buf_add_char(out, '\n');
}

static void add_grid(struct grid *g, struct buf *out)
{
	if (g->table->lines->n == 0)
		return;
	measure(g);
	if (!g->p->no_headers) {
		struct text titles[LINE_CELLS] = { { STR_NONE, STR_NONE, STYLE_NORMAL } };

		for (size_t k = 0; k < g->table->ncolumns; k++)
			titles[k] = (struct text){ str_of(g->table->columns[k].title), STR_NONE,
						   STYLE_NORMAL };
		add_row(g, titles, g->table->ncolumns, out);
	}
	for (size_t i = 0; i < g->table->lines->n; i++)
		add_row(g, g->table->lines->all[i].cells, g->table->lines->all[i].ncells, out);
}

/* ---- texts ---------------------------------------------------------------------- */

/* Appends the cells of each line one after the other, without the left margin that a screen has. */
static void add_spans(const struct plain *p, const struct lines *lines, struct buf *out)
{
	for (size_t i = 0; i < lines->n; i++) {
		const struct line *line = &lines->all[i];
		size_t n = line->ncells;

		while (n > 0 && str_trim(line->cells[n - 1].str).len == 0)
			n--;
		for (size_t k = 0; k < n; k++) {
			struct text text = line->cells[k];

			if (k + 1 == n)
				text.str = without_end(text.str);
			if (k == 0 && str_starts(text.str, " "))
				text.str = str_from(text.str, 1);
			add_colored(p, &text, UNWRAPPED, out);
		}
		buf_add_char(out, '\n');
	}
}

/* ---- formats -------------------------------------------------------------------- */

typedef void listing_function(const struct listing *r, const struct handle *handles, size_t n,
			     struct listing_out *out);

static void add_listing(const struct plain *p, const struct handle *handles, size_t n,
		       listing_function *fill, struct buf *out)
{
	struct arena arena = { 0 };
	struct lines lines = { .arena = &arena }, after = { .arena = &arena };
	struct listing_out listing = { .table = { .lines = &lines }, .after = &after };
	struct listing r = p->listing;
	struct grid g = { .p = p, .table = &listing.table, .shown = &listing.shown };

	r.ns |= p->memory && p->memory->ns;
	r.cluster |= p->memory && p->memory->cluster;
	listing.rest = arena_array(&arena, n, sizeof(*listing.rest));
	fill(&r, handles, n, &listing);
	for (size_t k = 0; p->memory && k < listing.shown.n; k++) {
		p->memory->ns |= listing.shown.at[k] == COLUMN_NAMESPACE;
		p->memory->cluster |= listing.shown.at[k] == COLUMN_CLUSTER;
	}
	if (listing.table.ncolumns)
		add_grid(&g, out);
	else
		add_spans(p, &lines, out);
	if (listing.nrest) {
		buf_add_cstr(out, "\nAlso not ready:\n");
		plain_list(p, listing.rest, listing.nrest, out);
	}
	add_spans(p, &after, out);
	arena_release(&arena);
}

void plain_table(const struct plain *p, const struct table *table, struct buf *out)
{
	struct grid g = { .p = p, .table = table };

	add_grid(&g, out);
}

void plain_list(const struct plain *p, const struct handle *handles, size_t n, struct buf *out)
{
	add_listing(p, handles, n, listing_list, out);
}

void plain_tree(const struct plain *p, const struct handle *handles, size_t n, struct buf *out)
{
	add_listing(p, handles, n, listing_tree, out);
}

void plain_why(const struct plain *p, const struct handle *handles, size_t n, struct buf *out)
{
	add_listing(p, handles, n, listing_why, out);
}

void plain_problems(const struct plain *p, const struct handle *handles, size_t n, struct buf *out)
{
	add_listing(p, handles, n, listing_problems, out);
}
