/* SPDX-License-Identifier: Apache-2.0 */
/* One round of discovery: the cache, the two aggregated documents, or the many requests of the legacy form. */
#include "kube/api/session_private.h"

#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"

#define TIMEOUT SECONDS(32)	/* the default of DiscoveryClient */
#define FRESH HOURS(6)		/* for so long kubectl trusts its cache */
#define RETRY_LAST SECONDS(30)

enum {
	/*
	 * the first round, and 10 more when the server says when to try again or the connection broke, as in client-go
	 */
	ROUNDS = 11,
	PAGES_MAX = 2000	/* groups and versions that are read of a legacy server */
};

/* Discovery has answered, or failed: subscriptions that waited to know whether their kind is served go on. */
static void subscriptions_release(struct session *s)
{
	for (struct subscription *sub = s->subs; sub; sub = sub->next) {
		struct err *why = sub->held;

		sub->held = NULL;
		if (!why)
			continue;
		if (s->from_cache || session_lacks(s, sub->what.kind))
			watch_ended(sub->watch, why, -1, s->now);
		else
			watch_repeat(sub->watch, s->now);
		xfree(why);
	}
}

static void announce(struct session *s, struct discovery *d)
{
	struct str partial_words = buf_str(&d->partial);
	struct err partial = { 0 };

	map_release(&s->served);
	s->served = d->seen;
	buf_release(&s->unread);
	s->unread = d->failed;
	d->failed = (struct buf){ 0 };
	d->seen = (struct map){ 0 };
	/* A subscription whose kind was not known may go on; one whose kind was removed need not ask often. */
	for (struct subscription *sub = s->subs; sub; sub = sub->next)
		if (session_lacks(s, sub->what.kind))
			watch_settled(sub->watch);
		else if (watch_state(sub->watch) == SUBSCRIPTION_NOT_SERVED)
			watch_wake(sub->watch, s->now);
	s->discovered = true;
	s->round.stage = DISCOVERING_NOT;
	s->round.failures = 0;
	if (d->partial.len)
		err_set(&partial, ERR_SERVER, "unable to retrieve the complete list of server APIs: " STR_FMT,
			STR_ARG(partial_words));
	s->ops->discovered(s->ctx, s, d->partial.len ? &partial : NULL);
	if (!s->from_cache)
		subscriptions_release(s);
}

/* A server without a single kind is none; what was known of it before stays. */
static int announce_kinds(struct session *s, struct discovery *d, struct err *err)
{
	if (map_count(&d->seen)) {
		announce(s, d);
		return 0;
	}
	return err_set(err, ERR_PROTO, "the server names no kinds of objects%s%s", d->partial.len ? ": " : "", buf_cstr(&d->partial));
}

/* ---- documents ------------------------------------------------------------------- */

static bool both_aggregated(const struct discovering_round *r)
{
	bool api = r->api.body.len == 0 || discovery_is_aggregated(buf_str(&r->api.content_type));

	return api && discovery_is_aggregated(buf_str(&r->apis.content_type));
}

/* A server that only aggregates others has no core group, and so no document for it. */
static int read_groups(struct discovery *d, const struct cached *doc, struct err *err)
{
	return doc->body.len ? discovery_read_aggregated(d, buf_str(&doc->body), err) : 0;
}

/* A document that cannot be read is forgotten, with its ETag. */
static void forget_roots(struct session *s)
{
	cached_release(&s->round.api);
	cached_release(&s->round.apis);
}

static int read_aggregated(struct session *s, struct err *err)
{
	struct discovery d;
	int rc = -1;

	discovery_begin(&d, s->kinds);
	if (read_groups(&d, &s->round.api, err) == 0 && read_groups(&d, &s->round.apis, err) == 0)
		rc = announce_kinds(s, &d, err);
	if (rc < 0)
		forget_roots(s);
	discovery_release(&d);
	return rc;
}

static void keep(struct session *s)
{
	discovery_cache_write(s->options.cache_dir, s->config->server, "api", &s->round.api);
	discovery_cache_write(s->options.cache_dir, s->config->server, "apis", &s->round.apis);
}

/* ---- failures -------------------------------------------------------------------- */

static int64_t next_try(const struct discovering_round *r)
{
	unsigned doublings = r->failures < 5 ? r->failures : 5;
	int64_t wait = SECONDS(1) << doublings;

	return wait < RETRY_LAST ? wait : RETRY_LAST;
}

static void report_long_wait(struct session *s)
{
	const struct err *why = &s->round.err;
	struct buf text = { 0 };

	if (why->retry_after <= 5)
		return;
	buf_printf(&text, "the server asks to wait %d s before the next try (Retry-After): %s", why->retry_after, why->msg);
	s->ops->notice(s->ctx, s, buf_str(&text));
	buf_release(&text);
}

/* Returns true when a round that has failed is soon followed by another one. */
static bool is_tried_again(const struct session *s)
{
	const struct discovering_round *r = &s->round;
	int64_t timeout = s->options.request_timeout;

	return r->retry_in >= 0 && r->failures + 1 < ROUNDS && !(timeout && r->retry_in > timeout);
}

/*
 * When kinds were known before, a failure is only a remark.  Otherwise nothing works: a server that does not answer or
 * has failed may come back, one that refuses will not.
 */
static void fail(struct session *s)
{
	struct discovering_round *r = &s->round;
	bool again = is_tried_again(s);
	bool refuses = r->err.http_status >= 300 && r->err.http_status < 500 && r->err.code != ERR_AUTH;

	r->stage = DISCOVERING_NOT;
	if (r->failures++ == 0)
		r->failed_at = s->now;
	if (again) {
		r->retry_at = s->now + r->retry_in;
		report_long_wait(s);
		return;
	}
	subscriptions_release(s);
	if (s->discovered) {
		s->ops->discovered(s->ctx, s, &r->err);
		return;
	}
	if (!refuses)
		r->retry_at = s->now + next_try(r);
	if (s->state == SESSION_LIVE || s->state == SESSION_CONNECTING)
		session_set_state(s, refuses ? SESSION_FAILED : SESSION_RECONNECTING, &r->err);
}

static int64_t timeout_of(const struct session *s)
{
	int64_t wanted = s->options.request_timeout;

	return wanted > 0 && wanted < TIMEOUT ? wanted : TIMEOUT;
}

/* ---- legacy ---------------------------------------------------------------------- */

static void pages_release(struct discovering_round *r)
{
	for (size_t i = 0; i < r->npages; i++)
		buf_release(&r->pages[i].body);
	xfree(r->pages);
	arena_release(&r->arena);
	r->pages = NULL;
	r->npages = r->pages_cap = 0;
}

static struct str group_version(struct str path)
{
	return str_from(path, str_starts(path, "/apis/") ? 6 : 5);
}

/* The documents are read in their order, whichever answer came first, because the order decides about versions. */
static void read_pages(struct session *s)
{
	struct discovering_round *r = &s->round;
	struct discovery d;
	struct json doc;

	if (is_tried_again(s)) {
		pages_release(r);
		fail(s);
		return;
	}
	discovery_begin(&d, s->kinds);
	for (size_t i = 0; i < r->npages; i++) {
		struct resources_page *p = &r->pages[i];

		if (p->err.code == ERR_NONE && document_read(buf_str(&p->body), &doc, &p->err) == 0) {
			discovery_read_resources(&d, group_version(p->path), doc);
			json_free(doc);
		} else {
			discovery_failed(&d, group_version(p->path), str_of(p->err.msg));
		}
	}
	pages_release(r);
	if (announce_kinds(s, &d, &r->err) < 0)
		fail(s);
	discovery_release(&d);
}

static void on_resources(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct resources_page *p = ctx;
	struct discovering_round *r = &p->session->round;

	if (why)
		p->err = *why;
	if (why && retry_in > r->retry_in) {
		r->retry_in = retry_in;
		r->err = *why;
	}
	p->body = c->body;
	c->body = (struct buf){ 0 };
	if (--r->left == 0)
		read_pages(p->session);
}

static void add_page(void *ctx, struct str path)
{
	struct session *s = ctx;
	struct discovering_round *r = &s->round;

	if (r->npages >= PAGES_MAX)
		return;
	r->pages = xgrow(r->pages, r->npages, &r->pages_cap, sizeof(*r->pages));
	r->pages[r->npages++] = (struct resources_page){ .session = s, .path = arena_str(&r->arena, path) };
}

static void ask_pages(struct session *s)
{
	static const struct call_ops ops = { .end = on_resources };
	struct discovering_round *r = &s->round;

	r->stage = DISCOVERING_LEGACY;
	r->left = (unsigned)r->npages;
	for (size_t i = 0; i < r->npages; i++) {
		struct call_request request = {
			.path = r->pages[i].path,
			.accept = STR("application/json, */*"),
			.timeout = timeout_of(s),
			.body_max = LIMIT_DISCOVERY,
			.what = group_version(r->pages[i].path),
		};

		call_new(s, &request, &ops, &r->pages[i]);
	}
	if (r->npages == 0)
		read_pages(s);
}

static int parse(const struct cached *doc, const char *kind, struct json *out, struct err *err)
{
	*out = JSON_NONE;
	if (!doc->body.len)
		return 0;
	return document_read(buf_str(&doc->body), out, err) < 0 ? -1 : discovery_check(*out, kind, err);
}

static int begin_legacy(struct session *s, struct err *err)
{
	struct json api, apis = JSON_NONE;
	int rc = -1;

	if (parse(&s->round.api, "APIVersions", &api, err) == 0 && parse(&s->round.apis, "APIGroupList", &apis, err) == 0) {
		discovery_paths(api, add_page, s);
		discovery_paths(apis, add_page, s);
		ask_pages(s);
		rc = 0;
	} else {
		forget_roots(s);
	}
	json_free(api);
	json_free(apis);
	return rc;
}

/* ---- the two roots --------------------------------------------------------------- */

static int take_document(struct session *s, struct call *c, struct cached *doc, struct err *err)
{
	if (c->status != 304) {
		cached_release(doc);
		buf_add(&doc->etag, buf_str(&c->etag));
		buf_add(&doc->content_type, buf_str(&c->content_type));
		buf_add(&doc->body, str_trim(buf_str(&c->body)));
	}
	doc->fetched = s->now;
	return doc->body.len ? 0 : err_set(err, ERR_PROTO, "the server was asked for its kinds, and answered nothing (HTTP %d)", c->status);
}

static void roots_complete(struct session *s)
{
	struct discovering_round *r = &s->round;
	bool cached = s->from_cache;
	int rc = r->err.code == ERR_NONE ? 0 : -1;

	s->from_cache &= rc < 0;
	if (rc == 0 && !both_aggregated(r))
		rc = begin_legacy(s, &r->err);
	else if (rc == 0 && (rc = read_aggregated(s, &r->err)) == 0)
		keep(s);
	if (rc < 0) {
		s->from_cache = cached;
		fail(s);
	}
}

static void on_root(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct session *s = ctx;
	struct discovering_round *r = &s->round;
	bool is_api = str_starts(c->request.path, "/api?");
	struct err empty;

	if (!why && take_document(s, c, is_api ? &r->api : &r->apis, &empty) < 0)
		why = &empty;
	if (why && is_api && c->status == 404) {
		cached_release(&r->api);
	} else if (why && r->err.code == ERR_NONE) {
		r->err = *why;
		r->retry_in = retry_in;
	}
	if (--r->left == 0)
		roots_complete(s);
}

static void ask_root(struct session *s, const char *root, const struct cached *known)
{
	static const struct call_ops ops = { .end = on_root };
	struct call_request r = { .accept = STR(DISCOVERY_ACCEPT), .timeout = timeout_of(s),
				  .body_max = LIMIT_DISCOVERY, .etag = buf_str(&known->etag) };
	struct buf path = { 0 };

	buf_add_cstr(&path, root);
	session_add_timeout(&path, r.timeout);
	r.path = buf_str(&path);
	call_new(s, &r, &ops, s);
	buf_release(&path);
}

static void ask_roots(struct session *s)
{
	struct discovering_round *r = &s->round;

	r->stage = DISCOVERING_ROOTS;
	r->left = 2;
	r->err = (struct err){ 0 };
	r->retry_in = -1;
	r->retry_at = 0;
	ask_root(s, "/api", &r->api);
	ask_root(s, "/apis", &r->apis);
}

static bool read_cache(struct session *s)
{
	struct discovering_round *r = &s->round;
	const char *dir = s->options.cache_dir;
	struct err ignored;

	if (r->apis.body.len == 0) {
		forget_roots(s);
		discovery_cache_read(dir, s->config->server, "api", &r->api);
		discovery_cache_read(dir, s->config->server, "apis", &r->apis);
	}
	s->from_cache = true;
	s->from_cache = r->apis.body.len && both_aggregated(r) && r->apis.fetched <= s->now &&
			s->now - r->apis.fetched < FRESH && read_aggregated(s, &ignored) == 0;
	return s->from_cache;
}

void session_discover(struct session *s, bool cache_is_enough)
{
	bool warm = !s->discovered && read_cache(s);

	s->touched = true;	/* subscriptions that waited for that kind may go on */
	if ((warm && cache_is_enough) || s->round.stage != DISCOVERING_NOT)
		return;
	s->round.failures = 0;
	ask_roots(s);
}

void discovery_run(struct session *s)
{
	struct discovering_round *r = &s->round;

	if (r->stage == DISCOVERING_NOT && r->retry_at && s->now >= r->retry_at)
		ask_roots(s);
}

static struct str id_key(const struct kind *kind)
{
	return (struct str){ (const char *)&kind->id, sizeof(kind->id) };
}

bool session_lacks(const struct session *s, const struct kind *kind)
{
	struct str rest = buf_str(&s->unread), one;

	while (str_split(&rest, ',', &one)) {
		size_t group = str_find(one, '/');

		/* some words that stand for more than one version of a group have no slash */
		if (group == one.len || str_eq(str_head(one, group), kind->group))
			return false;
	}
	return s->discovered && !map_get(&s->served, id_key(kind));
}

struct str session_version(const struct session *s, const struct kind *kind)
{
	return str_of(map_get(&s->served, id_key(kind)));
}

bool session_discovered(const struct session *s)
{
	return s->discovered;
}

void discovery_round_release(struct session *s)
{
	cached_release(&s->round.api);
	cached_release(&s->round.apis);
	pages_release(&s->round);
	map_release(&s->served);
	buf_release(&s->unread);
}
