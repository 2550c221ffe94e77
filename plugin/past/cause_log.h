/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which root causes there were, from when to when, and what they blocked.  The graph only knows the root causes of now:
 * whoever tells of an incident notes them after each settle.
 *
 * A logged cause is what Problems shows as one row: equal root causes that stand in one row at any time count as one, and
 * an object that leaves that row with a failure of its own becomes another.  What merely is under way, while others wait
 * for it, is none.
 */
#ifndef PLUGIN_PAST_CAUSE_LOG_H
#define PLUGIN_PAST_CAUSE_LOG_H

#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/view/cause_facts.h"

struct cause_log;

/* From when to when there was a root cause, ms.  to is 0 while there is. */
struct cause_span {
	int64_t from, to;
	bool began_before;	/* it was there when the first look was taken, at from, and nothing tells since when */
	bool lost;		/* it may go on: at to its objects were not watched any more */
};

/* An object by its name, which stays known when the object is gone; the texts live as long as the log. */
struct logged_object {
	struct object_id id;
	struct str cluster;	/* the name of the cluster in the output; "" while only one is used */
};

/* Returns the key of an object in a map, in the arena; kind is the id of its kind. */
struct str logged_name(uint16_t cluster, uint32_t kind, struct str ns, struct str name, struct arena *a);

struct logged_objects {
	const struct logged_object *all;
	size_t n;
};

/* A root cause as it was when it was worst and blocked most.  Its texts live as long as the log. */
struct logged_cause {
	struct str title, where, cluster, owner;	/* "network/net", its namespace, its cluster, its owner */
	struct str state;	/* the phase of the object, or words for a root cause that is no object: "missing" */
	struct str words, whole;	/* the reason with the part of the message that says why; with its whole first line */
	struct str command;	/* the next look, for somebody elsewhere */
	const struct cause_fact *facts;	/* cause_facts() for FACT_IN_REPORT; none when there were too many causes at a time */
	size_t nfacts;
	int64_t changed[FACTS_BEFORE];	/* when what the facts tell of was changed, ms; 0: no more */
	enum wait_state cause;
	enum phase phase;
	enum severity severity;
	bool exists;		/* its members are objects of the store, or were */
	struct logged_objects members, held;	/* the root causes themselves; what waited for one of them at any time */
	const struct cause_span *spans;	/* in the order of time; at least one */
	size_t nspans;
	bool goes_on;
	bool lost;		/* the last span is */
	bool recovers;		/* it goes on, and is under way again without an error */
};

/* ceiling: bytes of all that is noted. */
struct cause_log *cause_log_new(size_t ceiling);
/* Returns since when nothing more is noted because of the ceiling, ms; 0: all is noted. */
int64_t cause_log_full_since(const struct cause_log *log);
void cause_log_free(struct cause_log *log);
/*
 * Notes the root causes of the objects that q selects, as of w->now, which may not be before that of an earlier call.
 * last: nothing is noted after it.  Returns how long that took, in a unit that only
 * depends on the number of root causes and of the objects that wait for them.
 */
size_t cause_log_note(struct cause_log *log, struct world *w, const struct query *q, bool last);
/*
 * Goes on in another world, which knows the same objects by name: from now on the root causes of that one are noted.  Its
 * clusters are those with the same names; kinds that it does not know are added to it.
 */
void cause_log_go_on(struct cause_log *log, const struct world *from, struct world *to);
/*
 * Returns all causes, the worst first, then those that blocked most, then the earliest.  The array is in the arena; what
 * it refers to lives until the next cause_log_note().
 */
const struct logged_cause *cause_log_causes(struct cause_log *log, struct arena *a, size_t *out_n);
/* Returns true for a wait that ended within a minute and never was a warning: a report does not tell it. */
bool cause_is_brief(const struct logged_cause *c);
#endif
