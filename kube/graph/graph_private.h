/* SPDX-License-Identifier: Apache-2.0 */
/* What graph.c, assess.c, roots.c and item.c share. */
#ifndef KUBE_GRAPH_GRAPH_PRIVATE_H
#define KUBE_GRAPH_GRAPH_PRIVATE_H

#include "kube/status/family.h"
#include "kube/graph/graph.h"
#include "kube/status/verdict.h"

/* A wait of an object; target 0: not an object of the cluster. */
struct health_wait {
	uint32_t target;
	enum wait_state state;
	struct str via, message;
	struct str kind, name;	/* only without a target */
	bool blocks;		/* it is what makes the object Waiting */
};

/* What phase 2 made of one object. */
struct health {
	enum phase phase;
	enum severity severity;
	struct str operator_phase, reason, message, rule, version_from, version_to;
	int64_t since, revisit;
	const struct health_wait *waits;
	const struct str *flags;	/* more than the object's own */
	uint16_t nwaits, nflags;
};

/* What the verdict of an object depends on beside its neighbours. */
enum asks {
	ASKS_COVERAGE = 1, /* how much of a kind is known */
	ASKS_WHY = 2	   /* its status says nothing: only an Event could */
};

/* Arrays by slot in compressed form: who waits for whom, and what that leads to. */
struct roots;

struct graph {
	struct store *store;
	const struct family *const *families;
	struct health **by_slot;	/* NULL: as phase 1 left it */
	uint32_t *owners;		/* of an alias: 1 + whose it is, or itself; 0: to be looked for */
	uint32_t nslots;
	uint8_t *queued;
	uint8_t *far;			/* its family looked at neighbours of its neighbours */
	bool any_far;
	uint32_t *far_seen;		/* the round in which those around a slot were looked at */
	uint32_t round;			/* counts settles, and judgements of far ones */
	uint8_t *asks;			/* bits of enum asks */
	uint8_t *served;		/* its verdict depends on how its controller is */
	uint8_t *serves;		/* an enum standing + 1, as somebody saw it who asked for his controller */
	bool serving_changed;
	bool definitions_go;		/* one that is being deleted was met */
	struct map awaited;		/* namespace and name of controllers nobody has met */
	uint32_t *queue;
	size_t nqueue, queue_cap;
	uint32_t *changed;
	size_t nchanged, changed_cap;
	uint16_t *visits;
	int64_t now, next_revisit;
	struct arena arena;		/* of one assessment */
	struct map cluster_names;
	struct map paces;		/* by kind and cluster: struct pace */
	struct roots *roots;		/* NULL: to be computed again */
	struct arena roots_arena;
};

/* Phase 1 with phase 2 over it; arrays only when an arena is given. */
struct status graph_status(const struct graph *g, uint32_t slot, struct arena *arena);
/* Computes into the arena. */
struct health assess(struct graph *g, uint32_t slot, struct arena *arena);

/* Would anyone see a difference? */
bool health_same(const struct health *a, const struct health *b);
/* A copy of its own, in one allocation: xfree(). */
struct health *health_keep(const struct health *d);

/* The living object that an edge means, or the edge's own target. */
uint32_t graph_resolve(const struct graph *g, uint32_t from, const struct edge *e);
enum presence graph_presence(const struct graph *g, uint32_t slot, unsigned flags);
/* That slot's verdict depends on coverage. */
void graph_note_asks(struct graph *g, uint32_t slot);
/* That slot's verdict depends on what is two steps away. */
void graph_note_far(struct graph *g, uint32_t slot);
/* Pseudo kinds: a name that another object has as an alias, a kind nobody told. */
bool kind_is_alias(const struct kind *kind);
bool kind_is_untold(const struct kind *kind);
/* How a controller is: control.c. */
enum standing {
	STANDING_FINE,
	STANDING_ABSENT,	/* not seen: it may run elsewhere */
	STANDING_LINK,		/* leads to the controller; any change of it counts */
	STANDING_ZERO,		/* scaled to zero */
	STANDING_DOWN,		/* no pod of it is ready */
	STANDING_GOING,		/* being deleted */
	STANDING_UNSERVED,	/* a webhook's Service that leads nowhere */
	STANDING_MISSING,	/* a webhook's Service that does not exist */
	STANDING_SILENT,	/* its lease is not renewed */
	STANDING_IDLE		/* it runs, but does not touch the object */
};
/* What stands in an object's way because of its controller. */
struct control {
	uint32_t slot;
	enum standing standing;
	struct str via, message;
};
enum { CONTROLS = 8 };
/*
 * Those that are not fine; at most CONTROLS.  untouched: nobody has looked at
 * the object for too long, so that a controller that runs is no excuse.
 */
size_t control_troubles(struct graph *g, uint32_t slot, bool untouched, struct control *out, struct arena *arena);
/* The living objects of a definition that is being deleted: slots, at most cap. */
size_t control_instances(struct graph *g, uint32_t definition, uint32_t *out, size_t cap);
/* The definition of an object's kind, when somebody is waiting for the last of its objects to go; else 0. */
uint32_t control_waiting_definition(const struct graph *g, uint32_t slot);
/* Must those who ask for their controllers look again, now that this slot is another? */
bool control_concerned(struct graph *g, uint32_t slot);

/* The finalizers of a deleting object, and who stands in the way; waits: what is known already. */
struct deletion graph_deletion(const struct graph *g, uint32_t slot,
			       const struct health_wait *waits, size_t nwaits, struct arena *arena);
/* The garbage collector's: no controller of the object's kind has to do with it. */
bool graph_is_collectors(struct str finalizer);
/* Is it up to the controller of the object's kind?  Who cannot tell takes all but the collector's. */
bool graph_is_own_finalizer(const struct object_meta *meta, struct str finalizer);
/* Why that one stands in the way: "still refers to it". */
struct str graph_deletion_words(const struct graph *g, uint32_t slot, uint32_t blocker);
struct id graph_id(const struct graph *g, uint32_t slot);

void roots_forget(struct graph *g);
void pace_forget(struct graph *g);
/* That object is another now.  Where it had no part in any cause and is fine, they stay. */
void roots_touch(struct graph *g, uint32_t slot);
const struct roots *roots_get(struct graph *g);
/* The leaves that an object's waits lead to, itself left out. */
size_t roots_of(struct graph *g, uint32_t slot, struct arena *arena, const struct id **out);
/* Is that wait part of a cycle? */
bool roots_in_cycle(struct graph *g, uint32_t from, uint32_t to);

#endif
