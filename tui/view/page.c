/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a page stand, and the lines between the bars. */
#include "tui/view/page.h"

#include "tui/view/bars.h"
#include "tui/view/state.h"

/* A part is there on screens with at least so many rows. */
enum {
	ROWS_HEAD = 3,
	ROWS_FOOT = 4,
	ROWS_TITLE = 6,
	ROWS_TABS = 5,
	ROWS_COLUMNS = 8,
	ROWS_CAUSES = 10,
	ROWS_RULES = 16
};

static int take(int *row, bool wanted)
{
	return wanted ? (*row)++ : -1;
}

static bool has_columns(const struct ui *ui)
{
	return ui->ncolumns > 0 && ui->columns[0].title[0] != '\0';
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
	l.columns = take(&row, has_columns(ui) && ui->rows >= ROWS_COLUMNS);
	l.list = row;
	l.foot = ui->rows >= ROWS_FOOT || ui->prompt ? --end : -1;
	l.bottom_rule = rules ? --end : -1;
	l.list_rows = end > row ? end - row : 0;
	return l;
}

static struct str empty_words(const struct ui *ui, const struct scene *scene)
{
	const struct header *h = scene->header;

	if (ui_filter(ui).len)
		return STR("Nothing matches the filter (Esc drops it).");
	if (h->kinds_done < h->kinds_total)
		return STR("Reading …");
	if (h->link != LINK_LIVE && h->link != LINK_FILES && h->link != LINK_REPLAY)
		return STR("Nothing is known yet.");
	switch ((int)ui_view(ui)) {
	case VIEW_TABLE:
		if (h->ns.len)
			return STR("Nothing here has a status (-A: look into all namespaces).");
		return STR("Nothing has a status.");
	case VIEW_PROBLEMS:
		return STR("Nothing has failed, and nothing waits.");
	case VIEW_TIMELINE:
		return STR("Nothing has happened yet.");
	default:
		return STR("Nothing.");
	}
}

static void page_lines(const struct ui *ui, const struct scene *scene, struct page *out,
		       struct arena *frame)
{
	const struct place *place = ui_place_const(ui);
	const struct view *view = view_of(place->view);
	size_t rows = (size_t)out->layout.list_rows,
	       n = ui->lines.n > place->top ? ui->lines.n - place->top : 0;
	struct line *lines;

	if (n > rows)
		n = rows;
	lines = arena_array(frame, n, sizeof(*lines));
	for (size_t i = 0; i < n; i++) {
		lines[i] = ui->lines.all[place->top + i];
		if (lines[i].flags & LINE_LAZY)
			lines[i] = view->fill(ui, scene, lines[i], frame);
	}
	out->lines = lines;
	out->nlines = n;
	out->selected = -1;
	if (ui_line(ui) && place->selected >= place->top && place->selected < place->top + n)
		out->selected = (int)(place->selected - place->top);
	if (ui->lines.n == 0)
		out->empty = empty_words(ui, scene);
}

void page_build(const struct ui *ui, const struct scene *scene, struct page *out,
		struct arena *frame)
{
	*out = (struct page){ .layout = ui_layout(ui), .prompt = ui->prompt };
	out->columns = ui->columns;
	out->ncolumns = ui->ncolumns;
	page_lines(ui, scene, out, frame);
	bar_head(ui, scene, &out->head, frame);
	bar_causes(ui, scene, &out->causes, frame);
	bar_title(ui, scene, &out->title, frame);
	bar_tabs(ui, scene, &out->tabs, frame);
	bar_foot(ui, scene, &out->foot, frame);
}
