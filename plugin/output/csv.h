/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_OUTPUT_CSV_H
#define PLUGIN_OUTPUT_CSV_H

#include "kube/base/buf.h"

/* Appends a line with the names of the columns. */
void csv_names(const char *const *names, size_t n, struct buf *out);
/* Appends a line of cells as RFC 4180 has it, in such a way that a spreadsheet takes none of them for a formula. */
void csv_row(const struct str *cells, size_t n, struct buf *out);

#endif
