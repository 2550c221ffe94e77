/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes end, and what must not reach a terminal is known. */
#include "kube/base/utf8.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_utf8_next(void **state)
{
	static const struct {
		const char *in;
		uint32_t runes[8]; /* 0 ends */
	} rows[] = {
		{ "a~", { 'a', '~' } },
		{ "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80", { 0xFC, 0x20AC, 0x1F600 } },
		{ "\xF4\x8F\xBF\xBF", { 0x10FFFF } },
		{ "\xEF\xBF\xBD", { 0xFFFD } },
		/* alone, cut off, too long, surrogate, past the end of Unicode: one each */
		{ "\x80", { 0xFFFD } },
		{ "\xC3", { 0xFFFD } },
		{ "\xE2\x82", { 0xFFFD, 0xFFFD } },
		{ "\xE2\x82"
		  "a",
		  { 0xFFFD, 0xFFFD, 'a' } },
		{ "\xC0\x80", { 0xFFFD, 0xFFFD } },
		{ "\xC1\xBF", { 0xFFFD, 0xFFFD } },
		{ "\xE0\x80\xAF", { 0xFFFD, 0xFFFD, 0xFFFD } },
		{ "\xF0\x80\x80\x80", { 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD } },
		{ "\xED\xA0\x80", { 0xFFFD, 0xFFFD, 0xFFFD } },
		{ "\xF4\x90\x80\x80", { 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD } },
		{ "\xF5\x80\x80\x80", { 0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD } },
		{ "\xFE\xFF", { 0xFFFD, 0xFFFD } },
		{ "\xC3\xC3\xBC", { 0xFFFD, 0xFC } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str s = str_of(rows[i].in);
		size_t at = 0, n = 0;

		while (at < s.len)
			assert_int_equal(utf8_next(s, &at), rows[i].runes[n++]);
		assert_int_equal(at, s.len);
		assert_int_equal(rows[i].runes[n], 0);
	}
}

static void test_utf8_put_is_the_inverse(void **state)
{
	char out[4];

	(void)state;
	for (uint32_t rune = 0; rune <= 0x10FFFF; rune++) {
		size_t at = 0, n;

		if (rune == 0xD800)
			rune = 0xE000;
		n = utf8_put(rune, out);
		assert_in_range(n, 1, 4);
		assert_int_equal(utf8_next((struct str){ out, n }, &at), rune);
		assert_int_equal(at, n);
	}
}

static void test_utf8_hostile(void **state)
{
	static const uint32_t bad[] = { 0,	 '\t',	  '\n',	   '\r',    0x1B,   0x1F,   0x7F,
					0x80,	 0x9B,	  0x9F,	   0xAD,    0x61C,  0x180E, 0x200B,
					0x200E,	 0x200F,  0x2028,  0x2029,  0x202A, 0x202E, 0x2060,
					0x2064,	 0x2066,  0x2069,  0x206F,  0xFEFF, 0xFFF9, 0xFFFB,
					0x1BCA0, 0x1D173, 0x1D17A, 0xE0001, 0xE007F };
	static const uint32_t good[] = { ' ',	 'a',	 '~',	  0xA0,	   0xE4,   0x300,
					 0x3000, 0x4E2D, 0x2013,  0x2027,  0x202F, 0x20AC,
					 0xFF01, 0xFFFD, 0x1F600, 0x10FFFD };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!utf8_hostile(bad[i]))
			fail_msg("U+%04X must not reach a terminal", (unsigned)bad[i]);
	for (size_t i = 0; i < COUNT(good); i++)
		if (utf8_hostile(good[i]))
			fail_msg("U+%04X is harmless", (unsigned)good[i]);
}

static void test_utf8_width(void **state)
{
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	assert_int_equal(utf8_width('a'), 1);
	assert_int_equal(utf8_width(0xE4), 1);
	assert_int_equal(utf8_width(0x301), 0);
	assert_int_equal(utf8_width(0x4E2D), 2);
	assert_int_equal(utf8_width(0x1F600), 2);
	assert_int_equal(utf8_width(0xFFFD), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8_next),
		cmocka_unit_test(test_utf8_put_is_the_inverse),
		cmocka_unit_test(test_utf8_hostile),
		cmocka_unit_test(test_utf8_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
