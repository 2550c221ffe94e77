/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal.  curses.c is the only file that uses ncurses. */
#ifndef TUI_TERM_CURSES_H
#define TUI_TERM_CURSES_H

#include "kube/base/err.h"
#include "tui/draw/canvas.h"
#include "tui/state/key.h"
#include "tui/term/theme.h"

struct terminal;

/*
 * Takes over the terminal: keys come from standard input, or from /dev/tty when standard input is no terminal.
 * THEME_NONE (NO_COLOR, --color never) shows no colours.  THEME_AUTO follows the background that the terminal reports,
 * also when it answers after this call.  The caller has called setlocale() and has set its own handlers for SIGINT,
 * SIGTERM, SIGHUP, SIGTSTP and SIGWINCH.  At most one terminal is open at a time.  Fails with ERR_SYSTEM when standard
 * output is no terminal, or one that cannot place the cursor.
 */
int term_open(enum theme_name theme, struct terminal **out, struct err *err) MUST_USE;
/* Gives the terminal back in the state that it had before term_open().  t may be NULL. */
void term_close(struct terminal *t);
/*
 * Does the same for a signal handler: it is async-signal-safe and does not allocate.  Does nothing when no terminal is
 * open.
 */
void term_emergency(void);

/* Returns a file descriptor that is readable when there may be keys. */
int term_fd(const struct terminal *t);
void term_size(const struct terminal *t, int *out_rows, int *out_cols);
/* Call it after SIGWINCH.  Returns true when the size has changed. */
bool term_resized(struct terminal *t);
/*
 * Returns true when the terminal is gone, because its window was closed: term_fd() is then always readable, without
 * keys.
 */
bool term_lost(const struct terminal *t);
/* Returns true when the terminal can only show ASCII. */
bool term_is_ascii(const struct terminal *t);

/* Reads the next key.  Returns false when there is none; read keys until then. */
bool term_next_key(struct terminal *t, struct key *out);
/*
 * Returns true while the terminal has not taken all that was written to it; writes on then, without waiting.  Nothing else
 * here waits for it, but giving it back, for half a second: what it has not taken then is thrown away.
 */
bool term_busy(struct terminal *t);
/* Returns how long a terminal that is busy may be left alone before the next term_busy(), ms. */
int64_t term_pause(const struct terminal *t);
/* Writes the cells that differ from the last flush to the terminal; call it while that is not busy. */
void term_flush(struct terminal *t, const struct canvas *c);
/* Has the next flush write every cell, because the screen may be garbled. */
void term_redraw(struct terminal *t);

/*
 * Does what ^Z does: gives the terminal back, stops the job, and takes the terminal over again when the job is
 * continued.
 */
void term_suspend(struct terminal *t);
/* Copies text into the clipboard of the user's terminal.  Returns false when the terminal is known to have none. */
bool term_copy(struct terminal *t, struct str text);
/* Gives the terminal back for another program; term_return() takes it over again. */
void term_leave(struct terminal *t);
void term_return(struct terminal *t);
/* Prints a text between term_leave() and term_return(), without what must not reach a terminal. */
void term_write(struct terminal *t, struct str text);
void term_bell(struct terminal *t);
/* Has the terminal notify the user, with the sequences OSC 9 and OSC 777, of which terminals know one or none. */
void term_notify(struct terminal *t, struct str text);
/* Sets the title of the terminal window, if it has one. */
void term_title(struct terminal *t, struct str title);
/* Restores the title that the window had before, as term_close() does. */
void term_title_before(struct terminal *t);

#endif
