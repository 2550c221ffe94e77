/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that do not exist (any more) but that other objects refer to. */
#ifndef TUI_VIEW_ABSENT_H
#define TUI_VIEW_ABSENT_H

#include "tui/state/scene.h"
#include "tui/words/text.h"

/*
 * Returns the handle of an object that does not exist; HANDLE_NONE when it exists, or when nothing in the cluster of
 * named_by refers to it.
 */
struct handle absent_handle(const struct scene *scene, struct handle named_by, const struct id *id);
/* Returns the object that was created with the same name after h was deleted; HANDLE_NONE when there is none. */
struct handle absent_successor(const struct scene *scene, struct handle h);
/* Returns true when the object h is not there because nobody looked at it for a time, and may never have been deleted. */
bool absent_is_let_go(const struct scene *scene, struct handle h);
/* Returns a line that says that the object does not exist, or is not looked at, any more. */
struct str absent_words(const struct scene *scene, struct handle h);
/* Returns the identity of an object that does not exist; the handle in it is HANDLE_NONE. */
struct id absent_id(const struct scene *scene, struct handle h);
/* Returns the kubectl command that lists the existing objects of the same kind; "" when the kind is not known. */
struct str absent_command(const struct scene *scene, struct handle h, enum command_reader reader, struct arena *a);
/*
 * Returns the texts of a row for an object that does not exist, for the keys y, Y, Enter, w and t; NULL when nothing
 * refers to it.  They are in the arena of lines.
 */
const struct line_texts *absent_texts(const struct scene *scene, struct handle named_by, const struct id *id,
				      struct lines *lines);

#endif
