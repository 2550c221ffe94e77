/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster: its lists and watches, single requests, and the state of the connection. */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/limits.h"
#include "kube/base/system.h"
#include "kube/base/time.h"
#include "kube/http/proxy.h"
#include "kube/api/answer.h"
#include "kube/api/resource_path.h"

#include <stdlib.h>
#include <string.h>

#define CREDENTIAL_RETRY SECONDS(10)
/*
 * While the server refuses the credential (401), one watch sends its request again at this interval, on behalf of all.
 */
#define REFUSED_RETRY SECONDS(10)
/* When a server that is watched has sent nothing for so long, it is asked for its version. */
#define PROBE_AFTER SECONDS(60)
#define PROBE_TIMEOUT SECONDS(15)
/* The interval of such requests while the server does not answer. */
#define OUTAGE_PROBE_AFTER SECONDS(2)
#define OUTAGE_PROBE_TIMEOUT SECONDS(5)
/*
 * The interval at which watches come back to a server that did not answer, and the time in which all of them come back.
 */
#define RETURN_STEP 5
#define RETURN_MAX 2500

/* ---- state ----------------------------------------------------------------------- */

/* The server answers again: requests that wait only because it did not answer are sent soon. */
static void server_answers(struct session *s)
{
	int64_t before = s->answered, delay = 0;

	s->answered = s->now;
	s->losses = 0;
	s->outage = false;
	if (!s->failing)
		return;
	s->failing = false;
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		if (watch_server_back(sub->watch, before, s->now + delay))
			delay = (delay + RETURN_STEP) % RETURN_MAX;
	/* discovery is repeated, too, unless it failed while other requests succeeded, or was given a Retry-After */
	if (s->round.retry_at > s->now && s->round.failed_at >= before && !s->round.err.retry_after)
		s->round.retry_at = s->now;
}

/* ---- requests: headers, budget, the refreshed credential, the end ------------------ */

/* ---- answers --------------------------------------------------------------------- */

static void report_warnings(struct session *s, struct str value)
{
	struct buf text = { 0 };

	while (answer_warning(&value, &text)) {
		s->ops->notice(s->ctx, s, buf_str(&text));
		buf_reset(&text);
	}
	buf_release(&text);
}

static void on_call_header(void *ctx, struct str name, struct str value)
{
	static const char *const names[] = {
		[CALL_TYPE] = "content-type", [CALL_RANGE] = "content-range", [CALL_ENCODING] = "content-encoding",
		[CALL_RETRY_AFTER] = "retry-after", [CALL_ETAG] = "etag",
	};
	struct call *c = ctx;

	for (int i = 0; i < CALL_HEADERS; i++)
		if (str_eq_nocase(name, str_of(names[i])))
			buf_add(&c->headers[i], value);
	if (str_eq_nocase(name, STR("warning")) && c->session->ops->notice)
		report_warnings(c->session, value);
}

static bool is_success(int status)
{
	return (status >= 200 && status < 300) || status == 304;
}

/* Sets the error for an answer that is certainly not what was asked for: a log is any text but a page of a proxy. */
static bool is_wanted_type(struct call *c)
{
	struct str type = buf_str(&c->headers[CALL_TYPE]);

	if (c->request.range.len || (c->request.text && !str_starts(type, "text/html")))
		return true;
	return answer_check_type(type, &c->err) == 0;
}

static void on_call_head(void *ctx, int status)
{
	struct call *c = ctx;

	c->status = status;
	c->session->touched = true;
	c->began = c->session->last_received = c->session->now;
	if (!is_success(status))
		return;
	/* A watch may last for a long time before its end tells that everything works again. */
	server_answers(c->session);
	session_set_state(c->session, SESSION_LIVE, NULL);
	if (!is_wanted_type(c))
		return;
	if (c->ops->answered)
		c->ops->answered(c->ctx);
}

static int on_call_body(void *ctx, struct str bytes)
{
	struct call *c = ctx;

	c->session->touched = true;
	c->session->last_received = c->session->now;
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
		.content_type = buf_str(&c->headers[CALL_TYPE]),
		.body = buf_str(&c->body),
		.retry_after = buf_str(&c->headers[CALL_RETRY_AFTER]),
		.what = c->request.what,
		.listed = c->request.listed,
	};

	return answer_error(&a, err);
}

/* Returns the error of the request; 0 for a success. */
static int outcome(struct call *c, const struct http_end *end, struct err *err, int64_t *out_retry_in)
{
	*out_retry_in = -1;
	if (c->err.code != ERR_NONE) {
		*err = c->err;
		return -1;
	}
	if (end->failure != HTTP_ANSWERED) {
		http_error(end, &c->session->server, err);
		*out_retry_in = end->failure == HTTP_LOST ? 1000 : -1;
		return -1;
	}
	if (is_success(c->status))
		return 0;
	refused(c, err);
	if (c->status == 429 || c->status >= 500) {
		int seconds = answer_retry_after(buf_str(&c->headers[CALL_RETRY_AFTER]));

		/* a server that asks for fewer requests is never asked again at once, even with Retry-After: 0 */
		*out_retry_in = seconds > 0 ? SECONDS(seconds) : seconds == 0 ? SECONDS(1) : -1;
	}
	return -1;
}

/*
 * Before the first answer, and when nothing is watched, a lost connection is no change of state: the request is sent
 * again (client-go/rest/with_retry.go), and only its last attempt is reported.
 */
static bool is_retried_silently(const struct session *s)
{
	return s->options.once || !s->discovered;
}

/* Status codes of a proxy before a server that does not answer, and of a server that has just started. */
static bool is_away(int status)
{
	return status == 502 || status == 503 || status == 504;
}

static enum answer_speed speed_of(const struct call *c, const struct http_end *end)
{
	if (c->status == 429 || (end->failure == HTTP_TIMEOUT && !c->status))
		return ANSWER_TOO_MUCH;
	return c->began ? ANSWER_IN_TIME : ANSWER_UNTIMED;
}

/* Nothing is watched then that could tell when the outage is over. */
static void note_outage(struct call *c, const struct http_end *end)
{
	struct session *s = c->session;
	bool lost = end->failure != HTTP_ANSWERED && end->failure != HTTP_STOPPED;

	if (s->outage || s->options.once || (!lost && !is_away(c->status)))
		return;
	for (const struct subscription *sub = s->subs; sub; sub = sub->next)
		if (watch_is_live(sub->watch))
			return;
	s->outage = true;
	s->probed = s->now;
}

/* The header of the screen shows what the requests have met. */
static void note_state(struct call *c, const struct http_end *end, const struct err *why)
{
	struct session *s = c->session;

	if (end->failure == HTTP_ANSWERED || end->failure == HTTP_STOPPED) {
		s->losses = 0;
		s->multiplexed_known = true;
		window_cap(&s->window, end->multiplexed ? LIMIT_REQUESTS_IN_FLIGHT : LIMIT_REQUESTS_HTTP1);
		s->multiplexed = end->multiplexed;
		s->refused = c->status == 401 ? s->now : s->refused;
		session_set_state(s, c->status == 401 ? SESSION_UNAUTHENTICATED : SESSION_LIVE, why);
		return;
	}
	/* one broken connection may end many requests */
	s->losses += s->lost_at != s->now;
	s->lost_at = s->now;
	if (end->failure != HTTP_LOST || (s->losses > 1 && !is_retried_silently(s)))
		session_set_state(s, SESSION_RECONNECTING, why);
}

/*
 * Sends the request once more as soon as there is a fresh credential; and again, if there is one by then that is
 * fresher still.
 */
static bool try_again(struct call *c)
{
	struct credential *credential = c->session->credential;

	if (c->status != 401 || (c->retried && c->token == credential_serial(credential)) ||
	    !credential_rejected(credential, c->token, c->session->now))
		return false;
	c->retried = true;
	c->status = 0;
	c->began = 0;
	c->err = (struct err){ 0 };
	c->session->unsent++;
	for (int i = 0; i < CALL_HEADERS; i++)
		buf_reset(&c->headers[i]);
	buf_reset(&c->body);
	return true;
}

static void on_call_end(void *ctx, const struct http_end *end)
{
	struct call *c = ctx;
	struct err err = { 0 };
	int64_t retry_in;
	int result;

	c->session->touched = true;
	c->transfer = NULL;
	call_arrived(c, speed_of(c, end));
	if (try_again(c))
		return;
	result = outcome(c, end, &err, &retry_in);
	/* nobody has named this server (localhost:8080), so any program may answer there */
	if (result < 0 && c->session->config->from_default && !c->session->discovered)
		err_hint(&err, STR_FMT, STR_ARG(c->session->config->hint));
	if (c->session->outage && c->status >= 400 && c->status < 500 && c->status != 429)
		server_answers(c->session);	/* a refusal is an answer, too */
	c->session->failing |= result < 0;
	note_state(c, end, result < 0 ? &err : NULL);
	c->ops->end(c->ctx, c, result < 0 ? &err : NULL, retry_in);
	note_outage(c, end);
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
	add_line(h, arena_printf(&c->arena, "User-Agent: %s (%s/%s)", s->options.user_agent,
				 system_name(), system_architecture()));
	add_line(h, STR("Kubectl-Command: kubectl status"));
	add_line(h, arena_printf(&c->arena, "Kubectl-Session: " STR_FMT, STR_ARG(s->identity)));
	if (c->request.range.len)
		add_line(h, ARENA_JOIN(&c->arena, STR("Range: "), c->request.range));
	if (c->request.etag.len)
		add_line(h, arena_printf(&c->arena, "If-None-Match: " STR_FMT, STR_ARG(c->request.etag)));
	credential_authorization(s->credential, &value);
	if (value.len)
		add_line(h, ARENA_JOIN(&c->arena, STR("Authorization: "), buf_str(&value)));
	buf_release(&value);
	credential_headers(s->config, &c->arena, add_line, h);
}

static void send_call(struct call *c)
{
	static const struct http_ops ops = { on_call_header, on_call_head, on_call_body, on_call_end };
	struct session *s = c->session;
	struct header_list headers = { { NULL }, 0 };
	struct http_request r = {
		.server = &s->server,
		.path = c->request.path,
		.headers = headers.lines,
		.timeout = c->request.timeout,
		.stream = c->request.stream,
		.fresh = c->request.fresh,
		.as_it_is = c->request.range.len > 0,
	};

	s->server.ca_pem = credential_ca(s->credential);
	r.cert_pem = credential_cert(s->credential);
	r.key_pem = credential_key(s->credential);
	add_headers(c, &headers);
	assert(!c->transfer && s->unsent > 0);
	c->sent = s->now;
	c->token = credential_serial(s->credential);
	s->unsent--;
	if (c->request.stream)
		s->streams++;
	else
		window_sent(&s->window);
	if (c->ops->sent)
		c->ops->sent(c->ctx);
	c->transfer = http_send(s->http, &r, &ops, c);
	if (!c->transfer) {
		struct http_end end = { .failure = HTTP_FAILED, .text = "libcurl does not take the request" };

		on_call_end(c, &end);
	}
}

static struct call *next_to_send(struct session *s)
{
	struct call *c = s->calls;

	while (c && (c->transfer || (!c->request.stream && !window_has_room(&s->window, s->now))))
		c = c->next;
	return c;
}

/*
 * A request that cannot be sent ends at once, and its owner may drop other requests or queue new ones: so the list is
 * read from its beginning each time.
 */
static void calls_send(struct session *s)
{
	for (unsigned most = s->unsent; most && s->unsent; most--) {
		struct call *c = next_to_send(s);

		if (!c)
			return;
		send_call(c);
	}
}

/* ---- single requests: what somebody looks at, as a whole ------------------------- */

struct get {
	session_done done;
	void *ctx;
	uint64_t from, n;	/* the bytes that are asked for; n is 0: all */
};

/* A refusal with a Status object is an answer; half an answer is none. */
static void on_get_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct get *g = ctx;
	bool status = why && why->http_status && str_starts(buf_str(&c->body), "{");
	struct answer_part part = { c->status, buf_str(&c->headers[CALL_TYPE]), buf_str(&c->headers[CALL_RANGE]), buf_str(&c->headers[CALL_ENCODING]),
				    c->body.failed ? g->n + 1 : c->body.len };
	struct err other;

	(void)retry_in;
	if (g->n && (!why || c->body.failed) && answer_check_part(&part, g->from, g->n, &other) < 0)
		why = &other;
	g->done(g->ctx, c->status, buf_str(&c->body), status ? NULL : why);
}

static void get(struct session *s, const char *path, struct call_request r, const struct get *answer)
{
	static const struct call_ops ops = { .end = on_get_end };
	struct buf full = { 0 };
	struct get *g;
	struct call *c;

	r.timeout = s->options.request_timeout;
	r.body_max = r.body_max ? r.body_max : LIMIT_OBJECT;
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
	get(s, path, (struct call_request){ .accept = STR("application/json") }, &(struct get){ .done = done, .ctx = ctx });
}

void session_get_metadata(struct session *s, const char *path, bool list, session_done done, void *ctx)
{
	get(s, path, (struct call_request){ .accept = str_of(watch_metadata_accept(list)) }, &(struct get){ .done = done, .ctx = ctx });
}

void session_get_text(struct session *s, const char *path, session_done done, void *ctx)
{
	get(s, path, (struct call_request){ .accept = STR("application/json, */*"), .text = true },
	    &(struct get){ .done = done, .ctx = ctx });
}

void session_get_bytes(struct session *s, const char *path, uint64_t from, size_t n, session_done done, void *ctx)
{
	struct arena arena = { 0 };

	get(s, path, (struct call_request){ .accept = STR("*/*"), .text = true, .body_max = n + 1, .range =
			arena_printf(&arena, "bytes=%llu-%llu", (unsigned long long)from, (unsigned long long)(from + n - 1)) },
	    &(struct get){ done, ctx, from, n });
	arena_release(&arena);
}

void session_path(const struct session *s, const struct kind *kind, struct str ns, struct str name,
		  struct buf *out)
{
	resource_path_add(out, &(struct resource_path){ kind, session_version(s, kind), ns, name });
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

/* The environment variable is that of client-go. */
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
				       .can_stream = streaming_lists(), .seed = system_random(),
				       .timeout = s->options.request_timeout };

	sub->session = s;
	sub->urgency = URGENCY_ASKED;
	sub->what = *what;
	sub->what.ns = arena_str(&sub->arena, what->ns);
	sub->what.name = arena_str(&sub->arena, what->name);
	sub->version_given = what->version.len > 0;
	sub->what.version = sub->version_given ? arena_str(&sub->arena, what->version) : session_version(s, what->kind);
	sub->what.label_selector = arena_str(&sub->arena, what->label_selector);
	sub->what.field_selector = arena_str(&sub->arena, what->field_selector);
	sub->watch = watch_new(&config, &ops, sub);
	while (*end)
		end = &(*end)->next;
	*end = sub;
	s->touched = true;
	return sub;
}

/* session_run() frees it, because the caller may be in one of its callbacks. */
void session_unsubscribe(struct subscription *sub)
{
	assert(!sub->dead);
	sub->dead = true;
	sub->session->touched = true;
}

void session_set_urgency(struct subscription *sub, enum urgency urgency)
{
	sub->session->touched |= sub->urgency != urgency;
	sub->urgency = urgency;
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

/* The credential was accepted for one watch, so it may be accepted for the others. */
static void wake_refused(struct session *s)
{
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		if (watch_is_refused(sub->watch))
			watch_wake(sub->watch, s->now);
}

/* The request has left this program's own queue: its time begins now. */
static void on_sent(void *ctx)
{
	const struct subscription *sub = ctx;

	watch_sent(sub->watch, sub->session->now);
}

static void on_answered(void *ctx)
{
	struct subscription *sub = ctx;
	bool refused = watch_is_refused(sub->watch);

	watch_answered(sub->watch, sub->session->now);
	if (refused)
		wake_refused(sub->session);
}

static int on_feed(void *ctx, struct str bytes, struct err *err)
{
	struct subscription *sub = ctx;

	if (watch_feed(sub->watch, bytes, sub->session->now, err) < 0)
		return -1;
	prefetch_next(sub);
	return 0;
}

/*
 * The server may serve the kind in another version by now.  A list is requested in one version from its first page on.
 * Returns true when the version has changed.
 */
static bool update_version(struct subscription *sub)
{
	struct str version = session_version(sub->session, sub->what.kind);

	if (sub->version_given || str_empty(version) || str_eq(version, sub->what.version))
		return false;
	sub->what.version = version;
	return true;
}

/*
 * The cache of kinds may be outdated: the first kind that is not served leads to a fresh discovery, for which all such
 * kinds wait.
 */
static bool hold(struct subscription *sub, const struct err *why)
{
	struct session *s = sub->session;

	assert(!sub->held);
	if (!s->from_cache)
		return false;
	sub->held = xcalloc(1, sizeof(*sub->held));
	*sub->held = *why;
	session_discover(s, false);
	return true;
}

/*
 * Returns true when it is not certain that the kind is not served: its list waits, or is requested in another version.
 */
static bool not_served_yet(struct subscription *sub, const struct err *why)
{
	if (!why || why->code != ERR_NOT_SERVED || !watch_lists(sub->watch))
		return false;
	if (hold(sub, why))
		return true;
	if (!update_version(sub))
		return false;
	watch_repeat(sub->watch, sub->session->now);
	return true;
}

static void on_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct subscription *sub = ctx;

	assert(sub->call == c);
	sub->call = NULL;
	if (!not_served_yet(sub, why))
		watch_ended(sub->watch, why, retry_in, sub->session->now);
}

static void send_subscription(struct session *s, struct subscription *sub)
{
	static const struct call_ops ops = { on_answered, on_feed, on_end, on_sent };
	struct buf path = { 0 };

	if (watch_begins(sub->watch))
		update_version(sub);
	watch_path(sub->watch, &path);
	if (!watch_streams(sub->watch))
		session_add_timeout(&path, s->options.request_timeout);
	if (!prefetch_take(sub, buf_str(&path))) {
		assert(!sub->call && !sub->dead);
		sub->call = subscription_call(sub, buf_str(&path), &ops, sub);
		watch_sent(sub->watch, s->now);
	}
	buf_release(&path);
}

/* Drops the request of the subscription together with its connection, which is not used again. */
static void cut(struct subscription *sub)
{
	struct session *s = sub->session;

	if (sub->call)
		call_drop(sub->call, true);
	sub->call = NULL;
	prefetch_release(sub);
	if (!watch_cut(sub->watch, s->now))
		return;
	s->failing = true;
	s->outage |= !s->options.once;
}

/* ---- room for watches: without multiplexing each takes a connection --------------- */

/*
 * Counts the watches that have a connection or are about to get one, and finds the least urgent of them; of several the
 * last one.
 */
static unsigned watches(const struct session *s, struct subscription **out_least)
{
	unsigned n = 0;

	*out_least = NULL;
	for (struct subscription *sub = s->subs; sub; sub = sub->next) {
		if (sub->dead || !watch_streams(sub->watch))
			continue;
		n++;
		if (!*out_least || sub->urgency <= (*out_least)->urgency)
			*out_least = sub;
	}
	return n;
}

/*
 * Makes room for another watch of that urgency.  Returns true when there was room, or a less urgent watch gave up its
 * connection.
 */
static bool make_room(struct session *s, unsigned more, enum urgency urgency)
{
	unsigned most = s->options.watches_http1 ? s->options.watches_http1 : LIMIT_WATCHES_HTTP1;
	struct subscription *least;

	if (!s->multiplexed_known || s->multiplexed)
		return true;
	while (watches(s, &least) + more > most) {
		if (!least || least->urgency >= urgency)
			return false;
		/* The connection of this watch is needed for a more urgent one, so its kind is polled. */
		if (least->call)
			call_drop(least->call, true);
		least->call = NULL;
		watch_poll(least->watch, least->session->now);
	}
	return true;
}

static struct subscription *most_urgent_polled(const struct session *s)
{
	struct subscription *most = NULL;

	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		if (!sub->dead && !sub->call && watch_wants_room(sub->watch) && (!most || sub->urgency > most->urgency))
			most = sub;
	return most;
}

/* Kinds that are polled for lack of room are watched again as soon as there is room. */
static void use_room(struct session *s)
{
	struct subscription *sub;

	while ((sub = most_urgent_polled(s)) && make_room(s, 1, sub->urgency)) {
		watch_resume(sub->watch, s->now);
		send_subscription(s, sub);
		calls_send(s);
	}
}

static void advance(struct session *s, struct subscription *sub)
{
	if (prefetch_read(sub))
		return;
	switch (watch_next(sub->watch, s->now)) {
	case WATCH_WAIT:
		break;
	case WATCH_CUT:
		cut(sub);
		break;
	case WATCH_SEND:
		if (watch_streams(sub->watch) && !make_room(s, 0, sub->urgency))
			watch_poll(sub->watch, s->now);
		else if (sub->next_page || watch_streams(sub->watch) || (s->unsent == 0 && window_has_room(&s->window, s->now)))
			send_subscription(s, sub);
		break;
	}
}

static void subscription_free(struct subscription *sub)
{
	prefetch_release(sub);
	watch_free(sub->watch);
	xfree(sub->held);
	arena_release(&sub->arena);
	xfree(sub);
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

static bool has_work(const struct session *s)
{
	return s->calls || s->subs;
}

/* Without an answer the connections are dead: watches that have received nothing since move to new connections. */
static void cut_silent(struct session *s)
{
	for (struct subscription *sub = s->subs; sub; sub = sub->next) {
		struct call *c = sub->call;

		if (!c || !c->transfer || !c->request.stream ||
		    s->now - subscription_freshness(sub, s->now).since < PROBE_AFTER)
			continue;
		cut(sub);
	}
}

static void on_probe_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct session *s = ctx;

	s->probe = NULL;
	if (why && !c->status)
		cut_silent(s);
	/* The server has said when the request makes sense again. */
	if (why && c->status && retry_in > OUTAGE_PROBE_AFTER)
		s->probed = s->now + retry_in - OUTAGE_PROBE_AFTER;
}

static int64_t probe_at(const struct session *s)
{
	if (s->probe)
		return s->probed + (s->outage ? OUTAGE_PROBE_TIMEOUT : PROBE_TIMEOUT);
	if (s->outage && has_work(s))
		return s->probed + OUTAGE_PROBE_AFTER;
	return s->streams && s->last_received ? s->last_received + PROBE_AFTER : 0;
}

/*
 * A server is known to work when it answers, whatever it answers.  While it does not, one request every 2 s finds out
 * for all that wait.
 */
static void probe(struct session *s)
{
	static const struct call_ops ops = { .end = on_probe_end };
	struct call_request r = { .path = STR("/version"), .accept = STR("application/json, */*"), .fresh = s->outage,
				  .body_max = LIMIT_ENVELOPE, .text = true, .what = STR("get version") };
	int64_t at = probe_at(s);

	if (!at || s->now < at)
		return;
	if (s->probe) {
		bool asked = s->probe->transfer != NULL;

		call_drop(s->probe, true);
		if (asked)	/* no request is sent while a login is waited for */
			cut_silent(s);
	}
	s->probed = s->now;
	s->probe = call_new(s, &r, &ops, s);
}

/* ---- life ------------------------------------------------------------------------ */

static void open_server(struct session *s, struct err *err)
{
	const char *no_http2 = getenv("DISABLE_HTTP2");

	if (url_parse(s->config->server, &s->server.url, err) < 0 ||
	    proxy_choose(s->config->proxy_url, &s->server.url, &s->proxy, err) < 0)
		return;
	s->server.proxy = buf_cstr(&s->proxy);
	s->server.tls_server_name = s->config->tls_server_name;
	s->server.ca_given = s->config->ca_given;
	s->server.insecure = s->config->insecure;
	s->server.compress = !s->config->disable_compression;
	s->server.http1_only = no_http2 && *no_http2;
}

static struct str new_identity(struct session *s)
{
	uint64_t a = system_random(), b = system_random();

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
	s->now = options->now;
	window_init(&s->window, s->now);
	/* this holds until it is known that one connection carries all requests */
	window_cap(&s->window, LIMIT_REQUESTS_HTTP1);
	s->identity = new_identity(s);
	s->credential = credential_new(config, options->interactive);
	s->state = SESSION_CONNECTING;
	s->touched = true;
	open_server(s, &s->broken);	/* the first session_run() reports it */
	return s;
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
	while (s->calls)
		call_drop(s->calls, false);
	discovery_round_release(s);
	credential_free(s->credential);
	buf_release(&s->proxy);
	buf_release(&s->credential_notice);
	arena_release(&s->arena);
	xfree(s);
}

enum session_state session_state(const struct session *s)
{
	return s->state;
}

int64_t session_last_received(const struct session *s)
{
	return s->last_received;
}

int64_t session_login_since(const struct session *s)
{
	return credential_waited_since(s->credential);
}

void session_set_interactive(struct session *s, bool interactive)
{
	credential_set_interactive(s->credential, interactive);
	s->touched = true;
}

/* ---- runs ------------------------------------------------------------------------ */

static void report_unauthenticated(struct session *s)
{
	struct err why = *credential_error(s->credential);

	if (str_starts(str_of(why.msg), "getting credentials"))
		err_context(&why, "Unable to connect to the server");
	session_set_state(s, SESSION_UNAUTHENTICATED, &why);
}

/* Reports a remark of the credential to the owner, once. */
static void report_credential(struct session *s)
{
	struct str notice = str_of(credential_notice(s->credential));

	if (str_eq(notice, buf_str(&s->credential_notice)))
		return;
	buf_reset(&s->credential_notice);
	buf_add(&s->credential_notice, notice);
	if (notice.len && s->ops->notice)
		s->ops->notice(s->ctx, s, notice);
}

/* Returns a request that has waited for a login for as long as --request-timeout. */
static struct call *next_to_give_up(const struct session *s)
{
	struct call *c = s->calls;

	while (c && (c->transfer || c->request.stream || s->now - c->queued < s->options.request_timeout))
		c = c->next;
	return c;
}

/*
 * --request-timeout includes the time that a request waits for a login; the plugin goes on.  The owner of a request
 * that ends may drop other requests, so the list is read from its beginning each time.
 */
static void give_up_waiting(struct session *s)
{
	int64_t since = credential_waited_since(s->credential), timeout = s->options.request_timeout;
	struct str plugin = str_empty(s->config->exec.command) ? STR("kubectl") : s->config->exec.command;
	struct call *c;
	struct err why;

	if (!since || !timeout || s->now - since < timeout)
		return;
	err_set(&why, ERR_AUTH, "Unable to connect to the server: getting credentials: exec: executable " STR_FMT
		" has not finished", STR_ARG(plugin));
	err_hint(&why, "gave up after %lld s, as --request-timeout says", (long long)(timeout / 1000));
	while ((c = next_to_give_up(s)) != NULL) {
		s->unsent--;
		c->ops->end(c->ctx, c, &why, -1);
		call_free(c);
	}
	s->woken = false;
	session_set_state(s, SESSION_UNAUTHENTICATED, &why);
}

static int64_t login_deadline(const struct session *s)
{
	int64_t since = credential_waited_since(s->credential);

	return since && s->options.request_timeout && s->state != SESSION_UNAUTHENTICATED ?
		since + s->options.request_timeout : 0;
}

/* Returns true when requests can be sent. */
static bool credential_ready(struct session *s)
{
	enum credential_state state = credential_run(s->credential, s->now);

	if (state == CREDENTIAL_FAILED && s->now < s->credential_retry)
		return false;
	state = credential_start(s->credential, s->now);
	report_credential(s);
	http_watch_fd(s->http, s, credential_fd(s->credential));
	if (state == CREDENTIAL_FAILED) {
		s->credential_retry = s->now + CREDENTIAL_RETRY;
		s->woken = false;
		report_unauthenticated(s);
	}
	give_up_waiting(s);
	if (state != CREDENTIAL_READY)
		return false;
	/* requests that were refused with the last credential may be accepted with this one */
	if ((!s->woken && s->state == SESSION_UNAUTHENTICATED) || s->token != credential_serial(s->credential))
		for (struct subscription *sub = s->subs; sub; sub = sub->next)
			watch_wake(sub->watch, s->now);
	s->token = credential_serial(s->credential);
	s->woken = true;
	return true;
}

/*
 * A connection keeps the certificate with which it was made.  When the client certificate or the certificate
 * authorities change, watches continue from where they are on a new connection (client-go/transport/cert_rotation.go).
 */
static void move_watches(struct session *s)
{
	uint32_t generation = credential_generation(s->credential);

	if (generation == s->certificates)
		return;
	s->certificates = generation;
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		if (sub->call && sub->call->transfer && watch_is_live(sub->watch))
			cut(sub);
}

static int64_t refused_retry_at(const struct session *s)
{
	return s->refused && !s->options.once ? s->refused + REFUSED_RETRY : 0;
}

/* A plugin is asked for another credential at the same interval, where the credential comes from a plugin. */
static void retry_refused(struct session *s)
{
	int64_t at = refused_retry_at(s);
	struct subscription *sub = s->subs;

	if (!at || s->now < at)
		return;
	while (sub && !(watch_is_refused(sub->watch) && watch_waits_for_retry(sub->watch)))
		sub = sub->next;
	s->refused = sub ? s->now : 0;
	if (sub)
		watch_wake(sub->watch, s->now);
}

static void run(struct session *s)
{
	discovery_run(s);
	probe(s);
	if ((!has_work(s) && credential_fd(s->credential) < 0) || !credential_ready(s))
		return;
	move_watches(s);
	retry_refused(s);
	calls_send(s);
	advance_all(s);
	use_room(s);
}

/* When there are many sessions, few of them have something to do in a turn of the loop. */
static bool has_nothing_to_do(const struct session *s)
{
	return !s->touched && !(s->due && s->now >= s->due) && credential_fd(s->credential) < 0;
}

/* Moves a time by as much as the clock was set back. */
static void clock_set_back(struct session *s, int64_t by)
{
	int64_t *const times[] = { &s->credential_retry, &s->refused, &s->last_received, &s->answered, &s->probed, &s->lost_at,
				   &s->round.retry_at, &s->round.failed_at, &s->window.reduced };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (*times[i] > by)
			*times[i] -= by;
	for (struct call *c = s->calls; c; c = c->next) {
		c->queued -= by;
		c->sent -= by;
		c->began -= c->began ? by : 0;
	}
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		watch_clock_back(sub->watch, by);
	s->touched = true;
}

int64_t session_retry_at(const struct session *s)
{
	int64_t when = 0;

	for (const struct subscription *sub = s->subs; sub; sub = sub->next)
		if (watch_waits_for_retry(sub->watch))
			when = time_earlier(when, watch_deadline(sub->watch));
	when = time_earlier(time_earlier(when, s->round.retry_at), refused_retry_at(s));
	return s->state == SESSION_UNAUTHENTICATED ? time_earlier(when, s->credential_retry) : when;
}

/*
 * The deadline of work that is done piece by piece: the time of this run, so that a loop which serves it in each turn sees
 * another deadline each time, and not one that nobody serves.
 */
static int64_t at_once(const struct session *s)
{
	return s->now ? s->now : 1;
}

/*
 * A request that waits for room in the budget is sent after the end of another request, or with the next token of the
 * budget.
 */
static int64_t next_due(const struct session *s)
{
	int64_t when = has_work(s) ? credential_deadline(s->credential) : 0;
	enum credential_state state = credential_state(s->credential);
	bool wants_room = false;

	if (s->broken.code != ERR_NONE)
		return at_once(s);
	if (s->state == SESSION_FAILED)
		return 0;
	when = time_earlier(time_earlier(when, s->round.retry_at), probe_at(s));
	if (!has_work(s))
		return when;
	if (state == CREDENTIAL_FAILED)
		return time_earlier(when, s->credential_retry);
	if (state == CREDENTIAL_RUNNING)	/* the plugin's pipe wakes the loop; or the plugin is not started yet */
		when = time_earlier(when, login_deadline(s));
	if (state == CREDENTIAL_RUNNING)
		return when || credential_fd(s->credential) >= 0 ? when : at_once(s);
	when = time_earlier(when, refused_retry_at(s));
	for (const struct subscription *sub = s->subs; sub; sub = sub->next) {
		bool send = watch_next(sub->watch, s->now) == WATCH_SEND;

		if (prefetch_waits(sub))
			when = at_once(s);
		else if (!send)
			when = time_earlier(when, watch_deadline(sub->watch));
		else if (watch_streams(sub->watch))
			when = at_once(s);
		else
			wants_room = true;
	}
	if (wants_room || s->unsent)
		when = time_earlier(when, window_deadline(&s->window, s->now));
	return when;
}

int64_t session_deadline(const struct session *s)
{
	return s->touched || credential_fd(s->credential) >= 0 ? next_due(s) : s->due;
}

void session_run(struct session *s, int64_t now)
{
	if (now < s->now)
		clock_set_back(s, s->now - now);
	s->now = now;
	if (s->broken.code != ERR_NONE) {
		struct err why = s->broken;

		s->broken.code = ERR_NONE;
		session_set_state(s, SESSION_FAILED, &why);
		s->touched = true;
		return;
	}
	if (s->state == SESSION_FAILED)
		return;
	http_run(s->http, now);
	if (has_nothing_to_do(s))
		return;
	s->touched = false;
	run(s);
	s->due = next_due(s);
}
