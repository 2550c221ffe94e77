/* SPDX-License-Identifier: Apache-2.0 */
/* The explanation of one resource as lines: for the screen and for -o why. */
#ifndef TUI_VIEW_WHY_H
#define TUI_VIEW_WHY_H

#include "kube/graph/graph.h"
#include "tui/view/text.h"

struct why {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	struct lines *lines;
	int width; /* messages are wrapped at it */
	bool absolute_time;
};

/* A label and its text; both are cells of a span. */
void why_fact(struct lines *l, const char *label, struct str text, enum style style, int width);
/*
 * The chain of waits to its end, whether it recovers, the next step, what decided:
 * after a line that names the resource.  False when it is gone.
 */
bool why_lines(const struct why *w, struct handle h);
/* The command of the next step: it looks at the end of the waits, else at itself. */
struct str why_next_step(struct graph *g, const struct summary *s, struct arena *a);

enum { WHY_BEGAN = 3 };
/*
 * What changed shortly before its trouble began, as far as it was seen: evidence, the nearest first.  out has room for
 * WHY_BEGAN; returns how many there are.
 */
size_t why_began(struct graph *g, const struct store *store, const struct summary *s, struct str *out, struct arena *a);

#endif
