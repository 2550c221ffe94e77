/* SPDX-License-Identifier: Apache-2.0 */
/* Single rows of plain output. */
#ifndef PLUGIN_ROWS_H
#define PLUGIN_ROWS_H

#include "plugin/program.h"

/* As kubectl -o name: "pod/x", "deployment.apps/x", and a newline. */
void rows_name(const struct world *w, uint32_t slot, struct buf *out);
/* A row for one change; headed: the names of the columns first. */
void rows_change(struct program *p, struct handle h, const char *event, bool headed, struct buf *out);

#endif
