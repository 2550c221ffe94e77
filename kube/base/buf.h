/* SPDX-License-Identifier: Apache-2.0 */
/* A run of bytes that it owns and that grows up to a ceiling. */
#ifndef KUBE_BASE_BUF_H
#define KUBE_BASE_BUF_H

#include "kube/base/err.h"
#include "kube/base/str.h"

/*
 * ptr ends with a NUL once something was added.  What would grow the buffer beyond max bytes (0: there is no ceiling)
 * is dropped, and failed stays true until the buffer is reset.  {0} is an empty buffer without a ceiling.
 */
struct buf {
	char *ptr;
	size_t len, cap, max;
	bool failed;
};

#define BUF_MAX(bytes) ((struct buf){ .max = (bytes) })

void buf_add(struct buf *b, struct str s);
/*
 * Adds n texts, one after the other.  BUF_JOIN(b, STR("a"), text, ...) does it for texts that are written as arguments,
 * each of which is evaluated once.
 */
void buf_join(struct buf *b, const struct str *parts, size_t n);
#define BUF_JOIN(b, ...) buf_join(b, (const struct str[]){ __VA_ARGS__ }, sizeof((const struct str[]){ __VA_ARGS__ }) / sizeof(struct str))
/* Makes room for that many bytes more, so that the buffer grows once instead of often. */
void buf_reserve(struct buf *b, size_t more);
void buf_add_cstr(struct buf *b, const char *s);
void buf_add_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Removes the first n bytes. */
void buf_consume(struct buf *b, size_t n);
struct str buf_str(const struct buf *b);
/* Returns the content as a C string, "" when nothing was added.  It is borrowed until the next addition. */
const char *buf_cstr(const struct buf *b);
/* Empties the buffer and keeps its memory for the next use. */
void buf_reset(struct buf *b);
void buf_release(struct buf *b);

#endif
