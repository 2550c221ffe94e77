/* SPDX-License-Identifier: Apache-2.0 */
/* From characters that a terminal sends to keys. */
#ifndef TUI_TERM_KEYS_H
#define TUI_TERM_KEYS_H

#include "tui/view/key.h"

/* A character that is no function key: controls get their names. */
struct key key_of_rune(uint32_t rune);

/*
 * A report of the mouse, without its introducer: "0;10;5M" behind CSI <, and the three characters behind CSI M
 * of terminals that know no other (button, column, row, each 32 more).  A press of the left button is a click;
 * false for anything else than that and the wheel.
 */
bool mouse_parse(struct str report, struct key *out);
bool mouse_parse_old(struct str report, struct key *out);

#endif
