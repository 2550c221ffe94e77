/* SPDX-License-Identifier: Apache-2.0 */
/* The explanation of one object as lines, for the screen and for -o why. */
#ifndef TUI_VIEW_WHY_H
#define TUI_VIEW_WHY_H

#include "kube/graph/graph.h"
#include "tui/words/text.h"

struct why {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	struct lines *lines;
	int width; /* the columns at which messages are wrapped */
	bool absolute_time;
	bool beside; /* other text stands beside the lines: a command of two lines could not be selected with the mouse */
	size_t alike; /* how many equal objects the object stands for, of which it is the first; 0 or 1: only itself */
};

/* Adds a label and its text, wrapped at width columns; nothing when text is empty. */
void why_fact(struct lines *l, const char *label, struct str text, enum style style, int width);
/*
 * Adds the lines: the object, its chain of waits to the end, whether it recovers, the next step, and the rule that
 * decided its phase.  Returns false when the object is gone.
 */
bool why_lines(const struct why *w, struct handle h);
/* Returns the kubectl command of the next step: about the end of the chain of waits, else about the object itself. */
struct str why_next_step(struct graph *g, const struct summary *s, enum command_reader reader, struct arena *a);

/* Adds what changed before the trouble of an object began, and what failed before it, if anything is known. */
void why_before(struct lines *l, const struct store *store, struct graph *g, struct handle h, int width);

/*
 * Returns whom to ask: the owner of what the object waits for at the end of its chain, and that of the object where it
 * is another one: "team-network (of network/net), team-web (of server/web-0)"; "" when neither is known.
 */
struct str why_owner(struct graph *g, const struct kinds *kinds, struct handle h, struct arena *a);

#endif
