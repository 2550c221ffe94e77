/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules are written by people; what cannot be read is no schedule. */
#include "kube/base/cron.h"
#include "kube/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_next(void **state)
{
	/* 2026-11-20 is a Friday */
	static const struct {
		const char *schedule, *after, *next;
	} rows[] = {
		{ "* * * * *", "2026-11-20T09:00:00Z", "2026-11-20T09:01:00Z" },
		{ "* * * * *", "2026-11-20T09:00:59Z", "2026-11-20T09:01:00Z" },
		{ "*/15 * * * *", "2026-11-20T09:46:00Z", "2026-11-20T10:00:00Z" },
		{ "5/20 * * * *", "2026-11-20T09:06:00Z", "2026-11-20T09:25:00Z" },
		{ "0 2 * * *", "2026-11-20T02:00:00Z", "2026-11-21T02:00:00Z" },
		{ "0 2 * * 1-5", "2026-11-20T02:00:00Z", "2026-11-23T02:00:00Z" },
		{ "30 4 * * SUN", "2026-11-20T09:00:00Z", "2026-11-22T04:30:00Z" },
		{ "0 0 1 jan,jul *", "2026-11-20T09:00:00Z", "2027-01-01T00:00:00Z" },
		{ "0 0 29 2 *", "2026-11-20T09:00:00Z", "2028-02-29T00:00:00Z" },
		{ "0 0 13 * 5", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z" }, /* either the day or the weekday */
		{ "0 0 31 12 ?", "2026-12-31T00:00:00Z", "2027-12-31T00:00:00Z" },
		{ "  0   0 * * *  ", "2026-11-20T09:00:00Z", "2026-11-21T00:00:00Z" },
		{ "@hourly", "2026-11-20T09:00:00Z", "2026-11-20T10:00:00Z" },
		{ "@weekly", "2026-11-20T09:00:00Z", "2026-11-22T00:00:00Z" },
		{ "@monthly", "2026-11-20T09:00:00Z", "2026-12-01T00:00:00Z" },
		{ "@yearly", "2026-11-20T09:00:00Z", "2027-01-01T00:00:00Z" },
		{ "@every 90m", "2026-11-20T09:00:00Z", "2026-11-20T10:30:00Z" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cron c;
		char text[TIME_TEXT];

		assert_true(cron_parse(str_of(rows[i].schedule), &c));
		assert_string_equal(time_format(cron_next(&c, time_parse(str_of(rows[i].after))), text), rows[i].next);
	}
}

static void test_never(void **state)
{
	struct cron c;

	(void)state;
	assert_true(cron_parse(STR("0 0 31 2 *"), &c));
	assert_int_equal(cron_next(&c, time_parse(STR("2026-11-20T09:00:00Z"))), 0);
	assert_true(cron_parse(STR("@every 99999h"), &c));
	assert_int_equal(cron_next(&c, time_parse(STR("2026-11-20T09:00:00Z"))), 0);
	assert_true(cron_parse(STR("* * * * *"), &c));
	assert_int_equal(cron_next(&c, time_parse(STR("0001-01-01T00:00:00Z"))), 0);
}

static void test_no_schedules(void **state)
{
	static const char *const texts[] = {
		"",	     "* * * *",	    "* * * * * *",  "60 * * * *",   "* 24 * * *",   "* * 0 * *",	 "* * * 13 *",
		"* * * * 7", "5-1 * * * *", "*/0 * * * *",  "*/-1 * * * *", "*/99999999999999999999 * * * *",
		"a * * * *", "1,,2 * * * *", "TZ=UTC 0 2 * * *", "@never",  "@every",	    "@every x",	 "@every 0s",
		"1- * * * *", "-1 * * * *", "* * * foo *",  "H 2 * * *",
	};
	struct cron c;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_false(cron_parse(str_of(texts[i]), &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_no_schedules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
