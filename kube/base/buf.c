/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/buf.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool buf_grow(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 64;

	assert(b->cap ? b->len < b->cap : b->len == 0);
	if (b->max && (more > b->max || b->len > b->max - more))
		b->failed = true;
	if (b->failed)
		return false;
	if (b->len + more + 1 <= b->cap)
		return true;
	assert(more < SIZE_MAX / 4 && b->len < SIZE_MAX / 4);
	while (cap < b->len + more + 1)
		cap *= 2;
	b->ptr = xrealloc(b->ptr, cap);
	b->cap = cap;
	return true;
}

/* No memory is asked for in the usual case: most texts are added where there is room for them already. */
static bool has_room(const struct buf *b, size_t more)
{
	return !b->max && more < b->cap - b->len;
}

void buf_reserve(struct buf *b, size_t more)
{
	if (buf_grow(b, more))
		b->ptr[b->len] = '\0';
}

void buf_add(struct buf *b, struct str s)
{
	if (s.len == 0 || (!has_room(b, s.len) && !buf_grow(b, s.len)))
		return;
	memcpy(b->ptr + b->len, s.ptr, s.len);
	b->len += s.len;
	b->ptr[b->len] = '\0';
}

void buf_join(struct buf *b, const struct str *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_add(b, parts[i]);
}

void buf_add_cstr(struct buf *b, const char *s)
{
	buf_add(b, str_of(s));
}

void buf_add_char(struct buf *b, char c)
{
	if (!has_room(b, 1) && !buf_grow(b, 1))
		return;
	b->ptr[b->len++] = c;
	b->ptr[b->len] = '\0';
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	/* prints into the room that there is, and once more when that was not enough */
	va_start(ap, fmt);
	n = vsnprintf(b->cap ? b->ptr + b->len : NULL, b->cap ? b->cap - b->len : 0, fmt, ap);
	va_end(ap);
	if (n > 0 && b->len + (size_t)n < b->cap && buf_grow(b, (size_t)n)) {
		b->len += (size_t)n;
		return;
	}
	assert(n >= 0);
	if (b->cap)
		b->ptr[b->len] = '\0';
	if (n == 0 || !buf_grow(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->ptr + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void buf_consume(struct buf *b, size_t n)
{
	if (n > b->len)
		n = b->len;
	if (n == 0)
		return;
	assert(b->len < b->cap);
	memmove(b->ptr, b->ptr + n, b->len - n);
	b->len -= n;
	b->ptr[b->len] = '\0';
}

struct str buf_str(const struct buf *b)
{
	return b->len ? (struct str){ b->ptr, b->len } : STR_NONE;
}

const char *buf_cstr(const struct buf *b)
{
	return b->len ? b->ptr : "";
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->ptr)
		b->ptr[0] = '\0';
}

void buf_release(struct buf *b)
{
	xfree(b->ptr);
	*b = (struct buf){ .max = b->max };
}
