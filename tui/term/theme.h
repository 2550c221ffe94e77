/* SPDX-License-Identifier: Apache-2.0 */
/* The colours and attributes of each style in each theme. */
#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

#include "kube/base/str.h"
#include "tui/words/style.h"

enum theme_attr { THEME_BOLD = 1, THEME_DIM = 2, THEME_REVERSE = 4, THEME_UNDERLINE = 8 };

enum { THEME_DEFAULT = -1 }; /* the default colour of the terminal */

/*
 * The themes, by their names in the preferences.  auto is light when the terminal reports a light background, else
 * dark.
 */
enum theme_name { THEME_AUTO, THEME_DARK, THEME_LIGHT, THEME_HIGH_CONTRAST, THEME_COLOUR_BLIND, THEME_NONE, THEME_COUNT };

/* The colours of a style, as terminals number them. */
struct theme_style {
	short fg256, selected256; /* with 256 colours; selected256: on the selected row */
	short fg8;
	uint8_t attr; /* enum theme_attr, used with colours */
	uint8_t mono; /* enum theme_attr, used without colours */
};

struct theme {
	struct theme_style styles[STYLE_COUNT];
	short selected_bg;   /* one of 256 colours */
	short bg;	     /* the background that is painted; THEME_DEFAULT: the terminal's own */
	uint32_t background; /* 0xRRGGBB: the background of the terminals for which the theme is made */
	uint32_t text;	     /* 0xRRGGBB: the text colour of these terminals */
};

bool theme_parse(struct str name, enum theme_name *out);
/* Returns the names of all themes: "auto, dark, light, ...". */
const char *theme_names(void);
/* Returns a theme.  light: the background of the terminal is light, which matters for auto and colour-blind. */
const struct theme *theme_of(enum theme_name name, bool light);
/* Returns one of the 256 colours as 0xRRGGBB; the first 16 are those of xterm. */
uint32_t theme_rgb(short colour);
/* Returns the contrast ratio of two colours as WCAG 2 defines it: 1 to 21. */
double theme_contrast(uint32_t a, uint32_t b);
/* Returns true when text on this background (0xRRGGBB) should be dark. */
bool theme_is_light(uint32_t background);

#endif
