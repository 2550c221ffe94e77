/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one run of the program: options, world, output. */
#ifndef PLUGIN_PROGRAM_H
#define PLUGIN_PROGRAM_H

#include "plugin/record/changelog.h"
#include "plugin/record/flight.h"
#include "plugin/record/latest.h"
#include "plugin/live.h"
#include "plugin/namesakes.h"
#include "plugin/output/output.h"
#include "plugin/preferences.h"
#include "plugin/query.h"
#include "plugin/record/recorder.h"
#include "plugin/record/replay.h"
#include "plugin/world.h"

struct program {
	struct options options;
	struct preferences preferences;
	struct world world;
	const struct world *shown;	/* the world that the dashboard shows; NULL: the member world */
	struct query query;
	struct output out;
	/* shared by all clusters that the dashboard opens; NULL: live has one of its own */
	struct http *http;
	/* the connection to the clusters; NULL: the world comes from files or a recording */
	struct live *live;
	/*
	 * the context that the options name when opening.h opened it, owned; NULL: the options are those of the command
	 * line
	 */
	char *context;
	struct replay *replay;		/* the recording that is read; NULL: the world comes from files or a cluster */
	struct str history;		/* the name of the history that replay is a part of, borrowed; "": it is of none */
	size_t flaws;			/* how many flaws of replay were printed */
	/* when the verdicts of replay that change by time alone were last computed, ms */
	int64_t rechecked;
	/*
	 * the recording that the member shown comes from, while a moment from before this session is shown; else NULL,
	 * borrowed
	 */
	const struct replay *shown_replay;
	/* since when the journal has what happened before this session, ms; 0: it has nothing of that */
	int64_t earlier_from;
	/* the moment of a history that the dashboard goes to first, ms; 0: it shows the present */
	int64_t opens_at;
	bool shows_end;			/* the recording is shown at its end and does not play */
	struct namesakes *namesakes;	/* the requests for namesakes; NULL: no cluster was asked */
	struct recorder *recorder;
	struct flight *flight;		/* NULL: --flight was not given */
	/* the states of the observed objects, for the keyframes of recorder and flight; NULL: they have no keyframes */
	struct latest *latest;
	struct history *past;	/* what was read of --history for what is printed once; NULL: nothing was */
	struct changelog *changelog;	/* the versions of objects, to tell changes from; NULL: they are not kept */
	struct changed_reader *changed;	/* reads who changed what (changed.h); NULL: nothing was read so far */
	struct dashboard *dashboard;	/* NULL: there is none */
	int64_t started;		/* when the run began, ms; --timeout counts from here */
	int signal;			/* the signal that ends the program; 0: none came */
};

/* ---- program.c ---- */

/* Returns true when a signal came that ends the program; p->signal is set then. */
bool program_interrupted(struct program *p);
/* Returns true when standard output can show the dashboard and no option asks for plain output. */
bool program_wants_dashboard(const struct program *p);
/* Returns the number of names that were asked for and do not exist, and appends them to names: pods "a", pods "b". */
size_t program_missing(struct program *p, struct buf *names);
/*
 * Prints kubectl's NotFound error for each name that was asked for and does not exist.  Returns true when there was
 * one.
 */
bool program_say_missing(struct program *p);
/* Returns the number of names that were asked for, are not there, and were not met since from (ms). */
size_t program_never_met(struct program *p, int64_t from);
/*
 * Returns the exit status of what was told of a part of a recording that began at from (ms): 1, with errors, when something
 * could not be read, or a name that was asked for was not met in it; else 0, or as --exit-code asks for the end of the part.
 * Call it after unread_note().
 */
int program_part_status(struct program *p, int64_t from);
/* Prints the notices, such as what could not be read, on standard error. */
void program_say_notices(struct program *p);
/*
 * Returns from, or when the first lists were complete if that is later, ms.  Until then verdicts change only because
 * objects are being read.
 */
int64_t program_changes_from(const struct program *p, int64_t from);
/* Writes to the recordings until when the cluster was observed: until now, or until the moment that is printed once. */
void program_mark_end(struct program *p);

/* ---- play.c ---- */

/* Begins to keep the versions of the objects in the recording; ceiling is that of changelog_new(). */
void program_note_changes(struct program *p, size_t ceiling);
/* Returns the moment from which durations count back, ms: the end of the recording, or now for a history. */
int64_t program_end_of_times(const struct program *p);
/* Fills in err: the moment of that flag is not in the recording.  Returns -1. */
int program_not_in_recording(const struct program *p, const char *flag, struct err *err);

/*
 * Begins at the newest keyframe of the recording at or before time (ms), if there is one.  Call it before anything of
 * the recording is played, and not when every change since the beginning is needed.
 */
void program_skip_to(struct program *p, int64_t time);
/* Prints which parts of the recording cannot be used, when more of them are known than were printed last. */
void program_say_flaws(struct program *p);
/* Puts the kinds, clusters and coverage from the header of the recording into the world. */
void program_read_recording_header(struct program *p);
/* Plays the recording up to at (ms).  Returns the number of objects that look different. */
size_t program_play_moment(struct program *p, int64_t at);
/*
 * Plays at most that number of records up to at (ms), and settles nothing.  Returns true when the moment is complete:
 * then settle the world.
 */
bool program_play_some(struct program *p, int64_t at, size_t most);
/* Computes the verdicts as of end (ms), to which the recording has been played: time alone changes some. */
void program_play_end(struct program *p, int64_t end);

/* ---- past.c ---- */

/* Returns where the history is: as the options say, else as the preferences say for this context; NULL: there is none. */
const char *program_history(struct program *p);
/*
 * Returns true when what is printed tells more with a history: since when something is so, or what was changed before.  To
 * read an hour takes longer than an answer, so where only the preference names a history, that is for the report alone.
 */
bool program_tells_past(const struct program *p);
/*
 * Adds what a flight recorder saw before, where a history is asked for and what is printed tells more with it.  until (ms): when the
 * answer must be there; 0: no limit.
 */
void program_read_history(struct program *p, int64_t until);

/* ---- connect.c ---- */

/* Returns true when the run goes on after the first answer of the cluster. */
bool program_stays(const struct program *p);
/*
 * Run discovery, then open the lists.  Return 0; 1 when waiting was given up (a key, a signal, --timeout); -1 with err.
 * The step does not wait: 1 means that it must be called again after live_dispatch().
 */
int program_connect(struct program *p, struct err *err) MUST_USE;
int program_connect_step(struct program *p, struct err *err) MUST_USE;

/* ---- the modes, each in the file of its name; each returns an exit status, or -1 with err ---- */

/* Runs the mode that the options name. */
int run_program(struct program *p, struct err *err);
/* --watch: prints a row or a document for each change, until a signal. */
int run_stream(struct program *p, struct err *err);
/* --for: waits for a goal. */
int run_wait(struct program *p, struct err *err);
/*
 * The function live_options.wait of --for, called while no server has answered; wait_unanswered() returns the exit
 * status when it gave up.
 */
bool wait_for_answer(void *program, struct live *l);
int wait_unanswered(struct program *p);
/* Shows the dashboard. */
int run_dashboard(struct program *p, struct err *err);

/* ---- report.c ---- */

#define REPORT_BEFORE HOURS(1)	/* so much of a history is told where the user names no beginning, ms */

/* Writes --report of the recording, or of the part that --from, --to or --as-of name.  Returns the exit status, or -1. */
int report_recording(struct program *p, struct err *err);
/* Writes --report of the world as it is now.  Returns -1 with err. */
int report_present(struct program *p, struct err *err) MUST_USE;

/* ---- say.c ---- */

/* Print one line on standard error, redacted (kube/base/redact.h) and sanitized. */
void say_error(const struct err *err);
void say_line(struct str text);
/*
 * Prints a line as say_line() does, but redacts nothing: it is made of names of objects, and of texts that are redacted
 * already.
 */
void say_redacted(struct str text);

#endif
