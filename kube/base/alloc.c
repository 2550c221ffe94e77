/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/alloc.h"

#include "kube/base/fatal.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *ptr)
{
	if (!ptr)
		fatal_no_memory();
	return ptr;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *ptr, size_t size)
{
	return checked(realloc(ptr, size ? size : 1));
}

void *xreallocarray(void *ptr, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		return checked(NULL);
	return xrealloc(ptr, n * size);
}

void *xgrow(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 4;
	return xreallocarray(array, *cap, size);
}

void *xgrow_zeroed(void *array, uint32_t *n, uint32_t at, size_t size)
{
	uint32_t more = at + at / 4 + 64;

	if (at < *n)
		return array;
	array = xreallocarray(array, more, size);
	memset((char *)array + *n * size, 0, (more - *n) * size);
	*n = more;
	return array;
}

char *xstrndup(const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

void xfree(void *ptr)
{
	free(ptr);
}
