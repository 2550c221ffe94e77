/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces what must not reach a terminal.  Text from a cluster is hostile: a condition's message may hold an
 * escape sequence.  Screen and plain output both read their characters from here.
 */
#ifndef TUI_DRAW_SANITIZE_H
#define TUI_DRAW_SANITIZE_H

#include "kube/base/str.h"

/*
 * Returns the character of s at *at and moves *at behind it.  Newline and tab become a blank, what must not reach a
 * terminal (utf8_hostile()) U+FFFD; with ascii, the program's own glyphs become an ASCII character of the same
 * width and everything else "?".
 */
uint32_t sanitize_next(struct str s, size_t *at, bool ascii);
/* Columns that the sanitized text takes. */
int sanitized_width(struct str s, bool ascii);

#endif
