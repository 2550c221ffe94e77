/* SPDX-License-Identifier: Apache-2.0 */
/* Going to another moment of the world, while the dashboard shows it. */
#ifndef PLUGIN_DASHBOARD_SEEK_H
#define PLUGIN_DASHBOARD_SEEK_H

#include "plugin/program.h"

struct seek;

/* The graph of p->world must keep a history (graph_keep_history()). */
struct seek *seek_new(struct program *p);
/* NULL is allowed. */
void seek_free(struct seek *s);
/* Goes to that moment (ms), or as near as the history reaches; returns where it is. */
int64_t seek_to(struct seek *s, int64_t time);
/* What the last seek_to() changed, as past_moved(); what was settled there besides is graph_changed() of seek_world(). */
const uint32_t *seek_changed(const struct seek *s, size_t *out_n, bool *out_copied);
/* Borrowed until the next seek_to(). */
const struct world *seek_world(const struct seek *s);

#endif
