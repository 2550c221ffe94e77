/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do next, and when, after each answer; watch_rules.c has the table of
 * what failures lead to.
 */
#include "kube/api/watch.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"
#include "kube/api/answer.h"
#include "kube/api/backoff.h"
#include "kube/api/watch_path.h"
#include "kube/api/watch_read.h"

#include <string.h>

enum {
	TRIES_FROM_VERSION = 3,	/* of a watch from where it was, then list */
	TRIES_ONCE = 10
};

static const int64_t long_wait = SECONDS(60);
static const int64_t line_back_spread = SECONDS(2); /* not all at once on a server that has just begun */
static const int64_t short_watch = SECONDS(1);
static const int64_t silence_max = SECONDS(90);	  /* a bookmark comes every 60 s */
static const int64_t marker_max = SECONDS(10);	  /* after the last object of a streaming list */
static const int64_t renewal_max = SECONDS(5);	  /* of a watch that has ended as it should */
static const int64_t poll_interval = SECONDS(15);
static const int64_t poll_interval_crowded = SECONDS(60);
static const int64_t empty_interval = MINUTES(5);
static const int64_t wait_horizon = MINUTES(10);  /* longer than any wait: the clock was set back */

struct watch {
	const struct subscribe *what;
	const struct watch_ops *ops;
	void *ctx;
	struct backoff backoff;
	enum step step;
	enum subscription_state state;
	bool in_flight, can_watch, can_stream, whole, polls, crowded;
	bool answered;		/* a success began to arrive since the request was sent */
	bool cut_off;		/* it waits because the network failed, for nothing else */
	int64_t not_before, began, heard, refused_at;
	int64_t listed, current; /* when the list under way began; up to when all changes are known, 0: nothing is */
	int64_t renewed;	/* when the last watch ended as it should, 0: it did not */
	unsigned failures;	/* in a row; a watch that lives ends it */
	unsigned broken;	/* watches of those that may have been so for their version */
	struct watch_reader *reader;
	struct buf version;	/* to watch from */
	struct buf token;	/* of the next page */
	struct buf sent_version;
	int64_t remaining;	/* items after this page, -1 unknown */
};

struct watch *watch_new(const struct watch_config *config, const struct watch_ops *ops, void *ctx)
{
	struct watch *w = xcalloc(1, sizeof(*w));

	w->what = config->what;
	w->ops = ops;
	w->ctx = ctx;
	backoff_start(&w->backoff, config->seed);
	w->can_watch = config->can_watch;
	w->can_stream = config->can_stream;
	w->polls = !config->can_watch;
	w->step = STEP_LIST;
	w->state = SUBSCRIPTION_IDLE;
	w->remaining = -1;
	w->reader = watch_reader_new(ops, ctx);
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	watch_reader_free(w->reader);
	buf_release(&w->version);
	buf_release(&w->token);
	buf_release(&w->sent_version);
	xfree(w);
}

static void change(struct watch *w, enum subscription_state state, const struct err *why)
{
	bool same = w->state == state && !why;

	w->state = state;
	if (!same)
		w->ops->changed(w->ctx, state, why);
}

static int64_t patience(const struct watch *w)
{
	return w->step == STEP_STREAM && w->answered ? marker_max : silence_max;
}

enum watch_next watch_next(const struct watch *w, int64_t now)
{
	if (w->in_flight)
		return watch_streams(w) && now - w->heard >= patience(w) ? WATCH_CUT : WATCH_WAIT;
	if (w->step == STEP_DONE)
		return WATCH_WAIT;
	return now >= w->not_before || w->not_before - now > wait_horizon ? WATCH_SEND : WATCH_WAIT;
}

int64_t watch_deadline(const struct watch *w)
{
	if (w->in_flight)
		return watch_streams(w) ? w->heard + patience(w) : 0;
	if (w->step == STEP_DONE)
		return 0;
	return w->not_before > 0 ? w->not_before : 1;
}

bool watch_streams(const struct watch *w)
{
	return w->step == STEP_WATCH || w->step == STEP_STREAM;
}

enum subscription_state watch_state(const struct watch *w)
{
	return w->state;
}

static bool is_polled(const struct watch *w)
{
	return w->polls || w->crowded || w->step == STEP_GET || w->step == STEP_DONE;
}

static enum freshness freshness_of(const struct watch *w, int64_t now)
{
	if (w->state == SUBSCRIPTION_FORBIDDEN || w->state == SUBSCRIPTION_NOT_SERVED)
		return FRESH_REFUSED;
	if (!w->current)
		return FRESH_LISTING;
	if (is_polled(w))
		return w->state == SUBSCRIPTION_LIVE ? FRESH_POLLED : FRESH_RECONNECTING;
	if (w->step == STEP_WATCH && w->in_flight && w->answered)
		return FRESH_WATCHED;
	return w->renewed && now - w->renewed < renewal_max ? FRESH_WATCHED : FRESH_RECONNECTING;
}

struct subscription_freshness watch_freshness(const struct watch *w, int64_t now)
{
	return (struct subscription_freshness){ freshness_of(w, now), w->current };
}

bool watch_waits_for_retry(const struct watch *w)
{
	return w->state == SUBSCRIPTION_BACKOFF && !w->in_flight;
}

void watch_progress(const struct watch *w, int64_t *out_have, int64_t *out_total)
{
	*out_have = watch_reader_items(w->reader);
	if (w->step == STEP_STREAM)
		*out_total = w->remaining;
	else
		*out_total = w->remaining < 0 ? -1 : *out_have + w->remaining;
}

static struct watch_question question(const struct watch *w)
{
	return (struct watch_question){ .what = w->what, .step = w->step, .version = buf_str(&w->version),
					.token = buf_str(&w->token), .whole = w->whole };
}

const char *watch_accept(const struct watch *w)
{
	struct watch_question q = question(w);

	return watch_question_accept(&q);
}

void watch_path(struct watch *w, struct buf *out)
{
	struct watch_question q = question(w);

	if (watch_streams(w))
		q.seconds = 300 + backoff_jitter(&w->backoff, 301);
	watch_question_path(&q, out);
}

/* A list that is long is asked for as a stream, where the server has that. */
static bool may_stream(const struct watch *w)
{
	return w->can_stream && w->can_watch && !w->polls && !w->crowded && !w->what->once;
}

bool watch_path_ahead(const struct watch *w, struct buf *out)
{
	struct watch_question q = question(w);

	q.token = watch_reader_token(w->reader);
	if (w->step != STEP_LIST || !w->in_flight || !w->answered || may_stream(w) || str_empty(q.token) ||
	    str_eq(q.token, buf_str(&w->token)))
		return false;
	watch_question_path(&q, out);
	return true;
}

void watch_sent(struct watch *w, int64_t now)
{
	w->in_flight = true;
	w->answered = false;
	w->began = w->heard = now;
	if (w->step == STEP_WATCH) {
		buf_reset(&w->sent_version);
		buf_add(&w->sent_version, buf_str(&w->version));
	} else if (w->state != SUBSCRIPTION_LIVE) {
		change(w, SUBSCRIPTION_LISTING, NULL);
	}
}

static enum watch_body body_of(enum step step)
{
	return step == STEP_GET ? READ_OBJECT : step == STEP_STREAM ? READ_INITIAL : READ_LIST;
}

void watch_answered(struct watch *w, int64_t now)
{
	w->answered = true;
	w->heard = now;
	if (w->step == STEP_WATCH) {
		w->polls = false;
		w->renewed = 0;
		w->current = now;
		watch_reader_begin(w->reader, READ_EVENTS, !str_empty(buf_str(&w->sent_version)));
		change(w, SUBSCRIPTION_LIVE, NULL);
		return;
	}
	if (str_empty(buf_str(&w->token))) {
		watch_reader_restart(w->reader);
		w->listed = now;
		w->ops->list_begin(w->ctx);
	}
	watch_reader_begin(w->reader, body_of(w->step), false);
}

/* All of the list has come, and its stream goes on as a watch. */
static void caught_up(struct watch *w)
{
	w->step = STEP_WATCH;
	w->remaining = 0;
	buf_reset(&w->sent_version);
	buf_add(&w->sent_version, buf_str(&w->version));
	change(w, SUBSCRIPTION_LIVE, NULL);
}

int watch_feed(struct watch *w, struct str bytes, int64_t now, struct err *err)
{
	w->heard = now;
	if (watch_reader_feed(w->reader, bytes, &w->version, err) < 0)
		return -1;
	if (w->step == STEP_STREAM && !watch_reader_initial(w->reader))
		caught_up(w);
	if (w->step == STEP_WATCH)
		w->current = now;
	if (w->step == STEP_WATCH && watch_reader_events(w->reader) > 0)
		w->failures = w->broken = 0;
	return 0;
}

/* --- ends ------------------------------------------------------------------- */

static void list_anew(struct watch *w, bool whole)
{
	w->step = STEP_LIST;
	w->broken = 0;
	w->whole = whole;
	w->remaining = -1;
	buf_reset(&w->token);
}

static void poll_later(struct watch *w, int64_t now)
{
	int64_t interval = w->crowded ? poll_interval_crowded : poll_interval;

	w->failures = 0;
	w->not_before = now + interval + backoff_jitter(&w->backoff, interval / 3);
	if (w->step != STEP_GET)
		list_anew(w, false);
}

/* A kind without objects is not worth a stream, where there are hundreds of kinds. */
static void look_again(struct watch *w, int64_t now)
{
	w->failures = 0;
	w->not_before = now + empty_interval + backoff_jitter(&w->backoff, empty_interval / 3);
	list_anew(w, false);
}

/* Everything there is has been told. */
static void list_complete(struct watch *w, int64_t now)
{
	bool may_watch = w->can_watch && !w->crowded && w->step != STEP_GET;

	w->remaining = 0;
	w->current = w->listed;
	w->renewed = now;
	buf_reset(&w->token);
	w->ops->list_end(w->ctx);
	change(w, SUBSCRIPTION_LIVE, NULL);
	if (w->what->once)
		w->step = STEP_DONE;
	else if (w->what->unless_empty && watch_reader_items(w->reader) == 0)
		look_again(w, now);
	else if (!may_watch || (w->polls && now - w->refused_at < long_wait))
		poll_later(w, now);
	else
		w->step = STEP_WATCH;
}

/* The first page was only the beginning: the server has less to do when it streams all of it. */
static void stream_instead(struct watch *w)
{
	w->step = STEP_STREAM;
	if (w->remaining >= 0)
		w->remaining += watch_reader_items(w->reader);
	buf_reset(&w->token);
}

static int page_complete(struct watch *w, int64_t now, struct err *err)
{
	struct watch_page page = { 0 };
	int rc = 0;

	if (watch_reader_page(w->reader, &page, err) < 0)
		return -1;
	if (str_empty(buf_str(&w->token))) {
		buf_reset(&w->version);
		buf_add(&w->version, buf_str(&page.version));
	} else if (str_eq(buf_str(&w->token), buf_str(&page.token))) {
		rc = err_set(err, ERR_PROTO, "the server's continue token leads to the same page for ever");
		buf_reset(&page.token);
	}
	buf_reset(&w->token);
	buf_add(&w->token, buf_str(&page.token));
	w->remaining = page.remaining;
	if (rc == 0 && !page.token.len)
		list_complete(w, now);
	else if (rc == 0 && may_stream(w))
		stream_instead(w);
	buf_release(&page.version);
	buf_release(&page.token);
	return rc;
}

/* What ends at once and told nothing is no reason to ask again at once. */
static int stream_complete(struct watch *w, int64_t now, struct err *err)
{
	bool moved = !str_eq(buf_str(&w->version), buf_str(&w->sent_version));
	bool told = watch_reader_events(w->reader) > 0;
	bool brief = now - w->began < short_watch && !moved;

	if (watch_reader_end(w->reader, err) < 0)
		return -1;
	w->current = w->renewed = now;
	if (brief) {
		w->not_before = now + backoff_next(&w->backoff, now);
		change(w, SUBSCRIPTION_BACKOFF, NULL);
	} else {
		w->failures = w->broken = 0;
	}
	if (str_empty(buf_str(&w->version)) || (brief && !told))
		list_anew(w, false);
	return 0;
}

static int complete(struct watch *w, int64_t now, struct err *err)
{
	if (w->step == STEP_LIST)
		return page_complete(w, now, err);
	if (w->step == STEP_WATCH)
		return stream_complete(w, now, err);
	if (w->step == STEP_STREAM)
		return err_set(err, ERR_PROTO, "the streaming list ended too early");
	if (watch_reader_end(w->reader, err) < 0)
		return -1;
	list_complete(w, now);
	return 0;
}

/* While nobody answers, its version is not to blame. */
static bool blame_version(struct watch *w, const struct err *why)
{
	if (w->step == STEP_WATCH && (w->answered || why->code != ERR_NET))
		w->broken++;
	return w->broken > TRIES_FROM_VERSION;
}

static void go(struct watch *w, enum then then, const struct err *why, int64_t now)
{
	if (w->step == STEP_STREAM && then != THEN_SAME && (why->code != ERR_NET || w->failures > 1))
		w->can_stream = false;
	switch (then) {
	case THEN_SAME:
		if (blame_version(w, why))
			list_anew(w, false);
		break;
	case THEN_LIST:
	case THEN_WHOLE:
		list_anew(w, then == THEN_WHOLE);
		break;
	case THEN_POLL:
		w->polls = true;	/* briefly at first: a server that has just begun knows no rights */
		w->refused_at = now - w->refused_at > 2 * long_wait ? now - long_wait + poll_interval : now;
		list_anew(w, false);
		break;
	case THEN_GET:
		list_anew(w, false);
		w->step = STEP_GET;
		break;
	}
}

/* A one-shot list follows kubectl: again only when the server says when, or the line broke. */
static void failed_once(struct watch *w, const struct watch_rule *r, const struct err *why, int64_t retry_in, int64_t now)
{
	if (r->wait == WAIT_NOT && w->failures == 1) {
		go(w, r->then, why, now);
	} else if (retry_in >= 0 && w->failures <= TRIES_ONCE) {
		w->not_before = now + retry_in;
		change(w, SUBSCRIPTION_BACKOFF, why);
	} else {
		w->step = STEP_DONE;
		change(w, r->wait == WAIT_LONG && r->state != SUBSCRIPTION_BACKOFF ? r->state : SUBSCRIPTION_FAILED,
		       why);
	}
}

static int64_t wait_after(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	const struct watch_rule *r = watch_rule_for(w->step, why, !str_empty(w->what->name));
	int64_t wait;

	if (r->wait == WAIT_LONG)
		return long_wait + backoff_jitter(&w->backoff, long_wait / 4);
	if (r->wait == WAIT_NOT && w->failures == 1)
		return 0;
	wait = backoff_next(&w->backoff, now);
	if (retry_in < SECONDS(why->retry_after))
		retry_in = SECONDS(why->retry_after);
	return wait > retry_in ? wait : retry_in;
}

/* One object that is asked for by GET and is not there: an empty list. */
static bool is_empty_answer(const struct watch *w, const struct err *why)
{
	return w->step == STEP_GET && why->code == ERR_NOT_SERVED;
}

static void failed(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	const struct watch_rule *r = watch_rule_for(w->step, why, !str_empty(w->what->name));

	if (is_empty_answer(w, why)) {
		watch_reader_restart(w->reader);
		w->ops->list_begin(w->ctx);
		list_complete(w, now);
		return;
	}
	w->failures++;
	w->cut_off = why->code == ERR_NET;
	if (w->what->once) {
		failed_once(w, r, why, retry_in, now);
		return;
	}
	w->not_before = now + wait_after(w, why, retry_in, now);
	go(w, r->then, why, now);
	change(w, r->state, why);
}

void watch_ended(struct watch *w, const struct err *why, int64_t retry_in, int64_t now)
{
	struct err err = { 0 };

	w->in_flight = false;
	w->not_before = 0;
	w->renewed = 0;
	if (!why && complete(w, now, &err) < 0)
		why = &err;
	if (why)
		failed(w, why, retry_in, now);
}

void watch_cut(struct watch *w, int64_t now)
{
	w->in_flight = false;
	w->not_before = now;
	w->renewed = w->step == STEP_WATCH && w->answered ? now : 0;
	if (w->step != STEP_STREAM)
		return;
	w->can_stream = false;
	list_anew(w, false);
}

void watch_wake(struct watch *w, int64_t now)
{
	if (w->in_flight || w->state == SUBSCRIPTION_LIVE)
		return;
	w->not_before = now;
	backoff_reset(&w->backoff);
}

void watch_line_back(struct watch *w, int64_t now)
{
	int64_t soon = now + backoff_jitter(&w->backoff, line_back_spread);

	if (w->cut_off && !w->in_flight && soon < w->not_before)
		w->not_before = soon;
	w->cut_off = false;
}

void watch_poll(struct watch *w, int64_t now)
{
	w->crowded = w->polls = true;
	if (w->step == STEP_STREAM)
		list_anew(w, false);
	else if (w->step == STEP_WATCH)
		poll_later(w, now);
}
