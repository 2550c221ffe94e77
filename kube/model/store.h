/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything observed, packed: a node for each object and for each name that
 * an object refers to, with the edges in both directions.
 *
 * A node lives while it has an object or a referrer, or somebody holds it.  When it has none
 * of these, store_forget() frees it with its name and all that is known of it, and its slot
 * is used again under another generation.  Nobody forgets in between: who keeps slots keeps
 * handles, or is told by store_forget().
 */
#ifndef KUBE_MODEL_STORE_H
#define KUBE_MODEL_STORE_H

#include "kube/base/arena.h"
#include "kube/base/intern.h"
#include "kube/model/kind.h"
#include "kube/model/status.h"

/* Names one object, and never another one, even after it is gone.  Views keep these, not pointers. */
struct handle {
	uint32_t slot, gen;
};

#define HANDLE_NONE ((struct handle){ 0, 0 })
/* HANDLE_NONE equals itself: ask for a slot where two that name nothing are no match. */
bool handle_eq(struct handle a, struct handle b);

/* Who an object is.  Borrowed from the store. */
struct object_id {
	uint16_t cluster;	/* index of the context */
	const struct kind *kind;
	struct str ns, name;
};

/* What is known of one object beside its status. */
struct object_meta {
	struct object_id id;
	struct str uid;			/* only for store_put(); store_uid() reads it */
	struct str version;		/* of the API that it was read in; "": the kind's own */
	int64_t created, deleting;	/* 0: not */
	int64_t generation;
	const struct family *family;
	uint32_t file;		/* 1 + index of the file it came from, 0: from a server */
	bool again;		/* only for store_put(): time passed, the object itself is as it was */
};

struct store;

enum change { CHANGE_NONE, CHANGE_ADDED, CHANGE_UPDATED, CHANGE_REMOVED };

struct store *store_new(struct kinds *kinds);
void store_free(struct store *s);

/* Packs a copy.  CHANGE_NONE when nothing that anyone can see differs. */
enum change store_put(struct store *s, const struct object_meta *meta, const struct status *status,
		      struct handle *out_handle);
enum change store_remove(struct store *s, struct handle h);

/* HANDLE_NONE when there is no such object. */
struct handle store_find(const struct store *s, const struct object_id *id);
bool store_alive(const struct store *s, struct handle h);
size_t store_count(const struct store *s);

/*
 * A list names everything there is: what store_put() did not see between begin
 * and end is gone.  ns "" means all namespaces.  removed() is called for each.
 */
void store_list_begin(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns);
void store_list_end(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
		    void (*removed)(void *ctx, struct handle h), void *ctx);

/*
 * How much of a kind is known in a namespace, so that "not here" can be told
 * from "does not exist".
 */
enum coverage {
	COVERAGE_NONE,		/* never asked, or not yet answered */
	COVERAGE_PARTIAL,	/* some are known (a file, a selector) */
	COVERAGE_COMPLETE,	/* all are known */
	COVERAGE_FORBIDDEN
};
/* kind NULL: of every kind of which nothing else is said. */
void store_set_coverage(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
			enum coverage coverage);
/* Of a single name: it was asked for, and is not there or may not be read. */
void store_set_name_coverage(struct store *s, const struct object_id *id, enum coverage coverage);
enum coverage store_name_coverage(const struct store *s, const struct object_id *id);
enum coverage store_coverage(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns);

/* Iterate: the first living object from slot on; HANDLE_NONE at the end.  Start with 0. */
struct handle store_next(const struct store *s, uint32_t slot);

/* Unpacking: values borrowed from the store until the next put or remove. */
struct object_meta store_meta(const struct store *s, struct handle h);
/* Borrowed from the store or made in the arena; "": it has none. */
struct str store_uid(const struct store *s, struct handle h, struct arena *arena);
/* Strings are borrowed; arrays are laid out in the arena.  refs are complete. */
struct status store_status(const struct store *s, struct handle h, struct arena *arena);
/* The scalars alone: phase, severity, words, since, ...; arrays are NULL, counts 0. */
struct status store_brief(const struct store *s, struct handle h);

/* How often its own phase was another than before, since it was first seen. */
unsigned store_phase_changes(const struct store *s, struct handle h);
/* How often it was seen to fail: it came to be in trouble, or said so anew (a retry that failed). */
unsigned store_failures(const struct store *s, struct handle h);
/* So often it was before it was put: of an object whose past is known from elsewhere. */
void store_set_counts(struct store *s, struct handle h, unsigned phase_changes, unsigned failures);
/* Another number after each put that changed it, time alone aside; after 65535 comes 0. */
unsigned store_edits(const struct store *s, struct handle h);
/* Of the async operation; -1 when not known. */
double store_percent(const struct store *s, struct handle h);

/* --- the graph's part: nodes also exist for names without an object ------------ */

struct edge {
	uint32_t target;	/* slot */
	enum relation relation;
	unsigned flags;
	struct str via, guard, message;
};

/* The identity of a node, living or only named; of a slot that was freed: no name and the kind "?". */
struct object_id store_node_id(const struct store *s, uint32_t slot);
/* Its kind alone. */
const struct kind *store_node_kind(const struct store *s, uint32_t slot);
/* The handle of the object at a node, HANDLE_NONE when there is none. */
struct handle store_node_handle(const struct store *s, uint32_t slot);
/*
 * The handle that the object of a node has, or will have when there is one: store_alive() tells
 * whether there is, store_knows() whether the node still has that name.
 */
struct handle store_node_named(const struct store *s, uint32_t slot);
size_t store_edge_count(const struct store *s, uint32_t slot);
struct edge store_edge(const struct store *s, uint32_t slot, size_t i);
/* The same without its texts, which most do not ask for. */
struct edge store_edge_ends(const struct store *s, uint32_t slot, size_t i);
uint32_t store_edge_target(const struct store *s, uint32_t slot, size_t i);
/* Who refers to the node: slots, ascending; the same slot stands once per reference. */
const uint32_t *store_referrers(const struct store *s, uint32_t slot, size_t *out_n);
/* Living objects in a namespace: slots.  Borrowed until the next put. */
const uint32_t *store_in_namespace(const struct store *s, uint16_t cluster, struct str ns, size_t *out_n);
/* 0 when there is no node of that name. */
uint32_t store_find_node(const struct store *s, const struct object_id *id);
/*
 * A node for that name, if there is none: what is enumerated is so in the order in which names were met, and whoever
 * builds a store like another one meets them in its order.
 */
void store_meet(struct store *s, const struct object_id *id);
/* Living objects of a kind in a namespace. */
size_t store_kind_count(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns);
/* The slots that changed, or lost or gained a referrer, since the last call of store_touched_clear(): each once. */
const uint32_t *store_touched(const struct store *s, size_t *out_n);
void store_touched_clear(struct store *s);
/* Is more or less known of some kind than at the last call? */
bool store_coverage_changed(struct store *s);
/* One above the highest slot in use: for arrays by slot.  Smaller after a store_forget() that freed many. */
uint32_t store_slots(const struct store *s);

/* Somebody still shows who was at that slot: the next store_forget() leaves it alone. */
void store_hold(struct store *s, uint32_t slot);
/* How many nodes lost their object or their last referrer, and may be freed. */
size_t store_unreferenced(const struct store *s);
/*
 * Frees the nodes that have neither object nor referrer, are not held, and are not in
 * store_touched().  Returns their slots, borrowed until the next call.  graph_forget() calls it.
 */
const uint32_t *store_forget(struct store *s, size_t *out_n);
/* Is the node of that object, living or gone, still there?  store_node_id() then has its name. */
bool store_knows(const struct store *s, struct handle h);

struct kinds *store_kinds(const struct store *s);

/* --- what was before (kube/graph/past.h) ------------------------------------------ */

struct history;
struct history_entry;
/* From now on what is replaced goes there; borrowed.  NULL: no more. */
void store_keep_history(struct store *s, struct history *h);
/* What packed objects use, for history_new(). */
struct intern *store_words(struct store *s);
/* The same objects in the same slots, with the same handles; of what is gone, too. */
struct store *store_copy(const struct store *s);
/*
 * Makes of an entry of the copied store's history, or of its own, the state that it holds, and puts into it what was
 * there.  Takes what the entry has.  Entries are undone from the newest on; store_exchanged() comes after the last.
 */
void store_exchange(struct store *s, struct history_entry *e);
void store_exchanged(struct store *s);

#endif
