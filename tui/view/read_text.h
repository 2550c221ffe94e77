/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that others wrote, to be read and searched: YAML, logs, what a command printed. */
#ifndef TUI_VIEW_READ_TEXT_H
#define TUI_VIEW_READ_TEXT_H

#include "tui/state/state.h"

/*
 * Adds a line of such a text, wrapped, with the matches of the search highlighted.  The wrapped rest is indented by
 * hang columns.  fold: the mark of a fold will stand before the line.
 */
void add_read_line(const struct ui *ui, struct lines *l, struct str line, size_t hang, bool fold);
/*
 * Returns the line without the colour sequences (SGR) that a program writes to a terminal; it is in the arena when it
 * had some.
 */
struct str without_colours(struct str line, struct arena *a);

#endif
