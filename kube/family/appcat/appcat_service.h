/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about one AppCat service from which its phase is concluded. */
#ifndef KUBE_FAMILY_APPCAT_APPCAT_SERVICE_H
#define KUBE_FAMILY_APPCAT_APPCAT_SERVICE_H

#include "kube/evidence/decision_table.h"

/*
 * Upgrades of the cluster: the group of their controller; the name that only its running jobs refer to, by which they
 * are found; and the name that the services refer to, so that they are assessed again.
 */
#define APPCAT_UPGRADES "managedupgrade.appuio.io"
#define APPCAT_RUNNING "*running*"
#define APPCAT_SERVED "*served*"
/* vshn/appcat cmd/maintenance.go: the namespace where no other one is configured */
#define APPCAT_CONTROL_NAMESPACE "syn-appcat-control"
/* the field of references to jobs in AppCat's own namespace */
#define APPCAT_CONTROL "metadata.name"

struct neighbours {
	struct neighbour *items;
	size_t n, cap;
};

enum pods_ready {
	PODS_READY,
	PODS_NOT_READY,
	PODS_NOT_NEEDED, /* the service is suspended, or runs in the cloud */
	PODS_UNKNOWN	 /* no pod was seen: they may not be read, or are in another cluster */
};

/* The pods that serve, without pods of jobs, completed pods and displaced ones. */
struct pods {
	struct neighbours all;
	size_t nready;
	int64_t ready_since;		 /* when the last of the ready pods became ready */
	int64_t not_ready_since;	 /* since when the first of the others is not ready; 0: not known */
	const struct neighbour *failing; /* the worst of them; NULL: no pod is seen to fail */
	bool regressed;			 /* a pod was ready and is not any more */
};

struct service {
	struct reading r;	/* what decides, in its words */
	struct assessment *d;
	const struct status *self;		/* the object that is assessed */
	const struct status *composite, *claim; /* NULL: not seen; one of both is self */
	int64_t composite_deleting;
	int64_t now, created;
	const struct condition *ready, *synced; /* the conditions of Crossplane, of the composite if it is known */
	struct neighbours parts;		/* what the composite is composed of */
	struct neighbours contents;		/* what lives in the instance's namespace */
	struct str namespace;			/* the namespace of the instance, "" when it is not known */
	struct pods pods;
	enum pods_ready pods_ready;
	const struct condition *pods_said; /* the condition PodReady, where neither pods nor workloads are seen */
	int instances; /* the wanted number, -1: not known */
	bool paused;
	bool ever_ready; /* the first deployment is over */
};

/* Collects the facts; their memory is that of the assessment. */
void service_gather(struct assessment *d, struct service *out);

/*
 * Returns true when the service runs in a namespace of its own in this cluster, and not in the cloud or as part of
 * another service.
 */
bool service_has_pods(const struct kind *kind);
bool service_pod_ready(const struct neighbour *pod);
/* Returns true when the pod does not merely need more time: it crashes, cannot start, or was ready before. */
bool service_pod_regressed(const struct neighbour *pod);
/* Returns the workload of the pod, by the name of its controller; "" when it has none. */
struct str service_pod_workload(const struct neighbour *pod);
bool service_is_workload(const struct neighbour *n);
/* Returns true for a composite of this family within another one, as the database of Keycloak. */
bool service_is_nested(const struct neighbour *n);
bool service_is_kind(const struct neighbour *n, const char *group, const char *kind);

#endif
