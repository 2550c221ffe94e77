/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster: its lists and watches, single requests, and how the connection fares. */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/http/proxy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { STREAMS_HTTP1 = 16 };	/* each is a connection of its own there */

#define CREDENTIAL_RETRY SECONDS(10)
/* A server that is watched and silent for so long is asked whether it is there. */
#define PROBE_AFTER SECONDS(60)
#define PROBE_TIMEOUT SECONDS(15)

/* ---- life ------------------------------------------------------------------------ */

static uint64_t random_number(void)
{
	uint64_t n = 0;

	if (getrandom(&n, sizeof(n), 0) != (ssize_t)sizeof(n))
		n = 0x9E3779B97F4A7C15u;
	return n;
}

static int open_server(struct session *s, struct err *err)
{
	const char *no_http2 = getenv("DISABLE_HTTP2");

	if (url_parse(s->config->server, &s->server.url, err) < 0 ||
	    proxy_choose(s->config->proxy_url, &s->server.url, &s->proxy, err) < 0)
		return -1;
	s->server.proxy = buf_cstr(&s->proxy);
	s->server.tls_server_name = s->config->tls_server_name;
	s->server.ca_given = s->config->ca_given;
	s->server.insecure = s->config->insecure;
	s->server.compress = !s->config->disable_compression;
	s->server.http1_only = no_http2 && *no_http2;
	return 0;
}

static struct str new_identity(struct session *s)
{
	uint64_t a = random_number(), b = random_number();

	return arena_printf(&s->arena, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(a >> 32), (unsigned)(a >> 16 & 0xFFFF),
			    (unsigned)(a & 0xFFF), (unsigned)(0x8000 | (b >> 48 & 0x3FFF)),
			    (unsigned long long)(b & 0xFFFFFFFFFFFFu));
}

struct session *session_new(struct http *h, const struct client_config *config, struct kinds *kinds,
			    const struct session_options *options, const struct session_ops *ops, void *ctx)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->http = h;
	s->config = config;
	s->kinds = kinds;
	s->options = *options;
	s->ops = ops;
	s->ctx = ctx;
	s->now = s->tokens_at = options->now;
	s->tokens = LIMIT_REQUEST_BURST;
	s->identity = new_identity(s);
	s->credential = credential_new(config, options->interactive);
	s->state = open_server(s, &s->broken) < 0 ? SESSION_FAILED : SESSION_CONNECTING;
	return s;
}

static void subscription_free(struct subscription *sub)
{
	ahead_release(sub);
	watch_free(sub->watch);
	arena_release(&sub->arena);
	xfree(sub);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	http_watch_fd(s->http, s, -1);
	while (s->subs) {
		struct subscription *next = s->subs->next;

		subscription_free(s->subs);
		s->subs = next;
	}
	calls_release(s);
	discovery_round_release(s);
	credential_free(s->credential);
	buf_release(&s->proxy);
	arena_release(&s->arena);
	xfree(s);
}

uint16_t session_cluster(const struct session *s)
{
	return s->options.cluster;
}

const struct client_config *session_config(const struct session *s)
{
	return s->config;
}

enum session_state session_state(const struct session *s)
{
	return s->state;
}

int64_t session_heard(const struct session *s)
{
	return s->heard;
}

int64_t session_login_since(const struct session *s)
{
	return credential_waited_since(s->credential);
}

void session_set_interactive(struct session *s, bool interactive)
{
	credential_set_interactive(s->credential, interactive);
}

void session_set_state(struct session *s, enum session_state state, const struct err *why)
{
	bool same = s->state == state;

	s->state = state;
	if (!same)
		s->ops->session_changed(s->ctx, s, state, why);
}

/* ---- subscriptions --------------------------------------------------------------- */

static void on_list_begin(void *ctx)
{
	struct subscription *sub = ctx;

	if (!sub->dead)
		sub->session->ops->list_begin(sub->session->ctx, sub);
}

static void on_list_end(void *ctx)
{
	struct subscription *sub = ctx;

	if (!sub->dead)
		sub->session->ops->list_end(sub->session->ctx, sub);
}

static void on_object(void *ctx, enum object_event event, struct json object, struct str raw)
{
	struct subscription *sub = ctx;

	if (!sub->dead)
		sub->session->ops->object(sub->session->ctx, sub, event, object, raw);
}

static void on_changed(void *ctx, enum subscription_state state, const struct err *why)
{
	struct subscription *sub = ctx;

	if (!sub->dead)
		sub->session->ops->subscription_changed(sub->session->ctx, sub, state, why);
}

/* By the same switch as in kubectl's own library. */
static bool streaming_lists(void)
{
	const char *wanted = getenv("KUBE_FEATURE_WatchListClient");

	return !wanted || strcmp(wanted, "false") != 0;
}

struct subscription *session_subscribe(struct session *s, const struct subscribe *what)
{
	static const struct watch_ops ops = { on_list_begin, on_list_end, on_object, on_changed };
	struct subscription *sub = xcalloc(1, sizeof(*sub)), **end = &s->subs;
	struct watch_config config = { .what = &sub->what, .can_watch = (what->kind->flags & KIND_WATCH) != 0,
				       .can_stream = streaming_lists(), .seed = random_number() };

	sub->session = s;
	sub->what = *what;
	sub->what.ns = arena_str(&sub->arena, what->ns);
	sub->what.name = arena_str(&sub->arena, what->name);
	sub->what.version = what->version.len ? arena_str(&sub->arena, what->version) : session_version(s, what->kind);
	sub->what.label_selector = arena_str(&sub->arena, what->label_selector);
	sub->what.field_selector = arena_str(&sub->arena, what->field_selector);
	sub->watch = watch_new(&config, &ops, sub);
	while (*end)
		end = &(*end)->next;
	*end = sub;
	return sub;
}

/* Freed by session_run(): the caller may stand in one of its callbacks. */
void session_unsubscribe(struct subscription *sub)
{
	sub->dead = true;
}

const struct subscribe *subscription_what(const struct subscription *sub)
{
	return &sub->what;
}

struct session *subscription_session(const struct subscription *sub)
{
	return sub->session;
}

enum subscription_state subscription_state(const struct subscription *sub)
{
	return watch_state(sub->watch);
}

struct subscription_freshness subscription_freshness(const struct subscription *sub, int64_t now)
{
	return watch_freshness(sub->watch, now);
}

void subscription_progress(const struct subscription *sub, int64_t *out_have, int64_t *out_total)
{
	watch_progress(sub->watch, out_have, out_total);
}

static void on_answered(void *ctx)
{
	struct subscription *sub = ctx;

	watch_answered(sub->watch, sub->session->now);
}

static int on_feed(void *ctx, struct str bytes, struct err *err)
{
	struct subscription *sub = ctx;

	if (watch_feed(sub->watch, bytes, sub->session->now, err) < 0)
		return -1;
	ahead_look(sub);
	return 0;
}

static void on_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct subscription *sub = ctx;

	(void)c;
	sub->call = NULL;
	watch_ended(sub->watch, why, retry_in, sub->session->now);
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

static void send_subscription(struct session *s, struct subscription *sub)
{
	static const struct call_ops ops = { on_answered, on_feed, on_end };
	struct buf path = { 0 };

	watch_path(sub->watch, &path);
	if (!watch_streams(sub->watch))
		session_add_timeout(&path, s->options.request_timeout);
	if (!ahead_take(sub, buf_str(&path))) {
		sub->call = subscription_call(sub, buf_str(&path), &ops, sub);
		watch_sent(sub->watch, s->now);
	}
	buf_release(&path);
}

/* Without multiplexing each watch is a connection: beyond some of them it is polled. */
static bool too_many_streams(const struct session *s)
{
	return s->multiplexed_known && !s->multiplexed && s->streams >= STREAMS_HTTP1;
}

static unsigned waiting_calls(const struct session *s)
{
	unsigned n = 0;

	for (const struct call *c = s->calls; c; c = c->next)
		n += !c->transfer;
	return n;
}

static void advance(struct session *s, struct subscription *sub)
{
	if (ahead_read(sub))
		return;
	switch (watch_next(sub->watch, s->now)) {
	case WATCH_WAIT:
		break;
	case WATCH_CUT:
		if (sub->call)
			call_drop(sub->call, true);
		sub->call = NULL;
		watch_cut(sub->watch, s->now);
		break;
	case WATCH_SEND:
		if (watch_streams(sub->watch) && too_many_streams(s))
			watch_poll(sub->watch, s->now);
		else if (sub->ahead || watch_streams(sub->watch) || (call_budget(s) && waiting_calls(s) == 0))
			send_subscription(s, sub);
		break;
	}
}

static void advance_all(struct session *s)
{
	struct subscription **at = &s->subs;

	while (*at) {
		struct subscription *sub = *at;

		if (sub->dead) {
			*at = sub->next;
			if (sub->call)
				call_drop(sub->call, false);
			subscription_free(sub);
			continue;
		}
		advance(s, sub);
		calls_send(s);
		at = &sub->next;
	}
}

/* ---- probes ---------------------------------------------------------------------- */

/* Without an answer the connections are dead: the watches on them that told nothing since go to new ones. */
static void cut_silent(struct session *s)
{
	for (struct subscription *sub = s->subs; sub; sub = sub->next) {
		struct call *c = sub->call;

		if (!c || !c->transfer || !c->request.stream ||
		    s->now - subscription_freshness(sub, s->now).since < PROBE_AFTER)
			continue;
		sub->call = NULL;
		call_drop(c, true);
		watch_cut(sub->watch, s->now);
	}
}

static void on_probe_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct session *s = ctx;

	(void)retry_in;
	s->probe = NULL;
	if (why && !c->status)
		cut_silent(s);
}

static int64_t probe_at(const struct session *s)
{
	return s->streams && s->heard && !s->probe ? s->heard + PROBE_AFTER : 0;
}

/* The server is known to be there when it answers, whatever it answers. */
static void probe_silent(struct session *s)
{
	static const struct call_ops ops = { .end = on_probe_end };
	struct call_request r = { .path = STR("/version"), .accept = STR("application/json, */*"), .timeout = PROBE_TIMEOUT,
				  .body_max = LIMIT_ENVELOPE, .text = true, .what = STR("get version") };
	int64_t at = probe_at(s);

	if (at && s->now >= at)
		s->probe = call_new(s, &r, &ops, s);
}

/* ---- turns ----------------------------------------------------------------------- */

static void wake_all(struct session *s)
{
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		watch_wake(sub->watch, s->now);
}

void session_line_back(struct session *s)
{
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		watch_line_back(sub->watch, s->now);
}

static bool has_work(const struct session *s)
{
	return s->calls || s->subs;
}

static void tell_unauthenticated(struct session *s)
{
	struct err why = *credential_error(s->credential);

	if (str_starts(str_of(why.msg), "getting credentials"))
		err_context(&why, "Unable to connect to the server");
	session_set_state(s, SESSION_UNAUTHENTICATED, &why);
}

/* True when requests can be sent. */
static bool credential_ready(struct session *s)
{
	enum credential_state state = credential_run(s->credential, s->now);

	if (state == CREDENTIAL_FAILED && s->now < s->credential_retry)
		return false;
	state = credential_start(s->credential, s->now);
	http_watch_fd(s->http, s, credential_fd(s->credential));
	if (state == CREDENTIAL_FAILED) {
		s->credential_retry = s->now + CREDENTIAL_RETRY;
		s->woken = false;
		tell_unauthenticated(s);
	}
	if (state != CREDENTIAL_READY)
		return false;
	if (!s->woken && s->state == SESSION_UNAUTHENTICATED)
		wake_all(s);
	s->woken = true;
	return true;
}

void session_run(struct session *s, int64_t now)
{
	s->now = now;
	if (s->broken.code != ERR_NONE) {
		struct err why = s->broken;

		s->broken.code = ERR_NONE;
		s->ops->session_changed(s->ctx, s, SESSION_FAILED, &why);
		return;
	}
	if (s->state == SESSION_FAILED)
		return;
	http_run(s->http, now);
	discovery_run(s);
	probe_silent(s);
	if ((!has_work(s) && credential_fd(s->credential) < 0) || !credential_ready(s))
		return;
	calls_send(s);
	advance_all(s);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

int64_t session_retry_at(const struct session *s)
{
	int64_t when = 0;

	for (const struct subscription *sub = s->subs; sub; sub = sub->next)
		if (watch_waits_for_retry(sub->watch))
			when = earlier(when, watch_deadline(sub->watch));
	when = earlier(when, s->round.retry_at);
	return s->state == SESSION_UNAUTHENTICATED ? earlier(when, s->credential_retry) : when;
}

/* What waits for room in the budget is woken by the end of another request, or by a token. */
int64_t session_deadline(const struct session *s)
{
	int64_t when = has_work(s) ? credential_deadline(s->credential) : 0;
	enum credential_state state = credential_state(s->credential);

	if (s->broken.code != ERR_NONE)
		return 1;
	if (s->state == SESSION_FAILED)
		return 0;
	when = earlier(earlier(when, s->round.retry_at), probe_at(s));
	if (!has_work(s))
		return when;
	if (state == CREDENTIAL_FAILED)
		return earlier(when, s->credential_retry);
	if (state == CREDENTIAL_RUNNING)	/* its pipe wakes us; or it has not been started yet */
		return when || credential_fd(s->credential) >= 0 ? when : 1;
	for (const struct subscription *sub = s->subs; sub; sub = sub->next) {
		bool send = watch_next(sub->watch, s->now) == WATCH_SEND;

		if (ahead_waits(sub))
			when = 1;
		else if (!send)
			when = earlier(when, watch_deadline(sub->watch));
		else if (watch_streams(sub->watch))
			when = 1;
		else if (s->in_flight < LIMIT_REQUESTS_IN_FLIGHT)
			when = earlier(when, s->tokens >= 1 ? 1 : s->now + 20);
	}
	if (waiting_calls(s) && s->in_flight < LIMIT_REQUESTS_IN_FLIGHT)
		when = earlier(when, s->tokens >= 1 ? 1 : s->now + 20);
	return when;
}
