/* SPDX-License-Identifier: Apache-2.0 */
/* Prints once: -o table, wide, tree, why, json, yaml, name, and --problems. */
#ifndef PLUGIN_SHOW_H
#define PLUGIN_SHOW_H

#include "plugin/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/draw/plain.h"

/* Of what is selected: --problems leaves out what is Ready. */
bool show_wants(const struct world *w, const struct query *q, struct handle h);
/* All of that, in its order; the array lives in arena. */
const struct handle *show_collect(struct world *w, const struct query *q, struct arena *arena, size_t *out_n);
/* The whole answer, to standard output. */
void show(struct world *w, const struct query *q, struct output *out);
/* The plain printer, as the options want it. */
struct plain show_plain(const struct world *w, const struct query *q, const struct output *out);
/* 0, or by health: 3 something waits or is under way, 4 something is Failed or Degraded. */
int show_health(struct world *w, const struct query *q);

#endif
