/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OCI service operator's family share. */
#ifndef KUBE_FAMILY_OSOK_OSOK_H
#define KUBE_FAMILY_OSOK_OSOK_H

#include "kube/evidence/decision_table.h"
#include "kube/evidence/evidence.h"

#define OSOK_FINALIZER "finalizers.oci.oracle.com/oci-resources"

/* The five condition types. */
enum osok_state {
	OSOK_NONE,
	OSOK_PROVISIONING,
	OSOK_UPDATING,
	OSOK_TERMINATING,
	OSOK_ACTIVE,
	OSOK_FAILED
};

/* status.status.async.current, or what older versions had in its place. */
struct osok_tracker {
	bool known;
	bool timeless;	/* it has no updatedAt */
	struct str source, phase, class, work_request, message;
	int64_t updated;
};

/* What one object says, and what is concluded from it. */
struct osok {
	struct reading r;
	struct json outer, inner;	/* status and status.status */
	struct osok_tracker cur;
	struct str reason, message;	/* of status.status */
	int64_t updated;
	/* these are read from the conditions, which are a history */
	struct condition last;
	enum osok_state last_state;
	int64_t run_since;		/* time of the first entry of the last run of entries with one type */
	int64_t newest;			/* the latest transition time of all entries */
	bool was_active;
	enum osok_state joined;		/* the type whose entry has the message of status.status */
	bool joined_many;
	struct str words[OSOK_FAILED + 1];	/* the newest message of each type */
	/* the conclusion, in the operator's words */
	enum osok_state state;
	struct str say_reason, say_message;
	bool delete_failed;		/* the failure is one of the deletion */
};

/* "Active", and "succeeded": the class of an operation of which only the condition type is known. */
const char *osok_word(enum osok_state state);
const char *osok_class(enum osok_state state);
bool osok_requeued(enum osok_state state);
bool osok_has_finalizer(struct json object);

/* Reads the status, concludes the state, and flags contradictions. */
void osok_read(struct verdict *v, struct osok *out);
/*
 * Returns the state that the operator's mapper makes of the tracker; *out_modelled is false when the class is unknown.
 */
enum osok_state osok_projected(const struct osok_tracker *t, bool *out_modelled);
/* Replaces the conditions of the verdict by the history without its repetitions. */
void osok_show_history(struct verdict *v, const struct osok *o);

/* Adds references: OCIDs in spec and annotations, names within a load balancer, Secrets. */
void osok_refs(struct verdict *v, const struct osok *o);
/* Adds a reference to the definition of the kind, which leads to the ClusterServiceVersion of the operator. */
void osok_ref_definition(struct verdict *v);
/* Phase 2: osok_neighbours.c. */
void osok_assess(struct assessment *d);

#endif
