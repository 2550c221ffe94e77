/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of objects, annotations that the user asked for by name, and the images and the account of their pods: for
 * columns, groups and filters, and to find what broken objects share.  A set of these that several objects have is kept
 * once.  Annotations of Secrets are not kept.
 */
#ifndef KUBE_STATUS_LABELS_H
#define KUBE_STATUS_LABELS_H

#include "kube/base/arena.h"
#include "kube/model/store.h"

struct labels;

struct labels *labels_new(void);
void labels_free(struct labels *l);
/*
 * An annotation of that name counts as a label where there is no label of that name.  It holds for objects that are
 * noted from now on.
 */
void labels_want(struct labels *l, struct str key);
/*
 * Notes the labels of an object as of now (ms).  The labels that it had before are kept, too, for a limited number of
 * changes.  Returns true when they are others than before.
 */
enum { LABELS_BEFORE = 1 << 16 };
bool labels_note(struct labels *l, struct handle h, const struct kind *kind, struct json object, int64_t now);
/* Returns false when the object has no label of that name.  The value is borrowed until the object is noted again. */
bool labels_get(const struct labels *l, struct handle h, struct str key, struct str *out_value);
/* Returns the value as of a time in the past; false when it is not known what the object had then. */
bool labels_get_at(const struct labels *l, struct handle h, int64_t then, struct str key, struct str *out_value);

enum trait { TRAIT_LABEL = 'l', TRAIT_ANNOTATION = 'a', TRAIT_IMAGE = 'i', TRAIT_ACCOUNT = 's' };
struct trait_value {
	enum trait what;
	struct str key;		/* of an image ""; of an account its namespace */
	struct str value;
	struct str text;	/* what, key and value in one text, equal for equal traits */
};
/*
 * Returns all that is kept of an object as of a time (INT64_MAX: now), for trait_next(); "" when that is nothing.  Two
 * objects with equal traits have the same ptr.  It is borrowed until the object is noted again.
 */
struct str labels_traits(const struct labels *l, struct handle h, int64_t then);
/* Takes the next trait off a set; false: there is none. */
bool trait_next(struct str *set, struct trait_value *out);
/* Returns how many objects were noted with another set than before: while it is the same, no set has changed. */
uint64_t labels_changes(const struct labels *l);
/* Returns "a=b,c=d" in the object's order, without annotations; "" when it has no labels. */
struct str labels_text(const struct labels *l, struct handle h, struct arena *arena);
/* Returns true when the object had "key=value", or "key" with any value, at the time then; INT64_MAX: now. */
bool labels_match_at(const struct labels *l, struct handle h, int64_t then, struct str label);

#endif
