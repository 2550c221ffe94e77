/* SPDX-License-Identifier: Apache-2.0 */
/* Another moment of the world that the dashboard shows, for as long as somebody looks at it. */
#ifndef PLUGIN_STILL_H
#define PLUGIN_STILL_H

#include "plugin/program.h"

struct still;

/* The graph of p's world keeps a history. */
struct still *still_new(struct program *p);
/* NULL is allowed. */
void still_free(struct still *s);
/* To that moment, or as near as the history reaches; returns it. */
int64_t still_move(struct still *s, int64_t time);
/* Until the next still_move(). */
const struct world *still_world(const struct still *s);

#endif
