/* SPDX-License-Identifier: Apache-2.0 */
/* The path of an object or a collection on an API server. */
#ifndef KUBE_API_RESOURCE_PATH_H
#define KUBE_API_RESOURCE_PATH_H

#include "kube/base/buf.h"
#include "kube/model/kind.h"

/*
 * Writes "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME" for an object, or without NAME for a collection (name "").
 * version "" is the kind's own version; ns is ignored for cluster-scoped kinds.
 */
struct resource_path {
	const struct kind *kind;
	struct str version, ns, name;
};
void resource_path_add(struct buf *out, const struct resource_path *object);

#endif
