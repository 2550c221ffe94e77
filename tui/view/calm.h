/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be said where no root cause is known: one sentence for the header, Problems, why, Markdown and --problems, which
 * says of each thing only what is true of all that is selected.
 */
#ifndef TUI_VIEW_CALM_H
#define TUI_VIEW_CALM_H

#include "tui/state/scene.h"

struct observer;

/* Selected objects that are not simply well.  Each is counted once, by the first of these that it is. */
struct calm {
	size_t failed, waiting, overdue, degraded, unknown, warned;
};

/* Adds an object: its phase, severity and since count. */
void calm_add(struct calm *c, const struct summary *s, int64_t now);
/* Of all selected objects, as they were seen last. */
struct calm calm_seen(const struct observer *o, int64_t now);

/* "3 kinds may not be read"; "" for none. */
struct str calm_forbidden(unsigned kinds, struct arena *a);

/* What is not known, in words; "": there is no such doubt. */
struct doubt {
	struct str selection; /* " in this selection of jobs": what the claim is about; "": everything */
	struct str unread; /* "3 kinds may not be read": of the rest all is known */
	struct str unsure; /* "no connection, old since 5m": of nothing it is known that it is still so */
};

/*
 * "nothing has failed, nothing waits", "nothing has failed; 3 are overdue", "nothing that may be read has failed; 3 kinds
 * may not be read", "nothing is known to have failed; no connection, old since 5m".
 */
struct str calm_words(const struct calm *c, const struct doubt *doubt, struct arena *a);
/* The same as a sentence: with a capital and a full stop. */
struct str calm_sentence(const struct calm *c, const struct doubt *doubt, struct arena *a);

#endif
