/* SPDX-License-Identifier: Apache-2.0 */
/* Checks PEM texts before libcurl gets them, so that errors are in kubectl's words, and bundles work that work with kubectl. */
#ifndef KUBE_CONFIG_PEM_H
#define KUBE_CONFIG_PEM_H

#include "kube/base/buf.h"
#include "kube/base/err.h"
#include "kube/base/str.h"

/* ERR_INPUT unless there is a certificate and a private key that needs no password.  err may be NULL. */
int pem_check_pair(struct str cert, struct str key, struct err *err) MUST_USE;
/* ERR_INPUT unless there is a certificate; an empty text is fine and trusts nobody. */
int pem_check_ca(struct str ca, struct err *err) MUST_USE;
/*
 * Appends the certificates of a bundle.  What is no certificate, or a damaged one, is left out, as Go's
 * CertPool.AppendCertsFromPEM does; libcurl would refuse the whole bundle.
 */
void pem_add_certificates(struct buf *out, struct str ca);

#endif
