/* SPDX-License-Identifier: Apache-2.0 */
/*
 * THE table of the general rules.  First, what other facts explain is dropped; then the first row that holds decides.  A row that
 * would call an object Ready asks the rows at the end whether anything speaks against it.
 */
#include "kube/evidence/rules.h"
#include "kube/evidence/decision_table.h"

#define OK (1u << WORD_OK)
#define PROGRESS (1u << WORD_PROGRESS)
#define BAD (1u << WORD_BAD)
#define SUSPENDED (1u << WORD_SUSPENDED)
#define NOTHING (1u << WORD_NONE)

/* A fact that does not count, because another one, or what the object is like, explains it. */
struct silenced {
	const char *name;
	struct pattern fact;
	struct pattern by; /* {0}: what the object is like is enough */
	unsigned being, not_being;
};

static const struct silenced silenced[] = {
	{ "a rules file says that it is no trouble", { .must = EXCUSED }, { 0 }, 0, 0 },
	{ "a person has stopped it",
	  { .about = ABOUT_WHOLE, .says = BAD, .must = ONLY_ABSENT },
	  { .of = FACT_CONDITION | FACT_WORD, .about = ABOUT_WHOLE, .says = SUSPENDED, .must = STOPPED }, 0, 0 },
	{ "the operator's own word counts more than a message",
	  { .about = ABOUT_SELF, .says = BAD, .must = BY_MESSAGE, .not = OVERDUE },
	  { .of = FACT_WORD, .about = ABOUT_WHOLE, .says = PROGRESS }, 0, 0 },
	{ "a change explains it", { .about = ABOUT_SELF, .says = BAD, .must = BY_DEFAULT }, { 0 }, IS_MOVING, 0 },
	{ "a stop explains it", { .about = ABOUT_SELF, .says = BAD, .must = BY_DEFAULT }, { .about = ABOUT_WHOLE, .says = SUSPENDED }, 0, 0 },
	{ "a change explains a part of what is ready", { .about = ABOUT_PART, .says = BAD }, { 0 }, IS_MOVING | IS_AT_GOAL, 0 },
	{ "movement explains a condition that may mean anything",
	  { .about = ABOUT_DETAIL, .says = BAD, .must = HINT },
	  { .of = FACT_CONDITION, .about = ABOUT_WHOLE, .says = PROGRESS, .must = MOVES }, 0, 0 },
	{ "a run that ended well tried it again",
	  { .about = ABOUT_PART | ABOUT_DETAIL | ABOUT_MEMBER, .says = BAD, .must = OF_MEMBER },
	  { .of = FACT_WORD, .about = ABOUT_WHOLE, .says = OK, .must = OVER }, 0, 0 },
	{ "a warning does not keep it from being well", { .about = ABOUT_DETAIL, .says = BAD, .must = CAUTION }, { .about = ABOUT_WHOLE, .says = OK }, 0, 0 },
	{ "its goal is reached without that detail",
	  { .of = FACT_ANYTHING & ~FACT_CONDITION, .about = ABOUT_DETAIL, .says = BAD, .not = OF_EVERY }, { 0 }, IS_AT_GOAL, 0 },
	{ "its goal is reached, and nothing tells what is wrong",
	  { .about = ABOUT_DETAIL, .says = BAD, .must = BY_DEFAULT }, { 0 }, IS_AT_GOAL, 0 },
	{ "its controller only looks at what is ready",
	  { .of = FACT_WORD, .about = ABOUT_WHOLE, .says = PROGRESS, .must = LOOKS },
	  { .of = FACT_TRUTH, .about = ABOUT_WHOLE, .says = OK }, 0, RUNS_ONCE },
	{ "what was just made is red",
	  { .of = FACT_WORD, .about = ABOUT_WHOLE, .says = BAD, .must = COLOUR },
	  { .about = ABOUT_DETAIL, .says = PROGRESS }, IS_FRESH, WAS_USABLE | HAS_SOME },
};

static const struct rule rules[] = {
	{ "all handlers of its operator have ended", .when = { .of = FACT_HANDLER, .says = OK }, .being = IS_SILENT, .then = OUTCOME_READY },
	{ "nobody has written a status", .being = IS_SILENT, .then = OUTCOME_SILENCE },

	/* what a person asks for */
	{ "it sleeps as it was asked to", .when = { .about = ABOUT_WHOLE, .says = SUSPENDED, .must = AS_ASKED },
	  .unless = { .about = ABOUT_SELF, .says = BAD, .not = OF_SLEEP }, .being = IS_PAUSED, .then = OUTCOME_PAUSE },
	{ "trouble of what was paused", .when = { .about = ABOUT_SELF, .says = BAD }, .being = IS_PAUSED, .then = OUTCOME_PAUSE },
	{ "a pause was asked for", .when = { .of = FACT_PAUSE }, .then = OUTCOME_PAUSE },

	/* what a rules file says; it knows the word or the condition better than the general rules do */
	{ "the rules of its operator say so", .when = { .about = ABOUT_RULED, .must = AT_ONCE }, .then = OUTCOME_AS_RULED },

	/* trouble that nothing explains */
	{ "the first attempt has not come to its end", .when = { .about = ABOUT_WHOLE, .says = BAD }, .telling = FIRST,
	  .then = OUTCOME_MOVEMENT },
	{ "trouble of the whole", .when = { .about = ABOUT_WHOLE, .says = BAD }, .then = OUTCOME_TROUBLE },
	{ "the first attempt of a part has not come to its end", .when = { .about = ABOUT_PART | ABOUT_DETAIL, .says = BAD }, .telling = FIRST,
	  .then = OUTCOME_MOVEMENT },
	{ "trouble of a part", .when = { .about = ABOUT_PART | ABOUT_DETAIL, .says = BAD }, .then = OUTCOME_TROUBLE },
	{ "the rules of its operator say so, and there is no trouble", .when = { .about = ABOUT_RULED, .says = NOTHING | BAD | PROGRESS | SUSPENDED },
	  .then = OUTCOME_AS_RULED },
	{ "the rules of its operator call it well", .when = { .about = ABOUT_RULED, .says = OK }, .then = OUTCOME_READY },

	/* stops and changes */
	{ "the status is about an older spec", .when = { .about = ABOUT_WHOLE, .says = PROGRESS }, .being = LAGS, .then = OUTCOME_MOVEMENT },
	{ "it is stopped", .when = { .about = ABOUT_WHOLE, .says = SUSPENDED }, .then = OUTCOME_PAUSE },
	{ "a part of a change has failed", .when = { .of = FACT_WORD, .about = ABOUT_MEMBER, .says = BAD, .must = FAILED },
	  .with = { .about = ABOUT_WHOLE, .says = PROGRESS }, .being = IS_AT_GOAL, .not_being = RUNS_ONCE, .then = OUTCOME_TROUBLE },
	{ "it has not been ready for too long", .when = { .about = ABOUT_WHOLE, .says = PROGRESS }, .telling = OVERDUE, .then = OUTCOME_TROUBLE },
	{ "a change goes on", .when = { .about = ABOUT_WHOLE, .says = PROGRESS }, .then = OUTCOME_MOVEMENT },
	{ "a detail goes on", .when = { .about = ABOUT_DETAIL, .says = PROGRESS }, .unless = { .about = ABOUT_WHOLE, .says = OK },
	  .not_being = IS_AT_GOAL, .then = OUTCOME_MOVEMENT },
	{ "a detail is stopped", .when = { .about = ABOUT_DETAIL, .says = SUSPENDED }, .unless = { .about = ABOUT_WHOLE, .says = OK },
	  .then = OUTCOME_PAUSE },

	/* good words, and numbers */
	{ "the strategy holds the rest back", .when = { .about = ABOUT_NUMBERS, .not = FAINT }, .with = { .about = ABOUT_WHOLE | ABOUT_DETAIL, .says = OK },
	  .being = IS_HELD_BACK, .not_being = IS_AT_GOAL | RUNS_ONCE, .then = OUTCOME_PAUSE },
	{ "it is called well, and fewer are ready than are wanted", .when = { .about = ABOUT_NUMBERS, .says = BAD, .not = FAINT },
	  .with = { .of = FACT_WORD, .about = ABOUT_WHOLE, .says = OK }, .not_being = IS_AT_GOAL | RUNS_ONCE | IS_FRESH, .then = OUTCOME_TROUBLE },
	{ "fewer are ready than are wanted", .when = { .about = ABOUT_NUMBERS, .says = BAD, .not = FAINT },
	  .with = { .about = ABOUT_WHOLE | ABOUT_DETAIL, .says = OK }, .being = HAS_SOME, .not_being = IS_AT_GOAL | RUNS_ONCE | IS_FRESH,
	  .then = OUTCOME_TROUBLE },
	{ "fewer are ready than are wanted, or have the new state", .when = { .about = ABOUT_NUMBERS, .says = BAD | PROGRESS, .not = FAINT },
	  .with = { .about = ABOUT_WHOLE | ABOUT_DETAIL, .says = OK }, .not_being = IS_AT_GOAL | RUNS_ONCE, .then = OUTCOME_MOVEMENT },
	{ "somebody works on what serves", .when = { .about = ABOUT_WHOLE, .says = OK }, .telling = UNDER_MAINTENANCE, .then = OUTCOME_MOVEMENT },
	{ "its goal is reached", .when = { .about = ABOUT_WHOLE, .says = OK }, .then = OUTCOME_READY },
	{ "its details are well", .when = { .about = ABOUT_DETAIL, .says = OK }, .not_being = KNOWS_NOT, .then = OUTCOME_READY },

	/* where no word says how it is */
	{ "a step was made", .when = { .of = FACT_CONDITION | FACT_WORD, .about = ABOUT_STEP, .says = PROGRESS }, .then = OUTCOME_MOVEMENT },
	{ "its list of conditions is empty", .when = { .of = FACT_SPEC, .about = ABOUT_STEP, .says = PROGRESS },
	  .unless = { .of = FACT_WORD, .must = UNREAD }, .not_being = IS_GROWN, .then = OUTCOME_MOVEMENT },
	{ "its controller has handled it, and says nothing", .when = { .about = ABOUT_STEP, .says = OK }, .then = OUTCOME_READY },
	{ "the strategy holds the rest back, by its numbers", .when = { .about = ABOUT_NUMBERS }, .unless = { .of = FACT_WORD, .must = UNREAD },
	  .being = IS_HELD_BACK, .then = OUTCOME_PAUSE },
	{ "too few are ready for too long", .when = { .about = ABOUT_NUMBERS, .says = BAD }, .being = LACKS_FOR_LONG, .then = OUTCOME_TROUBLE },
	{ "too few are ready", .when = { .about = ABOUT_NUMBERS, .says = BAD | PROGRESS }, .unless = { .of = FACT_WORD, .must = UNREAD },
	  .then = OUTCOME_MOVEMENT },
	{ "all that are wanted are ready", .when = { .about = ABOUT_NUMBERS, .says = OK }, .unless = { .of = FACT_WORD, .must = UNREAD },
	  .then = OUTCOME_READY },
	{ "nobody reports the health of the kind", .being = IS_STATIC, .unless = { .of = FACT_WORD, .must = UNREAD }, .then = OUTCOME_READY },

	/* what speaks against "Ready" */
	{ "members of what was just made are not ready", .when = { .about = ABOUT_MEMBER, .says = BAD | PROGRESS }, .being = IS_FRESH,
	  .then = OUTCOME_MOVEMENT, .against = true },
	{ "a change goes on in its members", .when = { .about = ABOUT_MEMBER, .says = BAD | PROGRESS }, .telling = MOVES,
	  .then = OUTCOME_MOVEMENT, .against = true },
	{ "its members are not ready", .when = { .about = ABOUT_MEMBER, .says = BAD }, .then = OUTCOME_TROUBLE, .against = true },
	{ "something beside its goal went wrong", .when = { .about = ABOUT_BESIDE, .says = BAD }, .not_being = RUNS_ONCE,
	  .then = OUTCOME_READY_BUT, .against = true },
};

static const struct rule nothing_known[] = {
	{ "the word is not known", .when = { .must = UNREAD }, .then = OUTCOME_UNKNOWN },
	{ "nothing is known", .then = OUTCOME_UNKNOWN },
};

static bool fits(const struct fact *t, const struct pattern *p)
{
	return (!p->of || (t->of & p->of)) && (!p->about || (t->about & p->about)) && (!p->says || (1u << t->says & p->says)) &&
	       (t->flags & p->must) == p->must && !(t->flags & (p->not | SILENCED));
}

static bool is_empty(const struct pattern *p)
{
	return !p->of && !p->about && !p->says && !p->must && !p->not;
}

static const struct fact *heaviest(const struct facts *f, const struct pattern *p)
{
	const struct fact *best = NULL;

	for (size_t i = 0; i < f->n; i++)
		if (fits(&f->all[i], p) && fact_is_heavier(&f->all[i], best))
			best = &f->all[i];
	return best;
}

static bool is_not(struct facts *f, unsigned being)
{
	for (unsigned bit = 1; being; bit <<= 1, being &= ~(bit >> 1))
		if ((being & bit) && facts_is(f, bit))
			return false;
	return true;
}

static bool explains(struct facts *f, const struct silenced *s)
{
	return (is_empty(&s->by) || heaviest(f, &s->by)) && facts_is(f, s->being) && is_not(f, s->not_being);
}

static void silence(struct facts *f)
{
	for (size_t i = 0; i < sizeof(silenced) / sizeof(silenced[0]); i++) {
		const struct silenced *s = &silenced[i];

		if (table_is_off(s->name) || !heaviest(f, &s->fact) || !explains(f, s))
			continue;
		table_row_holds(s->name);
		for (size_t k = 0; k < f->n; k++)
			if (fits(&f->all[k], &s->fact))
				f->all[k].flags |= SILENCED;
	}
}

/* Facts that are found only when a row asks for them, because finding them takes time. */
static void find_what_is_asked(struct facts *f, unsigned about)
{
	size_t before = f->n;

	about &= (ABOUT_MEMBER | ABOUT_BESIDE) & ~f->found;
	f->found |= about;
	if (about & ABOUT_MEMBER)
		facts_of_members(f);
	if (about & ABOUT_BESIDE)
		facts_of_records(f);
	if (f->n == before)
		return;
	facts_relate(f, before);
	silence(f);
}

static bool holds(struct facts *f, const struct rule *r, struct ruling *out)
{
	static const struct fact none = { .says = WORD_NONE };
	const struct fact *fact;

	find_what_is_asked(f, r->when.about);
	fact = is_empty(&r->when) ? &none : heaviest(f, &r->when);
	if (!fact || (fact->flags & r->telling) != r->telling)
		return false;
	if ((!is_empty(&r->with) && !heaviest(f, &r->with)) || (!is_empty(&r->unless) && heaviest(f, &r->unless)))
		return false;
	if (!facts_is(f, r->being) || !is_not(f, r->not_being))
		return false;
	out->rule = r;
	out->fact = fact;
	return true;
}

static bool first_row(struct facts *f, bool against, struct ruling *out)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].against == against && !table_is_off(rules[i].name) && holds(f, &rules[i], out)) {
			table_row_holds(rules[i].name);
			return true;
		}
	}
	return false;
}

bool rules_decide(struct facts *f, struct ruling *out)
{
	silence(f);
	if (!first_row(f, false, out))
		return false;
	out->ready = out->fact;
	if (out->rule->then == OUTCOME_READY && !(f->is & IS_SILENT))
		first_row(f, true, out);
	return true;
}

void rules_give_up(struct facts *f, struct ruling *out)
{
	if (!holds(f, &nothing_known[0], out))
		holds(f, &nothing_known[1], out);
}
