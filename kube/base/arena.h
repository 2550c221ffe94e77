/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena is memory that is freed as a whole: there is one arena for each event, and one for each frame on the screen.
 */
#ifndef KUBE_BASE_ARENA_H
#define KUBE_BASE_ARENA_H

#include "kube/base/err.h"
#include "kube/base/str.h"

struct arena_block;
struct buf;

/* {0} is an empty arena. */
struct arena {
	struct arena_block *blocks;
	size_t used;
};

/* Returns memory that is aligned for any type and zeroed. */
void *arena_alloc(struct arena *a, size_t size);
/* Returns a zeroed array of n elements. */
void *arena_array(struct arena *a, size_t n, size_t size);
/*
 * Returns the array with room for element n: one with n of *cap elements is copied into one that is twice as large.  The array may be
 * NULL while *cap is 0.
 */
void *arena_grow(struct arena *a, void *array, size_t n, size_t *cap, size_t size);
/* Returns a copy of s.  A NUL follows its bytes, so that ptr is also a C string. */
struct str arena_str(struct arena *a, struct str s);
/* Moves what was written into the arena, and releases the buffer. */
struct str arena_take(struct arena *arena, struct buf *text);
/* Returns the n texts joined, one after the other. */
struct str arena_join(struct arena *a, const struct str *parts, size_t n);
/*
 * Joins texts that are written as arguments: ARENA_JOIN(a, STR("-n "), shell_word(ns, a)).  Each argument is evaluated
 * once.
 */
#define ARENA_JOIN(a, ...) arena_join(a, (const struct str[]){ __VA_ARGS__ }, sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str))
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Frees everything but one block, which is kept for the next use. */
void arena_reset(struct arena *a);
void arena_release(struct arena *a);

/* A growing array in an arena; {0} is an empty one. */
struct arena_list {
	void *items;
	uint16_t n, cap;
};

/* Adds one zeroed element of that size and returns it; NULL when there are limit elements. */
void *arena_list_add(struct arena_list *l, struct arena *arena, size_t size, size_t limit);

#endif
