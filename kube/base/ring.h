/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of items of one size in one array, whose size follows their number. */
#ifndef KUBE_BASE_RING_H
#define KUBE_BASE_RING_H

#include <stddef.h>

/* { .item = sizeof(...) } is an empty ring. */
struct ring {
	char *items;
	size_t item;		/* bytes of one */
	size_t cap, at, n;	/* there are n items, from the place at on */
};

/* Returns the item by its number from the oldest on; it stays where it is until items are added or dropped. */
void *ring_item(const struct ring *r, size_t number);
/* Makes room for one more item behind the newest, or before the oldest; returns where it is to be written. */
void *ring_add_last(struct ring *r);
void *ring_add_first(struct ring *r);
/* The ring must not be empty. */
void ring_drop_first(struct ring *r);
void ring_drop_last(struct ring *r);
/* Returns the bytes of the array; and what they are once one more item is added. */
size_t ring_size(const struct ring *r);
size_t ring_next_size(const struct ring *r);
void ring_release(struct ring *r);

#endif
