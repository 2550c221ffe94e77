/* SPDX-License-Identifier: Apache-2.0 */
/* List and watch as a protocol: answers go in, objects and requests come out. */
#include "watch_bench.h"

/* ---- lists ------------------------------------------------------------------------- */

static void pages(void **state)
{
	struct bench b = { .what.label_selector = STR("a=b,c in (d)") };
	int64_t have, total;

	(void)state;
	bench_start(&b, true);
	assert_string_equal(ask(&b), "/apis/g.example/v1/namespaces/n/things?labelSelector=a%3Db%2Cc+in+%28d%29&limit=500");
	assert_int_equal(b.state, SUBSCRIPTION_LISTING);
	whole(&b, PAGE("t+/= é"));
	watch_progress(b.watch, &have, &total);
	assert_true(have == 1 && total == 8);
	assert_string_equal(ask(&b), "/apis/g.example/v1/namespaces/n/things?continue=t%2B%2F%3D+%C3%A9"
				     "&labelSelector=a%3Db%2Cc+in+%28d%29&limit=500");
	whole(&b, "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"99\"},\"items\":[]}");
	told(&b, "begin =p end ");
	assert_int_equal(b.state, SUBSCRIPTION_LIVE);
	assert_non_null(strstr(ask(&b), "&resourceVersion=5&timeoutSeconds="));	/* that of the first page */
	bench_end(&b);
}

static void expired_page(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, PAGE("t"));
	ask(&b);
	fail_with(&b, ERR_GONE, 410, -1);
	assert_string_equal(ask(&b), "/apis/g.example/v1/namespaces/n/things");
	whole(&b, LIST("6", OBJECT("a", "1")));
	told(&b, "begin =p begin =a end ");
	bench_end(&b);
}

static void page_of_itself(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, PAGE("t"));
	ask(&b);
	whole(&b, PAGE("t"));
	assert_int_equal(b.state, SUBSCRIPTION_BACKOFF);
	assert_true(pass(&b) >= 800);
	assert_null(strstr(ask(&b), "continue"));
	bench_end(&b);
}

/* Tokens without end: how many pages are asked for until it is an error, and again after how long. */
static unsigned pages_of(struct bench *b, unsigned circle, bool empty)
{
	unsigned n = 0;
	char body[256];

	while (b->state != SUBSCRIPTION_BACKOFF && n < 10000) {
		ask(b);
		snprintf(body, sizeof(body), "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"t%u\"},"
			 "\"items\":[%s]}", circle ? n % circle : n, empty ? "" : OBJECT("p", "4"));
		whole(b, body);
		n++;
	}
	assert_true(b->why.msg[0]);
	return n;
}

static void endless_pages(void **state)
{
	static const struct {
		unsigned circle;
		bool empty;
		unsigned most;
	} cases[] = { { 1, false, 2 }, { 2, false, 6 }, { 7, false, 24 }, { 0, true, 10 }, { 0, false, 1000 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = { 0 };

		bench_start(&b, true);
		assert_in_range(pages_of(&b, cases[i].circle, cases[i].empty), 2, cases[i].most);
		assert_in_range(pass(&b), SECONDS(60), SECONDS(75));
		assert_null(strstr(ask(&b), "continue"));
		whole(&b, LIST("6", ""));
		assert_int_equal(b.state, SUBSCRIPTION_LIVE);
		bench_end(&b);
	}
}

/* An event that is cut off, with others behind it: an error at the first token that cannot be there. */
static void torn_event(void **state)
{
	static const char *const torn[] = { "{", "{\"type\"", "{\"type\":\"ADD", "{\"type\":\"ADDED\",", "{\"type\":\"ADDED\",\"object\":{",
					    "{\"type\":\"ADDED\",\"object\":{\"a\":[1", "{\"type\":\"ADDED\",\"object\":{\"a\":\"\\",
					    "{\"type\":\"ADDED\",\"object\":{\"a\":tru" };

	(void)state;
	for (size_t i = 0; i < sizeof(torn) / sizeof(torn[0]); i++) {
		struct bench b = { 0 };
		struct err err = { 0 };
		char text[256];

		watch_from_5(&b);
		watch_answered(b.watch, b.now);
		snprintf(text, sizeof(text), "%s\n%s", torn[i], EVENT("ADDED", "a", "6"));
		if (watch_feed(b.watch, str_of(text), b.now, &err) == 0)
			fail_msg("accepted: %s", text);
		watch_ended(b.watch, &err, -1, b.now);
		told(&b, "");
		assert_int_equal(b.state, SUBSCRIPTION_BACKOFF);
		assert_in_range(pass(&b), 800, 1600);
		assert_true(resumes_from(&b, "5"));
		bench_end(&b);
	}
}

/* With nothing behind it, it is dropped after 10 s; a silent watch that is whole is left alone. */
static void half_event_and_silence(void **state)
{
	struct bench b = { 0 };
	struct err err = { 0 };

	(void)state;
	watch_from_5(&b);
	give(&b, EVENT("ADDED", "a", "6"));
	b.now += SECONDS(20);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_WAIT);
	assert_int_equal(watch_feed(b.watch, STR("{\n"), b.now, &err), 0);
	assert_int_equal(watch_deadline(b.watch), b.now + SECONDS(10));
	b.now += SECONDS(10);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_CUT);
	assert_false(watch_cut(b.watch, b.now));
	assert_true(resumes_from(&b, "6"));
	bench_end(&b);
}

static void one_by_name(void **state)
{
	struct bench b = { .what.name = STR("x"), .what.field_selector = STR("spec.a=b") };

	(void)state;
	bench_start(&b, true);
	assert_non_null(strstr(ask(&b), "?fieldSelector=metadata.name%3Dx%2Cspec.a%3Db&limit=500"));
	fail_with(&b, ERR_FORBIDDEN, 403, -1);
	assert_string_equal(ask(&b), "/apis/g.example/v1/namespaces/n/things/x");
	whole(&b, OBJECT("x", "1"));
	told(&b, "begin =x end ");
	assert_true(pass(&b) >= SECONDS(15));	/* polled */
	ask(&b);
	fail_with(&b, ERR_NOT_SERVED, 404, -1);
	told(&b, "begin end ");
	assert_int_equal(b.state, SUBSCRIPTION_LIVE);
	bench_end(&b);
}

static void test_once(void **state)
{
	static const struct {
		enum errc code;
		int status;
		int64_t retry_in;
		unsigned requests;
		enum subscription_state state;
	} cases[] = {
		{ ERR_SERVER, 503, -1, 1, SUBSCRIPTION_FAILED },
		{ ERR_SERVER, 503, 0, 11, SUBSCRIPTION_FAILED },
		{ ERR_THROTTLED, 429, -1, 1, SUBSCRIPTION_FAILED },
		{ ERR_NET, 0, 1000, 11, SUBSCRIPTION_FAILED },
		{ ERR_FORBIDDEN, 403, -1, 1, SUBSCRIPTION_FORBIDDEN },
		{ ERR_NOT_SERVED, 404, -1, 1, SUBSCRIPTION_NOT_SERVED },
		{ ERR_GONE, 410, -1, 2, SUBSCRIPTION_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = { .what.once = true };
		unsigned n = 0;

		bench_start(&b, true);
		for (; n < 50 && watch_deadline(b.watch); n++) {
			pass(&b);
			ask(&b);
			fail_with(&b, cases[i].code, cases[i].status, cases[i].retry_in);
		}
		assert_int_equal(n, cases[i].requests);
		assert_int_equal(b.state, cases[i].state);
		assert_int_equal(watch_next(b.watch, b.now + HOURS(1)), WATCH_WAIT);
		bench_end(&b);
	}
}

/* A definition may give its list a name of its own. */
static void lists_of_the_kind(void **state)
{
	static const char *const kinds[] = { "List\",\"apiVersion\":\"v1", "ThingList\",\"apiVersion\":\"g.example/v1", "Thinglist", "ThingsList",
					     "PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1" };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct bench b = { 0 };
		struct buf body = { 0 };

		buf_printf(&body, "{\"kind\":\"%s\",\"items\":[" OBJECT("a", "1") "]}", kinds[i]);
		bench_start(&b, true);
		ask(&b);
		whole(&b, buf_cstr(&body));
		told(&b, "begin =a end ");
		buf_release(&body);
		bench_end(&b);
	}
}

/* One item that is no JSON leaves the others alone. */
static void no_item(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", "{\"a\":nonsense},{\"metadata\":{\"name\":\"n\"},\"a\":nonsense}," OBJECT("b", "2")));
	told(&b, "begin = =n =b end ");
	bench_end(&b);
}

static void no_list(void **state)
{
	static const char *const bodies[] = { "", "[]", "<html>", "{\"kind\":\"List\",\"items\":[{", STATUS("500", "Odd"),
					      "{\"kind\":\"Thing\"}", "{}", "null", "{\"items\":[]}", "{\"kind\":\"OtherList\",\"items\":[]}",
					      "{\"kind\":\"ThingList\",\"apiVersion\":\"other.example/v1\",\"items\":[]}",
					      "{\"kind\":\"List\",\"items\":{}}", "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"v1\",\"items\":[]}" };

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct bench b = { 0 };

		bench_start(&b, true);
		ask(&b);
		whole(&b, bodies[i]);
		assert_int_equal(b.state, SUBSCRIPTION_BACKOFF);
		assert_true(b.why.msg[0]);
		assert_true(pass(&b) >= 800);
		assert_false(asks_watch(&b));
		bench_end(&b);
	}
}

/* ---- watches ------------------------------------------------------------------------ */

static void events(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	give(&b, EVENT("ADDED", "a", "6") "{\"type\":\"MODIFIED\",\n\"object\":" OBJECT("a", "7") "}"
	     EVENT("DELETED", "a", "8") EVENT("BOOKMARK", "", "20"));
	told(&b, "+a *a -a ");
	watch_ended(b.watch, NULL, -1, b.now + 5);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_SEND);	/* at once */
	assert_true(resumes_from(&b, "20"));
	bench_end(&b);
}

/* Byte by byte, with what is no ASCII and what is escaped. */
static void events_in_bytes(void **state)
{
	static const char text[] = EVENT("ADDED", "\xc3\xa9\\\"\xf0\x9d\x84\x9e}", "6") EVENT("MODIFIED", "b", "7");
	struct bench b = { 0 };
	struct err err = { 0 };

	(void)state;
	watch_from_5(&b);
	watch_answered(b.watch, b.now);
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		assert_int_equal(watch_feed(b.watch, (struct str){ text + i, 1 }, b.now, &err), 0);
	told(&b, "+\xc3\xa9\"\xf0\x9d\x84\x9e} *b ");
	bench_end(&b);
}

static void ends(void **state)
{
	static const struct {
		const char *name, *body;
		int64_t after;		/* ms that it lived */
		bool watches, waits;
		const char *version;
	} cases[] = {
		{ "long and silent", "", 5000, true, false, "5" },
		{ "an event", EVENT("ADDED", "a", "9"), 5, true, false, "9" },
		{ "short and silent", "", 5, false, true, NULL },
		{ "expired", ERROR("410", "Expired"), 5, false, false, NULL },
		{ "gone", ERROR("500", "Gone"), 5, false, false, NULL },
		{ "throttled", ERROR("429", "TooManyRequests"), 5, true, true, "5" },
		{ "internal error", ERROR("500", "InternalError"), 5, true, true, "5" },
		{ "garbage", "nonsense\n", 5, true, true, "5" },
		{ "half", "{\"type\":\"ADDED\",\"obj", 5000, true, true, "5" },
		{ "no type", "{\"object\":{}}", 5, true, true, "5" },
		{ "no object", "{\"type\":\"ADDED\",\"object\":7}", 5, true, true, "5" },
		{ "garbage behind an event", EVENT("ADDED", "a", "9") "]", 5, true, true, "9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = { 0 };
		struct err err = { 0 };
		int64_t waited;

		watch_from_5(&b);
		watch_answered(b.watch, b.now);
		b.now += cases[i].after;
		if (watch_feed(b.watch, str_of(cases[i].body), b.now, &err) < 0)
			watch_ended(b.watch, &err, -1, b.now);
		else
			watch_ended(b.watch, NULL, -1, b.now);
		waited = pass(&b);
		if (cases[i].waits != (waited >= 800) || asks_watch(&b) != cases[i].watches)
			fail_msg("%s: %lld ms, %s", cases[i].name, (long long)waited, buf_cstr(&b.path));
		if (cases[i].version)
			assert_non_null(strstr(buf_cstr(&b.path), cases[i].version));
		bench_end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(expired_page),
		cmocka_unit_test(page_of_itself),
		cmocka_unit_test(endless_pages),
		cmocka_unit_test(torn_event),
		cmocka_unit_test(half_event_and_silence),
		cmocka_unit_test(one_by_name),
		cmocka_unit_test(test_once),
		cmocka_unit_test(no_list), cmocka_unit_test(lists_of_the_kind), cmocka_unit_test(no_item),
		cmocka_unit_test(events),
		cmocka_unit_test(events_in_bytes),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
