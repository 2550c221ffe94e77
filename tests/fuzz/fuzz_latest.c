/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last text of each object, put, replaced, dropped and seen by views in any order, with few objects and with many,
 * beside a model that knows which text is whose.
 */
#include "kube/base/limits.h"
#include "plugin/record/latest.h"
#include "tests/fuzz/steps.h"

#include <string.h>

enum { SLOTS = 256, KINDS = 3, VIEWS = 3 };
#define PUT_MOST MIB(24)	/* bytes that one input puts: three times the ring */

/* What is known of the text in a slot. */
struct known {
	size_t size;	/* as version_text() was asked for; 0: there is none */
	unsigned version;
	uint32_t gen;
};

struct seen {
	struct latest_view *view;	/* NULL: there is none */
	struct known known[SLOTS];
	uint32_t next;	/* the slot that is read next */
};

struct run {
	struct latest *latest;
	struct known known[SLOTS];
	struct seen seen[VIEWS];
	uint32_t nslots;
	unsigned version;
	size_t put;	/* bytes so far */
	struct buf text, wanted;
};

static uint32_t kind_of(uint32_t slot)
{
	return slot % KINDS + 1;
}

static bool is_wanted(struct run *r, uint32_t slot, const struct known *k)
{
	version_text(slot, k->version, k->size, &r->wanted);
	return str_eq(buf_str(&r->text), buf_str(&r->wanted));
}

static void get(struct run *r, uint32_t slot)
{
	const struct known *k = &r->known[slot];
	struct handle h = { slot, k->gen }, before = { slot, k->gen - 1 };
	int64_t judged;

	buf_reset(&r->text);
	expect(latest_get(r->latest, h, &r->text, &judged) == (k->size > 0), "whether there is a text");
	expect(!k->size || is_wanted(r, slot, k), "the text");
	expect(!k->size || judged == k->version, "when it was judged");
	expect(!latest_has(r->latest, before, &judged), "an object that was there before has no text");
}

static void put(struct run *r, uint32_t slot, size_t size, bool another)
{
	struct known *k = &r->known[slot];

	if (r->put > PUT_MOST)
		return;
	*k = (struct known){ size + 1, ++r->version, k->gen + (another || !k->gen) };
	version_text(slot, k->version, k->size, &r->text);
	r->put += r->text.len;
	latest_put(r->latest, (struct handle){ slot, k->gen }, kind_of(slot), buf_str(&r->text), r->version);
	get(r, slot);
}

static void drop(struct run *r, uint32_t slot)
{
	latest_drop(r->latest, slot);
	r->known[slot].size = 0;
}

static void close_view(struct seen *s)
{
	latest_view_free(s->view);
	s->view = NULL;
}

static void open_view(struct run *r, struct seen *s)
{
	close_view(s);
	s->view = latest_view_new(r->latest);
	memcpy(s->known, r->known, sizeof(s->known));
	s->next = 0;
}

static void read_view(struct run *r, struct seen *s, uint32_t most)
{
	for (; s->view && most && s->next < r->nslots; most--, s->next++) {
		const struct known *k = &s->known[s->next];

		buf_reset(&r->text);
		expect(latest_view_get(s->view, (struct handle){ s->next, k->gen }, &r->text) == (k->size > 0), "whether a view has a text");
		expect(!k->size || is_wanted(r, s->next, k), "the text of a view");
	}
}

/* Half of the texts are short, others have up to a mebibyte, so that few of them fill the ring. */
static size_t size_of(uint8_t byte)
{
	return byte < 128 ? byte * 4 : ((size_t)1 << (byte % 21)) + byte;
}

static void step(struct run *r, struct steps *in)
{
	unsigned what = step_byte(in), times = 1;
	uint32_t slot = step_byte(in) % r->nslots;
	uint8_t arg = step_byte(in);
	struct seen *seen = &r->seen[arg % VIEWS];

	switch (what % 8) {
	case 0:
		times = 1 + what / 8;	/* several in succession */
		/* fall through */
	case 1:
	case 2:
		while (times--)
			put(r, slot, size_of(arg), what & 64);
		break;
	case 3:
		for (uint32_t i = 0; i < r->nslots; i++)	/* all others, and so the ring turns */
			put(r, (slot + i) % r->nslots, size_of(arg), false);
		break;
	case 4:
		drop(r, slot);
		break;
	case 5:
		open_view(r, seen);
		break;
	case 6:
		read_view(r, seen, 1 + slot);
		break;
	default:
		close_view(seen);
		break;
	}
	get(r, slot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t slots[] = { 1, 2, 5, SLOTS };
	struct steps in = { data, size, 0 };
	struct run r = { .latest = latest_new(), .nslots = slots[step_byte(&in) % 4] };
	size_t all = 0;

	while (steps_left(&in))
		step(&r, &in);
	for (uint32_t slot = 0; slot < r.nslots; slot++) {
		get(&r, slot);
		all += r.known[slot].size ? r.text.len : 0;
	}
	expect(latest_size(r.latest) == all, "the bytes of all texts");
	for (size_t i = 0; i < VIEWS; i++) {
		read_view(&r, &r.seen[i], SLOTS);
		close_view(&r.seen[i]);
	}
	latest_free(r.latest);
	buf_release(&r.text);
	buf_release(&r.wanted);
	return 0;
}
