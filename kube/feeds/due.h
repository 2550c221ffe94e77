/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines, the earliest first: a heap of what is embedded in its owner. */
#ifndef KUBE_FEEDS_DUE_H
#define KUBE_FEEDS_DUE_H

#include <stddef.h>
#include <stdint.h>

struct due {
	int64_t when;	/* ms */
	size_t at;	/* 1 + its place in the heap; 0: not in it */
};

/* {0} is empty. */
struct due_heap {
	struct due **all;
	size_t n, cap;
};

/* Puts it in, or moves it; 0 takes it out. */
void due_set(struct due_heap *heap, struct due *due, int64_t when);
/* The earliest; NULL when there is none. */
struct due *due_first(const struct due_heap *heap);
void due_release(struct due_heap *heap);

#endif
