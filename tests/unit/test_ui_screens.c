/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs every script in tests/screen: a world, keys, and the pictures that they
 * give.  On a mismatch the actual picture is printed, ready to paste; with
 * UPDATE_SCREENS=1 it is written into the script (read the diff!).
 *
 *   size 80x24            columns x rows
 *   ascii                 nothing beyond ASCII
 *   now 2026-11-20T09:00:00Z
 *   load worlds/x.yaml    put into the world; may come again for changes
 *   delete Kind/name      it vanished
 *   wait 5s               time goes on
 *   head ns=x             see set_head()
 *   fetched yaml|events|logs|error TEXT
 *   fetched pods NAME,NAME,NAME TEXT       the logs of a workload, whose lines begin at "==> 3 pods <=="
 *   key j j Enter         names as in actions.def
 *   click COLxROW
 *   type words            typed as they are
 *   expect                the picture follows, each row between two |
 *   style ROW letters     the styles of a row, trailing '.' left out
 *   selected ROW          the only row of the last picture that is; "flash ROW" the same
 *   cluster N NAME        what is loaded from now on is of that cluster
 *   target CONTEXT        what commands name
 *   copied TEXT           what the last key copied
 *   printed TEXT          the command that the last key asked to run printed that
 *   effect NAME           the keys since the last one asked for it
 *   changed AGE Kind/name WORD FROM TO REASON [PATH BEFORE AFTER]   of an object that is loaded; "-": none
 *   picture NAME          the last picture is docs/pictures/NAME.svg and NAME.txt; in the light theme where NAME ends in -light
 *   recorded              from now on what is observed is written to a file
 *   history               from now on earlier moments are kept, for the keys that go back
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <locale.h>

#include "kube/base/alloc.h"
#include "kube/base/utf8.h"
#include "tests/screen/stage.h"
#include "tests/screen/svg.h"

#define FOLDER "tests/screen"
#define PICTURES "docs/pictures"

struct script {
	struct stage stage;
	const char *path;
	struct str rest;
	unsigned line;
	struct buf written; /* the script with the actual pictures */
	unsigned pictures, wrong;
};

static void broken(const struct script *s, const char *what)
{
	fail_msg("%s:%u: %s", s->path, s->line, what);
}

static bool next_line(struct script *s, struct str *out)
{
	if (!str_split(&s->rest, '\n', out))
		return false;
	s->line++;
	return true;
}

static void do_size(struct script *s, struct str arg)
{
	int64_t cols = 0, rows = 0;
	size_t x = str_find(arg, 'x');

	if (!str_to_int(str_head(arg, x), &cols) || !str_to_int(str_from(arg, x + 1), &rows))
		broken(s, "size COLSxROWS");
	stage_size(&s->stage, (int)rows, (int)cols);
}

static void do_ascii(struct script *s, struct str arg)
{
	(void)arg;
	s->stage.canvas.ascii = true;
}

static void do_now(struct script *s, struct str arg)
{
	s->stage.now = time_parse(arg);
	s->stage.header.last_event = s->stage.now - SECONDS(2);
}

static void do_load(struct script *s, struct str arg)
{
	struct err err = { 0 };
	struct buf path = { 0 };

	buf_printf(&path, FOLDER "/" STR_FMT, STR_ARG(arg));
	if (stage_load(&s->stage, buf_cstr(&path), &err) < 0)
		broken(s, err.msg);
	buf_release(&path);
}

static void do_delete(struct script *s, struct str arg)
{
	if (!stage_delete(&s->stage, arg))
		broken(s, "no such object");
}

static void do_wait(struct script *s, struct str arg)
{
	s->stage.now += time_duration(arg);
	graph_settle(s->stage.graph, s->stage.now);
	ui_changed(s->stage.ui);
}

static void do_key(struct script *s, struct str arg)
{
	struct str name;

	while (str_split(&arg, ' ', &name)) {
		struct key key = key_parse(name);

		if (key.input == INPUT_NONE)
			broken(s, "no such key");
		stage_key(&s->stage, &key);
	}
}

static void do_click(struct script *s, struct str arg)
{
	struct key key = { .input = INPUT_CLICK };
	int64_t col = 0, row = 0;
	size_t x = str_find(arg, 'x');

	if (!str_to_int(str_head(arg, x), &col) || !str_to_int(str_from(arg, x + 1), &row))
		broken(s, "click COLxROW");
	key.row = (int)row;
	key.col = (int)col;
	stage_key(&s->stage, &key);
}

static void do_type(struct script *s, struct str arg)
{
	for (size_t at = 0; at < arg.len;) {
		struct key key = { .input = INPUT_RUNE };

		key.rune = utf8_next(arg, &at);
		stage_key(&s->stage, &key);
	}
}

static void do_head(struct script *s, struct str arg)
{
	static const struct {
		const char *word;
		enum link link;
	} links[] = {
		{ "connecting", LINK_CONNECTING },
		{ "live", LINK_LIVE },
		{ "reconnecting", LINK_RECONNECTING },
		{ "unauthenticated", LINK_UNAUTHENTICATED },
		{ "failed", LINK_FAILED },
		{ "files", LINK_FILES },
		{ "replay", LINK_REPLAY },
	};
	struct header *h = &s->stage.header;
	size_t is = str_find(arg, '=');
	struct str name = str_head(arg, is),
		   value = arena_str(&s->stage.texts, str_from(arg, is + 1));
	int64_t n = 0;

	str_to_int(value, &n);
	if (str_is(name, "ns"))
		h->ns = value;
	else if (str_is(name, "context"))
		h->context = value;
	else if (str_is(name, "why"))
		h->why = value;
	else if (str_is(name, "retry"))
		h->retry_at = s->stage.now + SECONDS(n);
	else if (str_is(name, "speed"))
		h->speed = (double)n;
	else if (str_is(name, "done"))
		h->lists_done = (unsigned)n;
	else if (str_is(name, "items"))
		h->items = (uint64_t)n;
	else if (str_is(name, "remaining"))
		h->remaining = (uint64_t)n;
	else if (str_is(name, "forbidden"))
		h->forbidden = (unsigned)n;
	else if (str_is(name, "throttled"))
		h->throttled = true;
	else if (str_is(name, "notice")) {
		struct str *notices = arena_array(&s->stage.texts, 1, sizeof(*notices));

		notices[0] = value;
		h->notices = notices;
		h->nnotices = 1;
	} else if (!str_is(name, "link"))
		broken(s, "no such field of the head");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (str_is(name, "link") && str_is(value, links[i].word))
			h->link = links[i].link;
}

/* "\n" in the text is a line break, "\e" an escape character. */
static struct str unescape(struct script *s, struct str text)
{
	struct buf out = { 0 };
	struct str copy;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\' && i + 1 < text.len && text.ptr[i + 1] == 'n' && ++i)
			buf_add_char(&out, '\n');
		else if (text.ptr[i] == '\\' && i + 1 < text.len && text.ptr[i + 1] == 'e' && ++i)
			buf_add_char(&out, '\033');
		else
			buf_add_char(&out, text.ptr[i]);
	}
	copy = arena_str(&s->stage.texts, buf_str(&out));
	buf_release(&out);
	return copy;
}

/* The Pods of a workload: their names, then the text; its lines begin at the heading that counts them. */
static void take_pods(struct script *s, struct fetched *f)
{
	struct str names = STR_NONE;
	struct log_pod *pods = arena_array(&s->stage.texts, 24, sizeof(*pods));

	str_split(&f->text, ' ', &names);
	while (f->npods < 24 && str_split(&names, ',', &pods[f->npods].name))
		pods[f->npods++].runs = true;
	f->pods = pods;
	f->pods_followed = f->pods_there = f->npods;
	while (f->stream < f->text.len && !str_starts(str_from(f->text, f->stream), "==> 3 pods"))
		f->stream++;
}

static void do_fetched(struct script *s, struct str arg)
{
	struct fetched *f = &s->stage.fetched;
	struct str what = STR_NONE;
	struct handle h;
	enum want want = ui_wants(s->stage.ui, &h);

	str_split(&arg, ' ', &what);
	arg = unescape(s, arg);
	*f = (struct fetched){ .handle = h, .want = want, .state = FETCH_OK, .text = arg };
	if (str_is(what, "error")) {
		f->state = FETCH_ERROR;
		f->error = arg;
	}
	if (str_is(what, "pods"))
		take_pods(s, f);
	if (str_is(what, "events")) {
		struct str line;

		f->events = s->stage.events;
		while (str_split(&arg, '\n', &line) && f->nevents < 16) {
			struct event_row *e = &s->stage.events[f->nevents++];
			struct str field;

			*e = (struct event_row){ .count = 1, .source = STR("controller") };
			str_split(&line, ' ', &field);
			e->time = time_parse(field);
			str_split(&line, ' ', &e->type);
			str_split(&line, ' ', &e->reason);
			e->message = line;
		}
	}
}

static enum phase phase_of(struct str name)
{
	for (int i = 0; i < PHASE_COUNT; i++)
		if (str_is(name, phase_name((enum phase)i)))
			return (enum phase)i;
	return PHASE_UNKNOWN;
}

static struct str without_dash(struct script *s, struct str word)
{
	return str_is(word, "-") ? STR_NONE : arena_str(&s->stage.texts, word);
}

static void do_changed(struct script *s, struct str arg)
{
	enum { AGE, ID, WORD, FROM, TO, REASON, PATH, BEFORE, AFTER, WORDS };
	struct stage *stage = &s->stage;
	struct changed_object *c = &stage->changed[stage->nchanged];
	struct str words[WORDS] = { STR_NONE };
	struct summary summary;
	size_t n = 0;

	if (stage->nchanged == 16)
		broken(s, "so many do not change");
	while (n < WORDS && str_split(&arg, ' ', &words[n]))
		n++;
	if (!graph_summary(stage->graph, stage_find(stage, words[ID]), &summary))
		broken(s, "no such object");
	*c = (struct changed_object){ .id = summary.id, .from_known = true };
	c->id.kind = arena_str(&stage->texts, summary.id.kind);
	c->id.group = arena_str(&stage->texts, summary.id.group);
	c->id.name = arena_str(&stage->texts, summary.id.name);
	c->id.ns = arena_str(&stage->texts, summary.id.ns);
	for (int i = 0; i < CHANGE_WORDS; i++)
		if (str_is(words[WORD], change_word((enum change_word)i)))
			c->word = (enum change_word)i;
	c->from = phase_of(words[FROM]);
	c->to = phase_of(words[TO]);
	c->time = stage->now - time_duration(words[AGE]);
	c->reason = without_dash(s, words[REASON]);
	stage->fields[stage->nchanged++] = (struct changed_field){ .path = without_dash(s, words[PATH]), .before = without_dash(s, words[BEFORE]),
								   .after = without_dash(s, words[AFTER]) };
	stage->changes = (struct changes_source){ stage_between, stage_fields, stage };
}

static void do_copied(struct script *s, struct str arg)
{
	struct str copied = ui_copy_text(s->stage.ui);

	if (!str_eq(copied, unescape(s, arg)))
		fail_msg("%s:%u: copied is \"" STR_FMT "\"", s->path, s->line, STR_ARG(copied));
}

static void do_history(struct script *s, struct str arg)
{
	(void)arg;
	graph_keep_history(s->stage.graph, 8 << 20);
}

static void do_recorded(struct script *s, struct str arg)
{
	(void)arg;
	s->stage.recorded = true;
}

static void do_printed(struct script *s, struct str arg)
{
	ui_show_output(s->stage.ui, ui_copy_text(s->stage.ui), unescape(s, arg), STR_NONE);
}

static void do_effect(struct script *s, struct str arg)
{
	static const struct {
		const char *name;
		unsigned effect;
	} rows[] = {
		{ "quit", EFFECT_QUIT }, { "suspend", EFFECT_SUSPEND }, { "fetch", EFFECT_FETCH },
		{ "copy", EFFECT_COPY }, { "redraw", EFFECT_REDRAW },
		{ "scope", EFFECT_SCOPE }, { "run", EFFECT_RUN }, { "time", EFFECT_SEEK }, { "hand-over", EFFECT_HAND_OVER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_is(arg, rows[i].name) && !(s->stage.effects & rows[i].effect))
			broken(s, "that effect did not come");
	s->stage.effects = 0;
}

/* "1 staging": what is loaded from now on is of that cluster. */
static void do_cluster(struct script *s, struct str arg)
{
	struct str number = STR_NONE;
	int64_t n = 0;

	str_split(&arg, ' ', &number);
	str_to_int(number, &n);
	s->stage.cluster = (uint16_t)n;
	graph_name_cluster(s->stage.graph, s->stage.cluster, arg);
}

static void do_target(struct script *s, struct str arg)
{
	graph_name_target(s->stage.graph, arg, false, STR_NONE);
}

static void check_overlay(struct script *s, struct str arg, unsigned overlay)
{
	int64_t wanted = -1;

	str_to_int(arg, &wanted);
	for (int row = 0; row < s->stage.canvas.rows; row++) {
		bool has = canvas_cell(&s->stage.canvas, row, 0)->style & overlay;

		if (has != (row == wanted))
			fail_msg("%s:%u: row %d is %s", s->path, s->line, row,
				 has ? "marked" : "not marked");
	}
}

static void do_selected(struct script *s, struct str arg)
{
	check_overlay(s, arg, STYLE_SELECTED);
}

static void do_flash(struct script *s, struct str arg)
{
	check_overlay(s, arg, STYLE_FLASH);
}

/* ---- pictures ------------------------------------------------------------------ */

static void picture_row(const struct canvas *c, int row, struct buf *out)
{
	size_t start = out->len;
	int width = 0;

	buf_add_char(out, '|');
	canvas_text(c, row, out);
	for (size_t at = start + 1; at < out->len;) {
		uint32_t rune = utf8_next(buf_str(out), &at);

		width += utf8_width(rune);
	}
	for (; width < c->cols; width++)
		buf_add_char(out, ' ');
	buf_add_cstr(out, "|\n");
}

/* Row by row: cmocka cuts long messages. */
static void print_picture(const struct script *s, struct str picture)
{
	struct str line;

	print_error("%s:%u: the picture is\n", s->path, s->line);
	while (str_split(&picture, '\n', &line))
		print_error(STR_FMT "\n", STR_ARG(line));
}

static void do_expect(struct script *s, struct str arg)
{
	struct buf actual = { 0 }, expected = { 0 };
	struct str line;

	(void)arg;
	stage_paint(&s->stage);
	if (ui_wrong(s->stage.ui))
		broken(s, ui_wrong(s->stage.ui));
	for (int row = 0; row < s->stage.canvas.rows; row++)
		picture_row(&s->stage.canvas, row, &actual);
	while (s->rest.len && s->rest.ptr[0] == '|' && next_line(s, &line)) {
		buf_add(&expected, line);
		buf_add_char(&expected, '\n');
	}
	buf_add(&s->written, buf_str(&actual));
	s->pictures++;
	if (!str_eq(buf_str(&actual), buf_str(&expected))) {
		s->wrong++;
		if (!getenv("UPDATE_SCREENS"))
			print_picture(s, buf_str(&actual));
	}
	buf_release(&actual);
	buf_release(&expected);
}

static void do_style(struct script *s, struct str arg)
{
	struct buf actual = { 0 };
	int64_t row = 0;
	struct str number = STR_NONE;

	str_split(&arg, ' ', &number);
	str_to_int(number, &row);
	canvas_styles(&s->stage.canvas, (int)row, &actual);
	while (actual.len && actual.ptr[actual.len - 1] == '.')
		actual.ptr[--actual.len] = '\0';
	buf_printf(&s->written, "style %d %s\n", (int)row, buf_cstr(&actual));
	if (!str_eq(arg, buf_str(&actual))) {
		s->wrong++;
		print_error("%s:%u: the styles are\nstyle %d %s\n", s->path, s->line, (int)row,
			    buf_cstr(&actual));
	}
	buf_release(&actual);
}

/* The file is as it should be; with UPDATE_SCREENS=1 it becomes so. */
static void check_file(struct script *s, struct str name, const char *ending, struct str wanted)
{
	struct buf path = { 0 }, there = { 0 };
	bool same;

	buf_printf(&path, PICTURES "/" STR_FMT "%s", STR_ARG(name), ending);
	same = stage_read(buf_cstr(&path), &there, &(struct err){ 0 }) == 0 && str_eq(buf_str(&there), wanted);
	if (!same) {
		FILE *f = getenv("UPDATE_SCREENS") ? fopen(buf_cstr(&path), "wb") : NULL;

		print_error("%s:%u: %s is another picture\n", s->path, s->line, buf_cstr(&path));
		if (f) {
			fwrite(wanted.ptr, 1, wanted.len, f);
			fclose(f);
		}
		s->wrong++;
	}
	buf_release(&path);
	buf_release(&there);
}

static void do_picture(struct script *s, struct str arg)
{
	struct buf svg = { 0 }, text = { 0 };

	svg_of_canvas(&s->stage.canvas, str_ends(arg, "-light") ? THEME_LIGHT : THEME_DARK, &svg);
	for (int row = 0; row < s->stage.canvas.rows; row++) {
		canvas_text(&s->stage.canvas, row, &text);
		buf_add_char(&text, '\n');
	}
	check_file(s, arg, ".svg", buf_str(&svg));
	check_file(s, arg, ".txt", buf_str(&text));
	buf_release(&svg);
	buf_release(&text);
}

static const struct {
	const char *name;
	void (*run)(struct script *s, struct str arg);
} commands[] = {
	{ "size", do_size },	 { "ascii", do_ascii },	    { "now", do_now },
	{ "load", do_load },	 { "delete", do_delete },   { "wait", do_wait },
	{ "key", do_key },	 { "click", do_click },	    { "type", do_type },
	{ "head", do_head },	 { "fetched", do_fetched }, { "copied", do_copied },
	{ "effect", do_effect }, { "cluster", do_cluster }, { "selected", do_selected },
	{ "target", do_target },    { "flash", do_flash },	 { "expect", do_expect },   { "style", do_style },
	{ "picture", do_picture },  { "changed", do_changed }, { "printed", do_printed }, { "history", do_history },
	{ "recorded", do_recorded },
};

static void run_line(struct script *s, struct str line)
{
	struct str name = str_head(line, str_find(line, ' '));

	if (!str_is(name, "style")) {
		buf_add(&s->written, line);
		buf_add_char(&s->written, '\n');
	}
	if (name.len == 0 || line.ptr[0] == '#')
		return;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (str_is(name, commands[i].name)) {
			commands[i].run(s, str_trim(str_from(line, name.len)));
			return;
		}
	broken(s, "no such command");
}

static void update(const struct script *s)
{
	FILE *f = fopen(s->path, "wb");

	if (!f)
		return;
	fwrite(s->written.ptr, 1, s->written.len, f);
	fclose(f);
}

static void run_script(void **state)
{
	struct script s = { .path = *state };
	struct buf text = { 0 };
	struct err err = { 0 };
	struct str line;
	unsigned wrong;

	stage_init(&s.stage);
	assert_int_equal(stage_read(s.path, &text, &err), 0);
	s.rest = buf_str(&text);
	while (next_line(&s, &line))
		run_line(&s, line);
	if (s.wrong && getenv("UPDATE_SCREENS"))
		update(&s);
	wrong = s.wrong + (s.pictures == 0);
	buf_release(&s.written);
	buf_release(&text);
	stage_release(&s.stage);
	assert_int_equal(wrong, 0);
}

static int is_script(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".screen");
}

int main(void)
{
	struct dirent **entries;
	int n, result;
	struct CMUnitTest *tests;

	setlocale(LC_ALL, "C.UTF-8");
	n = scandir(FOLDER, &entries, is_script, alphasort);
	if (n <= 0)
		return 1;
	tests = xcalloc((size_t)n, sizeof(*tests));
	for (int i = 0; i < n; i++) {
		struct buf path = { 0 };

		buf_printf(&path, FOLDER "/%s", entries[i]->d_name);
		tests[i] = (struct CMUnitTest){ .name = path.ptr,
						.test_func = run_script,
						.initial_state = path.ptr };
		free(entries[i]);
	}
	free(entries);
	result = _cmocka_run_group_tests("screens", tests, (size_t)n, NULL, NULL);
	for (int i = 0; i < n; i++)
		xfree((char *)(uintptr_t)tests[i].name);
	xfree(tests);
	return result;
}
