/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of an operator's message that says why: programs wrap the error of the program that they called in words of
 * their own, and the words that tell most stand at the end, or in the JSON that a server answered.
 */
#ifndef TUI_WORDS_INNERMOST_H
#define TUI_WORDS_INNERMOST_H

#include "kube/base/arena.h"

/*
 * Returns the innermost part of a message, its first line only: "OverQuota: Quota exceeded" of "cannot create net: got
 * 409: {"error": {"type": "OverQuota", "message": "Quota exceeded"}}", the end of a chain "cannot apply: cannot read:
 * ...".  Words are never changed; a message without such a part is returned as it is.  It takes time in proportion to
 * the length of the message.  The text is a part of the message or in the arena.
 */
struct str innermost_part(struct str message, struct arena *a);
/*
 * Returns the first line of a message that says something: without the mark of a list before it, and of a line that
 * ends with a colon the one below it, to which that is only the heading.
 */
struct str innermost_line(struct str message);

#endif
