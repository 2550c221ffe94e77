/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What matters of the pods that an object makes beside other objects: their labels and ports beside Services, and the
 * addresses of Services that they are given.
 */
#ifndef KUBE_EVIDENCE_POD_TEMPLATE_H
#define KUBE_EVIDENCE_POD_TEMPLATE_H

#include "kube/status/family.h"

/*
 * Notes them of an object with a pod template, and of a pod, unless a workload made it: then that one tells.
 * Particulars: "label app=web"; "port http/8080/TCP" of each port that is declared; "listens 9090" for a port that arguments,
 * variables or probes mention; "calls SERVICE.NAMESPACE:PORT WRITTEN FIELD" of each address, with a reference to that Service.
 * Of values only HOST:PORT is kept.
 */
void pod_template_note(struct verdict *v);

#endif
