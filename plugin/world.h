/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known of the clusters, and what it was concluded from. */
#ifndef PLUGIN_WORLD_H
#define PLUGIN_WORLD_H

#include "kube/status/engine.h"
#include "kube/graph/graph.h"
#include "kube/status/labels.h"

struct notice {
	struct str kind;	/* "forbidden", "unavailable", "warning", ... */
	struct str resource, ns, message;
};

struct world {
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	struct labels *labels;	/* NULL: nobody asks for them */
	int64_t now;
	struct notice *notices;
	size_t nnotices, notices_cap;
	struct arena texts;	/* of the notices */
};

/* builtin: registers the kinds of Kubernetes, for worlds without a server. */
void world_init(struct world *w, bool builtin);
void world_release(struct world *w);
/*
 * Everything that is known of objects goes, kinds and notices stay: they are in the world that is returned until
 * world_discard(), so that somebody can still look up who was who.
 */
struct world world_restart(struct world *w);
void world_discard(struct world *was);
/* From now on labels are kept, and the annotations of these names. */
void world_keep_labels(struct world *w, const char *const *annotations, size_t n);
/* Added once; equal ones are dropped, and all past a ceiling. */
void world_notice(struct world *w, struct notice n);
/* Judges what changed; returns how many objects look different. */
size_t world_settle(struct world *w);
/* Whoever goes by graph_changed() has seen it: now and then, what is gone is freed. */
void world_forget(struct world *w);

#endif
