/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLUGIN_OUTPUT_CSV_H
#define PLUGIN_OUTPUT_CSV_H

#include "kube/base/buf.h"

/* Appends a line of the names of columns. */
void csv_names(const char *const *names, size_t n, struct buf *out);
/* Appends a line of cells, as in RFC 4180.  A spreadsheet takes none of them for a formula. */
void csv_row(const struct str *cells, size_t n, struct buf *out);

#endif
