/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is requested from clusters and kept: the lists and watches that a query needs, the neighbours that explain why
 * an object is not healthy, objects whose verdict expires, kinds that come and go, and how fresh all of this is.
 * Lifetimes: a feed (a list and its watch) is open while the query or at least one object asks for it.  With its last
 * referrer it is closed, and its objects leave the store unless another feed covers them.
 * There is no clock and no socket here: times (ms) are arguments, and the functions of the sessions are given in struct
 * feeds_api.
 */
#ifndef KUBE_FEEDS_FEEDS_H
#define KUBE_FEEDS_FEEDS_H

#include "kube/api/resolve.h"
#include "kube/api/session.h"
#include "kube/graph/graph.h"
#include "kube/status/engine.h"

struct feeds;

/* Most lookups (lists of neighbours) that are open at the same time in one cluster. */
#define FEEDS_LOOKUPS 120

/* The functions of a session that the feeds call, as in session.h; a test plays the server instead. */
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

/* The functions of the owner that the feeds call. */
struct feeds_ops {
	/* Returns true when the user has asked for that object. */
	bool (*selects)(void *ctx, struct handle h);
	/* Returns true when the kind is shown although no TYPE is given. */
	bool (*shows)(const struct kind *kind);
	/* The server has reported that an object was added, modified or deleted. */
	void (*event)(void *ctx, enum change change, uint16_t cluster, const struct kind *kind, struct json object);
	/* Called for the same reports, also where nothing that is kept of the object differs.  May be NULL. */
	void (*touched)(void *ctx, struct handle h);
	/*
	 * Called with each object that is put, whatever differs, and with JSON_NONE before an object is removed, or
	 * after store_let_go().  May be NULL.
	 */
	void (*seen)(void *ctx, struct handle h, struct json object);
	/* An object is missing from a new list: its last state is not known. */
	void (*vanished)(void *ctx, const struct object_id *id);
	/* A notice for the user; kind is "forbidden", "unavailable", "throttled", "limit" or "warning". */
	void (*notice)(void *ctx, const char *kind, struct str resource, struct str ns, struct str message);
	/* That notice is not true any more. */
	void (*notice_over)(void *ctx, const char *kind, struct str resource, struct str ns, struct str message);
	/* As in struct session_ops. */
	void (*discovered)(void *ctx, uint16_t cluster, const struct err *partial);
	void (*session_changed)(void *ctx, uint16_t cluster, enum session_state state, const struct err *why);
};

/* Everything is borrowed and must live as long. */
struct feeds_options {
	struct kinds *kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	const struct feeds_api *api;
	const struct feeds_ops *ops;
	void *ctx;
	size_t clusters;
	bool once;		/* lists are read without watches */
	int64_t now;		/* the time of the start, ms */
	int64_t as_of;		/* ms: the moment for which objects are judged; 0: now */
};

/* The query of the user; its texts are borrowed until the next feeds_ask(). */
struct feeds_query {
	const struct selection *what;
	size_t n;		/* 0: every kind that ops->shows() */
	struct str ns;		/* names with commas between them; "": all namespaces */
	struct str labels, fields;
	bool names_only;	/* neither parts nor neighbours are needed */
	bool pods_of_claims;	/* pods are read, too, that tell on which nodes claims are used */
	bool owners;		/* namespaces are read, too, that may say whose an object in trouble is */
};

struct feeds *feeds_new(const struct feeds_options *options);
/* Call it after the sessions were freed: requests that they had not answered are forgotten here. */
void feeds_free(struct feeds *o);

/* The callbacks for session_new(), and their context; tell the session before anything runs. */
extern const struct session_ops feeds_session_ops;
void *feeds_session_ctx(struct feeds *o, uint16_t cluster);
/* context: its name for people; default_ns: the namespace of the context, or a list as in struct feeds_query.  Both are borrowed. */
void feeds_session(struct feeds *o, uint16_t cluster, struct session *s, struct str context,
		     struct str default_ns);

/* Asks every cluster for its API groups; ops->discovered() is called with each answer. */
void feeds_discover(struct feeds *o, bool cache_is_enough);
bool feeds_discovered(const struct feeds *o, uint16_t cluster);
/* Opens the feeds that the query needs; with another query, closes those that are not needed any more. */
void feeds_ask(struct feeds *o, const struct feeds_query *query, int64_t now);

/*
 * From now on the kinds of these objects, and no others, are on the screen: they are the last to be polled for lack of
 * room.
 */
void feeds_on_screen(struct feeds *o, const struct handle *objects, size_t n);

/* Does everything that can be done now, and judges the objects; returns how many look different. */
size_t feeds_turn(struct feeds *o, int64_t now);
/* When feeds_turn() has to be called again without an event, ms; 0: never. */
int64_t feeds_deadline(const struct feeds *o);
/* Returns true when every list has ended, in success or failure, and nothing more has to be looked up. */
bool feeds_settled(const struct feeds *o);

/*
 * Returns why nothing could be read of a kind that the query names, or with NULL of all that it asks for: each list was
 * refused or has failed, and is not requested again.  NULL: something was read.  Of objects that are asked for by name
 * one is enough.  Of several clusters it is one with anywhere, else all.  feeds_settled() must be true.
 */
const struct err *feeds_unreadable(const struct feeds *o, const struct kind *kind, bool anywhere);

/* ms without a byte from a server after which its changes may be missing. */
#define FEEDS_SILENCE (90 * 1000)

/* How outdated the shown objects may be.  All times are in ms; 0: that is not so. */
struct feeds_freshness {
	unsigned kinds_old;	/* kinds that are shown and not watched now */
	/* kinds that are listed repeatedly: they may not be watched, or there is no room for a watch */
	unsigned kinds_polled;
	/* kinds that were never listed: the server fails for them or does not answer; forbidden kinds do not count */
	unsigned kinds_unread;
	const struct kind *unread;	/* one of these; NULL: there is none */
	int64_t old_since;	/* the oldest time among these */
	int64_t silent_since;	/* when a server has sent its last byte, if that is longer ago than FEEDS_SILENCE */
	int64_t login_since;	/* since when requests wait for a credential plugin */
};
struct feeds_freshness feeds_freshness(const struct feeds *o, int64_t now);
/*
 * Returns true when every kind that is shown and may be read is watched, and each server has sent something within
 * FEEDS_SILENCE.
 */
bool feeds_is_fresh(const struct feeds_freshness *f);

struct feeds_facts {
	unsigned lists_done, lists_total;	/* with those that are looked up, until feeds_settled() held for the first time since feeds_ask() */
	unsigned forbidden;	/* kinds of each cluster that were asked for and may not be read */
	bool narrowed;		/* all namespaces were asked for, and kinds may be read in some of them alone */
	unsigned unread;	/* lists that were asked for and not answered as expected; they are retried */
	uint64_t objects;	/* objects that were received so far */
	/* objects of the present lists that are still to come: the servers' remainingItemCount */
	uint64_t remaining;
	int64_t last_event, retry_at;	/* ms; 0: none */
	enum session_state state;	/* the worst state of all clusters */
	struct err why;
	bool throttled;
};
struct feeds_facts feeds_facts(const struct feeds *o);

#endif
