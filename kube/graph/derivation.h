/* SPDX-License-Identifier: Apache-2.0 */
/* What derive.c and derive_family.c share: one object under derivation. */
#ifndef KUBE_GRAPH_DERIVATION_H
#define KUBE_GRAPH_DERIVATION_H

#include "kube/graph/graph_private.h"

/* Waits listed of one object; ten thousand pods of one owner are one problem. */
#define DERIVATION_WAITS 64

struct derivation {
	struct graph *g;
	uint32_t slot;
	struct arena *arena;
	struct object_meta meta;
	struct status own;	/* phase 1, complete */
	struct derived out;
	struct list waits, flags;
};

/* Once per target; what blocks and what is said of it is kept. */
void derivation_wait(struct derivation *d, struct derived_wait wait);

#endif
