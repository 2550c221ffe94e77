/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the table of resources, of the dashboard and of what is printed: the rows of columns.def, which of
 * them are shown, and how the cells are made from an object.
 */
#ifndef TUI_VIEW_COLUMNS_H
#define TUI_VIEW_COLUMNS_H

#include "kube/graph/graph.h"
#include "tui/words/text.h"

enum column_id {
#define COLUMN(id, ...) COLUMN_##id,
#include "tui/state/columns.def"
#undef COLUMN
	COLUMN_COUNT,
	COLUMN_LABEL = COLUMN_COUNT /* that of the first -L label; those of the others follow */
};

/* Columns of the screen at which the columns of the table change. */
enum {
	GLYPH_BELOW = 64,    /* a phase is its glyph on narrower screens, */
	NAMESPACE_FROM = 48, /* namespaces are shown from here on, */
	WHY_BELOW = 130,     /* waits and messages share a column, */
	REASON_FROM = 150    /* reasons have one of their own */
};

/* When a column is shown to somebody who has not asked for particular ones. */
enum column_shown {
	SHOWN_ALWAYS,
	SHOWN_WIDE,	     /* only by -o wide */
	SHOWN_OF_CLUSTERS,   /* where there are several clusters */
	SHOWN_OF_NAMESPACES, /* where there are several namespaces */
	SHOWN_ON_SCREEN	     /* never printed */
};

/* What only the dashboard knows of the row that a cell is in. */
struct cell_screen {
	int cols;	   /* columns of the list */
	uint32_t count;	   /* objects that the row stands for; 0: one */
	struct handle of;  /* the owner of all of them, or HANDLE_NONE */
	bool gone;	   /* a tombstone: the summary has its last phase, and since when it is gone */
	struct str healed; /* what is said of an object that healed a moment ago; or "" */
	bool forbidden;	   /* some kinds may not be read: the object may be one of those */
};

/* What a cell is made from. */
struct cell_facts {
	struct graph *graph;
	const struct kinds *kinds;
	const struct summary *s;
	int64_t now; /* ms */
	bool absolute_time;
	enum style style; /* of a cell that needs no attention */
	const char *gone; /* printed as the phase of an object that is gone; NULL: it lives */
	const struct cell_screen *screen; /* NULL: the cell is printed */
	struct arena *a;  /* of the texts that are made */
};

/* A row of columns.def. */
struct column_row {
	const char *name;
	uint8_t sort;
	const char *title;
	enum column_shown shown;
	bool of_gone;	 /* an object that is gone has this cell, too, when it is printed */
	bool is_time;	 /* the column is wider with --absolute-time */
	bool explains;	 /* it says why the phase is what it is: on the screen such columns have a share of each line */
	bool gives_room; /* on the screen it becomes narrower before the columns that explain do */
	uint8_t screen_place; /* its place among the columns of the screen, from 1; 0: it is there only when it is asked for */
	uint16_t from_cols, below_cols; /* it is there on screens of at least, and of less than, so many columns; 0: on any */
	uint16_t narrow_max;		/* its largest width where the screen has less than WHY_BELOW columns; 0: any */
	struct column screen_column;	/* its widths on the screen, and its title there where that is another one */
	struct text (*cell)(const struct cell_facts *f);
	struct text (*screen_cell)(const struct cell_facts *f); /* NULL: on the screen it is as printed */
};

/* Of id < COLUMN_COUNT. */
const struct column_row *column_row(size_t id);
/* Its title and widths on the screen. */
struct column column_on_screen(size_t id);
/* The cell of an object, on the screen or printed; texts are those of the facts, constant, or in their arena. */
struct text column_cell(size_t id, const struct cell_facts *f);
/* The i-th name that --columns takes; NULL at the end. */
const char *column_name(size_t i);
/* The column of a -L label on the screen: "TEAM" of example.org/team.  The title is in the arena. */
struct column label_column(const char *key, struct arena *a);

/* What decides which columns are shown. */
struct columns_wanted {
	const char *names; /* --columns "name,phase,..."; NULL: those for which there is reason and room */
	size_t nlabels;	   /* columns of -L */
	bool all_labels;   /* --show-labels: all of them in one column, the last; its id follows theirs */
	bool wide;	   /* -o wide */
	bool clusters, namespaces; /* several of them are there */
	int cols;	   /* columns of the list on the screen; 0: it is printed */
};

/* Ids of columns from the left; from COLUMN_LABEL on those of labels. */
struct columns_shown {
	size_t at[LINE_CELLS], n;
};

struct columns_shown columns_choose(const struct columns_wanted *w);

#endif
