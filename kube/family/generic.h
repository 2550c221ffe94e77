/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the generic family: clues are gathered from all over an
 * object's status, then the weightiest decides.
 */
#ifndef KUBE_FAMILY_GENERIC_H
#define KUBE_FAMILY_GENERIC_H

#include "kube/status/family.h"

/* One thing that an object says of itself.  All strings are the object's own. */
struct clue {
	enum word_class class;
	int weight; /* among clues of one class and strength the heaviest explains; first wins */
	bool soft;  /* trouble only by default: movement elsewhere explains it away */
	bool condition;	     /* from a condition, not from a field */
	bool phase;	     /* word is the operator's own word for a phase */
	enum severity level; /* told by the object; SEVERITY_NONE: not told */
	struct str word;     /* "Failed" of status.phase, the type of a condition */
	struct str reason, message, rule;
	int64_t since;
};

enum strength { WEAK, STRONG, STRENGTHS };

struct evidence {
	struct verdict *v;
	struct clue best[STRENGTHS][WORD_SUSPENDED + 1]; /* class WORD_NONE: no such clue */
	struct clue milestone;	/* a step on the way was reached: says nothing of the goal */
	struct clue unread;	/* a phase word that no list knows */
	struct str phase;	/* the operator's own phase word */
	bool ready;		/* the object itself says that it is at its goal, */
	bool usable;		/* or at least that it can be used */
	bool no_conditions_yet; /* a list of conditions is there and empty */
	bool moving;		/* a condition says that a change is under way */
	bool outdated;		/* what it says is about an older spec */
	bool runs_once;		/* it ends when all goes well */
	bool any;		/* something was said at all */
	struct replicas replicas;
	struct str complaint; /* the message of a verdict other than Ready */
};

/* Keeps c when it is heavier than what is known of its class. */
void generic_clue(struct evidence *e, enum strength strength, struct clue c);
/* "Ready" of "ACK.Ready" or "example.org/Ready". */
struct str generic_last_part(struct str type);

/* generic_cond.c: conditions, also those that are kept deeper in the status. */
void generic_conditions(struct evidence *e);

/* generic_field.c: phase words, errors, counts, booleans. */
void generic_fields(struct evidence *e);
/* What lies deeper than the top of the status, for want of anything better. */
void generic_deep_fields(struct evidence *e);

/* generic_version.c: from which version to which. */
void generic_version(struct verdict *v);
void generic_derive(struct derivation *d);

/*
 * generic_ref.c: references by the convention of their names.  Those that
 * message names are waited for: it is why the object is not at its goal, or "".
 */
void generic_refs(struct verdict *v, struct str message);

#endif
