/* SPDX-License-Identifier: Apache-2.0 */
/* Single rows of plain output. */
#ifndef PLUGIN_NAME_LINE_H
#define PLUGIN_NAME_LINE_H

#include "plugin/world.h"
#include "tui/draw/plain.h"

/* As kubectl -o name: "pod/x", "deployment.apps/x", and a newline. */
void rows_name(const struct world *w, uint32_t slot, struct buf *out);

#endif
