/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/record/gaps.h"

#include "kube/base/alloc.h"
#include "kube/base/time.h"

/* While a recorder runs and a cluster answers, there is a record at least once a minute; a longer silence is a gap. */
#define SILENCE MINUTES(2)
/* A segment says in whole seconds when it begins, so a shorter gap between two recorders cannot be told. */
#define SHORTEST SECONDS(2)

bool is_gap(int64_t last, int64_t next, bool anew)
{
	return anew ? next - last >= SHORTEST : next - last > SILENCE;
}

void gaps_add(struct gaps *g, struct gap gap)
{
	if (g->n == g->cap) {
		g->cap = g->cap ? g->cap * 2 : 8;
		g->all = xreallocarray(g->all, g->cap, sizeof(*g->all));
	}
	g->all[g->n++] = gap;
}

void gaps_note(struct gaps *g, int64_t last, int64_t next, bool anew)
{
	if (last && is_gap(last, next, anew))
		gaps_add(g, (struct gap){ last, next });
}

void gaps_release(struct gaps *g)
{
	xfree(g->all);
	*g = (struct gaps){ 0 };
}
