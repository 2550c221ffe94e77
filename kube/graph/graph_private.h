/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of kube/graph share. */
#ifndef KUBE_GRAPH_GRAPH_PRIVATE_H
#define KUBE_GRAPH_GRAPH_PRIVATE_H

#include "kube/status/family.h"
#include "kube/graph/entries.h"
#include "kube/graph/graph.h"
#include "kube/graph/observed.h"

/* A wait of an object; target 0: it is not for an object of the cluster. */
struct health_wait {
	uint32_t target;
	enum wait_state state;
	struct str via, message;
	struct str kind, name;	/* only without a target */
	bool blocks;		/* the wait makes the object Waiting */
	uint16_t edge;		/* 1 + the number of the object's edge from which it comes; 0: it comes from no edge */
};

/* A wait as it is kept, perhaps a million times: most waits say nothing beyond their edge. */
struct kept_wait {
	uint32_t target;
	uint8_t state;
	uint8_t at;		/* the number of the edge that has its texts, or the index of its own texts */
	bool by_edge;		/* at is the number of an edge */
	bool blocks;
};

struct wait_texts {
	struct str via, message, kind, name;
};

/* What phase 2 has concluded of one object. */
struct health {
	enum phase phase;
	enum severity severity;
	struct str operator_phase, reason, message, rule, version_from, version_to;
	int64_t since, revisit;
	bool since_seen;		/* since is when this program saw the phase begin */
	/* it existed at the last settle: when it is replaced, it goes into the undo log */
	bool before;
	const struct kept_wait *waits;
	const struct wait_texts *texts;	/* for waits that have texts of their own */
	uint64_t texts_hash;		/* a hash of the texts of all waits */
	const struct str *flags;	/* flags beside the object's own */
	const struct because *because;	/* what its neighbours say that it rests on */
	const char *row;	/* the step of assess.c that decided; NULL: phase 1 did */
	uint16_t nwaits, ntexts, nflags, nbecause;
};

/* What the graph keeps of a node, at the slot of the node. */
struct graph_node {
	struct health *health;		/* NULL: the object is as phase 1 left it */
	/* for an alias: 1 + the slot of the object that it belongs to, or its own slot; 0: it was not looked for yet */
	uint32_t owner;
	uint32_t wait_number;		/* its number in the graph of waits (roots.c), 0: it is not there */
	uint32_t beyond_round;		/* the round in which the objects around it were queued */
	uint16_t visits;		/* how often this settle has judged it */
	/* enum controller_health + 1, as the objects saw it that looked for their controller */
	uint8_t seen_as;
	bool queued;
	uint16_t generation;		/* the low bits of its generation, as it was shown */
	bool noted;			/* its state before this settle is in g->before */
	bool went;			/* its object was removed */
	/*
	 * hash of the reason that the journal has; as severity and percent it is kept only where the journal has texts
	 */
	uint32_t reason;
	/* What was shown of the object at the end of the last settle: */
	int64_t since;
	uint32_t shown_gen;		/* 1 + the generation of its handle; 0: nothing was shown */
	uint16_t edits;			/* store_edits() at that time */
	uint8_t phase;
	uint8_t severity;
	int8_t percent;			/* as the journal has it, -1: not known */
	/* since is when this program saw the phase begin, and not a time that the operator wrote */
	bool since_seen;
	bool was_ready;
	bool by_change; /* in this settle the object, or something that it may depend on, has changed */
	/* What its health depends on, beside its neighbours: */
	bool uses_beyond;		/* on neighbours of its neighbours */
	bool uses_coverage;		/* on how much of a kind is known */
	bool uses_controller;		/* on the health of its controller */
	bool wants_events;		/* its status does not say why it is not healthy; an Event may */
};

/* The state of a node before the present settle. */
struct node_before {
	uint32_t slot;
	struct graph_node node;
};

/* What an earlier observer has seen of an object. */
struct earlier_observed {
	struct handle object;
	struct observed observed;
};

/* The graph of waits, and what it leads to: roots.c. */
struct roots;
enum { HELD_BEFORE = 256 };
/* How many objects a root cause held up at most, and how severe it was, which counts until then (ms). */
struct held_before {
	struct handle at;	/* its slot, which another object may have later, and whose it is; generation 0: it does not exist */
	uint32_t holds;
	int64_t until;
	enum severity severity;
};
/* What broken objects share: shared.c. */
struct shared_cache;
struct everyone;

/* What graph_affected() returns, and what it needs: affected.c. */
struct affected {
	struct affected_mark {
		uint32_t named, met;	/* the searches in which it was last named, and met on the way from a part to its whole */
		uint64_t waited;	/* a hash of where its waits led when roots_moved() was last called */
	} *marks;			/* by slot */
	uint32_t nmarks, search;
	uint32_t *slots, *above;	/* those that are named, and those that were met */
	size_t n, cap, nabove, above_cap;
};

struct graph {
	struct store *store;
	const struct family *const *families;
	struct graph_node *nodes;	/* by slot */
	uint32_t nnodes;
	bool any_beyond;		/* some node has uses_beyond */
	bool controllers_changed;	/* objects that use their controller have to be assessed again, */
	bool controllers_by_change;     /* because a change was seen */
	bool definition_deleting;	/* a definition that is being deleted was met */
	uint32_t round;			/* counts settles, and assessments that read beyond the neighbours */
	struct map kept;		/* by cluster and key: what assess_kept() returns, in the arena */
	struct arena kept_arena;
	struct map unmet_controllers;	/* namespace and name of controllers that were looked for and not met */
	struct earlier_observed *earlier;	/* what graph_add_observed() told since the last settle */
	size_t nearlier, earlier_cap;
	uint32_t *queue;
	size_t nqueue, queue_cap;
	size_t judged, shown;		/* how many of the queue were judged, and then shown, in this settle */
	uint32_t *changed;
	size_t nchanged, changed_cap;
	uint32_t *came;			/* slots of changed[] whose object came or went, or may be known to be missing now */
	size_t ncame, came_cap;
	struct affected affected;
	int64_t now, next_revisit;
	int64_t settled;		/* the time of the settle before, 0: there was none */
	int64_t began;			/* the time of the first settle */
	bool by_change;                 /* what is queued, is queued because a change was seen */
	struct arena arena;		/* holds one assessment */
	char **cluster_names;		/* by number; NULL: "" */
	size_t nclusters;
	char *context, *kubeconfig;	/* the texts of graph_name_target(); NULL: "" */
	bool context_is_current;	/* also of graph_name_target() */
	struct roots *roots;		/* NULL: they have to be computed again */
	uint32_t roots_made;		/* counts how often they were */
	struct held_before held[HELD_BEFORE];	/* of the first root causes, by slot */
	size_t nheld;
	bool keeps_places;
	struct shared_cache *shared;	/* NULL: it has to be counted again */
	struct everyone *everyone;	/* the objects of kinds of which it was counted */
	const struct labels *labels;	/* NULL: they are not kept */
	const struct usage *usage;	/* NULL: it is not kept, as in a copy of another moment */
	/* of graph_use_owner_keys() and graph_use_runbook_keys(); NULL: none.  They and runbooks are borrowed in a copy of the graph */
	char *owner_keys, *runbook_keys;
	struct given_runbook *runbooks;	/* the newest first */
	size_t near_work;		/* nodes for which roots were computed for single objects since */
	struct arena roots_arena;
	struct journal *journal;	/* what has happened; borrowed in a copy of the graph */
	bool journal_has_texts;		/* somebody reads more of it than evidence */
	int64_t journal_began;		/* ms; an object that was created before is not news */
	struct change_sources sources;
	bool copied;			/* the graph is at another time, so its changes are not seen to happen */
	struct undo_log *undo;	/* NULL: nobody goes back in time */
	struct node_before *before;	/* nodes that this settle has changed, as they were before */
	size_t nbefore, before_cap;
};

/* Makes room for every slot of the store. */
void graph_grow(struct graph *g);
/* Assesses the object of a slot; the result is in the arena. */
struct health assess(struct graph *g, uint32_t slot, struct arena *arena);

/* carried.c: an object that is not Ready, and whose own status does not say why, says what an Event or what it waits for says. */
void carry_reason(struct assessment *d);
/* refused.c: what an object makes is refused, as its words or those of an Event about it say: it waits for the quota, or the limits. */
void wait_for_refusal(struct assessment *d);

/* ---- graph_node.c: what is known of one object ---- */

/* Returns true when a reference with that relation leads from one object to the other. */
bool graph_refers(const struct graph *g, uint32_t from, uint32_t to, enum relation relation);
/* Returns the status of phase 1 with phase 2 over it; arrays only when an arena is given. */
struct status graph_status(const struct graph *g, uint32_t slot, struct arena *arena);
/* NULL: the object does not exist, or is as phase 1 left it. */
const struct health *graph_health(const struct graph *g, struct handle h);
/* Returns wait i of the health of that slot; its texts are borrowed as those of a struct edge. */
struct health_wait graph_wait(const struct graph *g, uint32_t slot, size_t i);

/* Returns true when there is an object; else the slot is only a name. */
bool graph_is_alive(const struct graph *g, uint32_t slot);
/* Returns the existing object that an edge means, or the edge's own target. */
uint32_t graph_resolve(const struct graph *g, uint32_t from, const struct edge *e);
/* Forgets which object has that name, or a name that it refers to; it is looked for again. */
void graph_forget_owners(struct graph *g, uint32_t slot);
enum presence graph_presence(const struct graph *g, uint32_t slot, unsigned flags);
/*
 * Of an object that is missing: returns false when that is only concluded from others of its kind that were seen.  A part of a
 * cluster's objects, a dump for example, may leave out any of them.
 */
bool graph_is_surely_missing(const struct graph *g, uint32_t slot, unsigned flags);
/* Compares nodes of one cluster in the order of items: by namespace, kind, name. */
int graph_compare_names(const struct graph *g, uint32_t x, uint32_t y);
/* Adds a slot to a list in that order; of more than cap slots the last one is dropped. */
void graph_keep_first(const struct graph *g, uint32_t *slots, size_t *n, size_t cap, uint32_t slot);
/* The health of that slot depends on what is two steps away. */
void graph_uses_beyond(struct graph *g, uint32_t slot);
/* Call it before the node of that slot is changed: its present state is noted. */
void graph_note_before(struct graph *g, uint32_t slot);
/* Pseudo kinds: one for a name that another object has as an alias, one for a reference without a kind. */
bool kind_is_alias(const struct kind *kind);

/* Visit who names that object by an alias of it; in any way: by its kind, by an alias, or without a kind. */
void graph_visit_by_alias(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot));
void graph_visit_naming(struct graph *g, uint32_t slot, void (*visit)(struct graph *g, uint32_t slot));

/* The health of a controller: control.c. */
enum controller_health {
	CONTROLLER_FINE,
	CONTROLLER_ABSENT,	/* it is not seen, and may run elsewhere */
	CONTROLLER_LINK,	/* an object that leads to the controller; every change of it counts */
	CONTROLLER_ZERO,	/* it is scaled to zero */
	CONTROLLER_DOWN,	/* no pod of it is ready */
	CONTROLLER_DELETING,
	CONTROLLER_NO_ENDPOINT,	/* the Service of a webhook that has no endpoint */
	CONTROLLER_MISSING,	/* the Service of a webhook that does not exist */
	CONTROLLER_LEASE,	/* its lease is not renewed */
	CONTROLLER_IDLE		/* it runs, but does not touch the object */
};
/* A controller that does not work, and that an object needs. */
struct control_trouble {
	uint32_t slot;
	enum controller_health health;
	struct str via, message;
};
enum { CONTROL_TROUBLES = 8 };
/*
 * Returns the controllers that do not work, at most CONTROL_TROUBLES.  untouched: no controller has written to the
 * object for too long, so a controller that runs but is idle counts, too.
 */
size_t control_troubles(struct graph *g, uint32_t slot, bool untouched, struct control_trouble *out, struct arena *arena);
/*
 * Returns the existing objects of a definition that is being deleted: slots, the first cap by name.  True when there
 * are any.
 */
size_t control_instances(struct graph *g, uint32_t definition, uint32_t *out, size_t cap);
bool control_has_instances(struct graph *g, uint32_t definition);
/* Returns the definition of an object's kind when its deletion waits for the last of these objects; else 0. */
uint32_t control_waiting_definition(const struct graph *g, uint32_t slot);
/* Returns true when objects that use their controllers must be assessed again because this slot has changed. */
bool control_concerned(struct graph *g, uint32_t slot);

/* Returns the finalizers of an object that is being deleted, and what blocks each; waits: what is known already. */
struct deletion graph_deletion(const struct graph *g, uint32_t slot,
			       const struct health_wait *waits, size_t nwaits, struct arena *arena);
/*
 * Returns true when the controller of the object's kind removes the finalizer.  Where the family does not say so, these
 * are all finalizers but those of the garbage collector.
 */
bool graph_is_own_finalizer(const struct object_meta *meta, struct str finalizer);
/* Returns why that object blocks: "still refers to it". */
struct str graph_deletion_words(const struct graph *g, uint32_t slot, uint32_t blocker);
/*
 * Returns what the object itself, or an Event about it, says since its deletion began of what is in its way; "" when nothing speaks.
 * Who writes that is at work.  st is its status of phase 1, with conditions.
 */
struct str graph_deletion_says(const struct graph *g, uint32_t slot, const struct status *st, struct arena *arena);
/* Returns true for a deletion that is overdue, and on which nobody works, or whose worker says what is in its way. */
bool graph_deletion_hangs(const struct graph *g, uint32_t slot, struct arena *arena);

/* Copies the graph over a copy of its store. */
struct graph *graph_copy(const struct graph *g, struct store *store);
/* Replaced records go there from now on; it is borrowed. */
void graph_write_undo(struct graph *g, struct undo_log *h);
/* Do for the graph what store_exchange() and store_exchanged() do for the store. */
struct undo_entry;
void graph_exchange(struct graph *g, struct undo_entry *e);
void graph_exchanged(struct graph *g);
/* h may be NULL. */
struct health *health_copy(const struct health *h);

void roots_forget(struct graph *g);
/* owner.c */
void runbooks_free(struct graph *g);
/* shared.c: forget what depends on verdicts; and on labels, too. */
void shared_forget(struct graph *g);
void shared_free(struct graph *g);
/* assessment.c: forgets what was kept for the settle before. */
void kept_forget(struct graph *g);
/* Returns all root causes in the order of graph_roots(), borrowed until the next settle. */
const struct root_cause *roots_list(struct graph *g, size_t *out_n);
/* Returns the slots of what is not healthy, of what that waits for, and of what would make that; borrowed as those. */
const uint32_t *roots_slots(struct graph *g, size_t *out_n);
/* An object has changed.  When it had no part in any cause and is healthy, the causes stay as they are. */
void roots_touch(struct graph *g, uint32_t slot);
/* Returns the last objects that an object's waits lead to, without itself: the nearest, at most that many. */
size_t roots_of(struct graph *g, uint32_t slot, size_t most, struct arena *arena, const struct id **out);
/*
 * Returns the slots whose own waits lead elsewhere than at the last call, or that are a cause, or in a cycle, and were not
 * (or were, and are not).  g->affected.marks has every node.  The list is valid while the causes are.
 */
const uint32_t *roots_moved(struct graph *g, size_t *out_n);
/* Returns true when that wait is part of a cycle. */
bool roots_in_cycle(struct graph *g, uint32_t from, uint32_t to);
/* Returns a wait of that object in the words of the output; a wait within a cycle says so. */
struct item_wait roots_wait(struct graph *g, uint32_t slot, struct health_wait w);

#endif
