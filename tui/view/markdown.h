/* SPDX-License-Identifier: Apache-2.0 */
/* The incident as Markdown, for a chat or a ticket. */
#ifndef TUI_VIEW_MARKDOWN_H
#define TUI_VIEW_MARKDOWN_H

#include "kube/base/buf.h"
#include "tui/state/scene.h"

struct ui;

/*
 * Appends all root causes of the selected objects, the worst first and the acknowledged ones last, and the other
 * objects that are not Ready.
 */
void markdown_incident(const struct ui *ui, const struct scene *scene, struct buf *out);
/*
 * Appends the root cause of one object, or its own state when it waits for nothing.  Returns false when the object is
 * gone.
 */
bool markdown_object(const struct ui *ui, const struct scene *scene, struct handle h, struct buf *out);

/* Appends s for a shell or a chat, on one line: control characters and other invisible ones become U+FFFD. */
void clean_text(struct buf *out, struct str s);
/*
 * Does the same, but as inline code that s cannot end; an empty s adds nothing.  All other bytes of s stay as they are,
 * so that a command can be copied.
 */
void markdown_code(struct buf *out, struct str s);

#endif
