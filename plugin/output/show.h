/* SPDX-License-Identifier: Apache-2.0 */
/* Prints once: each format of -o, and --problems. */
#ifndef PLUGIN_OUTPUT_SHOW_H
#define PLUGIN_OUTPUT_SHOW_H

#include "plugin/output/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "plugin/output/plain.h"

/* Returns true when a selected object is printed: --problems leaves out what is Ready. */
bool show_wants(const struct world *w, const struct query *q, struct handle h);
/* Returns all objects to print, in the order of output; the array is in the arena. */
const struct handle *show_collect(struct world *w, const struct query *q, struct arena *arena, size_t *out_n);
/* Appends the line of the object in a slot as kubectl -o name prints it: "pod/x", "deployment.apps/x". */
void show_name(const struct world *w, uint32_t slot, struct buf *out);
/* Prints the whole answer to out. */
void show(struct world *w, const struct query *q, struct output *out);
/* Returns the settings of the plain printer that the options ask for, without report.doubt. */
struct plain show_plain(const struct world *w, const struct query *q, const struct output *out);
/*
 * Returns the exit status for --exit-code: 0; 3 when something waits or is under way; 4 when something is Failed or
 * Degraded.
 */
int show_health(struct world *w, const struct query *q);

#endif
