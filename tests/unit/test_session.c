/* SPDX-License-Identifier: Apache-2.0 */
/* How a session fares with a server that is silent, goes away and comes back. */
#include "session_bench.h"

#include "kube/api/session_private.h"

enum { KINDS = 10 };

struct watched {
	struct bench b;
	struct subscription *subs[KINDS];
	char paths[KINDS][64];
};

static struct kind *kind_number(struct bench *b, int i)
{
	char name[16], plural[16];
	struct kind *kind;

	snprintf(name, sizeof(name), "Thing%02d", i);
	snprintf(plural, sizeof(plural), "thing%02ds", i);
	kind = kinds_put(&b->kinds, STR("g.example"), str_of(name));
	kind->plural = kinds_name(&b->kinds, str_of(plural));
	kind->version = STR("v1");
	kind->flags |= KIND_LIST | KIND_WATCH | KIND_DISCOVERED;
	return kind;
}

/* A plugin takes real time for its answer, and does not run twice in a second. */
static void await_request(struct bench *b, const char *path)
{
	settle(b);
	for (int i = 0; i < 500 && !find_request(b, path); i++)
		pass(b, 50);
}

/* So many kinds are listed, and watched. */
static void watch_kinds(struct watched *w, int n)
{
	struct bench *b = &w->b;

	bench_start(b);
	for (int i = 0; i < n; i++) {
		w->subs[i] = session_subscribe(b->session, &(struct subscribe){ .kind = kind_number(b, i) });
		snprintf(w->paths[i], sizeof(w->paths[i]), "/thing%02ds?", i);
	}
	for (int i = 0; i < n; i++) {
		await_request(b, w->paths[i]);
		reply(b, w->paths[i], "200 OK", EMPTY_LIST);
		begin_watch(b, w->paths[i]);
		assert_int_equal(subscription_freshness(w->subs[i], b->now).state, FRESH_WATCHED);
	}
	buf_reset(&b->told);
}

static bool all_asked(struct watched *w, int n)
{
	for (int i = 0; i < n; i++)
		if (!find_request(&w->b, w->paths[i]) &&
		    subscription_freshness(w->subs[i], w->b.now).state != FRESH_WATCHED)
			return false;
	return true;
}

static void test_silent_server_is_asked(void **state)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	int64_t began;

	(void)state;
	watch_kinds(&w, 1);
	began = b->now;
	assert_true(session_last_received(b->session) == began);
	while (b->now < began + SECONDS(60))
		pass(b, SECONDS(60));
	assert_non_null(find_request(b, "/version"));
	/* it answers, whatever it answers */
	reply(b, "/version", "403 Forbidden", "{}");
	assert_true(session_last_received(b->session) == b->now);
	assert_int_equal(subscription_freshness(w.subs[0], b->now).state, FRESH_WATCHED);
	bench_end(b);
}

/* An hour earlier is not an hour of silence, and neither an hour until it is asked. */
static void test_clock_that_is_set_back(void **state)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	int64_t began;

	(void)state;
	watch_kinds(&w, 1);
	pass(b, SECONDS(10));
	b->now -= HOURS(1);
	settle(b);
	began = b->now;
	assert_in_range(b->now - session_last_received(b->session), SECONDS(9), SECONDS(11));
	while (!find_request(b, "/version") && b->now < began + SECONDS(100))
		pass(b, SECONDS(100));
	assert_in_range(b->now - began, SECONDS(49), SECONDS(51));
	while (!find_request(b, w.paths[0]) && b->now < began + SECONDS(200))
		pass(b, SECONDS(100));
	assert_in_range(b->now - began, SECONDS(63), SECONDS(67));
	bench_end(b);
}

/* A connection that is dead without anybody having said so. */
static void test_dead_connection(void **state)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	int64_t began;

	(void)state;
	watch_kinds(&w, 2);
	began = b->now;
	while (!find_request(b, w.paths[0]) && b->now < began + SECONDS(100))
		pass(b, SECONDS(100));
	assert_in_range(b->now - began, SECONDS(74), SECONDS(76));
	assert_non_null(find_request(b, w.paths[1]));
	bench_end(b);
}

/* One request every 2 s tells for all of them that the server is back. */
static void away_and_back(int seconds, bool refuses)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	int64_t end, back;

	watch_kinds(&w, KINDS);
	bench_down(b);
	settle(b);
	for (end = b->now + SECONDS(seconds); b->now < end;)
		pass(b, end - b->now);
	for (int i = 0; i < KINDS; i++) {
		struct subscription_freshness f = subscription_freshness(w.subs[i], b->now);

		assert_int_equal(f.state, FRESH_RECONNECTING);
		assert_in_range(b->now - f.since, SECONDS(seconds), SECONDS(seconds) + 10);
	}
	bench_listen(b);
	back = b->now;
	while (!all_asked(&w, KINDS)) {
		struct peer *p;

		assert_true(b->now - back <= SECONDS(5));
		if (find_request(b, "/version"))
			reply(b, "/version", "200 OK", "{}");
		while (refuses && b->now - back < SECONDS(3) && (p = find_request(b, "/thing")))
			reply(b, p->path, "403 Forbidden", "{}");
		pass(b, SECONDS(1));
	}
	assert_in_range(b->now - back, 1, SECONDS(5));
	for (int i = 0; i < KINDS; i++) {
		while (!find_request(b, w.paths[i]))
			pass(b, 100);
		begin_watch(b, w.paths[i]);
	}
	/* after a failure a watch counts when it has lasted */
	pass(b, SECONDS(1));
	for (int i = 0; i < KINDS; i++)
		assert_int_equal(subscription_freshness(w.subs[i], b->now).state, FRESH_WATCHED);
	bench_end(b);
}

static void test_outages(void **state)
{
	(void)state;
	away_and_back(45, false);
	away_and_back(120, false);
}

/* kube-apiserver knows no rights in its first seconds. */
static void test_server_that_refuses_at_first(void **state)
{
	(void)state;
	away_and_back(45, true);
}

static void ignore(void *ctx, int http_status, struct str body, const struct err *err)
{
	(void)http_status;
	(void)body;
	(void)err;
	++*(int *)ctx;
}

/* A kind whose own server is away is no outage, and is asked for no more often because others are well. */
static void test_one_kind_fails(void **state)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	int64_t end;
	int failed = 0, done = 0;

	(void)state;
	watch_kinds(&w, 2);
	session_subscribe(b->session, &(struct subscribe){ .kind = kind_number(b, 2) });
	settle(b);
	for (end = b->now + SECONDS(55); b->now < end; pass(b, 500)) {
		if (find_request(b, "/thing02s?")) {
			reply(b, "/thing02s?", "503 Service Unavailable", "{}");
			failed++;
		}
		session_get(b->session, "/api/v1/other", ignore, &done);
		settle(b);
		reply(b, "/api/v1/other", "200 OK", "{}");
		assert_null(find_request(b, "/version"));
	}
	assert_in_range(failed, 4, 8);
	assert_true(done > 50);
	bench_end(b);
}

/* "Wait for nothing" still is a second; a long time is waited out, whoever else is answered. */
static void test_retry_after(void **state)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	struct subscription *sub;
	int done = 0;

	(void)state;
	bench_start(b);
	sub = session_subscribe(b->session, &(struct subscribe){ .kind = kind_number(b, 0), .once = true });
	settle(b);
	for (int i = 0; i < 5; i++) {
		int64_t before = b->now;

		reply(b, "/thing00s?", "429 Too Many Requests\r\nRetry-After: 0", "{}");
		while (!find_request(b, "/thing00s?"))
			pass(b, SECONDS(1));
		assert_in_range(b->now - before, SECONDS(1), SECONDS(1) + 10);
	}
	reply(b, "/thing00s?", "429 Too Many Requests\r\nRetry-After: 1000000000", "{}");
	for (int i = 0; i < 5; i++) {
		pass(b, HOURS(100));
		session_get(b->session, "/api/v1/other", ignore, &done);
		settle(b);
		reply(b, "/api/v1/other", "200 OK", "{}");
		assert_null(find_request(b, "/thing00s?"));
	}
	assert_int_equal(subscription_state(sub), SUBSCRIPTION_BACKOFF);
	bench_end(b);
}

static void test_retry_after_the_timeout(void **state)
{
	struct watched w = { .b.options.request_timeout = SECONDS(5) };
	struct bench *b = &w.b;
	struct subscription *sub;

	(void)state;
	bench_start(b);
	sub = session_subscribe(b->session, &(struct subscribe){ .kind = kind_number(b, 0), .once = true });
	settle(b);
	reply(b, "/thing00s?", "429 Too Many Requests\r\nRetry-After: 60", "{}");
	assert_int_equal(subscription_state(sub), SUBSCRIPTION_FAILED);
	bench_end(b);
}

/* A token that nothing renews: one request every 10 s asks for all whether it is accepted again. */
static void test_refused_token(void **state)
{
	struct watched w = { 0 };
	struct bench *b = &w.b;
	int64_t refused;

	(void)state;
	bench_start(b);
	for (int i = 0; i < 3; i++) {
		session_subscribe(b->session, &(struct subscribe){ .kind = kind_number(b, i) });
		snprintf(w.paths[i], sizeof(w.paths[i]), "/thing%02ds?", i);
	}
	settle(b);
	for (int i = 0; i < 3; i++)
		reply(b, w.paths[i], "200 OK", EMPTY_LIST);
	for (int i = 0; i < 3; i++)
		reply(b, w.paths[i], "401 Unauthorized", "{}");
	for (int i = 0; i < 3; i++) {
		refused = b->now;
		while (!find_request(b, "/thing"))
			pass(b, SECONDS(30));
		assert_in_range(b->now - refused, SECONDS(10), SECONDS(10) + 10);
		assert_int_equal(count_requests(b, "/thing"), 1);
		if (i < 2)
			reply(b, "/thing", "401 Unauthorized", "{}");
	}
	begin_watch(b, "/thing");
	refused = b->now;
	while (count_requests(b, "/thing") < 2)
		pass(b, SECONDS(1));
	assert_in_range(b->now - refused, 0, SECONDS(1));
	bench_end(b);
}

/* A plugin's credential that is refused now and then, also twice in a row, while others are accepted. */
static void test_refused_beside_others(void **state)
{
	const struct str args[] = { STR("-c"),
		STR("printf '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"a\"}}'") };
	struct watched w = { .b.config.exec = { .api_version = STR("client.authentication.k8s.io/v1"), .command = STR("/bin/sh"),
						.args = { args, 2 }, .interactive_mode = STR("Never") } };
	struct bench *b = &w.b;
	int64_t refused, end;
	int done = 0;

	(void)state;
	watch_kinds(&w, 1);
	for (int i = 1; i < 3; i++) {
		session_subscribe(b->session, &(struct subscribe){ .kind = kind_number(b, i) });
		snprintf(w.paths[i], sizeof(w.paths[i]), "/thing%02ds?", i);
		await_request(b, w.paths[i]);
		reply(b, w.paths[i], "200 OK", EMPTY_LIST);
	}
	/* for 5 s; others are answered all the time */
	for (end = refused = b->now + SECONDS(5); count_requests(b, "/thing") == 0 || b->now < end; pass(b, 500)) {
		while (b->now < end && find_request(b, "/thing")) {
			reply(b, "/thing", "401 Unauthorized", "{}");
			refused = b->now;
		}
		session_get(b->session, "/api/v1/other", ignore, &done);
		await_request(b, "/api/v1/other");
		reply(b, "/api/v1/other", "200 OK", "{}");
	}
	assert_in_range(b->now - refused, SECONDS(5), SECONDS(11));
	assert_int_equal(count_requests(b, "/thing"), 1);
	begin_watch(b, "/thing");
	refused = b->now;
	while (count_requests(b, "/thing") == 0)
		pass(b, SECONDS(1));
	assert_in_range(b->now - refused, 0, SECONDS(1));
	assert_true(done > 5);
	bench_end(b);
}

/* Two requests whose ends drop each other, as an owner may who gives up both. */
struct pair {
	struct call *calls[2];
	int ended;
};

static void on_pair_end(void *ctx, struct call *c, const struct err *why, int64_t retry_in)
{
	struct pair *p = ctx;
	int other = c == p->calls[0];

	(void)retry_in;
	assert_non_null(why);
	p->ended++;
	p->calls[!other] = NULL;
	if (p->calls[other])
		call_drop(p->calls[other], false);
	p->calls[other] = NULL;
}

static void queue_pair(struct bench *b, struct pair *p)
{
	static const struct call_ops ops = { .end = on_pair_end };
	struct call_request r = { .path = STR("/api/v1/x"), .accept = STR("application/json"), .body_max = 1024, .what = STR("get") };

	for (int i = 0; i < 2; i++)
		p->calls[i] = call_new(b->session, &r, &ops, p);
}

/* They wait for a login for longer than --request-timeout. */
static void test_end_that_drops_the_next_while_waiting(void **state)
{
	const struct str args[] = { STR("-c"), STR("exec sleep 60") };
	struct watched w = { .b.options.request_timeout = SECONDS(2),
			     .b.config.exec = { .api_version = STR("client.authentication.k8s.io/v1"), .command = STR("/bin/sh"),
						.args = { args, 2 }, .interactive_mode = STR("Never") } };
	struct bench *b = &w.b;
	struct pair p = { 0 };

	(void)state;
	bench_start(b);
	queue_pair(b, &p);
	settle(b);
	assert_int_equal(p.ended, 0);
	b->now += SECONDS(3);
	settle(b);
	assert_int_equal(p.ended, 1);
	assert_null(p.calls[0]);
	assert_null(p.calls[1]);
	bench_end(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent_server_is_asked),	  cmocka_unit_test(test_clock_that_is_set_back), cmocka_unit_test(test_dead_connection),
		cmocka_unit_test(test_refused_token),		  cmocka_unit_test(test_refused_beside_others),
		cmocka_unit_test(test_outages),			  cmocka_unit_test(test_server_that_refuses_at_first),
		cmocka_unit_test(test_one_kind_fails),		  cmocka_unit_test(test_retry_after),
		cmocka_unit_test(test_retry_after_the_timeout),
		cmocka_unit_test(test_end_that_drops_the_next_while_waiting),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
