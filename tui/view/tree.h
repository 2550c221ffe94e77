/* SPDX-License-Identifier: Apache-2.0 */
/* The dependencies of an object as lines, for the screen and for -o tree. */
#ifndef TUI_VIEW_TREE_H
#define TUI_VIEW_TREE_H

#include "kube/graph/graph.h"
#include "tui/words/text.h"

enum tree_direction {
	TREE_DOWN, /* what the object needs, manages, replaces and owns */
	TREE_UP	   /* what needs, manages, replaces or owns the object */
};

enum { TREE_DEPTH = 16 }; /* how many levels are followed */

struct tree {
	struct graph *graph;
	const struct store *store;
	int64_t now;
	struct lines *lines;
	uint32_t *shown; /* by slot: the number of the tree in which the branches of the object were shown last; it has store_slots() of them */
	uint32_t number; /* of this tree: in one of another number everything is shown again; 0 is none */
	/*
	 * Returns true when the fold of the line with that key is not in its default state.  NULL: nothing is folded.
	 */
	bool (*toggled)(const void *ctx, uint64_t key);
	const void *ctx;
	size_t limit; /* the largest number of lines */
	bool absolute_time;
	bool all_namespaces; /* the root shows its namespace */
	size_t alike; /* how many equal objects the root stands for, of which it is the first; 0 or 1: only itself */
};

/* The columns of the tree; the printed tree has the same titles. */
enum { TREE_COLUMNS = 6 };
extern const struct column tree_columns[TREE_COLUMNS];

/* Adds the line of the object h itself. */
void tree_root(const struct tree *t, struct handle h);
/* Adds the lines of the branches of h, and returns their number. */
size_t tree_branches(const struct tree *t, struct handle h, enum tree_direction direction);

#endif
