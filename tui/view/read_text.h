/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that others wrote, to be read and searched: YAML, logs, what a command printed. */
#ifndef TUI_VIEW_READ_TEXT_H
#define TUI_VIEW_READ_TEXT_H

#include "tui/state/state.h"

#define READ_LEAD ((struct text){ .str = STR("  "), .style = STYLE_NORMAL })
/*
 * Adds a line of such a text, wrapped, with the matches of the search highlighted.  The wrapped rest is indented by
 * hang columns.  Before the line stands lead: READ_LEAD, or a text of its own that begins like it; of a line that can be
 * folded it is empty, because the mark of the fold will stand there.
 */
void add_read_line(const struct ui *ui, struct lines *l, struct text lead, struct str line, size_t hang);
/*
 * Returns the line without the colour sequences (SGR) that a program writes to a terminal; it is in the arena when it
 * had some.
 */
struct str without_colours(struct str line, struct arena *a);

#endif
