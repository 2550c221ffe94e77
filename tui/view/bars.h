/* SPDX-License-Identifier: Apache-2.0 */
/* The bars of a page: header, root causes, title, tabs and footer; private to tui/view. */
#ifndef TUI_VIEW_BARS_H
#define TUI_VIEW_BARS_H

#include "tui/state/state.h"
#include "tui/view/well.h"
#include "tui/view/chips.h"

struct cause_group;

/* The root causes at the last scan, as the bar of root causes shows them. */
struct noted_causes {
	struct arena arena;
	size_t n, blocked; /* the number of root causes (rows of Problems), and of the objects that wait for them */
	size_t under_way;  /* the number of root causes that are merely under way */
	struct not_well not_well;  /* the objects that are not well, when there is no root cause */
	struct well well;
	struct text named[BAR_CHIPS]; /* the first of them, in the order of Problems */
	uint64_t keys[BAR_CHIPS]; /* their keys */
	size_t nnamed;
};

/* Fills the header: the context, the counts by phase, the connection. */
void bar_head(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Returns the reasons why nothing can be claimed about all selected objects. */
struct doubt doubt_of(const struct scene *scene, struct arena *a);
/* Returns what follows a claim when only a part of the namespace is shown: " in this selection of jobs"; else "". */
struct str selection_words(const struct header *h, struct arena *a);
/*
 * Returns why what is shown may be incomplete or old: "no connection; this is 5m old; 3 kinds may not be read"; "" when
 * it is neither.
 */
struct str doubt_words(const struct scene *scene, struct arena *a);
/* Returns false when something is in trouble or not known, and while an earlier moment is shown, or only what a filter lets pass. */
bool bar_is_well(const struct ui *ui, const struct scene *scene);
/* Notes the texts about the root causes for bar_causes(). */
void note_causes(struct ui *ui, const struct scene *scene, const struct cause_group *causes, size_t n);
/* Fills the bar of the worst root causes, or of how far the first lists have been read. */
void bar_causes(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Fills the title: the object that details, tree, why and timeline show. */
void bar_title(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
void bar_tabs(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);
/* Fills the footer: the prompt, a message or hints, the position, and the requests. */
void bar_foot(const struct ui *ui, const struct scene *scene, struct bar *bar, struct arena *a);

#endif
