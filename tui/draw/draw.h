/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a page into the cells of a canvas. */
#ifndef TUI_DRAW_DRAW_H
#define TUI_DRAW_DRAW_H

#include "tui/draw/canvas.h"
#include "tui/view/page.h"

/* Draws a page.  The canvas must have the size that was given to the last ui_resize(). */
void draw_page(struct canvas *c, const struct page *page);

#endif
