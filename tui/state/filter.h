/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of the lists.  "web !edge phase:failed since:<10m" matches objects that have the word web, do not have the
 * word edge, and have been Failed for less than ten minutes.
 */
#ifndef TUI_STATE_FILTER_H
#define TUI_STATE_FILTER_H

#include "tui/state/scene.h"

struct filter;

/* Compiles a filter.  The arena owns it; it is valid until the store changes. */
const struct filter *filter_compile(struct str text, const struct scene *scene, struct arena *a);
/* Returns a message about the first part of the text that is not valid; "" when the whole text is a valid filter. */
struct str filter_problem(struct str text, struct arena *a);
/*
 * Returns true when the object matches.  An empty filter matches every object.  The case of ASCII letters is ignored.
 */
bool filter_summary(const struct filter *f, const struct summary *s);
/* Does the same for a line about an object: the words are looked for in the fields of the line. */
bool filter_line(const struct filter *f, const struct summary *s, const struct str *fields, size_t nfields);
/* Returns true when everything that matches longer also matches shorter, because only plain text was appended. */
bool filter_narrows(struct str shorter, struct str longer);

#endif
