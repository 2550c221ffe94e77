/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/gaps.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

/* While a recorder runs and a cluster answers, there is a record at least once a minute; a longer silence is a gap. */
#define SILENCE MINUTES(2)

bool is_gap(int64_t last, int64_t next, bool anew)
{
	/* a segment says in whole seconds when it begins, so a shorter gap between two recorders cannot be told */
	return anew ? next - last >= GAP_SHORTEST : next - last > SILENCE;
}

void gaps_add(struct gaps *g, struct gap gap)
{
	g->all = xgrow(g->all, g->n, &g->cap, sizeof(*g->all));
	g->all[g->n++] = gap;
}

void gaps_note(struct gaps *g, int64_t last, int64_t next, bool anew)
{
	if (last && is_gap(last, next, anew))
		gaps_add(g, (struct gap){ last, next });
}

const struct gap *gaps_within(const struct gaps *g, int64_t from, int64_t to)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->all[i].from < to && g->all[i].to > from)
			return &g->all[i];
	return NULL;
}

void gaps_release(struct gaps *g)
{
	xfree(g->all);
	*g = (struct gaps){ 0 };
}
