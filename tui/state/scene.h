/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a view shows.  The program fills it in for each frame.  All times are in ms; no view reads a clock.
 */
#ifndef TUI_STATE_SCENE_H
#define TUI_STATE_SCENE_H

#include "kube/graph/graph.h"
#include "kube/journal/watched.h"

struct changes_source;

enum link {
	LINK_CONNECTING,
	LINK_LIVE,
	LINK_RECONNECTING,
	LINK_UNAUTHENTICATED,
	LINK_FAILED,
	LINK_FILES, /* the objects come from files (-f): no cluster is asked */
	LINK_REPLAY
};

/* What the header and the footer say about the connection.  Its texts are borrowed for the frame. */
struct header {
	struct str context, ns; /* the context and the namespace; ns "": all namespaces */
	struct str selection;	/* what is shown of the namespace: "jobs", "pods,jobs -l app=web"; "": everything */
	struct str opening;	/* the context that the program connects to and that has not answered yet; "": none */
	/* the credential plugin of that context while the program waits for it; else "" */
	struct str opening_login;
	int64_t opening_since;		/* ms: when connecting to that context began */
	enum link link;
	struct str why;			  /* the error of a connection that does not work, in one line; else "" */
	/* of several contexts, the ones that link is about, such as "a,b"; "": it is about all */
	struct str lost;
	int64_t retry_at;		  /* LINK_RECONNECTING: when the next attempt is made, ms */
	/* LINK_REPLAY: how many times as fast as the clock; scene.now is the time of the recording */
	double speed;
	bool ended;			  /* LINK_REPLAY: the replay has reached the end of the recording */
	/* lists that are complete, and all; equal when everything is loaded */
	unsigned lists_done, lists_total;
	uint64_t items;			  /* objects received so far */
	/* objects that the lists still lack, by the remainingItemCount of the servers */
	uint64_t remaining;
	/* kinds that are not watched at present; kinds that are listed periodically instead */
	unsigned kinds_old, kinds_polled;
	/* since when the oldest of kinds_old is not watched, ms; 0: all kinds are watched */
	int64_t old_since;
	unsigned kinds_unread;		  /* kinds that the server fails to list; the notices say why */
	struct str unread;		  /* the name of the first of kinds_unread */
	/* when a server that has been silent for too long sent its last byte, ms; 0: no server is silent */
	int64_t silent_since;
	int64_t login_since;		  /* since when requests wait for a login, ms; 0: no request does */
	unsigned forbidden;		  /* kinds that the user is not allowed to read */
	bool narrowed;			  /* without ns: only some namespaces may be read */
	bool nothing_read;		  /* these are all kinds that were asked for */
	/* of what was asked for an object, or a group of kinds, could not be read; the notices say which and why */
	bool partly_read;
	int64_t files_of;		  /* with LINK_FILES: old files are shown as of then, ms; 0: they are not */
	bool no_namespace;		  /* the namespace ns does not exist */
	bool in_gap;			  /* nothing was recorded at the moment that is shown */
	bool throttled;
	/*
	 * of what a flight recorder saw before this session: "history 26h (shop-ops/flight), gap 02:10–02:14", the same in
	 * brief, and whether it has a gap; "": there is none
	 */
	struct str history, history_brief;
	bool history_gap;
	uint64_t requests;	   /* requests sent since the start */
	int64_t last_event;	   /* when the last event came, ms; 0: none has come yet */
	const struct str *notices; /* texts such as "secrets in prod: forbidden" */
	size_t nnotices, more_notices; /* how many notices are in notices, and how many more were left out */
};

/*
 * WANT_EVENTS asks for the Events of an object and its parts, or of all objects; WANT_OWN_EVENTS for those of the
 * object alone.
 */
enum want { WANT_NOTHING, WANT_YAML, WANT_EVENTS, WANT_OWN_EVENTS, WANT_LOGS };
enum fetch_state { FETCH_LOADING, FETCH_OK, FETCH_ERROR };

struct event_row {
	struct id about; /* the object that the Event is about; without a name: the object that was asked for */
	int64_t time;				  /* when the Event last occurred */
	struct str type, reason, message, source; /* such as "Warning", "BackOff", the message, "kubelet" */
	unsigned count;
};

/* A Pod whose lines are in the log of a workload. */
struct log_pod {
	struct str name;	/* of its name what differs from the others: "sgtmt"; each of its lines begins with it, behind the time */
	bool runs;		/* it may write more */
};

/* The answer of the program to ui_wants().  It is borrowed for the frame. */
struct fetched {
	struct handle handle;
	enum want want;
	enum fetch_state state;
	/* FETCH_ERROR: the error.  FETCH_OK: why the text could not be read once more, or "" */
	struct str error;
	/* WANT_YAML and WANT_LOGS: the text; of several containers each stands under a heading like those of tail(1) */
	struct str text;
	const struct event_row *events; /* the Events, the oldest first */
	size_t nevents;
	bool more;	/* the server has more Events than were read */
	/* WANT_EVENTS: how many parts of the object had their Events read, and how many parts were left out */
	size_t parts, parts_left_out;
	/*
	 * WANT_LOGS: a bit for each heading in text (1 is the first); a set bit: that container runs and may write more
	 */
	unsigned running;
	/*
	 * WANT_LOGS of a workload: its Pods.  The text is then, under a heading, the run that ended of the one that explains
	 * it, if there is one, and from the byte stream on the lines of all Pods by their times: lines there that look like a
	 * heading are remarks.  It has pods_there Pods, of which pods_followed are read; the other ones of pods have gone
	 */
	const struct log_pod *pods;
	size_t npods, pods_followed, pods_there, stream;
	int64_t read;	/* when it was read, ms; 0: it does not come from a cluster */
};

/* Failures of which a view tells what changed before, so that the program reads who has changed it. */
enum { LOOKED = 20 };
struct looked {
	struct handle failed[LOOKED];
	size_t n;
	struct handle changed;	/* the object whose last change is told; HANDLE_NONE: there is none */
	int64_t changed_at;	/* when that was, ms */
};

struct scene {
	const struct store *store;
	struct graph *graph;
	/*
	 * While a moment is shown that comes from a recording of the cluster: the store and the graph of now.  Transitions
	 * are observed there, and handles in the journal are theirs.  NULL: they are those above.
	 */
	const struct store *live_store;
	const struct graph *live_graph;
	const struct header *header;
	const struct fetched *fetched; /* the last answer to ui_wants(); may be NULL */
	int64_t now;	/* the time that is shown; in a recording, the time of the recording */
	bool past;	/* the moment that is shown is earlier than the latest one */
	bool seeking;	/* the program is on its way to ui_seek_time() and still shows another moment */
	bool reading;	/* how far back what was recorded before reaches is not known yet */
	bool waiting;	/* keys that go to another moment wait until more is read: later ones wait behind them */
	int64_t latest; /* the latest time that can be shown, while an earlier one is; 0: it is now */
	int64_t from;	/* the earliest time that can be shown; 0: only now can be shown */
	/* since when observed transitions are kept; in a recording this may be later than from */
	int64_t history_from;
	int64_t until;	/* the end of a recording */
	int64_t clock;	/* the clock of the user, by which messages and flashes end */
	/*
	 * Returns true for objects that the user selected; the others are only neighbours of these.  NULL: all objects
	 * are selected.
	 */
	bool (*selected)(const void *ctx, struct handle h);
	const void *selected_ctx;
	struct watch_question watched;	/* which kinds the user selected, for scene_gaps(); without wants(): that is not known */
	/*
	 * Returns true when the object has that label ("app=web", or "app" with any value).  NULL: labels are not
	 * known.
	 */
	bool (*labelled)(const void *ctx, struct handle h, struct str label);
	const void *labelled_ctx;
	const struct str *contexts; /* the names of the contexts of the kubeconfig, for the palette */
	size_t ncontexts;
	const char *columns;	   /* the value of --columns; NULL: the columns for which there is room */
	const char *const *labels; /* the label keys of -L */
	size_t nlabels;
	/* Returns the value of the label labels[label] of an object; "" when the object does not have it. */
	struct str (*label_of)(const void *ctx, struct handle h, size_t label);
	const void *label_ctx;
	struct looked *looked;	/* scene_look() adds to it; NULL: nothing more can be read */
	const struct changes_source *changes;	/* earlier versions of objects; NULL: they are not kept */
	/* Returns true when a key has come in, so that long work is put off.  NULL: work is never put off. */
	bool (*interrupted)(const void *ctx);
	const void *interrupted_ctx;
	bool asked;	/* the user named a TYPE on the command line: rows of Ready objects are not folded */
	bool logs; /* the program is able to read logs */
	bool recorded; /* what is observed is written to a file */
	bool absolute_time; /* times are shown as RFC 3339 and not as ages */
};

/*
 * Returns the value of a -L label of the object, else of one of its owners, else of its namespace; "" when none has it.
 */
struct str label_value(const struct scene *scene, struct handle h, size_t label);

/* Returns true when an object among the first MANY_OBJECTS has an owner: graph_owner(). */
bool scene_has_owners(const struct scene *scene);

/* From this number of objects on, work that visits all of them takes longer than the answer to a key may. */
enum { MANY_OBJECTS = 5000 };

/* Notes that a view that the user has asked for tells what changed before that failure. */
void scene_look(const struct scene *scene, struct handle failed);
/* Notes that it tells of that change, and who made it as far as that is known. */
void scene_look_at_change(const struct scene *scene, const struct change_before *c);
/* Returns the journal in which the observed transitions are. */
const struct journal *scene_journal(const struct scene *scene);
/*
 * Returns the times from from (ms) until now in which some of what the user selected was not watched, or with only
 * that object's kind; the oldest first, in the arena.  What happened then is in no journal.
 */
const struct gap *scene_gaps(const struct scene *scene, struct handle only, int64_t from, struct arena *arena, size_t *out_n);
/* Returns true when the moment that is shown is in such a time. */
bool scene_is_unwatched(const struct scene *scene);
/* Returns the kinds by whose ids the entries of that journal name kinds. */
const struct kinds *scene_journal_kinds(const struct scene *scene);
/* Returns the name of a cluster that such an entry has by its index. */
struct str scene_journal_cluster(const struct scene *scene, uint16_t cluster);
/*
 * Return the handle that an object of the shown store has in that journal, and the other way round; HANDLE_NONE: it is
 * not there.
 */
struct handle scene_to_journal(const struct scene *scene, struct handle shown);
struct handle scene_from_journal(const struct scene *scene, struct handle observed);
/* Returns false for neighbours that the user did not ask for. */
bool scene_selects(const struct scene *scene, struct handle h);

/* Returns true when h does not exist, but the store knows it because other objects refer to it. */
bool is_absent(const struct scene *scene, struct handle h);
/* Finds the index of a cluster by its name.  Returns false when there is none. */
bool scene_find_cluster(const struct scene *scene, struct str name, uint16_t *out);
/* Finds an object by the texts of its id, or a name that others refer to; HANDLE_NONE: neither is known. */
struct handle scene_find(const struct scene *scene, const struct id *id);
/* Returns true while a recording is replayed. */
bool scene_is_replay(const struct scene *scene);
/* Returns the answer of the program to want for that object; NULL: there is none yet. */
const struct fetched *scene_fetched(const struct scene *scene, struct handle h, enum want want);

#endif
