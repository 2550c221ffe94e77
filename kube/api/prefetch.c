/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next page of a list is requested while the present one is still read, so that the server and this program work at
 * the same time.  What arrives early is kept, up to LIMIT_PREFETCH; never is more than one page requested early.
 */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"

/* bytes of an early page that are read at once; that is faster than more of it arrives */
enum { READ_AT_ONCE = 1024 * 1024 };

struct prefetch {
	struct subscription *sub;
	struct call *call;	/* NULL: the request has ended */
	struct buf path, body;
	size_t read;		/* bytes of the body that were read */
	bool taken, answered, useless;
	struct err why;		/* why the request ended */
	int64_t retry_in;
};

static void prefetch_free(struct prefetch *p)
{
	if (!p)
		return;
	if (p->call)
		call_drop(p->call, false);
	buf_release(&p->path);
	buf_release(&p->body);
	xfree(p);
}

void prefetch_release(struct subscription *sub)
{
	prefetch_free(sub->page);
	prefetch_free(sub->next_page);
	sub->page = sub->next_page = NULL;
}

/* ---- the answer ------------------------------------------------------------------ */

static void on_page_sent(void *ctx)
{
	const struct prefetch *p = ctx;

	if (p->taken)
		watch_sent(p->sub->watch, p->sub->session->now);
}

static void on_page_answered(void *ctx)
{
	struct prefetch *p = ctx;

	p->answered = true;
	if (p->taken)
		watch_answered(p->sub->watch, p->sub->session->now);
}

static int on_page_bytes(void *ctx, struct str bytes, struct err *err)
{
	struct prefetch *p = ctx;

	assert(p->read <= p->body.len && (p->sub->page == p || p->sub->next_page == p));
	if (p->taken && p->read == p->body.len) {
		if (watch_feed(p->sub->watch, bytes, p->sub->session->now, err) < 0)
			return -1;
		prefetch_next(p->sub);
		return 0;
	}
	buf_add(&p->body, bytes);
	p->useless = p->body.failed;
	return p->useless ? err_set(err, ERR_PROTO, "too much came too early") : 0;
}

static void on_page_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct prefetch *p = ctx;

	(void)c;
	p->call = NULL;
	p->why = why ? *why : (struct err){ 0 };
	p->retry_in = retry_in;
}

/* ---- asking ---------------------------------------------------------------------- */

void prefetch_next(struct subscription *sub)
{
	static const struct call_ops ops = { on_page_answered, on_page_bytes, on_page_end, on_page_sent };
	struct buf path = { 0 };
	struct prefetch *p;

	if (sub->next_page || !watch_next_page_path(sub->watch, &path))
		return;
	p = sub->next_page = xcalloc(1, sizeof(*p));
	p->sub = sub;
	p->body.max = LIMIT_PREFETCH;
	session_add_timeout(&path, sub->session->options.request_timeout);
	buf_add(&p->path, buf_str(&path));
	p->call = subscription_call(sub, buf_str(&p->path), &ops, p);
	http_send_first(sub->session->http);
	buf_release(&path);
}

bool prefetch_take(struct subscription *sub, struct str path)
{
	struct prefetch *p = sub->next_page;

	if (!p)
		return false;
	sub->next_page = NULL;
	if (p->useless || !str_eq(buf_str(&p->path), path)) {
		prefetch_free(p);
		return false;
	}
	assert(!sub->page && !sub->call && !p->taken);
	sub->page = p;
	p->taken = true;
	p->body.max = 3 * LIMIT_PREFETCH;
	watch_sent(sub->watch, sub->session->now);
	if (p->answered)
		watch_answered(sub->watch, sub->session->now);
	return true;
}

/* ---- reading --------------------------------------------------------------------- */

static int read_some(struct prefetch *p, struct err *err)
{
	struct str rest = str_head(str_from(buf_str(&p->body), p->read), READ_AT_ONCE);

	p->read += rest.len;
	if (rest.len && watch_feed(p->sub->watch, rest, p->sub->session->now, err) < 0)
		return -1;
	if (p->read == p->body.len) {
		buf_release(&p->body);
		p->read = 0;
	}
	prefetch_next(p->sub);
	return 0;
}

bool prefetch_waits(const struct subscription *sub)
{
	return sub->page && (sub->page->read < sub->page->body.len || !sub->page->call);
}

bool prefetch_read(struct subscription *sub)
{
	struct prefetch *p = sub->page;
	struct err err = { 0 };

	if (!p)
		return false;
	assert(p->sub == sub && p->taken);
	if (read_some(p, &err) < 0) {
		p->why = err;
		p->retry_in = -1;
	} else if (p->call || p->body.len) {
		return true;
	}
	err = p->why;
	sub->page = NULL;
	watch_ended(sub->watch, err.code == ERR_NONE ? NULL : &err, p->retry_in, sub->session->now);
	prefetch_free(p);
	return true;
}
