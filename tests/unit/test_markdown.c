/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown for chats: outside of code stand the program's own words alone, whatever a cluster's texts are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>

#include "kube/model/json.h"
#include "tests/screen/stage.h"
#include "tests/unit/hostile.h"
#include "tui/state/state.h"
#include "tui/view/markdown.h"

enum { TEXTS = 20000, WORLDS = 300, MOST = 16 };

/* The section sign is in none of the program's own words. */
static const char *const parts[] = { "`", "`", "`", "``", "`````", " ", " ", "\n", "\r", "\\", "\xC2\xA7", "\xC2\xA7", "@channel", "<!channel>",
				     "![\xC2\xA7](http://h)", "[\xC2\xA7](http://h)", "<b>", "*", "_", "~", "#", "|", "&amp;", "http://h", "\x1b[31m",
				     "\xE2\x80\xAE", "a", NULL };

static size_t ticks_at(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.len && s.ptr[at + n] == '`')
		n++;
	return n;
}

/*
 * Appends what stands outside of code: https://spec.commonmark.org/0.31.2/#code-spans, a run of backticks ends with the next
 * run of the same length.  code: what stands in the last span, without the blank at each end; may be NULL.
 */
static void outside_of_code(struct str s, struct buf *out, struct buf *code)
{
	for (size_t at = 0; at < s.len;) {
		size_t ticks = ticks_at(s, at), begin = at + ticks, end = begin;

		if (!ticks) {
			buf_add_char(out, s.ptr[at++]);
			continue;
		}
		while (end < s.len && ticks_at(s, end) != ticks)
			end += ticks_at(s, end) ? ticks_at(s, end) : 1;
		if (end >= s.len)
			fail_msg("code that does not end: " STR_FMT, STR_ARG(s));
		if (code) {
			bool blanks = s.ptr[begin] == ' ' && s.ptr[end - 1] == ' ' && str_trim((struct str){ s.ptr + begin, end - begin }).len;

			buf_reset(code);
			buf_add(code, (struct str){ s.ptr + begin + blanks, end - begin - 2 * blanks });
		}
		at = end + ticks;
	}
}

static void a_text_stays_in_its_code(void **state)
{
	struct buf text = { 0 }, span = { 0 }, outside = { 0 }, code = { 0 }, clean = { 0 };
	uint64_t random = 1;

	(void)state;
	for (size_t i = 0; i < TEXTS; i++) {
		buf_reset(&span);
		buf_reset(&outside);
		buf_reset(&clean);
		hostile_text(&random, parts, MOST, &text);
		clean_text(&clean, buf_str(&text));
		markdown_code(&span, buf_str(&text));
		outside_of_code(buf_str(&span), &outside, &code);
		assert_int_equal(outside.len, 0);
		assert_true(str_eq(buf_str(&code), buf_str(&clean)));
	}
	markdown_code(&outside, STR_NONE);
	assert_int_equal(outside.len, 0);
	buf_release(&text);
	buf_release(&span);
	buf_release(&outside);
	buf_release(&code);
	buf_release(&clean);
}

static void add_member(struct buf *out, const char *key, uint64_t *random, const char *more)
{
	struct buf text = { 0 };

	hostile_text(random, parts, MOST, &text);
	buf_printf(out, "\"%s\":", key);
	json_quote(out, buf_str(&text), JSON_QUOTE_TERMINAL);
	buf_add_cstr(out, more);
	buf_release(&text);
}

/* A failed object with a name, namespace, kind, reason and message, and one that waits for what does not exist. */
static void add_object(struct buf *yaml, uint64_t *random)
{
	buf_add_cstr(yaml, "{\"apiVersion\":\"example.org/v1\",");
	add_member(yaml, "kind", random, ",\"metadata\":{");
	add_member(yaml, "name", random, ",");
	add_member(yaml, "namespace", random, "},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",");
	add_member(yaml, "reason", random, ",");
	add_member(yaml, "message", random, "}]}}\n---\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{");
	add_member(yaml, "name", random, ",");
	add_member(yaml, "namespace", random, "},\"spec\":{\"containers\":[],\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{");
	add_member(yaml, "claimName", random, "}}]},\"status\":{\"phase\":\"Pending\"}}\n---\n");
}

static void check_own_words(struct buf *copied)
{
	struct buf outside = { 0 };

	assert_true(copied->len > 0);
	outside_of_code(buf_str(copied), &outside, NULL);
	for (const char *c = "\xA7`@<>![]_~#|&\\\r\x1b"; *c; c++)
		if (str_find(buf_str(&outside), *c) < outside.len)
			fail_msg("%c outside of code:\n%s\nof:\n%s", *c, buf_cstr(&outside), buf_cstr(copied));
	assert_false(str_contains(buf_str(&outside), "http"));
	buf_release(&outside);
	buf_reset(copied);
}

static void an_incident_has_own_words_outside_of_code(void **state)
{
	struct buf yaml = { 0 }, copied = { 0 };
	uint64_t random = 7;

	(void)state;
	for (size_t i = 0; i < WORLDS; i++) {
		struct err err = { 0 };
		struct scene scene;
		struct stage s;

		stage_init(&s);
		buf_reset(&yaml);
		for (int k = 0; k < 3; k++)
			add_object(&yaml, &random);
		if (stage_put_text(&s, buf_str(&yaml), &err) < 0)
			fail_msg("%s: %s", err.msg, buf_cstr(&yaml));
		s.header.context = STR("prod`@here` <!channel>");
		s.header.ns = STR("``");
		s.header.link = LINK_RECONNECTING;
		s.header.lost = STR("`@here <!channel>");
		scene = stage_scene(&s);
		markdown_incident(s.ui, &scene, &copied);
		check_own_words(&copied);
		for (struct handle h = store_next(s.store, 0); h.slot; h = store_next(s.store, h.slot + 1))
			if (markdown_object(s.ui, &scene, h, &copied))
				check_own_words(&copied);
		stage_release(&s);
	}
	buf_release(&yaml);
	buf_release(&copied);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_stays_in_its_code),
		cmocka_unit_test(an_incident_has_own_words_outside_of_code),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
