/* SPDX-License-Identifier: Apache-2.0 */
/* Phase 2: verdicts that depend on other objects, waits, root causes. */
#ifndef KUBE_GRAPH_GRAPH_H
#define KUBE_GRAPH_GRAPH_H

#include "kube/base/arena.h"
#include "kube/model/json_diff.h"
#include "kube/model/managed_fields.h"
#include "kube/model/store.h"
#include "kube/status/usage.h"

struct edits;
struct graph;
struct labels;
struct root_cause;
struct journal;
struct journal_entry;
struct journal_texts;

/* store and families are borrowed; families ends with NULL, as for engine_new(). */
struct graph *graph_new(struct store *store, const struct family *const *families);
void graph_free(struct graph *g);

/*
 * Judges again the objects that the changes of the store since the last call can affect, and those whose verdict has
 * expired; returns how many objects look different.
 */
size_t graph_settle(struct graph *g, int64_t now);
/*
 * Do the same in slices of at most so many steps: graph_settle_some() returns true when it is done.  Until then nothing
 * else may be done with the graph and its store.
 */
void graph_settle_begin(struct graph *g, int64_t now);
bool graph_settle_some(struct graph *g, size_t most);
/*
 * Returns the slots that may look different since the settle before: objects that have changed, whose coverage has
 * changed, or whose health differs.  A slot may be there twice.  Neighbours of other slots need not be looked up again.
 */
const uint32_t *graph_changed(const struct graph *g, size_t *out_n);
/*
 * Returns the slots of which anything that graph_item() tells may differ since the settle before, each once: those of
 * graph_changed(), what refers to an object that came or went, what waits, directly or not, for one of these or for
 * something whose own waits lead elsewhere now, and what is not healthy and has a changed part.  Call it after each
 * settle; the first call returns everything that waits.  It is borrowed until the next call.
 */
const uint32_t *graph_affected(struct graph *g, size_t *out_n);
/*
 * From now on an undo log of the graph and the store is kept, up to ceiling bytes, for kube/graph/past.h.  0 frees it.
 */
void graph_keep_history(struct graph *g, size_t ceiling);
/* Since when the undo log is kept, ms; 0: there is none. */
int64_t graph_history_from(const struct graph *g);
/* Bytes of the undo log. */
size_t graph_history_size(const struct graph *g);
/*
 * From now on the journal of the graph has an entry with texts for each object that comes, goes or gets another
 * verdict, up to ceiling bytes (0: no limit).  An object that was created before began (ms) was there before.  Without
 * this call the journal has only what graph_changes_before() needs.
 */
void graph_keep_journal(struct graph *g, size_t ceiling, int64_t began);
/* From now on root causes keep their place for ten minutes (root_cause.holds, worst), for a list that people look at. */
void graph_keep_places(struct graph *g);
/* Returns true when the object existed at the end of the last graph_settle(). */
bool graph_was_shown(const struct graph *g, struct handle h);
/*
 * Writes into the journal that an object came into the user's selection or left it: JOURNAL_SELECTED or
 * JOURNAL_DESELECTED, with time, object and verdicts.  Names and words are added.  Returns the number of the entry.
 */
uint64_t graph_write_selected(struct graph *g, const struct journal_entry *e);
/* Adds to the journal what happened before it was kept, as journal_add_before() does. */
bool graph_add_earlier(struct graph *g, const struct journal_entry *e, const struct journal_texts *texts);
/*
 * Notes in the journal that all objects of a kind in a namespace ("": in all) are watched from that time (ms) on, or are
 * no longer: see kube/journal/watched.h.
 */
void graph_note_watched(struct graph *g, const struct object_id *scope, bool is_watched, int64_t time);
/* What has happened.  It is borrowed; a graph at an earlier time has the journal of the present graph. */
const struct journal *graph_journal(const struct graph *g);
/*
 * Frees nodes without object and referrer, with their slots, unless store_hold() was called for them.  Call it when all
 * readers of graph_changed() have read it.  It visits every slot, so call it when store_unreferenced() is a good part
 * of them, or from time to time.  Returns how many slots were freed.
 */
size_t graph_forget(struct graph *g);
/* When a verdict expires without an event, ms; 0: never. */
int64_t graph_next_revisit(const struct graph *g);

/* The identity of an object, in words.  It is borrowed from the store or the arena. */
struct id {
	struct str group, kind, ns, name, cluster;
	struct handle handle;	/* HANDLE_NONE: it does not exist, or is no object */
	bool alias;		/* the kind is a KIND_ALIAS, which no server knows */
};

/* One of the waits of an item.  The name "struct wait" is taken on macOS: <stdlib.h> includes <sys/wait.h>. */
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
	enum phase phase;	/* the phase of the other object; PHASE_UNKNOWN when it was not found */
	struct str via;
	bool found;
	/* it is known not to exist; neither found nor missing: it was not looked for, or may not be read */
	bool missing;
};

struct finalizer {
	struct str name;
	struct str held_for;	/* "Port"; "" when it is not known */
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

/* The short form for rows: everything that a table needs.  It is borrowed until the next settle. */
struct summary {
	struct id id;
	const struct kind *kind;
	const char *family;
	enum phase phase;
	enum severity severity;
	struct str operator_phase, reason, message;
	int64_t since, created;
	bool stale, copied, runs_out;	/* as struct status has them; copied: it has the flag */
	double percent;		/* of the async operation; -1: not known */
	struct replicas replicas;
	struct handle owner;	/* the controller, when it is in the store */
};

/* The rows of what no table decides: the operator's family alone, and a deletion. */
#define GRAPH_ROW_FAMILY "the rules of its operator say so"
#define GRAPH_ROW_DELETION "it is being deleted"

/* Everything of one object, as in the items of the JSON output. */
struct item {
	struct summary s;
	struct str api_version, uid;
	struct str rule;			/* what decided, in words for people */
	struct str row;				/* the name of the row that won (docs/rules-general.md) */
	const struct because *because;		/* what the verdict rests on: the first one decides */
	const struct item_wait *waits;
	const struct id *roots;
	const struct dependency *dependencies;	/* what it refers to */
	const struct dependency *dependents;	/* who refers to it */
	const struct deletion *deletion;	/* NULL: the object is not being deleted */
	struct status status;			/* with conditions, async, history, flags, version */
	size_t nwaits, nroots, ndependencies, ndependents, nbecause;
};

struct root_cause {
	struct id id;
	uint32_t slot;		/* its node in the store, even for what does not exist; valid until the next settle */
	enum wait_state cause;
	enum phase phase;
	enum severity severity;
	struct str reason, message;
	int64_t since;
	size_t nblocked;	/* number of existing objects that wait for it: graph_blocked() */
	/*
	 * By what it is ordered: nblocked, and one more when its workload has nobody left to serve, and its severity; with
	 * graph_keep_places() each the largest of the last ten minutes, so that a cause keeps its place while its pods crash
	 * and run in turn.
	 */
	size_t holds;
	enum severity worst;
};

/* Returns the name of a context in the output; "" while only one is used. */
void graph_name_cluster(struct graph *g, uint16_t cluster, struct str name);
struct str graph_cluster_name(const struct graph *g, uint16_t cluster);
/* Returns the store of the graph, borrowed. */
const struct store *graph_store(const struct graph *g);
/*
 * Returns the object of the same name in another graph, which may number its kinds and its clusters in another way;
 * HANDLE_NONE: it does not exist there.
 */
struct handle graph_same_object(const struct graph *g, struct handle h, const struct graph *other);
/*
 * What kubectl commands in texts need to reach the same cluster: the context, whether that is the current one of the
 * kubeconfig, and the kubeconfig when a flag has named it; "": nothing.
 */
void graph_name_target(struct graph *g, struct str context, bool is_current, struct str kubeconfig);
/* Who reads a kubectl command: the user at this terminal, or somebody whose kubectl may have another current context. */
enum command_reader { READER_HERE, READER_ELSEWHERE };
/*
 * Returns " --context staging", quoted for a shell; for READER_HERE without the current context of the kubeconfig.
 * cluster is the one of an id, "" while one context is used.
 */
struct str graph_target_flags(const struct graph *g, struct str cluster, enum command_reader reader, struct arena *arena);

/* What is kept beside the store, for graph_shared() and graph_owner(); it is borrowed.  NULL: nothing is. */
void graph_use_labels(struct graph *g, const struct labels *labels);
/* What pods and nodes use, for graph_used(); it is borrowed.  NULL: nothing is known of that. */
void graph_use_usage(struct graph *g, const struct usage *usage);
/* Returns false when it is not known how much the object in that slot uses now. */
bool graph_used(const struct graph *g, uint32_t slot, struct used *out);
/*
 * The labels and annotations whose value is the owner of an object, with commas between them, the one that counts most
 * first; "": none is.  Their annotations have to be kept, too: labels_want().
 */
void graph_use_owner_keys(struct graph *g, struct str keys);
/*
 * Returns the owner of an object, such as "team-network": by the first of these keys that the object has, else the
 * nearest object that owns it, else its namespace.  "": nobody is named.  It is borrowed until the next settle.
 */
struct str graph_owner(struct graph *g, struct handle h);
/* Does the same; of a root cause that does not exist it is the owner of the nearest object that waits for it. */
struct str graph_owner_of_root(struct graph *g, const struct root_cause *r);
/* Returns true when neither the object nor what owns it names an owner, so that its namespace may. */
bool graph_namespace_may_own(struct graph *g, struct handle h);
/* The annotations whose value is the address of a runbook, as graph_use_owner_keys() takes them. */
void graph_use_runbook_keys(struct graph *g, struct str keys);
/* An alert has said where the runbook of that object is, which may not exist yet.  The first address counts; "" is none. */
void graph_give_runbook(struct graph *g, const struct id *of, struct str address);
/* Takes over what another graph was given. */
void graph_take_runbooks(struct graph *g, const struct graph *from);
/*
 * Returns the address: what an alert has said, else an annotation of the object or of what owns it, else what a rules file
 * says of it or of what owns it; "": none is known.  It is borrowed until the next settle.
 */
struct str graph_runbook(struct graph *g, struct handle h);
/* Returns that of a root cause, else the one that an alert has given for an object that waits for it. */
struct str graph_runbook_of_root(struct graph *g, const struct root_cause *r);

/* Returns false when the object does not exist any more. */
bool graph_summary(struct graph *g, struct handle h, struct summary *out);
bool graph_item(struct graph *g, struct handle h, struct arena *arena, struct item *out);
/* Does the same with at most most_roots root causes, because listing thousands takes long. */
bool graph_item_brief(struct graph *g, struct handle h, size_t most_roots, struct arena *arena, struct item *out);
/*
 * Finds what an object owns and what it says it manages, directly or through others, of the first 2,000 of these; with kind
 * only those of a kind of that name.  Fills out with the cap worst of them, the worst first.  Returns how many there are.
 */
size_t graph_parts(struct graph *g, struct handle h, const char *kind, struct handle *out, size_t cap);
/* Returns true when the kind may not be read any more: what is known of the object is outdated. */
bool graph_unreadable(const struct graph *g, struct handle h);
/* The controller of an object, and what leads to it. */
struct controller {
	struct id id;		/* without a handle: it was not seen */
	bool workload;		/* false: it is a lease, the Service of a webhook, or a definition */
	bool down;
};
/*
 * Returns the controllers of that object's kind, as far as they are known, including those that were named but not
 * seen.
 */
const struct controller *graph_controllers(struct graph *g, struct handle h, struct arena *arena, size_t *out_n);
/*
 * Returns true when the object is not healthy and its status does not say why, so that an Event may say it (as of the
 * last graph_settle()).
 */
/* Returns the row of a family for names of that kind; NULL when the kind is no alias. */
const struct alias_rule *graph_alias(const struct graph *g, const struct kind *kind);
bool graph_wants_events(const struct graph *g, struct handle h);
/* Returns the first wait of an object: state WAIT_NONE when it waits for nothing. */
struct item_wait graph_first_wait(struct graph *g, struct handle h);
/*
 * Returns the chain from this object to a root cause: this object's wait, the wait of that target, and so on.  What
 * does not exist waits for what would make it.  The chain ends with a root cause, or after one round in a circle; it
 * has at most cap elements.
 */
size_t graph_chain(struct graph *g, struct handle from, struct item_wait *out, size_t cap);
enum { CHAIN_TAIL = 3 };
/* Returns the last waits of that chain, at most CHAIN_TAIL of them, in order, and how many the whole chain has. */
size_t graph_chain_tail(struct graph *g, struct handle from, struct item_wait *out);
/*
 * Returns the phase that stands for a root cause: of what does not exist by its severity, of what is Ready and still
 * blocks others Degraded, else its own.
 */
enum phase root_cause_phase(const struct root_cause *r);
/* Returns graph_rank() of it.  A pod of a crash loop is Failed and Degraded in turn, and has the place of what has failed. */
uint32_t root_cause_rank(const struct root_cause *r);
/* The order of root causes: by that, then by name. */
int root_cause_compare(const struct root_cause *a, const struct root_cause *b);
/* Returns root_cause.holds of what was a root cause a moment ago and may not be one any more; 0: it was none. */
size_t graph_held(const struct graph *g, struct handle h);
/* Returns all root causes in that order. */
const struct root_cause *graph_roots(struct graph *g, struct arena *arena, size_t *out_n);

/* What the user of the root causes works out from them, and keeps with them until the next settle, at the latest. */
struct roots_kept {
	struct arena *arena; /* lives as long */
	const void *what;    /* NULL: nothing is kept yet */
	size_t n;
};
struct roots_kept *graph_roots_kept(struct graph *g);

/* Returns the root cause that is this object; NULL when it is none.  It is borrowed until the next settle. */
const struct root_cause *graph_root(struct graph *g, struct handle h);
/*
 * Returns the existing objects that wait for some of n causes, each once: their slots, the nearest to the first cause
 * first, then those that only the next cause blocks, and so on.  They are found on demand, and no list is kept:
 * borrowed until the next call of this function, of graph_concerned() or graph_settle().
 */
const uint32_t *graph_blocked(struct graph *g, const uint32_t *causes, size_t n, size_t *out_n);

struct kind_count {
	const struct kind *kind;
	size_t n;
};

/*
 * Counts these objects by kind: up to max kinds into counts[], objects of further kinds into *out_others.  Returns the
 * number of kinds.
 */
size_t graph_blocked_kinds(struct graph *g, const uint32_t *causes, size_t n, struct kind_count *counts, size_t max,
			   size_t *out_others);
/*
 * Returns, by slot, 1 for a cause that is selected and for everything that a selected object waits for, directly or
 * not; else 0.  It has store_slots() bytes, in the arena.
 */
const uint8_t *graph_concerned(struct graph *g, bool (*selects)(const void *ctx, struct handle h), const void *ctx,
			       struct arena *arena);
/* A change of an object that was seen while the object was watched, or of which its managedFields tell. */
enum changed { CHANGED_PHASE, CHANGED_SPEC, CHANGED_CREATED, CHANGED_DELETED };
struct change_before {
	struct id id;
	enum changed what;
	enum phase from, to;	/* for CHANGED_PHASE */
	int64_t time;
	unsigned steps;		/* distance from the object that was asked for */
	bool part;		/* it is the phase of one of the object's parts, which failed before the object did */
	struct editor by;	/* who has made it, where that is known */
	/*
	 * For CHANGED_SPEC: the fields, where they are known.  When their values are not known (unseen), they are those
	 * that this editor owns, of which one or more have changed, and more is the number of those that are left out.
	 */
	const struct changed_field *fields;
	size_t nfields, more;
};
/*
 * Finds the last change that somebody has made, of the selected objects that no other object owns: its spec was edited, or it was
 * created, as was seen; with written also what the managedFields of all objects tell, which must be known of all for that.
 * Returns false when none is known.  It has no fields; the texts are in the arena.
 */
struct change_asked {
	bool (*selects)(const void *ctx, struct handle h);	/* NULL: all are selected */
	const void *ctx;
	bool written;
};
bool graph_last_change(struct graph *g, const struct change_asked *asked, struct arena *arena, struct change_before *out);
/* Returns the edits that are known of an object, the newest first, in the arena. */
size_t graph_edits(const struct graph *g, const struct object_id *id, struct arena *arena, const struct edit **out);
enum { CHANGES_BEFORE = 5 };
/*
 * Returns what has changed, as far as it is known, in the ten minutes before that time, at most CHANGES_BEFORE: of the
 * object itself, of what it refers to and waits for, of its owners and its parts; and the quotas of its namespace, the
 * definition of its kind and webhooks.  What was created last comes first, before it the first part that has failed;
 * else the nearest first, then the latest.  It need not be the cause.
 */
const struct change_before *graph_changes_before(struct graph *g, struct handle h, int64_t began, struct arena *arena,
						 size_t *out_n);
/*
 * Returns the objects around that one whose managedFields may tell of such a change before began (ms): slots, the
 * nearest first.  What was never edited, what belongs to another object and what does not exist is left out.  Some may
 * only be named.
 */
const uint32_t *graph_near(struct graph *g, struct handle h, int64_t began, size_t most, struct arena *arena, size_t *out_n);

/* Returns the fields of an object that differ between two moments (ms), in the arena; 0: that is not known. */
typedef size_t changed_fields_between(void *ctx, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
				      const struct changed_field **out);
/* What tells more of changes than the journal does.  All is borrowed; each member may be NULL. */
struct change_sources {
	struct edits *edits;	/* kube/journal/edits.h */
	changed_fields_between *fields;
	void *ctx;
};
void graph_tell_changes(struct graph *g, const struct change_sources *sources);
/* Returns the slot of an object's controller, also when only its name is known; 0: it has none. */
uint32_t graph_controller(const struct store *store, uint32_t slot);
/* Return the kind and the id of a slot that a function of this header has returned. */
const struct kind *graph_kind(const struct graph *g, uint32_t slot);
struct id graph_id(const struct graph *g, uint32_t slot);

/*
 * The order of every list.  What is broken comes before what waits: Failed, a deletion that hangs, Degraded, Unknown,
 * Waiting, what is under way, Suspended, what is left over, Ready; then what holds up most objects; then the more severe.
 * Returns a number: the lower comes first.  Of equal ones id_compare() decides, and never a time, so that rows stand still.
 */
uint32_t graph_rank(enum phase phase, enum severity severity, size_t holds);
/* Compares by cluster, namespace, kind, name and group. */
int id_compare(const struct id *a, const struct id *b);
/* That order of objects of which it is not asked what they hold up. */
int summary_compare(const struct summary *a, const struct summary *b);

#endif
