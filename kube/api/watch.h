/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List and watch of one kind, the protocol alone: no socket and no clock.  Times
 * (ms) and bytes go in, requests and deadlines come out.
 *
 * One request is under way at a time.  The owner calls watch_next(), sends the request of
 * watch_path(), and reports its progress by watch_sent() to watch_ended().
 */
#ifndef KUBE_API_WATCH_H
#define KUBE_API_WATCH_H

#include "kube/api/session.h"

struct watch;

struct watch_ops {
	/* As in struct session_ops.  A list may begin anew before it ended. */
	void (*list_begin)(void *ctx);
	void (*list_end)(void *ctx);
	void (*object)(void *ctx, enum object_event event, struct json object, struct str raw);
	/* why with SUBSCRIPTION_LIVE: it is polled, for that reason. */
	void (*changed)(void *ctx, enum subscription_state state, const struct err *why);
};

struct watch_config {
	const struct subscribe *what;	/* borrowed, lives as long */
	bool can_watch;			/* else it is polled */
	bool can_stream;		/* a long list may be asked for as a watch: the server may refuse */
	uint64_t seed;			/* for the jitter */
	int64_t timeout;		/* ms that a watch may wait for its answer, 0: 30 s */
};

enum watch_next {
	WATCH_WAIT,	/* until watch_deadline() */
	WATCH_SEND,
	WATCH_CUT	/* the one under way is silent for too long: drop it, then watch_cut() */
};

struct watch *watch_new(const struct watch_config *config, const struct watch_ops *ops, void *ctx);
void watch_free(struct watch *w);

enum watch_next watch_next(const struct watch *w, int64_t now);
/* When watch_next() may answer otherwise, ms; 0: not by time alone. */
int64_t watch_deadline(const struct watch *w);

/* The request to send: its path and query, its Accept header, whether it is a watch. */
void watch_path(struct watch *w, struct buf *out);
const char *watch_accept(const struct watch *w);
/* Returns the Accept header that asks for the metadata alone of an object, or of those of a list. */
const char *watch_metadata_accept(bool list);
/*
 * While a page arrives: the path of the next one, as soon as that is known, so
 * that the server may work while we read.  False: not known, or there is none.
 */
bool watch_next_page_path(const struct watch *w, struct buf *out);
bool watch_lists(const struct watch *w);
/* The next request begins anew: a list's first page, or one object. */
bool watch_begins(const struct watch *w);
bool watch_streams(const struct watch *w);

/*
 * What became of it: sent (told again when it had to wait until it really was), a success began to arrive, bytes of its
 * body, its end.
 */
void watch_sent(struct watch *w, int64_t now);
void watch_answered(struct watch *w, int64_t now);
/* -1: stop reading and hand err to watch_ended(). */
int watch_feed(struct watch *w, struct str bytes, int64_t now, struct err *err) MUST_USE;
/*
 * why: NULL after a complete answer.  retry_in: ms after which the same request
 * makes sense once more (the server said so, or the connection broke); -1: not told.
 */
void watch_ended(struct watch *w, const struct err *why, int64_t retry_in, int64_t now);
/*
 * Its owner has dropped the request because it was silent for too long.  True when there was no
 * answer at all, or a list stopped in the middle, which is a failure; else it goes on at once.
 */
bool watch_cut(struct watch *w, int64_t now);

/* Its answer was of no use, and it is sent again. */
void watch_repeat(struct watch *w, int64_t now);
/* The reason to wait may be gone: discovery is fresh, or the credential. */
void watch_wake(struct watch *w, int64_t now);
/*
 * The server has answered another request, for the first time since before (ms).  A watch that failed since then
 * waits until at (ms) at the longest, and refusals of a server that has just started do not count.  False when it
 * does not wait, or failed while other requests succeeded.
 */
bool watch_server_back(struct watch *w, int64_t before, int64_t at);
/* What a server refuses that has just begun is not to be had, as it knows by now. */
void watch_settled(struct watch *w);
/* The clock was set back by so many ms: all times that are kept are meant by the new one. */
void watch_clock_back(struct watch *w, int64_t by);
/* There is no room for its stream, which its owner has dropped if it was open: list now and then instead. */
void watch_poll(struct watch *w, int64_t now);
/* It is polled only for that, and could be watched at once. */
bool watch_wants_room(const struct watch *w);
/* There is room: the next request is a watch, from what the last list told on. */
void watch_resume(struct watch *w, int64_t now);

enum subscription_state watch_state(const struct watch *w);
/* True when it was answered and goes on. */
bool watch_is_live(const struct watch *w);
struct subscription_freshness watch_freshness(const struct watch *w, int64_t now);
bool watch_waits_for_retry(const struct watch *w);
/* True when its last request was refused (401) and none was answered since. */
bool watch_is_refused(const struct watch *w);
void watch_progress(const struct watch *w, int64_t *out_have, int64_t *out_total);

#endif
