/* SPDX-License-Identifier: Apache-2.0 */
/* All that a view may look at, filled by the program.  Time is an argument like any other. */
#ifndef TUI_VIEW_SCENE_H
#define TUI_VIEW_SCENE_H

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
	struct str kind;	/* the only one that is shown; "": all */
	enum link link;
	struct str why;			  /* of a bad link, one line; "" */
	int64_t retry_at;		  /* LINK_RECONNECTING: ms */
	double speed;			  /* LINK_REPLAY; scene.now is the clock */
	bool ended;			  /* LINK_REPLAY: at its end */
	unsigned kinds_done, kinds_total; /* lists that are complete; done == total: loaded */
	uint64_t items;			  /* received so far */
	uint64_t remaining;		  /* objects still to come, by the servers' remainingItemCount */
	unsigned kinds_old, kinds_polled; /* not watched now; listed from time to time instead */
	int64_t old_since;		  /* ms, of the oldest of these; 0: none is */
	int64_t silent_since;		  /* the last byte of a server that is silent for too long; 0: none is */
	int64_t login_since;		  /* a login is waited for; 0: none is */
	unsigned forbidden;		  /* kinds that may not be read */
	bool throttled;
	uint64_t requests;	   /* sent since the start */
	int64_t last_event;	   /* ms, 0: none yet */
	const struct str *notices; /* "secrets in prod: forbidden" */
	size_t nnotices, more_notices; /* those that are there, and how many are not */
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
	struct str error;		/* FETCH_ERROR */
	struct str text;		/* WANT_YAML, WANT_LOGS */
	struct str managed;		/* WANT_YAML: managedFields, which are no part of text */
	const struct event_row *events; /* oldest first */
	size_t nevents;
	bool more;	/* there are more than were read */
	size_t parts, parts_left_out; /* WANT_EVENTS: of so many parts they were asked for, of so many not */
	bool follows;	/* WANT_LOGS: is read again all the time */
	int64_t read;	/* when: ms; 0: not read from a cluster */
};

struct scene {
	const struct store *store;
	struct graph *graph;
	const struct header *header;
	const struct fetched *fetched; /* may be NULL */
	int64_t now;	/* of the world: a recording has its own */
	bool past;	/* another time than that of the world that goes on is shown */
	int64_t latest; /* where that one is; 0: as now */
	int64_t from;	/* so far back other times can be shown; 0: none can */
	int64_t kept;	/* so far back what was observed is kept: of a recording, it may begin after from */
	int64_t until;	/* of a recording: its end */
	int64_t clock;	/* of the person who looks: how long messages and flashes last */
	/* Which objects are selected; NULL: all.  The rest is only there as neighbours. */
	bool (*selected)(const void *ctx, struct handle h);
	const void *selected_ctx;
	/* Has it that label ("app=web", "app")?  NULL: labels are not known. */
	bool (*labelled)(const void *ctx, struct handle h, struct str label);
	const void *labelled_ctx;
	const struct str *contexts; /* that can be switched to */
	size_t ncontexts;
	const char *columns;	   /* --columns; NULL: what there is room for */
	const char *const *labels; /* -L: keys that can be grouped by */
	size_t nlabels;
	/* The value of one of them; "": it has none. */
	struct str (*label_of)(const void *ctx, struct handle h, size_t label);
	const void *label_ctx;
	const struct changes_source *changes;	/* NULL: nobody keeps what objects were */
	/* Has a key come in?  Asked in the middle of long works, which are then put off.  NULL: never. */
	bool (*interrupted)(const void *ctx);
	const void *interrupted_ctx;
	bool asked;	/* the user named types: what is healthy among them is not folded */
	bool logs; /* the program can fetch logs */
	bool absolute_time; /* RFC 3339 in place of ages */
};

/* The value of a -L: the object's own, else that of who owns it, else of its namespace; "": none has it. */
struct str label_value(const struct scene *scene, struct handle h, size_t label);

/* False for neighbours that the user did not ask for. */
bool scene_selects(const struct scene *scene, struct handle h);

#endif
