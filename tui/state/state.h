/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the user interface; private to tui. */
#ifndef TUI_STATE_STATE_H
#define TUI_STATE_STATE_H

#include "kube/base/buf.h"
#include "tui/state/action.h"
#include "tui/state/choice.h"
#include "tui/state/click.h"
#include "tui/state/observe.h"
#include "tui/state/sort.h"
#include "tui/state/tabs.h"
#include "tui/words/text.h"

struct changes;
struct match;
struct noted_causes;
struct shown_timeline;

enum { FILTER_BYTES = 128 };

/* An open view with its selection and position, for Esc to return to. */
struct place {
	enum view_id view;
	enum tab tab;
	struct handle subject; /* the object that it shows; HANDLE_NONE: all */
	uint32_t alike;	       /* the row that it was opened from stood for so many, of which subject is the first; 0 or 1: for it alone */
	uint64_t key;	       /* of the selected line */
	struct handle object;  /* in the selected line */
	size_t selected, top;
	size_t left_top, left_selected; /* when it was left: for tabs that are read again on return */
	bool left;
	bool moved; /* the user moved the selection; until then it stays on the first line */
	bool jump;  /* of the same view, another row: back returns to it */
	char search[FILTER_BYTES]; /* in a text: ui_reads_text() */
	char filter[FILTER_BYTES]; /* of a list */
	struct {
		uint64_t key;
		struct handle object;
		size_t selected, top;
		bool moved;
	} unfiltered; /* where it stood before there was a filter */
	bool filtered; /* it was typed here: back drops it; else it came with the user */
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

/* The prompt that is open at the foot. */
enum prompt { PROMPT_NONE, PROMPT_FILTER, PROMPT_SEARCH, PROMPT_PALETTE, PROMPT_FILE };

/* A root cause that was acknowledged, and its state at that time. */
struct acknowledged {
	uint64_t cause, state;
};

/* A row of Problems: what heals stays in its place for a while. */
enum { LISTED = 128 };

struct listed_cause {
	uint64_t key;
	struct handle object;
};

/* What is known of an object that is referred to but not there. */
enum absence { ABSENCE_UNKNOWN, ABSENCE_MISSING, ABSENCE_UNREADABLE, ABSENCE_GONE };

/* The lines of a view, and what belongs to them. */
struct built {
	struct arena arena;
	struct lines lines;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	uint64_t holder;
	struct str note;
	size_t matching, of;
};

enum { PREVIEW_MEMBERS = 40 }; /* objects in the preview of a row that stands for several */
enum { ARRIVED = 64, PLACES = 16, TOGGLED = 256, HISTORY = 16, ACKNOWLEDGED = 64, MARKED = 64, FORMER = 6, GONE_CAUSES = 256, SAY_BYTES = 160, COPY_BYTES = 48 * 1024 };

/* A root cause that is there no more. */
struct gone_cause {
	uint64_t cause;
	int64_t at;	/* ms of the world's clock */
};

/* The objects that matched the filter when the table was last built: only these are tested against a longer filter. */
struct filter_cache {
	uint8_t *slots; /* by slot */
	uint32_t n;
	char text[FILTER_BYTES]; /* that filter; "": none */
};

/* What was shown before another namespace or kind was chosen, and the place left there. */
struct former_scope {
	char ns[FILTER_BYTES];
	enum which_kinds kinds;
	const struct kind *kind;
	struct place places[PLACES];
	size_t depth;
};

struct ui {
	const struct view *views; /* by enum view_id */
	int rows, cols;
	struct place places[PLACES];
	size_t depth; /* places[depth] is open */
	enum sort sort;
	bool reverse;
	enum group_by group;
	size_t label;		   /* GROUP_LABEL: index in scene->labels */
	bool preview;
	bool no_follow;		   /* Logs do not follow the end */
	bool managed_fields;	   /* YAML shows managedFields */
	size_t container;	   /* of Logs; 0: all of them */
	size_t log_end;		   /* of Logs: the line after the container that is in trouble */
	enum absence absence;	   /* details of an object that does not exist */
	bool loading;		   /* the open tab has not been read yet */
	int scroll;		   /* columns scrolled to the right */
	size_t found;		   /* 1 + the line that n and N go on from; 0: none */
	char wanted[FILTER_BYTES]; /* in the palette */
	char file[FILTER_BYTES];   /* to which the timeline is written */
	char history[HISTORY][FILTER_BYTES]; /* of filters, the newest first */
	size_t nhistory, remembered; /* 1 + the one that is in the filter; 0: none */
	enum prompt prompt;
	const struct match *matches; /* of the palette; in arena */
	size_t nmatches;
	struct acknowledged acked[ACKNOWLEDGED];
	size_t nacked;
	struct listed_cause listed[LISTED]; /* the rows of Problems, the first ones */
	size_t nlisted;
	uint64_t *causes;	     /* keys of the root causes at the last scan, ascending */
	size_t ncauses;
	bool causes_known;	     /* that was when all lists were complete */
	struct gone_cause gone_causes[GONE_CAUSES]; /* a ring: those that were there before */
	size_t ngone_causes;
	struct handle arrived[ARRIVED]; /* by ui_arrived(), since the last scan */
	size_t narrived;
	struct noted_causes *noted; /* bars.h */
	char alarm_text[SAY_BYTES];
	char alarm[SAY_BYTES];	     /* the new root cause and how many there are; "": as at the last ui_alarm() */
	char alarm_name[SAY_BYTES / 2];
	size_t alarm_count;	     /* root causes that the last one counted */
	bool alarm_rings;	     /* it is a new one, not another number of them */
	bool alarm_told;	     /* the caller has it: the title names that cause */
	uint64_t alarming;	     /* the key of the last new root cause; 0: it is there no more */
	bool alarm_over;	     /* that is to be told */
	struct scope scope;	     /* EFFECT_SCOPE, EFFECT_CONTEXT */
	enum which_kinds kinds;	     /* that are shown */
	const struct kind *kind;     /* KINDS_ONE */
	struct former_scope former[FORMER]; /* the last one is that which Esc returns to */
	size_t nformer;
	/* former[nformer] was returned to: its place is found again while its objects are read. */
	enum { RETURN_NONE, RETURN_PENDING, RETURN_READING } returning;
	char scope_name[FILTER_BYTES];
	char context_before[FILTER_BYTES]; /* the last switch; "": none */
	struct handle marked[MARKED]; /* in the order of the marks */
	size_t nmarked;
	uint64_t toggled[TOGGLED]; /* keys of lines that are not folded as by default */
	size_t ntoggled;

	int64_t seek_time;		 /* the moment that the user wants to see, ms; 0: now */
	int64_t shown_at;		 /* the moment that the lines show, as seek_time */
	struct observer then;		 /* of an earlier moment; silent */
	int64_t then_at;		 /* of that one; 0: nothing was looked at */
	const struct bindings *bindings; /* NULL: the default keys */
	struct observer seen;
	bool changed, dirty;		   /* data has changed; lines must be built again */
	uint32_t *pending;                 /* slots that changed and were not scanned yet */
	size_t npending, pending_cap;
	bool unordered;			   /* observed changes are not in the lines yet */
	bool must_build;		   /* before a key is handled, because the lines are those of another place */
	bool rearranged;		   /* order, filter or folds have changed since the lines were built */
	bool interruptible, interrupted;   /* building the lines may be, was interrupted by a key */
	struct built saved_table;	   /* the lines of the table, while another view is open, when it has very many lines */
	uint64_t answer;		   /* identifies the fetched answer that the lines show */
	int64_t scanned, built, refreshed; /* when last, ms */
	struct arena arena;		   /* of the lines */
	struct lines lines;
	uint64_t holder; /* key of the folded line that contains the selected object, or 0 */
	struct str note; /* beside the title: what the view does not show; in arena */
	size_t matching; /* what passes the filter, */
	size_t of;	 /* and of how many, in Problems and Changes */
	struct filter_cache filter_cache;
	struct sort_ranks ranks;
	bool build_later; /* typed text is shown at once, the lines are built for the next frame */
	struct hits hits;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	struct { /* widths that the cells of the table needed so far, in nearly all rows and in most */
		uint16_t usual[LINE_CELLS], most[LINE_CELLS];
	} steady;

	int64_t changes_window;	/* ms; 0: since the mark */
	int64_t mark;		/* a moment of the world; 0: none */
	const struct changes *shown_changes;	/* of the lines of Changes; in arena */
	const struct shown_timeline *shown_timeline; /* of the lines of the timeline; in arena */

	char say[SAY_BYTES];
	int64_t say_until;
	struct buf copy;
	struct buf command, output; /* of VIEW_OUTPUT: what was run, what it printed */
	char output_remark[SAY_BYTES];
};

/* A view: one row each in views.c. */
struct view {
	const char *title;
	/* Adds all lines and sets ui->columns.  Texts are copied into the arena. */
	void (*build)(struct ui *ui, const struct scene *scene, struct lines *lines);
	/* Makes the cells of a LINE_LAZY line; NULL: there are none. */
	struct line (*fill)(const struct ui *ui, const struct scene *scene, struct line line,
			    struct arena *a);
	bool ticks;   /* lines contain ages: built again each second */
	bool lists;   /* lines can be selected; else the text scrolls */
	bool follows; /* the last line is selected until the user moves away */
	bool stops;   /* build() returns early when ui_interrupted(), with nothing changed but the lines */
};

/* The row of the open view. */
const struct view *ui_open_view(const struct ui *ui);

/* The open place. */
struct place *ui_place(struct ui *ui);
const struct place *ui_place_const(const struct ui *ui);
struct str ui_filter(const struct ui *ui);
/* True when the line with that key is not folded as by default. */
bool ui_toggled(const struct ui *ui, uint64_t key);
void ui_toggle(struct ui *ui, uint64_t key);
/* The lines are built again at the next refresh. */
void ui_dirty(struct ui *ui);
/* The same, after a key: with very many objects the typed text is shown first, with the old lines. */
void ui_rearrange(struct ui *ui);
/*
 * True when there are so many objects that building the table takes longer than a key may wait.  It is then interrupted
 * by keys, and the old lines stay meanwhile.
 */
bool ui_is_large(const struct ui *ui);
/* True when a key has interrupted the building of the lines: they will not be shown. */
bool ui_interrupted(struct ui *ui, const struct scene *scene);
/* The line with that key (0: none), else the first of that object; lines.n when there is none. */
size_t ui_find_line(const struct ui *ui, uint64_t key, struct handle object);
/* Copies as much of s as fits, with a NUL. */
void ui_copy_str(char *out, size_t size, struct str s);
/* The selected line; NULL when there is none. */
const struct line *ui_line(const struct ui *ui);
/* What was seen of the moment that is shown: for observe_seen(). */
const struct observer *ui_shown(const struct ui *ui, const struct scene *scene);
/* The last transition that was observed before a time; NULL: there is none within reach. */
const struct journal_entry *ui_moment_before(const struct ui *ui, const struct scene *scene, int64_t time);
/* True when Enter unfolds the selected line: it stands for several objects, or for one that does not exist. */
bool ui_unfolds(const struct ui *ui);
/* The object of the selected line when it does not exist but is referred to; else HANDLE_NONE. */
struct handle ui_absent(const struct ui *ui);
bool ui_is_marked(const struct ui *ui, struct handle h);
/* The object for w, t, c, y: the selected one, or the open one. */
struct handle ui_subject(const struct ui *ui);

/* True when the lines that are open can be selected; else the text scrolls. */
bool ui_selects(const struct ui *ui);
/* True where a text is open that others wrote (YAML, logs, what a command printed): "/" searches in it. */
bool ui_reads_text(const struct ui *ui);
/* True for the place of a log. */
bool place_is_log(const struct place *place);

/* The i-th line with its cells, in the arena. */
struct line ui_line_filled(const struct ui *ui, const struct scene *scene, size_t i, struct arena *a);

/* True when the cause was acknowledged in that state. */
bool ui_acknowledged(const struct ui *ui, uint64_t cause, uint64_t state);

#endif
