/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term/theme.h"

/* Muted colours that can be read on black and on white; at night nothing shines but what is broken.
 */
static const struct theme themes[STYLE_COUNT] = {
	[STYLE_NORMAL] = { THEME_DEFAULT, THEME_DEFAULT, 0, 0 },
	[STYLE_DIM] = { 245, THEME_DEFAULT, 0, THEME_DIM },
	[STYLE_STRONG] = { THEME_DEFAULT, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },
	[STYLE_TITLE] = { THEME_DEFAULT, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },
	[STYLE_HEADING] = { 245, THEME_DEFAULT, THEME_UNDERLINE, THEME_UNDERLINE },
	[STYLE_RULE] = { 240, THEME_DEFAULT, 0, THEME_DIM },
	[STYLE_KEY] = { 109, 6, 0, THEME_BOLD },
	[STYLE_GOOD] = { 71, 2, 0, 0 },
	[STYLE_PROGRESS] = { 74, 6, 0, 0 },
	[STYLE_WAIT] = { 178, 3, 0, 0 },
	[STYLE_WARN] = { 208, 3, THEME_BOLD, THEME_BOLD },
	[STYLE_BAD] = { 203, 1, THEME_BOLD, THEME_BOLD },
	[STYLE_LEAVING] = { 139, 5, 0, 0 },
	[STYLE_UNKNOWN] = { 180, 5, 0, 0 },
	[STYLE_TAB] = { THEME_DEFAULT, THEME_DEFAULT, THEME_REVERSE, THEME_REVERSE },
	[STYLE_PROMPT] = { 178, 3, THEME_BOLD, THEME_BOLD },
	[STYLE_ALERT] = { 208, 3, THEME_REVERSE, THEME_REVERSE },
};

const struct theme *theme_of(enum style style)
{
	return &themes[style < STYLE_COUNT ? style : STYLE_NORMAL];
}
