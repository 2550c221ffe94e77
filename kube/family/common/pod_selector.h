/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leads from what selects pods (a Service) to the workload that makes them, where both name
 * the same labels, as charts do.  The labels are a name (the pseudo kind Selector) that belongs
 * to the workload: the labels of pods need not be kept.
 */
#ifndef KUBE_FAMILY_COMMON_POD_SELECTOR_H
#define KUBE_FAMILY_COMMON_POD_SELECTOR_H

#include "kube/status/family.h"

/* The kind of those names; the core family has it. */
extern const struct alias_rule selector_aliases[];
/* For a workload, an object with spec.selector.matchLabels and spec.template; does nothing for others. */
void selector_is_mine(struct verdict *v);
/*
 * For an object that selects pods: selector is a map of labels, or has one as matchLabels or labels; via is its field
 * ("spec.selector").
 */
void selector_refers(struct verdict *v, struct json selector, struct str via);
/* The workload that is selected there, if it was seen. */
bool selector_workload(struct assessment *d, const char *path, struct neighbour *out);

#endif
