/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the objects whose Events are shown for one object: itself and its parts. */
#ifndef PLUGIN_DASHBOARD_FETCH_EVENTS_H
#define PLUGIN_DASHBOARD_FETCH_EVENTS_H

#include "kube/graph/graph.h"

/* The most objects: the object itself and its worst parts.  Each costs one request. */
enum { EVENT_SOURCES = 9 };

/*
 * Fills out with the object itself, then the worst of the objects that it owns or manages, directly or indirectly.
 * Returns their number; *out_left_out is the number of parts for which there was no room.
 */
size_t event_sources(struct graph *g, const struct store *store, struct handle h, struct handle out[EVENT_SOURCES],
		     size_t *out_left_out);

#endif
