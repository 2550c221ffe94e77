/* SPDX-License-Identifier: Apache-2.0 */
/* The sequence that puts text into the clipboard of the user's terminal, also over ssh (OSC 52). */
#ifndef TUI_TERM_CLIPBOARD_H
#define TUI_TERM_CLIPBOARD_H

#include "kube/base/buf.h"

/* A program between us and the terminal that passes the sequence on only when it is wrapped. */
enum clipboard_through { CLIPBOARD_DIRECT, CLIPBOARD_TMUX, CLIPBOARD_SCREEN };

/* Appends the sequence. */
void clipboard_sequence(struct str text, enum clipboard_through through, struct buf *out);

#endif
