/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/words/text.h"

#include <string.h>

#include "kube/base/assert.h"
#include "kube/base/utf8.h"

void lines_reserve(struct lines *l, size_t n)
{
	struct line *grown;

	if (n <= l->cap)
		return;
	grown = arena_array(l->arena, n, sizeof(*grown));
	if (l->n)
		memcpy(grown, l->all, l->n * sizeof(*grown));
	l->all = grown;
	l->cap = n;
}

struct line *lines_add(struct lines *l)
{
	if (l->n == l->cap)
		lines_reserve(l, l->cap ? l->cap * 2 : 64);
	l->all[l->n] = (struct line){ 0 };
	return &l->all[l->n++];
}

void lines_cell_brief(struct lines *l, struct str str, struct str brief, enum style style)
{
	struct line *line = &l->all[l->n - 1];
	struct text *cells;

	assert(l->n > 0 && l->n <= l->cap && style < STYLE_COUNT);
	if (line->ncells == LINE_CELLS)
		return;
	/* The array of cells grows by four: most lines have few cells. */
	if (line->ncells % 4 == 0) {
		cells = arena_array(l->arena, (size_t)line->ncells + 4, sizeof(*cells));
		if (line->ncells)
			memcpy(cells, line->cells, line->ncells * sizeof(*cells));
		line->cells = cells;
	}
	cells = (struct text *)(uintptr_t)line->cells;
	cells[line->ncells++] =
		(struct text){ arena_str(l->arena, str), arena_str(l->arena, brief), style };
}

void lines_cell(struct lines *l, struct str str, enum style style)
{
	lines_cell_brief(l, str, STR_NONE, style);
}

void lines_heading(struct lines *l, const char *title)
{
	lines_add(l)->flags = LINE_SPAN | LINE_HEADING;
	lines_cell(l, str_of(title), STYLE_HEADING);
}

void lines_blank(struct lines *l)
{
	lines_add(l)->flags = LINE_SPAN | LINE_HEADING;
}

void lines_note(struct lines *l, struct str str)
{
	lines_blank(l);
	lines_cell(l, str, STYLE_DIM);
}

static int rune_width(uint32_t rune)
{
	return utf8_hostile(rune) ? 1 : utf8_width(rune);
}

int text_width(struct str s)
{
	int width = 0;

	for (size_t at = 0; at < s.len;) {
		/* nearly all characters are ASCII */
		if ((unsigned char)s.ptr[at] < 0x80) {
			at++;
			width++;
		} else {
			width += rune_width(utf8_next(s, &at));
		}
	}
	return width;
}

int text_widest(struct str s, int widest)
{
	/* A text never has more columns than bytes, so a short text need not be measured. */
	int width = s.len > (size_t)widest ? text_width(s) : 0;

	return width > widest ? width : widest;
}

void column_fit(struct column *column, int widest)
{
	enum { MOST = 1000 };

	widest = text_widest(str_of(column->title), widest);
	if (column->max && widest > column->max)
		widest = column->max;
	column->want = (uint16_t)(widest < MOST ? widest : MOST);
	if (column->want < column->min && !column->rank)
		column->min = column->want;
}

struct str text_head(struct str s, int width)
{
	size_t at = 0;

	while (at < s.len) {
		size_t next = at;
		int w = rune_width(utf8_next(s, &next));

		if (w > width)
			break;
		width -= w;
		at = next;
	}
	return str_head(s, at);
}

struct str text_middle(struct str s, int width, struct arena *a)
{
	struct str head, tail = s;
	int all = text_width(s);

	if (all <= width)
		return s;
	head = text_head(s, (width - 1) / 2);
	while (tail.len && all > width / 2) {
		size_t at = 0;

		all -= rune_width(utf8_next(tail, &at));
		tail = str_from(tail, at);
	}
	return arena_printf(a, STR_FMT "…" STR_FMT, STR_ARG(head), STR_ARG(tail));
}

/*
 * Returns the head of a paragraph that fits into width columns.  It ends before a blank if it has one behind its first
 * third.
 */
static struct str wrap_head(struct str s, int width)
{
	struct str head = text_head(s, width);
	size_t blank;

	if (head.len == s.len || (head.len < s.len && s.ptr[head.len] == ' '))
		return head;
	blank = str_rfind(head, ' ');
	if (blank < head.len && blank > head.len / 3)
		return str_head(head, blank);
	return head;
}

static void wrap_paragraph(struct lines *l, struct str s, struct text *indent, int width)
{
	do {
		struct str head = wrap_head(s, width);

		if (head.len == 0 && s.len) /* not even one character fits */
			head = str_head(s, 1);
		lines_add(l)->flags = LINE_SPAN;
		lines_cell(l, indent->str, STYLE_DIM);
		lines_cell(l, head, indent->style);
		/* The label stands on the first line only; the other lines are indented by brief. */
		if (indent->brief.len)
			indent->str = indent->brief;
		s = str_from(s, head.len);
		while (s.len && s.ptr[0] == ' ')
			s = str_from(s, 1);
	} while (s.len);
}

void lines_wrap(struct lines *l, struct str text, struct text indent, int width)
{
	struct str paragraph;

	width -= text_width(indent.str);
	if (width < 8)
		width = 8;
	if (text.len == 0)
		wrap_paragraph(l, text, &indent, width);
	while (str_split(&text, '\n', &paragraph)) {
		while (paragraph.len && (paragraph.ptr[paragraph.len - 1] == ' ' ||
					 paragraph.ptr[paragraph.len - 1] == '\r'))
			paragraph.len--;
		wrap_paragraph(l, paragraph, &indent, width);
	}
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_contains(struct str text, struct str word)
{
	char first = word.len ? lower(word.ptr[0]) : 0;

	for (size_t i = 0; i + word.len <= text.len; i++)
		if ((!word.len || lower(text.ptr[i]) == first) && str_eq_nocase(str_head(str_from(text, i), word.len), word))
			return true;
	return false;
}

uint64_t key_mix(uint64_t hash, uint64_t value)
{
	/* the last steps of the hash function splitmix64 */
	value += hash * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
	value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
	value = (value ^ value >> 27) * 0x94D049BB133111EBu;
	return value ^ value >> 31;
}

uint64_t key_mix_str(uint64_t hash, struct str s)
{
	return key_mix(hash, str_hash(s));
}

uint64_t key_of_handle(struct handle h)
{
	return key_mix(h.gen, h.slot);
}

uint64_t key_of_kind(const struct kind *kind)
{
	return key_mix_str(key_mix_str(0, kind->group), kind->kind);
}

uint64_t key_of_name(const struct object_id *id)
{
	return key_mix_str(key_mix_str(key_mix(key_of_kind(id->kind), id->cluster), id->ns), id->name);
}
