/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE_FILE_H
#define KUBE_BASE_FILE_H

#include "kube/base/buf.h"
#include "kube/base/err.h"

/*
 * Adds the whole file to out, up to its ceiling.  ERR_INPUT in Go's words, "open X: no such file or
 * directory"; *out_errno (may be NULL) tells which.  path need not end in NUL.  What is no regular file, and not
 * /dev/null, is refused (EINVAL): a named pipe would be waited for, and can be read only once.
 */
int file_read(struct str path, struct buf *out, int *out_errno, struct err *err) MUST_USE;
/* The same, also of pipes and devices: of what kubectl reads so, --kubeconfig <(command). */
int file_read_any(struct str path, struct buf *out, int *out_errno, struct err *err) MUST_USE;
/* A file descriptor of what file_read() reads; -1 with the error and *out_errno. */
int file_open(const char *name, int *out_errno, struct err *err) MUST_USE;
/* Overwrites and frees what was secret. */
void file_wipe(struct buf *b);

#endif
