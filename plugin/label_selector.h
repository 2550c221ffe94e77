/* SPDX-License-Identifier: Apache-2.0 */
/* Label and field selectors for files and recordings, where no server applies them. */
#ifndef PLUGIN_LABEL_SELECTOR_H
#define PLUGIN_LABEL_SELECTOR_H

#include "kube/base/err.h"
#include "kube/model/json.h"

/*
 * Returns -1 with ERR_USAGE when the text is no label selector as k8s.io/apimachinery/pkg/labels reads it:
 * "a=b,c!=d,e,!f,g in (h,i),j notin (k),l>1".
 */
int selector_check_labels(struct str selector, struct err *err) MUST_USE;
/* Returns true when the labels of the object match a selector that was checked; "" matches every object. */
bool selector_matches_labels(struct str selector, struct json object);
/*
 * Returns -1 with ERR_USAGE when the text is no field selector, which names fields by their path:
 * "metadata.name=x,spec.nodeName!=y".
 */
int selector_check_fields(struct str selector, struct err *err) MUST_USE;
/* Returns true when the fields of the object match a selector that was checked; "" matches every object. */
bool selector_matches_fields(struct str selector, struct json object);

#endif
