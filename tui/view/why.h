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
	int width; /* columns at which messages are wrapped */
	bool absolute_time;
	size_t alike; /* the object is the first of so many equal ones; 0 or 1: it alone */
};

/* Adds a label and its text as one line. */
void why_fact(struct lines *l, const char *label, struct str text, enum style style, int width);
/*
 * Adds the lines: the object, its chain of waits to the end, whether it recovers, the
 * next step, the rule that decided.  False when it is gone.
 */
bool why_lines(const struct why *w, struct handle h);
/* The kubectl command of the next step: for the end of its waits, else for the object itself. */
struct str why_next_step(struct graph *g, const struct summary *s, struct arena *a);

#endif
