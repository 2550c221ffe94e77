/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a verdict, for the files of kube/status alone. */
#ifndef KUBE_STATUS_VERDICT_H
#define KUBE_STATUS_VERDICT_H

#include "kube/status/family.h"

/* A growing array in an arena. */
struct list {
	void *items;
	uint16_t n, cap;
};

struct verdict {
	struct arena *arena;
	struct json object;
	const struct kind *kind;
	const struct family *family;
	int64_t now;
	struct str name, ns;
	int64_t created, deleting, generation;
	struct status status;
	struct async async;
	struct list conditions, refs, external, history, flags, finalizers;
};

/* Reads metadata, conditions, owners, finalizers, and the rows of references. */
void verdict_begin(struct verdict *v);
/* Adds the deletion, and the lists, to the status. */
void verdict_finish(struct verdict *v);
void verdict_apply_ref_rows(struct verdict *v);
/* Reads what the API server's own words in a message say of other objects. */
void verdict_read_messages(struct verdict *v);
/* Returns "apps" for "apps/v1", "" for "v1". */
struct str verdict_group_of(struct str api_version);
/* Adds one zeroed element and returns it; NULL when there are limit elements. */
void *list_add(struct list *l, struct arena *arena, size_t size, size_t limit);

#endif
