/* SPDX-License-Identifier: Apache-2.0 */
/* A key press or a mouse event, independent of any terminal library. */
#ifndef TUI_STATE_KEY_H
#define TUI_STATE_KEY_H

#include "kube/base/str.h"

enum input {
	INPUT_NONE,
	INPUT_RUNE, /* a character, in rune; with ctrl it is the letter in lower case */
	INPUT_ENTER,
	INPUT_ESCAPE,
	INPUT_TAB,
	INPUT_BACKTAB,
	INPUT_BACKSPACE,
	INPUT_DELETE,
	INPUT_UP,
	INPUT_DOWN,
	INPUT_LEFT,
	INPUT_RIGHT,
	INPUT_PAGE_UP,
	INPUT_PAGE_DOWN,
	INPUT_HOME,
	INPUT_END,
	INPUT_FUNCTION, /* a function key; rune is its number, 1 to 12 */
	INPUT_WHEEL_UP,
	INPUT_WHEEL_DOWN,
	INPUT_CLICK, /* a click at row, col, in cells from 0 */
	INPUT_RESIZE, /* the size of the terminal has changed, or it must be painted again */
	INPUT_OTHER   /* any other key, or the release of a mouse button */
};

struct key {
	enum input input;
	uint32_t rune;
	bool ctrl;
	bool pasted; /* the key was pasted (bracketed paste): it is text and never a command */
	int row, col;
};

/*
 * Returns the key of that name: "j", "C-d", "PgDn", "Enter", "Space", "F8".  Its input is INPUT_NONE when no key has
 * that name.
 */
struct key key_parse(struct str name);
bool key_same(const struct key *a, const struct key *b);

#endif
