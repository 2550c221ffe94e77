/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop of the dashboard: one thread, one place where it waits, at most one picture in 33 ms. */
#include "plugin/dashboard/dashboard.h"

#include "kube/base/assert.h"
#include "kube/base/fatal.h"
#include "plugin/changed.h"
#include "plugin/clock.h"
#include "plugin/dashboard/hand_over.h"
#include "plugin/dashboard/opening.h"
#include "plugin/signals.h"

#include <signal.h>
#include <stdlib.h>

#define SECOND 1000
#define STEP 100	/* the time between two pictures while an earlier part of a recording is played again, ms */
/*
 * how long to wait for the server before the screen opens, ms: a quick answer, or error, needs no empty screen before
 * it
 */
#define OPEN_AFTER 80
#define SAY_LOGIN_AFTER 2000	/* how long a login before the screen may take until its plugin is named, ms */
#define FOLLOW 2000	/* how often a followed log is read, ms */

struct loop {
	struct dashboard d;
	bool key_first;		/* this turn answers a key; what the server sent is handled in the next one */
	bool open;		/* the dashboard has opened the terminal */
	int64_t read_again_at;	/* when a log that is followed is read again, ms; 0: none is followed */
};

/* ---- waiting --------------------------------------------------------------------- */

enum {
	TIMER_GOING,	/* goes to another moment */
	TIMER_VIEW,	/* repaints when ages or flashes change, by the clock of the world */
	TIMER_PLAY,	/* plays the next moment of a recording, by the clock of the recording */
	TIMER_AGAIN,	/* paints the next picture of a part that is played again */
	TIMER_SAY,	/* removes the message in the last line */
	TIMER_READ,	/* reads a followed log again */
	TIMER_FRAME,
	TIMER_OLD,	/* repaints the age of data that is out of date */
	TIMER_SOURCE,
	TIMER_OPENING,
	TIMER_HAND_OVER,	/* writes a capsule without what the cluster has not answered */
	TIMER_HISTORY,	/* reads on in what was recorded before this session */
	TIMER_COPY	/* copies without what the cluster has not answered */
};

static int64_t frame_due(const struct dashboard *d)
{
	return d->urgent ? d->next_frame : d->next_data_frame;
}

/* Returns true while a recording stands at the moment that is shown. */
static bool stands(const struct dashboard *d)
{
	return d->p->source->plays && (d->p->shown || ui_seek_time(d->ui));
}

/* Sets a timer to a time by the clock of the world, which in a recording may go faster or slower, or stand still. */
static void set_world_timer(struct dashboard *d, unsigned timer, int64_t at)
{
	double speed = stands(d) ? 0 : d->p->source->facts(d->p).speed;
	int64_t left = at - d->p->world.now;

	if (left > 0 && speed <= 0)
		return;
	if (left > 0 && d->p->source->plays)
		left = (int64_t)((double)left / speed) + 1;
	timers_set(&d->timers, timer, at, left);
}

static void set_timer(struct dashboard *d, unsigned timer, int64_t at)
{
	timers_set(&d->timers, timer, at, at - clock_now());
}

/* Returns when to read on in the history, by the clock: now when it is overdue; 0: never, as while a moment is looked for. */
static int64_t history_due(const struct dashboard *d)
{
	int64_t at = history_deadline(d->p->past), now = clock_now();

	if (!at || d->moments.seeking)
		return 0;
	return at > now ? at : now;
}

/* Sets the timers of pictures. */
static void time_pictures(struct dashboard *d)
{
	/* a picture is requested already: wait for that one, and not for timers that would request one */
	if (term_busy(d->term)) {
		set_timer(d, TIMER_FRAME, clock_now() + term_pause(d->term));
		return;
	}
	if (d->effects) {
		set_timer(d, TIMER_FRAME, frame_due(d));
		return;
	}
	set_world_timer(d, TIMER_VIEW, ui_deadline(d->ui, d->p->world.now, clock_now()));
	set_timer(d, TIMER_SAY, ui_say_deadline(d->ui));
	if (!d->fresh)
		set_timer(d, TIMER_OLD, d->next_frame + SECOND);
}

/* Sets all timers and returns how long to wait for an event, ms; -1: without a limit. */
static int64_t time_left(struct loop *l)
{
	struct dashboard *d = &l->d;
	struct program *p = d->p;

	if (d->moments.seeking == SEEK_NEXT && !history_waits(p->past))
		set_timer(d, TIMER_GOING, clock_now());
	time_pictures(d);
	if (!stands(d))
		set_world_timer(d, TIMER_PLAY, p->source->facts(p).next);
	if (d->moments.plays_again)
		set_timer(d, TIMER_AGAIN, clock_now() + STEP);
	set_timer(d, TIMER_READ, l->read_again_at);
	set_timer(d, TIMER_HISTORY, history_due(d));
	set_timer(d, TIMER_COPY, d->copies_at);
	set_timer(d, TIMER_HAND_OVER, hand_over_deadline(d->hand_over));
	set_timer(d, TIMER_SOURCE, p->source->facts(p).deadline);
	if (d->chosen.opening)
		set_timer(d, TIMER_OPENING, live_deadline(d->chosen.opening->live));
	return timers_wait(&d->timers);
}

static void wait_for_something(struct loop *l)
{
	int fds[] = { term_fd(l->d.term), signals_fd() };
	int64_t timeout = time_left(l);

	/* In the released program such a timer only waits a little: nothing wrong is shown, so there is no reason to stop. */
	assert_costly(!l->d.timers.unserved);
	l->d.p->source->sleep(l->d.p, fds, 2, timeout);
}

/* ---- events ------------------------------------------------------------------------ */

static void on_signal(struct dashboard *d, int number)
{
	if (number == SIGWINCH) {
		shown_resize(d);
	} else if (number == SIGTSTP) {
		d->effects |= EFFECT_SUSPEND;
	} else if (number == SIGCONT) {
		d->effects |= EFFECT_REPAINT | EFFECT_REDRAW;
	} else {
		d->p->signal = number;
		d->quit = true;
	}
}

static void read_keys(struct dashboard *d)
{
	struct key key;

	while (term_next_key(d->term, &key)) {
		struct scene scene;

		if (d->moments.seeking)
			moments_change(d);
		if (d->copies_at)
			picture_copy(d);
		scene = shown_scene(d);
		d->effects |= ui_key(d->ui, &scene, &key);
		moments_run_effects(d);
		if (d->effects & EFFECT_HAND_OVER)	/* of what is on the screen now: the next key may end that */
			hand_over_begin(d);
	}
	if (term_lost(d->term)) {
		d->p->signal = SIGHUP;
		d->quit = true;
	}
}

/* ---- effects ------------------------------------------------------------------------- */

/* Requests what is shown again: an object when it changed, a log that is followed every FOLLOW ms. */
static void read_again(struct loop *l)
{
	struct dashboard *d = &l->d;
	const struct world_source *source = d->p->source;
	struct handle h;
	enum want want = ui_wants(d->ui, &h);
	bool asks = source->facts(d->p).watches, follows = asks && want == WANT_LOGS && ui_follows(d->ui);

	if (asks && want != WANT_NOTHING && source->touched(d->p, h) && want != WANT_LOGS)
		fetch_again(d->fetch);
	if (!follows) {
		l->read_again_at = 0;
	} else if (clock_now() >= l->read_again_at) {
		if (l->read_again_at)
			fetch_again(d->fetch);
		l->read_again_at = clock_now() + FOLLOW;
	}
}

/* Does what was asked for; a picture may be left to do. */
static void run_effects(struct dashboard *d)
{
	hand_over_put_off(d);
	d->quit |= (d->effects & EFFECT_QUIT) != 0;
	if (d->effects & EFFECT_COPY)
		picture_copy_when_known(d);
	if (d->effects & EFFECT_SCOPE)
		scope_change(d, ui_scope(d->ui));
	if (d->effects & EFFECT_CANCEL)
		scope_cancel(d);
	if (d->effects & EFFECT_CONTEXT)
		scope_change_context(d, ui_scope(d->ui).name);
	if (d->effects & EFFECT_RUN)
		programs_look(d);
	if (d->effects & EFFECT_EXPORT)
		programs_export(d);
	if (d->effects & EFFECT_PINS)
		scope_save_pins(d);
	if (d->effects & EFFECT_SUSPEND) {
		recorder_flush(d->p->recorder);
		recorder_flush(flight_recorder(d->p->flight));
		term_suspend(d->term);
		shown_resize(d);
	}
	if (d->effects & EFFECT_REDRAW) {
		term_redraw(d->term);
		fetch_again(d->fetch);
	}
	d->effects &= (unsigned)(EFFECT_REPAINT | EFFECT_REINDEX | EFFECT_FETCH);
}

/* Requests what is to be shown and is not there, and takes what has come of it. */
static void read_shown(struct loop *l)
{
	struct dashboard *d = &l->d;
	struct handle h;
	enum want want = ui_wants(d->ui, &h);

	if (d->effects)
		fetch_want(d->fetch, h, want);
	if (fetch_changed(d->fetch))
		d->effects |= EFFECT_REPAINT;
	picture_answer_changed(d);
	if (d->p->source->asks && d->p->source->use_came(d->p, ui_shows_table(d->ui) && !d->p->shown)) {
		ui_more_known(d->ui);
		d->effects |= EFFECT_REPAINT;
	}
	read_again(l);
}

/* ---- one turn ------------------------------------------------------------------------- */

/* Ends the dashboard with an error when nothing of what the command line names may be read. */
static void check_answered(struct dashboard *d)
{
	struct program *p = d->p;
	const struct err *why;

	if (d->chosen.answered || !p->source->facts(p).watches || !p->source->facts(p).settled)
		return;
	d->chosen.answered = true;
	if (program_settle_alert(p))
		scope_change(d, (struct scope){ SCOPE_OBJECTS, p->query.ns, KINDS_ALL, NULL });
	why = p->query.what.n ? p->source->unreadable(p, NULL, false) : NULL;
	if (why && why->code == ERR_FORBIDDEN) {
		d->failed = *why;
		d->quit = true;
	}
}

/*
 * Returns true when the picture must show another freshness: the data became old or fresh, or its age in seconds grew.
 */
static bool freshness_shows(const struct dashboard *d)
{
	bool fresh = d->p->source->facts(d->p).fresh;

	return fresh != d->fresh || (!fresh && clock_now() >= d->next_frame + SECOND);
}

/* Takes what the source has, unless a key waits: not in two turns running, because then changes would wait for ever. */
static void take_from_source(struct loop *l)
{
	struct dashboard *d = &l->d;

	l->key_first = !l->key_first && d->p->source->asks && shown_has_key(d);
	if (l->key_first)
		timers_put_off(&d->timers);
	if (l->key_first && !d->p->options.as_of)
		d->p->world.now = clock_now();
	if (!l->key_first)
		moments_step(d);
	scope_connect_more(d);
	check_answered(d);
	if (!l->key_first)
		moments_read_history(d);
	if (freshness_shows(d))
		d->effects |= EFFECT_REPAINT;
}

static void run_once(struct loop *l)
{
	struct dashboard *d = &l->d;
	unsigned before;
	int64_t next;
	int number;

	wait_for_something(l);
	if (d->moments.seeking == SEEK_NEXT) {
		moments_change(d);
		d->urgent = true;
	}
	take_from_source(l);
	before = d->effects;
	d->effects = 0;
	while ((number = signals_next()) != 0)
		on_signal(d, number);
	read_keys(d);
	d->urgent |= d->effects != 0;
	d->effects |= before;
	next = ui_deadline(d->ui, d->p->world.now, clock_now());
	if ((next && next <= d->p->world.now) || (ui_say_deadline(d->ui) && ui_say_deadline(d->ui) <= clock_now()))
		d->effects |= EFFECT_REPAINT;
	run_effects(d);
	read_shown(l);
	if (d->effects && !d->quit && clock_now() >= frame_due(d)) {
		if (!term_busy(d->term))
			picture_paint(d);
		else if (clock_now() >= d->refreshed + SECOND)
			picture_refresh(d);
	}
	hand_over_go_on(d);	/* after the picture, which would wait for it */
}

/* ---- begin and end ------------------------------------------------------- */

/* Returns the theme: --color decides, then NO_COLOR, then the preferences. */
static enum theme_name theme_wanted(const struct program *p)
{
	const char *none = getenv("NO_COLOR"), *color = p->options.color;

	if (color && str_is(str_of(color), "never"))
		return THEME_NONE;
	if (none && *none && !(color && str_is(str_of(color), "always")))
		return THEME_NONE;
	return p->preferences.theme;
}

static int open_dashboard(struct loop *l, struct err *err)
{
	struct dashboard *d = &l->d;
	struct program *p = d->p;
	int rows, cols;

	signals_catch();
	signals_catch_screen();
	signals_on_death(term_emergency);
	fatal_on_end(term_emergency);
	if (term_open(theme_wanted(p), &d->term, err) < 0)
		return -1;
	d->ui = ui_new();
	ui_bind(d->ui, &p->preferences.keys);
	ui_warn(d->ui, str_of(p->preferences_wrong.msg));
	if (p->source->asks) {
		p->source->take_terminal(p);
		if (p->options.contexts || p->options.all_contexts)
			buf_add(&d->chosen.several, p->source->facts(p).context);
		scope_list_contexts(d);
		scope_load_pins(d);
	}
	ui_sort_by(d->ui, str_of(p->options.sort_by));
	d->fetch = fetch_new(p);
	d->hand_over = hand_over_new();
	d->canvas.ascii = term_is_ascii(d->term);
	term_size(d->term, &rows, &cols);
	ui_resize(d->ui, rows, cols);
	canvas_resize(&d->canvas, rows, cols);
	d->moments.wall_start = clock_now();
	l->open = true;
	return 0;
}

static void close_dashboard(struct loop *l)
{
	struct dashboard *d = &l->d;
	struct program *p = d->p;
	struct err err;

	if (l->open)
		hand_over_finish(d);
	/* before the terminal, which may take nothing */
	if (program_end_recordings(p, &err) < 0)
		assert(p->recording_failed.code != ERR_NONE);	/* the end of the program tells it */
	if (l->open) {
		term_close(d->term);
		ui_free(d->ui);
		canvas_release(&d->canvas);
		arena_release(&d->frame);
	}
	moments_leave(d);
	scope_end(d);
	/* fetch and the history must outlive the source, because answers may still come. */
	p->source->close(p);
	history_free(p->past);
	p->past = NULL;
	changed_free(p->changed);
	p->changed = NULL;
	hand_over_free(d->hand_over);
	fetch_free(d->fetch);
	arena_release(&d->texts);
}

/* Names the plugin that the screen waits for, which may have asked something without a word. */
static void say_login(struct dashboard *d)
{
	struct arena a = { 0 };

	shown_header(d);
	say_line(ARENA_JOIN(&a, STR("waiting for the login to "), d->header.context, STR(": "), d->header.opening_login,
			    STR(" has not finished; it may ask something here, Ctrl-C ends both")));
	arena_release(&a);
}

/*
 * Connects for a short time before the screen opens.  A server that takes longer gets a screen that says so, where keys
 * work.
 */
static int connect_first(struct loop *l, struct err *err)
{
	struct dashboard *d = &l->d;
	struct program *p = d->p;
	bool said = false;

	scope_connect_more(d);
	while (p->source->asks && !p->source->facts(p).watches && !d->quit) {
		int64_t passed = clock_now() - p->started, next = passed < OPEN_AFTER ? OPEN_AFTER : SAY_LOGIN_AFTER;

		/* while a credential plugin may ask something, the terminal belongs to it */
		if (passed >= OPEN_AFTER && !p->source->facts(p).uses_terminal)
			return open_dashboard(l, err);
		if (passed >= SAY_LOGIN_AFTER && !said) {
			say_login(d);
			said = true;
		}
		p->source->turn(p, NULL, 0, next > passed ? next - passed : SECOND);
		scope_connect_more(d);
	}
	return d->quit ? 0 : open_dashboard(l, err);
}

/* Shows the first picture, and whatever comes then. */
static void run(struct loop *l)
{
	struct dashboard *d = &l->d;

	moments_open(d);
	if (!d->p->source->asks || d->p->source->facts(d->p).watches)
		moments_step(d);
	picture_paint(d);
	d->effects |= EFFECT_FETCH;	/* of the row that is selected; of files nothing else would ask for it before a key */
	while (!d->quit)
		run_once(l);
}

int run_dashboard(struct program *p, struct err *err)
{
	struct loop l = { .open = false };
	int result;

	shown_begin(&l.d);
	scope_begin(&l.d, p);
	if (scope_open_history(&l.d, err) < 0) {
		scope_end(&l.d);
		return -1;
	}
	p->dashboard = &l.d;
	if (!p->changelog)	/* changelog_new() makes the graph keep its journal, too */
		graph_keep_journal(p->world.graph, JOURNAL_CEILING, p->world.now);
	graph_keep_places(p->world.graph);
	result = connect_first(&l, err);
	if (result == 0 && l.open)
		run(&l);
	close_dashboard(&l);
	if (l.d.failed.code != ERR_NONE) {
		*err = l.d.failed;
		result = -1;
	}
	p->signal = l.d.p->signal;
	if (l.d.p != p)
		opening_leave(l.d.p);
	return result < 0 ? -1 : 0;
}
