/* SPDX-License-Identifier: Apache-2.0 */
/* Pods, beside what their neighbours tell: their node and volumes, and the Events about them. */
#include "kube/family/core/core.h"

#include "kube/base/time.h"
#include "kube/status/thresholds.h"

/* ---- the node under it, and its volumes -------------------------------------- */

/* A volume that is being made is a part of the pod's start while it is young. */
static void start_with_volumes(struct assessment *d)
{
	struct neighbour n;

	for (size_t at = 0; assess_next_target(d, "PersistentVolumeClaim", &at, &n);) {
		int64_t end = n.created + thresholds.young;

		if (n.presence != PRESENCE_FOUND || n.status.phase != PHASE_PROVISIONING || assess_now(d) >= end)
			continue;
		assess_drop_wait(d, &n);
		assess_revisit(d, end);
	}
}

/* An agent that fails is why its node has no network, and not the other way round. */
static bool sets_network_up(const struct status *st, const struct neighbour *node)
{
	return st->phase == PHASE_FAILED && status_has_flag(st, "host-network") && core_lacks_network(node);
}

static void wait_for_node(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct neighbour n;

	for (size_t at = 0; assess_next_target(d, "Node", &at, &n);)
		if (n.relation == RELATION_NEEDS && n.presence == PRESENCE_FOUND && n.status.phase == PHASE_FAILED && !sets_network_up(st, &n))
			assess_wait(d, &n, WAIT_FAILED, n.status.message);
}

/* ---- Events ------------------------------------------------------------------- */

#define CLOCKS_DIFFER SECONDS(10) /* at most, between the kubelet's conditions and its Events */

enum { TOLD, ENDED_BY_PROBE, ENDED_AGAIN, NOT_STARTED };

static const struct row rows[] = {
	[TOLD] = { "an Event tells why its container does not serve", .then = OUTCOME_TROUBLE, .flags = STAYS },
	[ENDED_BY_PROBE] = { "a probe ends its container again and again", .then = OUTCOME_TROUBLE, .phase = PHASE_DEGRADED },
	[ENDED_AGAIN] = { "a probe ends its container before it serves, again and again", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED },
	[NOT_STARTED] = { "an Event tells why it has not started for so long", .then = OUTCOME_TROUBLE, .phase = PHASE_FAILED },
	{ 0 }
};

/* Puts the Event's words in the place of those of the status, with the container where the pod has several. */
static void say(struct assessment *d, const struct row *row, struct str reason, const struct event_told *e)
{
	const struct status *st = assess_status(d);
	struct str beside = str_is(e->reason, "Unhealthy") ? core_probe_beside(d, e->message) : STR_NONE;
	struct str words = ARENA_JOIN(assess_arena(d), status_first_particular(st, "prefix"), e->message, beside);

	table_assess(d, row, reason, words);
	assess_rule(d, ARENA_JOIN(assess_arena(d), STR("Event "), e->reason, STR(" of container "), status_first_particular(st, "container")));
	assess_rests_on_event(d, e);
}

/* pkg/kubelet/kuberuntime/kuberuntime_container.go: the container is killed because what is to run after its start has failed */
static bool is_ended_by_hook(struct assessment *d, int64_t from, struct event_told *out)
{
	static const char *const hook[] = { "FailedPostStartHook", NULL };

	return assess_find_event(d, &(struct events_asked){ .reasons = hook, .container = status_first_particular(assess_status(d), "container"), .from = from }, out);
}

/* pkg/kubelet/prober/prober.go and pkg/kubelet/kuberuntime/kuberuntime_container.go */
static bool is_killed_by_probe(struct assessment *d, int64_t from, struct event_told *out)
{
	static const char *const unhealthy[] = { "Unhealthy", NULL }, *const killing[] = { "Killing", NULL };
	static const char *const probes[] = { "Liveness probe", "Startup probe", NULL };
	static const char *const killers[] = { "failed liveness probe", "failed startup probe", NULL };
	struct str container = status_first_particular(assess_status(d), "container");

	return assess_find_event(d, &(struct events_asked){ .reasons = unhealthy, .words = probes, .container = container, .from = from }, out) ||
	       assess_find_event(d, &(struct events_asked){ .reasons = killing, .words = killers, .container = container, .from = from }, out);
}

/* An Event is counted on for as long as its trouble comes back: its first time is that of the first crash. */
static void date_crashes(struct assessment *d, int64_t from)
{
	static const char *const back_off[] = { "Back-off restarting", NULL }, *const killing[] = { "will be restarted", NULL };
	const struct status *st = assess_status(d);
	struct events_asked asked = { .words = back_off, .container = status_first_particular(st, "container"), .from = from };
	int64_t since = st->since;
	struct event_told e;

	if (assess_find_event(d, &asked, &e))
		since = time_earlier(since, e.first);
	asked.words = killing;
	if (assess_find_event(d, &asked, &e))
		since = time_earlier(since, e.first);
	assess_since(d, since);
}

/* A container that crashes again and again, or was started again lately: a probe may have ended it. */
static void why_it_crashes(struct assessment *d)
{
	static const char *const failed[] = { "Failed", NULL };
	const struct status *st = assess_status(d);
	bool in_loop = status_has_flag(st, "crash-loop");
	struct event_told e;
	int64_t from = 0;

	str_to_int(status_first_particular(st, "last-run"), &from);
	if (in_loop && is_ended_by_hook(d, from, &e)) {
		e.message = ARENA_JOIN(assess_arena(d), e.message, STR("; "), st->message);
		say(d, &rows[TOLD], e.reason, &e);
	} else if (!str_is(st->reason, "OOMKilled") && is_killed_by_probe(d, from, &e)) {
		say(d, &rows[st->phase == PHASE_READY ? ENDED_BY_PROBE : TOLD], STR("Unhealthy"), &e);
		if (!in_loop) {
			assess_since(d, e.first);
			assess_flag(d, "crash-loop");
		}
	} else if (str_starts(st->message, "back-off ") &&
		   assess_find_event(d, &(struct events_asked){ .reasons = failed, .container = status_first_particular(st, "container") }, &e)) {
		say(d, &rows[st->phase == PHASE_READY ? ENDED_BY_PROBE : TOLD], st->reason, &e);
	}
	if (in_loop)
		date_crashes(d, from);
}

/* Before Kubernetes 1.32 only the Event has the registry's answer (pkg/kubelet/images/image_manager.go). */
static void why_no_image(struct assessment *d)
{
	static const char *const failed[] = { "Failed", NULL }, *const words[] = { "ull image", NULL };
	const struct status *st = assess_status(d);
	struct event_told e;

	if (!assess_find_event(d, &(struct events_asked){ .reasons = failed, .words = words, .container = status_first_particular(st, "container") }, &e))
		return;
	say(d, &rows[TOLD], st->reason, &e);
	if (core_image_is_refused(e.message))
		assess_flag(d, "image-refused");
}

/* It runs, and is not ready, because a probe has ended it several times, the last time not long ago. */
static bool is_ended_again(struct assessment *d)
{
	static const char *const killing[] = { "Killing", NULL }, *const killers[] = { "failed liveness probe", "failed startup probe", NULL };
	int64_t lately = assess_now(d) - CORE_BACK_OFF_FORGOTTEN;
	struct events_asked asked = { .reasons = killing, .words = killers, .container = status_first_particular(assess_status(d), "container"), .from = lately };
	struct event_told kill, e;

	if (!assess_find_event(d, &asked, &kill) || kill.count < 2 || !is_killed_by_probe(d, lately, &e))
		return false;
	say(d, &rows[ENDED_AGAIN], STR("Unhealthy"), &e);
	assess_since(d, time_earlier(kill.first, e.first));
	assess_flag(d, "crash-loop");
	assess_revisit(d, kill.last + CORE_BACK_OFF_FORGOTTEN);
	return true;
}

/* Without an Event: its probe asks a port that no container has. */
static void says_its_probe(struct assessment *d)
{
	const struct status *st = assess_status(d);
	struct str beside = core_probe_beside(d, STR("Startup"));

	beside = beside.len ? beside : core_probe_beside(d, STR("Readiness"));
	if (beside.len)
		table_assess(d, &rows[TOLD], st->reason, ARENA_JOIN(assess_arena(d), st->message, beside));
}

static void why_not_ready(struct assessment *d)
{
	static const char *const unhealthy[] = { "Unhealthy", NULL };
	static const char *const probes[] = { "Readiness probe", "Startup probe", NULL };
	const struct status *st = assess_status(d);
	struct events_asked asked = { .reasons = unhealthy, .words = probes, .container = status_first_particular(st, "container"), .from = st->since - CLOCKS_DIFFER };
	/* a sidecar that the others wait for has ended before: it is not its first start that takes so long */
	bool again = str_is(st->reason, "ContainersNotInitialized") && status_first_particular(st, "last-run").len;
	struct event_told e;

	if (is_ended_again(d))
		return;
	if (!assess_find_event(d, &asked, &e)) {
		asked.words = NULL;
		if (!assess_find_event(d, &asked, &e)) {
			says_its_probe(d);
			return;
		}
	}
	say(d, &rows[again ? NOT_STARTED : TOLD], STR("Unhealthy"), &e);
}

/*
 * What an Event tells keeps the pod from its start, and nothing else that could be named does.  A volume that is still attached elsewhere
 * waits for another node, which lets go of it or does not.
 */
static void not_started_for_long(struct assessment *d, const struct event_told *why)
{
	static const char *const passing[] = { "FailedScheduling", "NodeNotReady", NULL };
	const struct status *st = assess_status(d);
	int64_t end = (st->since ? st->since : assess_created(d)) + thresholds.pod_start_grace;

	if (st->phase != PHASE_PROVISIONING || str_is_any(why->reason, passing) || str_contains(why->message, "Multi-Attach"))
		return;
	assess_revisit(d, end);
	if (assess_now(d) >= end)
		table_assess(d, &rows[NOT_STARTED], why->reason, why->message);
}

/* Returns whether an Event tells why no container of it has started. */
static bool ask_events(struct assessment *d, struct event_told *why)
{
	const struct status *st = assess_status(d);
	bool runs = status_first_particular(st, "container").len > 0;

	if (st->complete || st->phase == PHASE_DELETING || status_has_flag(st, "not-restarted"))
		return false;
	if (status_has_flag(st, "crash-loop") || (runs && st->phase == PHASE_READY))
		why_it_crashes(d);
	else if (st->phase == PHASE_READY)
		return false;
	else if (str_starts(st->message, "Back-off pulling image") && !str_contains(st->message, "ErrImagePull"))
		why_no_image(d);
	else if (runs && (str_is(st->reason, "ContainersNotReady") || str_is(st->reason, "ContainersNotInitialized")))
		why_not_ready(d);
	else if (!runs)
		return core_assess_events(d, why);
	return false;
}

void core_pod_with_neighbours(struct assessment *d)
{
	struct event_told why;
	bool told;

	if (assess_status(d)->phase == PHASE_FAILED && core_is_left_over(d))
		return;
	told = ask_events(d, &why);
	if (assess_status(d)->phase == PHASE_READY || assess_status(d)->complete)
		return;
	start_with_volumes(d);
	core_pod_and_nodes(d);
	core_pod_and_its_volumes(d);
	if (told)
		not_started_for_long(d, &why);
	wait_for_node(d);
}
