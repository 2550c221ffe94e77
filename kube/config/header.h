/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_CONFIG_HEADER_H
#define KUBE_CONFIG_HEADER_H

#include "kube/base/buf.h"
#include "kube/base/str.h"

/* True when s can be the value of an HTTP header: no line ends, no control characters. */
bool header_value_ok(struct str s);
/*
 * Adds the name of the header for one key of the extra data of an impersonated
 * user, "Impersonate-Extra-A%2fb", spelt as kubectl does.
 */
void header_add_extra(struct buf *out, struct str key);

#endif
