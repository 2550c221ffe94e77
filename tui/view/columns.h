/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the table of resources, in the dashboard and printed: the rows of columns.def, which of them are
 * shown, and how the cells are made from an object.
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
	COLUMN_LABEL = COLUMN_COUNT /* the column of the first -L label; those of the other labels follow */
};

/* The widths of the screen, in columns of the terminal, at which the table changes. */
enum {
	GLYPH_BELOW = 100,   /* on narrower screens a phase is only its glyph, and kinds have short names */
	SHORT_BELOW = 120,   /* on narrower screens kinds have short names where a list does not fit */
	NAMESPACE_FROM = 48, /* from this width on namespaces are shown */
	WHY_BELOW = 130,     /* on narrower screens waits and messages share a column */
	REASON_FROM = 180    /* from this width on reasons have a column of their own */
};

/* When a column is shown to a user who has not asked for particular columns. */
enum column_shown {
	SHOWN_ALWAYS,
	SHOWN_WIDE,	     /* only with -o wide */
	SHOWN_ASKED,	     /* only when it is asked for by its name, because a request is sent for it */
	SHOWN_OF_CLUSTERS,   /* when there are several clusters */
	SHOWN_OF_NAMESPACES, /* when there are several namespaces */
	SHOWN_ON_SCREEN	     /* only on the screen, never printed */
};

/* What the dashboard alone knows of the row that a cell is in. */
struct cell_screen {
	int cols;	   /* the width of the list */
	bool short_names;  /* kinds have their short names */
	uint32_t count;	   /* the number of objects that the row stands for; 0: it stands for one */
	/* the owner of all these objects, or HANDLE_NONE; with parts one of them, when all are of one kind */
	struct handle of;
	uint32_t parts;	   /* the number of objects that failed, too, and have their rows under this one */
	bool deselected;   /* such a row is of an object that left the selection by which it was watched */
	bool gone;	   /* the row is a tombstone: the summary has the last phase and the time of deletion */
	struct str healed; /* what is said about an object that healed a moment ago; else "" */
	bool forbidden;	   /* some kinds may not be read any more, and the kind of the object may be one of them */
};

/* What a cell is made from. */
struct cell_facts {
	struct graph *graph;
	const struct kinds *kinds;
	const struct summary *s;
	int64_t now; /* ms */
	bool absolute_time;
	enum style style; /* the style of a cell that needs no attention */
	const char *gone; /* what is printed as the phase of an object that is gone; NULL: the object exists */
	const struct cell_screen *screen; /* NULL: the cell is printed */
	struct arena *a;  /* the arena of the texts that are made */
};

/* A row of columns.def. */
struct column_row {
	const char *name;
	uint8_t sort;
	const char *title;
	enum column_shown shown;
	bool of_gone;	 /* the cell is also printed for an object that is gone */
	bool is_time;	 /* the column is wider with --absolute-time */
	bool explains;	 /* the column explains the phase: on the screen such columns have a share of each line */
	bool gives_room; /* on the screen the column becomes narrower before the columns that explain do */
	/* the place of the column on the screen, from 1; 0: it is shown only when it is asked for */
	uint8_t screen_place;
	/* the column is shown on screens of at least from_cols and of less than below_cols columns; 0: of any width */
	uint16_t from_cols, below_cols;
	/* the largest width of the column on screens of less than WHY_BELOW columns; 0: any */
	uint16_t narrow_max;
	struct column screen_column;	/* the widths on the screen, and the title there when it is another one */
	struct text (*cell)(const struct cell_facts *f);
	/* NULL: the cell is the same on the screen as printed */
	struct text (*screen_cell)(const struct cell_facts *f);
};

/* Returns the row of a column; id must be less than COLUMN_COUNT. */
const struct column_row *column_row(size_t id);
/* Returns the title and the widths of the column on the screen. */
struct column column_on_screen(size_t id);
/*
 * Returns the cell of an object, on the screen or printed.  Its texts belong to the facts, are constant, or are in the
 * arena of the facts.
 */
struct text column_cell(size_t id, const struct cell_facts *f);
/* Returns the i-th name that --columns accepts; NULL at the end. */
const char *column_name(size_t i);
/* Returns true when the value of --columns, which may be NULL, names that column. */
bool columns_have(const char *names, const char *name);
/* Returns the column of a -L label on the screen: "TEAM" for example.org/team.  The title is in the arena. */
struct column label_column(const char *key, struct arena *a);

/* What decides which columns are shown. */
struct columns_wanted {
	/* the value of --columns, "name,phase,..."; NULL: the default columns, as far as there is room */
	const char *names;
	size_t nlabels;	   /* the number of labels of -L */
	bool all_labels;   /* --show-labels: the last column shows all labels; its id follows those of the -L labels */
	bool wide;	   /* -o wide was given */
	bool clusters, namespaces; /* there are several clusters; there are several namespaces */
	int cols;	   /* the width of the list on the screen; 0: the table is printed */
};

/* The ids of the columns from the left; ids from COLUMN_LABEL on are those of labels. */
struct columns_shown {
	size_t at[LINE_CELLS], n;
};

struct columns_shown columns_choose(const struct columns_wanted *w);

#endif
