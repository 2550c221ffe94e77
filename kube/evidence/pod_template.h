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
 * variables or probes mention; "calls SERVICE.NAMESPACE:PORT HOW WRITTEN FIELD" of each address, with a reference to that Service;
 * "told CONFIGMAP ENTRY VARIABLE" of a variable that says what an entry of a ConfigMap says, "told CONFIGMAP" where all entries are
 * variables, with a reference to the ConfigMap.  HOW is "pod" for one pod behind a headless Service, "apart" where host and port
 * stand in two variables, DB_HOST and DB_PORT, else "sure".  Of values only HOST:PORT is kept.
 */
void pod_template_note(struct verdict *v);
/* Notes the addresses in the entries of a ConfigMap, but not those in files of several lines: "tells", as "calls" above. */
void pod_template_note_entries(struct verdict *v);
/* Returns true where a name of one label need not be that of a Service: the pod asks other servers of names, too, or has names of its own. */
bool pod_has_own_names(struct json spec);

#endif
