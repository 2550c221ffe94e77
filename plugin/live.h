/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a world from clusters: configuration, sessions, discovery, the event loop. */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include "kube/feeds/feeds.h"
#include "plugin/past/changelog.h"
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
	bool screen;		/* a screen is opened: the terminal is only for a plugin that may ask something on it */
	void (*log)(void *ctx, const char *line);	/* takes the lines of -v; may be NULL */
	/* Prints notices, outages and pending logins at once; NULL where a screen shows them. */
	void (*say)(struct str line);
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
/* Opens the lists that the query needs. */
void live_start(struct live *l);
/* Waits for an event, or until one of fds is readable, at most timeout_ms (-1: no limit). */
void live_wait(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms);
/* Returns when live_dispatch() must be called without an event, ms; 0: never. */
int64_t live_deadline(const struct live *l);
/* Handles what has arrived and settles the graph.  Returns the number of objects that look different. */
size_t live_dispatch(struct live *l);
/*
 * Blocks until every list has ended, successfully or not, and nothing more has to be looked up.  Returns -1 with err when
 * everything that was asked for failed; not when all of it is forbidden.
 */
int live_settle(struct live *l, struct err *err) MUST_USE;

/* Returns true once the lists are opened, unless options.once. */
bool live_watches(const struct live *l);
/*
 * Returns the command of the credential plugin that requests wait for, as written in the kubeconfig; "" when there is
 * none, or when it is kubectl.
 */
struct str live_login(const struct live *l);
/* Returns the context in use; several are joined by commas.  The text lives as long as l. */
struct str live_context(struct live *l);
/* Names in another graph the context that commands must name, as it is named in that of l. */
void live_name_target(struct live *l, struct graph *g);
/* Returns the contexts in use, by index of the cluster.  They live as long as l. */
const struct str *live_used_contexts(struct live *l, size_t *out_n);
/* Returns the session of a cluster, borrowed; NULL when there is no cluster with that index. */
struct session *live_session(const struct live *l, uint16_t cluster);
/*
 * Writes everything that is observed from now on to r and to f; either may be NULL.  latest receives the objects, from
 * which the keyframes are written; NULL: r has no keyframes.  All are borrowed.
 */
void live_record(struct live *l, struct recorder *r, struct flight *f, struct latest *latest);

#endif
