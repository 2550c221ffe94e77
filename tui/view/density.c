/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is shown while the dashboard is paused: the moment, and the density line.  That line counts the transitions that
 * [ and ] step over (observe.h).
 */
#include "tui/view/density.h"

#include <string.h>

#include "kube/base/time.h"
#include "tui/words/words.h"

enum { MINUTE = 5 };	/* bytes of "09:00" in "09:00:00" */

/* Returns the clock of a moment, with its date where that is not the one of now. */
static struct str moment_text(const struct scene *scene, int64_t time, struct arena *a)
{
	return words_moment(time, scene->latest ? scene->latest : time, a);
}

struct str gap_words(const struct gap *gap, const struct scene *scene, struct arena *a)
{
	if (gap->to == scene->now)
		return STR("what happens is not known yet");
	return ARENA_JOIN(a, STR("until "), moment_text(scene, gap->to, a), STR(": what happened is not known"));
}

/* Returns the end of the density line: now, or the end of the recording.  The line begins at scene->from. */
static int64_t span_end(const struct scene *scene)
{
	return scene_is_replay(scene) ? scene->until : scene->latest;
}

int64_t density_time(const struct scene *scene, int col, int cols)
{
	return scene->from + (span_end(scene) - scene->from) * (col + 1) / cols;
}

/* Returns the column of the density line in which a time is. */
static int column_of(const struct scene *scene, int64_t time, int cols)
{
	int64_t span = span_end(scene) - scene->from, col = span > 0 ? (time - scene->from) * cols / span : 0;

	return col < 0 ? 0 : col >= cols ? cols - 1 : (int)col;
}

/* A column of the density line in which nobody watched. */
#define UNWATCHED "·"

/* Returns which columns lie in a time in which nobody watched, until now. */
static const bool *unwatched_columns(const struct scene *scene, int cols, struct arena *a)
{
	bool *out = arena_array(a, (size_t)cols, sizeof(*out));
	struct scene now = *scene;
	const struct gap *gaps;
	size_t n;

	now.now = scene->latest;
	memset(out, 0, (size_t)cols * sizeof(*out));
	gaps = scene_gaps(&now, HANDLE_NONE, 0, a, &n);
	for (size_t i = 0; i < n; i++)
		for (int col = column_of(scene, gaps[i].from, cols); col <= column_of(scene, gaps[i].to, cols); col++)
			out[col] = true;
	return out;
}

static struct str density(const struct ui *ui, const struct scene *scene, int cols, struct arena *a)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct observer *o = &ui->observer;
	unsigned *counts = arena_array(a, (size_t)cols, sizeof(*counts)), most = 1;
	const bool *unwatched = unwatched_columns(scene, cols, a);
	char *text = arena_alloc(a, (size_t)cols * 3 + 1), *at = text;

	memset(counts, 0, (size_t)cols * sizeof(*counts));
	for (size_t i = observe_oldest(o, scene); i < o->count; i++) {
		int64_t time = observe_transition(o, scene, i)->time;
		unsigned *count = &counts[column_of(scene, time, cols)];

		if (time < scene->from || time > scene->latest)
			continue;
		++*count;
		most = *count > most ? *count : most;
	}
	for (int i = 0; i < cols; i++) {
		bool known = i >= column_of(scene, scene->history_from, cols) && i <= column_of(scene, scene->latest, cols);
		const char *bar = i == column_of(scene, scene->now, cols) ? "│" :
				  !known ? " " : counts[i] || !unwatched[i] ? bars[counts[i] ? 1 + counts[i] * 6 / most : 0] : UNWATCHED;

		memcpy(at, bar, strlen(bar));
		at += strlen(bar);
	}
	return (struct str){ text, (size_t)(at - text) };
}

static size_t changes_since(const struct ui *ui, const struct scene *scene)
{
	const struct observer *o = &ui->observer;
	size_t oldest = observe_oldest(o, scene), n = 0;

	while (n < o->count - oldest && observe_transition(o, scene, o->count - 1 - n)->time > scene->now)
		n++;
	return n;
}

/* Adds the last transition before the moment that is shown, as much of it as there is room for. */
static void add_last_transition(const struct ui *ui, const struct scene *scene, struct bar *bar, int room, struct arena *a)
{
	const struct journal_entry *m = ui_transition_before(ui, scene, scene->now + 1);
	struct str words;

	if (!m)
		return;
	words = ARENA_JOIN(a, STR("↑ "), words_clock(m->time, a), STR(" "), observe_name(m, scene, a), STR(" "),
			   observe_words(m, a));
	bar_left_text(bar, text_width(words) > room ? ARENA_JOIN(a, text_head(words, room - 1), STR("…")) : words,
		      STYLE_NORMAL, 10);
}

void bar_density(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a)
{
	enum { LEAST = 8, MOST = 60, HINTS = 26, BESIDE = 16 };
	int cols = ui->cols / 4 < MOST ? ui->cols / 4 : MOST, room;
	size_t since = changes_since(ui, scene);
	struct str line;
	bool wide;

	cols = cols < LEAST ? LEAST : cols;
	wide = ui->cols >= 100;
	room = ui->cols - cols - BESIDE - (wide ? HINTS : 0);
	line = density(ui, scene, cols, a);
	room -= (since ? 20 : 0) + (str_contains(line, UNWATCHED) ? 15 : 0);
	bar->gap = 1;
	bar_left_text(bar, str_head(words_clock(scene->from, a), MINUTE), STYLE_DIM, 13);
	bar_left(bar, (struct chip){ .text = { line, STR_NONE, STYLE_PROGRESS }, .click = { .density = true } });
	bar_left_text(bar, str_head(words_clock(span_end(scene), a), MINUTE), STYLE_DIM, 13);
	add_last_transition(ui, scene, bar, room, a);
	if (since)
		bar_right_text(bar, ARENA_JOIN(a, words_count(since, a), str_of(since == 1 ? " later change" : " later changes")), STYLE_PROMPT, 8);
	if (str_contains(line, UNWATCHED))
		bar_right_text(bar, STR(UNWATCHED " not watched"), STYLE_DIM, 9);
	if (!wide)
		return;
	bar_right_text(bar, STR("[ ] step"), STYLE_DIM, 12);
	bar_right_text(bar, scene_is_replay(scene) ? STR("P plays on") : STR("P back to now"), STYLE_DIM, 11);
}

bool pause_is_shown(const struct ui *ui, const struct scene *scene)
{
	return scene->seeking || (scene->past && ui->seek_time);
}

/* Returns words about the moment that will be shown next. */
static struct text seek_words(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	struct str to = ui->seek_time ? moment_text(scene, ui->seek_time, a) : STR("now");

	return (struct text){ arena_printf(a, "going to " STR_FMT " …", STR_ARG(to)), arena_printf(a, "→ " STR_FMT, STR_ARG(to)),
			      STYLE_PROGRESS };
}

struct text pause_words(const struct ui *ui, const struct scene *scene, struct arena *a)
{
	struct str at = moment_text(scene, ui->seek_time, a);
	struct text out = { arena_printf(a, "paused " STR_FMT, STR_ARG(at)), arena_printf(a, "‖ " STR_FMT, STR_ARG(at)),
			    STYLE_TITLE };

	/* Pausing shows the moment that is on the screen already, so there is nothing to go to. */
	if (scene->seeking && (scene->past || !ui->seek_time || scene->now - ui->seek_time >= SECONDS(1)))
		return seek_words(ui, scene, a);

	if (scene_is_unwatched(scene) || (scene_is_replay(scene) && scene->header->in_gap))
		out.str = ARENA_JOIN(a, out.str, STR(", not watched then"));
	if (!scene_is_replay(scene))
		out.str = ARENA_JOIN(a, out.str, STR(" ‖ now "), words_clock(scene->latest, a));
	return out;
}
