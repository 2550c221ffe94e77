/* SPDX-License-Identifier: Apache-2.0 */
/* A watch that is refused: once is an accident, twice is a rule. */
#include "watch_bench.h"

/* Lists until it watches again; how long that took. */
static int64_t until_watched(struct bench *b)
{
	int64_t start = b->now;

	for (int lists = 0; lists < 10; lists++) {
		if (asks_watch(b))
			return b->now - start;
		whole(b, LIST("6", ""));
		pass(b);
	}
	fail();
	return 0;
}

static void test_refused_once(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	for (int i = 0; i < 3; i++) {
		fail_with(&b, ERR_FORBIDDEN, 403, -1);
		assert_true(until_watched(&b) <= SECONDS(20));
		watch_answered(b.watch, b.now);
		b.now += MINUTES(5);
	}
	bench_end(&b);
}

static void test_refused_always(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	fail_with(&b, ERR_FORBIDDEN, 403, -1);
	until_watched(&b);
	for (int i = 0; i < 3; i++) {
		int64_t wait;

		fail_with(&b, ERR_FORBIDDEN, 403, -1);
		wait = until_watched(&b);
		assert_true(wait >= SECONDS(60) && wait <= SECONDS(80));
	}
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_once),
		cmocka_unit_test(test_refused_always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
