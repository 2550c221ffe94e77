/* SPDX-License-Identifier: Apache-2.0 */
/* What the user interface remembers; private to tui/view. */
#ifndef TUI_VIEW_STATE_H
#define TUI_VIEW_STATE_H

#include "kube/base/buf.h"
#include "tui/view/observe.h"
#include "tui/view/page.h"
#include "tui/view/sort.h"

enum tab {
	TAB_OVERVIEW,
	TAB_CONDITIONS,
	TAB_ASYNC,
	TAB_DEPENDENCIES,
	TAB_DELETION,
	TAB_EVENTS,
	TAB_YAML,
	TAB_LOGS,
	TAB_COUNT
};

/* A view with its selection, so that "back" finds it as it was. */
struct place {
	enum view_id view;
	enum tab tab;
	struct handle subject; /* of details, tree, why, timeline; HANDLE_NONE: everything */
	uint64_t key;	       /* of the selected line */
	struct handle object;  /* in the selected line */
	size_t selected, top;
	bool moved; /* by the user: until then the first line stays selected */
};

enum { PLACES = 16, TOGGLED = 256, FILTER_BYTES = 128, SAY_BYTES = 160, COPY_BYTES = 48 * 1024 };

struct ui {
	int rows, cols;
	struct place places[PLACES];
	size_t depth; /* places[depth] is open */
	enum sort sort;
	char filter[FILTER_BYTES]; /* of the lists */
	bool prompt;		   /* the filter is being typed */
	uint64_t toggled[TOGGLED]; /* lines that are not folded as they usually are */
	size_t ntoggled;

	struct observer seen;
	bool changed, dirty;		   /* the data, the lines */
	uint64_t answer;		   /* which one of the program's answers the lines show */
	int64_t scanned, built, refreshed; /* when last */
	struct arena arena;		   /* of the lines */
	struct lines lines;
	uint64_t holder; /* key of the line that now holds the selected object, or 0 */
	struct str note; /* beside the title: what the view leaves out; in arena */
	size_t matching; /* objects shown, when filtered */
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	uint16_t steady[LINE_CELLS]; /* widths of the table's cells that were needed so far */

	char say[SAY_BYTES];
	int64_t say_until;
	struct buf copy;
};

/* One row per view, in view.c. */
struct view {
	const char *title;
	/* Adds all lines and sets ui->columns.  Texts that outlive this turn are copied. */
	void (*build)(struct ui *ui, const struct scene *scene, struct lines *lines);
	/* Makes the cells of a LINE_LAZY line; NULL: there are none. */
	struct line (*fill)(const struct ui *ui, const struct scene *scene, struct line line,
			    struct arena *a);
	bool ticks;   /* ages stand in the lines: built anew each second */
	bool lists;   /* lines are selected; else the text scrolls */
	bool follows; /* the end is what is new: selected until the user moves away from it */
};

const struct view *view_of(enum view_id id);

/* The open place. */
struct place *ui_place(struct ui *ui);
const struct place *ui_place_const(const struct ui *ui);
struct str ui_filter(const struct ui *ui);
/* Is the line with that key folded otherwise than usual? */
bool ui_toggled(const struct ui *ui, uint64_t key);
void ui_toggle(struct ui *ui, uint64_t key);
/* The lines are built anew at the next refresh. */
void ui_dirty(struct ui *ui);
/* Opens another view; back returns here. */
void ui_go(struct ui *ui, enum view_id view, struct handle subject);
/* The selected line; NULL when there is none. */
const struct line *ui_line(const struct ui *ui);
/* What w, t, c, y speak of: the selected object, or the open one. */
struct handle ui_subject(const struct ui *ui);

/* Opens the n-th tab there is, from 0; returns effects. */
unsigned ui_set_tab(struct ui *ui, const struct scene *scene, size_t n);

/* Moves the selection (or the text) by n lines; headings are stepped over. */
void ui_move(struct ui *ui, long n);
void ui_move_to(struct ui *ui, size_t line);

/* The tabs of details: which there are, and what they show. */
const char *tab_title(enum tab tab, bool brief);
bool tab_exists(const struct ui *ui, const struct scene *scene, enum tab tab);
/* True when the lines of the open tab can be selected. */
bool tab_lists(enum tab tab);

struct layout ui_layout(const struct ui *ui);

/* The builders, one file each. */
void table_build(struct ui *ui, const struct scene *scene, struct lines *lines);
struct line table_fill(const struct ui *ui, const struct scene *scene, struct line line,
		       struct arena *a);
void problems_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void tree_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void why_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void timeline_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void detail_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void help_build(struct ui *ui, const struct scene *scene, struct lines *lines);

#endif
