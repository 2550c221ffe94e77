/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that calls malloc() and free().  When memory runs out, the terminal is restored and the program ends
 * (kube/base/fatal.h).
 */
#ifndef KUBE_BASE_ALLOC_H
#define KUBE_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* About the bytes that malloc() needs beside those of one allocation, for who counts what he keeps. */
enum { ALLOC_OVERHEAD = 16 };

/* None of these returns NULL.  xcalloc() zeroes the memory; xreallocarray() checks that n * size does not overflow. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *ptr, size_t n, size_t size);
void *xrealloc(void *ptr, size_t size);
/*
 * Returns the array with room for element n: one with n of *cap elements is moved and made twice as large.  The array is NULL while
 * *cap is 0.
 */
void *xgrow(void *array, size_t n, size_t *cap, size_t size);
/*
 * Returns the array of *n elements with room for element at: one that is too short is moved and made a quarter longer than needed, and
 * its new elements are zero.
 */
void *xgrow_zeroed(void *array, uint32_t *n, uint32_t at, size_t size);
char *xstrdup(const char *s);
/* Returns a copy of len bytes with a NUL behind them. */
char *xstrndup(const char *s, size_t len);
/* p may be NULL. */
void xfree(void *ptr);

#endif
