/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/history.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/model/pack.h"

/* What malloc() itself takes for an allocation. */
enum { OVERHEAD = 16 };

struct history {
	struct intern *words;
	struct history_entry *ring;
	size_t cap, at, n;	/* n entries from ring[at] on */
	uint64_t first;		/* number of the oldest */
	size_t ceiling, bytes;
};

struct history *history_new(struct intern *words, size_t ceiling)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->words = words;
	h->ceiling = ceiling;
	return h;
}

void history_drop(const struct history *h, struct history_entry *e)
{
	if (e->what == HISTORY_NODE)
		packed_free(h->words, e->record);
	else
		xfree(e->record);
	intern_drop(h->words, e->ns);
	xfree(e->name);
	xfree(e->state);
}

void history_free(struct history *h)
{
	struct history_entry e;

	if (!h)
		return;
	while (history_take(h, &e))
		history_drop(h, &e);
	xfree(h->ring);
	xfree(h);
}

static struct history_entry *entry(const struct history *h, size_t i)
{
	size_t at = h->at + i;

	return &h->ring[at < h->cap ? at : at - h->cap];
}

static size_t size_of(const struct history_entry *e)
{
	/* the ring is up to half empty */
	return 2 * sizeof(*e) + e->state_size + e->size + (e->state ? OVERHEAD : 0) + (e->record ? OVERHEAD : 0) + (e->name ? OVERHEAD : 0);
}

static void drop_oldest(struct history *h)
{
	struct history_entry *e = entry(h, 0);

	h->bytes -= size_of(e);
	history_drop(h, e);
	h->at = h->at + 1 < h->cap ? h->at + 1 : 0;
	h->n--;
	h->first++;
}

/* Half a settle is no use: the oldest that stays is a mark. */
static void keep_ceiling(struct history *h)
{
	if (!h->ceiling || h->bytes <= h->ceiling)
		return;
	while (h->n && (h->bytes > h->ceiling || entry(h, 0)->what != HISTORY_SETTLED))
		drop_oldest(h);
}

static void make_room(struct history *h)
{
	size_t cap = h->cap ? h->cap * 2 : 64;
	struct history_entry *ring;

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

void history_add(struct history *h, const struct history_entry *e)
{
	make_room(h);
	h->n++;
	*entry(h, h->n - 1) = *e;
	h->bytes += size_of(e);
	keep_ceiling(h);
}

void history_settled(struct history *h, int64_t time)
{
	if (h->n && entry(h, h->n - 1)->what == HISTORY_SETTLED)
		return;
	history_add(h, &(struct history_entry){ .what = HISTORY_SETTLED, .time = time });
}

bool history_take(struct history *h, struct history_entry *out)
{
	if (h->n == 0)
		return false;
	*out = *entry(h, --h->n);
	h->bytes -= size_of(out);
	return true;
}

/* Of a settle that was larger than the ceiling, entries without the mark before them stand at the front. */
static size_t oldest_mark(const struct history *h)
{
	size_t i = 0;

	while (i < h->n && entry(h, i)->what != HISTORY_SETTLED)
		i++;
	return i;
}

uint64_t history_first(const struct history *h)
{
	size_t i = oldest_mark(h);

	return h->first + i + (i < h->n);
}

uint64_t history_end(const struct history *h)
{
	return h->first + h->n;
}

const struct history_entry *history_at(const struct history *h, uint64_t number)
{
	assert(number >= h->first && number < history_end(h));
	return entry(h, (size_t)(number - h->first));
}

int64_t history_from(const struct history *h)
{
	size_t i = oldest_mark(h);

	return i < h->n ? entry(h, i)->time : 0;
}

size_t history_size(const struct history *h)
{
	return h->bytes;
}
