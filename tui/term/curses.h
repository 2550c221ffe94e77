/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal.  curses.c is the only file that knows ncurses. */
#ifndef TUI_TERM_CURSES_H
#define TUI_TERM_CURSES_H

#include "kube/base/err.h"
#include "tui/draw/canvas.h"
#include "tui/state/key.h"
#include "tui/term/theme.h"

struct terminal;

/*
 * Takes the terminal over: keys come from standard input, or from /dev/tty when
 * that is no terminal.  THEME_NONE (NO_COLOR, --color never) shows no colours; THEME_AUTO
 * follows the background that the terminal reports, also when it answers after this call.  The caller
 * has called setlocale() and has set its own handlers for SIGINT, SIGTERM,
 * SIGHUP, SIGTSTP and SIGWINCH.  At most one is open at a time.
 * ERR_SYSTEM when it is no terminal, or one that cannot place the cursor.
 */
int term_open(enum theme_name theme, struct terminal **out, struct err *err) MUST_USE;
/* Gives the terminal back as it was.  NULL is allowed. */
void term_close(struct terminal *t);
/*
 * The same without delay: async-signal-safe, and without memory.  Does nothing when no
 * terminal is open.
 */
void term_emergency(void);

/* Readable when there may be keys. */
int term_fd(const struct terminal *t);
void term_size(const struct terminal *t, int *out_rows, int *out_cols);
/* After SIGWINCH: true when the size has changed. */
bool term_resized(struct terminal *t);
/* True when the terminal is gone (its window was closed): term_fd() is then always readable, without keys. */
bool term_lost(const struct terminal *t);
/* True when only ASCII can be shown. */
bool term_is_ascii(const struct terminal *t);

/* The next key.  False when there is none; read until then. */
bool term_next_key(struct terminal *t, struct key *out);
/* Writes the cells that differ from the last flush. */
void term_flush(struct terminal *t, const struct canvas *c);
/* The screen may be garbled: the next flush writes every cell. */
void term_redraw(struct terminal *t);

/* ^Z: gives the terminal back, stops the job, and takes the terminal again when the job is continued. */
void term_suspend(struct terminal *t);
/* Copies text into the clipboard of the user's terminal; false when it is known to have none. */
bool term_copy(struct terminal *t, struct str text);
/* Gives the terminal back for another program; term_return() takes it again. */
void term_leave(struct terminal *t);
void term_return(struct terminal *t);
/* Between these two: text for people, without what must not reach a terminal. */
void term_write(struct terminal *t, struct str text);
void term_bell(struct terminal *t);
/* Sets the title of the window, where it has one. */
void term_title(struct terminal *t, struct str title);
/* Restores the title of before, as term_close() does. */
void term_title_before(struct terminal *t);

#endif
