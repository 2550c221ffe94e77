/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a view builds and tui/draw draws: lines of styled texts.  The texts stand in columns or follow each other, and
 * do not depend on the width of the screen.
 */
#ifndef TUI_WORDS_TEXT_H
#define TUI_WORDS_TEXT_H

#include "kube/base/arena.h"
#include "kube/model/store.h"
#include "tui/words/style.h"

/* A styled text.  brief, when it is not empty, is shown where str does not fit. */
struct text {
	struct str str, brief;
	enum style style;
};

/* What a text that does not fit loses: its end, its middle, or the part before its last third. */
enum clip { CLIP_END, CLIP_MIDDLE, CLIP_LATE };

/* A column of a list.  Widths are columns of the terminal, without the gap to the next column of the list. */
struct column {
	const char *title;
	uint16_t min;  /* the least width: with less the column is dropped, or clipped when rank is 0 */
	uint16_t want; /* the width that its cells need */
	uint16_t max;  /* the column never gets wider than this; 0: there is no limit */
	uint8_t rank;  /* the column with the highest rank is dropped first; 0: it is never dropped */
	uint8_t grow;  /* the share of the remaining width that the column gets */
	bool right;    /* the text is aligned to the right */
	enum clip clip;
	uint8_t sort;  /* 1 + the order that a click on the title chooses; 0: none */
};

enum fold { FOLD_NONE, FOLD_CLOSED, FOLD_OPEN };

enum line_flags {
	LINE_SPAN = 1 << 0,    /* the cells follow each other over the whole width */
	LINE_HEADING = 1 << 1, /* the line cannot be selected */
	LINE_FLASH = 1 << 2,   /* the object changed a moment ago */
	LINE_GONE = 1 << 3,    /* the object was deleted a moment ago (a tombstone) */
	LINE_LAZY = 1 << 4,    /* the cells are made when the line is shown */
	LINE_MARKED = 1 << 5,  /* the user marked the object */
	LINE_TITLES = 1 << 6   /* the line has no cells: the titles of the columns stand in it */
};

/* What belongs to a line that stands for several objects, or for something that is no object. */
struct line_texts {
	struct str name;	/* the text that the key y copies */
	uint64_t cause;		/* of a row that stands for a root cause: cause_key(); 0: it stands for none */
	struct str cluster;	/* of a row that stands for a namespace: the cluster that it is in */
	struct str command[2];	/* by enum command_reader: the command that the key ! runs, and the one that Y copies */
	struct handle waiter;	/* an object that waits for what the line is about: the keys w and t show this one */
	const struct handle *members; /* the worst of the objects that the line stands for; the preview shows them */
	size_t nmembers;
	struct handle absent;	/* an object that does not exist but is referred to: Enter shows what refers to it */
};

struct line {
	const struct line_texts *texts; /* NULL: the keys y and Y copy the texts of object */
	uint64_t key;	      /* identifies the line: the same line has the same key when the lines are built again */
	uint64_t about;	      /* identifies what a row of equal objects has in common, whichever they are; 0: nothing */
	struct handle object; /* the object in the line; HANDLE_NONE: the line stands for no single object */
	struct handle of;     /* the owner of all objects that the line stands for */
	uint32_t count;	      /* the number of objects that a folded row stands for */
	uint32_t index;	      /* LINE_LAZY: what the line shows, when its object does not tell */
	uint8_t depth, fold, flags, ncells;
	const struct text *cells;
};

/* Lines that are being built.  Texts are copied into the arena. */
struct lines {
	struct arena *arena;
	struct line *all;
	size_t n, cap;
};

enum { LINE_CELLS = 24 };

/* Lines with their columns.  Without columns the cells of a line follow each other. */
struct table {
	struct lines *lines;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
};

/* Makes room for n lines in total. */
void lines_reserve(struct lines *l, size_t n);
/* Adds an empty line and returns it; it is borrowed until the next line is added. */
struct line *lines_add(struct lines *l);
/* Append a cell to the last line.  A line has at most LINE_CELLS; further cells are dropped. */
void lines_cell(struct lines *l, struct str str, enum style style);
void lines_cell_brief(struct lines *l, struct str str, struct str brief, enum style style);
/* Add a line that cannot be selected: a heading, an empty line, a remark. */
void lines_heading(struct lines *l, const char *title);
void lines_blank(struct lines *l);
void lines_note(struct lines *l, struct str str);

enum { UNWRAPPED = 1000000 }; /* a width in columns for texts whose lines are never broken */
/*
 * Adds text as lines of at most width columns, broken at blanks and at newlines.  indent.str stands before the first
 * line, and indent.brief, unless it is empty, before the others.
 */
void lines_wrap(struct lines *l, struct str text, struct text indent, int width);

/* Returns the columns that s takes on a terminal.  A character that is not shown (utf8_hostile()) counts as one. */
int text_width(struct str s);
/* Returns the larger of widest and the width of s.  It is faster than text_width() when s is short. */
int text_widest(struct str s, int widest);
/* Sets the width that the column wants to what its title and its widest cell need, within the limits of the column. */
void column_fit(struct column *column, int widest);
/* Returns s, or when it has more than width columns, s without its middle: "pod/pay…-x7f2p". */
struct str text_middle(struct str s, int width, struct arena *a);
/* Returns the longest head of s that takes at most width columns. */
struct str text_head(struct str s, int width);
/* Returns true when text contains word.  The case of ASCII letters is ignored. */
bool text_contains(struct str text, struct str word);
/*
 * Make the keys of lines: these mix a value or a text into a hash, or make a hash of a handle, or of who an object is,
 * which is the same in every store.
 */
uint64_t key_mix(uint64_t hash, uint64_t value);
uint64_t key_mix_str(uint64_t hash, struct str s);
uint64_t key_of_handle(struct handle h);
uint64_t key_of_kind(const struct kind *kind);
uint64_t key_of_name(const struct object_id *id);

#endif
