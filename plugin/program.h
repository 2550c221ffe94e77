/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one run of the program: options, world, output. */
#ifndef PLUGIN_PROGRAM_H
#define PLUGIN_PROGRAM_H

#include "plugin/alert.h"
#include "plugin/past/changelog.h"
#include "plugin/record/flight.h"
#include "plugin/record/gaps.h"
#include "plugin/record/latest.h"
#include "plugin/live.h"
#include "plugin/output/output.h"
#include "plugin/preferences.h"
#include "plugin/query.h"
#include "plugin/record/recorder.h"
#include "plugin/record/replay.h"
#include "plugin/world.h"
#include "plugin/world_source.h"

struct segments;

struct program {
	struct options options;
	struct preferences preferences;
	struct err preferences_wrong;	/* why they could not be read, and the dashboard shows all as by default */
	struct world world;
	const struct world_source *source;	/* where the world comes from */
	const struct world *shown;	/* the world that the dashboard shows; NULL: the member world */
	/* whose world, at another moment, is the member shown: this program, or one of its history; NULL: shown is NULL */
	struct program *shows;
	struct query query;
	struct output out;
	/* shared by all clusters that the dashboard opens; NULL: live has one of its own */
	struct http *http;
	struct live *live;		/* the connection of source_clusters, which others do not ask */
	uint64_t listed;		/* the objects that had come when all lists were complete last */
	bool answered;			/* a cluster has answered before */
	/*
	 * the context that the options name when opening.h opened it, owned; NULL: the options are those of the command
	 * line
	 */
	char *context;
	struct replay *replay;		/* the recording of source_recording, which others do not ask */
	struct str history;		/* the name of the history that replay is a part of, borrowed; "": it is of none */
	struct buf flaws;		/* what was said of the flaws of replay */
	const struct segments *segments;	/* those of replay, borrowed; NULL: it is one file */
	struct gaps gaps;		/* those in what was played of replay by program_play_to() and program_note_gap() */
	int64_t played;			/* the last moment of that, ms; 0: nothing was played */
	/* when the verdicts of replay that change by time alone were last computed, ms */
	int64_t rechecked;
	/* since when the journal has what happened before this session, ms; 0: it has nothing of that */
	int64_t earlier_from;
	/* the moment of a history that the dashboard goes to first, ms; 0: it shows the present */
	int64_t opens_at;
	bool files_have_logs;
	struct buf files_events;	/* files_found */
	int64_t files_of;		/* the newest time in old files, which is the moment that is shown, ms; 0: it is not */
	bool serves;			/* it is a server for agents (mcp.h) */
	bool shows_end;			/* the recording is shown at its end and does not play */
	struct recorder *recorder;
	struct err recording_failed;	/* why a recording could not be written to its end */
	struct flight *flight;		/* NULL: --flight was not given */
	/* the states of the observed objects, for the keyframes of recorder and flight; NULL: they have no keyframes */
	struct latest *latest;
	struct history *past;	/* what was recorded before, of --history; NULL: nothing is known of that */
	struct changelog *changelog;	/* the versions of objects, to tell changes from; NULL: they are not kept */
	struct changed_reader *changed;	/* reads who changed what (changed.h); NULL: nothing was read so far */
	struct dashboard *dashboard;	/* NULL: there is none */
	struct alert alert;		/* what --alert says; query.alert is NULL without the flag */
	bool alert_said;		/* program_settle_alert() was called */
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

/* ---- play.c ---- */

/* Begins to keep the versions of the objects in the recording; ceiling and from are those of changelog_new(). */
void program_note_changes(struct program *p, size_t ceiling, int64_t from);
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
/* Returns the time of the last record, also of one in the segments of a history that were not opened, ms. */
int64_t program_recorded_until(const struct program *p);
/* Notes that the recording goes on at a moment, ms. */
void program_note_gap(struct program *p, int64_t at);
/*
 * The recording was played until to, ms.  Adds a notice when nobody recorded at some time from from on: what is told of it is what
 * was known before.
 */
void program_tell_gap(struct program *p, int64_t from, int64_t to);
/* Returns the times within a part of the recording in which some of what is asked for was not watched, in their order; in the arena. */
const struct gap *program_unwatched(const struct program *p, struct gap within, struct arena *arena, size_t *out_n);
/* Says it of one of them. */
void program_say_unwatched(struct gap gap);
/* Puts the kinds, clusters and coverage from the header of the recording into the world. */
void program_read_recording_header(struct program *p);
/*
 * Plays some moments, up to until (ms), and calls watch->moment() after each: a moment left out would be a transition that nobody
 * saw.
 */
void program_play_watched(struct program *p, int64_t until, const struct source_watch *watch);
/*
 * Empties the world, to play the recording anew.  Returns the objects that it had; free them with world_discard().
 */
struct world program_restart(struct program *p);
/* Plays the recording up to at (ms).  Returns the number of objects that look different. */
size_t program_play_moment(struct program *p, int64_t at);
/*
 * Plays at most that number of records up to at (ms), and settles nothing.  Returns true when the moment is complete:
 * then settle the world.
 */
bool program_play_some(struct program *p, int64_t at, size_t most);
/* Computes the verdicts as of end (ms), to which the recording has been played: time alone changes some. */
void program_play_end(struct program *p, int64_t end);

/* ---- alert_run.c ---- */

/*
 * Reads --alert, if it was given: query.alert is set then, and what it says of namespaces and contexts is chosen where the user has not chosen.
 * Returns -1 with err.
 */
int program_read_alert(struct program *p, struct err *err) MUST_USE;
/* Sets --as-of to the beginning of the alert.  Returns false when it is not told, or --as-of was given.  The second function takes that back. */
bool program_goes_back_to_alert(struct program *p);
void program_stays_at_present(struct program *p);
/*
 * Call it when the first lists have ended, or all is read: adds notices of what the alert is and which of its labels name nothing.  Returns true
 * when none of them names anything: then everything in its namespaces is selected from now on, which has still to be asked for.
 */
bool program_settle_alert(struct program *p);

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
/*
 * Closes the recordings, whose last record tells until when the cluster was observed: until now, or until the moment that is
 * printed once.  Does nothing the second time, but returns the same: -1 with err when something could not be written.
 */
int program_end_recordings(struct program *p, struct err *err) MUST_USE;

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
