/* SPDX-License-Identifier: Apache-2.0 */
/* Going to the next match of a search in a text, and to the next problem of a list. */
#include "tui/ui/act.h"

/*
 * True when something is not well with what the line stands for.  A group always qualifies: it has a row only
 * when something in it is not well.
 */
static bool is_problem(const struct ui *ui, const struct scene *scene, const struct line *line)
{
	bool is_group = ui_view(ui) == VIEW_TABLE && ui->group != GROUP_NONE && line->count;
	struct summary s;

	return is_group || (graph_summary(scene->graph, line->object, &s) && s.severity != SEVERITY_NONE);
}

/* Returns the next line that is a problem, in the direction down or up; lines.n when there is no other. */
static size_t next_problem(const struct ui *ui, const struct scene *scene,
			   const struct place *place, bool down)
{
	size_t n = ui->lines.n;

	for (size_t i = 1; i <= n; i++) {
		size_t at = (place->selected + (down ? i : n - i)) % n;
		const struct line *line = &ui->lines.all[at];

		if (!(line->flags & LINE_HEADING) && at != place->selected &&
		    is_problem(ui, scene, line))
			return at;
	}
	return n;
}

static bool line_has(const struct line *line, struct str word)
{
	for (size_t i = 0; i < line->ncells; i++)
		if (line->cells[i].style == STYLE_MATCH && text_contains(line->cells[i].str, word))
			return true;
	return false;
}

/*
 * Goes to the next line with a match: from the last match on when it is on the screen, else from the top of the screen
 * on.
 */
unsigned act_find_next(struct ui *ui, const struct scene *scene, bool down)
{
	size_t n, top, rows = (size_t)ui_layout(ui).list_rows;
	bool on_screen;

	ui_dirty(ui);
	ui_refresh(ui, scene);
	n = ui->lines.n;
	top = ui_place(ui)->top;
	on_screen = ui->found && ui->found - 1 >= top && ui->found - 1 < top + rows;
	for (size_t i = 0; i < n; i++) {
		size_t step = on_screen || !down ? i + 1 : i, from = on_screen ? ui->found - 1 : top;
		size_t at = (from + (down ? step : n - step)) % n;

		if (line_has(&ui->lines.all[at], str_of(ui_place(ui)->search))) {
			ui_move_to(ui, at);
			ui->found = at + 1;
			return EFFECT_REPAINT;
		}
	}
	ui->found = 0;
	return act_say(ui, scene, "not found");
}

unsigned act_walk(struct ui *ui, const struct scene *scene, enum action action)
{
	enum view_id view = ui_view(ui);
	bool of_one = 1u << view & (IN_DETAIL | IN_WHY) && ui->depth > 0;
	enum tab tab = ui_place(ui)->tab;
	size_t at;

	if (ui_reads_text(ui) && ui_place(ui)->search[0])
		return act_find_next(ui, scene, action == ACTION_NEXT_PROBLEM);
	/* From details and why it goes to those of the next problem in the list from which they were opened. */
	if (of_one) {
		/* back from details and why to what they were opened from */
		while (ui->depth && 1u << ui_view(ui) & (IN_DETAIL | IN_WHY))
			ui->depth--;
		ui_arrive(ui);
		ui_refresh(ui, scene);
	}
	at = ui->lines.n ? next_problem(ui, scene, ui_place(ui), action == ACTION_NEXT_PROBLEM) : 0;
	if (at < ui->lines.n)
		ui_move_to(ui, at);
	if (of_one) {
		ui_go_subject(ui, view);
		ui_place(ui)->tab = tab;
	}
	if (at >= ui->lines.n)
		act_say(ui, scene, "no other problem");
	return of_one ? act_moved(ui) : EFFECT_REPAINT;
}
