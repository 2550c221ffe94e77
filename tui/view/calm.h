/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be said when no root cause is known: one sentence for the header, Problems, why, Markdown and --problems.
 * It says only what is true of all selected objects.
 */
#ifndef TUI_VIEW_CALM_H
#define TUI_VIEW_CALM_H

#include "tui/state/scene.h"

struct observer;

/*
 * The numbers of selected objects that are not well.  Each object is counted once, by the first of the checks of
 * calm_add() that applies.
 */
struct calm {
	size_t failed, waiting, overdue, degraded, unknown, warned;
};

/* Counts an object by its phase, its severity and how long its phase has lasted.  now is in ms. */
void calm_add(struct calm *c, const struct summary *s, int64_t now);
/*
 * Returns since when no object has been in trouble, and what was last seen to happen: "all is well since 3h 10m · last:
 * deployment/web Updating → Ready 14:02"; "" where that was not watched.
 */
struct str calm_since(const struct observer *o, const struct scene *scene, struct arena *a);
/* Counts all selected objects, as the observer last saw them. */
struct calm calm_observed(const struct observer *o, int64_t now);

/* Returns "3 kinds may not be read"; "" when kinds is 0. */
struct str calm_forbidden(unsigned kinds, struct arena *a);

/* What is not known, in words; "": there is no such doubt. */
struct doubt {
	struct str selection; /* what the claim is about: " in this selection of jobs"; "": all objects */
	struct str unread; /* "3 kinds may not be read"; all other kinds are known */
	struct str unsure; /* "no connection, old since 5m"; any object may have changed since */
};

/*
 * Returns what may be claimed: "nothing has failed, nothing waits", "nothing has failed; 3 are overdue", "nothing that
 * may be read has failed; 3 kinds may not be read", "nothing is known to have failed; no connection, old since 5m".
 */
struct str calm_words(const struct calm *c, const struct doubt *doubt, struct arena *a);
/* Returns true for the claim that nothing at all is wrong. */
bool calm_is_well(struct str words);
/* Returns the same claim as a sentence with a capital and a full stop. */
struct str calm_sentence(const struct calm *c, const struct doubt *doubt, struct arena *a);

#endif
