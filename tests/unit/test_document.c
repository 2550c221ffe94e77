/* SPDX-License-Identifier: Apache-2.0 */
/* A document is taken or refused as json.h does it, and comes out as kubectl prints JSON. */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/model/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NINE 1795165200000 /* 2026-11-20T09:00:00Z */

static struct document parsed(const char *text)
{
	struct document doc;
	struct err err;

	if (document_read_verbatim(str_of(text), &doc, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return doc;
}

/* From a copy that ends where the text ends, so that a sanitizer sees one byte too many. */
static int read_exactly(struct str text, struct document *out, struct err *err)
{
	char *copy = xmalloc(text.len);
	int result;

	if (text.len)
		memcpy(copy, text.ptr, text.len);
	result = document_read_verbatim((struct str){ copy, text.len }, out, err);
	xfree(copy);
	return result;
}

static void assert_refused(struct str text, const char *why)
{
	struct document doc;
	struct err err;

	if (read_exactly(text, &doc, &err) == 0)
		fail_msg("was read: " STR_FMT, STR_ARG(text));
	if (!str_starts(str_of(err.msg), why))
		fail_msg(STR_FMT ": \"%s\" and not \"%s\"", STR_ARG(text), err.msg, why);
}

static void assert_str(struct document from, const char *path, const char *expected)
{
	struct str text = document_str(from, path);

	if (!str_is(text, expected))
		fail_msg("%s: \"" STR_FMT "\" and not \"%s\"", path, STR_ARG(text), expected);
}

/* ---- reading ------------------------------------------------------------- */

static void what_is_json(void **state)
{
	static const char *const right[] = { "{}", "[]", "null", "true", "false", "0", "-0", "\"\"", " \r\n\t[ ] \n", "[1.5E-3,-1e+5,0.5]",
					     "{\"a\":{\"b\":[1,2,{\"c\":null}]}}", "\"\\u00fc\\ud83d\\ude00\\n\\\"\\/\"", "\"\x7f\xc3\xbc\"" };
	struct document doc;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(right); i++) {
		if (read_exactly(str_of(right[i]), &doc, &err) < 0)
			fail_msg("%s: %s", right[i], err.msg);
		document_free(doc);
	}
}

static void what_is_none(void **state)
{
	static const char *const wrong[] = { "", " ", "{", "}", "[1,2", "{\"a\"}", "{\"a\":}", "{a:1}", "tru", "nulll", "{} {}", "{}x",
					     "[1,]", "{\"a\":1,}", "{\"1\":1,", "[1}", "\"", "\"\\", "\"\\u12\"", "\"\\ud83d\"", "\"\\udc00\"",
					     "\"\\q\"", "-", "+1", ".5", "1e", "0x10", "'a'", "NaN", "{\"a\" 1}", "[1 2]", "//x\n1", "\xff",
					     "01", "-01", "1.", "-.5", "1.e5", "\"\\uZZZZ\"", "\"a\nb\"", "\"\t\"", "\xEF\xBB\xBF{}", "[\x01]", "{}\x0b" };

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_refused(str_of(wrong[i]), "not JSON at byte ");
}

static void a_nul_is_refused(void **state)
{
	struct document doc = parsed("[\"\\\\u0000\"]");

	(void)state;
	assert_str(document_first(doc), "", "\\u0000");
	document_free(doc);
	assert_refused(STR("{\"token\":\"a\\u0000b\"}"), "a text with a NUL at byte 17");
	assert_refused(STR("{\"a\\u0000\":1}"), "a text with a NUL");
	/* what a server says is not lost for one */
	assert_int_equal(document_read(STR("{\"a\\u0000\":[\"\\u0000b\\\\u0000\",12345678901234567]}"), &doc, NULL), 0);
	assert_str(document_first(document_first(doc)), "", "\xEF\xBF\xBD" "b\\u0000");
	assert_string_equal(document_key(document_first(doc)).ptr, "a\xEF\xBF\xBD");
	document_free(doc);
	assert_refused(STR("\"a\0b\""), "not JSON at byte 2");
	assert_refused(STR("{}\0"), "not JSON at byte 2");
}

static struct str repeated(struct buf *b, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_add_cstr(b, text);
	return buf_str(b);
}

static void ceilings(void **state)
{
	struct buf b = { 0 };
	struct document doc;
	struct err err;

	(void)state;
	repeated(&b, "[", LIMIT_DEPTH);
	assert_int_equal(read_exactly(repeated(&b, "]", LIMIT_DEPTH), &doc, &err), 0);
	document_free(doc);
	buf_reset(&b);
	repeated(&b, "{\"a\":", LIMIT_DEPTH);
	buf_add_cstr(&b, "[]");
	assert_refused(repeated(&b, "}", LIMIT_DEPTH), "nested too deep");
	buf_reset(&b);
	assert_refused(repeated(&b, "[", 1000000), "it is nested deeper than ");
	buf_reset(&b);
	buf_add_cstr(&b, "[");
	assert_refused(repeated(&b, "0,", LIMIT_DOCUMENT_VALUES), "too many values");
	buf_reset(&b);
	assert_int_equal(read_exactly(repeated(&b, "9", 1000), &doc, &err), 0);
	assert_int_equal(document_int(doc, "", -1), -1);
	document_free(doc);
	assert_int_equal(document_read((struct str){ "", LIMIT_DOCUMENT + 1 }, &doc, &err), -1);
	assert_string_equal(err.msg, "too large");
	buf_release(&b);
}

static void wrong_type_is_absent(void **state)
{
	struct document doc = parsed("{\"s\":\"x\",\"n\":7,\"f\":1.5,\"huge\":1e999,\"big\":9007199254740992,\"bigger\":9007199254740994,\"t\":true,"
				     "\"no\":null,\"o\":{\"in\":{\"er\":\"deep\"}},\"a\":[1,\"two\",[3]],\"\":\"empty\",\"S\":\"upper\","
				     "\"time\":\"2026-11-20T10:00:00+01:00\"}");

	(void)state;
	assert_str(doc, "s", "x");
	assert_str(doc, "S", "upper");
	assert_str(doc, "o.in.er", "deep");
	assert_str(document_member(doc, STR("")), "", "empty");
	assert_str(doc, "n", "");
	assert_str(doc, "absent.too", "");
	assert_str(doc, "s.x", "");
	assert_str(doc, "o", "");
	assert_int_equal(document_int(doc, "n", -1), 7);
	assert_int_equal(document_int(doc, "f", -1), -1);
	assert_int_equal(document_int(doc, "s", -1), -1);
	assert_int_equal(document_int(doc, "huge", -1), -1);
	assert_int_equal(document_int(doc, "big", -1), 9007199254740992);
	assert_int_equal(document_int(doc, "bigger", -1), -1);
	assert_true(document_number(doc, "f", 0) == 1.5);
	assert_true(document_number(doc, "huge", 3) == 3);
	assert_true(document_bool(doc, "t", false));
	assert_true(document_bool(doc, "n", true));
	assert_false(document_bool(doc, "no", false));
	assert_int_equal(document_time(doc, "time"), NINE);
	assert_int_equal(document_time(doc, "s"), 0);
	assert_true(document_has(doc, "o.in"));
	assert_false(document_has(doc, "no"));
	assert_false(document_has(doc, "absent"));
	assert_int_equal(document_count(document_at(doc, "a")), 3);
	assert_int_equal(document_count(document_at(doc, "s")), 0);
	assert_int_equal(document_count(DOCUMENT_NONE), 0);
	assert_true(str_is(document_key(document_first(doc)), "s"));
	assert_true(str_is(document_key(document_first(document_at(doc, "a"))), ""));
	assert_int_equal(document_type(document_at(doc, "a")), JSON_ARRAY);
	assert_int_equal(document_type(document_at(doc, "no")), JSON_NULL);
	assert_int_equal(document_type(DOCUMENT_NONE), JSON_ABSENT);
	assert_null(document_member(document_at(doc, "a"), STR("")).node);
	document_free(doc);
	document_free(DOCUMENT_NONE);
}

static void the_last_of_a_name_counts(void **state)
{
	struct document doc = parsed("{\"a\":1,\"A\":2,\"a\":{\"b\":3},\"a\":{\"c\":4}}");

	(void)state;
	assert_int_equal(document_int(doc, "a.c", -1), 4);
	assert_int_equal(document_int(doc, "a.b", -1), -1);
	assert_int_equal(document_int(doc, "A", -1), 2);
	document_free(doc);
}

static void texts_are_redacted(void **state)
{
	static const char text[] = "{\"message\":\"GET https://u:secret@h/\",\"name\":\"https://u:secret@h/\",\"list\":[\"https://u:secret@h/\"],"
				   "\"manifest\":\"{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"a\\\":\\\"c2VjcmV0\\\"}}\"}";
	struct document doc;
	struct json json;

	(void)state;
	assert_int_equal(document_read(str_of(text), &doc, NULL), 0);
	assert_int_equal(json_parse(str_of(text), &json, NULL), 0);
	assert_null(strstr(document_str(doc, "message").ptr, "secret"));
	assert_null(strstr(document_str(doc, "manifest").ptr, "c2VjcmV0"));
	document_foreach(it, doc) {
		struct str as_object = json_str(json_member(json, document_key(it)), "");

		assert_true(str_eq(document_str(it, ""), as_object));
	}
	assert_null(strstr(document_str(document_first(document_at(doc, "list")), "").ptr, "secret"));
	json_free(json);
	document_free(doc);
	assert_int_equal(document_read_verbatim(str_of(text), &doc, NULL), 0);
	assert_str(doc, "message", "GET https://u:secret@h/");
	document_free(doc);
}

/* What is read and written again is the same number, also where no double can hold it. */
static void numbers_keep_their_digits(void **state)
{
	static const char text[] = "{\"a\":[18446744073709551615,-0.1,{\"b\":\"1 -2\",\"c\":3}],\"d\":1000000000000000001e2,\"e\":-7}";
	struct document doc;
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(document_read_verbatim(str_of(text), &doc, NULL), 0);
	assert_int_equal(document_int(doc, "e", 0), -7);
	assert_int_equal(document_type(document_at(doc, "d")), JSON_NUMBER);
	assert_true(document_number(doc, "d", 0) > 9.9e19);
	document_write(doc, &out);
	assert_string_equal(buf_cstr(&out), text);
	buf_release(&out);
	document_free(doc);
}

/* ---- writing ------------------------------------------------------------- */

static struct document example(void)
{
	struct document doc = document_object(), inner = document_add_object(doc, "inner"), list;

	document_add_string(inner, "text", STR("a \"b\" \\ {[,:]} \n\t\x01"));
	document_add_text(inner, "none", STR(""));
	document_add_string(inner, "empty", STR(""));
	document_add_int(inner, "least", INT64_MIN);
	document_add_int(inner, "most", INT64_MAX);
	list = document_add_array(doc, "list");
	document_add_bool(list, NULL, true);
	document_add_bool(list, NULL, false);
	document_add_number(list, NULL, 42);
	document_add_number(list, NULL, 100.0 / 3);
	document_add_object(list, NULL);
	document_add_array(list, NULL);
	document_add_time(doc, "at", NINE);
	document_add_time(doc, "never", 0);
	document_add_raw(doc, "raw", STR("{\"big\":12345678901234567890}"));
	document_add(doc, "last", document_array());
	return doc;
}

static void assert_written(void (*write)(struct document doc, struct buf *out), struct document doc, const char *expected)
{
	struct buf out = { 0 };

	write(doc, &out);
	assert_string_equal(buf_cstr(&out), expected);
	buf_release(&out);
	document_free(doc);
}

static void on_one_line(void **state)
{
	(void)state;
	assert_written(document_write, example(),
		       "{\"inner\":{\"text\":\"a \\\"b\\\" \\\\ {[,:]} \\n\\t\\u0001\",\"empty\":\"\",\"least\":-9223372036854775808,"
		       "\"most\":9223372036854775807},\"list\":[true,false,42,33.3333,{},[]],\"at\":\"2026-11-20T09:00:00Z\","
		       "\"raw\":{\"big\":12345678901234567890},\"last\":[]}");
	assert_written(document_write, document_object(), "{}");
}

static void indented(void **state)
{
	(void)state;
	assert_written(document_print, example(),
		       "{\n"
		       "    \"inner\": {\n"
		       "        \"text\": \"a \\\"b\\\" \\\\ {[,:]} \\n\\t\\u0001\",\n"
		       "        \"empty\": \"\",\n"
		       "        \"least\": -9223372036854775808,\n"
		       "        \"most\": 9223372036854775807\n"
		       "    },\n"
		       "    \"list\": [\n"
		       "        true,\n"
		       "        false,\n"
		       "        42,\n"
		       "        33.3333,\n"
		       "        {},\n"
		       "        []\n"
		       "    ],\n"
		       "    \"at\": \"2026-11-20T09:00:00Z\",\n"
		       "    \"raw\": {\"big\":12345678901234567890},\n"
		       "    \"last\": []\n"
		       "}");
	assert_written(document_print, document_array(), "[]");
}

/* What a terminal must not get, and bytes that are no UTF-8. */
static void foreign_texts(void **state)
{
	struct document doc = document_array();

	(void)state;
	document_add_string(doc, NULL, STR("\x1b]52;c;x\a"));
	document_add_string(doc, NULL, STR("\xe2\x80\xae\xf3\xa0\x80\x81"));
	document_add_string(doc, NULL, STR("\xff\xc3"));
	document_add_string(doc, NULL, STR("\xc3\xbc"));
	document_add_string(doc, NULL, STR("a\xc0\x80z"));
	assert_written(document_write, doc,
		       "[\"\\u001b]52;c;x\\u0007\",\"\\u202e\\udb40\\udc01\",\"\xEF\xBF\xBD\xEF\xBF\xBD\",\"\xc3\xbc\",\"a\\u0000z\"]");
}

static void value_by_value(void **state)
{
	struct document thing = document_object(), tail = document_object();
	struct buf out = { 0 };
	struct document_stream s = { .out = &out };

	(void)state;
	document_add_int(thing, "n", 1);
	document_add_array(thing, "m");
	document_open(&s, NULL, '{');
	document_open(&s, "things", '[');
	document_put(&s, thing);
	document_put(&s, document_array());
	document_close(&s, ']');
	document_open(&s, "none", '[');
	document_close(&s, ']');
	document_add_object(tail, "nothing");
	document_add_bool(tail, "end", true);
	document_put_members(&s, tail);
	document_close(&s, '}');
	assert_string_equal(buf_cstr(&out), "{\n    \"things\": [\n        {\n            \"n\": 1,\n            \"m\": []\n        },\n        []\n    ],\n"
					    "    \"none\": [],\n    \"nothing\": {},\n    \"end\": true\n}");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_json),		cmocka_unit_test(what_is_none),	 cmocka_unit_test(a_nul_is_refused),
		cmocka_unit_test(ceilings),		cmocka_unit_test(wrong_type_is_absent), cmocka_unit_test(the_last_of_a_name_counts), cmocka_unit_test(numbers_keep_their_digits),
		cmocka_unit_test(texts_are_redacted),	cmocka_unit_test(on_one_line),	 cmocka_unit_test(indented),
		cmocka_unit_test(foreign_texts),	cmocka_unit_test(value_by_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
