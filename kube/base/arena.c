/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/arena.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/buf.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * The first block is small, and each further block is twice as large as the one before, up to ARENA_BLOCK: most arenas
 * live for one object or one text, and musl asks the system for each block of the largest size.
 */
#define ARENA_FIRST ((size_t)2 * 1024)
#define ARENA_BLOCK ((size_t)64 * 1024)

struct arena_block {
	struct arena_block *next;
	size_t size;
	alignas(max_align_t) char bytes[];
};

static void arena_add_block(struct arena *a, size_t size)
{
	size_t bytes = a->blocks ? 2 * a->blocks->size : ARENA_FIRST;
	struct arena_block *block;

	if (bytes > ARENA_BLOCK)
		bytes = ARENA_BLOCK;
	if (bytes < size)
		bytes = size;
	block = xmalloc(sizeof(*block) + bytes);

	block->next = a->blocks;
	block->size = bytes;
	a->blocks = block;
	a->used = 0;
	assert(bytes >= size);
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t align = alignof(max_align_t);
	void *ptr;

	if (size > SIZE_MAX / 2)
		size = SIZE_MAX / 2;	/* xmalloc() refuses this size and ends the program */
	size = (size + align - 1) / align * align;
	if (!a->blocks || a->blocks->size - a->used < size)
		arena_add_block(a, size);
	ptr = a->blocks->bytes + a->used;
	a->used += size;
	assert(a->used <= a->blocks->size && a->used % align == 0);
	return memset(ptr, 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 2 / size)
		return arena_alloc(a, SIZE_MAX / 2);
	return arena_alloc(a, n * size);
}

struct str arena_str(struct arena *a, struct str s)
{
	char *copy;

	if (s.len == 0)
		return STR_NONE;
	copy = arena_alloc(a, s.len + 1);
	memcpy(copy, s.ptr, s.len);
	return (struct str){ copy, s.len };
}

struct str arena_take(struct arena *arena, struct buf *text)
{
	struct str copy = arena_str(arena, buf_str(text));

	buf_release(text);
	return copy;
}

struct str arena_join(struct arena *a, const struct str *parts, size_t n)
{
	size_t len = 0, at = 0;
	char *text;

	for (size_t i = 0; i < n; i++)
		len += parts[i].len;
	if (len == 0)
		return STR_NONE;
	text = arena_alloc(a, len + 1);
	for (size_t i = 0; i < n; i++) {
		if (parts[i].len)
			memcpy(text + at, parts[i].ptr, parts[i].len);
		at += parts[i].len;
	}
	assert(at == len);
	return (struct str){ text, len };
}

struct str arena_printf(struct arena *a, const char *fmt, ...)
{
	char line[256];	/* most texts fit into it; a longer text is printed twice */
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n <= 0)
		return STR_NONE;
	if ((size_t)n < sizeof(line))
		return arena_str(a, (struct str){ line, (size_t)n });
	text = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct str){ text, (size_t)n };
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = a->blocks;

	if (!keep)
		return;
	if (keep->size > ARENA_BLOCK) {
		arena_release(a);
		return;
	}
	a->blocks = keep->next;
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		xfree(a->blocks);
		a->blocks = next;
	}
	keep->next = NULL;
	a->blocks = keep;
	a->used = 0;
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		xfree(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
}

void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t size)
{
	void *larger;

	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 4;
	larger = arena_array(a, *cap, size);
	if (n)
		memcpy(larger, array, n * size);
	return larger;
}

void *arena_list_add(struct arena_list *l, struct arena *arena, size_t size, size_t limit)
{
	if (l->n >= limit)
		return NULL;
	if (l->n == l->cap) {
		size_t cap = l->cap ? (size_t)l->cap * 2 : 4;
		void *bigger = arena_array(arena, cap, size);

		if (l->n)
			memcpy(bigger, l->items, l->n * size);
		l->items = bigger;
		l->cap = (uint16_t)cap;
	}
	return (char *)l->items + (size_t)l->n++ * size;
}
