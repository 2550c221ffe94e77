/* SPDX-License-Identifier: Apache-2.0 */
/* The world from clusters: their configuration and sessions, discovery, and the waiting. */
#ifndef PLUGIN_LIVE_H
#define PLUGIN_LIVE_H

#include "kube/observe/observe.h"
#include "plugin/changes.h"
#include "plugin/flight.h"
#include "plugin/query.h"
#include "plugin/recording.h"
#include "plugin/world.h"

struct live;

struct live_options {
	const struct options *options;
	struct world *world;
	struct query *query;	/* resolved once discovery has answered */
	bool once;		/* lists without watches */
	bool interactive;	/* a credential plugin may use the terminal */
	void (*log)(void *ctx, const char *line);	/* -v; may be NULL */
	/* What the user should know at once: notices, outages, logins.  NULL: they are shown anyway. */
	void (*say)(struct str line);
	/* Each object that is there, as the server wrote it; may be NULL. */
	void (*object)(void *ctx, struct json object);
	void *object_ctx;
	/* What objects become is noted there; NULL: nobody asks. */
	struct changelog *changelog;
	/* Waits while live_connect() has no answer yet; false: it gives up.  NULL: live_wait(). */
	bool (*wait)(void *ctx, struct live *l);
	void *wait_ctx;
};

/* Reads the configuration; nothing is sent yet. */
struct live *live_new(const struct live_options *options, struct err *err);
void live_free(struct live *l);
/*
 * Discovery, and the arguments resolved with it.  Blocks, with the client's own time limits.
 * 1: wait() gave up.
 */
int live_connect(struct live *l, struct err *err) MUST_USE;
/* A credential plugin may have to ask for something on the terminal. */
bool live_may_ask(const struct live *l);
/* Opens the lists that the query needs. */
void live_start(struct live *l);
/* Waits for something to happen, at most timeout_ms (-1: no limit); fds may wake it up, too. */
void live_wait(struct live *l, const int *fds, size_t nfds, int64_t timeout_ms);
/* Does what can be done now, and judges it.  Returns how many objects look different. */
size_t live_turn(struct live *l);
/* Every list has ended, one way or the other, and nothing more has to be looked up. */
bool live_settled(const struct live *l);
/* What was asked for cannot be had: true, with the reason. */
bool live_failed(const struct live *l, struct err *err);
/* Blocks until that is so.  -1: what was asked for could not be had. */
int live_settle(struct live *l, struct err *err) MUST_USE;

/* For the head of the screen. */
struct observe_facts live_facts(const struct live *l);
/* Lists were opened, with watches. */
bool live_watches(const struct live *l);
/* The credential plugin that is waited for, as the kubeconfig names it; "": none is, or it is kubectl. */
struct str live_login(const struct live *l);
/* Why a server does not accept us; "": not known. */
struct str live_refusal(const struct live *l);
struct observe_freshness live_freshness(const struct live *l);
/* Sent since the start. */
uint64_t live_requests(const struct live *l);
/* The context in use; several are joined by commas. */
struct str live_context(struct live *l);
/* The same one by one, by cluster; they live as long as l. */
const struct str *live_used_contexts(struct live *l, size_t *out_n);
struct session *live_session(const struct live *l, uint16_t cluster);
/* Did something come for that object since the last call?  It is the one that is looked at from now on. */
bool live_touched(struct live *l, struct handle looked_at);
/* The contexts of the kubeconfig, to switch to. */
const struct str *live_contexts(struct live *l, size_t *out_n);
/* From now on everything observed is written there; what is known already is written first. */
void live_fly(struct live *l, struct flight *f);
void live_record(struct live *l, struct recorder *r);

#endif
