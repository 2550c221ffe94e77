/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML that goes out must come back as the same JSON, and look as kubectl's
 * does (sigs.k8s.io/yaml v1.6), also when the text is foreign.
 */
#include "kube/model/kyaml.h"
#include "kube/model/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct json parsed(struct str text)
{
	struct json doc;
	struct err err;

	if (json_parse(text, &doc, &err) < 0)
		fail_msg(STR_FMT ": %s", STR_ARG(text), err.msg);
	return doc;
}

static struct buf yaml_of(struct json doc)
{
	struct buf out = { 0 };

	yaml_from_json(doc, &out);
	return out;
}

static struct buf kyaml_of(struct json doc)
{
	struct buf out = { 0 };

	kyaml_from_json(doc, &out);
	return out;
}

static bool same(struct json a, struct json b)
{
	struct json x = json_first(a), y = json_first(b);
	double difference = json_number(a, "", 0) - json_number(b, "", 0);

	if (json_type(a) != json_type(b) || !str_eq(json_str(a, ""), json_str(b, "")) ||
	    json_bool(a, "", false) != json_bool(b, "", false) || difference > 0 || difference < 0)
		return false;
	for (; x.node && y.node; x = json_next(x), y = json_next(y))
		if (!str_eq(json_key(x), json_key(y)) || !same(x, y))
			return false;
	return !x.node && !y.node;
}

static void check_comes_back(struct str text, struct buf (*print)(struct json doc))
{
	struct json doc = parsed(text), back;
	struct buf yaml = print(doc), json = { 0 };
	struct err err;

	if (yaml_first_to_json(buf_str(&yaml), &json, &err) < 0)
		fail_msg(STR_FMT "\n%s\n%s", STR_ARG(text), buf_cstr(&yaml), err.msg);
	back = parsed(buf_str(&json));
	if (!same(doc, back))
		fail_msg(STR_FMT "\n%s\n%s", STR_ARG(text), buf_cstr(&yaml), buf_cstr(&json));
	json_free(doc);
	json_free(back);
	buf_release(&yaml);
	buf_release(&json);
}

static void check_round_trip(struct str text)
{
	check_comes_back(text, yaml_of);
	check_comes_back(text, kyaml_of);
}

static void check_form(const char *json, const char *yaml, struct buf (*print)(struct json doc))
{
	struct json doc = parsed(str_of(json));
	struct buf out = print(doc);

	if (!str_is(buf_str(&out), yaml))
		fail_msg("%s gives\n%sinstead of\n%s", json, buf_cstr(&out), yaml);
	json_free(doc);
	buf_release(&out);
}

static void check(const char *json, const char *yaml)
{
	check_form(json, yaml, yaml_of);
}

/* ---- as kubectl prints it ------------------------------------------------- */

static void test_shape(void **state)
{
	(void)state;
	check("{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":null}", "a: 1\nb: x\nc: true\nd: null\n");
	check("{\"l\":[1,\"x\",{\"a\":1,\"b\":[]},[2,3]],\"o\":{},\"e\":\"\"}", "l:\n- 1\n- x\n- "
										"a: 1\n  b: []\n- "
										"- 2\n  - 3\no: "
										"{}\ne: \"\"\n");
	check("[]", "[]\n");
	check("{\"m\":\"one\\ntwo\\n\",\"o\":\"one\\ntwo\"}", "m: |\n  one\n  two\no: |-\n  one\n  "
							      "two\n");
	check("{\"u\":\"\\u00fc\\u20ac\"}", "u: \xC3\xBC\xE2\x82\xAC\n");
	check("{\"u\":\"\\ud83d\\ude00\"}",
	      "u: \"\\U0001F600\"\n"); /* libyaml's and go-yaml's choice */
}

static void test_quotes(void **state)
{
	static const char *const quoted[] = { "yes", "y",    "n",    "off", "true", "null",  "~",
					      "123", "0x1f", "0o17", "1e3", ".5",   "1_000", "-7" };
	static const char *const single[] = { "a: b",	"# x", "a #b", "- a", "!x",  "&x",
					      "*x",	"%x",  "@x",   "`x",  "'q'", " lead",
					      "trail ", "{}",  "[]",   ": x", "x:" };
	static const char *const plain[] = { "a",	 "a b",	 "a:b", "a#b", "Running", "a/b",
					     "10.0.0.1", "100m", "1Gi", "v1",  "-a",	  "2.0.0" };
	char json[64], yaml[64];

	(void)state;
	for (size_t i = 0; i < COUNT(quoted); i++) {
		snprintf(json, sizeof(json), "{\"k\":\"%s\"}", quoted[i]);
		snprintf(yaml, sizeof(yaml), "k: \"%s\"\n", quoted[i]);
		check(json, yaml);
	}
	for (size_t i = 0; i < COUNT(single); i++) {
		bool has_quote = strchr(single[i], '\'') != NULL;

		snprintf(json, sizeof(json), "{\"k\":\"%s\"}", single[i]);
		snprintf(yaml, sizeof(yaml), "k: '%s'\n", has_quote ? "''q''" : single[i]);
		check(json, yaml);
	}
	for (size_t i = 0; i < COUNT(plain); i++) {
		snprintf(json, sizeof(json), "{\"k\":\"%s\"}", plain[i]);
		snprintf(yaml, sizeof(yaml), "k: %s\n", plain[i]);
		check(json, yaml);
	}
}

/* As kubectl v1.36 prints these with -o kyaml; a tab is escaped, which it is not there. */
static void test_kyaml(void **state)
{
	(void)state;
	check_form("{\"a\":1.50,\"b\":\"x\",\"c\":true,\"d\":null,\"o\":{},\"l\":[]}",
		   "---\n{\n  a: 1.50,\n  b: \"x\",\n  c: true,\n  d: null,\n  o: {},\n  l: [],\n}\n", kyaml_of);
	check_form("{\"l\":[{\"a\":1},{\"b\":2},[3]]}", "---\n{\n  l: [{\n    a: 1,\n  }, {\n    b: 2,\n  }, [\n    3,\n  ]],\n}\n", kyaml_of);
	check_form("[1,\"t\",[2],{\"c\":{}}]", "---\n[\n  1,\n  \"t\",\n  [\n    2,\n  ],\n  {\n    c: {},\n  },\n]\n", kyaml_of);
	check_form("{\"m\":\"x\\n  two\\n\\nthree\",\"k\":\"\\n\"}",
		   "---\n{\n  m: \"\\\n     x\\n\\\n    \\  two\\n\\\n     \\n\\\n     three\\\n    \",\n"
		   "  k: \"\\\n     \\n\\\n    \",\n}\n", kyaml_of);
	check_form("{\"-x\":1,\"1\":1,\"a.b/c\":1,\"a_b\":1,\"inf\":1,\"t\":1,\"yes\":1,\"2026-01-01\":1,\"\":1,\"a b\":1}",
		   "---\n{\n  \"-x\": 1,\n  \"1\": 1,\n  a.b/c: 1,\n  a_b: 1,\n  \"inf\": 1,\n  \"t\": 1,\n  \"yes\": 1,\n"
		   "  \"2026-01-01\": 1,\n  \"\": 1,\n  \"a b\": 1,\n}\n", kyaml_of);
	check_form("[\"\\u00a0\\u2028\\u0000\\u001b\\u200b\\t\\\"\\\\\\u202e\\udb40\\udc41\\u00e9\"]",
		   "---\n[\n  \"\\_\\L\\0\\e\\u200b\\t\\\"\\\\\\u202e\\U000e0041\xC3\xA9\",\n]\n", kyaml_of);
}

/* What other readers of YAML 1.1 take for a time, a base 60 number or a float. */
static void test_quotes_for_others(void **state)
{
	static const char *const quoted[] = { "2026-11-20T09:00:00Z",
					      "2026-11-20",
					      "1:20",
					      ".inf",
					      "-.Inf",
					      ".nan",
					      "0X1F",
					      "1_000.5" };
	char json[64], yaml[64];

	(void)state;
	for (size_t i = 0; i < COUNT(quoted); i++) {
		snprintf(json, sizeof(json), "{\"k\":\"%s\"}", quoted[i]);
		snprintf(yaml, sizeof(yaml), "k: \"%s\"\n", quoted[i]);
		check(json, yaml);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	check("[0,-5,1.5,9007199254740992,1e20]", "- 0\n- -5\n- 1.5\n- 9007199254740992\n- "
						  "1e+20\n");
	check("[1763629200123456789,9007199254740993,0.10000000000000000001,1e999,1.50]",
	      "- 1763629200123456789\n- 9007199254740993\n- 0.10000000000000000001\n- 1e999\n- 1.50\n");
	check("[0.1,0.25,99.9,1.5e-7]", "- 0.1\n- 0.25\n- 99.9\n- 1.5e-07\n");
}

/* Invisible ones are escaped, and so is a NUL. */
static void test_hostile_texts(void **state)
{
	(void)state;
	check("[\"a\\u202eb\",\"\xC3\xA4\"]", "- \"a\\u202Eb\"\n- \"\\xE4\"\n");
	check("[\"a\\udb40\\udc41\"]", "- \"a\\U000E0041\"\n");
	check("{\"\\u200b\":1}", "\"\\u200B\": 1\n");
	check("[\"a\\u0000z\",\"\\u001b\",\"\\u009b\",\"\xC3\xA4\"]",
	      "- \"a\\0z\"\n- \"\\e\"\n- \"\\x9B\"\n- \xC3\xA4\n");
}

/* ---- back and forth ------------------------------------------------------- */

static void test_round_trip(void **state)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"[[],{},[[{}]]]",
		"null",
		"\"\"",
		"\"x\"",
		"7",
		"{\"\":1}",
		"{\"a b\":1,\"yes\":2,\"1\":3,\"~\":4}",
		"[0.1,1e-9,123456789.125,-0.5,1e300]",
		"[\" \",\"  a\",\"a  \",\"\\n\",\"\\n\\n\",\"a\\n\",\"\\na\",\" a\\nb\",\"a "
		"\\nb\",\"a\\n b\",\"a\\n\\n\"]",
		"[\"a\\tb\",\"\\ta\",\"a\\t\",\"\\t\",\"a\\r\\nb\",\"a\\rb\",\"\\u0001\","
		"\"a\\u001bb\\nc\",\"\\u007f\",\"\\u0085\"]",
		"[\"\\u2028\",\"a\\u2029b\",\"\\ufeff\",\"\\ufeffa\",\"\\ufffd\","
		"\"\\ud83d\\ude00\",\"\\u00a0\",\"\\ue000\"]",
		"[\"---\",\"...\",\"--- a\",\"- \",\"-\",\"?\",\"? "
		"a\",\":\",\",\",\"a,b\",\"a]\",\"}\",\"#\",\"<<\",\"=\",\"!\",\"|\",\">\"]",
		"[\"'\",\"''\",\"\\\"\",\"\\\\\",\"a'b\\\"c\",\"\\\\n\",\"it's: "
		"\\\"x\\\"\",\"`\",\"@\",\"%\"]",
		"{\"multi\\nline\":1,\": \":2,\"- \":3,\"<<\":{\"a\":1},\"'\":4,\"#\":5,\"{\":6}",
		"{\"a\":\"%s\",\"d\":\"{{ .x }}\",\"e\":\"${y}\",\"f\":\"line\\n  "
		"indented\\n\\nend  \\n\"}",
		"{\"c\":\"{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"Pod\\\"}\\n\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_round_trip(str_of(rows[i]));
}

static void test_round_trip_long(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add_cstr(&b, "{\"");
	for (int i = 0; i < 300; i++)
		buf_add_cstr(&b, "key");
	buf_add_cstr(&b, "\":\"");
	for (int i = 0; i < 3000; i++)
		buf_printf(&b, "word%d ", i);
	buf_add_cstr(&b, "\",\"deep\":");
	for (int i = 0; i < 150; i++)
		buf_add_cstr(&b, i % 2 ? "[" : "{\"k\":");
	buf_add_cstr(&b, "1");
	for (int i = 149; i >= 0; i--)
		buf_add_char(&b, i % 2 ? ']' : '}');
	buf_add_char(&b, '}');
	check_round_trip(buf_str(&b));
	buf_release(&b);
}

/* Strings of letters that mean something to YAML, from a fixed seed. */
static void test_round_trip_random(void **state)
{
	static const char letters[] = "aA0 1-:#'\"\\{}[],&*!|>%@`?~._=+xeo\n\n\t  ";
	uint32_t seed = 20261120;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct buf b = { 0 };
		size_t n;

		seed = seed * 1664525u + 1013904223u;
		n = seed >> 28;
		buf_add_cstr(&b, round % 2 ? "{\"" : "[\"");
		for (size_t i = 0; i <= n; i++) {
			char c;

			seed = seed * 1664525u + 1013904223u;
			c = letters[(seed >> 16) % (sizeof(letters) - 1)];
			if (c == '"' || c == '\\')
				buf_printf(&b, "\\%c", c);
			else if (c < ' ')
				buf_printf(&b, "\\u%04x", (unsigned)c);
			else
				buf_add_char(&b, c);
		}
		buf_add_cstr(&b, round % 2 ? "\":0}" : "\"]");
		check_round_trip(buf_str(&b));
		buf_release(&b);
	}
}

/* ---- foreign text ---------------------------------------------------------- */

/* Bytes that are no UTF-8 are replaced; what stands around them stays. */
static void test_no_utf8(void **state)
{
	struct json doc = parsed(STR("{\"a\":\"x\xff"
				     "y\",\"b\":{\"k\xc3\":1},\"c\":\"\xed\xa0\x80\",\"d\":"
				     "\"after\"}")),
		    back;
	struct buf yaml = yaml_of(doc), json = { 0 };
	struct err err = { 0 };

	(void)state;
	if (yaml_first_to_json(buf_str(&yaml), &json, &err) < 0)
		fail_msg("%s\n%s", buf_cstr(&yaml), err.msg);
	back = parsed(buf_str(&json));
	assert_true(str_starts(json_str(back, "a"), "x") && str_ends(json_str(back, "a"), "y"));
	assert_int_equal(json_count(json_at(back, "b")), 1);
	assert_true(json_has(back, "c"));
	assert_true(str_is(json_str(back, "d"), "after"));
	json_free(doc);
	json_free(back);
	buf_release(&yaml);
	buf_release(&json);
}

/* A ceiling of the buffer is kept; what does not fit is dropped. */
static void test_ceiling(void **state)
{
	struct json doc = parsed(STR("{\"a\":\"0123456789\",\"b\":\"0123456789\"}"));
	struct buf out = BUF_MAX(10);

	(void)state;
	yaml_from_json(doc, &out);
	assert_true(out.failed && out.len <= 10);
	yaml_from_json(JSON_NONE, &out);
	json_free(doc);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_kyaml),
		cmocka_unit_test(test_quotes_for_others),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_hostile_texts),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_long),
		cmocka_unit_test(test_round_trip_random),
		cmocka_unit_test(test_no_utf8),
		cmocka_unit_test(test_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
