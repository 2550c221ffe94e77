/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cluster: its connection, its discovery, and the lists and watches on it.  It does not block: the owner of the
 * loop waits with http_wait() and calls session_run().  Everything that happens is reported through session_ops.
 */
#ifndef KUBE_API_SESSION_H
#define KUBE_API_SESSION_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/config/kubeconfig.h"
#include "kube/http/http.h"
#include "kube/model/json.h"
#include "kube/model/kind.h"

struct session;
struct subscription;

enum session_state {
	SESSION_CONNECTING,
	SESSION_LIVE,
	SESSION_RECONNECTING,	/* until session_retry_at() */
	SESSION_UNAUTHENTICATED,
	SESSION_FAILED		/* the session cannot be used at all; why says so */
};

enum subscription_state {
	SUBSCRIPTION_IDLE,
	SUBSCRIPTION_LISTING,
	SUBSCRIPTION_LIVE,	/* listed, and watched unless once was set */
	SUBSCRIPTION_BACKOFF,
	SUBSCRIPTION_FORBIDDEN,
	SUBSCRIPTION_NOT_SERVED,
	SUBSCRIPTION_FAILED	/* the list was given up; only with once */
};

/* How urgent a watch is.  Where there is room for some watches only (HTTP/1.1), the most urgent ones get it. */
enum urgency { URGENCY_NEIGHBOUR, URGENCY_PART, URGENCY_ASKED, URGENCY_LISTED, URGENCY_ON_SCREEN };

enum object_event { OBJECT_LISTED, OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED };

struct session_ops {
	/* Called after each discovery: the kinds are registered.  partial names groups that could not be read. */
	void (*discovered)(void *ctx, struct session *s, const struct err *partial);
	/*
	 * Called when a list begins and when it ends; objects that it has not named by its end do not exist any more.
	 */
	void (*list_begin)(void *ctx, struct subscription *sub);
	void (*list_end)(void *ctx, struct subscription *sub);
	/*
	 * raw: the server's bytes of the object, without managedFields.  An object that could not be read has FRAMER_UNREAD
	 * (kube/model/framer.h); an item that says not even its name is JSON_NONE, or has only that.
	 */
	void (*object)(void *ctx, struct subscription *sub, enum object_event event, struct json object, struct str raw);
	/* why may be NULL. */
	void (*subscription_changed)(void *ctx, struct subscription *sub, enum subscription_state state, const struct err *why);
	void (*session_changed)(void *ctx, struct session *s, enum session_state state, const struct err *why);
	/* Called for a Warning header: deprecations and similar remarks. */
	void (*notice)(void *ctx, struct session *s, struct str text);
};

struct session_options {
	uint16_t cluster;		/* an index, which is given back in events */
	const char *cache_dir;		/* folder of the discovery cache; NULL: none */
	int64_t request_timeout;	/* ms, 0: none; it does not apply to watches */
	bool interactive;		/* an exec plugin may use the terminal now */
	bool once;			/* nothing is watched: only final failures are reported */
	const char *user_agent;
	/* most watches of a server where each takes a connection; 0: LIMIT_WATCHES_HTTP1 */
	unsigned watches_http1;
	int64_t now;			/* the time of the start, ms */
};

/* How fresh the objects of a subscription are. */
enum freshness {
	FRESH_WATCHED,		/* the server sends each change */
	/* the kind is listed repeatedly: it may not be watched, or there is no room for a watch */
	FRESH_POLLED,
	FRESH_LISTING,		/* no list is complete yet: nothing is known */
	FRESH_RECONNECTING,	/* its watch was lost, and no new one was answered yet */
	FRESH_REFUSED		/* forbidden, or not served */
};

struct subscription_freshness {
	enum freshness state;
	int64_t since;	/* ms: changes after that time may be missing; 0: no list was ever complete */
};

/* config and kinds are borrowed and must live as long. */
struct session *session_new(struct http *h, const struct client_config *config, struct kinds *kinds,
			    const struct session_options *options, const struct session_ops *ops, void *ctx);
void session_free(struct session *s);
enum session_state session_state(const struct session *s);
/* Call it with false when a dashboard takes the terminal: credential plugins may not use it any more. */
void session_set_interactive(struct session *s, bool interactive);
/* When the session tries again, ms; 0 when it is not waiting. */
int64_t session_retry_at(const struct session *s);
/*
 * When the last byte of any answer or watch arrived, bookmarks included, ms; 0: never.  While something is watched and
 * nothing was received for 60 s, the server is asked for its version: for a server that works this time is never more
 * than 75 s ago.
 */
int64_t session_last_received(const struct session *s);
/* Since when requests wait for a login, that is, for a credential plugin, ms; 0: they do not. */
int64_t session_login_since(const struct session *s);

/*
 * Asks for the API groups: at once from the cache when there is one (then discovered() is called before this returns),
 * and always from the server, unless cache_is_enough.
 */
void session_discover(struct session *s, bool cache_is_enough);
bool session_discovered(const struct session *s);
/* Returns true when the last discovery was complete and did not have that kind. */
bool session_lacks(const struct session *s, const struct kind *kind);

struct subscribe {
	const struct kind *kind;
	struct str ns;			/* "": all namespaces, or a cluster-scoped kind */
	struct str name;		/* one object only, or "" */
	struct str version;		/* version of the API; "": the kind's own */
	struct str label_selector, field_selector;
	bool once;			/* list, do not watch */
	bool metadata_only;
};

/* Subscribes to a kind; what is copied.  The list starts when there is room in the request budget. */
struct subscription *session_subscribe(struct session *s, const struct subscribe *what);
void session_unsubscribe(struct subscription *sub);
/* Sets how urgent the watch is; before that it is URGENCY_ASKED. */
void session_set_urgency(struct subscription *sub, enum urgency urgency);
enum subscription_state subscription_state(const struct subscription *sub);
/*
 * Returns how fresh the objects are.  A watch that has ended in the regular way and is requested again counts as
 * watched for 5 s; one that follows a failure, or ended at once, only when it has told of a change or was open for 1 s.
 * What is polled because a proxy lets no watch through is FRESH_POLLED.  A login that is waited for shows here, too, as soon as a watch has ended.
 */
struct subscription_freshness subscription_freshness(const struct subscription *sub, int64_t now);
/* The number of items that were received of the present list, and how many are expected (-1: not known). */
void subscription_progress(const struct subscription *sub, int64_t *out_have, int64_t *out_total);

/* Sends one GET.  done() is called once, with the body (also that of an error answer) or with err. */
typedef void (*session_done)(void *ctx, int http_status, struct str body, const struct err *err);
/* path is below the server's base: "/api/v1/namespaces/x/pods/y?..." */
void session_get(struct session *s, const char *path, session_done done, void *ctx);
/* Does the same for an answer that is not JSON: a log. */
void session_get_text(struct session *s, const char *path, session_done done, void *ctx);
/*
 * Does the same for a part of what a web server has, which services/proxy leads to: the bytes from from on, at most n of
 * them.  http_status is 206; 200 when the server sends the whole, of which nothing beyond n bytes is taken.  An answer of
 * other bytes than those is an error: ERR_PROTO.
 */
void session_get_bytes(struct session *s, const char *path, uint64_t from, size_t n, session_done done, void *ctx);
/*
 * Does the same for the metadata alone of an object, or with list of those of a collection; a server that cannot do
 * that sends all of them.
 */
void session_get_metadata(struct session *s, const char *path, bool list, session_done done, void *ctx);
/* Writes the path of an object or of a collection (name "") in that cluster, percent-encoded, to out. */
void session_path(const struct session *s, const struct kind *kind, struct str ns, struct str name,
		  struct buf *out);

/* Does everything that can be done without blocking.  now: ms. */
void session_run(struct session *s, int64_t now);
/* When session_run() has to be called again without an event; 0: never. */
int64_t session_deadline(const struct session *s);

#endif
