/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of a family's table decides, as a phase and a severity: for the families this is the one place that names them. */
#include "kube/evidence/decision_table.h"

#include "kube/status/thresholds.h"

enum phase outcome_phase_of_row(const struct reading *r, const struct row *row)
{
	if ((row->flags | r->flags) & STAYS)
		return r->d ? assess_status(r->d)->phase : verdict_phase(r->v);
	if (row->phase)
		return row->phase;
	switch (row->then) {
	case OUTCOME_TROUBLE: return r->usable ? PHASE_DEGRADED : PHASE_FAILED;
	case OUTCOME_MOVEMENT: return r->usable ? PHASE_UPDATING : PHASE_PROVISIONING;
	case OUTCOME_PAUSE: return PHASE_SUSPENDED;
	case OUTCOME_READY:
	case OUTCOME_READY_BUT: return PHASE_READY;
	case OUTCOME_DELETION: return PHASE_DELETING;
	case OUTCOME_WAIT: return PHASE_WAITING;
	case OUTCOME_SILENCE: return PHASE_PROVISIONING;
	default: return PHASE_UNKNOWN;
	}
}

static enum severity severity_of_row(const struct reading *r, const struct row *row, enum phase phase)
{
	unsigned flags = row->flags | r->flags;
	bool trouble = row->then == OUTCOME_TROUBLE || row->then == OUTCOME_READY_BUT || row->then == OUTCOME_UNKNOWN;
	/* nobody has written anything into what is not young any more */
	bool overdue = row->then == OUTCOME_SILENCE && verdict_created(r->v) && verdict_past(r->v, verdict_created(r->v) + thresholds.young);
	enum severity now = r->d ? assess_status(r->d)->severity : verdict_severity(r->v), severity;

	if ((flags & STAYS) && !(flags & AT_LEAST))
		return now;
	if (r->level != SEVERITY_NONE)
		severity = r->level;
	else if ((flags & FINAL) || ((flags & FINAL_IF_DOWN) && phase == PHASE_FAILED))
		severity = SEVERITY_ERROR;
	else if (flags & RETRIED)
		severity = SEVERITY_WARNING;
	else if ((flags & QUIET) || row->then == OUTCOME_READY)
		severity = SEVERITY_NONE;
	else
		severity = trouble || overdue ? SEVERITY_WARNING : SEVERITY_INFO;
	return (flags & AT_LEAST) && now > severity ? now : severity;
}

static struct str rule_of_row(const struct reading *r, const struct row *row)
{
	struct arena *a = r->d ? assess_arena(r->d) : verdict_arena(r->v);

	if (r->rule.len)
		return r->rule;
	if (row->then == OUTCOME_SILENCE && !row->rule)
		return STR("no status: never reconciled");
	return row->rule ? str_of(row->rule) : r->condition ? condition_text(a, r->condition) : str_of(row->name);
}

static void row_in_phase_1(struct reading *r, const struct row *row, int64_t since)
{
	unsigned flags = row->flags | r->flags;
	enum phase phase = outcome_phase_of_row(r, row);

	verdict_set(r->v, phase, severity_of_row(r, row, phase), r->reason, r->message);
	if (since || !(flags & (STAYS | KEEPS_TIME)))
		verdict_since(r->v, since);
	verdict_rule(r->v, rule_of_row(r, row));
	verdict_row(r->v, row->name);
	if (row->says)
		verdict_word(r->v, str_of(row->says));
	else if (!(flags & (NAMES_ONLY | STAYS)))
		verdict_word(r->v, row->word || !r->condition ? r->word : r->condition->reason);
	if (flags & PASSED)
		verdict_by_time(r->v);
	if (phase == PHASE_READY && !(flags & UNPROVEN))
		verdict_ever_ready(r->v);
	if (flags & COMPLETE)
		verdict_complete(r->v);
	if (flags & BY_ITSELF)
		verdict_own_failure(r->v);
	if (row->flag)
		verdict_flag(r->v, row->flag);
}

static void row_in_phase_2(struct reading *r, const struct row *row, int64_t since)
{
	unsigned flags = row->flags | r->flags;
	enum phase phase = outcome_phase_of_row(r, row);

	assess_set(r->d, phase, severity_of_row(r, row, phase), r->reason, r->message);
	if (since || (flags & UNDATED))
		assess_since(r->d, since);
	if (!(flags & NAMES_ONLY))
		assess_rule(r->d, rule_of_row(r, row));
	assess_row(r->d, row->name);
	if (flags & PASSED)
		assess_by_time(r->d);
	if (row->flag)
		assess_flag(r->d, row->flag);
}

void outcome_of_row(struct reading *r, const struct row *row)
{
	unsigned flags;
	int64_t since;

	if (row->tell)
		row->tell(r);
	flags = row->flags | r->flags;
	if (r->condition && !r->reason.len && !r->message.len) {
		r->reason = r->condition->reason;
		r->message = r->condition->message;
	}
	since = r->since ? r->since : r->condition ? r->condition->since : 0;
	if (!since && ((flags & SINCE_CREATED) || row->then == OUTCOME_SILENCE))
		since = r->d ? assess_created(r->d) : verdict_created(r->v);
	if (flags & UNDATED)
		since = 0;
	if (r->d)
		row_in_phase_2(r, row, since);
	else
		row_in_phase_1(r, row, since);
}
