/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts selectors and labels side by side.  A workload and an object that selects pods (a Service) meet at names of pseudo
 * kinds, so that the labels of pods need not be kept, and each is judged again when the other one changes:
 *   Selector       the whole set of labels, which belongs to the workload: charts write the same set on both sides
 *   SelectorAnywhere  the same in every namespace
 *   PodLabel       one label with its value: who has all that are asked for is selected
 *   PodLabelKey    one label, whatever its value: who has the nearest values may be the one that was meant
 *   PodLabelValue  one value, whatever its label: who has the same values for other labels may be that, too
 */
#ifndef KUBE_EVIDENCE_POD_SELECTOR_H
#define KUBE_EVIDENCE_POD_SELECTOR_H

#include "kube/status/family.h"

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

/* Notes the labels of the pods that an object makes, or its own, if it is a pod that nobody makes. */
void selector_is_carried(struct verdict *v, struct json labels);
/* Notes that an object asks for pods with these labels, a map: beside selector_refers(), so that makers are found by a part of theirs. */
void selector_asks(struct verdict *v, struct json labels);
/*
 * Finds who makes pods (or is one, which nobody makes) that carry every label that the assessed object asks for: writes at
 * most max of them, by name, and returns how many.
 */
size_t selector_makers(struct assessment *d, struct neighbour *out, size_t max);
/*
 * Finds whose pods carry almost what the assessed object asks for: one label as it is, or values that look alike, else all the
 * values for other labels.  Writes to *out_differs what differs, of both sides: "have app=search, the selector asks app=serach".
 */
bool selector_nearest(struct assessment *d, struct neighbour *out, struct str *out_differs);
/* Finds whose pods, in another namespace, are selected by the same labels. */
bool selector_elsewhere(struct assessment *d, struct neighbour *out);
/* Returns "app=web,tier=front": the labels that the assessed object asks for. */
struct str selector_asked(struct assessment *d);

#endif
