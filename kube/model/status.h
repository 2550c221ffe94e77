/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a verdict: what is concluded of one object, facts without layout. */
#ifndef KUBE_MODEL_STATUS_H
#define KUBE_MODEL_STATUS_H

#include "kube/base/str.h"

/* Of several phases that apply the first one here counts, so the order is a rule. */
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
 * What object A, which has the reference, is to object B, which it names: A needs B; B owns A; A manages B; A guards B
 * (B cannot be deleted while A is there); A replaces B.
 */
enum relation {
	RELATION_NEEDS,
	RELATION_OWNS,
	RELATION_MANAGES,
	RELATION_GUARDS,
	RELATION_REPLACES,
	RELATION_COUNT
};

/* Why an object waits; root causes have the same kinds. */
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

/* The words of the output: "Failed", "warning", "needs", "not-ready". */
const char *phase_name(enum phase phase);
const char *severity_name(enum severity severity);
const char *relation_name(enum relation relation);
const char *wait_state_name(enum wait_state state);
/* The case is ignored.  On false *out stays as it was. */
bool phase_parse(struct str name, enum phase *out);
/* Returns true for a phase in progress: Waiting, Provisioning, Updating, Maintenance, Scaling. */
bool phase_under_way(enum phase phase);
/* Returns true for Failed and Degraded. */
static inline bool phase_is_bad(enum phase phase)
{
	return phase == PHASE_FAILED || phase == PHASE_DEGRADED;
}

/* Returns true for what has failed and concerns nobody any more: it is no cause, and does not count as failed. */
bool phase_is_leftover(enum phase phase, enum severity severity);

enum ref_flags {
	/* While A has not reached its goal, it cannot go on until B exists and is ready. */
	REF_BLOCKS = 1 << 0,
	/* B has to exist, but need not be ready (Secrets, ConfigMaps, flavours). */
	REF_EXISTS = 1 << 1,
	/* A's own status names B as what A waits for; message is the text that says so. */
	REF_NAMED = 1 << 2,
	/* A's own status reports that B does not exist. */
	REF_REPORTED_MISSING = 1 << 3,
	/* The reference does not give the group (or also the kind) of B: A's group is tried first, then every group. */
	REF_ANY_GROUP = 1 << 4,
	REF_ANY_KIND = 1 << 5,
	/* B is a Namespace, and A's health depends on the objects in it. */
	REF_CONTENTS = 1 << 6,
	/* A failure of B is a failure of A: it is shown as a wait even when A says that it is fine. */
	REF_HEALTH = 1 << 7,
	/* The reference also blocks after A was ready once (credentials, ports of a server, ...). */
	REF_ALWAYS = 1 << 8,
	/* The owner B is the controller of A. */
	REF_CONTROLLER = 1 << 9,
	/* B is another object of A's kind, which A copies or mirrors. */
	REF_COPY = 1 << 10,
	/* B is cluster-scoped, whatever is known of its kind. */
	REF_CLUSTER = 1 << 11,
	/*
	 * B is in the way as it is, even when it is healthy (a disruption budget).  Where B owns A: A delays a
	 * foreground deletion of B.  With REF_HIDDEN B is a name that others have, too (a taint): those of another kind are
	 * in the way, and are shown in its place.
	 */
	REF_STANDS = 1 << 12,
	/* The reference is shown only where B exists; nobody looks B up. */
	REF_IF_FOUND = 1 << 13,
	/* A (an Event) only reports on B and does not depend on it. */
	REF_REPORTS = 1 << 14,
	/* The reference only lets assess() find other objects; it is shown to nobody. */
	REF_HIDDEN = 1 << 15,
	/*
	 * The reference does not give the group of B, but it belongs to A's family: iam.aws.example for s3.aws.example.
	 * The flag is used only until the reference is resolved: the store has no room for it.
	 */
	REF_NEAR_GROUP = 1 << 16,
	/*
	 * In a row: its kind has a counterpart without a namespace, as Issuer has ClusterIssuer; in a reference: such a
	 * counterpart exists.  The flag is used only until the reference is resolved: what is known of the kind counts
	 * first.
	 */
	REF_CLUSTER_TWIN = 1 << 17,
	/*
	 * REF_EXISTS and REF_IF_FOUND of this reference are a guess, which A's own words replace when they name B
	 * (verdict_waits_for()).  The flag is used only until then.
	 */
	REF_GUESSED = 1 << 18
};

/* What the own words of an object that has failed, and tries again, say of another object. */
enum blame {
	BLAME_NONE,
	BLAME_NAMED,	/* they name it */
	BLAME_TOLD,	/* they say that it is not there or not ready */
	BLAME_UNNAMED	/* they say that something could not be got, and not what */
};

/* A reference from an object to another one. */
struct ref {
	enum relation relation;
	unsigned flags;
	struct str group, kind, ns, name;	/* ns is "" for cluster-scoped kinds */
	struct str via;		/* the path of the field: "spec.resource.networkRef" */
	struct str guard;	/* the finalizer that A's controller puts on B, or "" */
	struct str message;	/* what the operator says of this wait, or "" */
};

enum polarity { POLARITY_UNKNOWN, POLARITY_POSITIVE, POLARITY_NEGATIVE, POLARITY_TRANSITIONAL };

struct condition {
	struct str type, status, reason, message;
	struct str severity;	/* as the object has it: "Error", "Warning", "Info", a category such as "Advisory", or "" */
	int64_t since;		/* lastTransitionTime */
	int64_t generation;	/* observedGeneration, -1 when absent */
	enum polarity polarity;
};

/* The asynchronous operation, whichever operator performs it.  "" and -1 stand for what is not known. */
struct async {
	struct str source;	/* workrequest, lifecycle, poller, deployment, helm, installplan, ... */
	struct str phase;	/* create, update, delete, ... */
	struct str class;	/* pending, succeeded, failed, canceled, attention, unknown */
	struct str raw_status, raw_operation, work_request_id, request_id, message;
	double percent;		/* 0..100, or -1 */
	int64_t updated;
};

/* A wait for something that is not an object of the cluster: for people, clouds, controllers. */
struct external_wait {
	enum wait_state state;	/* WAIT_APPROVAL, WAIT_EXTERNAL, WAIT_CONTROLLER */
	struct str kind, name;	/* how it is named: "WorkRequest", "ocid1..." */
	struct str via, message;
};

struct transition {
	int64_t time;
	struct str what, reason, message;
};

enum because_role { BECAUSE_DECIDES, BECAUSE_AGREES, BECAUSE_OVERRULED };

/* One of the facts that a verdict rests on, or that it overrules. */
struct because {
	struct str what;	/* "condition Ready=False NoQuota" */
	struct str message;
	struct str from;	/* "status.conditions[type=Ready]", "Kind/name"; "": not known */
	enum because_role role;
};

/* Numbers of objects or replicas; -1: not known. */
struct replicas {
	int wanted, ready, updated, current;
};

#define REPLICAS_NONE ((struct replicas){ -1, -1, -1, -1 })

/*
 * The last verdict of an object before the attempt that is in progress now, for the same generation: the object had
 * failed, or was healthy.
 */
struct conclusion {
	enum phase phase;
	enum severity severity;
	struct str reason, message, rule;
	struct str type, status;	/* of the condition that decided; "": it was none */
	int64_t since;
	int64_t attempt;		/* when the attempt was first seen, ms */
	enum blame blames;
	bool own_failure, by_time;
};

/* What a family concludes from one object alone.  It lives in the arena of the event; the store packs it. */
struct status {
	enum phase phase;
	enum severity severity;
	struct str operator_phase;	/* the word of the operator, as the object has it */
	struct str reason, message;	/* as the object has them */
	struct str rule;		/* what decided: "Ready=False severity Error" */
	struct str row;			/* the row of the table of the general rules that won; "": other rules have decided */
	int64_t since;			/* when this verdict began; 0: not known */
	int64_t revisit;		/* when the object is judged again, even without an event; 0: never */
	bool stale;
	bool ever_ready;		/* there is evidence that it was ready before */
	bool complete;			/* it ran to completion, and is no part of a service any more */
	bool untouched;			/* it has no status: no controller has handled it yet */
	bool manifest;			/* it was never in a cluster: a file has it, and no server or controller has written into it */
	bool own_failure;		/* it failed by itself: nothing that it refers to explains the failure */
	enum blame blames;		/* what explains its failure */
	bool by_time;		/* the phase began by time alone: since is the time of the state that led to it */
	bool runs_out;		/* particulars tell when it ends, or how much of it is used, or a kubelet may: runs_out_soon() in tui/view/runs_out.h */
	bool retried;		/* the failure that is shown, or that earlier tells of, has come back after an attempt */
	const struct conclusion *earlier;	/* NULL: no attempt is in progress, or what was before it is not known */
	struct replicas replicas;
	struct str version_from, version_to;
	const struct async *async;	/* NULL: nothing is known of an operation */
	const struct condition *conditions;
	const struct ref *refs;
	const struct external_wait *external;
	const struct transition *history;
	const struct because *because;	/* the first one decides; none for an object that is well */
	const struct str *flags;
	const struct str *finalizers;
	/* what matters only beside another object, as "what value": "port http/8080/TCP" (verdict_particular()) */
	const struct str *particulars;
	uint16_t nconditions, nrefs, nexternal, nhistory, nbecause, nflags, nfinalizers, nparticulars;
};

/*
 * Returns the value of the next particular of that name, from *at on, which is 0 at first and counts on; "" after the last.
 * st's arrays must have been unpacked.
 */
struct str status_particular(const struct status *st, const char *what, size_t *at);
struct str status_first_particular(const struct status *st, const char *what);
/* Returns true when it has a particular of that name with that value. */
bool status_has_particular(const struct status *st, const char *what, struct str value);

/* st may be NULL; its arrays must have been unpacked (store_status(), not store_brief()). */
bool status_has_flag(const struct status *st, const char *flag);
bool status_has_finalizer(const struct status *st, struct str finalizer);
/* Returns the first condition of that type, or NULL.  It is borrowed from st, whose arrays must have been unpacked. */
const struct condition *status_condition(const struct status *st, const char *type);

#endif
