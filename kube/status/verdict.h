/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a verdict: for engine.c and verdict.c only. */
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

/* Reads metadata, conditions, owners, finalizers and the rows of references. */
void verdict_begin(struct verdict *v);
/* Deletion, and the lists into status. */
void verdict_finish(struct verdict *v);
void verdict_apply_ref_rows(struct verdict *v);
/* What the API server's own words in a message say of others. */
void verdict_read_messages(struct verdict *v);
/* "apps" of "apps/v1", "" of "v1" */
struct str verdict_group_of(struct str api_version);
/* One zeroed element more; NULL past limit. */
void *list_add(struct list *l, struct arena *arena, size_t size, size_t limit);

#endif
