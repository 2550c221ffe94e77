/* SPDX-License-Identifier: Apache-2.0 */
/* What phase 2 of one object has found out so far; kube/status/family.h says what families may ask of it. */
#ifndef KUBE_GRAPH_ASSESSMENT_H
#define KUBE_GRAPH_ASSESSMENT_H

#include "kube/graph/graph_private.h"

/* Waits that are listed of one object: ten thousand pods of one owner are one problem. */
#define ASSESSMENT_WAITS 64

struct assessment {
	struct graph *g;
	uint32_t slot;
	struct arena *arena;
	struct object_meta meta;
	struct status own;	/* the status of phase 1, complete */
	/* the same, with the phase and severity that were concluded at the last assess_status() */
	struct status shown;
	struct health out;
	struct arena_list waits, flags, because;
	bool by_time;		/* the phase began by time alone */
};

/* Adds a wait, at most ASSESSMENT_WAITS; two for one object are one. */
void assessment_wait(struct assessment *d, struct health_wait wait);

/*
 * Returns the next object of a kind of that name, in any group, that refers to this one, from *at on, which is 0 at first and counts
 * on; false after the last.
 */
bool assessment_next_referrer(struct assessment *d, const char *kind, size_t *at, struct neighbour *out);
/* Returns what the object waits for, as far as it is known so far; a wait for no object of the cluster is left out. */
bool assessment_next_wait(struct assessment *d, size_t *at, struct neighbour *out);

#endif
