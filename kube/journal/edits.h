/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wrote to objects, and when, as their managedFields tell it; within a ceiling, above which the edits of those
 * objects are forgotten that were noted longest ago.  It tells of changes that nobody has watched.
 */
#ifndef KUBE_JOURNAL_EDITS_H
#define KUBE_JOURNAL_EDITS_H

#include "kube/model/managed_fields.h"
#include "kube/model/store.h"

struct edits;

/* ceiling: bytes.  Free with edits_free(). */
struct edits *edits_new(size_t ceiling);
/* e may be NULL. */
void edits_free(struct edits *e);
/* Notes the edits of an object in place of those known of it; an object without managedFields changes nothing. */
void edits_note(struct edits *e, const struct object_id *id, struct json object);
/* Keeps these edits, the newest first, in place of those known of the object; none change nothing. */
void edits_put(struct edits *e, const struct object_id *id, const struct edit *all, size_t n);
/* Returns the edits of an object, the newest first, in the arena. */
size_t edits_of(const struct edits *e, const struct object_id *id, struct arena *arena, const struct edit **out);
/* Calls visit() with each object whose edits are kept; the texts of the id are borrowed. */
void edits_each(const struct edits *e, void (*visit)(void *ctx, const struct object_id *id), void *ctx);
/* Returns the number of objects whose edits are kept, and the bytes in use, at most the ceiling. */
size_t edits_count(const struct edits *e);
size_t edits_size(const struct edits *e);

/*
 * Returns true for kinds whose objects concern others without being named by them: quotas, limits, webhooks and
 * definitions.
 */
bool edits_concern_others(const struct kind *kind);
/*
 * Returns such an object whose edits are kept, by its number from 0 on; false after the last one.  The texts are
 * borrowed.
 */
bool edits_concerning(const struct edits *e, size_t number, struct object_id *out);
/*
 * Returns false where the rules of such an object are those of webhooks, and none names the kind's resource (its subresources do not
 * count): nobody asks it about objects of the kind.
 */
bool edits_cover(const struct edits *e, const struct object_id *webhooks, const struct kind *kind);

#endif
