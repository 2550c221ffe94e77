/* SPDX-License-Identifier: Apache-2.0 */
/* Single requests: what somebody looks at, as a whole. */
#include "kube/api/session_private.h"

#include "kube/api/resource_path.h"
#include "kube/base/limits.h"

struct get {
	session_done done;
	void *ctx;
};

/* A refusal that is a Status object is an answer; half an answer is none. */
static void on_get_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct get *g = ctx;
	bool status = why && why->http_status && str_starts(buf_str(&c->body), "{");

	(void)retry_in;
	g->done(g->ctx, c->status, buf_str(&c->body), status ? NULL : why);
}

static void get(struct session *s, const char *path, struct call_request r, const struct get *answer)
{
	static const struct call_ops ops = { .end = on_get_end };
	struct buf full = { 0 };
	struct get *g;
	struct call *c;

	r.timeout = s->options.request_timeout;
	r.body_max = LIMIT_OBJECT;
	r.what = STR("get");
	buf_add_cstr(&full, path);
	session_add_timeout(&full, s->options.request_timeout);
	r.path = buf_str(&full);
	c = call_new(s, &r, &ops, NULL);
	c->ctx = g = arena_alloc(&c->arena, sizeof(*g));
	*g = *answer;
	buf_release(&full);
}

void session_get(struct session *s, const char *path, session_done done, void *ctx)
{
	get(s, path, (struct call_request){ .accept = STR("application/json") }, &(struct get){ done, ctx });
}

void session_get_text(struct session *s, const char *path, session_done done, void *ctx)
{
	get(s, path, (struct call_request){ .accept = STR("application/json, */*"), .text = true },
	    &(struct get){ done, ctx });
}

void session_path(const struct session *s, const struct kind *kind, struct str ns, struct str name,
		  struct buf *out)
{
	resource_path_add(out, &(struct resource_path){ kind, session_version(s, kind), ns, name });
}
