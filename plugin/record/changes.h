/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps earlier versions of objects, and finds what changed between two moments, with what the journal says. */
#ifndef PLUGIN_RECORD_CHANGES_H
#define PLUGIN_RECORD_CHANGES_H

#include "kube/journal/journal.h"
#include "plugin/output/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/view/changes.h"

struct changelog;

/*
 * Keeps versions of objects from now on, and has the graph write its journal.  An object created before began (ms) does
 * not count as new when it is first seen.  ceiling: bytes that all versions may take; 0: no limit for them and for the
 * journal, and every object is kept from the start.  Free with changelog_free().
 */
struct changelog *changelog_new(struct graph *g, size_t ceiling, int64_t began);
void changelog_free(struct changelog *c);

/*
 * Records the present version of the object at h; JSON_NONE before it leaves the store.  With a ceiling, only a
 * limited number of objects that are not new is kept: what the others were before is unknown.
 */
void changelog_note(struct changelog *c, const struct world *w, struct handle h, struct json object);

/*
 * The objects selected by q (all of them without a TYPE) that changed after from and up to to (ms), in order of time.
 * Owned by the arena.  The fields are not compared: see changelog_fields().
 */
struct changes changelog_between(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);
/* Fills in the fields of one of them that differ; never those with the data of a Secret. */
void changelog_fields(struct changelog *c, const struct world *w, struct changed_object *o, int64_t from, int64_t to,
		      struct arena *arena);
/* As changelog_between(), with the fields of all; objects that are as they were at from are left out. */
struct changes changelog_compare(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);

/* Every change of a verdict in that time, one by one, without fields. */
struct changes changelog_timeline(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				  int64_t to, struct arena *arena);

/* Prints them in the format of -o: table, JSON, YAML, CSV or Markdown. */
void changes_print(const struct changes *changes, const struct world *w, const struct query *q, struct output *out);

#endif
