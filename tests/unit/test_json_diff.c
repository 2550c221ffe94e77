/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields differ: by path, lists by what names their elements, and what is no difference. */
#include "kube/model/json_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* "path before after", a line each. */
static void assert_differences(const char *before, const char *after, const char *expected)
{
	struct json a, b;
	struct err err;
	struct arena arena = { 0 };
	struct buf told = { 0 };
	const struct json_difference *found;
	size_t n;

	if (json_parse(str_of(before), &a, &err) < 0)
		fail_msg("%s", err.msg);
	if (json_parse(str_of(after), &b, &err) < 0)
		fail_msg("%s", err.msg);
	n = json_diff(a, b, &arena, &found);
	for (size_t i = 0; i < n; i++) {
		buf_add(&told, found[i].path);
		buf_add_char(&told, ' ');
		json_write(found[i].before, &told);
		buf_add_char(&told, ' ');
		json_write(found[i].after, &told);
		buf_add_char(&told, '\n');
	}
	assert_string_equal(buf_cstr(&told), expected);
	assert_int_equal(json_digest(a) == json_digest(b), n == 0);
	json_free(a);
	json_free(b);
	buf_release(&told);
	arena_release(&arena);
}

static void test_scalars(void **state)
{
	(void)state;
	assert_differences("{\"spec\":{\"n\":1,\"t\":\"x\",\"b\":true,\"z\":null}}",
			   "{\"spec\":{\"n\":1.0,\"t\":\"y\",\"b\":false,\"z\":null}}",
			   "spec.n 1 1.0\nspec.t \"x\" \"y\"\nspec.b true false\n");
	assert_differences("{\"a\":1}", "{\"a\":\"1\"}", "a 1 \"1\"\n");
	assert_differences("{\"a\":1,\"b\":{\"c\":2}}", "{\"d\":[3]}", "a 1 \nb {\"c\":2} \nd  [3]\n");
	assert_differences("{\"a\":{\"b\":1}}", "{\"a\":[1]}", "a {\"b\":1} [1]\n");
	assert_differences("{\"metadata\":{\"annotations\":{\"a.b/c\":\"1\"}}}", "{\"metadata\":{\"annotations\":{\"a.b/c\":\"2\"}}}",
			   "metadata.annotations['a.b/c'] \"1\" \"2\"\n");
}

static void test_lists(void **state)
{
	(void)state;
	/* by name; the place is told while it is the same */
	assert_differences("{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"b\",\"i\":1}]}",
			   "{\"c\":[{\"name\":\"a\",\"i\":2},{\"name\":\"b\",\"i\":1}]}", "c[0].i 1 2\n");
	assert_differences("{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"b\",\"i\":1}]}",
			   "{\"c\":[{\"name\":\"x\"},{\"name\":\"a\",\"i\":2},{\"name\":\"b\",\"i\":1}]}",
			   "c[name=a].i 1 2\nc[0]  {\"name\":\"x\"}\n");
	assert_differences("{\"c\":[{\"type\":\"A\",\"s\":1},{\"type\":\"B\",\"s\":1}]}",
			   "{\"c\":[{\"type\":\"B\",\"s\":2},{\"type\":\"A\",\"s\":1}]}", "c[type=B].s 1 2\n");
	/* two of the same name: by place */
	assert_differences("{\"c\":[{\"name\":\"a\"},{\"name\":\"a\",\"i\":1}]}", "{\"c\":[{\"name\":\"a\"},{\"name\":\"a\",\"i\":2}]}",
			   "c[1].i 1 2\n");
	assert_differences("{\"c\":[{\"x\":1}]}", "{\"c\":[{\"x\":1},{\"x\":2}]}", "c[1]  {\"x\":2}\n");
	assert_differences("{\"f\":[\"a\",\"b\"]}", "{\"f\":[\"b\"]}", "f [\"a\",\"b\"] [\"b\"]\n");
	assert_differences("{\"f\":[]}", "{\"f\":[]}", "");
}

static void test_what_is_no_difference(void **state)
{
	(void)state;
	assert_differences("{\"metadata\":{\"resourceVersion\":\"1\",\"generation\":1,\"managedFields\":[1],\"name\":\"n\"},"
			   "\"status\":{\"observedGeneration\":1,\"conditions\":[{\"type\":\"R\",\"lastHeartbeatTime\":\"1\"}]}}",
			   "{\"metadata\":{\"resourceVersion\":\"2\",\"generation\":2,\"managedFields\":[2],\"name\":\"n\"},"
			   "\"status\":{\"observedGeneration\":2,\"conditions\":[{\"type\":\"R\",\"lastHeartbeatTime\":\"2\"}]}}",
			   "");
	/* somebody's own field of that name is one */
	assert_differences("{\"spec\":{\"resourceVersion\":\"1\"}}", "{\"spec\":{\"resourceVersion\":\"2\"}}",
			   "spec.resourceVersion \"1\" \"2\"\n");
	/* a time goes with its status; alone it tells that the status was another for a while */
	assert_differences("{\"status\":{\"c\":[{\"type\":\"R\",\"status\":\"True\",\"lastTransitionTime\":\"1\"}]}}",
			   "{\"status\":{\"c\":[{\"type\":\"R\",\"status\":\"False\",\"lastTransitionTime\":\"2\"}]}}",
			   "status.c[type=R].status \"True\" \"False\"\n");
	assert_differences("{\"status\":{\"c\":[{\"type\":\"R\",\"status\":\"True\",\"lastTransitionTime\":\"1\"}]}}",
			   "{\"status\":{\"c\":[{\"type\":\"R\",\"status\":\"True\",\"lastTransitionTime\":\"2\"}]}}",
			   "status.c[type=R].lastTransitionTime \"1\" \"2\"\n");
}

/* The digest sees what the comparison sees, in whatever order it stands; an item of a list is the object that a watch tells. */
static void test_digest(void **state)
{
	static const char *const same[] = {
		"{\"a\":1,\"b\":[{\"name\":\"x\"},{\"name\":\"y\",\"n\":1}]}",
		"{\"apiVersion\":\"v1\",\"kind\":\"A\",\"b\":[{\"n\":1,\"name\":\"y\"},{\"name\":\"x\"}],\"a\":1}",
	};
	static const char *const others[] = {
		"{\"a\":1,\"b\":[{\"name\":\"x\",\"n\":1},{\"name\":\"y\"}]}",
		"{\"a\":\"1\",\"b\":[{\"name\":\"x\"},{\"name\":\"y\",\"n\":1}]}",
		"{\"a\":1,\"b\":[{\"name\":\"x\"},{\"name\":\"y\",\"n\":1},{}]}",
		"{\"a\":1,\"b\":{\"name\":\"x\"}}",
		"{\"b\":1,\"a\":[{\"name\":\"x\"},{\"name\":\"y\",\"n\":1}]}",
		"{\"a\":1,\"b\":[]}", "{\"a\":1,\"b\":[null]}", "{\"a\":1,\"b\":{}}", "{\"a\":1}",
	};
	uint64_t of_same = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct json doc;

		assert_int_equal(json_parse(str_of(same[i]), &doc, &(struct err){ 0 }), 0);
		of_same = i ? of_same : json_digest(doc);
		assert_true(json_digest(doc) == of_same);
		json_free(doc);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct json doc;

		assert_int_equal(json_parse(str_of(others[i]), &doc, &(struct err){ 0 }), 0);
		assert_false(json_digest(doc) == of_same);
		json_free(doc);
	}
}

/* Elements that have one name, or none, are told apart by where they stand; so are those of long lists by their names. */
static void test_digest_of_lists(void **state)
{
	struct buf texts[2] = { { 0 }, { 0 } };

	(void)state;
	assert_differences("{\"c\":[{\"name\":\"a\",\"i\":1},{\"name\":\"a\",\"i\":2}]}",
			   "{\"c\":[{\"name\":\"a\",\"i\":2},{\"name\":\"a\",\"i\":1}]}", "c[0].i 1 2\nc[1].i 2 1\n");
	for (int backwards = 0; backwards < 2; backwards++) {
		for (int i = 0; i < 100; i++)
			buf_printf(&texts[backwards], "%s{\"name\":\"n%d\"}", i ? "," : "{\"c\":[", backwards ? 99 - i : i);
		buf_add_cstr(&texts[backwards], "]}");
	}
	assert_differences(buf_cstr(&texts[0]), buf_cstr(&texts[1]), "");
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

static void test_ceiling(void **state)
{
	struct buf a = { 0 }, b = { 0 };
	struct json before, after;
	struct arena arena = { 0 };
	const struct json_difference *found;

	(void)state;
	buf_add_cstr(&a, "{\"x\":0");
	buf_add_cstr(&b, "{\"x\":1");
	for (int i = 0; i < 2 * JSON_DIFFERENCES; i++) {
		buf_printf(&a, ",\"k%d\":0", i);
		buf_printf(&b, ",\"k%d\":1", i);
	}
	buf_add_char(&a, '}');
	buf_add_char(&b, '}');
	assert_int_equal(json_parse(buf_str(&a), &before, &(struct err){ 0 }), 0);
	assert_int_equal(json_parse(buf_str(&b), &after, &(struct err){ 0 }), 0);
	assert_int_equal(json_diff(before, after, &arena, &found), JSON_DIFFERENCES);
	json_free(before);
	json_free(after);
	buf_release(&a);
	buf_release(&b);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_what_is_no_difference),
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_digest_of_lists),
		cmocka_unit_test(test_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
