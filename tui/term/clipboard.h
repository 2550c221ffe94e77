/* SPDX-License-Identifier: Apache-2.0 */
/* The sequence that puts text into the clipboard of the user's terminal, also over ssh (OSC 52). */
#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

#include "kube/base/buf.h"

/* Programs between us and the terminal that eat the sequence unless it is wrapped. */
enum clipboard_through { CLIPBOARD_DIRECT, CLIPBOARD_TMUX, CLIPBOARD_SCREEN };

void clipboard_sequence(struct str text, enum clipboard_through through, struct buf *out);

#endif
