/* SPDX-License-Identifier: Apache-2.0 */
/* The bars of a page; private to tui/view. */
#ifndef TUI_VIEW_BARS_H
#define TUI_VIEW_BARS_H

#include "tui/state/state.h"
#include "tui/view/calm.h"
#include "tui/view/chips.h"

struct cause_group;

/* The root causes at the last scan, for the line of causes. */
struct noted_causes {
	struct arena arena;
	size_t n, blocked; /* rows of Problems, and how many wait for them */
	struct calm calm;  /* what is not well although there is no cause */
	struct text named[BAR_CHIPS];
	size_t counts[BAR_CHIPS]; /* root causes that each text stands for */
	uint64_t keys[BAR_CHIPS]; /* of the first of these */
	size_t nnamed;
};

/* Context, counts by phase, connection. */
void bar_head(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Why a claim about all that is selected cannot be made. */
struct doubt doubt_of(const struct scene *scene, struct arena *a);
/* " in this selection of jobs": behind what is claimed of what is shown, where that is not all; else "". */
struct str selection_words(const struct header *h, struct arena *a);
/* Why the picture may be incomplete or old: "no connection, old since 5m; 3 kinds may not be read"; "" when it is not. */
struct str doubt_words(const struct scene *scene, struct arena *a);
/* Keeps the texts for bar_causes(). */
void note_causes(struct ui *ui, const struct scene *scene, const struct cause_group *causes, size_t n);
/* The worst root causes, or how far the first lists are. */
void bar_causes(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* The object that details, tree, why and timeline show. */
void bar_title(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
void bar_tabs(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Prompt, message, or hints; position and requests. */
void bar_foot(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);

#endif
