/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of clusters and kept: the lists and watches that a query needs, the
 * neighbours that explain what is not well, objects whose verdict expires,
 * kinds that come and go, and how fresh all of it is.
 *
 * Lifetimes: a feed (a list and its watch) is open while the query or at least one
 * object asks for it.  With its last referrer it is closed, and what it brought
 * leaves the store unless another feed covers it.
 *
 * No clock and no socket: times (ms) are arguments, the sessions' functions are
 * given in struct feeds_api.
 */
#ifndef KUBE_FEEDS_FEEDS_H
#define KUBE_FEEDS_FEEDS_H

#include "kube/api/resolve.h"
#include "kube/api/session.h"
#include "kube/graph/graph.h"
#include "kube/status/engine.h"

struct feeds;

/* So many lookups (lists for neighbours) are open at the same time in one cluster. */
#define FEEDS_LOOKUPS 120

/* What the feeds call of a session, as in session.h; a test plays the server instead. */
struct feeds_api {
	void (*run)(struct session *s, int64_t now);
	int64_t (*deadline)(const struct session *s);
	void (*discover)(struct session *s, bool cache_is_enough);
	bool (*lacks)(const struct session *s, const struct kind *kind);
	struct subscription *(*subscribe)(struct session *s, const struct subscribe *what);
	void (*unsubscribe)(struct subscription *sub);
	void (*urgency)(struct subscription *sub, enum urgency urgency);
	void (*get)(struct session *s, const char *path, session_done done, void *ctx);
	void (*path)(const struct session *s, const struct kind *kind, struct str ns, struct str name,
		     struct buf *out);
	void (*progress)(const struct subscription *sub, int64_t *out_have, int64_t *out_total);
	struct subscription_freshness (*freshness)(const struct subscription *sub, int64_t now);
	int64_t (*last_received)(const struct session *s);
	int64_t (*login_since)(const struct session *s);
	enum session_state (*state)(const struct session *s);
	int64_t (*retry_at)(const struct session *s);
};
extern const struct feeds_api feeds_sessions;

/* What the feeds call of their owner. */
struct feeds_ops {
	/* Did the user ask for that object? */
	bool (*selects)(void *ctx, struct handle h);
	/* Is the kind shown when no TYPE is given? */
	bool (*shows)(const struct kind *kind);
	/* The server reported that an object was added, modified or deleted. */
	void (*event)(void *ctx, enum change change, uint16_t cluster, const struct kind *kind, struct json object);
	/* The same, also where nothing that is kept of it differs.  May be NULL. */
	void (*touched)(void *ctx, struct handle h);
	/* Each object as it is put, whatever differs, and with JSON_NONE before it goes.  May be NULL. */
	void (*seen)(void *ctx, struct handle h, struct json object);
	/* An object that is missing from a new list: its last state is not known. */
	void (*vanished)(void *ctx, const struct object_id *id);
	/* A notice for the user; kind is "forbidden", "unavailable", "throttled", "limit" or "warning". */
	void (*notice)(void *ctx, const char *kind, struct str resource, struct str ns, struct str message);
	/* That notice is true no longer. */
	void (*notice_over)(void *ctx, const char *kind, struct str resource, struct str ns, struct str message);
	/* As in struct session_ops. */
	void (*discovered)(void *ctx, uint16_t cluster, const struct err *partial);
	void (*session_changed)(void *ctx, uint16_t cluster, enum session_state state, const struct err *why);
};

/* All borrowed, and to live as long. */
struct feeds_options {
	struct kinds *kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	const struct feeds_api *api;
	const struct feeds_ops *ops;
	void *ctx;
	size_t clusters;
	bool once;		/* lists without watches */
	int64_t now;		/* ms, of the start */
	int64_t as_of;		/* ms: the moment that is judged; 0: now */
};

/* What the user asked for; its texts are borrowed until the next feeds_ask(). */
struct feeds_query {
	const struct selection *what;
	size_t n;		/* 0: every kind that ops->shows() */
	struct str ns;		/* "": all */
	struct str labels, fields;
	bool names_only;	/* neither parts nor neighbours are needed */
};

struct feeds *feeds_new(const struct feeds_options *options);
/* After the sessions: their unanswered requests are forgotten here. */
void feeds_free(struct feeds *o);

/* The callbacks for session_new(), and their ctx; the session is made known before anything runs. */
extern const struct session_ops feeds_session_ops;
void *feeds_session_ctx(struct feeds *o, uint16_t cluster);
/* context: its name for people; default_ns: the context's own namespace.  Both are borrowed. */
void feeds_session(struct feeds *o, uint16_t cluster, struct session *s, struct str context,
		     struct str default_ns);

/* Asks for the API groups of every cluster; ops->discovered() is called with each answer. */
void feeds_discover(struct feeds *o, bool cache_is_enough);
bool feeds_discovered(const struct feeds *o, uint16_t cluster);
/* Opens the feeds that the query needs; asked again, closes those that it no longer needs. */
void feeds_ask(struct feeds *o, const struct feeds_query *query, int64_t now);

/* From now on the kinds of these objects, and no others, stand on the screen: they are the last to be polled for want of room. */
void feeds_on_screen(struct feeds *o, const struct handle *objects, size_t n);

/* Does all that can be done now, and judges it; returns how many objects look different. */
size_t feeds_turn(struct feeds *o, int64_t now);
/* When feeds_turn() wants to be called again without an event, ms; 0: never. */
int64_t feeds_deadline(const struct feeds *o);
/* Every list has ended, one way or the other, and nothing more has to be looked up. */
bool feeds_settled(const struct feeds *o);
/* Everything that was asked for, and only that, failed; the first reason.  NULL: not so. */
const struct err *feeds_failed(const struct feeds *o);

/* ms without a byte from a server after which its changes may be missing. */
#define FEEDS_SILENCE (90 * 1000)

/* How old what is shown may be.  All times in ms, 0: not so. */
struct feeds_freshness {
	unsigned kinds_old;	/* shown, and not watched now */
	unsigned kinds_polled;	/* listed now and then: they may not be watched, or there is no room for it */
	unsigned kinds_unread;	/* never listed: the server fails for them, or does not answer; forbidden ones do not count */
	const struct kind *unread;	/* one of these; NULL: there is none */
	int64_t old_since;	/* of the oldest of these */
	int64_t silent_since;	/* the last byte of a server, when that is longer ago than FEEDS_SILENCE */
	int64_t login_since;	/* requests wait for a credential plugin */
};
struct feeds_freshness feeds_freshness(const struct feeds *o, int64_t now);
/* Every kind that is shown, and may be read, is watched, and each server has sent something within FEEDS_SILENCE. */
bool feeds_is_fresh(const struct feeds_freshness *f);

struct feeds_facts {
	unsigned lists_done, lists_total;
	unsigned forbidden;	/* kinds that were asked for and may not be read, of each cluster */
	unsigned unread;	/* lists that were asked for and are not answered as they should; they are retried */
	uint64_t objects;	/* received so far */
	uint64_t remaining;	/* of lists that are under way: the servers' remainingItemCount */
	int64_t last_event, retry_at;	/* ms; 0: none */
	enum session_state state;	/* of the worst cluster */
	struct err why;
	bool throttled;
};
struct feeds_facts feeds_facts(const struct feeds *o);

#endif
