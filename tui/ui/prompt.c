/* SPDX-License-Identifier: Apache-2.0 */
/* The prompts at the foot of the screen: a filter, a search, what the palette looks for, the name of a file. */
#include <string.h>

#include "kube/base/assert.h"
#include "kube/base/utf8.h"
#include "tui/ui/act.h"

char *prompt_text(struct ui *ui)
{
	switch (ui->prompt) {
	case PROMPT_FILTER:
		return ui_place(ui)->filter;
	case PROMPT_SEARCH:
		return ui_place(ui)->search;
	case PROMPT_PALETTE:
		return ui->palette_text;
	case PROMPT_FILE:
		return ui->file;
	case PROMPT_NONE:
		break;
	}
	return NULL;
}

static unsigned edited(struct ui *ui)
{
	struct place *place = ui_place(ui);

	if (ui->prompt == PROMPT_FILE)
		return EFFECT_REPAINT;
	place->filtered |= ui->prompt == PROMPT_FILTER;
	/* The best match is at the top of a list.  A search does not scroll while it is typed. */
	if (ui->prompt != PROMPT_SEARCH) {
		place->moved = false;
		place->selected = place->top = 0;
	}
	if (ui->prompt == PROMPT_SEARCH)
		ui_dirty(ui);
	else
		ui_rearrange(ui);
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

static unsigned prompt_rune(struct ui *ui, char *text, const struct key *key)
{
	size_t n = strlen(text), bytes;
	char utf8[4];

	if (key->ctrl) {
		if (key->rune == 'u')
			text[0] = '\0';
		else if (key->rune == 'w')
			erase_word(text);
		else if (key->rune == 'h')
			erase_rune(text);
		else
			return 0;
		return edited(ui);
	}
	bytes = utf8_put(key->rune, utf8);
	if (utf8_hostile(key->rune) || n + bytes >= FILTER_BYTES)
		return 0;
	assert(n + bytes < FILTER_BYTES);
	memcpy(text + n, utf8, bytes);
	text[n + bytes] = '\0';
	return edited(ui);
}

unsigned prompt_choose(struct ui *ui, const struct scene *scene)
{
	unsigned effects;
	enum action action = palette_choose(ui, scene, &effects);

	return action == ACTION_NONE ? effects : ui_act(ui, scene, action) | effects;
}

static unsigned end_prompt(struct ui *ui, const struct scene *scene, bool keep)
{
	enum prompt prompt = ui->prompt;
	char *text = prompt_text(ui);

	if (prompt == PROMPT_PALETTE)
		return keep ? prompt_choose(ui, scene) : act_leave(ui);
	ui->prompt = PROMPT_NONE;
	if (prompt == PROMPT_FILE)
		return keep && text[0] ? EFFECT_EXPORT | EFFECT_REPAINT : EFFECT_REPAINT;
	if (!keep)
		text[0] = '\0';
	if (prompt == PROMPT_SEARCH) {
		ui->found = 0;
		if (keep)
			return act_find_next(ui, scene, true);
		ui_dirty(ui);
		return EFFECT_REPAINT;
	}
	if (!text[0])
		ui_drop_filter(ui);
	ui_rearrange(ui);
	return EFFECT_REPAINT | EFFECT_REINDEX;
}

bool prompt_key(struct ui *ui, const struct scene *scene, const struct key *key, unsigned *out_effects)
{
	char *text = prompt_text(ui);

	*out_effects = EFFECT_REPAINT;
	switch ((int)key->input) {
	case INPUT_RUNE:
		/* ^C, ^Z and ^L act on the program in a prompt, too. */
		if (key->ctrl && (key->rune == 'c' || key->rune == 'z' || key->rune == 'l'))
			return false;
		*out_effects = prompt_rune(ui, text, key);
		return true;
	case INPUT_BACKSPACE:
		if (text[0] == '\0') {
			*out_effects = end_prompt(ui, scene, false);
			return true;
		}
		erase_rune(text);
		*out_effects = edited(ui);
		return true;
	case INPUT_ENTER:
	case INPUT_ESCAPE:
		*out_effects = end_prompt(ui, scene, key->input == INPUT_ENTER);
		return true;
	case INPUT_TAB:
		if (ui->prompt != PROMPT_PALETTE)
			return false;
		ui_move(ui, 1);
		return true;
	default:
		return false;	/* the other keys move the selection */
	}
}
