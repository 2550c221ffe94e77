/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cluster: its connection, discovery, and the lists and watches on it.
 * Non-blocking: the owner of the loop waits with http_wait() and calls
 * session_run().  Everything that happens is reported through session_ops.
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
	SESSION_FAILED		/* cannot be used at all; why says so */
};

enum subscription_state {
	SUBSCRIPTION_IDLE,
	SUBSCRIPTION_LISTING,
	SUBSCRIPTION_LIVE,	/* listed, and watched unless once was asked for */
	SUBSCRIPTION_BACKOFF,
	SUBSCRIPTION_FORBIDDEN,
	SUBSCRIPTION_NOT_SERVED,
	SUBSCRIPTION_FAILED	/* only with once: gave up */
};

/* Where there is room for some watches only (HTTP/1.1), the most urgent ones get it. */
enum urgency { URGENCY_NEIGHBOUR, URGENCY_PART, URGENCY_ASKED, URGENCY_LISTED, URGENCY_ON_SCREEN };

enum object_event { OBJECT_LISTED, OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED };

struct session_ops {
	/* Discovery answered (again): kinds are registered.  partial names groups that could not be read. */
	void (*discovered)(void *ctx, struct session *s, const struct err *partial);
	/* A list begins (what it does not name by its end is gone), ends. */
	void (*list_begin)(void *ctx, struct subscription *sub);
	void (*list_end)(void *ctx, struct subscription *sub);
	/* raw: the server's bytes of the object, less managedFields. */
	void (*object)(void *ctx, struct subscription *sub, enum object_event event, struct json object, struct str raw);
	/* why may be NULL. */
	void (*subscription_changed)(void *ctx, struct subscription *sub, enum subscription_state state, const struct err *why);
	void (*session_changed)(void *ctx, struct session *s, enum session_state state, const struct err *why);
	/* A Warning header, deprecations and the like. */
	void (*notice)(void *ctx, struct session *s, struct str text);
};

struct session_options {
	uint16_t cluster;		/* index, given back in events */
	const char *cache_dir;		/* discovery cache; NULL: none */
	int64_t request_timeout;	/* ms, 0: none; unary requests only */
	bool interactive;		/* an exec plugin may use the terminal now */
	bool once;			/* nothing will be watched: only final failures are reported */
	const char *user_agent;
	unsigned watches_http1;		/* at most, where each takes a connection; 0: LIMIT_WATCHES_HTTP1 */
	int64_t now;			/* ms, of the start */
};

/* How fresh the objects of a subscription are. */
enum freshness {
	FRESH_WATCHED,		/* the server sends each change */
	FRESH_POLLED,		/* it is listed now and then: it may not be watched, or there is no room for a watch */
	FRESH_LISTING,		/* no list is complete yet: nothing is known */
	FRESH_RECONNECTING,	/* its watch is gone, and no other one was answered yet */
	FRESH_REFUSED		/* forbidden, or not served */
};

struct subscription_freshness {
	enum freshness state;
	int64_t since;	/* ms: later changes may be missing; 0: nothing was ever complete */
};

/* config and kinds are borrowed and must live as long. */
struct session *session_new(struct http *h, const struct client_config *config, struct kinds *kinds,
			    const struct session_options *options, const struct session_ops *ops, void *ctx);
void session_free(struct session *s);
enum session_state session_state(const struct session *s);
/* When a dashboard takes the terminal (false): credential plugins may not use it any more. */
void session_set_interactive(struct session *s, bool interactive);
/* When it will try again, ms; 0 when it is not waiting. */
int64_t session_retry_at(const struct session *s);
/*
 * When the last byte of any answer or watch came, bookmarks too, ms; 0: never.
 * While something is watched and nothing was received for 60 s, the server is asked for
 * its version: of a server that works this is never more than 75 s ago.
 */
int64_t session_last_received(const struct session *s);
/* Since when requests wait for a login, that is for a credential plugin, ms; 0: they do not. */
int64_t session_login_since(const struct session *s);

/*
 * Asks for the API groups: from the cache at once when it is warm (then
 * discovered() comes before this returns) and from the server in any case,
 * unless cache_is_enough.
 */
void session_discover(struct session *s, bool cache_is_enough);
bool session_discovered(const struct session *s);
/* The last discovery was complete and did not have that kind. */
bool session_lacks(const struct session *s, const struct kind *kind);

struct subscribe {
	const struct kind *kind;
	struct str ns;			/* "" : all namespaces, or cluster-scoped */
	struct str name;		/* one object only, or "" */
	struct str version;		/* of the API; "": the kind's own */
	struct str label_selector, field_selector;
	bool once;			/* list, do not watch */
	bool metadata_only;
};

/* Copied.  The list starts when there is room in the request budget. */
struct subscription *session_subscribe(struct session *s, const struct subscribe *what);
void session_unsubscribe(struct subscription *sub);
/* URGENCY_ASKED until another one is said. */
void session_set_urgency(struct subscription *sub, enum urgency urgency);
enum subscription_state subscription_state(const struct subscription *sub);
/*
 * A watch that ends as it should and is asked for again counts as one that goes on for
 * 5 s.  A login that is waited for shows here too, as soon as a watch has ended.
 */
struct subscription_freshness subscription_freshness(const struct subscription *sub, int64_t now);
/* Items received of the list that is under way, and how many are expected (-1 unknown). */
void subscription_progress(const struct subscription *sub, int64_t *out_have, int64_t *out_total);

/* One GET.  done() is called once, with the body (also of an error answer) or err. */
typedef void (*session_done)(void *ctx, int http_status, struct str body, const struct err *err);
/* path is below the server's base: "/api/v1/namespaces/x/pods/y?..." */
void session_get(struct session *s, const char *path, session_done done, void *ctx);
/* The same for what is no JSON: a log. */
void session_get_text(struct session *s, const char *path, session_done done, void *ctx);
/* The path of an object or of a collection (name "") in that cluster, percent-encoded, into out. */
void session_path(const struct session *s, const struct kind *kind, struct str ns, struct str name,
		  struct buf *out);

/* Does all that can be done without blocking.  now in ms. */
void session_run(struct session *s, int64_t now);
/* When session_run() wants to be called again without an event; 0: never. */
int64_t session_deadline(const struct session *s);

#endif
