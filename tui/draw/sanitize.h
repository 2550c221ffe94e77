/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces what must not reach a terminal.  Text from a cluster is hostile: the message of a condition may contain an
 * escape sequence.  The screen and plain output both get their characters from here.
 */
#ifndef TUI_DRAW_SANITIZE_H
#define TUI_DRAW_SANITIZE_H

#include "kube/base/str.h"

/*
 * Returns the character of s at *at and moves *at behind it.  Newline and tab become a blank, and what must not reach a
 * terminal (utf8_hostile()) becomes U+FFFD.  With ascii, the glyphs of the program become an ASCII character of the
 * same width and every other character becomes "?".
 */
uint32_t sanitize_next(struct str s, size_t *at, bool ascii);
/* Returns the columns that the sanitized text takes. */
int sanitized_width(struct str s, bool ascii);

#endif
