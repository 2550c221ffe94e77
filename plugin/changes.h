/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps earlier versions of objects, and finds what changed between two moments. */
#ifndef PLUGIN_CHANGES_H
#define PLUGIN_CHANGES_H

#include "kube/base/limits.h"
#include "plugin/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/view/changes.h"

struct changelog;

/*
 * What was created before began is no news when it is first seen.  ceiling: of what all versions take,
 * in bytes; 0: none, and every object is kept from the start.
 */
struct changelog *changelog_new(size_t ceiling, int64_t began);
void changelog_free(struct changelog *c);

/* Live, and while a recording is looked at: what versions may take. */
#define CHANGELOG_CEILING MIB(32)

/*
 * The object at h is so from now on; JSON_NONE before it leaves the store.  Where there is a ceiling, of what
 * is no news only so many objects are kept: of the others it is not known what they were.
 */
void changelog_note(struct changelog *c, const struct world *w, struct handle h, struct json object);
/* Notes the verdicts of all, in a world that was not there before. */
void changelog_begin(struct changelog *c, const struct world *w);
/* After each world_settle(): notes verdicts that became others. */
void changelog_settled(struct changelog *c, const struct world *w);

/*
 * What q asks for, without TYPE everything, that changed after from and up to to, by time; all in the arena.
 * The fields are not looked at: changelog_fields().
 */
struct changes changelog_between(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);
/* The fields of one of them that differ; what a Secret holds is not among them. */
void changelog_fields(struct changelog *c, const struct world *w, struct changed_object *o, int64_t from, int64_t to,
		      struct arena *arena);
/* The same with the fields of all; what came back to what it was is left out. */
struct changes changelog_compare(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);

/* Every verdict that became another one in that time, one by one; the fields are not looked at. */
struct changes changelog_timeline(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				  int64_t to, struct arena *arena);

/* As -o says: a table, a list in JSON (or YAML), CSV, or Markdown for a chat. */
void changes_print(const struct changes *changes, const struct world *w, const struct query *q, struct output *out);

#endif
