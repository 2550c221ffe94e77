/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod knows about the cluster in which it runs (client-go/rest/config.go). */
#ifndef KUBE_CONFIG_IN_CLUSTER_H
#define KUBE_CONFIG_IN_CLUSTER_H

#include "kube/base/arena.h"
#include "kube/base/str.h"

/* The folder into which the kubelet mounts the service account; tests use another one. */
#define IN_CLUSTER_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

/* Returns true when $KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT are set and there is a token in dir. */
bool in_cluster_possible(const char *dir);
struct str in_cluster_server(struct arena *arena);
/* Returns $POD_NAMESPACE, else the content of the file "namespace" in dir, else "default". */
struct str in_cluster_namespace(const char *dir, struct arena *arena);

#endif
