/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/journal/undo.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/ring.h"
#include "kube/model/pack.h"

struct kept {
	struct undo_entry entry;
	size_t size;		/* bytes of what it owns */
};

struct undo_log {
	struct intern *words;
	struct ring ring;	/* struct kept, the oldest first */
	uint64_t first;		/* the number of the oldest entry */
	size_t ceiling, kept;	/* bytes; kept: of what the entries own */
};

struct undo_log *undo_new(struct intern *words, size_t ceiling)
{
	struct undo_log *h = xcalloc(1, sizeof(*h));

	h->ring.item = sizeof(struct kept);
	h->words = words;
	h->ceiling = ceiling;
	return h;
}

void undo_drop(const struct undo_log *h, struct undo_entry *e)
{
	if (e->what == UNDO_NODE)
		packed_free(h->words, e->record);
	else
		xfree(e->record);
	intern_drop(h->words, e->ns);
	xfree(e->name);
	xfree(e->state);
}

void undo_free(struct undo_log *h)
{
	struct undo_entry e;

	if (!h)
		return;
	while (undo_take(h, &e))
		undo_drop(h, &e);
	ring_release(&h->ring);
	xfree(h);
}

static struct kept *kept(const struct undo_log *h, size_t i)
{
	return ring_item(&h->ring, i);
}

static struct undo_entry *entry(const struct undo_log *h, size_t i)
{
	return &kept(h, i)->entry;
}

static size_t size_of(const struct undo_log *h, const struct undo_entry *e)
{
	return e->state_size + e->size + ALLOC_OVERHEAD * ((size_t)!!e->state + !!e->record + !!e->name) +
	       (e->what == UNDO_NODE ? packed_words_size(h->words, e->record) : 0);
}

static void drop_oldest(struct undo_log *h)
{
	struct kept *oldest = kept(h, 0);

	assert(h->kept >= oldest->size);
	h->kept -= oldest->size;
	undo_drop(h, &oldest->entry);
	ring_drop_first(&h->ring);
	h->first++;
}

/* Never cut a settle in half: the oldest entry that is kept is always a mark. */
static void keep_ceiling(struct undo_log *h)
{
	if (!h->ceiling || h->kept + ring_next_size(&h->ring) <= h->ceiling)
		return;
	while (h->ring.n && (h->kept + ring_next_size(&h->ring) > h->ceiling || entry(h, 0)->what != UNDO_MARK))
		drop_oldest(h);
	assert(h->ring.n || h->kept == 0);
}

void undo_add(struct undo_log *h, const struct undo_entry *e)
{
	struct kept *added;

	/* a mark has no state; every other entry has one, and without a record it has changed nothing else */
	assert((e->what == UNDO_MARK) == (e->state == NULL));
	assert(!e->same || !e->record);
	added = ring_add_last(&h->ring);
	*added = (struct kept){ *e, size_of(h, e) };
	h->kept += added->size;
	keep_ceiling(h);
}

void undo_mark(struct undo_log *h, int64_t time)
{
	if (h->ring.n && entry(h, h->ring.n - 1)->what == UNDO_MARK)
		return;
	undo_add(h, &(struct undo_entry){ .what = UNDO_MARK, .time = time });
}

bool undo_take(struct undo_log *h, struct undo_entry *out)
{
	const struct kept *newest = h->ring.n ? kept(h, h->ring.n - 1) : NULL;

	if (!newest)
		return false;
	*out = newest->entry;
	h->kept -= newest->size;
	ring_drop_last(&h->ring);
	return true;
}

/* After a settle that was larger than the ceiling, entries without the mark before them are the oldest ones. */
static size_t oldest_mark(const struct undo_log *h)
{
	size_t i = 0;

	while (i < h->ring.n && entry(h, i)->what != UNDO_MARK)
		i++;
	return i;
}

uint64_t undo_first(const struct undo_log *h)
{
	size_t i = oldest_mark(h);

	return h->first + i + (i < h->ring.n);
}

uint64_t undo_end(const struct undo_log *h)
{
	return h->first + h->ring.n;
}

const struct undo_entry *undo_at(const struct undo_log *h, uint64_t number)
{
	assert(number >= h->first && number < undo_end(h));
	return entry(h, (size_t)(number - h->first));
}

int64_t undo_from(const struct undo_log *h)
{
	size_t i = oldest_mark(h);

	return i < h->ring.n ? entry(h, i)->time : 0;
}

size_t undo_size(const struct undo_log *h)
{
	return h->kept + ring_size(&h->ring);
}
