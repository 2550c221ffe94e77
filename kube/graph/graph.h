/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2: verdicts that depend on others, waits, root causes. */
#ifndef KUBE_GRAPH_GRAPH_H
#define KUBE_GRAPH_GRAPH_H

#include "kube/base/arena.h"
#include "kube/model/store.h"

struct graph;
struct journal;
struct journal_entry;

/* Both borrowed; families ends with NULL, as engine_new() takes it. */
struct graph *graph_new(struct store *store, const struct family *const *families);
void graph_free(struct graph *g);

/*
 * Judges again what the store's changes since the last call can reach, and what
 * expired by now; returns how many objects look different.
 */
size_t graph_settle(struct graph *g, int64_t now);
/*
 * The slots that may look different since the settle before: objects that changed, whose coverage changed, or whose
 * health is now different.  A slot may be there twice.  Neighbours of other slots need not be looked up again.
 */
const uint32_t *graph_changed(const struct graph *g, size_t *out_n);
/*
 * From now on keeps a history of the graph and the store, up to ceiling bytes, for kube/graph/past.h.  0: frees it.
 */
void graph_keep_history(struct graph *g, size_t ceiling);
/* Since when a history is kept, ms; 0: none is. */
int64_t graph_history_from(const struct graph *g);
/* Its size in bytes. */
size_t graph_history_size(const struct graph *g);
/*
 * From now on the graph's journal has an entry with texts for each object that comes, goes or gets another verdict, up
 * to ceiling bytes (0: no limit).  An object that was created before began (ms) was there before.  Without this call
 * it has only what graph_changes_before() needs.
 */
void graph_keep_journal(struct graph *g, size_t ceiling, int64_t began);
/* True when the object was there at the end of the last graph_settle(). */
bool graph_was_shown(const struct graph *g, struct handle h);
/*
 * Writes into the journal that an object came into the user's selection or left it: JOURNAL_SELECTED or
 * JOURNAL_DESELECTED, with time, object and verdicts.  Names and words are added.  Returns the number of the entry.
 */
uint64_t graph_write_selected(struct graph *g, const struct journal_entry *e);
/* What happened.  Borrowed; that of a graph at an earlier time is the one of the graph that goes on. */
const struct journal *graph_journal(const struct graph *g);
/*
 * Frees what is gone and not referred to, with its slots, unless store_hold() was called for it.  Call it when all
 * readers of graph_changed() have read it.  It visits every slot, so call it when store_unreferenced() is a good part
 * of them, or from time to time.  Returns how many slots were freed.
 */
size_t graph_forget(struct graph *g);
/* When a verdict expires without an event; 0: never. */
int64_t graph_next_revisit(const struct graph *g);

/* Who a thing is, in words.  Borrowed from the store or the arena. */
struct id {
	struct str group, kind, ns, name, cluster;
	struct handle handle;	/* HANDLE_NONE: does not exist, or is no object */
	bool alias;		/* kind is a KIND_ALIAS: no server knows it */
};

/* One of an item's waits.  "struct wait" is the system's on macOS: <stdlib.h> brings <sys/wait.h>. */
struct item_wait {
	struct id on;
	enum wait_state state;
	struct str via, message;
};

/* The message of a wait for a finalizer that is stuck. */
#define GRAPH_NOBODY_REMOVES "nobody removes it"

struct dependency {
	struct id on;
	enum relation relation;
	enum phase phase;	/* of the other end; PHASE_UNKNOWN when not found */
	struct str via;
	bool found;
	bool missing;		/* it is known not to be there; neither: it was not looked for, or may not be read */
};

struct finalizer {
	struct str name;
	struct str held_for;	/* "Port"; "" when nobody knows */
	/* "in-use", "releasing", "waiting", "cleanup", "foreground", "orphaning", "stuck", "unknown" */
	struct str state;
};

struct deletion {
	int64_t since;
	const struct finalizer *finalizers;
	size_t nfinalizers;
	const struct id *blocked_by;
	size_t nblocked_by;
};

/* A short form for rows: everything a table needs.  Borrowed until the next settle. */
struct summary {
	struct id id;
	const struct kind *kind;
	const char *family;
	enum phase phase;
	enum severity severity;
	struct str operator_phase, reason, message;
	int64_t since, created;
	bool stale, copied;
	double percent;		/* of the async operation, -1 */
	struct replicas replicas;
	struct handle owner;	/* the controller, when it is in the store */
};

/* Everything of one object, as in the contract's items. */
struct item {
	struct summary s;
	struct str api_version, uid, rule;
	const struct item_wait *waits;
	const struct id *roots;
	const struct dependency *dependencies;	/* what it refers to */
	const struct dependency *dependents;	/* who refers to it */
	const struct deletion *deletion;	/* NULL: is not being deleted */
	struct status status;			/* conditions, async, history, flags, version */
	size_t nwaits, nroots, ndependencies, ndependents;
};

struct root_cause {
	struct id id;
	uint32_t slot;		/* its node in the store, also of what does not exist; until the next settle */
	enum wait_state cause;
	enum phase phase;
	enum severity severity;
	struct str reason, message;
	int64_t since;
	size_t nblocked;	/* living objects that wait for it: graph_blocked() */
};

/* The name that a context has in output; "" while only one is used. */
void graph_name_cluster(struct graph *g, uint16_t cluster, struct str name);
struct str graph_cluster_name(const struct graph *g, uint16_t cluster);
/*
 * What kubectl commands in texts name to reach the same cluster: the context unless it is
 * the kubeconfig's current one, and the kubeconfig when a flag named it; "": nothing.
 */
void graph_name_target(struct graph *g, struct str context, struct str kubeconfig);
/* " --context staging", quoted for a shell; cluster: the id's, "" while one is used. */
struct str graph_target_flags(const struct graph *g, struct str cluster, struct arena *arena);

/* False when the object is gone. */
bool graph_summary(struct graph *g, struct handle h, struct summary *out);
bool graph_item(struct graph *g, struct handle h, struct arena *arena, struct item *out);
/* The same with at most most_roots root causes: listing thousands takes long. */
bool graph_item_brief(struct graph *g, struct handle h, size_t most_roots, struct arena *arena, struct item *out);
/* True when its kind may not be read any more: what is known of the object is old. */
bool graph_unreadable(const struct graph *g, struct handle h);
/* How long other objects of the kind took to become ready for the first time. */
struct pace {
	size_t siblings;	/* for which that is known */
	int64_t usual;		/* the median */
};
struct pace graph_pace(struct graph *g, struct handle h);
/* The controller of an object, and what leads to it. */
struct controller {
	struct id id;		/* without a handle: not seen */
	bool workload;		/* else a lease, a webhook's service, a definition */
	bool down;
};
/* The controllers of that object's kind, as far as is known; also those that were named but not seen. */
const struct controller *graph_controllers(struct graph *g, struct handle h, struct arena *arena, size_t *out_n);
/* True when it is not well and its status does not say why: an Event may (as of the last graph_settle()). */
bool graph_wants_events(const struct graph *g, struct handle h);
/* The first wait of an object: state WAIT_NONE when it waits for nothing. */
struct item_wait graph_first_wait(struct graph *g, struct handle h);
/*
 * The chain from here to a root cause: this object's wait, that one's wait, ...
 * What does not exist waits for who would make it.  Ends with a root cause, or
 * once around a circle; at most cap elements.
 */
size_t graph_chain(struct graph *g, struct handle from, struct item_wait *out, size_t cap);
enum { CHAIN_TAIL = 3 };
/*
 * The last waits of that chain, CHAIN_TAIL of them or all that there are, in order;
 * returns how many the whole chain has.
 */
size_t graph_chain_tail(struct graph *g, struct handle from, struct item_wait *out);
/* What holds up most comes first; of those that hold up as many, the more severe; then by name. */
int root_cause_compare(const struct root_cause *a, const struct root_cause *b);
/* All root causes, in that order. */
const struct root_cause *graph_roots(struct graph *g, struct arena *arena, size_t *out_n);
/* The root cause that is this object; NULL when it is none.  Borrowed until the next settle. */
const struct root_cause *graph_root(struct graph *g, struct handle h);
/*
 * The living objects that wait for some of n causes, each once: their slots, the nearest
 * to the first cause first, then those that only the next one holds up, ...  Found when it
 * is asked for, no list is kept; borrowed until the next call of this
 * function, of graph_concerned() or graph_settle().
 */
const uint32_t *graph_blocked(struct graph *g, const uint32_t *causes, size_t n, size_t *out_n);

struct kind_count {
	const struct kind *kind;
	size_t n;
};

/*
 * How many of each kind these are: up to max kinds to counts[], those of further ones to *out_others.
 * Returns how many kinds.
 */
size_t graph_blocked_kinds(struct graph *g, const uint32_t *causes, size_t n, struct kind_count *counts, size_t max,
			   size_t *out_others);
/*
 * By slot: 1 for a cause that is selected, and for what a selected object waits for,
 * directly or not; else 0.  store_slots() bytes, in the arena.
 */
const uint8_t *graph_concerned(struct graph *g, bool (*selects)(const void *ctx, struct handle h), const void *ctx,
			       struct arena *arena);
/* What changed of an object while it was watched. */
enum changed { CHANGED_PHASE, CHANGED_SPEC, CHANGED_CREATED, CHANGED_DELETED };
struct change_before {
	struct id id;
	enum changed what;
	enum phase from, to;	/* CHANGED_PHASE */
	int64_t time;
	unsigned steps;		/* from the object that was asked for */
	bool part;		/* the phase of one of its parts, which failed before it did */
};
/*
 * What changed in the quarter of an hour before that time, of the object itself, what it refers to and waits for, who
 * owns it and its parts, as far as it was seen: what was created last, before it the first part that failed, else the
 * nearest first, then the latest.  It need not be the cause.
 */
const struct change_before *graph_changes_before(struct graph *g, struct handle h, int64_t began, struct arena *arena,
						 size_t *out_n);
/* The kind and the id of a slot that a function of this header returned. */
const struct kind *graph_kind(const struct graph *g, uint32_t slot);
struct id graph_id(const struct graph *g, uint32_t slot);

/* Worst first, then namespace, kind, name: the order of every list. */
int summary_compare(const struct summary *a, const struct summary *b);
/* The first criterion of that order: the higher, the worse. */
unsigned summary_badness(const struct summary *s);

#endif
