/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop of the dashboard: one thread, one place where it waits, at most one picture in 33 ms. */
#include "plugin/changed.h"
#include "plugin/clock.h"
#include "plugin/output/export.h"
#include "plugin/dashboard/fetch.h"
#include "plugin/dashboard/hand_over.h"
#include "plugin/dashboard/history.h"
#include "plugin/notices.h"
#include "plugin/unread.h"
#include "plugin/dashboard/opening.h"
#include "plugin/program.h"
#include "plugin/dashboard/remember.h"
#include "plugin/signals.h"
#include "plugin/dashboard/seek.h"
#include "plugin/dashboard/since.h"
#include "plugin/dashboard/timers.h"
#include "tui/draw/draw.h"
#include "tui/term/curses.h"
#include "tui/ui/resume.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/child.h"
#include "kube/base/fatal.h"
#include "kube/base/limits.h"
#include "kube/base/redact.h"
#include "kube/base/shell.h"
#include "kube/base/time.h"
#include "kube/base/utf8.h"
#include "kube/journal/journal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME 33	/* the least time between two pictures, ms */
#define SECOND 1000
/*
 * While lists are read, painting takes at most one tenth of the time: after a picture nine times its duration must
 * pass.
 */
#define LOADING_SHARE 9
#define MOMENTS 64	/* the most moments of a recording that are played in one turn of the event loop */
#define STEP 100	/* the time between two pictures while an earlier part of a recording is played again, ms */
#define OUTPUT MIB(1)	/* the bytes of a command's output that are kept, from its end */
/*
 * how long to wait for the server before the screen opens, ms: a quick answer, or error, needs no empty screen before
 * it
 */
#define OPEN_AFTER 80
#define GOING 100	/* the milliseconds of work towards a moment of the history in one turn of the event loop */

struct dashboard {
	struct program *p;
	struct terminal *term;
	struct ui *ui;
	struct fetch *fetch;
	struct canvas canvas;
	struct arena frame;
	struct header header;
	struct arena notice_texts;
	struct str notices[32];
	char why[sizeof(((struct err *)0)->msg)];
	int64_t wall_start;	/* when the recording began to play, by the system's clock, ms */
	int64_t next_frame;	/* when the next picture for a key or a signal may be painted, ms */
	int64_t next_data_frame;	/* when the next picture for changes from the server may be painted, ms */
	unsigned effects;	/* the effects requested since the last picture */
	bool urgent;		/* a key or a signal requested some of the effects */
	bool key_first;		/* this turn answers a key; what the server sent is handled in the next one */
	bool fresh;		/* the last picture showed the data as up to date */
	/* objects received until all lists had last ended; the header counts the later ones */
	uint64_t objects_before;
	/* the contexts of the kubeconfig, to switch to, and behind them several when it has a name; the array is owned */
	struct str *contexts;
	size_t ncontexts;
	/* the contexts that the command line named together, as "a,b"; "": it named one or none */
	struct buf several;
	const struct options *asked_with;	/* the options of the command line */
	struct buf asked_context;	/* the context that it named, or was the current one */
	struct selection only;		/* with KINDS_ONE: the kind that was chosen in the palette */
	enum which_kinds kinds;
	struct resolution asked;	/* the types and names on the command line; n == 0: all */
	struct changes_source changes;
	char *ns;			/* the namespace that was chosen in the palette, owned */
	/* the context that was chosen in the palette, until it has answered; NULL: none is being opened */
	struct opening *opening;
	struct timers timers;
	struct hand_over *hand_over;	/* the capsules of p; NULL: none was asked for */
	struct since *since;		/* what has become of a capsule's objects; NULL: it is not being read */
	struct buf since_text;		/* what it said */
	struct looked looked;		/* failures whose changes are shown, since they were last asked for */
	/*
	 * until when a copy of what changed waits for the cluster's answers, ms; 0: none waits
	 */
	int64_t copies_at;
	int64_t read_again_at;		/* when a log that is followed is read again, ms; 0: none is followed */
	/* the error that ends the dashboard: the connection failed, or what was asked for may not be read */
	struct err failed;
	bool answers;		/* a server has answered before */
	bool answered;		/* the first lists have ended */
	bool quit;
	bool open;		/* the dashboard has opened the terminal */
	bool connected;		/* discovery has ended and the lists are opened */
	bool keeps_history;
	struct seek *seek;	/* the earlier moment that is shown; NULL: the present one is */
	struct program *seeks_in;	/* the program whose world seek goes back in: p, or one of history */
	struct history *history;	/* what was recorded before this session; NULL: nothing is known of that */
	int64_t opens_at;	/* the moment to go to as soon as history has it, ms; 0: none */
	/*
	 * A key asked for another moment.  With many objects going there may take longer than the answer to a key may:
	 * then one picture says so first.
	 */
	enum { SEEK_NONE, SEEK_PENDING, SEEK_NEXT } seeking;
	unsigned steps;	/* EFFECT_BEFORE or EFFECT_AFTER: that step waits for an earlier part of the history; 0: none does */
	bool plays_again;	/* the recording is played again from an earlier moment, up to the present one */
};

/* ---- the scene ----------------------------------------------------------- */

/* Returns true when the object was asked for, in the live world; is_selected_in_past() at the moment that is shown. */
static bool is_selected(const void *ctx, struct handle h)
{
	const struct program *p = ctx;

	return query_selects(&p->query, &p->world, h);
}

static bool is_selected_in_past(const void *ctx, struct handle h)
{
	const struct program *p = ctx;

	return query_selects(&p->query, p->shown, h);
}

static enum link link_of(const struct feeds_facts *f)
{
	switch (f->state) {
	case SESSION_CONNECTING:
		return LINK_CONNECTING;
	case SESSION_LIVE:
		return LINK_LIVE;
	case SESSION_RECONNECTING:
		return LINK_RECONNECTING;
	case SESSION_UNAUTHENTICATED:
		return LINK_UNAUTHENTICATED;
	case SESSION_FAILED:
		break;
	}
	return LINK_FAILED;
}

static void live_header(struct dashboard *d)
{
	struct feeds_facts f = live_facts(d->p->live);
	struct feeds_freshness fresh = live_freshness(d->p->live);
	struct header *h = &d->header;

	h->context = live_context(d->p->live);
	h->link = f.state == SESSION_LIVE && !d->connected ? LINK_CONNECTING : link_of(&f);
	for (size_t i = 0; i < sizeof(d->why); i++)
		d->why[i] = f.why.msg[i];
	h->why = f.why.code == ERR_NONE ? STR_NONE : redact_text(d->why, strlen(d->why));
	h->lost = live_lost(d->p->live);
	h->retry_at = f.retry_at;
	h->kinds_done = f.lists_done;
	h->kinds_total = f.lists_total;
	if (f.lists_done >= f.lists_total)
		d->objects_before = f.objects;
	h->items = f.objects - d->objects_before;
	h->remaining = f.remaining;
	h->kinds_old = fresh.kinds_old;
	h->kinds_polled = fresh.kinds_polled;
	h->kinds_unread = fresh.kinds_unread;
	h->unread = fresh.unread ? fresh.unread->plural : STR_NONE;
	h->old_since = fresh.old_since;
	h->silent_since = fresh.silent_since;
	h->login_since = fresh.login_since;
	d->fresh = feeds_is_fresh(&fresh);
	h->forbidden = f.forbidden;
	h->throttled = f.throttled;
	h->requests = live_requests(d->p->live);
	h->last_event = f.last_event;
	if (d->opening) {
		h->opening = opening_context(d->opening);
		h->opening_since = opening_since(d->opening);
		h->opening_login = opening_login(d->opening);
	} else if (h->link == LINK_CONNECTING && !d->answers) {
		h->opening = h->context;
		h->opening_since = d->p->started;
		h->opening_login = live_login(d->p->live);
	}
	d->answers |= h->link == LINK_LIVE;
}

static void update_notices(struct dashboard *d)
{
	enum { NAMES = 100 };
	struct header *h = &d->header;
	const struct notice_line *lines;
	size_t n;

	arena_reset(&d->notice_texts);
	lines = notices_lines(&d->p->world, NAMES, "", &d->notice_texts, &n);
	while (h->nnotices < n && h->nnotices < sizeof(d->notices) / sizeof(d->notices[0])) {
		d->notices[h->nnotices] = lines[h->nnotices].text;
		h->nnotices++;
	}
	h->more_notices = n - h->nnotices;
}

/*
 * Returns what the header shows as the selection, such as "pods,jobs -l app=web"; "" when a namespace is shown
 * completely.
 */
static struct str selection_shown(const struct dashboard *d, struct arena *a)
{
	const struct options *o = &d->p->options;
	struct str all = STR_NONE;

	if (d->kinds == KINDS_ONE)
		all = d->only.kind->plural;
	for (size_t i = 0; d->kinds == KINDS_ASKED && i < o->nargs; i++)
		all = arena_printf(a, STR_FMT "%s%s", STR_ARG(all), all.len ? " " : "", o->args[i]);
	if (o->selector || o->field_selector)
		all = all.len ? all : STR("all");
	if (o->selector)
		all = arena_printf(a, STR_FMT " -l %s", STR_ARG(all), o->selector);
	if (o->field_selector)
		all = arena_printf(a, STR_FMT " --field-selector %s", STR_ARG(all), o->field_selector);
	return all;
}

static void update_header(struct dashboard *d)
{
	struct program *p = d->p;
	struct header *h = &d->header;

	*h = (struct header){ .ns = p->query.ns, .notices = d->notices };
	if (p->live) {
		live_header(d);
	} else if (p->replay) {
		h->context = replay_context(p->replay);
		h->link = LINK_REPLAY;
		h->speed = p->options.speed;
		h->ended = replay_next(p->replay) == 0;
		h->since = buf_str(&d->since_text);
		h->forbidden = notices_forbidden(&p->world, &p->query);
	} else {
		h->link = LINK_FILES;
	}
	h->no_namespace = unread_namespace(p);
	h->nothing_read = h->forbidden && unread_everything(p);
	unread_note(p);
	update_notices(d);
	h->selection = selection_shown(d, &d->notice_texts);
	history_header(d->history, p->world.now, h, &d->notice_texts);
}

/* Returns the program whose objects are shown. */
static struct program *shown_program(const struct dashboard *d)
{
	return d->seek ? d->seeks_in : d->p;
}

/* Returns true while a moment is shown that a recording has, and not the live world. */
static bool shows_history(const struct dashboard *d)
{
	return d->seek && d->seeks_in != d->p;
}

/* Returns the time whose labels are shown, ms; INT64_MAX: the present ones. */
static int64_t labels_time(const struct program *p)
{
	return p->shown ? p->shown->now : INT64_MAX;
}

static bool is_labelled(const void *program, struct handle h, struct str label)
{
	const struct program *p = program;

	return p->world.labels && labels_match_at(p->world.labels, h, labels_time(p), label);
}

/*
 * Returns true when the picture must show another freshness: the data became old or fresh, or its age in seconds grew.
 */
static bool freshness_shows(struct dashboard *d)
{
	struct feeds_freshness f;
	bool fresh;

	if (!d->p->live || !d->connected)
		return false;
	f = live_freshness(d->p->live);
	fresh = feeds_is_fresh(&f);
	return fresh != d->fresh || (!fresh && clock_now() >= d->next_frame + SECOND);
}

static struct str label_of(const void *ctx, struct handle h, size_t label)
{
	const struct dashboard *d = ctx;
	const struct program *p = shown_program(d);
	struct str value = STR_NONE;

	if (p->world.labels)
		labels_get_at(p->world.labels, h, labels_time(p), str_of(d->p->options.label_columns.values[label]), &value);
	return value;
}

/* Makes what changed name objects of the world that is shown, while that comes from a recording. */
static void show_changed(const struct dashboard *d, struct changed_object *o)
{
	const struct world *w = seek_world(d->seek);
	struct object_id id = { o->cluster, kinds_find(&w->kinds, o->id.group, o->id.kind), o->id.ns, o->id.name };

	o->id.handle = id.kind ? store_find(w->store, &id) : HANDLE_NONE;
}

static struct changes changes_between(void *dashboard, int64_t from, int64_t to, struct arena *a)
{
	const struct dashboard *d = dashboard;
	struct program *p = d->p;
	struct changes changes = changelog_between(p->changelog, &p->world, &p->query, program_changes_from(p, from), to, a);
	struct changed_object *objects;

	if (!shows_history(d) || !changes.n)
		return changes;
	objects = arena_array(a, changes.n, sizeof(*objects));
	memcpy(objects, changes.objects, changes.n * sizeof(*objects));
	for (size_t i = 0; i < changes.n; i++)
		show_changed(d, &objects[i]);
	changes.objects = objects;
	return changes;
}

static void changed_fields(void *dashboard, struct changed_object *o, int64_t from, int64_t to, struct arena *a)
{
	struct program *p = ((const struct dashboard *)dashboard)->p;

	changelog_fields(p->changelog, &p->world, o, program_changes_from(p, from), to, a);
}

static bool has_key(const void *ctx)
{
	const struct dashboard *d = ctx;
	struct pollfd polled = { term_fd(d->term), POLLIN, 0 };

	return poll(&polled, 1, 0) > 0;
}

/* Returns how far back the user can go, ms.  A recording reaches back to its start, because it can be read again. */
static int64_t history_reaches(const struct dashboard *d)
{
	int64_t from = graph_history_from(d->p->world.graph);

	if (history_from(d->history))
		return history_from(d->history);
	return from && d->p->replay ? replay_start(d->p->replay) : from;
}

/* Returns since when observed transitions are kept, ms. */
static int64_t transitions_reach(const struct dashboard *d)
{
	int64_t from = graph_history_from(d->p->world.graph), earlier = history_entries_from(d->history);

	return earlier ? earlier : from;
}

/* Returns the scene of the live world, even while an earlier moment is shown. */
static struct scene scene_live(struct dashboard *d)
{
	return (struct scene){
		.store = d->p->world.store,
		.graph = d->p->world.graph,
		.header = &d->header,
		.fetched = fetch_result(d->fetch),
		.now = d->p->world.now,
		.clock = clock_now(),
		.selected = is_selected,
		.selected_ctx = d->p,
		.labelled = is_labelled,
		.labelled_ctx = d->p,
		.looked = d->p->live ? &d->looked : NULL,
		.changes = d->p->changelog ? &d->changes : NULL,
		.interrupted = has_key,
		.interrupted_ctx = d,
		.asked = d->p->query.what.n > 0,
		.logs = d->p->live != NULL,
		.recorded = d->p->recorder || d->p->flight || history_goes_on(d->history),
		.absolute_time = d->p->options.absolute_time,
		.contexts = d->contexts,
		.ncontexts = d->ncontexts,
		.labels = d->p->options.label_columns.values,
		.nlabels = d->p->options.label_columns.n,
		.label_of = label_of,
		.columns = d->p->options.columns,
		.label_ctx = d,
		.seeking = d->seeking != SEEK_NONE,
		.latest = d->p->world.now,
		.from = history_reaches(d),
		.history_from = transitions_reach(d),
		.until = d->p->replay ? replay_end(d->p->replay) : 0,
	};
}

/* Returns the scene that is on the screen. */
static struct scene scene_now(struct dashboard *d)
{
	struct scene scene = scene_live(d);
	const struct world *w;

	if (!d->seek)
		return scene;
	w = seek_world(d->seek);
	scene.store = w->store;
	scene.graph = w->graph;
	scene.now = w->now;
	scene.past = true;
	scene.selected = is_selected_in_past;
	if (shows_history(d)) {
		scene.live_store = d->p->world.store;
		scene.live_graph = d->p->world.graph;
		scene.selected_ctx = scene.labelled_ctx = d->seeks_in;
		scene.looked = NULL;
		scene.logs = false;
	}
	return scene;
}

/* ---- time ---------------------------------------------------------------- */

static int64_t replay_time(const struct dashboard *d)
{
	int64_t start = replay_start(d->p->replay), end = replay_end(d->p->replay);
	double passed = (double)(clock_now() - d->wall_start) * d->p->options.speed;

	if (d->p->shows_end || ui_seek_time(d->ui))
		return d->p->world.now;
	return passed < (double)(end - start) ? start + (int64_t)passed : end;
}

static int64_t frame_due(const struct dashboard *d)
{
	return d->urgent ? d->next_frame : d->next_data_frame;
}

enum {
	TIMER_GOING,	/* goes to another moment */
	TIMER_VIEW,	/* repaints when ages or flashes change, by the clock of the world */
	TIMER_PLAY,	/* plays the next moment of a recording, by the clock of the recording */
	TIMER_AGAIN,	/* paints the next picture of a part that is played again */
	TIMER_SAY,	/* removes the message in the last line */
	TIMER_READ,	/* reads a followed log again */
	TIMER_FRAME,
	TIMER_OLD,	/* repaints the age of data that is out of date */
	TIMER_LIVE,
	TIMER_OPENING,
	TIMER_SINCE,
	TIMER_HAND_OVER,	/* writes a capsule without what the cluster has not answered */
	TIMER_HISTORY,	/* reads on in what was recorded before this session */
	TIMER_COPY	/* copies without what the cluster has not answered */
};

/* Returns true while the clock of the world goes on by itself. */
static bool clock_runs(const struct dashboard *d)
{
	const struct program *p = d->p;

	if (p->replay)
		return !p->shows_end && !d->seek && !ui_seek_time(d->ui) && p->world.now < replay_end(p->replay);
	return !p->options.as_of;
}

/* Sets a timer to a time by the clock of the world, which in a recording may go faster or slower, or stand still. */
static void set_world_timer(struct dashboard *d, unsigned timer, int64_t at)
{
	int64_t left = at - d->p->world.now;

	if (left > 0 && !clock_runs(d))
		return;
	if (d->p->replay && left > 0)
		left = (int64_t)((double)left / d->p->options.speed) + 1;
	timers_set(&d->timers, timer, at, left);
}

static void set_timer(struct dashboard *d, unsigned timer, int64_t at)
{
	timers_set(&d->timers, timer, at, at - clock_now());
}

/* Returns when to read on in the history, by the clock: now when it is overdue; 0: never, as while a moment is looked for. */
static int64_t history_due(const struct dashboard *d)
{
	int64_t at = history_deadline(d->history), now = clock_now();

	if (!at || d->seeking)
		return 0;
	return at > now ? at : now;
}

/* Sets all timers and returns how long to wait for an event, ms; -1: without a limit. */
static int64_t poll_timeout(struct dashboard *d)
{
	struct program *p = d->p;

	if (d->seeking == SEEK_NEXT && !history_waits(d->history))
		set_timer(d, TIMER_GOING, clock_now());
	/* a picture is requested already: wait for that one, and not for timers that would request one */
	if (d->effects) {
		set_timer(d, TIMER_FRAME, frame_due(d));
	} else {
		set_world_timer(d, TIMER_VIEW, ui_deadline(d->ui, p->world.now));
		set_timer(d, TIMER_SAY, ui_say_deadline(d->ui));
	}
	if (p->replay && !ui_seek_time(d->ui) && !d->seek)
		set_world_timer(d, TIMER_PLAY, replay_next(p->replay));
	if (d->plays_again)
		set_timer(d, TIMER_AGAIN, clock_now() + STEP);
	set_timer(d, TIMER_READ, d->read_again_at);
	set_timer(d, TIMER_HISTORY, history_due(d));
	set_timer(d, TIMER_COPY, d->copies_at);
	if (d->since)
		set_timer(d, TIMER_SINCE, since_deadline(d->since));
	set_timer(d, TIMER_HAND_OVER, hand_over_deadline(d->hand_over));
	if (p->live && d->connected && !d->fresh)
		set_timer(d, TIMER_OLD, d->next_frame + SECOND);
	if (p->live)
		set_timer(d, TIMER_LIVE, live_deadline(p->live));
	if (d->opening)
		set_timer(d, TIMER_OPENING, opening_deadline(d->opening));
	return timers_wait(&d->timers);
}

static void wait_for_something(struct dashboard *d)
{
	int fds[] = { term_fd(d->term), signals_fd() };
	int64_t timeout = poll_timeout(d);

	/* In the released program such a timer only waits a little: nothing wrong is shown, so there is no reason to stop. */
	assert_costly(!d->timers.unserved);
	if (d->p->live) {
		live_sleep(d->p->live, fds, 2, timeout);
	} else if (d->since) {
		since_sleep(d->since, fds, 2, timeout);
	} else {
		struct pollfd polled[] = { { fds[0], POLLIN, 0 }, { fds[1], POLLIN, 0 } };

		poll(polled, 2, timeout < 0 || timeout > 60000 ? 60000 : (int)timeout);
	}
}

/* ---- one turn ------------------------------------------------------------ */

/* Tells the user interface which objects the last graph_settle() changed; it looks at these alone. */
static void report_changed(struct dashboard *d)
{
	size_t n;
	const uint32_t *slots = graph_changed(d->p->world.graph, &n);

	ui_changed_slots(d->ui, slots, n);
}

/* Begins to keep the history once everything that was asked for is loaded: what the first lists bring is no change. */
static void keep_history(struct dashboard *d)
{
	struct program *p = d->p;
	bool loaded = p->replay || (d->connected && d->header.link == LINK_LIVE && d->header.kinds_total &&
				    d->header.kinds_done >= d->header.kinds_total);

	if (d->keeps_history || p->shows_end || !loaded)
		return;
	graph_keep_history(p->world.graph, p->preferences.history ? MIB(p->preferences.history) : UNDO_CEILING);
	d->keeps_history = true;
}

/*
 * Plays some moments of the recording, not beyond until.  The user interface observes each of them, because a moment
 * left out would be a transition that nobody saw.
 */
static void play_some(struct dashboard *d, int64_t until)
{
	struct program *p = d->p;

	update_header(d);
	for (unsigned i = 0; i < MOMENTS; i++) {
		int64_t next = replay_next(p->replay);
		struct scene scene;

		if (!next || next > until)
			break;
		if (program_play_moment(p, next) == 0 && d->keeps_history)
			continue;
		if (p->rechecked == next)
			ui_changed(d->ui);
		else
			report_changed(d);
		keep_history(d);
		scene = scene_live(d);
		ui_observe(d->ui, &scene);
		d->effects |= EFFECT_REPAINT;
	}
	if (!replay_next(p->replay) || replay_next(p->replay) > until)
		p->world.now = until;
	program_say_flaws(p);
}

static void arrange(struct dashboard *d)
{
	struct scene scene = scene_live(d);

	ui_arrange(d->ui, &scene);
}

/*
 * Returns true when the header must be painted although no object changed: the recording has ended, or more kinds are
 * forbidden.
 */
static bool header_is_old(const struct dashboard *d)
{
	const struct program *p = d->p;

	return d->header.ended != (replay_next(p->replay) == 0) || d->header.forbidden != notices_forbidden(&p->world, &p->query);
}

/* Plays the recording until a time, or as far as one turn of the event loop allows; the next turn plays the rest. */
static void play(struct dashboard *d, int64_t until)
{
	play_some(d, until);
	arrange(d);
	if (header_is_old(d))
		d->effects |= EFFECT_REPAINT;
}

/* ---- another time ---------------------------------------------------------- */

/* Sets the clock of the recording, so that it shows this time now. */
static void play_from(struct dashboard *d, int64_t time)
{
	d->wall_start = clock_now() - (int64_t)((double)(time - replay_start(d->p->replay)) / d->p->options.speed);
}

static void say_err(struct dashboard *d, const char *what, const struct err *err);

static void show_now(struct dashboard *d)
{
	struct seek *was = d->seek;
	bool history = shows_history(d);

	d->seek = NULL;
	d->p->shown = NULL;
	d->p->shown_replay = NULL;
	d->plays_again = false;
	if (history) {
		struct scene scene = scene_live(d);

		ui_after_exchange(d->ui, &scene, seek_world(was)->graph);
	}
	seek_free(was);
	history_leave(d->history);
	fetch_again(d->fetch);
}

/* Tells the user interface which objects differ between the two moments; it looks at these alone. */
static void report_moved(struct dashboard *d)
{
	struct scene scene = scene_now(d);
	bool from_now;
	size_t n;
	const uint32_t *slots = seek_changed(d->seek, &n, &from_now);

	ui_after_seek(d->ui, &scene, slots, n, from_now);
	slots = graph_changed(seek_world(d->seek)->graph, &n);
	ui_after_seek(d->ui, &scene, slots, n, false);
}

/* Goes to a moment in the world of another program than before. */
static int64_t exchange_world(struct dashboard *d, struct program *program, int64_t at)
{
	struct seek *was = d->seek;
	const struct graph *graph = was ? seek_world(was)->graph : d->p->world.graph;
	struct scene scene;

	d->seek = seek_new(program);
	d->seeks_in = program;
	at = seek_to(d->seek, at);
	d->p->shown = program->shown = seek_world(d->seek);
	d->p->shown_replay = program != d->p ? program->replay : NULL;
	scene = scene_now(d);
	ui_after_exchange(d->ui, &scene, graph);
	seek_free(was);
	history_drop_former(d->history);
	return at;
}

/* Returns the program whose world reaches back to a moment: what the live one has forgotten, the history may have. */
static struct program *program_at(struct dashboard *d, int64_t at)
{
	struct err err = { 0 };
	int64_t from = graph_history_from(d->p->world.graph);
	struct program *earlier = NULL;
	int result;

	if (!history_from(d->history) || (from && at >= from))
		return d->p;
	result = history_go(d->history, at, clock_now() + GOING, &earlier, &err);
	if (result > 0) {
		d->seeking = SEEK_NEXT;	/* the next turn goes on */
	} else if (result < 0) {
		say_err(d, "not read", &err);
		ui_seek(d->ui, d->seek ? seek_world(d->seek)->now : 0);
	}
	return earlier;
}

static void show_moment(struct dashboard *d, int64_t at)
{
	struct scene live = scene_live(d);
	struct program *program = program_at(d, at);

	if (!program)
		return;
	ui_before_seek(d->ui, &live);
	if (program != (d->seek ? d->seeks_in : d->p)) {
		at = exchange_world(d, program, at);
	} else {
		if (!d->seek)
			d->seek = seek_new(d->seeks_in = d->p);
		at = seek_to(d->seek, at);
		d->p->shown = program->shown = seek_world(d->seek);
		report_moved(d);
	}
	if (d->plays_again)
		return;
	ui_seek(d->ui, at);
	fetch_again(d->fetch);
}

/* Goes on with a part of the recording that was played before, until it reaches the present moment of the recording. */
static void play_again(struct dashboard *d)
{
	int64_t time = replay_time(d);

	if (time < d->p->world.now)
		show_moment(d, time);
	else
		show_now(d);
	d->effects |= EFFECT_REPAINT;
}

/* Plays the recording completely up to a time, which may be after its end. */
static void play_to(struct dashboard *d, int64_t at)
{
	do {
		play_some(d, at);
	} while (replay_next(d->p->replay) && replay_next(d->p->replay) <= at);
	arrange(d);
}

/* Goes to the newest keyframe at or before a time, if the recording has one. */
static void go_to_state(struct dashboard *d, int64_t at)
{
	struct program *p = d->p;
	struct scene scene;

	program_skip_to(p, at);
	if (!p->world.now)
		return;
	keep_history(d);
	update_header(d);
	scene = scene_live(d);
	ui_observe(d->ui, &scene);
}

/* Does a step of writing the capsule that was begun, once everything for it is there. */
static void write_capsule(struct dashboard *d)
{
	struct capsule_file file;
	struct err err = { 0 };
	int result = hand_over_is_due(d->hand_over) ? hand_over_step(d->hand_over, &file, &err) : 1;

	if (result == 1)
		return;
	if (result < 0)
		say_err(d, "no capsule was written", &err);
	else
		ui_say_longer(d->ui, arena_printf(&d->frame, "%s written: %zu objects, %zu KB", file.name, file.objects, (file.bytes + 999) / 1000), clock_now());
	d->effects |= EFFECT_REPAINT;
}

/* Writes a capsule, or the rest of it, at once: before the world that it is about ends. */
static void finish_capsule(struct dashboard *d)
{
	while (hand_over_is_due(d->hand_over))
		write_capsule(d);
}

/*
 * Goes to a moment of a recording that playing cannot reach, or not soon: empties the world, restores a state, and
 * observes everything again from there.
 */
static void seek(struct dashboard *d, int64_t at)
{
	struct program *p = d->p;
	struct world was;

	finish_capsule(d);
	show_now(d);
	was = world_restart(&p->world);
	p->world.now = p->rechecked = 0;
	world_keep_labels(&p->world, p->options.label_columns.values, p->options.label_columns.n, str_of(p->preferences.owner));
	query_restart(&p->query);
	replay_restart(p->replay);
	program_read_recording_header(p);
	changelog_free(p->changelog);
	p->changelog = changelog_new(p->world.graph, VERSIONS_CEILING, replay_start(p->replay));
	d->keeps_history = false;
	ui_restart(d->ui);
	go_to_state(d, at);
	play_to(d, at);
	ui_find_again(d->ui, was.graph, p->world.graph);
	ui_drop_alarm(d->ui); /* root causes that were passed on the way do not ring */
	world_discard(&was);
}

/* Goes to the moment that the user chose, or back to the present. */
static void change_time(struct dashboard *d)
{
	int64_t at = ui_seek_time(d->ui);

	d->seeking = SEEK_NONE;
	d->plays_again = false;
	d->steps = 0;
	d->effects |= EFFECT_REPAINT;
	if (at) {
		if (d->p->replay && (at < graph_history_from(d->p->world.graph) || replay_is_nearer(d->p->replay, d->p->world.now, at)))
			seek(d, at);
		else if (d->p->replay && at > d->p->world.now)
			play_to(d, at);
		show_moment(d, at);
	} else if (d->p->replay && d->seek) {
		play_from(d, seek_world(d->seek)->now);
		d->plays_again = true;
		play_again(d);
	} else {
		show_now(d);
	}
}

/* Plays until an object changes and stops there; at the end of the recording when none does. */
static void play_to_change(struct dashboard *d)
{
	uint64_t before = ui_observed(d->ui);
	int64_t next;

	while (ui_observed(d->ui) == before && (next = replay_next(d->p->replay)) != 0)
		play_some(d, next);
	arrange(d);
	if (ui_observed(d->ui) == before)
		ui_say(d->ui, STR("nothing changes any more: the recording ends"), clock_now());
	ui_seek(d->ui, d->p->world.now);
	change_time(d);
}

/*
 * Goes to the last change before the moment that is shown (step: EFFECT_BEFORE), or the first one after it (EFFECT_AFTER), as
 * soon as the history has it.
 */
static void step_in_history(struct dashboard *d, unsigned step)
{
	bool back = step == EFFECT_BEFORE;
	struct scene scene;
	unsigned effects;

	update_header(d);
	scene = scene_now(d);
	effects = ui_act(d->ui, &scene, back ? ACTION_STEP_BACK : ACTION_STEP_FORWARD);
	d->steps = effects & step && history_read_before(d->history) ? step : 0;
	if (effects & EFFECT_SEEK)
		change_time(d);
	else if (d->steps)
		ui_say(d->ui, back ? STR("reading what changed before …") : STR("reading what changed after …"), clock_now());
	else if (effects & step && history_away(d->history).len)
		ui_say(d->ui, history_away(d->history), clock_now());
	else if (effects & step)
		ui_say(d->ui, back ? STR("nothing more is kept of what changed before; { goes back by minutes") :
				     STR("what changed next is not kept; } goes on by minutes"), clock_now());
	d->effects |= EFFECT_REPAINT;
}

/* Shows what was read of the history. */
static void tell_history(struct dashboard *d, unsigned news)
{
	struct scene scene = scene_live(d);
	size_t n;
	const uint64_t *entries = history_entries(d->history, &n);

	if (history_said(d->history).len)
		ui_say(d->ui, history_said(d->history), clock_now());
	if (news & HISTORY_ENTRIES)
		ui_observe_earlier(d->ui, &scene, entries, n);
	if (news)
		d->effects |= EFFECT_REPAINT;
}

/* Reads on in the history, unless a key waits; goes to the moment of --as-of when that is known. */
static void read_history(struct dashboard *d)
{
	unsigned news;

	if (!d->history || d->seeking || has_key(d))
		return;
	news = history_step(d->history);
	if (news)
		tell_history(d, news);
	if (d->steps && (news & HISTORY_ENTRIES || history_rests(d->history)))
		step_in_history(d, d->steps);
	if (d->opens_at && history_from(d->history)) {
		ui_seek(d->ui, d->opens_at > history_from(d->history) ? d->opens_at : history_from(d->history));
		d->opens_at = 0;
		change_time(d);
		d->urgent = true;
	}
}

/* Goes to a moment before everything that was observed, and from there to the last change. */
static void step_before(struct dashboard *d)
{
	int64_t start = replay_start(d->p->replay), from;
	struct scene scene;

	do {
		from = graph_history_from(d->p->world.graph);
		seek(d, from - 1);
		play_to(d, from);
	} while (!ui_observed(d->ui) && graph_history_from(d->p->world.graph) > start);
	ui_seek(d->ui, from);
	change_time(d);
	update_header(d);
	scene = scene_now(d);
	if (ui_act(d->ui, &scene, ACTION_STEP_BACK) & EFFECT_SEEK)
		change_time(d);
}

/*
 * Returns the moment of the recording at which the dashboard opens without playing, ms: that of --as-of, else of a
 * capsule the one that was on the screen; 0: it plays from its beginning.
 */
static int64_t opening_moment(const struct program *p)
{
	int64_t start = replay_start(p->replay), end = replay_end(p->replay), at = document_time(replay_screen(p->replay), "at");

	if (p->options.as_of)
		at = options_moment(&p->options, end);
	else if (!replay_screen(p->replay).node)
		return 0;
	else if (!at)
		at = end;
	return at < start ? start : at > end ? end : at;
}

/* Plays a recording to the moment at which the dashboard opens, and shows that. */
static void go_to_opening_moment(struct dashboard *d)
{
	struct program *p = d->p;
	int64_t at = p->replay && !p->shows_end ? opening_moment(p) : 0;

	if (!at)
		return;
	p->world.now = 0;
	go_to_state(d, at);
	play_to(d, at);
	ui_drop_alarm(d->ui); /* root causes that were passed on the way do not ring */
	play_from(d, at);
	if (!d->keeps_history || (!p->options.as_of && at == replay_end(p->replay)))
		return;	/* without a history there is no moment to show; at the end there is nothing to play */
	ui_seek(d->ui, at);
	change_time(d);
}

/* Of a capsule: shows what was on the screen when it was written. */
static void resume_screen(struct dashboard *d)
{
	struct document screen = d->p->replay && !d->p->shows_end ? replay_screen(d->p->replay) : DOCUMENT_NONE;
	struct scene scene;

	if (!screen.node)
		return;
	update_header(d);
	scene = scene_now(d);
	ui_refresh(d->ui, &scene);
	ui_resume(d->ui, &scene, screen);
	d->since = since_new(d->p);
}

/* Tells what has changed since a capsule was written, once the cluster has said it. */
static void tell_since(struct dashboard *d)
{
	struct str text;

	if (!d->since || !since_step(d->since, &d->frame, &text))
		return;
	buf_add(&d->since_text, text);
	if (text.len && !ui_say_deadline(d->ui))	/* what a key has just said stays; Problems has this, too */
		ui_say_longer(d->ui, text, clock_now());
	ui_changes_known(d->ui);
	since_free(d->since);
	d->since = NULL;
	d->effects |= EFFECT_REPAINT;
}

/* ---- events --------------------------------------------------------------- */

/* Handles what the cluster sent, or plays the recording.  Returns true when something looks different. */
static bool advance(struct dashboard *d)
{
	struct program *p = d->p;

	if (p->live)
		return live_dispatch(p->live) > 0;
	if (d->plays_again) {
		play_again(d);
		return true;
	}
	if (p->replay) {
		if (ui_seek_time(d->ui))
			return false;
		play(d, replay_time(d));
	} else if (!p->options.as_of) {
		p->world.now = clock_now();
	}
	return world_settle(&p->world) > 0;
}

static void on_signal(struct dashboard *d, int number)
{
	int rows, cols;

	switch (number) {
	case SIGWINCH:
		/*
		 * The size may have changed and changed back: then it is the same, but what the terminal shows is not.
		 */
		if (term_resized(d->term)) {
			term_size(d->term, &rows, &cols);
			ui_resize(d->ui, rows, cols);
			canvas_resize(&d->canvas, rows, cols);
		}
		d->effects |= EFFECT_REPAINT | EFFECT_REDRAW;
		break;
	case SIGTSTP:
		d->effects |= EFFECT_SUSPEND;
		break;
	case SIGCONT:
		d->effects |= EFFECT_REPAINT | EFFECT_REDRAW;
		break;
	default:
		d->p->signal = number;
		d->quit = true;
	}
}

static bool is_large(const struct dashboard *d)
{
	return store_count(d->p->world.store) >= MANY_OBJECTS;
}

/* Goes to another moment, at once or at the latest before the next key, which must be handled at that moment. */
static void run_time_effects(struct dashboard *d)
{
	if (d->effects & EFFECT_SEEK && is_large(d))
		d->seeking = SEEK_PENDING;
	else if (d->effects & EFFECT_SEEK)
		change_time(d);
	if (d->effects & EFFECT_NEXT)
		play_to_change(d);
	if (d->effects & EFFECT_BEFORE && d->p->replay)
		step_before(d);
	else if (d->effects & (EFFECT_BEFORE | EFFECT_AFTER))
		step_in_history(d, d->effects & (EFFECT_BEFORE | EFFECT_AFTER));
	d->effects &= ~(unsigned)(EFFECT_SEEK | EFFECT_NEXT | EFFECT_BEFORE | EFFECT_AFTER);
}

/* Copies text to the clipboard.  On a terminal without one the text is shown, so that the user can select it. */
static void copy(struct dashboard *d)
{
	d->copies_at = 0;
	if (!term_copy(d->term, ui_copy_text(d->ui)))
		ui_show_copy(d->ui);
}

static void read_keys(struct dashboard *d)
{
	struct key key;

	while (term_next_key(d->term, &key)) {
		struct scene scene;

		if (d->seeking)
			change_time(d);
		if (d->copies_at)
			copy(d);
		scene = scene_now(d);
		d->effects |= ui_key(d->ui, &scene, &key);
		run_time_effects(d);
	}
	if (term_lost(d->term)) {
		d->p->signal = SIGHUP;
		d->quit = true;
	}
}

/* ---- another scope ---------------------------------------------------------- */

static void paint(struct dashboard *d);
static int open_history(struct dashboard *d, struct err *err);

static char *replace_copy(char **at, struct str s)
{
	xfree(*at);
	*at = xstrndup(s.ptr, s.len);
	return *at;
}

static void say_err(struct dashboard *d, const char *what, const struct err *err)
{
	struct str why = redact_copy(&d->frame, str_of(err->msg));

	ui_say(d->ui, arena_printf(&d->frame, "%s: " STR_FMT, what, STR_ARG(why)), clock_now());
}

/* Sets which kinds are shown.  With KINDS_ASKED the arguments must have been resolved. */
static void query_kinds(struct dashboard *d)
{
	struct query *q = &d->p->query;

	if (d->kinds == KINDS_ASKED)
		q->what = d->asked;
	else
		q->what = (struct resolution){ .list = d->only.kind ? &d->only : NULL, .n = d->only.kind ? 1 : 0 };
}

/* Shows another namespace or other kinds: changes the query, and stops watching what it no longer needs. */
static void change_scope(struct dashboard *d, struct scope scope)
{
	struct query *q = &d->p->query;

	if (d->kinds == KINDS_ASKED)
		d->asked = q->what;
	d->kinds = scope.kinds;
	d->only = (struct selection){ .kind = scope.kind };
	query_kinds(d);
	q->ns = str_of(replace_copy(&d->ns, scope.name));
	d->answered = true;	/* a choice that may not be read is no reason to end: the user can make another */
	if (d->p->live && d->connected)
		live_start(d->p->live);
	update_header(d);
	ui_changed(d->ui);
	d->effects |= EFFECT_REPAINT;
}

/* Lists the contexts that can be chosen. */
static void list_contexts(struct dashboard *d)
{
	size_t n;
	const struct str *all = live_contexts(d->p->live, &n);

	d->contexts = xreallocarray(d->contexts, n + 1, sizeof(*d->contexts));
	for (size_t i = 0; i < n; i++)
		d->contexts[i] = all[i];
	if (d->several.len)
		d->contexts[n++] = buf_str(&d->several);
	d->ncontexts = n;
}

/*
 * Shows the world of another program.  Everything known of the previous one is freed; the terminal and the user's
 * preferences stay.
 */
static void show_program(struct dashboard *d, struct program *next)
{
	struct program *left = d->p;
	struct fetch *fetch = d->fetch;
	struct history *history = d->history;

	ui_leave_context(d->ui, live_context(left->live));
	seek_free(d->seek);
	d->seek = NULL;
	d->history = NULL;
	d->opens_at = 0;
	d->steps = 0;
	d->seeking = SEEK_NONE;
	d->plays_again = d->keeps_history = false;
	d->objects_before = 0;
	d->p = next;
	d->fetch = fetch_new(next);
	d->only = (struct selection){ .kind = NULL };
	d->kinds = KINDS_ASKED;
	list_contexts(d);
	/* a choice that may not be read is no reason to end: the user can make another */
	d->connected = d->answered = true;
	if (open_history(d, &(struct err){ 0 }) < 0)
		d->history = NULL;	/* the directory was there when the program began */
	ui_reset(d->ui);
	timers_put_off(&d->timers);
	paint(d);
	/*
	 * Free the previous program after the picture, so that nobody waits for it.  fetch and the history must outlive
	 * live, because answers may still come.
	 */
	live_free(left->live);
	left->live = NULL;
	hand_over_free(d->hand_over);
	d->hand_over = NULL;
	d->looked.n = 0;
	d->copies_at = 0;
	fetch_free(fetch);
	history_free(history);
	opening_leave(left);
}

static void drop_opening(struct dashboard *d)
{
	opening_free(d->opening);
	d->opening = NULL;
	d->effects |= EFFECT_REPAINT;
}

/* Begins to open another context.  The present one is shown until the other has answered. */
static void change_context(struct dashboard *d, struct str name)
{
	struct err err = { 0 };

	d->effects |= EFFECT_REPAINT;
	if (!d->p->live || d->p->recorder || d->p->flight) {
		ui_say(d->ui, d->p->live ? STR("a recording is written: it is of one context") :
					   STR("there is no cluster to switch to"), clock_now());
		return;
	}
	drop_opening(d);
	if (str_eq(name, live_context(d->p->live)))
		return;
	d->opening = opening_new(d->p, name, str_eq(name, buf_str(&d->several)) ? d->asked_with : NULL, &err);
	if (!d->opening)
		say_err(d, "cannot switch", &err);
}

/*
 * Connects, as far as possible without waiting, to the context that was chosen, or at first to what the command line
 * names.
 */
static void connect_more(struct dashboard *d)
{
	struct err err = { 0 };
	int result = 1;

	if (d->opening) {
		result = opening_step(d->opening, &err);
		if (result < 0) {
			say_err(d, "cannot switch", &err);
			drop_opening(d);
		} else if (result == 0) {
			struct opening *o = d->opening;

			d->opening = NULL;
			show_program(d, opening_take(o));
		}
	} else if (d->p->live && !d->connected) {
		result = program_connect_step(d->p, &d->failed);
		d->connected = result == 0;
		d->quit |= result < 0;
		/* a kind was chosen before the arguments were resolved */
		if (d->connected && d->kinds != KINDS_ASKED) {
			d->asked = d->p->query.what;
			query_kinds(d);
			live_start(d->p->live);
		}
		if (result <= 0)
			d->effects |= EFFECT_REPAINT;
	}
}

/*
 * Cancels the opening of another context for Esc.  While the first context is opened there is nothing to go back to, so
 * the dashboard ends.
 */
static void cancel(struct dashboard *d)
{
	if (d->opening)
		drop_opening(d);
	else
		d->quit = true;
}

/* ---- other programs ----------------------------------------------------------- */

/* Gives the terminal to a command of the shell until it ends.  What it writes to descriptor 3 is appended to told. */
static struct shell_end run_shell(struct dashboard *d, const char *line, struct buf *told)
{
	struct shell_end end;

	term_leave(d->term);
	end = child_shell(line, told);
	term_return(d->term);
	on_signal(d, SIGWINCH);
	return end;
}

/*
 * Shows why another program failed.  Returns false when it did not, or the user ended it.  As in a shell, an exit
 * status above 128 stands for a signal.
 */
static bool say_failure(struct dashboard *d, struct str what, struct shell_end end)
{
	enum { SIGNALS = 128, NO_PROGRAM = 126, NOT_FOUND = 127 };
	int number = end.signal ? end.signal : end.code > SIGNALS ? end.code - SIGNALS : 0;
	struct str why;

	if (number == SIGINT || number == SIGPIPE || (!end.error && !end.code && !number))
		return false;
	if (end.error)
		why = arena_printf(&d->frame, "cannot be started: %s", strerror(end.error));
	else if (number)
		why = arena_printf(&d->frame, "was ended by signal %d", number);
	else if (end.code == NOT_FOUND || end.code == NO_PROGRAM)
		why = end.code == NOT_FOUND ? STR("is not found") : STR("is not executable");
	else
		why = arena_printf(&d->frame, "failed with exit status %d", end.code);
	/* The reason stands first, so that it is not cut. */
	ui_say(d->ui, arena_printf(&d->frame, STR_FMT ": " STR_FMT, STR_ARG(why), STR_ARG(what)), clock_now());
	return true;
}

/* Returns the user's $PAGER; "" when it is not set. */
static struct str pager_wanted(void)
{
	return str_trim(str_of(getenv("PAGER")));
}

static bool has_pager(struct str pager)
{
	struct buf path = { 0 };
	struct str program;
	bool found = str_split(&pager, ' ', &program) && child_look_path(program, &path);

	buf_release(&path);
	return found;
}

/*
 * Returns the exit status of the command ('c') or of the pager ('p'), which the shell reports as "c1
 * p0
 * ".
 */
static struct shell_end end_told(struct str told, char of)
{
	struct shell_end end = { 0 };
	struct str line;
	int64_t code;

	while (str_split(&told, '\n', &line))
		if (line.len && line.ptr[0] == of && str_to_int(str_from(line, 1), &code))
			end.code = (int)code;
	return end;
}

/*
 * Runs a command and shows its output and errors in the pager.  The command cannot ask the user anything, because the
 * pager reads the keys.  When the pager is cat, a key is waited for, so that the output can be read; when it is less,
 * -F is turned off for the same reason, and its prompt says how to come back, because Esc is only the beginning of a
 * key there.
 */
static void run_in_pager(struct dashboard *d, struct str command)
{
	static const char pager[] = "p=$PAGER; case ${p%% *} in less|*/less) p=\"$p -+F -+X\"; "
				    "LESS='-P?e(END) .q\\: back$ '$LESS; export LESS;; esac; ",
			  wait[] = "case ${p##*/} in cat|'cat '*) printf '\\n(any key: back)'; s=$(stty -g </dev/tty); "
				   "stty -icanon -echo min 1 </dev/tty; dd bs=16 count=1 </dev/tty >/dev/null 2>&1; "
				   "stty \"$s\" </dev/tty;; esac; :";
	struct arena a = { 0 };
	struct str of = STR_NONE, word = shell_word(command, &a);
	struct buf line = { 0 }, told = { 0 };
	struct shell_end end;

	if (ui_alike(d->ui) > 1) /* print first which of several like objects it is: what follows may be its log */
		of = arena_printf(&a, "printf '1 of %u: %%s\n\n' " STR_FMT "; ", ui_alike(d->ui), STR_ARG(word));
	buf_printf(&line, "%s{ { " STR_FMT STR_FMT "; } </dev/null 2>&1 3>&-; echo c$? >&3; } | { $p 3>&-; echo p$? >&3; }; %s",
		   pager, STR_ARG(of), STR_ARG(command), wait);
	end = run_shell(d, buf_cstr(&line), &told);
	if (!say_failure(d, command, end) && !say_failure(d, pager_wanted(), end_told(buf_str(&told), 'p')))
		say_failure(d, command, end_told(buf_str(&told), 'c'));
	buf_release(&line);
	buf_release(&told);
	arena_release(&a);
}

static void show_complaint(void *terminal, struct str text)
{
	term_write(terminal, text);
}

/*
 * Runs a command and shows its output afterwards.  The command has the terminal meanwhile: its questions can be
 * answered, and C-c ends it.
 */
static struct shell_end run_and_show(struct dashboard *d, struct str command)
{
	struct buf line = { 0 }, printed = { 0 };
	struct str shown, of = STR_NONE;
	struct shell_end end;
	bool cut;

	buf_add(&line, command);
	term_leave(d->term);
	term_write(d->term, arena_printf(&d->frame, "$ " STR_FMT "\n", STR_ARG(command)));
	end = child_shell_output(buf_cstr(&line), OUTPUT, &printed, show_complaint, d->term);
	term_return(d->term);
	on_signal(d, SIGWINCH);
	shown = buf_str(&printed);
	cut = shown.len >= OUTPUT;
	if (cut) {
		shown = str_from(shown, shown.len - OUTPUT);
		shown = str_from(shown, str_find(shown, '\n') + 1);
	}
	if (ui_alike(d->ui) > 1)
		of = arena_printf(&d->frame, "1 of %u", ui_alike(d->ui));
	if (cut)
		of = arena_printf(&d->frame, STR_FMT "%sonly its last MiB", STR_ARG(of), of.len ? ", " : "");
	if (!end.error)
		ui_show_output(d->ui, buf_str(&line), shown, of);
	buf_release(&line);
	buf_release(&printed);
	return end;
}

static void run_look(struct dashboard *d)
{
	struct str pager = pager_wanted(), command = arena_str(&d->frame, ui_copy_text(d->ui));

	if (has_pager(pager))
		run_in_pager(d, command);
	else if (!say_failure(d, command, run_and_show(d, command)) && pager.len)
		ui_say(d->ui, arena_printf(&d->frame, "shown here: $PAGER is not found: " STR_FMT, STR_ARG(pager)), clock_now());
}

static void export(struct dashboard *d)
{
	struct scene scene = scene_now(d);
	struct arena a = { 0 };
	struct err err = { 0 };
	size_t n;
	const struct timeline_entry *entries = ui_timeline(d->ui, &scene, &a, &n);
	struct str file = ui_export_file(d->ui);

	if (export_timeline(file, entries, n, &err) < 0)
		say_err(d, "not written", &err);
	else
		ui_say(d->ui, arena_printf(&a, "%zu entries written to " STR_FMT, n, STR_ARG(file)), clock_now());
	arena_release(&a);
	d->effects |= EFFECT_REPAINT;
}

/* ---- a capsule ------------------------------------------------------------------ */

static void add_arguments(const struct dashboard *d, struct document out)
{
	const struct options *o = &d->p->options;
	struct document args = DOCUMENT_NONE, labels = DOCUMENT_NONE;

	if (d->kinds == KINDS_ONE && d->only.kind) {
		struct buf name = { 0 };

		buf_printf(&name, STR_FMT "%s" STR_FMT, STR_ARG(d->only.kind->plural), d->only.kind->group.len ? "." : "",
			   STR_ARG(d->only.kind->group));
		document_add_string(document_add_array(out, "args"), NULL, buf_str(&name));
		buf_release(&name);
	}
	for (size_t i = 0; d->kinds == KINDS_ASKED && i < o->nargs; i++) {
		args = args.node ? args : document_add_array(out, "args");
		document_add_string(args, NULL, str_of(o->args[i]));
	}
	for (size_t i = 0; i < o->label_columns.n; i++) {
		labels = labels.node ? labels : document_add_array(out, "labels");
		document_add_string(labels, NULL, str_of(o->label_columns.values[i]));
	}
	document_add_text(out, "selector", str_of(o->selector));
	document_add_text(out, "fieldSelector", str_of(o->field_selector));
}

/* Appends what is on the screen as JSON. */
static void describe_screen(const struct dashboard *d, const struct scene *scene, struct buf *out)
{
	struct document screen = document_object();
	char at[TIME_TEXT];

	if (scene->past)
		document_add_string(screen, "at", str_of(time_format_ms(scene->now, at)));
	add_arguments(d, screen);
	ui_describe(d->ui, scene, screen);
	document_write(screen, out);
	document_free(screen);
}

/* Begins a capsule of what is on the screen. */
static void hand_over(struct dashboard *d)
{
	struct scene scene = scene_now(d);
	struct incident_shown shown = { .selects = is_selected, .ctx = d->p };
	struct buf screen = { 0 };
	struct arena a = { 0 };
	struct incident *incident;
	size_t reads;

	if (!d->hand_over)
		d->hand_over = hand_over_new(d->p);
	shown.objects = ui_shown_objects(d->ui, &a, &shown.n);
	describe_screen(d, &scene, &screen);
	incident = hand_over_begin(d->hand_over, buf_str(&screen));
	incident_add(incident, &d->p->world, &shown);
	if (d->seek) {
		shown.selects = is_selected_in_past;
		incident_add(incident, seek_world(d->seek), &shown);
	}
	reads = hand_over_read(d->hand_over);
	changed_ask_all(d->p);
	if (!incident->n) {
		hand_over_drop(d->hand_over);
		ui_say(d->ui, STR("there is nothing to hand over yet"), clock_now());
	} else if (reads)
		ui_say(d->ui, arena_printf(&a, "reading %zu objects for the capsule", reads), clock_now());
	d->effects |= EFFECT_REPAINT;
	buf_release(&screen);
	arena_release(&a);
}

/*
 * Appends text without escape sequences, which a log can hold, for editors and pagers that pass them to the terminal.
 */
static void add_harmless(struct buf *out, struct str text)
{
	char bytes[4];

	for (size_t at = 0; at < text.len;) {
		uint32_t rune = utf8_next(text, &at);
		bool stays = rune == '\n' || rune == '\t' || !utf8_hostile(rune);

		buf_add(out, (struct str){ bytes, utf8_put(stays ? rune : 0xFFFD, bytes) });
	}
}

/* Writes all of text.  Returns 0, or the errno. */
static int write_all(int fd, struct str text)
{
	while (text.len) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0 && errno != EINTR)
			return errno;
		text = n > 0 ? str_from(text, (size_t)n) : text;
	}
	return 0;
}

/*
 * Writes text to a temporary file that only the user may read (mkstemps() makes it so), and that cannot be changed.
 * The name is in a.  Returns -1 with err.
 */
static int write_copy(struct str text, struct arena *a, char **out_name, struct err *err)
{
	struct str folder = str_of(getenv("TMPDIR")), name;
	int fd, code;

	if (!folder.len)
		folder = STR("/tmp");
	name = arena_printf(a, STR_FMT "/kubectl-status-XXXXXX.yaml", STR_ARG(folder));
	*out_name = arena_alloc(a, name.len + 1);
	memcpy(*out_name, name.ptr, name.len);
	fd = mkstemps(*out_name, (int)strlen(".yaml"));
	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "%s (the folder is that of $TMPDIR, else /tmp): " STR_FMT, strerror(errno), STR_ARG(folder));
	code = write_all(fd, text);
	if (!code && fchmod(fd, S_IRUSR) < 0)
		code = errno;
	close(fd);
	if (!code)
		return 0;
	unlink(*out_name);
	return err_set(err, ERR_SYSTEM, "%s: %s", strerror(code), *out_name);
}

/*
 * Opens the shown text in the user's editor, as a copy.  The shell removes the copy, even when this program ends before
 * the editor.
 */
static void edit_text(struct dashboard *d)
{
	static const char open[] = "trap 'rm -f \"$f\"' EXIT; trap exit HUP INT TERM; ${EDITOR:-${VISUAL:-vi -R}} \"$f\"";
	const struct fetched *f = fetch_result(d->fetch);
	const char *editor = getenv("EDITOR"), *visual = getenv("VISUAL");
	struct buf line = { 0 }, told = { 0 }, text = { 0 };
	struct arena a = { 0 };
	struct err err = { 0 };
	char *name;

	if (!f || !f->text.len)
		return;
	add_harmless(&text, f->text);
	if (write_copy(buf_str(&text), &a, &name, &err) < 0) {
		say_err(d, "no copy for the editor can be written", &err);
	} else {
		struct str word = shell_word(str_of(name), &a);

		editor = editor && *editor ? editor : visual && *visual ? visual : "vi";
		buf_printf(&line, "f=" STR_FMT "; %s", STR_ARG(word), open);
		say_failure(d, arena_printf(&a, "the editor $EDITOR, %s", editor), run_shell(d, buf_cstr(&line), &told));
		unlink(name);
	}
	d->effects |= EFFECT_REPAINT;
	buf_release(&line);
	buf_release(&told);
	buf_release(&text);
	arena_release(&a);
}

/* Rings the bell and sets the terminal's title for a new root cause; restores the title when it is over. */
static void alarm_user(struct dashboard *d)
{
	bool rings;
	struct str alarm = ui_alarm(d->ui, &rings);

	if (ui_alarm_is_over(d->ui))
		term_title_before(d->term);
	if (!alarm.len)
		return;
	if (rings && !d->p->preferences.silent)
		term_bell(d->term);
	term_title(d->term, arena_printf(&d->frame, STR_FMT " · kubectl status", STR_ARG(alarm)));
}

#define PATIENCE 1500	/* how long a copy waits for answers, ms */

/* Requests who changed what, for the failures that a view or a copy tells of. */
static void ask_changed(struct dashboard *d)
{
	if (d->looked.n && d->connected)
		changed_ask(d->p, d->looked.failed, d->looked.n);
	d->looked.n = 0;
}

/* Copies; what tells of changes waits until the cluster has said who made them. */
static void copy_when_known(struct dashboard *d)
{
	bool tells = d->looked.n > 0;

	ask_changed(d);
	if (tells && changed_pending(d->p))
		d->copies_at = clock_now() + PATIENCE;
	else
		copy(d);
}

/* Shows what the cluster has said of changes, and copies what has waited for it. */
static void answer_changed(struct dashboard *d)
{
	bool known = !changed_pending(d->p);

	if (known && changed_came(d->p)) {
		ui_changes_known(d->ui);
		d->effects |= EFFECT_REPAINT;
	}
	if (d->copies_at && (known || clock_now() >= d->copies_at)) {
		struct scene scene = scene_now(d);

		ui_act(d->ui, &scene, ACTION_COPY_MARKDOWN);
		d->looked.n = 0;
		copy(d);
		d->effects |= EFFECT_REPAINT;
	}
}

#define FOLLOW 2000	/* how often a followed log is read, ms */

/* Requests what is shown again: an object when it changed, a log that is followed every FOLLOW ms. */
static void read_again(struct dashboard *d)
{
	struct handle h;
	enum want want = ui_wants(d->ui, &h);
	bool asks = d->p->live && d->connected, follows = asks && want == WANT_LOGS && ui_follows(d->ui);

	if (asks && want != WANT_NOTHING && live_touched(d->p->live, h) && want != WANT_LOGS)
		fetch_again(d->fetch);
	if (!follows) {
		d->read_again_at = 0;
	} else if (clock_now() >= d->read_again_at) {
		if (d->read_again_at)
			fetch_again(d->fetch);
		d->read_again_at = clock_now() + FOLLOW;
	}
}

static void run_effects(struct dashboard *d)
{
	struct handle h;

	if (d->effects & EFFECT_QUIT)
		d->quit = true;
	if (d->effects & EFFECT_COPY)
		copy_when_known(d);
	if (d->effects & EFFECT_SCOPE)
		change_scope(d, ui_scope(d->ui));
	if (d->effects & EFFECT_CANCEL)
		cancel(d);
	if (d->effects & EFFECT_CONTEXT)
		change_context(d, ui_scope(d->ui).name);
	if (d->effects & EFFECT_RUN)
		run_look(d);
	if (d->effects & EFFECT_EXPORT)
		export(d);
	if (d->effects & EFFECT_HAND_OVER)
		hand_over(d);
	if (d->effects & EFFECT_EDIT)
		edit_text(d);
	if (d->effects & EFFECT_SUSPEND) {
		recorder_flush(d->p->recorder);
		recorder_flush(flight_recorder(d->p->flight));
		term_suspend(d->term);
		on_signal(d, SIGWINCH);
		d->effects |= EFFECT_REPAINT | EFFECT_REDRAW;
	}
	if (d->effects & EFFECT_REDRAW) {
		term_redraw(d->term);
		fetch_again(d->fetch);
	}
	d->effects &= (unsigned)(EFFECT_REPAINT | EFFECT_REINDEX | EFFECT_FETCH);
	if (d->effects) {
		enum want want = ui_wants(d->ui, &h);

		fetch_want(d->fetch, h, want);
	}
	if (fetch_changed(d->fetch))
		d->effects |= EFFECT_REPAINT;
	answer_changed(d);
	read_again(d);
}

static void note_arrived(struct dashboard *d)
{
	struct handle h;

	while (d->p->live && live_arrived(d->p->live, &h))
		ui_arrived(d->ui, h);
}

static void note_on_screen(struct dashboard *d, const struct page *page)
{
	struct handle *objects = arena_array(&d->frame, page->nlines + 1, sizeof(*objects));

	for (size_t i = 0; i < page->nlines; i++)
		objects[i] = page->lines[i].object;
	live_on_screen(d->p->live, objects, page->nlines);
}

static void paint(struct dashboard *d)
{
	struct scene scene;
	struct page page;
	int64_t began = clock_now(), done, cost;
	bool asked = d->urgent;

	update_header(d);
	note_arrived(d);
	if (d->p->live)	/* a user who sees the live state may later go back to this moment */
		keep_history(d);
	if (d->seek) {
		scene = scene_live(d);
		ui_observe_live(d->ui, &scene);
	}
	scene = scene_now(d);
	ui_refresh(d->ui, &scene);
	alarm_user(d);
	page_build(d->ui, &scene, &page, &d->frame);
	if (d->p->live && !d->seek)
		note_on_screen(d, &page);
	canvas_clear(&d->canvas);
	draw_page(&d->canvas, &page);
	term_flush(d->term, &d->canvas);
	ask_changed(d);
	arena_reset(&d->frame);
	if (!shows_history(d) && ui_hold(d->ui, d->p->world.store))
		world_forget(&d->p->world);
	d->urgent = ui_lags(d->ui);
	d->effects = d->urgent ? EFFECT_REPAINT : 0;
	if (d->seeking)
		d->seeking = SEEK_NEXT;
	done = clock_now();
	/*
	 * A picture for a key is not delayed by one that was painted because of data; pictures for data are delayed
	 * instead.
	 */
	d->next_frame = asked && !d->urgent ? done + FRAME : done;
	cost = LOADING_SHARE * (done - began);
	d->next_data_frame = done + (asked ? 2 * FRAME : FRAME);
	if (d->header.kinds_done < d->header.kinds_total && cost > FRAME)
		d->next_data_frame = began + cost;
}

/* Ends the dashboard with an error when nothing of what the command line names may be read. */
static void check_answered(struct dashboard *d)
{
	const struct err *why;

	if (d->answered || !d->connected || !d->p->live || !live_settled(d->p->live))
		return;
	d->answered = true;
	why = d->p->query.what.n ? live_unreadable(d->p->live, NULL, false) : NULL;
	if (why && why->code == ERR_FORBIDDEN) {
		d->failed = *why;
		d->quit = true;
	}
}

static void run_once(struct dashboard *d)
{
	unsigned before;
	int number;

	wait_for_something(d);
	if (d->seeking == SEEK_NEXT) {
		change_time(d);
		d->urgent = true;
	}
	/*
	 * Handle a key before the changes from the server, but not in two turns running: then changes would wait for
	 * ever.
	 */
	d->key_first = !d->key_first && d->p->live && has_key(d);
	if (d->key_first)
		timers_put_off(&d->timers);
	if (d->key_first && !d->p->options.as_of)
		d->p->world.now = clock_now();
	if (!d->key_first && advance(d)) {
		report_changed(d);
		d->effects |= EFFECT_REPAINT;
	}
	connect_more(d);
	tell_since(d);
	check_answered(d);
	if (!d->key_first)
		read_history(d);
	if (freshness_shows(d))
		d->effects |= EFFECT_REPAINT;
	before = d->effects;
	d->effects = 0;
	while ((number = signals_next()) != 0)
		on_signal(d, number);
	read_keys(d);
	d->urgent |= d->effects != 0;
	d->effects |= before;
	if (ui_deadline(d->ui, d->p->world.now) && ui_deadline(d->ui, d->p->world.now) <= d->p->world.now)
		d->effects |= EFFECT_REPAINT;
	if (ui_say_deadline(d->ui) && ui_say_deadline(d->ui) <= clock_now())
		d->effects |= EFFECT_REPAINT;
	run_effects(d);
	if (d->effects && !d->quit && clock_now() >= frame_due(d))
		paint(d);
	write_capsule(d);	/* after the picture, which would wait for it */
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

static int open_dashboard(struct dashboard *d, struct err *err)
{
	int rows, cols;

	signals_catch();
	signals_catch_screen();
	signals_on_death(term_emergency);
	fatal_on_end(term_emergency);
	if (term_open(theme_wanted(d->p), &d->term, err) < 0)
		return -1;
	d->ui = ui_new();
	ui_bind(d->ui, &d->p->preferences.keys);
	if (d->p->live) {
		live_take_terminal(d->p->live);
		if (d->p->options.contexts || d->p->options.all_contexts)
			buf_add(&d->several, live_context(d->p->live));
		list_contexts(d);
		remember_load(d->ui, live_context(d->p->live));
	}
	ui_sort_by(d->ui, str_of(d->p->options.sort_by));
	d->fetch = fetch_new(d->p);
	d->canvas.ascii = term_is_ascii(d->term);
	term_size(d->term, &rows, &cols);
	ui_resize(d->ui, rows, cols);
	canvas_resize(&d->canvas, rows, cols);
	d->wall_start = clock_now();
	d->open = true;
	return 0;
}

static void close_dashboard(struct dashboard *d)
{
	if (d->open)
		finish_capsule(d);
	recorder_flush(d->p->recorder);
	recorder_flush(flight_recorder(d->p->flight));
	if (d->open && d->p->live && d->connected)
		remember_save(d->ui, live_context(d->p->live));
	if (d->open) {
		term_close(d->term);
		ui_free(d->ui);
		canvas_release(&d->canvas);
		arena_release(&d->frame);
		arena_release(&d->notice_texts);
	}
	opening_free(d->opening);
	d->p->shown = NULL;
	d->p->shown_replay = NULL;
	seek_free(d->seek);
	program_mark_end(d->p);
	/* fetch and the history must outlive live, because answers may still come. */
	live_free(d->p->live);
	d->p->live = NULL;
	history_free(d->history);
	changed_free(d->p->changed);
	d->p->changed = NULL;
	hand_over_free(d->hand_over);
	since_free(d->since);
	if (d->open)
		fetch_free(d->fetch);
}

/*
 * Connects for a short time before the screen opens.  A server that takes longer gets a screen that says so, where keys
 * work.
 */
static int connect_first(struct dashboard *d, struct err *err)
{
	struct program *p = d->p;

	connect_more(d);
	while (!d->connected && !d->quit) {
		int64_t left = p->started + OPEN_AFTER - clock_now();

		/* while a credential plugin may ask something, the terminal belongs to it */
		if (left <= 0 && !live_asks(p->live))
			return open_dashboard(d, err);
		live_wait(p->live, NULL, 0, left > 0 ? left : SECOND);
		live_dispatch(p->live);
		connect_more(d);
	}
	return d->quit ? 0 : open_dashboard(d, err);
}

/*
 * Opens the history that the command line names for its context, or the preferences.  One of the preferences that cannot
 * be opened is told as a notice.
 */
static int open_history(struct dashboard *d, struct err *err)
{
	struct program *p = d->p;
	struct arena a = { 0 };
	const char *name = NULL, *preferred;

	if (!p->live)
		return 0;
	if (str_eq(live_context(p->live), buf_str(&d->asked_context)))
		name = d->asked_with->history;
	preferred = name ? NULL : preferences_flight(&p->preferences, live_context(p->live), &a);
	if (name || preferred)
		d->history = history_new(p, name ? name : preferred, err);
	if (preferred && !d->history)
		world_notice(&p->world, (struct notice){ .kind = STR("history"), .message = str_of(err->msg) });
	d->opens_at = d->history ? p->opens_at : 0;
	arena_release(&a);
	return d->history || !name ? 0 : -1;
}

int run_dashboard(struct program *p, struct err *err)
{
	struct dashboard d = { .p = p, .changes = { changes_between, changed_fields, &d }, .asked_with = &p->options };
	int result;

	if (p->live)
		buf_add(&d.asked_context, live_context(p->live));
	if (open_history(&d, err) < 0)
		return -1;
	p->dashboard = &d;
	if (!p->changelog)	/* changelog_new() makes the graph keep its journal, too */
		graph_keep_journal(p->world.graph, JOURNAL_CEILING, p->world.now);
	result = p->live ? connect_first(&d, err) : open_dashboard(&d, err);
	if (result == 0 && d.open) {
		go_to_opening_moment(&d);
		resume_screen(&d);
		if (d.connected || !p->live)
			advance(&d);
		paint(&d);
		while (!d.quit)
			run_once(&d);
	}
	close_dashboard(&d);
	if (d.failed.code != ERR_NONE) {
		*err = d.failed;
		result = -1;
	}
	p->signal = d.p->signal;
	if (d.p != p)
		opening_leave(d.p);
	xfree(d.ns);
	xfree(d.contexts);
	buf_release(&d.several);
	buf_release(&d.since_text);
	buf_release(&d.asked_context);
	return result < 0 ? -1 : 0;
}
