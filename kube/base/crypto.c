/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that calls OpenSSL itself; libcurl has its own use of it. */
#include "kube/base/crypto.h"

#include "kube/base/file.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

/* ---- base64 --------------------------------------------------------------- */

void base64_add(struct buf *out, struct str bytes)
{
	/* each piece but the last is a multiple of 3 bytes, and so needs no padding */
	unsigned char digits[4 * 256 + 1];
	enum { PIECE = 3 * 256 };

	for (struct str rest = bytes; rest.len; rest = str_from(rest, PIECE)) {
		struct str piece = str_head(rest, PIECE);
		int n = EVP_EncodeBlock(digits, (const unsigned char *)piece.ptr, (int)piece.len);

		buf_add(out, (struct str){ (const char *)digits, (size_t)n });
	}
}

static bool is_base64_digit(char c)
{
	return is_alnum(c) || c == '+' || c == '/';
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static size_t skip_line_ends(struct str text, size_t at)
{
	while (at < text.len && is_line_end(text.ptr[at]))
		at++;
	return at;
}

/*
 * Returns the position that Go names when the part of text from its first '=' (at text.ptr[at], after n digits) is
 * wrong; -1: it is not wrong.
 */
static int64_t padding_error(struct str text, size_t at, size_t n)
{
	size_t next = at + 1;

	if (n < 2)
		return (int64_t)at;
	if (n == 2) {
		next = skip_line_ends(text, next);
		if (next == text.len)
			return (int64_t)text.len;
		if (text.ptr[next] != '=')
			return (int64_t)next - 1;
		next++;
	}
	next = skip_line_ends(text, next);
	return next < text.len ? (int64_t)next : -1;
}

/*
 * Appends the digits and the padding of text to out, without line ends.  Returns the position that Go names in its
 * error, or -1 when there is none.
 */
static int64_t take_digits(struct str text, struct buf *out)
{
	size_t n = 0;

	for (size_t at = 0; at < text.len; at++) {
		char c = text.ptr[at];

		if (is_line_end(c))
			continue;
		if (c == '=') {
			int64_t bad = padding_error(text, at, n % 4);

			if (bad < 0)
				buf_add_cstr(out, n % 4 == 2 ? "==" : "=");
			return bad;
		}
		if (!is_base64_digit(c))
			return (int64_t)at;
		buf_add_char(out, c);
		n++;
	}
	return n % 4 ? (int64_t)(text.len - n % 4) : -1;
}

/* digits holds whole groups of four digits of the standard alphabet, the last group with its padding. */
static void decode_quanta(struct str digits, struct buf *out)
{
	unsigned char bytes[3 * 256];
	enum { PIECE = 4 * 256 };

	for (; digits.len; digits = str_from(digits, PIECE)) {
		struct str piece = str_head(digits, PIECE);
		int n = EVP_DecodeBlock(bytes, (const unsigned char *)piece.ptr, (int)piece.len);

		n -= str_ends(piece, "==") ? 2 : str_ends(piece, "=");
		if (n > 0)
			buf_add(out, (struct str){ (const char *)bytes, (size_t)n });
	}
	OPENSSL_cleanse(bytes, sizeof(bytes));
}

int64_t base64_decode(struct str text, struct buf *out)
{
	struct buf digits = { 0 };
	int64_t bad = take_digits(text, &digits);

	if (bad < 0)
		decode_quanta(buf_str(&digits), out);
	file_wipe(&digits);
	return bad;
}

bool base64_url_decode(struct str text, struct buf *out)
{
	static const char padding[4][3] = { "", "", "==", "=" };
	struct buf digits = { 0 };
	bool good = text.len % 4 != 1;

	for (size_t i = 0; i < text.len && good; i++) {
		char c = text.ptr[i];

		good = c == '-' || c == '_' || (is_base64_digit(c) && c != '+' && c != '/');
		buf_add_char(&digits, c == '-' ? '+' : c == '_' ? '/' : c);
	}
	buf_add_cstr(&digits, padding[text.len % 4]);
	if (good)
		decode_quanta(buf_str(&digits), out);
	file_wipe(&digits);
	return good;
}

/* ---- certificates --------------------------------------------------------- */

bool der_is_certificate(struct str der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	X509 *certificate = der.len <= LONG_MAX ? d2i_X509(NULL, &at, (long)der.len) : NULL;
	bool whole = certificate && (size_t)(at - (const unsigned char *)der.ptr) == der.len;

	X509_free(certificate);
	return whole;
}

/* Returns notAfter in ms; 0: that is no certificate. */
static int64_t der_valid_until(struct str der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	X509 *certificate = der.len <= LONG_MAX ? d2i_X509(NULL, &at, (long)der.len) : NULL;
	ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
	int days = 0, seconds = 0;
	bool known = certificate && epoch && ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate));

	ASN1_TIME_free(epoch);
	X509_free(certificate);
	return known ? ((int64_t)days * 86400 + seconds) * 1000 : 0;
}

int64_t pem_valid_until(struct str text)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----", end[] = "-----END CERTIFICATE-----";
	struct buf pem = { 0 };
	int64_t until = 0;
	struct str rest = text;

	if (!str_contains(text, begin) && base64_decode(text, &pem) < 0)
		rest = buf_str(&pem);
	while (str_find_str(rest, begin) < rest.len) {
		struct buf der = { 0 };
		size_t stop;
		int64_t one;

		rest = str_from(rest, str_find_str(rest, begin) + sizeof(begin) - 1);
		stop = str_find_str(rest, end);
		one = base64_decode(str_head(rest, stop), &der) < 0 ? der_valid_until(buf_str(&der)) : 0;
		until = one > until ? one : until;
		buf_release(&der);
		rest = str_from(rest, stop);
	}
	buf_release(&pem);
	return until;
}
