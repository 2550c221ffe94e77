/* SPDX-License-Identifier: Apache-2.0 */
/* Where an API server keeps an object or a collection. */
#ifndef KUBE_API_RESOURCE_PATH_H
#define KUBE_API_RESOURCE_PATH_H

#include "kube/base/buf.h"
#include "kube/model/kind.h"

/*
 * "/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME" of an object, or of a collection
 * (name "").  version "" is the kind's own; ns does not count for cluster-scoped kinds.
 */
struct resource_path {
	const struct kind *kind;
	struct str version, ns, name;
};
void resource_path_add(struct buf *out, const struct resource_path *object);

#endif
