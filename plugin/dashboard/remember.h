/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers the order, the grouping and the preview of the dashboard for each context, in a file in $KUBECACHEDIR, else
 * ~/.kube/cache.
 */
#ifndef PLUGIN_DASHBOARD_REMEMBER_H
#define PLUGIN_DASHBOARD_REMEMBER_H

#include "tui/ui/ui.h"

/* Read and write the settings.  Errors are ignored. */
void remember_load(struct ui *ui, struct str context);
void remember_save(const struct ui *ui, struct str context);

#endif
