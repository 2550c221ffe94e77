/* SPDX-License-Identifier: Apache-2.0 */
/* One run of the program: what was asked, what is known, where answers go. */
#ifndef PLUGIN_PROGRAM_H
#define PLUGIN_PROGRAM_H

#include "plugin/changes.h"
#include "plugin/flight.h"
#include "plugin/live.h"
#include "plugin/namesakes.h"
#include "plugin/output.h"
#include "plugin/preferences.h"
#include "plugin/query.h"
#include "plugin/recording.h"
#include "plugin/world.h"

struct recording_index;

struct program {
	struct options options;
	struct preferences preferences;
	struct world world;
	const struct world *shown;	/* in the dashboard; NULL: world */
	struct query query;
	struct output out;
	struct live *live;		/* NULL: files or a recording */
	struct replay *replay;		/* NULL: files or a cluster */
	struct recording_index *index;	/* NULL: it has none, and needs none */
	int64_t rechecked;		/* when what time alone changes was last looked for in it */
	bool still;			/* the recording is shown as it ends, it does not play */
	struct namesakes *namesakes;	/* NULL: nothing was asked of a cluster */
	struct recorder *recorder;
	struct flight *flight;		/* NULL: --flight was not asked for */
	struct changelog *changelog;	/* NULL: nobody asks what changed */
	struct dashboard *dashboard;	/* NULL: there is none */
	int64_t started;		/* ms: what --timeout counts from */
	int signal;			/* what ended it; 0: nothing did */
};

/* The next moment of the recording; returns how many objects look different. */
size_t program_play_moment(struct program *p, int64_t at);
/* Puts what the header of the recording holds into the world. */
void program_meet_recording(struct program *p);
/* Each returns an exit status, or -1 with err. */
int run_program(struct program *p, struct err *err);
/* --watch: a row or a document for each change, until a signal. */
int run_stream(struct program *p, struct err *err);
/* --for */
int run_wait(struct program *p, struct err *err);
/* While a server has not answered: for live_options.wait, and what to end with when that gave up. */
bool wait_for_answer(void *program, struct live *l);
int wait_unanswered(struct program *p);
/* How many of the names that were asked for are not there; they are added to names: pods "a", pods "b". */
size_t program_missing(struct program *p, struct buf *names);
/* Tells of each name that was asked for and does not exist; true when there was one. */
bool program_say_missing(struct program *p);
/* The dashboard. */
int run_dashboard(struct program *p, struct err *err);
/* The same as wait_for_answer(), with a screen and keys. */
bool dashboard_wait(void *program, struct live *l);
/* Discovery, then the lists are opened; 1: nobody wants to wait any more. */
int program_connect(struct program *p, struct err *err);

/* The configuration of the clusters that the options name, into p->live; nothing is sent yet. */
int program_open_live(struct program *p, bool dashboard, struct err *err);

/* One line to standard error, sanitized. */
void say_error(const struct err *err);
void say_line(struct str text);
/* INT, TERM or HUP came: true, and noted in p. */
bool program_interrupted(struct program *p);

#endif
