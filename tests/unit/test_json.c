/* SPDX-License-Identifier: Apache-2.0 */
/* No accessor can fail: whatever a path meets, it finds a value or nothing. */
#include "kube/base/alloc.h"
#include "kube/base/buf.h"
#include "kube/model/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NINE 1795165200000 /* 2026-11-20T09:00:00Z */

static const char world[] = "{\"metadata\":{\"name\":\"net\",\"annotations\":{\"a.b/"
			    "c\":\"dotted\",\"plain\":\"p\",\"x[0]\":\"odd\"},"
			    "\"generation\":7,\"deletionTimestamp\":\"2026-11-20T10:00:00.250+01:"
			    "00\"},"
			    "\"status\":{\"conditions\":[null,5,\"Ready\",[],{\"type\":7},{"
			    "\"type\":\"Synced\",\"status\":true},"
			    "{\"type\":\"Ready\",\"reason\":\"First\"},{\"type\":\"Ready\","
			    "\"reason\":\"Second\"}],"
			    "\"ready\":true,\"off\":false,\"none\":null,\"percent\":42.5,\"empty\":"
			    "\"\",\"deep\":[[1,[2,3]],[]],"
			    "\"big\":9007199254740992,\"bigger\":9007199254740994,\"huge\":1e999,"
			    "\"minus\":-3,\"exp\":1.5e3,"
			    "\"text\":\"7\",\"a=b\":1}}";

static struct json parsed(const char *text)
{
	struct json doc;
	struct err err;

	if (json_parse(str_of(text), &doc, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return doc;
}

static void assert_json_str(struct json from, const char *path, const char *expected)
{
	struct str text = json_str(from, path);

	if (!str_is(text, expected))
		fail_msg("%s: \"" STR_FMT "\" and not \"%s\"", path, STR_ARG(text), expected);
}

/* From a copy that ends where the text ends, so that a sanitizer sees one byte too many. */
static int parse_exactly(struct str text, struct err *err)
{
	char *copy = xmalloc(text.len);
	struct json doc;
	int result;

	if (text.len)
		memcpy(copy, text.ptr, text.len);
	result = json_parse((struct str){ copy, text.len }, &doc, err);
	xfree(copy);
	if (result == 0)
		json_free(doc);
	return result;
}

static void test_parse(void **state)
{
	static const char *const right[] = { "{}",
					     "[]",
					     "null",
					     "true",
					     "0",
					     "-0",
					     "\"\"",
					     " \r\n\t[ ] \n",
					     "{\"a\":{\"b\":[1,2,{\"c\":null}]}}",
					     "1e5",
					     "[1.5E-3]",
					     "\"\\u00fc\\ud83d\\ude00\\n\\\"\"" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(right); i++)
		if (parse_exactly(str_of(right[i]), &err) < 0)
			fail_msg("%s: %s", right[i], err.msg);
}

static void test_parse_rejects(void **state)
{
	static const char *const wrong[] = { "",
					     " ",
					     "{",
					     "}",
					     "[1,2",
					     "{\"a\"}",
					     "{\"a\":}",
					     "{a:1}",
					     "tru",
					     "nulll",
					     "{} {}",
					     "{}x",
					     "[1,]",
					     "{\"a\":1,}",
					     "\"",
					     "\"\\",
					     "\"\\u12\"",
					     "\"\\ud83d\"",
					     "\"\\q\"",
					     "-",
					     "+1",
					     ".5",
					     "1e",
					     "0x10",
					     "'a'",
					     "NaN",
					     "{\"a\" 1}",
					     "[1 2]",
					     "{\"a\":1 \"b\":2}",
					     "\xff",
					     "//x\n1",
					     "01",
					     "1.",
					     "-.5",
					     "[\"a\tb\"]",
					     "\"\\udc00\\ud800\"" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		err.code = ERR_NONE;
		if (parse_exactly(str_of(wrong[i]), &err) == 0)
			fail_msg("'%s' is no JSON", wrong[i]);
		assert_int_equal(err.code, ERR_PROTO);
	}
	assert_int_equal(parse_exactly((struct str){ "{}\0", 3 }, &err), -1);
	assert_int_equal(parse_exactly(STR("{}"), NULL), 0);
	assert_int_equal(parse_exactly(STR("{"), NULL), -1);
	assert_int_equal(parse_exactly(STR("{\"a\":1,?}"), &err), -1);
	assert_true(str_starts(str_of(err.msg), "not JSON at byte "));
}

/* Every prefix of a document is no document. */
static void test_parse_cut_off(void **state)
{
	(void)state;
	for (size_t n = 0; n < strlen(world); n++)
		assert_int_equal(parse_exactly((struct str){ world, n }, NULL), -1);
	assert_int_equal(parse_exactly(str_of(world), NULL), 0);
}

static void test_parse_depth(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_add_char(&b, '[');
	assert_int_equal(parse_exactly(buf_str(&b), NULL), -1);
	for (int i = 0; i < 100000; i++)
		buf_add_char(&b, ']');
	assert_int_equal(parse_exactly(buf_str(&b), NULL), -1);
	buf_reset(&b);
	for (int i = 0; i < 200; i++)
		buf_add_cstr(&b, "{\"a\":[");
	for (int i = 0; i < 200; i++)
		buf_add_cstr(&b, "]}");
	assert_int_equal(parse_exactly(buf_str(&b), NULL), 0);
	buf_release(&b);
}

static void test_paths(void **state)
{
	struct json doc = parsed(world);

	(void)state;
	assert_json_str(doc, "metadata.name", "net");
	assert_json_str(doc, "metadata.annotations['a.b/c']", "dotted");
	assert_json_str(doc, "metadata.annotations['plain']", "p");
	assert_json_str(doc, "metadata['name']", "net");
	assert_json_str(doc, "['metadata'].name", "net");
	assert_json_str(json_at(doc, "metadata"), "name", "net");
	assert_json_str(json_at(doc, "metadata.name"), "", "net");
	assert_json_str(doc, "status.conditions[type=Ready].reason", "First");
	assert_json_str(doc, "status.conditions[7].reason", "Second");
	assert_json_str(doc, "status.conditions[2]", "Ready");
	assert_int_equal(json_int(doc, "status.deep[0][1][1]", -1), 3);
	assert_int_equal(json_int(doc, "status['a=b']", -1), 1);
	assert_true(json_at(doc, "").node == doc.node);
	assert_true(str_is(
		json_str(json_member(json_at(doc, "metadata.annotations"), STR("x[0]")), ""), "od"
											      "d"));
	json_free(doc);
}

static void test_paths_that_find_nothing(void **state)
{
	static const char *const wrong[] = {
		"nothing",
		"metadata.nothing",
		"metadata.name.first",
		"metadata.name[0]",
		"metadata[0]",
		"metadata[name=net]",
		"status.conditions[8]",
		"status.conditions[-1]",
		"status.conditions[x]",
		"status.conditions[]",
		"status.conditions.Ready",
		"status.conditions[type=None]",
		"status.conditions[type=7]",
		"status.conditions['0']",
		"status.conditions[99999999999999999999]",
		"status.none.x",
		"status.none[0]",
		"status.deep[1][0]",
		"status.ready.x",
		"Metadata.name",
		"metadata['']",
		"metadata[",
		"metadata['",
		"metadata[']",
		"status.conditions[0",
		"status.conditions[type",
		"status.conditions[type=Ready",
	};
	struct json doc = parsed(world);

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		/* what is cut off may be read as if it were closed, but not as anything else */
		if (json_has(doc, wrong[i]) && wrong[i][strlen(wrong[i]) - 1] == ']')
			fail_msg("%s finds something", wrong[i]);
		assert_int_equal(json_str(doc, wrong[i]).len, 0);
		assert_null(json_at(JSON_NONE, wrong[i]).node);
	}
	json_free(doc);
}

static void test_types(void **state)
{
	static const struct {
		const char *path;
		enum json_type type;
	} rows[] = {
		{ "status.nothing", JSON_ABSENT }, { "status.none", JSON_NULL },
		{ "status.off", JSON_BOOL },	   { "status.percent", JSON_NUMBER },
		{ "status.text", JSON_STRING },	   { "status.deep", JSON_ARRAY },
		{ "status", JSON_OBJECT },
	};
	struct json doc = parsed(world);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct json value = json_at(doc, rows[i].path);

		assert_int_equal(json_type(value), rows[i].type);
		assert_int_equal(json_is_array(value), rows[i].type == JSON_ARRAY);
		assert_int_equal(json_is_object(value), rows[i].type == JSON_OBJECT);
		assert_int_equal(json_has(doc, rows[i].path), rows[i].type > JSON_NULL);
	}
	json_free(doc);
}

/* Every accessor on a value of every type: only the right one finds it. */
static void test_wrong_types_are_absent(void **state)
{
	static const char *const values[] = { "nothing", "none", "off",		  "percent",
					      "text",	 "deep", "conditions[5]", "empty" };
	struct json doc = parsed(world), status = json_at(doc, "status");

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		const char *v = values[i];

		assert_true(json_str(status, v).len == 0 || strcmp(v, "text") == 0);
		assert_non_null(json_str(status, v).ptr);
		assert_true(json_bool(status, v, true) || strcmp(v, "off") == 0);
		assert_false(json_bool(status, v, false));
		assert_int_equal(json_int(status, v, -9), -9);
		assert_true(json_number(status, v, -9) < 0 || strcmp(v, "percent") == 0);
		assert_int_equal(json_time(status, v), 0);
	}
	assert_true(json_bool(status, "ready", false));
	json_free(doc);
}

static void test_numbers(void **state)
{
	struct json doc = parsed(world), st = json_at(doc, "status");

	(void)state;
	assert_int_equal(json_int(doc, "metadata.generation", -1), 7);
	assert_int_equal(json_int(st, "minus", 0), -3);
	assert_int_equal(json_int(st, "exp", 0), 1500);
	assert_int_equal(json_int(st, "percent", -1), -1);
	assert_true(json_number(st, "percent", -1) > 42.4 && json_number(st, "percent", -1) < 42.6);
	assert_int_equal(json_int(st, "big", -1), 9007199254740992);
	assert_int_equal(json_int(st, "bigger", -1), -1);
	assert_int_equal(json_int(st, "huge", -1), -1);
	assert_true(json_number(st, "huge", -1) < 0);
	assert_int_equal(json_time(doc, "metadata.deletionTimestamp"), NINE + 250);
	assert_int_equal(json_time(doc, "metadata.name"), 0);
	json_free(doc);
}

/* What a double cannot hold is kept all the same. */
static void test_digits(void **state)
{
	static const char *const rows[] = { "1763629200123456789", "9007199254740993", "-0", "0.10000000000000000001", "1e999", "1.50",
					    "123456789012345678901234567890.5E-7" };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];
		struct json doc;

		snprintf(text, sizeof(text), "[%s]", rows[i]);
		doc = parsed(text);
		assert_true(str_is(json_digits(json_first(doc)), rows[i]));
		assert_int_equal(json_digits(doc).len, 0);
		json_free(doc);
	}
	assert_int_equal(json_digits(JSON_NONE).len, 0);
}

static void test_iteration(void **state)
{
	struct json doc = parsed("{\"b\":1,\"a\":[5,6,7],\"c\":{},\"d\":[],\"e\":\"text\"}");
	char keys[16] = "";
	int64_t sum = 0;

	(void)state;
	json_foreach (it, doc)
		strncat(keys, json_key(it).ptr, 1);
	assert_string_equal(keys, "bacde"); /* in their order */
	json_foreach (it, json_at(doc, "a")) {
		sum = sum * 10 + json_int(it, "", 0);
		assert_int_equal(json_key(it).len, 0);
	}
	assert_int_equal(sum, 567);
	assert_int_equal(json_count(doc), 5);
	assert_int_equal(json_count(json_at(doc, "a")), 3);
	assert_int_equal(json_count(json_at(doc, "c")) + json_count(json_at(doc, "d")), 0);
	assert_int_equal(json_count(json_at(doc, "e")) + json_count(json_at(doc, "b")) +
				 json_count(JSON_NONE),
			 0);
	assert_null(json_first(json_at(doc, "e")).node);
	assert_null(json_next(JSON_NONE).node);
	assert_int_equal(json_key(JSON_NONE).len, 0);
	assert_null(json_member(json_at(doc, "a"), STR("")).node);
	assert_null(json_member(JSON_NONE, STR("a")).node);
	json_free(doc);
	json_free(JSON_NONE);
}

static void test_text(void **state)
{
	struct json doc = parsed("{\"u\":\"\\u00fc\\u20ac\\ud83d\\ude00\",\"esc\":\"\\\"\\\\\\/"
				 "\\b\\f\\n\\r\\t\","
				 "\"raw\":\"\xff\xfe\",\"nul\":\"a\\u0000z\",\"ctl\":\"\\u001b[31m\",\"\\u00fc\":1,\"\":"
				 "2}");

	(void)state;
	assert_json_str(doc, "u", "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80");
	assert_json_str(doc, "esc", "\"\\/\b\f\n\r\t");
	assert_json_str(doc, "raw", "\xff\xfe"); /* kept: the terminal's door deals with it */
	assert_json_str(doc, "ctl", "\x1b[31m");
	assert_json_str(doc, "nul", "a\xC0\x80z"); /* not cut, by nobody */
	assert_int_equal(json_int(doc, "\xC3\xBC", 0), 1);
	assert_int_equal(json_int(json_member(doc, STR("")), "", 0), 2);
	json_free(doc);
}

static void assert_quoted(const char *text, enum json_quoting quoting, const char *want)
{
	struct buf out = { 0 };

	json_quote(&out, str_of(text), quoting);
	assert_string_equal(buf_cstr(&out), want);
	buf_release(&out);
}

static void test_quote(void **state)
{
	(void)state;
	for (int q = JSON_QUOTE_BYTES; q <= JSON_QUOTE_TERMINAL; q++) {
		assert_quoted("", (enum json_quoting)q, "\"\"");
		assert_quoted("a\"b\\c\xC3\xBC", (enum json_quoting)q, "\"a\\\"b\\\\c\xC3\xBC\"");
		assert_quoted("\x1b[0m", (enum json_quoting)q, "\"\\u001b[0m\"");
		assert_quoted("a\xC0\x80z", (enum json_quoting)q, "\"a\\u0000z\""); /* what U+0000 is in memory */
	}
	assert_quoted("\n\t", JSON_QUOTE_BYTES, "\"\\u000a\\u0009\"");
	assert_quoted("\n\t", JSON_QUOTE_TERMINAL, "\"\\n\\t\"");
	assert_quoted("\r<\xE2\x80\xAE", JSON_QUOTE_TERMINAL, "\"\\u000d<\\u202e\"");
	assert_quoted("\xF3\xA0\x81\xA1", JSON_QUOTE_TERMINAL, "\"\\udb40\\udc61\""); /* a tag character */
	assert_quoted("<\xE2\x80\xAE", JSON_QUOTE_BYTES, "\"<\xE2\x80\xAE\"");
	assert_quoted("a\xff", JSON_QUOTE_BYTES, "\"a\xff\"");
	assert_quoted("a\xff", JSON_QUOTE_TERMINAL, "\"a\xEF\xBF\xBD\"");
	assert_quoted("\xff z", JSON_QUOTE_TERMINAL, "\"\xEF\xBF\xBD z\"");
}

/* As Go's encoding/json: the last one counts.  All stay to be seen, so that a Secret cannot hide behind another kind. */
static void test_keys_that_are_there_twice(void **state)
{
	struct json doc = parsed("{\"a\":{\"x\":1},\"b\":2,\"a\":{\"y\":1},\"\":1,\"a\":7,\"\":2,\"c\":{\"d\":1,\"d\":null}}");

	(void)state;
	assert_int_equal(json_int(doc, "a", 0), 7);
	assert_int_equal(json_int(doc, "b", 0), 2);
	assert_int_equal(json_int(json_member(doc, STR_NONE), "", 0), 2);
	assert_int_equal(json_type(json_at(doc, "c.d")), JSON_NULL);
	assert_int_equal(json_count(doc), 7);
	json_free(doc);
}

/* Twice 20,000 keys: comparing each with each would take minutes. */
static void test_many_keys(void **state)
{
	struct buf text = { 0 };
	struct json doc;

	(void)state;
	buf_add_char(&text, '{');
	for (int i = 0; i < 40000; i++)
		buf_printf(&text, "%s\"k%d\":%d", i ? "," : "", i % 20000, i);
	buf_add_char(&text, '}');
	doc = parsed(buf_cstr(&text));
	assert_int_equal(json_int(doc, "k0", 0), 20000);
	assert_int_equal(json_int(doc, "k255", 0), 20255);
	json_free(doc);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_rejects),
		cmocka_unit_test(test_parse_cut_off),
		cmocka_unit_test(test_parse_depth),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_paths_that_find_nothing),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_wrong_types_are_absent),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_iteration),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_quote),
		cmocka_unit_test(test_keys_that_are_there_twice),
		cmocka_unit_test(test_many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
