/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the core family: Kubernetes' own kinds, with one function for each. */
#ifndef KUBE_FAMILY_CORE_CORE_H
#define KUBE_FAMILY_CORE_CORE_H

#include "kube/status/family.h"

/* The general rules, for kinds of Kubernetes that have no function here. */
extern const struct family family_generic;

struct core_kind {
	const char *kind;
	void (*inspect)(struct verdict *v);
};

/* Tables of the files below; each of them ends with {0}. */
extern const struct core_kind core_workload_kinds[];
extern const struct core_kind core_helm_kinds[];
extern const struct core_kind core_job_kinds[];
extern const struct core_kind core_net_kinds[];
extern const struct core_kind core_storage_kinds[];
extern const struct core_kind core_cluster_kinds[];
extern const struct core_kind core_event_kinds[];

/* pod.c */
void core_pod(struct verdict *v);
/* pod_refs.c: adds what a pod needs from the cluster.  blocks: the pod has not started yet. */
void core_pod_refs(struct verdict *v, bool blocks);
/* Adds the Secrets for pulling images, which matter only when an image cannot be pulled. */
void core_pod_pull_secrets(struct verdict *v);
/* Reads "configmap \"x\" not found" and similar messages, and adds a wait for the missing object. */
bool core_names_missing(struct verdict *v, struct str message);
/* Adds the quota that a message calls exceeded as a dependency. */
void core_names_quota(struct verdict *v, struct str message);
/* Adds waits for the claims of a pod that the scheduler's message is about. */
bool core_names_claims(struct verdict *v, struct str message);
/* helm.c: a release that failed and has a successor is history. */
void core_helm_assess(struct assessment *d);
/* assess.c */
void core_assess(struct assessment *d);
/* event.c: the latest warning about the object gives the words that its status does not have. */
void core_assess_events(struct assessment *d);
/* Returns true when a recent Event with that reason refers to the object. */
bool core_assess_has_event(struct assessment *d, const char *reason);

/* ---- what the files share (common.c) ------------------------------------- */

/* Takes the words and the time of the condition into the verdict; c may be NULL, which gives no words. */
void core_by_condition(struct verdict *v, const struct condition *c, enum phase phase,
		       enum severity severity);
/* Sets Ready; rule: what decided it. */
void core_ready(struct verdict *v, const char *rule);
/* A ConfigMap or Secret is Ready when it exists; every write to it counts as an edit. */
void core_data(struct verdict *v);
/* Sets Provisioning for an object without a status, with a warning when that lasts too long. */
void core_never_reconciled(struct verdict *v);
/* Returns true when status.observedGeneration is older than the spec. */
bool core_is_outdated(struct verdict *v);
/* Returns true when the neighbour is of a kind with that name, in any group. */
bool core_is_kind(const struct neighbour *n, const char *kind);
/* Returns true when that time is at least so long ago; false when it is not known. */
bool core_older_than(struct verdict *v, int64_t time, int64_t age);

#endif
