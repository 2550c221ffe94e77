/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_OUTPUT_CSV_H
#define PLUGIN_OUTPUT_CSV_H

#include "kube/base/buf.h"

/* Appends one cell as in RFC 4180 and the comma or line end behind it.  A spreadsheet does not take it for a formula. */
void csv_cell(struct str cell, bool last, struct buf *out);

#endif
