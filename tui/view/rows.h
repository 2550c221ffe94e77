/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table: which objects have a row, which are folded into another row, and in what order. */
#ifndef TUI_VIEW_ROWS_H
#define TUI_VIEW_ROWS_H

#include "tui/state/state.h"

struct table_row {
	struct sort_item order;
	struct handle object;
	uint64_t group;	   /* the key that equal siblings share; 0: the row is never grouped */
	struct table_row *next;  /* the next row of the group, or of the children */
	struct table_row *child; /* the first child, when the row is unfolded */
	uint32_t members;  /* how many members the group has; only set in its first row */
	uint32_t least;	   /* from this number on they share a row */
	uint32_t children; /* how many objects are folded under the row */
	uint32_t parts;	   /* how many objects that failed have their row under this one */
	struct handle part; /* one of these, when all are of one kind; else HANDLE_NONE */
	bool gone;
	bool healed;	 /* the object healed a moment ago: the row is sorted by its phase before */
};

struct row_slot;

struct rows {
	struct table_row **all; /* the rows in order, of each group only the first one */
	size_t n;
	const struct sort_item *ready; /* the Ready objects, when they are unfolded: rows_ready() */
	size_t nready;
	const struct row_slot *slots;
	size_t ready_total, ready_kinds;
	bool fold_ready; /* Ready objects are one row that unfolds */
	size_t matching; /* how many objects pass the filter */
	uint32_t holds_selected; /* the slot of the row under which the selected object is folded; 0: it is not folded */
};

/*
 * Collects the rows.  They are in the arena and valid until the next change of the store.  Returns false when a key
 * interrupted it (ui_interrupted()).
 */
bool rows_collect(struct ui *ui, const struct scene *scene, struct arena *a, struct rows *out);
/* Returns the i-th row of the Ready objects. */
struct table_row rows_ready(const struct rows *rows, const struct store *store, size_t i);
/* Return the keys of the lines of a row or its object, of a group, and of the Ready objects. */
uint64_t rows_key(const struct table_row *row);
uint64_t rows_key_of(struct handle h);
uint64_t rows_group_key(uint64_t group);
uint64_t rows_ready_key(void);

#endif
