/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything observed, packed: a node for each object and for each name that
 * an object refers to, with the edges in both directions.
 *
 * A node lives while it has an object, a referrer or a hold.  Without these store_forget() frees
 * it with its name, and its slot is used again under another generation.  Nodes are freed there
 * only: code that keeps slots reads the result of store_forget(), other code keeps handles.
 */
#ifndef KUBE_MODEL_STORE_H
#define KUBE_MODEL_STORE_H

#include "kube/base/arena.h"
#include "kube/base/intern.h"
#include "kube/model/kind.h"
#include "kube/model/status.h"
#include "kube/model/undo_entry.h"

/* Names one object, and never another one, even after it is gone.  Views keep these, not pointers. */
struct handle {
	uint32_t slot, gen;
};

#define HANDLE_NONE ((struct handle){ 0, 0 })
/* HANDLE_NONE equals itself: check .slot where two empty handles are no match. */
bool handle_eq(struct handle a, struct handle b);
/* The order of two slots, for qsort(): of handles, or of what has a slot as its first member. */
int slot_compare(const void *a, const void *b);

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
	int64_t generation;	/* below 0: of a kind that has none, another number after each edit */
	const struct family *family;
	uint32_t file;		/* 1 + index of the file it came from, 0: from a server */
	bool again;		/* only for store_put(): the object is unchanged, only time has passed */
	bool met;		/* only for store_put(): it existed before somebody looked, and did not appear now */
};

struct store;

enum change { CHANGE_NONE, CHANGE_ADDED, CHANGE_UPDATED, CHANGE_REMOVED };

struct store *store_new(struct kinds *kinds);
void store_free(struct store *s);

/* Packs a copy.  CHANGE_NONE when nothing that is shown differs. */
enum change store_put(struct store *s, const struct object_meta *meta, const struct status *status,
		      struct handle *out_handle);
/* Removes an object that does not exist any more, as a server says. */
enum change store_remove(struct store *s, struct handle h);
/* What is known of an object outside of the store, such as its labels, is another one now: store_touched() has it. */
void store_touch(struct store *s, struct handle h);
/* Removes an object because nobody looks at it any more: whether it still exists is not known. */
void store_let_go(struct store *s, struct handle h);
/* True when the last object of that slot was removed by store_let_go(), and no other has come since. */
bool store_was_let_go(const struct store *s, uint32_t slot);
/* Removes an object that left the selection by which it was watched: whether it was deleted or edited is not known. */
enum change store_deselect(struct store *s, struct handle h);
/* True when the last object of that slot was removed by store_deselect(), and no other has come since. */
bool store_was_deselected(const struct store *s, uint32_t slot);
/* True when the object was put as one that is only met, and has not been put otherwise since. */
bool store_is_met(const struct store *s, struct handle h);

/* HANDLE_NONE when there is no such object. */
struct handle store_find(const struct store *s, const struct object_id *id);
bool store_alive(const struct store *s, struct handle h);
size_t store_count(const struct store *s);

/*
 * How much of a kind is known in a namespace, so that "not here" can be told
 * from "does not exist".  Complete is claimed only by a list without a selector that came to its end (all pages of one
 * list, or a streaming list up to its marker) and whose feed is open still, by a kind that the server says it does not
 * serve, by the answer to a single name, and by a recording in which that was so.  A list that failed, was refused or
 * given up, however much of it came, leaves what was known before.
 */
enum coverage {
	COVERAGE_NONE,		/* never asked, or not yet answered */
	COVERAGE_PARTIAL,	/* some are known (a file, a selector) */
	COVERAGE_COMPLETE,	/* all are known */
	COVERAGE_FORBIDDEN
};
/* kind NULL: of all kinds without a coverage of their own. */
void store_set_coverage(struct store *s, uint16_t cluster, const struct kind *kind, struct str ns,
			enum coverage coverage);
/* The coverage of a single name: it was requested and does not exist, or may not be read. */
void store_set_name_coverage(struct store *s, const struct object_id *id, enum coverage coverage);
enum coverage store_name_coverage(const struct store *s, const struct object_id *id);
enum coverage store_coverage(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns);
/* The word for it: "none", "partial", "complete", "forbidden". */
const char *coverage_name(enum coverage coverage);
/* False when it is none of these words. */
bool coverage_parse(struct str word, enum coverage *out);
/* Of a single name, or of a kind in a namespace: then the name is "".  kind NULL: of all other kinds. */
typedef void store_coverage_told(void *ctx, const struct object_id *id, enum coverage coverage);
/* Tells all that is known; COVERAGE_NONE is not told. */
void store_each_coverage(const struct store *s, store_coverage_told *told, void *ctx);
/* From now on tells each change; NULL: no more. */
void store_listen_coverage(struct store *s, store_coverage_told *told, void *ctx);

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
/* Two of these; of what does not exist PHASE_UNKNOWN and SEVERITY_NONE. */
enum phase store_phase(const struct store *s, struct handle h);
enum severity store_severity(const struct store *s, struct handle h);

/* Returns true when it has st.earlier or st.retried: what came before its attempt is known. */
bool store_knows_attempt(const struct store *s, struct handle h);
/* A counter of the puts that changed it, other than by time alone; after 65535 comes 0. */
unsigned store_edits(const struct store *s, struct handle h);
/* Percent of the async operation; -1 when not known. */
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
 * The handle of the object of a node, also of one that does not exist (yet).  store_alive(): does it exist;
 * store_knows(): does the node still have that name.
 */
struct handle store_node_named(const struct store *s, uint32_t slot);
size_t store_edge_count(const struct store *s, uint32_t slot);
struct edge store_edge(const struct store *s, uint32_t slot, size_t i);
/* The same without its texts. */
struct edge store_edge_ends(const struct store *s, uint32_t slot, size_t i);
uint32_t store_edge_target(const struct store *s, uint32_t slot, size_t i);
/* The node after that one among those of its kind and cluster, living or only named; after the last comes the first. */
uint32_t store_next_of_kind(const struct store *s, uint32_t slot);
/* Who refers to the node: slots, ascending; the same slot stands once per reference. */
const uint32_t *store_referrers(const struct store *s, uint32_t slot, size_t *out_n);
/* Living objects in a namespace: slots.  Borrowed until the next put. */
const uint32_t *store_in_namespace(const struct store *s, uint16_t cluster, struct str ns, size_t *out_n);
/* 0 when there is no node of that name. */
uint32_t store_find_node(const struct store *s, const struct object_id *id);
/*
 * Makes a node for that name, if there is none.  Nodes are enumerated in the order in which they were made, so a copy
 * of a store makes them in the same order.
 */
void store_add_name(struct store *s, const struct object_id *id);
/* Living objects of a kind in a namespace. */
size_t store_kind_count(const struct store *s, uint16_t cluster, const struct kind *kind, struct str ns);
/* The slots that changed, or lost or gained a referrer, since the last call of store_touched_clear(): each once. */
const uint32_t *store_touched(const struct store *s, size_t *out_n);
void store_touched_clear(struct store *s);
/* True when the coverage of some kind has changed since the last call. */
bool store_coverage_changed(struct store *s);
/* One above the highest slot in use: for arrays by slot.  Smaller after a store_forget() that freed many. */
uint32_t store_slots(const struct store *s);

/* Holds that slot: the next store_forget() does not free it.  For names that are still shown. */
void store_hold(struct store *s, uint32_t slot);
/* Number of nodes without object and referrer, which store_forget() may free. */
size_t store_unreferenced(const struct store *s);
/*
 * Frees the nodes that have neither object nor referrer, are not held, and are not in
 * store_touched().  Returns their slots, borrowed until the next call.  graph_forget() calls it.
 */
const uint32_t *store_forget(struct store *s, size_t *out_n);
/* True when the node of that object, living or gone, is still there: store_node_id() has its name. */
bool store_knows(const struct store *s, struct handle h);

struct kinds *store_kinds(const struct store *s);

/* --- what was before (kube/graph/past.h) ------------------------------------------ */

/* From now on replaced records are given to write() with that log, which is borrowed.  NULL: they are freed. */
void store_write_undo(struct store *s, undo_write *write, void *log);
/* The interned strings of packed objects, for undo_new(). */
struct intern *store_words(struct store *s);
/* A copy: the same objects in the same slots with the same handles, also those of gone objects. */
struct store *store_copy(const struct store *s);
/*
 * Exchanges the state in an entry (of the copied store's undo log, or of its own) with the present one.  Takes over the
 * allocations of the entry.  Entries are undone from the newest on; call store_exchanged() after the last.
 */
void store_exchange(struct store *s, struct undo_entry *e);
void store_exchanged(struct store *s);

#endif
