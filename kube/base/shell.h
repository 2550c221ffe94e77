/* SPDX-License-Identifier: Apache-2.0 */
/* Words of commands that people paste into a shell. */
#ifndef KUBE_BASE_SHELL_H
#define KUBE_BASE_SHELL_H

#include "kube/base/arena.h"

/* True for what every shell takes as it stands: not empty, and only letters and digits of ASCII and ._:/-@%+, in it. */
bool shell_is_plain(struct str s);
/* One word for a POSIX shell, and for fish: in single quotes unless it is plain.  In the arena, or s itself. */
struct str shell_word(struct str s, struct arena *a);

#endif
