/* SPDX-License-Identifier: Apache-2.0 */
/* The report's parts: what may stand in HTML, the chart as SVG, times in words, phases of several objects as one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "plugin/output/blocks.h"
#include "plugin/output/chart.h"
#include "plugin/output/html.h"
#include "plugin/output/when.h"
#include "plugin/past/phase_log.h"
#include "tests/unit/hostile.h"

enum { TEXTS = 20000, MOST = 12 };

#define NINE ((int64_t)1795165200000)	/* 2026-11-20T09:00:00Z */

static const char *const pieces[] = { "<", ">", "&", "\"", "'", "`", "&lt;", "&#60;", "</code>", "</title>", "]]>", "-->", "<!--", "<script>", "\n", "\t",
				      "\r", "\x1b", "\x7f", "\xC2\x85", "\xE2\x80\xAE", "\xE2\x80\x8B", "\xF3\xA0\x81\x81", "\xFF", "\xC0\x80", "\xED\xA0\x80",
				      "\xC3\xA4", "\xE6\xBC\xA2", "a", " ", NULL };

/* Takes what html_text() wrote back to the text. */
static void read_back(struct str html, struct buf *out)
{
	static const struct {
		const char *reference;
		char is;
	} references[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&#39;", '\'' }, { "&#96;", '`' } };

	while (html.len) {
		size_t i = 0;

		while (html.ptr[0] == '&' && i < 6 && !str_starts(html, references[i].reference))
			i++;
		assert_true(html.ptr[0] != '&' || i < 6);	/* every "&" begins a reference of ours */
		buf_add_char(out, html.ptr[0] == '&' ? references[i].is : html.ptr[0]);
		html = str_from(html, html.ptr[0] == '&' ? strlen(references[i].reference) : 1);
	}
}

static void html_cannot_be_left(void **state)
{
	struct buf text = { 0 }, html = { 0 }, back = { 0 }, clean = { 0 };
	uint64_t random = 1;

	(void)state;
	for (int n = 0; n < TEXTS; n++) {
		hostile_text(&random, pieces, MOST, &text);
		buf_reset(&html);
		buf_reset(&back);
		buf_reset(&clean);
		html_text(buf_str(&text), &html);
		for (size_t i = 0; i < html.len; i++)
			assert_null(strchr("<>\"'`", html.ptr[i]));
		for (size_t at = 0; at < html.len;) {
			uint32_t rune = utf8_next(buf_str(&html), &at);

			assert_true(rune == '\n' || rune == '\t' || !utf8_hostile(rune));
		}
		read_back(buf_str(&html), &back);
		for (size_t at = 0; at < text.len;) {
			uint32_t rune = utf8_next(buf_str(&text), &at);
			char bytes[4];

			if (utf8_hostile(rune) && rune != '\n' && rune != '\t')
				rune = 0xFFFD;
			buf_add(&clean, (struct str){ bytes, utf8_put(rune, bytes) });
		}
		assert_string_equal(buf_cstr(&back), buf_cstr(&clean));
	}
	buf_release(&text);
	buf_release(&html);
	buf_release(&back);
	buf_release(&clean);
}

static void has(const struct buf *b, const char *part)
{
	if (!str_contains(buf_str(b), part))
		fail_msg("\"%s\" is not in %s", part, buf_cstr(b));
}

static void has_not(const struct buf *b, const char *part)
{
	if (str_contains(buf_str(b), part))
		fail_msg("\"%s\" is in %s", part, buf_cstr(b));
}

static void a_chart_is_drawn(void **state)
{
	const struct chart_bar bars[] = {
		{ .from = NINE, .to = NINE + SECONDS(20), .phase = PHASE_READY, .word = STR("Ready"), .open = true },
		{ .from = NINE + SECONDS(20), .to = NINE + SECONDS(90), .phase = PHASE_FAILED, .word = STR("Failed") },
		{ .from = NINE + SECONDS(90), .to = NINE + SECONDS(91), .phase = PHASE_COUNT, .word = STR("missing") },
	};
	const int64_t marks[] = { NINE + SECONDS(10) };
	const struct chart_row row = { .name = STR("a<b>\"]]>"), .where = STR("&ns"), .cause = true, .bars = bars, .nbars = 3, .marks = marks, .nmarks = 1, .more = 7 };
	struct gap gap = { NINE + SECONDS(50), NINE + SECONDS(60) };
	const struct chart chart = { .from = NINE, .to = NINE + SECONDS(100), .rows = &row, .nrows = 1, .gaps = { &gap, 1, 1 } };
	struct arena a = { 0 };
	struct buf out = { 0 };

	(void)state;
	chart_html(&chart, &out);
	has(&out, "<svg role=\"img\" aria-labelledby=\"t0 d0\"");
	has(&out, "<title id=\"t0\">a&lt;b&gt;&quot;]]&gt;</title>");
	has(&out, "<desc id=\"d0\">Ready until 09:00:20, Failed 09:00:20 to 09:01:30, missing 09:01:30 to 09:01:31</desc>");
	has(&out, "class=\"f-failed\" y=\"3\" height=\"18\" x=\"20.00%\" width=\"70.00%\"");
	has(&out, "✖ Failed</text>");
	has_not(&out, "missing</text>");	/* there is no room for the word */
	has(&out, "class=\"f-absent\" y=\"3\" height=\"18\" x=\"90.00%\" width=\"1.00%\"");
	has(&out, "class=\"gap\" y=\"18\" height=\"100%\" x=\"50.00%\" width=\"10.00%\"");
	has(&out, "<title>changed 09:00:10</title><circle class=\"mark\" r=\"4\" cy=\"12\" cx=\"10.00%\"/>");
	has(&out, "and 7 more that it blocked");
	has(&out, "gap: nothing was recorded");
	has_not(&out, "<b>");
	has_not(&out, "&ns");
	buf_release(&out);
	arena_release(&a);
}

static void ticks_are_few_and_even(void **state)
{
	(void)state;
	for (int64_t length = 1; length < HOURS(24 * 4000); length = length * 3 / 2 + 7) {
		struct arena a = { 0 };
		size_t n;
		const int64_t *ticks = chart_ticks(NINE + 123, NINE + 123 + length, &a, &n);

		assert_true(n <= 6 && (n >= 2 || length < SECONDS(3)));
		for (size_t i = 0; i < n; i++) {
			assert_true(ticks[i] >= NINE + 123 && ticks[i] <= NINE + 123 + length);
			assert_true(i < 2 || ticks[i] - ticks[i - 1] == ticks[1] - ticks[0]);
		}
		arena_release(&a);
	}
}

static void is(struct str s, const char *expected)
{
	char text[64] = "";

	memcpy(text, s.ptr, s.len < sizeof(text) ? s.len : sizeof(text) - 1);
	assert_string_equal(text, expected);
}

static void times_in_words(void **state)
{
	struct arena a = { 0 };

	(void)state;
	is(when_clock(NINE + 4999, NINE, &a), "09:00:04");
	is(when_clock(NINE - HOURS(24), NINE, &a), "2026-11-19 09:00:00");
	is(when_day(NINE, &a), "20 Nov 2026");
	is(when_lasted(-5, &a), "0 s");
	is(when_lasted(999, &a), "0 s");
	is(when_lasted(SECONDS(59), &a), "59 s");
	is(when_lasted(MINUTES(1), &a), "1 min");
	is(when_lasted(MINUTES(21) + SECONDS(26), &a), "21 min 26 s");
	is(when_lasted(HOURS(2) + MINUTES(5) + SECONDS(3), &a), "2 h 5 min");
	is(when_lasted(HOURS(24 * 323) + HOURS(9), &a), "323 d 9 h");
	arena_release(&a);
}

static void the_worst_of_several_counts(void **state)
{
	const struct phase_step one[] = { { .time = 10, .phase = PHASE_READY }, { .time = 30, .phase = PHASE_FAILED }, { .time = 50, .phase = PHASE_COUNT } };
	const struct phase_step two[] = { { .time = 20, .phase = PHASE_WAITING }, { .time = 40, .phase = PHASE_READY } };
	const struct phase_course courses[] = { { one, 3 }, { two, 2 } };
	const struct phase_step expected[] = { { 10, PHASE_READY, false }, { 20, PHASE_WAITING, false }, { 30, PHASE_FAILED, false }, { 50, PHASE_READY, false } };
	struct arena a = { 0 };
	struct phase_course worst = phase_course_worst(courses, 2, &a);

	(void)state;
	assert_int_equal(worst.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(worst.steps[i].time, expected[i].time);
		assert_int_equal(worst.steps[i].phase, expected[i].phase);
	}
	assert_int_equal(phase_course_worst(courses, 0, &a).n, 0);
	arena_release(&a);
}

static void both_forms_have_the_same_blocks(void **state)
{
	struct arena a = { 0 };
	struct blocks b = { .arena = &a };
	struct buf html = { 0 }, markdown = { 0 };

	(void)state;
	blocks_add(&b, BLOCK_TITLE);
	blocks_name(&b, STR("pod/`x`"));
	blocks_own(&b, STR(" blocked 2"));
	blocks_add(&b, BLOCK_SECTION);
	blocks_own(&b, STR("Root causes"));
	blocks_add(&b, BLOCK_CAUSE)->tone = TONE_BAD;
	blocks_phase(&b, PHASE_FAILED);
	blocks_add(&b, BLOCK_FACT)->label = "reason";
	blocks_text(&b, STR("<i>\n# no"));
	blocks_add(&b, BLOCK_COMMAND);
	blocks_text(&b, STR("kubectl get pod"));
	blocks_add(&b, BLOCK_ROW);
	blocks_time(&b, STR("09:00:00"), NINE);
	blocks_cell(&b);
	blocks_name(&b, STR("pod/x"));
	blocks_cell(&b);
	blocks_cell(&b);
	blocks_own(&b, STR("gone"));
	blocks_html(&b, &html);
	blocks_markdown(&b, &markdown);
	has(&html, "<title>pod/&#96;x&#96; blocked 2</title>");
	has(&html, "<h1><code>pod/&#96;x&#96;</code> blocked 2</h1>");
	has(&html, "<article class=\"bad\">\n<h3><span class=\"phase w-failed\">✖ Failed</span></h3>\n<dl>\n<dt>reason</dt><dd><code>&lt;i&gt;\n# no</code></dd>\n</dl>\n"
		   "<pre>kubectl get pod</pre>");
	has(&html, "<li><span><time datetime=\"2026-11-20T09:00:00Z\">09:00:00</time></span> <span><code>pod/x</code></span> <span></span> <span>gone</span></li>");
	has(&html, "</ol>\n</article>\n</section>\n</main>");
	assert_string_equal(buf_cstr(&markdown), "# `` pod/`x` `` blocked 2\n\n## Root causes\n\n### **✖ Failed**\n\n* reason: `<i> # no`\n\n`kubectl get pod`\n\n"
						 "* 09:00:00 `pod/x` gone\n");
	buf_release(&html);
	buf_release(&markdown);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(html_cannot_be_left),	  cmocka_unit_test(a_chart_is_drawn),		 cmocka_unit_test(ticks_are_few_and_even),
		cmocka_unit_test(times_in_words),	  cmocka_unit_test(the_worst_of_several_counts), cmocka_unit_test(both_forms_have_the_same_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
