/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of slots of the store: one bit for each slot, in pages that exist only where bits are set.  Objects of one kind
 * have neighbouring slots, so that a hundred sets of a hundred thousand slots take some KB each.
 */
#ifndef KUBE_FEEDS_SLOT_SET_H
#define KUBE_FEEDS_SLOT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slot_page;

/* When it is zeroed it is empty. */
struct slot_set {
	struct slot_page **pages;
	uint32_t npages;
	uint32_t n;	/* number of slots in it */
};

bool slot_set_has(const struct slot_set *s, uint32_t slot);
/* slot is not 0; a slot that is added twice is in the set once. */
void slot_set_add(struct slot_set *s, uint32_t slot);
void slot_set_remove(struct slot_set *s, uint32_t slot);
/* Returns the first slot that is at least from; 0: there is none. */
uint32_t slot_set_next(const struct slot_set *s, uint32_t from);
/* Empties the set and frees its memory. */
void slot_set_release(struct slot_set *s);

#endif
