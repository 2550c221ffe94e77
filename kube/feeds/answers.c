/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sessions report: objects, lists, refusals, kinds.  The feed takes each report, and whoever has to know of it
 * is told.
 */
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

static void on_object(void *ctx, struct subscription *sub, enum object_event event, struct json object,
		      struct str raw)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);
	enum change change;
	bool had;

	(void)raw;
	if (!f)
		return;
	had = f->has.n > 0;
	c->feeds->objects++;
	c->feeds->last_event = judged_at(c->feeds);
	change = feed_object(f, event, object);
	if (had != (f->has.n > 0))
		feed_rank(f);
	if (f->controls && change != CHANGE_NONE)
		lookup_queue_waiters(f);
	if ((f->asked & ASKED_KINDS) && event != OBJECT_LISTED)
		definitions_changed(c);
}

/* ---- lists ------------------------------------------------------------------- */

static void on_list_begin(void *ctx, struct subscription *sub)
{
	struct feed *f = feed_of(ctx, sub);

	if (f)
		feed_list_begin(f);
}

static void list_ended(struct feed *f)
{
	bool first = feed_list_end(f);

	if (first && f->what.name.len == 0 && !feed_is_partial(f)) {
		/* From now on this list also covers what is asked for by name. */
		struct group *g = group_find(f->cluster, f->what.kind, f->what.ns);

		for (size_t i = 0; i < g->n; i++)
			if (g->feeds[i]->what.name.len)
				lookup_queue_waiters(g->feeds[i]);
	}
	if (f->controls)
		lookup_queue_waiters(f);
	if (first && f->narrowed) {
		f->narrowed->readable++;
		query_narrowed(f);
	}
}

static void on_list_end(void *ctx, struct subscription *sub)
{
	struct feed *f = feed_of(ctx, sub);

	if (!f)
		return;
	f->read = true;
	list_ended(f);
}

/* ---- states ------------------------------------------------------------------- */

static void on_forbidden(struct feed *f, const struct err *why)
{
	const struct store *store = f->cluster->feeds->o.store;
	bool again = f->forbidden;

	f->forbidden = true;
	/* A kind whose list is still refused keeps its notice. */
	if (f->asked || !f->what.name.len ||
	    store_coverage(store, f->cluster->index, f->what.kind, f->what.ns) != COVERAGE_FORBIDDEN)
		feed_begin_notice(f, "forbidden", str_of(why ? why->msg : ""));
	feed_set_coverage(f, COVERAGE_FORBIDDEN);
	/* A server that has just started may refuse everything for a moment. */
	if (again || !f->done)
		query_narrow(f);
}

/* A long wait gets a notice with its duration, a short one gets none. */
static void report_throttled(struct feed *f, const struct err *why)
{
	enum { LONG = 5 };	/* seconds */
	const struct feeds *o = f->cluster->feeds;
	struct buf text = { 0 };

	if (!why || why->retry_after <= LONG)
		return;
	buf_printf(&text, "the server asks to wait %d s before the next try (Retry-After): %s",
		   why->retry_after, why->msg);
	o->o.ops->notice(o->o.ctx, "throttled", f->what.kind->plural, STR_NONE, buf_str(&text));
	buf_release(&text);
}

/* Nothing more can be learnt of the kind for now. */
static void end_for_now(struct feed *f)
{
	bool first = !f->done;

	feed_set_done(f);
	if (first && f->narrowed)
		query_narrowed(f);
}

/* The kind delays nobody any more: a notice names it, and its list is requested again unless all is read once. */
static void go_on_without(struct feed *f, struct str why)
{
	feed_begin_notice(f, "unavailable", why);
	f->unread = !f->cluster->feeds->o.once && !f->gone;
	end_for_now(f);
}

/*
 * After that many failures in a row it is no accident.  A list that cannot be read at first will not be readable soon.
 */
static unsigned patience(const struct feed *f, enum errc code)
{
	if (code == ERR_NET || code == ERR_THROTTLED)
		return 4;
	return code == ERR_PROTO && !f->done ? 1 : 2;
}

/* A server that does not answer, or a login that is waited for, is no failure of one kind. */
static void note_failure(struct feed *f, const struct err *why)
{
	const struct cluster *c = f->cluster;

	if (why->code == ERR_AUTH || (why->code == ERR_NET && c->feeds->o.api->state(c->session) != SESSION_LIVE))
		return;
	f->failures++;
	if (f->failures >= patience(f, why->code))
		go_on_without(f, str_of(why->msg));
}

/* For so long no byte of a list has come while the server answers other requests. */
#define SILENT_LIST SECONDS(10)

static bool is_silent(const struct feed *f)
{
	const struct feeds *o = f->cluster->feeds;
	int64_t have, total;

	if (f->done || !f->asked || f->why || o->o.api->state(f->cluster->session) != SESSION_LIVE)
		return false;
	o->o.api->progress(f->sub, &have, &total);
	return have <= 0;
}

int64_t feeds_silent_at(const struct feeds *o)
{
	int64_t when = 0;

	for (size_t i = 0; i < o->nfeeds && o->undone && !o->o.once; i++)
		if (o->feeds[i]->opened_at + SILENT_LIST > o->now && is_silent(o->feeds[i]))
			when = time_earlier(when, o->feeds[i]->opened_at + SILENT_LIST);
	return when;
}

void feeds_note_silent(struct feeds *o)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < o->nfeeds && o->undone && !o->o.once; i++) {
		struct feed *f = o->feeds[i];

		if (o->now < f->opened_at + SILENT_LIST || !is_silent(f))
			continue;
		buf_reset(&text);
		buf_printf(&text, "the server has not answered its list for %lld s", (long long)((o->now - f->opened_at) / 1000));
		go_on_without(f, buf_str(&text));
	}
	buf_release(&text);
}

static bool lacks(const struct feed *f)
{
	return f->cluster->feeds->o.api->lacks(f->cluster->session, f->what.kind);
}

static void on_subscription(void *ctx, struct subscription *sub, enum subscription_state state,
			    const struct err *why)
{
	struct cluster *c = ctx;
	struct feed *f = feed_of(c, sub);

	if (!f)
		return;
	if (why && !f->why)
		f->why = xcalloc(1, sizeof(*f->why));
	if (why)
		*f->why = *why;
	switch (state) {
	case SUBSCRIPTION_FORBIDDEN:
		on_forbidden(f, why);
		end_for_now(f);
		break;
	case SUBSCRIPTION_NOT_SERVED:
	case SUBSCRIPTION_FAILED:
		/* there is no notice about a kind that the user did not name and the server does not serve */
		if (state == SUBSCRIPTION_FAILED || ((f->asked & ASKED_QUERY) && (c->feeds->query.n || !lacks(f))))
			go_on_without(f, str_of(why ? why->msg : ""));
		end_for_now(f);
		if (state == SUBSCRIPTION_NOT_SERVED && !f->gone)
			definitions_changed(c);
		break;
	case SUBSCRIPTION_LIVE:
		f->forbidden = f->unread = false;
		f->failures = 0;
		feed_end_notice(f);
		xfree(f->why);
		f->why = NULL;
		return;
	case SUBSCRIPTION_BACKOFF:
		report_throttled(f, why);
		if (why && !c->feeds->o.once)
			note_failure(f, why);
		return;
	case SUBSCRIPTION_IDLE:
	case SUBSCRIPTION_LISTING:
		return;
	}
	if (f->asked & ASKED_KINDS)
		definitions_refused(c);
}

static void on_session(void *ctx, struct session *s, enum session_state state, const struct err *why)
{
	const struct cluster *c = ctx;

	(void)s;
	c->feeds->o.ops->session_changed(c->feeds->o.ctx, c->index, state, why);
}

/*
 * There are no objects of a kind that is not served: its list counts as an empty one.  But those that were there, and whose watch
 * did not say that they were deleted with their definition, may be kept by an aggregated server that is registered no more.
 */
static void follow_kind(struct feed *f)
{
	struct cluster *c = f->cluster;
	bool gone = lacks(f);

	if (gone && !f->gone && f->has.n) {
		feed_let_go(f);
		feed_set_done(f);
		feed_begin_notice(f, "unavailable", STR("the server does not serve this kind any more: what has become of its objects is not known"));
	} else if (gone && !f->gone) {
		feed_list_begin(f);
		list_ended(f);
	}
	f->gone = gone;
	f->unread = f->unread && !gone;
	c->lost_kinds |= gone;
}

static uint32_t served_kinds(const struct feeds *o)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->o.kinds->count; i++)
		n += (o->o.kinds->all[i]->flags & KIND_DISCOVERED) != 0;
	return n;
}

static void on_discovered(void *ctx, struct session *s, const struct err *partial)
{
	struct cluster *c = ctx;
	struct feeds *o = c->feeds;

	(void)s;
	o->opens_new_kinds = c->discovered;
	c->discovered = true;
	for (size_t i = 0; i < o->nfeeds; i++)
		if (o->feeds[i]->cluster == c)
			follow_kind(o->feeds[i]);
	if (o->started) {
		query_open(o, c);	/* new kinds may have come */
		definitions_start(c);
		o->rescan |= served_kinds(o) != o->nserved;
	}
	o->opens_new_kinds = false;
	o->nserved = served_kinds(o);
	o->o.ops->discovered(o->o.ctx, c->index, partial);
	if (c->partial.len)
		o->o.ops->notice_over(o->o.ctx, "unavailable", STR("discovery"), STR_NONE, buf_str(&c->partial));
	buf_reset(&c->partial);
	if (!partial)
		return;
	buf_add_cstr(&c->partial, partial->msg);
	o->o.ops->notice(o->o.ctx, "unavailable", STR("discovery"), STR_NONE, buf_str(&c->partial));
}

static void on_notice(void *ctx, struct session *s, struct str text)
{
	const struct feeds *o = ((const struct cluster *)ctx)->feeds;

	(void)s;
	o->o.ops->notice(o->o.ctx, "warning", STR_NONE, STR_NONE, text);
}

const struct session_ops feeds_session_ops = {
	.discovered = on_discovered,
	.list_begin = on_list_begin,
	.list_end = on_list_end,
	.object = on_object,
	.subscription_changed = on_subscription,
	.session_changed = on_session,
	.notice = on_notice,
};
