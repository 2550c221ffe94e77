/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which fields differ between two versions of an object. */
#ifndef KUBE_MODEL_JSON_DIFF_H
#define KUBE_MODEL_JSON_DIFF_H

#include "kube/base/arena.h"
#include "kube/model/conceal.h"
#include "kube/model/json.h"

/*
 * One field that differs.  before or after is JSON_NONE where the field does not exist; both are borrowed from the
 * documents.
 */
struct json_difference {
	struct str path;	/* as json_at() takes it: "spec.template.spec.containers[0].image" */
	struct json before, after;
	struct conceal_place places[2];	/* where both stand */
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

/* Whether a path names an element of a list by its position, as long as that stays the same, or always by its key. */
enum json_naming { JSON_BY_POSITION, JSON_BY_KEY };

/* A field that differs, with its values as text on one line: strings as they are, all else as JSON; without credentials. */
struct changed_field {
	struct str path, before, after;	/* before, after: "" where the field does not exist */
	bool added, removed;		/* the field is new; the field has been removed */
	bool unseen;			/* its values are not known */
	bool hidden;			/* it holds a credential: before and after only say so */
};

/*
 * Returns what json_diff() does of two objects as JSON, as texts in the arena: fields of spec first, then metadata, then status.
 * Returns 0 when one of them is "" or no JSON.
 */
size_t json_changed_fields(struct str before, struct str after, enum json_naming naming, struct arena *arena,
			   const struct changed_field **out);

/* Append to a path, which may be empty, the member of an object, and the element of a list that has value in key. */
void json_path_member(struct buf *path, struct str member);
void json_path_key(struct buf *path, struct str key, struct str value);

/* Returns true for annotations that are written without a change of the object: locks, and requests to look again. */
bool json_annotation_is_noise(struct str key);

/*
 * A hash that is equal for two versions when json_diff() finds no difference (and else with a chance of 2^-64).
 * apiVersion and kind do not count, because items of a list do not have them.
 */
uint64_t json_digest(struct json object);

#endif
