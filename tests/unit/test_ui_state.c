/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the user interface that have rules of their own: keys, filter, order, observation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <locale.h>

#include "kube/base/alloc.h"
#include "kube/graph/past.h"
#include "tests/screen/stage.h"
#include "tui/state/filter.h"
#include "tui/state/observe.h"
#include "tui/state/sort.h"
#include "tui/view/place.h"
#include "tui/view/timeline.h"
#include "tui/words/text.h"
#include "tui/words/words.h"

/* ---- the table of actions -------------------------------------------------------- */

static void keys_have_names(void **state)
{
	struct key key = key_parse(STR("C-d"));

	(void)state;
	assert_true(key.input == INPUT_RUNE && key.ctrl && key.rune == 'd');
	key = key_parse(STR("é"));
	assert_true(key.input == INPUT_RUNE && !key.ctrl && key.rune == 0xE9);
	assert_int_equal(key_parse(STR("PgDn")).input, INPUT_PAGE_DOWN);
	assert_int_equal(key_parse(STR("Space")).rune, ' ');
	key = key_parse(STR("F8"));
	assert_true(key.input == INPUT_FUNCTION && key.rune == 8);
	assert_false(key_same(&key, &(struct key){ .input = INPUT_FUNCTION, .rune = 9 }));
	assert_int_equal(key_parse(STR("F")).rune, 'F');
	assert_int_equal(key_parse(STR("F13")).input, INPUT_NONE);
	assert_int_equal(key_parse(STR("")).input, INPUT_NONE);
	assert_int_equal(key_parse(STR("Hyper")).input, INPUT_NONE);
	assert_int_equal(key_parse(STR("C-")).input, INPUT_NONE);
}

/* A key means one thing in a place, and every name in the table is one. */
static void every_key_of_the_table_finds_its_action(void **state)
{
	size_t n;
	const struct action_row *rows = action_rows(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct str keys = str_of(rows[i].keys), name;

		assert_true(rows[i].text[0]);
		while (str_split(&keys, ' ', &name)) {
			struct key key = key_parse(name);

			assert_int_not_equal(key.input, INPUT_NONE);
			for (unsigned where = 1; where < 1u << VIEW_COUNT; where <<= 1)
				if (rows[i].where & where)
					assert_int_equal(action_of_key(NULL, where, &key),
							 rows[i].action);
		}
	}
}

static void every_action_does_something(void **state)
{
	struct stage s;
	size_t n;
	const struct action_row *rows = action_rows(&n);

	(void)state;
	stage_init(&s);
	for (size_t i = 0; i < n; i++) {
		struct scene scene = stage_scene(&s);

		ui_act(s.ui, &scene, rows[i].action);
		stage_paint(&s);
		assert_null(ui_wrong(s.ui));
	}
	stage_release(&s);
}

/* ---- filter ------------------------------------------------------------------------ */

static bool matches(const char *filter)
{
	const struct str fields[] = { STR("Server/web-0"), STR("edge"), STR("Waiting for Port/web-0") };
	struct summary nobody = { 0 };
	struct arena a = { 0 };
	struct stage s;
	struct scene scene;
	bool does;

	stage_init(&s);
	scene = stage_scene(&s);
	does = filter_line(filter_compile(str_of(filter), &scene, &a), &nobody, fields, 3);
	arena_release(&a);
	stage_release(&s);
	return does;
}

static void filters_are_words(void **state)
{
	(void)state;
	assert_true(matches(""));
	assert_true(matches("   "));
	assert_true(matches("WEB"));
	assert_true(matches("server edge port"));
	assert_true(matches("edge  server"));
	assert_false(matches("server shop"));
	assert_false(matches("!server"));
	assert_true(matches("server !shop"));
	assert_true(matches("!"));
	assert_false(matches("serverweb"));
	assert_false(matches("web-0edge"));
}

/* ---- words --------------------------------------------------------------------------- */

static void check_age(int64_t seconds, const char *expected)
{
	struct arena a = { 0 };
	struct str age = words_age(SECONDS(1000000000), SECONDS(1000000000 + seconds), &a);

	assert_true(str_is(age, expected));
	arena_release(&a);
}

static void ages_have_one_unit(void **state)
{
	struct arena a = { 0 };

	(void)state;
	check_age(-5, "0s");
	check_age(0, "0s");
	check_age(59, "59s");
	check_age(60, "1m");
	check_age(3599, "59m");
	check_age(3600, "1h");
	check_age(48 * 3600 - 1, "47h");
	check_age(48 * 3600, "2d");
	check_age(729LL * 86400, "729d");
	check_age(3LL * 365 * 86400, "3y");
	assert_int_equal(words_age(0, SECONDS(5), &a).len, 0);
	arena_release(&a);
}

static void counts_and_bars(void **state)
{
	struct arena a = { 0 };

	(void)state;
	assert_true(str_is(words_count(0, &a), "0"));
	assert_true(str_is(words_count(1204, &a), "1 204"));
	assert_true(str_is(words_count(1000000, &a), "1 000 000"));
	assert_true(str_is(words_bar(52, &a), "▓▓▓▓▓░░░░░ 52 %"));
	assert_true(str_is(words_bar(-1, &a), "░░░░░░░░░░ 0 %"));
	assert_true(str_is(words_bar(1e300, &a), "▓▓▓▓▓▓▓▓▓▓ 100 %"));
	assert_true(str_is(words_bar(0.0 / 0.0, &a), "░░░░░░░░░░ 0 %"));
	arena_release(&a);
}

/* ---- text ----------------------------------------------------------------------------- */

static void long_text_is_wrapped_at_blanks(void **state)
{
	struct arena a = { 0 };
	struct lines l = { .arena = &a };
	const struct text indent = { STR(" x  "), STR("    "), STYLE_NORMAL };

	(void)state;
	lines_wrap(&l, STR("one two three four\nfive \nsixseveneightnineteneleven"), indent, 14);
	assert_int_equal(l.n, 6);
	assert_true(str_is(l.all[0].cells[1].str, "one two"));
	assert_true(str_is(l.all[0].cells[0].str, " x  "));
	assert_true(str_is(l.all[1].cells[0].str, "    "));
	assert_true(str_is(l.all[1].cells[1].str, "three four"));
	assert_true(str_is(l.all[2].cells[1].str, "five"));
	assert_true(str_is(l.all[3].cells[1].str, "sixsevenei"));
	arena_release(&a);
}

static void wrapping_ends_on_any_text(void **state)
{
	static const char *const texts[] = { "",	 "\n",	     "\n\n",
					     " ",	 "        ", "漢字漢字漢字漢字漢字",
					     "\xFF\xFE", "a\xCC" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int width = -3; width < 20; width++) {
			struct arena a = { 0 };
			struct lines l = { .arena = &a };

			lines_wrap(&l, str_of(texts[i]),
				   (struct text){ STR_NONE, STR_NONE, STYLE_NORMAL }, width);
			assert_in_range(l.n, 0, 20);
			arena_release(&a);
		}
}

/* ---- observation ------------------------------------------------------------------------ */

static void put_widget(struct stage *s, int i, bool ready, const char *reason)
{
	struct buf yaml = { 0 };
	struct err err = { 0 };

	buf_printf(
		&yaml,
		"apiVersion: example.org/v1\nkind: Widget\n"
		"metadata: {name: w%d, namespace: a, creationTimestamp: \"2026-11-20T08:00:00Z\"}\n"
		"status: {conditions: [{type: Ready, status: \"%s\", reason: %s, "
		"lastTransitionTime: \"2026-11-20T08:30:00Z\"}]}\n",
		i, ready ? "True" : "False", reason);
	assert_int_equal(stage_put_text(s, buf_str(&yaml), &err), 0);
	buf_release(&yaml);
}

static struct str name_of(const struct observer *o, struct stage *s, size_t i)
{
	struct scene scene = stage_scene(s);

	return observe_name(observe_transition(o, &scene, i), &scene, &s->texts);
}

static struct str words_of(const struct observer *o, struct stage *s, size_t i)
{
	struct scene scene = stage_scene(s);

	return observe_words(observe_transition(o, &scene, i), &s->texts);
}

static int64_t time_of(const struct observer *o, struct stage *s, size_t i)
{
	struct scene scene = stage_scene(s);

	return observe_transition(o, &scene, i)->time;
}

static void changes_are_noted_once_the_lists_are_complete(void **state)
{
	struct observer o = { 0 };
	struct stage s;
	struct scene scene;

	(void)state;
	stage_init(&s);
	s.header.lists_done = 1;
	put_widget(&s, 1, true, "Fine");
	scene = stage_scene(&s);
	observe_scan(&o, &scene, false);
	put_widget(&s, 2, true, "Fine");
	observe_scan(&o, &scene, false);
	assert_int_equal(o.count, 0);
	assert_int_equal(o.total, 2);
	s.header.lists_done = s.header.lists_total;
	observe_scan(&o, &scene, false);
	put_widget(&s, 3, true, "Fine");
	put_widget(&s, 1, false, "Broken");
	scene.now += SECONDS(1);
	observe_scan(&o, &scene, false);
	assert_int_equal(o.count, 2);
	assert_true(str_is(name_of(&o, &s, 0), "widget/w1"));
	assert_true(str_starts(words_of(&o, &s, 0), "Ready → "));
	assert_true(str_starts(words_of(&o, &s, 1), "appeared"));
	assert_true(observe_flashes(&o, stage_find(&s, STR("Widget/w1")), scene.now));
	assert_false(observe_flashes(&o, stage_find(&s, STR("Widget/w2")), scene.now));
	assert_false(
		observe_flashes(&o, stage_find(&s, STR("Widget/w1")), scene.now + SECONDS(10)));
	observer_release(&o);
	stage_release(&s);
}

static void what_vanished_leaves_a_tombstone_for_a_while(void **state)
{
	struct observer o = { 0 };
	struct stage s;
	struct scene scene;
	struct handle h;

	(void)state;
	stage_init(&s);
	put_widget(&s, 1, false, "Broken");
	scene = stage_scene(&s);
	observe_scan(&o, &scene, false);
	h = stage_find(&s, STR("Widget/w1"));
	assert_null(observe_tombstone(&o, h));
	stage_delete(&s, STR("Widget/w1"));
	observe_scan(&o, &scene, false);
	assert_non_null(observe_tombstone(&o, h));
	assert_true(str_is(observe_gone_id(&o, s.store, observe_tombstone(&o, h)).name, "w1"));
	/* A new one of that name is another one. */
	put_widget(&s, 1, true, "Fine");
	observe_scan(&o, &scene, false);
	assert_null(observe_tombstone(&o, stage_find(&s, STR("Widget/w1"))));
	assert_false(observe_expire(&o, scene.now + SECONDS(20)));
	assert_true(observe_expire(&o, scene.now + SECONDS(40)));
	assert_null(observe_tombstone(&o, h));
	observer_release(&o);
	stage_release(&s);
}

static void the_ring_and_the_graveyard_are_bounded(void **state)
{
	struct observer o = { 0 };
	struct stage s;
	struct scene scene;
	size_t oldest;

	(void)state;
	stage_init(&s);
	scene = stage_scene(&s);
	observe_scan(&o, &scene, false);
	for (int round = 0; round < 2000; round++) {
		s.now += SECONDS(1);
		for (int i = 0; i < 100; i++)
			put_widget(&s, i, false, round % 2 ? "Odd" : "Even");
		scene = stage_scene(&s);
		observe_scan(&o, &scene, false);
		assert_true(journal_size(graph_journal(s.graph)) <= JOURNAL_CEILING);
		if (round == 300)
			assert_true(time_of(&o, &s, 0) <= scene.now - SECONDS(299)); /* 30,000 of them */
	}
	oldest = observe_oldest(&o, &scene);
	assert_true(oldest > 0 && o.count - oldest > 40000 && o.cap < 300000);
	assert_true(time_of(&o, &s, o.count - 1) == scene.now);
	assert_true(time_of(&o, &s, oldest) < time_of(&o, &s, o.count - 1));
	assert_true(journal_texts(observe_transition(&o, &scene, oldest)).ns.len > 0);
	for (int i = 0; i < 100; i++) {
		struct buf id = { 0 };

		buf_printf(&id, "Widget/w%d", i);
		assert_true(stage_delete(&s, buf_str(&id)));
		buf_release(&id);
	}
	observe_scan(&o, &scene, false);
	assert_int_equal(o.ntombs, TOMBSTONES);
	assert_int_equal(o.total, 0);
	observer_release(&o);
	stage_release(&s);
}

/* No server has names of 17 MB, a recording may: the moment keeps the beginning, and is not dropped while it is made. */
static void a_name_beyond_all_moments(void **state)
{
	struct observer o = { 0 };
	struct buf yaml = { 0 };
	struct stage s;
	struct scene scene;
	struct err err = { 0 };

	(void)state;
	stage_init(&s);
	scene = stage_scene(&s);
	s.header.lists_done = s.header.lists_total;
	observe_scan(&o, &scene, false);
	buf_add_cstr(&yaml, "apiVersion: example.org/v1\nkind: Widget\nmetadata:\n  namespace: a\n  name: ");
	while (yaml.len < JOURNAL_CEILING + MIB(1))
		buf_add_cstr(&yaml, "n\303\244m\303\244");
	buf_add_char(&yaml, '\n');
	assert_int_equal(stage_put_text(&s, buf_str(&yaml), &err), 0);
	observe_scan(&o, &scene, false);
	assert_int_equal(o.count, 1);
	assert_in_range(name_of(&o, &s, 0).len, TRANSITION_NAME - 1, TRANSITION_NAME);
	assert_true(journal_size(graph_journal(s.graph)) <= 2 * TRANSITION_NAME);
	buf_release(&yaml);
	observer_release(&o);
	stage_release(&s);
}

/* ---- order, and what plugin asks ----------------------------------------------------------- */

static void lists_are_sorted(void **state)
{
	struct stage s;
	struct handle handles[4];
	enum sort sort = SORT_WORST;

	(void)state;
	stage_init(&s);
	put_widget(&s, 2, true, "Fine");
	put_widget(&s, 1, true, "Fine");
	put_widget(&s, 3, false, "Broken");
	for (int i = 0; i < 3; i++) {
		char id[32];

		snprintf(id, sizeof(id), "Widget/w%d", i + 1);
		handles[i] = stage_find(&s, str_of(id));
	}
	handles[3] = (struct handle){ handles[0].slot, handles[0].gen + 7 };
	sort_handles(s.graph, s.store, handles, 4, SORT_WORST);
	assert_true(str_is(store_node_id(s.store, handles[0].slot).name, "w3"));
	assert_true(str_is(store_node_id(s.store, handles[1].slot).name, "w1"));
	assert_false(store_alive(s.store, handles[3]));
	sort_handles(s.graph, s.store, handles, 4, SORT_NAME);
	assert_true(str_is(store_node_id(s.store, handles[0].slot).name, "w1"));
	assert_true(str_is(store_node_id(s.store, handles[2].slot).name, "w3"));
	assert_true(sort_parse(STR("Newest"), &sort));
	assert_int_equal(sort, SORT_NEWEST);
	assert_true(sort_parse(STR("{.metadata.creationTimestamp}"), &sort));
	assert_int_equal(sort, SORT_AGE);
	assert_false(sort_parse(STR("colour"), &sort));
	stage_release(&s);
}

static void wants_follow_the_tab(void **state)
{
	struct stage s;
	struct handle h, widget_handle;
	struct key enter = key_parse(STR("Enter")), six = key_parse(STR("6")),
		   seven = key_parse(STR("7"));
	struct key esc = key_parse(STR("Esc"));

	(void)state;
	stage_init(&s);
	put_widget(&s, 1, false, "Broken");
	widget_handle = stage_find(&s, STR("Widget/w1"));
	assert_int_equal(ui_wants(s.ui, &h), WANT_NOTHING);
	stage_key(&s, &enter);
	assert_int_equal(ui_view(s.ui), VIEW_DETAIL);
	assert_int_equal(ui_wants(s.ui, &h), WANT_NOTHING);
	stage_key(&s, &six);
	assert_int_equal(ui_wants(s.ui, &h), WANT_EVENTS);
	assert_int_equal(h.slot, widget_handle.slot);
	stage_key(&s, &seven);
	assert_int_equal(ui_wants(s.ui, &h), WANT_YAML);
	assert_true(s.effects & EFFECT_FETCH);
	stage_key(&s, &esc);
	assert_int_equal(ui_wants(s.ui, &h), WANT_NOTHING);
	stage_release(&s);
}

static bool not_w2(const void *ctx, struct handle h)
{
	const struct stage *s = ctx;

	return !str_is(store_node_id(s->store, h.slot).name, "w2");
}

static void type_text(struct stage *s, const char *text)
{
	struct key key = { .input = INPUT_RUNE };

	for (; *text; text++) {
		key.rune = (unsigned char)*text;
		stage_key(s, &key);
		stage_paint(s);
	}
}

/* A longer filter is asked only of what passed the shorter one: letter by letter finds what the whole finds. */
static void filters_narrow_and_widen(void **state)
{
	static const struct {
		const char *shorter, *longer;
		bool narrows;
	} rows[] = {
		{ "we", "web", true },	  { "web", "web red", true },	 { "web ", "web !a", true },
		{ "", "web", false },	  { "web", "we", false },	 { "!a", "!ab", false },
		{ "web !a", "web !ab", false }, { "phase", "phase:failed", false }, { "web", "cob", false },
	};
	struct stage s;
	struct key backspace = { .input = INPUT_BACKSPACE };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(filter_narrows(str_of(rows[i].shorter), str_of(rows[i].longer)), rows[i].narrows);
	stage_init(&s);
	for (int i = 0; i < 30; i++)
		put_widget(&s, i, i % 2 == 0, i % 3 ? "Fine" : "Broken");
	stage_paint(&s);
	type_text(&s, "/w1");
	assert_int_equal((int)s.ui->matching, 11);
	type_text(&s, " brok");
	assert_int_equal((int)s.ui->matching, 3); /* w12, w15, w18 */
	put_widget(&s, 10, false, "Broken");
	s.now += SECONDS(1);
	type_text(&s, "e");
	assert_int_equal((int)s.ui->matching, 4);
	for (int i = 0; i < 6; i++)
		stage_key(&s, &backspace);
	stage_paint(&s);
	assert_int_equal((int)s.ui->matching, 11);
	type_text(&s, " !fine");
	assert_int_equal((int)s.ui->matching, 4);
	stage_release(&s);
}

/* Among many objects what is typed is on the screen before the list, which is there in the next picture. */
static void typing_is_shown_before_the_list(void **state)
{
	struct key key = { .input = INPUT_RUNE };
	struct buf yaml = { 0 }, foot = { 0 };
	struct err err = { 0 };
	struct stage s;

	(void)state;
	stage_init(&s);
	for (int i = 0; i < 5000; i++)
		buf_printf(&yaml, "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w%d, namespace: a}\n---\n", i);
	assert_int_equal(stage_put_text(&s, buf_str(&yaml), &err), 0);
	stage_paint(&s);
	type_text(&s, "/");
	assert_false(ui_lags(s.ui));
	key.rune = 'w';
	stage_key(&s, &key);
	key.rune = '7';
	stage_key(&s, &key);
	stage_paint(&s);
	canvas_text(&s.canvas, 23, &foot);
	assert_non_null(strstr(buf_cstr(&foot), "/w7"));
	assert_true(ui_lags(s.ui));
	stage_paint(&s);
	assert_false(ui_lags(s.ui));
	assert_int_equal((int)s.ui->matching, 111); /* 7, 70 to 79, 700 to 799 */
	/* Another key than a letter acts on the list, so it has to be there. */
	key.rune = '4';
	stage_key(&s, &key);
	key = (struct key){ .input = INPUT_ENTER };
	stage_key(&s, &key);
	assert_int_equal((int)s.ui->matching, 11);
	buf_release(&yaml);
	buf_release(&foot);
	stage_release(&s);
}

static void put_many(struct stage *s, int n)
{
	struct buf yaml = { 0 };
	struct err err = { 0 };

	for (int i = 0; i < n; i++)
		buf_printf(&yaml, "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w%d, namespace: a}\n---\n", i);
	assert_int_equal(stage_put_text(s, buf_str(&yaml), &err), 0);
	buf_release(&yaml);
}

static bool a_key_waits(const void *ctx)
{
	return *(const bool *)ctx;
}

/* A list that takes long is put off when a key comes in; what was there stays until the next one is whole. */
static void a_key_puts_the_table_off(void **state)
{
	struct key letter = { .input = INPUT_RUNE, .rune = '7' }, escape = { .input = INPUT_ESCAPE };
	struct stage s;
	struct scene scene;
	bool waits = true;
	size_t before;

	(void)state;
	stage_init(&s);
	put_many(&s, 6000);
	stage_paint(&s);
	before = s.ui->lines.n;
	assert_true(before > 0);
	type_text(&s, "/");
	stage_key(&s, &letter);
	scene = stage_scene(&s);
	scene.interrupted = a_key_waits;
	scene.interrupted_ctx = &waits;
	ui_refresh(s.ui, &scene); /* what was typed */
	for (int i = 0; i < 3; i++) {
		ui_refresh(s.ui, &scene);
		assert_true(ui_lags(s.ui));
		assert_int_equal((int)s.ui->lines.n, (int)before);
		assert_null(ui_wrong(s.ui));
	}
	/* A key that acts on the list waits for it. */
	ui_key(s.ui, &scene, &(struct key){ .input = INPUT_DOWN });
	assert_int_equal((int)s.ui->matching, 1626);
	stage_key(&s, &escape);
	stage_paint(&s);
	waits = false;
	ui_refresh(s.ui, &scene);
	assert_false(ui_lags(s.ui));
	assert_int_equal((int)s.ui->lines.n, (int)before);
	stage_release(&s);
}

/* A scan that a key interrupts goes on where it was; what is there is not new because it is looked at late. */
static void a_key_puts_the_scan_off(void **state)
{
	struct stage s;
	struct scene scene;
	bool waits = true;
	unsigned calls = 0;
	uint32_t from;
	const uint32_t *slots;
	size_t n;

	(void)state;
	stage_init(&s);
	put_many(&s, 6000);
	stage_paint(&s);
	assert_int_equal((int)s.ui->observer.total, 6000);
	scene = stage_scene(&s);
	scene.interrupted = a_key_waits;
	scene.interrupted_ctx = &waits;
	ui_key(s.ui, &scene, &(struct key){ .input = INPUT_RUNE, .rune = '0' });
	ui_refresh(s.ui, &scene); /* the answer */
	assert_int_equal((int)s.ui->observer.total, 0);
	while (s.ui->changed && calls++ < 100) {
		ui_refresh(s.ui, &scene);
		assert_true(ui_lags(s.ui) || !s.ui->changed);
		if (calls == 2) { /* of those that it has left behind */
			from = s.ui->observer.scan_from;
			put_widget(&s, 1, false, "Broken");
			slots = graph_changed(s.graph, &n);
			s.ui->observer.scan_from = from;
			ui_changed_slots(s.ui, slots, n);
		}
	}
	assert_true(calls > 3 && calls < 10);
	assert_int_equal((int)s.ui->observer.total, 6000);
	assert_int_equal((int)s.ui->observer.by_phase[PHASE_FAILED], 1);
	assert_int_equal((int)s.ui->observer.count, 1); /* that change, and nobody "appeared" */
	waits = false;
	ui_refresh(s.ui, &scene);
	assert_false(ui_lags(s.ui));
	stage_release(&s);
}

/* What a key does is painted before a long table whose objects changed is built anew. */
static void a_move_is_shown_before_the_table(void **state)
{
	struct stage s;
	size_t before;

	(void)state;
	stage_init(&s);
	put_many(&s, 6000);
	type_text(&s, "s");	/* a row for each */
	stage_paint(&s);
	stage_paint(&s);
	before = s.ui->places[0].selected;
	ui_dirty(s.ui);
	stage_key(&s, &(struct key){ .input = INPUT_DOWN });
	stage_paint(&s);
	assert_true(ui_lags(s.ui));
	assert_int_equal(s.ui->places[0].selected, before + (s.ui->lines.n > before + 1));
	stage_paint(&s);
	assert_false(ui_lags(s.ui));
	stage_release(&s);
}

/* Back from another view the long table is there at once, as it was left. */
static void a_long_table_is_kept(void **state)
{
	struct key down = { .input = INPUT_DOWN }, enter = { .input = INPUT_ENTER }, escape = { .input = INPUT_ESCAPE };
	struct stage s;
	struct handle selected;

	(void)state;
	stage_init(&s);
	put_many(&s, 6000);
	stage_paint(&s);
	for (int i = 0; i < 40; i++)
		stage_key(&s, &down);
	stage_paint(&s);
	selected = ui_selected(s.ui);
	stage_key(&s, &enter);
	stage_paint(&s);
	assert_int_equal(ui_view(s.ui), VIEW_DETAIL);
	stage_key(&s, &escape);
	assert_int_equal(ui_view(s.ui), VIEW_TABLE);
	assert_true(ui_selected(s.ui).slot == selected.slot && selected.slot);
	stage_paint(&s);
	assert_null(ui_wrong(s.ui));
	stage_paint(&s);
	assert_false(ui_lags(s.ui));
	assert_true(ui_selected(s.ui).slot == selected.slot);
	stage_release(&s);
}

/* ---- what is told slot by slot ------------------------------------------------------ */

static void put_pod(struct stage *s, unsigned i, bool ready)
{
	struct buf yaml = { 0 };
	struct err err = { 0 };

	buf_printf(&yaml,
		   "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, namespace: ns%u, creationTimestamp: "
		   "\"2026-11-20T08:00:00Z\", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r%u, uid: "
		   "r%u, controller: true}]}\nspec: {containers: [{name: c, image: i}]}\nstatus: {phase: Running, "
		   "conditions: [{type: Ready, status: \"%s\", lastTransitionTime: \"2026-11-20T08:30:00Z\"}], "
		   "containerStatuses: [{name: c, ready: %s, restartCount: 0, state: {%s}}]}\n",
		   i, i % 3, i % 9, i % 9, ready ? "True" : "False", ready ? "true" : "false",
		   ready ? "running: {}" : "waiting: {reason: CrashLoopBackOff}");
	assert_int_equal(stage_put_text(s, buf_str(&yaml), &err), 0);
	buf_release(&yaml);
}

static void put_set(struct stage *s, unsigned i)
{
	struct buf yaml = { 0 };
	struct err err = { 0 };

	buf_printf(&yaml,
		   "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: r%u, namespace: ns%u, uid: r%u, "
		   "creationTimestamp: \"2026-11-20T08:00:00Z\"}\nspec: {replicas: 3}\nstatus: {replicas: 3, readyReplicas: 3, "
		   "availableReplicas: 3}\n",
		   i, i % 3, i);
	assert_int_equal(stage_put_text(s, buf_str(&yaml), &err), 0);
	buf_release(&yaml);
}

static void random_event(struct stage *s, unsigned *seed)
{
	unsigned what = (*seed = *seed * 1103515245 + 12345) >> 16;
	char id[32];

	if (what % 10 == 0)
		put_set(s, what / 10 % 9);
	else if (what % 10 == 1)
		snprintf(id, sizeof(id), "ReplicaSet/r%u", what / 10 % 9);
	else if (what % 10 <= 3)
		snprintf(id, sizeof(id), "Pod/p%u", what / 10 % 40);
	else
		put_pod(s, what / 10 % 40, what % 10 <= 7);
	if (what % 10 >= 1 && what % 10 <= 3)
		stage_delete(s, str_of(id));
}

/* The whole screen as that user interface has it. */
static void paint_as(struct stage *s, struct ui *ui, struct buf *out)
{
	struct scene scene = stage_scene(s);
	struct page page;

	ui_refresh(ui, &scene);
	ui_refresh(ui, &scene);
	page_build(ui, &scene, &page, &s->frame);
	draw_page(&s->canvas, &page);
	arena_reset(&s->frame);
	buf_reset(out);
	for (int row = 0; row < 24; row++)
		canvas_text(&s->canvas, row, out);
}

/* Of a timeline of very many entries only those on the screen are put into cells. */
static void a_timeline_costs_what_is_on_the_screen(void **state)
{
	struct stage s;
	struct scene scene;
	struct page page;

	(void)state;
	stage_init(&s);
	for (unsigned i = 0; i < 200; i++)
		put_pod(&s, i, false);
	stage_paint(&s);
	type_text(&s, "T");
	stage_paint(&s);
	assert_int_equal(ui_view(s.ui), VIEW_TIMELINE);
	assert_true(s.ui->lines.n >= 400);
	for (size_t i = 0; i < s.ui->lines.n; i++)
		if (!(s.ui->lines.all[i].flags & LINE_HEADING))
			assert_int_equal(s.ui->lines.all[i].ncells, 0);
	scene = stage_scene(&s);
	page_build(s.ui, &scene, &page, &s.frame);
	assert_true(page.nlines > 10 && page.nlines < 24);
	for (size_t i = 0; i < page.nlines; i++)
		assert_true(page.lines[i].ncells >= 4);
	/* Copied it has the others, too. */
	type_text(&s, "y");
	assert_true(str_contains(ui_copy_text(s.ui), "pod/p0 ") && str_contains(ui_copy_text(s.ui), "pod/p199 "));
	stage_release(&s);
}

/* Of very many root causes those on the screen have cells, which look as those of the first rows; also after what they show is gone. */
static void problems_cost_what_is_on_the_screen(void **state)
{
	struct buf yaml = { 0 }, screen = { 0 };
	struct stage s;
	struct err err = { 0 };
	size_t lazy = 0;

	(void)state;
	stage_init(&s);
	for (int i = 0; i < 400; i++)
		buf_printf(&yaml, "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w%d, namespace: a}\n"
				  "status: {phase: Failed, message: the disk sd%c%c is broken}\n---\n", 1000 + i, 'a' + i / 26, 'a' + i % 26);
	assert_int_equal(stage_put_text(&s, buf_str(&yaml), &err), 0);
	stage_size(&s, 24, 120);
	stage_paint(&s);
	type_text(&s, "pG");
	stage_paint(&s);
	assert_int_equal(ui_view(s.ui), VIEW_PROBLEMS);
	for (size_t i = 0; i < s.ui->lines.n; i++)
		lazy += (s.ui->lines.all[i].flags & LINE_LAZY) && !s.ui->lines.all[i].ncells;
	assert_in_range(lazy, 150, 250);
	assert_int_equal(s.ui->lines.all[399].flags & LINE_LAZY, LINE_LAZY);
	canvas_text(&s.canvas, 21, &screen);
	assert_non_null(strstr(buf_cstr(&screen), "▸ ✖ widget/w1399 · a       0         the disk sdpj is broken"));
	assert_true(stage_delete(&s, STR("Widget/w1399")));
	graph_settle(s.graph, s.now);
	buf_reset(&screen);
	canvas_text(&s.canvas, 21, &screen);
	assert_true(str_contains(buf_str(&screen), "sdpj"));
	buf_release(&screen);
	buf_release(&yaml);
	stage_release(&s);
}

/* What was said an hour before in the same words is another fact, also where two conditions say it now. */
static void the_timeline_keeps_what_was_said_before_in_the_same_words(void **state)
{
	static const char pod[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop, uid: web}\n"
				  "status:\n  phase: Running\n  conditions:\n"
				  "  - {type: Ready, status: \"False\", reason: Probe, message: port 80 refused, lastTransitionTime: \"2026-11-20T08:50:05Z\"}\n"
				  "  - {type: ContainersReady, status: \"False\", reason: Probe, message: port 80 refused, lastTransitionTime: \"2026-11-20T08:50:05Z\"}\n";
	struct arena a = { 0 };
	struct stage s;
	struct scene scene;
	struct err err = { 0 };
	const struct timeline_entry *entries;
	size_t n, events = 0, conditions = 0;

	(void)state;
	stage_init(&s);
	assert_int_equal(stage_put_text(&s, str_of(pod), &err), 0);
	s.fetched = (struct fetched){ .handle = stage_find(&s, STR("Pod/web")), .want = WANT_EVENTS, .state = FETCH_OK,
				      .events = s.events, .nevents = 2 };
	for (size_t i = 0; i < 2; i++)	/* an hour before, and half a second before the conditions */
		s.events[i] = (struct event_row){ .time = time_parse(STR("2026-11-20T08:50:04Z")) + 500 - MINUTES(i ? 0 : 50),
						  .type = STR("Warning"), .reason = STR("Probe"), .message = STR("port 80 refused"), .count = 1 };
	stage_paint(&s);
	ui_go(s.ui, VIEW_TIMELINE, s.fetched.handle);
	scene = stage_scene(&s);
	entries = ui_timeline(s.ui, &scene, &a, &n);
	for (size_t i = 0; i < n; i++) {
		events += strcmp(entries[i].source, "event") == 0;
		conditions += strcmp(entries[i].source, "condition") == 0;
		assert_true(i == 0 || entries[i - 1].time <= entries[i].time);
	}
	assert_int_equal((int)events, 1);
	assert_int_equal((int)conditions, 1);
	arena_release(&a);
	stage_release(&s);
}

/* A timeline of very many objects that takes long is put off when a key comes in, and shows what it did. */
static void a_key_puts_the_timeline_off(void **state)
{
	struct stage s;
	struct scene scene;
	bool waits = true;
	size_t before;

	(void)state;
	stage_init(&s);
	put_many(&s, 6000);
	for (unsigned i = 0; i < 50; i++)
		put_pod(&s, i, false);
	stage_paint(&s);
	type_text(&s, "T");
	stage_paint(&s);
	before = s.ui->lines.n;
	assert_true(before >= 100);
	for (unsigned i = 50; i < 90; i++)
		put_pod(&s, i, false);
	scene = stage_scene(&s);
	scene.interrupted = a_key_waits;
	scene.interrupted_ctx = &waits;
	ui_dirty(s.ui);
	ui_refresh(s.ui, &scene);
	assert_true(ui_lags(s.ui));
	assert_int_equal((int)s.ui->lines.n, (int)before);
	assert_null(ui_wrong(s.ui));
	stage_paint(&s); /* what the lines show is still there */
	waits = false;
	ui_refresh(s.ui, &scene);
	assert_false(ui_lags(s.ui));
	assert_true(s.ui->lines.n >= before + 80);
	stage_release(&s);
}

static bool count_call(const void *ctx, struct handle h)
{
	(void)h;
	++**(size_t *const *)ctx;
	return true;
}

/* Back from a view whose objects have changed meanwhile: its lines are not made once more before. */
static void leaving_a_view_looks_at_none_of_its_objects(void **state)
{
	static const char *const views[] = { "T", "p", "t" };
	struct key escape = { .input = INPUT_ESCAPE };
	size_t calls, *at = &calls;
	struct stage s;
	struct scene scene;

	(void)state;
	stage_init(&s);
	for (unsigned i = 0; i < 20; i++)
		put_pod(&s, i, i % 2);
	stage_paint(&s);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		type_text(&s, views[i]);
		stage_paint(&s);
		put_pod(&s, (unsigned)i, i % 2 == 0);
		ui_dirty(s.ui);
		scene = stage_scene(&s);
		scene.selected = count_call;
		scene.selected_ctx = &at;
		calls = 0;
		ui_key(s.ui, &scene, &escape);
		assert_int_equal((int)calls, 0);
		assert_int_equal(ui_view(s.ui), VIEW_TABLE);
		ui_refresh(s.ui, &scene);
		assert_true(calls >= 20);
		assert_null(ui_wrong(s.ui));
	}
	stage_release(&s);
}

/* Who looks only at what graph_settle() changed sees what a scan of everything sees. */
static void slots_that_changed_are_enough(void **state)
{
	struct stage s;
	struct ui *told = ui_new();
	struct buf all = { 0 }, some = { 0 };
	unsigned seed = 7;
	size_t n;

	(void)state;
	stage_init(&s);
	ui_resize(told, 24, 80);
	for (int step = 0; step < 1500; step++) {
		const uint32_t *slots;

		random_event(&s, &seed);
		slots = graph_changed(s.graph, &n);
		ui_changed_slots(told, slots, n);
		s.now += SECONDS(step % 7);
		graph_settle(s.graph, s.now);
		slots = graph_changed(s.graph, &n);
		ui_changed_slots(told, slots, n);
		if (step % 3)
			continue;
		ui_changed(s.ui);
		paint_as(&s, s.ui, &all);
		paint_as(&s, told, &some);
		assert_int_equal((int)told->observer.total, (int)s.ui->observer.total);
		assert_memory_equal(told->observer.by_phase, s.ui->observer.by_phase, sizeof(told->observer.by_phase));
		assert_int_equal((int)told->observer.count, (int)s.ui->observer.count);
		assert_string_equal(buf_cstr(&some), buf_cstr(&all));
	}
	ui_free(told);
	buf_release(&all);
	buf_release(&some);
	stage_release(&s);
}

/* A moment that is told slot by slot is counted and listed as one that is looked at as a whole. */
static void a_moment_is_told_by_its_slots(void **state)
{
	struct stage s;
	struct ui *told = ui_new();
	struct buf all = { 0 }, some = { 0 };
	struct scene scene;
	struct past *past;
	int64_t times[40], shown = 0;
	unsigned seed = 11;

	(void)state;
	stage_init(&s);
	ui_resize(told, 24, 80);
	graph_keep_history(s.graph, MIB(8));
	for (int i = 0; i < 40; i++) {
		random_event(&s, &seed);
		s.now += SECONDS(1 + i % 7);
		graph_settle(s.graph, s.now);
		times[i] = s.now;
	}
	paint_as(&s, told, &some);
	past = past_new(s.graph);
	for (int i = 0; i < 60; i++) {
		size_t n;
		bool copied;
		const uint32_t *slots;

		scene = stage_scene(&s);
		scene.now = past_move(past, times[(i * 17) % 40]);
		scene.past = true;
		scene.store = past_store(past);
		scene.graph = past_graph(past);
		graph_settle(scene.graph, scene.now);
		slots = past_moved(past, &n, &copied);
		ui_after_seek(told, &scene, slots, n, copied);
		slots = graph_changed(scene.graph, &n);
		ui_after_seek(told, &scene, slots, n, false);
		ui_seek(told, scene.now);
		ui_seek(s.ui, scene.now);
		s.ui->past_observed = 0;	/* this one looks at all */
		ui_refresh(told, &scene);
		ui_refresh(s.ui, &scene);
		assert_int_equal((int)told->past_observer.total, (int)s.ui->past_observer.total);
		assert_memory_equal(told->past_observer.by_phase, s.ui->past_observer.by_phase, sizeof(told->past_observer.by_phase));
		assert_int_equal((int)told->lines.n, (int)s.ui->lines.n);
		for (size_t k = 0; k < told->lines.n; k++)
			assert_true(told->lines.all[k].key == s.ui->lines.all[k].key);
		shown += told->lines.n > 1;
	}
	assert_true(shown > 30);
	assert_int_equal((int)told->past_observer.count, 0);	/* nothing is noted of it */
	past_free(past);
	ui_free(told);
	buf_release(&all);
	buf_release(&some);
	stage_release(&s);
}

static void head_of(struct stage *s, const struct scene *scene, struct buf *out)
{
	struct page page;

	ui_refresh(s->ui, scene);
	page_build(s->ui, scene, &page, &s->frame);
	draw_page(&s->canvas, &page);
	arena_reset(&s->frame);
	buf_reset(out);
	canvas_text(&s->canvas, 0, out);
}

/* Where it takes a while, the head says first where it goes: the rows are still of the other moment. */
static void where_it_goes_is_said_first(void **state)
{
	struct buf head = { 0 };
	struct stage s;
	struct scene scene;

	(void)state;
	stage_init(&s);
	put_widget(&s, 1, false, "Broken");
	scene = stage_scene(&s);
	scene.seeking = true;
	ui_seek(s.ui, scene.now - MINUTES(1));
	head_of(&s, &scene, &head);
	assert_true(text_contains(buf_str(&head), STR("going to 08:59:")));
	assert_false(text_contains(buf_str(&head), STR("paused")));
	/* now is what is there already */
	ui_seek(s.ui, scene.now);
	head_of(&s, &scene, &head);
	assert_true(text_contains(buf_str(&head), STR("paused 09:00:")));
	/* back from there */
	scene.past = true;
	ui_seek(s.ui, 0);
	head_of(&s, &scene, &head);
	assert_true(text_contains(buf_str(&head), STR("going to now")));
	buf_release(&head);
	stage_release(&s);
}

static void only_what_is_selected_is_shown(void **state)
{
	struct observer o = { 0 };
	struct stage s;
	struct scene scene;

	(void)state;
	stage_init(&s);
	for (int i = 0; i < 4; i++)
		put_widget(&s, i, false, "Broken");
	scene = stage_scene(&s);
	scene.selected = not_w2;
	scene.selected_ctx = &s;
	observe_scan(&o, &scene, false);
	assert_int_equal(o.total, 3);
	observer_release(&o);
	stage_release(&s);
}

static void the_picture_is_due_again_in_a_second(void **state)
{
	struct stage s;

	(void)state;
	stage_init(&s);
	assert_true(ui_deadline(s.ui, s.now) <= s.now);
	stage_paint(&s);
	assert_true(ui_deadline(s.ui, s.now) == s.now + SECONDS(1));
	assert_true(ui_deadline(s.ui, s.now + SECONDS(1)) <= s.now + SECONDS(1));
	/* The clock was set back. */
	assert_true(ui_deadline(s.ui, s.now - HOURS(1)) <= s.now - HOURS(1));
	ui_changed(s.ui);
	assert_true(ui_deadline(s.ui, s.now) <= s.now);
	stage_release(&s);
}

/* Also while another moment is shown, where the lines are not built of it. */
static void what_was_observed_is_due_once(void **state)
{
	struct stage s;
	struct scene live;
	size_t n;
	const uint32_t *slots;

	(void)state;
	stage_init(&s);
	put_widget(&s, 1, true, "Fine");
	stage_paint(&s);
	put_widget(&s, 1, false, "Broken");
	slots = graph_changed(s.graph, &n);
	ui_changed_slots(s.ui, slots, n);
	live = stage_scene(&s);
	ui_observe(s.ui, &live);
	assert_true(ui_deadline(s.ui, s.now) <= s.now);
	ui_observe_live(s.ui, &live);
	assert_true(ui_deadline(s.ui, s.now) > s.now);
	stage_release(&s);
}

/* Ranks say in numbers what names say, in each order and backwards, and where only some objects have one. */
static void ranks_order_as_names_do(void **state)
{
	enum { OBJECTS = 4000, LATER = 50 };
	struct stage s;
	struct buf yaml = { 0 };
	struct sort_ranks ranks = { .unknown = OBJECTS };
	struct sort_item *plain = xcalloc(OBJECTS, sizeof(*plain)), *ranked = xcalloc(OBJECTS, sizeof(*ranked));
	struct err err;

	(void)state;
	stage_init(&s);
	for (unsigned i = 0; i < OBJECTS; i++) {
		buf_reset(&yaml);
		buf_printf(&yaml,
			   "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"o%u\",\"namespace\":\"ns%u\","
			   "\"creationTimestamp\":\"2026-11-20T08:%02u:00Z\"},\"status\":{}}",
			   i % 3 ? "example.com/v1" : "other.example.com/v1", i % 2 ? "Thing" : "Widget", i * 7919 % OBJECTS, i % 7, i % 60);
		assert_int_equal(stage_document(&s, buf_str(&yaml), &err), 0);
		if (i == OBJECTS - LATER) {
			graph_settle(s.graph, s.now);
			sort_ranks_renew(&ranks, &(struct sort_order){ .graph = s.graph, .store = s.store });
		}
	}
	graph_settle(s.graph, s.now);
	assert_true(ranks.known > 0);
	for (int sort = 0; sort < 2 * SORT_COUNT; sort++) {
		struct sort_order order = { .graph = s.graph, .store = s.store, .sort = (enum sort)(sort / 2), .reverse = sort % 2 };
		size_t n = 0, with = 0;

		for (struct handle h = store_next(s.store, 0); h.slot && n < OBJECTS; h = store_next(s.store, h.slot + 1), n++) {
			struct summary summary;

			assert_true(graph_summary(s.graph, h, &summary));
			plain[n] = ranked[n] = sort_item_of(order.graph, order.sort, &summary);
			ranked[n].rank = sort_rank(&ranks, h);
			with += ranked[n].rank != 0;
		}
		assert_int_equal(n, OBJECTS);
		assert_in_range(with, OBJECTS - LATER, OBJECTS - LATER + 1);
		assert_true(sort_items(&order, plain, n) && sort_items(&order, ranked, n));
		for (size_t i = 0; i < n; i++)
			assert_int_equal(plain[i].slot, ranked[i].slot);
	}
	sort_ranks_release(&ranks);
	buf_release(&yaml);
	xfree(plain);
	xfree(ranked);
	stage_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_names),
		cmocka_unit_test(every_key_of_the_table_finds_its_action),
		cmocka_unit_test(every_action_does_something),
		cmocka_unit_test(filters_are_words),
		cmocka_unit_test(ages_have_one_unit),
		cmocka_unit_test(counts_and_bars),
		cmocka_unit_test(long_text_is_wrapped_at_blanks),
		cmocka_unit_test(wrapping_ends_on_any_text),
		cmocka_unit_test(changes_are_noted_once_the_lists_are_complete),
		cmocka_unit_test(what_vanished_leaves_a_tombstone_for_a_while),
		cmocka_unit_test(the_ring_and_the_graveyard_are_bounded),
		cmocka_unit_test(a_name_beyond_all_moments),
		cmocka_unit_test(lists_are_sorted),
		cmocka_unit_test(wants_follow_the_tab),
		cmocka_unit_test(only_what_is_selected_is_shown),
		cmocka_unit_test(filters_narrow_and_widen),
		cmocka_unit_test(typing_is_shown_before_the_list),
		cmocka_unit_test(a_key_puts_the_table_off),
		cmocka_unit_test(a_key_puts_the_scan_off),
		cmocka_unit_test(a_moment_is_told_by_its_slots),
		cmocka_unit_test(where_it_goes_is_said_first),
		cmocka_unit_test(a_move_is_shown_before_the_table),
		cmocka_unit_test(a_long_table_is_kept),
		cmocka_unit_test(a_timeline_costs_what_is_on_the_screen),
		cmocka_unit_test(problems_cost_what_is_on_the_screen),
		cmocka_unit_test(the_timeline_keeps_what_was_said_before_in_the_same_words),
		cmocka_unit_test(a_key_puts_the_timeline_off),
		cmocka_unit_test(leaving_a_view_looks_at_none_of_its_objects),
		cmocka_unit_test(slots_that_changed_are_enough),
		cmocka_unit_test(the_picture_is_due_again_in_a_second),
		cmocka_unit_test(what_was_observed_is_due_once),
		cmocka_unit_test(ranks_order_as_names_do),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
