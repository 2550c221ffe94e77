/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE_FILE_H
#define KUBE_BASE_FILE_H

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/base/err.h"

/*
 * Adds the whole file to out, up to the ceiling of out.  ERR_INPUT in the words of kubectl, "open X: no such file or
 * directory"; *out_errno (which may be NULL) tells the error number.  path need not end with a NUL.  What is neither a
 * regular file nor /dev/null is refused (EINVAL): a named pipe would have to be waited for, and can be read only once.
 */
int file_read(struct str path, struct buf *out, int *out_errno, struct err *err) MUST_USE;
/* Does the same, and takes pipes and devices, too, as kubectl does for --kubeconfig <(command). */
int file_read_any(struct str path, struct buf *out, int *out_errno, struct err *err) MUST_USE;
/* Opens a file that file_read() would read.  Returns its descriptor, or -1 with the error and *out_errno. */
int file_open(const char *name, int *out_errno, struct err *err) MUST_USE;
/* Returns the text of an errno as kubectl prints it, "no such file or directory": strerror() without the capital. */
struct str file_error_text(struct arena *arena, int code);
/* Writes all of text, going on after a signal.  Returns 0, or the errno. */
int file_write_all(int fd, struct str text) MUST_USE;
/* Overwrites and frees a buffer that held a secret. */
void file_wipe(struct buf *b);

#endif
