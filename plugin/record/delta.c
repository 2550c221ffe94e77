/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A delta is a row of runs: a number (varint) whose lowest bit says what it is, and above it
 * how many bytes: 0: these bytes follow; 1: they stand in the base, at the position that follows.
 */
#include "plugin/record/delta.h"

#include <assert.h>
#include <string.h>

enum {
	WINDOW = 8,		/* bytes that are looked for in the base */
	STEP = 4,		/* between two windows of the base that are known */
	BASE = 32 * 1024	/* bytes of the base that are looked at */
};

static void add_number(struct buf *out, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_add_char(out, (char)(n | 0x80));
	buf_add_char(out, (char)n);
}

static size_t take_number(struct str *rest)
{
	size_t n = 0;

	for (unsigned shift = 0; rest->len && shift < 63; shift += 7) {
		unsigned char byte = (unsigned char)rest->ptr[0];

		*rest = str_from(*rest, 1);
		n |= (size_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80))
			break;
	}
	return n;
}

static size_t place_of(const char *window)
{
	uint64_t bytes;

	memcpy(&bytes, window, WINDOW);
	return (size_t)((bytes * 0x9E3779B97F4A7C15u) >> 51) & (DELTA_PLACES - 1);
}

static void add_bytes(struct buf *out, struct str bytes)
{
	if (bytes.len == 0)
		return;
	add_number(out, bytes.len << 1);
	buf_add(out, bytes);
}

static size_t common_length(struct str a, struct str b)
{
	uint64_t x, y;
	size_t n = 0;

	for (; n + sizeof(x) <= a.len && n + sizeof(x) <= b.len; n += sizeof(x)) {
		memcpy(&x, a.ptr + n, sizeof(x));
		memcpy(&y, b.ptr + n, sizeof(y));
		if (x != y)
			break;
	}
	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return n;
}

/* Where the windows of the base are, + 1. */
void delta_index(struct str base, struct delta_index *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t at = 0; at + WINDOW <= base.len && at < BASE; at += STEP)
		out->windows[place_of(base.ptr + at)] = (uint16_t)(at / STEP + 1);
}

void delta_encode(const struct delta_index *index, struct str base, struct str text, struct buf *out)
{
	size_t done = 0, i = 0;

	while (i + WINDOW <= text.len) {
		size_t window = index->windows[place_of(text.ptr + i)], at = window ? (window - 1) * STEP : 0;
		size_t n = window ? common_length(str_from(base, at), str_from(text, i)) : 0;

		if (n < WINDOW) {
			i++;
			continue;
		}
		for (; at > 0 && i > done && base.ptr[at - 1] == text.ptr[i - 1]; n++, at--)
			i--;
		add_bytes(out, str_head(str_from(text, done), i - done));
		add_number(out, n << 1 | 1);
		add_number(out, at);
		i += n;
		done = i;
	}
	add_bytes(out, str_from(text, done));
}

void delta_decode(struct str base, struct str delta, struct buf *out)
{
	while (delta.len) {
		size_t run = take_number(&delta), n = run >> 1;

		if (run & 1) {
			size_t at = take_number(&delta);

			assert(at + n <= base.len);
			buf_add(out, str_head(str_from(base, at), n));
		} else {
			buf_add(out, str_head(delta, n));
			delta = str_from(delta, n);
		}
	}
}
