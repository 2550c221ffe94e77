/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as they were: any text comes back, the ceiling holds, and what is not known is not claimed. */
#include "kube/base/alloc.h"
#include "kube/base/deflate.h"
#include "kube/journal/versions.h"
#include "plugin/record/redact_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* A text of a few words, or of noise. */
static void random_text(uint32_t *seed, struct buf *out)
{
	static const char *const words[] = { "\"metadata\":{\"name\":", "image: cart:41", "aaaaaaaaaaaaaaaaaaaaaaa", "{}", "\"status\"" };
	size_t n = next_random(seed) % 40;

	for (size_t i = 0; i < n; i++) {
		if (next_random(seed) % 4)
			buf_add_cstr(out, words[next_random(seed) % 5]);
		else
			buf_add_char(out, (char)next_random(seed));
	}
}

static void test_delta(void **state)
{
	struct delta_coder *coder = delta_coder_new();
	uint32_t seed = 7;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct buf base = { 0 }, text = { 0 }, delta = { 0 }, back = { 0 };

		random_text(&seed, &base);
		if (next_random(&seed) % 2)
			buf_add(&text, buf_str(&base));
		random_text(&seed, &text);
		delta_encode(coder, buf_str(&base), buf_str(&text), &delta);
		delta_decode(coder, buf_str(&base), buf_str(&delta), &back);
		assert_true(str_eq(buf_str(&back), buf_str(&text)));
		buf_release(&base);
		buf_release(&text);
		buf_release(&delta);
		buf_release(&back);
	}
	delta_coder_free(coder);
}

static void test_delta_is_small(void **state)
{
	struct delta_coder *coder = delta_coder_new();
	struct buf base = { 0 }, text = { 0 }, delta = { 0 };

	(void)state;
	for (int i = 0; i < 300; i++)
		buf_printf(&base, "\"key%d\":\"value %d\",", i, i * i);
	buf_add(&text, buf_str(&base));
	text.ptr[2000] = '#';
	delta_encode(coder, buf_str(&base), buf_str(&text), &delta);
	assert_in_range(delta.len, 3, 120);	/* a run has at most 258 bytes */
	buf_release(&base);
	buf_release(&text);
	buf_release(&delta);
	delta_coder_free(coder);
}

/* Longer than what is compared. */
static void test_delta_of_large_texts(void **state)
{
	struct delta_coder *coder = delta_coder_new();
	uint32_t seed = 3;

	(void)state;
	for (size_t size = 1000; size < 300 * 1000; size *= 3) {
		struct buf base = { 0 }, text = { 0 }, delta = { 0 }, back = { 0 };

		while (base.len < size)
			buf_add_char(&base, (char)next_random(&seed));
		buf_add(&text, buf_str(&base));
		text.ptr[size / 2] ^= 1;
		delta_encode(coder, buf_str(&base), buf_str(&text), &delta);
		delta_decode(coder, buf_str(&base), buf_str(&delta), &back);
		assert_true(str_eq(buf_str(&back), buf_str(&text)));
		assert_true(size > 30000 || delta.len < size / 50 + 40);
		buf_release(&base);
		buf_release(&text);
		buf_release(&delta);
		buf_release(&back);
	}
	delta_coder_free(coder);
}

/* ---- versions --------------------------------------------------------------------- */

struct fixture {
	struct kinds kinds;
	struct versions *v;
	struct object_id id;
	struct arena arena;
};

static void write_redacted(struct json object, const struct kind *kind, bool hides, struct buf *out)
{
	(hides ? redact_object : redact_plain)(object, kind, out);
}

static const struct version_redactor redactor = { redact_hides, write_redacted };

static struct fixture begin(size_t ceiling)
{
	struct fixture f = { .v = versions_new(ceiling, &redactor) };

	f.id = (struct object_id){ 0, kinds_put(&f.kinds, STR("apps"), STR("Deployment")), STR("shop"), STR("cart") };
	return f;
}

static void end(struct fixture *f)
{
	versions_free(f->v);
	kinds_release(&f->kinds);
	arena_release(&f->arena);
}

static bool put(struct fixture *f, const char *name, int n, const char *more, int64_t now, enum version_first first)
{
	struct buf text = { 0 };
	struct json doc;
	struct object_id id = f->id;
	bool news;

	id.name = str_of(name);
	buf_printf(&text, "{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%lld\"},\"spec\":{\"n\":%d}%s}", name,
		   (long long)now, n, more);
	assert_int_equal(json_parse(buf_str(&text), &doc, &(struct err){ 0 }), 0);
	news = versions_put(f->v, &id, doc, now, first);
	json_free(doc);
	buf_release(&text);
	return news;
}

/* -1: not there, -2: not known. */
static int64_t n_at(struct fixture *f, const char *name, int64_t time)
{
	struct object_id id = f->id;
	struct str text;
	struct json doc;
	int64_t n;

	id.name = str_of(name);
	switch (versions_at(f->v, &id, time, &f->arena, &text)) {
	case VERSION_ABSENT:
		return -1;
	case VERSION_UNKNOWN:
		return -2;
	case VERSION_THERE:
		break;
	}
	assert_int_equal(json_parse(text, &doc, &(struct err){ 0 }), 0);
	n = json_int(doc, "spec.n", -3);
	json_free(doc);
	return n;
}

static void test_looking_back(void **state)
{
	struct fixture f = begin(0);
	struct object_id gone = f.id;
	size_t n;

	(void)state;
	gone.name = STR("cart");
	assert_true(put(&f, "cart", 1, "", 100, FIRST_KNOWN));
	assert_false(put(&f, "cart", 1, "", 150, FIRST_NEW));	/* another resourceVersion is no news */
	assert_true(put(&f, "cart", 2, "", 200, FIRST_NEW));
	assert_true(put(&f, "new", 7, "", 250, FIRST_NEW));
	versions_gone(f.v, &gone, 300);
	assert_true(put(&f, "cart", 3, "", 400, FIRST_NEW));
	assert_int_equal(n_at(&f, "cart", 50), 1);	/* a list: so it was before */
	assert_int_equal(n_at(&f, "cart", 199), 1);
	assert_int_equal(n_at(&f, "cart", 200), 2);
	assert_int_equal(n_at(&f, "cart", 300), -1);
	assert_int_equal(n_at(&f, "cart", 400), 3);
	assert_int_equal(n_at(&f, "new", 249), -1);
	assert_int_equal(n_at(&f, "new", 999), 7);
	assert_int_equal(n_at(&f, "other", 999), -2);
	assert_true(put(&f, "late", 9, "", 500, FIRST_LATE));
	assert_int_equal(n_at(&f, "late", 499), -2);
	assert_int_equal(n_at(&f, "late", 500), 9);
	versions_changed(f.v, 0, 150, &f.arena, &n);
	assert_int_equal(n, 0);
	versions_changed(f.v, 0, 999, &f.arena, &n);
	assert_int_equal(n, 3);
	assert_int_equal(versions_count(f.v, NULL), 3);
	end(&f);
}

/* What nobody looks at for a time is not known then, and has not changed when it is looked at again. */
static void test_let_go(void **state)
{
	struct fixture f = begin(0);
	struct object_id id = f.id;
	const struct version_text *all;
	size_t n;

	(void)state;
	id.name = STR("cart");
	versions_let_go(f.v, &id, 50);	/* of an object that is not kept nothing is noted */
	assert_false(versions_has(f.v, &id));
	put(&f, "cart", 1, "", 100, FIRST_KNOWN);
	versions_let_go(f.v, &id, 200);
	versions_let_go(f.v, &id, 210);
	assert_int_equal(versions_count(f.v, NULL), 0);
	assert_true(put(&f, "cart", 2, "", 300, FIRST_KNOWN));
	assert_int_equal(n_at(&f, "cart", 199), 1);
	assert_int_equal(n_at(&f, "cart", 200), -2);
	assert_int_equal(n_at(&f, "cart", 299), -2);
	assert_int_equal(n_at(&f, "cart", 300), 2);
	assert_false(versions_went(f.v, &id, 200));
	versions_changed(f.v, 0, 999, &f.arena, &n);
	assert_int_equal(n, 0);
	all = versions_between(f.v, &id, 150, 999, &f.arena, &n);
	assert_true(n == 2 && all[0].let_go && !all[0].gone && all[1].met && !all[1].let_go);
	assert_true(put(&f, "cart", 3, "", 400, FIRST_NEW));
	versions_changed(f.v, 0, 999, &f.arena, &n);
	assert_int_equal(n, 1);
	versions_let_go(f.v, &id, 500);
	assert_true(put(&f, "cart", 4, "", 600, FIRST_NEW));	/* deleted meanwhile, and made anew before our eyes */
	assert_int_equal(versions_changed(f.v, 500, 999, &f.arena, &n)->changed, 600);
	end(&f);
}

/* Who writes them elsewhere gets all of a span, the oldest first, and when the object was gone. */
static void test_between(void **state)
{
	struct fixture f = begin(0);
	const struct version_text *all;
	size_t n;

	(void)state;
	put(&f, "cart", 1, "", 100, FIRST_KNOWN);
	put(&f, "cart", 2, "", 200, FIRST_NEW);
	versions_gone(f.v, &f.id, 300);
	put(&f, "cart", 3, "", 400, FIRST_NEW);
	all = versions_between(f.v, &f.id, 100, 400, &f.arena, &n);
	assert_int_equal(n, 3);
	assert_true(all[0].time == 200 && !all[0].gone && str_contains(all[0].text, "{\"n\":2}"));
	assert_true(all[1].time == 300 && all[1].gone && !all[1].text.len);
	assert_true(all[2].time == 400 && !all[2].gone && str_contains(all[2].text, "{\"n\":3}"));
	versions_between(f.v, &f.id, 100, 199, &f.arena, &n);
	assert_int_equal(n, 0);
	versions_between(f.v, &f.id, 199, 200, &f.arena, &n);
	assert_int_equal(n, 1);
	f.id.name = STR("nobody");
	versions_between(f.v, &f.id, 0, 1000, &f.arena, &n);
	assert_int_equal(n, 0);
	end(&f);
}

/* Whatever comes: it stays below the ceiling, and what is told is right. */
static void test_ceiling(void **state)
{
	enum { OBJECTS = 20, STEPS = 20000, CEILING = 20000 };
	struct fixture f = begin(CEILING);
	int now_n[OBJECTS], seed_n = 0;
	static int history[STEPS][OBJECTS];
	uint32_t seed = 3;

	(void)state;
	for (int i = 0; i < OBJECTS; i++)
		now_n[i] = -1;
	for (int t = 0; t < STEPS; t++) {
		char name[16];
		int i = (int)(next_random(&seed) % OBJECTS);

		snprintf(name, sizeof(name), "o%d", i);
		if (next_random(&seed) % 10 == 0 && now_n[i] >= 0) {
			struct object_id id = f.id;

			id.name = str_of(name);
			versions_gone(f.v, &id, t + 1);
			now_n[i] = -1;
		} else {
			now_n[i] = ++seed_n;
			put(&f, name, now_n[i], "", t + 1, FIRST_NEW);
		}
		memcpy(history[t], now_n, sizeof(now_n));
		assert_in_range(versions_bytes(f.v), 1, CEILING);
	}
	assert_in_range(versions_from(f.v), STEPS / 2, STEPS);
	for (int t = (int)versions_from(f.v); t <= STEPS; t += 7)
		for (int i = 0; i < OBJECTS; i++) {
			char name[16];
			int64_t n;

			snprintf(name, sizeof(name), "o%d", i);
			n = n_at(&f, name, t);
			arena_reset(&f.arena);
			if (n == -2)	/* nothing is left of one that is long gone */
				n = -1;
			assert_int_equal(n, history[t - 1][i]);
		}
	end(&f);
}

/* Of what is there, too, no more is kept than fits; of the rest it is not claimed what it was. */
static void test_present_ones_count(void **state)
{
	enum { CEILING = 60000 };
	struct fixture f = begin(CEILING);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "o%d", i);
		put(&f, name, i, "", i + 1, FIRST_KNOWN);
		assert_in_range(versions_bytes(f.v), 1, CEILING);
	}
	assert_true(versions_full(f.v));
	assert_int_equal(n_at(&f, "o0", 1000), 0);
	assert_int_equal(n_at(&f, "o999", 1000), -2);
	end(&f);
}

/* Objects that are known and grow stay within the ceiling: of those that were met first nothing is claimed any more. */
static void test_present_ones_grow(void **state)
{
	enum { CEILING = 60000, OBJECTS = 50 };
	struct fixture f = begin(CEILING);
	struct buf more = { 0 };
	uint32_t seed = 5;

	(void)state;
	for (int t = 1; t <= 1000; t++) {
		char name[16];

		for (int i = 0; i < 3; i++)
			buf_printf(&more, ",\"more%d-%d\":\"%08x\"", t, i, next_random(&seed));
		snprintf(name, sizeof(name), "o%d", t % OBJECTS);
		put(&f, name, t, buf_cstr(&more), t, t > OBJECTS ? FIRST_LATE : FIRST_NEW);
		assert_in_range(versions_bytes(f.v), 1, CEILING);
	}
	assert_int_equal(versions_from(f.v), 1000);
	assert_in_range(versions_count(f.v, NULL), 1, OBJECTS - 1);
	assert_int_equal(n_at(&f, "o0", 1000), 1000);
	assert_int_equal(n_at(&f, "o0", 999), -2);
	buf_release(&more);
	end(&f);
}

/* Beyond the ceiling an event of an object costs the same however many versions of it are kept. */
static void test_a_busy_object(void **state)
{
	enum { EVENTS = 20000, CEILING = 400000 };
	struct fixture f = begin(CEILING);

	(void)state;
	for (int t = 1; t <= EVENTS; t++)
		put(&f, "cart", t, "", t, FIRST_NEW);
	assert_in_range(versions_from(f.v), EVENTS / 2, EVENTS - 1000);	/* so many are kept */
	assert_in_range(versions_looked_at(f.v), EVENTS / 2, EVENTS);
	for (int t = (int)versions_from(f.v); t <= EVENTS; t += 101)
		assert_int_equal(n_at(&f, "cart", t), t);
	assert_int_equal(n_at(&f, "cart", versions_from(f.v) - 1), -2);
	end(&f);
}

static void test_no_secret_is_kept(void **state)
{
	struct fixture f = begin(0);
	struct json doc;
	struct str text;

	(void)state;
	f.id.kind = kinds_put(&f.kinds, STR_NONE, STR("Secret"));
	assert_int_equal(json_parse(STR("{\"metadata\":{\"name\":\"cart\"},\"data\":{\"k\":\"c4nary\"}}"), &doc, &(struct err){ 0 }), 0);
	versions_put(f.v, &f.id, doc, 1, FIRST_KNOWN);
	json_free(doc);
	assert_int_equal(versions_at(f.v, &f.id, 1, &f.arena, &text), VERSION_THERE);
	assert_false(str_contains(text, "c4nary"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_delta_is_small),
		cmocka_unit_test(test_delta_of_large_texts),
		cmocka_unit_test(test_looking_back),
		cmocka_unit_test(test_let_go),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_present_ones_count),
		cmocka_unit_test(test_present_ones_grow),
		cmocka_unit_test(test_a_busy_object),
		cmocka_unit_test(test_no_secret_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
