/* SPDX-License-Identifier: Apache-2.0 */
/* What of the terminal needs none: keys, themes, the clipboard's sequence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <unistd.h>

#include "tui/term/clipboard.h"
#include "tui/term/curses.h"
#include "tui/term/keys.h"
#include "tui/term/theme.h"

static void control_characters_are_keys(void **state)
{
	(void)state;
	assert_int_equal(key_of_rune(13).input, INPUT_ENTER);
	assert_int_equal(key_of_rune(10).input, INPUT_ENTER);
	assert_int_equal(key_of_rune(27).input, INPUT_ESCAPE);
	assert_int_equal(key_of_rune(9).input, INPUT_TAB);
	assert_int_equal(key_of_rune(8).input, INPUT_BACKSPACE);
	assert_int_equal(key_of_rune(127).input, INPUT_BACKSPACE);
	assert_int_equal(key_of_rune(0).input, INPUT_OTHER);
	assert_int_equal(key_of_rune(28).input, INPUT_OTHER);
	assert_true(key_of_rune(3).ctrl && key_of_rune(3).rune == 'c');
	assert_true(key_of_rune(26).ctrl && key_of_rune(26).rune == 'z');
	assert_true(!key_of_rune('z').ctrl && key_of_rune(0x6F22).rune == 0x6F22);
}

static void check_mouse(const char *report, enum input input, int col, int row)
{
	struct key key = { .input = INPUT_NONE };

	assert_int_equal(mouse_parse(str_of(report), &key), input != INPUT_NONE);
	assert_int_equal(key.input, input);
	assert_int_equal(key.col, col);
	assert_int_equal(key.row, row);
}

static void the_mouse_reports(void **state)
{
	struct key key = { .input = INPUT_NONE };

	(void)state;
	check_mouse("0;10;5M", INPUT_CLICK, 9, 4);
	check_mouse("4;300;1M", INPUT_CLICK, 299, 0); /* with Shift */
	check_mouse("64;1;1M", INPUT_WHEEL_UP, 0, 0);
	check_mouse("65;1;2M", INPUT_WHEEL_DOWN, 0, 1);
	check_mouse("0;10;5m", INPUT_NONE, 0, 0);     /* let go */
	check_mouse("35;10;5M", INPUT_NONE, 0, 0);    /* moved */
	check_mouse("2;10;5M", INPUT_NONE, 0, 0);     /* another button */
	check_mouse("0;0;5M", INPUT_NONE, 0, 0);
	check_mouse("0;99999999999999999999;5M", INPUT_NONE, 0, 0);
	check_mouse("0;10M", INPUT_NONE, 0, 0);
	check_mouse("M", INPUT_NONE, 0, 0);
	check_mouse("", INPUT_NONE, 0, 0);
	assert_true(mouse_parse_old(STR(" *%"), &key) && key.input == INPUT_CLICK && key.col == 9 && key.row == 4);
	assert_false(mouse_parse_old(STR("#*%"), &key)); /* let go */
	assert_false(mouse_parse_old(STR(" *"), &key));
}

static void check_clipboard(const char *text, enum clipboard_through through, const char *expected)
{
	struct buf out = { 0 };

	clipboard_sequence(str_of(text), through, &out);
	assert_string_equal(buf_cstr(&out), expected);
	buf_release(&out);
}

static void text_goes_to_the_clipboard(void **state)
{
	(void)state;
	check_clipboard("", CLIPBOARD_DIRECT, "\033]52;c;\a");
	check_clipboard("a", CLIPBOARD_DIRECT, "\033]52;c;YQ==\a");
	check_clipboard("ab", CLIPBOARD_DIRECT, "\033]52;c;YWI=\a");
	check_clipboard("web-0", CLIPBOARD_DIRECT, "\033]52;c;d2ViLTA=\a");
	check_clipboard("\xFF\xFE\xFD", CLIPBOARD_DIRECT, "\033]52;c;//79\a");
	check_clipboard("a", CLIPBOARD_TMUX,
			"\033]52;c;YQ==\a\033Ptmux;\033\033]52;c;YQ==\a\033\\");
	check_clipboard("a", CLIPBOARD_SCREEN, "\033P\033]52;c;YQ==\a\033\\");
}

static void screen_gets_it_in_pieces(void **state)
{
	struct buf text = { 0 }, out = { 0 };
	size_t pieces = 0;

	(void)state;
	for (int i = 0; i < 3000; i++)
		buf_add_char(&text, 'x');
	clipboard_sequence(buf_str(&text), CLIPBOARD_SCREEN, &out);
	for (size_t i = 0; i + 1 < out.len; i++)
		pieces += out.ptr[i] == '\033' && out.ptr[i + 1] == 'P';
	assert_int_equal(pieces, (4000 + 8) / 700 + 1);
	buf_release(&text);
	buf_release(&out);
}

/* Without colours, what is alarming must still stand out. */
static void alarms_stand_out_without_colours(void **state)
{
	static const enum style alarms[] = { STYLE_BAD, STYLE_WARN, STYLE_ALERT, STYLE_TAB, STYLE_PROMPT };
	const struct theme *theme = theme_of(THEME_DARK, false);

	(void)state;
	for (size_t i = 0; i < sizeof(alarms) / sizeof(alarms[0]); i++)
		assert_int_not_equal(theme->styles[alarms[i]].mono, 0);
	assert_int_equal(theme->styles[STYLE_NORMAL].mono, 0);
}

static void check_contrast(const struct theme *theme, enum style style)
{
	const struct theme_style *s = &theme->styles[style];
	uint32_t text = s->fg256 == THEME_DEFAULT ? theme->text : theme_rgb(s->fg256);
	double plain = theme_contrast(text, theme->background);
	double selected = theme_contrast(theme_rgb(s->selected256), theme_rgb(theme->selected_bg));

	assert_in_range(s->fg256 + 1, 0, 256);
	assert_in_range(s->fg8 + 1, 0, 8);
	if (style == STYLE_RULE)
		return;
	if (plain < 4.5 || selected < 4.5)
		fail_msg("style %c on #%06x: %.1f, selected %.1f", style_letter(style), theme->background, plain,
			 selected);
}

/* Every text of every theme, also dim and on the selected row. */
static void text_has_contrast(void **state)
{
	(void)state;
	for (int name = 0; name < THEME_NONE; name++)
		for (int light = 0; light < 2; light++)
			for (int i = 0; i < STYLE_COUNT; i++)
				check_contrast(theme_of((enum theme_name)name, light), (enum style)i);
	assert_true(theme_contrast(0x000000, 0xffffff) > 20.9);
	assert_true(theme_is_light(0xfdf6e3) && !theme_is_light(0x1e1e1e));
}

static void themes_have_names(void **state)
{
	enum theme_name name = THEME_AUTO;

	(void)state;
	assert_true(theme_parse(STR("colour-blind"), &name) && name == THEME_COLOUR_BLIND);
	assert_false(theme_parse(STR("pink"), &name));
	for (int i = 0; i < THEME_COUNT; i++)
		assert_non_null(theme_of((enum theme_name)i, false));
}

/* Tests run without a terminal: that is an error with a hint, not a crash. */
static void no_terminal_is_an_error(void **state)
{
	struct terminal *t = NULL;
	struct err err = { 0 };

	(void)state;
	term_emergency();
	term_close(NULL);
	if (isatty(1))
		skip();
	assert_int_equal(term_open(THEME_AUTO, &t, &err), -1);
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_true(str_contains(str_of(err.hint), "-o table"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_keys),
		cmocka_unit_test(the_mouse_reports),
		cmocka_unit_test(text_goes_to_the_clipboard),
		cmocka_unit_test(screen_gets_it_in_pieces),
		cmocka_unit_test(alarms_stand_out_without_colours),
		cmocka_unit_test(text_has_contrast),
		cmocka_unit_test(themes_have_names),
		cmocka_unit_test(no_terminal_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
