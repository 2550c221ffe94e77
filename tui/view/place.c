/* SPDX-License-Identifier: Apache-2.0 */
/* The open views and the way back, the selection, and the scroll position. */
#include <string.h>

#include "kube/base/assert.h"
#include "tui/view/place.h"

/* ---- the lines of a view that is left --------------------------------------------- */

void place_take_lines(struct ui *ui, struct built *out)
{
	*out = (struct built){ ui->arena, ui->lines, .ncolumns = ui->ncolumns, .folded_into = ui->folded_into,
			       .note = ui->note, .matching = ui->matching, .unfiltered_rows = ui->unfiltered_rows };
	memcpy(out->columns, ui->columns, sizeof(out->columns));
	ui->arena = (struct arena){ 0 };
	ui->lines = (struct lines){ .arena = &ui->arena };
	ui->folded_into = 0;
	ui->ncolumns = 0;
	ui->note = STR_NONE;
}

void place_give_lines(struct ui *ui, const struct built *in)
{
	arena_release(&ui->arena);
	ui->arena = in->arena;
	ui->lines = in->lines;
	ui->lines.arena = &ui->arena;
	memcpy(ui->columns, in->columns, sizeof(ui->columns));
	ui->ncolumns = in->ncolumns;
	ui->folded_into = in->folded_into;
	ui->note = in->note;
	ui->matching = in->matching;
	ui->unfiltered_rows = in->unfiltered_rows;
}

/* ---- places ------------------------------------------------------------------- */

void ui_go(struct ui *ui, enum view_id view, struct handle subject)
{
	if (ui->depth + 1 == PLACES) { /* the first place stays, the oldest after it is forgotten */
		memmove(ui->places + 1, ui->places + 2, (PLACES - 2) * sizeof(ui->places[0]));
		ui->depth--;
	}
	ui_place(ui)->left = true;
	ui_place(ui)->left_top = ui_place(ui)->top;
	ui_place(ui)->left_selected = ui_place(ui)->selected;
	if (ui_view(ui) == VIEW_TABLE && view != VIEW_TABLE && ui_is_large(ui) && !ui->must_build) {
		arena_release(&ui->saved_table.arena);
		place_take_lines(ui, &ui->saved_table);
	}
	ui->depth++;
	*ui_place(ui) = (struct place){ .view = view, .subject = subject };
	/* A filter that was typed in one list of all objects also applies in the next one. */
	if (!subject.slot && (1u << view & IN_FILTER))
		memcpy(ui_place(ui)->filter, ui->places[ui->depth - 1].filter, FILTER_BYTES);
	ui->dirty = true;
	ui->build_later = false;
	ui->must_build = true;
}

void ui_go_subject(struct ui *ui, enum view_id view)
{
	uint32_t alike = ui_alike(ui);

	ui_go(ui, view, ui_subject(ui));
	ui_place(ui)->alike = alike;
}

void ui_choose(struct ui *ui, uint64_t key, struct handle object)
{
	ui_place(ui)->key = key;
	ui_place(ui)->object = object;
	ui_place(ui)->moved = true;
}

/* ---- the selection ------------------------------------------------------------- */

static size_t list_rows(const struct ui *ui)
{
	struct layout layout = ui_layout(ui);

	return layout.list_rows > 0 ? (size_t)layout.list_rows : 1;
}

/* Returns the next line from at on, in the direction of step, that can be selected; at when there is none. */
static size_t selectable(const struct ui *ui, size_t at, int step)
{
	size_t i = at;

	while (i < ui->lines.n && (ui->lines.all[i].flags & LINE_HEADING)) {
		if (step < 0 && i == 0)
			return at;
		i += step < 0 ? (size_t)-1 : 1;
	}
	return i < ui->lines.n ? i : at;
}

static void note_selection(struct ui *ui)
{
	struct place *place = ui_place(ui);
	const struct line *line = ui_line(ui);

	place->key = line ? line->key : 0;
	place->object = line ? line->object : HANDLE_NONE;
}

/*
 * Scrolls so that the selection is on the screen; when the first line that can be selected is selected, also with the
 * heading above it.
 */
static void scroll_to_selection(struct ui *ui)
{
	struct place *place = ui_place(ui);
	size_t rows = list_rows(ui);

	if (place->selected < place->top)
		place->top = place->selected;
	if (place->selected >= place->top + rows)
		place->top = place->selected - rows + 1;
	if (selectable(ui, 0, 1) == place->selected && place->selected < rows)
		place->top = 0;
}

/* Brings selection and scroll position back into the range of the lines. */
static void ui_clamp(struct ui *ui)
{
	struct place *place = ui_place(ui);
	size_t rows = list_rows(ui), last = ui->lines.n > rows ? ui->lines.n - rows : 0;

	if (place->selected >= ui->lines.n)
		place->selected = ui->lines.n ? ui->lines.n - 1 : 0;
	if (ui_selects(ui)) {
		size_t down = selectable(ui, place->selected, 1);

		place->selected = down == place->selected ? selectable(ui, down, -1) : down;
		scroll_to_selection(ui);
	}
	if (place->top > last)
		place->top = last;
	if (!ui_selects(ui))
		place->selected = place->top;
	assert(place->selected < ui->lines.n || (ui->lines.n == 0 && place->selected == 0));
	assert(!ui_selects(ui) || (place->top <= place->selected && place->selected < place->top + rows));
	note_selection(ui);
}

void ui_arrive(struct ui *ui)
{
	struct built before;

	ui->dirty = ui->must_build = true;
	if (ui_view(ui) != VIEW_TABLE || !ui->saved_table.lines.n)
		return;
	/*
	 * The match that was chosen in the view before (the palette) is still needed, so the arena of its lines is
	 * kept.
	 */
	place_take_lines(ui, &before);
	place_give_lines(ui, &ui->saved_table);
	ui->saved_table = (struct built){ .arena = before.arena };
	ui->must_build = false;
	ui->build_later = true;
	ui_clamp(ui);
}

void ui_move_to(struct ui *ui, size_t line)
{
	struct place *place = ui_place(ui);

	place->moved = !ui_open_view(ui)->follows || line + 1 < ui->lines.n;
	if (!ui_selects(ui)) {
		place->top = line;
	} else {
		int step = line < place->selected ? -1 : 1;

		place->selected = selectable(ui,
					     line < ui->lines.n ? line
					     : ui->lines.n	? ui->lines.n - 1
								: 0,
					     step);
	}
	ui_clamp(ui);
	/* Moving to the end of a log resumes following it. */
	if (place_is_log(place)) {
		place->moved = place->top + list_rows(ui) < ui->lines.n;
		place->end = !place->moved && ui->lines.n > list_rows(ui);
	}
}

void ui_begin_filter(struct ui *ui)
{
	struct place *place = ui_place(ui);

	if (place->filter[0])
		return;
	place->unfiltered.key = place->key;
	place->unfiltered.object = place->object;
	place->unfiltered.selected = place->selected;
	place->unfiltered.top = place->top;
	place->unfiltered.moved = place->moved;
}

void ui_drop_filter(struct ui *ui)
{
	struct place *place = ui_place(ui);

	place->filter[0] = '\0';
	if (place->moved || !place->unfiltered.moved)
		return;
	place->key = place->unfiltered.key;
	place->object = place->unfiltered.object;
	place->left_selected = place->unfiltered.selected;
	place->left_top = place->unfiltered.top;
	place->left = place->moved = true;
}

void ui_move(struct ui *ui, long n)
{
	size_t at = ui_place(ui)->selected, to;

	if (n < 0)
		to = at < (size_t)-n ? 0 : at - (size_t)-n;
	else
		to = at + (size_t)n;
	ui_move_to(ui, to);
}

void place_restore(struct ui *ui, size_t row_before, bool holds_row)
{
	struct place *place = ui_place(ui);
	size_t found = ui->lines.n;

	if (place->left && !ui->loading) {
		place->left = false;
		place->top = place->left_top;
		place->selected = place->left_selected;
		row_before = place->selected > place->top ? place->selected - place->top : 0;
	}
	if (!ui_selects(ui) || !place->moved) {
		if (ui_selects(ui))
			place->selected =
				ui_open_view(ui)->follows && ui->lines.n ? ui->lines.n - 1 : 0;
		else if (place_is_log(place) && !place->moved)
			place->top = ui->log_end > list_rows(ui) ? ui->log_end - list_rows(ui) : 0;
		ui_clamp(ui);
		return;
	}
	found = ui_find_line(ui, place->key, place->object);
	if (found == ui->lines.n && ui->folded_into)
		found = ui_find_line(ui, ui->folded_into, HANDLE_NONE);
	if (found < ui->lines.n) {
		place->selected = found;
		if (place->top > 0 || holds_row)
			place->top = found > row_before ? found - row_before : 0;
	}
	ui_clamp(ui);
}

/* ---- what actions share: they return a set of enum effect -------------------------- */

unsigned act_moved(struct ui *ui)
{
	struct handle h;

	ui_dirty(ui);
	if (ui_view(ui) == VIEW_TABLE && !ui->must_build)
		ui_rearrange(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX |
	       (ui_wants(ui, &h) != WANT_NOTHING ? EFFECT_FETCH : 0);
}

unsigned act_go(struct ui *ui, enum view_id view, struct handle subject)
{
	ui_go(ui, view, subject);
	return act_moved(ui);
}

unsigned act_say(struct ui *ui, const struct scene *scene, const char *text)
{
	ui_say(ui, str_of(text), scene->clock);
	return EFFECT_REPAINT;
}

unsigned act_leave(struct ui *ui)
{
	ui->depth--;
	ui->prompt = PROMPT_NONE;
	ui->scroll = 0;
	ui_arrive(ui);
	return act_moved(ui);
}

unsigned act_to_cause(struct ui *ui, uint64_t key)
{
	unsigned effects = EFFECT_REPAINT;
	size_t at;

	if (ui_view(ui) != VIEW_PROBLEMS) {
		effects = act_go(ui, VIEW_PROBLEMS, HANDLE_NONE);
		ui_choose(ui, key, HANDLE_NONE);
		return effects;
	}
	at = ui_find_line(ui, key, HANDLE_NONE);
	if (at < ui->lines.n)
		ui_move_to(ui, at);
	return effects;
}

unsigned act_set_tab(struct ui *ui, enum tab tab)
{
	struct place *place = ui_place(ui);

	if (place->tab == tab)
		return 0;
	place->tab = tab;
	place->search[0] = '\0';
	ui->found = 0;
	place->selected = place->top = 0;
	place->key = 0;
	place->object = HANDLE_NONE;
	place->moved = false;
	return act_moved(ui);
}
