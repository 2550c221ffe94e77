/* SPDX-License-Identifier: Apache-2.0 */
/* How many requests a server gets, by how it answers. */
#include "kube/api/window.h"
#include "kube/base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A server that answers all that it was sent after so many ms; returns how many it got at once. */
static unsigned round_trip(struct window *w, int64_t *now, int64_t took, enum answer_speed speed)
{
	int64_t sent = *now;
	unsigned n = 0;

	w->tokens = LIMIT_REQUEST_BURST;
	for (; window_has_room(w, *now); n++)
		window_sent(w);
	*now += took;
	for (unsigned i = 0; i < n; i++)
		window_ended(w, speed, sent, took, *now);
	assert_int_equal(w->in_flight, 0);
	return n;
}

static void test_quick(void **state)
{
	struct window w;
	int64_t now = 1000;

	(void)state;
	window_init(&w, now);
	assert_in_range(round_trip(&w, &now, 20, ANSWER_IN_TIME), 25, 100);
	round_trip(&w, &now, 20, ANSWER_IN_TIME);
	for (int i = 0; i < 5; i++)
		assert_int_equal(round_trip(&w, &now, 30, ANSWER_IN_TIME), 100);
}

/* A long way is no slow server. */
static void test_far_away(void **state)
{
	struct window w;
	int64_t now = 1000;

	(void)state;
	window_init(&w, now);
	for (int i = 0; i < 3; i++)
		round_trip(&w, &now, 600, ANSWER_IN_TIME);
	assert_int_equal(round_trip(&w, &now, 700, ANSWER_IN_TIME), 100);
}

static void test_slow(void **state)
{
	struct window w;
	int64_t now = 1000;
	unsigned n;

	(void)state;
	window_init(&w, now);
	for (int i = 0; i < 3; i++)
		round_trip(&w, &now, 20, ANSWER_IN_TIME);
	assert_int_equal(round_trip(&w, &now, 2000, ANSWER_IN_TIME), 100);
	/* once for all that were on their way */
	assert_int_equal(n = round_trip(&w, &now, 2000, ANSWER_IN_TIME), 75);
	for (int i = 0; i < 20; i++)
		n = round_trip(&w, &now, 2000, ANSWER_IN_TIME);
	assert_in_range(n, 2, 4);
	/* and back */
	for (int i = 0; i < 8; i++)
		n = round_trip(&w, &now, 20, ANSWER_IN_TIME);
	assert_int_equal(n, 100);
}

static void test_too_much(void **state)
{
	struct window w;
	int64_t now = 1000;
	unsigned n = 0;

	(void)state;
	window_init(&w, now);
	for (int i = 0; i < 3; i++)
		round_trip(&w, &now, 20, ANSWER_IN_TIME);
	round_trip(&w, &now, 5, ANSWER_TOO_MUCH);
	assert_int_equal(round_trip(&w, &now, 5, ANSWER_TOO_MUCH), 50);
	assert_int_equal(round_trip(&w, &now, 5, ANSWER_TOO_MUCH), 25);
	for (int i = 0; i < 10; i++)
		n = round_trip(&w, &now, 5, ANSWER_TOO_MUCH);
	assert_int_equal(n, 2);
}

/* Given up, as by a user who looks elsewhere. */
static void test_untimed(void **state)
{
	struct window w;
	int64_t now = 1000;

	(void)state;
	window_init(&w, now);
	for (int i = 0; i < 3; i++)
		round_trip(&w, &now, 20, ANSWER_IN_TIME);
	round_trip(&w, &now, 9000, ANSWER_UNTIMED);
	assert_int_equal(round_trip(&w, &now, 20, ANSWER_IN_TIME), 100);
}

static void test_rate(void **state)
{
	struct window w;
	int64_t now = 1000;
	unsigned n = 0;

	(void)state;
	window_init(&w, now);
	for (int64_t end = now + 10000; now < end; now++)
		while (window_has_room(&w, now)) {
			window_sent(&w);
			window_ended(&w, ANSWER_IN_TIME, now, 0, now);
			n++;
		}
	assert_in_range(n, 400 + 490, 400 + 500);
	while (window_has_room(&w, now)) {
		window_sent(&w);
		window_ended(&w, ANSWER_UNTIMED, now, 0, now);
	}
	assert_int_equal(window_deadline(&w, now), now + 20);
	assert_false(window_has_room(&w, now));
	assert_true(window_has_room(&w, now + 20));
	while (window_has_room(&w, now + 60000))
		window_sent(&w);
	assert_int_equal(window_deadline(&w, now + 60000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quick), cmocka_unit_test(test_far_away), cmocka_unit_test(test_slow),
		cmocka_unit_test(test_too_much), cmocka_unit_test(test_untimed), cmocka_unit_test(test_rate),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
