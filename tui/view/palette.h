/* SPDX-License-Identifier: Apache-2.0 */
/* The palette (":"): finds namespaces, contexts, kinds, objects, views and commands by a few letters. */
#ifndef TUI_VIEW_PALETTE_H
#define TUI_VIEW_PALETTE_H

#include "tui/state/action.h"
#include "tui/state/scene.h"

struct ui;

enum found {
	FOUND_ACTION,	 /* action; ACTION_NONE: the table */
	FOUND_NAMESPACE, /* name; "": all of them */
	FOUND_CONTEXT,	 /* name */
	FOUND_KIND,	 /* kind */
	FOUND_OBJECT	 /* object */
};

struct match {
	enum found what;
	int score; /* higher is better */
	enum action action;
	struct str name;
	const struct kind *kind;
	struct handle object;
};

enum { PALETTE_MATCHES = 60 };

/* The context that the key of the palette goes to: where one was before, else the first other one; "": there is none. */
struct str palette_other(const struct ui *ui, const struct scene *scene);

#endif
