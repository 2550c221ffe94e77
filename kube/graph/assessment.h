/* SPDX-License-Identifier: Apache-2.0 */
/* What assess.c and assess_family.c share: one object under assessment. */
#ifndef KUBE_GRAPH_ASSESSMENT_H
#define KUBE_GRAPH_ASSESSMENT_H

#include "kube/graph/graph_private.h"

/* Waits listed of one object; ten thousand pods of one owner are one problem. */
#define ASSESSMENT_WAITS 64

struct assessment {
	struct graph *g;
	uint32_t slot;
	struct arena *arena;
	struct object_meta meta;
	struct status own;	/* phase 1, complete */
	struct health out;
	struct list waits, flags;
};

/* Once per target; what blocks and what is said of it is kept. */
void assessment_wait(struct assessment *d, struct health_wait wait);

#endif
