/* SPDX-License-Identifier: Apache-2.0 */
/* What facts mean beside each other: which is only a consequence, which may be the first attempt, which has lasted too long. */
#include "kube/evidence/rules.h"
#include "kube/evidence/word_lists.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

/* What is not ready since so soon after its creation was never ready. */
#define SOON SECONDS(10)

static bool tells_error(const struct fact *t)
{
	return being_tells_error(t->message) || being_tells_error(t->reason);
}

/* "Available=False, reason Unavailable", "Ready=False, reason ComponentsNotReady": no more than that it is not there. */
static bool is_only_absent(const struct fact *t)
{
	if (t->of != FACT_CONDITION || ((t->flags & LOST) && (t->flags & BY_MESSAGE)))
		return t->of == FACT_CONDITION;
	return !tells_error(t) && (t->reason.len == 0 || phrase_has(t->reason, "unavailable unready unreachable offline down stopped notready") ||
				   (word_class(t->reason) == WORD_PROGRESS && !phrase_moves(t->reason)));
}

/* What follows of being asleep: it does not answer, and is not ready. */
static bool follows_of_sleep(const struct fact *t)
{
	return (t->flags & LOST) || phrase_has(facts_last_part(t->word), "unreach* unavail* unready offline disconnect* down notready");
}

/* "Ready=False" may be said of a beginning, "Failed=True" and a word of a phase may not. */
static bool may_be_first_attempt(struct facts *f, const struct fact *t)
{
	const struct fact *moving = facts_best(f, FACT_ANYTHING, ABOUT_WHOLE, WORD_PROGRESS);
	int64_t created = verdict_created(f->v);
	bool at_once = (t->flags & (BY_MESSAGE | UNDECIDED)) && t->since < created + SOON;
	/* "Ready=False" beside "phase: Pending", and no error */
	bool still_made = moving && moving->of == FACT_WORD && !tells_error(t);

	if (!(t->flags & (LOST | UNDECIDED)) || (f->is & RUNS_ONCE) || !created || verdict_now(f->v) >= created + thresholds.young)
		return false;
	/* "MetadUnhealthy" of what has just begun says no more than that it does not answer yet */
	still_made |= phrase_has(t->reason, "unhealth*") && str_is_any(t->word, list_all) && !tells_error(t);
	if (!at_once && !phrase_lacks(t->message) && !still_made && !(phrase_lacks(t->reason) && word_class(t->message) != WORD_BAD) &&
	    !(f->moving_since && f->moving_since >= t->since))
		return false;
	return !facts_is(f, WAS_USABLE) && facts_is(f, IS_YOUNG);
}

/* "Ready=False" of what shall have no replicas is as it ought to be. */
static bool is_of_nothing(struct facts *f, const struct fact *t)
{
	if (!(f->is & WANTS_NONE) || t->of != FACT_CONDITION || f->replicas.ready > 0 || tells_error(t))
		return false;
	if (t->about == ABOUT_MEMBER)
		return true;
	return (t->flags & LOST) && (t->says == WORD_BAD ? !may_be_first_attempt(f, t) : outcome_movement_named(t) == PHASE_UNKNOWN);
}

/* The rules file means this very word, condition or reason. */
static bool is_excused(const struct facts *f, const struct fact *t)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fact *file = &f->all[i];

		if (file->about != ABOUT_RULED || file->says != WORD_OK)
			continue;
		if ((file->word.len && str_eq(file->word, t->word)) || (file->of == FACT_CONDITION && file->reason.len && str_eq(file->reason, t->reason)))
			return (t->about & (ABOUT_SELF | ABOUT_BESIDE)) || (t->about == ABOUT_MEMBER && t->of == FACT_CONDITION);
	}
	return false;
}

static unsigned of_trouble(struct facts *f, const struct fact *t)
{
	unsigned flags = 0;

	flags |= t->about == ABOUT_WHOLE && is_only_absent(t) ? ONLY_ABSENT : 0;
	flags |= t->of == FACT_WORD && str_eq_nocase(t->word, STR("red")) ? COLOUR : 0;
	flags |= t->of == FACT_WORD && phrase_has(t->word, "fail* error* crash* fault*") ? FAILED : 0;
	flags |= may_be_first_attempt(f, t) ? FIRST : 0;
	flags |= t->about == ABOUT_MEMBER && outcome_movement_named(t) != PHASE_UNKNOWN ? MOVES : 0;
	flags |= is_excused(f, t) ? EXCUSED : 0;
	flags |= (f->is & IS_PAUSED) && follows_of_sleep(t) ? OF_SLEEP : 0;
	return flags;
}

/* Returns the time since which what was ready before is "initializing", as at its beginning; 0: it is not. */
static int64_t begins_again_since(struct facts *f)
{
	const struct condition *ready = being_ready_condition(f->v);

	if (!condition_is(ready, "True") || !ready->since || (f->is & RUNS_ONCE))
		return 0;
	for (size_t i = 0; i < verdict_condition_count(f->v); i++) {
		const struct condition *c = verdict_condition_at(f->v, i);

		if (condition_is(c, "True") && c->since > ready->since && str_eq_nocase(facts_last_part(c->type), STR("initializing")))
			return c->since;
	}
	return 0;
}

/* Another word says that it can be used, or some of its replicas are there. */
static bool is_usable_in_part(struct facts *f, const struct fact *t)
{
	if (f->replicas.ready > 0 && f->replicas.ready < f->replicas.wanted)
		return !(f->is & RUNS_ONCE);
	return outcome_is_good_word(f) && !phrase_moves(t->reason) && !facts_is(f, NEVER_USABLE);
}

/*
 * Returns when a fact that something is under way becomes trouble; 0: never.  The object is "not ready", in no other words, and
 * nothing says that a change is in progress.  When a condition became so long after the object was made, the object was ready
 * before.  A word of a phase has no time: an object of that age is not being made for the first time.
 */
static int64_t deadline_of(struct facts *f, const struct fact *t)
{
	int64_t created = verdict_created(f->v);
	bool word = t->of == FACT_WORD;

	if (!created || (f->is & LAGS) || outcome_movement_named(t) != PHASE_UNKNOWN)
		return 0;
	if (begins_again_since(f))
		return begins_again_since(f) + thresholds.overdue;
	/* the colour for "all is there, and some of it only once" */
	if (word && str_eq_nocase(t->word, STR("yellow")) && !f->moving_since)
		return created + thresholds.overdue;
	if (f->is & (IS_AT_GOAL | IS_USABLE))
		return 0;
	if (word && outcome_is_partly_there(f)) /* "initializing" */
		return being_lost_at(f) + thresholds.overdue;
	if (word && str_is_any_nocase(t->word, list_deadline_of))
		return created + thresholds.overdue;
	if (being_lacks_since(f))
		return being_lacks_since(f) + thresholds.overdue;
	if (f->is & IS_MOVING)
		return 0;
	if ((being_lost_it_late(f) && !phrase_moves(t->reason)) || ((t->flags & LOST) && t->since >= created + thresholds.pod_start_grace) ||
	    (being_lost_part(f, t) && !phrase_moves(t->reason)))
		return t->since + thresholds.pod_start_grace;
	if (t->of == FACT_CONDITION && is_usable_in_part(f, t))
		return (t->since > created ? t->since : created) + thresholds.overdue;
	return 0;
}

/* A rules file calls it a beginning, and the object was ready before, or is older than that and lacks some of its replicas. */
static int64_t deadline_of_file(struct facts *f, const struct fact *t)
{
	bool own = t->of == FACT_WORD && t->word.len && str_eq(t->word, f->phase) && verdict_created(f->v);

	if (t->says != WORD_PROGRESS || t->phase != PHASE_PROVISIONING)
		return 0;
	if ((t->flags & IN_DETAIL) && t->since && facts_is(f, WAS_USABLE))
		return t->since + thresholds.pod_start_grace;
	return own && outcome_is_partly_there(f) && !outcome_tells_scaling(t->message) && facts_is(f, IS_GROWN) ? being_lost_at(f) + thresholds.overdue : 0;
}

static unsigned of_movement(struct facts *f, const struct fact *t)
{
	int64_t deadline = deadline_of(f, t);
	unsigned flags = t->about == ABOUT_MEMBER ? MOVES : 0;

	flags |= t->of == FACT_CONDITION && phrase_moves(t->reason) ? MOVES : 0;
	flags |= t->of == FACT_WORD && f->moving_since == 0 && str_is_any_nocase(t->word, list_movement) ? LOOKS : 0;
	flags |= deadline && verdict_past(f->v, deadline) ? OVERDUE : 0;
	return flags;
}

/* The spec asks it to hibernate, and the status says that it does: that is its goal. */
static bool sleeps_as_asked(struct facts *f, const struct fact *t)
{
	const struct fact *pause = facts_best(f, FACT_PAUSE, ABOUT_WHOLE, WORD_SUSPENDED);

	return pause && (str_contains_nocase(pause->where, "hibernat") || str_is(pause->where, "spec.powerState")) &&
	       !phrase_has(t->reason, "fail* error*");
}

static unsigned of_stop(struct facts *f, const struct fact *t)
{
	unsigned flags = 0;

	if (t->of == FACT_PAUSE)
		return 0;
	flags |= (t->of & (FACT_CONDITION | FACT_WORD)) && phrase_has(facts_last_part(t->word), "stopped hibernat* shutdown halted shelved") ? STOPPED : 0;
	flags |= sleeps_as_asked(f, t) ? AS_ASKED : 0;
	return flags;
}

static unsigned of_health(const struct fact *t)
{
	if (t->of == FACT_WORD)
		return phrase_has(t->word, "complete completed succeed* finish* done") ? OVER : 0;
	return t->of == FACT_CONDITION && str_is_any_nocase(t->reason, list_health) ? UNDER_MAINTENANCE : 0;
}

/* "phase: Inactive" of what was just made, and one whose reason is a failure: nobody has stopped it. */
static void was_not_stopped(struct facts *f, struct fact *t)
{
	if (t->says != WORD_SUSPENDED || t->of != FACT_WORD || t->about != ABOUT_WHOLE || (t->flags & SAID_BY_OPERATOR))
		return;
	if (str_eq_nocase(t->word, STR("inactive")) && facts_is(f, IS_YOUNG))
		t->says = WORD_PROGRESS;
	else if (phrase_has(t->reason, "fail* error errors") && word_class(t->reason) == WORD_BAD)
		t->says = WORD_BAD;
}

/* "Evicted=True, reason Deactivated" of what is paused: what the pause itself has done. */
static void explain_by_pause(struct facts *f, struct fact *t)
{
	const struct fact *pause = facts_best(f, FACT_PAUSE, ABOUT_WHOLE, WORD_SUSPENDED);

	if (t->says != WORD_BAD || !pause || !(t->about & ABOUT_SELF) || word_class(t->reason) != WORD_SUSPENDED || word_class(t->message) == WORD_BAD)
		return;
	t->of = FACT_PAUSE;
	t->about = ABOUT_WHOLE;
	t->says = WORD_SUSPENDED;
	t->weight = pause->weight + 1;
	t->where = pause->where;
}

static void excuse_nothing_wanted(struct facts *f, struct fact *t)
{
	if ((t->says != WORD_BAD && t->says != WORD_PROGRESS) || !is_of_nothing(f, t))
		return;
	t->says = WORD_OK;
	t->reason = t->message = STR_NONE;
	t->since = 0;
	t->weight = 100;
	t->flags = 0;
	t->where = STR("no replicas are wanted");
}

void facts_relate(struct facts *f, size_t from)
{
	for (size_t i = from; i < f->n; i++) {
		was_not_stopped(f, &f->all[i]);
		explain_by_pause(f, &f->all[i]);
		excuse_nothing_wanted(f, &f->all[i]);
	}
	for (size_t i = from; i < f->n; i++) {
		struct fact *t = &f->all[i];

		if (t->about == ABOUT_RULED) {
			int64_t deadline = deadline_of_file(f, t);

			t->flags |= deadline && verdict_past(f->v, deadline) ? OVERDUE : 0;
			continue;
		}
		switch (t->says) {
		case WORD_BAD: t->flags |= of_trouble(f, t); break;
		case WORD_PROGRESS: t->flags |= of_movement(f, t); break;
		case WORD_SUSPENDED: t->flags |= of_stop(f, t); break;
		case WORD_OK: t->flags |= of_health(t); break;
		case WORD_NONE: break;
		}
	}
}
