/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes that are new. */
#ifndef TUI_UI_ALARM_H
#define TUI_UI_ALARM_H

#include "tui/state/scene.h"

struct ui;

/* Notes which root causes there are, and sets the alarm when one of them is new. */
void ui_note_causes(struct ui *ui, const struct scene *scene);

#endif
