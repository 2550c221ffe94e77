/* SPDX-License-Identifier: Apache-2.0 */
/* Times come from foreign objects in every shape of RFC 3339, and in none. */
#include "kube/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NINE 1795165200000 /* 2026-11-20T09:00:00Z */

static void test_time_parse(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{ "2026-11-20T09:00:00Z", NINE },
		{ "2026-11-20t09:00:00z", NINE },
		{ "2026-11-20T10:30:00+01:30", NINE },
		{ "2026-11-19T21:00:00-12:00", NINE },
		{ "2026-11-20T23:00:00+14:00", NINE },
		{ "2026-11-20T09:00:00+00:00", NINE },
		{ "2026-11-20T09:00:00-00:00", NINE },
		{ "2026-11-20T09:00:00.5Z", NINE + 500 },
		{ "2026-11-20T09:00:00.05Z", NINE + 50 },
		{ "2026-11-20T09:00:00.123456Z", NINE + 123 },	  /* MicroTime */
		{ "2026-11-20T09:00:00.999999999Z", NINE + 999 }, /* Go's own format */
		{ "2026-11-20T09:00:00.000000000000000000000000001+00:00", NINE },
		{ "2026-11-20T10:00:00.25+01:00", NINE + 250 },
		{ "1970-01-01T00:00:01Z", 1000 },
		{ "1969-12-31T23:59:59Z", -1000 },
		{ "2000-02-29T00:00:00Z", 951782400000 },
		{ "2024-02-29T12:00:00Z", 1709208000000 },
		{ "2024-03-01T00:00:00Z", 1709251200000 },
		{ "2023-03-01T00:00:00Z", 1677628800000 },
		{ "2100-03-01T00:00:00Z", 4107542400000 },
		{ "2026-12-31T23:59:59Z", 1798761599000 },
		{ "2026-12-31T23:30:00-01:00", 1798763400000 },
		{ "9999-12-31T23:59:59Z", 253402300799000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (time_parse(str_of(rows[i].text)) != rows[i].ms)
			fail_msg("%s: %lld", rows[i].text,
				 (long long)time_parse(str_of(rows[i].text)));
}

static void test_time_parse_rejects(void **state)
{
	static const char *const wrong[] = {
		"",
		"now",
		"2026",
		"2026-11-20",
		"2026-11-20T09:00:00",
		"2026-11-20T09:00Z",
		"2026-11-20T09:00:00Zx",
		" 2026-11-20T09:00:00Z",
		"2026-11-20T09:00:00 Z",
		"26-11-20T09:00:00Z",
		"2026-13-20T09:00:00Z",
		"2026-00-20T09:00:00Z",
		"2026-11-00T09:00:00Z",
		"2026-11-32T09:00:00Z",
		"2026-11-20T24:00:00Z",
		"2026-11-20T09:60:00Z",
		"2026-11-20T09:00:61Z",
		"2026/11/20T09:00:00Z",
		"2026-11-20T09:00:00+0100",
		"2026-11-20T09:00:00+01",
		"2026-11-20T09:00:00+1:00",
		"-026-11-20T09:00:00Z",
		"2026-11-20T09:00:00+01:0",
		"2026-11-20T09:00:00+01:00x",
		"1763629200",
		"Fri, 20 Nov 2026 09:00:00 GMT",
		/* days that no calendar has, and half a fraction */
		"2026-02-29T09:00:00Z",
		"2100-02-29T09:00:00Z",
		"2026-04-31T09:00:00Z",
		"2024-02-30T09:00:00Z",
		"2026-11-20T09:00:00.Z",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (time_parse(str_of(wrong[i])) != 0)
			fail_msg("\"%s\" is no time", wrong[i]);
	/* cut anywhere: never reads past the end */
	for (size_t n = 0; n < strlen("2026-11-20T10:30:00.5+01:30"); n++)
		assert_int_equal(time_parse(str_head(STR("2026-11-20T10:30:00.5+01:30"), n)), 0);
}

static void test_time_format(void **state)
{
	char out[TIME_TEXT];

	(void)state;
	assert_string_equal(time_format(NINE, out), "2026-11-20T09:00:00Z");
	assert_string_equal(time_format(NINE + 999, out), "2026-11-20T09:00:00Z");
	assert_string_equal(time_format_ms(NINE + 7, out), "2026-11-20T09:00:00.007Z");
	assert_string_equal(time_format(0, out), "1970-01-01T00:00:00Z");
	assert_string_equal(time_format_ms(-1, out), "1969-12-31T23:59:59.999Z");
	assert_string_equal(time_format(951782400000, out), "2000-02-29T00:00:00Z");
	assert_true(strlen(time_format_ms(INT64_MAX, out)) < TIME_TEXT);
	assert_true(strlen(time_format_ms(INT64_MIN, out)) < TIME_TEXT);
}

/* Every day of 400 years, so every rule about leap days. */
static void test_time_round_trip(void **state)
{
	char out[TIME_TEXT];

	(void)state;
	for (int64_t day = 1; day < 146097; day++) {
		int64_t ms = day * HOURS(24) + SECONDS(day % 86400) + day % 1000;

		assert_int_equal(time_parse(str_of(time_format_ms(ms, out))), ms);
	}
}

/* HumanDuration of k8s.io/apimachinery v0.36 gives the same for every row. */
static void test_time_age(void **state)
{
	static const struct {
		int64_t ms;
		const char *age;
	} rows[] = {
		{ 0, "0s" },
		{ 999, "0s" },
		{ SECONDS(1), "1s" },
		{ SECONDS(-1), "0s" }, /* clocks differ a little */
		{ SECONDS(119) + 999, "119s" },
		{ SECONDS(120), "2m" },
		{ SECONDS(121), "2m1s" },
		{ SECONDS(599), "9m59s" },
		{ MINUTES(10), "10m" },
		{ MINUTES(10) + 59999, "10m" },
		{ MINUTES(179), "179m" },
		{ HOURS(3), "3h" },
		{ HOURS(3) + MINUTES(1), "3h1m" },
		{ HOURS(7) + MINUTES(59), "7h59m" },
		{ HOURS(8), "8h" },
		{ HOURS(47) + MINUTES(59), "47h" },
		{ HOURS(48), "2d" },
		{ HOURS(49), "2d1h" },
		{ HOURS(24 * 7 + 23), "7d23h" },
		{ HOURS(24 * 8), "8d" },
		{ HOURS(24 * 365), "365d" },
		{ HOURS(24 * 730) - 1, "729d" },
		{ HOURS(24 * 730), "2y" },
		{ HOURS(24 * 1095), "3y" },
		{ HOURS(24 * 1096), "3y1d" },
		{ HOURS(24 * 2919), "7y364d" },
		{ HOURS(24 * 2920), "8y" },
		{ HOURS(24 * 365 * 50), "50y" },
	};
	char out[TIME_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(time_age(rows[i].ms, out), rows[i].age);
	assert_true(strlen(time_age(INT64_MAX, out)) < TIME_TEXT);
	assert_string_equal(time_age(INT64_MIN, out), "0s");
}

static void test_time_duration(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{ "0", 0 },
		{ "90", SECONDS(90) },
		{ "1m30s", SECONDS(90) },
		{ "500ms", 500 },
		{ "1.5h", MINUTES(90) },
		{ "1h0m0s", HOURS(1) },
		{ "0s", 0 },
		{ "1.5s", 1500 },
		{ "0.001s", 1 },
		{ "2h45m10.25s", 9910250 },
		{ "1h1h", HOURS(2) },
		{ "1.5ms", 1 },
		{ ".5s", 500 },
		{ "1.s", 1000 },
		{ "100us", 0 },
		{ "2000us", 2 },
		{ "1000000ns", 1 },
		{ "3000\xC2\xB5s", 3 },
	};
	static const char *const wrong[] = { "",
					     "s",
					     "m",
					     "abc",
					     "-1",
					     "-1s",
					     "1x",
					     "1m30",
					     "1.5",
					     "1 s",
					     " 1s",
					     "1s ",
					     "1d",
					     ".s",
					     ".",
					     "1..5s",
					     "99999999999999999999",
					     "9999999999999h",
					     "1e3s" };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (time_duration(str_of(rows[i].text)) != rows[i].ms)
			fail_msg("%s: %lld", rows[i].text,
				 (long long)time_duration(str_of(rows[i].text)));
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (time_duration(str_of(wrong[i])) != -1)
			fail_msg("\"%s\": %lld", wrong[i],
				 (long long)time_duration(str_of(wrong[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_parse),  cmocka_unit_test(test_time_parse_rejects),
		cmocka_unit_test(test_time_format), cmocka_unit_test(test_time_round_trip),
		cmocka_unit_test(test_time_age),    cmocka_unit_test(test_time_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
