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
	bool member; /* one of several equal parts, such as the tries of a run */
	bool every; /* all parts report the same error, so that none of them serves */
	bool part;  /* a part is broken, which "ready" of the whole does not excuse */
	bool condition;	     /* the sign is a condition and not a field */
	bool lost;	     /* a condition that is False, ought to be True, and names nothing in progress */
	bool caution;	     /* a warning, which does not keep the object from its goal */
	bool undecided;	     /* a condition that is Unknown */
	bool hint;	     /* a condition whose type does not tell what it means */
	bool by_message;     /* only the words of its message say so */
	bool truth;	     /* a boolean about the whole: "ready: true" */
	bool phase;	     /* word is the operator's own word for a phase */
	enum severity level; /* as the object has it; SEVERITY_NONE: it has none */
	struct str word;     /* "Failed" of status.phase, the type of a condition */
	struct str reason, message, rule;
	int64_t since;
};

enum strength { WEAK, STRONG, STRENGTHS };

struct evidence {
	struct verdict *v;
	const struct kind_row *const *rows; /* the result of rows_for() */
	struct ignored ignored;
	struct sign best[STRENGTHS][WORD_SUSPENDED + 1]; /* class WORD_NONE: there is no such sign */
	struct str row_word, row_reason; /* a row of the operator says that this word or this reason is no trouble */
	struct sign caution;	/* what a person should know of an object that has reached its goal */
	struct sign denial;	/* a condition that says in a word of its type that the object is not healthy */
	int64_t ended_at;	/* the last time at which a condition began to say that it came to its end well */
	struct sign milestone;	/* a step was reached, but not the goal */
	struct sign retried;	/* a condition that tells of something which did not work and is tried again */
	struct sign unread;	/* a word of a phase that is in no list */
	struct str phase;	/* the operator's own word for the phase */
	bool ready;		/* the object itself says that it has reached its goal, */
	bool usable;		/* or at least that it can be used */
	bool part_usable;	/* or a part of it can be used: one of its listeners */
	bool knows_not;		/* a field for a state says "Unknown" */
	bool no_conditions_yet; /* there is a list of conditions, and it is empty */
	bool moving;		/* a condition says that a change is in progress */
	int64_t moving_since;	/* the last time at which a condition began to say so; 0: none does */
	bool goal_is_current;	/* the condition for the whole is about the present spec */
	bool outdated;		/* the status is about an older spec */
	bool runs_once;		/* it runs to completion */
	bool no_failure;	/* it says itself that nothing has failed */
	bool terminal;		/* a field that is only set when nothing will be tried again tells an error */
	bool any;		/* there was any sign at all */
	struct replicas replicas;
	struct {
		struct str word;
		enum word_class class;
	} seen[8]; /* words of parts that were classified, because a thousand parts have the same few words */
	size_t nseen;
	struct sign achieved; /* something went well, which counts where nothing else is said */
	bool counts_by_rows;  /* a row of the operator names the counts */
	int parts_wanted, parts_ready; /* sums over its parts */
	int share_wanted, share_ready; /* of "2/3" */
	int members_wanted, members_ready; /* members with a word for their state, and those whose word is good */
	bool wanted_by_status; /* only the status says how many are wanted */
	int partition;	      /* so many are held back at their old state */
	bool wants_none;      /* the spec asks for 0 replicas */
	struct str complaint_reason, complaint; /* the reason and message of a verdict other than Ready */
	bool refused;	      /* the verdict comes from a condition about the spec itself */
	bool paused;	      /* the spec or an annotation asks for a pause */
	bool handling;	      /* a handler of its operator has not ended well yet */
	bool handled;	      /* all of them have ended, and none is going to be tried again */
};

/* evidence.c */

/*
 * Returns true when the sign has more weight than the best one of its class and strength so far.  Its texts are not
 * read.
 */
bool generic_outweighs(const struct evidence *e, enum strength strength, struct sign sign);
/* Keeps the sign when it has. */
void generic_add_sign(struct evidence *e, enum strength strength, struct sign sign);
/* Returns true for words that mean an error, and not only that something is not ready yet. */
bool generic_tells_error(struct str message);
/* Returns "condition Ready=False NoQuota". */
struct str generic_condition_rule(struct arena *arena, const struct condition *c);

/* caution.c */

/* Keeps what has more weight than what was found so far. */
void generic_caution(struct evidence *e, struct sign sign);
/* Finds what went wrong beside the object's goal: a backup that failed, errors that are counted. */
void generic_cautions(struct evidence *e);

/* usable.c */

/* Returns the condition Ready, also in lower case; NULL: there is none. */
const struct condition *generic_ready_condition(const struct verdict *v);
/* Returns true when no attempt has come to its end: Flux and others begin with -1 as the observed generation. */
bool generic_never_reconciled(const struct evidence *e);
/* Returns true when the object was usable at some time, perhaps in an older state. */
bool generic_was_usable(const struct evidence *e);
/* Returns true for "version: 8.15" of the status beside "version: 8.16" of the spec: the older one has run. */
bool generic_ran_another_version(struct verdict *v);
/* Returns true when it was, and nothing says that none of its replicas are ready now. */
bool generic_serves(const struct evidence *e);
/* Returns the time since which it is not at its goal, as a condition says, or its creation. */
int64_t generic_lost_at(const struct evidence *e);
/* Returns true when it became "not ready" long after it was made. */
bool generic_lost_it_late(const struct evidence *e);
/*
 * Returns the time since which some of its replicas are ready and others are not, of an object that had reached its goal and
 * is not changed; 0: it is not so.
 */
int64_t generic_lacks_since(const struct evidence *e);
/* Returns true when the sign is a part that was lost late, while another part, or the last reconciliation, was well before. */
bool generic_part_was_lost(const struct evidence *e, const struct sign *s);
/* Returns true when none of the replicas that it wants is ready. */
bool generic_is_down(const struct evidence *e);
/* Returns true when the object says that it was never ready, though some of its replicas may be. */
bool generic_never_at_goal(const struct evidence *e);
/* Returns true when the object says that it was never usable. */
bool generic_never_usable(const struct evidence *e);
/* Returns true when the object is new, and what the sign says means only that its first attempt has not come to its end. */
bool generic_first_attempt(const struct evidence *e, const struct sign *s);

/* cond.c: returns "Ready" for "ACK.Ready" and "example.org/Ready". */
struct str generic_last_part(struct str type);

/*
 * explain.c: return the text by which a status or a part of it explains itself, the reason beside that text, and the
 * content of a field for errors; "": there is none.
 */
struct str generic_explanation(struct json status);
struct str generic_reason(struct json status);
struct str generic_error_text(struct json value);
/* Returns true for the name of a field with such a text or reason. */
bool generic_explains(struct str key);

/* field.c: returns true when the spec asks for at least so many replicas, of the object or of a part of it. */
bool generic_asks_for_replicas(struct verdict *v, int least);
/* run.c: return true for a kind that is made for one run, not for one that starts them; for a word that is no end of a run. */
bool generic_runs_once(struct verdict *v);
bool generic_lasts(struct str word);
/* run.c: return true for a status with the time at which a run began, and with that at which it ended. */
bool generic_has_begun(struct json status);
bool generic_has_ended(struct json status);
/* run.c: returns the time at which a run ended that calls itself a success; 0: it does not. */
int64_t generic_ended_well(const struct verdict *v);

/* What an object says it waits for. */
enum awaited {
	AWAITED_NOTHING,   /* its own work, or its words do not say that it waits */
	AWAITED_OF_ANYONE, /* something that it may make itself: "WaitingForCertificate" */
	AWAITED_OF_OTHERS  /* something that only others give: "WaitingForDependency" */
};
/* awaited.c: telling is a reason or the word of a phase. */
enum awaited generic_awaited(struct str telling, struct str message);
/* Makes what waits for anything of that kind Provisioning while one of its own parts is in progress. */
void generic_own_part_is_awaited(struct assessment *d);

/* cond.c: judges conditions, including those deeper in the status. */
void generic_conditions(struct evidence *e);

/* field.c: judges words of phases and errors; it calls generic_facts(). */
void generic_fields(struct evidence *e);
/* fact.c: judges booleans, counts, schedules. */
void generic_facts(struct evidence *e, struct json status);
/* handlers.c: judges what the framework of its operator notes of handlers. */
void generic_handlers(struct evidence *e);
/* veto.c: finds what contradicts "Ready" in the status; false: nothing does. */
bool generic_contradicts(struct evidence *e, struct sign *out);
/* cond.c: returns true for "AllMembersReady=False", unless its reason says that nobody wants that. */
bool generic_denies_health(const struct evidence *e, const struct condition *c);
/* Judges an object without a status that has a word for its state outside of it. */
bool generic_has_top_word(struct json object);
/* cond.c: returns true for an object with a list of conditions outside of its status. */
bool generic_has_top_conditions(struct json object);
/* Judges a status that contains only a message. */
void generic_only_message(struct evidence *e);
/* fact.c: finds what went well, such as the time of the last success, for an object that says nothing of its state. */
void generic_achievements(struct evidence *e);
/* Replicas that somebody uses, and that are therefore not counted as ready: "allocatedReplicas". */
int generic_in_use(struct json map);
/* Counts the members of a list by their own words. */
void generic_member_words(struct evidence *e, struct json list);
/*
 * veto.c: reads counts by their names, "healthyInstances" of "desiredInstances"; of several pairs that with the smallest
 * share.  False: there is no such pair.
 */
bool generic_named_counts(const struct evidence *e, int *out_wanted, int *out_ready);
/* Sums numbers of parts, pairs such as members and readyMembers in maps and lists, where no other counts are found. */
void generic_part_counts(struct evidence *e, struct json part);
void generic_counts_of_parts(struct evidence *e);
/* assigned.c: compares a list of what the spec asks for with a list of what was assigned, when nothing else says anything. */
void generic_assigned(struct evidence *e);
/* fact.c: judges a run that has ended by the lists of what it finished and of what failed. */
void generic_results(struct evidence *e);
/* Judges the last entry of a history, when nothing else says anything. */
void generic_history(struct evidence *e);
/* Judges texts that begin as reports of errors do, when nothing else says anything. */
void generic_error_sentences(struct evidence *e);
/* Judges what lies deeper in the status, when nothing nearer to its top says anything. */
void generic_deep_fields(struct evidence *e);

/*
 * For another family whose rows do not know a word: the whole verdict is that of the general rules, and its rule says
 * so (verdict_unknown_word()).  A Ready of the general rules becomes Unknown, because the rows of the family know what
 * Ready looks like.
 */
void generic_decides(struct verdict *v, const char *what, struct str word);

/* version.c: reports from which version to which the object goes; "16" is reached when "16.3" runs. */
void generic_version(struct verdict *v);
bool generic_version_reached(struct str wanted, struct str runs);

/*
 * ref.c: adds references by the convention of their names.  The object waits for those that message names: message says
 * why the object has not reached its goal, or is "".  Returns true when the message says that one of them does not exist.
 */
bool generic_refs(struct verdict *v, struct str message);

/*
 * mention.c: returns "Depot" of 'Depot "main" not found', where the name is at that position; "": another word stands before it,
 * or one that is no kind.
 */
struct str generic_kind_before(struct str message, size_t at);

/*
 * mention.c: adds waits for the objects that the message, or else the reason, calls missing or not ready.  Returns true
 * when there is one.
 */
bool generic_mentions(struct verdict *v, struct str reason, struct str message);

#endif
