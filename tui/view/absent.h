/* SPDX-License-Identifier: Apache-2.0 */
/* What does not exist, or does not any more, but is named by others; private to tui/view. */
#ifndef TUI_VIEW_ABSENT_H
#define TUI_VIEW_ABSENT_H

#include "tui/view/detail.h"

/* The handle that id would have, as somebody in the same cluster names it; HANDLE_NONE: nobody does, or it exists. */
struct handle absent_handle(const struct scene *scene, struct handle named_by, const struct id *id);
/* It does not exist, and others may name it. */
bool is_absent(const struct scene *scene, struct handle h);
/* Its identity, without a handle. */
struct id absent_id(const struct scene *scene, struct handle h);
/* The command that shows which ones of its kind do exist. */
struct str absent_look(const struct scene *scene, struct handle h, struct arena *a);
/* What y, Y, Enter, w and t need of a row that stands for it; NULL: nobody names it. */
const struct line_texts *absent_texts(const struct scene *scene, struct handle named_by, const struct id *id,
				      struct lines *lines);
/* Its details: who names it, by which field, who would make it, what to look at. */
void absent_build(struct detail *d, struct handle h);

#endif
