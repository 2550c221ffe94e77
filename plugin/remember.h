/* SPDX-License-Identifier: Apache-2.0 */
/* How each context was looked at last: order, groups, preview.  In $KUBECACHEDIR, else ~/.kube/cache. */
#ifndef PLUGIN_REMEMBER_H
#define PLUGIN_REMEMBER_H

#include "tui/view/ui.h"

/* What cannot be read or written is forgotten: nobody waits for it. */
void remember_load(struct ui *ui, struct str context);
void remember_save(const struct ui *ui, struct str context);

#endif
