/* SPDX-License-Identifier: Apache-2.0 */
/* What can be clicked on, and what a click does. */
#ifndef TUI_STATE_CLICK_H
#define TUI_STATE_CLICK_H

#include "tui/state/action.h"

/* What a click does: one of these. */
struct click {
	enum action action;
	uint8_t tab;	/* 1 + the tab that it opens; 0: none */
	uint8_t sort;	/* 1 + the order that it chooses; 0: none */
	uint8_t input;	/* the key of a prompt that it stands for */
	bool density;	/* goes to a time */
	uint64_t cause; /* goes to that root cause in Problems; 0: none */
};

/* What can be clicked on and where, set when the page is drawn. */
struct hit {
	int row, col, width;
	struct click click;
};

enum { HITS = 96 };

struct hits {
	struct hit all[HITS];
	size_t n;
	enum view_id view; /* that they are in */
};

#endif
