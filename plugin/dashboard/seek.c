/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/seek.h"

#include "kube/base/alloc.h"
#include "kube/family/families.h"
#include "kube/graph/past.h"

struct seek {
	struct program *p;
	struct past *past;
	/* a copy of the program's world, with the store, graph and engine of the earlier moment */
	struct world world;
};

struct seek *seek_new(struct program *p)
{
	struct seek *s = xcalloc(1, sizeof(*s));

	s->p = p;
	s->past = past_new(p->world.graph);
	return s;
}

void seek_free(struct seek *s)
{
	if (!s)
		return;
	engine_free(s->world.engine);
	past_free(s->past);
	xfree(s);
}

int64_t seek_to(struct seek *s, int64_t time)
{
	struct engine *engine = s->world.engine;

	time = past_move(s->past, time);
	engine_free(engine);
	s->world = s->p->world;
	s->world.store = past_store(s->past);
	s->world.graph = past_graph(s->past);
	s->world.engine = engine_new(families_all, s->world.store);
	s->world.now = time;
	/* compute the verdicts that change by time alone, as is done for -o with --as-of */
	if (s->p->source->plays)
		s->p->source->recheck(s->p, &s->world, time);
	world_settle(&s->world);
	return time;
}

const uint32_t *seek_changed(const struct seek *s, size_t *out_n, bool *out_copied)
{
	return past_moved(s->past, out_n, out_copied);
}

const struct world *seek_world(const struct seek *s)
{
	return &s->world;
}
