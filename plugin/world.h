/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is known of the clusters: kinds, objects, verdicts, notices. */
#ifndef PLUGIN_WORLD_H
#define PLUGIN_WORLD_H

#include "kube/status/engine.h"
#include "kube/graph/graph.h"
#include "kube/status/labels.h"
#include "kube/status/usage.h"

struct preferences;

struct notice {
	struct str kind;	/* "forbidden", "unavailable", "warning", ... */
	struct str resource, ns, message;
	bool said;		/* it was printed already, as an error */
};

struct world {
	struct kinds kinds;
	struct store *store;
	struct engine *engine;
	struct graph *graph;
	struct labels *labels;	/* the labels of the objects; NULL: they are not kept */
	struct usage *usage;	/* how much pods and nodes use, as far as something tells */
	struct change_sources changes;	/* what tells of changes; its edits are owned */
	int64_t now;
	struct notice *notices;
	size_t nnotices, notices_cap;
	struct arena texts;	/* the texts of the notices */
};

/*
 * Sets up an empty world; builtin registers the kinds of Kubernetes, for files and recordings.  Release with
 * world_release().
 */
void world_init(struct world *w, bool builtin);
void world_release(struct world *w);
/*
 * Empties the world of all objects; kinds and notices stay.  Returns the previous objects as a world of their own, in
 * which handles can be looked up until world_discard().
 */
struct world world_restart(struct world *w);
void world_discard(struct world *was);
/*
 * Keeps labels from now on, and the annotations with these n names; and those that tell owners and
 * runbooks.
 */
void world_keep_labels(struct world *w, const char *const *annotations, size_t n, const struct preferences *preferred);
/*
 * Makes this function tell which fields of an object differ between two moments (struct change_sources).  It stays
 * after world_restart().
 */
void world_tell_fields(struct world *w, changed_fields_between *fields, void *ctx);
/* Notes who wrote to an object, if it has managedFields. */
void world_note_edits(struct world *w, struct handle h, struct json object);
/* Adds a copy of a notice, unless there is an equal one, or 200 already. */
void world_notice(struct world *w, struct notice n);
/*
 * Removes the notices with the kind, resource and namespace of n; when n has a message, only those with that message.
 */
void world_unnotice(struct world *w, struct notice n);
/* Settles the graph.  Returns the number of objects that look different. */
size_t world_settle(struct world *w);
/*
 * Frees objects that do not exist any more, when there are enough of them.  Call it when all readers of graph_changed()
 * have read it.
 */
void world_forget(struct world *w);

#endif
