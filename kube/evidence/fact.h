/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an object says of itself, as a list of facts.  Extractors (conditions.c, fields.c, counts.c, members.c, records.c,
 * handlers.c, pause.c, file_rows.c) make facts and decide nothing; the table in rules.c decides.
 */
#ifndef KUBE_EVIDENCE_FACT_H
#define KUBE_EVIDENCE_FACT_H

#include "kube/evidence/file_rows.h"

/* What a fact was read from; bits, because a row of the table may mean several. */
enum fact_of {
	FACT_CONDITION = 1 << 0,
	FACT_WORD = 1 << 1,    /* a field with a word for a state */
	FACT_TRUTH = 1 << 2,   /* a boolean */
	FACT_COUNT = 1 << 3,   /* a number, or "2/3" */
	FACT_ERROR = 1 << 4,   /* a field for errors */
	FACT_RECORD = 1 << 5,  /* something that was done at some time: a last update, a run in a history */
	FACT_PAUSE = 1 << 6,   /* a pause that the spec, an annotation or a label asks for */
	FACT_HANDLER = 1 << 7, /* what the framework of its operator notes of a handler */
	FACT_SPEC = 1 << 8,    /* how far the status follows the spec */
	FACT_ANYTHING = (1 << 9) - 1
};

enum fact_about {
	ABOUT_WHOLE = 1 << 0,  /* the object as a whole: "Ready", "phase: Failed" */
	ABOUT_PART = 1 << 1,   /* a part of it that is broken, which "ready" of the whole does not excuse */
	ABOUT_DETAIL = 1 << 2, /* something of it, which counts where the whole says nothing else */
	ABOUT_STEP = 1 << 3,   /* a step on its way was made */
	ABOUT_NUMBERS = 1 << 4, /* how many of its replicas are there */
	ABOUT_MEMBER = 1 << 5, /* what speaks only against "Ready": one of its members is down, a number is too low */
	ABOUT_BESIDE = 1 << 6, /* what a person should know of an object at its goal: a backup failed */
	ABOUT_RULED = 1 << 7,  /* what a rules file says of the whole */
	ABOUT_SELF = ABOUT_WHOLE | ABOUT_PART | ABOUT_DETAIL
};

enum fact_flag {
	/* what the extractors read */
	BY_DEFAULT = 1 << 0,		/* nothing says so in words: False without a reason */
	BY_MESSAGE = 1 << 1,		/* only the words of its message say so, and not for long */
	LOST = 1 << 2,		/* a condition that is False, ought to be True, and names nothing in progress */
	UNDECIDED = 1 << 3,		/* a condition that is Unknown */
	HINT = 1 << 4,		/* a condition whose type does not tell what it means */
	CAUTION = 1 << 5,		/* a warning, which does not keep the object from its goal */
	OF_MEMBER = 1 << 6,		/* one of several equal parts, such as the tries of a run */
	OF_EVERY = 1 << 7,		/* all parts report the same error */
	IS_CHANGE = 1 << 8,		/* it says that a change is under way, which explains that something is not there */
	UNREAD = 1 << 9,		/* a word that is in no list */
	FAINT = 1 << 10,		/* it counts only where nothing else is said */
	SAID_BY_OPERATOR = 1 << 11,	/* a rules file says what it means */
	IN_DETAIL = 1 << 12,		/* the rules file asks for a condition that is not "Ready", and not for its reason */
	NAMES_REASON = 1 << 13,		/* the rules file names the reason of the condition, too */
	AT_ONCE = 1 << 14,		/* the rules file counts more than other trouble */
	/* what follows of its words, of other facts and of the time (relate.c, rules.c) */
	MOVES = 1 << 15,		/* its reason tells of movement */
	ONLY_ABSENT = 1 << 16,		/* no more than that it is not there */
	STOPPED = 1 << 17,		/* a person has stopped it: "Stopped", "Hibernated" */
	OVER = 1 << 18,		/* "Completed": it has come to its end */
	LOOKS = 1 << 19,		/* "reconciling": its controller looks at it */
	FIRST = 1 << 20,		/* it may only mean that the first attempt has not come to its end */
	FAILED = 1 << 21,		/* a word that says that something has failed, which no change explains */
	OVERDUE = 1 << 22,		/* it has lasted longer than such a thing takes */
	UNDER_MAINTENANCE = 1 << 23,	/* it serves, and somebody works on it */
	AS_ASKED = 1 << 24,		/* the spec asks for it: it sleeps */
	COLOUR = 1 << 25,		/* "red", which is also the colour of what was just made */
	OF_SLEEP = 1 << 26,		/* it follows of being asleep: it does not answer */
	EXCUSED = 1 << 27,		/* a rules file says that this very word, condition or reason is no trouble */
	SILENCED = 1 << 28,		/* another fact, or what the object is like, explains it */
};

/* One thing that an object says.  All strings are the object's own, or the arena's. */
struct fact {
	enum fact_of of;
	enum fact_about about;
	enum word_class says;
	unsigned flags;	     /* enum fact_flag */
	int weight;	     /* of several that say the same, the one with the greatest weight explains the state */
	enum phase phase;    /* of a rules file, and of numbers: the phase that it names */
	enum severity level; /* as the object has it; SEVERITY_NONE: it has none */
	struct str word;     /* "Failed" of status.phase, the type of a condition */
	struct str reason, message;
	struct str where;    /* "condition Ready=False NoQuota" */
	int64_t since;
	const char *runbook; /* that a rules file has for it; NULL: none */
	struct json at;	     /* the field that says so; JSON_NONE: a condition, or no field of the status */
};

/* What the object is like, beside the facts; bits. */
enum being {
	/* what the extractors find */
	IS_AT_GOAL = 1 << 0,	 /* it says that it has reached its goal, */
	IS_USABLE = 1 << 1,	 /* or at least that it can be used */
	PART_IS_USABLE = 1 << 2, /* or a part of it: one of its listeners */
	RUNS_ONCE = 1 << 3,	 /* it ends when all goes well */
	LAGS = 1 << 4,		 /* its status is about an older spec */
	GOAL_IS_CURRENT = 1 << 5, /* the condition for the whole is about the present spec */
	IS_MOVING = 1 << 6,	 /* a change is under way */
	DENIES_FAILURE = 1 << 7, /* it says itself that nothing has failed */
	KNOWS_NOT = 1 << 8,	 /* a field for a state says "Unknown" */
	IS_GIVEN_UP = 1 << 9,	 /* a field that is only set when nothing will be tried again tells an error */
	HAS_SPOKEN = 1 << 10,	 /* there was anything that can be read at all */
	IS_HANDLED = 1 << 11,	 /* all handlers of its operator have ended, and none will be tried again */
	IS_HANDLING = 1 << 12,	 /* one of them has not ended well yet */
	WANTS_NONE = 1 << 13,	 /* the spec asks for 0 replicas */
	WANTED_BY_STATUS = 1 << 14, /* only the status says how many are wanted */
	COUNTED_BY_ROWS = 1 << 15, /* a rules file names the counts */
	IS_PAUSED = 1 << 16,	 /* the spec or an annotation asks for a pause */
	IS_STATIC = 1 << 17,	 /* a rules file says that nobody need write a status */
	/* what follows of them and of the time; found when a row of the table asks (being.c) */
	IS_FRESH = 1 << 18,	 /* it was made a moment ago, and has not served */
	IS_YOUNG = 1 << 19,	 /* its controller may not have seen it yet */
	IS_GROWN = 1 << 20,	 /* it is older than it takes to make one */
	WAS_USABLE = 1 << 21,	 /* it could be used at some time, perhaps in an older state */
	NEVER_USABLE = 1 << 22,	 /* it says that it never could */
	IS_HELD_BACK = 1 << 23,	 /* the strategy keeps the rest of it at the old state */
	LACKS_SOME = 1 << 24,	 /* fewer replicas are ready than are wanted */
	LACKS_UPDATES = 1 << 25, /* fewer have the new state */
	HAS_SOME = 1 << 26,	 /* some replicas are ready */
	LACKS_FOR_LONG = 1 << 27, /* and that for longer than a start takes */
	ENDED = 1 << 28,	 /* the status tells when it ended */
	FOLLOWS_SPEC = 1 << 29,	 /* its controller has handled this spec and says nothing else */
	IS_SILENT = 1 << 30	 /* nobody has written a status */
};

enum { WORDS_SEEN = 8 };

struct facts {
	struct verdict *v;
	const struct kind_row *const *rows; /* the result of rows_for() */
	struct ignored ignored;
	struct fact *all;
	size_t n, cap;
	unsigned is, known;  /* enum being; known: those that were found out */
	unsigned found;	     /* enum fact_about: what was looked for only when it was asked for */
	struct replicas replicas;
	int partition;	     /* so many are held back at their old state */
	int64_t ended_at;    /* the last time at which a condition began to say that it came to its end well */
	int64_t moving_since; /* the last time at which a condition began to say that a change is under way; 0: none does */
	struct str phase;    /* the operator's own word for the phase */
	/* words of parts that were classified, because a thousand parts have the same few words */
	struct {
		struct str word;
		enum word_class says;
	} seen[WORDS_SEEN];
	size_t nseen;
	/* sums: of the parts, of "2/3", and of the members that have a word for their state */
	struct {
		int wanted, ready;
	} parts, share, members;
};

/* ---- facts.c ---- */

/* Returns true when the fact has more weight than what says the same.  Its texts are not read. */
bool facts_want(const struct facts *f, const struct fact *fact);
/* Returns true when a tells more than b, or b is NULL: what something says in words before what follows by default. */
bool fact_is_heavier(const struct fact *a, const struct fact *b);
/* Keeps the fact when it has; of those that say the same only one is kept. */
void facts_add(struct facts *f, struct fact fact);
/* Returns the heaviest fact that fits, those that something says in words before the others; NULL: there is none. */
const struct fact *facts_best(const struct facts *f, unsigned of, unsigned about, enum word_class says);
/* The same among the facts that have all of these flags; with SILENCED among those that are explained. */
const struct fact *facts_best_with(const struct facts *f, unsigned about, enum word_class says, unsigned flags);
/* Returns the class of a word that many parts repeat. */
enum word_class facts_part_class(struct facts *f, struct str word);
/* Returns "condition Ready=False NoQuota", and "field phase \"Failed\"". */
struct str facts_where_condition(struct arena *arena, const struct condition *c);
struct str facts_where_word(struct arena *arena, struct str key, struct str word, const char *behind);

/* ---- being.c ---- */

/* Returns true when the object is all of that. */
bool facts_is(struct facts *f, unsigned being);
/* Finds out anew what was found out before there were more facts. */
void facts_forget(struct facts *f);
/* Returns the condition Ready, also in lower case; NULL: there is none. */
const struct condition *being_ready_condition(const struct verdict *v);
bool being_never_at_goal(struct facts *f);
bool being_never_reconciled(struct facts *f);
bool being_ran_another_version(struct verdict *v);
bool being_is_down(struct facts *f);
/* Returns true when it serves now, or may. */
bool being_serves(struct facts *f);
/* Returns true when that fact is a part that was lost late, while another part was well before. */
bool being_lost_part(struct facts *f, const struct fact *fact);
/* Returns the time since which it is not at its goal, as a condition says, or its creation. */
int64_t being_lost_at(struct facts *f);
bool being_lost_it_late(struct facts *f);
/* Returns the time since which it lacks some of its replicas, having had them, while nothing is changed; 0: it does not. */
int64_t being_lacks_since(struct facts *f);
/* Returns true for a kind that is made for one run, not for one that starts them; for a word that is no end of a run. */
bool being_runs_once(struct verdict *v);
bool being_lasts(struct str word);
bool being_has_begun(struct json status);
bool being_has_ended(struct json status);
/* Returns the time at which a run ended that calls itself a success; 0: it does not. */
int64_t being_ended_well(const struct verdict *v);
/* Returns true for words of nothing but an error, whatever stands around them: "x509:", "no key could decrypt it". */
bool being_is_surely_error(struct str message);
/* Returns true for words that mean an error, and not only that something is not ready yet. */
bool being_tells_error(struct str message);
/* Returns true when the spec asks for at least so many replicas, of the object or of a part of it. */
bool being_asks_for_replicas(struct verdict *v, int least);

/* ---- the extractors ---- */

void facts_of_conditions(struct facts *f);
void facts_of_fields(struct facts *f);
void facts_of_truths(struct facts *f, struct json status);
void facts_of_numbers(struct facts *f, struct json status);
void facts_of_parts(struct facts *f, struct json part);
void facts_of_shares(struct facts *f);
void facts_of_members(struct facts *f);
void facts_of_records(struct facts *f);
void facts_of_handlers(struct facts *f);
void facts_of_pause(struct facts *f);
void facts_of_schedule(struct facts *f, struct json status);
/* Returns true for an object that starts runs by a schedule. */
bool facts_is_schedule(struct verdict *v);
/* What counts only where nothing else is said; and then what only went well at some time. */
void facts_of_last_resort(struct facts *f);
void facts_of_achievements(struct facts *f);
void facts_of_results(struct facts *f);
void facts_of_assigned(struct facts *f);

/* Returns true for a list of conditions, or a word, outside of the status. */
bool facts_top_conditions(struct json object);
bool facts_top_word(struct json object);
/* Returns "Ready" for "ACK.Ready" and "example.org/Ready". */
struct str facts_last_part(struct str type);
/* Returns true for "AllMembersReady=False", unless its reason says that nobody wants that. */
bool facts_denies_health(const struct facts *f, const struct condition *c);
/* Replicas that somebody uses, and that are therefore not counted as ready: "allocatedReplicas". */
int facts_in_use(struct json map);
/* Reads counts by their names; of several pairs that with the smallest share. */
bool facts_named_counts(const struct facts *f, int *out_wanted, int *out_ready);
/* Counts the members of a list by their own words. */
void facts_member_words(struct facts *f, struct json list);
/* Returns 1 for true and 0 for false, in JSON or as a word; -1 for everything else. */
int facts_truth(struct json value);

/* Return the text by which a status or a part of it explains itself, the reason beside it, the content of a field for errors. */
struct str facts_explanation(struct json status);
/* Returns the field of the status whose text begins as an error does, "unable to create …"; JSON_NONE: none does. */
struct json facts_error_sentence(const struct facts *f, struct json status);
struct str facts_reason(struct json status);
struct str facts_error_text(struct json value);
/* Returns true for the name of a field with such a text or reason. */
bool facts_explains(struct str key);

#endif
