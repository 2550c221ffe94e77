/* SPDX-License-Identifier: Apache-2.0 */
/* List and watch as a protocol: answers and times go in, requests and waits come out. */
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "kube/client/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LIST(version, items) "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"" version "\"},\"items\":[" items "]}"
#define PAGE(token) "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"" token \
	"\",\"remainingItemCount\":7},\"items\":[{\"metadata\":{\"name\":\"p\"}}]}"
#define OBJECT(name, version) "{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version "\"}}"
#define EVENT(type, name, version) "{\"type\":\"" type "\",\"object\":" OBJECT(name, version) "}\n"
#define STATUS(code, reason) "{\"kind\":\"Status\",\"status\":\"Failure\",\"code\":" code ",\"reason\":\"" reason "\"}"
#define ERROR(code, reason) "{\"type\":\"ERROR\",\"object\":" STATUS(code, reason) "}\n"

/* A watch, what it told ("begin +a end"), and the time. */
struct bench {
	struct watch *watch;
	struct subscribe what;
	struct kind kind;
	struct buf told, path;
	int64_t now;
	enum subscription_state state;
	struct err why;
};

static void on_begin(void *ctx)
{
	buf_add_cstr(&((struct bench *)ctx)->told, "begin ");
}

static void on_end(void *ctx)
{
	buf_add_cstr(&((struct bench *)ctx)->told, "end ");
}

static void on_object(void *ctx, enum object_event event, struct json object, struct str raw)
{
	struct bench *b = ctx;
	struct str name = json_str(object, "metadata.name");

	assert_true(raw.len == 0 || raw.ptr[0] == '{');
	buf_printf(&b->told, "%c" STR_FMT " ", "=+*-"[event], STR_ARG(name));
}

static void on_changed(void *ctx, enum subscription_state state, const struct err *why)
{
	struct bench *b = ctx;

	b->state = state;
	b->why = why ? *why : (struct err){ 0 };
}

static void bench_start(struct bench *b, bool can_watch)
{
	static const struct watch_ops ops = { on_begin, on_end, on_object, on_changed };

	b->now = 1000000;
	b->kind = (struct kind){ .group = STR("g.example"), .version = STR("v1"), .kind = STR("Thing"),
				 .plural = STR("things"), .flags = KIND_NAMESPACED | KIND_LIST | KIND_WATCH };
	b->what.kind = &b->kind;
	if (!b->what.ns.ptr)
		b->what.ns = STR("n");
	b->watch = watch_new(&(struct watch_config){ &b->what, can_watch, 7 }, &ops, b);
}

static void bench_end(struct bench *b)
{
	watch_free(b->watch);
	buf_release(&b->told);
	buf_release(&b->path);
}

/* The request that is due; its path. */
static const char *ask(struct bench *b)
{
	assert_int_equal(watch_next(b->watch, b->now), WATCH_SEND);
	buf_reset(&b->path);
	watch_path(b->watch, &b->path);
	watch_sent(b->watch, b->now);
	assert_int_equal(watch_next(b->watch, b->now), WATCH_WAIT);
	return buf_cstr(&b->path);
}

static bool asks_watch(struct bench *b)
{
	return strstr(ask(b), "watch=true") != NULL;
}

/* A success that begins with that body. */
static void give(struct bench *b, const char *body)
{
	struct err err = { 0 };

	watch_answered(b->watch, b->now);
	if (watch_feed(b->watch, str_of(body), b->now, &err) < 0)
		watch_ended(b->watch, &err, -1, b->now);
}

static void whole(struct bench *b, const char *body)
{
	struct err err = { 0 };

	watch_answered(b->watch, b->now);
	if (watch_feed(b->watch, str_of(body), b->now, &err) < 0)
		watch_ended(b->watch, &err, -1, b->now);
	else
		watch_ended(b->watch, NULL, -1, b->now);
}

static void fail_with(struct bench *b, enum errc code, int status, int64_t retry_in)
{
	struct err err = { 0 };

	err_set(&err, code, "refused");
	err.http_status = status;
	watch_ended(b->watch, &err, retry_in, b->now);
}

/* How long it waits now; the time goes on to its end. */
static int64_t pass(struct bench *b)
{
	int64_t before = b->now;

	for (int i = 0; i < 100 && watch_next(b->watch, b->now) == WATCH_WAIT; i++) {
		int64_t deadline = watch_deadline(b->watch);

		assert_true(deadline > b->now);
		b->now = deadline;
	}
	return b->now - before;
}

static void told(struct bench *b, const char *expected)
{
	assert_string_equal(buf_cstr(&b->told), expected);
	buf_reset(&b->told);
}

/* ---- lists ------------------------------------------------------------------------- */

static void test_pages(void **state)
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

static void test_expired_page(void **state)
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

static void test_page_of_itself(void **state)
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

static void test_one_by_name(void **state)
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

static void test_no_list(void **state)
{
	static const char *const bodies[] = { "", "[]", "<html>", "{\"kind\":\"List\",\"items\":[{", STATUS("500", "Odd"),
					      "{\"kind\":\"Thing\"}", "{\"kind\":\"List\",\"items\":[{\"a\":nonsense}]}" };

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

/* Listed at version 5, and the watch was sent. */
static void watch_from_5(struct bench *b)
{
	bench_start(b, true);
	ask(b);
	whole(b, LIST("5", ""));
	told(b, "begin end ");
	assert_true(asks_watch(b));
	assert_non_null(strstr(buf_cstr(&b->path), "?allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds="));
}

static bool resumes_from(struct bench *b, const char *version)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "&resourceVersion=%s&", version);
	return strstr(ask(b), wanted) != NULL;
}

static void test_events(void **state)
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
static void test_events_in_bytes(void **state)
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

static void test_ends(void **state)
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

static void test_refused_watch(void **state)
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

static void test_kind_without_watch(void **state)
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
static void test_outage(void **state)
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

static void test_waits_that_are_told(void **state)
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

static void test_clock_set_back(void **state)
{
	struct bench b = { 0 };

	(void)state;
	watch_from_5(&b);
	fail_with(&b, ERR_NET, 0, -1);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_WAIT);
	b.now -= HOURS(1);
	assert_int_equal(watch_next(b.watch, b.now), WATCH_SEND);
	bench_end(&b);
}

/* Without a version the events tell what there was; their order says nothing. */
static void test_list_without_version(void **state)
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

static void test_crowded(void **state)
{
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", ""));
	watch_poll(b.watch, b.now);
	assert_true(pass(&b) >= SECONDS(60));	/* it has just been listed */
	assert_false(asks_watch(&b));
	bench_end(&b);
}

static void test_nothing_there(void **state)
{
	struct bench b = { .what.unless_empty = true };

	(void)state;
	bench_start(&b, true);
	ask(&b);
	whole(&b, LIST("5", ""));
	assert_true(pass(&b) >= MINUTES(5));
	assert_false(asks_watch(&b));
	whole(&b, LIST("6", OBJECT("a", "1")));
	assert_true(asks_watch(&b));
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
		cmocka_unit_test(test_pages),		    cmocka_unit_test(test_expired_page),
		cmocka_unit_test(test_page_of_itself),	    cmocka_unit_test(test_one_by_name),
		cmocka_unit_test(test_once),		    cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_events),		    cmocka_unit_test(test_events_in_bytes),
		cmocka_unit_test(test_ends),		    cmocka_unit_test(test_refused_watch),
		cmocka_unit_test(test_kind_without_watch),  cmocka_unit_test(test_outage),
		cmocka_unit_test(test_waits_that_are_told), cmocka_unit_test(test_silence),
		cmocka_unit_test(test_clock_set_back),	    cmocka_unit_test(test_list_without_version),
		cmocka_unit_test(test_crowded),		    cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_metadata_only),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
