/* SPDX-License-Identifier: Apache-2.0 */
/* The way to a value below spec, kept on the stack and spelled out only where it is needed. */
#ifndef KUBE_FAMILY_COMMON_FIELD_H
#define KUBE_FAMILY_COMMON_FIELD_H

#include "kube/base/arena.h"

/* Deeper than any schema; what is below is not looked at. */
#define FIELD_DEPTH 40

struct field {
	const struct field *up;	/* NULL: key is the beginning, e.g. "spec" */
	struct str key;		/* of a member, "" for an element */
	size_t index;		/* of an element */
	int depth;
};

/* "spec.ports[0].portRef", "metadata.annotations['a.b/c']" */
struct str field_text(struct arena *arena, const struct field *f);

#endif
