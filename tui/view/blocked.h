/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes and what they hold up, equal siblings together. */
#ifndef TUI_VIEW_BLOCKED_H
#define TUI_VIEW_BLOCKED_H

#include "tui/state/observe.h"
#include "tui/state/scene.h"

/* Objects of one kind, namespace and phase that wait for the same thing. */
struct blocked {
	struct summary first;
	struct item_wait on; /* the wait of the first one */
	const struct handle *members;
	size_t n;
};

/* "subnet/a, b, c +3" */
struct str blocked_names(const struct store *store, const struct kinds *kinds,
			 const struct blocked *b, struct arena *a);

/*
 * Equal root causes, shown as one: objects of one kind in the same state with the same
 * reason and message ("pod ×12").  what is the first of them; its nblocked counts what all
 * of them hold up, each object once.
 */
struct cause_group {
	struct root_cause what;
	const uint32_t *slots;	      /* of its members */
	const struct handle *members; /* NULL for a single one */
	size_t n, namespaces;	      /* members; namespaces that they are in */
	struct id of;		      /* the workload that owns all of them; {0}: none */
};

/* What it holds up, in groups: the nearest first.  In the arena. */
const struct blocked *blocked_groups(struct graph *g, const struct cause_group *c, struct arena *a, size_t *out_n);

/* In the order of graph_roots(). */
const struct cause_group *cause_groups(struct graph *g, const struct store *store, struct arena *a,
				       size_t *out_n);
/* Those with a member that is selected, or that holds up a selected object. */
const struct cause_group *cause_groups_selected(const struct scene *scene, struct arena *a, size_t *out_n);
/* The slots that all of them hold up together, as graph_blocked() returns them. */
const uint32_t *cause_groups_blocked(struct graph *g, const struct cause_group *causes, size_t n, struct arena *a,
				     size_t *out_n);
/* True when a member is marked by graph_concerned(). */
bool cause_group_concerned(const struct cause_group *c, const uint8_t *concerned);
/* The nearest object that it holds up; its handle is HANDLE_NONE when there is none. */
struct id cause_nearest(struct graph *g, const struct root_cause *r);
/* "network/net", "pod ×12" */
struct str cause_name(const struct kinds *kinds, const struct cause_group *c, struct arena *a);
/* "pod ×12 of deployment/cart": the same with the workload that owns all of them. */
struct str cause_title(const struct kinds *kinds, const struct cause_group *c, bool brief, struct arena *a);
/* The key of its line: constant while it is the same cause. */
uint64_t cause_key(const struct cause_group *c);
/* A hash of its state: changes when it gets worse, concerns more or fewer, or has another reason or message. */
uint64_t cause_state(const struct cause_group *c);
/* True when h is one of the members, or waits for one. */
bool cause_concerns(struct graph *g, const struct cause_group *c, struct handle h);
/* The first of n groups for which cause_concerns() is true; NULL: none. */
const struct cause_group *cause_concerning(struct graph *g, const struct cause_group *causes, size_t n, struct handle h);
/* An object to show it by: the cause itself, or one that waits for it when it does not exist. */
struct handle cause_example(struct graph *g, const struct cause_group *c);
/* Its namespace, or the number of namespaces. */
struct str cause_where(const struct cause_group *c, struct arena *a);
/* The value of a -L label, such as the team to call; for an object that does not exist, that of an object that waits for it. */
struct str cause_label(const struct scene *scene, const struct root_cause *r, size_t label);
/* The reason and the first line of the message; without them the words for the cause. */
struct str cause_words(const struct root_cause *r, struct arena *a);
/* The kubectl command to look at it, or at what waits for it when its kind is not known. */
struct str cause_look(struct graph *g, const struct root_cause *r, struct arena *a);
/* What it holds up, counted by kind, most first: "6 subnet, 1 port". */
struct str cause_blocked_kinds(struct graph *g, const struct kinds *kinds, const struct cause_group *c,
			       struct arena *a);

/*
 * The selected objects that are not Ready, are no root cause and wait for none: equal ones of
 * a namespace together, worst first.  Objects that seen knows as Ready are skipped.
 */
const struct blocked *blocked_rest(const struct scene *scene, const struct observer *seen,
				   const struct cause_group *causes, size_t ncauses, struct arena *a, size_t *out_n);

/* For an object that is a root cause: "11: 6 subnet, 2 port, ..."; "" when it holds nothing up. */
struct str cause_blocks(struct graph *g, const struct kinds *kinds, struct handle h, struct arena *a);

#endif
