/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes and what they hold up, equal siblings together. */
#ifndef TUI_VIEW_BLOCKED_H
#define TUI_VIEW_BLOCKED_H

#include "tui/view/observe.h"
#include "tui/view/scene.h"

/* Objects of one kind, namespace and phase that wait for the same thing. */
struct blocked {
	struct summary first;
	struct item_wait on; /* of the first one */
	const struct handle *members;
	size_t n;
};

/* "subnet/a, b, c +3" */
struct str blocked_names(const struct store *store, const struct kinds *kinds,
			 const struct blocked *b, struct arena *a);

/*
 * Causes that are one fact: objects of one kind in the same state for the same reason
 * and with the same text ("pod ×12").  what is the first one, its nblocked what all of
 * them hold up, each once.
 */
struct cause_group {
	struct root_cause what;
	const uint32_t *slots;	      /* of its members */
	const struct handle *members; /* when there are several */
	size_t n, namespaces;	      /* in so many namespaces */
	struct id of;		      /* the workload that all of them are parts of; {0}: none */
};

/* What it holds up, in groups: the nearest first.  In the arena. */
const struct blocked *blocked_groups(struct graph *g, const struct cause_group *c, struct arena *a, size_t *out_n);

/* In the order of graph_roots(). */
const struct cause_group *cause_groups(struct graph *g, const struct store *store, struct arena *a,
				       size_t *out_n);
/* Those with a member that is selected, or holds up something that is. */
const struct cause_group *cause_groups_selected(const struct scene *scene, struct arena *a, size_t *out_n);
/* What all of them hold up together, as graph_blocked() has it. */
const uint32_t *cause_groups_blocked(struct graph *g, const struct cause_group *causes, size_t n, struct arena *a,
				     size_t *out_n);
/* Has a member that graph_concerned() marked. */
bool cause_group_concerned(const struct cause_group *c, const uint8_t *concerned);
/* Who is nearest of those that it holds up; handle HANDLE_NONE when there is none. */
struct id cause_nearest(struct graph *g, const struct root_cause *r);
/* "network/net", "pod ×12" */
struct str cause_name(const struct kinds *kinds, const struct cause_group *c, struct arena *a);
/* "pod ×12 of deployment/cart": the same, after the workload that all of them are parts of. */
struct str cause_title(const struct kinds *kinds, const struct cause_group *c, bool brief, struct arena *a);
/* Of its line: the same as long as it is the same cause. */
uint64_t cause_key(const struct cause_group *c);
/* What it is like now: another one when it gets worse, or another reason. */
uint64_t cause_state(const struct cause_group *c);
/* It is the cause, one of them, or waits for it. */
bool cause_concerns(struct graph *g, const struct cause_group *c, struct handle h);
/* The first of n that concerns it; NULL: none. */
const struct cause_group *cause_concerning(struct graph *g, const struct cause_group *causes, size_t n, struct handle h);
/* An object that shows it: the cause, or who waits for what does not exist. */
struct handle cause_example(struct graph *g, const struct cause_group *c);
/* Where: a namespace, or how many. */
struct str cause_where(const struct cause_group *c, struct arena *a);
/* What is wrong: the reason and the message's first line, or what the cause is. */
struct str cause_words(const struct root_cause *r, struct arena *a);
/* The command that looks at it, or at what waits for it when its kind is not known. */
struct str cause_look(struct graph *g, const struct root_cause *r, struct arena *a);
/* How many of each kind it holds up: "6 subnet, 1 port", the nearest first. */
struct str cause_blocked_kinds(struct graph *g, const struct kinds *kinds, const struct cause_group *c,
			       struct arena *a);

/*
 * What is selected, not Ready, no root cause, and waits for none of them: equal ones of
 * a namespace together, worst first.  Of what seen (NULL: nothing) found Ready nothing is asked.
 */
const struct blocked *blocked_rest(const struct scene *scene, const struct observer *seen,
				   const struct cause_group *causes, size_t ncauses, struct arena *a, size_t *out_n);

/* Of an object that is a root cause: "11: 6 subnet, 2 port, ..."; "" when it holds nothing up. */
struct str cause_blocks(struct graph *g, const struct kinds *kinds, struct handle h, struct arena *a);

#endif
