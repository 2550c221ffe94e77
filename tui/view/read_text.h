/* SPDX-License-Identifier: Apache-2.0 */
/* Text that others wrote, to be read and searched: YAML, logs, what a command printed. */
#ifndef TUI_VIEW_READ_TEXT_H
#define TUI_VIEW_READ_TEXT_H

#include "tui/state/state.h"

/*
 * Adds one line of it, wrapped, with what is searched for standing out; what is wrapped stands hang columns further
 * to the right than its beginning.  fold: a mark of a fold stands before it.
 */
void add_read_line(const struct ui *ui, struct lines *l, struct str line, size_t hang, bool fold);
/* The line without the colours (SGR) that a program writes to a terminal; in the arena where it had some. */
struct str without_colours(struct str line, struct arena *a);

#endif
