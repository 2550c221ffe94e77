/* SPDX-License-Identifier: Apache-2.0 */
/* The colours and attributes of each style, in each theme. */
#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

#include "kube/base/str.h"
#include "tui/words/style.h"

enum theme_attr { THEME_BOLD = 1, THEME_DIM = 2, THEME_REVERSE = 4, THEME_UNDERLINE = 8 };

enum { THEME_DEFAULT = -1 }; /* the terminal's own colour */

/* As preferences name them; auto is light where the terminal reports a light background, else dark. */
enum theme_name { THEME_AUTO, THEME_DARK, THEME_LIGHT, THEME_HIGH_CONTRAST, THEME_COLOUR_BLIND, THEME_NONE, THEME_COUNT };

/* Colours as terminals number them. */
struct theme_style {
	short fg256, selected256; /* of 256 colours; the latter on the selected row */
	short fg8;
	uint8_t attr; /* enum theme_attr, with colours */
	uint8_t mono; /* the same without colours */
};

struct theme {
	struct theme_style styles[STYLE_COUNT];
	short selected_bg;   /* of 256 */
	short bg;	     /* painted background; THEME_DEFAULT: the terminal's own */
	uint32_t background; /* 0xRRGGBB: background of the terminals that it is for */
	uint32_t text;	     /* 0xRRGGBB: their text */
};

bool theme_parse(struct str name, enum theme_name *out);
/* "auto, dark, light, ..." */
const char *theme_names(void);
/* light: the background of the terminal is light. */
const struct theme *theme_of(enum theme_name name, bool light);
/* 0xRRGGBB of one of the 256 colours; the first 16 as in xterm. */
uint32_t theme_rgb(short colour);
/* The contrast ratio of two colours as defined by WCAG 2: 1 to 21. */
double theme_contrast(uint32_t a, uint32_t b);
/* True when text on it should be dark. */
bool theme_is_light(uint32_t background);

#endif
