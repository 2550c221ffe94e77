/* SPDX-License-Identifier: Apache-2.0 */
/* The places on the screen that can be clicked on, and what a click on each does. */
#ifndef TUI_STATE_CLICK_H
#define TUI_STATE_CLICK_H

#include "tui/state/action.h"

/* What a click does.  Only one of the members is set. */
struct click {
	enum action action;
	uint8_t tab;	/* 1 + the tab that the click opens; 0: none */
	uint8_t sort;	/* 1 + the order that the click chooses; 0: none */
	uint8_t input;	/* the key (enum input) that the click stands for in a prompt */
	bool density;	/* the click goes to the time at that column of the density line */
	uint64_t cause; /* the key of the root cause in Problems that the click goes to; 0: none */
};

/* A place on the screen that can be clicked on.  Drawing the page sets them. */
struct hit {
	int row, col, width;
	struct click click;
};

enum { HITS = 96 };

struct hits {
	struct hit all[HITS];
	size_t n;
	enum view_id view; /* the view that was on the screen when these places were noted */
};

#endif
