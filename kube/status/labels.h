/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of objects, and annotations that were asked for by name: for columns, groups and filters.  Equal sets
 * of several objects are kept once.  Annotations of Secrets are not kept.
 */
#ifndef KUBE_STATUS_LABELS_H
#define KUBE_STATUS_LABELS_H

#include "kube/base/arena.h"
#include "kube/model/store.h"

struct labels;

struct labels *labels_new(void);
void labels_free(struct labels *l);
/* An annotation of that name counts as a label where there is no label of that name; for objects noted from now on. */
void labels_want(struct labels *l, struct str key);
void labels_note(struct labels *l, struct handle h, const struct kind *kind, struct json object);
/* False when it has none of that name.  Borrowed until the object is noted again. */
bool labels_get(const struct labels *l, struct handle h, struct str key, struct str *out_value);
/* "a=b,c=d" in the object's order; annotations are left out; "" without any. */
struct str labels_text(const struct labels *l, struct handle h, struct arena *arena);
/* Has it "key=value", or "key" with any value? */
bool labels_match(const struct labels *l, struct handle h, struct str label);

#endif
