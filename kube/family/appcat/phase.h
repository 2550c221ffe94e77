/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which of the eight phases an AppCat service is in. */
#ifndef KUBE_FAMILY_APPCAT_PHASE_H
#define KUBE_FAMILY_APPCAT_PHASE_H

#include "kube/family/appcat/service.h"

/* How long a service may be not ready, or not synced, before it is Failed: the operator's own thresholds. */
enum { APPCAT_FAILED_AFTER_READY, APPCAT_FAILED_NEVER_READY, APPCAT_FAILED_UNSYNCED, APPCAT_THRESHOLDS };
extern struct threshold appcat_thresholds[APPCAT_THRESHOLDS + 1];

struct finding {
	enum phase phase;
	bool by_time;	/* the phase began by time alone */
	enum severity severity;
	struct str reason, message;
	struct str word; /* the operator's own word */
	int64_t since;
	const char *rule;
};

/* Returns the first phase, in the order of ADR 0051, whose predicate holds. */
void appcat_find_phase(struct service *s, struct finding *out);
/* Returns the verdict of pods that are seen to fail, which counts against an explicit Ready or Scaling. */
void appcat_find_failing(struct service *s, struct finding *out);

/* Maintenance and Scaling: return true, and the words for it. */
bool appcat_maintenance(struct service *s, struct finding *out);
bool appcat_scaling(struct service *s, struct finding *out);

#endif
