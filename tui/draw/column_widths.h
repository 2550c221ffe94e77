/* SPDX-License-Identifier: Apache-2.0 */
/* The widths of columns. */
#ifndef TUI_DRAW_COLUMN_WIDTHS_H
#define TUI_DRAW_COLUMN_WIDTHS_H

#include "tui/words/text.h"

/* Fits n columns with gap blanks between them into width.  out_widths has n elements; 0: the column is dropped. */
void layout_columns(const struct column *columns, size_t n, int width, int gap, int *out_widths);

#endif
