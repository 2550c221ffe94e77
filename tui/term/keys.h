/* SPDX-License-Identifier: Apache-2.0 */
/* Turns characters and mouse reports of a terminal into keys. */
#ifndef TUI_TERM_KEYS_H
#define TUI_TERM_KEYS_H

#include "tui/state/key.h"

/* Returns the key of a character.  Control characters become Enter, Tab and so on, or a letter with ctrl. */
struct key key_of_rune(uint32_t rune);

/*
 * Read a mouse report without its introducer: "0;10;5M" after CSI < (SGR), or the three characters after CSI M of older
 * terminals (button, column and row, each plus 32).  They return true for a press of the left button, which is a click,
 * and for the wheel.
 */
bool mouse_parse(struct str report, struct key *out);
bool mouse_parse_old(struct str report, struct key *out);

#endif
