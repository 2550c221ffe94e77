/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal.  curses.c is the only file that knows ncurses. */
#ifndef TUI_TERM_CURSES_H
#define TUI_TERM_CURSES_H

#include "kube/base/err.h"
#include "tui/draw/canvas.h"
#include "tui/view/key.h"

struct terminal;

/*
 * Takes the terminal over: keys come from standard input, or from /dev/tty when
 * that is no terminal.  color: false for NO_COLOR and --color never.  The caller
 * has called setlocale() and has set its own handlers for SIGINT, SIGTERM,
 * SIGHUP, SIGTSTP and SIGWINCH.  At most one is open at a time.
 * ERR_SYSTEM when it is no terminal, or one that cannot place the cursor.
 */
int term_open(bool color, struct terminal **out, struct err *err) MUST_USE;
/* Gives the terminal back as it was.  NULL is allowed. */
void term_close(struct terminal *t);
/*
 * The same in a hurry: safe in a signal handler and when memory ran out.  Does
 * nothing when no terminal is open.
 */
void term_emergency(void);

/* Readable when there may be keys. */
int term_fd(const struct terminal *t);
void term_size(const struct terminal *t, int *out_rows, int *out_cols);
/* After SIGWINCH: true when the size is another one. */
bool term_resized(struct terminal *t);
/* The terminal is gone (its window was closed): readable for ever, and without keys. */
bool term_lost(const struct terminal *t);
/* Nothing beyond ASCII can be shown. */
bool term_is_ascii(const struct terminal *t);

/* False when there is no further key; always read until then. */
bool term_next_key(struct terminal *t, struct key *out);
/* Writes what differs from the last picture. */
void term_flush(struct terminal *t, const struct canvas *c);
/* The screen may be garbled: the next flush writes every cell. */
void term_redraw(struct terminal *t);

/* Gives the terminal back, stops the job, and takes it again when it is continued. */
void term_suspend(struct terminal *t);
/* Into the clipboard of the user's terminal. */
void term_copy(struct terminal *t, struct str text);

#endif
