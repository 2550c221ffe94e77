/* SPDX-License-Identifier: Apache-2.0 */
/* Signals as something to wait for: each writes a byte into a pipe. */
#ifndef PLUGIN_SIGNALS_H
#define PLUGIN_SIGNALS_H

#include <stdbool.h>

/* From now on a credential plugin that still runs dies with us of INT, TERM, HUP and QUIT. */
void signals_end_children(void);
/* From now on INT, TERM, HUP, WINCH, TSTP and CONT are told, not obeyed. */
void signals_catch(void);
/* Readable when one came; -1 before signals_catch(). */
int signals_fd(void);
/* The next one that came; 0: none. */
int signals_next(void);
/* Dies of it, as a shell expects of a program that was interrupted. */
void signals_die(int signal_number);

#endif
