/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a verdict, for the files of kube/status alone. */
#ifndef KUBE_STATUS_VERDICT_H
#define KUBE_STATUS_VERDICT_H

#include "kube/status/family.h"

struct verdict {
	struct arena *arena;
	struct json object;
	const struct kind *kind;
	const struct kinds *kinds;
	const struct family *family;
	int64_t now;
	struct str name, ns;
	int64_t created, deleting, generation;
	bool sibling_reports;
	bool contradicted; /* verdict_contradicted() */
	struct status status;
	struct async async;
	struct arena_list conditions, refs, external, history, because, flags, finalizers, particulars;
};

void verdict_apply_ref_rows(struct verdict *v);
/* Reads what the API server's own words in a message say of other objects. */
void verdict_read_messages(struct verdict *v);

#endif
