/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/feeds/slot_set.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <string.h>

enum { WORDS = 32, PAGE_SLOTS = WORDS * 64 };

struct slot_page {
	uint64_t words[WORDS];
	uint32_t n;	/* bits that are set */
};

static struct slot_page *page_of(const struct slot_set *s, uint32_t slot)
{
	return slot / PAGE_SLOTS < s->npages ? s->pages[slot / PAGE_SLOTS] : NULL;
}

static uint64_t *word_of(struct slot_page *page, uint32_t slot)
{
	return &page->words[slot % PAGE_SLOTS / 64];
}

static uint64_t bit_of(uint32_t slot)
{
	return (uint64_t)1 << slot % 64;
}

bool slot_set_has(const struct slot_set *s, uint32_t slot)
{
	struct slot_page *page = page_of(s, slot);

	return page && (*word_of(page, slot) & bit_of(slot));
}

static void grow_to(struct slot_set *s, uint32_t npages)
{
	if (npages <= s->npages)
		return;
	s->pages = xreallocarray(s->pages, npages, sizeof(struct slot_page *));
	memset(s->pages + s->npages, 0, (npages - s->npages) * sizeof(struct slot_page *));
	s->npages = npages;
}

void slot_set_add(struct slot_set *s, uint32_t slot)
{
	struct slot_page **page;

	assert(slot);
	if (slot_set_has(s, slot))
		return;
	grow_to(s, slot / PAGE_SLOTS + 1);
	page = &s->pages[slot / PAGE_SLOTS];
	if (!*page)
		*page = xcalloc(1, sizeof(**page));
	*word_of(*page, slot) |= bit_of(slot);
	(*page)->n++;
	s->n++;
}

void slot_set_remove(struct slot_set *s, uint32_t slot)
{
	struct slot_page *page = page_of(s, slot);

	if (!slot_set_has(s, slot))
		return;
	assert(s->n > 0 && page->n > 0 && page->n <= PAGE_SLOTS);
	*word_of(page, slot) &= ~bit_of(slot);
	s->n--;
	if (--page->n)
		return;
	xfree(page);
	s->pages[slot / PAGE_SLOTS] = NULL;
}

uint32_t slot_set_next(const struct slot_set *s, uint32_t from)
{
	for (uint64_t slot = from; slot / PAGE_SLOTS < s->npages;) {
		struct slot_page *page = page_of(s, (uint32_t)slot);
		uint64_t word = page ? *word_of(page, (uint32_t)slot) >> slot % 64 : 0;

		if (word & 1)
			return (uint32_t)slot;
		if (!page)
			slot = (slot / PAGE_SLOTS + 1) * PAGE_SLOTS;
		else
			slot = word ? slot + 1 : (slot / 64 + 1) * 64;
	}
	return 0;
}

void slot_set_release(struct slot_set *s)
{
	for (uint32_t i = 0; i < s->npages; i++)
		xfree(s->pages[i]);
	xfree(s->pages);
	*s = (struct slot_set){ 0 };
}
