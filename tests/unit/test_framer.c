/* SPDX-License-Identifier: Apache-2.0 */
/* The framer must give the same pieces wherever the network cuts the bytes. */
#include "kube/base/alloc.h"
#include "kube/base/limits.h"
#include "kube/model/framer.h"
#include "kube/model/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Pieces, each followed by a newline. */
struct got {
	struct buf pieces;
	int count, stop_after;
};

static int on_piece(void *ctx, struct str piece, struct err *err)
{
	struct got *got = ctx;

	buf_add(&got->pieces, piece);
	buf_add_char(&got->pieces, '\n');
	got->count++;
	if (got->stop_after && got->count == got->stop_after)
		return err_set(err, ERR_GONE, "enough");
	return 0;
}

static const struct framer_ops ops = { .piece = on_piece };

struct sample {
	const char *name;
	enum framer_mode mode;
	const char *in, *pieces, *envelope;
};

static const struct sample samples[] = {
	{ "empty list", FRAMER_LIST, "{\"kind\":\"PodList\",\"items\":[]}", "",
	  "{\"kind\":\"PodList\",\"items\":[]}" },
	{ "items before metadata", FRAMER_LIST,
	  "{\"items\":[{\"a\":1},{\"b\":[{}]}],\"metadata\":{\"continue\":\"x\"}}", "{\"a\":1}\n{\"b\":[{}]}\n",
	  "{\"items\":[],\"metadata\":{\"continue\":\"x\"}}" },
	{ "null items", FRAMER_LIST, "{\"items\":null,\"kind\":\"L\"}", "", "{\"items\":null,\"kind\":\"L\"}" },
	{ "items is an object", FRAMER_LIST, "{\"items\":{\"a\":{}}}", "", "{\"items\":{\"a\":{}}}" },
	{ "items of scalars", FRAMER_LIST, "{\"items\":[1,\"a]\",null,{\"a\":2}]}", "{\"a\":2}\n", "{\"items\":[]}" },
	{ "deeper items are no pieces", FRAMER_LIST, "{\"x\":{\"items\":[{}]},\"items\":[{\"items\":[{}]}]}",
	  "{\"items\":[{}]}\n", "{\"x\":{\"items\":[{}]},\"items\":[]}" },
	{ "brackets and quotes in strings", FRAMER_LIST, "{\"items\":[{\"a\":\"]}\\\"{[\\\\\"},{\"b\":\"\\\\\\\"\"}]}",
	  "{\"a\":\"]}\\\"{[\\\\\"}\n{\"b\":\"\\\\\\\"\"}\n", "{\"items\":[]}" },
	{ "an error instead of a list", FRAMER_LIST, "{\"kind\":\"Status\",\"code\":403}", "",
	  "{\"kind\":\"Status\",\"code\":403}" },
	{ "white space everywhere", FRAMER_LIST, " { \"items\" : [ { \"a\" : 1 } , { } ] , \"k\" : \"v\" } \n ",
	  "{ \"a\" : 1 }\n{ }\n", " { \"items\" : [] , \"k\" : \"v\" } \n " },
	{ "managedFields last", FRAMER_LIST,
	  "{\"items\":[{\"metadata\":{\"name\":\"a\",\"managedFields\":[{\"f:x\":{\"}\":[1,2]}}]},\"s\":1}]}",
	  "{\"metadata\":{\"name\":\"a\"},\"s\":1}\n", "{\"items\":[]}" },
	{ "managedFields first", FRAMER_LIST,
	  "{\"items\":[{\"metadata\":{\"managedFields\":[{}],\"name\":\"a\"},\"s\":1}]}",
	  "{\"metadata\":{\"name\":\"a\"},\"s\":1}\n", "{\"items\":[]}" },
	{ "managedFields between", FRAMER_LIST,
	  "{\"items\":[{\"metadata\":{\"uid\":\"u\",\"managedFields\":[{}],\"name\":\"a\"}}]}",
	  "{\"metadata\":{\"uid\":\"u\",\"name\":\"a\"}}\n", "{\"items\":[]}" },
	{ "managedFields alone", FRAMER_LIST, "{\"items\":[{\"metadata\":{\"managedFields\":[{\"a\":1}]}}]}",
	  "{\"metadata\":{}}\n", "{\"items\":[]}" },
	{ "managedFields twice", FRAMER_LIST,
	  "{\"items\":[{\"metadata\":{\"a\":1,\"managedFields\":[],\"managedFields\":null,\"b\":2}}]}",
	  "{\"metadata\":{\"a\":1,\"b\":2}}\n", "{\"items\":[]}" },
	{ "managedFields pretty-printed", FRAMER_LIST,
	  "{\"items\": [{\"metadata\": {\n  \"a\": 1,\n  \"managedFields\": [\n ],\n  \"b\": 2\n}}]}",
	  "{\"metadata\": {\n  \"a\": 1,\n  \"b\": 2\n}}\n", "{\"items\": []}" },
	{ "managedFields elsewhere stay", FRAMER_LIST,
	  "{\"items\":[{\"managedFields\":1,\"spec\":{\"metadata\":{\"managedFields\":[2]}}}]}",
	  "{\"managedFields\":1,\"spec\":{\"metadata\":{\"managedFields\":[2]}}}\n", "{\"items\":[]}" },
	{ "a value called managedFields stays", FRAMER_LIST,
	  "{\"items\":[{\"metadata\":{\"name\":\"managedFields\",\"finalizers\":[\"managedFields\",\"b\"]}}]}",
	  "{\"metadata\":{\"name\":\"managedFields\",\"finalizers\":[\"managedFields\",\"b\"]}}\n",
	  "{\"items\":[]}" },
	{ "last-applied-configuration", FRAMER_LIST,
	  "{\"items\":[{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":"
	  "\"{\\\"a\\\":[}\",\"x\":\"y\"}}}]}",
	  "{\"metadata\":{\"annotations\":{\"x\":\"y\"}}}\n", "{\"items\":[]}" },
	{ "metadata is no object", FRAMER_LIST, "{\"items\":[{\"metadata\":[\"managedFields\",{}]},{\"metadata\":7}]}",
	  "{\"metadata\":[\"managedFields\",{}]}\n{\"metadata\":7}\n", "{\"items\":[]}" },
	{ "stream of events", FRAMER_STREAM,
	  "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"managedFields\":[],\"name\":\"a\"}}}\n"
	  "{\"type\":\"BOOKMARK\",\"object\":{}}\n",
	  "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n{\"type\":\"BOOKMARK\",\"object\":{}}\n",
	  "" },
	{ "stream without newlines", FRAMER_STREAM, "{\"a\":1}{\"b\":2} [3]\t{}", "{\"a\":1}\n{\"b\":2}\n[3]\n{}\n",
	  "" },
	{ "stream of objects", FRAMER_STREAM, "{\"metadata\":{\"managedFields\":[1],\"name\":\"a\"}}",
	  "{\"metadata\":{\"name\":\"a\"}}\n", "" },
	{ "multi-byte text", FRAMER_STREAM, "{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\u20ac\"}",
	  "{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\u20ac\"}\n", "" },
};

enum { NSAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void check(const struct sample *s, struct framer *f, struct got *got)
{
	struct err err = { 0 };
	struct str envelope;

	if (framer_end(f, &err) < 0)
		fail_msg("%s: %s", s->name, err.msg);
	if (strcmp(buf_cstr(&got->pieces), s->pieces) != 0)
		fail_msg("%s: pieces are\n%s", s->name, buf_cstr(&got->pieces));
	envelope = framer_envelope(f);
	if (!str_is(envelope, s->envelope))
		fail_msg("%s: envelope is " STR_FMT, s->name, STR_ARG(envelope));
}

static void feed(struct framer *f, struct str bytes)
{
	struct err err = { 0 };

	if (framer_feed(f, bytes, &err) < 0)
		fail_msg("%s", err.msg);
}

static void test_split_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < NSAMPLES; i++) {
		struct str in = str_of(samples[i].in);

		for (size_t at = 0; at <= in.len; at++) {
			struct got got = { 0 };
			struct framer *f = framer_new(samples[i].mode, &ops, &got);

			feed(f, str_head(in, at));
			feed(f, str_from(in, at));
			check(&samples[i], f, &got);
			framer_free(f);
			buf_release(&got.pieces);
		}
	}
}

static void test_byte_by_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < NSAMPLES; i++) {
		struct str in = str_of(samples[i].in);
		struct got got = { 0 };
		struct framer *f = framer_new(samples[i].mode, &ops, &got);

		for (size_t at = 0; at < in.len; at++)
			feed(f, (struct str){ in.ptr + at, 1 });
		check(&samples[i], f, &got);
		framer_free(f);
		buf_release(&got.pieces);
	}
}

static void test_pieces_are_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < NSAMPLES; i++) {
		struct got got = { 0 };
		struct framer *f = framer_new(samples[i].mode, &ops, &got);
		struct str rest, line;

		feed(f, str_of(samples[i].in));
		framer_free(f);
		if (str_contains(buf_str(&got.pieces), ",\n") || str_contains(buf_str(&got.pieces), "{\n")) {
			buf_release(&got.pieces);
			continue; /* pretty-printed: a piece has several lines */
		}
		rest = buf_str(&got.pieces);
		while (str_split(&rest, '\n', &line) && line.len) {
			struct json doc;
			struct err err = { 0 };

			if (json_parse(line, &doc, &err) < 0)
				fail_msg("%s: %s", samples[i].name, err.msg);
			json_free(doc);
		}
		buf_release(&got.pieces);
	}
}

/* Returns the error code of feeding in, in one go. */
static enum errc refused(enum framer_mode mode, const char *in)
{
	struct got got = { 0 };
	struct framer *f = framer_new(mode, &ops, &got);
	struct err err = { 0 };

	if (framer_feed(f, str_of(in), &err) == 0)
		err.code = framer_end(f, &err) < 0 ? err.code : ERR_NONE;
	framer_free(f);
	buf_release(&got.pieces);
	return err.code;
}

static void test_refusals(void **state)
{
	static const struct {
		enum framer_mode mode;
		const char *in;
	} bad[] = {
		{ FRAMER_LIST, "" }, { FRAMER_LIST, "   " }, { FRAMER_LIST, "[]" },
		{ FRAMER_LIST, "{" }, { FRAMER_LIST, "{\"items\":[{}" }, { FRAMER_LIST, "{\"items\":[{}]" },
		{ FRAMER_LIST, "{\"items\":[}" }, { FRAMER_LIST, "{]" }, { FRAMER_LIST, "{}}" },
		{ FRAMER_LIST, "{}{}" }, { FRAMER_LIST, "{} x" }, { FRAMER_LIST, "null" },
		{ FRAMER_LIST, "<html>" }, { FRAMER_LIST, "{\"a\":\"b" }, { FRAMER_LIST, "{\"a\":\"b\\" },
		{ FRAMER_STREAM, "{" }, { FRAMER_STREAM, "{\"a\":\"" }, { FRAMER_STREAM, "}" },
		{ FRAMER_STREAM, "[}" }, { FRAMER_STREAM, "{}garbage" }, { FRAMER_STREAM, "\"a\"" },
		{ FRAMER_STREAM, "<html>" }, { FRAMER_STREAM, "12" },
		/* what is cut off, and goes on with something else */
		{ FRAMER_STREAM, "{\n{}}" }, { FRAMER_STREAM, "{\"a\"\n{}}" }, { FRAMER_STREAM, "{\"a\":1\n{}}" },
		{ FRAMER_STREAM, "{\"a\":\"b\n\"}" }, { FRAMER_STREAM, "{\"a\":\"b\\\n\"}" }, { FRAMER_STREAM, "[{}\n{}]" },
		{ FRAMER_LIST, "{\"items\":[{}{}]}" }, { FRAMER_LIST, "{\"items\":[{},]}" }, { FRAMER_LIST, "{,}" },
		{ FRAMER_LIST, "{\"a\"}" }, { FRAMER_LIST, "{\"a\":}" }, { FRAMER_LIST, "{\"a\" \"b\"}" }, { FRAMER_LIST, "{1:2}" },
		{ FRAMER_LIST, "{\"a\":1 2}" }, { FRAMER_LIST, "{\"a\":[1 2]}" }, { FRAMER_LIST, "{\"a\"::1}" }, { FRAMER_LIST, "{\"a\":[,1]}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (refused(bad[i].mode, bad[i].in) != ERR_PROTO)
			fail_msg("accepted: %s", bad[i].in);
	assert_int_equal(refused(FRAMER_STREAM, ""), ERR_NONE);
}

/* Puts n brackets of that kind in place of each "<", and those that close them in place of ">". */
static void deepen(const char *in, size_t n, struct buf *out)
{
	for (; *in; in++)
		for (size_t i = 0; i < (*in == '<' || *in == '>' ? n : 1); i++)
			buf_add_char(out, *in == '<' ? '[' : *in == '>' ? ']' : *in);
}

#define DEEP_NOTE "\"kubectl-status/unread\":\"it is nested deeper than 200\""

/* What is too deep is reduced to what names it, wherever its metadata stands; all others are whole. */
static void test_too_deep(void **state)
{
	static const struct sample deep[] = {
		{ "metadata before", FRAMER_LIST,
		  "{\"items\":[{\"a\":1},{\"kind\":\"K\",\"metadata\":{\"labels\":{\"x\":\"y\"},\"name\":\"n\"},\"s\":<1>},{\"b\":2}]}",
		  "{\"a\":1}\n{\"kind\":\"K\",\"metadata\":{\"name\":\"n\"}," DEEP_NOTE "}\n{\"b\":2}\n", "{\"items\":[]}" },
		{ "metadata behind", FRAMER_LIST,
		  "{\"items\":[{\"s\":{\"x\":<\"]}\\\"\">},\"kind\":\"K\",\"metadata\":{\"managedFields\":<>,\"name\":\"n\",\"uid\":[1]}},{}]}",
		  "{\"kind\":\"K\",\"metadata\":{\"name\":\"n\"}," DEEP_NOTE "}\n{}\n", "{\"items\":[]}" },
		{ "no metadata", FRAMER_LIST, "{\"items\":[{\"s\":<>}]}", "{" DEEP_NOTE "}\n", "{\"items\":[]}" },
		{ "no object", FRAMER_LIST, "{\"items\":[<>,{}]}", "{" DEEP_NOTE "}\n{}\n", "{\"items\":[]}" },
		{ "metadata is no object", FRAMER_LIST, "{\"items\":[{\"metadata\":<>}]}", "{" DEEP_NOTE "}\n", "{\"items\":[]}" },
		{ "an event", FRAMER_STREAM,
		  "{\"type\":\"MODIFIED\",\"object\":{\"spec\":<>,\"metadata\":{\"name\":\"n\"}}}\n{\"type\":\"ADDED\",\"object\":{}}\n",
		  "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"n\"}," DEEP_NOTE "}}\n{\"type\":\"ADDED\",\"object\":{}}\n", "" },
		{ "an event without an object", FRAMER_STREAM, "{\"type\":\"MODIFIED\",\"object\":<>}", "{\"type\":\"MODIFIED\"," DEEP_NOTE "}\n", "" },
		{ "an object in a file", FRAMER_STREAM, "{\"metadata\":{\"name\":\"n\"},\"spec\":<>}", "{\"metadata\":{\"name\":\"n\"}," DEEP_NOTE "}\n", "" },
		{ "what is left out may be deep", FRAMER_LIST, "{\"items\":[{\"metadata\":{\"managedFields\":<1>,\"name\":\"n\"},\"s\":1}]}",
		  "{\"metadata\":{\"name\":\"n\"},\"s\":1}\n", "{\"items\":[]}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++) {
		struct buf in = { 0 };

		deepen(deep[i].in, LIMIT_DEPTH + 7, &in);
		for (size_t step = 1; step <= in.len; step = step < 3 ? step + 1 : step * 2 + 1) {
			struct got got = { 0 };
			struct framer *f = framer_new(deep[i].mode, &ops, &got);

			for (size_t at = 0; at < in.len; at += step)
				feed(f, str_head(str_from(buf_str(&in), at), step));
			check(&deep[i], f, &got);
			framer_free(f);
			buf_release(&got.pieces);
		}
		buf_release(&in);
	}
}

/* What the server itself writes around the items is no object, and brackets are counted up to a ceiling. */
static void test_too_deep_for_all(void **state)
{
	struct buf in = { 0 };

	(void)state;
	deepen("{\"x\":<", LIMIT_DEPTH, &in);
	assert_int_equal(refused(FRAMER_LIST, buf_cstr(&in)), ERR_PROTO);
	buf_reset(&in);
	deepen("{\"items\":[<", LIMIT_BRACKETS, &in);
	assert_int_equal(refused(FRAMER_LIST, buf_cstr(&in)), ERR_PROTO);
	buf_reset(&in);
	deepen("{\"items\":[{\"s\":<}}]}", LIMIT_DEPTH, &in);
	assert_int_equal(refused(FRAMER_LIST, buf_cstr(&in)), ERR_PROTO);
	buf_release(&in);
}

/* A piece that has the form of JSON, and is none. */
static void test_no_json(void **state)
{
	static const struct {
		const char *piece, *read;	/* NULL: nothing */
	} cases[] = {
		{ "{\"metadata\":{\"name\":\"n\"},\"s\":01}", "n" },
		{ "{\"s\":\"\\ud800\",\"metadata\":{\"name\":\"n\"}}", "n" },
		{ "{\"s\":\"a\nb\",\"metadata\":{\"name\":\"n\"}}", "n" },
		{ "{\"s\":nonsense,\"metadata\":{\"name\":\"n\"}}", "n" },
		{ "{\"metadata\":{\"name\":nonsense}}", NULL },
		{ "{", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str piece = str_of(cases[i].piece);
		struct buf reduced = { 0 };
		struct json doc = JSON_NONE;

		assert_int_equal(framer_read(&piece, &reduced, &doc), cases[i].read ? 0 : -1);
		if (cases[i].read) {
			assert_true(str_is(json_str(doc, "metadata.name"), cases[i].read));
			assert_true(str_starts(json_str(json_member(doc, STR(FRAMER_UNREAD)), ""), "not JSON at byte"));
			json_free(doc);
		}
		buf_release(&reduced);
	}
}

/* Feeds head, then fill until n bytes of it went in; returns the code. */
static enum errc flood(const char *head, char fill, size_t n, int *out_pieces)
{
	struct got got = { 0 };
	struct framer *f = framer_new(FRAMER_LIST, &ops, &got);
	char block[4096];
	struct err err = { 0 };
	int rc = framer_feed(f, str_of(head), &err);

	memset(block, fill, sizeof(block));
	for (size_t fed = 0; rc == 0 && fed < n; fed += sizeof(block))
		rc = framer_feed(f, (struct str){ block, sizeof(block) }, &err);
	*out_pieces = got.count;
	framer_free(f);
	buf_release(&got.pieces);
	return rc < 0 ? err.code : ERR_NONE;
}

static void test_too_large(void **state)
{
	int pieces;

	(void)state;
	assert_int_equal(flood("{\"items\":[{\"a\":\"", 'x', LIMIT_OBJECT / 2, &pieces), ERR_NONE);
	assert_int_equal(flood("{\"items\":[{\"a\":\"", 'x', 2 * LIMIT_OBJECT, &pieces), ERR_NONE);
	assert_int_equal(flood("{\"items\":[{\"a\":\"", 'x', 2 * LIMIT_SKIPPED, &pieces), ERR_PROTO);
	assert_int_equal(flood("{\"a\":\"", 'x', 2 * LIMIT_ENVELOPE, &pieces), ERR_PROTO);
	/* what is left out takes no memory, so it may be of any size */
	assert_int_equal(flood("{\"items\":[{\"metadata\":{\"managedFields\":\"", 'x', 2 * LIMIT_OBJECT, &pieces),
			 ERR_NONE);
	assert_int_equal(pieces, 0);
}

/* Its name is kept, also where it stands behind what is too large. */
static void test_too_large_has_a_name(void **state)
{
	struct got got = { 0 };
	struct framer *f = framer_new(FRAMER_LIST, &ops, &got);
	static char block[MIB(1)];

	(void)state;
	memset(block, 'x', sizeof(block));
	feed(f, STR("{\"items\":[{\"spec\":{\"a\":\""));
	for (size_t fed = 0; fed <= LIMIT_OBJECT; fed += sizeof(block))
		feed(f, (struct str){ block, sizeof(block) });
	feed(f, STR("\"},\"metadata\":{\"namespace\":\"s\",\"name\":\"n\"}},{\"b\":1}]}"));
	assert_string_equal(buf_cstr(&got.pieces), "{\"metadata\":{\"namespace\":\"s\",\"name\":\"n\"},\"kubectl-status/unread\":"
			    "\"it is larger than 32 MiB\"}\n{\"b\":1}\n");
	framer_free(f);
	buf_release(&got.pieces);
}

static void test_piece_stops(void **state)
{
	struct got got = { .stop_after = 2 };
	struct framer *f = framer_new(FRAMER_STREAM, &ops, &got);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(framer_feed(f, STR("{}{}{}"), &err), -1);
	assert_int_equal(err.code, ERR_GONE);
	assert_int_equal(got.count, 2);
	framer_free(f);
	buf_release(&got.pieces);
}

static void test_reset(void **state)
{
	struct got got = { 0 };
	struct framer *f = framer_new(FRAMER_LIST, &ops, &got);
	struct err err = { 0 };

	(void)state;
	feed(f, STR("{\"items\":[{\"a\":\"half"));
	framer_reset(f);
	feed(f, STR("{\"items\":[{\"b\":1}]}"));
	assert_int_equal(framer_end(f, &err), 0);
	assert_string_equal(buf_cstr(&got.pieces), "{\"b\":1}\n");
	framer_free(f);
	buf_release(&got.pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split_everywhere), cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_pieces_are_json),	 cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_too_deep),	 cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_too_deep_for_all), cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_too_large_has_a_name),
		cmocka_unit_test(test_piece_stops),	 cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests_name("framer", tests, NULL, NULL);
}
