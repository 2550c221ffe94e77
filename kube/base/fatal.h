/* SPDX-License-Identifier: Apache-2.0 */
/* How the program ends when it cannot go on: the terminal is restored, then one line on standard error says why. */
#ifndef KUBE_BASE_FATAL_H
#define KUBE_BASE_FATAL_H

#include "kube/base/err.h"

/* hook is called before such an end and restores the terminal; NULL: nothing has to be restored. */
void fatal_on_end(void (*hook)(void));
/* There is no memory left.  Ends with exit status 1. */
NORETURN void fatal_no_memory(void);
/* An assertion does not hold (kube/base/assert.h): the program has a fault.  Ends by SIGABRT. */
NORETURN void fatal_assertion(const char *condition, const char *file, int line);

#endif
