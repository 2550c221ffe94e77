/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is on the screen as a document, so that another run of the program, with other handles, can show the same:
 * docs/recordings.md describes its members.
 */
#ifndef TUI_UI_RESUME_H
#define TUI_UI_RESUME_H

#include "kube/model/document.h"
#include "tui/state/scene.h"

struct ui;

/*
 * Adds the order, the grouping, the pins, what was acknowledged, the open views with their rows and filters, and what
 * is unfolded in the one that is shown.
 */
void ui_describe(const struct ui *ui, const struct scene *scene, struct document out);
/*
 * Shows what ui_describe() has described.  What is unknown in the document, or refers to what does not exist, is left
 * out; the document may come from anybody.
 */
void ui_resume(struct ui *ui, const struct scene *scene, struct json screen);
/* Add to a list what is pinned of a cluster, and pin what such a list has, which may come from anybody. */
void ui_describe_pins(const struct ui *ui, struct str cluster, struct document out);
void ui_resume_pins(struct ui *ui, struct str cluster, struct json list);
/*
 * Returns the objects of the open views, those in the rows on the screen, and those that are pinned, in this order; in
 * the arena.
 */
const struct handle *ui_shown_objects(const struct ui *ui, struct arena *a, size_t *out_n);

#endif
