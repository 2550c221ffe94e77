/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and clicks: the prompt takes them first, then the table of actions. */
#include <stdio.h>
#include <string.h>

#include "kube/base/utf8.h"
#include "tui/view/state.h"

enum { WHEEL = 3 };

/* ---- the prompt ------------------------------------------------------------------ */

static unsigned edited(struct ui *ui)
{
	struct place *place = ui_place(ui);

	/* The best match is at the top. */
	place->moved = false;
	place->selected = place->top = 0;
	ui_dirty(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

static void erase_rune(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

static void erase_word(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && text[n - 1] == ' ')
		n--;
	while (n > 0 && text[n - 1] != ' ')
		n--;
	text[n] = '\0';
}

static unsigned prompt_rune(struct ui *ui, const struct key *key)
{
	size_t n = strlen(ui->filter), bytes;
	char utf8[4];

	if (key->ctrl) {
		if (key->rune == 'u')
			ui->filter[0] = '\0';
		else if (key->rune == 'w')
			erase_word(ui->filter);
		else if (key->rune == 'h')
			erase_rune(ui->filter);
		else
			return 0;
		return edited(ui);
	}
	bytes = utf8_put(key->rune, utf8);
	if (utf8_hostile(key->rune) || n + bytes >= FILTER_BYTES)
		return 0;
	memcpy(ui->filter + n, utf8, bytes);
	ui->filter[n + bytes] = '\0';
	return edited(ui);
}

/* True when the prompt used the key. */
static bool prompt_key(struct ui *ui, const struct key *key, unsigned *out_effects)
{
	*out_effects = EFFECT_REPAINT;
	switch ((int)key->input) {
	case INPUT_RUNE:
		/* ^C and ^Z are for the program also here. */
		if (key->ctrl && (key->rune == 'c' || key->rune == 'z' || key->rune == 'l'))
			return false;
		*out_effects = prompt_rune(ui, key);
		return true;
	case INPUT_BACKSPACE:
		if (ui->filter[0] == '\0')
			ui->prompt = false;
		erase_rune(ui->filter);
		*out_effects = edited(ui);
		return true;
	case INPUT_ENTER:
		ui->prompt = false;
		ui_dirty(ui);
		return true;
	case INPUT_ESCAPE:
		ui->prompt = false;
		ui->filter[0] = '\0';
		*out_effects = edited(ui);
		return true;
	default:
		return false; /* arrows and pages move the selection */
	}
}

/* ---- the mouse -------------------------------------------------------------------- */

static unsigned click(struct ui *ui, const struct scene *scene, const struct key *key)
{
	struct layout layout = ui_layout(ui);
	size_t line = ui_place(ui)->top + (size_t)(key->row - layout.list);
	bool same;

	if (key->row < layout.list || key->row >= layout.list + layout.list_rows ||
	    line >= ui->lines.n)
		return 0;
	same = line == ui_place(ui)->selected;
	if (!view_of(ui_view(ui))->lists &&
	    !(ui_view(ui) == VIEW_DETAIL && tab_lists(ui_place(ui)->tab)))
		return 0;
	ui_move_to(ui, line);
	if (key->col < 2 && ui->lines.all[line].fold != FOLD_NONE)
		return ui_act(ui, scene, ACTION_FOLD);
	if (key->input == INPUT_DOUBLE_CLICK || same)
		return ui_act(ui, scene, ACTION_OPEN);
	return EFFECT_REPAINT;
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
	case INPUT_DOUBLE_CLICK:
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

unsigned ui_key(struct ui *ui, const struct scene *scene, const struct key *key)
{
	unsigned effects = 0, where = 1u << ui_view(ui);
	enum action action;

	if (key->input == INPUT_NONE)
		return 0;
	/* Keys act on what is on the screen: lines must not be older than the store. */
	ui_refresh(ui, scene);
	if (ui->prompt && prompt_key(ui, key, &effects))
		return effects;
	if (mouse_key(ui, scene, key, &effects))
		return effects;
	if (where == IN_DETAIL && is_digit(key))
		return ui_set_tab(ui, scene, key->rune - '1');
	action = action_of_key(where, key);
	if (action == ACTION_NONE && key->input != INPUT_OTHER) {
		ui_say(ui, STR("? shows the keys"), scene->now);
		return EFFECT_REPAINT;
	}
	return ui_act(ui, scene, action);
}
