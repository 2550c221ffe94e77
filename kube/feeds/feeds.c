/* SPDX-License-Identifier: Apache-2.0 */
/* The life of the feeds, and their turns: what was read is judged, and what has to be read next is requested. */
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/time.h"

/* The time for the first lists of all clusters, where there are several. */
#define SLOW_CLUSTER SECONDS(3)
/* A neighbour whose list is not answered for so long does not delay the rest. */
#define SLOW_LOOKUP SECONDS(10)

const struct feeds_api feeds_sessions = {
	.run = session_run,
	.deadline = session_deadline,
	.discover = session_discover,
	.lacks = session_lacks,
	.subscribe = session_subscribe,
	.unsubscribe = session_unsubscribe,
	.urgency = session_set_urgency,
	.get = session_get,
	.path = session_path,
	.progress = subscription_progress,
	.freshness = subscription_freshness,
	.last_received = session_last_received,
	.login_since = session_login_since,
	.state = session_state,
	.retry_at = session_retry_at,
};

/* ---- life -------------------------------------------------------------------- */

struct feeds *feeds_new(const struct feeds_options *options)
{
	struct feeds *o = xcalloc(1, sizeof(*o));

	o->o = *options;
	o->now = options->now;
	o->clusters = xcalloc(options->clusters, sizeof(*o->clusters));
	for (size_t i = 0; i < options->clusters; i++) {
		o->clusters[i].feeds = o;
		o->clusters[i].index = (uint16_t)i;
	}
	return o;
}

static void free_groups(struct cluster *c)
{
	for (struct map_entry *e = map_next(&c->groups, NULL); e; e = map_next(&c->groups, e)) {
		struct group *g = map_value(e);

		xfree(g->feeds);
		xfree(g);
	}
	map_release(&c->groups);
	buf_release(&c->partial);
}

void feeds_free(struct feeds *o)
{
	if (!o)
		return;
	recheck_release(o);
	lookup_release(o);
	for (size_t i = 0; i < o->nfeeds; i++)
		feed_free(o->feeds[i]);
	for (size_t i = 0; i < o->o.clusters; i++)
		free_groups(&o->clusters[i]);
	map_release(&o->by_sub);
	xfree(o->on_screen);
	xfree(o->idle);
	xfree(o->feeds);
	xfree(o->clusters);
	xfree(o);
}

void *feeds_session_ctx(struct feeds *o, uint16_t cluster)
{
	assert(cluster < o->o.clusters);
	return &o->clusters[cluster];
}

void feeds_session(struct feeds *o, uint16_t cluster, struct session *s, struct str context, struct str default_ns)
{
	struct cluster *c = feeds_session_ctx(o, cluster);

	assert(c->index == cluster);
	c->session = s;
	c->context = context;
	c->default_ns = default_ns;
}

void feeds_discover(struct feeds *o, bool cache_is_enough)
{
	for (size_t i = 0; i < o->o.clusters; i++) {
		o->clusters[i].discovered = false;
		o->o.api->discover(o->clusters[i].session, cache_is_enough);
	}
}

bool feeds_discovered(const struct feeds *o, uint16_t cluster)
{
	assert(cluster < o->o.clusters);
	return o->clusters[cluster].discovered;
}

/* ---- the query ----------------------------------------------------------------- */

/* True for a list that has been read as a whole; that of definitions with their schemas is too large for a neighbour. */
static bool may_hold_neighbours(const struct feed *f)
{
	return f->done && !f->why && !feed_is_partial(f) && !str_is(f->what.kind->kind, "CustomResourceDefinition");
}

/*
 * What has been read for the query before is kept until it is known which of it this one needs as neighbours: that is not
 * read again, and is there all the time.  The rest is closed.
 */
static void unask_others(struct feeds *o)
{
	const unsigned query = ASKED_QUERY | ASKED_PARTS | ASKED_NAMESPACE;

	for (size_t i = 0; i < o->nfeeds; i++) {
		struct feed *f = o->feeds[i];

		if (f->round == o->round || (f->narrowed && f->narrowed->round == o->round))
			continue;
		if (f->asked & query && may_hold_neighbours(f)) {
			f->asked |= ASKED_BEFORE;
			o->keeps_before = true;
		}
		feed_unask(f, query);
	}
	lookup_close_idle(o);
}

/* Closes what only the query before needed. */
static void let_before_go(struct feeds *o)
{
	o->keeps_before = false;
	for (size_t i = 0; i < o->nfeeds; i++)
		if (o->feeds[i]->asked & ASKED_BEFORE)
			feed_unask(o->feeds[i], ASKED_BEFORE);
	tracked_free_unreached(o);
	lookup_close_idle(o);
}

void feeds_ask(struct feeds *o, const struct feeds_query *query, int64_t now)
{
	o->now = o->started_at = now;
	o->query = *query;
	o->round++;
	o->started = o->rescan = true;
	o->lists_ended = o->was_settled = false;
	for (size_t i = 0; i < o->o.clusters; i++)
		if (o->clusters[i].discovered)
			query_open(o, &o->clusters[i]);
	unask_others(o);
	for (size_t i = 0; i < o->o.clusters; i++)
		if (o->clusters[i].discovered)
			definitions_start(&o->clusters[i]);
}

/* ---- turns ----------------------------------------------------------------------- */

/* Of several clusters the slow ones are shown when they answer; a run that prints once has to wait for them. */
static bool waits_for_slow(const struct feeds *o)
{
	return o->o.clusters == 1 || o->o.once || o->now < o->started_at + SLOW_CLUSTER;
}

/* The first lists are complete, or cannot be read soon. */
static bool lists_done(const struct feeds *o)
{
	assert(o->undone <= o->nfeeds);
	if (o->undone == 0)
		return true;
	return o->undone < o->nfeeds && !waits_for_slow(o);
}

/* This holds also where nothing had to be listed. */
static bool may_look_up(const struct feeds *o)
{
	return o->started && (lists_done(o) || (o->lists_ended && !o->o.once));
}

size_t feeds_turn(struct feeds *o, int64_t now)
{
	size_t changed;

	assert(o->nidle <= o->idle_cap && map_count(&o->by_sub) == o->nfeeds);
	o->now = now;
	for (size_t i = 0; i < o->o.clusters; i++)
		o->o.api->run(o->clusters[i].session, now);
	for (size_t i = 0; i < o->o.clusters; i++)
		definitions_run(&o->clusters[i]);
	feeds_note_silent(o);
	if (lists_done(o))
		recheck_run(o);
	lookup_close_idle(o);
	changed = graph_settle(o->o.graph, judged_at(o));
	lookup_queue_changed(o);
	if (!o->lists_ended && o->started && lists_done(o)) {
		o->lists_ended = true;
		query_look_for_namespaces(o);
	}
	if (may_look_up(o))
		lookup_run(o);
	o->was_settled |= feeds_settled(o);
	if (o->keeps_before && feeds_settled(o))
		let_before_go(o);
	return changed;
}

int64_t feeds_deadline(const struct feeds *o)
{
	const struct due *examination = due_first(&o->examinations), *recheck = due_first(&o->rechecks);
	/* With --as-of the clock stands, so it never becomes due. */
	int64_t when = o->o.as_of ? 0 : graph_next_revisit(o->o.graph);

	if (may_look_up(o) && lookup_pending(o))
		return o->now;
	when = time_earlier(when, feeds_silent_at(o));
	/* Nobody examines objects before that: it would be due all the time. */
	when = time_earlier(when, examination && may_look_up(o) ? examination->when : 0);
	when = time_earlier(when, recheck && recheck->when > o->now ? recheck->when : 0);
	for (size_t i = 0; i < o->o.clusters; i++)
		when = time_earlier(time_earlier(when, o->clusters[i].rediscover_at),
			       o->o.api->deadline(o->clusters[i].session));
	if (o->o.clusters > 1 && o->now < o->started_at + SLOW_CLUSTER)
		when = time_earlier(when, o->started_at + SLOW_CLUSTER);
	return when;
}

static bool lookups_are_slow(const struct feeds *o)
{
	if (o->o.once || o->now < o->opened_at + SLOW_LOOKUP)
		return false;
	for (size_t i = 0; i < o->nfeeds; i++)
		if (o->feeds[i]->asked && !o->feeds[i]->done)
			return false;
	return true;
}

bool feeds_settled(const struct feeds *o)
{
	return o->started && !lookup_pending(o) && (lists_done(o) || lookups_are_slow(o));
}

/* Nothing was ever read by the feed, and nothing will be soon. */
static bool is_unreadable(const struct feed *f)
{
	return f->done && f->why && !f->read && !f->unread;
}

/* Sets *out_read to whether the cluster was asked, and something was read. */
static const struct err *unreadable_in(const struct cluster *c, const struct kind *kind, bool *out_read)
{
	const struct feeds *o = c->feeds;
	const struct err *first = NULL;
	bool asked = false, read = false;

	for (size_t i = 0; i < o->nfeeds; i++) {
		const struct feed *f = o->feeds[i];

		if (f->cluster != c || !(f->asked & ASKED_QUERY) || (kind && f->what.kind != kind))
			continue;
		asked = true;
		if (kind && f->what.name.len && is_unreadable(f))
			return f->why;
		read |= !is_unreadable(f);
		/* a server that fails explains more than a missing right */
		if (is_unreadable(f) && (!first || (first->code == ERR_FORBIDDEN && f->why->code != ERR_FORBIDDEN)))
			first = f->why;
	}
	*out_read |= asked && read;
	return read ? NULL : first;
}

const struct err *feeds_unreadable(const struct feeds *o, const struct kind *kind, bool anywhere)
{
	const struct err *first = NULL, *why;
	bool read = false;

	for (size_t i = 0; i < o->o.clusters; i++) {
		why = unreadable_in(&o->clusters[i], kind, &read);
		first = first ? first : why;
	}
	return read && !anywhere ? NULL : first;
}
