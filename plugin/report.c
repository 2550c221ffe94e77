/* SPDX-License-Identifier: Apache-2.0 */
/* Runs --report: reads or plays the incident, and writes it as one page. */
#include "plugin/program.h"

#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "plugin/dashboard/earlier.h"
#include "plugin/dashboard/history.h"
#include "plugin/output/incident.h"
#include "plugin/output/plain.h"
#include "plugin/output/whole_file.h"
#include "plugin/query.h"
#include "plugin/record/segments.h"
#include "plugin/unread.h"
#include "tui/ui/ui.h"

#define LISTS SECONDS(2)	/* a recording that does not tell when the first lists were complete has them within this time */
/* of a recording, root causes are noted so often at most, and for so much in all of what cause_log_note() returns */
enum { NOTES = 20000, LOOKS = 2000000 };

/* What is noted while a recording plays. */
struct playing {
	struct program *p;
	struct cause_log *log;
	struct segments segments;	/* of a recording or a history in segments */
	struct gaps gaps;
	int64_t from, to, noted, last;
	int64_t pause;	/* so much time of the recording passes before root causes are looked at again, ms */
	bool loaded;	/* the first lists were complete when the root causes were first noted */
};

/* ---- writing ------------------------------------------------------------------------------ */

static struct str size_words(size_t bytes, struct arena *a)
{
	if (bytes < 1024)
		return arena_printf(a, "%zu bytes", bytes);
	return bytes < 1024 * 1024 ? arena_printf(a, "%zu KiB", bytes / 1024) : arena_printf(a, "%.1f MiB", (double)bytes / (1024 * 1024));
}

static int write_report(struct program *p, struct incident *in, struct err *err)
{
	const char *name = p->options.report;
	struct arena arena = { 0 };
	struct blocks blocks = { .arena = &arena };
	struct buf text = { 0 };
	int result;

	incident_blocks(in, &blocks);
	(str_ends(str_of(name), ".md") ? blocks_markdown : blocks_html)(&blocks, &text);
	result = whole_file_write(name, buf_str(&text), err);
	if (result == 0) {
		plain_safe(ARENA_JOIN(&arena, str_of(name), STR(": "), size_words(text.len, &arena)), &p->out.buf);
		buf_add_char(&p->out.buf, '\n');
		output_flush(&p->out);
	}
	buf_release(&text);
	arena_release(&arena);
	return result;
}

/* Returns what was selected by arguments and selectors: "pods -l app=web"; "": everything. */
static struct str selection_words(const struct options *o, struct arena *a)
{
	struct str all = STR_NONE;

	for (size_t i = 0; i < o->nargs; i++)
		all = arena_printf(a, STR_FMT "%s%s", STR_ARG(all), all.len ? " " : "", o->args[i]);
	if (o->selector)
		all = arena_printf(a, STR_FMT "%s-l %s", STR_ARG(all), all.len ? " " : "", o->selector);
	if (o->field_selector)
		all = arena_printf(a, STR_FMT "%s--field-selector %s", STR_ARG(all), all.len ? " " : "", o->field_selector);
	return all;
}

/* ---- a recording ----------------------------------------------------------------------------- */

static void note_gap(struct playing *g, int64_t at)
{
	gaps_note(&g->gaps, g->last, at, segments_begun_anew(&g->segments, g->last, at));
	g->last = at;
}

/* Notes the root causes.  While the first lists are read, what is missing may still come: that is forgotten then. */
static void note_causes(struct playing *g, bool last)
{
	bool loaded = g->loaded || replay_loaded(g->p->replay) || g->p->world.now - replay_start(g->p->replay) >= LISTS;
	size_t looked;

	if (loaded && !g->loaded && g->noted) {
		cause_log_free(g->log);
		g->log = cause_log_new(CAUSES_CEILING);
	}
	g->loaded = loaded;
	g->noted = g->p->world.now;
	looked = cause_log_note(g->log, &g->p->world, &g->p->query, last);
	g->pause = (g->to - g->from) / NOTES + (int64_t)((double)(g->to - g->from) * (double)looked / LOOKS);
}

/*
 * Plays the part, as far as p has it.  Root causes are noted as they were before a moment, when something had changed or the first lists were
 * not known to be complete, and in a long or large recording not more often than can be seen: so the state that lasted is the one that is noted.
 */
static void play_some(struct playing *g)
{
	size_t changed = store_next(g->p->world.store, 0).slot != 0;

	for (int64_t at = replay_next(g->p->replay); at && at <= g->to; at = replay_next(g->p->replay)) {
		if (at >= g->from && (changed || (g->noted && !g->loaded)) && at - g->noted >= g->pause) {
			note_causes(g, false);
			changed = 0;
		}
		changed += program_play_moment(g->p, at);
		if (at >= g->from)
			note_gap(g, at);
	}
}

static void play(struct playing *g)
{
	play_some(g);
	program_play_end(g->p, g->to);
	g->p->played = g->last;
	program_tell_gap(g->p, g->to, g->to);
	note_gap(g, g->to);
	note_causes(g, true);
	program_say_flaws(g->p);
}

/* Sets the part to play: that of --from and --to, or until --as-of, or the whole recording. */
static int choose_part(struct playing *g, struct err *err)
{
	const struct options *o = &g->p->options;
	int64_t start = replay_start(g->p->replay), end = program_recorded_until(g->p), now = program_end_of_times(g->p);

	g->to = o->to ? moment_of(o->to_moment, now) : options_moment(o, now);
	g->from = o->from ? moment_of(o->from_moment, now) : g->p->history.len && !o->to ? g->to - REPORT_BEFORE : start;
	if (g->from > end || g->to < start - start % SECONDS(1))
		return program_not_in_recording(g->p, g->from > end ? "from" : o->to ? "to" : "as-of", err);
	if (g->from > g->to)
		return err_set(err, ERR_USAGE, "--from is after --to");
	g->from = g->from > start ? g->from : start;
	g->to = g->to > g->from ? g->to : g->from;
	return 0;
}

static struct str base_name(const char *path)
{
	struct str name = str_of(path);

	while (name.len > 1 && str_ends(name, "/"))
		name.len--;
	return str_from(name, str_rfind(name, '/') < name.len ? str_rfind(name, '/') + 1 : 0);
}

/* Adds the times in which some of what was asked for was not watched, besides those in which nothing was recorded. */
static void add_unwatched(struct playing *g, const struct program *p, struct incident *in)
{
	struct arena arena = { 0 };
	size_t n, k;
	const struct gap *gaps = program_unwatched(p, (struct gap){ in->changes_from, in->to }, &arena, &n);

	in->recorded = g->gaps.n;
	for (size_t i = 0; i < n; i++) {
		for (k = 0; k < in->recorded && (g->gaps.all[k].to <= gaps[i].from || g->gaps.all[k].from >= gaps[i].to); k++)
			;
		if (k == in->recorded)
			gaps_add(&g->gaps, gaps[i]);
	}
	in->gaps = g->gaps;
	arena_release(&arena);
}

int report_recording(struct program *p, struct err *err)
{
	struct playing g = { .p = p };
	struct arena arena = { 0 };
	struct buf flaws = { 0 };
	struct incident in = {
		.w = &p->world,
		.q = &p->query,
		.source = p->history.len ? INCIDENT_HISTORY : INCIDENT_RECORDING,
		.context = replay_context(p->replay),
	};
	int result;

	if (choose_part(&g, err) < 0)
		return -1;
	program_note_changes(p, 0, replay_start(p->replay));
	program_skip_to(p, g.from);
	g.log = cause_log_new(CAUSES_CEILING);
	if (p->segments)
		g.segments = *p->segments;	/* borrowed */
	play(&g);
	replay_flaws(p->replay, &flaws);
	in.log = g.log;
	in.changelog = p->changelog;
	in.selection = selection_words(&p->options, &arena);
	in.recording = p->history.len ? p->history : base_name(p->options.replay ? p->options.replay : p->options.filename.values[0]);
	in.flaws = buf_str(&flaws);
	in.from = g.from;
	in.changes_from = program_changes_from(p, g.from);
	in.to = g.to;
	in.part = p->options.from || p->options.to;
	add_unwatched(&g, p, &in);
	unread_note(p);
	in.never_met = program_never_met(p, g.from);
	in.unread_yet = unread_yet(p);
	result = write_report(p, &in, err);
	if (result == 0)
		result = program_part_status(p, g.from);
	program_say_notices(p);
	cause_log_free(g.log);
	gaps_release(&g.gaps);
	buf_release(&flaws);
	arena_release(&arena);
	return result;
}

/* ---- a cluster, or files ----------------------------------------------------------------------- */

/*
 * Plays what a flight recorder saw before, and notes its root causes; the world of p goes on from there.  What cannot be
 * read a second time is left out.
 */
static void play_past(struct playing *g, struct program *p)
{
	struct earlier *part, *last = NULL;
	int64_t next = g->from;

	for (int64_t at = next; next && (part = history_open(p->past, at, &next, &(struct err){ 0 })) != NULL; at = next) {
		if (last)
			cause_log_go_on(g->log, &g->p->world, &earlier_program(part)->world);
		earlier_free(last);
		last = part;
		g->p = earlier_program(part);
		play_some(g);
		note_causes(g, false);
	}
	if (last)
		cause_log_go_on(g->log, &g->p->world, &p->world);
	earlier_free(last);
	g->p = p;
	note_gap(g, p->world.now);
}

/* Adds to the incident what was seen before. */
static void add_past(struct playing *g, struct program *p, struct incident *in)
{
	int64_t from = history_entries_from(p->past), least = p->world.now - REPORT_BEFORE;

	if (!from)
		return;
	g->from = in->from = from > least ? from : least;
	g->to = p->world.now;
	g->segments = *history_segments(p->past);	/* borrowed */
	play_past(g, p);
	in->log = g->log;
	in->changelog = p->changelog;
	in->recording = history_name(p->past);
	in->changes_from = program_changes_from(p, g->from);
	add_unwatched(g, p, in);
}

static bool is_selected(const void *ctx, struct handle h)
{
	const struct program *p = ctx;

	return query_selects(&p->query, &p->world, h);
}

int report_present(struct program *p, struct err *err)
{
	struct arena arena = { 0 };
	const struct header header = { .ns = p->query.ns, .link = LINK_FILES };
	struct scene scene = { .store = p->world.store, .graph = p->world.graph, .header = &header, .now = p->world.now,
			       .selected = is_selected, .selected_ctx = p };
	struct playing g = { .p = p, .log = cause_log_new(CAUSES_CEILING) };
	struct ui *ui = ui_new();
	struct incident in = {
		.w = &p->world,
		.q = &p->query,
		.log = g.log,
		.source = p->live ? INCIDENT_CLUSTER : INCIDENT_FILES,
		.context = p->live ? live_context(p->live) : STR_NONE,
		.selection = selection_words(&p->options, &arena),
		.from = p->world.now,
		.to = p->world.now,
	};
	int result;

	add_past(&g, p, &in);
	cause_log_note(in.log, &p->world, &p->query, true);
	in.never_met = program_never_met(p, in.from);
	in.entries = ui_timeline(ui, &scene, &arena, &in.nentries);
	result = write_report(p, &in, err);
	cause_log_free(in.log);
	gaps_release(&g.gaps);
	ui_free(ui);
	arena_release(&arena);
	return result;
}
