/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a view shows, filled in by the program.  Times are ms; no view reads a clock. */
#ifndef TUI_STATE_SCENE_H
#define TUI_STATE_SCENE_H

#include "kube/graph/graph.h"

struct changes_source;

enum link {
	LINK_CONNECTING,
	LINK_LIVE,
	LINK_RECONNECTING,
	LINK_UNAUTHENTICATED,
	LINK_FAILED,
	LINK_FILES, /* -f: nothing is asked of a cluster */
	LINK_REPLAY
};

/* What the head and the foot of the screen say about the connection.  Borrowed for the frame. */
struct header {
	struct str context, ns; /* ns "": all namespaces */
	struct str selection;	/* what is shown of the namespace: "jobs", "pods,jobs -l app=web"; "": all */
	struct str opening;	/* the context that is connected to and has not answered; "": none is */
	struct str opening_login;	/* its credential plugin, while that is waited for; "" */
	int64_t opening_since;		/* ms */
	enum link link;
	struct str why;			  /* the error of a bad link, one line; "" */
	struct str lost;		  /* of several contexts those that alone have that link: "a,b"; "" */
	int64_t retry_at;		  /* LINK_RECONNECTING: ms */
	double speed;			  /* LINK_REPLAY; scene.now is the clock */
	bool ended;			  /* LINK_REPLAY: at the end of the recording */
	unsigned kinds_done, kinds_total; /* lists that are complete; done == total: loaded */
	uint64_t items;			  /* received so far */
	uint64_t remaining;		  /* objects of the lists still to come: the servers' remainingItemCount */
	unsigned kinds_old, kinds_polled; /* kinds not watched now; kinds listed from time to time instead */
	int64_t old_since;		  /* ms, of the oldest of these; 0: none is */
	unsigned kinds_unread;		  /* kinds that the server fails to list; the notices say why */
	struct str unread;		  /* the first of them */
	int64_t silent_since;		  /* the last byte of a server that is silent for too long; 0: none is */
	int64_t login_since;		  /* requests wait for a login; 0: none does */
	unsigned forbidden;		  /* kinds that may not be read */
	bool throttled;
	uint64_t requests;	   /* sent since the start */
	int64_t last_event;	   /* ms, 0: none yet */
	const struct str *notices; /* "secrets in prod: forbidden" */
	size_t nnotices, more_notices; /* in notices; left out */
};

/* WANT_EVENTS: of an object and its parts, or of all; WANT_OWN_EVENTS: of the object alone */
enum want { WANT_NOTHING, WANT_YAML, WANT_EVENTS, WANT_OWN_EVENTS, WANT_LOGS };
enum fetch_state { FETCH_LOADING, FETCH_OK, FETCH_ERROR };

struct event_row {
	struct id about; /* without a name: the object that was asked for */
	int64_t time;				  /* of the last occurrence */
	struct str type, reason, message, source; /* "Warning", "BackOff", ..., "kubelet" */
	unsigned count;
};

/* The program's answer to ui_wants().  Borrowed for the frame. */
struct fetched {
	struct handle handle;
	enum want want;
	enum fetch_state state;
	struct str error;		/* FETCH_ERROR; FETCH_OK: why it could not be read again */
	struct str text;		/* WANT_YAML, WANT_LOGS: containers under headings as tail(1) has */
	struct str managed;		/* WANT_YAML: managedFields, which are no part of text */
	const struct event_row *events; /* oldest first */
	size_t nevents;
	bool more;	/* there are more than were read */
	size_t parts, parts_left_out; /* WANT_EVENTS: parts whose Events were read; parts left out */
	unsigned running; /* WANT_LOGS: a bit for each heading in text, the first is 1: that run goes on and may write more */
	int64_t read;	/* when it was read; 0: not from a cluster */
};

struct scene {
	const struct store *store;
	struct graph *graph;
	const struct header *header;
	const struct fetched *fetched; /* may be NULL */
	int64_t now;	/* the time that is shown; a recording has its own */
	bool past;	/* an earlier time than the latest is shown */
	bool seeking;	/* ui_seek_time() will be shown in a moment */
	int64_t latest; /* the latest time, while the world goes on; 0: now */
	int64_t from;	/* the earliest time that can be shown; 0: only now */
	int64_t history_from;	/* since when observations are kept; in a recording it may be after from */
	int64_t until;	/* the end of a recording */
	int64_t clock;	/* of the user: how long messages and flashes last */
	/* True for selected objects; NULL: all are.  Others are only neighbours of these. */
	bool (*selected)(const void *ctx, struct handle h);
	const void *selected_ctx;
	/* True when it has that label ("app=web", "app").  NULL: labels are not known. */
	bool (*labelled)(const void *ctx, struct handle h, struct str label);
	const void *labelled_ctx;
	const struct str *contexts; /* of the kubeconfig, for the palette */
	size_t ncontexts;
	const char *columns;	   /* --columns; NULL: those for which there is room */
	const char *const *labels; /* -L: keys */
	size_t nlabels;
	/* The value of one of these labels; "": it has none. */
	struct str (*label_of)(const void *ctx, struct handle h, size_t label);
	const void *label_ctx;
	const struct changes_source *changes;	/* NULL: earlier versions are not kept */
	/* True when a key has come in: long work is then put off.  NULL: never. */
	bool (*interrupted)(const void *ctx);
	const void *interrupted_ctx;
	bool asked;	/* the user named a TYPE: Ready objects are not folded */
	bool logs; /* the program can read logs */
	bool absolute_time; /* RFC 3339 in place of ages */
};

/* The value of a -L label: of the object, else of its owner, else of its namespace; "" when none has it. */
struct str label_value(const struct scene *scene, struct handle h, size_t label);

/* So many objects are looked at all together in no less time than a key may wait. */
enum { MANY_OBJECTS = 5000 };

/* False for neighbours that the user did not ask for. */
bool scene_selects(const struct scene *scene, struct handle h);

/* True when h does not exist; others may refer to it. */
bool is_absent(const struct scene *scene, struct handle h);
/* True while a recording is replayed. */
bool scene_is_replay(const struct scene *scene);
/* The program's answer to want for that object; NULL: there is none yet. */
const struct fetched *scene_fetched(const struct scene *scene, struct handle h, enum want want);

#endif
