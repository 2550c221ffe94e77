/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be said when no root cause is known: one sentence for the header, Problems, why, Markdown and --problems.  It says
 * only what is true of all selected objects.
 */
#ifndef TUI_VIEW_WELL_H
#define TUI_VIEW_WELL_H

#include "tui/state/scene.h"

struct observer;

/*
 * The numbers of selected objects that are not well.  Each object is counted once, by the first of the checks of
 * well_count() that applies.
 */
struct not_well {
	size_t failed, waiting, overdue, degraded, unknown, warned;
};

/* Counts an object by its phase, its severity and how long its phase has lasted.  now is in ms. */
void well_count(struct not_well *c, const struct summary *s, int64_t now);
/*
 * Since when all is well.  Where trouble was seen, that is when it ended; else the objects prove it: each of them has been
 * Ready since then or longer.  {0}: nothing is known.
 */
struct well {
	int64_t from;	/* ms; 0: something is in trouble */
	bool troubled;	/* trouble was seen in this selection */
	bool watched;	/* no object proves anything: from is when somebody began to look */
};
/* Notes whether all is well now (ms), when what is selected has been read completely. */
void well_note(struct well *w, const struct observer *o, const struct scene *scene, bool well);
/*
 * Returns "all is well since 3h 10m · last: deployment/web updated 14:02 by argocd-controller": since when, and what was changed
 * last, as far as that is known.  selection: what that is about, as struct doubt has it.
 */
struct str well_since(const struct well *w, struct str selection, const struct observer *o, const struct scene *scene, struct arena *a);
/* Returns true when no object is counted. */
bool well_counts_nothing(const struct not_well *c);
/* Counts all selected objects, as the observer last saw them. */
struct not_well well_observed(const struct observer *o, int64_t now);

/* Returns "3 kinds may not be read"; "" when kinds is 0. */
struct str well_forbidden(unsigned kinds, struct arena *a);

/* What is not known, in words; "": there is no such doubt. */
struct doubt {
	struct str selection; /* what the claim is about: " in this selection of jobs"; "": all objects */
	struct str unread; /* "3 kinds may not be read"; all other kinds are known */
	struct str unsure; /* "no connection; this is 5m old"; any object may have changed since */
};

/*
 * Returns what may be claimed: "nothing has failed, nothing waits", "nothing has failed; 3 are overdue", "nothing that
 * may be read has failed; 3 kinds may not be read", "nothing is known to have failed; no connection; this is 5m old".
 */
struct str well_words(const struct not_well *c, const struct doubt *doubt, struct arena *a);
/* Returns the same claim as a sentence with a capital and a full stop. */
struct str well_sentence(const struct not_well *c, const struct doubt *doubt, struct arena *a);

#endif
