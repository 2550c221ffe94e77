/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: where the status of an object says nothing about its trouble, the latest warning about the object is its
 * reason.
 */
#include "kube/family/core/core.h"

#include "kube/status/thresholds.h"

#define EVENT_FRESH HOURS(1)	 /* for so long the API server keeps Events by default */
/* referrers of one object that are examined: an owner of thousands of objects has other evidence */
enum { REFERRERS_ASKED = 256 };

/* ---- phase 1: an Event by itself ----------------------------------------- */

/* Reads Events of the core group and of events.k8s.io, single or repeated. */
static int64_t last_seen(struct json event)
{
	static const char *const fields[] = { "series.lastObservedTime", "lastTimestamp",
					      "deprecatedLastTimestamp", "eventTime",
					      "firstTimestamp",		 NULL };
	int64_t latest = 0;

	for (const char *const *f = fields; *f; f++) {
		int64_t time = json_time(event, *f);

		if (time > latest)
			latest = time;
	}
	return latest ? latest : json_time(event, "metadata.creationTimestamp");
}

/* Returns the object that the Event is about; older writers leave its apiVersion out. */
static void about(struct verdict *v, struct json object, const char *via)
{
	unsigned group = json_has(object, "apiVersion") ? 0 : REF_ANY_GROUP;
	struct ref_rule rule = { .path = via,
				 .group = "",
				 .target = "",
				 .relation = RELATION_NEEDS,
				 .flags = REF_REPORTS | group };

	if (json_str(object, "kind").len)
		verdict_ref_value(v, &rule, object, str_of(via));
}

static void event(struct verdict *v)
{
	struct json object = verdict_object(v);
	bool regards = json_has(object, "regarding");
	const char *via = regards ? "regarding" : "involvedObject";
	struct str text = json_str(object, regards ? "note" : "message");

	about(v, json_at(object, via), via);
	core_ready(v, "an Event only tells of another object");
	verdict_set(v, PHASE_READY, SEVERITY_NONE, json_str(object, "reason"), text);
	verdict_word(v, json_str(object, "type"));
	verdict_since(v, last_seen(object));
	/* some failures are sent as Normal, for example FailedBinding */
	if (!str_is(json_str(object, "type"), "Warning") &&
	    !str_starts(json_str(object, "reason"), "Failed"))
		return;
	verdict_flag(v, "warning");
	core_names_missing(v, text);
}

const struct core_kind core_event_kinds[] = { { "Event", event }, { 0 } };

/* ---- phase 2: what it is about ------------------------------------------- */

static bool is_warning(const struct neighbour *n)
{
	return status_has_flag(&n->status, "warning");
}

/* An Event that something is tried again does not end the trouble; every other Event after a warning does. */
static bool is_attempt(const struct neighbour *n)
{
	static const char *const attempts[] = { "ExternalProvisioning", "Provisioning",
						"ExternalExpanding",	"WaitForFirstConsumer",
						"WaitForPodScheduled",	"EnsuringLoadBalancer",
						"NotTriggerScaleUp",	"Sync",
						NULL };

	return !is_warning(n) && str_is_any(n->status.reason, attempts);
}

/* In most runs no Events are read. */
static bool has_events(const struct assessment *d)
{
	struct str ns = assess_namespace(d);

	return assess_readable(d, "", "Event", ns) ||
	       assess_readable(d, "events.k8s.io", "Event", ns);
}

static bool is_event(const struct neighbour *n)
{
	return core_is_kind(n, "Event") && n->presence == PRESENCE_FOUND &&
	       n->relation == RELATION_NEEDS && !str_is(n->via, "status");
}

static bool is_fresh(const struct assessment *d, const struct neighbour *event)
{
	return assess_now(d) - event->status.since < EVENT_FRESH;
}

/* Of Events in the same second a warning counts more, and then the name decides. */
static bool is_later(const struct neighbour *n, const struct neighbour *than)
{
	if (n->status.since != than->status.since)
		return n->status.since > than->status.since;
	if (is_warning(n) != is_warning(than))
		return is_warning(n);
	return str_cmp(n->name, than->name) > 0;
}

/* Finds the latest Event about the object. */
static bool latest_event(struct assessment *d, struct neighbour *out)
{
	struct neighbour n;
	bool any = false;

	for (size_t i = 0; i < REFERRERS_ASKED && assess_referrer(d, i, &n); i++) {
		if (!is_event(&n) || is_attempt(&n))
			continue;
		if (any && !is_later(&n, out))
			continue;
		*out = n;
		any = true;
	}
	return any;
}

/* Words that only repeat the phase. */
static bool has_no_words(const struct status *st)
{
	static const char *const empty[] = { "ContainersNotReady", "MinimumReplicasUnavailable",
					     "NewReplicaSetCreated", "ReplicaSetUpdated", NULL };

	return st->reason.len == 0 || str_is_any(st->reason, empty);
}

static bool wait_for_missing(struct assessment *d, const struct neighbour *from)
{
	struct neighbour n;
	bool any = false;

	for (size_t i = 0; assess_target_of(d, from, i, &n); i++)
		if ((n.flags & REF_REPORTED_MISSING) && n.presence != PRESENCE_FOUND) {
			assess_wait(d, &n, WAIT_MISSING, from->status.message);
			any = true;
		}
	return any;
}

static void believe(struct assessment *d, const struct neighbour *from, bool missing)
{
	const struct status *st = assess_status(d);
	enum severity severity = st->severity;
	enum phase phase = st->phase;

	if (str_contains(from->status.reason, "Failed") && severity < SEVERITY_WARNING)
		severity = SEVERITY_WARNING;
	/* nothing else tells that a StatefulSet, a DaemonSet or a Job gets no pods */
	if (str_is(from->status.reason, "FailedCreate") && phase != PHASE_DEGRADED)
		phase = st->replicas.ready > 0 ? PHASE_DEGRADED : PHASE_FAILED;
	if (missing && (phase == PHASE_PROVISIONING || phase == PHASE_FAILED))
		phase = PHASE_WAITING;
	assess_set(d, phase, severity, from->status.reason, from->status.message);
	assess_rule(d, arena_printf(assess_arena(d), "Event " STR_FMT, STR_ARG(from->name)));
}

void core_assess_events(struct assessment *d)
{
	const struct status *st = assess_status(d);
	bool unwell = phase_under_way(st->phase) || st->phase == PHASE_FAILED ||
		      st->phase == PHASE_DEGRADED;
	struct neighbour n;

	if (!unwell || st->complete || !has_no_words(st))
		return;
	assess_wants_events(d);
	if (!has_events(d) || !latest_event(d, &n))
		return;
	if (!is_warning(&n) || !is_fresh(d, &n))
		return;
	assess_revisit(d, n.status.since + EVENT_FRESH);
	believe(d, &n, wait_for_missing(d, &n));
}

bool core_assess_has_event(struct assessment *d, const char *reason)
{
	struct neighbour n;

	if (!has_events(d))
		return false;
	for (size_t i = 0; i < REFERRERS_ASKED && assess_referrer(d, i, &n); i++)
		if (is_event(&n) && str_is(n.status.reason, reason) && is_fresh(d, &n)) {
			assess_revisit(d, n.status.since + EVENT_FRESH);
			return true;
		}
	return false;
}
