/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates and keys as files in memory, for a libcurl that takes them from
 * files only (before 7.77).  Nothing is written to a disk.
 */
#ifndef KUBE_HTTP_PEM_FILES_H
#define KUBE_HTTP_PEM_FILES_H

#include "kube/base/buf.h"

struct pem_files;

/*
 * The path of a file with these bytes, good until pem_files_free(); NULL where the system
 * has no files in memory.  The same bytes have the same path: libcurl compares paths to
 * tell which connections may be used again.  *all is NULL at first.
 */
const char *pem_files_path(struct pem_files **all, struct str pem);
void pem_files_free(struct pem_files *all);

#endif
