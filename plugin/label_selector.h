/* SPDX-License-Identifier: Apache-2.0 */
/* Label and field selectors, for files and recordings: no server applies them there. */
#ifndef PLUGIN_LABEL_SELECTOR_H
#define PLUGIN_LABEL_SELECTOR_H

#include "kube/base/err.h"
#include "kube/model/json.h"

/* "a=b,c!=d,e,!f,g in (h,i),j notin (k),l>1", as k8s.io/apimachinery/pkg/labels reads it: ERR_USAGE when it is not one. */
int selector_check_labels(struct str selector, struct err *err) MUST_USE;
bool selector_matches_labels(struct str selector, struct json object);
/* "metadata.name=x,spec.nodeName!=y": fields by their path. */
int selector_check_fields(struct str selector, struct err *err) MUST_USE;
bool selector_matches_fields(struct str selector, struct json object);

#endif
