/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/steps/count.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 1 << 20 };

static bool counting;
static uint64_t blocks, bytes;
static size_t fresh;
static uint8_t met[BLOCKS];

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	uintptr_t at;

	if (!counting)
		return;
	blocks++;
	at = (uintptr_t)__builtin_return_address(0) & (BLOCKS - 1);
	fresh += !met[at];
	met[at] = 1;
}

void count_begin(void)
{
	blocks = bytes = 0;
	counting = true;
}

uint64_t count_end(void)
{
	counting = false;
	return blocks + bytes / 8;
}

void count_forget(void)
{
	fresh = 0;
}

size_t count_new(void)
{
	return fresh;
}

static void touched(size_t n)
{
	if (counting)
		bytes += n;
}

/* ---- what the linker leads here --------------------------------------------------- */

#define REAL(result, name, ...)             \
	result __real_##name(__VA_ARGS__);  \
	result __wrap_##name(__VA_ARGS__);  \
	result __wrap_##name(__VA_ARGS__)

/* As far as the two are equal. */
static size_t common(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i < n && (a[i] | 0x20) == (b[i] | 0x20) && a[i])
		i++;
	return i + 1;
}

REAL(size_t, strlen, const char *s)
{
	size_t n = __real_strlen(s);

	touched(n);
	return n;
}

REAL(void *, memchr, const void *s, int c, size_t n)
{
	const char *hit = __real_memchr(s, c, n);

	touched(hit ? (size_t)(hit - (const char *)s) : n);
	return (void *)(uintptr_t)hit;
}

REAL(void *, memrchr, const void *s, int c, size_t n)
{
	const char *hit = __real_memrchr(s, c, n);

	touched(hit ? n - (size_t)(hit - (const char *)s) : n);
	return (void *)(uintptr_t)hit;
}

REAL(void *, memmem, const void *s, size_t n, const void *what, size_t m)
{
	const char *hit = __real_memmem(s, n, what, m);

	touched((hit ? (size_t)(hit - (const char *)s) : n) + m);
	return (void *)(uintptr_t)hit;
}

REAL(int, memcmp, const void *a, const void *b, size_t n)
{
	const char *x = a, *y = b;
	size_t i = 0;

	if (counting) {
		while (i < n && x[i] == y[i])
			i++;
		touched(i);
	}
	return __real_memcmp(a, b, n);
}

REAL(void *, memcpy, void *to, const void *from, size_t n)
{
	touched(n);
	return __real_memcpy(to, from, n);
}

REAL(void *, memmove, void *to, const void *from, size_t n)
{
	touched(n);
	return __real_memmove(to, from, n);
}

REAL(void *, memset, void *to, int c, size_t n)
{
	touched(n);
	return __real_memset(to, c, n);
}

REAL(char *, strchr, const char *s, int c)
{
	char *hit = __real_strchr(s, c);

	touched(hit ? (size_t)(hit - s) : __real_strlen(s));
	return hit;
}

REAL(char *, strrchr, const char *s, int c)
{
	touched(__real_strlen(s));
	return __real_strrchr(s, c);
}

REAL(char *, strstr, const char *s, const char *what)
{
	char *hit = __real_strstr(s, what);

	touched((hit ? (size_t)(hit - s) : __real_strlen(s)) + __real_strlen(what));
	return hit;
}

REAL(int, strcmp, const char *a, const char *b)
{
	touched(common(a, b, SIZE_MAX));
	return __real_strcmp(a, b);
}

REAL(int, strncmp, const char *a, const char *b, size_t n)
{
	touched(common(a, b, n));
	return __real_strncmp(a, b, n);
}

REAL(int, strcasecmp, const char *a, const char *b)
{
	touched(common(a, b, SIZE_MAX));
	return __real_strcasecmp(a, b);
}

REAL(int, strncasecmp, const char *a, const char *b, size_t n)
{
	touched(common(a, b, n));
	return __real_strncasecmp(a, b, n);
}

REAL(int, vsnprintf, char *to, size_t size, const char *format, va_list args)
{
	int n = __real_vsnprintf(to, size, format, args);

	touched(n > 0 ? (size_t)n : 0);
	return n;
}
