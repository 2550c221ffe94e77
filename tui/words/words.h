/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in words: names, ages, chains of waits, kubectl commands. */
#ifndef TUI_WORDS_WORDS_H
#define TUI_WORDS_WORDS_H

#include "kube/graph/graph.h"
#include "tui/words/text.h"

/* Returns the name of a kind: "network", or "network.openstack.k-orc.cloud" where "network" is ambiguous. */
struct str words_kind(const struct kinds *kinds, struct str group, struct str kind,
		      struct arena *a);
enum { TIME_CELL = 21 };	/* the columns of an absolute time with the mark of what is overdue */

/* Returns an object as "network/net". */
struct str words_id(const struct kinds *kinds, const struct id *id, struct arena *a);
/* Returns "network/net · edge · prod-eu": an object, its namespace if ns, and its cluster if that has a name. */
struct str words_place(const struct kinds *kinds, const struct id *id, bool ns, struct arena *a);
/*
 * Returns an age in one unit: 45s, 14m, 13h, 8d, 3y.  It is rounded down, so that it seldom changes.  since and now are
 * ms; "" when since is 0.
 */
struct str words_age(int64_t since, int64_t now, struct arena *a);
/* Returns the day, the time of day, and that time with its day where that is not the one of near: "2026-11-20", "09:00:00". */
struct str words_day(int64_t time, struct arena *a);
struct str words_clock(int64_t time, struct arena *a);
struct str words_moment(int64_t time, int64_t near, struct arena *a);
/* Returns the age, or with absolute (--absolute-time) the time as RFC 3339. */
struct str words_when(int64_t since, int64_t now, bool absolute, struct arena *a);
/* Returns a number with its thousands apart: "1 204". */
struct str words_count(uint64_t n, struct arena *a);
/* Returns bytes as "512Mi", "9.1Gi": in the largest of Mi, Gi and Ti of which there is one. */
struct str words_size(double bytes, struct arena *a);
/* Returns "3 root causes". */
struct str words_causes(size_t n, struct arena *a);
/*
 * Returns "3 root causes block 12", or "1 root cause, nothing else waits for it" when they block nothing; "3 wait for 1
 * that is under way" when all of them, under_way, are merely under way, so that nothing is wrong.
 */
struct str words_causes_block(size_t n, size_t under_way, size_t blocked, struct arena *a);
/* Returns "s", or "" when n is 1. */
const char *words_plural(uint64_t n);
/* Returns s up to the first newline, without blanks at the ends. */
struct str words_first_line(struct str s);
/* Returns a phase in its style, with its glyph: "✖ Failed". */
struct text words_phase(enum phase phase, struct arena *a);
/*
 * Returns what stands in place of the phase of an object that is referred to but not in the store: "✖ missing" when it
 * is known not to exist, else "? not looked up".
 */
struct text words_absent(bool missing);
/* Returns true when the object of item waits for the object on because that does not exist. */
bool words_waits_missing(const struct item *item, const struct id *on);
/* Returns a bar of ten cells and a number: "▓▓▓▓▓░░░░░ 52 %". */
struct str words_bar(double percent, struct arena *a);
/* Returns what is waited for: "secret/db-admin", or "OpenStack web" when it is no object of the cluster. */
struct str words_on(const struct kinds *kinds, const struct item_wait *w, struct arena *a);
/* Returns what is waited for with its state: "secret/db-admin (missing)". */
struct str words_wait(const struct kinds *kinds, const struct item_wait *w, struct arena *a);
/* Returns true when another object prevents the deletion, and not a finalizer that nobody removes. */
bool words_refers(const struct item_wait *w);
/* Returns true for a finalizer whose controller says why it keeps it. */
bool words_kept(const struct item_wait *w);
/* Returns true when the object that is waited for is Ready, so that something else about it prevents progress. */
bool words_in_the_way(struct graph *g, const struct item_wait *w);
/* Returns a wait as a reason: "port/web-0 is not ready", "secret/x does not exist". */
struct str words_because(struct graph *g, const struct kinds *kinds, const struct item_wait *w,
			 struct arena *a);
/*
 * Does what graph_chain() does, but joins the wait of an object for itself at the end of the chain with the wait before
 * it.  Objects that wait for a person or a cloud have such a wait.
 */
size_t words_chain_of(struct graph *g, struct handle h, struct item_wait *out, size_t cap);
enum { CHAIN_HEAD = 8 };
/* A chain of any length.  Of a long one it has the first CHAIN_HEAD waits and the last two. */
struct chain_ends {
	const struct item_wait *waits;
	size_t n, left_out; /* the number of waits; the number of waits that were left out after the first CHAIN_HEAD */
};
struct chain_ends words_chain_ends(struct graph *g, struct handle h, struct arena *a);
/*
 * Finds the part of an object itself at which its chain of waits ends or leaves it, such as the Pod of a Deployment: it
 * tells why the object failed.  Returns false when the object waits for none of its parts.
 */
bool words_telling_part(struct graph *g, struct handle h, struct arena *a, struct summary *out);
/* Returns the operator's reason, else the operator's own word for the phase. */
struct str words_reason(const struct summary *s);
/*
 * Returns what a row shows of a message: from warnings on its innermost part, which says why, else its first line
 * (innermost.h), without the name of the Pod with which the kubelet ends a message.
 */
struct str words_message(enum severity severity, struct str message, struct arena *a);
/*
 * Returns "Reason: message", or only one of the two.  A message that contains the reason, or begins with a code of its
 * own ("OverQuota: Quota exceeded"), stands without it.
 */
struct str words_with_reason(struct str reason, struct str message, struct arena *a);
/* Returns how far the pods of a workload are replaced: "57 of 200 updated"; "" when they are not. */
struct str words_rollout(const struct summary *s, struct arena *a);
/* Returns the reason and what a row shows of the message, as words_with_reason() does. */
struct str words_said(const struct summary *s, struct arena *a);
/*
 * Returns, for an object whose own since is not known, the since of the first object in its chain that has one, in ms;
 * 0: none has.
 */
int64_t words_since_of_cause(struct graph *g, struct handle h, struct arena *a);
/*
 * Returns what an object waits for: "port/web-0 → … → network/net", with "→ network/net" as brief.  The text is empty
 * when it waits for nothing.
 */
struct text words_chain(struct graph *g, const struct kinds *kinds, struct handle h,
			struct arena *a);
/* Returns the top of the chain of owners of h; h itself when it has no owner. */
struct handle words_top_owner(struct graph *g, struct handle h);
/* Returns true when the kind of the object is not known, so that there is no kubectl command for it. */
bool words_kind_unknown(const struct id *id);
/*
 * Returns the kubectl command of the next step, quoted for a shell: "kubectl describe network.openstack.k-orc.cloud net
 * -n edge".  The command only reads.
 */
struct str words_command(const struct graph *g, const struct id *id, enum wait_state cause, struct str reason,
			 enum command_reader reader, struct arena *a);
/*
 * Returns the words for a relation, seen from the object that refers to the other ("needs") or from the other ("needed
 * by").
 */
const char *words_relation(enum relation relation, bool refers);
/* Returns the versions of an object: "1.0 → 2.0", "revision 3 → 4, 2 of 5 updated"; "" when nothing is known. */
struct str words_version(const struct item *item, struct arena *a);
/* Returns "condition Ready=False NoQuota (trouble of the whole)". */
struct str words_rule(const struct item *item, struct arena *a);
/* Returns what agrees with the verdict, or what it overrules, in one line; "": nothing. */
struct str words_facts(const struct item *item, enum because_role role, struct arena *a);
/*
 * Returns the generation of an object: "5, observed 4: the operator has not seen the latest spec"; "" when it has none.
 */
struct str words_generation(const struct store *store, const struct item *item, struct arena *a);
/* Returns the controllers of an object that the store has: "deployment/x · ns, which runs"; "" when it has none. */
struct str words_controllers(struct graph *g, const struct kinds *kinds, const struct item *item,
			     struct arena *a);
/* Returns true when the object has been under way, waiting or being deleted for longer than the threshold. */
bool words_overdue(const struct summary *s, int64_t now);

/*
 * Return the kind, and the name with it, as kubectl has it for short, for narrow screens: "pvc", "pvc/data".  A kind without a
 * short name that needs its group has the first word of it: "subnet.openstack".
 */
struct str words_kind_short(const struct kinds *kinds, struct str group, struct str kind, struct arena *a);
struct str words_id_short(const struct kinds *kinds, const struct id *id, struct arena *a);
/* Returns true for a kind that makes pods, or what makes pods: a Deployment, a ReplicaSet, a Job ... */
bool words_makes_pods(const struct id *id);
/* Returns the name of the node that an object is on; "": it is on none. */
struct str words_node(const struct store *store, uint32_t slot);
/*
 * Returns the slot of the workload that a Pod, or what makes pods, belongs to or is: the highest owner that makes pods, else
 * the controller of the Pod, whatever it is; also when only its name is known.  0: there is none.
 */
uint32_t words_workload(struct graph *g, uint32_t slot);
/* Returns "2 pods", "1 subnet.openstack.k-orc.cloud". */
struct str words_number(const struct kinds *kinds, size_t n, const struct kind *kind, struct arena *a);
/* Returns "×2 pods". */
struct str words_times(const struct kinds *kinds, size_t n, const struct kind *kind, struct arena *a);
/*
 * Returns " ×2 pods", to stand behind the name of what owns n objects that failed; of is one of them, or HANDLE_NONE
 * when they are of several kinds.  "" for none and for one.
 */
struct str words_parts(struct graph *g, struct handle of, size_t n, struct arena *a);
/* Returns " (1 of 17)", to stand behind the name of the first of alike equal objects; "" for one object. */
struct str words_alike(size_t alike, struct arena *a);

#endif
