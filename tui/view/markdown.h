/* SPDX-License-Identifier: Apache-2.0 */
/* The incident as Markdown, for a chat or a ticket. */
#ifndef TUI_VIEW_MARKDOWN_H
#define TUI_VIEW_MARKDOWN_H

#include "kube/base/buf.h"
#include "tui/view/scene.h"

/* All root causes that concern what is selected, worst first, and what else is not Ready. */
void markdown_incident(const struct scene *scene, struct buf *out);
/* The root cause of one object, or what is said of it when it waits for nothing; false when it is gone. */
bool markdown_object(const struct scene *scene, struct handle h, struct buf *out);

/* Without what must not reach a shell or a chat as it is: control characters become blanks. */
void clean_text(struct buf *out, struct str s);
/* The same as code: nothing in it means anything to a chat, and it cannot end early. */
void markdown_code(struct buf *out, struct str s);

#endif
