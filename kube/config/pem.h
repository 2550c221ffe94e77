/* SPDX-License-Identifier: Apache-2.0 */
/* Checks PEM texts before libcurl gets them, so that errors are in kubectl's words. */
#ifndef KUBE_CONFIG_PEM_H
#define KUBE_CONFIG_PEM_H

#include "kube/base/err.h"
#include "kube/base/str.h"

/* ERR_INPUT unless there is a certificate and a private key that needs no password.  err may be NULL. */
int pem_check_pair(struct str cert, struct str key, struct err *err) MUST_USE;
/* ERR_INPUT unless there is a certificate; an empty text is fine and trusts nobody. */
int pem_check_ca(struct str ca, struct err *err) MUST_USE;

#endif
