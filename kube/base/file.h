/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE_FILE_H
#define KUBE_BASE_FILE_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

/*
 * Adds the whole file to out.  ERR_INPUT in Go's words, "open X: no such file or
 * directory"; *out_errno (may be NULL) tells which.  path need not end in NUL.
 */
int file_read(struct str path, struct buf *out, int *out_errno, struct err *err) MUST_USE;
/* Overwrites and frees what was secret. */
void file_wipe(struct buf *b);

#endif
