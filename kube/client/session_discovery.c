/* SPDX-License-Identifier: Apache-2.0 */
/* A round of discovery: cache, the two aggregated documents, or the legacy fan-out. */
#include "kube/client/session_private.h"

#include "kube/base/limits.h"
#include "kube/base/time.h"

#define TIMEOUT SECONDS(32)	/* DiscoveryClient's default */
#define FRESH HOURS(6)		/* as long as kubectl trusts its cache */

static void round_check(struct session *s);

static void announce(struct session *s, const struct discovery *d)
{
	struct err partial = { 0 };

	s->discovered = true;
	if (d->partial.len)
		err_set(&partial, ERR_SERVER, "unable to retrieve the complete list of server APIs: " STR_FMT,
			STR_ARG(buf_str(&d->partial)));
	s->ops->discovered(s->ctx, s, d->partial.len ? &partial : NULL);
}

/* ---- documents ------------------------------------------------------------------- */

static void read_document(struct discovery *d, const struct cached *doc)
{
	struct json json;
	struct err ignored;

	if (doc->body.len == 0 || json_parse(buf_str(&doc->body), &json, &ignored) < 0)
		return;
	discovery_read_aggregated(d, json);
	json_free(json);
}

static bool both_aggregated(const struct discovering_round *r)
{
	bool api = r->api.body.len == 0 || discovery_is_aggregated(buf_str(&r->api.content_type));

	return api && discovery_is_aggregated(buf_str(&r->apis.content_type));
}

static void read_aggregated(struct session *s)
{
	struct discovery d;

	discovery_begin(&d, s->kinds);
	read_document(&d, &s->round.api);
	read_document(&d, &s->round.apis);
	announce(s, &d);
	discovery_release(&d);
}

static void keep(struct session *s)
{
	discovery_cache_write(s->options.cache_dir, s->config->server, "api", &s->round.api);
	discovery_cache_write(s->options.cache_dir, s->config->server, "apis", &s->round.apis);
}

/* ---- legacy ---------------------------------------------------------------------- */

static void on_resources(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct session *s = ctx;
	struct json json;
	struct err err = { 0 };

	(void)retry_in;
	if (!why && json_parse(buf_str(&c->body), &json, &err) == 0) {
		discovery_read_resources(&s->round.legacy, json);
		json_free(json);
	} else {
		discovery_failed(&s->round.legacy, c->request.what, str_of(why ? why->msg : err.msg));
	}
	if (--s->round.legacy_left > 0)
		return;
	announce(s, &s->round.legacy);
	discovery_release(&s->round.legacy);
	s->round.stage = DISCOVERING_NOT;
}

static void ask_resources(void *ctx, struct str path)
{
	static const struct call_ops ops = { .end = on_resources };
	struct session *s = ctx;
	struct call_request r = {
		.path = path,
		.accept = STR("application/json, */*"),
		.timeout = TIMEOUT,
		.body_max = LIMIT_DISCOVERY,
		.what = str_from(path, str_starts(path, "/apis/") ? 6 : 5),
	};

	s->round.legacy_left++;
	call_new(s, &r, &ops, s);
}

static void ask_legacy(struct session *s, const struct cached *doc)
{
	struct json json;
	struct err ignored;

	if (doc->body.len && json_parse(buf_str(&doc->body), &json, &ignored) == 0) {
		discovery_paths(json, ask_resources, s);
		json_free(json);
	}
}

/* ---- the two roots --------------------------------------------------------------- */

static void fail(struct session *s, const struct err *why)
{
	s->round.stage = DISCOVERING_NOT;
	if (s->discovered)
		return;	/* the cache will do; what is wrong shows in the lists */
	session_set_state(s, s->state == SESSION_LIVE ? SESSION_FAILED : s->state, why);
	if (s->state == SESSION_FAILED || s->state == SESSION_RECONNECTING)
		s->ops->session_changed(s->ctx, s, s->state, why);
}

static void take_document(struct session *s, struct call *c, struct cached *doc)
{
	if (c->status == 304) {
		doc->fetched = s->now;
		return;
	}
	cached_release(doc);
	doc->fetched = s->now;
	buf_add(&doc->etag, buf_str(&c->etag));
	buf_add(&doc->content_type, buf_str(&c->content_type));
	buf_add(&doc->body, buf_str(&c->body));
}

static void round_check(struct session *s)
{
	struct discovering_round *r = &s->round;

	if (!r->api_known || !r->apis_known || r->failed)
		return;
	if (both_aggregated(r)) {
		r->stage = DISCOVERING_NOT;
		keep(s);
		read_aggregated(s);
		return;
	}
	r->stage = DISCOVERING_LEGACY;
	discovery_begin(&r->legacy, s->kinds);
	ask_legacy(s, &r->api);
	ask_legacy(s, &r->apis);
	if (r->legacy_left == 0) {
		announce(s, &r->legacy);
		r->stage = DISCOVERING_NOT;
	}
}

static void on_root(struct session *s, struct call *c, const struct err *why, bool is_api)
{
	struct discovering_round *r = &s->round;

	/* A server that is only an aggregated one has no core group. */
	if (why && !(is_api && c->status == 404)) {
		bool first = !r->failed;

		r->failed = true;
		if (first)
			fail(s, why);
		return;
	}
	if (!why)
		take_document(s, c, is_api ? &r->api : &r->apis);
	if (is_api)
		r->api_known = true;
	else
		r->apis_known = true;
	round_check(s);
}

static void on_api(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	(void)retry_in;
	on_root(ctx, c, why, true);
}

static void on_apis(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	(void)retry_in;
	on_root(ctx, c, why, false);
}

static void ask_roots(struct session *s)
{
	static const struct call_ops api = { .end = on_api }, apis = { .end = on_apis };
	struct call_request r = { .accept = STR(DISCOVERY_ACCEPT), .timeout = TIMEOUT, .body_max = LIMIT_DISCOVERY };

	s->round.stage = DISCOVERING_ROOTS;
	s->round.failed = s->round.api_known = s->round.apis_known = false;
	r.path = STR("/api?timeout=32s");
	r.etag = buf_str(&s->round.api.etag);
	call_new(s, &r, &api, s);
	r.path = STR("/apis?timeout=32s");
	r.etag = buf_str(&s->round.apis.etag);
	call_new(s, &r, &apis, s);
}

static bool read_cache(struct session *s, int64_t now)
{
	struct discovering_round *r = &s->round;
	const char *dir = s->options.cache_dir;

	if (r->apis.body.len == 0) {
		cached_release(&r->api);
		cached_release(&r->apis);
		discovery_cache_read(dir, s->config->server, "api", &r->api);
		discovery_cache_read(dir, s->config->server, "apis", &r->apis);
	}
	return r->apis.body.len && both_aggregated(r) && now - r->apis.fetched < FRESH;
}

void session_discover(struct session *s, bool cache_is_enough)
{
	bool warm = !s->discovered && read_cache(s, s->now);

	if (warm)
		read_aggregated(s);
	if ((!warm || !cache_is_enough) && s->round.stage == DISCOVERING_NOT)
		ask_roots(s);
}

bool session_discovered(const struct session *s)
{
	return s->discovered;
}

void discovery_round_release(struct session *s)
{
	cached_release(&s->round.api);
	cached_release(&s->round.apis);
	discovery_release(&s->round.legacy);
}
