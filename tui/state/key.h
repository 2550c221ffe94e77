/* SPDX-License-Identifier: Apache-2.0 */
/* A key press or a click, free of any terminal library. */
#ifndef TUI_STATE_KEY_H
#define TUI_STATE_KEY_H

#include "kube/base/str.h"

enum input {
	INPUT_NONE,
	INPUT_RUNE, /* rune; with ctrl: the letter in lower case */
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
	INPUT_FUNCTION, /* rune: 1 to 12 */
	INPUT_WHEEL_UP,
	INPUT_WHEEL_DOWN,
	INPUT_CLICK, /* row, col: cells from 0 */
	INPUT_RESIZE, /* the terminal has another size */
	INPUT_OTHER   /* any other key */
};

struct key {
	enum input input;
	uint32_t rune;
	bool ctrl;
	bool pasted; /* bracketed paste: text, no command */
	int row, col;
};

/* "j", "C-d", "PgDn", "Enter", "Space", "F8".  INPUT_NONE when it names no key. */
struct key key_parse(struct str name);
bool key_same(const struct key *a, const struct key *b);

#endif
