/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in words: names, ages, chains of waits, kubectl commands. */
#ifndef TUI_WORDS_WORDS_H
#define TUI_WORDS_WORDS_H

#include "kube/graph/graph.h"
#include "tui/words/text.h"

/* "network", or "network.openstack.k-orc.cloud" where that is ambiguous. */
struct str words_kind(const struct kinds *kinds, struct str group, struct str kind,
		      struct arena *a);
enum { TIME_CELL = 21 };	/* an absolute time, and the mark of what is overdue */

/* "network/net" */
struct str words_id(const struct kinds *kinds, const struct id *id, struct arena *a);
/* "network/net · edge · prod-eu": with the namespace if ns, and the cluster if it has a name. */
struct str words_place(const struct kinds *kinds, const struct id *id, bool ns, struct arena *a);
/* An age in one unit, rounded down, so that it seldom changes: 45s, 14m, 13h, 8d, 3y.  "" when since is 0.
 */
struct str words_age(int64_t since, int64_t now, struct arena *a);
/* The same, or as --absolute-time has it: RFC 3339. */
struct str words_when(int64_t since, int64_t now, bool absolute, struct arena *a);
/* "1 204" */
struct str words_count(uint64_t n, struct arena *a);
/* "s", or "" when n is 1. */
const char *words_plural(uint64_t n);
/* Up to the first newline. */
struct str words_first_line(struct str s);
/* "✖ Failed", in its style */
struct text words_phase(enum phase phase, struct arena *a);
/* The same of an object that is referred to and not there: "✖ missing" where that is known, else "? not here". */
struct text words_absent(bool missing);
/* True when the item's object waits for that one to be created. */
bool words_waits_missing(const struct item *item, const struct id *on);
/* ten cells and a number: "▓▓▓▓▓░░░░░ 52 %" */
struct str words_bar(double percent, struct arena *a);
/* What is waited for: "secret/db-admin"; "OpenStack web" when it is no object of the cluster. */
struct str words_on(const struct kinds *kinds, const struct item_wait *w, struct arena *a);
/* "secret/db-admin (missing)" */
struct str words_wait(const struct kinds *kinds, const struct item_wait *w, struct arena *a);
/* "port/web-0 is not ready", "secret/x does not exist" */
struct str words_because(struct graph *g, const struct kinds *kinds, const struct item_wait *w,
			 struct arena *a);
/*
 * graph_chain() without the wait of an object for itself at the end (objects that wait for a
 * person or a cloud have one).
 */
size_t words_chain_of(struct graph *g, struct handle h, struct item_wait *out, size_t cap);
enum { CHAIN_HEAD = 8 };
/* A chain of any length; of a long one the first CHAIN_HEAD and the last two waits. */
struct chain_ends {
	const struct item_wait *waits;
	size_t n, left_out; /* waits in waits; waits left out after the first CHAIN_HEAD */
};
struct chain_ends words_chain_ends(struct graph *g, struct handle h, struct arena *a);
/* The operator's reason, else its own word for the phase. */
struct str words_reason(const struct summary *s);
/* "Reason: the first line of the message", or only one of these. */
struct str words_said(const struct summary *s, struct arena *a);
/* For an object with an unknown since: that of what it waits for, ms; 0: not known. */
int64_t words_since_of_cause(struct graph *g, struct handle h, struct arena *a);
/* "port/web-0 → … → network/net"; brief is "→ network/net".  Empty when it waits for nothing. */
struct text words_chain(struct graph *g, const struct kinds *kinds, struct handle h,
			struct arena *a);
/* The top of the chain of owners of h, h itself when it has none. */
struct handle words_top_owner(struct graph *g, struct handle h);
/* True when the kind is not known: there is no kubectl command for it. */
bool words_kind_unknown(const struct id *id);
/*
 * The kubectl command of the next step, which only reads, quoted for a shell:
 * "kubectl describe network.openstack.k-orc.cloud net -n edge".
 */
struct str words_look(const struct graph *g, const struct id *id, enum wait_state cause, struct str reason,
		      struct arena *a);
/* Whether it recovers by itself, or who has to do what: "by itself ...", "a person must ...". */
struct str words_recovery(struct graph *g, const struct kinds *kinds, const struct item *item,
			  struct arena *a);
/* The words for a relation, for the object that refers ("needs") or the one referred to ("needed by"). */
const char *words_relation(enum relation relation, bool refers);
/* "1.0 → 2.0", "revision 3 → 4, 2 of 5 updated"; "" when nothing is known. */
struct str words_version(const struct item *item, struct arena *a);
/* "5, observed 4: the operator has not seen the latest spec"; "" without a generation. */
struct str words_generation(const struct store *store, const struct item *item, struct arena *a);
/* "41m so far; 5 others of its kind took 6m"; "" unless it is being created. */
struct str words_pace(struct graph *g, const struct item *item, int64_t now, struct arena *a);
/* "its phase changed 7 times while it was watched"; "" for fewer than four. */
struct str words_changes(const struct store *store, const struct item *item, struct arena *a);
/* "deployment/x · ns, which runs": its controller, if that was seen; else "". */
struct str words_controllers(struct graph *g, const struct kinds *kinds, const struct item *item,
			     struct arena *a);
/* True when it is under way, waiting or being deleted for longer than the threshold. */
bool words_overdue(const struct summary *s, int64_t now);

/* " (1 of 17)" behind the name of the first of so many equal ones; "" of one alone. */
struct str words_alike(size_t alike, struct arena *a);

#endif
