/* SPDX-License-Identifier: Apache-2.0 */
/* Goes to an earlier moment of the world, while the dashboard is open. */
#ifndef PLUGIN_DASHBOARD_SEEK_H
#define PLUGIN_DASHBOARD_SEEK_H

#include "plugin/program.h"

struct seek;

/* Returns a new seek.  The graph of p->world must keep a history (graph_keep_history()).  p is borrowed. */
struct seek *seek_new(struct program *p);
/* NULL is allowed. */
void seek_free(struct seek *s);
/* Goes to a moment, ms, or as near to it as the history reaches.  Returns the moment that was reached. */
int64_t seek_to(struct seek *s, int64_t time);
/*
 * Returns the slots that the last seek_to() changed, as past_moved() does.  Settling changed those in graph_changed()
 * of seek_world() as well.
 */
const uint32_t *seek_changed(const struct seek *s, size_t *out_n, bool *out_copied);
/* Returns the world of that moment, borrowed until the next seek_to(). */
const struct world *seek_world(const struct seek *s);

#endif
