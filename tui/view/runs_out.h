/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs out soon and is well until then: certificates before they expire, quotas before they refuse somebody, volumes
 * before they are full, as far as kubelets have told.  It has
 * no severity and is no root cause; Problems and --problems name it behind all else, and nothing counts it.
 */
#ifndef TUI_VIEW_RUNS_OUT_H
#define TUI_VIEW_RUNS_OUT_H

#include "kube/graph/graph.h"

#define RUNS_OUT "Runs out soon"

struct running_out {
	struct summary s;
	int64_t at;		/* when it ends, ms; 0: no time is known */
	struct str words;	/* "expires in 5d, 2026-11-25"; "pods 19 of 20 used" */
};

/*
 * Returns those of n objects that run out soon, the first to end first, and then those whose end has no time; in the arena.  A
 * certificate does when a tenth of its life is left, or thresholds.expires_soon of a life of more than twice that, unless it is
 * to be renewed before; a quota when more than nine tenths of something are used, and nobody is refused; a claim by
 * runs_out_of_room().
 */
const struct running_out *runs_out_soon(struct graph *g, const struct handle *all, size_t n, int64_t now, struct arena *a, size_t *out_n);
/* Returns true when more than 85 of 100 parts of a volume, or of its inodes, are used. */
bool runs_out_of_room(const struct used *used);

#endif
