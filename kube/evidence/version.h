/* SPDX-License-Identifier: Apache-2.0 */
/* From which version to which an object goes. */
#ifndef KUBE_EVIDENCE_VERSION_H
#define KUBE_EVIDENCE_VERSION_H

#include "kube/status/family.h"

/* Reports from which version to which the object goes; "16" is reached when "16.3" runs. */
void evidence_version(struct verdict *v);
bool version_reached(struct str wanted, struct str runs);

#endif
