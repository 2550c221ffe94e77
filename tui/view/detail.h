/* SPDX-License-Identifier: Apache-2.0 */
/* The tabs of details; private to tui/view. */
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

/* Adds the lines of an object that does not exist: what refers to it, by which field, what would create it, the next step. */
void detail_absent(struct detail *d, struct handle h);
/* Adds a "label  text" line, wrapped; nothing when text is empty. */
void detail_fact(struct detail *d, const char *label, struct str text, enum style style);
/* Number of containers whose logs were fetched. */
size_t logs_containers(const struct fetched *f);
/* True when the tab that is open is a log that is followed. */
bool logs_follow(const struct ui *ui, const struct scene *scene);

/* Whether a condition is as it should be; one that decided a bad phase is not. */
enum normality { NORMALITY_UNKNOWN, NORMALITY_NORMAL, NORMALITY_ABNORMAL };
enum normality condition_normality(const struct item *item, const struct condition *c);

#endif
