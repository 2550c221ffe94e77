/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed as a whole: one arena per event, one per frame. */
#ifndef KUBE_BASE_ARENA_H
#define KUBE_BASE_ARENA_H

#include "kube/base/err.h"
#include "kube/base/str.h"

struct arena_block;

/* {0} is an empty arena. */
struct arena {
	struct arena_block *blocks;
	size_t used;
};

/* Aligned for any type, zeroed. */
void *arena_alloc(struct arena *a, size_t size);
/* n elements, zeroed. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* A copy; NUL follows the bytes, so ptr is also a C string. */
struct str arena_str(struct arena *a, struct str s);
/* n texts, one after the other. */
struct str arena_join(struct arena *a, const struct str *parts, size_t n);
/* The same of parts that are written down: ARENA_JOIN(a, STR("-n "), shell_word(ns, a)).  Each is evaluated once. */
#define ARENA_JOIN(a, ...) arena_join(a, (const struct str[]){ __VA_ARGS__ }, sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str))
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Everything is gone; one block is kept for the next use. */
void arena_reset(struct arena *a);
void arena_release(struct arena *a);

#endif
