/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lines for people of the notices about what could not be read.  A message that repeats for many kinds or
 * namespaces is one line.
 */
#ifndef PLUGIN_NOTICES_H
#define PLUGIN_NOTICES_H

#include "plugin/query.h"
#include "plugin/world.h"
#include "tui/view/well.h"

struct notice_line {
	struct str kind; /* the kind of the notice */
	struct str text;
};

/*
 * Returns the number of kinds that may not be read, or might not when w was recorded.  A kind counts once, whatever the
 * number of its namespaces.
 */
unsigned notices_forbidden(const struct world *w, const struct query *q);
/*
 * Returns true when something that was asked for could not be read, or not completely, for a reason other than
 * permissions.
 */
bool notices_unread(const struct world *w);
/* Returns what the notices leave open of a claim about all selected objects; its texts are in the arena. */
struct doubt notices_doubt(const struct world *w, const struct query *q, struct arena *a);
/* Sorts the notices of w, because answers come in any order. */
void notices_sort(struct world *w);
/*
 * Sorts the notices and returns their lines, which are in the arena.  When many kinds may not be read, the line names
 * this many of them; more is appended and says where the others are.
 */
const struct notice_line *notices_lines(struct world *w, size_t names, const char *more, struct arena *a, size_t *out_n);

#endif
