/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses by the options where the world comes from and what is done with it. */
#include "plugin/notices.h"
#include "plugin/program.h"

#include "kube/base/alloc.h"
#include "kube/base/system.h"
#include "kube/base/limits.h"
#include "kube/base/time.h"
#include "plugin/changed.h"
#include "plugin/clock.h"
#include "plugin/files.h"
#include "plugin/history_source.h"
#include "plugin/mcp.h"
#include "plugin/record/source.h"
#include "plugin/output/show.h"
#include "plugin/signals.h"
#include "plugin/unread.h"
#include "tui/view/columns.h"
#include "tui/words/words.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCREEN_ARGUMENTS = 100, SCREEN_LABELS = 8 };	/* the most arguments and columns of labels of a capsule */

static bool finds_nothing(struct program *p)
{
	struct arena arena = { 0 };
	size_t n;

	query_collect(&p->query, &p->world, &arena, &n);
	arena_release(&arena);
	return n == 0;
}

static void say_nothing_found(struct program *p)
{
	struct arena arena = { 0 };
	struct str unread = well_forbidden(notices_forbidden(&p->world, &p->query), &arena);

	if (query_has_names(&p->query) || !finds_nothing(p))
		return;
	if (p->query.ns.len && query_has_namespaced(&p->query))
		say_line(arena_printf(&arena, "No resources found in " STR_FMT " namespace%s" STR_FMT ".", STR_ARG(p->query.ns),
				      unread.len ? "; " : "", STR_ARG(unread)));
	else
		say_line(arena_printf(&arena, "No resources found%s" STR_FMT, unread.len ? "; " : "", STR_ARG(unread)));
	arena_release(&arena);
}

static bool is_document(const struct program *p)
{
	return options_is_document(p->options.format);
}

/*
 * Returns true when there is something to print.  --problems says that all is well when it has nothing to print: not
 * when the named objects do not exist, and not when nothing could be read.
 */
static bool has_answer(struct program *p, bool unread)
{
	if (p->options.report)
		return false;
	if (is_document(p) || options_is_moment(p->options.format) || !finds_nothing(p))
		return true;
	return !unread && !(query_has_names(&p->query) && (p->options.problems || p->options.ignore_not_found));
}

/* Returns the exit status of what could be read. */
static int health(struct program *p)
{
	int status = p->options.exit_code ? show_health(&p->world, &p->query) : 0;

	if (p->options.exit_code && !p->options.problems && status == 0)
		unread_say_rest(p);
	return status;
}

static int finish(struct program *p, struct err *err)
{
	bool unread, some;

	program_read_history(p, 0);
	changed_await(p, 0);
	unread_note(p);
	notices_sort(&p->world);
	if (p->options.report && report_present(p, err) < 0)
		return -1;
	unread = unread_say(p);
	if (!unread && !is_document(p) && !p->options.problems && !p->options.ignore_not_found)
		say_nothing_found(p);
	if (has_answer(p, unread))
		show(&p->world, &p->query, &p->out);
	some = unread_say_some(p);
	if (!is_document(p))
		program_say_notices(p);
	if ((!p->options.ignore_not_found && program_say_missing(p)) || unread || some)
		return 1;
	return health(p);
}

/* Runs --for; with -o the final state is printed. */
static int wait_and_show(struct program *p, struct err *err)
{
	int64_t limit = p->options.timeout_ms ? p->started + p->options.timeout_ms : 0;
	int status = run_wait(p, err);

	if (status < 0 || p->signal)
		return status;
	if (status == 0 && p->source->plays && notices_unread(&p->world)) {
		program_say_notices(p);
		status = 1;
	}
	if (status == 0 && (p->options.goal == GOAL_PHASE || p->options.goal == GOAL_CONDITION) && !show_health(&p->world, &p->query))
		unread_say_rest(p);
	if (p->options.format == FORMAT_NONE)
		return status;
	program_read_history(p, limit);
	changed_await(p, limit);
	unread_note(p);
	if (has_answer(p, status == 1))
		show(&p->world, &p->query, &p->out);
	return status;
}

/* ---- files --------------------------------------------------------------- */

static int run_opened(struct program *p, const char *name, struct err *err);

/* The files are old: the newest time in them is the moment that is shown, as --as-of would show it. */
static void show_then(struct program *p, int64_t newest)
{
	char time[TIME_TEXT];
	struct str text = str_of(time_format(newest, time)), age = words_age(newest, p->started, &p->world.texts);

	p->options.as_of = arena_str(&p->world.texts, text).ptr;
	p->options.as_of_moment = (struct moment_option){ .time = newest };
	p->files_of = newest;
	if (!program_wants_dashboard(p))
		say_line(arena_printf(&p->world.texts, "the files are of " STR_FMT ", " STR_FMT " ago: that is now (--as-of chooses another moment)",
				      STR_ARG(text), STR_ARG(age)));
}

static int run_files(struct program *p, struct err *err)
{
	struct files files = { p->options.filename.values, p->options.recursive, !p->options.as_of };
	struct files_found found;

	p->query.offline = p->query.files = true;
	p->query.options = &p->options;
	p->query.labels = str_of(p->options.selector);
	p->query.fields = str_of(p->options.field_selector);
	p->query.ns = p->options.all_namespaces ? STR_NONE : str_of(p->options.namespace);
	if (files_load(&files, &p->world, &p->query, &found, err) < 0) {
		struct parts recordings;
		struct err why = { 0 };

		buf_release(&found.events);
		if (files_recordings(&files, &recordings, &why) < 0)
			*err = why;
		if (!recordings.n)
			return -1;
		p->replay = replay_open_parts(files.names[0], &recordings, err);
		return run_opened(p, files.names[0], err);
	}
	p->files_have_logs = found.logs;
	p->files_events = found.events;
	if (query_init(&p->query, &p->options, &p->world, err) < 0)
		return -1;
	if (found.newest)
		show_then(p, found.newest);
	world_settle(&p->world);
	program_settle_alert(p);
	files_tell_manifests(&p->world, &p->query);
	if (p->serves)
		return run_mcp(p, err);
	if (p->options.wait_for)
		return wait_and_show(p, err);
	if (!program_wants_dashboard(p) || (query_has_names(&p->query) && finds_nothing(p)))
		return finish(p, err);
	if (run_dashboard(p, err) < 0)
		return -1;
	return program_say_missing(p);
}

/* ---- a recording --------------------------------------------------------- */

/*
 * Plays the recording until end, one moment after the other, so that every change gets the time when it was recorded.
 */
static void play_moments(struct program *p, int64_t end)
{
	for (int64_t at = p->source->facts(p).next; at && at <= end; at = p->source->facts(p).next) {
		program_note_gap(p, at);
		program_play_moment(p, at);
	}
}

/* Plays the recording until end, and computes the verdicts as of end. */
static void play_to(struct program *p, int64_t end)
{
	play_moments(p, end);
	program_play_end(p, end);
	program_say_flaws(p);
}

/*
 * Sets *out to the moment of --as-of, or the end of the recording.  A moment after the end is allowed: only ages
 * differ.
 */
static int moment_of_replay(const struct program *p, int64_t *out, struct err *err)
{
	int64_t start = p->source->facts(p).start, at = options_moment(&p->options, program_end_of_times(p));

	if (p->options.as_of && at < start - start % SECONDS(1))
		return program_not_in_recording(p, "as-of", err);
	*out = at < start ? start : at;
	return 0;
}

/*
 * Says in which time between the two moments some of what was asked for was not watched, besides those in which nothing was recorded.
 * Returns false when there was none.
 */
static bool say_unwatched(const struct program *p, const struct changes *changes)
{
	struct arena arena = { 0 };
	size_t n;
	const struct gap *gaps = program_unwatched(p, (struct gap){ changes->from, changes->to }, &arena, &n);

	for (size_t i = 0; i < n; i++)
		if (!gaps_within(&p->gaps, gaps[i].from, gaps[i].to))
			program_say_unwatched(gaps[i]);
	arena_release(&arena);
	return n > 0;
}

typedef struct changes (*changes_of)(struct changelog *c, const struct world *w, const struct query *q, int64_t from, int64_t to,
				     struct arena *arena);

/* Prints the changes of a part of the recording (ms); none: what is said where there is none.  Returns the exit status. */
static int print_part(struct program *p, int64_t from, int64_t to, changes_of changes_of_part, struct str none)
{
	int64_t start = p->source->facts(p).start;
	struct arena arena = { 0 };
	struct changes changes;
	bool unwatched;
	int status;

	program_note_changes(p, 0, replay_start(p->replay));
	program_skip_to(p, from);
	play_to(p, to);
	program_tell_gap(p, from, to);
	changes = changes_of_part(p->changelog, &p->world, &p->query, program_changes_from(p, from > start ? from : start), to, &arena);
	unread_note(p);
	changes_print(&changes, &p->world, &p->query, &p->out);
	program_say_notices(p);
	unwatched = say_unwatched(p, &changes);
	status = program_part_status(p, from);
	if (!changes.n && !is_document(p) && status != 1 && !notices_unread(&p->world))
		say_line(unwatched ? STR("Nothing was seen to change between these moments.") : none);
	arena_release(&arena);
	return status;
}

/* Runs --diff. */
static int print_diff(struct program *p, struct err *err)
{
	int64_t start = p->source->facts(p).start, end = program_recorded_until(p), moments[2];

	for (size_t i = 0; i < 2; i++)
		moments[i] = moment_of(p->options.diff_moments[i], program_end_of_times(p));
	if (moments[0] > moments[1])
		return err_set(err, ERR_USAGE, "--diff: the first moment is after the second");
	if (moments[0] > end || moments[1] < start)
		return program_not_in_recording(p, "diff", err);
	return print_part(p, moments[0], moments[1], changelog_compare, STR("Nothing changed between these moments."));
}

/*
 * Runs --from and --to: prints every change of a verdict between them; with --record writes the state at the first
 * moment and the records up to the second.
 */
static int take_part(struct program *p, struct err *err)
{
	const struct options *o = &p->options;
	int64_t start = p->source->facts(p).start, end = program_recorded_until(p);
	int64_t from = o->from ? moment_of(o->from_moment, program_end_of_times(p)) : start;
	int64_t to = o->to ? moment_of(o->to_moment, program_end_of_times(p)) : end;
	size_t n;
	const struct str *contexts = p->source->contexts(p, &p->world.texts, &n);

	if (from > end || to < start)
		return program_not_in_recording(p, from > end ? "from" : "to", err);
	if (from > to)
		return err_set(err, ERR_USAGE, "--from is after --to");
	if (!o->record)
		return print_part(p, from > start ? from : start, to, changelog_timeline,
				  STR("No phase, severity or cause changed between these moments."));
	program_skip_to(p, from);
	play_moments(p, from);
	p->world.now = from > start ? from : start;
	p->recorder = recorder_open(o->record, &p->world, contexts, n, p->query.ns, err);
	if (!p->recorder)
		return -1;
	recorder_tell_edits(p->recorder);
	recorder_write_state(p->recorder, &p->world, replay_latest(p->replay));
	replay_copy(p->replay, p->recorder);
	for (int64_t at = p->source->facts(p).next; at && at <= to; at = p->source->facts(p).next) {
		program_play_moment(p, at);
		recorder_settled(p->recorder, &p->world, replay_latest(p->replay));
	}
	program_say_flaws(p);
	recorder_write_mark(p->recorder, to < end ? to : end);
	return 0;
}

static const char *screen_text(struct program *p, const char *key)
{
	struct str text = json_str(p->source->facts(p).screen, key);

	return text.len ? arena_str(&p->world.texts, text).ptr : NULL;
}

/* Asks for what was asked for when a capsule was written. */
static void ask_as_on_screen(struct program *p, const char **args)
{
	struct options *o = &p->options;
	size_t n = 0;

	json_foreach(it, json_at(p->source->facts(p).screen, "args"))
		if (n < SCREEN_ARGUMENTS && json_str(it, "").len)
			args[n++] = arena_str(&p->world.texts, json_str(it, "")).ptr;
	o->args = args;
	o->nargs = n;
	o->selector = screen_text(p, "selector");
	o->field_selector = screen_text(p, "fieldSelector");
}

/* Shows the columns of labels that were shown when a capsule was written. */
static void show_labels_as_on_screen(struct program *p)
{
	struct options *o = &p->options;
	const char **values;
	size_t n = 0;

	if (o->label_columns.n)
		return;
	values = xcalloc(SCREEN_LABELS + 1, sizeof(*values));
	json_foreach(it, json_at(p->source->facts(p).screen, "labels"))
		if (n < SCREEN_LABELS && json_str(it, "").len)
			values[n++] = arena_str(&p->world.texts, json_str(it, "")).ptr;
	xfree(o->label_columns.values);
	o->label_columns = (struct option_list){ values, n };
	world_keep_labels(&p->world, values, n, &p->preferences);
}

static bool shows_screen(const struct program *p)
{
	return program_wants_dashboard(p) && p->source->facts(p).screen.node;
}

/*
 * Resolves the arguments.  The dashboard shows of a capsule what was asked for when it was written, unless the command
 * line asks for something, or the capsule for what does not exist.
 */
static int init_replay_query(struct program *p, struct err *err)
{
	struct options given;
	const char **args;

	if (shows_screen(p))
		show_labels_as_on_screen(p);
	given = p->options;
	if (!shows_screen(p) || given.nargs || given.selector || given.field_selector)
		return query_init(&p->query, &p->options, &p->world, err);
	args = xcalloc(SCREEN_ARGUMENTS + 1, sizeof(*args));
	ask_as_on_screen(p, args);
	if (query_init(&p->query, &p->options, &p->world, &(struct err){ 0 }) == 0) {
		xfree(given.args);
		return 0;
	}
	xfree(args);
	p->options = given;
	return query_init(&p->query, &p->options, &p->world, err);
}

/* Prints, or shows, what p->replay has. */
static int show_replay(struct program *p, struct err *err)
{
	int64_t end = 0;

	program_read_recording_header(p);
	p->query.offline = true;
	if (init_replay_query(p, err) < 0)
		return -1;
	if (p->options.report)
		return report_recording(p, err);
	if (p->options.from || p->options.to)
		return take_part(p, err);
	if (p->options.diff)
		return print_diff(p, err);
	if (program_goes_back_to_alert(p) && (p->alert.since < replay_start(p->replay) || p->alert.since > program_recorded_until(p)))
		program_stays_at_present(p);
	if (moment_of_replay(p, &end, err) < 0)
		return -1;
	if (program_wants_dashboard(p) || p->serves)
		program_note_changes(p, VERSIONS_CEILING, replay_start(p->replay));
	if (program_wants_dashboard(p) && !p->shows_end)
		return run_dashboard(p, err);
	if (p->options.watch)
		return run_stream(p, err);
	if (!program_wants_dashboard(p) && !p->serves)
		program_skip_to(p, end);
	play_to(p, end);
	program_tell_gap(p, end, end);
	program_settle_alert(p);
	if (p->serves)
		return run_mcp(p, err);
	if (program_wants_dashboard(p))
		return run_dashboard(p, err);
	return p->options.wait_for ? wait_and_show(p, err) : finish(p, err);
}

/* Runs a recording.  One that -f names is shown at its end, like other files, and does not play. */
static int run_replay(struct program *p, const char *name, struct err *err)
{
	p->replay = replay_open(name, err);
	return run_opened(p, name, err);
}

/* Runs the recording that was opened, unless it could not be. */
static int run_opened(struct program *p, const char *name, struct err *err)
{
	struct segments found = { 0 };
	int result;

	if (!p->replay)
		return -1;
	p->source = &source_recording;
	p->shows_end = p->query.files = p->options.filename.n > 0;
	if (!p->options.all_namespaces)
		p->query.ns = p->options.namespace ? str_of(p->options.namespace) : replay_namespace(p->replay);
	if (segments_scan(&found, name, &(struct err){ 0 }) == 0)
		p->segments = &found;	/* it is no file */
	result = show_replay(p, err);
	p->segments = NULL;
	segments_release(&found);
	return result;
}

/* ---- clusters ------------------------------------------------------------ */

static void log_line(void *ctx, const char *line)
{
	(void)ctx;
	say_redacted(str_of(line));
}

/* Waits as live_settle() does, except that a signal ends it, so that the recording is closed. */
static int settle_recorded(struct program *p, struct err *err)
{
	int fd = signals_fd();

	while (!p->source->facts(p).settled && !program_interrupted(p)) {
		if (p->source->failed(p, err))
			return -1;
		p->source->turn(p, &fd, 1, -1);
	}
	return p->source->failed(p, err) ? -1 : 0;
}

static int settle(struct program *p, struct err *err)
{
	return p->recorder || p->flight ? settle_recorded(p, err) : live_settle(p->live, err);
}

/* Reads the configuration of the clusters that the options name into p->live; sends nothing. */
static int open_live(struct program *p, bool dashboard, struct err *err)
{
	struct live_options lo = {
		.changelog = p->changelog,
		.options = &p->options,
		.world = &p->world,
		.query = &p->query,
		.once = !program_stays(p),
		.screen = dashboard,
		.interactive = !p->dashboard && !p->serves,	/* once there is a dashboard the terminal belongs to it */
		.log = p->options.verbosity ? log_line : NULL,
		.say = dashboard ? NULL : say_line,
		.wait = p->options.wait_for ? wait_for_answer : NULL,
		.wait_ctx = p,
	};

	if (dashboard && !p->http)
		p->http = http_new();
	lo.http = p->http;
	signals_end_children();
	p->live = live_new(&lo, err);
	if (p->live)
		p->source = &source_clusters;
	return p->live ? 0 : -1;
}

/* ---- an earlier moment of a cluster ------------------------------------------ */

/* Finds the earliest and the latest moment that are asked for, ms; now: all options name a moment back from it. */
static void moments_asked(const struct options *o, int64_t now, int64_t out[2])
{
	out[0] = out[1] = options_moment(o, now);
	if (o->diff) {
		out[0] = moment_of(o->diff_moments[0], now);
		out[1] = moment_of(o->diff_moments[1], now);
	} else if (o->from || o->to) {
		out[0] = o->from ? moment_of(o->from_moment, now) : 0;
		out[1] = o->to ? moment_of(o->to_moment, now) : now;
	} else if (o->report) {
		out[0] = out[1] - REPORT_BEFORE;
	}
}

/* Lets the session of the cluster get an answer for a history. */
static void await_history(struct live *live)
{
	live_wait(live, NULL, 0, -1);
	live_dispatch(live);
}

/*
 * Adds what a segment tells of the time between two moments to parts.  Returns 0; 1: it cannot be read, for which err has the
 * reason; -1 with err: nothing can be read now.
 */
static int read_segment(struct history_source *source, struct live *live, const struct segment *s, const int64_t moments[2],
			struct parts *parts, struct err *err)
{
	const char *path;
	int64_t until;
	int result;

	if (history_source_taken(source) > LIMIT_HISTORY) {
		err_set(err, ERR_INPUT, "more than %zu MiB of the history would have to be read", LIMIT_HISTORY / MIB(1));
		return 1;
	}
	while ((result = history_source_read(source, s, moments[0], moments[1], &path, &until, err)) == 1)
		await_history(live);
	if (result == 0)
		result = parts_add(parts, path, err);
	return result < 0 && history_source_lacks(err) ? 1 : result;
}

/*
 * Adds the segments from first to last to parts: what is needed of them between two moments.  Those that cannot be read are left out,
 * unless none can.
 */
static int read_segments(struct history_source *source, struct live *live, const size_t ends[2], const int64_t moments[2],
			 struct parts *parts, struct err *err)
{
	const struct segments *known;
	size_t last = ends[1] + 1;
	int result = history_source_list(source, &known, err);

	for (size_t i = ends[0]; i < last && result >= 0;) {
		const int64_t of_it[2] = { i == ends[0] ? moments[0] : 0, i + 1 == last ? moments[1] : INT64_MAX };

		result = read_segment(source, live, &known->all[i], of_it, parts, err);
		if (result == 1) {
			history_source_leave_out(source, i, err->msg);
			last--;
		}
		i += result == 0;
	}
	parts_leave_out(parts, known->nbad, known->bad, known->why ? known->why : "it is no recording");
	return result < 0 || !parts->n ? -1 : 0;
}

/* Opens of the history what tells of the moments that are asked for. */
static int open_history(struct program *p, struct history_source *source, struct live *live, struct err *err)
{
	const char *name = history_source_called(source);
	const struct segments *known;
	struct parts parts = { 0 };
	char first[TIME_TEXT];
	int64_t moments[2];
	ssize_t at, last;
	int result;

	history_source_ask(source, live);
	while ((result = history_source_list(source, &known, err)) == 1)
		await_history(live);
	if (result < 0)
		return err_context(err, "the history in %s cannot be read", name);
	if (!known->n && known->nbad)
		return err_set(err, ERR_SYSTEM, "no segment in %s can be read, such as %s (%s)", name, known->bad, known->why ? known->why : "it is no recording");
	if (!known->n) {
		err_set(err, ERR_INPUT, "%s has no recording of kubectl status", name);
		return err_hint(err, "--history takes a directory that --flight writes, or a service that serves one");
	}
	moments_asked(&p->options, p->started, moments);
	at = segments_at(known, moments[0]);
	last = segments_at(known, moments[1]);
	if (at < 0 && last >= 0 && moments[0] < moments[1])
		at = 0;	/* of a time that begins before the history, what the history has */
	if (at < 0)
		return err_set(err, ERR_INPUT, "the history in %s begins at %s, after that time", name,
			       time_format(known->all[0].first, first));
	result = read_segments(source, live, (const size_t[]){ (size_t)at, (size_t)(last > at ? last : at) }, moments, &parts, err);
	if (result < 0)
		err_context(err, "the history in %s cannot be read", name);
	else
		p->replay = replay_open_parts(name, &parts, err);
	p->segments = known;
	parts_release(&parts);
	return p->replay ? 0 : -1;
}

/* Says so when the names of the contexts do not show that the history is of the cluster that is meant. */
static void check_context(struct program *p, const struct history_source *source, struct live *live)
{
	struct arena a = { 0 };
	struct str recorded = replay_context(p->replay), context = history_source_context(source);

	if (!context.len)
		context = live_context(live);
	if (!history_source_may_have(source, live, recorded))
		say_line(arena_printf(&a, "Warning: the history in %s is of context \"" STR_FMT "\", not of \"" STR_FMT "\"",
				      history_source_called(source), STR_ARG(recorded), STR_ARG(context)));
	arena_release(&a);
}

/*
 * Runs --as-of, --diff, --from and --to without --replay: the selection is that of the cluster, what is printed is what a
 * flight recorder has seen.  p->live tells the namespace and the context, and is asked for a history behind a service;
 * nothing else is asked of the cluster.
 */
static int run_history(struct program *p, const char *name, struct err *err)
{
	struct str ns = arena_str(&p->world.texts, p->query.ns);
	struct history_source *source = history_source_new(name, err);
	struct live *live = p->live;
	int result = -1;

	if (source && open_history(p, source, live, err) == 0) {
		p->live = NULL;
		p->source = &source_recording;
		p->query.ns = ns;
		p->history = history_source_name(source);
		check_context(p, source, live);
		result = show_replay(p, err);
		p->history = STR_NONE;
		p->segments = NULL;
	}
	if (p->live)
		p->source->close(p);
	else
		live_free(live);
	history_source_free(source);
	return result;
}

/* A directory that the user has named must exist, whether it is needed or not.  Returns -1 with err. */
static int check_history(const struct program *p, struct err *err)
{
	struct history_source *source = p->options.history ? history_source_new(p->options.history, err) : NULL;

	history_source_free(source);
	return p->options.history && !source ? -1 : 0;
}

/*
 * Where there is a history, the dashboard goes to the moment of --as-of in it, and its clock goes on.  The connection,
 * which has sent nothing yet, is made anew for that.
 */
static int open_at_moment(struct program *p, struct err *err)
{
	if (!p->options.as_of || !program_history(p))
		return 0;
	p->opens_at = options_moment(&p->options, p->started);
	p->options.as_of = NULL;
	p->world.now = p->started;
	p->source->close(p);
	return open_live(p, true, err);
}

/* Returns true when the options name an earlier moment that is printed. */
static bool prints_earlier(const struct program *p)
{
	const struct options *o = &p->options;

	return o->diff || o->from || o->to || (o->as_of && !program_wants_dashboard(p));
}

static int run_live(struct program *p, struct err *err)
{
	bool dashboard = program_wants_dashboard(p) && !prints_earlier(p), by_alert;
	int result;

	if (check_history(p, err) < 0)
		return -1;
	if (dashboard || p->serves || (program_tells_past(p) && !prints_earlier(p) && !p->options.watch))
		p->changelog = changelog_new(p->world.graph, VERSIONS_CEILING, clock_now());
	if (open_live(p, dashboard, err) < 0)
		return -1;
	by_alert = program_history(p) && program_goes_back_to_alert(p);
	if (dashboard && open_at_moment(p, err) < 0)
		return -1;
	if (prints_earlier(p) && program_history(p)) {
		result = run_history(p, program_history(p), err);
		if (result >= 0 || !by_alert)
			return result;
		world_notice(&p->world, (struct notice){ .kind = STR("history"), .message = str_of(err->msg) });
		program_stays_at_present(p);
		if (open_live(p, dashboard, err) < 0)
			return -1;
	}
	if (p->options.diff || p->options.from || p->options.to)
		return options_need_recording(&p->options, err);
	if (dashboard)
		return run_dashboard(p, err);
	if (p->serves)
		return run_mcp(p, err);
	if (p->options.wait_for)
		signals_catch();
	result = program_connect(p, err);
	if (result)
		return result < 0 ? -1 : wait_unanswered(p);
	if (p->options.wait_for)
		return wait_and_show(p, err);
	if (program_stays(p))
		return run_stream(p, err);
	if (settle(p, err) < 0)
		return -1;
	if (program_settle_alert(p)) {
		live_start(p->live);
		if (settle(p, err) < 0)
			return -1;
	}
	if (p->signal)
		return 0;
	return finish(p, err);
}

static void say_requests(struct program *p)
{
	struct arena arena = { 0 };
	struct header known = { .ns = STR_NONE };

	if (!p->source->asks || !p->options.verbosity)
		return;
	p->source->header(p, &known, &arena);
	say_line(arena_printf(&arena, "%llu request%s sent", (unsigned long long)known.requests, known.requests == 1 ? " was" : "s were"));
	arena_release(&arena);
}

/* Labels or owners are shown, or it is told what broken objects share. */
static bool needs_labels(const struct program *p)
{
	const struct options *o = &p->options;

	if (columns_have(o->columns, "owner") || columns_have(o->columns, "image") || o->format == FORMAT_WIDE)
		return true;
	return o->show_labels || o->label_columns.n || program_wants_dashboard(p) || o->problems || o->report || o->format == FORMAT_WHY ||
	       o->format == FORMAT_BRIEF || options_is_document(o->format);
}

/*
 * In the background of a shell ("kubectl status --flight DIR &") the system would stop a program that reads keys, and a
 * terminal that calls itself dumb cannot place the cursor: there it is printed, as where there is no terminal.
 */
static bool can_show_dashboard(void)
{
	const char *terminal = getenv("TERM");

	return system_has_terminal(STDOUT_FILENO) && !(terminal && str_is(str_of(terminal), "dumb"));
}

int run_program(struct program *p, struct err *err)
{
	struct options *o = &p->options;
	int result;

	o->screen = can_show_dashboard();
	p->started = clock_now();
	p->world.now = options_moment(o, clock_now());
	changed_begin(p);
	if (program_read_alert(p, err) < 0)
		return -1;
	if (mcp_asked(o)) {
		/* no TYPE is given, and what is told is what -o why tells */
		p->serves = true;
		p->options.nargs = 0;
		p->options.format = FORMAT_WHY;
	}
	if (p->preferences_wrong.code != ERR_NONE && !program_wants_dashboard(p)) {
		*err = p->preferences_wrong;
		return -1;
	}
	if (needs_labels(p))
		world_keep_labels(&p->world, o->label_columns.values, o->label_columns.n, &p->preferences);
	if (o->replay)
		return run_replay(p, o->replay, err);
	if (o->filename.n == 1 && replay_is_recording(o->filename.values[0]))
		return run_replay(p, o->filename.values[0], err);
	if (o->filename.n)
		return run_files(p, err);
	result = run_live(p, err);
	say_requests(p);
	return result;
}
