/* SPDX-License-Identifier: Apache-2.0 */
/* Turns characters and mouse reports of a terminal into keys. */
#ifndef TUI_TERM_KEYS_H
#define TUI_TERM_KEYS_H

#include "tui/state/key.h"

/* The key of a character; control characters become "C-x", Enter, Tab ... */
struct key key_of_rune(uint32_t rune);

/*
 * Read a mouse report without its introducer: "0;10;5M" after CSI < (SGR), or the three characters after CSI M of
 * older terminals (button, column, row, each plus 32).  True for a press of the left button (a click) and the wheel.
 */
bool mouse_parse(struct str report, struct key *out);
bool mouse_parse_old(struct str report, struct key *out);

#endif
