/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reason is carried: what an object that is not Ready says, where its own status does not say why (kube/evidence/carried.c looks
 * there): the Warning Event that tells most since the state began, then what it waits for or is made of.
 */
#include "kube/graph/assessment.h"
#include "kube/status/thresholds.h"

#define JUST_BEFORE MINUTES(1)	/* a controller sends its Event before it writes the condition */

/* What it waits for has a reason of its own. */
static void tell(struct assessment *d, struct str reason, struct str message)
{
	bool own = assess_reason(d).len || assess_status(d)->phase == PHASE_WAITING;

	assess_tell(d, own ? assess_reason(d) : reason, message);
}

static bool an_event_tells(struct assessment *d)
{
	int64_t since = assess_status(d)->since;
	struct event_told e;

	if (!assess_find_event(d, &(struct events_asked){ .from = since ? since - JUST_BEFORE : 0 }, &e) || e.tells != EVENT_TELLS_WHAT ||
	    !e.message.len)
		return false;
	tell(d, e.reason, e.message);
	assess_rests_on_event(d, &e);
	return true;
}

/* Two that wait for each other would go on telling each other what neither of them knows. */
static bool waits_for(struct assessment *d, const struct neighbour *on)
{
	struct neighbour n;

	for (size_t i = 0; assess_target_of(d, on, i, &n); i++)
		if (str_eq(n.name, assess_name(d)) && str_eq(n.ns, assess_namespace(d)) && n.kind == assess_kind(d) && (n.flags & REF_BLOCKS))
			return true;
	return false;
}

static bool a_neighbour_tells(struct assessment *d)
{
	struct neighbour n;
	size_t at = 0;

	while (assessment_next_wait(d, &at, &n)) {
		/* what is under way itself tells how far it is, and not why something waits */
		if (n.presence != PRESENCE_FOUND || n.status.severity < SEVERITY_WARNING || !phrase_says_why(n.status.message) || waits_for(d, &n))
			continue;
		tell(d, n.status.reason, n.status.message);
		return true;
	}
	return false;
}

void carry_reason(struct assessment *d)
{
	const struct status *st = assess_status(d);

	bool quiet = st->severity < SEVERITY_WARNING && assess_message(d).len;	/* what it says is enough of what goes well */

	if (quiet || st->phase == PHASE_READY || st->phase == PHASE_SUSPENDED || st->phase == PHASE_DELETING ||
	    (st->complete && st->phase != PHASE_FAILED) ||
	    phrase_says_why(assess_message(d)) || phrase_says_why(assess_reason(d)))
		return;
	if ((st->severity >= SEVERITY_WARNING || st->phase == PHASE_WAITING) && an_event_tells(d))
		return;
	a_neighbour_tells(d);
}
