/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/status/retry.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"
#include "kube/status/verdict.h"

/* Operators give an attempt five minutes by default (Flux, Helm, OLM); one that lasts twice as long goes another way. */
#define ATTEMPT_LASTS MINUTES(10)

static bool names_missing(const struct status *st)
{
	for (size_t i = 0; i < st->nrefs; i++)
		if ((st->refs[i].flags & REF_NAMED) && (st->refs[i].flags & REF_REPORTED_MISSING))
			return true;
	return false;
}

/*
 * A first attempt that has failed and is made again leaves some objects in Provisioning: with a warning that says why,
 * or with the name of what is not there.  A controller that is silent has made no attempt.
 */
static bool has_failed(const struct status *st)
{
	return phase_is_bad(st->phase) ||
	       (st->phase == PHASE_PROVISIONING && st->message.len && !st->stale && (st->severity >= SEVERITY_WARNING || names_missing(st)));
}

/* ---- the verdict before the attempt ---------------------------------------- */

/* Returns the condition that has the words of the verdict, or NULL. */
static const struct condition *deciding(const struct status *st)
{
	for (size_t i = 0; i < st->nconditions; i++) {
		const struct condition *c = &st->conditions[i];

		if ((c->reason.len || c->message.len) && str_eq(c->reason, st->reason) && str_eq(c->message, st->message))
			return c;
	}
	return NULL;
}

static const struct conclusion *conclude(struct verdict *v, const struct status *st)
{
	const struct condition *c = deciding(st);
	struct conclusion *out = arena_alloc(v->arena, sizeof(*out));

	*out = (struct conclusion){
		.phase = st->phase,
		.severity = st->severity,
		.reason = st->reason,
		.message = st->message,
		.rule = st->rule,
		.type = c ? c->type : STR_NONE,
		.status = c ? c->status : STR_NONE,
		.since = st->since,
		.attempt = v->now,
		.blames = st->blames,
		.own_failure = st->own_failure,
		.by_time = st->by_time,
	};
	return out;
}

static const struct conclusion *earlier_of(struct verdict *v, const struct status *before)
{
	if (before->earlier)
		return before->earlier;
	return has_failed(before) || (before->phase == PHASE_READY && !before->untouched) ? conclude(v, before) : NULL;
}

/* ---- is it news? ------------------------------------------------------------ */

/* What decided says the opposite now, or is not there any more. */
static bool is_denied(const struct status *now, const struct conclusion *c)
{
	const struct condition *same = NULL;

	for (size_t i = 0; i < now->nconditions && !same; i++)
		if (str_eq(now->conditions[i].type, c->type))
			same = &now->conditions[i];
	return c->type.len && (!same || (!str_is(same->status, "Unknown") && !str_eq(same->status, c->status)));
}

static bool runs_another_operation(const struct status *before, const struct status *now)
{
	if (!now->async || !str_is(now->async->class, "pending"))
		return false;
	return !before->async || !str_eq(before->async->work_request_id, now->async->work_request_id) ||
	       !str_eq(before->async->request_id, now->async->request_id);
}

static bool moves_on(const struct status *before, const struct status *now)
{
	int ready = before->replicas.ready > 0 ? before->replicas.ready : 0;

	return now->replicas.ready > ready ||
	       (before->version_to.len && now->version_to.len && !str_eq(before->version_to, now->version_to)) ||
	       runs_another_operation(before, now);
}

/* ---- a failure that is tried again ------------------------------------------- */

/* Returns true for texts that differ in numbers at most: "attempt 3 failed", "attempt 4 failed". */
static bool same_words(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	while (i < a.len || k < b.len) {
		bool digit = i < a.len && a.ptr[i] >= '0' && a.ptr[i] <= '9';

		if (digit != (k < b.len && b.ptr[k] >= '0' && b.ptr[k] <= '9'))
			return false;
		if (!digit && (i == a.len || k == b.len || a.ptr[i++] != b.ptr[k++]))
			return false;
		while (digit && i < a.len && a.ptr[i] >= '0' && a.ptr[i] <= '9')
			i++;
		while (digit && k < b.len && b.ptr[k] >= '0' && b.ptr[k] <= '9')
			k++;
	}
	return true;
}

static bool same_failure(const struct conclusion *c, const struct status *st)
{
	return same_words(c->reason, st->reason) && same_words(c->message, st->message);
}

/* The object says itself that it does not know yet how the attempt ends. */
static bool is_undecided(const struct verdict *v)
{
	const struct condition *ready = verdict_condition(v, "Ready");

	return condition_is(ready, "Unknown") && word_class(ready->reason) != WORD_BAD;
}

static bool is_repeated(const struct verdict *v, const struct status *before, const struct conclusion *c)
{
	/* nothing is said but what had failed */
	if (v->status.message.len && same_failure(c, &v->status))
		return true;
	if (verdict_now(v) - c->attempt >= ATTEMPT_LASTS)
		return false;
	return is_undecided(v) || (before->retried && !v->family->knows_retries && !is_denied(&v->status, c));
}

/* The attempt has failed.  The graph knows since when that phase is shown. */
static void fail_again(struct verdict *v, const struct status *before, const struct conclusion *c)
{
	struct status *st = &v->status;

	if (c->phase == st->phase && same_failure(c, st))
		st->retried = before->retried || before->earlier;
}

/* ---- a healthy object that is looked at -------------------------------------- */

/* What is in progress is about the revision that was applied last (Flux, Kustomization). */
static bool names_applied(struct verdict *v, struct str message)
{
	struct str applied = json_str(v->object, "status.lastAppliedRevision");

	return applied.len && str_contains(message, arena_str(v->arena, applied).ptr);
}

/* A look takes moments; what takes longer is a change. */
static bool is_looked_at(struct verdict *v)
{
	const struct condition *ready = verdict_condition(v, "Ready"), *looks = verdict_condition(v, "Reconciling");

	if (!ready || !condition_is(looks, "True") || v->status.severity > SEVERITY_INFO)
		return false;
	if (condition_is(ready, "True") ? !str_eq(looks->message, v->status.message) :
					  !is_undecided(v) || !names_applied(v, looks->message))
		return false;
	return !verdict_past(v, looks->since + thresholds.young);
}

/* ---- both --------------------------------------------------------------------- */

static void keep(struct status *st, const struct conclusion *c)
{
	st->phase = c->phase;
	st->severity = c->severity;
	st->reason = c->reason;
	st->message = c->message;
	if (!str_eq(st->rule, c->rule))
		st->row = STR_NONE;
	st->rule = c->rule;
	st->since = c->since;
	st->own_failure = c->own_failure;
	st->by_time = c->by_time;
	st->blames = c->blames;
}

static void try_again(struct verdict *v, const struct status *before, const struct conclusion *c)
{
	struct status *st = &v->status;

	if (moves_on(before, st))
		return;
	st->earlier = c;
	st->retried = before->retried;
	if (c->phase != PHASE_READY && is_repeated(v, before, c)) {
		verdict_revisit(v, c->attempt + ATTEMPT_LASTS);
		keep(st, c);
		/* What its words named is not named while the next attempt is in progress, and still explains the failure. */
		for (size_t i = 0; i < before->nrefs; i++)
			if (before->refs[i].flags & REF_NAMED)
				verdict_waits_for(v, before->refs[i]);
		v->status.refs = v->refs.items;
		v->status.nrefs = v->refs.n;
	} else if (c->phase == PHASE_READY && is_looked_at(v)) {
		keep(st, c);
	}
}

void retry_was_ready(struct verdict *v, const struct status *before, bool same)
{
	/* what was Provisioning then was not ready, whatever a word of it said */
	bool ready = before->phase == PHASE_READY || (before->ever_ready && before->phase != PHASE_PROVISIONING);

	/* It was seen while it was made, a moment ago, and has not been ready since: that goes on, by whatever word. */
	if (before->phase == PHASE_PROVISIONING && v->status.phase == PHASE_UPDATING && v->created && v->now - v->created < thresholds.young)
		v->status.phase = PHASE_PROVISIONING;
	/* "Ready" of an object without a status is no word of its controller */
	if (!ready || before->untouched)
		return;
	if (v->status.phase == PHASE_PROVISIONING && v->contradicted && same && before->phase != PHASE_UPDATING) {
		v->status.phase = PHASE_DEGRADED;
		v->status.severity = SEVERITY_WARNING;
	} else if (v->status.phase == PHASE_PROVISIONING) {
		v->status.phase = PHASE_UPDATING;
	}
	v->status.ever_ready = true;
}

/* Returns true for a phase for which the verdict before matters. */
static bool concerns(enum phase phase)
{
	return phase == PHASE_PROVISIONING || phase == PHASE_UPDATING || phase_is_bad(phase);
}

/* The size is being changed until as many are ready as are wanted, also while nobody says so any more. */
static bool is_still_scaled(const struct verdict *v, const struct status *before)
{
	const struct replicas *r = &v->status.replicas;

	return before->phase == PHASE_SCALING && (v->status.phase == PHASE_UPDATING || v->status.phase == PHASE_PROVISIONING) &&
	       v->status.severity <= SEVERITY_INFO && r->ready >= 0 && r->ready < r->wanted && r->wanted == before->replicas.wanted;
}

void retry_compare(struct verdict *v, const struct status *before)
{
	const struct conclusion *c = concerns(v->status.phase) ? earlier_of(v, before) : NULL;

	if (is_still_scaled(v, before))
		v->status.phase = PHASE_SCALING;
	if (!c)
		return;
	/* after a failure, a warning beside an attempt is what is left of that failure */
	if (phase_is_bad(v->status.phase) || (c->phase == PHASE_PROVISIONING && has_failed(&v->status)))
		fail_again(v, before, c);
	else
		try_again(v, before, c);
}
