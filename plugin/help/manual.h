/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_HELP_MANUAL_H
#define PLUGIN_HELP_MANUAL_H

#include "kube/base/buf.h"

/* Appends the manual page, in roff, of a program with that file name (kubectl-status). */
void manual_print(struct buf *out, const char *file);

#endif
