/* SPDX-License-Identifier: Apache-2.0 */
/* The last text of each object: any comes back, whatever was stored since, and a view shows all as they were. */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "plugin/record/latest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef __GLIBC__
#include <malloc.h>

/* The bytes that were taken from the system for the heap. */
static size_t heap(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.arena + info.hblkhd;
}
#else
static size_t heap(void)
{
	return 0;	/* not known: what it is compared with is not tested on this system */
}
#endif

enum { OBJECTS = 4000, KINDS = 3, PUTS = 30000 };

/* The version of an object's text: most are of some 2 KB, few of more than is not compressed. */
static void text_of(uint32_t slot, unsigned version, struct buf *out)
{
	size_t n = slot % 997 == 0 ? 60000 : 20 + slot % 60;

	buf_reset(out);
	buf_printf(out, "{\"object\":{\"slot\":%u,\"version\":%u", slot, version);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, ",\"field%zu\":\"value %zu\"", i, i * (slot % 7 + 1));
	buf_add_cstr(out, "}}");
}

static struct handle handle_of(uint32_t slot)
{
	return (struct handle){ .slot = slot, .gen = slot % 5 + 1 };
}

static void put(struct latest *l, uint32_t slot, unsigned version)
{
	struct buf text = { 0 };

	text_of(slot, version, &text);
	latest_put(l, handle_of(slot), slot % KINDS + 1, buf_str(&text), 1000 + version);
	buf_release(&text);
}

static void expect(const struct latest *l, uint32_t slot, unsigned version)
{
	struct buf wanted = { 0 }, text = { 0 };
	int64_t judged;

	text_of(slot, version, &wanted);
	assert_true(latest_get(l, handle_of(slot), &text, &judged));
	assert_true(str_eq(buf_str(&text), buf_str(&wanted)));
	assert_int_equal(judged, 1000 + version);
	buf_release(&wanted);
	buf_release(&text);
}

static void expect_seen(struct latest_view *v, uint32_t slot, unsigned version)
{
	struct buf wanted = { 0 }, text = { 0 };

	text_of(slot, version, &wanted);
	assert_true(latest_view_get(v, handle_of(slot), &text));
	assert_true(str_eq(buf_str(&text), buf_str(&wanted)));
	buf_release(&wanted);
	buf_release(&text);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void any_text_comes_back(void **state)
{
	unsigned versions[OBJECTS + 1] = { 0 };
	struct latest *l = latest_new();
	uint32_t seed = 3;
	struct buf text = { 0 };
	int64_t judged;

	(void)state;
	for (unsigned i = 1; i <= PUTS; i++) {
		uint32_t slot = next_random(&seed) % OBJECTS + 1;

		put(l, slot, versions[slot] = i);
		if (i % 17 == 0 && versions[slot = next_random(&seed) % OBJECTS + 1])
			expect(l, slot, versions[slot]);
	}
	for (uint32_t slot = 1; slot <= OBJECTS; slot++)
		if (versions[slot])
			expect(l, slot, versions[slot]);
	assert_false(latest_get(l, (struct handle){ .slot = 1, .gen = 99 }, &text, &judged));
	assert_false(latest_get(l, handle_of(OBJECTS + 1), &text, &judged));
	latest_free(l);
}

static void fill(uint32_t slot, unsigned version, struct buf *out)
{
	static char same[KIB(20)];

	memset(same, 'a', sizeof(same));
	buf_reset(out);
	buf_printf(out, "%u of %u ", version, slot);
	buf_add(out, (struct str){ same, sizeof(same) });
}

/* The versions of very few objects fill the ring several times, and the oldest entry in it is of the object that is put. */
static void few_objects_have_many_versions(void **state)
{
	struct buf text = { 0 }, found = { 0 };
	int64_t judged;

	(void)state;
	for (uint32_t objects = 1; objects <= 3; objects++) {
		struct latest *l = latest_new();

		for (unsigned i = 1; i <= 1500; i++) {
			uint32_t slot = i % objects + 1;

			fill(slot, i, &text);
			latest_put(l, handle_of(slot), 1, buf_str(&text), i);
			buf_reset(&found);
			assert_true(latest_get(l, handle_of(slot), &found, &judged));
			assert_true(str_eq(buf_str(&found), buf_str(&text)));
		}
		latest_free(l);
	}
	buf_release(&text);
	buf_release(&found);
}

/* What was dropped, or came after the view was made, is not in it; what was dropped since is. */
static void a_dropped_text_is_gone(void **state)
{
	struct latest *l = latest_new();
	struct latest_view *v;
	struct buf text = { 0 };
	size_t size;
	int64_t judged;

	(void)state;
	put(l, 1, 1);
	size = latest_size(l);
	put(l, 2, 1);
	put(l, 3, 1);
	latest_drop(l, 3);
	v = latest_view_new(l);
	latest_drop(l, 2);
	put(l, 3, 2);
	put(l, 1000, 1);
	assert_false(latest_get(l, handle_of(2), &text, &judged));
	expect_seen(v, 2, 1);
	assert_false(latest_view_get(v, handle_of(3), &text));
	assert_false(latest_view_get(v, handle_of(1000), &text));
	latest_view_free(v);
	latest_drop(l, 3);
	latest_drop(l, 1000);
	latest_drop(l, 100000);	/* a slot that never had one */
	assert_int_equal(latest_size(l), size);
	latest_free(l);
}

/* Two views, of two moments, while all texts are replaced, some of them several times. */
static void a_view_shows_what_was(void **state)
{
	struct latest *l = latest_new();
	struct latest_view *first, *second;
	struct buf text = { 0 };

	(void)state;
	for (uint32_t slot = 1; slot <= OBJECTS; slot += 2)
		put(l, slot, 1);
	first = latest_view_new(l);
	for (uint32_t slot = 1; slot <= OBJECTS / 2; slot += 2) {
		put(l, OBJECTS - slot, 2);
		expect_seen(first, slot, 1);
	}
	second = latest_view_new(l);
	for (uint32_t slot = 1; slot <= OBJECTS; slot++)
		put(l, slot, 3);
	for (uint32_t slot = OBJECTS / 2 + 1; slot <= OBJECTS; slot += 2)
		expect_seen(first, slot, 1);
	expect_seen(second, 1, 1);
	expect_seen(second, OBJECTS - 1, 2);
	latest_view_free(first);
	latest_view_free(second);
	for (uint32_t slot = 1; slot <= OBJECTS; slot++)
		expect(l, slot, 3);
	first = latest_view_new(l);
	assert_false(latest_view_get(first, (struct handle){ .slot = 5, .gen = 99 }, &text));
	latest_view_free(first);
	latest_free(l);
}

/*
 * Many similar texts take the memory of their differences, and not that of the holes which are left where texts were
 * before they were compressed.
 */
static void similar_texts_leave_no_holes(void **state)
{
	enum { MANY = 40000 };
	struct latest *l = latest_new();
	size_t before = heap(), after;

	(void)state;
	for (uint32_t slot = 1; slot <= MANY; slot++)
		put(l, slot % 997 ? slot : 1, 1);
	after = heap();
	assert_in_range(latest_size(l), MIB(32), MIB(64));
	assert_in_range(after - before, 0, MIB(8) + latest_size(l) / 5);
	latest_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(similar_texts_leave_no_holes),
		cmocka_unit_test(any_text_comes_back),
		cmocka_unit_test(few_objects_have_many_versions),
		cmocka_unit_test(a_dropped_text_is_gone),
		cmocka_unit_test(a_view_shows_what_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
