/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a world from clusters: configuration, sessions, discovery, the event loop. */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include "kube/feeds/feeds.h"
#include "plugin/record/changelog.h"
#include "plugin/record/flight.h"
#include "plugin/query.h"
#include "plugin/record/recorder.h"
#include "plugin/world.h"

struct live;

struct live_options {
	struct http *http;	/* shared with other clusters; NULL: this one creates its own */
	const struct options *options;
	struct world *world;
	struct query *query;	/* its arguments are resolved once discovery has answered */
	bool once;		/* list, but do not watch */
	bool interactive;	/* a credential plugin may use the terminal */
	void (*log)(void *ctx, const char *line);	/* takes the lines of -v; may be NULL */
	/* Prints notices, outages and pending logins at once; NULL where a screen shows them. */
	void (*say)(struct str line);
	/* Called with each object that the server sent; may be NULL. */
	void (*object)(void *ctx, struct json object);
	void *object_ctx;
	/* Receives every version of every object; may be NULL. */
	struct changelog *changelog;
	/* Called by live_connect() to wait as live_wait() does; returns false to give up.  May be NULL. */
	bool (*wait)(void *ctx, struct live *l);
	void *wait_ctx;
};

/*
 * Reads the configuration; sends nothing yet.  The options are copied, what they point to is borrowed.  Returns NULL
 * with err.
 */
struct live *live_new(const struct live_options *options, struct err *err);
void live_free(struct live *l);
/*
 * Runs discovery and resolves the arguments.  Blocks within the client's own time limits.  Returns 1 when wait() gave
 * up, -1 with err.
 */
int live_connect(struct live *l, struct err *err) MUST_USE;
/*
 * Does as much of live_connect() as is possible without waiting.  Returns 0 when connected; 1: call it again after
 * live_dispatch(); -1 with err.
 */
int live_connect_step(struct live *l, struct err *err) MUST_USE;
/* Returns 0 when at least one server has answered, 1 when none has yet, -1 with err when none will. */
int live_answered(const struct live *l, struct err *err) MUST_USE;
/* Returns true while a credential plugin uses the terminal. */
bool live_asks(const struct live *l);
/* Forbids credential plugins to use the terminal from now on. */
void live_take_terminal(struct live *l);
/* Opens the lists that the query needs. */
void live_start(struct live *l);
/* Waits for an event, or until one of fds is readable, at most timeout_ms (-1: no limit). */
void live_wait(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms);
/* Waits without regard to live_deadline(), for a caller that has other deadlines, too. */
void live_sleep(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms);
/* Returns when live_dispatch() must be called without an event, ms; 0: never. */
int64_t live_deadline(const struct live *l);
/*
 * Tells which objects are on the screen.  When there is no room to watch every kind, the kinds of these objects are
 * watched rather than others.
 */
void live_on_screen(struct live *l, const struct handle *objects, size_t n);
/* Handles what has arrived and settles the graph.  Returns the number of objects that look different. */
size_t live_dispatch(struct live *l);
/* Returns true when every list has ended, successfully or not, and nothing more has to be looked up. */
bool live_settled(const struct live *l);
/*
 * Returns true, with the reason in err, when everything that was asked for failed; not when all of it is forbidden,
 * which live_unreadable() tells.
 */
bool live_failed(const struct live *l, struct err *err);
/* Returns why nothing of a kind, or with NULL of all kinds, could be read, as feeds_unreadable() does; borrowed. */
const struct err *live_unreadable(const struct live *l, const struct kind *kind, bool anywhere);
/* Blocks until live_settled().  Returns -1 with err when live_failed(). */
int live_settle(struct live *l, struct err *err) MUST_USE;

/* Returns the counts for the header of the screen. */
struct feeds_facts live_facts(const struct live *l);
/* Returns true once the lists are opened, unless options.once. */
bool live_watches(const struct live *l);
/*
 * Returns the command of the credential plugin that requests wait for, as written in the kubeconfig; "" when there is
 * none, or when it is kubectl.
 */
struct str live_login(const struct live *l);
/* Returns how far the data is up to date, for all clusters together. */
struct feeds_freshness live_freshness(const struct live *l);
/* Returns when the first lists were complete, ms; 0: they are not yet. */
int64_t live_loaded(const struct live *l);
/* Returns the number of requests sent since the start. */
uint64_t live_requests(const struct live *l);
/* Returns the context in use; several are joined by commas.  The text lives as long as l. */
struct str live_context(struct live *l);
/*
 * Returns the contexts that have no connection while others have one: "a,b"; "" when there are none.  Borrowed until
 * the next call.
 */
struct str live_lost(struct live *l);
/* Names in another graph the context that commands must name, as it is named in that of l. */
void live_name_target(struct live *l, struct graph *g);
/* Returns the contexts in use, by index of the cluster.  They live as long as l. */
const struct str *live_used_contexts(struct live *l, size_t *out_n);
/* Returns the session of a cluster, borrowed; NULL when there is no cluster with that index. */
struct session *live_session(const struct live *l, uint16_t cluster);
/*
 * Returns true when this object was received since the last call with the same object.  From now on only this object
 * counts.
 */
bool live_touched(struct live *l, struct handle looked_at);
/*
 * Takes one of the objects that a watch brought or changed since the last call, of many the last ones.  Returns false
 * when there is none left.
 */
bool live_arrived(struct live *l, struct handle *out);
/* Returns all contexts of the kubeconfig, for the palette.  They live as long as l. */
const struct str *live_contexts(struct live *l, size_t *out_n);
/*
 * Writes everything that is observed from now on to r and to f; either may be NULL.  latest receives the objects, from
 * which the keyframes are written; NULL: r has no keyframes.  All are borrowed.
 */
void live_record(struct live *l, struct recorder *r, struct flight *f, struct latest *latest);
/* Returns true when it was printed that nothing can be recorded any more.  l may be NULL. */
bool live_told_record_failed(const struct live *l);

#endif
