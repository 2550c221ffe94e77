/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes and the objects that wait for them; equal ones are shown as one group. */
#ifndef TUI_VIEW_BLOCKED_H
#define TUI_VIEW_BLOCKED_H

#include "tui/state/observe.h"
#include "tui/state/scene.h"

struct ui;

/* Objects of one kind, namespace and phase that wait for the same thing. */
struct blocked {
	uint64_t key;	/* by the names of what they share: the same in another store */
	struct summary first;
	struct item_wait on; /* the wait of the first object */
	const struct handle *members;
	size_t n;
};

/* Returns the names of the objects in a group: "subnet/a, b, c +3". */
struct str blocked_names(const struct store *store, const struct kinds *kinds,
			 const struct blocked *b, struct arena *a);

/*
 * Root causes that are shown as one: what one owner made (a Deployment, its ReplicaSets and pods, in whatever moment of a
 * crash loop each is), and from five owners on what says the same and shares a thing that can be the reason.  what is the
 * first of them, but its nblocked counts the objects that wait for any of them, each object once.
 */
struct cause_group {
	uint64_t key;		      /* by the names of what they share: the same in another store, and of other members */
	struct root_cause what;
	const uint32_t *slots;	      /* the slots of the members */
	const struct handle *members; /* the members; NULL when there is only one */
	size_t n, namespaces;	      /* the number of members, and of the namespaces that they are in */
	struct id of;		      /* the workload that owns all members; {0}: there is none */
	bool of_says;		      /* the members say nothing: phase, reason and message are those of the workload */
	size_t pods;		      /* how many members are pods of it, and not what makes pods */
	struct str share;	      /* what members of several owners share: "on node/rack-7"; "": they have one owner */
};

/* Returns the objects that wait for the root cause, in groups, the nearest first.  They are in the arena. */
const struct blocked *blocked_groups(struct graph *g, const struct cause_group *c, struct arena *a, size_t *out_n);

/* Returns all root causes in groups, in the order of root_cause_compare().  They are kept with the root causes: graph_roots_kept(). */
const struct cause_group *cause_groups(struct graph *g, size_t *out_n);
/* Returns the groups of which graph_concerned() has marked a member. */
const struct cause_group *cause_groups_concerned(struct graph *g, const uint8_t *concerned, struct arena *a, size_t *out_n);
/* Returns by slot 1 for the members of these root causes, and for what waits for them. */
const uint8_t *cause_groups_marked(struct graph *g, const struct cause_group *causes, size_t n, struct arena *a);
/* Returns the groups that have a selected member, or a member that a selected object waits for. */
const struct cause_group *cause_groups_selected(const struct scene *scene, struct arena *a, size_t *out_n);
/*
 * Where the user has put a root cause: pinned ones come first, with one that a pin is over (pins_over()), and acknowledged ones
 * last.  Within these the order is the usual one.
 */
enum cause_place { CAUSE_PINNED, CAUSE_USUAL, CAUSE_ACKNOWLEDGED, CAUSE_PLACES };
enum cause_place cause_place(const struct ui *ui, const struct store *store, const struct cause_group *c);
/* Returns the slots of the objects that wait for any of n root causes, as graph_blocked() does. */
const uint32_t *cause_groups_blocked(struct graph *g, const struct cause_group *causes, size_t n, struct arena *a,
				     size_t *out_n);
/* Returns true when graph_concerned() has marked a member. */
bool cause_group_concerned(const struct cause_group *c, const uint8_t *concerned);
/* Returns the nearest object that waits for the root cause; its handle is HANDLE_NONE when there is none. */
struct id cause_nearest(struct graph *g, const struct root_cause *r);
/* Returns the owner (graph_owner()) of all members; "": they have several, or none. */
struct str cause_owner(struct graph *g, const struct cause_group *c);
/* Returns the name of a group: "network/net", "pod ×12". */
struct str cause_name(const struct kinds *kinds, const struct cause_group *c, struct arena *a);
/*
 * Returns the name by which the table calls it, too: "network/net", "deployment/cart ×12 pods", of several owners "pod ×12 on
 * node/rack-7"; with the kind's short name "deploy/cart ×12 pods"; without its pods "deployment/cart".
 */
enum title { TITLE_WHOLE = 0, TITLE_SHORT = 1, TITLE_ALONE = 2 };
struct str cause_title(const struct kinds *kinds, const struct cause_group *c, unsigned how, struct arena *a);
/* Returns the key of the line of a root cause, which stays the same as long as the root cause does. */
uint64_t cause_key(const struct cause_group *c);
/*
 * Returns a hash of the state of a root cause.  It changes when the root cause gets worse, has more or fewer members,
 * or has another reason or message.
 */
uint64_t cause_state(const struct cause_group *c);
/* Returns true when h is a member of the group or waits for one. */
bool cause_concerns(struct graph *g, const struct cause_group *c, struct handle h);
/* Returns the first of n groups for which cause_concerns() is true; NULL: there is none. */
const struct cause_group *cause_concerning(struct graph *g, const struct cause_group *causes, size_t n, struct handle h);
/*
 * Returns an object by which the root cause can be shown: the root cause, or when it does not exist an object that
 * waits for it.
 */
struct handle cause_example(struct graph *g, const struct cause_group *c);
/* Returns the namespace of the members, or how many namespaces they are in. */
struct str cause_where(const struct cause_group *c, struct arena *a);
/*
 * Returns the value of a -L label, such as the team to call.  For a root cause that does not exist it is the label of
 * an object that waits for it.
 */
struct str cause_label(const struct scene *scene, const struct root_cause *r, size_t label);
/* Returns what a sentence says of the state of a root cause: "Failed", "does not exist", "does not work". */
struct str cause_state_words(const struct root_cause *r);
/*
 * Returns the reason and the part of the message that says why, as words_with_reason() does; when there is neither,
 * words for the kind of root cause.
 */
struct str cause_words(const struct root_cause *r, struct arena *a);
/* Does the same without what cause_state_words() says already. */
struct str cause_words_beside_state(const struct root_cause *r, struct arena *a);
/* Returns the same with the operator's reason and the whole first line of the message, where lines have any length. */
struct str cause_words_whole(const struct root_cause *r, struct arena *a);
/* Returns how many of the root causes are merely under way. */
size_t cause_groups_under_way(const struct cause_group *causes, size_t n);
/* Returns the kubectl command that shows the root cause; when its kind is not known, an object that waits for it. */
struct str cause_command(struct graph *g, const struct root_cause *r, enum command_reader reader, struct arena *a);
/* Returns the objects that wait for the root cause, counted by kind, the most frequent first: "6 subnet, 1 port". */
struct str cause_blocked_kinds(struct graph *g, const struct kinds *kinds, const struct cause_group *c,
			       struct arena *a);

/* Returns a sentence about those of the objects that are left over (phase_is_leftover()); "" without any. */
struct str blocked_leftovers(struct graph *g, const struct handle *handles, size_t n, struct arena *a);
/*
 * Returns the selected objects that are not Ready, are no root cause and wait for none.  Equal objects of a namespace
 * form a group; the worst comes first.  Objects that observer knows as Ready are skipped.
 */
const struct blocked *blocked_rest(const struct scene *scene, const struct observer *observer,
				   const struct cause_group *causes, size_t ncauses, struct arena *a, size_t *out_n);

/*
 * Returns for a root cause how many objects wait for it: "11: 6 subnets, 2 ports, ..."; "" for other objects, and when
 * nothing waits.
 */
struct str cause_blocks(struct graph *g, const struct kinds *kinds, const struct root_cause *root, struct arena *a);

#endif
