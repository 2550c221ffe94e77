/* SPDX-License-Identifier: Apache-2.0 */
/* A recording is played into the world of the run. */
#include "plugin/program.h"

#include "kube/base/time.h"

void program_meet_recording(struct program *p)
{
	replay_kinds(p->replay, &p->world.kinds);
	replay_clusters(p->replay, &p->world);
	/* Of several clusters commands name each object's own. */
	if (str_find(replay_context(p->replay), ',') == replay_context(p->replay).len)
		graph_name_target(p->world.graph, replay_context(p->replay), STR_NONE);
	kinds_add_builtin(&p->world.kinds);
}

/* By the clock, so that a part of a recording plays as the whole does. */
#define RECHECK SECONDS(30)

size_t program_play_moment(struct program *p, int64_t at)
{
	size_t changed = 0;

	p->world.now = at;
	if (at / RECHECK != p->rechecked / RECHECK) {
		replay_recheck(p->replay, &p->world, p->rechecked = at);
		changed = world_settle(&p->world);
	}
	replay_until(p->replay, &p->world, &p->query, at);
	changed += world_settle(&p->world);
	return changed;
}
