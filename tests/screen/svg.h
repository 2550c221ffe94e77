/* SPDX-License-Identifier: Apache-2.0 */
/* A canvas as an SVG picture in a theme: the same cells and styles that a terminal gets. */
#ifndef TESTS_SCREEN_SVG_H
#define TESTS_SCREEN_SVG_H

#include "tui/draw/canvas.h"
#include "tui/term/theme.h"

enum { SVG_COL = 8, SVG_ROW = 18, SVG_BASE = 13, SVG_PAD = 10 };

static inline void svg_text(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		switch (text.ptr[i]) {
		case '&':
			buf_add_cstr(out, "&amp;");
			break;
		case '<':
			buf_add_cstr(out, "&lt;");
			break;
		case '>':
			buf_add_cstr(out, "&gt;");
			break;
		default:
			buf_add_char(out, text.ptr[i]);
		}
	}
}

/* The colours of a cell as the theme has them; *out_back is the theme's background when nothing is painted. */
static inline void svg_colours(const struct theme *theme, uint8_t style, uint32_t *out_fore, uint32_t *out_back)
{
	const struct theme_style *s = &theme->styles[style & STYLE_MASK];
	bool selected = style & STYLE_SELECTED;
	short colour = selected ? s->selected256 : s->fg256;
	uint32_t fore = colour == THEME_DEFAULT ? theme->text : theme_rgb(colour),
		 back = selected ? theme_rgb(theme->selected_bg) : theme->background;
	bool reverse = s->attr & THEME_REVERSE;

	*out_fore = reverse ? back : fore;
	*out_back = reverse ? fore : back;
}

/* Cells of one style beside each other: a text as wide as they are, whatever the font. */
static inline void svg_run(const struct canvas *c, const struct theme *theme, int row, int col, int end, struct buf *out)
{
	uint8_t style = canvas_cell(c, row, col)->style, attr = theme->styles[style & STYLE_MASK].attr;
	struct buf text = { 0 };
	uint32_t fore, back;
	bool blank = true;

	svg_colours(theme, style, &fore, &back);
	for (int i = col; i < end; i++) {
		const struct cell *cell = canvas_cell(c, row, i);

		if (i > col && cell->width == 0 && cell->utf8[0] == '\0' && canvas_cell(c, row, i - 1)->width == 2)
			continue;
		blank &= cell->utf8[0] == '\0' || cell->utf8[0] == ' ';
		buf_add_cstr(&text, cell->utf8[0] ? cell->utf8 : " ");
	}
	if (back != theme->background)
		buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
			   SVG_PAD + col * SVG_COL, SVG_PAD + row * SVG_ROW, (end - col) * SVG_COL, SVG_ROW, (unsigned)back);
	if (!blank) {
		buf_printf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>", SVG_PAD + col * SVG_COL,
			   SVG_PAD + row * SVG_ROW + SVG_BASE, (end - col) * SVG_COL, (unsigned)fore,
			   attr & THEME_BOLD ? " font-weight=\"bold\"" : "",
			   attr & THEME_UNDERLINE ? " text-decoration=\"underline\"" : "");
		svg_text(buf_str(&text), out);
		buf_add_cstr(out, "</text>\n");
	}
	buf_release(&text);
}

static inline void svg_of_canvas(const struct canvas *c, enum theme_name name, struct buf *out)
{
	const struct theme *theme = theme_of(name, name == THEME_LIGHT);
	int width = c->cols * SVG_COL + 2 * SVG_PAD, height = c->rows * SVG_ROW + 2 * SVG_PAD;

	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
		   "<style>text{white-space:pre;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\","
		   "monospace}</style>\n<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n",
		   width, height, width, height, (unsigned)theme->background);
	for (int row = 0; row < c->rows; row++)
		for (int col = 0, end; col < c->cols; col = end) {
			for (end = col + 1; end < c->cols; end++)
				if (canvas_cell(c, row, end)->style != canvas_cell(c, row, col)->style)
					break;
			svg_run(c, theme, row, col, end, out);
		}
	buf_add_cstr(out, "</svg>\n");
}

#endif
