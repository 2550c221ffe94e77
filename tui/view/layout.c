/* SPDX-License-Identifier: Apache-2.0 */
/* The rows and columns of the screen that each part of a page has. */
#include "tui/view/layout.h"

#include "tui/state/state.h"
#include "tui/view/columns.h"
#include "tui/words/words.h"

/* The least number of screen rows with which each part of a page is shown. */
enum {
	ROWS_HEAD = 3,
	ROWS_FOOT = 4,
	ROWS_TITLE = 6,
	ROWS_TABS = 5,
	ROWS_COLUMNS = 8,
	ROWS_CAUSES = 10,
	ROWS_RULES = 16,
	PREVIEW_FROM = 12, /* rows: a shorter list has no preview below it */
	PREVIEW_LEAST = 6, /* rows: in fewer free ones there is no preview */
	PREVIEW_MOST = 80  /* columns of the preview beside the list: what is wider is for the messages of the list */
};

static int take(int *row, bool wanted)
{
	return wanted ? (*row)++ : -1;
}

/*
 * Places the preview where it takes nothing from the list: beside it when the screen is wide and its rows need less, else below
 * it in the rows that are free.  The user's own choice takes rows from a list that is long enough.
 */
static void place_preview(const struct ui *ui, struct layout *l)
{
	int beside = ui->cols / 3 < PREVIEW_MOST ? ui->cols / 3 : PREVIEW_MOST, unused = l->list_rows - (int)ui->lines.n;

	if (ui->cols >= PREVIEW_BESIDE && ui->list_needs + 1 + beside <= ui->cols) {
		l->preview_cols = beside;
		l->preview_col = ui->cols - l->preview_cols;
		l->list_cols = l->preview_col - 1;
		l->preview = l->list;
		l->preview_rows = l->list_rows;
	} else if (l->list_rows >= PREVIEW_FROM && (unused >= PREVIEW_LEAST || ui->preview == PREVIEW_ON)) {
		l->preview_rows = ui->preview == PREVIEW_ON && unused < l->list_rows * 2 / 5 ? l->list_rows * 2 / 5 : unused;
		l->list_rows -= l->preview_rows;
		l->preview = l->list + l->list_rows;
		l->preview_cols = ui->cols;
	}
}

struct layout ui_layout(const struct ui *ui)
{
	enum view_id view = ui_view(ui);
	bool lists = view == VIEW_TABLE || view == VIEW_PROBLEMS, rules = ui->rows >= ROWS_RULES;
	struct layout l;
	int row = 0, end = ui->rows;

	l.head = take(&row, ui->rows >= ROWS_HEAD);
	l.causes = take(&row, lists && ui->rows >= ROWS_CAUSES);
	l.title = take(&row, !lists && ui->rows >= ROWS_TITLE);
	l.tabs = take(&row, view == VIEW_DETAIL && ui->rows >= ROWS_TABS);
	l.top_rule = take(&row, rules);
	l.columns = take(&row, ui->ncolumns && ui->columns[0].title[0] && ui->rows >= ROWS_COLUMNS);
	l.list = row;
	l.foot = ui->rows >= ROWS_FOOT || ui->prompt ? --end : -1;
	l.bottom_rule = rules ? --end : -1;
	l.list_rows = end > row ? end - row : 0;
	l.list_cols = ui->cols;
	l.preview = l.preview_rows = l.preview_col = l.preview_cols = 0;
	if (ui_previews(ui) && lists)
		place_preview(ui, &l);
	return l;
}

struct str name_on_screen(const struct ui *ui, const struct kinds *kinds, const struct id *id, struct arena *a)
{
	return ui_layout(ui).list_cols < GLYPH_BELOW ? words_id_short(kinds, id, a) : words_id(kinds, id, a);
}
