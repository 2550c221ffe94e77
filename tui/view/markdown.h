/* SPDX-License-Identifier: Apache-2.0 */
/* The incident as Markdown, for a chat or a ticket. */
#ifndef TUI_VIEW_MARKDOWN_H
#define TUI_VIEW_MARKDOWN_H

#include "kube/base/buf.h"
#include "tui/state/scene.h"

struct ui;

/* Appends all root causes of the selected objects, worst first, the acknowledged ones last, and what else is not Ready. */
void markdown_incident(const struct ui *ui, const struct scene *scene, struct buf *out);
/* Appends the root cause of one object, or its own state when it waits for nothing; false when it is gone. */
bool markdown_object(const struct ui *ui, const struct scene *scene, struct handle h, struct buf *out);

/* Appends s for a shell or a chat: control and other invisible characters become blanks. */
void clean_text(struct buf *out, struct str s);
/* The same as inline code, which s cannot end; nothing for an empty s.  Its other bytes stay as they are, so that commands do. */
void markdown_code(struct buf *out, struct str s);

#endif
