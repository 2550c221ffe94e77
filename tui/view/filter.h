/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter of the lists: "web !edge phase:failed since:<10m" is what has the word
 * web, not the word edge, that phase, and has had it for less than ten minutes.
 */
#ifndef TUI_VIEW_FILTER_H
#define TUI_VIEW_FILTER_H

#include "tui/view/scene.h"

struct filter;

/* In the arena, for as long as the store does not change. */
const struct filter *filter_compile(struct str text, const struct scene *scene, struct arena *a);
/* What of the text cannot be understood, as words for the user; "": all of it can. */
struct str filter_problem(struct str text, struct arena *a);
/* An empty filter matches everything.  Case is ignored (ASCII). */
bool filter_summary(const struct filter *f, const struct summary *s);
/* The same for a line about an object: words may also stand in the fields. */
bool filter_line(const struct filter *f, const struct summary *s, const struct str *fields, size_t nfields);
/* Whatever matches the longer text matched the shorter one: plain words were typed behind it. */
bool filter_narrows(struct str shorter, struct str longer);
/* Words alone: a text without an object. */
bool filter_words(struct str text, const struct str *fields, size_t nfields);

/* Is word in the text?  Case is ignored (ASCII). */
bool text_contains(struct str text, struct str word);

#endif
