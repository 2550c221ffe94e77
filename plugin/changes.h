/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps how objects were, and tells what changed between two moments. */
#ifndef PLUGIN_CHANGES_H
#define PLUGIN_CHANGES_H

#include "plugin/output.h"
#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/view/changes.h"

struct changelog;

/*
 * What was created before began is no news when it is first seen.  ceiling: of what earlier versions take,
 * in bytes; 0: none, and every object is kept from the start.
 */
struct changelog *changelog_new(size_t ceiling, int64_t began);
void changelog_free(struct changelog *c);

/*
 * The object at h is so from now on.  Where there is a ceiling, of what is no news only so many objects are
 * kept: of the others it is not known what they were.  False when nothing of it differs that counts.
 */
bool changelog_object(struct changelog *c, const struct world *w, struct handle h, struct json object);
/* Before it leaves the store. */
void changelog_gone(struct changelog *c, const struct world *w, struct handle h);
/* After each world_settle(): notes verdicts that became others. */
void changelog_settled(struct changelog *c, const struct world *w);

/* What q asks for, without TYPE everything, that changed after from and up to to, by time; all in the arena. */
struct changes changelog_between(struct changelog *c, const struct world *w, const struct query *q, int64_t from,
				 int64_t to, struct arena *arena);
/* As -o says: a table, a list in JSON (or YAML), or Markdown for a chat. */
void changes_print(const struct changes *changes, const struct world *w, const struct query *q, struct output *out);

#endif
