/* SPDX-License-Identifier: Apache-2.0 */
/* The moment that is shown: the present one, an earlier one, or one of a recording that plays. */
#include "plugin/dashboard/dashboard.h"

#include "kube/base/limits.h"
#include "plugin/clock.h"
#include "plugin/dashboard/hand_over.h"
#include "plugin/dashboard/seek.h"
#include "tui/ui/resume.h"

#include <string.h>

#define GOING 100	/* the milliseconds of work towards a moment of the history in one turn of the event loop */

/* ---- playing ----------------------------------------------------------------- */

/* Tells the user interface which objects the last graph_settle() changed; it looks at these alone. */
static void report_changed(struct dashboard *d)
{
	size_t n;
	const uint32_t *slots = graph_changed(d->p->world.graph, &n);

	ui_changed_slots(d->ui, slots, n);
	d->effects |= EFFECT_REPAINT;
}

void moments_keep_past(struct dashboard *d)
{
	struct program *p = d->p;

	if (d->moments.keeps_past || !p->source->facts(p).keeps_past)
		return;
	graph_keep_history(p->world.graph, p->preferences.history ? MIB(p->preferences.history) : UNDO_CEILING);
	d->moments.keeps_past = true;
}

/* Has the user interface observe a moment, because one that is left out would be a transition that nobody saw. */
static void on_moment(void *dashboard, size_t n, bool all)
{
	struct dashboard *d = dashboard;
	struct scene scene;

	if (n == 0 && d->moments.keeps_past)
		return;
	report_changed(d);
	if (all)
		ui_changed(d->ui);
	moments_keep_past(d);
	scene = shown_live(d);
	ui_observe(d->ui, &scene);
}

static void arrange(void *dashboard)
{
	struct dashboard *d = dashboard;
	struct scene scene = shown_live(d);

	ui_arrange(d->ui, &scene);
}

static struct source_watch watch_of(struct dashboard *d)
{
	return (struct source_watch){ on_moment, arrange, d };
}

/* Plays some moments of the recording, not beyond until. */
static void play_some(struct dashboard *d, int64_t until)
{
	struct source_watch watch = watch_of(d);

	shown_header(d);
	program_play_watched(d->p, until, &watch);
}

/* Plays the recording completely up to a time, which may be after its end. */
static void play_to(struct dashboard *d, int64_t at)
{
	int64_t next;

	do {
		play_some(d, at);
		next = d->p->source->facts(d->p).next;
	} while (next && next <= at);
	arrange(d);
}

/* Returns the time of the recording by its clock, ms. */
static int64_t recording_time(const struct dashboard *d)
{
	const struct program *p = d->p;
	int64_t start = p->source->facts(p).start, end = p->source->facts(p).until;
	double passed = (double)(clock_now() - d->moments.wall_start) * p->options.speed;

	if (p->shows_end || ui_seek_time(d->ui))
		return p->world.now;
	return passed < (double)(end - start) ? start + (int64_t)passed : end;
}

/* Sets the clock of the recording, so that it shows this time now. */
static void play_from(struct dashboard *d, int64_t time)
{
	d->moments.wall_start = clock_now() - (int64_t)((double)(time - d->p->source->facts(d->p).start) / d->p->options.speed);
}

/* ---- another moment ------------------------------------------------------------- */

static void show_now(struct dashboard *d)
{
	struct seek *was = d->moments.seek;
	bool history = shown_is_history(d);

	d->moments.seek = NULL;
	d->moments.plays_again = false;
	d->p->shown = NULL;
	d->p->shows = NULL;
	if (history) {
		struct scene scene = shown_live(d);

		ui_after_exchange(d->ui, &scene, seek_world(was)->graph);
	}
	seek_free(was);
	history_leave(d->p->past);
	fetch_again(d->fetch);
}

void moments_leave(struct dashboard *d)
{
	seek_free(d->moments.seek);
	d->moments = (struct moments){ .wall_start = d->moments.wall_start };
	d->p->shown = NULL;
	d->p->shows = NULL;
}

/* Tells the user interface which objects differ between the two moments; it looks at these alone. */
static void report_moved(struct dashboard *d)
{
	struct scene scene = shown_scene(d);
	bool from_now;
	size_t n;
	const uint32_t *slots = seek_changed(d->moments.seek, &n, &from_now);

	ui_after_seek(d->ui, &scene, slots, n, from_now);
	slots = graph_changed(d->p->shown->graph, &n);
	ui_after_seek(d->ui, &scene, slots, n, false);
}

/* Goes to a moment in the world of a program, in which seek goes back.  Returns the moment that was reached. */
static int64_t go_in(struct dashboard *d, struct program *program, int64_t at)
{
	at = seek_to(d->moments.seek, at);
	d->p->shows = program;
	d->p->shown = program->shown = seek_world(d->moments.seek);
	return at;
}

/* Goes to a moment in the world of another program than before. */
static int64_t exchange_world(struct dashboard *d, struct program *program, int64_t at)
{
	struct seek *was = d->moments.seek;
	const struct graph *graph = was ? seek_world(was)->graph : d->p->world.graph;
	struct scene scene;

	d->moments.seek = seek_new(program);
	at = go_in(d, program, at);
	scene = shown_scene(d);
	ui_after_exchange(d->ui, &scene, graph);
	seek_free(was);
	history_drop_former(d->p->past);
	return at;
}

/* Returns the program whose world reaches back to a moment: what the live one has forgotten, the history may have. */
static struct program *program_at(struct dashboard *d, int64_t at)
{
	struct err err = { 0 };
	int64_t from = graph_history_from(d->p->world.graph);
	struct program *earlier = NULL;
	int result;

	if (!history_from(d->p->past) || (from && at >= from))
		return d->p;
	result = history_go(d->p->past, at, clock_now() + GOING, &earlier, &err);
	if (result > 0) {
		d->moments.seeking = SEEK_NEXT;	/* the next turn goes on */
	} else if (result < 0) {
		shown_say_err(d, "not read", &err);
		ui_seek(d->ui, d->p->shown ? d->p->shown->now : 0);
	}
	return earlier;
}

static void show_moment(struct dashboard *d, int64_t at)
{
	struct scene live = shown_live(d);
	struct program *program = program_at(d, at);

	if (!program)
		return;
	ui_before_seek(d->ui, &live);
	if (program != (d->p->shows ? d->p->shows : d->p)) {
		at = exchange_world(d, program, at);
	} else {
		if (!d->moments.seek)
			d->moments.seek = seek_new(d->p);
		at = go_in(d, program, at);
		report_moved(d);
	}
	if (d->moments.plays_again)
		return;
	ui_seek(d->ui, at);
	fetch_again(d->fetch);
}

/* Goes on with a part of the recording that was played before, until it reaches the present moment of the recording. */
static void play_again(struct dashboard *d)
{
	int64_t time = recording_time(d);

	if (time < d->p->world.now)
		show_moment(d, time);
	else
		show_now(d);
	d->effects |= EFFECT_REPAINT;
}

void moments_step(struct dashboard *d)
{
	struct program *p = d->p;
	struct source_watch watch = watch_of(d);

	if (d->moments.plays_again) {
		play_again(d);
		report_changed(d);
		return;
	}
	if (p->source->plays && ui_seek_time(d->ui))
		return;
	if (p->source->plays)
		shown_header(d);
	if (p->source->step(p, recording_time(d), &watch))
		report_changed(d);
}

/* Goes to the newest keyframe at or before a time, if the recording has one. */
static void go_to_state(struct dashboard *d, int64_t at)
{
	struct scene scene;

	program_skip_to(d->p, at);
	if (!d->p->world.now)
		return;
	moments_keep_past(d);
	shown_header(d);
	scene = shown_live(d);
	ui_observe(d->ui, &scene);
}

/*
 * Goes to a moment of a recording that playing cannot reach, or not soon: empties the world, restores a state, and
 * observes everything again from there.
 */
static void restore(struct dashboard *d, int64_t at)
{
	struct world was;

	hand_over_finish(d);
	show_now(d);
	was = program_restart(d->p);
	d->moments.keeps_past = false;
	ui_restart(d->ui);
	go_to_state(d, at);
	play_to(d, at);
	ui_find_again(d->ui, was.graph, d->p->world.graph);
	ui_drop_alarm(d->ui);	/* root causes that were passed on the way do not ring */
	world_discard(&was);
}

void moments_change(struct dashboard *d)
{
	int64_t at = ui_seek_time(d->ui);
	enum reach reach = at && d->p->source->plays ? d->p->source->reach(d->p, at) : REACH_KEPT;

	d->moments.seeking = SEEK_NONE;
	d->moments.plays_again = false;
	d->effects |= EFFECT_REPAINT;
	if (reach == REACH_RESTORED)
		restore(d, at);
	else if (reach == REACH_PLAYED)
		play_to(d, at);
	if (at) {
		show_moment(d, at);
	} else if (d->p->source->plays && d->p->shown) {
		play_from(d, d->p->shown->now);
		d->moments.plays_again = true;
		play_again(d);
	} else {
		show_now(d);
	}
}

/* ---- to the next change, and to the one before what is kept ---------------------- */

/* Plays until an object changes and stops there; at the end of the recording when none does. */
static void play_to_change(struct dashboard *d)
{
	uint64_t before = ui_observed(d->ui);
	int64_t next;

	while (ui_observed(d->ui) == before && (next = d->p->source->facts(d->p).next) != 0)
		play_some(d, next);
	arrange(d);
	if (ui_observed(d->ui) == before)
		ui_say(d->ui, STR("nothing changes any more: the recording ends"), clock_now());
	ui_seek(d->ui, d->p->world.now);
	moments_change(d);
}

/* Goes to a moment before everything that was observed, and from there to the last change. */
static void step_before(struct dashboard *d)
{
	int64_t start = d->p->source->facts(d->p).start, from;
	struct scene scene;

	do {
		from = graph_history_from(d->p->world.graph);
		restore(d, from - 1);
		play_to(d, from);
	} while (!ui_observed(d->ui) && graph_history_from(d->p->world.graph) > start);
	ui_seek(d->ui, from);
	moments_change(d);
	shown_header(d);
	scene = shown_scene(d);
	if (ui_act(d->ui, &scene, ACTION_STEP_BACK) & EFFECT_SEEK)
		moments_change(d);
}

/* ---- what is not read yet of the history ------------------------------------------- */

/* Says that the history ends before the moment that this key asks for. */
static void say_not_kept(struct dashboard *d, enum action action)
{
	struct str away = history_away(d->p->past);

	if (!away.len)
		away = action == ACTION_STEP_BACK ? STR("nothing more is kept of what changed before; { goes back by minutes") :
						    STR("what changed next is not kept; } goes on by minutes");
	ui_say(d->ui, away, clock_now());
}

/*
 * Carries out the keys that wait for a part of the history, as far as what they need has been read, and has more of it
 * read for the next one.
 */
static void go_on_later(struct dashboard *d)
{
	struct moments *m = &d->moments;
	size_t n = m->nlater, done = 0;

	while (done < n) {
		enum action action = m->later[done];
		struct scene scene;
		unsigned effects;

		shown_header(d);
		scene = shown_scene(d);
		scene.waiting = false;
		effects = ui_act(d->ui, &scene, action);
		if (effects & EFFECT_LATER && history_read_before(d->p->past))
			break;
		if (effects & EFFECT_SEEK)
			moments_change(d);
		else if (effects & EFFECT_LATER)
			say_not_kept(d, action);
		done++;
		d->urgent = true;
		d->effects |= EFFECT_REPAINT;
	}
	m->nlater -= done;
	memmove(m->later, m->later + done, m->nlater * sizeof(*m->later));
}

/* Keeps a key until what it needs of the history has been read. */
static void put_off_step(struct dashboard *d)
{
	struct moments *m = &d->moments;
	struct arena a = { 0 };
	bool back = ui_later(d->ui) == ACTION_STEP_BACK || ui_later(d->ui) == ACTION_MINUTE_BACK;

	if (m->nlater < LATER)
		m->later[m->nlater++] = ui_later(d->ui);
	if (m->nlater == 1)
		go_on_later(d);
	if (m->nlater == 1)
		ui_say(d->ui, back ? STR("reading what changed before …") : STR("reading what changed after …"), clock_now());
	else if (m->nlater)
		ui_say(d->ui, arena_printf(&a, "reading what changed before and after … %zu keys wait", m->nlater), clock_now());
	arena_release(&a);
}

/* Shows what was read of the history. */
static void tell_history(struct dashboard *d, unsigned news)
{
	struct scene scene = shown_live(d);
	struct str said = history_said(d->p->past);
	size_t n;
	const uint64_t *entries = history_entries(d->p->past, &n);

	if (said.len)
		ui_say(d->ui, said, clock_now());
	if (news & HISTORY_ENTRIES)
		ui_observe_earlier(d->ui, &scene, entries, n);
	d->effects |= EFFECT_REPAINT;
}

void moments_read_history(struct dashboard *d)
{
	struct history *past = d->p->past;
	int64_t *opens_at = &d->moments.opens_at;
	unsigned news;

	if (!past || d->moments.seeking || shown_has_key(d))
		return;
	news = history_step(past);
	if (news)
		tell_history(d, news);
	if (news || history_rests(past))
		go_on_later(d);
	if (*opens_at && history_from(past)) {
		ui_seek(d->ui, *opens_at > history_from(past) ? *opens_at : history_from(past));
		*opens_at = 0;
		moments_change(d);
		d->urgent = true;
	}
}

void moments_run_effects(struct dashboard *d)
{
	bool large = store_count(d->p->world.store) >= MANY_OBJECTS;

	if (d->effects & EFFECT_SEEK)
		d->moments.nlater = 0;
	if (d->effects & EFFECT_SEEK && large)
		d->moments.seeking = SEEK_PENDING;
	else if (d->effects & EFFECT_SEEK)
		moments_change(d);
	if (d->effects & EFFECT_NEXT)
		play_to_change(d);
	if (d->effects & EFFECT_BEFORE)
		step_before(d);
	if (d->effects & EFFECT_LATER)
		put_off_step(d);
	d->effects &= ~(unsigned)(EFFECT_SEEK | EFFECT_NEXT | EFFECT_BEFORE | EFFECT_LATER);
}

/* ---- the moment at which the dashboard opens ------------------------------------------ */

static void go_to_opening_moment(struct dashboard *d)
{
	struct program *p = d->p;
	int64_t at = p->source->facts(p).opens_at;

	if (!at)
		return;
	p->world.now = 0;
	go_to_state(d, at);
	play_to(d, at);
	ui_drop_alarm(d->ui);	/* root causes that were passed on the way do not ring */
	play_from(d, at);
	if (!d->moments.keeps_past || (!p->options.as_of && at == p->source->facts(p).until))
		return;	/* without a history there is no moment to show; at the end there is nothing to play */
	ui_seek(d->ui, at);
	moments_change(d);
}

void moments_open(struct dashboard *d)
{
	struct json screen = d->p->source->facts(d->p).screen;
	struct scene scene;

	go_to_opening_moment(d);
	if (!screen.node)
		return;
	shown_header(d);
	scene = shown_scene(d);
	ui_refresh(d->ui, &scene);
	ui_resume(d->ui, &scene, screen);
}
