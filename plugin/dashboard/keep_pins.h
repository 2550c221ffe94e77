/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps what the user has pinned, for each context, in ~/.kube/kubectl-status.pins.json: the pins of every session on this
 * machine.  The file has mode 0600 and is replaced as a whole.
 */
#ifndef PLUGIN_DASHBOARD_KEEP_PINS_H
#define PLUGIN_DASHBOARD_KEEP_PINS_H

#include "plugin/program.h"
#include "tui/ui/ui.h"

/* Pins what the file has for the contexts that p shows.  Returns -1 with one line when it cannot be read; then nothing is pinned. */
int keep_pins_load(const struct program *p, struct ui *ui, struct err *err) MUST_USE;
/* Writes what is pinned for these contexts; what it has for others stays.  Returns -1 with one line. */
int keep_pins_save(const struct program *p, const struct ui *ui, struct err *err) MUST_USE;

#endif
