/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hundred thousand pods may refer to one node, and come and go in any order: the slots are sorted, so that each is
 * found quickly, and for an insertion or a removal the shorter side is moved.
 */
#include "kube/model/referrers.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <string.h>

/* Returns where the slot stands, or would stand. */
static uint32_t position(const struct referrers *r, uint32_t slot)
{
	const uint32_t *slots = r->slots + r->first;
	uint32_t low = 0, high = r->n;

	assert(r->first + r->n <= r->cap);
	if (high && slots[high - 1] < slot) /* most slots are added in ascending order */
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (slots[middle] < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct referrers *resize(struct referrers *r, uint32_t cap)
{
	return xrealloc(r, sizeof(*r) + cap * sizeof(r->slots[0]));
}

static void make_room(struct referrers **rp)
{
	struct referrers *r = *rp;

	if (!r) {
		*rp = r = resize(NULL, 1);
		*r = (struct referrers){ 0, 0, 1 };
	}
	if (r->first + r->n < r->cap)
		return;
	if (r->first > r->cap / 2) {
		memmove(r->slots, r->slots + r->first, r->n * sizeof(r->slots[0]));
		r->first = 0;
		return;
	}
	*rp = r = resize(r, r->cap * 2);
	r->cap *= 2;
}

void referrers_add(struct referrers **rp, uint32_t slot)
{
	uint32_t at = *rp ? position(*rp, slot) : 0, *slots;

	make_room(rp);
	slots = (*rp)->slots + (*rp)->first;
	assert((at == 0 || slots[at - 1] < slot) && (at == (*rp)->n || slots[at] >= slot));
	memmove(&slots[at + 1], &slots[at], ((*rp)->n - at) * sizeof(*slots));
	slots[at] = slot;
	(*rp)->n++;
	assert((*rp)->first + (*rp)->n <= (*rp)->cap);
}

/* The memory shrinks when it is four times as large as needed. */
static void give_back(struct referrers **rp)
{
	struct referrers *r = *rp;

	if (r->n == 0) {
		xfree(r);
		*rp = NULL;
	} else if (r->n < r->cap / 4) {
		memmove(r->slots, r->slots + r->first, r->n * sizeof(r->slots[0]));
		r->first = 0;
		r->cap /= 2;
		*rp = resize(r, r->cap);
	}
}

void referrers_remove(struct referrers **rp, uint32_t slot)
{
	struct referrers *r = *rp;
	uint32_t at, *slots;

	if (!r)
		return;
	at = position(r, slot);
	slots = r->slots + r->first;
	if (at == r->n || slots[at] != slot)
		return;
	r->n--;
	if (at < r->n / 2) {
		memmove(&slots[1], slots, at * sizeof(*slots));
		r->first++;
	} else {
		memmove(&slots[at], &slots[at + 1], (r->n - at) * sizeof(*slots));
	}
	give_back(rp);
}

struct referrers *referrers_copy(const struct referrers *r)
{
	size_t size = r ? sizeof(*r) + r->cap * sizeof(r->slots[0]) : 0;

	return r ? memcpy(xmalloc(size), r, size) : NULL;
}
