/* SPDX-License-Identifier: Apache-2.0 */
/* The control sequence that puts text into the clipboard of the user's terminal, also over ssh (OSC 52). */
#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

#include "kube/base/buf.h"

/* The program between this one and the terminal.  tmux and GNU screen pass the sequence on only when it is wrapped. */
enum clipboard_through { CLIPBOARD_DIRECT, CLIPBOARD_TMUX, CLIPBOARD_SCREEN };

/* Appends the sequence that copies text. */
void clipboard_sequence(struct str text, enum clipboard_through through, struct buf *out);

#endif
