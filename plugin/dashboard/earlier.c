/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/earlier.h"

#include "kube/base/alloc.h"
#include "plugin/changed.h"
#include "plugin/clock.h"


enum { SLICE = 200 };	/* the most records between two looks at the clock */

struct earlier {
	struct program p;
	struct program *live;
	char *segment;
	enum earlier_for why;
	struct str context;
	bool loading;	/* a keyframe is being loaded */
	bool settles;	/* the verdicts of the state of the beginning are being made */
	bool settled;	/* they are made */
	int64_t from;
};

/* Selects what live shows, by the kinds of the recording. */
static void select_alike(struct program *p, const struct program *live)
{
	const struct query *from = &live->query;
	struct selection *list = arena_array(&p->query.arena, from->what.n, sizeof(*list));
	size_t n = 0;

	p->query.options = &p->options;
	p->query.ns = arena_str(&p->query.arena, from->ns);
	p->query.labels = from->labels;
	p->query.fields = from->fields;
	p->query.offline = true;
	for (size_t i = 0; i < from->what.n; i++) {
		const struct selection *one = &from->what.list[i];

		list[n] = (struct selection){ .ns = arena_str(&p->query.arena, one->ns), .version = arena_str(&p->query.arena, one->version),
					      .name = arena_str(&p->query.arena, one->name) };
		list[n++].kind = kinds_put(&p->world.kinds, one->kind->group, one->kind->kind);
	}
	p->query.what.list = list;
	p->query.what.n = n;
}

/* Names the only cluster of a recording as live names it, when that has several. */
static void name_cluster(struct earlier *e)
{
	struct graph *g = e->p.world.graph;

	if (graph_cluster_name(e->live->world.graph, 0).len && !graph_cluster_name(g, 0).len)
		graph_name_cluster(g, 0, e->context.len ? e->context : replay_context(e->p.replay));
}

/* Begins at the newest keyframe before a time if keyframes is true, else with the state at the beginning. */
static void begin(struct earlier *e, int64_t time, bool keyframes)
{
	struct program *p = &e->p;

	world_init(&p->world, false);
	program_read_recording_header(p);
	name_cluster(e);
	live_name_target(e->live->live, p->world.graph);
	world_keep_labels(&p->world, p->options.label_columns.values, p->options.label_columns.n, &p->preferences);
	graph_take_runbooks(p->world.graph, e->live->world.graph);
	select_alike(p, e->live);
	e->loading = keyframes && replay_load_begin(p->replay, &p->world, time);
	e->from = e->loading ? p->world.now : replay_next(p->replay);
	e->settles = e->settled = false;
	p->rechecked = e->loading ? p->world.now : 0;
	if (e->why == EARLIER_TO_READ)
		program_note_changes(p, VERSIONS_CEILING, e->from);
	else
		graph_keep_journal(p->world.graph, JOURNAL_CEILING, e->from);
	replay_forget_texts(p->replay);	/* the text of the one object that somebody opens is read from the file again */
	changed_begin(p);
}

static void end(struct earlier *e)
{
	changed_free(e->p.changed);
	changelog_free(e->p.changelog);
	query_release(&e->p.query);
	world_release(&e->p.world);
	e->p.changed = NULL;
	e->p.changelog = NULL;
	e->p.query = (struct query){ 0 };
}

struct earlier *earlier_new(struct program *live, const char *segment, int64_t time, enum earlier_for why, struct str context,
			    struct err *err)
{
	struct replay *replay = replay_begin(segment, err);
	struct earlier *e;

	if (!replay)
		return NULL;
	e = xcalloc(1, sizeof(*e));
	e->live = live;
	e->segment = xstrdup(segment);
	e->why = why;
	e->context = context;
	e->p.options = live->options;
	e->p.preferences = live->preferences;
	e->p.dashboard = live->dashboard;
	e->p.replay = replay;
	e->p.source = &source_recording;
	begin(e, time, true);
	return e;
}

void earlier_free(struct earlier *e)
{
	if (!e)
		return;
	end(e);
	replay_free(e->p.replay);
	xfree(e->segment);
	xfree(e);
}

struct program *earlier_program(struct earlier *e)
{
	return &e->p;
}

int64_t earlier_from(const struct earlier *e)
{
	return e->from;
}

/* The state of the beginning is complete: makes some of its verdicts.  What comes after that is a change. */
static void settle_some(struct earlier *e)
{
	e->settles = !graph_settle_some(e->p.world.graph, SLICE);
	if (e->settles)
		return;
	if (e->why == EARLIER_TO_SHOW)
		graph_keep_history(e->p.world.graph, UNDO_CEILING);
	e->settled = true;
}

/* A moment is complete.  That of the beginning has so many objects that its verdicts are made in slices. */
static void settle_first(struct earlier *e)
{
	if (e->settled) {
		world_settle(&e->p.world);
		return;
	}
	graph_settle_begin(e->p.world.graph, e->p.world.now);
	e->settles = true;
}

/* Loads some records of the keyframe.  One that is not whole is not used: the segment is played from its beginning. */
static void load_some(struct earlier *e)
{
	struct program *p = &e->p;
	enum replay_load result = replay_load_some(p->replay, &p->world, &p->query, SLICE);

	e->loading = result == REPLAY_LOADING;
	if (result == REPLAY_LOADED)
		settle_first(e);
	if (result != REPLAY_NOT_WHOLE)
		return;
	end(e);
	replay_restart(p->replay);
	begin(e, 0, false);
}

bool earlier_play(struct earlier *e, int64_t time, int64_t until)
{
	struct program *p = &e->p;

	for (;;) {
		int64_t next = replay_next(p->replay);

		if (e->settles) {
			settle_some(e);
		} else if (e->loading) {
			load_some(e);
		} else if (next && (next <= time || !e->settled)) {
			if (program_play_some(p, next, SLICE))
				settle_first(e);
		} else {
			break;
		}
		if (clock_now() >= until)
			return false;
	}
	/* what is read has happened when a record says so; what is shown is judged as of the moment, as with --as-of */
	if (p->world.now < time && e->why == EARLIER_TO_SHOW)
		program_play_end(p, time);
	return true;
}

bool earlier_reaches(const struct earlier *e, int64_t time)
{
	int64_t undo = graph_history_from(e->p.world.graph);

	return undo && time >= undo;
}

void earlier_keep_versions(struct earlier *e)
{
	struct world was = world_restart(&e->p.world);

	world_discard(&was);
	query_release(&e->p.query);
	e->p.query = (struct query){ 0 };
	replay_free(e->p.replay);
	e->p.replay = NULL;
}
