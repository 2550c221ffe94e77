/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a terminal can be used: a shell gives it to one group of processes at a time. */
#ifndef KUBE_BASE_FOREGROUND_H
#define KUBE_BASE_FOREGROUND_H

#include <stdbool.h>

/*
 * Returns true when fd is a terminal that this process may read from and change.  The system stops a process that does
 * that in the background of its shell ("command &").  Another terminal than the process's own has no background.
 */
bool foreground_has_terminal(int fd);

#endif
