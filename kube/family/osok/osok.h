/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the OCI service operator's family share. */
#ifndef KUBE_FAMILY_OSOK_OSOK_H
#define KUBE_FAMILY_OSOK_OSOK_H

#include "kube/status/family.h"

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

/* status.status.async.current, or what older versions kept instead. */
struct osok_tracker {
	bool known;
	bool timeless;	/* it has no time */
	struct str source, phase, class, work_request, message;
	int64_t updated;
};

/* What stands in one object, and what it comes to. */
struct osok {
	struct json outer, inner;	/* status, status.status */
	struct osok_tracker cur;
	struct str reason, message;	/* of status.status */
	int64_t updated;
	/* of the conditions, which are a history */
	struct condition last;
	enum osok_state last_state;
	int64_t run_since;		/* first entry of the last run of one type */
	int64_t newest;			/* transition of any entry */
	bool was_active;
	enum osok_state joined;		/* the type whose entry has the message */
	bool joined_many;
	struct str words[OSOK_FAILED + 1];	/* the newest message of each type */
	/* the conclusion, in the operator's words */
	enum osok_state state;
	struct str say_reason, say_message;
	bool delete_failed;		/* it is the delete that has failed */
};

/* "Active", and "succeeded": the class of an operation of which the type alone is known. */
const char *osok_word(enum osok_state state);
const char *osok_class(enum osok_state state);
bool osok_requeued(enum osok_state state);
bool osok_has_finalizer(struct json object);

/* Reads and concludes; flags what does not agree. */
void osok_read(struct verdict *v, struct osok *out);
/* What the mapper makes of the tracker; *out_modelled is false when the class is no known one. */
enum osok_state osok_projected(const struct osok_tracker *t, bool *out_modelled);
/* Replaces the verdict's conditions by the history without its repetitions. */
void osok_show_history(struct verdict *v, const struct osok *o);

/* OCIDs in spec and annotations, names within a load balancer, Secrets. */
void osok_refs(struct verdict *v, const struct osok *o);
/* The kind's definition: it leads to the ClusterServiceVersion of the operator. */
void osok_ref_definition(struct verdict *v);
/* Phase 2: assess.c. */
void osok_assess(struct assessment *d);

#endif
