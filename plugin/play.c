/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as the source of a world: plays it into the world of the run. */
#include "plugin/program.h"

#include "kube/base/time.h"
#include "plugin/notices.h"
#include "plugin/record/segments.h"

enum { MOMENTS = 64 };	/* the most that are played in one turn of the event loop */

static void on_recorded(void *program, struct handle h, struct json object)
{
	struct program *p = program;

	changelog_note(p->changelog, &p->world, h, object);
}

void program_note_changes(struct program *p, size_t ceiling, int64_t from)
{
	p->changelog = changelog_new(p->world.graph, ceiling, from);
	replay_listen(p->replay, on_recorded, p);
}

int64_t program_recorded_until(const struct program *p)
{
	int64_t end = replay_end(p->replay), last = p->segments && p->segments->n ? p->segments->all[p->segments->n - 1].last : 0;

	return last > end ? last : end;
}

int64_t program_end_of_times(const struct program *p)
{
	return p->history.len ? p->started : replay_end(p->replay);
}

int program_not_in_recording(const struct program *p, const char *flag, struct err *err)
{
	char from[TIME_TEXT], to[TIME_TEXT];

	return err_set(err, ERR_INPUT, "--%s: that time is not in the recording, which is from %s to %s", flag,
		       time_format(replay_start(p->replay), from), time_format(program_recorded_until(p), to));
}

void program_read_recording_header(struct program *p)
{
	if (!program_wants_dashboard(p) && !p->options.record)
		replay_forget_texts(p->replay);	/* what is printed has verdicts, not objects */
	replay_kinds(p->replay, &p->world.kinds);
	replay_clusters(p->replay, &p->world);
	/*
	 * With several clusters the suggested commands name the context of each object instead.  Those for a history name
	 * that of the cluster at hand.
	 */
	if ((p->options.replay || p->options.filename.n) && str_find(replay_context(p->replay), ',') == replay_context(p->replay).len)
		graph_name_target(p->world.graph, replay_context(p->replay), false, STR_NONE);
	kinds_add_builtin(&p->world.kinds);
}

/*
 * How often verdicts are computed again that change by time alone.  The moments are multiples of this interval since 1970, so
 * that a part of a recording plays as the whole does.
 */
#define RECHECK SECONDS(10)

bool program_play_some(struct program *p, int64_t at, size_t most)
{
	p->world.now = at;
	if (at / RECHECK != p->rechecked / RECHECK)
		replay_recheck(p->replay, &p->world, p->rechecked = at);
	return replay_some(p->replay, &p->world, &p->query, at, most) < most;
}

size_t program_play_moment(struct program *p, int64_t at)
{
	program_play_some(p, at, SIZE_MAX);
	return world_settle(&p->world);
}

void program_play_end(struct program *p, int64_t end)
{
	p->world.now = end;
	replay_recheck(p->replay, &p->world, end);
	world_settle(&p->world);
}

void program_note_gap(struct program *p, int64_t at)
{
	gaps_note(&p->gaps, p->played, at, p->segments && segments_begun_anew(p->segments, p->played, at));
	p->played = at;
}

/* Returns when the recording goes on, ms: also behind the segments that were opened of it; 0: it does not. */
static int64_t goes_on_at(const struct program *p)
{
	int64_t next = replay_next(p->replay);

	for (size_t i = 0; !next && p->segments && i < p->segments->n; i++)
		if (p->segments->all[i].first > p->played)
			next = p->segments->all[i].first;
	return next;
}

void program_tell_gap(struct program *p, int64_t from, int64_t to)
{
	int64_t next = goes_on_at(p);
	const struct gap *g;
	struct arena a = { 0 };
	char times[2][TIME_TEXT];
	struct str end;
	bool open;

	program_note_gap(p, next ? next : to + 1);
	g = gaps_within(&p->gaps, from, to);
	if (!g)
		return;
	open = g->to > to && !next;
	end = open ? STR_NONE : arena_printf(&a, " to %s", time_format(g->to, times[1]));
	world_notice(&p->world, (struct notice){ .kind = STR("unreadable"), .resource = STR("recording"), .message = arena_printf(&a,
			"nothing was recorded %s %s" STR_FMT ": what is told of that time is what was known before",
			open ? "after" : "from", time_format(g->from, times[0]), STR_ARG(end)) });
	arena_release(&a);
}

const struct gap *program_unwatched(const struct program *p, struct gap within, struct arena *arena, size_t *out_n)
{
	const struct query_in asked = { &p->query, &p->world };
	const struct watch_question q = query_watched(&asked);

	return watched_gaps(journal_watched(graph_journal(p->world.graph)), &q, within, arena, out_n);
}

void program_say_unwatched(struct gap gap)
{
	char from[TIME_TEXT], to[TIME_TEXT];
	struct arena arena = { 0 };

	say_line(arena_printf(&arena, "Warning: not everything was watched from %s to %s: what happened then is not known",
			      time_format(gap.from, from), time_format(gap.to, to)));
	arena_release(&arena);
}

void program_skip_to(struct program *p, int64_t time)
{
	while (replay_load_begin(p->replay, &p->world, time)) {
		enum replay_load result = REPLAY_LOADING;
		struct world was;

		while (result == REPLAY_LOADING)
			result = replay_load_some(p->replay, &p->world, &p->query, SIZE_MAX);
		if (result == REPLAY_LOADED) {
			p->played = p->world.now;
			p->rechecked = p->world.now;	/* the keyframe holds the verdicts as they were at its time */
			world_settle(&p->world);
			return;
		}
		was = program_restart(p);
		world_discard(&was);
	}
}

void program_say_flaws(struct program *p)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };
	bool unread = replay_has_unread(p->replay), before = p->flaws.len > 0;

	if (!replay_flaws(p->replay, &text) || str_eq(buf_str(&text), buf_str(&p->flaws))) {
		buf_release(&text);
		return;
	}
	if (!p->dashboard)
		say_line(ARENA_JOIN(&arena, STR("Warning: "), buf_str(&text)));
	for (int i = 0; before && i < 2; i++)	/* what was known before is told again by what is known now */
		world_unnotice(&p->world, (struct notice){ .kind = i ? STR("unreadable") : STR("warning"), .resource = STR("recording"),
							   .message = buf_str(&p->flaws) });
	if (unread || options_is_document(p->options.format) || program_wants_dashboard(p))
		world_notice(&p->world, (struct notice){ .kind = unread ? STR("unreadable") : STR("warning"), .resource = STR("recording"),
							 .message = buf_str(&text), .said = !program_wants_dashboard(p) });
	buf_release(&p->flaws);
	p->flaws = text;
	arena_release(&arena);
}

void program_play_watched(struct program *p, int64_t until, const struct source_watch *watch)
{
	int64_t next = replay_next(p->replay);

	for (unsigned i = 0; i < MOMENTS && next && next <= until; i++) {
		size_t n = program_play_moment(p, next);

		watch->moment(watch->ctx, n, p->rechecked == next);
		next = replay_next(p->replay);
	}
	if (!next || next > until)
		p->world.now = until;
	program_say_flaws(p);
}

struct world program_restart(struct program *p)
{
	struct world was = world_restart(&p->world);

	p->world.now = p->rechecked = 0;
	world_keep_labels(&p->world, p->options.label_columns.values, p->options.label_columns.n, &p->preferences);
	query_restart(&p->query);
	replay_restart(p->replay);
	program_read_recording_header(p);
	if (p->changelog)
		changelog_restart(p->changelog, p->world.graph);
	return was;
}

/* ---- the source ----------------------------------------------------------------- */

static bool recording_step(struct program *p, int64_t until, const struct source_watch *watch)
{
	bool ended = replay_next(p->replay) == 0;
	unsigned forbidden = notices_forbidden(&p->world, &p->query);

	program_play_watched(p, until, watch);
	watch->played(watch->ctx);
	ended = ended != (replay_next(p->replay) == 0);
	forbidden -= notices_forbidden(&p->world, &p->query);
	return world_settle(&p->world) > 0 || ended || forbidden;
}

static void recording_close(struct program *p)
{
	replay_free(p->replay);
	p->replay = NULL;
	p->source = &source_files;
}

static struct json screen_of(const struct program *p)
{
	return p->shows_end ? JSON_NONE : replay_screen(p->replay);
}

/* That of --as-of, else of a capsule the one that was on the screen. */
static int64_t opens_at(const struct program *p)
{
	int64_t start = replay_start(p->replay), end = replay_end(p->replay), at = json_time(screen_of(p), "at");

	if (p->shows_end)
		return 0;
	if (p->options.as_of)
		at = options_moment(&p->options, end);
	else if (!screen_of(p).node)
		return 0;
	else if (!at)
		at = end;
	return at < start ? start : at > end ? end : at;
}

static struct source_facts recording_facts(const struct program *p)
{
	const struct replay *r = p->replay;

	return (struct source_facts){
		.context = replay_context(r),
		.screen = screen_of(p),
		.start = replay_start(r),
		.until = replay_end(r),
		.next = replay_next(r),
		.opens_at = opens_at(p),
		.loaded = replay_loaded(r),
		.speed = p->shows_end || p->world.now >= replay_end(r) ? 0 : p->options.speed,
		.settled = true,
		.empty = !replay_met_something(r),
		.fresh = true,
		.keeps_past = !p->shows_end,
	};
}

static enum reach recording_reach(const struct program *p, int64_t at)
{
	if (at < graph_history_from(p->world.graph) || replay_is_nearer(p->replay, p->world.now, at))
		return REACH_RESTORED;
	return at > p->world.now ? REACH_PLAYED : REACH_KEPT;
}

static void recording_recheck(const struct program *p, struct world *w, int64_t time)
{
	replay_recheck_earlier(p->replay, w, time);
}

static void recording_header(struct program *p, struct header *h, struct arena *arena)
{
	(void)arena;
	h->context = replay_context(p->replay);
	h->link = LINK_REPLAY;
	h->speed = p->options.speed;
	h->ended = replay_next(p->replay) == 0;
	h->forbidden = notices_forbidden(&p->world, &p->query);
	h->in_gap = replay_in_gap(p->replay, p->shown ? p->shown->now : p->world.now);
	h->partly_read = notices_unread(&p->world);
}

static const struct str *recording_contexts(const struct program *p, struct arena *arena, size_t *out_n)
{
	return replay_contexts(p->replay, arena, out_n);
}

static struct str recording_text(const struct program *p, struct handle h, struct arena *arena)
{
	return replay_object(p->replay, h, INT64_MAX, arena);
}

static void recording_texts(const struct program *p, const struct object_id *id, const int64_t moments[2], struct arena *arena,
			    struct str out[2])
{
	replay_object_between(p->replay, id, moments[0], moments[1], arena, out);
}

static void recording_each_object(const struct program *p, struct handle h, const struct object_ops *ops, void *ctx)
{
	const struct world *w = p->shown ? p->shown : &p->world;
	struct object_id id = store_node_id(w->store, h.slot);
	struct arena arena = { 0 };
	struct str text = replay_object(p->replay, h, w->now, &arena);
	struct json doc;

	/* the object changed after the moment that is shown, so the latest text is not the one */
	if (!text.len)
		text = replay_object_at(p->replay, &id, w->now, &arena);
	if (text.len && json_parse(text, &doc, &(struct err){ 0 }) == 0) {
		ops->object(ctx, doc, id.kind->kind, &(struct err){ 0 });
		json_free(doc);
	}
	arena_release(&arena);
}

const struct world_source source_recording = {
	.plays = true,
	.error = "error: ",
	.no_namespace = { "Error from server (NotFound): namespaces", " not found" },
	.not_reached = "not reached in the recording",
	.no_object = "it is not in the recording",
	.step = recording_step,
	.sleep = source_sleep,
	.close = recording_close,
	.reach = recording_reach,
	.recheck = recording_recheck,
	.facts = recording_facts,
	.header = recording_header,
	.contexts = recording_contexts,
	.text = recording_text,
	.texts = recording_texts,
	.each_object = recording_each_object,
};
