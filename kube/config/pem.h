/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks PEM texts before libcurl gets them, so that errors have kubectl's words, and bundles that kubectl accepts are
 * accepted.
 */
#ifndef KUBE_CONFIG_PEM_H
#define KUBE_CONFIG_PEM_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

/* Returns ERR_INPUT unless there is a certificate, and a private key without a password.  err may be NULL. */
int pem_check_pair(struct str cert, struct str key, struct err *err) MUST_USE;
/* Returns ERR_INPUT unless there is a certificate; an empty text is allowed and trusts nobody. */
int pem_check_ca(struct str ca, struct err *err) MUST_USE;
/*
 * Appends the certificates of a bundle.  Other blocks and damaged certificates are left out, as
 * CertPool.AppendCertsFromPEM of Go does; libcurl would refuse the whole bundle.
 */
void pem_add_certificates(struct buf *out, struct str ca);

#endif
