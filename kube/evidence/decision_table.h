/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables by which the families of operators judge.  A family's reader finds out what its object says; then the first row of a
 * table that holds decides, and row_outcome.c names the phase and the severity.  docs/rules-families.md is made from the tables.
 */
#ifndef KUBE_EVIDENCE_DECISION_TABLE_H
#define KUBE_EVIDENCE_DECISION_TABLE_H

#include "kube/evidence/outcome.h"
#include "kube/status/family.h"

/* What follows of a row beside its outcome; bits. */
enum row_effect {
	FINAL = 1 << 0,		/* nobody tries again: an error, and no warning */
	FINAL_IF_DOWN = 1 << 1, /* the same where it is Failed; what still serves has a warning */
	RETRIED = 1 << 2,	/* what goes on has failed before, or takes too long: a warning */
	QUIET = 1 << 3,		/* severity none */
	SINCE_CREATED = 1 << 4, /* since it was made, where nothing else tells the time */
	UNDATED = 1 << 5,	/* no time tells when it began */
	PASSED = 1 << 6,	/* it began by time alone: verdict_by_time() */
	COMPLETE = 1 << 7,	/* it has run to its end: verdict_complete() */
	BY_ITSELF = 1 << 8,	/* verdict_own_failure() */
	NAMES_ONLY = 1 << 9,	/* the operator's word for the state stays what it was; phase 2: so does what was read */
	UNPROVEN = 1 << 12,	/* Ready, and nothing proves that it ever served: not verdict_ever_ready() */
	AT_LEAST = 1 << 10,	/* a worse severity that was concluded before stays */
	KEEPS_TIME = 1 << 13,	/* the time that was concluded before stays */
	STAYS = 1 << 11		/* the phase that was concluded before stays, and the severity without AT_LEAST */
};

/* What a family's reader has found of one object; the first member of the family's own structure. */
struct reading {
	/* one of them: phase 1, or phase 2 */
	struct verdict *v;
	struct assessment *d;
	unsigned is;	/* bits of the family's own: what rows ask for */
	bool usable;	/* trouble is Degraded, and what goes on is a change; else it is Failed, and is made for the first time */
	struct str word;	/* the operator's word for the state; where a condition decides, its reason is that word */
	/*
	 * What the row that decides rests on: the reader presets it, the condition of a row takes its place, and holds() and tell() of
	 * the row may set it.  Without a reason and a message those of the condition count.
	 */
	const struct condition *condition;
	struct str reason, message, rule;
	int64_t since;	/* 0: the time of the condition */
	enum severity level; /* as the object itself states it; SEVERITY_NONE: it does not */
	unsigned flags; /* enum row_effect, beside those of the row */
};

/* What is not given is not asked. */
struct row {
	const char *name;	/* in plain words: it is the rule in JSON and with -o why */
	const char *kind;	/* the kind of the object */
	const char *type, *status, *reason;	/* a condition; reason: words between blanks */
	const char *word;	/* words between blanks, one of which is the reading's, without regard to case; * stands for any ending */
	unsigned is, not;	/* bits that are all set, and bits of which none is */
	bool (*holds)(struct reading *r);
	enum outcome then;
	enum phase phase;	/* the phase where the operator's own vocabulary names it; 0: the outcome does */
	unsigned flags;		/* enum row_effect */
	const char *says;	/* the operator's word for the state, where it writes none */
	const char *flag;	/* verdict_flag() */
	const char *rule;	/* what was read, in words; NULL: the condition, else the name of the row */
	void (*tell)(struct reading *r);	/* adds words, a time, and what else follows once the row has decided */
};

/*
 * The first row that holds decides.  rows ends with {0}.  Returns it; NULL: none does, and nothing is changed.  What holds() and
 * tell() have set in the reading is forgotten afterwards.
 */
const struct row *table_decide(struct reading *r, const struct row *rows);
/* Returns the first row that holds, and decides nothing: what its holds() has set in the reading stays. */
const struct row *table_find(struct reading *r, const struct row *rows);
/*
 * Phase 2: that row decides, with these words, where its family has found out that it holds.  Call assess_rule() and assess_since()
 * after it.  Returns false when the row is left out by tests/rows.py.
 */
bool table_assess(struct assessment *d, const struct row *row, struct str reason, struct str message);
/* The same in both phases, of what a reader has found. */
bool row_decides(struct reading *r, const struct row *row);
/* Returns true when the word is one of the list, as a row compares it. */
bool table_has_word(const char *list, struct str word);

/*
 * tests/rows.py builds a program in which RULES_OFF names a row that is left out, to see whether it matters, and RULES_SEEN a file to
 * which the names of the rows that hold are added.
 */
#ifdef RULES_SWITCH
bool table_is_off(const char *name);
void table_row_holds(const char *name);
#else
static inline bool table_is_off(const char *name)
{
	(void)name;
	return false;
}

static inline void table_row_holds(const char *name)
{
	(void)name;
}
#endif

#endif
