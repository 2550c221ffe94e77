/* SPDX-License-Identifier: Apache-2.0 */
/* Prints once: -o table, wide, tree, why, json, yaml, name, and --problems. */
#ifndef PLUGIN_SHOW_H
#define PLUGIN_SHOW_H

#include "plugin/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/draw/plain.h"

/* The whole answer, to standard output. */
void show(struct world *w, const struct query *q, struct output *out);
/* The plain printer, as the options want it. */
struct plain show_plain(const struct world *w, const struct query *q, const struct output *out);
/* 0, or by health: 3 something waits or is under way, 4 something is Failed or Degraded. */
int show_health(struct world *w, const struct query *q);

#endif
