/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an object makes is refused: by a quota that its words name, by the limits of its namespace, or by somebody else whom a person has
 * to ask.  The words are the object's own (kube/status/verdict_message.c reads those of its conditions), or those of an Event about it.
 */
#include "kube/graph/assessment.h"

#include "kube/base/time.h"

static bool is_refusal(struct str message)
{
	return phrase_quota(message).len || phrase_breaks_limits(message) || phrase_webhook(message).len;
}

/* Of what goes on, nobody asks for Events: those that are known tell that it cannot go on. */
static void hear_events(struct assessment *d)
{
	static const char *const words[] = { "exceeded quota: ", " is forbidden: ", "failed calling webhook ", NULL };
	int64_t since = assess_status(d)->since;
	struct event_told e;

	if (is_refusal(assess_message(d)) || !assess_known_event(d, &(struct events_asked){ .words = words, .from = since }, &e) || !is_refusal(e.message))
		return;
	assess_tell(d, e.reason, e.message);
	assess_rests_on_event(d, &e);
}

static bool wait_for_limits(struct assessment *d, struct str message)
{
	struct neighbour all, n;
	bool any = false;

	/* an Event has said it: nothing tells of the limits that are read after it */
	assess_revisit(d, assess_now(d) + MINUTES(1));
	if (!assess_find(d, "", "LimitRanges", assess_namespace(d), STR("all"), &all))
		return false;
	for (size_t i = 0; assess_referrer_of(d, &all, i, &n); i++)
		if (str_is(n.kind->kind, "LimitRange") && n.presence == PRESENCE_FOUND) {
			assess_wait(d, &n, WAIT_NOT_READY, message);
			any = true;
		}
	return any;
}

static bool wait_for_quota(struct assessment *d, struct str message)
{
	struct neighbour quota;

	if (!assess_find(d, "", "ResourceQuota", assess_namespace(d), phrase_quota(message), &quota))
		return false;
	quota.via = STR("status");
	assess_wait(d, &quota, WAIT_NOT_READY, message);
	return true;
}

/*
 * A webhook that is asked first, and cannot answer: it is its configuration that is wrong, or its Service.  Where both look well, its
 * configuration is the one that does not fit, unless the words are of a Service that had no pods then, and has some now.
 */
static void wait_for_webhook(struct assessment *d, struct str name)
{
	static const char *const had_no_pods[] = { "no endpoints available", "connection refused", "no route to host", "\" not found", NULL };
	struct str message = assess_message(d);
	bool is_over = str_contains_any(message, had_no_pods);
	struct neighbour webhook, n;

	assess_revisit(d, assess_now(d) + MINUTES(1));
	for (const char *const *kind = webhook_names; *kind; kind++) {
		if (!assess_find(d, "", *kind, STR_NONE, name, &webhook))
			continue;
		for (size_t i = 0; assess_referrer_of(d, &webhook, i, &n); i++)
			if (n.relation != RELATION_MANAGES || n.presence != PRESENCE_FOUND)
				continue;
			else if (phase_is_bad(n.status.phase))
				assess_wait_for(d, &n);
			else if (!is_over)
				assess_wait(d, &n, WAIT_NOT_READY, message);
	}
}

/* kubernetes staging/src/k8s.io/apimachinery/pkg/api/errors (NewForbidden); what a namespace lacks that ends is gone with it */
static bool is_forbidden(struct str message)
{
	return str_contains(message, " is forbidden: ") && !str_contains(message, "being terminated");
}

void wait_for_refusal(struct assessment *d)
{
	enum phase phase = assess_status(d)->phase;
	struct str message;
	bool waits;

	if (!phase_is_bad(phase) && !phase_under_way(phase))
		return;
	hear_events(d);
	message = assess_message(d);
	if (phrase_webhook(message).len && !assess_waits(d)) {
		wait_for_webhook(d, phrase_webhook(message));
	} else if (is_refusal(message)) {
		waits = phrase_quota(message).len ? wait_for_quota(d, message) : wait_for_limits(d, message);
		if (phase_under_way(phase) && waits && !d->meta.family->never_waits)
			d->out.phase = PHASE_WAITING;
		if (d->out.severity < SEVERITY_WARNING)
			d->out.severity = SEVERITY_WARNING;
	} else if (is_forbidden(message) && !assess_waits(d)) {
		assess_flag(d, "refused");
	}
}
