/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a page: its bars, and the lines between them. */
#include "tui/view/page.h"

#include "kube/base/assert.h"

#include "tui/view/bars.h"
#include "tui/view/detail.h"
#include "tui/words/words.h"
#include "tui/view/views.h"

enum { PREVIEW_EVENTS = 5 };

/* Returns the text for an empty view when some kinds may not be read: there may be objects of these kinds. */
static struct str empty_where_forbidden(const struct ui *ui, const struct header *h, struct arena *a)
{
	struct str unread = well_forbidden(h->forbidden, a);

	switch ((int)ui_view(ui)) {
	case VIEW_TABLE:
		return arena_printf(a, "Nothing can be shown: " STR_FMT " (p says which).", STR_ARG(unread));
	default:
		return STR_NONE;
	}
}

static void count_coverage(void *n, const struct object_id *id, enum coverage coverage)
{
	(void)id;
	(void)coverage;
	++*(size_t *)n;
}

/* Returns true while a recorded moment is shown that is before the recorder had read anything. */
static bool nothing_was_read(const struct scene *scene)
{
	size_t n = 0;

	if ((!scene->live_graph && scene->header->link != LINK_REPLAY) || store_next(scene->store, 0).slot)
		return false;
	store_each_coverage(scene->store, count_coverage, &n);
	return n == 0;
}

static struct str empty_words(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	const struct header *h = scene->header;
	struct str of = selection_words(h, a);
	struct str forbidden = h->forbidden ? empty_where_forbidden(ui, h, a) : STR_NONE;
	struct doubt doubt;
	struct str empty;

	if (ui_view(ui) == VIEW_PALETTE)
		return str_starts(str_of(ui->palette_text), "ctx") && scene->ncontexts < 2 ? STR("There is no other context.") :
		       h->ns.len ? ARENA_JOIN(a, STR("Nothing is found in this namespace ("), h->ns, STR("); 0 looks into all.")) : STR("Nothing is found.");
	if (ui_filter(ui).len)
		return ui_place_const(ui)->filtered || !ui->depth ? STR("Nothing matches the filter (Esc drops it).") :
								    STR("Nothing matches the filter (/ and Esc drop it).");
	if (h->lists_done < h->lists_total)
		return STR("Reading …");
	if ((h->link != LINK_LIVE && h->link != LINK_FILES && h->link != LINK_REPLAY) || nothing_was_read(scene))
		return STR("Nothing is known yet.");
	if (forbidden.len && !h->no_namespace)
		return forbidden;
	switch ((int)ui_view(ui)) {
	case VIEW_TABLE:
		if (h->no_namespace)
			return arena_printf(a, "There is no namespace \"" STR_FMT "\" (-A: look into all namespaces).", STR_ARG(h->ns));
		if (of.len)
			return arena_printf(a, "Nothing is there" STR_FMT "%s" STR_FMT ".", STR_ARG(of), h->ns.len ? " in " : "",
					    STR_ARG(h->ns));
		if (h->ns.len)
			return STR("Nothing here has a status (-A: look into all namespaces).");
		return STR("Nothing has a status.");
	default:
		break;
	}
	if (ui_open_view(ui)->tells_well) {
		doubt = doubt_of(scene, a);
		return well_sentence(&ui->noted_causes->not_well, &doubt, a);
	}
	empty = ui_open_view(ui)->empty ? ui_open_view(ui)->empty(ui, scene, a) : STR("Nothing");
	return ARENA_JOIN(a, empty, of, STR("."));
}

struct line ui_line_filled(const struct ui *ui, const struct scene *scene, size_t i, struct arena *a)
{
	struct line line = ui->lines.all[i];

	return line.flags & LINE_LAZY ? ui_open_view(ui)->fill(ui, scene, line, a) : line;
}

static void page_lines(const struct ui *ui, const struct scene *scene, struct page *out,
		       struct arena *frame)
{
	const struct place *place = ui_place_const(ui);
	size_t rows = (size_t)out->layout.list_rows,
	       n = ui->lines.n > place->top ? ui->lines.n - place->top : 0;
	struct line *lines;

	if (n > rows)
		n = rows;
	lines = arena_array(frame, n, sizeof(*lines));
	for (size_t i = 0; i < n; i++) {
		lines[i] = ui_line_filled(ui, scene, place->top + i, frame);
		if (ui_pin_of(ui, scene, &lines[i]) < ui->pins.n)
			lines[i].flags |= LINE_MARKED;
	}
	assert(place->top + n <= ui->lines.n || n == 0);
	out->lines = lines;
	out->nlines = n;
	out->selected = -1;
	if (ui_line(ui) && place->selected >= place->top && place->selected < place->top + n)
		out->selected = (int)(place->selected - place->top);
	if (ui->lines.n == 0)
		out->empty = empty_words(ui, scene, frame);
}

static void add_last_events(const struct scene *scene, const struct fetched *f, struct lines *lines, int width)
{
	struct arena *a = lines->arena;
	size_t first = f->nevents > PREVIEW_EVENTS ? f->nevents - PREVIEW_EVENTS : 0;

	if (f->nevents)
		lines_heading(lines, " last Events");
	for (size_t i = f->nevents; i-- > first;) {
		const struct event_row *e = &f->events[i];
		struct str age = ARENA_JOIN(a, words_age(e->time, scene->now, a));

		why_fact(lines, age.ptr,
			 ARENA_JOIN(a, e->reason, STR(": "), words_first_line(e->message)),
			 str_is(e->type, "Warning") ? STYLE_WARN : STYLE_DIM, width);
	}
}

/* Adds a line for each member of a row that stands for several objects, the worst first. */
static void add_members(const struct ui *ui, const struct scene *scene, struct lines *lines, int rows)
{
	const struct line *row = ui_line(ui);
	const struct kinds *kinds = store_kinds(scene->store);
	struct arena *a = lines->arena;
	size_t n = row->texts->nmembers, first = row->object.slot ? 1 : 0, used = lines->n + 2,
	       room = (size_t)rows > used ? (size_t)rows - used : 1, shown = 0;

	if (first && (size_t)rows <= used) {
		lines_note(lines, ARENA_JOIN(a, STR(" and "), words_count(row->count - 1, a), STR(" more like it")));
		return;
	}
	lines_heading(lines, first ? " and so are" : ARENA_JOIN(a, STR(" the worst of "), words_count(row->count, a)).ptr);
	for (size_t i = first; i < n && shown < room; i++, shown++) {
		struct summary s;

		if (!graph_summary(scene->graph, row->texts->members[i], &s))
			continue;
		lines_add(lines)->flags = LINE_SPAN;
		lines_cell(lines, arena_printf(a, " %s ", phase_appearance(s.phase)->glyph), phase_appearance(s.phase)->style);
		lines_cell(lines, words_place(kinds, &s.id, true, a), STYLE_NORMAL);
		lines_cell(lines,
			   ARENA_JOIN(a, STR("  "), words_when(s.since, scene->now, scene->absolute_time, a), STR("  "),
				      words_said(&s, a)),
			   STYLE_DIM);
	}
	if (row->count > first + shown)
		lines_note(lines, ARENA_JOIN(a, STR(" and "), words_count(row->count - first - shown, a), STR(" more")));
}

/*
 * Builds the preview of the selected row: why, the message, and the last Events; for a row that stands for several
 * objects its members.
 */
static void page_preview(const struct ui *ui, const struct scene *scene, struct page *out, struct arena *frame)
{
	struct lines lines = { .arena = frame };
	struct handle h = ui_subject(ui);
	struct why w = { scene->graph, scene->store, scene->now, &lines, out->layout.preview_cols - 2, scene->absolute_time,
			 out->layout.preview_col > 0, 0 };
	const struct fetched *f = scene_fetched(scene, h, WANT_OWN_EVENTS);
	bool several;

	if (!out->layout.preview_rows)
		return;
	several = ui_line(ui) && ui_line(ui)->texts && ui_line(ui)->texts->nmembers;
	if ((!h.slot || !why_lines(&w, h)) && !several)
		lines_note(&lines, STR(" Nothing is selected."));
	if (several)
		add_members(ui, scene, &lines, out->layout.preview_rows);
	if (f && f->state == FETCH_OK && !several)
		add_last_events(scene, f, &lines, out->layout.preview_cols - 2);
	out->preview = lines.all;
	out->npreview = lines.n;
}

void page_build(struct ui *ui, const struct scene *scene, struct page *out,
		struct arena *frame)
{
	*out = (struct page){ .layout = ui_layout(ui), .prompt = ui->prompt != PROMPT_NONE };
	ui->hits.n = 0;
	ui->hits.view = ui_view(ui);
	out->hits = &ui->hits;
	out->columns = ui->columns;
	out->ncolumns = ui->ncolumns;
	if (ui_view(ui) == VIEW_TABLE && ui->group != GROUP_NONE)
		out->titles = groups_titles(ui, scene, frame);
	page_lines(ui, scene, out, frame);
	page_preview(ui, scene, out, frame);
	out->scroll = ui->scroll;
	bar_head(ui, scene, &out->head, frame);
	bar_causes(ui, scene, &out->causes, frame);
	bar_title(ui, scene, &out->title, frame);
	bar_tabs(ui, scene, &out->tabs, frame);
	bar_foot(ui, scene, &out->foot, frame);
}
