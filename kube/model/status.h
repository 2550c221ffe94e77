/* SPDX-License-Identifier: Apache-2.0 */
/* The words: what is concluded of one object.  Facts and a verdict, no layout. */
#ifndef KUBE_MODEL_STATUS_H
#define KUBE_MODEL_STATUS_H

#include "kube/base/str.h"

/* The first that applies wins, so the order is the rule. */
enum phase {
	PHASE_DELETING,
	PHASE_FAILED,
	PHASE_WAITING,
	PHASE_PROVISIONING,
	PHASE_UPDATING,
	PHASE_MAINTENANCE,
	PHASE_SCALING,
	PHASE_DEGRADED,
	PHASE_SUSPENDED,
	PHASE_READY,
	PHASE_UNKNOWN,
	PHASE_COUNT
};

enum severity { SEVERITY_NONE, SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_COUNT };

/*
 * Between an object A and the B that stands in it:
 * A needs B; B owns A; A manages B; A guards B (B cannot go while A is there);
 * A replaces B.
 */
enum relation {
	RELATION_NEEDS,
	RELATION_OWNS,
	RELATION_MANAGES,
	RELATION_GUARDS,
	RELATION_REPLACES,
	RELATION_COUNT
};

/* Why something is waited for; also the kinds of root causes. */
enum wait_state {
	WAIT_NONE,
	WAIT_MISSING,
	WAIT_NOT_READY,
	WAIT_FAILED,
	WAIT_DELETING,
	WAIT_CYCLE,
	WAIT_FINALIZER,
	WAIT_APPROVAL,
	WAIT_EXTERNAL,
	WAIT_CONTROLLER,
	WAIT_COUNT
};

/* "Failed", "warning", "needs", "not-ready": the contract's spelling. */
const char *phase_name(enum phase phase);
const char *severity_name(enum severity severity);
const char *relation_name(enum relation relation);
const char *wait_state_name(enum wait_state state);
/* Case is ignored.  False leaves *out alone. */
bool phase_parse(struct str name, enum phase *out);
/* Under way: Waiting, Provisioning, Updating, Maintenance, Scaling. */
bool phase_under_way(enum phase phase);

enum ref_flags {
	/* While A is not at its goal it cannot go on until B is there and ready. */
	REF_BLOCKS = 1 << 0,
	/* B has to exist, it need not be ready (Secrets, ConfigMaps, flavours). */
	REF_EXISTS = 1 << 1,
	/* A's own status names B as what it waits for; message is that text. */
	REF_NAMED = 1 << 2,
	/* A's own status reports that B does not exist. */
	REF_REPORTED_MISSING = 1 << 3,
	/* The group (or also the kind) of B is not given: the same group first, then any. */
	REF_ANY_GROUP = 1 << 4,
	REF_ANY_KIND = 1 << 5,
	/* B is a Namespace and A's health depends on the objects in it. */
	REF_CONTENTS = 1 << 6,
	/* B's failure is A's: shown as a wait also when A itself says it is fine. */
	REF_HEALTH = 1 << 7,
	/* Also blocks after A was ready once (credentials, ports of a server, ...). */
	REF_ALWAYS = 1 << 8,
	/* The owner is the controller of A. */
	REF_CONTROLLER = 1 << 9,
	/* B is another object of A's kind that A copies or mirrors. */
	REF_COPY = 1 << 10,
	/* B is cluster-scoped, whatever is known of its kind. */
	REF_CLUSTER = 1 << 11,
	/*
	 * B stands in the way as it is, also when it is well (a disruption budget).
	 * Where B owns A: A holds up a foreground deletion of B.
	 */
	REF_STANDS = 1 << 12,
	/* Worth a word only where B is there; nobody looks it up. */
	REF_IF_FOUND = 1 << 13,
	/* A (an Event) reports on B, nothing more: no dependent of it. */
	REF_REPORTS = 1 << 14,
	/* Only for assess() to find others by: nobody is shown it. */
	REF_HIDDEN = 1 << 15,
	/*
	 * The group of B is not given, but is of A's family: iam.aws.example for s3.aws.example.
	 * Only until it is resolved: the store has no room for it.
	 */
	REF_NEAR_GROUP = 1 << 16,
	/*
	 * Of a row: its kind has a twin without a namespace, ClusterIssuer beside Issuer; of
	 * a reference: such a twin exists.  Only until it is resolved: what is known of the
	 * kind counts first.
	 */
	REF_CLUSTER_TWIN = 1 << 17
};

/* A reference that stands in an object. */
struct ref {
	enum relation relation;
	unsigned flags;
	struct str group, kind, ns, name;	/* ns is "" for cluster-scoped kinds */
	struct str via;		/* the field: "spec.resource.networkRef" */
	struct str guard;	/* finalizer that A's controller puts on B, or "" */
	struct str message;	/* the operator's words on this wait, or "" */
};

enum polarity { POLARITY_UNKNOWN, POLARITY_POSITIVE, POLARITY_NEGATIVE, POLARITY_TRANSITIONAL };

struct condition {
	struct str type, status, reason, message;
	struct str severity;	/* as written in the object: "Error", "Warning", "Info" or "" */
	int64_t since;		/* lastTransitionTime */
	int64_t generation;	/* observedGeneration, -1 when absent */
	enum polarity polarity;
};

/* The asynchronous operation, whichever operator keeps it.  "" and -1: not known. */
struct async {
	struct str source;	/* workrequest, lifecycle, poller, deployment, helm, installplan, ... */
	struct str phase;	/* create, update, delete, ... */
	struct str class;	/* pending, succeeded, failed, canceled, attention, unknown */
	struct str raw_status, raw_operation, work_request_id, request_id, message;
	double percent;		/* 0..100, or -1 */
	int64_t updated;
};

/* Waits that are not for an object of the cluster: people, clouds, controllers. */
struct external_wait {
	enum wait_state state;	/* WAIT_APPROVAL, WAIT_EXTERNAL, WAIT_CONTROLLER */
	struct str kind, name;	/* what to call it: "WorkRequest", "ocid1..." */
	struct str via, message;
};

struct transition {
	int64_t time;
	struct str what, reason, message;
};

/* -1: not known. */
struct replicas {
	int wanted, ready, updated, current;
};

#define REPLICAS_NONE ((struct replicas){ -1, -1, -1, -1 })

/*
 * What a family concludes from one object alone.  In the arena of the event;
 * the store packs it.
 */
struct status {
	enum phase phase;
	enum severity severity;
	struct str operator_phase;	/* the operator's own word, never ours */
	struct str reason, message;	/* verbatim */
	struct str rule;		/* what decided: "Ready=False severity Error" */
	int64_t since;			/* when this verdict began, 0 if unknown */
	int64_t revisit;		/* look again then, also without an event; 0 never */
	bool stale;
	bool ever_ready;		/* evidence that it reached its goal before */
	bool complete;			/* ran to completion: not part of a service any more */
	bool untouched;			/* it has no status: no controller has looked at it */
	bool own_failure;		/* Failed by itself: nothing it refers to explains it */
	bool by_time;		/* its phase was entered by time alone: since is that of the state that led to it */
	struct replicas replicas;
	struct str version_from, version_to;
	const struct async *async;	/* NULL: no fact of an operation is known */
	const struct condition *conditions;
	const struct ref *refs;
	const struct external_wait *external;
	const struct transition *history;
	const struct str *flags;
	const struct str *finalizers;
	uint16_t nconditions, nrefs, nexternal, nhistory, nflags, nfinalizers;
};

/* st may be NULL; its arrays must be there (store_status(), not store_brief()). */
bool status_has_flag(const struct status *st, const char *flag);
/* The first of that type, NULL when absent.  Borrowed from st, whose arrays must be there. */
const struct condition *status_condition(const struct status *st, const char *type);

#endif
