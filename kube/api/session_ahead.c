/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next page of a list is asked for while the one before it is still read,
 * so that the server works while we do.  What comes too early is kept, up to
 * LIMIT_AHEAD; more than one page ahead is never asked for.
 */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"

enum { TURN_BYTES = 1024 * 1024 };	/* read at once of what came early: faster than more of it comes */

struct ahead {
	struct subscription *sub;
	struct call *call;	/* NULL: it has ended */
	struct buf path, body;
	size_t read;		/* of the body */
	bool taken, answered, useless;
	struct err why;		/* of its end */
	int64_t retry_in;
};

static void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	if (a->call)
		call_drop(a->call, false);
	buf_release(&a->path);
	buf_release(&a->body);
	xfree(a);
}

void ahead_release(struct subscription *sub)
{
	ahead_free(sub->page);
	ahead_free(sub->ahead);
	sub->page = sub->ahead = NULL;
}

/* ---- the answer ------------------------------------------------------------------ */

static bool read_directly(const struct ahead *a)
{
	return a->taken && a->read == a->body.len;
}

static void on_answered(void *ctx)
{
	struct ahead *a = ctx;

	a->answered = true;
	if (a->taken)
		watch_answered(a->sub->watch, a->sub->session->now);
}

static int on_feed(void *ctx, struct str bytes, struct err *err)
{
	struct ahead *a = ctx;

	if (read_directly(a)) {
		if (watch_feed(a->sub->watch, bytes, a->sub->session->now, err) < 0)
			return -1;
		ahead_look(a->sub);
		return 0;
	}
	buf_add(&a->body, bytes);
	a->useless = a->body.failed;
	return a->useless ? err_set(err, ERR_PROTO, "too much came too early") : 0;
}

static void on_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct ahead *a = ctx;

	(void)c;
	a->call = NULL;
	a->why = why ? *why : (struct err){ 0 };
	a->retry_in = retry_in;
}

/* ---- asking ---------------------------------------------------------------------- */

void ahead_look(struct subscription *sub)
{
	static const struct call_ops ops = { on_answered, on_feed, on_end };
	struct buf path = { 0 };
	struct ahead *a;

	if (sub->ahead || !watch_path_ahead(sub->watch, &path))
		return;
	a = sub->ahead = xcalloc(1, sizeof(*a));
	a->sub = sub;
	a->body.max = LIMIT_AHEAD;
	session_add_timeout(&path, sub->session->options.request_timeout);
	buf_add(&a->path, buf_str(&path));
	a->call = subscription_call(sub, buf_str(&a->path), &ops, a);
	http_hurry(sub->session->http);
	buf_release(&path);
}

bool ahead_take(struct subscription *sub, struct str path)
{
	struct ahead *a = sub->ahead;

	if (!a)
		return false;
	sub->ahead = NULL;
	if (a->useless || !str_eq(buf_str(&a->path), path)) {
		ahead_free(a);
		return false;
	}
	sub->page = a;
	a->taken = true;
	a->body.max = 3 * LIMIT_AHEAD;
	watch_sent(sub->watch, sub->session->now);
	if (a->answered)
		watch_answered(sub->watch, sub->session->now);
	return true;
}

/* ---- reading --------------------------------------------------------------------- */

static int read_some(struct ahead *a, struct err *err)
{
	struct str rest = str_head(str_from(buf_str(&a->body), a->read), TURN_BYTES);

	a->read += rest.len;
	if (rest.len && watch_feed(a->sub->watch, rest, a->sub->session->now, err) < 0)
		return -1;
	if (a->read == a->body.len) {
		buf_release(&a->body);
		a->read = 0;
	}
	ahead_look(a->sub);
	return 0;
}

bool ahead_waits(const struct subscription *sub)
{
	return sub->page && (sub->page->read < sub->page->body.len || !sub->page->call);
}

bool ahead_read(struct subscription *sub)
{
	struct ahead *a = sub->page;
	struct err err = { 0 };

	if (!a)
		return false;
	if (read_some(a, &err) < 0) {
		a->why = err;
		a->retry_in = -1;
	} else if (a->call || a->body.len) {
		return true;
	}
	err = a->why;
	sub->page = NULL;
	watch_ended(sub->watch, err.code == ERR_NONE ? NULL : &err, a->retry_in, sub->session->now);
	ahead_free(a);
	return true;
}
