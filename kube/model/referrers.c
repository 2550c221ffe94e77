/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hundred thousand pods may refer to one node, and come and go in any order:
 * kept sorted, so that each is found at once, and moved at the shorter side.
 */
#include "kube/model/referrers.h"

#include "kube/base/alloc.h"

#include <string.h>

/* Where the slot stands, or would. */
static uint32_t position(const struct referrers *r, uint32_t slot)
{
	const uint32_t *slots = r->slots + r->first;
	uint32_t low = 0, high = r->n;

	if (high && slots[high - 1] < slot) /* as most are: met in that order */
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

static void make_room(struct referrers *r)
{
	if (r->first + r->n < r->cap)
		return;
	if (r->first > r->cap / 2) {
		memmove(r->slots, r->slots + r->first, r->n * sizeof(*r->slots));
		r->first = 0;
		return;
	}
	r->cap = r->cap ? r->cap * 2 : 2;
	r->slots = xreallocarray(r->slots, r->cap, sizeof(*r->slots));
}

void referrers_add(struct referrers *r, uint32_t slot)
{
	uint32_t at = r->n ? position(r, slot) : 0, *slots;

	make_room(r);
	slots = r->slots + r->first;
	memmove(&slots[at + 1], &slots[at], (r->n - at) * sizeof(*slots));
	slots[at] = slot;
	r->n++;
}

void referrers_remove(struct referrers *r, uint32_t slot)
{
	uint32_t at = r->n ? position(r, slot) : 0, *slots = r->slots + r->first;

	if (at == r->n || slots[at] != slot)
		return;
	r->n--;
	if (at < r->n / 2) {
		memmove(&slots[1], slots, at * sizeof(*slots));
		r->first++;
	} else {
		memmove(&slots[at], &slots[at + 1], (r->n - at) * sizeof(*slots));
	}
}

void referrers_release(struct referrers *r)
{
	xfree(r->slots);
	*r = (struct referrers){ 0 };
}
