/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that are told about a root cause below its row, each with a label.  They are the same on the screen and
 * printed.
 */
#ifndef TUI_VIEW_CAUSE_FACTS_H
#define TUI_VIEW_CAUSE_FACTS_H

#include "kube/graph/shared.h"
#include "tui/view/blocked.h"

struct cause_fact {
	const char *label; /* stands before the text as it is; "": the text needs no label */
	struct str text;
};

/* The places where facts are told; each fact is told in one or more of them. */
enum cause_fact_place {
	FACT_IN_PROBLEMS = 1 << 0, /* below the unfolded row of the view Problems */
	FACT_IN_PRINT = 1 << 1,	   /* in the paragraph of --problems */
	/* in the report, which others read later: with times of day */
	FACT_IN_REPORT = 1 << 2
};

/* Returns the facts that are told about c in that place, in their order.  They are in the arena. */
const struct cause_fact *cause_facts(struct graph *g, const struct store *store, const struct cause_group *c, enum cause_fact_place place,
			       struct arena *a, size_t *out_n);

enum { FACTS_BEFORE = 3 };
/*
 * Writes the changes that are known of the time shortly before the trouble of an object began, the nearest object
 * first: they are evidence and need not be the cause.  Each has its label, LABEL_CHANGED or LABEL_BEGAN.  out has room
 * for FACTS_BEFORE; returns their number.
 */
size_t facts_before(struct graph *g, const struct store *store, struct handle h, struct cause_fact *out, struct arena *a);
/*
 * Returns the same changes, in the arena, as graph_changes_before() does, and when the trouble began (ms).  For an
 * object that only waits, or whose own trouble began later, they are those before the trouble at the end of its chain, if
 * there are any.
 */
const struct change_before *changes_before_trouble(struct graph *g, struct handle h, struct arena *a, int64_t *out_began,
						   size_t *out_n);
/* Returns who made a change: "by argocd-controller (application/shop)"; "" when it is not known. */
struct str facts_by(const struct editor *by, struct arena *a);
/* Returns false for an object that has no trouble, so that nothing is told of what changed before. */
bool has_changes_before(struct graph *g, struct handle h);
/*
 * Returns the object whose changes explain a root cause: itself, or when it does not exist the nearest of those that
 * wait for it.
 */
struct handle cause_changed(struct graph *g, const struct store *store, const struct root_cause *cause);

enum { FACTS_SHARED = 3 };
/*
 * Writes what the root causes at n slots share with other broken objects of their kind, and the healthy ones do not
 * have: "all 6 on node rack-7, none of 46 healthy".  Of what the same objects have, only what tells most is written.
 * out has room for FACTS_SHARED texts; returns their number.
 */
size_t facts_shared(struct graph *g, const struct kinds *kinds, const uint32_t *slots, size_t n, struct str *out, struct arena *a);
/* Does the same for the root cause that an object is, or that is at the end of its chain of waits. */
size_t facts_shared_by(struct graph *g, const struct kinds *kinds, struct handle h, struct str *out, struct arena *a);

/*
 * Returns the name of a field for a row: "image" for that of a container, "replicas", "Ready reason" for
 * "status.conditions[type=Ready].reason"; else the path.
 */
struct str facts_field_name(struct str path, struct arena *a);

#endif
