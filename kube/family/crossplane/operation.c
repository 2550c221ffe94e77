/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations beside what makes them: a CronOperation or WatchOperation says whether it works, and not how its last run
 * ended; a run that failed is kept (failedHistoryLimit) when later ones have ended well.
 */
#include "kube/family/crossplane/crossplane.h"

enum { LOOKED_AT = 200 };	/* runs of one maker: more of them are not put beside each other */
enum { RUN_FAILED, LEFTOVER };

static const struct row rows[] = {
	[RUN_FAILED] = { "its last operation has failed", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[LEFTOVER] = { "a later operation has ended well", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED, .flags = QUIET, .flag = "leftover" },
	{ 0 }
};

/* Takes n when it is an Operation that has ended and is the newest so far. */
static void take_newer(struct neighbour *newest, const struct neighbour *n)
{
	bool ended = n->status.phase == PHASE_READY || n->status.phase == PHASE_FAILED;

	if (n->relation == RELATION_OWNS && str_is(n->kind->kind, "Operation") && n->presence == PRESENCE_FOUND && ended &&
	    n->created > newest->created)
		*newest = *n;
}

static void assess_run(struct assessment *d)
{
	struct neighbour maker, n, newest = { 0 };

	for (size_t i = 0; assess_target(d, i, &maker); i++)
		for (size_t k = 0; maker.relation == RELATION_OWNS && k < LOOKED_AT && assess_referrer_of(d, &maker, k, &n); k++)
			take_newer(&newest, &n);
	if (newest.created > assess_created(d) && newest.status.phase == PHASE_READY)
		table_assess(d, &rows[LEFTOVER], assess_reason(d), assess_message(d));
}

static void assess_maker(struct assessment *d)
{
	struct neighbour n, newest = { 0 };

	for (size_t i = 0; assess_referrer(d, i, &n); i++)
		take_newer(&newest, &n);
	if (newest.created == 0 || newest.status.phase != PHASE_FAILED)
		return;
	table_assess(d, &rows[RUN_FAILED], newest.status.reason, newest.status.message);
	assess_since(d, newest.status.since);
	assess_wait_for(d, &newest);
}

void crossplane_assess_operation(struct assessment *d)
{
	if (!str_is(assess_kind(d)->kind, "Operation") && assess_status(d)->phase == PHASE_READY)
		assess_maker(d);
	else if (assess_status(d)->phase == PHASE_FAILED)
		assess_run(d);
}
