/* SPDX-License-Identifier: Apache-2.0 */
/* The path to a value below spec, kept on the stack and spelled only where it is needed. */
#ifndef KUBE_FAMILY_COMMON_FIELD_H
#define KUBE_FAMILY_COMMON_FIELD_H

#include "kube/base/arena.h"

/* No schema is deeper; what is below that depth is not read. */
#define FIELD_DEPTH 40

struct field {
	const struct field *up;	/* NULL: key is the beginning of the path, e.g. "spec" */
	struct str key;		/* the key of a member, "" for an element */
	size_t index;		/* the index of an element */
	int depth;
};

/* Spells the path: "spec.ports[0].portRef", "metadata.annotations['a.b/c']". */
struct str field_text(struct arena *arena, const struct field *f);

#endif
