/* SPDX-License-Identifier: Apache-2.0 */
/* What may be shown as live, and since when the rest may be old. */
#include "watch_bench.h"

static void is_fresh(struct bench *b, enum freshness state, int64_t since)
{
	struct subscription_freshness f = watch_freshness(b->watch, b->now);

	assert_int_equal(f.state, state);
	assert_int_equal(f.since, since);
}

static void test_first_list(void **state)
{
	struct bench b = { 0 };
	int64_t asked;

	(void)state;
	bench_start(&b, true);
	is_fresh(&b, FRESH_LISTING, 0);
	ask(&b);
	b.now += 100;
	asked = b.now;
	give(&b, "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[");
	b.now += 300;
	is_fresh(&b, FRESH_LISTING, 0);
	assert_int_equal(watch_feed(b.watch, STR("]}"), b.now, &b.why), 0);
	watch_ended(b.watch, NULL, -1, b.now);
	/* as old as the list, and its watch has a moment to begin */
	is_fresh(&b, FRESH_WATCHED, asked);
	ask(&b);
	b.now += SECONDS(5);
	is_fresh(&b, FRESH_RECONNECTING, asked);
	give(&b, "");
	is_fresh(&b, FRESH_WATCHED, b.now);
	bench_end(&b);
}

static void test_events_and_bookmarks(void **state)
{
	struct bench b = { 0 };
	int64_t last_received, answered;

	(void)state;
	watch_from_5(&b);
	give(&b, EVENT("ADDED", "a", "6"));
	b.now += SECONDS(60);
	assert_int_equal(watch_feed(b.watch, STR(EVENT("BOOKMARK", "", "7")), b.now, &b.why), 0);
	last_received = b.now;
	b.now += SECONDS(20);
	is_fresh(&b, FRESH_WATCHED, last_received);
	/* the line breaks: nothing is known since the bookmark */
	fail_with(&b, ERR_NET, 0, -1);
	is_fresh(&b, FRESH_RECONNECTING, last_received);
	pass(&b);
	ask(&b);
	b.now += SECONDS(30);
	is_fresh(&b, FRESH_RECONNECTING, last_received);
	give(&b, "");
	is_fresh(&b, FRESH_RECONNECTING, last_received);
	answered = b.now;
	b.now += SECONDS(1);
	is_fresh(&b, FRESH_WATCHED, answered);
	bench_end(&b);
}

/* Each watch is answered, and breaks at once: what is shown is as old as the last list. */
static void test_breaks_each_time(void **state)
{
	struct bench b = { 0 };
	int64_t listed;

	(void)state;
	watch_from_5(&b);
	listed = b.now;
	for (int i = 0; i < 30; i++) {
		b.now += 50;
		give(&b, "");
		if (i)
			is_fresh(&b, FRESH_RECONNECTING, listed);
		fail_with(&b, ERR_NET, 0, -1);
		listed = i ? listed : b.now;	/* the first one could be believed */
		is_fresh(&b, FRESH_RECONNECTING, listed);
		pass(&b);
		if (!asks_watch(&b)) {
			listed = b.now;
			whole(&b, LIST("5", ""));
			is_fresh(&b, FRESH_RECONNECTING, listed);
			assert_true(asks_watch(&b));
		}
	}
	bench_end(&b);
}

/* A proxy ends each watch at once: it is polled, said to be so, and tried again now and then. */
static void test_ends_each_time(void **state)
{
	struct bench b = { 0 };
	int64_t listed, tried;
	unsigned watches = 0, lists = 0;

	(void)state;
	watch_from_5(&b);
	listed = b.now;
	for (int i = 0; i < 3; i++) {
		b.now += 50;
		give(&b, "");
		if (i)
			is_fresh(&b, FRESH_RECONNECTING, listed);
		watch_ended(b.watch, NULL, -1, b.now);
		listed = i ? listed : b.now;	/* the first one could be believed */
		is_fresh(&b, i < 2 ? FRESH_RECONNECTING : FRESH_POLLED, listed);
		assert_true(pass(&b) >= (i < 2 ? 700 : SECONDS(15)));
		assert_false(asks_watch(&b));
		whole(&b, LIST("5", ""));
		listed = b.now;
		if (i < 2)
			assert_true(asks_watch(&b));
	}
	assert_int_equal(b.state, SUBSCRIPTION_LIVE);
	assert_non_null(strstr(b.why.msg, "ends each watch at once"));
	for (tried = b.now; b.now < tried + SECONDS(600);) {
		is_fresh(&b, FRESH_POLLED, listed);
		pass(&b);
		if (asks_watch(&b)) {
			watches++;
			give(&b, "");
			is_fresh(&b, FRESH_POLLED, listed);
			watch_ended(b.watch, NULL, -1, b.now);
		} else {
			lists++;
			whole(&b, LIST("5", ""));
			listed = b.now;
		}
	}
	assert_in_range(watches, 5, 12);
	assert_in_range(lists, 25, 45);
	/* it is let through: live as soon as it has lasted */
	for (pass(&b); !asks_watch(&b); pass(&b)) {
		whole(&b, LIST("5", ""));
		listed = b.now;
	}
	give(&b, "");
	is_fresh(&b, FRESH_POLLED, listed);
	tried = b.now;
	b.now += SECONDS(1);
	is_fresh(&b, FRESH_WATCHED, tried);
	fail_with(&b, ERR_NET, 0, -1);
	is_fresh(&b, FRESH_RECONNECTING, tried);
	bench_end(&b);
}

static void test_renewal(void **state)
{
	struct bench b = { 0 };
	int64_t ended;

	(void)state;
	watch_from_5(&b);
	b.now += SECONDS(300);
	whole(&b, EVENT("BOOKMARK", "", "7"));
	ended = b.now;
	is_fresh(&b, FRESH_WATCHED, ended);
	/* a login, or a server that never answers */
	b.now += SECONDS(5);
	is_fresh(&b, FRESH_RECONNECTING, ended);
	bench_end(&b);
}

static void test_silent_watch(void **state)
{
	struct bench b = { 0 };
	int64_t last_received;

	(void)state;
	watch_from_5(&b);
	give(&b, "");
	last_received = b.now;
	b.now += SECONDS(90);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_CUT);
	watch_cut(b.watch, b.now);
	is_fresh(&b, FRESH_WATCHED, last_received);
	b.now += SECONDS(5);
	is_fresh(&b, FRESH_RECONNECTING, last_received);
	/* cut once more, before any answer */
	ask(&b);
	b.now += SECONDS(90);
	watch_cut(b.watch, b.now);
	is_fresh(&b, FRESH_RECONNECTING, last_received);
	bench_end(&b);
}

static void test_polled(void **state)
{
	struct bench b = { 0 };
	int64_t listed;

	(void)state;
	bench_start(&b, false);
	ask(&b);
	whole(&b, LIST("6", OBJECT("a", "1")));
	listed = b.now;
	b.now += SECONDS(1);
	is_fresh(&b, FRESH_POLLED, listed);
	pass(&b);
	ask(&b);
	is_fresh(&b, FRESH_POLLED, listed);
	fail_with(&b, ERR_NET, 0, -1);
	is_fresh(&b, FRESH_RECONNECTING, listed);
	bench_end(&b);
}

static void test_crowded(void **state)
{
	struct bench b = { 0 };
	int64_t listed;

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("6", OBJECT("a", "1")));
	listed = b.now;
	watch_poll(b.watch, b.now);
	is_fresh(&b, FRESH_POLLED, listed);
	bench_end(&b);
}

static void test_refused(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	fail_with(&b, ERR_FORBIDDEN, 403, -1);
	is_fresh(&b, FRESH_REFUSED, 0);
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_list),   cmocka_unit_test(test_events_and_bookmarks),
		cmocka_unit_test(test_renewal),	     cmocka_unit_test(test_silent_watch),
		cmocka_unit_test(test_polled),	     cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_breaks_each_time), cmocka_unit_test(test_ends_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
