/* SPDX-License-Identifier: Apache-2.0 */
/* What each style looks like. */
#ifndef TUI_TERM_THEME_H
#define TUI_TERM_THEME_H

#include "tui/view/style.h"

enum theme_attr { THEME_BOLD = 1, THEME_DIM = 2, THEME_REVERSE = 4, THEME_UNDERLINE = 8 };

enum { THEME_DEFAULT = -1 }; /* the terminal's own colour */

/* Colours as terminals number them. */
struct theme {
	short fg256, fg8;
	uint8_t attr; /* with colours */
	uint8_t mono; /* without */
};

const struct theme *theme_of(enum style style);
/* The background of the selected line on 256 colours, and the text of NORMAL on it. */
enum { THEME_SELECTED_BG = 238, THEME_SELECTED_FG = 255 };

#endif
