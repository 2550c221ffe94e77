/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to the screen: clipping, widths, hostile text; and how columns are fitted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "kube/base/buf.h"
#include "tests/screen/rows.h"
#include "tui/draw/sanitize.h"
#include "tui/draw/column_widths.h"

static struct canvas make(int rows, int cols)
{
	struct canvas c = { 0 };

	canvas_resize(&c, rows, cols);
	return c;
}

static int put(struct canvas *c, int col, int max, const char *text)
{
	return canvas_put(c, 0, col, max, (struct run){ str_of(text), STYLE_NORMAL });
}

static void check_row(struct canvas *c, int row, const char *expected)
{
	struct buf text = { 0 };

	canvas_text(c, row, &text);
	assert_string_equal(buf_cstr(&text), expected);
	buf_release(&text);
	canvas_release(c);
}

static void check_put(int cols, const char *text, const char *expected)
{
	struct canvas c = make(1, cols);

	put(&c, 0, cols, text);
	check_row(&c, 0, expected);
}

static void text_is_put_and_clipped(void **state)
{
	(void)state;
	check_put(10, "", "");
	check_put(10, "0123456789", "0123456789");
	check_put(10, "0123456789a", "012345678…");
	check_put(1, "ab", "…");
	check_put(10, "trailing  ", "trailing");
}

static void columns_used_are_told(void **state)
{
	struct canvas c = make(2, 10);

	(void)state;
	assert_int_equal(put(&c, 0, 4, "abcdef"), 4);
	assert_int_equal(put(&c, 8, 9, "abcdef"), 2);
	assert_int_equal(put(&c, 10, 9, "x"), 0);
	assert_int_equal(put(&c, -1, 9, "x"), 0);
	assert_int_equal(put(&c, 0, 0, "x"), 0);
	assert_int_equal(put(&c, 0, -5, "x"), 0);
	assert_int_equal(canvas_put(&c, 2, 0, 9, (struct run){ STR("x"), STYLE_NORMAL }), 0);
	assert_int_equal(canvas_put(&c, -1, 0, 9, (struct run){ STR("x"), STYLE_NORMAL }), 0);
	canvas_release(&c);
}

static void wide_characters_take_two_cells(void **state)
{
	struct canvas c = make(1, 6);

	(void)state;
	assert_int_equal(put(&c, 0, 6, "漢字x"), 5);
	assert_int_equal(canvas_cell(&c, 0, 0)->width, 2);
	assert_int_equal(canvas_cell(&c, 0, 1)->width, 0);
	check_row(&c, 0, "漢字x");
	/* Half of one never stands at the edge. */
	check_put(4, "漢字字", "漢…");
	check_put(5, "漢字字", "漢字…");
}

static void half_of_a_wide_character_becomes_a_blank(void **state)
{
	struct canvas c = make(1, 6);

	(void)state;
	put(&c, 0, 6, "漢字");
	put(&c, 1, 1, "x");
	check_row(&c, 0, " x字");
	c = make(1, 6);
	put(&c, 0, 6, "漢字");
	put(&c, 2, 1, "x");
	check_row(&c, 0, "漢x");
	c = make(1, 6);
	put(&c, 0, 6, "a漢");
	put(&c, 0, 6, "漢");
	check_row(&c, 0, "漢");
}

static void accents_join_their_letter(void **state)
{
	struct canvas c = make(1, 6);
	char many[64] = "Z";

	(void)state;
	assert_int_equal(put(&c, 0, 6, "e\xCC\x81x"), 2);
	assert_string_equal(canvas_cell(&c, 0, 0)->utf8, "e\xCC\x81");
	check_row(&c, 0, "e\xCC\x81x");
	/* One without a letter does not reach into the text before. */
	c = make(1, 6);
	put(&c, 0, 1, "a");
	put(&c, 1, 3, "\xCC\x81x");
	assert_string_equal(canvas_cell(&c, 0, 0)->utf8, "a");
	canvas_release(&c);
	/* No more than there is room for. */
	for (int i = 0; i < 20; i++)
		memcpy(many + 1 + 2 * i, "\xCC\x81", 3);
	c = make(1, 6);
	assert_int_equal(put(&c, 0, 6, many), 1);
	assert_true(strlen(canvas_cell(&c, 0, 0)->utf8) < CELL_BYTES);
	canvas_release(&c);
}

static void hostile_text_is_replaced(void **state)
{
	(void)state;
	check_put(20, "\033]52;c;aGk=\a", "\xEF\xBF\xBD]52;c;aGk=\xEF\xBF\xBD");
	check_put(20, "a\nb\tc\rd", "a b c d");
	check_put(20, "x\xC2\x9By", "x\xEF\xBF\xBDy");		 /* C1 */
	check_put(20, "x\xE2\x80\xAEy", "x\xEF\xBF\xBDy");	 /* right-to-left override */
	check_put(20, "x\xE2\x81\xA6y", "x\xEF\xBF\xBDy");	 /* isolate */
	check_put(20, "\xFF\xC3(", "\xEF\xBF\xBD\xEF\xBF\xBD("); /* no UTF-8 */
	check_put(20, "\xE2\x80", "\xEF\xBF\xBD\xEF\xBF\xBD");	 /* cut off */
	check_put(20, "x\x7F", "x\xEF\xBF\xBD");
}

static void ascii_has_stand_ins_of_the_same_width(void **state)
{
	struct canvas c = make(1, 30);

	(void)state;
	c.ascii = true;
	put(&c, 0, 30, "✖ a → b … ▓░ ├─ é 漢 \033");
	check_row(&c, 0, "x a > b ~ #. |- ? ? ?");
	c = make(1, 4);
	c.ascii = true;
	put(&c, 0, 4, "abcdef");
	check_row(&c, 0, "abc~");
}

static void the_middle_can_be_cut_out(void **state)
{
	struct canvas c = make(1, 20);

	(void)state;
	assert_int_equal(
		canvas_put_middle(&c, 0, 0, 11, 5,
				  (struct run){ STR("pod/payment-api-x7f2p"), STYLE_NORMAL }),
		11);
	check_row(&c, 0, "pod/p…x7f2p");
	c = make(1, 20);
	canvas_put_middle(&c, 0, 0, 20, 10, (struct run){ STR("short"), STYLE_NORMAL });
	check_row(&c, 0, "short");
	c = make(1, 20);
	canvas_put_middle(&c, 0, 0, 8, 4, (struct run){ STR("漢字漢字漢字"), STYLE_NORMAL });
	check_row(&c, 0, "漢…漢字");
}

static void styles_and_overlays(void **state)
{
	struct canvas c = make(1, 8);
	struct buf styles = { 0 };

	(void)state;
	canvas_put(&c, 0, 1, 3, (struct run){ STR("abc"), STYLE_BAD });
	canvas_fill(&c, 0, 5, 9, (struct run){ STR("─"), STYLE_RULE });
	canvas_overlay(&c, 0, 0, 8, STYLE_SELECTED);
	canvas_overlay(&c, 0, 2, 1, STYLE_FLASH);
	canvas_styles(&c, 0, &styles);
	assert_string_equal(buf_cstr(&styles), ".bbb.rrr");
	assert_int_equal(canvas_cell(&c, 0, 2)->style, STYLE_BAD | STYLE_FLASH | STYLE_SELECTED);
	assert_int_equal(canvas_cell(&c, 0, 3)->style, STYLE_BAD | STYLE_SELECTED);
	buf_release(&styles);
	check_row(&c, 0, " abc ───");
}

static void the_door_gives_no_control_character(void **state)
{
	char bytes[3];

	(void)state;
	for (int a = 0; a < 256; a++)
		for (int b = 0; b < 256; b++) {
			struct str s = { bytes, 2 };

			bytes[0] = (char)a;
			bytes[1] = (char)b;
			for (size_t at = 0; at < s.len;) {
				uint32_t rune = sanitize_next(s, &at, false);

				assert_true(rune >= 0x20 && (rune < 0x7F || rune > 0x9F));
			}
			for (size_t at = 0; at < s.len;)
				assert_true(sanitize_next(s, &at, true) < 0x7F);
		}
}

/* ---- columns -------------------------------------------------------------------- */

static void columns_get_what_they_want_then_grow(void **state)
{
	const struct column columns[] = {
		{ .min = 4, .want = 10 },
		{ .min = 4, .want = 10, .rank = 1, .grow = 1 },
		{ .min = 4, .want = 10, .rank = 2, .grow = 2, .max = 20 },
	};
	int w[3];

	(void)state;
	layout_columns(columns, 3, 34, 2, w);
	assert_int_equal(w[0], 10);
	assert_int_equal(w[1], 10);
	assert_int_equal(w[2], 10);
	layout_columns(columns, 3, 26, 2, w);
	assert_int_equal(w[0], 10);
	assert_int_equal(w[1], 8);
	assert_int_equal(w[2], 4);
	layout_columns(columns, 3, 100, 2, w);
	assert_int_equal(w[0] + w[1] + w[2], 96);
	assert_int_equal(w[2], 20);
}

static void columns_are_dropped_by_rank(void **state)
{
	const struct column columns[] = {
		{ .min = 10, .want = 10 },
		{ .min = 10, .want = 10, .rank = 2 },
		{ .min = 10, .want = 10, .rank = 1 },
	};
	int w[3];

	(void)state;
	layout_columns(columns, 3, 31, 1, w);
	assert_int_equal(w[1], 0);
	assert_int_equal(w[2], 10);
	layout_columns(columns, 3, 20, 1, w);
	assert_int_equal(w[1], 0);
	assert_int_equal(w[2], 0);
	layout_columns(columns, 3, 3, 1, w);
	assert_in_range(w[0], 0, 3);
}

static void columns_fit_every_width(void **state)
{
	const struct column columns[] = {
		{ .min = 1, .want = 14, .max = 14 },
		{ .min = 12, .want = 200, .max = 60 },
		{ .min = 9, .want = 9, .rank = 2 },
		{ .min = 5, .want = 5, .max = 5, .rank = 1 },
		{ .min = 10, .want = 30, .rank = 4, .grow = 1 },
	};
	int w[5];

	(void)state;
	for (int width = 1; width < 400; width++) {
		int sum = 0, shown = 0;

		layout_columns(columns, 5, width, 2, w);
		for (int i = 0; i < 5; i++) {
			assert_true(w[i] >= 0);
			sum += w[i];
			shown += w[i] > 0;
		}
		assert_true(sum + 2 * (shown - 1) <= width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_put_and_clipped),
		cmocka_unit_test(columns_used_are_told),
		cmocka_unit_test(wide_characters_take_two_cells),
		cmocka_unit_test(half_of_a_wide_character_becomes_a_blank),
		cmocka_unit_test(accents_join_their_letter),
		cmocka_unit_test(hostile_text_is_replaced),
		cmocka_unit_test(ascii_has_stand_ins_of_the_same_width),
		cmocka_unit_test(the_middle_can_be_cut_out),
		cmocka_unit_test(styles_and_overlays),
		cmocka_unit_test(the_door_gives_no_control_character),
		cmocka_unit_test(columns_get_what_they_want_then_grow),
		cmocka_unit_test(columns_are_dropped_by_rank),
		cmocka_unit_test(columns_fit_every_width),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
