/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sentences of the program that explain a state: what is wrong with the object that is waited for, and what a finalizer
 * is for.  They stand in one file so that they can be read as a whole.  How an object recovers stands in recovery.c.
 */
#include "tui/words/explain.h"

/* What is said behind the name of the object that is waited for, as in "network/net failed". */
static const char *const causes[WAIT_COUNT] = {
	[WAIT_NONE] = "is not ready",
	[WAIT_MISSING] = "does not exist",
	[WAIT_NOT_READY] = "is not ready",
	[WAIT_FAILED] = "failed",
	[WAIT_DELETING] = "is being deleted",
	[WAIT_CYCLE] = "waits for itself, in a cycle",
	[WAIT_FINALIZER] = "is held by a finalizer",
	[WAIT_APPROVAL] = "waits for a person to approve",
	[WAIT_EXTERNAL] = "is not there yet",
	[WAIT_CONTROLLER] = "is its controller, and does not work",
};

/* What is said about a finalizer, by its state. */
static const struct {
	const char *state, *words;
} finalizers[] = {
	{ "in-use", "something still refers to this object" },
	{ "releasing", "the last one that refers to this object is being deleted" },
	{ "waiting", "its turn comes after the other finalizers" },
	{ "cleanup", "its controller has to clean up before it goes" },
	{ "foreground", "what this object owns is deleted first" },
	{ "orphaning", "what it owns is let go first, and stays" },
	{ "stuck", "nothing works on it" },
};

/* What is said for a flag, and for the source of an asynchronous operation, by its name in -o json. */
static const struct {
	const char *name, *words;
} flags[] = {
	{ "ambiguous", "its status says two things" },
	{ "budget-exact", "as many Pods are healthy as it asks for, so that none may be evicted" },
	{ "budget-short", "no Pod may be evicted before others of its workload are healthy again" },
	{ "cond-lag", "its conditions are behind its operation" },
	{ "copied", "copied from another namespace" },
	{ "crash-loop", "a container of it crashes again and again" },
	{ "delete-blocked", "its deletion is refused and tried again" },
	{ "delete-requested", "its deletion was asked for" },
	{ "deletion-refused", "somebody tried to delete it, and was refused because it is in use" },
	{ "detach", "when it is deleted here, it stays outside of the cluster" },
	{ "detach-on-delete", "when it is deleted here, it stays outside of the cluster" },
	{ "event-resolved", "an Event that is newer than its conditions says that it succeeded" },
	{ "external-delete", "deleted outside of the cluster" },
	{ "flapping", "its installation fails again and again" },
	{ "image-refused", "the registry has no such image, or refuses it" },
	{ "import", "taken over from outside of the cluster" },
	{ "latched", "its failure stays in the status until somebody changes the object" },
	{ "late", "the operator has not looked at it when it should have" },
	{ "leftover", "left over: nothing uses it any more" },
	{ "likely-stuck", "probably stuck" },
	{ "manual-revision", "it stays at its revision until somebody chooses another" },
	{ "misscheduled", "some of its Pods run on nodes where they should not" },
	{ "newer-revision", "there is a newer revision" },
	{ "no-disruption-allowed", "no Pod may be evicted now" },
	{ "no-retry", "the operator does not try again until the spec changes" },
	{ "not-restarted", "it is not started again" },
	{ "not-scheduled", "its schedule is not kept" },
	{ "observe-only", "it is only observed, not managed" },
	{ "owner-deleting", "its owner is being deleted" },
	{ "phase-diverges", "its own phase disagrees with its parts" },
	{ "reason-lag", "its reason is behind its operation" },
	{ "restarted", "restarted lately" },
	{ "run-hangs", "its last run does not end, and keeps the next one from its start" },
	{ "scaling-limited", "it would scale further, but its limits forbid it" },
	{ "skip", "its operator is told to skip it" },
	{ "spec-not-observed", "the operator has not seen the latest spec" },
	{ "stuck-guard", "a finalizer holds it that nobody removes" },
	{ "terminal", "the operator has given up" },
	{ "tracker-stale", "what is known of its operation is old" },
	{ "unmanaged", "it is only observed, not managed" },
	{ "unread", "the program cannot read it as a whole" },
	{ "update-rejected", "its last change was refused" },
}, async_sources[] = {
	{ "deployment", "a deployment of Azure" },
	{ "external-create", "annotations of Crossplane" },
	{ "helm", "the state of the Helm release" },
	{ "installplan", "the InstallPlan" },
	{ "poller", "annotations about a request that Azure works on" },
	{ "upjet", "the condition of the last asynchronous operation" },
	{ "workrequest", "the work request of the cloud" },
};

struct str explain_flag(struct str flag, struct arena *a)
{
	struct str out = STR_NONE, word;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (str_is(flag, flags[i].name))
			return str_of(flags[i].words);
	while (str_split(&flag, '-', &word))
		out = ARENA_JOIN(a, out, str_of(out.len ? " " : ""), word);
	return out;
}

struct str explain_async_source(struct str source)
{
	for (size_t i = 0; i < sizeof(async_sources) / sizeof(async_sources[0]); i++)
		if (str_is(source, async_sources[i].name))
			return str_of(async_sources[i].words);
	return source;
}

const char *explain_cause(enum wait_state cause)
{
	return causes[cause < WAIT_COUNT ? cause : WAIT_NONE];
}

const char *explain_finalizer(struct str state)
{
	for (size_t i = 0; i < sizeof(finalizers) / sizeof(finalizers[0]); i++)
		if (str_is(state, finalizers[i].state))
			return finalizers[i].words;
	return "it is not known who removes it";
}
