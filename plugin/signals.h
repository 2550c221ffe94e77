/* SPDX-License-Identifier: Apache-2.0 */
/* Makes events of signals: each writes a byte into a pipe that the event loop waits for. */
#ifndef PLUGIN_SIGNALS_H
#define PLUGIN_SIGNALS_H

#include <stdbool.h>

/* Makes INT, TERM, HUP and QUIT end a running credential plugin, too. */
void signals_end_children(void);
/*
 * Makes signals_next() return every signal that would end the program, instead of the signal having its effect.  If the
 * program still runs 300 ms after the first of them, because something blocks, that signal kills it.  A HUP that was
 * ignored (nohup) stays ignored.
 */
void signals_catch(void);
/*
 * Makes signals_next() return WINCH, TSTP and CONT, too: whoever has the terminal has to give it back and take it
 * again.
 */
void signals_catch_screen(void);
/* Sets a function that is called before a signal kills the program; it must be async-signal-safe. */
void signals_on_death(void (*hook)(void));
/* Returns a file descriptor that is readable when a signal came; -1 before signals_catch(). */
int signals_fd(void);
/* Returns the number of the next signal that came; 0: none. */
int signals_next(void);
/* Returns true for signals that end the program: all but WINCH, TSTP and CONT. */
bool signals_ends(int signal_number);
/* Returns true when a signal came that ends the program, whether signals_next() has returned it or not. */
bool signals_ending(void);
/*
 * Ends the program by that signal, so that the shell sees it as interrupted.  Returns only when the signal is blocked.
 */
void signals_die(int signal_number);

#endif
