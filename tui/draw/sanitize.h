/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may leave the program as text for a person.  Text from a cluster is
 * hostile: a condition's message may hold ESC ]52.  Screen and plain output
 * both read their characters from here.
 */
#ifndef TUI_DRAW_SANITIZE_H
#define TUI_DRAW_SANITIZE_H

#include "kube/base/str.h"

/*
 * Takes the next character off s at *at.  Newline and tab become a blank, what
 * must not reach a terminal U+FFFD; with ascii, the program's own glyphs become
 * a character of the same width and everything else "?".
 */
uint32_t sanitize_next(struct str s, size_t *at, bool ascii);
/* Columns of a text that was sanitized so. */
int sanitized_width(struct str s, bool ascii);

#endif
