/* SPDX-License-Identifier: Apache-2.0 */
/* Label and field selectors for files and recordings, where no server applies them. */
#ifndef PLUGIN_LABEL_SELECTOR_H
#define PLUGIN_LABEL_SELECTOR_H

#include "kube/base/err.h"
#include "kube/model/json.h"

/*
 * Returns -1 with ERR_USAGE when labels is no label selector as k8s.io/apimachinery/pkg/labels reads it:
 * "a=b,c!=d,e,!f,g in (h,i),j notin (k),l>1", or fields no field selector, which names fields by their path:
 * "metadata.name=x,spec.nodeName!=y".
 */
int selectors_check(struct str labels, struct str fields, struct err *err) MUST_USE;
/* Returns true when an object matches both, which were checked; "" matches every object. */
bool selectors_match(struct str labels, struct str fields, struct json object);

#endif
