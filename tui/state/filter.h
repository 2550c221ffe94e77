/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of the lists.  "web !edge phase:failed since:<10m" matches objects with the
 * word web, without the word edge, that have been Failed for less than ten minutes.
 */
#ifndef TUI_STATE_FILTER_H
#define TUI_STATE_FILTER_H

#include "tui/state/scene.h"

struct filter;

/* Owned by the arena; valid until the store changes. */
const struct filter *filter_compile(struct str text, const struct scene *scene, struct arena *a);
/* A message on the part of the text that is no valid filter; "" when all is. */
struct str filter_problem(struct str text, struct arena *a);
/* An empty filter matches everything.  Case is ignored (ASCII). */
bool filter_summary(const struct filter *f, const struct summary *s);
/* The same for a line about an object: words may also be in the fields. */
bool filter_line(const struct filter *f, const struct summary *s, const struct str *fields, size_t nfields);
/* True when everything that matches longer also matches shorter: plain text was appended. */
bool filter_narrows(struct str shorter, struct str longer);

#endif
