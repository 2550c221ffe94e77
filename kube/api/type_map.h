/* SPDX-License-Identifier: Apache-2.0 */
/* From a type's name to its kind: as client-go/restmapper does, among the kinds of discovery. */
#ifndef KUBE_API_TYPE_MAP_H
#define KUBE_API_TYPE_MAP_H

#include "kube/base/arena.h"
#include "kube/model/kind.h"

struct type_map {
	const struct kinds *kinds;
	struct arena *arena;
	bool discovered;	/* discovery has listed kinds: no others count */
	struct str warning;	/* of an ambiguous short name, or "" */
};

struct type_map type_map_of(const struct kinds *kinds, struct arena *arena);
bool type_map_knows(const struct type_map *m, const struct kind *kind);
/* TYPE[.VERSION][.GROUP]; *out_version is "" unless it names one.  NULL: no such type. */
const struct kind *type_map_find(struct type_map *m, struct str text, struct str *out_version);

#endif
