/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about one AppCat service from which its phase is assessed. */
#ifndef KUBE_FAMILY_APPCAT_SERVICE_H
#define KUBE_FAMILY_APPCAT_SERVICE_H

#include "kube/status/family.h"

/*
 * Upgrades of the cluster: the group of their controller, the name that only its running jobs refer
 * to (they are found by it), and the name that the services refer to, so that they are assessed again.
 */
#define APPCAT_UPGRADES "managedupgrade.appuio.io"
#define APPCAT_RUNNING "*running*"
#define APPCAT_SERVED "*served*"
/* vshn/appcat cmd/maintenance.go: where nothing else is configured */
#define APPCAT_CONTROL_NAMESPACE "syn-appcat-control"
/* via, of references to jobs in AppCat's own namespace */
#define APPCAT_CONTROL "metadata.name"

struct neighbours {
	struct neighbour *items;
	size_t n, cap;
};

enum pods_ready {
	PODS_READY,
	PODS_NOT_READY,
	PODS_NOT_NEEDED, /* suspended, or run by the cloud */
	PODS_UNKNOWN	 /* none was seen: not readable, or on another cluster */
};

/* The pods that serve: without those of jobs, completed and displaced ones. */
struct pods {
	struct neighbours all;
	size_t nready;
	int64_t ready_since;		 /* the last one that became ready, */
	int64_t not_ready_since;	 /* and the first one that is not; 0 unknown */
	const struct neighbour *failing; /* the worst; NULL: none is seen failing */
	bool regressed;			 /* one was ready and is not any more */
};

struct service {
	struct assessment *d;
	const struct status *self;		/* the object under assessment */
	const struct status *composite, *claim; /* NULL: not here; one of them is self */
	int64_t composite_deleting;
	int64_t now, created;
	const struct condition *ready, *synced; /* Crossplane's, of the composite if it is known */
	struct neighbours parts;		/* what the composite is composed of */
	struct neighbours contents;		/* what lives in the instance's namespace */
	struct str namespace;			/* of the instance, "" when not known */
	struct pods pods;
	enum pods_ready pods_ready;
	const struct condition *pods_said; /* PodReady, where no pod and no workload is seen */
	int instances; /* wanted, -1 not known */
	bool paused;
	bool ever_ready; /* the first deployment is over */
};

/* Memory is the assessment's. */
void service_gather(struct assessment *d, struct service *out);

/* The cluster runs it in a namespace of its own: neither the cloud nor a nested service does. */
bool service_has_pods(const struct kind *kind);
bool service_pod_ready(const struct neighbour *pod);
/* Not just "not yet": it crashes, cannot start, or was ready before. */
bool service_pod_regressed(const struct neighbour *pod);
/* By its controller's name; "" without one. */
struct str service_pod_workload(const struct neighbour *pod);
bool service_is_workload(const struct neighbour *n);
/* A composite of this family within another one, as Keycloak's database. */
bool service_is_nested(const struct neighbour *n);
bool service_is_kind(const struct neighbour *n, const char *group, const char *kind);

#endif
