/* SPDX-License-Identifier: Apache-2.0 */
/* The palette (":").  It finds namespaces, contexts, kinds, objects, views and commands by a few letters. */
#ifndef TUI_VIEW_PALETTE_H
#define TUI_VIEW_PALETTE_H

#include "tui/state/action.h"
#include "tui/state/scene.h"

struct ui;

enum found {
	FOUND_ACTION,	 /* do action; ACTION_NONE: show the table */
	FOUND_NAMESPACE, /* show the namespace name; "": all namespaces */
	FOUND_CONTEXT,	 /* connect to the context name */
	FOUND_KIND,	 /* show the kind kind; NULL: all kinds */
	FOUND_OBJECT	 /* show the details of object */
};

struct match {
	enum found what;
	int score; /* a higher score is a better match */
	enum action action;
	struct str name;
	const struct kind *kind;
	struct handle object;
};

enum { PALETTE_MATCHES = 60 };

/*
 * Returns the match that Enter opens: the one that the user selected; of "ns x" and "kind x" the one that is exactly called so,
 * also by a short name.  When there is none, *out_missing is x, which has to be asked about first, and the nearest match is
 * returned; else it is "".  The number of matches: there is none.
 */
size_t palette_exact(const struct ui *ui, const struct scene *scene, struct str *out_missing);
#endif
