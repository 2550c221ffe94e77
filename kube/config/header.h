/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_HEADER_H
#define KUBE_CONFIG_HEADER_H

#include "kube/base/buf.h"
#include "kube/base/str.h"

/* Returns true when s can be the value of an HTTP header: it has no line ends and no control characters. */
bool header_value_ok(struct str s);
/*
 * Adds the name of the header for one key of an impersonated user's extra data, "Impersonate-Extra-A%2fb", in kubectl's
 * spelling.
 */
void header_add_extra(struct buf *out, struct str key);

#endif
