/* SPDX-License-Identifier: Apache-2.0 */
/* Words of commands that people paste into a shell. */
#ifndef KUBE_BASE_SHELL_H
#define KUBE_BASE_SHELL_H

#include "kube/base/arena.h"

/* One word for a POSIX shell: in single quotes unless it is plainly safe.  In the arena, or s itself. */
struct str shell_word(struct str s, struct arena *a);

#endif
