/* SPDX-License-Identifier: Apache-2.0 */
/* Which objects get a row of their own, which are folded into another, in what order. */
#ifndef TUI_VIEW_ROWS_H
#define TUI_VIEW_ROWS_H

#include "tui/view/state.h"

enum { GROUP_LEAST = 3 }; /* so many equal siblings become one row */

struct row {
	struct summary s;
	sort_compare *compare;
	uint64_t group;	   /* equal siblings have the same; 0: never grouped */
	struct row *next;  /* the next of the group, or of the children */
	uint32_t members;  /* of the group, counted in its first row */
	uint32_t children; /* healthy ones folded under it */
	struct row *child; /* the first, when unfolded */
	bool gone;
	bool reverse;
	bool healed;	 /* sorted by what it was */
};

struct rows {
	struct row **all; /* in order; members of a group after the first are left out */
	size_t n;
	struct row **ready; /* when unfolded */
	size_t nready;
	size_t ready_total, ready_kinds;
	bool fold_ready; /* they are one line that unfolds; else too few for that, or asked for */
	size_t matching; /* objects that pass the filter */
};

/* In the arena; valid until the next change of the store. */
struct rows rows_collect(struct ui *ui, const struct scene *scene, struct arena *a);
/* Keys of lines. */
uint64_t rows_key(const struct row *row);
uint64_t rows_group_key(uint64_t group);
uint64_t rows_ready_key(void);

#endif
