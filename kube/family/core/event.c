/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what controllers and kubelets tell of an object beside its status.  Of all Events about one object the one that
 * names what is wrong counts before the one that only counts attempts, and of two alike the later one.
 */
#include "kube/family/core/core.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

/* referrers of one object that are examined: an owner of thousands of objects has other evidence */
enum { REFERRERS_ASKED = 256 };
/* A warning about what is well that came so often, for so long, and so lately, goes on. */
enum { REPEATED = 3 };
#define REPEATED_FOR MINUTES(1)
#define REPEATED_LATELY MINUTES(10)

/*
 * The Events that tell less than others; the first row counts whose reason is that of the Event and whose words are in
 * its message (NULL: any).  Every other warning names what is wrong.  Paths are of the kubernetes repository.
 */
static const struct {
	const char *reason, *words;
	enum event_tells tells;
} telling_rows[] = {
	/* pkg/kubelet/network/dns/dns.go, pkg/kubelet/kubelet_pods.go: the pod runs all the same */
	{ "DNSConfigForming", NULL, EVENT_TELLS_A_REMARK },
	{ "MissingClusterDNS", NULL, EVENT_TELLS_A_REMARK },
	/* pkg/kubelet/kubelet.go: the image may be pulled without it */
	{ "FailedToRetrieveImagePullSecret", NULL, EVENT_TELLS_A_REMARK },
	/* pkg/kubelet/prober/prober.go: the probe has succeeded */
	{ "ProbeWarning", NULL, EVENT_TELLS_A_REMARK },
	/* pkg/controller/endpointslice: it is written again at once */
	{ "FailedToUpdateEndpointSlices", NULL, EVENT_TELLS_A_REMARK },
	{ "FailedToUpdateEndpoint", NULL, EVENT_TELLS_A_REMARK },
	/* pkg/controller/disruption/disruption.go: it matters when somebody drains its node */
	{ "MultiplePodDisruptionBudgets", NULL, EVENT_TELLS_A_REMARK },
	/* kyverno pkg/event/reason.go, gatekeeper pkg/audit/manager.go: what a policy that only reports says of what runs */
	{ "PolicyViolation", NULL, EVENT_TELLS_A_REMARK },
	{ "AuditViolation", NULL, EVENT_TELLS_A_REMARK },
	/* pkg/kubelet/network/dns/dns.go: the node's own file of name servers */
	{ "CheckLimitsForResolvConf", NULL, EVENT_TELLS_A_REMARK },
	/* pkg/kubelet/kuberuntime/kuberuntime_manager.go and pkg/kubelet/images/image_manager.go: the time until the next try */
	{ "BackOff", NULL, EVENT_TELLS_TROUBLE },
	/* pkg/kubelet/kuberuntime/kuberuntime_manager.go: another Event has the registry's answer */
	{ "Failed", "Error: ImagePullBackOff", EVENT_TELLS_TROUBLE },
	{ "Failed", "Error: ErrImagePull", EVENT_TELLS_TROUBLE },
	/* pkg/kubelet/kuberuntime/kuberuntime_container.go: "Container app failed liveness probe, will be restarted" */
	{ "Killing", NULL, EVENT_TELLS_TROUBLE },
	/* pkg/kubelet/volumemanager/volume_manager.go: lists the volumes, and not why */
	{ "FailedMount", "unmounted volumes=", EVENT_TELLS_TROUBLE },
	/* pkg/kubelet/pod_workers.go: repeats another one */
	{ "FailedSync", NULL, EVENT_TELLS_TROUBLE },
	/* pkg/controller/util/node/controller_utils.go: the Node tells why */
	{ "NodeNotReady", NULL, EVENT_TELLS_TROUBLE },
	{ NULL, "timed out waiting for the condition", EVENT_TELLS_TROUBLE },
	{ NULL, "the object has been modified; please apply your changes", EVENT_TELLS_TROUBLE },
};

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

/* Some writers know only one time; then it was seen once. */
static int64_t first_seen(struct json event)
{
	int64_t first = json_time(event, "firstTimestamp");

	first = first ? first : json_time(event, "deprecatedFirstTimestamp");
	first = first ? first : json_time(event, "eventTime");
	return first ? first : last_seen(event);
}

static int64_t times_seen(struct json event)
{
	static const char *const fields[] = { "series.count", "count", "deprecatedCount", NULL };
	int64_t count = 1;

	for (const char *const *f = fields; *f; f++)
		if (json_int(event, *f, 0) > count)
			count = json_int(event, *f, 0);
	return count;
}

/* Of "spec.containers{app}" that is "app" (pkg/kubelet/container/ref.go). */
static struct str container_in(struct str field_path)
{
	size_t from = str_find(field_path, '{') + 1;

	return str_ends(field_path, "}") && from < field_path.len ?
		       str_head(str_from(field_path, from), field_path.len - from - 1) : STR_NONE;
}

static bool speaks_of_trouble(struct str type, struct str reason)
{
	/* some failures are sent as Normal, for example FailedBinding */
	return str_is(type, "Warning") || str_starts(reason, "Failed");
}

static enum event_tells telling(struct str reason, struct str message, int64_t count)
{
	/* what is written again at once succeeds, or tells why not */
	if (count >= REPEATED && str_starts(reason, "FailedToUpdateEndpoint"))
		return EVENT_TELLS_WHAT;
	for (size_t i = 0; i < sizeof(telling_rows) / sizeof(telling_rows[0]); i++)
		if ((!telling_rows[i].reason || str_is(reason, telling_rows[i].reason)) &&
		    (!telling_rows[i].words || str_contains(message, telling_rows[i].words)))
			return telling_rows[i].tells;
	return EVENT_TELLS_WHAT;
}

static void keep_number(struct verdict *v, const char *what, int64_t number)
{
	verdict_particular(v, what, arena_printf(verdict_arena(v), "%lld", (long long)number));
}

/* What phase 2 reads of an Event about trouble: when it was first seen, how often, and of which container it is. */
static void keep_particulars(struct verdict *v, struct json object, struct json about)
{
	struct str container = container_in(json_str(about, "fieldPath"));

	keep_number(v, "tells", telling(verdict_told(v).reason, verdict_told(v).message, times_seen(object)));
	keep_number(v, "first", first_seen(object));
	if (times_seen(object) > 1)
		keep_number(v, "count", times_seen(object));
	if (container.len)
		verdict_particular(v, "container", container);
}

/* Adds a reference to the object that the Event is about; older writers leave its apiVersion out. */
static void about(struct verdict *v, struct json object, const char *via)
{
	unsigned group = json_has(object, "apiVersion") ? 0 : REF_ANY_GROUP;
	struct ref_rule rule = { .path = via,
				 .group = "",
				 .target = "",
				 .relation = RELATION_NEEDS,
				 .flags = REF_REPORTS | group };

	if (json_str(object, "kind").len)
		verdict_ref_value(v, object, str_of(via), &rule);
}

static const struct row event_rows[] = { { "an Event only tells of another object", .then = OUTCOME_READY }, { 0 } };

static void event(struct verdict *v)
{
	struct json object = verdict_object(v);
	bool regards = json_has(object, "regarding");
	const char *via = regards ? "regarding" : "involvedObject";
	struct str text = json_str(object, regards ? "note" : "message");

	about(v, json_at(object, via), via);
	row_decides(&(struct reading){ .v = v, .reason = json_str(object, "reason"), .message = text, .word = json_str(object, "type"),
				       .since = last_seen(object) }, &event_rows[0]);
	if (speaks_of_trouble(json_str(object, "type"), json_str(object, "reason")))
		verdict_flag(v, "warning");
	else if (!str_is(json_str(object, "reason"), "Killing"))
		return;
	keep_particulars(v, object, json_at(object, via));
	if (str_is(json_str(object, "reason"), "Killing") && !str_is(json_str(object, "type"), "Warning"))
		return;
	core_names_missing(v, text);
}

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
						"BackOff",		"Killing",
						NULL };

	return !is_warning(n) && str_is_any(n->status.reason, attempts);
}

static bool is_event(const struct neighbour *n)
{
	return core_is_kind(n, "Event") && n->presence == PRESENCE_FOUND &&
	       n->relation == RELATION_NEEDS && !str_is(n->via, "status");
}

/* What went on after a warning, at a later second, tells that its trouble is over. */
static int64_t last_progress(struct assessment *d)
{
	struct neighbour n;
	int64_t last = 0;

	for (size_t i = 0; i < REFERRERS_ASKED && assess_referrer(d, i, &n); i++)
		if (is_event(&n) && !is_warning(&n) && !is_attempt(&n) && n.status.since > last)
			last = n.status.since;
	return last;
}

bool core_has_no_words(const struct status *st)
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

enum { LACKS = 1, NO_PODS = 2 };

static const struct row told_rows[] = {
	{ "an Event names what is missing", .is = LACKS, .then = OUTCOME_WAIT, .flags = AT_LEAST },
	/* nothing else tells that a StatefulSet, a DaemonSet or a Job gets no pods */
	{ "an Event tells that its pods cannot be made", .is = NO_PODS, .then = OUTCOME_TROUBLE, .flags = AT_LEAST },
	{ "an Event tells why", .then = OUTCOME_MOVEMENT, .flags = STAYS | AT_LEAST },
	{ 0 }
};

static void believe(struct assessment *d, const struct event_told *e, bool missing)
{
	const struct status *st = assess_status(d);
	bool no_pods = str_is(e->reason, "FailedCreate") && st->phase != PHASE_DEGRADED, some = st->replicas.ready > 0;
	bool lacks = missing && (no_pods ? !some : st->phase == PHASE_PROVISIONING || st->phase == PHASE_FAILED);
	struct reading r = { .d = d, .is = (lacks ? LACKS : 0) | (no_pods ? NO_PODS : 0), .usable = some, .reason = e->reason, .message = e->message,
			     .rule = ARENA_JOIN(assess_arena(d), STR("Event "), e->reason),
			     .flags = str_contains(e->reason, "Failed") ? RETRIED : 0 };

	table_decide(&r, told_rows);
	/* no condition of its own has a time: pods have been refused since the Event came first */
	if (str_is(e->reason, "FailedCreate") && (!st->since || st->since == assess_created(d)) && e->first > assess_created(d) + thresholds.pod_start_grace)
		assess_since(d, e->first);
	assess_rests_on_event(d, e);
}

bool core_assess_events(struct assessment *d, struct event_told *out)
{
	const struct status *st = assess_status(d);
	bool unwell = phase_under_way(st->phase) || st->phase == PHASE_FAILED ||
		      st->phase == PHASE_DEGRADED;

	if (!unwell || st->complete || !core_has_no_words(st))
		return false;
	if (!assess_find_event(d, &(struct events_asked){ .from = last_progress(d) }, out))
		return false;
	believe(d, out, wait_for_missing(d, &out->found));
	return true;
}

static const struct row warned_rows[] = {
	{ "a warning about it comes again and again", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	{ 0 }
};

void core_warned_again(struct assessment *d)
{
	/* what probes, restarts and the scheduler tell of a pod counts by its status */
	static const char *const elsewhere[] = { "Unhealthy", "BackOff", "Killing", "Failed", "FailedScheduling", "NodeNotReady", "Evicted", NULL };
	const struct status *st = assess_status(d);
	struct event_told e;
	int64_t from;

	if (st->phase != PHASE_READY || st->severity != SEVERITY_NONE || st->complete)
		return;
	from = last_progress(d);
	from = from > assess_now(d) - REPEATED_LATELY ? from : assess_now(d) - REPEATED_LATELY;
	/* their controllers tell nowhere else; there are too many pods to ask for the Events of healthy ones */
	if (str_is(assess_kind(d)->kind, "Ingress") || str_is(assess_kind(d)->kind, "Node") || status_first_particular(st, "balanced").len)
		assess_wants_events(d);
	if (!assess_known_event(d, &(struct events_asked){ .from = from }, &e) || e.tells != EVENT_TELLS_WHAT || e.count < REPEATED ||
	    e.last - e.first < REPEATED_FOR || str_is_any(e.reason, elsewhere))
		return;
	assess_revisit(d, e.last + REPEATED_LATELY + 1);
	table_assess(d, &warned_rows[0], e.reason, e.message);
	assess_flag(d, "warned-again");
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("Event "), e.reason));
	assess_since(d, e.first);
	assess_rests_on_event(d, &e);
}

bool core_assess_find_event(struct assessment *d, const char *reason, struct neighbour *out)
{
	if (!assess_events_are_read(d))
		return false;
	for (size_t i = 0; i < REFERRERS_ASKED && assess_referrer(d, i, out); i++)
		if (is_event(out) && str_is(out->status.reason, reason) && assess_now(d) - out->status.since < EVENTS_KEPT) {
			assess_revisit(d, out->status.since + EVENTS_KEPT);
			return true;
		}
	return false;
}

const struct core_kind core_event_kinds[] = {
	{ .kind = "Event", .inspect = event },
	{ 0 }
};
