/* SPDX-License-Identifier: Apache-2.0 */
/* The only use of malloc and free: running out ends the program, tidily. */
#ifndef KUBE_BASE_ALLOC_H
#define KUBE_BASE_ALLOC_H

#include <stddef.h>

/* Never return NULL.  xcalloc zeroes; xreallocarray checks n * size. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *ptr, size_t n, size_t size);
void *xrealloc(void *ptr, size_t size);
char *xstrdup(const char *s);
/* A NUL-terminated copy of len bytes. */
char *xstrndup(const char *s, size_t len);
/* NULL is allowed. */
void xfree(void *ptr);

/* Much was freed: gives what libc keeps for later back to the system, where it can. */
void alloc_give_back(void);

/* Called before the program ends for want of memory: restores the terminal. */
void alloc_on_failure(void (*hook)(void));

#endif
