/* SPDX-License-Identifier: Apache-2.0 */
/* What session.c, call.c, session_discovery.c and prefetch.c share. */
#ifndef KUBE_API_SESSION_PRIVATE_H
#define KUBE_API_SESSION_PRIVATE_H

#include "kube/base/map.h"
#include "kube/auth/credential.h"
#include "kube/api/discovery.h"
#include "kube/http/http.h"
#include "kube/api/session.h"
#include "kube/api/watch.h"
#include "kube/api/window.h"

struct call;
struct prefetch;

/* Callbacks of the request's owner.  Only end() is required. */
struct call_ops {
	/* A successful answer begins to arrive. */
	void (*answered)(void *ctx);
	/* Bytes of a successful answer; returning -1 with *err stops it.  NULL: the bytes are gathered in body. */
	int (*feed)(void *ctx, struct str bytes, struct err *err);
	/*
	 * The end.  why: NULL after a success (2xx, 304).  retry_in: ms after which the same request makes sense again,
	 * -1: not known.  The call is freed afterwards.
	 */
	void (*end)(void *ctx, struct call *c, const struct err *why, int64_t retry_in);
	/* The request has left the queue. */
	void (*sent)(void *ctx);
};

struct call_request {
	struct str path, accept, etag;
	struct str range;	/* the part that is wanted, "bytes=0-99"; "": all */
	int64_t timeout;	/* ms, 0: none */
	size_t body_max;
	bool stream;		/* a watch, which does not count in the request budget */
	bool text;		/* the answer may be any text, and need not be JSON */
	bool fresh;		/* the request needs a new connection */
	struct str what;	/* "get pods", for answers without words */
	struct str listed;
};

/* The headers of an answer that are kept. */
enum call_header { CALL_TYPE, CALL_RANGE, CALL_ENCODING, CALL_RETRY_AFTER, CALL_ETAG, CALL_HEADERS };

struct call {
	struct session *session;
	struct call *next;
	struct transfer *transfer;	/* NULL: the request waits to be sent */
	const struct call_ops *ops;
	void *ctx;
	struct arena arena;
	struct call_request request;	/* its texts are in the arena */
	int status;
	int64_t queued, sent, began;	/* ms: when the request was queued and sent, and when its answer began */
	uint32_t token;		/* serial number of the credential with which it was sent */
	struct buf headers[CALL_HEADERS], body;
	struct err err;			/* why feed() has stopped it */
	bool retried;			/* it was sent again with a fresh credential */
	bool dead;			/* its owner has dropped it */
};

struct subscription {
	struct session *session;
	struct subscription *next;
	struct subscribe what;
	struct arena arena;	/* holds what */
	struct watch *watch;
	struct call *call;
	struct prefetch *page;	/* the present page, when it was requested early */
	struct prefetch *next_page;	/* the page after the present one, when it was requested already */
	struct err *held;	/* its kind is not served, but only the cache said so */
	enum urgency urgency;
	bool version_given;
	bool dead;		/* unsubscribed; it is freed when none of its callbacks runs */
};

enum discovering { DISCOVERING_NOT, DISCOVERING_ROOTS, DISCOVERING_LEGACY };

/* For the legacy form: what one group and version serves. */
struct resources_page {
	struct session *session;
	struct str path;	/* in the arena of the round */
	struct buf body;
	struct err err;
};

/* A round of discovery. */
struct discovering_round {
	enum discovering stage;
	struct cached api, apis;	/* the last answers, from the server or from the cache */
	unsigned left;			/* the number of requests that have not ended */
	struct err err;			/* of the first of both documents that failed */
	int64_t retry_in;		/* ms, -1: it makes no sense to try again */
	int64_t retry_at;		/* when the next round begins, 0: not by itself */
	int64_t failed_at;		/* the first failure of those in a row */
	unsigned failures;		/* rounds in a row */
	struct resources_page *pages;	/* in the order that counts */
	size_t npages, pages_cap;
	struct arena arena;
};

struct session {
	struct http *http;
	const struct client_config *config;
	struct kinds *kinds;
	struct session_options options;
	const struct session_ops *ops;
	void *ctx;
	struct arena arena;
	struct credential *credential;
	uint32_t token; /* its serial number, as of the last time that subscriptions were woken by it */
	uint32_t certificates;		/* its generation, as of the last time that watches were moved for it */
	struct http_server server;
	struct buf proxy, credential_notice;
	struct str identity;		/* Kubectl-Session */
	struct call *calls;
	struct subscription *subs;
	enum session_state state;
	struct err broken;		/* the configuration cannot be used */
	int64_t now;
	bool touched;			/* something was asked or answered since the last whole run */
	int64_t due;			/* when the next one is, if nothing touches it; 0: not by time */
	int64_t credential_retry;	/* when to try a failed credential again */
	int64_t refused;		/* when the server last refused the credential (401); 0: nobody waits for that */
	int64_t last_received;		/* a byte of any answer or watch */
	struct call *probe;		/* asks whether it is still there */
	struct window window;		/* of requests that are no watches */
	unsigned unsent, streams;
	int64_t answered;		/* when a request at last succeeded */
	int64_t probed;
	bool failing;			/* something has failed since */
	bool outage;			/* the server is away, as far as is known */
	unsigned losses;		/* of connections, in a row */
	int64_t lost_at;
	bool multiplexed, multiplexed_known;
	bool discovered, woken;
	struct discovering_round round;
	struct map served;		/* by the kind's id: the version here, as text */
	struct buf unread;		/* groups and versions that could not be read: "g/v,g/v"; of no other group anything else is served */
	bool from_cache;		/* the server has not confirmed it */
};

/* ---- call.c: requests ------------------------------------------------------------- */

/* Queues a request; it is sent when credential and budget allow. */
struct call *call_new(struct session *s, const struct call_request *r, const struct call_ops *ops, void *ctx);
/* Cancels it without end(); hang_up: its connection is closed, too. */
void call_drop(struct call *c, bool hang_up);
/* Nothing of it is under way any more: it makes room for others. */
void call_arrived(struct call *c, enum answer_speed speed);
/* Takes it from the session's requests. */
void call_free(struct call *c);
/* The request that a subscription's watch wants next, with that path. */
struct call *subscription_call(struct subscription *sub, struct str path, const struct call_ops *ops, void *ctx);

/* "?timeout=7s" on what is no watch, as kubectl sends it; nothing for 0. */
void session_add_timeout(struct buf *path, int64_t ms);
void session_set_state(struct session *s, enum session_state state, const struct err *why);

/* ---- session_discovery.c: what the server serves ---------------------------------- */

/* The version in which this server serves the kind; "" when it is not known. */
struct str session_version(const struct session *s, const struct kind *kind);
/* Begins the next round when it is time. */
void discovery_run(struct session *s);
void discovery_round_release(struct session *s);

/* ---- prefetch.c: the next page of a list ------------------------------------------ */

/* Some of a page has been read: asks for the one behind it, if that is known by now. */
void prefetch_next(struct subscription *sub);
/* True when the request with that path was sent before: its answer is read from now on. */
bool prefetch_take(struct subscription *sub, struct str path);
/* Reads what came early, a bounded part of it; false when there is nothing of that kind. */
bool prefetch_read(struct subscription *sub);
/* There is something to read at once. */
bool prefetch_waits(const struct subscription *sub);
void prefetch_release(struct subscription *sub);

#endif
