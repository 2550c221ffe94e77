/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/feeds/due.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <stdbool.h>

/* No entry is due before the entry above it, and each entry knows its place. */
static bool is_ordered(const struct due_heap *heap)
{
	for (size_t i = 0; i < heap->n; i++)
		if (heap->all[i]->at != i + 1 || heap->all[(i - (i > 0)) / 2]->when > heap->all[i]->when)
			return false;
	return true;
}

static void put_at(struct due_heap *heap, size_t i, struct due *due)
{
	assert(i < heap->n);
	heap->all[i] = due;
	due->at = i + 1;
}

static void sift_up(struct due_heap *heap, size_t i)
{
	struct due *due = heap->all[i];

	for (; i > 0 && heap->all[(i - 1) / 2]->when > due->when; i = (i - 1) / 2)
		put_at(heap, i, heap->all[(i - 1) / 2]);
	put_at(heap, i, due);
}

static void sift_down(struct due_heap *heap, size_t i)
{
	struct due *due = heap->all[i];

	for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n && heap->all[child + 1]->when < heap->all[child]->when)
			child++;
		if (heap->all[child]->when >= due->when)
			break;
		put_at(heap, i, heap->all[child]);
	}
	put_at(heap, i, due);
}

static void take_out(struct due_heap *heap, struct due *due)
{
	size_t i = due->at - 1;
	struct due *last = heap->all[--heap->n];

	due->at = 0;
	if (last == due)
		return;
	put_at(heap, i, last);
	sift_up(heap, i);
	sift_down(heap, last->at - 1);
	assert_costly(is_ordered(heap));
}

void due_set(struct due_heap *heap, struct due *due, int64_t when)
{
	assert(!due->at || (due->at <= heap->n && heap->all[due->at - 1] == due));
	if (due->at && due->when == when)
		return;
	if (due->at)
		take_out(heap, due);
	due->when = when;
	if (!when)
		return;
	heap->all = xgrow(heap->all, heap->n, &heap->cap, sizeof(struct due *));
	heap->n++;
	put_at(heap, heap->n - 1, due);
	sift_up(heap, heap->n - 1);
	assert_costly(is_ordered(heap));
}

struct due *due_first(const struct due_heap *heap)
{
	assert(!heap->n || heap->all[0]->at == 1);
	return heap->n ? heap->all[0] : NULL;
}

void due_release(struct due_heap *heap)
{
	xfree(heap->all);
	*heap = (struct due_heap){ 0 };
}
