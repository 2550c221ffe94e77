/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/latest.h"

#include "kube/base/alloc.h"
#include "plugin/record/delta.h"

#include <string.h>

struct packed_text {
	char *bytes;	/* NULL: there is none */
	int64_t judged;
	uint32_t n, gen, kind;
};

/* The first text of a kind. */
struct sample {
	struct buf text;
	struct delta_index index;
};

struct latest {
	struct packed_text *texts;	/* by slot */
	uint32_t ntexts;
	struct sample **samples;	/* by kind; NULL: there is none */
	uint32_t nsamples;
	struct buf delta;
};

struct latest *latest_new(void)
{
	return xcalloc(1, sizeof(struct latest));
}

void latest_free(struct latest *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->ntexts; i++)
		xfree(l->texts[i].bytes);
	for (uint32_t i = 0; i < l->nsamples; i++) {
		if (l->samples[i])
			buf_release(&l->samples[i]->text);
		xfree(l->samples[i]);
	}
	xfree(l->texts);
	xfree(l->samples);
	buf_release(&l->delta);
	xfree(l);
}

/* Room for one at that place, in an array of n. */
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

void latest_put(struct latest *l, struct handle h, uint32_t kind, struct str text, int64_t now)
{
	struct packed_text *at;
	struct sample *sample;

	l->texts = grown(l->texts, &l->ntexts, h.slot, sizeof(*l->texts));
	l->samples = grown(l->samples, &l->nsamples, kind, sizeof(struct sample *));
	at = &l->texts[h.slot];
	sample = l->samples[kind];
	if (!sample) {
		sample = l->samples[kind] = xcalloc(1, sizeof(*sample));
		buf_add(&sample->text, text);
		delta_index(buf_str(&sample->text), &sample->index);
	}
	buf_reset(&l->delta);
	delta_encode(&sample->index, buf_str(&sample->text), text, &l->delta);
	at->bytes = xrealloc(at->bytes, l->delta.len + 1);
	memcpy(at->bytes, l->delta.ptr, l->delta.len);
	at->n = (uint32_t)l->delta.len;
	at->gen = h.gen;
	at->kind = kind;
	at->judged = now;
}

void latest_judged(struct latest *l, struct handle h, int64_t now)
{
	if (h.slot < l->ntexts && l->texts[h.slot].gen == h.gen)
		l->texts[h.slot].judged = now;
}

bool latest_get(const struct latest *l, struct handle h, struct buf *out, int64_t *out_judged)
{
	const struct packed_text *at = h.slot < l->ntexts ? &l->texts[h.slot] : NULL;

	if (!at || !at->bytes || at->gen != h.gen)
		return false;
	delta_decode(buf_str(&l->samples[at->kind]->text), (struct str){ at->bytes, at->n }, out);
	*out_judged = at->judged;
	return true;
}
