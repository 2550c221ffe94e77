/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of an object only because it was watched.  A recording that begins with a state contains it. */
#ifndef KUBE_GRAPH_OBSERVED_H
#define KUBE_GRAPH_OBSERVED_H

#include "kube/graph/graph.h"

struct observed {
	enum phase phase;	/* the phase that was shown last */
	int64_t since;		/* ms, 0: not known */
	/* since is when this program saw the phase begin, and not a time that the operator wrote */
	bool since_seen;
	bool was_ready;
};

/* Returns what was observed as of the last graph_settle(); false: there is no such object, or it was not judged yet. */
bool graph_observed(const struct graph *g, struct handle h, struct observed *out);
/* Restores what was observed before.  Call it between the object's store_put() and the next graph_settle(). */
void graph_set_observed(struct graph *g, struct handle h, const struct observed *o);

/*
 * Tells what an earlier observer has seen of an object: since when its phase holds, where that is the phase that is shown
 * now, and whether it was ever Ready.  The next graph_settle() takes it in.
 */
void graph_add_observed(struct graph *g, struct handle h, const struct observed *o);

/* A recent change, as evidence for graph_changes_before(). */
struct change_seen {
	int64_t time;		/* ms */
	uint32_t slot;		/* 0: the object is not known any more */
	enum changed what;
	enum phase from, to;
	bool gone;		/* the object was removed since */
};
/* Returns the next change, from the oldest on; *at is 0 at first.  False after the last. */
bool graph_recent(const struct graph *g, uint64_t *at, struct change_seen *out);
/* Adds a change behind those that exist. */
void graph_set_recent(struct graph *g, const struct change_seen *c);

#endif
