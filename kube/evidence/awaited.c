/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells whether what an object says it waits for is something else, or its own work: "WaitingForDependency" and
 * "WaitingForPods".  Names of objects in messages are read in mention.c; this reads the word alone.
 */
#include "kube/evidence/evidence.h"
#include "kube/evidence/decision_table.h"
#include "kube/evidence/word_lists.h"

/* Returns what stands behind "WaitingFor", "Awaiting", "waiting for"; "": the text begins with none of them. */
static struct str behind_wait(struct str text)
{
	for (const char *const *begin = list_behind_wait; *begin; begin++) {
		struct str b = str_of(*begin);

		if (text.len > b.len && str_eq_nocase(str_head(text, b.len), b))
			return str_from(text, b.len);
	}
	return STR_NONE;
}

enum awaited evidence_awaits(struct str telling, struct str message)
{
	struct str what = behind_wait(telling);

	/* "Waiting: waiting for the parent zone" */
	if (what.len == 0 && (str_eq_nocase(telling, STR("waiting")) || telling.len == 0))
		return phrase_has(behind_wait(message), list_of_others) ? AWAITED_OF_OTHERS : AWAITED_NOTHING;
	if (what.len == 0)
		return AWAITED_NOTHING;
	if (phrase_has(what, list_of_others) || (phrase_has(what, "data") && phrase_has(what, "bootstrap*")))
		return AWAITED_OF_OTHERS;
	if (phrase_has(what, list_of_its_own))
		return AWAITED_NOTHING;
	return phrase_has(message, "pod pods replica replicas deployment statefulset daemonset container containers") ? AWAITED_NOTHING :
														      AWAITED_OF_ANYONE;
}

/* One of the parts that the object has made is in progress, and nothing is wrong with it. */
static bool makes_a_part(struct assessment *d)
{
	struct neighbour n;

	for (size_t i = 0; assess_target(d, i, &n); i++)
		if (n.relation == RELATION_MANAGES && n.presence == PRESENCE_FOUND && assess_own_work(d, &n))
			return true;
	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		if (n.relation == RELATION_OWNS && n.presence == PRESENCE_FOUND && assess_own_work(d, &n))
			return true;
	return false;
}

static const struct row rows[] = {
	{ "what it waits for is a part that it makes", .then = OUTCOME_MOVEMENT, .phase = PHASE_PROVISIONING }, { 0 }
};

void evidence_own_part_is_awaited(struct assessment *d)
{
	const struct status *st = assess_status(d);

	if (st->phase != PHASE_WAITING || assess_waits(d) || evidence_awaits(st->reason, st->message) != AWAITED_OF_ANYONE)
		return;
	if (makes_a_part(d))
		row_decides(&(struct reading){ .d = d, .reason = st->reason, .message = st->message, .rule = st->rule, .level = st->severity }, rows);
}
