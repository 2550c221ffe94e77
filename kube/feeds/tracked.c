/* SPDX-License-Identifier: Apache-2.0 */
/* The objects for which something is requested: their neighbours, or the objects themselves once more. */
#include "kube/feeds/feeds_private.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

static struct str slot_key(const uint32_t *slot)
{
	return (struct str){ (const char *)slot, sizeof(*slot) };
}

struct tracked *tracked_of(struct feeds *o, uint32_t slot)
{
	return map_get(&o->tracked, slot_key(&slot));
}

struct tracked *tracked_put(struct feeds *o, struct handle h)
{
	struct tracked *t = tracked_of(o, h.slot);

	assert(h.slot && (!t || t->slot == h.slot));
	if (t)
		return t;
	t = xcalloc(1, sizeof(*t));
	t->slot = h.slot;
	t->gen = h.gen;
	map_set(&o->tracked, slot_key(&t->slot), t);
	return t;
}

static void release_feeds(struct feed **feeds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		feed_release(feeds[i]);
	xfree(feeds);
}

void tracked_free(struct feeds *o, struct tracked *t)
{
	assert(tracked_of(o, t->slot) == t && o->ndeferred >= t->deferred);
	due_set(&o->examinations, &t->examination, 0);
	due_set(&o->rechecks, &t->recheck, 0);
	o->ndeferred -= t->deferred;
	release_feeds(t->feeds, t->n);
	release_feeds(t->before, t->nbefore);
	map_remove(&o->tracked, slot_key(&t->slot));
	xfree(t);
}

void tracked_let_go(struct tracked *t)
{
	release_feeds(t->before, t->nbefore);
	t->before = NULL;
	t->nbefore = 0;
}

/* Returns true when that has reached more feeds. */
static bool reach_further(struct feeds *o)
{
	bool more = false;

	for (struct map_entry *e = map_next(&o->tracked, NULL); e; e = map_next(&o->tracked, e)) {
		struct tracked *t = map_value(e);

		if (t->reached || !feed_reaches(o, t->slot))
			continue;
		t->reached = true;
		for (size_t i = 0; i < t->n; i++) {
			more |= !t->feeds[i]->reached;
			t->feeds[i]->reached = true;
		}
	}
	return more;
}

void tracked_free_unreached(struct feeds *o)
{
	struct tracked **left = xcalloc(map_count(&o->tracked) + 1, sizeof(struct tracked *));
	size_t n = 0;

	for (size_t i = 0; i < o->nfeeds; i++)
		o->feeds[i]->reached = o->feeds[i]->asked != 0;
	while (reach_further(o))
		;
	for (struct map_entry *e = map_next(&o->tracked, NULL); e; e = map_next(&o->tracked, e)) {
		struct tracked *t = map_value(e);

		if (!t->reached)
			left[n++] = t;
		t->reached = false;
	}
	for (size_t i = 0; i < n; i++)
		tracked_free(o, left[i]);
	xfree(left);
}

void tracked_release(struct feeds *o)
{
	for (struct map_entry *e = map_next(&o->tracked, NULL); e; e = map_next(&o->tracked, e)) {
		struct tracked *t = map_value(e);

		xfree(t->feeds);
		xfree(t->before);
		xfree(t);
	}
	map_release(&o->tracked);
}
