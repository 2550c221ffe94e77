/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_VIEW_TIMELINE_H
#define TUI_VIEW_TIMELINE_H

#include "tui/view/state.h"

/* The timeline as text for a post-mortem: a line per entry, tabs between. */
void timeline_text(const struct lines *lines, struct buf *out);

#endif
