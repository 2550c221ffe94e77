/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which of the eight phases an AppCat service is in. */
#ifndef KUBE_FAMILY_APPCAT_PHASE_H
#define KUBE_FAMILY_APPCAT_PHASE_H

#include "kube/family/appcat/appcat_service.h"

/* How long a service may be not ready, or not synced, before it is Failed: the operator's own thresholds. */
enum { APPCAT_FAILED_AFTER_READY, APPCAT_FAILED_NEVER_READY, APPCAT_FAILED_UNSYNCED, APPCAT_THRESHOLDS };
extern struct threshold appcat_thresholds[APPCAT_THRESHOLDS + 1];

/* Returns the row of the first phase, in the order of ADR 0051, that holds; its words are in the reading of s. */
const struct row *appcat_find_phase(struct service *s);
/* Returns the row of pods that are seen to fail, which counts against an explicit Ready or Scaling. */
const struct row *appcat_find_failing(struct service *s);

/* Maintenance and Scaling: return true, and the words for it. */
bool appcat_maintenance(struct service *s, struct reading *out);
bool appcat_scaling(struct service *s, struct reading *out);

#endif
