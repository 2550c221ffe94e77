/* SPDX-License-Identifier: Apache-2.0 */
/* Root causes that are new. */
#ifndef TUI_UI_ALARM_H
#define TUI_UI_ALARM_H

#include "tui/state/scene.h"

struct ui;

/* Acknowledges a cause in that state (cause_key(), cause_state()); a second time undoes it. */
void ui_acknowledge(struct ui *ui, uint64_t cause, uint64_t state);
/* Notes which root causes there are, and sets the alarm when one of them is new. */
void ui_note_causes(struct ui *ui, const struct scene *scene);

#endif
