/* SPDX-License-Identifier: Apache-2.0 */
/* How facts become a verdict: what they mean together, the table that decides, and what it decides. */
#ifndef KUBE_EVIDENCE_RULES_H
#define KUBE_EVIDENCE_RULES_H

#include "kube/evidence/fact.h"
#include "kube/evidence/outcome.h"

/* Which facts are meant; 0 in of, about or says: any. */
struct pattern {
	unsigned of, about, says; /* bits: enum fact_of, enum fact_about, 1 << enum word_class */
	unsigned must, not;	  /* enum fact_flag: all of these, and none of those */
};

struct rule {
	const char *name;	  /* shown with -o why, and a line of docs/rules-general.md */
	struct pattern when;	  /* one fact that fits; the heaviest of them decides */
	unsigned telling;	  /* flags that the heaviest must have */
	struct pattern with, unless; /* there is such a fact, and none of those; {0}: nothing is asked */
	unsigned being, not_being; /* enum being */
	enum outcome then;
	bool against;		  /* asked only of what would be Ready, which it is then not, or not without a warning */
};

/* What was decided, and by what. */
struct ruling {
	const struct rule *rule;
	const struct fact *fact; /* never NULL: where no fact is asked for, an empty one */
	const struct fact *ready;   /* what would have made it Ready, where something speaks against that */
	struct str reason, message; /* what the verdict says; "" where it is Ready */
};

/* relate.c: gives the facts from that one on the flags that follow of their words, of each other and of the time. */
void facts_relate(struct facts *f, size_t from);
/* rules.c: drops what other facts explain, and returns what the first row that holds decides; false: no row does. */
bool rules_decide(struct facts *f, struct ruling *out);
/* The same of what nothing is known of. */
void rules_give_up(struct facts *f, struct ruling *out);
/* outcome.c: sets the verdict. */
void outcome_conclude(struct facts *f, struct ruling *r);
/* outcome.c: what it means that the object says itself that something else is not there or not ready (told), or may say so. */
void outcome_blame(struct facts *f, const struct ruling *r, bool told);
/* outcome.c: the kind of movement that the fact names; PHASE_UNKNOWN: none. */
enum phase outcome_movement_named(const struct fact *fact);
bool outcome_is_good_word(struct facts *f);
bool outcome_tells_scaling(struct str message);
bool outcome_is_partly_there(struct facts *f);

/* because.c: names the row, and adds what the verdict rests on. */
void because_tell(struct facts *f, const struct ruling *r);
/*
 * carried.c: where the fact that decided is a bare word or a number, what says why beside it becomes the message; graph_carry() goes
 * on with what neighbours say.
 */
/* Returns true for a condition that has nothing to explain: True of a good type, False of one for trouble or movement. */
bool carried_is_as_it_ought_to_be(const struct condition *c);
void carried_explain(struct facts *f, const struct ruling *r);

/* silence.c: an object without a status. */
bool silence_is(struct facts *f);
void silence_conclude(struct facts *f);
void silence_static(struct verdict *v);

#endif
