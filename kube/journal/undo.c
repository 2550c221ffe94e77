/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/journal/undo.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/model/pack.h"

/* Bytes that malloc() needs for one allocation. */
enum { OVERHEAD = 16 };

struct undo_log {
	struct intern *words;
	struct undo_entry *ring;
	size_t cap, at, n;	/* there are n entries, from ring[at] on */
	uint64_t first;		/* the number of the oldest entry */
	size_t ceiling, bytes;
};

struct undo_log *undo_new(struct intern *words, size_t ceiling)
{
	struct undo_log *h = xcalloc(1, sizeof(*h));

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
	xfree(h->ring);
	xfree(h);
}

static struct undo_entry *entry(const struct undo_log *h, size_t i)
{
	size_t at = h->at + i;

	return &h->ring[at < h->cap ? at : at - h->cap];
}

static size_t size_of(const struct undo_entry *e)
{
	/* up to half of the ring is empty, and counts, too */
	return 2 * sizeof(*e) + e->state_size + e->size + (e->state ? OVERHEAD : 0) + (e->record ? OVERHEAD : 0) + (e->name ? OVERHEAD : 0);
}

static void drop_oldest(struct undo_log *h)
{
	struct undo_entry *e = entry(h, 0);

	assert(h->n > 0 && h->bytes >= size_of(e));
	h->bytes -= size_of(e);
	undo_drop(h, e);
	h->at = h->at + 1 < h->cap ? h->at + 1 : 0;
	h->n--;
	h->first++;
}

/* Never cut a settle in half: the oldest entry that is kept is always a mark. */
static void keep_ceiling(struct undo_log *h)
{
	if (!h->ceiling || h->bytes <= h->ceiling)
		return;
	while (h->n && (h->bytes > h->ceiling || entry(h, 0)->what != UNDO_MARK))
		drop_oldest(h);
	assert(h->n || h->bytes == 0);
}

static void make_room(struct undo_log *h)
{
	size_t cap = h->cap ? h->cap * 2 : 64;
	struct undo_entry *ring;

	if (h->n < h->cap)
		return;
	ring = xreallocarray(NULL, cap, sizeof(*ring));
	for (size_t i = 0; i < h->n; i++)
		ring[i] = *entry(h, i);
	xfree(h->ring);
	h->ring = ring;
	h->cap = cap;
	h->at = 0;
}

void undo_add(struct undo_log *h, const struct undo_entry *e)
{
	/* a mark has no state; every other entry has one, and without a record it has changed nothing else */
	assert((e->what == UNDO_MARK) == (e->state == NULL));
	assert(!e->same || !e->record);
	make_room(h);
	h->n++;
	*entry(h, h->n - 1) = *e;
	h->bytes += size_of(e);
	keep_ceiling(h);
}

void undo_mark(struct undo_log *h, int64_t time)
{
	if (h->n && entry(h, h->n - 1)->what == UNDO_MARK)
		return;
	undo_add(h, &(struct undo_entry){ .what = UNDO_MARK, .time = time });
}

bool undo_take(struct undo_log *h, struct undo_entry *out)
{
	if (h->n == 0)
		return false;
	*out = *entry(h, --h->n);
	h->bytes -= size_of(out);
	return true;
}

/* After a settle that was larger than the ceiling, entries without the mark before them are the oldest ones. */
static size_t oldest_mark(const struct undo_log *h)
{
	size_t i = 0;

	while (i < h->n && entry(h, i)->what != UNDO_MARK)
		i++;
	return i;
}

uint64_t undo_first(const struct undo_log *h)
{
	size_t i = oldest_mark(h);

	return h->first + i + (i < h->n);
}

uint64_t undo_end(const struct undo_log *h)
{
	return h->first + h->n;
}

const struct undo_entry *undo_at(const struct undo_log *h, uint64_t number)
{
	assert(number >= h->first && number < undo_end(h));
	return entry(h, (size_t)(number - h->first));
}

int64_t undo_from(const struct undo_log *h)
{
	size_t i = oldest_mark(h);

	return i < h->n ? entry(h, i)->time : 0;
}

size_t undo_size(const struct undo_log *h)
{
	return h->bytes;
}
