/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any resource, as it comes from a cluster: what discovery tells of its kind, and
 * sizes that no case file can have.  A verdict, no crash, and soon.
 */
#include "kube/family/families.h"
#include "tests/unit/toy.h"

#include <stdlib.h>
#include <time.h>

#define MANY 10000
#define SOON SECONDS(2) /* it is a few milliseconds, more under sanitizers */

struct fixture {
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct arena arena;
};

/* CPU time, which other processes do not lengthen. */
static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	kinds_add_builtin(&f->kinds);
	f->store = store_new(&f->kinds);
	f->engine = engine_new(families_all, f->store);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	engine_free(f->engine);
	store_free(f->store);
	kinds_release(&f->kinds);
	arena_release(&f->arena);
	xfree(f);
	return 0;
}

/* The verdict on one object of shop.test, which must come soon. */
static struct status judge(struct fixture *f, const struct buf *json)
{
	struct engine_source from = { .file = 1 };
	struct handle h = HANDLE_NONE;
	struct json doc;
	struct err err;
	int64_t begin;

	if (json_parse((struct str){ json->ptr, json->len }, &doc, &err) < 0)
		fail_msg("%s", err.msg);
	begin = cpu_ms();
	engine_put(f->engine, &from, doc, NINE, &h);
	assert_true(cpu_ms() - begin < SOON);
	json_free(doc);
	assert_true(h.slot != 0);
	return store_status(f->store, h, &f->arena);
}

static void begin(struct buf *b, const char *kind)
{
	buf_printf(b,
		   "{\"apiVersion\":\"shop.test/v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"x\","
		   "\"namespace\":\"a\",\"creationTimestamp\":\"2026-11-20T08:00:00Z\"}",
		   kind);
}

static void fill(struct buf *b, char c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_add_char(b, c);
}

/* ---- what discovery tells ------------------------------------------------ */

static enum phase without_status(struct fixture *f, const char *kind, unsigned flags)
{
	struct buf b = { 0 };
	struct status st;

	kinds_put(&f->kinds, STR("shop.test"), str_of(kind))->flags |= flags;
	begin(&b, kind);
	buf_printf(&b, ",\"spec\":{\"size\":1}}");
	st = judge(f, &b);
	buf_release(&b);
	return st.phase;
}

static void test_status_subresource(void **state)
{
	struct fixture *f = *state;

	/* nothing tells whether it gets one */
	assert_int_equal(without_status(f, "Unheard", 0), PHASE_UNKNOWN);
	/* its definition tells, when it is read: see generic_assess() */
	assert_int_equal(without_status(f, "Palette", KIND_DISCOVERED), PHASE_UNKNOWN);
	assert_int_equal(without_status(f, "Colour", KIND_DISCOVERED | KIND_SCHEMA_READ), PHASE_READY);
	assert_int_equal(without_status(f, "Trial", KIND_DISCOVERED | KIND_SCHEMA_READ | KIND_REPORTS), PHASE_UNKNOWN);
	assert_int_equal(without_status(f, "Widget", KIND_DISCOVERED | KIND_HAS_STATUS),
			 PHASE_UNKNOWN);
	/* its name promises nothing */
	assert_int_equal(without_status(f, "WidgetTemplate", KIND_DISCOVERED | KIND_HAS_STATUS),
			 PHASE_UNKNOWN);
}

static void test_families_of_one_name(void **state)
{
	static const char *const groups[] = { "cert-manager.io", "acme.cert-manager.io",
					      "argoproj.io",	 "infrastructure.cluster.x-k8s.io",
					      "s3.services.k8s.aws" };
	struct fixture *f = *state;
	const struct family *any, *own;

	any = engine_family(f->engine, kinds_put(&f->kinds, STR("shop.test"), STR("Widget")),
			    (struct json){ 0 });
	assert_string_equal(any->name, "generic");
	assert_null(any->groups);
	for (size_t i = 0; i < COUNT(groups); i++) {
		own = engine_family(f->engine,
				    kinds_put(&f->kinds, str_of(groups[i]), STR("Widget")),
				    (struct json){ 0 });
		assert_string_equal(own->name, "generic");
		assert_ptr_not_equal(own, any);
	}
	/* what one of them calls a name is no name of another's */
	for (size_t i = 0; families_all[i]; i++)
		for (size_t k = 0; families_all[k]; k++)
			assert_true(family_same(families_all[i], families_all[k]) == (i == k));
}

/* ---- sizes --------------------------------------------------------------- */

static void test_many_conditions(void **state)
{
	struct buf b = { 0 };
	struct status st;

	begin(&b, "Widget");
	buf_printf(&b, ",\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\","
		       "\"reason\":\"CreateFailed\"}");
	for (int i = 0; i < MANY; i++)
		buf_printf(&b, ",{\"type\":\"Part%dReady\",\"status\":\"True\"}", i);
	buf_printf(&b, "]}}");
	st = judge(*state, &b);
	assert_int_equal(st.phase, PHASE_FAILED);
	assert_true(str_is(st.reason, "CreateFailed"));
	buf_release(&b);
}

static void test_many_parts(void **state)
{
	struct buf b = { 0 };
	struct status st;

	begin(&b, "Widget");
	buf_printf(&b, ",\"status\":{\"parts\":[");
	for (int i = 0; i < MANY; i++)
		buf_printf(&b,
			   "%s{\"name\":\"p%d\",\"state\":\"%s\",\"conditions\":[{\"type\":"
			   "\"Ready\",\"status\":\"%s\"}]}",
			   i ? "," : "", i, i == MANY / 2 ? "Failed" : "Running",
			   i == MANY / 2 ? "False" : "True");
	buf_printf(&b, "]}}");
	st = judge(*state, &b);
	assert_true(st.phase == PHASE_FAILED || st.phase == PHASE_DEGRADED);
	buf_release(&b);
}

static void test_long_texts(void **state)
{
	struct buf b = { 0 };
	struct status st;

	begin(&b, "Widget");
	buf_printf(&b, ",\"spec\":{\"secretName\":\"certs-of-the-shop\"},\"status\":{\"phase\":\"");
	fill(&b, 'x', 1 << 20);
	buf_printf(&b, "\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"");
	fill(&b, 'A', 1 << 20);
	buf_printf(&b, "\",\"message\":\"failed to find ");
	fill(&b, '\'', 1 << 20);
	buf_printf(&b, " certs-of-the-sho certs-of-the-shop not found\"}]}}");
	st = judge(*state, &b);
	assert_int_equal(st.phase, PHASE_FAILED);
	buf_release(&b);
}

static void test_many_references(void **state)
{
	struct buf b = { 0 };
	struct status st;

	begin(&b, "Widget");
	buf_printf(&b, ",\"spec\":{\"widgetRefs\":[");
	for (int i = 0; i < MANY; i++)
		buf_printf(&b, "%s{\"name\":\"w%d\"}", i ? "," : "", i);
	buf_printf(&b, "],\"a\":");
	fill(&b, '[', 100);
	fill(&b, ']', 100);
	buf_printf(&b, "},\"status\":{\"phase\":\"Ready\",\"deep\":");
	fill(&b, '[', 100);
	fill(&b, ']', 100);
	buf_printf(&b, "}}");
	st = judge(*state, &b);
	assert_int_equal(st.phase, PHASE_READY);
	assert_true(st.nrefs > 0 && st.nrefs < 100);
	buf_release(&b);
}

static void test_many_fields(void **state)
{
	struct buf b = { 0 };
	struct status st;

	begin(&b, "Widget");
	buf_printf(&b, ",\"status\":{\"a\":1");
	for (int i = 0; i < MANY; i++)
		buf_printf(&b, ",\"field%dState\":\"Running\",\"flag%d\":true", i, i);
	buf_printf(&b, "}}");
	st = judge(*state, &b);
	assert_int_equal(st.phase, PHASE_READY);
	buf_release(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_status_subresource), TEST(test_families_of_one_name),
		TEST(test_many_conditions),    TEST(test_many_parts),
		TEST(test_long_texts),	       TEST(test_many_references),
		TEST(test_many_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
