/* SPDX-License-Identifier: Apache-2.0 */
/* The world at an earlier moment, while the dashboard shows it. */
#ifndef PLUGIN_DASHBOARD_STILL_H
#define PLUGIN_DASHBOARD_STILL_H

#include "plugin/program.h"

struct still;

/* The graph of p->world must keep a history (graph_keep_history()). */
struct still *still_new(struct program *p);
/* NULL is allowed. */
void still_free(struct still *s);
/* Goes to that moment (ms), or as near as the history reaches; returns where it is. */
int64_t still_move(struct still *s, int64_t time);
/* What the last still_move() changed, as past_moved(); what was settled there besides is graph_changed() of still_world(). */
const uint32_t *still_moved(const struct still *s, size_t *out_n, bool *out_copied);
/* Borrowed until the next still_move(). */
const struct world *still_world(const struct still *s);

#endif
