/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the world of a run comes from: clusters, a recording, or files.  What shows the world, prints it or asks more
 * about it asks here, and never which of these it is.  A source that has nothing to say to a question says nothing:
 * 0, false, no text.
 */
#ifndef PLUGIN_WORLD_SOURCE_H
#define PLUGIN_WORLD_SOURCE_H

#include "kube/api/session.h"
#include "kube/model/document.h"
#include "plugin/file_logs.h"
#include "tui/state/scene.h"

struct program;

/* How the dashboard goes to a moment. */
enum reach {
	REACH_KEPT,	/* the world or its undo log has it */
	REACH_PLAYED,	/* by playing on */
	REACH_RESTORED	/* by program_restart(): it is before what is kept, or that is sooner than playing on */
};

/* What is known of it at present; times are in ms. */
struct source_facts {
	struct str context;	/* several are joined by commas */
	struct str lost;	/* the contexts that have no connection while others have one: "a,b" */
	struct json screen;	/* what was on the screen when it was recorded */
	int64_t start, until;	/* of a recording */
	int64_t next;		/* the next moment of the recording; 0: none, it has ended */
	int64_t opens_at;	/* the moment of it that a dashboard shows first; 0: it begins at the start */
	int64_t loaded;		/* when the first lists were complete; 0: they are not */
	int64_t deadline;	/* when step() must be called without an event; 0: never */
	double speed;		/* how many times as fast as the clock its clock is; 0: it stands still */
	bool watches;		/* what was asked for has been found, and its changes come */
	bool settled;		/* everything that was asked for has come or failed */
	bool retries;		/* of what failed some is asked for again */
	bool empty;		/* a recording at a moment at which nothing of it had been read */
	bool logs;		/* there are logs of Pods */
	bool fresh;		/* what is shown is up to date */
	bool keeps_past;	/* what comes from now on is a change, and no first state */
	bool uses_terminal;	/* a credential plugin uses the terminal; header.opening_login names it */
	bool told_record_failed;	/* it was printed already that what is recorded cannot be written any more */
};

struct source_watch {
	/*
	 * Called after each moment that was played, which has changed n objects; all: any object may look different, not only those
	 * of graph_changed().
	 */
	void (*moment)(void *ctx, size_t n, bool all);
	/* Called when all was played that a step() plays, before verdicts are made as of its end. */
	void (*played)(void *ctx);
	void *ctx;
};

struct world_source {
	bool asks;	/* clusters: they go on by themselves, and are asked for more */
	bool plays;	/* what was recorded plays by its own clock, from its start until its end */
	bool whole;	/* what it has is all there is */
	const char *error;		/* how an error begins that tells of a name that does not exist */
	const char *no_namespace[2];	/* what stands before and behind the name of a namespace that does not exist */
	const char *not_reached;	/* why a goal was not reached */
	const char *no_object;		/* why each_object() did not have an object */

	struct source_facts (*facts)(const struct program *p);
	/* Fills in what the header says of it; the texts are in the arena, or borrowed for the frame. */
	void (*header)(struct program *p, struct header *h, struct arena *arena);
	/*
	 * Handles what has come, or plays on, at most until a time of the recording, ms.  Returns true when
	 * something looks different: the objects of graph_changed(), or what the header says.
	 */
	bool (*step)(struct program *p, int64_t until, const struct source_watch *watch);
	/* Waits for an event, or until one of fds is readable, at most timeout_ms (-1: no limit). */
	void (*sleep)(const struct program *p, const int *fds, size_t nfds, int64_t timeout_ms);
	/* Closes it: what was asked is not answered any more.  Then the world stays as it is. */
	void (*close)(struct program *p);
	const struct str *(*contexts)(const struct program *p, struct arena *arena, size_t *out_n);	/* by index of the cluster */

	/* ---- of a source that asks; the other ones do not have these ---- */

	/* Waits as sleep() does, at most until the deadline, and does a step().  Returns what that does. */
	bool (*turn)(struct program *p, const int *fds, size_t nfds, int64_t timeout_ms);
	/* Returns true, with the reason in err, when nothing of it can come any more. */
	bool (*failed)(const struct program *p, struct err *err);
	/* Asks anew for what the query selects, after the user has chosen something else. */
	void (*ask)(struct program *p);
	const struct str *(*choices)(const struct program *p, size_t *out_n);	/* the contexts that can be switched to */
	/* Returns why nothing of a kind, or with NULL of all kinds, could be read; anywhere: in one of the clusters. */
	const struct err *(*unreadable)(const struct program *p, const struct kind *kind, bool anywhere);
	/* Returns the session of a cluster; NULL: there is no such cluster. */
	struct session *(*session)(const struct program *p, uint16_t cluster);
	/* Forbids credential plugins to use the terminal from now on. */
	void (*take_terminal)(struct program *p);
	/*
	 * Takes one of the objects that a watch brought or changed since the last call, of many the last ones.  Returns false
	 * when there is none left.
	 */
	bool (*arrived)(const struct program *p, struct handle *out);
	/* Returns true when this object was received since the last call with the same object.  From now on only this object counts. */
	bool (*touched)(const struct program *p, struct handle looked_at);
	/* Tells what is on the screen: when there is no room to watch every kind, the kinds of these are watched rather than others. */
	void (*on_screen)(const struct program *p, const struct handle *objects, size_t n);
	/*
	 * Tells whether the table is on the screen, where a column may show how much pods and nodes use.  Returns true when other values
	 * are known than at the last call.
	 */
	bool (*use_came)(struct program *p, bool shown);

	/* ---- of one that does not ask ---- */

	/* Calls ops->object() with an object of the world that is shown, if it is known; files: with all that they have. */
	void (*each_object)(const struct program *p, struct handle h, const struct object_ops *ops, void *ctx);
	/* Does what files_each_event() does; NULL: it has no Events. */
	void (*each_event)(const struct program *p, bool (*wants)(void *ctx, struct str name), const struct object_ops *ops, void *ctx);
	/* Does what file_logs_read() does; NULL: it has no logs. */
	size_t (*logs)(const struct program *p, struct file_pod *pods, size_t npods, struct arena *arena, struct file_log out[FILE_LOGS]);

	/* ---- of one that plays ---- */

	enum reach (*reach)(const struct program *p, int64_t at);
	/* Makes verdicts of another world of it, which shows that time, that change by time alone. */
	void (*recheck)(const struct program *p, struct world *w, int64_t time);
	/* Returns the text of an object as it is now, in the arena; "": it is not known. */
	struct str (*text)(const struct program *p, struct handle h, struct arena *arena);
	/* Sets out to the texts at both moments. */
	void (*texts)(const struct program *p, const struct object_id *id, const int64_t moments[2], struct arena *arena, struct str out[2]);
};

extern const struct world_source source_files;		/* world_source.c */
extern const struct world_source source_recording;	/* play.c */
extern const struct world_source source_clusters;	/* live.c */

/* The member sleep of sources from which nothing comes. */
void source_sleep(const struct program *p, const int *fds, size_t nfds, int64_t timeout_ms);

#endif
