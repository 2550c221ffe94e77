/* SPDX-License-Identifier: Apache-2.0 */
/* Which fields of an object differ between two of its versions. */
#ifndef KUBE_MODEL_JSON_DIFF_H
#define KUBE_MODEL_JSON_DIFF_H

#include "kube/base/arena.h"
#include "kube/model/json.h"

/* One field.  before or after is JSON_NONE where the field is not there; both are borrowed from the documents. */
struct json_difference {
	struct str path;	/* as json_at() takes it: "spec.template.spec.containers[0].image" */
	struct json before, after;
};

enum { JSON_DIFFERENCES = 1000 };

/*
 * The fields that differ, in the order of the documents, at most JSON_DIFFERENCES; owned by the arena.
 * Elements of lists are matched by their name, type, ... where all have one, else by their position; what
 * was added or removed as a whole is one field.  Fields that are written without a real change do not count:
 * resourceVersion, managedFields, generation, heartbeats, and a condition's lastTransitionTime where another
 * of its fields differs.
 */
size_t json_diff(struct json before, struct json after, struct arena *arena, const struct json_difference **out);

/*
 * A hash that is equal for two objects when json_diff() finds no difference (else only with a chance of 2^-64).
 * apiVersion and kind do not count: items of a list do not have them.
 */
uint64_t json_digest(struct json object);

/* The value as JSON on one line; nothing of what is absent. */
void json_write(struct json value, struct buf *out);

#endif
