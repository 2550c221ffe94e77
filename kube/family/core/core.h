/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the core family: Kubernetes' own kinds, one function each. */
#ifndef KUBE_FAMILY_CORE_CORE_H
#define KUBE_FAMILY_CORE_CORE_H

#include "kube/status/family.h"

/* The rules for everything else, used for kinds of Kubernetes that have no function here. */
extern const struct family family_generic;

struct core_kind {
	const char *kind;
	void (*inspect)(struct verdict *v);
};

/* Tables of the files below; each ends with {0}. */
extern const struct core_kind core_workload_kinds[];
extern const struct core_kind core_helm_kinds[];
extern const struct core_kind core_job_kinds[];
extern const struct core_kind core_net_kinds[];
extern const struct core_kind core_storage_kinds[];
extern const struct core_kind core_cluster_kinds[];
extern const struct core_kind core_event_kinds[];

/* pod.c */
void core_pod(struct verdict *v);
/* pod_place.c: PodScheduled=False, for want of a node or by gates. */
void core_pod_unscheduled(struct verdict *v, const struct condition *c);
void core_pod_gated(struct verdict *v, const struct condition *c);
/* The containers are ready and a readiness gate is not; adds the waits. */
bool core_pod_waits_for_readiness_gates(struct verdict *v);
/* A pod that is ready is not at its goal while it changes its size. */
void core_pod_resizes(struct verdict *v);
/* pod_refs.c: what a pod needs of the cluster.  blocks: it has not started. */
void core_pod_refs(struct verdict *v, bool blocks);
/* The Secrets for its images: only of interest when an image cannot be had. */
void core_pod_pull_secrets(struct verdict *v);
/* "configmap \"x\" not found" and the like: waits for what a message says is not there. */
bool core_names_missing(struct verdict *v, struct str message);
/* The quota that a message says is used up becomes a dependency. */
void core_names_quota(struct verdict *v, struct str message);
/* Waits for the claims of a pod that the scheduler's message speaks of. */
bool core_names_claims(struct verdict *v, struct str message);
/* helm.c: a release that did not end well and has a successor is history. */
void core_helm_assess(struct assessment *d);
/* assess.c */
void core_assess(struct assessment *d);
/* event.c: the latest warning gives the words that the status does not have. */
void core_assess_events(struct assessment *d);
/* A recent Event of that reason refers to it. */
bool core_assess_has_event(struct assessment *d, const char *reason);

/* ---- what the files share (common.c) ------------------------------------- */

/* The condition's words and time become the verdict's; c may be NULL: no words. */
void core_by_condition(struct verdict *v, const struct condition *c, enum phase phase,
		       enum severity severity);
/* Ready; rule: by what. */
void core_ready(struct verdict *v, const char *rule);
/* A ConfigMap or Secret: at its goal; whatever writes to it changes it. */
void core_data(struct verdict *v);
/* Provisioning: it has no status yet.  Warning when that lasts too long. */
void core_never_reconciled(struct verdict *v);
/* status.observedGeneration is older than the spec. */
bool core_is_outdated(struct verdict *v);
/* The neighbour is of a kind of that name, of whatever group. */
bool core_is_kind(const struct neighbour *n, const char *kind);
/* That long ago, or longer; false when the time is not known. */
bool core_older_than(struct verdict *v, int64_t time, int64_t age);

#endif
