/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes that are new. */
#ifndef TUI_VIEW_ALARM_H
#define TUI_VIEW_ALARM_H

#include "tui/view/scene.h"

struct ui;

/* Updates the root causes, and the alarm when one is new. */
void ui_note_causes(struct ui *ui, const struct scene *scene);

#endif
