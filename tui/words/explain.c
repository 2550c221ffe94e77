/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sentences of the program that explain a state: what is wrong with the object that is waited for, what a finalizer
 * is for, and whether an object recovers by itself or who has to do what.  They stand in one file so that they can be
 * read as a whole.
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
	{ "cleanup", "its controller cleans up first" },
	{ "foreground", "what this object owns is deleted first" },
	{ "orphaning", "what it owns is let go first, and stays" },
	{ "stuck", "nothing works on it" },
};

/*
 * {} stands for the name of the object that is waited for, such as "network/net".
 *
 * "by itself" is said only when nobody has to do anything: the object is under way or goes away, and nothing of it is
 * overdue or has failed.  "perhaps by itself": it is retried or overdue, or nobody can know.  When a person or another
 * program must do something first, it is "not by itself", although the rest follows by itself.
 */
static const char *const recoveries[] = {
	[RECOVERY_NOT_NEEDED] = "nothing to do",
	[RECOVERY_UNDER_WAY] = "by itself: it is under way",
	[RECOVERY_WAITS] = "not known: it waits, and its status does not name what it waits for",
	[RECOVERY_RETRIED] = "perhaps by itself; if it stays like this, a person must look into it",
	[RECOVERY_GIVEN_UP] = "not by itself: a person must fix it",
	[RECOVERY_UNKNOWN] = "not known: its status does not say enough",
	[RECOVERY_RESUME] = "not by itself: a person must resume it",
	[RECOVERY_SPEC_CHANGE] = "not by itself: the operator tries again only after a change of its spec",
	[RECOVERY_REFUSED] = "not by itself: the change was refused and the state before it serves; a person must correct the spec",
	[RECOVERY_CYCLE] = "not by itself: they wait for each other in a cycle; a person must break it",
	[RECOVERY_DELETED_OUTSIDE] = "not by itself: it is deleted outside of the cluster while it is still wanted here",
	/* the following rows are about the object that is waited for */
	[RECOVERY_ROOT_READY] = "by itself, once {} is ready",
	[RECOVERY_ROOT_RETRIED] = "perhaps by itself, once {} works; if it stays like this, a person must look into {}",
	[RECOVERY_ROOT_GIVEN_UP] = "not by itself: a person must fix {} first",
	[RECOVERY_ROOT_RESUME] = "not by itself: a person must resume {}",
	[RECOVERY_ROOT_GONE] = "perhaps by itself, once {} is gone",
	[RECOVERY_ROOT_USED] = "once {} is gone, and nobody deletes it now",
	[RECOVERY_ROOT_GOES] = "by itself, once {} is gone",
	[RECOVERY_ROOT_AGAIN] = "not by itself: somebody must create {} again, which is being deleted",
	[RECOVERY_ROOT_MISSING] = "not by itself: somebody must create {}",
	[RECOVERY_ROOT_IN_THE_WAY] = "perhaps by itself, once {} allows it",
	[RECOVERY_ROOT_UNKNOWN] = "not known: it waits for {}, of which not enough is known",
	[RECOVERY_ROOT_APPROVAL] = "not by itself: a person must approve {}",
	[RECOVERY_ROOT_OUTSIDE] = "perhaps by itself, once {} is there, which nothing seen here makes",
	[RECOVERY_ROOT_CONTROLLER] = "not by itself: a person must make {} run again",
	[RECOVERY_ROOT_FINALIZER] = "not by itself: a person must find out why nobody removes {}",
	[RECOVERY_ROOT_HELD] = "not by itself: a finalizer holds {}",
};

/* What is said for a flag, and for the source of an asynchronous operation, by its name in -o json. */
static const struct {
	const char *name, *words;
} flags[] = {
	{ "ambiguous", "its status says two things" },
	{ "cond-lag", "its conditions are behind its operation" },
	{ "copied", "copied from another namespace" },
	{ "delete-blocked", "its deletion is refused and tried again" },
	{ "delete-requested", "its deletion was asked for" },
	{ "deletion-refused", "somebody tried to delete it, and was refused because it is in use" },
	{ "detach", "when it is deleted here, it stays outside of the cluster" },
	{ "detach-on-delete", "when it is deleted here, it stays outside of the cluster" },
	{ "event-resolved", "an Event that is newer than its conditions says that it succeeded" },
	{ "external-delete", "deleted outside of the cluster" },
	{ "flapping", "its installation fails again and again" },
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
	{ "observe-only", "it is only observed, not managed" },
	{ "owner-deleting", "its owner is being deleted" },
	{ "phase-diverges", "its own phase disagrees with its parts" },
	{ "reason-lag", "its reason is behind its operation" },
	{ "restarted", "restarted lately" },
	{ "scaling-limited", "it would scale further, but its limits forbid it" },
	{ "skip", "its operator is told to skip it" },
	{ "spec-not-observed", "the operator has not seen the latest spec" },
	{ "stuck-guard", "a finalizer holds it that nobody removes" },
	{ "terminal", "the operator has given up" },
	{ "tracker-stale", "what is known of its operation is old" },
	{ "unmanaged", "it is only observed, not managed" },
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

struct str explain_recovery(enum recovery recovery, struct str id, struct arena *a)
{
	struct str rest = str_of(recoveries[recovery]), out = STR_NONE;
	size_t at;

	while ((at = str_find_str(rest, "{}")) < rest.len) {
		out = ARENA_JOIN(a, out, str_head(rest, at), id);
		rest = str_from(rest, at + 2);
	}
	return out.len ? arena_printf(a, STR_FMT STR_FMT, STR_ARG(out), STR_ARG(rest)) : rest;
}
