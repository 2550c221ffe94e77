/* SPDX-License-Identifier: Apache-2.0 */
/* Words of commands that people paste into a shell. */
#ifndef KUBE_BASE_SHELL_H
#define KUBE_BASE_SHELL_H

#include "kube/base/arena.h"

/*
 * Returns true when every shell takes the word as it is: it is not empty, and has only ASCII letters, digits and
 * ._:/-@%+, in it.
 */
bool shell_is_plain(struct str s);
/*
 * Returns s as one word for a POSIX shell and for fish: in single quotes unless it is plain.  The result is in the
 * arena, or s itself.
 */
struct str shell_word(struct str s, struct arena *a);

#endif
