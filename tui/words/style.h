/* SPDX-License-Identifier: Apache-2.0 */
/* Styles by meaning, and the glyph of each phase. */
#ifndef TUI_WORDS_STYLE_H
#define TUI_WORDS_STYLE_H

#include "kube/model/status.h"

enum style {
#define STYLE(id, letter) STYLE_##id,
#include "tui/words/styles.def"
#undef STYLE
	STYLE_COUNT
};

/* Flags added to the style of a cell. */
enum { STYLE_MASK = 0x3F, STYLE_FLASH = 0x40, STYLE_SELECTED = 0x80 };

/* Every phase has a glyph beside its word; colour only repeats them. */
struct look {
	const char *glyph;
	enum style style;
	const char *counted; /* "3 failed" */
};

const struct look *phase_look(enum phase phase);
/* The letter of a style in screen tests. */
char style_letter(enum style style);
/* The style of a verdict: the phase's, dimmed or raised by the severity. */
enum style severity_style(enum severity severity);

#endif
