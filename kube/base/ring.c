/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/ring.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <string.h>

enum { LEAST = 8 };

void *ring_item(const struct ring *r, size_t number)
{
	size_t at = r->at + number;

	assert(number < r->cap);
	return r->items + (at < r->cap ? at : at - r->cap) * r->item;
}

static void set_cap(struct ring *r, size_t cap)
{
	char *items = xreallocarray(NULL, cap, r->item);
	size_t first = r->n < r->cap - r->at ? r->n : r->cap - r->at;	/* those up to the end of the array */

	if (r->n) {
		memcpy(items, r->items + r->at * r->item, first * r->item);
		memcpy(items + first * r->item, r->items, (r->n - first) * r->item);
	}
	xfree(r->items);
	r->items = items;
	r->cap = cap;
	r->at = 0;
}

void ring_release(struct ring *r)
{
	xfree(r->items);
	*r = (struct ring){ .item = r->item };
}

static size_t next_cap(const struct ring *r)
{
	return r->n < r->cap ? r->cap : r->cap + r->cap / 2 + LEAST;
}

static void make_room(struct ring *r)
{
	if (r->n == r->cap)
		set_cap(r, next_cap(r));
}

void *ring_add_last(struct ring *r)
{
	make_room(r);
	return ring_item(r, r->n++);
}

void *ring_add_first(struct ring *r)
{
	make_room(r);
	r->at = r->at ? r->at - 1 : r->cap - 1;
	r->n++;
	return ring_item(r, 0);
}

/* Where less than half of the array is used, a quarter of it is given back. */
static void give_back(struct ring *r)
{
	if (r->n == 0)
		ring_release(r);
	else if (r->cap > 4 * LEAST && r->n < r->cap / 2)
		set_cap(r, r->cap - r->cap / 4);
}

void ring_drop_first(struct ring *r)
{
	assert(r->n > 0);
	r->at = r->at + 1 < r->cap ? r->at + 1 : 0;
	r->n--;
	give_back(r);
}

void ring_drop_last(struct ring *r)
{
	assert(r->n > 0);
	r->n--;
	give_back(r);
}

size_t ring_size(const struct ring *r)
{
	return r->cap * r->item;
}

size_t ring_next_size(const struct ring *r)
{
	return next_cap(r) * r->item;
}
