/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the lines of -o name. */
#ifndef PLUGIN_OUTPUT_NAME_LINE_H
#define PLUGIN_OUTPUT_NAME_LINE_H

#include "plugin/world.h"
#include "plugin/output/plain.h"

/* Appends the line of the object in a slot as kubectl -o name prints it: "pod/x", "deployment.apps/x". */
void rows_name(const struct world *w, uint32_t slot, struct buf *out);

#endif
