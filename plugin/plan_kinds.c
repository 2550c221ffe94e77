/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds come and go while we watch.  Where CustomResourceDefinitions may be read
 * their changes say when to ask for the kinds again; besides, that is done when
 * a kind is not served any more, and now and then.  Unchanged, it costs two 304s.
 */
#include "plugin/live_private.h"

#include "kube/base/time.h"
#include "plugin/clock.h"

/* After a change the server needs a moment until it serves the kind, and sometimes a longer one. */
#define SOON SECONDS(1)
#define AGAIN SECONDS(5)
#define NOW_AND_THEN MINUTES(5)

static void watch_definitions(struct cluster *c)
{
	struct live *l = c->live;
	const struct kind *crd = kinds_find(&l->o.world->kinds, STR("apiextensions.k8s.io"),
					    STR("CustomResourceDefinition"));
	struct subscribe what = { .kind = crd, .metadata_only = true };

	/* Who asked for certain types has no use for others, unless one of them is gone. */
	if (l->o.query->what.n && !c->lost_kinds)
		return;
	if (!crd || c->definitions || c->definitions_refused || session_lacks(c->session, crd) ||
	    (crd->flags & (KIND_DISCOVERED | KIND_WATCH)) != (KIND_DISCOVERED | KIND_WATCH))
		return;
	c->definitions = session_subscribe(c->session, &what);
}

void plan_kinds_start(struct live *l)
{
	for (size_t i = 0; i < l->nclusters && !l->o.once; i++) {
		struct cluster *c = &l->clusters[i];

		if (c->discovered)
			watch_definitions(c);
		if (!c->rediscover_at)
			c->rediscover_at = clock_now() + NOW_AND_THEN;
	}
}

static void ask_soon(struct cluster *c)
{
	int64_t now = clock_now();

	c->follow_up = true;
	if (c->rediscover_at > now + SOON)
		c->rediscover_at = now + SOON;
}

void plan_kinds_changed(struct cluster *c)
{
	if (!c->live->o.once && c->live->started)
		ask_soon(c);
}

void plan_kinds_refused(struct cluster *c, struct subscription *sub)
{
	if (sub != c->definitions)
		return;
	session_unsubscribe(sub);
	c->definitions = NULL;
	c->definitions_refused = true;
}

void plan_kinds_refresh(struct live *l, int64_t now)
{
	for (size_t i = 0; i < l->nclusters; i++) {
		struct cluster *c = &l->clusters[i];

		if (!c->rediscover_at || now < c->rediscover_at)
			continue;
		c->rediscover_at = now + (c->follow_up ? AGAIN : NOW_AND_THEN);
		c->follow_up = false;
		session_discover(c->session, false);
	}
}
