/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standing still: the program shows the world of ui_stands_at() with the same views.  What was observed (observe.h) is
 * what [ and ] step over and what the density line counts; a recording plays on where nothing was observed yet.
 */
#include "tui/view/still.h"

#include <string.h>

#include "kube/base/time.h"
#include "tui/view/bars.h"
#include "tui/words/words.h"

enum {
	CLOCK = 8,    /* bytes of "09:00:00", */
	MINUTE = 5,   /* of "09:00", */
	CLOCK_AT = 11 /* and where they stand in a time */
};

static struct str clock_text(int64_t time, size_t bytes, struct arena *a)
{
	char text[TIME_TEXT];

	return arena_str(a, str_head(str_from(str_of(time_format(time, text)), CLOCK_AT), bytes));
}

static bool is_replay(const struct scene *scene)
{
	return scene->header->link == LINK_REPLAY;
}

/* ---- where it stands ------------------------------------------------------------- */

static unsigned stand(struct ui *ui, int64_t at)
{
	ui->stands_at = at;
	return EFFECT_TIME | EFFECT_REPAINT;
}

/* The last transition that was observed before a time, or the first one after; NULL: there is none within reach. */
static const struct moment *moment_before(const struct ui *ui, const struct scene *scene, int64_t time)
{
	const struct observer *o = &ui->seen;

	for (size_t i = o->count; i-- > 0;) {
		const struct moment *m = observe_moment(o, i);

		if (m->time < scene->kept)
			return NULL;
		if (m->time < time)
			return m;
	}
	return NULL;
}

static const struct moment *moment_after(const struct ui *ui, int64_t time)
{
	const struct observer *o = &ui->seen;

	for (size_t i = 0; i < o->count; i++)
		if (observe_moment(o, i)->time > time)
			return observe_moment(o, i);
	return NULL;
}

static unsigned say_reach(struct ui *ui, const struct scene *scene, const char *what)
{
	struct arena a = { 0 };

	ui_say(ui, ARENA_JOIN(&a, str_of(what), STR(": what was observed reaches back to "), clock_text(scene->from, CLOCK, &a)), scene->clock);
	arena_release(&a);
	return EFFECT_REPAINT;
}

static unsigned step_back(struct ui *ui, const struct scene *scene)
{
	const struct moment *m = moment_before(ui, scene, scene->past ? scene->now : INT64_MAX);

	if (m)
		return stand(ui, m->time);
	return scene->kept > scene->from ? EFFECT_BEFORE | EFFECT_REPAINT : say_reach(ui, scene, "nothing changed before");
}

static unsigned step_forward(struct ui *ui, const struct scene *scene)
{
	const struct moment *m = moment_after(ui, scene->now);

	if (m && scene->past)
		return stand(ui, m->time);
	if (!is_replay(scene))
		return ui->stands_at ? stand(ui, 0) : act_say(ui, scene, "it is now; [ goes back");
	if (scene->header->ended)
		return act_say(ui, scene, "nothing changes any more: the recording ends");
	return EFFECT_NEXT | EFFECT_REPAINT;
}

static unsigned minute_back(struct ui *ui, const struct scene *scene)
{
	int64_t at = scene->now - MINUTES(1);

	if (at >= scene->from)
		return stand(ui, at);
	say_reach(ui, scene, "no further back");
	return stand(ui, scene->from);
}

static unsigned minute_forward(struct ui *ui, const struct scene *scene)
{
	int64_t at = scene->now + MINUTES(1);

	if (is_replay(scene))
		return stand(ui, at < scene->until ? at : scene->until);
	if (!ui->stands_at)
		return act_say(ui, scene, "it is now; { goes back");
	return stand(ui, at < scene->latest ? at : 0);
}

unsigned act_time(struct ui *ui, const struct scene *scene, enum action action)
{
	if (!scene->from)
		return act_say(ui, scene, is_replay(scene) || scene->header->link == LINK_LIVE ?
						  "nothing was observed yet" : "there is no other time to look at");
	switch ((int)action) {
	case ACTION_STEP_BACK:
		return step_back(ui, scene);
	case ACTION_STEP_FORWARD:
		return step_forward(ui, scene);
	case ACTION_MINUTE_BACK:
		return minute_back(ui, scene);
	case ACTION_MINUTE_FORWARD:
		return minute_forward(ui, scene);
	default:
		return stand(ui, ui->stands_at ? 0 : scene->now);
	}
}

/* ---- the density line ----------------------------------------------------------------- */

/* What the line spans: as far as it reaches back, to now or the end of the recording. */
static int64_t span_end(const struct scene *scene)
{
	return is_replay(scene) ? scene->until : scene->latest;
}

static int64_t moment_at(const struct scene *scene, int col, int cols)
{
	return scene->from + (span_end(scene) - scene->from) * (col + 1) / cols;
}

unsigned still_click(struct ui *ui, const struct scene *scene, int col, int cols)
{
	return stand(ui, moment_at(scene, col, cols));
}

/* Which column a time is in. */
static int column_of(const struct scene *scene, int64_t time, int cols)
{
	int64_t span = span_end(scene) - scene->from, col = span > 0 ? (time - scene->from) * cols / span : 0;

	return col < 0 ? 0 : col >= cols ? cols - 1 : (int)col;
}

static struct str density(const struct ui *ui, const struct scene *scene, int cols, struct arena *a)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct observer *o = &ui->seen;
	unsigned *counts = arena_array(a, (size_t)cols, sizeof(*counts)), most = 1;
	char *text = arena_alloc(a, (size_t)cols * 3 + 1), *at = text;

	memset(counts, 0, (size_t)cols * sizeof(*counts));
	for (size_t i = 0; i < o->count; i++) {
		int64_t time = observe_moment(o, i)->time;
		unsigned *count = &counts[column_of(scene, time, cols)];

		if (time < scene->from || time > scene->latest)
			continue;
		++*count;
		most = *count > most ? *count : most;
	}
	for (int i = 0; i < cols; i++) {
		bool known = i >= column_of(scene, scene->kept, cols) && i <= column_of(scene, scene->latest, cols);
		const char *bar = i == column_of(scene, scene->now, cols) ? "│" :
				  known ? bars[counts[i] ? 1 + counts[i] * 6 / most : 0] : " ";

		memcpy(at, bar, strlen(bar));
		at += strlen(bar);
	}
	return (struct str){ text, (size_t)(at - text) };
}

static size_t changes_since(const struct ui *ui, const struct scene *scene)
{
	const struct observer *o = &ui->seen;
	size_t n = 0;

	while (n < o->count && observe_moment(o, o->count - 1 - n)->time > scene->now)
		n++;
	return n;
}

/* What was observed last, as much of it as there is room for. */
static void add_moment(const struct ui *ui, const struct scene *scene, struct bar *bar, int room, struct arena *a)
{
	const struct moment *m = moment_before(ui, scene, scene->now + 1);
	struct str words;

	if (!m)
		return;
	words = ARENA_JOIN(a, STR("↑ "), clock_text(m->time, CLOCK, a), STR(" "), str_of(m->name), STR(" "), str_of(m->what));
	bar_left_text(bar, text_width(words) > room ? ARENA_JOIN(a, text_head(words, room - 1), STR("…")) : words,
		      STYLE_NORMAL, 10);
}

void bar_density(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	enum { LEAST = 8, MOST = 60, HINTS = 22, BESIDE = 16 };
	int cols = ui->cols / 4 < MOST ? ui->cols / 4 : MOST, room;
	size_t since = changes_since(ui, scene);
	bool wide;

	cols = cols < LEAST ? LEAST : cols;
	wide = ui->cols >= 100;
	room = ui->cols - cols - BESIDE - (wide ? HINTS : 0);
	if (since)
		room -= 18;
	bar->gap = 1;
	bar_left_text(bar, clock_text(scene->from, MINUTE, a), STYLE_DIM, 13);
	bar_left(bar, (struct chip){ .text = { density(ui, scene, cols, a), STR_NONE, STYLE_PROGRESS }, .click = { .density = true } });
	bar_left_text(bar, clock_text(span_end(scene), MINUTE, a), STYLE_DIM, 13);
	add_moment(ui, scene, bar, room, a);
	if (since)
		bar_right_text(bar, arena_printf(a, "%zu change%s since", since, words_plural(since)), STYLE_PROMPT, 8);
	if (!wide)
		return;
	bar_right_text(bar, STR("[ ] step"), STYLE_DIM, 12);
	bar_right_text(bar, is_replay(scene) ? STR("P goes on") : STR("P now"), STYLE_DIM, 11);
}

bool still_is_shown(const struct ui *ui, const struct scene *scene)
{
	return scene->going || (scene->past && ui->stands_at);
}

/* Where it will stand in a moment. */
static struct text going_words(const struct ui *ui, struct arena *a)
{
	struct str to = ui->stands_at ? clock_text(ui->stands_at, CLOCK, a) : STR("now");

	return (struct text){ arena_printf(a, "going to " STR_FMT " …", STR_ARG(to)), arena_printf(a, "→ " STR_FMT, STR_ARG(to)),
			      STYLE_PROGRESS };
}

struct text still_words(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	struct str at = clock_text(ui->stands_at, CLOCK, a);
	struct text out = { arena_printf(a, "paused " STR_FMT, STR_ARG(at)), arena_printf(a, "‖ " STR_FMT, STR_ARG(at)),
			    STYLE_TITLE };

	/* the key to pause needs no other world than that on the screen */
	if (scene->going && (scene->past || !ui->stands_at || scene->now - ui->stands_at >= SECONDS(1)))
		return going_words(ui, a);

	if (!is_replay(scene))
		out.str = ARENA_JOIN(a, out.str, STR(" ‖ now "), clock_text(scene->latest, CLOCK, a));
	return out;
}

/* ---- what is shown ----------------------------------------------------------------- */

static void look_at_all(struct ui *ui, const struct scene *scene)
{
	observer_release(&ui->then);
	ui->then.silent = true;
	observe_scan(&ui->then, scene, false);
	ui->then_at = scene->now;
}

void ui_leaves_now(struct ui *ui, const struct scene *live)
{
	if (ui->npending && !ui->changed)
		ui_observe(ui, live);
}

void ui_moved(struct ui *ui, const struct scene *scene, const uint32_t *slots, size_t n, bool from_now)
{
	if (from_now ? ui->changed : !ui->then_at) {
		look_at_all(ui, scene);
		return;
	}
	if (from_now) {
		observer_release(&ui->then);
		observer_copy(&ui->seen, &ui->then);
	}
	observe_slots(&ui->then, scene, slots, n);
	ui->then_at = scene->now;
}

void still_refresh(struct ui *ui, const struct scene *scene)
{
	int64_t shown = scene->past ? scene->now : 0;

	/* then_at is 0 where another scope was chosen */
	if (ui->shown_at == shown && (!scene->past || ui->echo || ui->then_at == scene->now))
		return;
	ui->shown_at = shown;
	ui->seen.hidden = scene->past;
	ui->passed.text[0] = '\0';
	ui->dirty = true;
	if (scene->past) {
		if (ui->then_at != scene->now)
			look_at_all(ui, scene);
		ui_note_causes(ui, scene);
	} else {
		ui->unordered = true;
		ui->scanned = 0;
	}
}
