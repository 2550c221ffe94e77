/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which fields differ between two versions of an object. */
#ifndef KUBE_MODEL_JSON_DIFF_H
#define KUBE_MODEL_JSON_DIFF_H

#include "kube/base/arena.h"
#include "kube/model/json.h"

/*
 * One field that differs.  before or after is JSON_NONE where the field does not exist; both are borrowed from the
 * documents.
 */
struct json_difference {
	struct str path;	/* as json_at() takes it: "spec.template.spec.containers[0].image" */
	struct json before, after;
};

enum { JSON_DIFFERENCES = 1000 };

/*
 * Returns the fields that differ, in the order of the documents, at most JSON_DIFFERENCES; owned by the arena.
 * Elements of lists are matched by their name, type, ... where all elements have one, else by their position; an
 * element that was added or removed is one field.  Fields that are written without a real change do not count:
 * resourceVersion, managedFields, generation, heartbeats, and the lastTransitionTime of a condition where another of
 * its fields differs.
 */
size_t json_diff(struct json before, struct json after, struct arena *arena, const struct json_difference **out);

/*
 * A hash that is equal for two versions when json_diff() finds no difference (and else with a chance of 2^-64).
 * apiVersion and kind do not count, because items of a list do not have them.
 */
uint64_t json_digest(struct json object);

#endif
