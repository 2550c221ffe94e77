/* SPDX-License-Identifier: Apache-2.0 */
/* How long objects of a kind usually take to become ready, to judge a slow one by. */
#include "kube/graph/graph_private.h"

#include "kube/base/alloc.h"

#include <stdlib.h>

/* A thousand objects are enough to know the median. */
enum { SIBLINGS = 1000 };

static int by_length(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* An object that became ready shortly after it was made took that long. */
static int64_t time_taken(const struct graph *g, struct handle h)
{
	struct status st = graph_status(g, h.slot, NULL);
	int64_t created = store_meta(g->store, h).created;

	return st.phase == PHASE_READY && created && st.since > created ? st.since - created : 0;
}

static struct pace measure(struct graph *g, const struct kind *kind, uint16_t cluster)
{
	int64_t *took = xmalloc(SIBLINGS * sizeof(*took));
	struct pace pace = { 0 };

	for (struct handle h = store_next(g->store, 0); h.slot && pace.siblings < SIBLINGS;
	     h = store_next(g->store, h.slot + 1)) {
		struct object_id id = store_node_id(g->store, h.slot);
		int64_t time = id.kind == kind && id.cluster == cluster ? time_taken(g, h) : 0;

		if (time)
			took[pace.siblings++] = time;
	}
	qsort(took, pace.siblings, sizeof(*took), by_length);
	pace.usual = pace.siblings ? took[pace.siblings / 2] : 0;
	xfree(took);
	return pace;
}

void pace_forget(struct graph *g)
{
	for (struct map_entry *e = map_next(&g->paces, NULL); e; e = map_next(&g->paces, e))
		xfree(map_value(e));
	map_release(&g->paces);
	g->paces = (struct map){ 0 };
}

struct pace graph_pace(struct graph *g, struct handle h)
{
	struct object_id id;
	uint32_t numbers[2];
	struct str key = { (const char *)numbers, sizeof(numbers) };
	struct pace *known;

	if (!store_alive(g->store, h))
		return (struct pace){ 0 };
	id = store_node_id(g->store, h.slot);
	numbers[0] = id.kind->id;
	numbers[1] = id.cluster;
	known = map_get(&g->paces, key);
	if (!known) {
		known = xmalloc(sizeof(*known));
		*known = measure(g, id.kind, id.cluster);
		map_set(&g->paces, key, known);
	}
	return *known;
}
