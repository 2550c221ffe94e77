/* SPDX-License-Identifier: Apache-2.0 */
/* What is not known, in lines for people: what repeats for many kinds or namespaces is one of them. */
#ifndef PLUGIN_NOTICES_H
#define PLUGIN_NOTICES_H

#include "plugin/query.h"
#include "plugin/world.h"

struct notice_line {
	struct str kind; /* of the notice */
	struct str text;
};

/* So many kinds may not be read, or might not when w was recorded; several namespaces of one count once.  ns: "": all. */
unsigned notices_forbidden(const struct world *w, const struct query *q);
/* True when something that was asked for could not be read, or not all of it, for another reason. */
bool notices_unread(const struct world *w);
/* Puts the notices of w in order: answers come in any. */
void notices_sort(struct world *w);
/*
 * The lines, in the arena; sorts the notices.  Of many kinds that may not be read so many names are told; more says
 * where the others are.
 */
const struct notice_line *notices_lines(struct world *w, size_t names, const char *more, struct arena *a, size_t *out_n);

#endif
