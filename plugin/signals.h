/* SPDX-License-Identifier: Apache-2.0 */
/* Signals as something to wait for: each writes a byte into a pipe. */
#ifndef PLUGIN_SIGNALS_H
#define PLUGIN_SIGNALS_H

#include <stdbool.h>

/* From now on a credential plugin that still runs dies with us of INT, TERM, HUP and QUIT. */
void signals_end_children(void);
/*
 * From now on every signal that would end the program, and WINCH, TSTP and CONT,
 * come out of signals_next() instead of having their effect.  If the program still runs 300 ms
 * after the first that should end it, because something blocks, it dies of it after all.  A HUP that was ignored (nohup) stays ignored.
 */
void signals_catch(void);
/* Called before the program dies of a signal without having ended by itself; must be safe in a handler. */
void signals_on_death(void (*hook)(void));
/* Readable when one came; -1 before signals_catch(). */
int signals_fd(void);
/* The next one that came; 0: none. */
int signals_next(void);
/* One that asks for the end: all but WINCH, TSTP and CONT. */
bool signals_ends(int signal_number);
/* One such came, whether signals_next() has returned it or not. */
bool signals_ending(void);
/* Dies of it, as a shell expects of a program that was interrupted. */
void signals_die(int signal_number);

#endif
