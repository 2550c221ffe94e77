/* SPDX-License-Identifier: Apache-2.0 */
/* The Events of an object: its own, and those of its parts. */
#ifndef PLUGIN_FETCH_EVENTS_H
#define PLUGIN_FETCH_EVENTS_H

#include "kube/graph/graph.h"

/* The object, and its worst parts: each is a request. */
enum { EVENT_SOURCES = 9 };

/*
 * Itself first, then of what it owns or manages, directly or not, the worst.  Returns how many; *out_left_out is
 * how many parts there are besides.
 */
size_t event_sources(struct graph *g, const struct store *store, struct handle h, struct handle out[EVENT_SOURCES],
		     size_t *out_left_out);

#endif
