/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that do not exist (any more) but are referred to by others; private to tui/view. */
#ifndef TUI_VIEW_ABSENT_H
#define TUI_VIEW_ABSENT_H

#include "tui/state/scene.h"
#include "tui/words/text.h"

/* The handle that id would have; HANDLE_NONE when it exists, or when nothing in the cluster of named_by refers to it. */
struct handle absent_handle(const struct scene *scene, struct handle named_by, const struct id *id);
/* Another object of that name, after h was deleted; else HANDLE_NONE. */
struct handle absent_successor(const struct scene *scene, struct handle h);
/* A line that says that it is gone. */
struct str absent_words(const struct scene *scene, struct handle h);
/* Its identity; the handle in it is HANDLE_NONE. */
struct id absent_id(const struct scene *scene, struct handle h);
/* The kubectl command that lists what exists of its kind. */
struct str absent_look(const struct scene *scene, struct handle h, struct arena *a);
/* The texts of a row for it, for y, Y, Enter, w and t; NULL when nothing refers to it. */
const struct line_texts *absent_texts(const struct scene *scene, struct handle named_by, const struct id *id,
				      struct lines *lines);

#endif
