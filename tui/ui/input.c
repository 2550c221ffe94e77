/* SPDX-License-Identifier: Apache-2.0 */
/* Which key or click leads to which action. */
#include "tui/ui/act.h"

enum { WHEEL = 3 };

/* ---- the mouse -------------------------------------------------------------------- */

static unsigned click_hit(struct ui *ui, const struct scene *scene, const struct hit *hit, int col)
{
	const struct click *click = &hit->click;
	struct key key = { .input = (enum input)click->input };

	if (click->input)
		return ui_key(ui, scene, &key);
	ui->prompt = PROMPT_NONE;
	if (click->density)
		return seek_click(ui, scene, col - hit->col, hit->width);
	if (click->cause)
		return act_to_cause(ui, click->cause);
	if (click->sort)
		return act_sort_by(ui, scene, (enum sort)(click->sort - 1));
	return click->tab ? act_set_tab(ui, (enum tab)(click->tab - 1)) : ui_act(ui, scene, click->action);
}

/* A click on the mark of a fold folds or unfolds, a click on the selected row opens it, and any other click selects. */
static unsigned click_line(struct ui *ui, const struct scene *scene, size_t at, int col)
{
	const struct line *line = &ui->lines.all[at];
	bool selected = at == ui_place(ui)->selected;
	int mark = line->flags & LINE_SPAN ? line->depth * 2 : 0;
	bool folds = line->fold != FOLD_NONE && col >= mark && col < mark + 2;

	if (line->flags & LINE_HEADING)
		return 0;
	ui_move_to(ui, at);
	if (ui->prompt == PROMPT_PALETTE)
		return selected ? prompt_choose(ui, scene) : EFFECT_REPAINT;
	if (folds || selected)
		ui->prompt = PROMPT_NONE;
	if (folds)
		return ui_act(ui, scene, ACTION_FOLD);
	return selected ? ui_act(ui, scene, ACTION_OPEN) : EFFECT_REPAINT;
}

static unsigned click(struct ui *ui, const struct scene *scene, const struct key *key)
{
	struct layout layout = ui_layout(ui);
	size_t line = ui_place(ui)->top + (size_t)(key->row - layout.list);

	/* The places that can be clicked on belong to another view when a key that came just before has opened one. */
	for (size_t i = 0; i < ui->hits.n && ui->hits.view == ui_view(ui); i++) {
		const struct hit *hit = &ui->hits.all[i];

		if (key->row == hit->row && key->col >= hit->col && key->col < hit->col + hit->width)
			return click_hit(ui, scene, hit, key->col);
	}
	if (key->col >= layout.list_cols || key->row < layout.list || key->row >= layout.list + layout.list_rows ||
	    line >= ui->lines.n)
		return 0;
	if (!ui_selects(ui))
		return 0;
	return click_line(ui, scene, line, key->col);
}

/* True when the input came from the mouse or from the terminal itself, and was handled. */
static bool mouse_key(struct ui *ui, const struct scene *scene, const struct key *key,
		      unsigned *out_effects)
{
	*out_effects = EFFECT_REPAINT;
	switch ((int)key->input) {
	case INPUT_WHEEL_UP:
		ui_move(ui, -WHEEL);
		return true;
	case INPUT_WHEEL_DOWN:
		ui_move(ui, WHEEL);
		return true;
	case INPUT_CLICK:
		*out_effects = click(ui, scene, key);
		return true;
	case INPUT_RESIZE:
		return true;
	default:
		return false;
	}
}

/* ---- all ---------------------------------------------------------------------------- */

static bool is_digit_key(const struct key *key)
{
	return key->input == INPUT_RUNE && !key->ctrl && key->rune >= '1' && key->rune <= '9';
}

/* True for a digit in the table, unless the user has bound it to another action. */
static bool chooses_group(const struct ui *ui, const struct key *key)
{
	return ui_view(ui) == VIEW_TABLE && is_digit_key(key) && action_of_key(ui->bindings, IN_TABLE, key) == ACTION_NONE;
}

/* True when the key only changes or drops the text of the prompt. */
static bool types(struct ui *ui, const struct key *key)
{
	const char *text = prompt_text(ui);

	if (!text)
		return false;
	return (key->input == INPUT_RUNE && !key->ctrl) || (key->input == INPUT_BACKSPACE && text[0]) ||
	       (key->input == INPUT_ESCAPE && ui->prompt == PROMPT_FILTER);
}

/* True when the key asks for another order of the rows or for another view, and so depends on no particular row. */
static bool needs_no_row(const struct ui *ui, const struct key *key)
{
	enum action action = action_of_key(ui->bindings, 1u << ui_view(ui), key);

	return !ui->prompt && (chooses_group(ui, key) || action == ACTION_SORT || action == ACTION_REVERSE ||
			       action == ACTION_GROUP || action == ACTION_FILTER || action == ACTION_PROBLEMS || action == ACTION_PALETTE ||
			       action == ACTION_HELP || action == ACTION_BACK);
}

/* True when the key leaves the open view, so that its lines need not be up to date. */
static bool leaves(const struct ui *ui, const struct key *key)
{
	enum action action = action_of_key(ui->bindings, 1u << ui_view(ui), key);

	return !ui->prompt && ui->depth && (action == ACTION_BACK || action == ACTION_CLOSE);
}

/* Pasted text goes into an open prompt and is otherwise ignored: a pasted "q" must not end the program. */
static unsigned paste(struct ui *ui, const struct scene *scene, const struct key *key)
{
	unsigned effects = 0;

	if (!ui->prompt)
		ui_say(ui, STR("pasted text is no command: / or : takes it"), scene->clock);
	else if (key->input == INPUT_RUNE && !key->ctrl)
		prompt_key(ui, scene, key, &effects);
	return effects | EFFECT_REPAINT;
}

unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key)
{
	unsigned effects = 0, where = 1u << ui_view(ui);
	enum action action;

	if (key->input == INPUT_NONE)
		return 0;
	if (key->input != INPUT_RESIZE && key->input != INPUT_OTHER && ui->returning == RETURN_READING)
		ui->returning = RETURN_NONE;	/* a user who goes elsewhere meanwhile is not taken back */
	if (key->pasted)
		return paste(ui, scene, key);
	/*
	 * A key shows that the message at the foot was read.  A release of a mouse button or an unknown sequence
	 * (INPUT_OTHER) does not.
	 */
	if (key->input != INPUT_RESIZE && key->input != INPUT_OTHER)
		ui->say_until = ui->warning[0] = 0;
	/*
	 * Keys act on what is on the screen, so the lines must not be older than the store.  Typing depends on no line,
	 * and the lines of a very long table may be a moment old: a handle tells when its object is gone.  But after a
	 * filter was typed, a key is meant for the rows that pass it.
	 */
	ui->must_build |= ui->rearranged && !types(ui, key) && !needs_no_row(ui, key);
	if (!types(ui, key) && !leaves(ui, key) && (ui->must_build || ui_view(ui) != VIEW_TABLE || !ui_is_large(ui))) {
		ui->build_later = false;
		ui_refresh(ui, scene);
	} else if (ui_view(ui) == VIEW_TABLE && ui_is_large(ui)) {
		ui->build_later = true; /* what the key changed is painted before the table is built again */
	}
	if (ui->prompt && prompt_key(ui, scene, key, &effects))
		return effects;
	if (mouse_key(ui, scene, key, &effects))
		return effects;
	if (where == IN_DETAIL && is_digit_key(key))
		return ui_set_tab(ui, scene, key->rune - '1');
	if (chooses_group(ui, key))
		return act_group(ui, scene, key->rune - '0');
	action = action_of_key(ui->bindings, where, key);
	if (action == ACTION_NONE && key->input != INPUT_OTHER) {
		ui_say(ui, STR("? shows the keys"), scene->clock);
		return EFFECT_REPAINT;
	}
	return ui_act(ui, scene, action);
}
