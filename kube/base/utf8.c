/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/utf8.h"

#include "kube/base/assert.h"
#include "kube/base/buf.h"

#include <wchar.h>

#define REPLACEMENT 0xFFFDu

static int sequence_length(unsigned char c)
{
	if (c < 0x80)
		return 1;
	if (c >= 0xC2 && c <= 0xDF)
		return 2;
	if (c >= 0xE0 && c <= 0xEF)
		return 3;
	if (c >= 0xF0 && c <= 0xF4)
		return 4;
	return 0;
}

uint32_t utf8_next(struct str s, size_t *at)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)s.ptr[*at];
	int n = sequence_length(c);
	uint32_t rune;

	assert(*at < s.len);
	if (n == 1) {
		(*at)++;
		return c;
	}
	rune = n ? c & (0x7Fu >> n) : 0;
	for (int i = 1; i < n; i++) {
		unsigned char next = *at + (size_t)i < s.len ? (unsigned char)s.ptr[*at + (size_t)i] : 0;

		if ((next & 0xC0) != 0x80)
			n = 0;
		rune = rune << 6 | (next & 0x3Fu);
	}
	if (n == 0 || rune < least[n] || rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF)) {
		(*at)++;
		return REPLACEMENT;
	}
	*at += (size_t)n;
	return rune;
}

size_t utf8_put(uint32_t rune, char *out)
{
	assert(rune <= 0x10FFFF);
	if (rune < 0x80) {
		out[0] = (char)rune;
		return 1;
	}
	if (rune < 0x800) {
		out[0] = (char)(0xC0 | rune >> 6);
		out[1] = (char)(0x80 | (rune & 0x3F));
		return 2;
	}
	if (rune < 0x10000) {
		out[0] = (char)(0xE0 | rune >> 12);
		out[1] = (char)(0x80 | (rune >> 6 & 0x3F));
		out[2] = (char)(0x80 | (rune & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | rune >> 18);
	out[1] = (char)(0x80 | (rune >> 12 & 0x3F));
	out[2] = (char)(0x80 | (rune >> 6 & 0x3F));
	out[3] = (char)(0x80 | (rune & 0x3F));
	return 4;
}

struct str utf8_head(struct str s, size_t most)
{
	if (s.len <= most)
		return s;
	while (most && ((unsigned char)s.ptr[most] & 0xC0) == 0x80)
		most--;
	return str_head(s, most);
}

struct str utf8_cut(struct str s, size_t most, struct arena *arena)
{
	size_t head = most * 2 / 3, tail;

	if (s.len <= most)
		return s;
	tail = s.len - (most - head - strlen("…"));
	while (tail < s.len && ((unsigned char)s.ptr[tail] & 0xC0) == 0x80)
		tail++;
	return ARENA_JOIN(arena, utf8_head(s, head), STR("…"), str_from(s, tail));
}

int utf8_width(uint32_t rune)
{
	int width;

	if (rune < 0x7F)
		return 1;
	width = wcwidth((wchar_t)rune);
	return width < 0 ? 1 : width;
}

static const struct {
	uint32_t first, last;
} hostile[] = {
	{ 0x00, 0x1F },	      { 0x7F, 0x9F },	  { 0xAD, 0xAD },     { 0x061C, 0x061C },
	{ 0x034F, 0x034F },   { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 },   { 0x180B, 0x180F }, { 0x200B, 0x200F }, { 0x2028, 0x202E }, { 0x2060, 0x206F },
	{ 0xFE00, 0xFE0F },   { 0xFEFF, 0xFEFF }, { 0xFFA0, 0xFFA0 }, { 0xFFF9, 0xFFFB },
	{ 0x3164, 0x3164 },   { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
};

bool utf8_hostile(uint32_t rune)
{
	if (rune >= 0x20 && rune < 0x7F)
		return false;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
		if (rune >= hostile[i].first && rune <= hostile[i].last)
			return true;
	return false;
}

static bool is_private(uint32_t rune)
{
	return (rune >= 0xe000 && rune <= 0xf8ff) || rune >= 0xf0000;
}

struct str utf8_spelled(struct arena *arena, struct str s)
{
	struct buf b = { 0 };
	char bytes[4];
	size_t at = 0;

	while (at < s.len) {
		uint32_t rune = utf8_next(s, &at);
		bool space = rune >= '\t' && rune <= '\r';

		if (!space && (utf8_hostile(rune) || is_private(rune)))
			buf_printf(&b, "U+%04X", (unsigned)rune);
		else
			buf_add(&b, (struct str){ bytes, utf8_put(rune, bytes) });
	}
	return arena_take(arena, &b);
}
