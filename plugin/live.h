/* SPDX-License-Identifier: Apache-2.0 */
/* The world as read from clusters: configuration, sessions, discovery, the event loop. */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include "kube/feeds/feeds.h"
#include "plugin/record/changes.h"
#include "plugin/record/flight.h"
#include "plugin/query.h"
#include "plugin/record/recording.h"
#include "plugin/world.h"

struct live;

struct live_options {
	struct http *http;	/* shared with other clusters; NULL: one of its own */
	const struct options *options;
	struct world *world;
	struct query *query;	/* resolved once discovery has answered */
	bool once;		/* lists without watches */
	bool interactive;	/* a credential plugin may use the terminal */
	void (*log)(void *ctx, const char *line);	/* -v; may be NULL */
	/* Prints notices, outages and logins at once; NULL where a screen shows them. */
	void (*say)(struct str line);
	/* Called with each object that the server sent; may be NULL. */
	void (*object)(void *ctx, struct json object);
	void *object_ctx;
	/* Gets every version of every object; may be NULL. */
	struct changelog *changelog;
	/* Waits for live_connect(), as live_wait() does; false: give up.  May be NULL. */
	bool (*wait)(void *ctx, struct live *l);
	void *wait_ctx;
};

/* Reads the configuration; nothing is sent yet. */
struct live *live_new(const struct live_options *options, struct err *err);
void live_free(struct live *l);
/*
 * Runs discovery and resolves the arguments.  Blocks, with the client's own time limits.
 * Returns 1 when wait() gave up, -1 with err.
 */
int live_connect(struct live *l, struct err *err) MUST_USE;
/* The same as far as it comes without waiting.  1: go on after live_turn(); -1 with err. */
int live_connect_step(struct live *l, struct err *err) MUST_USE;
/* 0: a server has answered, at least one; 1: none has yet; -1 with err: none will. */
int live_answered(const struct live *l, struct err *err) MUST_USE;
/* True while a credential plugin has the terminal. */
bool live_asks(const struct live *l);
/* From now on no credential plugin may use the terminal. */
void live_take_terminal(struct live *l);
/* Opens the lists that the query needs. */
void live_start(struct live *l);
/* Waits for an event, or until one of fds is readable, at most timeout_ms (-1: no limit). */
void live_wait(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms);
/* The same without a look at live_deadline(), for who has other deadlines, too. */
void live_sleep(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms);
/* When live_turn() wants to be called without an event, ms; 0: never. */
int64_t live_deadline(const struct live *l);
/* These objects stand on the screen now: what is not watched for want of room is not of their kinds, if that can be. */
void live_on_screen(struct live *l, const struct handle *objects, size_t n);
/* Handles what has arrived and settles the graph.  Returns how many objects look different. */
size_t live_turn(struct live *l);
/* True when every list has ended, also with an error, and nothing more has to be looked up. */
bool live_settled(const struct live *l);
/* True, with the reason, when everything that was asked for failed. */
bool live_failed(const struct live *l, struct err *err);
/* Blocks until live_settled().  -1 with err when live_failed(). */
int live_settle(struct live *l, struct err *err) MUST_USE;

/* Counts for the header of the screen. */
struct feeds_facts live_facts(const struct live *l);
/* True once the lists are opened, unless options.once. */
bool live_watches(const struct live *l);
/*
 * The command of the credential plugin that requests wait for, as written in the kubeconfig; "" when there is none, or
 * when it is kubectl.
 */
struct str live_login(const struct live *l);
struct feeds_freshness live_freshness(const struct live *l);
/* When the first lists were complete, ms; 0: they are not yet. */
int64_t live_loaded(const struct live *l);
/* Requests sent since the start. */
uint64_t live_requests(const struct live *l);
/* The context in use; several are joined by commas.  Lives as long as l. */
struct str live_context(struct live *l);
/* Of several contexts those that have no connection, while others have: "a,b".  Borrowed until the next call. */
struct str live_lost(struct live *l);
/* The contexts in use, by index of the cluster.  They live as long as l. */
const struct str *live_used_contexts(struct live *l, size_t *out_n);
struct session *live_session(const struct live *l, uint16_t cluster);
/* True when that object was received since the last call.  From now on only this object counts. */
bool live_touched(struct live *l, struct handle looked_at);
/* Takes one of the objects (of many the last ones) that a watch brought or changed; false: there is none since the last time. */
bool live_arrived(struct live *l, struct handle *out);
/* All contexts of the kubeconfig, for the palette. */
const struct str *live_contexts(struct live *l, size_t *out_n);
/*
 * Everything that is observed from now on is written to r and to f; either may be NULL.  latest gets the objects, of which their
 * states are written; NULL: r is to have no keyframes.  All are borrowed.
 */
void live_record(struct live *l, struct recorder *r, struct flight *f, struct latest *latest);
/* True when it was said on standard error that nothing can be recorded any more.  l may be NULL. */
bool live_told_record_failed(const struct live *l);

#endif
