/* SPDX-License-Identifier: Apache-2.0 */
/* The tabs of the details. */
#ifndef TUI_VIEW_DETAIL_H
#define TUI_VIEW_DETAIL_H

#include "tui/state/state.h"
#include "tui/view/why.h"

struct detail {
	struct ui *ui;
	const struct scene *scene;
	const struct kinds *kinds;
	struct lines *lines;
	struct arena *a;
	struct item item;
	int width;
	enum want want;
};

/*
 * Adds the lines of an object that does not exist: what refers to it and by which field, what would create it, and the
 * next step.
 */
void detail_absent(struct detail *d, struct handle h);
/* Returns the number of parts that Logs can show alone: containers, or the run that ended and the Pods of a workload. */
size_t logs_parts(const struct fetched *f);
/* Has Logs show all of them. */
void logs_show_all(struct ui *ui);
/* Returns true when the open tab is a log that is followed. */
bool logs_follow(const struct ui *ui, const struct scene *scene);

/* Whether a condition is as it should be.  A condition that decided a bad phase is never NORMALITY_NORMAL. */
enum normality { NORMALITY_UNKNOWN, NORMALITY_NORMAL, NORMALITY_ABNORMAL };
enum normality condition_normality(const struct item *item, const struct condition *c);

#endif
