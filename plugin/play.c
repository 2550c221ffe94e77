/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a recording into the world of the run. */
#include "plugin/program.h"

#include "kube/base/time.h"

static void on_recorded(void *program, struct handle h, struct json object)
{
	struct program *p = program;

	changelog_note(p->changelog, &p->world, h, object);
}

void program_note_changes(struct program *p, size_t ceiling)
{
	p->changelog = changelog_new(p->world.graph, ceiling, replay_start(p->replay));
	replay_listen(p->replay, on_recorded, p);
}

int64_t program_end_of_times(const struct program *p)
{
	return p->history.len ? p->started : replay_end(p->replay);
}

int program_not_in_recording(const struct program *p, const char *flag, struct err *err)
{
	char from[TIME_TEXT], to[TIME_TEXT];

	return err_set(err, ERR_INPUT, "--%s: that time is not in the recording, which is from %s to %s", flag,
		       time_format(replay_start(p->replay), from), time_format(replay_end(p->replay), to));
}

void program_read_recording_header(struct program *p)
{
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

void program_skip_to(struct program *p, int64_t time)
{
	if (!replay_load(p->replay, &p->world, &p->query, time))
		return;
	p->rechecked = p->world.now;	/* the keyframe holds the verdicts as they were at its time */
	world_settle(&p->world);
}

void program_say_flaws(struct program *p)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };

	if (replay_flaw_count(p->replay) == p->flaws)
		return;
	p->flaws = replay_flaw_count(p->replay);
	if (replay_flaws(p->replay, &text)) {
		if (!p->dashboard)
			say_line(ARENA_JOIN(&arena, STR("Warning: "), buf_str(&text)));
		if (p->options.format == FORMAT_JSON || p->options.format == FORMAT_YAML || program_wants_dashboard(p))
			world_notice(&p->world, (struct notice){ .kind = STR("warning"), .resource = STR("recording"),
								 .message = buf_str(&text) });
	}
	arena_release(&arena);
	buf_release(&text);
}
