/* SPDX-License-Identifier: Apache-2.0 */
/* One request of a session: headers, budget, the refreshed credential, the end. */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/api/answer.h"

#include <string.h>

/* As Go calls it. */
#if defined(__x86_64__)
#define ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#elif defined(__arm__)
#define ARCHITECTURE "arm"
#elif defined(__i386__)
#define ARCHITECTURE "386"
#elif defined(__powerpc64__)
#define ARCHITECTURE "ppc64le"
#elif defined(__s390x__)
#define ARCHITECTURE "s390x"
#else
#define ARCHITECTURE "unknown"
#endif

/* ---- budget ---------------------------------------------------------------------- */

static void refill(struct session *s)
{
	double earned = (double)(s->now - s->tokens_at) * LIMIT_REQUESTS_PER_SECOND / 1000.0;

	if (earned > 0)
		s->tokens += earned;
	if (s->tokens > LIMIT_REQUEST_BURST)
		s->tokens = LIMIT_REQUEST_BURST;
	s->tokens_at = s->now;
}

bool call_budget(struct session *s)
{
	refill(s);
	return s->in_flight < LIMIT_REQUESTS_IN_FLIGHT && s->tokens >= 1;
}

static void count(struct call *c, int more)
{
	struct session *s = c->session;

	if (c->request.stream) {
		s->streams = (unsigned)((int)s->streams + more);
		return;
	}
	s->in_flight = (unsigned)((int)s->in_flight + more);
	if (more > 0)
		s->tokens -= 1;
}

/* ---- life ------------------------------------------------------------------------ */

struct call *call_new(struct session *s, const struct call_request *r, const struct call_ops *ops, void *ctx)
{
	struct call *c = xcalloc(1, sizeof(*c)), **end = &s->calls;

	c->session = s;
	c->ops = ops;
	c->ctx = ctx;
	c->request = *r;
	c->request.path = arena_str(&c->arena, r->path);
	c->request.accept = arena_str(&c->arena, r->accept);
	c->request.etag = arena_str(&c->arena, r->etag);
	c->request.what = arena_str(&c->arena, r->what);
	c->request.listed = arena_str(&c->arena, r->listed);
	c->body.max = r->body_max;
	while (*end)
		end = &(*end)->next;
	*end = c;
	return c;
}

static void call_free(struct call *c)
{
	struct call **at = &c->session->calls;

	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	buf_release(&c->content_type);
	buf_release(&c->retry_after);
	buf_release(&c->etag);
	buf_release(&c->body);
	arena_release(&c->arena);
	xfree(c);
}

void call_drop(struct call *c, bool hang_up)
{
	if (c->transfer) {
		http_cancel(c->transfer, hang_up);
		count(c, -1);
	}
	call_free(c);
}

void calls_release(struct session *s)
{
	while (s->calls)
		call_drop(s->calls, false);
}

/* ---- answers --------------------------------------------------------------------- */

static void tell_warnings(struct session *s, struct str value)
{
	struct buf text = { 0 };

	while (answer_warning(&value, &text)) {
		s->ops->notice(s->ctx, s, buf_str(&text));
		buf_reset(&text);
	}
	buf_release(&text);
}

static void on_header(void *ctx, struct str name, struct str value)
{
	struct call *c = ctx;

	if (str_eq_nocase(name, STR("content-type")))
		buf_add(&c->content_type, value);
	else if (str_eq_nocase(name, STR("retry-after")))
		buf_add(&c->retry_after, value);
	else if (str_eq_nocase(name, STR("etag")))
		buf_add(&c->etag, value);
	else if (str_eq_nocase(name, STR("warning")) && c->session->ops->notice)
		tell_warnings(c->session, value);
}

static bool is_success(int status)
{
	return (status >= 200 && status < 300) || status == 304;
}

static void on_head(void *ctx, int status)
{
	struct call *c = ctx;

	c->status = status;
	c->session->heard = c->session->now;
	if (!is_success(status))
		return;
	/* A watch may go on for long before its end tells that all is well again. */
	c->session->losses = 0;
	if (c->session->state == SESSION_RECONNECTING)
		session_line_back(c->session);
	session_set_state(c->session, SESSION_LIVE, NULL);
	if (!c->request.text && answer_check_type(buf_str(&c->content_type), &c->err) < 0)
		return;
	if (c->ops->answered)
		c->ops->answered(c->ctx);
}

static int on_body(void *ctx, struct str bytes)
{
	struct call *c = ctx;

	c->session->heard = c->session->now;
	if (c->err.code != ERR_NONE)
		return -1;
	if (is_success(c->status) && c->ops->feed)
		return c->ops->feed(c->ctx, bytes, &c->err);
	buf_add(&c->body, bytes);
	if (!c->body.failed)
		return 0;
	return err_set(&c->err, ERR_PROTO, "the answer is larger than %zu MiB", c->body.max / MIB(1));
}

static int refused(struct call *c, struct err *err)
{
	struct answer a = {
		.status = c->status,
		.content_type = buf_str(&c->content_type),
		.body = buf_str(&c->body),
		.retry_after = buf_str(&c->retry_after),
		.what = c->request.what,
		.listed = c->request.listed,
	};

	return answer_error(&a, err);
}

/* What became of it; 0 is a success. */
static int outcome(struct call *c, const struct http_end *end, struct err *err, int64_t *out_retry_in)
{
	*out_retry_in = -1;
	if (c->err.code != ERR_NONE) {
		*err = c->err;
		return -1;
	}
	if (end->failure != HTTP_ANSWERED) {
		http_error(end, &c->session->server, err);
		if (c->session->config->from_default)
			err_hint(err, STR_FMT, STR_ARG(c->session->config->hint));
		*out_retry_in = end->failure == HTTP_LOST ? 1000 : -1;
		return -1;
	}
	if (is_success(c->status))
		return 0;
	refused(c, err);
	if (c->status == 429 || c->status >= 500) {
		int seconds = answer_retry_after(buf_str(&c->retry_after));

		*out_retry_in = seconds >= 0 ? (int64_t)seconds * 1000 : -1;
	}
	return -1;
}

/*
 * Lost connections are for the request to deal with, which is sent again
 * (client-go/rest/with_retry.go): before there is a screen, and when there is none.
 */
static bool told_by_the_last_try(const struct session *s)
{
	return s->options.once || !s->discovered;
}

/* The header of the screen follows what requests meet. */
static void note_state(struct call *c, const struct http_end *end, const struct err *why)
{
	struct session *s = c->session;

	if (end->failure == HTTP_ANSWERED || end->failure == HTTP_STOPPED) {
		s->losses = 0;
		s->multiplexed = end->multiplexed;
		s->multiplexed_known = true;
		session_set_state(s, c->status == 401 ? SESSION_UNAUTHENTICATED : SESSION_LIVE, why);
		return;
	}
	/* many requests may be lost with one connection */
	s->losses += s->lost_at != s->now;
	s->lost_at = s->now;
	if (end->failure != HTTP_LOST || (s->losses > 1 && !told_by_the_last_try(s)))
		session_set_state(s, SESSION_RECONNECTING, why);
}

/* Once more, as soon as there is a fresh credential. */
static bool try_again(struct call *c)
{
	if (c->status != 401 || c->retried || !credential_rejected(c->session->credential, c->session->now))
		return false;
	c->retried = true;
	c->status = 0;
	c->err = (struct err){ 0 };
	buf_reset(&c->content_type);
	buf_reset(&c->retry_after);
	buf_reset(&c->etag);
	buf_reset(&c->body);
	return true;
}

static void on_end(void *ctx, const struct http_end *end)
{
	struct call *c = ctx;
	struct err err = { 0 };
	int64_t retry_in;
	int result;

	c->transfer = NULL;
	count(c, -1);
	if (try_again(c))
		return;
	result = outcome(c, end, &err, &retry_in);
	note_state(c, end, result < 0 ? &err : NULL);
	c->ops->end(c->ctx, c, result < 0 ? &err : NULL, retry_in);
	call_free(c);
}

/* ---- sending --------------------------------------------------------------------- */

struct header_list {
	const char *lines[64];
	size_t n;
};

static void add_line(void *ctx, struct str line)
{
	struct header_list *h = ctx;

	if (h->n + 1 < sizeof(h->lines) / sizeof(h->lines[0]))
		h->lines[h->n++] = line.ptr;
}

static void add_headers(struct call *c, struct header_list *h)
{
	struct session *s = c->session;
	struct buf value = { 0 };

	add_line(h, arena_printf(&c->arena, "Accept: " STR_FMT, STR_ARG(c->request.accept)));
	add_line(h, arena_printf(&c->arena, "User-Agent: %s (linux/" ARCHITECTURE ")", s->options.user_agent));
	add_line(h, STR("Kubectl-Command: kubectl status"));
	add_line(h, arena_printf(&c->arena, "Kubectl-Session: " STR_FMT, STR_ARG(s->identity)));
	if (c->request.etag.len)
		add_line(h, arena_printf(&c->arena, "If-None-Match: " STR_FMT, STR_ARG(c->request.etag)));
	credential_authorization(s->credential, &value);
	if (value.len)
		add_line(h, arena_printf(&c->arena, "Authorization: " STR_FMT, STR_ARG(buf_str(&value))));
	buf_release(&value);
	credential_headers(s->config, &c->arena, add_line, h);
}

static void send_call(struct call *c)
{
	static const struct http_ops ops = { on_header, on_head, on_body, on_end };
	struct session *s = c->session;
	struct header_list headers = { { NULL }, 0 };
	struct http_request r = {
		.server = &s->server,
		.path = c->request.path,
		.headers = headers.lines,
		.timeout = c->request.timeout,
		.stream = c->request.stream,
	};

	s->server.ca_pem = credential_ca(s->credential);
	r.cert_pem = credential_cert(s->credential);
	r.key_pem = credential_key(s->credential);
	add_headers(c, &headers);
	count(c, 1);
	c->transfer = http_send(s->http, &r, &ops, c);
	if (!c->transfer) {
		struct http_end end = { .failure = HTTP_FAILED, .text = "the request could not be begun" };

		on_end(c, &end);
	}
}

void calls_send(struct session *s)
{
	struct call *c = s->calls;

	while (c) {
		struct call *next = c->next;

		if (!c->transfer && (c->request.stream || call_budget(s)))
			send_call(c);
		c = next;
	}
}
