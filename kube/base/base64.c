/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/base64.h"

static const char std_alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void digits_of(const unsigned char *in, size_t n, char out[4])
{
	unsigned a = in[0], b = n > 1 ? in[1] : 0, c = n > 2 ? in[2] : 0;

	out[0] = std_alphabet[a >> 2];
	out[1] = std_alphabet[(a & 3) << 4 | b >> 4];
	out[2] = n > 1 ? std_alphabet[(b & 15) << 2 | c >> 6] : '=';
	out[3] = n > 2 ? std_alphabet[c & 63] : '=';
}

void base64_add(struct buf *out, struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t n = bytes.len - i < 3 ? bytes.len - i : 3;
		char quad[4];

		digits_of((const unsigned char *)bytes.ptr + i, n, quad);
		buf_add(out, (struct str){ quad, 4 });
	}
}

static int digit_value(char c, bool url)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == (url ? '-' : '+'))
		return 62;
	return c == (url ? '_' : '/') ? 63 : -1;
}

/* n digits of a quantum make n - 1 bytes. */
static void add_quantum(struct buf *out, const unsigned char digits[4], size_t n)
{
	if (n > 1)
		buf_add_char(out, (char)(digits[0] << 2 | digits[1] >> 4));
	if (n > 2)
		buf_add_char(out, (char)(digits[1] << 4 | digits[2] >> 2));
	if (n > 3)
		buf_add_char(out, (char)(digits[2] << 6 | digits[3]));
}

static void skip_line_ends(struct str text, size_t *at)
{
	while (*at < text.len && (text.ptr[*at] == '\n' || text.ptr[*at] == '\r'))
		(*at)++;
}

/*
 * From the first '=' on, which stands at *at - 1 after n digits.  The positions
 * returned are those of Go, also where they look odd.
 */
static int64_t finish_padding(struct str text, size_t *at, size_t n)
{
	if (n < 2)
		return (int64_t)*at - 1;
	if (n == 2) {
		skip_line_ends(text, at);
		if (*at == text.len)
			return (int64_t)text.len;
		if (text.ptr[*at] != '=')
			return (int64_t)*at - 1;
		(*at)++;
	}
	skip_line_ends(text, at);
	return *at < text.len ? (int64_t)*at : -1;
}

int64_t base64_decode(struct str text, struct buf *out)
{
	unsigned char digits[4] = { 0 };
	size_t n = 0, at = 0;

	while (at < text.len) {
		char c = text.ptr[at++];
		int value = digit_value(c, false);

		if (c == '\n' || c == '\r')
			continue;
		if (c == '=') {
			int64_t bad = finish_padding(text, &at, n);

			add_quantum(out, digits, n);
			return bad;
		}
		if (value < 0)
			return (int64_t)at - 1;
		digits[n++] = (unsigned char)value;
		if (n == 4) {
			add_quantum(out, digits, n);
			n = 0;
		}
	}
	return n ? (int64_t)(at - n) : -1;
}

bool base64_url_decode(struct str text, struct buf *out)
{
	unsigned char digits[4] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		int value = digit_value(text.ptr[i], true);

		if (value < 0)
			return false;
		digits[n++] = (unsigned char)value;
		if (n == 4) {
			add_quantum(out, digits, n);
			n = 0;
		}
	}
	add_quantum(out, digits, n);
	return n != 1;
}
