/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps earlier versions of objects, and finds what changed between two moments, with what the journal says. */
#ifndef PLUGIN_PAST_CHANGELOG_H
#define PLUGIN_PAST_CHANGELOG_H

#include "kube/journal/journal.h"
#include "plugin/output/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/view/changes.h"

struct changelog;
struct versions;

/*
 * Keeps versions of objects from now on, and makes the graph write its journal.  An object created before began (ms)
 * does not count as new when it is first seen.  ceiling is the most bytes that all versions may take; 0: neither they
 * nor the journal have a limit, and every object is kept from the start.  Free with changelog_free().
 */
struct changelog *changelog_new(struct graph *g, size_t ceiling, int64_t began);
void changelog_free(struct changelog *c);
/* Forgets everything, and goes on with another graph. */
void changelog_restart(struct changelog *c, struct graph *g);

/*
 * Makes c tell of the time before since (ms), too: from earlier, which was kept of the same cluster until then, and whose
 * objects have these kinds.  Both are borrowed.  The journal must have what happened then.
 */
void changelog_go_on_from(struct changelog *c, struct changelog *earlier, const struct kinds *kinds, int64_t since);
/*
 * Records the present version of the object at h, or its removal when object is JSON_NONE; call that before it leaves
 * the store, but after store_let_go().  With a ceiling, only a limited number of objects that are not new is kept: of the others the first
 * version is unknown.
 */
void changelog_note(struct changelog *c, const struct world *w, struct handle h, struct json object);

/*
 * Returns the objects selected by q (all of them without a TYPE) that changed after from and up to to (ms), in order of
 * time, in the arena.  Their fields are not compared: see changelog_fields().
 */
struct changes changelog_between(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);
/* Fills in which fields of a changed object differ, but never the data of a Secret. */
void changelog_fields(struct changelog *c, const struct world *w, struct changed_object *o, int64_t from, int64_t to,
		      struct arena *arena);
/*
 * Returns the fields of any object that differ between two moments, with the elements of lists by their keys; 0 also
 * when they are not known.
 */
size_t changelog_fields_of(struct changelog *c, const struct object_id *id, int64_t from, int64_t to, struct arena *arena,
			   const struct changed_field **out);
/* Returns the versions that are kept, for who writes them elsewhere; borrowed. */
struct versions *changelog_versions(struct changelog *c);
/*
 * Returns what changelog_between() does, with the fields of all objects, without those that are again as they were at
 * from.
 */
struct changes changelog_compare(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);

/* Returns every change of a verdict between these times, one by one, without fields, in the arena. */
struct changes changelog_timeline(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				  int64_t to, struct arena *arena);

/* Appends the changes as a table. */
void changes_table(const struct changes *changes, const struct world *w, struct buf *out);
/* Prints the changes in the format of -o: table, JSON, YAML, CSV or Markdown. */
void changes_print(const struct changes *changes, const struct world *w, const struct query *q, struct output *out);

#endif
