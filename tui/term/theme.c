/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term/theme.h"

#include <math.h>

/* The styles of both dark themes that say nothing about health. */
#define DARK_TEXT                                                                          \
	[STYLE_NORMAL] = { THEME_DEFAULT, 255, THEME_DEFAULT, 0, 0 },                      \
	[STYLE_DIM] = { 246, 250, THEME_DEFAULT, 0, 0 },                                   \
	[STYLE_STRONG] = { THEME_DEFAULT, 255, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },    \
	[STYLE_TITLE] = { THEME_DEFAULT, 255, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },     \
	[STYLE_HEADING] = { 246, 250, THEME_DEFAULT, THEME_UNDERLINE, THEME_UNDERLINE },   \
	[STYLE_RULE] = { 240, 240, THEME_DEFAULT, 0, THEME_DIM },                          \
	[STYLE_TAB] = { THEME_DEFAULT, 255, THEME_DEFAULT, THEME_REVERSE, THEME_REVERSE }, \
	[STYLE_ALERT] = { 208, 215, 3, THEME_REVERSE, THEME_REVERSE },                     \
	[STYLE_MATCH] = { 221, 226, 3, THEME_UNDERLINE, THEME_UNDERLINE }

/*
 * The colours are muted: in a dark room only what is broken stands out.  All text has a contrast of at least 4.5:1 to
 * the background that the theme is for, also on the selected row (tests/unit/test_ui_term.c measures it).  A rule is no
 * text and may have less.
 */
static const struct theme dark = {
	.background = 0x1e1e1e,
	.text = 0xd0d0d0,
	.bg = THEME_DEFAULT,
	.selected_bg = 236,
	.styles = {
		DARK_TEXT,
		[STYLE_KEY] = { 109, 152, 6, 0, THEME_BOLD },
		[STYLE_GOOD] = { 71, 114, 2, 0, 0 },
		[STYLE_PROGRESS] = { 74, 117, 6, 0, 0 },
		[STYLE_WAIT] = { 178, 221, 3, 0, 0 },
		[STYLE_WARN] = { 208, 215, 3, THEME_BOLD, THEME_BOLD },
		[STYLE_BAD] = { 203, 210, 1, THEME_BOLD, THEME_BOLD },
		[STYLE_LEAVING] = { 139, 182, 5, THEME_BOLD, 0 },
		[STYLE_UNKNOWN] = { 180, 223, 5, THEME_BOLD, 0 },
		[STYLE_PROMPT] = { 178, 221, 3, THEME_BOLD, THEME_BOLD },
	},
};

/* The styles that both light themes share. */
#define LIGHT_TEXT                                                                        \
	[STYLE_NORMAL] = { THEME_DEFAULT, 16, THEME_DEFAULT, 0, 0 },                      \
	[STYLE_STRONG] = { THEME_DEFAULT, 16, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },    \
	[STYLE_TITLE] = { THEME_DEFAULT, 16, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },     \
	[STYLE_HEADING] = { 241, 238, THEME_DEFAULT, THEME_UNDERLINE, THEME_UNDERLINE },  \
	[STYLE_RULE] = { 250, 250, THEME_DEFAULT, 0, THEME_DIM },                         \
	[STYLE_KEY] = { 24, 24, 4, 0, THEME_BOLD },                                       \
	[STYLE_TAB] = { THEME_DEFAULT, 16, THEME_DEFAULT, THEME_REVERSE, THEME_REVERSE }, \
	[STYLE_PROMPT] = { 24, 24, 4, THEME_BOLD, THEME_BOLD },                           \
	[STYLE_MATCH] = { 90, 90, 5, THEME_UNDERLINE, THEME_UNDERLINE }

/*
 * With eight colours, green, cyan and yellow cannot be read on white: these styles have no colour, and the word and the
 * glyph tell the phase.
 */
static const struct theme light = {
	.background = 0xf5f5f5,
	.text = 0x202020,
	.bg = THEME_DEFAULT,
	.selected_bg = 253,
	.styles = {
		LIGHT_TEXT,
		[STYLE_DIM] = { 241, 238, THEME_DEFAULT, 0, 0 },
		[STYLE_GOOD] = { 22, 22, THEME_DEFAULT, 0, 0 },
		[STYLE_PROGRESS] = { 25, 25, 4, 0, 0 },
		[STYLE_WAIT] = { 58, 58, THEME_DEFAULT, 0, 0 },
		[STYLE_WARN] = { 94, 58, 5, THEME_BOLD, THEME_BOLD },
		[STYLE_BAD] = { 160, 124, 1, THEME_BOLD, THEME_BOLD },
		[STYLE_LEAVING] = { 90, 90, 5, 0, 0 },
		[STYLE_UNKNOWN] = { 95, 59, 5, 0, 0 },
		[STYLE_ALERT] = { 94, 58, 1, THEME_REVERSE, THEME_REVERSE },
	},
};

/* White on a black background that the program paints itself; the contrast is at least 7:1. */
static const struct theme high_contrast = {
	.background = 0x000000,
	.text = 0xffffff,
	.bg = 16,
	.selected_bg = 18,
	.styles = {
		[STYLE_NORMAL] = { 231, 231, 7, 0, 0 },
		[STYLE_DIM] = { 252, 255, 7, 0, 0 },
		[STYLE_STRONG] = { 231, 231, 7, THEME_BOLD, THEME_BOLD },
		[STYLE_TITLE] = { 231, 231, 7, THEME_BOLD, THEME_BOLD },
		[STYLE_HEADING] = { 255, 255, 7, THEME_UNDERLINE, THEME_UNDERLINE },
		[STYLE_RULE] = { 250, 250, 7, 0, 0 },
		[STYLE_KEY] = { 123, 123, 6, THEME_BOLD, THEME_BOLD },
		[STYLE_GOOD] = { 120, 120, 2, 0, 0 },
		[STYLE_PROGRESS] = { 123, 123, 6, 0, 0 },
		[STYLE_WAIT] = { 227, 227, 3, 0, 0 },
		[STYLE_WARN] = { 221, 221, 3, THEME_BOLD, THEME_BOLD },
		[STYLE_BAD] = { 217, 217, 3, THEME_BOLD | THEME_UNDERLINE, THEME_BOLD | THEME_UNDERLINE },
		[STYLE_LEAVING] = { 225, 225, 7, 0, 0 },
		[STYLE_UNKNOWN] = { 230, 230, 7, 0, 0 },
		[STYLE_TAB] = { 231, 231, 7, THEME_REVERSE, THEME_REVERSE },
		[STYLE_PROMPT] = { 227, 227, 3, THEME_BOLD, THEME_BOLD },
		[STYLE_ALERT] = { 221, 221, 3, THEME_REVERSE, THEME_REVERSE },
		[STYLE_MATCH] = { 227, 227, 3, THEME_UNDERLINE, THEME_UNDERLINE },
	},
};

/* What is broken is orange and what is well is blue: no two styles differ in red and green only. */
static const struct theme colour_blind_dark = {
	.background = 0x1e1e1e,
	.text = 0xd0d0d0,
	.bg = THEME_DEFAULT,
	.selected_bg = 236,
	.styles = {
		DARK_TEXT,
		[STYLE_KEY] = { 152, 153, 6, 0, THEME_BOLD },
		[STYLE_GOOD] = { 33, 39, 6, 0, 0 },
		[STYLE_PROGRESS] = { 123, 123, 6, 0, 0 },
		[STYLE_WAIT] = { 228, 222, 3, 0, 0 },
		[STYLE_WARN] = { 220, 226, 3, THEME_BOLD, THEME_BOLD },
		[STYLE_BAD] = { 202, 214, 3, THEME_BOLD | THEME_UNDERLINE, THEME_BOLD | THEME_UNDERLINE },
		[STYLE_LEAVING] = { 212, 206, 5, THEME_BOLD, 0 },
		[STYLE_UNKNOWN] = { 144, 108, 7, 0, 0 },
		[STYLE_PROMPT] = { 221, 221, 3, THEME_BOLD, THEME_BOLD },
	},
};

static const struct theme colour_blind_light = {
	.background = 0xf5f5f5,
	.text = 0x202020,
	.bg = THEME_DEFAULT,
	.selected_bg = 253,
	.styles = {
		LIGHT_TEXT,
		[STYLE_DIM] = { 238, 238, THEME_DEFAULT, 0, 0 },
		[STYLE_GOOD] = { 18, 18, 4, 0, 0 },
		[STYLE_PROGRESS] = { 62, 24, 4, 0, 0 },
		[STYLE_WAIT] = { 94, 58, THEME_DEFAULT, 0, 0 },
		[STYLE_WARN] = { 52, 52, THEME_DEFAULT, THEME_BOLD, THEME_BOLD },
		[STYLE_BAD] = { 88, 88, 1, THEME_BOLD | THEME_UNDERLINE, THEME_BOLD | THEME_UNDERLINE },
		[STYLE_LEAVING] = { 91, 53, 5, 0, 0 },
		[STYLE_UNKNOWN] = { 59, 235, THEME_DEFAULT, 0, 0 },
		[STYLE_ALERT] = { 88, 88, 1, THEME_REVERSE, THEME_REVERSE },
	},
};

static const char *const names[THEME_COUNT] = {
	[THEME_AUTO] = "auto",
	[THEME_DARK] = "dark",
	[THEME_LIGHT] = "light",
	[THEME_HIGH_CONTRAST] = "high-contrast",
	[THEME_COLOUR_BLIND] = "colour-blind",
	[THEME_NONE] = "none",
};

bool theme_parse(struct str name, enum theme_name *out)
{
	for (int i = 0; i < THEME_COUNT; i++)
		if (str_is(name, names[i])) {
			*out = (enum theme_name)i;
			return true;
		}
	return false;
}

const char *theme_names(void)
{
	return "auto, dark, light, high-contrast, colour-blind, none";
}

const struct theme *theme_of(enum theme_name name, bool is_light)
{
	switch (name) {
	case THEME_LIGHT:
		return &light;
	case THEME_HIGH_CONTRAST:
		return &high_contrast;
	case THEME_COLOUR_BLIND:
		return is_light ? &colour_blind_light : &colour_blind_dark;
	case THEME_AUTO:
		return is_light ? &light : &dark;
	case THEME_DARK:
	case THEME_NONE:
	case THEME_COUNT:
		break;
	}
	return &dark;
}

/* ---- contrast ------------------------------------------------------------------- */

uint32_t theme_rgb(short colour)
{
	static const uint32_t first[16] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
					    0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
					    0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };
	static const uint32_t levels[6] = { 0, 95, 135, 175, 215, 255 };
	enum { CUBE = 16, GREYS = 232 };
	uint32_t n = colour < 0 ? 0 : (uint32_t)colour, grey;

	if (n < CUBE)
		return first[n];
	if (n < GREYS) {
		n -= CUBE;
		return levels[n / 36] << 16 | levels[n / 6 % 6] << 8 | levels[n % 6];
	}
	grey = 8 + 10 * (n - GREYS);
	return grey << 16 | grey << 8 | grey;
}

static double linear(uint32_t level)
{
	double c = level / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb)
{
	return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) + 0.0722 * linear(rgb & 255);
}

double theme_contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

bool theme_is_light(uint32_t background)
{
	return theme_contrast(background, 0x000000) > theme_contrast(background, 0xffffff);
}
