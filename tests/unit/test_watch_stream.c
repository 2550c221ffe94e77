/* SPDX-License-Identifier: Apache-2.0 */
/* Streaming lists: when they are asked for, what they tell, and what ends them. */
#include "tests/unit/watch_bench.h"

#define MARKER(version) "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" version "\"," \
	"\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"

/* The first page has a successor, and the stream was asked for. */
static void stream_wanted(struct bench *b)
{
	b->streams = true;
	bench_start(b, true);
	ask(b);
	whole(b, PAGE("next"));
	told(b, "begin =p ");
	assert_non_null(strstr(ask(b), "/apis/g.example/v1/namespaces/n/things?allowWatchBookmarks=true"
			       "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds="));
	assert_true(watch_streams(b->watch));
}

/* w14: what there is comes as a list, and then changes, in one stream. */
static void a_stream(void **state)
{
	struct bench b = { 0 };
	struct err err = { 0 };
	int64_t have, total;

	(void)state;
	stream_wanted(&b);
	give(&b, EVENT("ADDED", "a", "9") EVENT("ADDED", "b", "3"));
	watch_progress(b.watch, &have, &total);
	assert_int_equal(have, 2);
	assert_int_equal(total, 8);	/* one of the first page, seven behind it */
	assert_int_equal(b.state, SUBSCRIPTION_LISTING);
	assert_int_equal(watch_feed(b.watch, STR(MARKER("20") EVENT("MODIFIED", "a", "21")), b.now, &err), 0);
	told(&b, "begin =a =b end *a ");
	assert_int_equal(b.state, SUBSCRIPTION_LIVE);
	watch_ended(b.watch, NULL, -1, b.now + 5000);
	assert_true(resumes_from(&b, "21"));
	bench_end(&b);
}

/* w14: a bookmark without the marker, or with another value, does not end it. */
static void other_bookmarks(void **state)
{
	struct bench b = { 0 };

	(void)state;
	stream_wanted(&b);
	give(&b, EVENT("BOOKMARK", "", "6") "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"annotations\":"
		 "{\"k8s.io/initial-events-end\":true}}}}\n" EVENT("MODIFIED", "a", "7") EVENT("DELETED", "b", "8"));
	told(&b, "begin =a -b ");
	assert_int_equal(b.state, SUBSCRIPTION_LISTING);
	bench_end(&b);
}

/* w15: refused, broken, ended early: pages, and no second try where the server refused. */
static void pages_instead(void **state)
{
	static const struct {
		enum errc code;
		int status;
		bool again;	/* a later list may be streamed */
	} cases[] = { { ERR_SERVER, 422, false }, { ERR_SERVER, 400, false }, { ERR_FORBIDDEN, 403, false },
		      { ERR_PROTO, 0, false },	  { ERR_NET, 0, true },	      { ERR_SERVER, 500, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = { 0 };

		stream_wanted(&b);
		fail_with(&b, cases[i].code, cases[i].status, -1);
		assert_int_equal(pass(&b), 0);
		assert_non_null(strstr(ask(&b), "?limit=500"));
		whole(&b, PAGE("next"));
		assert_int_equal(strstr(ask(&b), "sendInitialEvents") != NULL, cases[i].again);
		bench_end(&b);
	}
}

/* w9: throttled, the same is asked for again, later. */
static void test_throttled(void **state)
{
	struct bench b = { 0 };

	(void)state;
	stream_wanted(&b);
	fail_with(&b, ERR_THROTTLED, 429, 5000);
	assert_true(pass(&b) >= 5000);
	assert_non_null(strstr(ask(&b), "sendInitialEvents=true"));
	bench_end(&b);
}

/* w15: a server that does not know of the marker is given ten seconds after the last object. */
static void no_marker(void **state)
{
	struct bench b = { 0 };

	(void)state;
	stream_wanted(&b);
	give(&b, EVENT("ADDED", "a", "9"));
	assert_int_equal(watch_deadline(b.watch), b.now + SECONDS(10));
	b.now += SECONDS(10);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_CUT);
	watch_cut(b.watch, b.now);
	assert_non_null(strstr(ask(&b), "?limit=500"));
	bench_end(&b);
}

/* w15: a clean end before the marker is no complete list. */
static void early_end(void **state)
{
	struct bench b = { 0 };

	(void)state;
	stream_wanted(&b);
	whole(&b, EVENT("ADDED", "a", "9"));
	told(&b, "begin =a ");
	assert_non_null(strstr(ask(&b), "?limit=500"));
	bench_end(&b);
}

/* w1: the next page is known as soon as the first item came, if its metadata came before. */
static void page_ahead(void **state)
{
	static const char head[] = "{\"kind\":\"ThingList\",\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"t&\"},\"items\":[";
	struct bench b = { 0 };
	struct buf path = { 0 };
	struct err err = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	assert_false(watch_next_page_path(b.watch, &path));
	watch_answered(b.watch, b.now);
	assert_int_equal(watch_feed(b.watch, str_of(head), b.now, &err), 0);
	assert_false(watch_next_page_path(b.watch, &path));
	assert_int_equal(watch_feed(b.watch, STR(OBJECT("a", "1")), b.now, &err), 0);
	assert_true(watch_next_page_path(b.watch, &path));
	assert_string_equal(buf_cstr(&path), "/apis/g.example/v1/namespaces/n/things?continue=t%26&limit=500");
	assert_int_equal(watch_feed(b.watch, STR("]}"), b.now, &err), 0);
	watch_ended(b.watch, NULL, -1, b.now);
	assert_string_equal(ask(&b), buf_cstr(&path));
	buf_reset(&path);
	assert_false(watch_next_page_path(b.watch, &path));
	buf_release(&path);
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream),	     cmocka_unit_test(other_bookmarks),
		cmocka_unit_test(pages_instead), cmocka_unit_test(test_throttled),
		cmocka_unit_test(no_marker),     cmocka_unit_test(early_end),
		cmocka_unit_test(page_ahead),
	};

	return cmocka_run_group_tests_name("watch_stream", tests, NULL, NULL);
}
