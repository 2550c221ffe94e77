/* SPDX-License-Identifier: Apache-2.0 */
/* What the user interface remembers; private to tui/view. */
#ifndef TUI_VIEW_STATE_H
#define TUI_VIEW_STATE_H

#include "kube/base/buf.h"
#include "tui/view/changes.h"
#include "tui/view/observe.h"
#include "tui/view/page.h"
#include "tui/view/palette.h"
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
	size_t left_top, left_selected; /* when it was left, for what has to be read again first */
	bool left;
	bool moved; /* by the user: until then the first line stays selected */
	bool jump;  /* the same list, left for another row of it: back returns there */
};

enum group_by {
	GROUP_NONE,
	GROUP_CAUSE,
	GROUP_NAMESPACE,
	GROUP_APPLICATION, /* the owner at the top */
	GROUP_NODE,
	GROUP_LABEL,
	GROUP_COUNT
};

/* What is typed at the foot. */
enum prompt { PROMPT_NONE, PROMPT_FILTER, PROMPT_SEARCH, PROMPT_PALETTE, PROMPT_FILE };

/* A root cause that somebody looks after, as it was then. */
struct acknowledged {
	uint64_t cause, state;
};

/* The root causes as the last scan found them, for the line of causes. */
struct noted_causes {
	struct arena arena;
	size_t n, blocked; /* rows of Problems, and how many wait for them */
	struct text named[BAR_CHIPS];
	size_t counts[BAR_CHIPS]; /* so many of them each stands for */
	size_t nnamed;
};

/* What is known of an object that is named, but not there. */
enum absence { ABSENCE_UNKNOWN, ABSENCE_MISSING, ABSENCE_UNREADABLE, ABSENCE_GONE };

/* The lines of a view, with what was found out while they were built. */
struct built {
	struct arena arena;
	struct lines lines;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	uint64_t holder;
	struct str note;
	size_t matching;
};

enum { PREVIEW_MEMBERS = 40 }; /* of a row that stands for several */
enum { PLACES = 16, TOGGLED = 256, FILTER_BYTES = 128, HISTORY = 16, ACKNOWLEDGED = 64, MARKED = 64, SAY_BYTES = 160, COPY_BYTES = 48 * 1024 };

/* Which objects passed the filter when the table was last built: a longer text is asked only of these. */
struct passed {
	uint8_t *slots; /* by slot */
	uint32_t n;
	char text[FILTER_BYTES]; /* the filter; "": nothing is known */
};

struct ui {
	int rows, cols;
	struct place places[PLACES];
	size_t depth; /* places[depth] is open */
	enum sort sort;
	bool reverse;
	enum group_by group;
	size_t label;		   /* GROUP_LABEL: which of scene->labels */
	bool preview;
	bool no_follow;		   /* of the end of a log */
	bool managed_fields;	   /* are shown in YAML */
	size_t container;	   /* of Logs: 0: all of them */
	size_t log_end;		   /* of Logs: the line behind the container that is in trouble */
	enum absence absence;	   /* of the open details, when there is no object */
	bool loading;		   /* the open tab has not been read yet */
	int scroll;		   /* columns that are scrolled out to the left */
	char filter[FILTER_BYTES]; /* of the lists */
	char search[FILTER_BYTES]; /* in YAML and Logs */
	char wanted[FILTER_BYTES]; /* in the palette */
	char file[FILTER_BYTES];   /* that the timeline is written to */
	char history[HISTORY][FILTER_BYTES]; /* of filters, the newest first */
	size_t nhistory, remembered; /* 1 + which of them stands in the filter; 0: none */
	enum prompt prompt;
	const struct match *matches; /* of the palette; in arena */
	size_t nmatches;
	struct acknowledged acked[ACKNOWLEDGED];
	size_t nacked;
	uint64_t *causes;	     /* keys of the root causes that were there at the last scan, ascending */
	size_t ncauses;
	bool causes_known;
	struct noted_causes noted;
	char alarm_text[SAY_BYTES];
	char alarm[SAY_BYTES];	     /* the new root cause; "": none since ui_alarm() */
	struct scope scope;	     /* EFFECT_SCOPE, EFFECT_CONTEXT */
	char scope_name[FILTER_BYTES];
	struct handle marked[MARKED]; /* in the order of the marks */
	size_t nmarked;
	uint64_t toggled[TOGGLED]; /* lines that are not folded as they usually are */
	size_t ntoggled;

	int64_t stands_at;		 /* the moment that the user wants to see; 0: now */
	int64_t shown_at;		 /* what the lines show, as stands_at */
	size_t then[PHASE_COUNT];	 /* how many there were of each phase, when it is not now */
	const struct bindings *bindings; /* NULL: those of the table */
	struct observer seen;
	bool changed, dirty;		   /* the data (any of it), the lines */
	uint32_t *pending;                 /* slots that changed and were not observed yet */
	size_t npending, pending_cap;
	bool unordered;			   /* what was observed is not in the lines yet */
	bool foreign;			   /* the lines are those of another place: keys need others first */
	bool rearranged;		   /* a key asked for another order, filter or fold than the lines show */
	bool interruptible, interrupted;   /* the building under way */
	struct built kept;		   /* of the table, while another view is open, when it has very many lines */
	uint64_t answer;		   /* which one of the program's answers the lines show */
	int64_t scanned, built, refreshed; /* when last */
	struct arena arena;		   /* of the lines */
	struct lines lines;
	uint64_t holder; /* key of the line that now holds the selected object, or 0 */
	struct str note; /* beside the title: what the view leaves out; in arena */
	size_t matching; /* objects shown, when filtered */
	struct passed passed;
	struct sort_ranks ranks;
	bool echo;  /* what was typed is shown at once, the lines follow in the next picture */
	struct hits hits;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	struct { /* widths of the table's cells that were needed so far, by nearly all rows and by most */
		uint16_t usual[LINE_CELLS], most[LINE_CELLS];
	} steady;

	int64_t changes_window;	/* ms; 0: since the mark */
	int64_t mark;		/* a moment of the world; 0: none */
	struct changes shown_changes;	/* of the lines of Changes; in arena */

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
/* The same, because of a key: among very many objects its answer is shown first, with the lines as they are. */
void ui_rearrange(struct ui *ui);
/*
 * So many objects that building the table takes longer than a key may: it is put off when a key comes in,
 * and what was shown before stays meanwhile.
 */
bool ui_is_large(const struct ui *ui);
/* What is being built will not be shown. */
bool ui_interrupted(struct ui *ui, const struct scene *scene);
/* After places[depth] has become another one: the lines are its own, or are to be built. */
void ui_arrive(struct ui *ui);
/* Opens another view; back returns here. */
void ui_go(struct ui *ui, enum view_id view, struct handle subject);
/* Of a place that was just opened: that line, or that object's, is the selected one. */
void ui_choose(struct ui *ui, uint64_t key, struct handle object);
/* The line with that key (0: none), else the first of that object; lines.n when there is none. */
size_t ui_find_line(const struct ui *ui, uint64_t key, struct handle object);
/* What fits, with a NUL behind it. */
void ui_copy_str(char *out, size_t size, struct str s);
/* The selected line; NULL when there is none. */
const struct line *ui_line(const struct ui *ui);
/* Enter unfolds the selected line: it stands for several, or for what does not exist. */
bool ui_unfolds(const struct ui *ui);
/* What the selected line stands for does not exist, but is named; HANDLE_NONE: it is not so. */
struct handle ui_absent(const struct ui *ui);
bool ui_is_marked(const struct ui *ui, struct handle h);
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
/* YAML and Logs: a text that is searched. */
bool tab_is_text(enum tab tab);
/* How many containers' logs there are in what was fetched. */
size_t logs_containers(const struct fetched *f);
/* True when the lines of the open tab can be selected. */
bool tab_lists(enum tab tab);

struct layout ui_layout(const struct ui *ui);

/* The column of a -L: "TEAM" of example.org/team. */
struct column label_column(const char *key, struct arena *a);
/* The builders, one file each. */
void table_build(struct ui *ui, const struct scene *scene, struct lines *lines);
struct line table_fill(const struct ui *ui, const struct scene *scene, struct line line,
		       struct arena *a);
void problems_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void tree_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void why_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void timeline_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void changes_build(struct ui *ui, const struct scene *scene, struct lines *lines);
/* Who wrote the fields of the row that is unfolded. */
enum want changes_wants(const struct ui *ui, struct handle *out_handle);
struct line changes_fill(const struct ui *ui, const struct scene *scene, struct line line, struct arena *a);
void detail_build(struct ui *ui, const struct scene *scene, struct lines *lines);
/* The table, when it is grouped. */
/* What stands above the rows of groups. */
struct str groups_titles(const struct ui *ui, const struct scene *scene, struct arena *a);
void groups_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void palette_build(struct ui *ui, const struct scene *scene, struct lines *lines);
void text_build(struct ui *ui, const struct scene *scene, struct lines *lines);
/* Keeps what bar_causes() shows. */
struct cause_group;
void note_causes(struct ui *ui, const struct scene *scene, const struct cause_group *causes, size_t n);
/* What the root causes are now, and whether one is new. */
void ui_note_causes(struct ui *ui, const struct scene *scene);
/* Is that the state in which a cause was acknowledged? */
bool ui_acknowledged(const struct ui *ui, uint64_t cause, uint64_t state);
void help_build(struct ui *ui, const struct scene *scene, struct lines *lines);

#endif
