/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as kubectl writes it for plugins, byte for byte. */
#ifndef KUBE_CONFIG_GOJSON_H
#define KUBE_CONFIG_GOJSON_H

#include "kube/base/buf.h"
#include "kube/model/json.h"

/* In one line, members sorted by name; absent is null. */
void gojson_value(struct buf *out, struct json value);

#endif
