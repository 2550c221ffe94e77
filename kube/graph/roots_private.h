/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the root causes share. */
#ifndef KUBE_GRAPH_ROOTS_PRIVATE_H
#define KUBE_GRAPH_ROOTS_PRIVATE_H

#include "kube/graph/graph_private.h"

/* Of an object's chain of waits, as item.c found it: its length, and whose wait begins its tail. */
struct chain {
	uint32_t n, tail;
	enum { CHAIN_UNKNOWN, CHAIN_WALKED, CHAIN_KNOWN } state;
};

/*
 * The graph of waits.  Nodes are slots.  leads[] are the ends of the waits of a
 * node (to[] from first[slot] to first[slot + 1]); back[] the same reversed.
 */
struct roots {
	uint32_t n;
	uint32_t *first, *to, *back_first, *back;
	uint32_t *component;	/* equal for the members of a cycle; 0: in none */
	uint32_t *speaker;	/* of each component: who stands for the cycle */
	uint8_t *alive;
	uint8_t *cause;		/* enum wait_state of a root cause, WAIT_NONE: is none */
	uint32_t *mark;		/* of the search under way */
	uint32_t search;
	struct chain *chains;	/* by slot; as long as nobody is another, they stay */
	uint32_t *path;		/* of the chain under way */
	const struct root_cause *list;
	size_t nlist;
};

/* NULL: as phase 1 left it. */
const struct health *roots_health(const struct graph *g, uint32_t slot);
/* The end of a wait in the graph of waits; 0: it ends at the object itself. */
uint32_t roots_wait_end(const struct health_wait *w);
/* The ends of the waits of one object: into to, unless it is NULL; how many. */
size_t roots_ends(struct graph *g, uint32_t slot, struct arena *scratch, uint32_t *to);
/* Fills the words of a root cause; its number of blocked objects is somebody else's. */
void roots_describe(struct graph *g, struct roots *r, uint32_t slot, struct root_cause *out);

#endif
