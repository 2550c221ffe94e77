/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/latest.h"

#include "kube/base/alloc.h"
#include "kube/base/deflate.h"
#include "kube/base/limits.h"

#include <string.h>

/*
 * The most bytes of texts that are not compressed: compressing takes longest, and a text that is soon replaced need not
 * be.
 */
#define PLAIN_MAX MIB(4)

struct last_text {
	char *bytes;	/* NULL: there is no text */
	int64_t judged;
	uint32_t n, gen, kind;
	uint32_t size;	/* bytes of the text, not compressed */
	bool plain;
	/* the slots of the previous and the next plain text, in the order in which they were stored; 0: none */
	uint32_t before, after;
};

struct latest {
	/* by slot; the entry at 0, which no object has, is the head of the list of plain texts */
	struct last_text *texts;
	uint32_t ntexts;
	size_t plain;			/* bytes of the plain texts */
	size_t size;			/* bytes of all texts, not compressed */
	struct buf *samples;		/* by kind: the first text, from which the others are stored as differences */
	uint32_t nsamples;
	struct delta_coder *coder;
	struct buf delta;
};

struct latest *latest_new(void)
{
	struct latest *l = xcalloc(1, sizeof(*l));

	l->coder = delta_coder_new();
	return l;
}

void latest_free(struct latest *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->ntexts; i++)
		xfree(l->texts[i].bytes);
	for (uint32_t i = 0; i < l->nsamples; i++)
		buf_release(&l->samples[i]);
	xfree(l->texts);
	xfree(l->samples);
	delta_coder_free(l->coder);
	buf_release(&l->delta);
	xfree(l);
}

/* Returns the array of n elements, made larger when at is not in it. */
static void *grown(void *array, uint32_t *n, uint32_t at, size_t size)
{
	uint32_t more = at + at / 4 + 64;

	if (at < *n)
		return array;
	array = xreallocarray(array, more, size);
	memset((char *)array + *n * size, 0, (more - *n) * size);
	*n = more;
	return array;
}

static void set_bytes(struct last_text *at, struct str bytes)
{
	at->bytes = xrealloc(at->bytes, bytes.len + 1);
	memcpy(at->bytes, bytes.ptr, bytes.len);
	at->n = (uint32_t)bytes.len;
}

static void leave_plain(struct latest *l, struct last_text *at)
{
	l->texts[at->before].after = at->after;
	l->texts[at->after].before = at->before;
	l->plain -= at->n;
	at->plain = false;
}

static void join_plain(struct latest *l, uint32_t slot)
{
	struct last_text *at = &l->texts[slot], *ends = &l->texts[0];

	at->before = ends->before;
	at->after = 0;
	l->texts[ends->before].after = slot;
	ends->before = slot;
	l->plain += at->n;
	at->plain = true;
}

static void compress_oldest(struct latest *l)
{
	struct last_text *at = &l->texts[l->texts[0].after];

	leave_plain(l, at);
	buf_reset(&l->delta);
	delta_encode(l->coder, buf_str(&l->samples[at->kind]), (struct str){ at->bytes, at->n }, &l->delta);
	set_bytes(at, buf_str(&l->delta));
}

void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now)
{
	struct last_text *at;

	l->texts = grown(l->texts, &l->ntexts, h.slot, sizeof(*l->texts));
	l->samples = grown(l->samples, &l->nsamples, kind, sizeof(*l->samples));
	if (!l->samples[kind].len)
		buf_add(&l->samples[kind], text);
	at = &l->texts[h.slot];
	if (at->plain)
		leave_plain(l, at);
	set_bytes(at, text);
	l->size += text.len - at->size;
	at->size = at->n;
	at->gen = h.gen;
	at->kind = kind;
	at->judged = now;
	join_plain(l, h.slot);
	while (l->plain > PLAIN_MAX)
		compress_oldest(l);
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

	return at && at->bytes && at->gen == h.gen ? at : NULL;
}

static void add_text(const struct latest *l, const struct last_text *at, const char *bytes, struct buf *out)
{
	if (at->plain)
		buf_add(out, (struct str){ bytes, at->n });
	else
		delta_decode(l->coder, buf_str(&l->samples[at->kind]), (struct str){ bytes, at->n }, out);
}

bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged)
{
	const struct last_text *at = text_of(l, h);

	if (!at)
		return false;
	add_text(l, at, at->bytes, out);
	*out_judged = at->judged;
	return true;
}

size_t latest_size(const struct latest *l)
{
	return l->size;
}

bool latest_copy(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged)
{
	const struct last_text *at = text_of(l, h);

	if (!at)
		return false;
	BUF_JOIN(out, ((struct str){ (const char *)at, sizeof(*at) }), ((struct str){ at->bytes, at->n }));
	*out_judged = at->judged;
	return true;
}

size_t latest_paste(const struct latest *l, struct str copies, struct buf *out)
{
	struct last_text copy;

	memcpy(&copy, copies.ptr, sizeof(copy));
	add_text(l, &copy, copies.ptr + sizeof(copy), out);
	return sizeof(copy) + copy.n;
}
