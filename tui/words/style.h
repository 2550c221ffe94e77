/* SPDX-License-Identifier: Apache-2.0 */
/* Styles, named by their meaning, and the glyph of each phase. */
#ifndef TUI_WORDS_STYLE_H
#define TUI_WORDS_STYLE_H

#include "kube/model/status.h"

enum style {
#define STYLE(id, letter) STYLE_##id,
#include "tui/words/styles.def"
#undef STYLE
	STYLE_COUNT
};

/* STYLE_FLASH and STYLE_SELECTED are flags that are added to the style of a cell; STYLE_MASK takes the style alone. */
enum { STYLE_MASK = 0x3F, STYLE_FLASH = 0x40, STYLE_SELECTED = 0x80 };

/* The appearance of a phase.  Every phase has a glyph beside its word; the colour only repeats what they say. */
struct appearance {
	const char *glyph;
	enum style style;
	const char *counted; /* the word of the phase after a number, as in "3 failed" */
};

const struct appearance *phase_appearance(enum phase phase);
/* Returns the style of a text about an object with that severity. */
enum style severity_style(enum severity severity);

#endif
