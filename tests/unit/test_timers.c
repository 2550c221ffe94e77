/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { A, B };

static void test_the_first_is_waited_for(void **state)
{
	struct timers t = { 0 };

	(void)state;
	assert_int_equal(timers_wait(&t), -1);
	timers_set(&t, A, 1000, 500);
	timers_set(&t, B, 700, 200);
	assert_int_equal(timers_wait(&t), 200);
	timers_set(&t, A, 1000, 300);
	assert_int_equal(timers_wait(&t), 300);
	timers_set(&t, A, 0, 0);
	assert_int_equal(timers_wait(&t), -1);
}

static void test_what_is_due_is_not_waited_for(void **state)
{
	struct timers t = { 0 };

	(void)state;
	timers_set(&t, A, 1000, -5);
	assert_int_equal(timers_wait(&t), 0);
	timers_set(&t, A, 3000, 1990);	/* it was served */
	assert_int_equal(timers_wait(&t), 1990);
	assert_int_equal(t.unserved, 0);
}

/* A deadline in the past that nobody moves would make every wait return at once. */
static void test_what_nobody_serves_costs_no_processor(void **state)
{
	struct timers t = { 0 };

	(void)state;
	timers_set(&t, A, 1000, -5);
	timers_set(&t, B, 9000, 7995);
	assert_int_equal(timers_wait(&t), 0);
	for (int64_t now = 1006; now < 2000; now += TIMER_UNSERVED) {
		timers_set(&t, A, 1000, 1000 - now);
		timers_set(&t, B, 9000, 9000 - now);
		assert_int_equal(timers_wait(&t), TIMER_UNSERVED);
		assert_int_equal(t.unserved, 1u << A);
	}
	timers_set(&t, A, 5000, 3000);
	assert_int_equal(timers_wait(&t), 3000);
	assert_int_equal(t.unserved, 0);
}

/* Served and due again within one millisecond is no error. */
static void test_due_again_at_once(void **state)
{
	struct timers t = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++) {
		timers_set(&t, A, 1000, 0);
		assert_int_equal(timers_wait(&t), 0);
		assert_int_equal(t.unserved, 0);
	}
}

static void test_a_turn_may_put_it_off(void **state)
{
	struct timers t = { 0 };

	(void)state;
	for (int64_t left = -1; left > -10; left--) {
		timers_set(&t, A, 1000, left);
		assert_int_equal(timers_wait(&t), 0);
		assert_int_equal(t.unserved, 0);
		timers_put_off(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_is_waited_for),
		cmocka_unit_test(test_what_is_due_is_not_waited_for),
		cmocka_unit_test(test_what_nobody_serves_costs_no_processor),
		cmocka_unit_test(test_due_again_at_once),
		cmocka_unit_test(test_a_turn_may_put_it_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
