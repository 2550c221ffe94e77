/* SPDX-License-Identifier: Apache-2.0 */
/* Which key or click means which action. */
#include "tui/ui/act.h"

enum { WHEEL = 3 };

/* ---- the mouse -------------------------------------------------------------------- */

static unsigned click_hit(struct ui *ui, const struct scene *scene, const struct hit *hit, int col)
{
	const struct click *click = &hit->click;
	struct key key = { .input = (enum input)click->input };

	if (click->input)
		return ui_key(ui, scene, &key);
	prompt_end(ui);
	if (click->density)
		return seek_click(ui, scene, col - hit->col, hit->width);
	if (click->cause)
		return act_to_cause(ui, click->cause);
	if (click->sort)
		return act_sort_by(ui, scene, (enum sort)(click->sort - 1));
	return click->tab ? act_set_tab(ui, (enum tab)(click->tab - 1)) : ui_act(ui, scene, click->action);
}

/* On the mark of a fold it folds, on the selected row it opens, else it selects. */
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
		prompt_end(ui);
	if (folds)
		return ui_act(ui, scene, ACTION_FOLD);
	return selected ? ui_act(ui, scene, ACTION_OPEN) : EFFECT_REPAINT;
}

static unsigned click(struct ui *ui, const struct scene *scene, const struct key *key)
{
	struct layout layout = ui_layout(ui);
	size_t line = ui_place(ui)->top + (size_t)(key->row - layout.list);

	/* A key that came just before may have opened another view. */
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

/* True when the mouse, or the terminal itself, had something to say. */
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

static bool is_digit(const struct key *key)
{
	return key->input == INPUT_RUNE && !key->ctrl && key->rune >= '1' && key->rune <= '9';
}

/* A digit in the table, unless it is the user's key for something else. */
static bool chooses_group(const struct ui *ui, const struct key *key)
{
	return ui_view(ui) == VIEW_TABLE && is_digit(key) && action_of_key(ui->bindings, IN_TABLE, key) == ACTION_NONE;
}

/* It only changes what stands at the prompt, or drops it. */
static bool types(struct ui *ui, const struct key *key)
{
	const char *text = prompt_text(ui);

	if (!text)
		return false;
	return (key->input == INPUT_RUNE && !key->ctrl) || (key->input == INPUT_BACKSPACE && text[0]) ||
	       (key->input == INPUT_ESCAPE && ui->prompt == PROMPT_FILTER);
}

/* It asks for another order of the rows, whichever they are, or for another view that concerns none of them. */
static bool needs_no_row(const struct ui *ui, const struct key *key)
{
	enum action action = action_of_key(ui->bindings, 1u << ui_view(ui), key);

	return !ui->prompt && (chooses_group(ui, key) || action == ACTION_SORT || action == ACTION_REVERSE ||
			       action == ACTION_GROUP || action == ACTION_FILTER || action == ACTION_PROBLEMS || action == ACTION_PALETTE ||
			       action == ACTION_HELP || action == ACTION_BACK);
}

/* Whatever is in the lines of the open view, it is not looked at any more. */
static bool leaves(const struct ui *ui, const struct key *key)
{
	enum action action = action_of_key(ui->bindings, 1u << ui_view(ui), key);

	return !ui->prompt && ui->depth && (action == ACTION_BACK || action == ACTION_CLOSE);
}

/* Into a prompt what is text; else nothing: a pasted "q" must not quit. */
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
		ui->returning = RETURN_NONE;	/* who goes elsewhere meanwhile is there */
	if (key->pasted)
		return paste(ui, scene, key);
	/* It was read.  The other end of a click is no key, nor is what nobody knows. */
	if (key->input != INPUT_RESIZE && key->input != INPUT_OTHER)
		ui->say_until = 0;
	/*
	 * Keys act on what is on the screen: lines must not be older than the store.  Typing needs none of them,
	 * and those of a very long table may be a moment old: handles tell who is gone.  But who typed a filter
	 * means what passes it.
	 */
	ui->must_build |= ui->rearranged && !types(ui, key) && !needs_no_row(ui, key);
	if (!types(ui, key) && !leaves(ui, key) && (ui->must_build || ui_view(ui) != VIEW_TABLE || !ui_is_large(ui))) {
		ui->build_later = false;
		ui_refresh(ui, scene);
	} else if (ui_view(ui) == VIEW_TABLE && ui_is_large(ui)) {
		ui->build_later = true; /* the answer is painted before the table is built anew */
	}
	if (ui->prompt && prompt_key(ui, scene, key, &effects))
		return effects;
	if (mouse_key(ui, scene, key, &effects))
		return effects;
	if (where == IN_DETAIL && is_digit(key))
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
