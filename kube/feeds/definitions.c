/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds come and go while the program watches.  Where CustomResourceDefinitions may be read, their changes tell when to
 * ask for the kinds again; that is also done when a kind is not served any more, and from time to time.  When nothing
 * has changed it costs two answers with status 304.
 */
#include "kube/feeds/feeds_private.h"

#include "kube/base/time.h"

/* After such a change the server needs a moment until it serves the kind, and sometimes a longer one. */
#define SOON SECONDS(1)
#define AGAIN SECONDS(5)
#define NOW_AND_THEN MINUTES(5)

static void watch_definitions(struct cluster *c)
{
	const struct feeds *o = c->feeds;
	const struct kind *crd = kinds_find(o->o.kinds, STR("apiextensions.k8s.io"), STR("CustomResourceDefinition"));
	struct subscribe what = { .kind = crd, .metadata_only = true };
	struct feed *list;

	/* A query for certain types needs no other kinds, unless one of its types is not served any more. */
	if (o->query.n && !c->lost_kinds)
		return;
	if (!crd || c->definitions || c->definitions_refused || o->o.api->lacks(c->session, crd) ||
	    (crd->flags & (KIND_DISCOVERED | KIND_WATCH)) != (KIND_DISCOVERED | KIND_WATCH))
		return;
	list = feed_covering(c, &what);
	if (list && !list->asked)
		c->lookups--;
	if (list)
		list->asked |= ASKED_KINDS;
	else
		list = feed_open(c, &what, ASKED_KINDS);
	list->without_notice |= list->asked == ASKED_KINDS;
	c->definitions = list;
}

void definitions_start(struct cluster *c)
{
	if (c->feeds->o.once)
		return;
	watch_definitions(c);
	if (!c->rediscover_at)
		c->rediscover_at = c->feeds->now + NOW_AND_THEN;
}

void definitions_changed(struct cluster *c)
{
	int64_t soon = c->feeds->now + SOON;

	if (c->feeds->o.once || !c->feeds->started)
		return;
	c->follow_up = true;
	if (c->rediscover_at > soon)
		c->rediscover_at = soon;
}

void definitions_refused(struct cluster *c)
{
	if (!c->definitions)
		return;
	feed_unask(c->definitions, ASKED_KINDS);
	c->definitions = NULL;
	c->definitions_refused = true;
}

void definitions_run(struct cluster *c)
{
	const struct feeds *o = c->feeds;

	if (c->rediscover_at > o->now + NOW_AND_THEN)	/* the clock was set back */
		c->rediscover_at = o->now + NOW_AND_THEN;
	if (!c->rediscover_at || o->now < c->rediscover_at)
		return;
	c->rediscover_at = o->now + (c->follow_up ? AGAIN : NOW_AND_THEN);
	c->follow_up = false;
	o->o.api->discover(c->session, false);
}
