/* SPDX-License-Identifier: Apache-2.0 */
/* The view of what the command of the next step printed. */
#ifndef TUI_VIEW_OUTPUT_VIEW_H
#define TUI_VIEW_OUTPUT_VIEW_H

#include "tui/state/state.h"

/* Notes the command that is about to run, as it is written for a reader elsewhere. */
void output_note_elsewhere(struct ui *ui, struct str command);

#endif
