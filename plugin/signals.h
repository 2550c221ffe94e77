/* SPDX-License-Identifier: Apache-2.0 */
/* Signals as events: each writes a byte into a pipe that the event loop waits for. */
#ifndef PLUGIN_SIGNALS_H
#define PLUGIN_SIGNALS_H

#include <stdbool.h>

/* From now on INT, TERM, HUP and QUIT also end a running credential plugin. */
void signals_end_children(void);
/*
 * From now on every signal that would end the program is returned by signals_next() instead of having its effect.  If the program still runs 300 ms after
 * the first signal that should end it, because something blocks, the signal kills it.  A HUP that was
 * ignored (nohup) stays ignored.
 */
void signals_catch(void);
/* From now on WINCH, TSTP and CONT are returned, too: who has the terminal has to give it back and take it again. */
void signals_catch_screen(void);
/* hook is called before such a signal kills the program; it must be async-signal-safe. */
void signals_on_death(void (*hook)(void));
/* A file descriptor that is readable when a signal came; -1 before signals_catch(). */
int signals_fd(void);
/* The next signal that came; 0: none. */
int signals_next(void);
/* True for signals that end the program: all but WINCH, TSTP and CONT. */
bool signals_ends(int signal_number);
/* True when such a signal came, whether signals_next() has returned it or not. */
bool signals_ending(void);
/* INT, TERM, HUP and QUIT have no effect until signals_release(); signals_held(): one of them came meanwhile. */
void signals_hold(void);
bool signals_held(void);
void signals_release(void);
/* Ends the program by that signal, so that the shell sees it as interrupted. */
void signals_die(int signal_number);

#endif
