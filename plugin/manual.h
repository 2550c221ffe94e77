/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_MANUAL_H
#define PLUGIN_MANUAL_H

#include "kube/base/buf.h"

/* kubectl-status(1) */
void manual_print(struct buf *out);

#endif
