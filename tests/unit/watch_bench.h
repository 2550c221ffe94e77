/* SPDX-License-Identifier: Apache-2.0 */
/* A watch without a network: what it asks, what it is answered, what it tells. */
#ifndef TESTS_UNIT_WATCH_BENCH_H
#define TESTS_UNIT_WATCH_BENCH_H

#include "kube/base/time.h"
#include "kube/api/watch.h"

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
	bool streams;		/* the server may be asked for streaming lists */
	struct err why;
};

static inline void on_begin(void *ctx)
{
	buf_add_cstr(&((struct bench *)ctx)->told, "begin ");
}

static inline void on_end(void *ctx)
{
	buf_add_cstr(&((struct bench *)ctx)->told, "end ");
}

static inline void on_object(void *ctx, enum object_event event, struct json object, struct str raw)
{
	struct bench *b = ctx;
	struct str name = json_str(object, "metadata.name");

	assert_true(raw.len == 0 || raw.ptr[0] == '{');
	buf_printf(&b->told, "%c" STR_FMT " ", "=+*-"[event], STR_ARG(name));
}

static inline void on_changed(void *ctx, enum subscription_state state, const struct err *why)
{
	struct bench *b = ctx;

	b->state = state;
	b->why = why ? *why : (struct err){ 0 };
}

static inline void bench_start(struct bench *b, bool can_watch)
{
	static const struct watch_ops ops = { on_begin, on_end, on_object, on_changed };

	b->now = 1000000;
	b->kind = (struct kind){ .group = STR("g.example"), .version = STR("v1"), .kind = STR("Thing"),
				 .plural = STR("things"), .flags = KIND_NAMESPACED | KIND_LIST | KIND_WATCH };
	b->what.kind = &b->kind;
	if (!b->what.ns.ptr)
		b->what.ns = STR("n");
	b->watch = watch_new(&(struct watch_config){ .what = &b->what, .can_watch = can_watch, .can_stream = b->streams, .seed = 7 },
			     &ops, b);
}

static inline void bench_end(struct bench *b)
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

static inline bool asks_watch(struct bench *b)
{
	return strstr(ask(b), "watch=true") != NULL;
}

/* A success that begins with that body. */
static inline void give(struct bench *b, const char *body)
{
	struct err err = { 0 };

	watch_answered(b->watch, b->now);
	if (watch_feed(b->watch, str_of(body), b->now, &err) < 0)
		watch_ended(b->watch, &err, -1, b->now);
}

static inline void whole(struct bench *b, const char *body)
{
	struct err err = { 0 };

	watch_answered(b->watch, b->now);
	if (watch_feed(b->watch, str_of(body), b->now, &err) < 0)
		watch_ended(b->watch, &err, -1, b->now);
	else
		watch_ended(b->watch, NULL, -1, b->now);
}

static inline void fail_with(struct bench *b, enum errc code, int status, int64_t retry_in)
{
	struct err err = { 0 };

	err_set(&err, code, "refused");
	err.http_status = status;
	watch_ended(b->watch, &err, retry_in, b->now);
}

/* How long it waits now; the time goes on to its end. */
static inline int64_t pass(struct bench *b)
{
	int64_t before = b->now;

	for (int i = 0; i < 100 && watch_next(b->watch, b->now) == WATCH_WAIT; i++) {
		int64_t deadline = watch_deadline(b->watch);

		assert_true(deadline > b->now);
		b->now = deadline;
	}
	return b->now - before;
}

static inline void told(struct bench *b, const char *expected)
{
	assert_string_equal(buf_cstr(&b->told), expected);
	buf_reset(&b->told);
}

/* Listed at version 5, and the watch was sent. */
static inline void watch_from_5(struct bench *b)
{
	bench_start(b, true);
	ask(b);
	whole(b, LIST("5", ""));
	told(b, "begin end ");
	assert_true(asks_watch(b));
	assert_non_null(strstr(buf_cstr(&b->path), "?allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds="));
}

static inline bool resumes_from(struct bench *b, const char *version)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "&resourceVersion=%s&", version);
	return strstr(ask(b), wanted) != NULL;
}

#endif
