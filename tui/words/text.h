/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a view builds and tui/draw draws: lines of styled texts, in columns or one
 * after the other, independent of the width of the screen.
 */
#ifndef TUI_WORDS_TEXT_H
#define TUI_WORDS_TEXT_H

#include "kube/base/arena.h"
#include "kube/model/store.h"
#include "tui/words/style.h"

/* brief, when not empty, is shown where str does not fit. */
struct text {
	struct str str, brief;
	enum style style;
};

enum clip { CLIP_END, CLIP_MIDDLE };

/* Widths are columns of the terminal, without the gap to the next one. */
struct column {
	const char *title;
	uint16_t min;  /* below this it is dropped, or clipped when rank is 0 */
	uint16_t want; /* natural width */
	uint16_t max;  /* never wider, 0: no limit */
	uint8_t rank;  /* the highest is dropped first; 0: never */
	uint8_t grow;  /* share of the remaining width */
	bool right;    /* aligned to the right */
	enum clip clip;
	uint8_t sort;  /* 1 + the order that a click on the title chooses; 0: none */
};

enum fold { FOLD_NONE, FOLD_CLOSED, FOLD_OPEN };

enum line_flags {
	LINE_SPAN = 1 << 0,    /* cells follow each other over the whole width */
	LINE_HEADING = 1 << 1, /* cannot be selected */
	LINE_FLASH = 1 << 2,   /* changed a moment ago */
	LINE_GONE = 1 << 3,    /* a tombstone */
	LINE_LAZY = 1 << 4,    /* cells are made when the line is shown */
	LINE_MARKED = 1 << 5,  /* by the user */
	LINE_TITLES = 1 << 6   /* has no cells: the titles of the columns stand in it */
};

/* Of a line that stands for what is no object, or for several. */
struct line_texts {
	struct str name, look;	/* for y and Y */
	struct handle waiter;	/* an object that it holds up: w and t show that one */
	const struct handle *members; /* the worst objects of a row that stands for several; for the preview */
	size_t nmembers;
	struct handle absent;	/* an object that does not exist but is referred to: Enter shows by what */
};

struct line {
	const struct line_texts *texts; /* NULL: those of the object */
	uint64_t key;	      /* the same line has the same key in the next picture */
	struct handle object; /* HANDLE_NONE: stands for no single object */
	struct handle of;     /* the owner of all, in a row that stands for several */
	uint32_t count;	      /* objects that a folded row stands for */
	uint32_t index;	      /* LINE_LAZY: what it shows, where the object does not tell */
	uint8_t depth, fold, flags, ncells;
	const struct text *cells;
};

/* Lines under construction.  Texts are copied into the arena. */
struct lines {
	struct arena *arena;
	struct line *all;
	size_t n, cap;
};

enum { LINE_CELLS = 24 };

/* Lines in columns; without columns their cells follow each other. */
struct table {
	struct lines *lines;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
};

/* Makes room for n lines in all. */
void lines_reserve(struct lines *l, size_t n);
/* A new, empty line; borrowed until the next one is added. */
struct line *lines_add(struct lines *l);
/* Appends a cell to the last line (at most LINE_CELLS). */
void lines_cell(struct lines *l, struct str str, enum style style);
void lines_cell_brief(struct lines *l, struct str str, struct str brief, enum style style);
/* Lines that cannot be selected: a heading, an empty one, a remark. */
void lines_heading(struct lines *l, const char *title);
void lines_blank(struct lines *l);
void lines_note(struct lines *l, struct str str);

enum { UNWRAPPED = 1000000 }; /* columns: a text has no line end but its own, however long it is */
/* Adds text as lines of at most width columns, broken at blanks and newlines. */
void lines_wrap(struct lines *l, struct str text, struct text indent, int width);

/* Columns that s takes on a terminal; a character that is not shown (utf8_hostile()) counts as one. */
int text_width(struct str s);
/* The same, or widest where that is more: sooner known of what is short. */
int text_widest(struct str s, int widest);
/* Wants as much as its title and its widest cell need, within its limits. */
void column_fit(struct column *column, int widest);
/* s with at most width columns; a longer one loses its middle: "pod/pay…-x7f2p". */
struct str text_middle(struct str s, int width, struct arena *a);
/* The longest head of s that takes at most width columns. */
struct str text_head(struct str s, int width);
/* True when word is in the text.  Case is ignored (ASCII). */
bool text_contains(struct str text, struct str word);
/* For keys of lines: mixes a value into a hash. */
uint64_t key_mix(uint64_t hash, uint64_t value);
uint64_t key_mix_str(uint64_t hash, struct str s);
uint64_t key_of_handle(struct handle h);

#endif
