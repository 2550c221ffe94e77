/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML as kubectl reads and prints it: the expectations are what
 * sigs.k8s.io/yaml v1.6 gives, but for the order of keys.
 */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/model/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct got {
	struct buf text; /* the documents, one on each line */
	int count, stop_after;
};

static int on_document(void *ctx, struct str json, struct err *err)
{
	struct got *got = ctx;
	struct json doc;

	if (json_parse(json, &doc, err) < 0)
		fail_msg("no JSON: " STR_FMT, STR_ARG(json));
	json_free(doc);
	got->count++;
	buf_add(&got->text, json);
	buf_add_char(&got->text, '\n');
	return got->count == got->stop_after ? err_set(err, ERR_GONE, "enough") : 0;
}

static const struct yaml_ops ops = { on_document };

static int read_all(struct str text, struct got *got, struct err *err)
{
	char *copy = xmalloc(text.len);
	int result;

	*got = (struct got){ .stop_after = got->stop_after };
	*err = (struct err){ 0 };
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	result = yaml_each((struct str){ copy, text.len }, &ops, got, err);
	xfree(copy);
	return result;
}

static void check(const char *yaml, const char *json)
{
	struct got got = { 0 };
	struct err err;
	struct str text;

	if (read_all(str_of(yaml), &got, &err) < 0)
		fail_msg("%s\n%s", yaml, err.msg);
	text = buf_str(&got.text);
	if (text.len)
		text.len--;
	if (!str_is(text, json))
		fail_msg("%s\n" STR_FMT "\n%s", yaml, STR_ARG(text), json);
	buf_release(&got.text);
}

/* A list of rows "scalar", "JSON": each is the value of a key. */
static void check_scalars(const char *const (*rows)[2], size_t n)
{
	char yaml[256], json[256];

	for (size_t i = 0; i < n; i++) {
		snprintf(yaml, sizeof(yaml), "a: %s\n", rows[i][0]);
		snprintf(json, sizeof(json), "{\"a\":%s}", rows[i][1]);
		check(yaml, json);
	}
}

/* ---- scalars ------------------------------------------------------------- */

static void test_words(void **state)
{
	static const char *const rows[][2] = {
		{ "yes", "true" },	{ "Yes", "true" },
		{ "YES", "true" },	{ "y", "true" },
		{ "Y", "true" },	{ "true", "true" },
		{ "True", "true" },	{ "TRUE", "true" },
		{ "on", "true" },	{ "ON", "true" },
		{ "no", "false" },	{ "No", "false" },
		{ "NO", "false" },	{ "n", "false" },
		{ "N", "false" },	{ "off", "false" },
		{ "Off", "false" },	{ "OFF", "false" },
		{ "False", "false" },	{ "FALSE", "false" },
		{ "~", "null" },	{ "null", "null" },
		{ "Null", "null" },	{ "NULL", "null" },
		{ "", "null" },		{ "yEs", "\"yEs\"" },
		{ "tRUE", "\"tRUE\"" }, { "nUll", "\"nUll\"" },
		{ "none", "\"none\"" }, { "oN", "\"oN\"" },
		{ "-yes", "\"-yes\"" }, { "yes no", "\"yes no\"" },
	};

	(void)state;
	check_scalars(rows, COUNT(rows));
}

static void test_whole_numbers(void **state)
{
	static const char *const rows[][2] = {
		{ "0", "0" },
		{ "7", "7" },
		{ "-3", "-3" },
		{ "+1", "1" },
		{ "0x1f", "31" },
		{ "0xFF", "255" },
		{ "-0x1f", "-31" },
		{ "017", "15" },
		{ "0o17", "15" },
		{ "0b101", "5" },
		{ "-0b11", "-3" },
		{ "1_000", "1000" },
		{ "1__0", "10" },
		{ "1_", "1" },
		{ "0_7", "7" },
		{ "0x_1", "1" },
		{ "00", "0" },
		{ "12345678901234567890", "12345678901234567890" },
		{ "0xffffffffffffffff", "18446744073709551615" },
		{ "08", "8" },
		{ "089", "89" },
		{ "0X1F", "31" },
		{ "0O17", "15" },
		{ "0B11", "3" },
		{ "0xfffffffffffffffff", "\"0xfffffffffffffffff\"" },
		{ "_1", "\"_1\"" },
		{ "0x", "\"0x\"" },
		{ "0b", "\"0b\"" },
		{ "0b2", "\"0b2\"" },
		{ "0xg", "\"0xg\"" },
		{ "1,000", "\"1,000\"" },
		{ "1:20", "\"1:20\"" },
		{ "190:20:30", "\"190:20:30\"" },
		{ "--1", "\"--1\"" },
		{ "1-2", "\"1-2\"" },
		{ "1.2.3.4", "\"1.2.3.4\"" },
		{ "+", "\"+\"" },
		{ "1a", "\"1a\"" },
	};

	(void)state;
	check_scalars(rows, COUNT(rows));
}

/* Compared as numbers: how a float is spelled is free. */
static void test_fractions(void **state)
{
	static const struct {
		const char *yaml;
		double value;
	} rows[] = {
		{ ".5", 0.5 },
		{ "-.5", -0.5 },
		{ "+.5", 0.5 },
		{ "1.", 1 },
		{ "1.5", 1.5 },
		{ "1e3", 1000 },
		{ "1E+3", 1000 },
		{ "-1e3", -1000 },
		{ "1.e3", 1000 },
		{ "12e03", 12000 },
		{ "0.10", 0.1 },
		{ "01.5", 1.5 },
		{ "12345678901234567890123", 1.2345678901234568e22 },
		{ "1_000.5", 1000.5 },
	};
	char yaml[64];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };
		struct json doc;
		struct err err;
		double got;

		snprintf(yaml, sizeof(yaml), "[%s]", rows[i].yaml);
		assert_int_equal(yaml_first_to_json(str_of(yaml), &out, &err), 0);
		assert_int_equal(json_parse(buf_str(&out), &doc, &err), 0);
		got = json_number(doc, "[0]", -7777);
		if (got < rows[i].value || got > rows[i].value)
			fail_msg("%s: %s", rows[i].yaml, buf_cstr(&out));
		if (buf_cstr(&out)[1] == '0' && buf_cstr(&out)[2] != '.' &&
		    buf_cstr(&out)[2] != ']')
			fail_msg("%s is no JSON", buf_cstr(&out));
		json_free(doc);
		buf_release(&out);
	}
}

static void test_no_fractions(void **state)
{
	static const char *const rows[][2] = {
		{ "1e", "\"1e\"" },
		{ "e3", "\"e3\"" },
		{ ".", "\".\"" },
		{ "..5", "\"..5\"" },
		{ "1.5.2", "\"1.5.2\"" },
		{ "1e3e", "\"1e3e\"" },
		{ "1e400", "\"1e400\"" },
		{ ".e3", "\".e3\"" },
		{ "2026-11-20", "\"2026-11-20\"" },
		{ "2026-11-20T09:00:00Z", "\"2026-11-20T09:00:00Z\"" },
	};

	(void)state;
	check_scalars(rows, COUNT(rows));
}

static void test_strings(void **state)
{
	(void)state;
	check("a: 'yes'\nb: \"no\"\nc: '017'\nd: \"~\"\ne: ''\nf: \"\"\n", "{\"a\":\"yes\",\"b\":"
									   "\"no\",\"c\":\"017\","
									   "\"d\":\"~\",\"e\":\"\","
									   "\"f\":\"\"}");
	check("a: 'it''s'\nb: \"q\\\"\\x41\\u00fc\\t\\\\\"\n", "{\"a\":\"it's\",\"b\":"
							       "\"q\\\"A\xC3\xBC\\u0009\\\\\"}");
	check("a: |\n  one\n    two\n\n  end\nb: >-\n  to\n  gether\n\n  para\nc: |-\n  123\n",
	      "{\"a\":\"one\\u000a  two\\u000a\\u000aend\\u000a\",\"b\":\"to "
	      "gether\\u000apara\",\"c\":\"123\"}");
	check("a: x\n  y\nb: \"x\n  y\"\n", "{\"a\":\"x y\",\"b\":\"x y\"}");
	check("a: b # no\nc: d#yes\n", "{\"a\":\"b\",\"c\":\"d#yes\"}");
	check("a: \xF0\x9F\x98\x80\n", "{\"a\":\"\xF0\x9F\x98\x80\"}");
	check("just text", "\"just text\"");
}

static void test_tags(void **state)
{
	(void)state;
	check("a: !!str 123\nb: !!str yes\nc: !foo bar\n", "{\"a\":\"123\",\"b\":\"yes\",\"c\":"
							   "\"bar\"}");
	check("a: !!int \"5\"\nb: !!str\n", "{\"a\":5,\"b\":\"\"}");
}

/* ---- collections --------------------------------------------------------- */

static void test_collections(void **state)
{
	(void)state;
	check("a:\n- b\n-\n- c: d\n  e: f\ng:\n", "{\"a\":[\"b\",null,{\"c\":\"d\",\"e\":\"f\"}],"
						  "\"g\":null}");
	check("{a: [1, [2]], b: {}, c: []}", "{\"a\":[1,[2]],\"b\":{},\"c\":[]}");
	check("{\"a\":1,\n\t\"b\":\"x\"}", "{\"a\":1,\"b\":\"x\"}");
	check("a:\t1\n", "{\"a\":1}");
	check("? a\n: b\n? c\n", "{\"a\":\"b\",\"c\":null}");
	check("a: 1\nb: 2\na: 3\n", "{\"a\":3,\"b\":2}"); /* the last wins */
	check("x: {b: 1, b: 2}\n", "{\"x\":{\"b\":2}}");
	check("1: a\n1.5: b\n'x y': c\n", "{\"1\":\"a\",\"1.5\":\"b\",\"x y\":\"c\"}");
}

/* A key is a scalar and resolves like one, before JSON makes it a string. */
static void test_keys(void **state)
{
	(void)state;
	check("'yes': 1\n", "{\"yes\":1}");
	check("yes: 1\n", "{\"true\":1}");
	check("0x10: 1\n", "{\"16\":1}");
}

static void test_anchors(void **state)
{
	(void)state;
	check("a: &x 5\nb: *x\nc: &y {k: *x}\nd: [*y, *y]\n", "{\"a\":5,\"b\":5,\"c\":{\"k\":5},"
							      "\"d\":[{\"k\":5},{\"k\":5}]}");
	check("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
	check("a: &x yes\nb: &y 'yes'\nc: [*x, *y]\n", "{\"a\":true,\"b\":\"yes\",\"c\":[true,"
						       "\"yes\"]}");
}

static void test_merge_keys(void **state)
{
	(void)state;
	check("b: &b {a: 1, c: 3}\nx: {<<: *b, a: 2}\n", "{\"b\":{\"a\":1,\"c\":3},\"x\":{\"a\":2,"
							 "\"c\":3}}");
	check("p: &p {a: 1}\nq: &q {a: 2, b: 2}\nx: {<<: [*p, *q]}\n", "{\"p\":{\"a\":1},\"q\":{"
								       "\"a\":2,\"b\":2},\"x\":{"
								       "\"a\":1,\"b\":2}}");
	check("x: {\"<<\": {a: 1}}\n", "{\"x\":{\"<<\":{\"a\":1}}}");
	check("x: {<<: {a: 1}, b: 2}\n", "{\"x\":{\"a\":1,\"b\":2}}");
	check("d: <<\n", "{\"d\":\"<<\"}");
	/* merged ones included: kubectl's go-yaml takes them where they stand */
	check("b: &b {a: 1}\nx: {a: 2, <<: *b}\n", "{\"b\":{\"a\":1},\"x\":{\"a\":1}}");
	/* what is merged has merged before: its own keys win there too */
	check("c: &c {a: 0}\nb: &b {<<: *c, a: 1}\nx: {<<: *b}\n", "{\"c\":{\"a\":0},\"b\":{\"a\":"
								   "1},\"x\":{\"a\":1}}");
}

/* ---- documents ----------------------------------------------------------- */

static void test_documents(void **state)
{
	(void)state;
	check("a: 1\n---\nb: 2\n", "{\"a\":1}\n{\"b\":2}");
	check("---\na: 1\n...\n---\nb: 2\n...\n", "{\"a\":1}\n{\"b\":2}");
	check("---\n---\n# nothing\n---\nnull\n---\na: 1\n---\n", "{\"a\":1}");
	check("%YAML 1.1\n---\na: 1\n", "{\"a\":1}");
	check("", "");
	check("# only words\n", "");
	check("\xEF\xBB\xBF"
	      "a: 1\n",
	      "{\"a\":1}");
	check("a: 1\r\nb: 2\r\n---\r\nc: 3\r\n", "{\"a\":1,\"b\":2}\n{\"c\":3}");
	check("a: &x 1\n---\nb: 2\n", "{\"a\":1}\n{\"b\":2}");
}

static void test_document_stops(void **state)
{
	struct got got = { .stop_after = 2 };
	struct err err;

	(void)state;
	assert_int_equal(read_all(STR("a: 1\n---\nb: 2\n---\nc: [\n"), &got, &err), -1);
	assert_int_equal(got.count, 2);
	assert_int_equal(err.code, ERR_GONE);
	assert_string_equal(err.msg, "enough");
	buf_release(&got.text);
}

static void test_first_document(void **state)
{
	struct buf out = BUF_MAX(64);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(yaml_first_to_json(STR("a: 1\n---\n: : [\n"), &out, &err), 0);
	assert_string_equal(buf_cstr(&out), "{\"a\":1}");
	buf_reset(&out);
	assert_int_equal(yaml_first_to_json(STR(""), &out, &err), 0);
	assert_string_equal(buf_cstr(&out), "");
	assert_int_equal(yaml_first_to_json(STR("a: [b"), &out, &err), -1);
	assert_int_equal(err.code, ERR_INPUT);
	buf_reset(&out);
	assert_int_equal(yaml_first_to_json(STR("a: "
						"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
						"aaaaaaaaaaaaaa"),
					    &out, &err),
			 -1);
	assert_int_equal(err.code, ERR_INPUT);
	buf_release(&out);
}

/* ---- errors -------------------------------------------------------------- */

static void test_errors_name_the_line(void **state)
{
	static const struct {
		const char *yaml;
		const char *line;
	} rows[] = {
		{ "a:\n\tb: 1\n", "line 2" },	     { "a: 1\nb: 2\n\tc: 3\n", "line 3" },
		{ "a: b: c\n", "line 1" },	     { "a: 1\nb: *nope\n", "line 2" },
		{ "a: 1\n b: 2\n", "line 2" },	     { "a: 1\n---\nb: {\n", "line 4" },
		{ "a: 1\n\n[a, b]: c\n", "line 3" }, { "a: 1\nb: \"\\q\"\n", "line 2" },
		{ "x:\n  <<: 1\n", "line 2" },	     { "x:\n  <<: [1]\n", "line 2" },
		{ "a: 1\nb: \xff\n", "line 2" },     { "a: 1\nb: 2\nc: \x01\n", "line 3" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct got got = { 0 };
		struct err err;

		if (read_all(str_of(rows[i].yaml), &got, &err) == 0)
			fail_msg("no error in: %s", rows[i].yaml);
		assert_int_equal(err.code, ERR_INPUT);
		if (!str_contains(str_of(err.msg), rows[i].line))
			fail_msg("%s%s instead of %s", rows[i].yaml, err.msg, rows[i].line);
		buf_release(&got.text);
	}
}

static void test_hostile(void **state)
{
	const struct str rows[] = {
		STR("a: &a [*a]\n"),
		STR("a: &a {b: *a}\n"),
		STR("a: &a {<<: *a}\n"),
		STR("a: &a\n  <<: [*a, *a]\n"),
		STR("~: a\n"),
		STR("&a *a\n"),
		STR("*a\n"),
		STR("%YAML 3.0\n---\na\n"),
		STR("%TAG ! x\n%TAG ! y\n---\na\n"),
		STR("{a: 1"),
		STR("["),
		STR("'"),
		STR("\""),
		STR("a: |9999\n x"),
		STR("- ]"),
		STR("? ["),
		STR("!<"),
		STR("&"),
		STR("a\0b: 1"),
		STR("\xfe\xff\0"),
		STR("\xff\xfe"
		    "a"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct got got = { 0 };
		struct err err;

		if (read_all(rows[i], &got, &err) == 0)
			fail_msg("no error in: " STR_FMT, STR_ARG(rows[i]));
		assert_int_equal(err.code, ERR_INPUT);
		buf_release(&got.text);
	}
}

static void test_depth(void **state)
{
	struct buf yaml = { 0 };
	struct got got = { 0 };
	struct err err;

	(void)state;
	for (int i = 0; i < 150; i++)
		buf_add_char(&yaml, '[');
	for (int i = 0; i < 150; i++)
		buf_add_char(&yaml, ']');
	assert_int_equal(read_all(buf_str(&yaml), &got, &err), 0);
	buf_release(&got.text);
	buf_reset(&yaml);
	for (int i = 0; i < 5000; i++)
		buf_add_cstr(&yaml, "[a,");
	assert_int_equal(read_all(buf_str(&yaml), &got, &err), -1);
	assert_int_equal(err.code, ERR_INPUT);
	buf_release(&got.text);
	buf_release(&yaml);
}

/* A billion laughs, by values and by merging: an error, soon and in little memory. */
static void test_alias_bombs(void **state)
{
	static const char *const rows[] = { "a%d: &a%d "
					    "[*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n",
					    "a%d: &a%d {<<: "
					    "[*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]}"
					    "\n" };
	static const char *const leaves[] = { "a0: &a0 [lol]\n", "a0: &a0 {a: lol}\n" };

	(void)state;
	for (size_t row = 0; row < COUNT(rows); row++) {
		struct buf yaml = { 0 }, out = BUF_MAX(MIB(200));
		struct err err = { 0 };

		buf_add_cstr(&yaml, leaves[row]);
		for (int i = 1; i < 13; i++) {
			int p = i - 1;
			char line[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(line, sizeof(line), rows[row], i, i, p, p, p, p, p, p, p, p, p, p);
#pragma GCC diagnostic pop
			buf_add_cstr(&yaml, line);
		}
		assert_int_equal(yaml_first_to_json(buf_str(&yaml), &out, &err), -1);
		assert_int_equal(err.code, ERR_INPUT);
		buf_release(&yaml);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	       cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_fractions),      cmocka_unit_test(test_no_fractions),
		cmocka_unit_test(test_strings),	       cmocka_unit_test(test_tags),
		cmocka_unit_test(test_collections),    cmocka_unit_test(test_keys),
		cmocka_unit_test(test_anchors),	       cmocka_unit_test(test_merge_keys),
		cmocka_unit_test(test_documents),      cmocka_unit_test(test_document_stops),
		cmocka_unit_test(test_first_document), cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_hostile),	       cmocka_unit_test(test_depth),
		cmocka_unit_test(test_alias_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
