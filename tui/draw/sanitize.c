/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/draw/sanitize.h"

#include "kube/base/utf8.h"

#define REPLACEMENT 0xFFFDu

static const struct {
	uint32_t rune;
	char ascii;
} stand_ins[] = {
	{ 0x2716 /* ✖ */, 'x' }, { 0x25F7 /* ◷ */, 'w' }, { 0x21BB /* ↻ */, '*' },
	{ 0x25B2 /* ▲ */, '!' }, { 0x2714 /* ✔ */, '+' }, { 0x2296 /* ⊖ */, '-' },
	{ 0x2016 /* ‖ */, '=' }, { 0x25B8 /* ▸ */, '>' }, { 0x25BE /* ▾ */, 'v' },
	{ 0x2192 /* → */, '>' }, { 0x2026 /* … */, '~' }, { 0x00B7 /* · */, '-' },
	{ 0x2593 /* ▓ */, '#' }, { 0x2591 /* ░ */, '.' }, { 0x2500 /* ─ */, '-' },
	{ 0x2502 /* │ */, '|' }, { 0x251C /* ├ */, '|' }, { 0x2514 /* └ */, '`' },
	{ 0x2581 /* ▁ */, '_' }, { 0x2582 /* ▂ */, '.' }, { 0x2583 /* ▃ */, '-' },
	{ 0x2584 /* ▄ */, '=' }, { 0x2585 /* ▅ */, '+' }, { 0x2586 /* ▆ */, '*' },
	{ 0x2587 /* ▇ */, '#' }, { 0x2588 /* █ */, '#' }, { 0x2191 /* ↑ */, '^' },
	{ 0x25CF /* ● */, '*' }, { 0x00D7 /* × */, 'x' }, { 0x21BA /* ↺ */, '@' },
	{ 0x2265 /* ≥ */, '>' },
};

static uint32_t to_ascii(uint32_t rune)
{
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		if (stand_ins[i].rune == rune)
			return (unsigned char)stand_ins[i].ascii;
	return '?';
}

uint32_t sanitize_next(struct str s, size_t *at, bool ascii)
{
	uint32_t rune = utf8_next(s, at);

	if (rune == '\n' || rune == '\t' || rune == '\r')
		return ' ';
	if (utf8_hostile(rune))
		rune = REPLACEMENT;
	return ascii && rune >= 0x80 ? to_ascii(rune) : rune;
}

int sanitized_width(struct str s, bool ascii)
{
	int width = 0;

	for (size_t at = 0; at < s.len;)
		width += utf8_width(sanitize_next(s, &at, ascii));
	return width;
}
