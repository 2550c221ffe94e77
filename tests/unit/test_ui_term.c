/* SPDX-License-Identifier: Apache-2.0 */
/* What of the terminal needs none: keys, themes, the clipboard's sequence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "tests/screen/rows.h"
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

/* Faint text is as faint as the terminal likes, with or without colours. */
static void no_text_is_faint(void **state)
{
	(void)state;
	for (int name = 0; name < THEME_COUNT; name++)
		for (int light = 0; light < 2; light++)
			for (int i = 0; i < STYLE_COUNT; i++) {
				const struct theme_style *s = &theme_of((enum theme_name)name, light)->styles[i];

				if (i != STYLE_RULE && ((s->mono | s->attr) & THEME_DIM))
					fail_msg("style %c is faint", style_letter((enum style)i));
			}
}

/* ---- how the colours look to whom ------------------------------------------------ */

typedef double matrix[3][3];

static void multiply(const matrix m, const double *v, double *out)
{
	for (int i = 0; i < 3; i++)
		out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

/* In OKLab, whose distances are those that people see; 100 is black to white. */
static void seen(const matrix eye, uint32_t rgb, double *out)
{
	static const matrix cones = { { 0.4122214708, 0.5363325363, 0.0514459929 },
				      { 0.2119034982, 0.6806995451, 0.1073969566 },
				      { 0.0883024619, 0.2817188376, 0.6299787005 } };
	static const matrix lab = { { 21.04542553, 79.36177850, -0.40720468 },
				    { 197.79984951, -242.85922050, 45.05937099 },
				    { 2.59040371, 78.27717662, -80.86757660 } };
	double linear[3], simulated[3], response[3];

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> (16 - 8 * i) & 255) / 255.0;

		linear[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
	}
	multiply(eye, linear, simulated);
	for (int i = 0; i < 3; i++)
		simulated[i] = fmin(1, fmax(0, simulated[i]));
	multiply(cones, simulated, response);
	for (int i = 0; i < 3; i++)
		response[i] = cbrt(response[i]);
	multiply(lab, response, out);
}

static double distance(const matrix eye, uint32_t a, uint32_t b)
{
	double x[3], y[3];

	seen(eye, a, x);
	seen(eye, b, y);
	return sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
}

/* Full colour vision, and none of the first, second or third kind of cones (Machado and others, 2009). */
static const matrix eyes[] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 }, { 0.004733, 0.691367, 0.303900 } },
};

/* Every two phases, in the table and on the selected row: twice what can just be told apart, and more. */
static void check_apart(const struct theme *theme, enum style a, enum style b)
{
	const struct theme_style *x = &theme->styles[a], *y = &theme->styles[b];

	for (size_t eye = 0; eye < sizeof(eyes) / sizeof(eyes[0]); eye++) {
		double plain = distance(eyes[eye], theme_rgb(x->fg256), theme_rgb(y->fg256));
		double selected = distance(eyes[eye], theme_rgb(x->selected256), theme_rgb(y->selected256));

		if (plain < 5 || selected < 5)
			fail_msg("styles %c and %c on #%06x to eye %zu: %.1f, selected %.1f", style_letter(a), style_letter(b),
				 theme->background, eye, plain, selected);
	}
}

static void colour_blind_people_tell_phases_apart(void **state)
{
	(void)state;
	assert_true(distance(eyes[0], 0x000000, 0xffffff) > 99.9);
	for (int light = 0; light < 2; light++)
		for (int a = 0; a < PHASE_COUNT; a++)
			for (int b = 0; b < a; b++) {
				enum style x = phase_appearance((enum phase)a)->style, y = phase_appearance((enum phase)b)->style;

				if (x != y)
					check_apart(theme_of(THEME_COLOUR_BLIND, light), x, y);
			}
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
		cmocka_unit_test(no_text_is_faint),
		cmocka_unit_test(colour_blind_people_tell_phases_apart),
		cmocka_unit_test(themes_have_names),
		cmocka_unit_test(no_terminal_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
