/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one run of the program: options, world, output. */
#ifndef PLUGIN_PROGRAM_H
#define PLUGIN_PROGRAM_H

#include "plugin/record/changes.h"
#include "plugin/record/flight.h"
#include "plugin/record/latest.h"
#include "plugin/live.h"
#include "plugin/namesakes.h"
#include "plugin/output/output.h"
#include "plugin/preferences.h"
#include "plugin/query.h"
#include "plugin/record/recording.h"
#include "plugin/world.h"

struct program {
	struct options options;
	struct preferences preferences;
	struct world world;
	const struct world *shown;	/* in the dashboard; NULL: world */
	struct query query;
	struct output out;
	struct http *http;		/* of the dashboard: all clusters that it opens share it; NULL: live has one of its own */
	struct live *live;		/* NULL: files or a recording */
	char *context;			/* of opening.h: the context, which options name; NULL: they are those of the command line */
	struct replay *replay;		/* NULL: files or a cluster */
	size_t flaws;			/* of replay: as many were told */
	int64_t rechecked;		/* of replay: when verdicts that change by time alone were last computed, ms */
	bool still;			/* the recording is shown at its end and does not play */
	struct namesakes *namesakes;	/* NULL: nothing was asked of a cluster */
	struct recorder *recorder;
	struct flight *flight;		/* NULL: --flight was not asked for */
	struct latest *latest;		/* of what is observed: for the states in recorder and flight; NULL: they have none */
	struct changelog *changelog;	/* NULL: changes are not kept */
	struct dashboard *dashboard;	/* NULL: there is none */
	int64_t started;		/* ms: what --timeout counts from */
	int signal;			/* the signal that ends the program; 0: none came */
};

/* ---- program.c ---- */

/* True when INT, TERM or HUP came; p->signal is set. */
bool program_interrupted(struct program *p);
/* Standard output is a terminal, and no option asks for plain output. */
bool program_wants_dashboard(const struct program *p);
/* Number of names that were asked for and do not exist; they are appended to names: pods "a", pods "b". */
size_t program_missing(struct program *p, struct buf *names);
/* Prints kubectl's NotFound error for each name that was asked for and does not exist; true when there was one. */
bool program_say_missing(struct program *p);
/* What could not be read, and other remarks, on standard error. */
void program_say_notices(struct program *p);
/* from (ms), but not before the first lists were complete: changes of verdicts until then come from reading them. */
int64_t program_changes_from(const struct program *p, int64_t from);
/* Writes until when it was observed to what is recorded: now, or the moment of what is printed once. */
void program_mark_end(struct program *p);

/* ---- play.c ---- */

/*
 * Before anything of the recording is played: begins at its newest keyframe at or before time (ms), where it has one.  Not for
 * callers that need every change since the beginning.
 */
void program_skip_to(struct program *p, int64_t time);
/* Says which parts of the recording cannot be used, when that is known of more than when it was said last. */
void program_say_flaws(struct program *p);
/* Puts kinds, clusters and coverage from the header of the recording into the world. */
void program_meet_recording(struct program *p);
/* Plays the recording up to at (ms); returns how many objects look different. */
size_t program_play_moment(struct program *p, int64_t at);

/* ---- connect.c ---- */

/* The run lasts longer than one answer of the cluster. */
bool program_stays(const struct program *p);
/*
 * Runs discovery, then opens the lists.  1: gave up waiting (a key, a signal, --timeout); -1 with err: it failed.
 * The step does not wait; 1 means: call it again after live_turn().
 */
int program_connect(struct program *p, struct err *err) MUST_USE;
int program_connect_step(struct program *p, struct err *err) MUST_USE;

/* ---- the modes, each in the file of its name ---- */

/* Each returns an exit status, or -1 with err. */
int run_program(struct program *p, struct err *err);
/* --watch: a row or a document for each change, until a signal. */
int run_stream(struct program *p, struct err *err);
/* --for */
int run_wait(struct program *p, struct err *err);
/* live_options.wait while a server has not answered; wait_unanswered() is the exit status when it gave up. */
bool wait_for_answer(void *program, struct live *l);
int wait_unanswered(struct program *p);
/* The dashboard. */
int run_dashboard(struct program *p, struct err *err);

/* ---- say.c ---- */

/* Print one line to standard error, redacted (kube/base/redact.h) and sanitized. */
void say_error(const struct err *err);
void say_line(struct str text);
/* The same of a line that is made of the names of objects, which stay as they are, and of texts that are redacted. */
void say_redacted(struct str text);

#endif
