/* SPDX-License-Identifier: Apache-2.0 */
/* From characters that a terminal sends to keys. */
#ifndef TUI_TERM_KEYS_H
#define TUI_TERM_KEYS_H

#include "tui/view/key.h"

/* A character that is no function key: controls get their names. */
struct key key_of_rune(uint32_t rune);

#endif
