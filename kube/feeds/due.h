/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines, the earliest first: a heap of entries that are embedded in their owners. */
#ifndef KUBE_FEEDS_DUE_H
#define KUBE_FEEDS_DUE_H

#include <stddef.h>
#include <stdint.h>

struct due {
	int64_t when;	/* ms */
	size_t at;	/* 1 + its place in the heap; 0: it is not in the heap */
};

/* {0} is an empty heap. */
struct due_heap {
	struct due **all;
	size_t n, cap;
};

/* Adds the entry, or moves it to another time; 0 removes it. */
void due_set(struct due_heap *heap, struct due *due, int64_t when);
/* Returns the earliest entry; NULL when the heap is empty. */
struct due *due_first(const struct due_heap *heap);
void due_release(struct due_heap *heap);

#endif
