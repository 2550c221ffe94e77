/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_CSV_H
#define PLUGIN_CSV_H

#include "kube/base/buf.h"

/* As RFC 4180 has it, with what follows it; a spreadsheet does not take it for a formula. */
void csv_cell(struct str cell, bool last, struct buf *out);

#endif
