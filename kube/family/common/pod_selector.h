/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leads from an object that selects pods (a Service) to the workload that makes these pods, where both name the same
 * labels, as charts do.  The labels are a name of the pseudo kind Selector that belongs to the workload, so that the
 * labels of pods need not be kept.
 */
#ifndef KUBE_FAMILY_COMMON_POD_SELECTOR_H
#define KUBE_FAMILY_COMMON_POD_SELECTOR_H

#include "kube/status/family.h"

/* The pseudo kind of those names; it belongs to the core family. */
extern const struct alias_rule selector_aliases[];
/*
 * Adds the name for a workload, which is an object with spec.selector.matchLabels and spec.template; does nothing for
 * other objects.
 */
void selector_is_mine(struct verdict *v);
/*
 * Adds the reference for an object that selects pods: selector is a map of labels, or has such a map as matchLabels or
 * labels; via is its field ("spec.selector").
 */
void selector_refers(struct verdict *v, struct json selector, struct str via);
/* Finds the workload that is selected there, if it was seen. */
bool selector_workload(struct assessment *d, const char *path, struct neighbour *out);

#endif
