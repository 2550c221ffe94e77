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

/* From a copy that ends where the text ends, so that a sanitizer sees one byte too many. */
static int read_exactly(struct str text, struct json *out, struct err *err)
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
	struct json doc = JSON_NONE;
	struct err err;

	if (read_exactly(text, &doc, &err) == 0)
		fail_msg("was read: " STR_FMT, STR_ARG(text));
	assert_null(doc.node);	/* it is written only on success */
	if (!str_starts(str_of(err.msg), why))
		fail_msg(STR_FMT ": \"%s\" and not \"%s\"", STR_ARG(text), err.msg, why);
}

/* ---- reading ------------------------------------------------------------- */

static void what_is_json(void **state)
{
	static const char *const right[] = { "{}", "[]", "null", "true", "false", "0", "-0", "\"\"", " \r\n\t[ ] \n", "[1.5E-3,-1e+5,0.5]",
					     "{\"a\":{\"b\":[1,2,{\"c\":null}]}}", "\"\\u00fc\\ud83d\\ude00\\n\\\"\\/\"", "\"\x7f\xc3\xbc\"" };
	struct json doc;
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(right); i++) {
		if (read_exactly(str_of(right[i]), &doc, &err) < 0)
			fail_msg("%s: %s", right[i], err.msg);
		json_free(doc);
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
	struct json doc;

	(void)state;
	assert_int_equal(read_exactly(STR("[\"\\\\u0000\"]"), &doc, &(struct err){ 0 }), 0);
	assert_string_equal(json_str(json_first(doc), "").ptr, "\\u0000");
	json_free(doc);
	assert_refused(STR("{\"token\":\"a\\u0000b\"}"), "a text with a NUL at byte 17");
	assert_refused(STR("{\"a\\u0000\":1}"), "a text with a NUL");
	/* what a server says is not lost for one */
	assert_int_equal(document_read(STR("{\"a\\u0000\":[\"\\u0000b\\\\u0000\",12345678901234567]}"), &doc, NULL), 0);
	assert_string_equal(json_str(json_first(json_first(doc)), "").ptr, "\xC0\x80" "b\\u0000");
	assert_string_equal(json_key(json_first(doc)).ptr, "a\xC0\x80");
	json_free(doc);
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
	struct json doc;
	struct err err;

	(void)state;
	assert_refused(repeated(&b, "[", 1000000), "it is nested deeper than ");
	buf_reset(&b);
	buf_add_cstr(&b, "[");
	assert_refused(repeated(&b, "0,", LIMIT_DOCUMENT_VALUES), "too many values");
	buf_reset(&b);
	assert_int_equal(read_exactly(repeated(&b, "9", 1000), &doc, &err), 0);
	assert_int_equal(json_int(doc, "", -1), -1);
	json_free(doc);
	assert_int_equal(document_read((struct str){ "", LIMIT_DOCUMENT + 1 }, &doc, &err), -1);
	assert_string_equal(err.msg, "too large");
	buf_release(&b);
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
		cmocka_unit_test(ceilings),		
		cmocka_unit_test(on_one_line),	 cmocka_unit_test(indented),
		cmocka_unit_test(foreign_texts),	cmocka_unit_test(value_by_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
