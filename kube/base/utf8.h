/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE_UTF8_H
#define KUBE_BASE_UTF8_H

#include "kube/base/arena.h"
#include "kube/base/str.h"

/*
 * Takes one code point off s at *at.  Bytes that are no UTF-8 give U+FFFD, one for each byte, so that every input ends.
 */
uint32_t utf8_next(struct str s, size_t *at);
/* Writes 1 to 4 bytes to out, and returns how many. */
size_t utf8_put(uint32_t rune, char *out);
/* Returns the beginning of s, at most so many bytes, which is not cut within a character. */
struct str utf8_head(struct str s, size_t most);
/* Returns s, at most so many bytes; of a longer text the middle is left out for "…", between characters, in the arena. */
struct str utf8_cut(struct str s, size_t most, struct arena *arena);
/* Columns that a code point takes on a terminal: 0 for combining marks, 2 for wide characters. */
int utf8_width(uint32_t rune);
/*
 * Returns true for what must never reach a terminal: C0 (tab and newline included), DEL, C1, bidirectional overrides
 * and isolates, other invisible format characters.
 */
bool utf8_hostile(uint32_t rune);
/*
 * Text of a credential plugin or a kubeconfig for people: hostile and private characters become "U+001B", white space
 * stays as it is.
 */
struct str utf8_spelled(struct arena *arena, struct str s);

#endif
