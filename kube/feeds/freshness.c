/* SPDX-License-Identifier: Apache-2.0 */
/* Tells how far the lists are, and how outdated the shown objects may be. */
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

/* ---- freshness -------------------------------------------------------------------- */

/* No list of the kind was ever complete, and not because it may not be read. */
static bool is_unread(const struct feed *feed, const struct subscription_freshness *f)
{
	if (f->state == FRESH_REFUSED)
		return feed->why && !feed->forbidden;
	return feed->unread && f->state == FRESH_LISTING && f->since == 0;
}

/* For a kind that is read in several namespaces the oldest time counts. */
static void add_kind(struct feeds_freshness *out, uint8_t *seen, const struct feed *feed,
		     const struct subscription_freshness *f)
{
	enum { OLD = 1, POLLED = 2, UNREAD = 4 };
	bool unread = is_unread(feed, f);
	unsigned bit = unread ? UNREAD : f->state == FRESH_POLLED ? POLLED : OLD;

	if (f->state == FRESH_WATCHED || (f->state == FRESH_REFUSED && !unread))
		return;
	/* Lists that are not complete yet do not count as old: their progress is shown. */
	if (f->state == FRESH_LISTING && f->since == 0 && !unread)
		return;
	if (!unread)
		out->old_since = time_earlier(out->old_since, f->since);
	if (seen[feed->what.kind->id] & bit)
		return;
	seen[feed->what.kind->id] |= (uint8_t)bit;
	out->kinds_old += bit == OLD;
	out->kinds_polled += bit == POLLED;
	out->kinds_unread += bit == UNREAD;
	if (unread && !out->unread)
		out->unread = feed->what.kind;
}

struct feeds_freshness feeds_freshness(const struct feeds *o, int64_t now)
{
	struct feeds_freshness out = { 0 };
	uint8_t *seen = xcalloc(o->o.kinds->count + 1, 1);

	for (size_t i = 0; i < o->nfeeds && !o->o.once; i++) {
		const struct feed *f = o->feeds[i];
		struct subscription_freshness fresh;

		if (!(f->asked & (ASKED_QUERY | ASKED_PARTS)) || f->gone)
			continue;
		fresh = o->o.api->freshness(f->sub, now);
		add_kind(&out, seen, f, &fresh);
	}
	xfree(seen);
	for (size_t i = 0; i < o->o.clusters; i++) {
		int64_t received = o->o.api->last_received(o->clusters[i].session);

		if (received && now - received > FEEDS_SILENCE)
			out.silent_since = time_earlier(out.silent_since, received);
		out.login_since = time_earlier(out.login_since, o->o.api->login_since(o->clusters[i].session));
	}
	return out;
}

bool feeds_is_fresh(const struct feeds_freshness *f)
{
	return !f->kinds_old && !f->kinds_polled && !f->kinds_unread && !f->silent_since && !f->login_since;
}

/* ---- progress ---------------------------------------------------------------------- */

/* The number of objects that the servers say are still to come. */
static uint64_t remaining(const struct feeds *o, const struct feed *f)
{
	int64_t have, total;

	if (f->done)
		return 0;
	o->o.api->progress(f->sub, &have, &total);
	return total > have && have >= 0 ? (uint64_t)(total - have) : 0;
}

/*
 * Returns true when the kind may not be read, and no earlier list has reported that (of all namespaces, and then of one
 * of them).
 */
static bool is_forbidden_first(const struct feeds *o, size_t at)
{
	const struct feed *f = o->feeds[at];

	if (!f->forbidden || !(f->asked & ASKED_QUERY))
		return false;
	for (size_t i = 0; i < at; i++) {
		const struct feed *before = o->feeds[i];

		if (before->forbidden && before->asked & ASKED_QUERY && before->cluster == f->cluster &&
		    before->what.kind == f->what.kind)
			return false;
	}
	return true;
}

struct feeds_facts feeds_facts(const struct feeds *o)
{
	struct feeds_facts facts = { .objects = o->objects, .last_event = o->last_event, .state = SESSION_LIVE };
	bool everywhere = false;

	for (size_t i = 0; i < o->nfeeds; i++) {
		const struct feed *f = o->feeds[i];

		if (f->asked || !o->was_settled) {
			facts.lists_total++;
			facts.lists_done += f->done;
			facts.remaining += remaining(o, f);
		}
		facts.forbidden += is_forbidden_first(o, i);
		facts.narrowed |= f->asked & ASKED_QUERY && f->forbidden && f->readable;
		everywhere |= f->asked & ASKED_QUERY && !f->forbidden && !f->what.ns.len && f->what.kind->flags & KIND_NAMESPACED;
		facts.unread += f->unread && (f->asked & ASKED_QUERY);
		facts.throttled |= f->why && f->why->code == ERR_THROTTLED;
		if (f->why && !f->forbidden)
			facts.why = *f->why;
	}
	for (size_t i = 0; i < o->o.clusters; i++) {
		enum session_state state = o->o.api->state(o->clusters[i].session);

		if (state != SESSION_LIVE)
			facts.state = state;
		facts.retry_at = time_earlier(facts.retry_at, o->o.api->retry_at(o->clusters[i].session));
	}
	facts.narrowed &= !everywhere;
	return facts;
}
