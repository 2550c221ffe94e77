/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the dashboard share: its state, and what each does for the others. */
#ifndef PLUGIN_DASHBOARD_DASHBOARD_H
#define PLUGIN_DASHBOARD_DASHBOARD_H

#include "plugin/dashboard/fetch.h"
#include "plugin/dashboard/history.h"
#include "plugin/dashboard/timers.h"
#include "plugin/program.h"
#include "tui/term/curses.h"
#include "tui/ui/ui.h"

struct hand_over;

enum { LATER = 256 };	/* the most keys that wait for a part of the history */

/* Of moments.c: the moment that is shown. */
struct moments {
	struct seek *seek;	/* the earlier moment that is shown; NULL: the present one is */
	int64_t wall_start;	/* when the recording began to play, by the system's clock, ms */
	int64_t opens_at;	/* the moment to go to as soon as the history has it, ms; 0: none */
	/*
	 * A key asked for another moment.  With many objects going there may take longer than the answer to a key may:
	 * then one picture says so first.
	 */
	enum { SEEK_NONE, SEEK_PENDING, SEEK_NEXT } seeking;
	enum action later[LATER];	/* the keys to another moment that wait for a part of the history, in order */
	size_t nlater;
	bool plays_again;	/* the recording is played again from an earlier moment, up to the present one */
	bool keeps_past;	/* the graph keeps an undo log */
};

/* Of scope.c: what the user chose to see. */
struct chosen {
	const struct options *asked_with;	/* the options of the command line */
	struct buf asked_context;	/* the context that it named, or was the current one */
	struct buf several;		/* the contexts that it named together, as "a,b"; "": it named one or none */
	struct resolution asked;	/* the types and names on it; n == 0: all */
	enum which_kinds kinds;
	struct selection only;		/* with KINDS_ONE: the kind that was chosen in the palette */
	char *ns;			/* the namespace that was chosen in the palette, owned */
	struct str *contexts;		/* those of the kubeconfig, to switch to, and behind them several; the array is owned */
	size_t ncontexts;
	/* the context that was chosen in the palette, until it has answered; NULL: none is being opened */
	struct program *opening;
	bool answered;		/* the first lists have ended, or the user has chosen: what may not be read is no reason to end */
};

struct dashboard {
	struct program *p;
	struct terminal *term;
	struct ui *ui;
	struct fetch *fetch;
	struct hand_over *hand_over;	/* the capsules of p; NULL: none was asked for */
	struct moments moments;
	struct chosen chosen;
	struct canvas canvas;
	struct arena frame;		/* for one picture */
	struct header header;		/* its texts are in texts */
	struct arena texts;
	struct str notices[32];
	struct query_in asks;		/* of p, for the scene */
	struct changes_source changes;
	struct looked looked;		/* failures whose changes are shown, since they were last asked for */
	int64_t copies_at;	/* until when a copy of what changed waits for the cluster's answers, ms; 0: none waits */
	int64_t next_frame;	/* when the next picture for a key or a signal may be painted, ms */
	int64_t refreshed;	/* when what is shown was brought up to date, ms */
	int64_t next_data_frame;	/* when the next picture for changes from the server may be painted, ms */
	unsigned effects;	/* the effects requested since the last picture */
	bool urgent;		/* a key or a signal requested some of the effects */
	bool fresh;		/* the last picture showed the data as up to date */
	bool quit;
	struct err failed;	/* why: the connection failed, or what was asked for may not be read */
	struct timers timers;
};

/* ---- shown.c ---- */

void shown_begin(struct dashboard *d);
/* Brings the header up to date. */
void shown_header(struct dashboard *d);
/* Returns true while a moment is shown that a history has, and not the live world. */
bool shown_is_history(const struct dashboard *d);
/* Return the scene of the live world, and the one that is on the screen. */
struct scene shown_live(struct dashboard *d);
struct scene shown_scene(struct dashboard *d);
bool shown_has_key(const void *dashboard);
/* Return true when the object was asked for, in the live world, and in the world of an earlier moment that is shown. */
bool shown_selects_live(const void *program, struct handle h);
bool shown_selects(const void *program, struct handle h);
/* Says that something failed, and why. */
void shown_say_err(struct dashboard *d, const char *what, const struct err *err);
/* Call it when the size of the terminal may have changed, or what it shows. */
void shown_resize(struct dashboard *d);

/* ---- picture.c ---- */

void picture_paint(struct dashboard *d);
/*
 * Brings what is shown up to date without painting it, while the terminal takes nothing: what is observed and what is gone would pile
 * up otherwise.
 */
void picture_refresh(struct dashboard *d);
/* Copy at once; when the cluster has said who changed what, of which is told; go on with that. */
void picture_copy(struct dashboard *d);
void picture_copy_when_known(struct dashboard *d);
void picture_answer_changed(struct dashboard *d);

/* ---- moments.c ---- */

/* Lets the source do a step, and has repainted what looks different then. */
void moments_step(struct dashboard *d);
/* Begins to keep the past once everything that was asked for is loaded: what the first lists bring is no change. */
void moments_keep_past(struct dashboard *d);
/* Goes to the moment that the user chose, or back to the present. */
void moments_change(struct dashboard *d);
/* Carries out the effects that ask for another moment, at once or at the latest before the next key. */
void moments_run_effects(struct dashboard *d);
/* Reads on in the history, unless a key waits; goes to the moment that the dashboard opens with when that is known. */
void moments_read_history(struct dashboard *d);
/* Plays a recording to the moment at which the dashboard opens, and shows it with what was on the screen then. */
void moments_open(struct dashboard *d);
/* Shows the present; what belongs to the program is forgotten. */
void moments_leave(struct dashboard *d);

/* ---- scope.c ---- */

void scope_begin(struct dashboard *d, struct program *p);
void scope_end(struct dashboard *d);
/* Lists the contexts that can be chosen. */
void scope_list_contexts(struct dashboard *d);
/* Opens the history that the command line names for its context, or the preferences, whose failure is a notice. */
int scope_open_history(struct dashboard *d, struct err *err) MUST_USE;
/* Connects, as far as possible without waiting, to the context that was chosen, or at first to what the command line names. */
void scope_connect_more(struct dashboard *d);
/* Read and write what is pinned in the contexts that are shown; of a cluster only.  A failure is said in one line. */
void scope_load_pins(struct dashboard *d);
void scope_save_pins(struct dashboard *d);
/* Carry out the user's choice. */
void scope_change(struct dashboard *d, struct scope scope);
void scope_change_context(struct dashboard *d, struct str name);
void scope_cancel(struct dashboard *d);

/* ---- programs.c ---- */

/* Run the command in ui_copy_text() and show what it prints; write the timeline to a file. */
void programs_look(struct dashboard *d);
void programs_export(struct dashboard *d);

#endif
