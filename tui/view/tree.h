/* SPDX-License-Identifier: Apache-2.0 */
/* The dependencies of an object as lines, for the screen and for -o tree. */
#ifndef TUI_VIEW_TREE_H
#define TUI_VIEW_TREE_H

#include "kube/graph/graph.h"
#include "tui/words/text.h"

enum tree_direction {
	TREE_DOWN, /* what it needs, manages, replaces and owns */
	TREE_UP	   /* what needs, manages, replaces or owns it */
};

enum { TREE_DEPTH = 16, TREE_DEPTH_MAX = 1000 };

struct tree {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	struct lines *lines;
	uint8_t *shown; /* by slot: 1 once its branches were shown; store_slots() bytes */
	/* True when the line with that key is not folded as by default.  NULL: nothing is folded. */
	bool (*toggled)(const void *ctx, uint64_t key);
	const void *ctx;
	size_t limit; /* of lines */
	size_t depth; /* levels that are followed; 0: TREE_DEPTH */
	bool absolute_time;
	bool all_namespaces; /* the root shows its namespace */
	size_t alike; /* the root is the first of so many equal ones; 0 or 1: it alone */
};

/* The columns of its lines; what is printed has their titles. */
enum { TREE_COLUMNS = 6 };
extern const struct column tree_columns[TREE_COLUMNS];

/* Adds the line of the object itself. */
void tree_root(const struct tree *t, struct handle h);
/* Adds the lines of its branches; returns their number. */
size_t tree_branches(const struct tree *t, struct handle h, enum tree_direction direction);

#endif
