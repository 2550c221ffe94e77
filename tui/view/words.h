/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in words: names, ages, chains of waits, kubectl commands. */
#ifndef TUI_VIEW_WORDS_H
#define TUI_VIEW_WORDS_H

#include "kube/graph/graph.h"
#include "tui/view/text.h"

/* "network", or "network.openstack.k-orc.cloud" where that is ambiguous. */
struct str words_kind(const struct kinds *kinds, struct str group, struct str kind,
		      struct arena *a);
enum { TIME_CELL = 21 };	/* an absolute time, and the mark of what is overdue */

/* "network/net" */
struct str words_id(const struct kinds *kinds, const struct id *id, struct arena *a);
/* "network/net · edge · prod-eu": which parts of it are shown. */
struct str words_place(const struct kinds *kinds, const struct id *id, bool ns, struct arena *a);
/* One unit, rounded down, so that a screen stays calm: 45s, 14m, 13h, 8d, 3y.  "" when since is 0.
 */
struct str words_age(int64_t since, int64_t now, struct arena *a);
/* The same, or as --absolute-time has it: RFC 3339. */
struct str words_when(int64_t since, int64_t now, bool absolute, struct arena *a);
/* "1 204" */
struct str words_count(uint64_t n, struct arena *a);
/* "3 pods of 2 kinds" needs the s: "" when n is 1. */
const char *words_plural(uint64_t n);
/* Up to the first newline. */
struct str words_first_line(struct str s);
/* ten cells and a number: "▓▓▓▓▓░░░░░ 52 %" */
struct str words_bar(double percent, struct arena *a);
/* What is waited for: "secret/db-admin"; what is no object of the cluster is not written like one: "OpenStack web". */
struct str words_on(const struct kinds *kinds, const struct item_wait *w, struct arena *a);
/* "secret/db-admin (missing)" */
struct str words_wait(const struct kinds *kinds, const struct item_wait *w, struct arena *a);
/* "port/web-0 is not ready", "secret/x does not exist" */
struct str words_because(struct graph *g, const struct kinds *kinds, const struct item_wait *w,
			 struct arena *a);
/*
 * graph_chain(), without a wait for oneself behind the wait that led there
 * (what waits for a person or a cloud ends its chain so).
 */
size_t words_chain_of(struct graph *g, struct handle h, struct item_wait *out, size_t cap);
enum { CHAIN_HEAD = 8 };
/* A chain to its end however deep; of a long one the first CHAIN_HEAD and the last two waits. */
struct chain_ends {
	const struct item_wait *waits;
	size_t n, left_out; /* so many after the first CHAIN_HEAD */
};
struct chain_ends words_chain_ends(struct graph *g, struct handle h, struct arena *a);
/* Why, in one word of the operator: its reason, else its own word for the phase. */
struct str words_reason(const struct summary *s);
/* "Reason: the first line of the message", or the one that there is. */
struct str words_said(const struct summary *s, struct arena *a);
/* ms; for what does not tell it itself: since when what it waits for is as it is.  0: not known. */
int64_t words_since_of_cause(struct graph *g, struct handle h, struct arena *a);
/* "port/web-0 → … → network/net"; brief is "→ network/net".  Empty when it waits for nothing. */
struct text words_chain(struct graph *g, const struct kinds *kinds, struct handle h,
			struct arena *a);
/* The last owner above h, itself when it has none; HANDLE_NONE for HANDLE_NONE. */
struct handle words_top_owner(struct graph *g, struct handle h);
/* The kind of that name is not known: no kubectl command can be given for it. */
bool words_kind_unknown(const struct id *id);
/*
 * The reading kubectl command that looks at it next, quoted for a shell:
 * "kubectl describe network.openstack.k-orc.cloud net -n edge".
 */
struct str words_look(const struct graph *g, const struct id *id, enum wait_state cause, struct str reason,
		      struct arena *a);
/* "by itself ...", "a person must ...": whether it recovers, and who has to do what. */
struct str words_recovery(struct graph *g, const struct kinds *kinds, const struct item *item,
			  struct arena *a);
/* The relation as seen from the one that refers ("needs") or is referred to ("needed by"). */
const char *words_relation(enum relation relation, bool refers);
/* "1.0 → 2.0", "revision 3 → 4, 2 of 5 updated"; "" when nothing is known. */
struct str words_version(const struct item *item, struct arena *a);
/* "5, observed 4: the operator has not seen the latest spec"; "" without a generation. */
struct str words_generation(const struct store *store, const struct item *item, struct arena *a);
/* "41m so far; 5 others of its kind took 6m"; "" unless it is on its way for the first time. */
struct str words_pace(struct graph *g, const struct item *item, int64_t now, struct arena *a);
/* "its phase changed 7 times while it was watched"; "" below four. */
struct str words_changes(const struct store *store, const struct item *item, struct arena *a);
/* "deployment/x · ns, which runs": who reconciles it, as far as he is seen; else "". */
struct str words_controllers(struct graph *g, const struct kinds *kinds, const struct item *item,
			     struct arena *a);
/* Under way, waiting or being deleted for longer than usual. */
bool words_overdue(const struct summary *s, int64_t now);

#endif
