/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a field in a status says: "readyWorkerReplicas" counts workers that are there. */
#ifndef KUBE_EVIDENCE_FIELD_NAME_H
#define KUBE_EVIDENCE_FIELD_NAME_H

#include "kube/base/str.h"

enum { FIELD_WORDS = 6 }; /* words of a name that are read; a longer name says nothing */

/* In order: of several words in a name the greatest role counts. */
enum role {
	ROLE_NO_COUNT,
	ROLE_PLAIN,	    /* "replicas" */
	ROLE_THERE,	    /* "readyReplicas" */
	ROLE_WANTED,	    /* "desiredReplicas" */
	ROLE_BROKEN,	    /* "unavailableReplicas" */
	ROLE_PERHAPS_BROKEN /* "failedReplicas", but "failed" may also count what failed once */
};

struct field_count {
	enum role role;
	bool current;	/* "currentReplicas": there, and perhaps of an older version */
	bool ambiguous; /* "available" and its like may count what is left of a supply */
	bool alive;	/* it counts what lives */
	struct str unit[FIELD_WORDS]; /* "Worker" of "readyWorkerReplicas"; none: it counts the whole */
	size_t n;
};

struct field_count field_count(struct str key);
/* Returns true when both count the same: "readyWorkers" and "workerReplicas". */
bool field_same_unit(const struct field_count *a, const struct field_count *b);
/* Returns true for "ready", "AllMembersReady" and "configCheckResult": false means that something is wrong. */
bool field_should_be_true(struct str key);
/* Returns true for "cacheStatus", and false for "restartPolicy" and "lastState", whose words are about something else. */
bool field_tells_state(struct str key);
/* Returns true for what is over, what shall be, and other things than the present state. */
bool field_is_aside(struct str key);
/*
 * Returns true for "syncErrors" and "consecutiveFailures", which count what is wrong at present, and false for "totalErrors" and
 * "failedAttempts", which count what ever went wrong.
 */
bool field_counts_errors(struct str key);
/* Returns true for "totalSyncs" and "successes": the numbers beside them are sums since the beginning. */
bool field_sums_up(struct str key);
/* Returns true for "members": what it names lives. */
bool field_is_alive(struct str key);
/* Returns true for "lastRunStatus" and "previousState", which are about something that is over. */
bool field_names_past(struct str key);

#endif
