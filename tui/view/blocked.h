/* SPDX-License-Identifier: Apache-2.0 */
/* What a root cause holds up, equal siblings together. */
#ifndef TUI_VIEW_BLOCKED_H
#define TUI_VIEW_BLOCKED_H

#include "kube/status/graph.h"

/* Objects of one kind, namespace and phase that wait for the same thing. */
struct blocked {
	struct summary first;
	struct wait on;			/* of the first one */
	const struct handle *members;
	size_t n;
};

/* Groups in the order of cause->blocked: the nearest first.  In the arena. */
const struct blocked *blocked_groups(struct graph *g, const struct root_cause *cause, struct arena *a, size_t *out_n);
/* "subnet/a, b, c +3" */
struct str blocked_names(const struct store *store, const struct kinds *kinds, const struct blocked *b,
			 struct arena *a);

/* How many of each kind: "6 subnet, 1 port", the nearest first. */
struct str blocked_kinds(const struct kinds *kinds, const struct root_cause *cause, struct arena *a);

#endif
