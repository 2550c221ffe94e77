/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers order, groups and preview of the dashboard for each context, in $KUBECACHEDIR, else ~/.kube/cache. */
#ifndef PLUGIN_DASHBOARD_REMEMBER_H
#define PLUGIN_DASHBOARD_REMEMBER_H

#include "tui/ui/ui.h"

/* Errors of reading and writing are ignored. */
void remember_load(struct ui *ui, struct str context);
void remember_save(const struct ui *ui, struct str context);

#endif
