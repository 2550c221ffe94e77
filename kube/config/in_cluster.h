/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod finds about the cluster that it runs in (client-go/rest/config.go). */
#ifndef KUBE_CONFIG_IN_CLUSTER_H
#define KUBE_CONFIG_IN_CLUSTER_H

#include "kube/base/arena.h"
#include "kube/base/str.h"

/* Where the kubelet mounts the service account; tests have their own. */
#define IN_CLUSTER_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

/* True with $KUBERNETES_SERVICE_HOST, $KUBERNETES_SERVICE_PORT and a token in dir. */
bool in_cluster_possible(const char *dir);
struct str in_cluster_server(struct arena *arena);
/* $POD_NAMESPACE, else the file "namespace" in dir, else "default". */
struct str in_cluster_namespace(const char *dir, struct arena *arena);

#endif
