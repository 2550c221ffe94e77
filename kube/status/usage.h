/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory and processor time pods and nodes use, as their PodMetrics and NodeMetrics tell (metrics.k8s.io):
 * the API of kubernetes staging/src/k8s.io/metrics, which metrics-server serves.  How full the volumes of claims are, as
 * the kubelet tells at stats/summary: kubernetes staging/src/k8s.io/kubelet/pkg/apis/stats/v1alpha1.
 */
#ifndef KUBE_STATUS_USAGE_H
#define KUBE_STATUS_USAGE_H

#include "kube/model/json.h"
#include "kube/model/store.h"

struct usage;

struct used {
	double memory;	/* bytes */
	double cpu;	/* processors: 0.25 is 250m */
	/* of a claim: how much of its volume is used, in bytes, or in inodes where these are the ones of which less is left */
	double filled, room;
	bool inodes;
};

struct usage *usage_new(void);
void usage_free(struct usage *u);
/* Returns true for the kinds of metrics, whose objects only tell of a pod or a node. */
bool usage_tells(const struct kind *kind);
/* Notes what such an object tells, as of now (ms). */
void usage_note(struct usage *u, uint16_t cluster, const struct kind *kind, struct json object, int64_t now);
/* Notes what a kubelet tells at stats/summary of the claims of its pods, as of now (ms); scope: the cluster, and the kind of claims. */
void usage_note_claims(struct usage *u, const struct object_id *scope, struct json summary, int64_t now);
/*
 * A list of metrics has ended that began at since (ms): of its kind and cluster, and in its namespace ("": in all), what was
 * not noted since then is forgotten.  The kind can also be that of claims.  scope has no name.
 */
void usage_forget(struct usage *u, const struct object_id *scope, int64_t since);
/* Returns false when nothing is known of that pod, node or claim, and for an object of another kind. */
bool usage_of(const struct usage *u, const struct object_id *id, struct used *out);

#endif
