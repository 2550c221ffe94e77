/* SPDX-License-Identifier: Apache-2.0 */
/* When a list or watch is asked for again: refusals, outages, silence, polling. */
#include "watch_bench.h"

static void refused_watch(void **state)
{
	static const struct {
		enum errc code;
		int status;
	} cases[] = { { ERR_FORBIDDEN, 403 }, { ERR_NOT_SERVED, 404 }, { ERR_SERVER, 405 }, { ERR_SERVER, 422 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = { 0 };

		watch_from_5(&b);
		fail_with(&b, cases[i].code, cases[i].status, -1);
		assert_int_equal(b.state, SUBSCRIPTION_LIVE);
		assert_string_equal(b.why.msg, "refused");
		assert_false(asks_watch(&b));
		whole(&b, LIST("6", ""));
		assert_true(pass(&b) >= SECONDS(15));
		bench_end(&b);
	}
}

/* Asked for again once a minute, and watched when it is allowed again. */
static void permission_comes_back(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	fail_with(&b, ERR_FORBIDDEN, 403, -1);
	ask(&b);
	for (int i = 0; i < 3; i++) {
		int64_t wait;

		fail_with(&b, ERR_FORBIDDEN, 403, -1);
		assert_int_equal(b.state, SUBSCRIPTION_FORBIDDEN);
		wait = pass(&b);
		assert_true(wait >= SECONDS(60) && wait <= SECONDS(75));
		assert_false(asks_watch(&b));
	}
	whole(&b, LIST("9", OBJECT("a", "8")));
	told(&b, "begin =a end ");
	assert_int_equal(b.state, SUBSCRIPTION_LIVE);
	assert_true(resumes_from(&b, "9"));
	bench_end(&b);
}

/* Its own back-off is for when nobody knows better. */
static void test_server_back(void **state)
{
	struct bench b = { 0 };
	int64_t before;

	(void)state;
	watch_from_5(&b);
	give(&b, "");
	before = b.now++;
	for (int i = 0; i < 6; i++) {
		fail_with(&b, ERR_NET, 0, 0);
		pass(&b);
		ask(&b);
	}
	fail_with(&b, ERR_NET, 0, 0);
	assert_true(watch_deadline(b.watch) > b.now + SECONDS(2));
	assert_true(watch_server_back(b.watch, before, b.now + 500));
	assert_true(pass(&b) == 500);
	/* what has just begun refuses everything for a moment */
	for (int i = 0; i < 8; i++) {
		ask(&b);
		fail_with(&b, i % 2 ? ERR_FORBIDDEN : ERR_SERVER, i % 2 ? 403 : 500, -1);
		assert_int_equal(b.state, SUBSCRIPTION_BACKOFF);
		assert_in_range(pass(&b), 500, 1000);
	}
	assert_true(resumes_from(&b, "5"));
	give(&b, "");
	assert_int_equal(b.state, SUBSCRIPTION_LIVE);
	/* the same when its request was on the way already */
	before = b.now++;
	fail_with(&b, ERR_NET, 0, 0);
	pass(&b);
	ask(&b);
	assert_false(watch_server_back(b.watch, before, b.now));
	fail_with(&b, ERR_FORBIDDEN, 403, -1);
	assert_in_range(pass(&b), 500, 1000);
	assert_true(resumes_from(&b, "5"));
	bench_end(&b);
}

/* kube-apiserver says 429 until the storage of a kind is open, and forgets the versions before it. */
static void test_server_back_with_new_storage(void **state)
{
	struct bench b = { 0 };
	int64_t before;

	(void)state;
	watch_from_5(&b);
	give(&b, "");
	before = b.now++;
	fail_with(&b, ERR_NET, 0, 0);
	watch_server_back(b.watch, before, b.now);
	for (int i = 0; i < 8; i++) {
		pass(&b);
		assert_true(resumes_from(&b, "5"));
		fail_with(&b, ERR_THROTTLED, 429, SECONDS(1));
		assert_in_range(watch_deadline(b.watch) - b.now, 1000, 1500);
	}
	pass(&b);
	assert_true(resumes_from(&b, "5"));
	fail_with(&b, ERR_GONE, 410, -1);
	assert_int_equal(watch_deadline(b.watch), b.now);
	assert_false(asks_watch(&b));
	whole(&b, LIST("9", ""));
	/* again and again it is no accident */
	assert_true(asks_watch(&b));
	fail_with(&b, ERR_GONE, 410, -1);
	assert_true(watch_deadline(b.watch) > b.now + 500);
	bench_end(&b);
}

/* What a server forgets is listed at once after each outage, not only after the first. */
static void test_outage_after_outage(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	for (int i = 0; i < 3; i++) {
		int64_t before;

		give(&b, "");
		b.now += SECONDS(20);
		before = b.now++;
		for (int k = 0; k < 6; k++) {
			fail_with(&b, ERR_NET, 0, 0);
			pass(&b);
			ask(&b);
		}
		watch_server_back(b.watch, before, b.now);
		fail_with(&b, ERR_GONE, 410, -1);
		assert_int_equal(watch_deadline(b.watch), b.now);
		assert_false(asks_watch(&b));
		whole(&b, LIST("9", ""));
		assert_true(asks_watch(&b));
	}
	/* forgotten again though it was just listed: by its back-off, which begins anew with each outage */
	fail_with(&b, ERR_GONE, 410, -1);
	assert_in_range(watch_deadline(b.watch) - b.now, 800, 1600);
	bench_end(&b);
}

/* Others succeed while it fails: that is its own affair, and no reason to ask at once. */
static void test_server_that_was_not_away(void **state)
{
	struct bench b = { 0 };
	int64_t wanted;

	(void)state;
	watch_from_5(&b);
	fail_with(&b, ERR_SERVER, 503, -1);
	wanted = watch_deadline(b.watch);
	assert_true(wanted > b.now);
	assert_false(watch_server_back(b.watch, b.now + 1, b.now + 2));
	assert_int_equal(watch_deadline(b.watch), wanted);
	bench_end(&b);
}

/* A watch that is never answered is no watch. */
static void test_unanswered(void **state)
{
	struct bench b = { 0 };
	int64_t before;

	(void)state;
	watch_from_5(&b);
	b.now += SECONDS(29);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_WAIT);
	b.now += SECONDS(1);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_CUT);
	assert_true(watch_cut(b.watch, b.now));
	assert_int_equal(b.state, SUBSCRIPTION_BACKOFF);
	assert_non_null(strstr(b.why.msg, "did not answer within 30 s"));
	before = b.now;
	assert_true(pass(&b) > 0 && b.now - before <= SECONDS(2));
	assert_true(resumes_from(&b, "5"));
	bench_end(&b);
}

static void kind_without_watch(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, false);
	for (int i = 0; i < 3; i++) {
		assert_false(asks_watch(&b));
		whole(&b, LIST("6", OBJECT("a", "1")));
		assert_int_equal(b.state, SUBSCRIPTION_LIVE);
		assert_true(pass(&b) >= SECONDS(15));
	}
	bench_end(&b);
}

/* While nobody answers its version stays good; a watch that only breaks is listed anew. */
static void outage(void **state)
{
	struct bench b = { 0 };
	int64_t waited = 0, last = 0;

	(void)state;
	watch_from_5(&b);
	for (int i = 0; i < 12; i++) {
		fail_with(&b, ERR_NET, 0, -1);
		last = pass(&b);
		waited += last;
		assert_true(resumes_from(&b, "5"));
	}
	assert_true(last <= SECONDS(60) && last >= SECONDS(30) && waited > MINUTES(3));
	for (int i = 0; i < 3; i++) {
		watch_answered(b.watch, b.now);
		fail_with(&b, ERR_NET, 0, -1);
		pass(&b);
		assert_true(resumes_from(&b, "5"));
	}
	watch_answered(b.watch, b.now);
	fail_with(&b, ERR_NET, 0, -1);
	pass(&b);
	assert_false(asks_watch(&b));
	bench_end(&b);
}

static void waits_that_are_told(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	fail_with(&b, ERR_THROTTLED, 429, 5000);
	assert_true(pass(&b) >= 5000);
	assert_true(resumes_from(&b, "5"));
	give(&b, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":429,\"details\":{\"retryAfterSeconds\":9}}}");
	assert_true(pass(&b) >= 9000);
	assert_true(resumes_from(&b, "5"));
	fail_with(&b, ERR_AUTH, 401, -1);
	assert_true(watch_deadline(b.watch) >= b.now + SECONDS(60));
	watch_wake(b.watch, b.now);
	assert_true(resumes_from(&b, "5"));
	bench_end(&b);
}

static void test_silence(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	give(&b, EVENT("BOOKMARK", "", "6"));
	b.now += SECONDS(89);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_WAIT);
	b.now += SECONDS(1);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_CUT);
	watch_cut(b.watch, b.now);
	assert_true(resumes_from(&b, "6"));
	bench_end(&b);
}

static void clock_set_back(void **state)
{
	struct bench b = { 0 };
	int64_t wait;

	(void)state;
	watch_from_5(&b);
	fail_with(&b, ERR_NET, 0, -1);
	wait = watch_deadline(b.watch) - b.now;
	assert_true(wait > 0);
	b.now -= MINUTES(10);
	watch_clock_back(b.watch, MINUTES(10));
	assert_int_equal(watch_deadline(b.watch) - b.now, wait);
	pass(&b);
	assert_true(resumes_from(&b, "5"));
	/* and one that is silent is noticed after the same time */
	give(&b, EVENT("BOOKMARK", "", "6"));
	b.now += SECONDS(30) - MINUTES(5);
	watch_clock_back(b.watch, MINUTES(5));
	assert_int_equal(watch_next(b.watch, b.now), WATCH_WAIT);
	b.now += SECONDS(60);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_CUT);
	bench_end(&b);
}

/* What is refused while the server settles is asked for often, unless discovery knows that it is gone. */
static void test_gone_for_good(void **state)
{
	struct bench b = { 0 };
	int64_t before;

	(void)state;
	watch_from_5(&b);
	give(&b, "");
	before = b.now++;
	fail_with(&b, ERR_NET, 0, 0);
	watch_server_back(b.watch, before, b.now);
	pass(&b);
	ask(&b);
	fail_with(&b, ERR_NOT_SERVED, 404, -1);
	assert_in_range(watch_deadline(b.watch) - b.now, 500, 1000);
	watch_settled(b.watch);
	pass(&b);
	ask(&b);
	fail_with(&b, ERR_NOT_SERVED, 404, -1);
	pass(&b);
	ask(&b);
	fail_with(&b, ERR_NOT_SERVED, 404, -1);
	assert_true(watch_deadline(b.watch) - b.now >= SECONDS(60));
	assert_int_equal(b.state, SUBSCRIPTION_NOT_SERVED);
	bench_end(&b);
}

/* Without a version the events tell what there was; their order says nothing. */
static void list_without_version(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("", ""));
	assert_null(strstr(ask(&b), "resourceVersion"));
	give(&b, EVENT("ADDED", "a", "9") EVENT("ADDED", "b", "3"));
	watch_ended(b.watch, NULL, -1, b.now + 5000);
	assert_false(asks_watch(&b));
	whole(&b, LIST("", ""));
	ask(&b);
	give(&b, EVENT("ADDED", "a", "9") EVENT("BOOKMARK", "", "10"));
	watch_ended(b.watch, NULL, -1, b.now + 5000);
	assert_true(resumes_from(&b, "10"));
	bench_end(&b);
}

static void crowded(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", ""));
	watch_poll(b.watch, b.now);
	assert_true(pass(&b) == SECONDS(15));	/* it has just been listed */
	assert_false(asks_watch(&b));
	bench_end(&b);
}

static void room_again(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", ""));
	assert_false(watch_wants_room(b.watch));
	watch_poll(b.watch, b.now);
	assert_true(watch_wants_room(b.watch));
	pass(&b);
	ask(&b);
	assert_false(watch_wants_room(b.watch));	/* its list is under way */
	whole(&b, LIST("9", ""));
	watch_resume(b.watch, b.now);
	assert_false(watch_wants_room(b.watch));
	assert_true(resumes_from(&b, "9"));
	bench_end(&b);
}

/* A more urgent one needs its connection. */
static void room_taken_away(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", ""));
	ask(&b);
	give(&b, EVENT("ADDED", "a", "9"));
	assert_true(watch_is_live(b.watch));
	watch_poll(b.watch, b.now);
	assert_int_equal(watch_freshness(b.watch, b.now).state, FRESH_POLLED);
	assert_true(pass(&b) == SECONDS(15));
	assert_false(asks_watch(&b));
	bench_end(&b);
}

/* The first object of its kind is news. */
static void test_nothing_there(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", ""));
	assert_true(pass(&b) == 0);
	assert_true(asks_watch(&b));
	give(&b, EVENT("ADDED", "a", "6"));
	told(&b, "begin end +a ");
	bench_end(&b);
}

static void test_metadata_only(void **state)
{
	struct bench b = { .what.metadata_only = true };

	(void)state;
	bench_start(&b, true);
	assert_non_null(strstr(watch_accept(b.watch), "as=PartialObjectMetadataList;"));
	ask(&b);
	whole(&b, LIST("5", ""));
	assert_non_null(strstr(watch_accept(b.watch), "as=PartialObjectMetadata;"));
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_watch),
		cmocka_unit_test(permission_comes_back),
		cmocka_unit_test(test_server_back),
		cmocka_unit_test(test_server_back_with_new_storage),
		cmocka_unit_test(test_outage_after_outage),
		cmocka_unit_test(test_server_that_was_not_away),
		cmocka_unit_test(test_unanswered),
		cmocka_unit_test(kind_without_watch),
		cmocka_unit_test(outage),
		cmocka_unit_test(waits_that_are_told),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(clock_set_back), cmocka_unit_test(test_gone_for_good),
		cmocka_unit_test(list_without_version),
		cmocka_unit_test(crowded), cmocka_unit_test(room_again), cmocka_unit_test(room_taken_away),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_metadata_only),
	};

	return cmocka_run_group_tests_name("watch_waits", tests, NULL, NULL);
}
