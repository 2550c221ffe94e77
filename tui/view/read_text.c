/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that others wrote, to be read and searched: YAML, logs, what a command printed. */
#include "tui/view/read_text.h"

#include <ctype.h>

/* Adds a part of a line, in which matches of the search are highlighted. */
static void add_found(const struct ui *ui, struct lines *l, struct str text, enum style style)
{
	struct str word = str_of(ui_place_const(ui)->search);

	for (size_t i = 0; word.len && i + word.len <= text.len; i++) {
		if (!str_eq_nocase(str_head(str_from(text, i), word.len), word))
			continue;
		if (i)
			lines_cell(l, str_head(text, i), style);
		lines_cell(l, str_head(str_from(text, i), word.len), STYLE_MATCH);
		text = str_from(text, i + word.len);
		i = (size_t)-1;
	}
	if (text.len)
		lines_cell(l, text, style);
}

void add_read_line(const struct ui *ui, struct lines *l, struct text lead, struct str line, size_t hang)
{
	int width = ui->cols - 3, room = width - (int)hang;
	struct str head = text_head(line, width + 2 - (lead.str.len ? text_width(lead.str) : 2));

	/* The text begins behind the place of the mark of a fold, so that all lines are aligned. */
	lines_add(l)->flags = LINE_SPAN;
	l->all[l->n - 1].depth = 0;
	add_found(ui, l, lead.str, lead.style);
	add_found(ui, l, head, STYLE_NORMAL);
	line = str_from(line, head.len);
	if (room < 16) {
		hang = 2;
		room = width - 2;
	}
	while (line.len && head.len) {
		head = text_head(line, room);
		lines_add(l)->flags = LINE_SPAN;
		lines_cell(l, arena_printf(l->arena, "%*s", (int)hang + 2, ""), STYLE_NORMAL);
		add_found(ui, l, head, STYLE_NORMAL);
		line = str_from(line, head.len);
	}
}

/* Returns the length of a colour sequence (SGR) at the start of s, such as "\033[1;31m"; 0: there is none. */
static size_t colour_len(struct str s)
{
	size_t n = 2;

	if (!str_starts(s, "\033["))
		return 0;
	while (n < s.len && (isdigit((unsigned char)s.ptr[n]) || s.ptr[n] == ';'))
		n++;
	return n < s.len && s.ptr[n] == 'm' ? n + 1 : 0;
}

struct str without_colours(struct str line, struct arena *a)
{
	char *out;
	size_t n = 0;

	if (str_find(line, '\033') == line.len)
		return line;
	out = arena_alloc(a, line.len);
	for (size_t i = 0; i < line.len;) {
		size_t skip = colour_len(str_from(line, i));

		if (skip)
			i += skip;
		else
			out[n++] = line.ptr[i++];
	}
	return (struct str){ out, n };
}
