/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges every object that no family takes: its facts are collected, the table in rules.c decides, outcome.c names the phase, and
 * what its words say of other objects becomes a reference or a wait.
 */
#include "kube/evidence/evidence.h"
#include "kube/evidence/pod_selector.h"
#include "kube/evidence/pod_template.h"
#include "kube/evidence/rules.h"
#include "kube/evidence/decision_table.h"
#include "kube/evidence/version.h"

/* ---- facts of the whole object ---------------------------------------------------- */

/* Some operators write it as text, and -1 before their first reconciliation. */
static bool observed_is_older(struct verdict *v)
{
	struct json observed = json_at(verdict_object(v), "status.observedGeneration");
	int64_t n = json_int(observed, "", INT64_MIN);

	if (n == INT64_MIN && !str_to_int(json_str(observed, ""), &n))
		return false;
	return n < verdict_generation(v);
}

/* How far the status follows the spec. */
static void facts_of_spec(struct facts *f)
{
	if (!(f->is & GOAL_IS_CURRENT) && observed_is_older(f->v))
		f->is |= LAGS;
	if (f->is & LAGS)
		facts_add(f, (struct fact){ .of = FACT_SPEC, .about = ABOUT_WHOLE, .says = WORD_PROGRESS, .flags = BY_DEFAULT, .weight = -1,
					    .where = STR("status.observedGeneration is older than metadata.generation") });
	if (facts_is(f, FOLLOWS_SPEC))
		facts_add(f, (struct fact){ .of = FACT_SPEC, .about = ABOUT_STEP, .says = WORD_OK,
					    .where = STR("status.observedGeneration, and nothing else") });
}

static enum word_class class_of_phase(enum phase phase)
{
	switch (phase) {
	case PHASE_FAILED:
	case PHASE_DEGRADED: return WORD_BAD;
	case PHASE_SUSPENDED: return WORD_SUSPENDED;
	case PHASE_READY: return WORD_OK;
	case PHASE_UNKNOWN: return WORD_NONE;
	default: return WORD_PROGRESS;
	}
}

/* A row calls Degraded what is trouble while the object serves: of one that never did, trouble that the general rules find decides first. */
static bool is_doubtful(struct facts *f, const struct fact *t)
{
	return t->phase == PHASE_DEGRADED && (t->flags & IN_DETAIL) && !(t->flags & NAMES_REASON) && being_never_at_goal(f);
}

/* The word of a field explains itself, but not trouble that another field reports. */
static bool means_worst(const struct facts *f, const struct fact *t)
{
	const struct fact *worst = facts_best(f, FACT_ANYTHING, ABOUT_WHOLE, WORD_BAD);

	worst = worst ? worst : facts_best(f, FACT_ANYTHING, ABOUT_PART | ABOUT_DETAIL, WORD_BAD);
	return !worst || str_eq(worst->word, t->word);
}

/* What rows of a rules file say. */
static void facts_of_rows(struct facts *f)
{
	struct fact fact, parts, held, lag;
	bool beginning;

	if (rows_parts_well(f->v, f->rows, &parts)) {
		parts.of = FACT_WORD;
		parts.about = ABOUT_NUMBERS;
		parts.says = WORD_OK;
		facts_add(f, parts);
	}
	held = (struct fact){ .of = FACT_COUNT, .about = ABOUT_RULED, .says = WORD_SUSPENDED, .flags = SAID_BY_OPERATOR, .weight = 1,
			      .phase = PHASE_SUSPENDED, .level = SEVERITY_INFO };
	if (rows_hold_back(f->v, f->rows, &held.where))
		facts_add(f, held);
	lag = (struct fact){ .of = FACT_SPEC, .about = ABOUT_MEMBER, .says = WORD_PROGRESS, .flags = SAID_BY_OPERATOR };
	if (rows_lag(f->v, f->rows, &lag.where))
		facts_add(f, lag);
	if (!rows_decide(f->v, f->rows, &fact))
		return;
	if (fact.runbook)
		verdict_particular(f->v, "runbook", str_of(fact.runbook));
	fact.about = ABOUT_RULED;
	fact.says = class_of_phase(fact.phase);
	fact.flags |= SAID_BY_OPERATOR | (fact.says == WORD_NONE ? UNREAD : 0);
	/* trouble of an older spec, and that it is made for the first time, is believed until it is denied */
	beginning = fact.of == FACT_WORD && fact.phase == PHASE_PROVISIONING;
	if ((f->is & LAGS) && fact.says != WORD_BAD && fact.says != WORD_SUSPENDED && !beginning)
		return;
	if (fact.says != WORD_OK && !is_doubtful(f, &fact) && (fact.of == FACT_CONDITION || fact.phase == PHASE_FAILED || means_worst(f, &fact)))
		fact.flags |= AT_ONCE;
	if (fact.says == WORD_OK && !(f->is & RUNS_ONCE))
		f->is |= IS_USABLE;
	facts_add(f, fact);
}

static void replicas_alone(struct facts *f)
{
	const struct replicas *r = &f->replicas;
	bool none = r->wanted == 0 && (f->is & WANTS_NONE) && r->ready == 0;
	/* programs in Go leave out a 0, but not all that they count */
	bool silent = r->ready < 0 && r->current < 0 && r->updated < 0 && !(f->is & WANTED_BY_STATUS) &&
		      json_count(json_at(verdict_object(f->v), "status"));
	struct fact fact = { .of = FACT_COUNT, .about = ABOUT_NUMBERS, .flags = FAINT, .weight = 2 };

	if ((r->wanted <= 0 && !none) || silent || (r->ready < 0 && (f->is & IS_STATIC)))
		return;
	fact.says = r->ready < r->wanted ? WORD_BAD : r->updated >= 0 && r->updated < r->wanted ? WORD_PROGRESS : WORD_OK;
	fact.where = arena_printf(verdict_arena(f->v), "%d of %d ready", r->ready < 0 ? 0 : r->ready, r->wanted);
	facts_add(f, fact);
}

/* What the numbers say that the other extractors have found. */
static void facts_of_replicas(struct facts *f)
{
	const struct replicas *r = &f->replicas;
	bool lacks = facts_is(f, LACKS_SOME), updates = facts_is(f, LACKS_UPDATES);
	struct fact fact = { .of = FACT_COUNT, .about = ABOUT_NUMBERS, .weight = 1 };

	if (lacks || updates) {
		fact.says = lacks ? WORD_BAD : WORD_PROGRESS;
		fact.phase = lacks ? PHASE_PROVISIONING : PHASE_UPDATING;
		fact.where = arena_printf(verdict_arena(f->v), "%d of %d ready", r->ready < 0 ? 0 : r->ready, r->wanted);
		if (updates)
			fact.where = arena_printf(verdict_arena(f->v), STR_FMT ", %d updated", STR_ARG(fact.where), r->updated);
		facts_add(f, fact);
	}
	/* a rules file counts it, so that it speaks against every good word */
	if (lacks && (f->is & COUNTED_BY_ROWS) && !(f->is & RUNS_ONCE)) {
		fact.about = ABOUT_MEMBER;
		fact.weight = 30;
		fact.reason = facts_reason(json_at(verdict_object(f->v), "status"));
		fact.message = facts_explanation(json_at(verdict_object(f->v), "status"));
		fact.where = arena_printf(verdict_arena(f->v), "%d of %d ready", r->ready, r->wanted);
		facts_add(f, fact);
	}
	if (r->ready >= 0 || f->members.wanted == 0)
		replicas_alone(f);
}

/* Where no number tells how many are ready, and nothing else decides, the members of a list do by their own words. */
static void count_members(struct facts *f)
{
	struct replicas *r = &f->replicas;

	if (r->ready >= 0 || f->members.wanted == 0)
		return;
	r->wanted = r->wanted > 0 ? r->wanted : f->members.wanted;
	r->ready = f->members.ready;
	verdict_replicas(f->v, *r);
	replicas_alone(f);
}

/* Counts by their names, where those that most operators use are not there. */
static void named_counts(struct facts *f)
{
	struct replicas *r = &f->replicas;

	if ((r->wanted < 0 || r->ready < 0) && facts_named_counts(f, &r->wanted, &r->ready))
		verdict_replicas(f->v, *r);
}

/* One of the jobs that a run is made of is active. */
static bool has_active_part(struct json list)
{
	json_foreach(part, list)
		if (json_int(part, "active", 0) > 0)
			return true;
	return false;
}

/* Reads "active: 1" of a run, or of the jobs that it is made of. */
static bool is_active(struct json status)
{
	json_foreach(field, status)
	{
		if (json_int(field, "active", 0) > 0 || (str_is(json_key(field), "active") && json_int(field, "", 0) > 0) ||
		    (json_is_array(field) && has_active_part(field)))
			return true;
	}
	return false;
}

/*
 * A run with a word that is not known here, and a field that names what it does at present ("currentAction: kexec"), or
 * one that has begun and says no more.
 */
static void runs_at_present(struct facts *f, const struct fact *unread)
{
	struct json status = json_at(verdict_object(f->v), "status");
	bool active = is_active(status), current = active;
	struct fact fact = { .of = FACT_RECORD, .about = ABOUT_WHOLE, .where = STR("it has begun, and has not ended") };

	if (!(f->is & RUNS_ONCE) || being_has_ended(status))
		return;
	json_foreach(field, status)
		current |= str_starts(json_key(field), "current") && json_str(field, "").len > 0;
	if (unread ? !current : !active && !(being_has_begun(status) && !(f->is & HAS_SPOKEN)))
		return;
	if (unread)
		fact = *unread;
	fact.says = WORD_PROGRESS;
	fact.flags = 0;
	facts_add(f, fact);
}

/* ---- judging ------------------------------------------------------------------------- */

static void collect(struct facts *f)
{
	facts_of_pause(f);
	facts_of_handlers(f);
	if (silence_is(f)) {
		f->is |= IS_SILENT;
		return;
	}
	if (rows_runs_once(f->rows) ? rows_runs_once(f->rows) > 0 : being_runs_once(f->v))
		f->is |= RUNS_ONCE;
	f->is |= (rows_static(f->rows) ? IS_STATIC : 0) | (rows_serve(f->rows) ? IS_USABLE : 0);
	f->ignored = rows_ignored(f->v, f->rows);
	facts_of_conditions(f);
	facts_of_fields(f);
	named_counts(f);
	if (rows_counts(f->v, f->rows, &f->replicas.wanted, &f->replicas.ready)) {
		f->is |= COUNTED_BY_ROWS;
		verdict_replicas(f->v, f->replicas);
	}
	facts_of_spec(f);
	facts_of_rows(f);
	facts_of_replicas(f);
}

/* What is only found where nothing else is said, and then weighed again. */
static bool decide_with(struct facts *f, void (*find)(struct facts *f), struct ruling *r)
{
	size_t before = f->n;

	find(f);
	facts_forget(f);
	facts_relate(f, before);
	return rules_decide(f, r);
}

static void last_resort(struct facts *f)
{
	const struct fact *unread = facts_best(f, FACT_WORD, ABOUT_WHOLE, WORD_NONE);

	if (!unread)
		facts_of_last_resort(f);
	runs_at_present(f, unread);
}

static void achievements(struct facts *f)
{
	if (!facts_best(f, FACT_WORD, ABOUT_WHOLE, WORD_NONE))
		facts_of_achievements(f);
}

static void judge(struct facts *f, struct ruling *r)
{
	enum phase phase;

	if (!decide_with(f, collect, r) && !decide_with(f, count_members, r) && !decide_with(f, last_resort, r) && !decide_with(f, achievements, r))
		rules_give_up(f, r);
	outcome_conclude(f, r);
	because_tell(f, r);
	phase = verdict_phase(f->v);
	/* "Ready=True" beside "phase: Pending" is about to be */
	if (phase == PHASE_READY || ((f->is & IS_AT_GOAL) && phase != PHASE_PROVISIONING))
		verdict_ever_ready(f->v);
}

/* ---- what the words say of others ------------------------------------------------------ */

/*
 * The words that decided name nothing: other conditions that are not as they ought to be may name what is missing.  A
 * failure of the object itself stays one, because it may have another reason.
 */
static void other_complaints(const struct facts *f, struct str complaint)
{
	enum { MOST = 8 };	/* messages that are read */
	size_t n = 0;

	for (size_t i = 0; n < MOST && i < verdict_condition_count(f->v); i++) {
		const struct condition *c = verdict_condition_at(f->v, i);

		if (carried_is_as_it_ought_to_be(c) || str_eq(c->message, complaint) || c->message.len == 0)
			continue;
		n++;
		evidence_mentions(f->v, STR_NONE, c->message);
	}
}

/* "the referenced resource is not synced yet. name:db": some operators write into the reason what others write into the message. */
static bool is_sentence(struct str reason)
{
	size_t blanks = 0;

	for (size_t i = 0; i < reason.len; i++)
		blanks += reason.ptr[i] == ' ';
	return blanks >= 3;
}

static struct facts facts_none(struct verdict *v, const struct kind_row *rows)
{
	return (struct facts){ .v = v, .rows = rows_for(v, rows), .replicas = REPLICAS_NONE };
}

void evidence_inspect(struct verdict *v, const struct kind_row *rows)
{
	struct facts f = facts_none(v, rows);
	struct ruling r = { .rule = NULL };
	bool told, sentence;

	rows_refs(v, f.rows);
	judge(&f, &r);
	evidence_version(v);
	rows_version(v, f.rows);
	sentence = is_sentence(r.reason);
	told = evidence_refs(v, sentence ? r.reason : r.message);
	told |= evidence_mentions(v, r.reason, r.message);
	if (sentence)
		told |= evidence_mentions(v, STR_NONE, r.reason);
	outcome_blame(&f, &r, told);
	if (!told && verdict_phase(v) != PHASE_READY)
		other_complaints(&f, r.message);
	carried_explain(&f, &r);
	selector_is_mine(v);
	pod_template_note(v);
	rows_after(v, f.rows);
}

static const struct row rows[] = {
	{ "the general rules call it well, and its family does not know its word", .then = OUTCOME_UNKNOWN, .flags = KEEPS_TIME | NAMES_ONLY },
	{ 0 }
};

void evidence_decides(struct verdict *v, const char *what, struct str word)
{
	struct facts f = facts_none(v, NULL);
	struct ruling r = { .rule = NULL };

	struct told told;

	judge(&f, &r);
	told = verdict_told(v);
	if (verdict_phase(v) == PHASE_READY)
		row_decides(&(struct reading){ .v = v, .reason = told.reason, .message = told.message, .rule = verdict_decided_by(v) }, rows);
	verdict_unknown_word(v, what, word);
}
