/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a root cause below its row, with a label: made once, for the screen and for print. */
#ifndef TUI_VIEW_FACTS_H
#define TUI_VIEW_FACTS_H

#include "tui/view/blocked.h"

struct fact {
	const char *label; /* stands before the text as it is; "": the text speaks for itself */
	struct str text;
};

/* Where facts are told: each fact in one or more of these. */
enum fact_place {
	FACT_IN_PROBLEMS = 1 << 0, /* the unfolded row of the view Problems */
	FACT_IN_PRINT = 1 << 1	   /* the paragraph of --problems */
};

/* The facts that are told of c in that place, in their order; in the arena. */
const struct fact *cause_facts(struct graph *g, const struct store *store, const struct cause_group *c, enum fact_place place,
			       struct arena *a, size_t *out_n);

enum { FACTS_BEGAN = 3 };
/*
 * The observed changes shortly before an object's trouble began, the nearest object first: evidence, not the cause.  Of
 * an object that only waits: those before the trouble at the end of its chain, if there are any.  out has room for
 * FACTS_BEGAN texts; returns their number.
 */
size_t facts_began(struct graph *g, const struct store *store, struct handle h, struct str *out, struct arena *a);

#endif
