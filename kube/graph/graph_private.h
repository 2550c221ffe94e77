/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of kube/graph share. */
#ifndef KUBE_GRAPH_GRAPH_PRIVATE_H
#define KUBE_GRAPH_GRAPH_PRIVATE_H

#include "kube/status/family.h"
#include "kube/graph/entries.h"
#include "kube/graph/graph.h"

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
	uint16_t nwaits, ntexts, nflags;
};

/* What the graph keeps of a node, at the slot of the node. */
struct graph_node {
	struct health *health;		/* NULL: the object is as phase 1 left it */
	uint32_t owner;			/* of an alias: 1 + whose it is, or itself; 0: to be looked for */
	uint32_t wait_number;		/* in the graph of waits (roots.c), 0: it is not there */
	uint32_t beyond_round;		/* the round in which those around it were looked at */
	uint16_t visits;		/* of this settle */
	uint8_t seen_as;		/* enum controller_health + 1, as those saw it who looked for their controller */
	bool queued;
	uint16_t generation;		/* of its spec, its low bits; as was shown */
	bool noted;			/* in this settle: how it was before is in g->before */
	bool went;			/* it had an object that went */
	uint32_t reason;		/* hash of the one that the journal has; with severity and percent: only where it has texts */
	/* What was shown of it at the end of the last settle: */
	int64_t since;
	uint32_t shown_gen;		/* 1 + the generation of its handle; 0: nothing was shown */
	uint16_t edits;			/* store_edits() then */
	uint8_t phase;
	uint8_t severity;
	int8_t percent;			/* as the journal has it, -1: not known */
	bool since_seen;		/* since is when the phase was seen to begin, no time of the operator's */
	bool was_ready;
	bool by_change; /* in this settle: it changed, or something it may depend on did */
	/* What its health depends on beside its neighbours: */
	bool uses_beyond;		/* neighbours of its neighbours */
	bool uses_coverage;		/* how much of a kind is known */
	bool uses_controller;		/* how its controller is */
	bool wants_events;		/* its status does not say why it is not well; an Event may */
};

/* How a node was before the settle that is under way. */
struct node_before {
	uint32_t slot;
	struct graph_node node;
};

/* Who waits for whom, and what that leads to: roots.c. */
struct roots;

struct graph {
	struct store *store;
	const struct family *const *families;
	struct graph_node *nodes;	/* by slot */
	uint32_t nnodes;
	bool any_beyond;		/* some node uses_beyond */
	bool controllers_changed;	/* those that use their controller are to be assessed again, */
	bool controllers_by_change;     /* because of a change that was seen */
	bool definition_deleting;	/* one that is being deleted was met */
	uint32_t round;			/* counts settles, and assessments that looked beyond */
	struct map unmet_controllers;	/* namespace and name of controllers that somebody looked for */
	uint32_t *queue;
	size_t nqueue, queue_cap;
	uint32_t *changed;
	size_t nchanged, changed_cap;
	int64_t now, next_revisit;
	int64_t settled;		/* now of the settle before, 0: there was none */
	int64_t began;			/* now of the first one */
	bool by_change;                 /* what is queued is so because of a change that was seen */
	struct arena arena;		/* of one assessment */
	char **cluster_names;		/* by number; NULL: "" */
	size_t nclusters;
	char *context, *kubeconfig;	/* of graph_name_target(); NULL: "" */
	struct map paces;		/* by kind and cluster: struct pace */
	struct roots *roots;		/* NULL: to be computed again */
	size_t near_work;		/* nodes of the roots that were computed for single objects since */
	struct arena roots_arena;
	struct journal *journal;	/* what happened; borrowed where copied */
	bool journal_has_texts;		/* somebody reads more of it than what is evidence */
	int64_t journal_began;		/* an object that was created before is not news, ms */
	bool copied;			/* it is at another time: what changes is not seen to change */
	struct undo_log *undo;	/* NULL: nobody goes back */
	struct node_before *before;	/* nodes that this settle looked at */
	size_t nbefore, before_cap;
};

/* Room for every slot of the store. */
void graph_grow(struct graph *g);
/* Computes into the arena. */
struct health assess(struct graph *g, uint32_t slot, struct arena *arena);

/* ---- node.c: what is known of one object ---- */

/* Phase 1 with phase 2 over it; arrays only when an arena is given. */
struct status graph_status(const struct graph *g, uint32_t slot, struct arena *arena);
/* NULL: gone, or as phase 1 left it. */
const struct health *graph_health(const struct graph *g, struct handle h);
/* Wait i of the health of that slot, with its texts: borrowed as those of a struct edge are. */
struct health_wait graph_wait(const struct graph *g, uint32_t slot, size_t i);

/* There is an object; else the slot is only a name. */
bool graph_is_alive(const struct graph *g, uint32_t slot);
/* The living object that an edge means, or the edge's own target. */
uint32_t graph_resolve(const struct graph *g, uint32_t from, const struct edge *e);
/* Who has that name, or a name that it refers to, is to be looked for again. */
void graph_forget_owners(struct graph *g, uint32_t slot);
enum presence graph_presence(const struct graph *g, uint32_t slot, unsigned flags);
/* Of nodes of one cluster, in the order of items: by namespace, kind, name. */
int graph_compare_names(const struct graph *g, uint32_t x, uint32_t y);
/* Adds a slot to those that are in that order; of more than cap the last one goes. */
void graph_keep_first(const struct graph *g, uint32_t *slots, size_t *n, size_t cap, uint32_t slot);
/* That slot's health depends on what is two steps away. */
void graph_uses_beyond(struct graph *g, uint32_t slot);
/* That slot's node is about to change. */
void graph_note_before(struct graph *g, uint32_t slot);
/* Pseudo kinds: a name that another object has as an alias, a reference that leaves its kind out. */
bool kind_is_alias(const struct kind *kind);

/* How a controller is: control.c. */
enum controller_health {
	CONTROLLER_FINE,
	CONTROLLER_ABSENT,	/* not seen: it may run elsewhere */
	CONTROLLER_LINK,	/* leads to the controller; any change of it counts */
	CONTROLLER_ZERO,	/* scaled to zero */
	CONTROLLER_DOWN,	/* no pod of it is ready */
	CONTROLLER_DELETING,
	CONTROLLER_NO_ENDPOINT,	/* a webhook's Service that leads nowhere */
	CONTROLLER_MISSING,	/* a webhook's Service that does not exist */
	CONTROLLER_LEASE,	/* its lease is not renewed */
	CONTROLLER_IDLE		/* it runs, but does not touch the object */
};
/* A controller that does not work, for an object that needs it. */
struct control_trouble {
	uint32_t slot;
	enum controller_health health;
	struct str via, message;
};
enum { CONTROL_TROUBLES = 8 };
/*
 * The controllers that are not fine; at most CONTROL_TROUBLES.  untouched: no controller has written
 * to the object for too long, so one that runs but is idle counts as well.
 */
size_t control_troubles(struct graph *g, uint32_t slot, bool untouched, struct control_trouble *out, struct arena *arena);
/* The living objects of a definition that is being deleted: slots, the first cap by name; is there any? */
size_t control_instances(struct graph *g, uint32_t definition, uint32_t *out, size_t cap);
bool control_has_instances(struct graph *g, uint32_t definition);
/* The definition of an object's kind, when somebody is waiting for the last of its objects to go; else 0. */
uint32_t control_waiting_definition(const struct graph *g, uint32_t slot);
/* Must those who use their controllers be assessed again, now that this slot changed? */
bool control_concerned(struct graph *g, uint32_t slot);

/* The finalizers of a deleting object, and who stands in the way; waits: what is known already. */
struct deletion graph_deletion(const struct graph *g, uint32_t slot,
			       const struct health_wait *waits, size_t nwaits, struct arena *arena);
/*
 * Is the finalizer removed by the controller of the object's kind?  Where the family does not
 * say: all but those of the garbage collector.
 */
bool graph_is_own_finalizer(const struct object_meta *meta, struct str finalizer);
/* Why that one stands in the way: "still refers to it". */
struct str graph_deletion_words(const struct graph *g, uint32_t slot, uint32_t blocker);

/* A copy of the graph over a copy of its store. */
struct graph *graph_copy(const struct graph *g, struct store *store);
/* What is replaced goes there from now on; borrowed. */
void graph_write_undo(struct graph *g, struct undo_log *h);
/* As store_exchange() and store_exchanged(). */
struct undo_entry;
void graph_exchange(struct graph *g, struct undo_entry *e);
void graph_exchanged(struct graph *g);
/* NULL is allowed. */
struct health *health_copy(const struct health *h);

void roots_forget(struct graph *g);
void pace_forget(struct graph *g);
/* That object changed.  Where it had no part in any cause and is fine, they stay. */
void roots_touch(struct graph *g, uint32_t slot);
/* The leaves that an object's waits lead to, itself left out: the nearest, at most so many. */
size_t roots_of(struct graph *g, uint32_t slot, size_t most, struct arena *arena, const struct id **out);
/* Is that wait part of a cycle? */
bool roots_in_cycle(struct graph *g, uint32_t from, uint32_t to);
/* A wait of that object in the words of the contract; one within a cycle says so. */
struct item_wait roots_wait(struct graph *g, uint32_t slot, struct health_wait w);

#endif
