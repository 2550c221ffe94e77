/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects get a row of their own, which are folded into another, in what order. */
#ifndef TUI_VIEW_ROWS_H
#define TUI_VIEW_ROWS_H

#include "tui/view/state.h"

enum { GROUP_LEAST = 3 }; /* so many equal siblings become one row */

struct row {
	struct sort_item order;
	struct handle object;
	uint64_t group;	   /* equal siblings have the same; 0: never grouped */
	struct row *next;  /* the next of the group, or of the children */
	struct row *child; /* the first, when unfolded */
	uint32_t members;  /* of the group, counted in its first row */
	uint32_t children; /* healthy ones folded under it */
	bool gone;
	bool healed;	 /* sorted by what it was */
};

struct row_slot;

struct rows {
	struct row **all; /* in order; members of a group after the first are left out */
	size_t n;
	const struct sort_item *ready; /* when unfolded: rows_ready() */
	size_t nready;
	const struct row_slot *slots;
	size_t ready_total, ready_kinds;
	bool fold_ready; /* they are one line that unfolds; else too few for that, or asked for */
	size_t matching; /* objects that pass the filter */
};

/* In the arena; valid until the next change of the store.  False: a key came in between (ui_interrupted()). */
bool rows_collect(struct ui *ui, const struct scene *scene, struct arena *a, struct rows *out);
/* Row i of the healthy ones. */
struct row rows_ready(const struct rows *rows, const struct store *store, size_t i);
/* Keys of lines. */
uint64_t rows_key(const struct row *row);
uint64_t rows_group_key(uint64_t group);
uint64_t rows_ready_key(void);

#endif
