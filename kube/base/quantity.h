/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities as Kubernetes writes them: of memory, of processors, of whatever a quota counts. */
#ifndef KUBE_BASE_QUANTITY_H
#define KUBE_BASE_QUANTITY_H

#include "kube/base/str.h"

/* Reads "1500m", "4Gi", "2"; returns -1 when the text is no such quantity. */
double quantity_read(struct str text);

#endif
