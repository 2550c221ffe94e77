/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a session: made, queued and dropped.  session.c sends them and reads their answers. */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"

void session_set_state(struct session *s, enum session_state state, const struct err *why)
{
	bool same = s->state == state;

	assert(s->state != SESSION_FAILED || same);
	s->state = state;
	if (!same)
		s->ops->session_changed(s->ctx, s, state, why);
}

struct call *call_new(struct session *s, const struct call_request *r, const struct call_ops *ops, void *ctx)
{
	struct call *c = xcalloc(1, sizeof(*c)), **end = &s->calls;

	c->session = s;
	c->queued = s->now;
	c->ops = ops;
	c->ctx = ctx;
	c->request = *r;
	c->request.path = arena_str(&c->arena, r->path);
	c->request.accept = arena_str(&c->arena, r->accept);
	c->request.etag = arena_str(&c->arena, r->etag);
	c->request.range = arena_str(&c->arena, r->range);
	c->request.what = arena_str(&c->arena, r->what);
	c->request.listed = arena_str(&c->arena, r->listed);
	c->body.max = r->body_max;
	while (*end)
		end = &(*end)->next;
	*end = c;
	s->unsent++;
	s->touched = true;
	return c;
}

void call_free(struct call *c)
{
	struct call **at = &c->session->calls;

	while (*at && *at != c)
		at = &(*at)->next;
	assert(*at == c && !c->transfer);
	*at = c->next;
	for (int i = 0; i < CALL_HEADERS; i++)
		buf_release(&c->headers[i]);
	buf_release(&c->body);
	arena_release(&c->arena);
	xfree(c);
}

void call_arrived(struct call *c, enum answer_speed speed)
{
	struct session *s = c->session;

	assert(!c->request.stream || s->streams > 0);
	if (c->request.stream)
		s->streams--;
	else
		window_ended(&s->window, speed, c->sent, (c->began ? c->began : s->now) - c->sent, s->now);
}

void call_drop(struct call *c, bool hang_up)
{
	if (c->transfer) {
		http_cancel(c->transfer, hang_up);
		c->transfer = NULL;
		call_arrived(c, ANSWER_UNTIMED);
	} else {
		assert(c->session->unsent > 0);
		c->session->unsent--;
	}
	call_free(c);
}

void session_add_timeout(struct buf *path, int64_t ms)
{
	struct buf text = { 0 };

	if (ms <= 0)
		return;
	if (ms % 1000)
		buf_printf(&text, "%lldms", (long long)ms);
	else
		buf_printf(&text, "%llds", (long long)(ms / 1000));
	url_add_query(path, "timeout", buf_str(&text));
	buf_release(&text);
}

/* ---- requests of subscriptions --------------------------------------------------- */

static void describe(const struct subscribe *what, struct arena *arena, struct call_request *r)
{
	char api_version[256];

	kind_api_version(what->kind, api_version, sizeof(api_version));
	r->listed = arena_printf(arena, "%s, Resource=" STR_FMT, api_version, STR_ARG(what->kind->plural));
	r->what = arena_printf(arena, "get " STR_FMT "%s" STR_FMT, STR_ARG(what->kind->plural),
			       what->kind->group.len ? "." : "", STR_ARG(what->kind->group));
}

struct call *subscription_call(struct subscription *sub, struct str path, const struct call_ops *ops, void *ctx)
{
	struct session *s = sub->session;
	struct call_request r = { .stream = watch_streams(sub->watch), .body_max = LIMIT_ENVELOPE, .path = path };
	struct arena arena = { 0 };
	struct call *c;

	if (!r.stream)
		r.timeout = s->options.request_timeout;
	r.accept = str_of(watch_accept(sub->watch));
	describe(&sub->what, &arena, &r);
	c = call_new(s, &r, ops, ctx);
	arena_release(&arena);
	return c;
}
