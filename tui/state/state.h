/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the user interface.  It is private to tui. */
#ifndef TUI_STATE_STATE_H
#define TUI_STATE_STATE_H

#include "kube/base/buf.h"
#include "kube/model/document.h"
#include "tui/state/action.h"
#include "tui/state/choice.h"
#include "tui/state/click.h"
#include "tui/state/observe.h"
#include "tui/state/pins.h"
#include "tui/state/sort.h"
#include "tui/state/tabs.h"
#include "tui/words/text.h"

struct match;
struct noted_causes;

enum { FILTER_BYTES = 128 };

/* An open view with its selection and scroll position, so that Esc can return to it. */
struct place {
	enum view_id view;
	enum tab tab;
	struct handle subject; /* the object that the view shows; HANDLE_NONE: all objects */
	/*
	 * how many objects the row stood for from which the place was opened; subject is the first of them; 0 or 1: the
	 * row was about subject alone
	 */
	uint32_t alike;
	uint64_t key;	       /* the key of the selected line */
	struct handle object;  /* the object in the selected line */
	size_t selected, top;
	/* top and selected at the time another view was opened, for tabs whose text is read again on return */
	size_t left_top, left_selected;
	bool left;
	bool moved; /* the user moved the selection; until then it stays on the first line */
	bool end;   /* the user went to the end of a log, which stays in sight */
	char search[FILTER_BYTES]; /* what "/" searches for in a text: ui_reads_text() */
	char filter[FILTER_BYTES]; /* the filter of a list */
	struct {
		uint64_t key;
		struct handle object;
		size_t selected, top;
		bool moved;
	} unfiltered; /* the selection as it was before there was a filter */
	/* the filter was typed in this place, so back drops it; else it was taken over from the place before */
	bool filtered;
};

enum group_by {
	GROUP_NONE,
	GROUP_CAUSE,
	GROUP_NAMESPACE,
	GROUP_APPLICATION, /* by the top of the chain of owners */
	GROUP_NODE,
	GROUP_LABEL,
	GROUP_OWNER, /* by graph_owner() */
	GROUP_COUNT
};

/* The prompt that is open at the foot of the screen. */
enum prompt { PROMPT_NONE, PROMPT_FILTER, PROMPT_SEARCH, PROMPT_PALETTE, PROMPT_FILE };

/* A root cause that the user acknowledged, and its state at that time. */
struct acknowledged {
	uint64_t cause, state;
};

/* What is known of an object that is referred to but not in the store. */
enum absence { ABSENCE_UNKNOWN, ABSENCE_MISSING, ABSENCE_UNREADABLE, ABSENCE_GONE };

/* The lines of a view, and the members of struct ui that belong to them. */
struct built {
	struct arena arena;
	struct lines lines;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	uint64_t folded_into;
	struct str note;
	size_t matching, unfiltered_rows;
};

enum { PREVIEW_BESIDE = 150 }; /* columns: from this width on the preview stands beside the list */
enum { PREVIEW_MEMBERS = 40 }; /* objects in the preview of a row that stands for several objects */
enum { ARRIVED = 64, PLACES = 16, TOGGLED = 256, ACKNOWLEDGED = 64, FORMER = 6, GONE_CAUSES = 256, SAY_BYTES = 160, COPY_BYTES = 48 * 1024 };

/* A root cause that existed and does not any more. */
struct gone_cause {
	uint64_t cause;
	int64_t at;	/* when it was gone, ms by the clock of the cluster or recording */
};

/*
 * The objects that matched the filter when the table was last built.  When the filter has become longer, only these
 * objects are tested.
 */
struct filter_cache {
	uint8_t *slots; /* by slot, 1: the object matched */
	uint32_t n;
	char text[FILTER_BYTES]; /* the filter of that time; "": nothing is cached */
};

/* The namespace and kinds that were shown before the user chose others, and the places that were open. */
struct former_scope {
	char ns[FILTER_BYTES];
	enum which_kinds kinds;
	const struct kind *kind;
	struct place places[PLACES];
	size_t depth;
};

struct ui {
	const struct view *const *views; /* the table of views, by enum view_id */
	void *own[VIEW_COUNT];	/* their own states */
	int rows, cols;
	struct place places[PLACES];
	size_t depth; /* the index of the open place in places */
	enum sort sort;
	bool reverse;
	enum group_by group;
	int group_width;	   /* the columns of the names of groups when they were last built; 0: they never were */
	size_t label;		   /* GROUP_LABEL: the index of the label in scene->labels */
	enum preview_choice {
		PREVIEW_BY_WIDTH, /* the preview is shown on screens of at least PREVIEW_BESIDE columns */
		PREVIEW_ON,
		PREVIEW_OFF
	} preview;
	/* the line of Logs behind the log of the container that is in trouble: Logs shows what ends there */
	size_t log_end;
	enum absence absence;	   /* what is known of the object of the details when it is not in the store */
	bool loading;		   /* the text of the open tab has not been read yet */
	int scroll;		   /* how many columns the lines are scrolled to the right */
	size_t found;		   /* 1 + the line of the last match, from which n and N go on; 0: none */
	char palette_text[FILTER_BYTES]; /* what was typed into the palette */
	char file[FILTER_BYTES];   /* the name of the file to which the timeline is exported */
	enum prompt prompt;
	const struct match *matches; /* the matches of the palette; they are in arena */
	size_t nmatches;
	struct acknowledged acked[ACKNOWLEDGED];
	size_t nacked;
	uint64_t *causes;	     /* the keys of the root causes at the last scan, ascending */
	size_t ncauses;
	bool causes_known;	     /* all lists were complete at that scan */
	struct gone_cause gone_causes[GONE_CAUSES]; /* a ring of root causes that do not exist any more */
	size_t ngone_causes;
	struct handle arrived[ARRIVED]; /* a ring of the objects that ui_arrived() named since the last scan */
	size_t narrived;
	struct noted_causes *noted_causes; /* the root causes that the header names (bars.h) */
	char alarm_text[SAY_BYTES];
	/* the text about the new root cause and the number of all; "": nothing new since the last ui_alarm() */
	char alarm[SAY_BYTES];
	char alarm_name[SAY_BYTES / 2];
	size_t alarm_count;	     /* the number of root causes in that text */
	bool alarm_rings;	     /* the text is about a new root cause and not only about another number of them */
	bool alarm_told;	     /* ui_alarm() has returned the text, so that the window title names the cause */
	uint64_t alarming;	     /* the key of the last new root cause; 0: it does not exist any more */
	bool alarm_over;	     /* that cause has gone, and ui_alarm_is_over() has not told it yet */
	struct scope scope;	     /* the choice of the user, for EFFECT_SCOPE and EFFECT_CONTEXT */
	enum which_kinds kinds;	     /* which kinds are shown */
	const struct kind *kind;     /* KINDS_ONE: the kind that is shown */
	struct former_scope former[FORMER]; /* the scopes that were left, a stack: Esc returns to the last one */
	size_t nformer;
	/* The user has returned to former[nformer].  Its places are looked for while its objects are read again. */
	enum { RETURN_NONE, RETURN_PENDING, RETURN_READING } returning;
	char scope_name[FILTER_BYTES];
	struct pins pins;
	struct handle moving[PINS]; /* those of the pinned objects that were under way when ui_ended() was last asked */
	size_t nmoving;
	uint64_t toggled[TOGGLED]; /* the keys of the lines whose fold is not in its default state */
	size_t ntoggled;

	int64_t seek_time;		 /* the moment that the user wants to see, ms; 0: now */
	enum action later;		 /* it goes to another moment when more of the history is read */
	int64_t shown_at;		 /* the moment that the lines show, ms; 0: now */
	struct observer past_observer;	 /* the observer of an earlier moment that is shown; it notes no transitions */
	int64_t past_observed;		 /* the moment that this observer has scanned, ms; 0: none */
	const struct bindings *bindings; /* the user's own keys; NULL: the default keys */
	struct observer observer;	   /* the observer of the present, also while an earlier moment is shown */
	/* changed: the store has changed and must be scanned; dirty: the lines must be built again */
	bool changed, dirty;
	uint32_t *pending;                 /* the slots that have changed and were not scanned yet */
	size_t npending, pending_cap;
	bool unordered;			   /* changes were observed that the lines do not show yet */
	/* the lines belong to another place: they must be built before a key is handled */
	bool must_build;
	bool rearranged;		   /* the order, the filter or a fold has changed since the lines were built */
	bool interruptible, interrupted;   /* a key may interrupt the building of the lines; a key has interrupted it */
	struct built saved_table;	   /* the lines of a table with very many rows, while another view is open */
	/* identifies the answer of the program (scene.fetched) that the lines show */
	uint64_t answer;
	bool well;			   /* bar_is_well() when the lines were built */
	int64_t scanned;		   /* when the store was last scanned, by the user's clock, ms */
	int64_t built, refreshed;	   /* when the lines were built, and ui_refresh() called, ms */
	struct arena arena;		   /* the arena of the lines */
	struct lines lines;
	uint64_t folded_into; /* the key of the folded line that contains the selected object; 0: none */
	struct str note; /* a text beside the title about what the view does not show; it is in arena */
	size_t matching; /* how many rows, or in the table objects, pass the filter */
	size_t unfiltered_rows;	 /* Problems and Changes: how many rows there would be without the filter */
	struct filter_cache filter_cache;
	struct sort_ranks ranks;
	bool build_later; /* typed text is shown at once, and the lines are built for the frame after it */
	struct hits hits;
	struct column columns[LINE_CELLS];
	size_t ncolumns;
	int list_needs;	  /* how many columns the rows of the list need when nothing is cut; 0: that is not known */
	bool table_short; /* the table shows kinds by their short names */
	int table_form;	  /* which columns explain the rows of the table: enum form of table.c */
	/* the widths that the cells of each table column have needed so far: in nearly all rows, and in most rows */
	struct {
		uint16_t usual[LINE_CELLS], most[LINE_CELLS], widest[LINE_CELLS], said[LINE_CELLS];
	} steady_widths;

	char warning[2 * SAY_BYTES];	/* stands in place of the first line until a key is pressed; "": none */
	bool asked_to_quit;	/* the last action was to close the first view, and the user was asked to do it again */
	char say[SAY_BYTES];
	int64_t say_until;
	struct buf copy;
};

/*
 * A view: its lines, its keys, its words and its own state are in the file that defines view_NAME (VIEWS in action.h).  Functions
 * may be NULL: then the view does what each comment says.
 */
struct view {
	const char *title;
	const char *of_all;	/* stands behind the title of a view that is about all objects: " of all"; NULL: nothing */
	const char *resumes;	/* what a capsule calls it; NULL: it shows what only this run has, and is not shown again */
	/* Adds all lines and sets ui->columns.  Texts are copied into the arena of the lines. */
	void (*build)(struct ui *ui, const struct scene *scene, struct lines *lines);
	/* Makes the cells of a line with LINE_LAZY; the view has no such lines. */
	struct line (*fill)(const struct ui *ui, const struct scene *scene, struct line line,
			    struct arena *a);
	bool ticks;   /* the lines contain ages, so they are built again each second */
	bool lists;   /* lines can be selected; else the text scrolls */
	bool follows; /* the last line is selected until the user moves the selection away */
	bool reads;   /* it shows a text that others wrote: "/" searches in it */
	bool counts_own;	/* the count of a row is no number of objects that are alike */
	/* build() returns early when ui_interrupted() is true, and has then changed nothing but the lines */
	bool stops;

	/* ---- words ---- */

	/* Returns the title, in place of the member. */
	struct str (*heading)(const struct ui *ui, struct arena *a);
	/* Returns what it says when it has no lines, without the full stop; "Nothing". */
	struct str (*empty)(const struct ui *ui, const struct scene *scene, struct arena *a);
	/* Returns how many of its rows match the filter: "3 entries match"; "3 of 12 match". */
	struct str (*matches)(const struct ui *ui, struct arena *a);
	bool tells_well;	/* when it has no lines, it says what may be said when nothing is wrong */
	bool notes_plainly;	/* ui->note is no warning */

	/* ---- keys ---- */

	enum action opens_by;	/* the key that opens it from any view; the same in it goes back; ACTION_NONE: none does */
	bool of_subject;	/* the key opens it for ui_subject(), and in it for the next one */
	/* Opens it: for all objects. */
	unsigned (*open)(struct ui *ui, const struct scene *scene);
	/* Carries out an action in it, and sets *out_effects; returns false when that does in it what it does elsewhere. */
	bool (*act)(struct ui *ui, const struct scene *scene, enum action action, unsigned *out_effects);
	/* Returns the command that is copied and run; that of the selected row. */
	struct str (*command)(const struct ui *ui, enum command_reader reader);
	/* Returns what must be fetched for it, and of which object; nothing. */
	enum want (*wants)(const struct ui *ui, struct handle *out_handle);

	/* ---- its own state: ui_own() ---- */

	size_t state;		/* its size; it begins with zeros, and as begin() sets it */
	void (*begin)(void *state);
	void (*end)(void *state);	/* frees what it has */
	void (*forget)(void *state);	/* forgets what refers to objects: another world is shown */
	/* Write and read what a capsule keeps of it. */
	void (*describe)(const void *state, struct document out);
	void (*resume)(void *state, struct json screen);
};

/* Returns the own state of a view. */
void *ui_own(const struct ui *ui, enum view_id view);
/* Returns the object that the user chose, and not the one that is merely in the first row; HANDLE_NONE: no object was chosen. */
struct handle ui_chosen(const struct ui *ui);
/* Returns the row of the open view in the table of views. */
const struct view *ui_open_view(const struct ui *ui);

/* Returns the open place. */
struct place *ui_place(struct ui *ui);
const struct place *ui_place_const(const struct ui *ui);
struct str ui_filter(const struct ui *ui);
/* Returns true when the fold of the line with that key is not in its default state. */
bool ui_toggled(const struct ui *ui, uint64_t key);
/*
 * Does so for a line.  The fold of a row of equal objects is remembered by the row, and by what they have in common: so it stays when
 * others take their place, and when something else becomes common to them.
 */
bool ui_line_toggled(const struct ui *ui, const struct line *line);
void ui_toggle_line(struct ui *ui, const struct line *line);
/* Has the lines built again at the next refresh. */
void ui_dirty(struct ui *ui);
/* Does the same after a key.  With very many objects the typed text is first shown with the old lines. */
void ui_rearrange(struct ui *ui);
/*
 * Returns true when there are so many objects that building the table takes longer than the answer to a key may.  A key
 * then interrupts the building, and the old lines stay meanwhile.
 */
bool ui_is_large(const struct ui *ui);
/* Returns true when a key has interrupted the building of the lines, so that they will not be shown. */
bool ui_interrupted(struct ui *ui, const struct scene *scene);
/*
 * Returns the index of the line with that key (0: no key), else of the first line of that object; lines.n when there is
 * neither.
 */
size_t ui_find_line(const struct ui *ui, uint64_t key, struct handle object);
/* Copies as much of s as fits into size bytes, with a NUL behind it. */
void ui_copy_str(char *out, size_t size, struct str s);
/* Returns the selected line; NULL when there is none. */
const struct line *ui_line(const struct ui *ui);
/* Returns the observer of the moment that is shown, for observe_snapshot(). */
const struct observer *ui_shown(const struct ui *ui, const struct scene *scene);
/* Returns the last transition that was observed before a time; NULL: there is none that can be gone back to. */
const struct journal_entry *ui_transition_before(const struct ui *ui, const struct scene *scene, int64_t time);
/* Returns the object whose name the selected row has, which may fold others; HANDLE_NONE: it names none, or several. */
struct handle ui_named(const struct ui *ui);
/* Returns true when Enter unfolds the selected line: it can be folded, and names no object whose details could be opened. */
bool ui_unfolds(const struct ui *ui);
/* Returns the object of the selected line when it does not exist but is referred to; else HANDLE_NONE. */
struct handle ui_absent(const struct ui *ui);
/*
 * Returns the index of the pin for which a row is at the top: in a list of resources also that of an owner or of the namespace;
 * of other rows, and those under another one, that of the object alone; ui->pins.n: there is none.
 */
size_t ui_pin_of(const struct ui *ui, const struct scene *scene, const struct line *line);
/* Returns the namespace that the row of a group stands for; "": it stands for something else. */
struct str ui_group_namespace(const struct ui *ui, const struct line *line);
/* Returns the object that the keys w, t, c and y are about: the selected one, else the one that the open view shows. */
struct handle ui_subject(const struct ui *ui);

/* Returns true when the lines of the open view can be selected; else the text scrolls. */
bool ui_selects(const struct ui *ui);
/* Returns true when a text is open that others wrote (YAML, logs, what a command printed): "/" searches in it. */
bool ui_reads_text(const struct ui *ui);
/* Returns true when the place shows a log. */
bool place_is_log(const struct place *place);

/* Returns the line with index i with its cells, which are in the arena. */
struct line ui_line_filled(const struct ui *ui, const struct scene *scene, size_t i, struct arena *a);

/* Returns true when the preview is wanted, by the user or because the screen is wide. */
bool ui_previews(const struct ui *ui);
/* Returns true when the user acknowledged the cause in that state. */
bool ui_acknowledged(const struct ui *ui, uint64_t cause, uint64_t state);

#endif
