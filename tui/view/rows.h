/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the table: which objects have a row, which are folded into another one, in what order. */
#ifndef TUI_VIEW_ROWS_H
#define TUI_VIEW_ROWS_H

#include "tui/state/state.h"

enum { GROUP_LEAST = 3 }; /* from this number on equal siblings become one row */

struct row {
	struct sort_item order;
	struct handle object;
	uint64_t group;	   /* equal siblings have the same; 0: never grouped */
	struct row *next;  /* the next of the group, or of the children */
	struct row *child; /* the first, when unfolded */
	uint32_t members;  /* of the group; only in its first row */
	uint32_t children; /* healthy ones folded under it */
	bool gone;
	bool healed;	 /* sorted by its phase before */
};

struct row_slot;

struct rows {
	struct row **all; /* in order; members of a group after the first are left out */
	size_t n;
	const struct sort_item *ready; /* Ready objects, when unfolded: rows_ready() */
	size_t nready;
	const struct row_slot *slots;
	size_t ready_total, ready_kinds;
	bool fold_ready; /* Ready objects are one line that unfolds */
	size_t matching; /* objects that pass the filter */
};

/* Owned by the arena; valid until the next change of the store.  False when a key interrupted it (ui_interrupted()). */
bool rows_collect(struct ui *ui, const struct scene *scene, struct arena *a, struct rows *out);
/* The i-th row of Ready objects. */
struct row rows_ready(const struct rows *rows, const struct store *store, size_t i);
/* The keys of their lines. */
uint64_t rows_key(const struct row *row);
uint64_t rows_group_key(uint64_t group);
uint64_t rows_ready_key(void);

#endif
