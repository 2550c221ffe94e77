/* SPDX-License-Identifier: Apache-2.0 */
/* What looking on has told of an object and the object itself does not say: a recording that begins with a state has it. */
#ifndef KUBE_GRAPH_OBSERVED_H
#define KUBE_GRAPH_OBSERVED_H

#include "kube/graph/graph.h"

struct observed {
	enum phase phase;	/* as it was shown last */
	int64_t since;		/* ms, 0: not known */
	bool since_seen;	/* since is when the phase was seen to begin, no time of the operator's */
	bool was_ready;
	unsigned phase_changes, failures;
};

/* As of the last graph_settle(); false: there is no such object, or it was not judged yet. */
bool graph_observed(const struct graph *g, struct handle h, struct observed *out);
/* So it was observed before; between the object's store_put() and the next graph_settle(). */
void graph_set_observed(struct graph *g, struct handle h, const struct observed *o);

#endif
