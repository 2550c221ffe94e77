/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the generic family: signs of an object's state are collected from its whole status, and the one with
 * the greatest weight decides.
 */
#ifndef KUBE_FAMILY_GENERIC_GENERIC_H
#define KUBE_FAMILY_GENERIC_GENERIC_H

#include "kube/family/generic/rows.h"

/* One sign of an object's state: a condition or a field.  All strings are the object's own. */
struct sign {
	enum word_class class;
	/*
	 * the sign with the greatest weight in its class and strength explains the state, hard signs before soft ones
	 */
	int weight;
	bool soft;  /* it follows by default only: any other sign explains the state better */
	bool part;  /* a part is broken, which "ready" of the whole does not excuse */
	bool condition;	     /* the sign is a condition and not a field */
	bool lost;	     /* a condition that is False, ought to be True, and names nothing in progress */
	bool phase;	     /* word is the operator's own word for a phase */
	enum severity level; /* as the object has it; SEVERITY_NONE: it has none */
	struct str word;     /* "Failed" of status.phase, the type of a condition */
	struct str reason, message, rule;
	int64_t since;
};

enum strength { WEAK, STRONG, STRENGTHS };

struct evidence {
	struct verdict *v;
	const struct kind_row *const *rows; /* as of rows_for() */
	struct ignored ignored;
	struct sign best[STRENGTHS][WORD_SUSPENDED + 1]; /* class WORD_NONE: no such sign */
	struct sign milestone;	/* a step on the way was reached, not the goal */
	struct sign unread;	/* a phase word that no list knows */
	struct str phase;	/* the operator's own phase word */
	bool ready;		/* the object itself says that it is at its goal, */
	bool usable;		/* or at least that it can be used */
	bool part_usable;	/* or a part of it can: one of its listeners */
	bool knows_not;		/* a field for a state says "Unknown" */
	bool no_conditions_yet; /* a list of conditions is there and empty */
	bool moving;		/* a condition says that a change is under way */
	bool outdated;		/* what it says is about an older spec */
	bool runs_once;		/* it ends when all goes well */
	bool no_failure;	/* it says itself that nothing failed */
	bool any;		/* something was said at all */
	struct replicas replicas;
	struct {
		struct str word;
		enum word_class class;
	} seen[8]; /* words of parts: a thousand parts have the same few */
	size_t nseen;
	bool counts_by_rows;  /* a row of the operator names them */
	int parts_wanted, parts_ready; /* summed over its parts */
	bool wants_none;      /* the spec asks for 0 of them */
	struct str complaint;	    /* the message of a verdict other than Ready */
};

/* evidence.c */

/* Is it heavier than the best of its class and strength so far?  Its texts are not looked at. */
bool generic_outweighs(const struct evidence *e, enum strength strength, struct sign sign);
/* Keeps it if it is. */
void generic_add_sign(struct evidence *e, enum strength strength, struct sign sign);
/* "condition Ready=False NoQuota" */
struct str generic_condition_rule(struct arena *arena, const struct condition *c);

/* cond.c: "Ready" of "ACK.Ready" or "example.org/Ready". */
struct str generic_last_part(struct str type);

/*
 * explain.c: the text by which a status or a part of it explains itself, the reason beside that, and what a field for
 * errors says; "": there is none.
 */
struct str generic_explanation(struct json status);
struct str generic_reason(struct json status);
struct str generic_error_text(struct json value);
/* Is it the name of a field that has such a text or reason? */
bool generic_explains(struct str key);

/* field.c: a kind that is made for one run, and words that say that one goes on. */
bool generic_runs_once(struct verdict *v);
bool generic_lasts(struct str word);

/* cond.c: conditions, also those that are kept deeper in the status. */
void generic_conditions(struct evidence *e);

/* field.c: phase words and errors; calls generic_facts(). */
void generic_fields(struct evidence *e);
/* fact.c: booleans, counts, schedules. */
void generic_facts(struct evidence *e, struct json status);
/* An object without a status that has a word for its state at its top. */
bool generic_has_top_word(struct json object);
/* A message that is all that the status says. */
void generic_only_message(struct evidence *e);
/* Numbers of parts: pairs such as members and readyMembers in maps and lists; sums, where nothing else counts. */
void generic_part_counts(struct evidence *e, struct json part);
void generic_counts_of_parts(struct evidence *e);
/* What lies deeper than the top of the status, for want of anything better. */
void generic_deep_fields(struct evidence *e);

/*
 * For another family whose rows do not know a word: the whole verdict is that of the general rules, and its rule
 * says so (verdict_unknown_word()).  Their Ready becomes Unknown: what Ready looks like the family's own rows know.
 */
void generic_decides(struct verdict *v, const char *what, struct str word);

/* version.c: from which version to which; "16" is reached when "16.3" runs. */
void generic_version(struct verdict *v);
bool generic_version_reached(struct str wanted, struct str runs);

/*
 * ref.c: references by the convention of their names.  Those that
 * message names are waited for: it is why the object is not at its goal, or "".
 */
void generic_refs(struct verdict *v, struct str message);

#endif
