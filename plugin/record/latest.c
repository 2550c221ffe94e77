/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/latest.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/deflate.h"
#include "kube/base/limits.h"
#include "kube/base/map.h"

#include <stdint.h>
#include <string.h>

/*
 * The newest texts are not compressed: compressing takes longest, and a text that is soon replaced need not be.  They
 * stand one after the other in a ring, which grows up to so many bytes as long as texts would have to leave it that were
 * not replaced.
 */
#define RING_LEAST KIB(256)
#define TEXT_MOST MIB(1)	/* a text that takes more of the ring is compressed at once */

/* The last text of an object. */
struct last_text {
	char *delta;	/* the difference from the first text of its kind; NULL: the text is in the ring, or there is none */
	int64_t judged;
	uint32_t size;	/* bytes of the text; 0: there is none */
	union {
		uint32_t length;	/* bytes of delta */
		uint32_t at;		/* where the entry in the ring begins */
	};
	uint32_t gen, kind;
};

/* What stands in the ring before a text. */
struct ring_entry {
	uint32_t slot, size;
};

struct latest {
	struct last_text *texts;	/* by slot */
	uint32_t ntexts;
	/*
	 * The entries in the ring, oldest first, are those from first up to end; when end is before first, those up to
	 * wrap, and then those from 0 up to end.
	 */
	char *ring;
	size_t ring_size;
	size_t first, end, wrap;
	size_t size;			/* bytes of all texts, not compressed */
	struct buf *samples;		/* by kind: the first text, from which the others are stored as differences */
	uint32_t nsamples;
	struct delta_coder *coder;
	struct buf delta;
	struct latest_view *views;
};

struct latest_view {
	struct latest *latest;
	struct latest_view *next;
	uint32_t from, to;	/* the slots that can still be read */
	struct map replaced;	/* by slot: 1 + the place in copies of a text that was replaced since */
	struct buf copies;	/* for each such text a struct last_text, and its bytes as they were stored */
};

struct latest *latest_new(void)
{
	struct latest *l = xcalloc(1, sizeof(*l));

	l->ring = xmalloc(RING_LEAST);
	l->ring_size = RING_LEAST;
	l->coder = delta_coder_new();
	return l;
}

void latest_free(struct latest *l)
{
	if (!l)
		return;
	assert(!l->views);
	for (uint32_t i = 0; i < l->ntexts; i++)
		xfree(l->texts[i].delta);
	for (uint32_t i = 0; i < l->nsamples; i++)
		buf_release(&l->samples[i]);
	xfree(l->texts);
	xfree(l->ring);
	xfree(l->samples);
	delta_coder_free(l->coder);
	buf_release(&l->delta);
	xfree(l);
}

/* Returns the bytes by which a text is stored: the text itself, or its difference. */
static struct str stored(const struct latest *l, const struct last_text *at)
{
	return at->delta ? (struct str){ at->delta, at->length } : (struct str){ l->ring + at->at + sizeof(struct ring_entry), at->size };
}

/* ---- the ring ------------------------------------------------------------- */

static void compress(struct latest *l, struct last_text *at, struct str text)
{
	buf_reset(&l->delta);
	delta_encode(l->coder, buf_str(&l->samples[at->kind]), text, &l->delta);
	at->delta = xmalloc(l->delta.len);
	memcpy(at->delta, l->delta.ptr, l->delta.len);
	at->length = (uint32_t)l->delta.len;
}

/* Returns the bytes that a text takes in the ring: the next entry is aligned, too. */
static size_t ring_bytes(size_t size)
{
	const size_t align = sizeof(struct ring_entry);

	return align + (size + align - 1) / align * align;
}

static struct ring_entry *entry_at(const struct latest *l, size_t at)
{
	return (struct ring_entry *)(l->ring + at);
}

/* Returns true while the entry is the text of its object, and none that was replaced. */
static bool is_used(const struct latest *l, size_t at)
{
	const struct last_text *text = &l->texts[entry_at(l, at)->slot];

	return !text->delta && text->size && text->at == at;
}

/* Returns where the entry after the one at that place is, or will be. */
static size_t next_entry(const struct latest *l, size_t at)
{
	at += ring_bytes(entry_at(l, at)->size);
	return at == l->wrap && l->end < l->first ? 0 : at;
}

/* Takes the oldest entry out of the ring; if it still is the text of its object, that is compressed. */
static void leave_ring(struct latest *l)
{
	struct last_text *text = &l->texts[entry_at(l, l->first)->slot];

	if (is_used(l, l->first))
		compress(l, text, stored(l, text));
	l->first = next_entry(l, l->first);
	if (l->first == l->end)
		l->first = l->end = 0;
}

/* Makes the ring twice as large. */
static void grow_ring(struct latest *l)
{
	char *larger = xmalloc(l->ring_size * 2);
	size_t n = 0;

	for (size_t at = l->first; at != l->end; at = next_entry(l, at)) {
		size_t bytes = ring_bytes(entry_at(l, at)->size);

		if (!is_used(l, at))
			continue;
		memcpy(larger + n, l->ring + at, bytes);
		l->texts[entry_at(l, at)->slot].at = (uint32_t)n;
		n += bytes;
	}
	xfree(l->ring);
	l->ring = larger;
	l->ring_size *= 2;
	l->first = 0;
	l->end = n;
}

/* Returns where bytes fit in one piece, after the ring has grown, or the oldest entries have left it. */
static size_t make_room(struct latest *l, size_t bytes)
{
	for (;;) {
		if (l->end < l->first) {
			if (l->end + bytes < l->first)
				return l->end;
		} else if (bytes <= l->ring_size - l->end) {
			return l->end;
		} else if (bytes < l->first) {
			l->wrap = l->end;
			l->end = 0;
			return 0;
		}
		if (l->ring_size < LATEST_RING && (l->first == l->end || is_used(l, l->first)))
			grow_ring(l);
		else
			leave_ring(l);
	}
}

/* Returns where the text is in the ring from now on.  The slot must not have another text. */
static uint32_t enter_ring(struct latest *l, uint32_t slot, struct str text)
{
	size_t bytes = ring_bytes(text.len), at;

	assert(!l->texts[slot].size);
	at = make_room(l, bytes);
	*entry_at(l, at) = (struct ring_entry){ slot, (uint32_t)text.len };
	memcpy(l->ring + at + sizeof(struct ring_entry), text.ptr, text.len);
	l->end = at + bytes;
	return (uint32_t)at;
}

/* ---- the texts ------------------------------------------------------------ */

static void keep_for_views(struct latest *l, uint32_t slot);

/* The slot has no text any more; what it had in the ring is there for nobody. */
static void leave_slot(struct latest *l, uint32_t slot)
{
	struct last_text *at = &l->texts[slot];

	keep_for_views(l, slot);
	xfree(at->delta);
	l->size -= at->size;
	*at = (struct last_text){ .size = 0 };
}

void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now)
{
	struct last_text put = { .judged = now, .size = (uint32_t)text.len, .gen = h.gen, .kind = kind };

	assert(text.len && text.len <= UINT32_MAX);
	l->texts = xgrow_zeroed(l->texts, &l->ntexts, h.slot, sizeof(*l->texts));
	l->samples = xgrow_zeroed(l->samples, &l->nsamples, kind, sizeof(*l->samples));
	if (!l->samples[kind].len)
		buf_add(&l->samples[kind], delta_base(text));
	leave_slot(l, h.slot);
	if (ring_bytes(text.len) > TEXT_MOST)
		compress(l, &put, text);
	else
		put.at = enter_ring(l, h.slot, text);
	l->texts[h.slot] = put;
	l->size += text.len;
}

void latest_drop(struct latest *l, uint32_t slot)
{
	if (slot < l->ntexts)
		leave_slot(l, slot);
}

void latest_judged(struct latest *l, struct handle h, int64_t now)
{
	if (h.slot < l->ntexts && l->texts[h.slot].gen == h.gen)
		l->texts[h.slot].judged = now;
}

/* Returns the stored text of an object; NULL when there is none. */
static const struct last_text *text_of(const struct latest *l, struct handle h)
{
	const struct last_text *at = h.slot < l->ntexts ? &l->texts[h.slot] : NULL;

	return at && at->size && at->gen == h.gen ? at : NULL;
}

/* Appends a text that is stored by these bytes. */
static void add_text(const struct latest *l, const struct last_text *at, struct str bytes, struct buf *out)
{
	if (at->delta)
		delta_decode(l->coder, buf_str(&l->samples[at->kind]), bytes, out);
	else
		buf_add(out, bytes);
}

bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged)
{
	const struct last_text *at = text_of(l, h);

	if (!at)
		return false;
	add_text(l, at, stored(l, at), out);
	*out_judged = at->judged;
	return true;
}

bool latest_has(const struct latest *l, struct handle h, int64_t *out_judged)
{
	const struct last_text *at = text_of(l, h);

	*out_judged = at ? at->judged : 0;
	return at != NULL;
}

size_t latest_size(const struct latest *l)
{
	return l->size;
}

/* ---- views ---------------------------------------------------------------- */

static struct str slot_key(const uint32_t *slot)
{
	return (struct str){ (const char *)slot, sizeof(*slot) };
}

/*
 * The text of a slot is about to be replaced: those views that have not read it yet keep a copy, also of a slot that has
 * none.
 */
static void keep_for_views(struct latest *l, uint32_t slot)
{
	const struct last_text *at = &l->texts[slot];

	for (struct latest_view *v = l->views; v; v = v->next) {
		if (slot < v->from || slot >= v->to || map_get(&v->replaced, slot_key(&slot)))
			continue;
		map_set(&v->replaced, slot_key(&slot), (void *)(uintptr_t)(v->copies.len + 1));
		BUF_JOIN(&v->copies, ((struct str){ (const char *)at, sizeof(*at) }), at->size ? stored(l, at) : STR_NONE);
	}
}

struct latest_view *latest_view_new(struct latest *l)
{
	struct latest_view *v = xcalloc(1, sizeof(*v));

	v->latest = l;
	v->to = l->ntexts;
	v->next = l->views;
	l->views = v;
	return v;
}

void latest_view_free(struct latest_view *v)
{
	struct latest_view **at;

	if (!v)
		return;
	for (at = &v->latest->views; *at != v; at = &(*at)->next)
		;
	*at = v->next;
	map_release(&v->replaced);
	buf_release(&v->copies);
	xfree(v);
}

bool latest_view_get(struct latest_view *v, struct handle h, struct buf *out)
{
	uintptr_t copy = (uintptr_t)map_get(&v->replaced, slot_key(&h.slot));
	struct last_text at;
	int64_t judged;

	v->from = h.slot + 1;
	if (h.slot >= v->to)
		return false;
	if (!copy)
		return latest_get(v->latest, h, out, &judged);
	memcpy(&at, v->copies.ptr + copy - 1, sizeof(at));
	if (!at.size || at.gen != h.gen)
		return false;
	add_text(v->latest, &at, (struct str){ v->copies.ptr + copy - 1 + sizeof(at), at.delta ? at.length : at.size }, out);
	return true;
}
