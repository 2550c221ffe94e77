/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 and certificates, by OpenSSL. */
#ifndef KUBE_BASE_CRYPTO_H
#define KUBE_BASE_CRYPTO_H

#include "kube/base/buf.h"

/* Appends bytes as base64, with padding and in one line. */
void base64_add(struct buf *out, struct str bytes);
/*
 * Decodes text and appends the result, as base64.StdEncoding of Go reads it: padding is required, and line ends may
 * stand anywhere.  Returns -1 on success; else the position in text that the error of Go names (0 is the first), and
 * nothing is appended.
 */
int64_t base64_decode(struct str text, struct buf *out);
/*
 * Does the same as base64.RawURLEncoding of Go, for tokens: with '-' and '_', and without padding.  Returns false when
 * text is not of that form.
 */
bool base64_url_decode(struct str text, struct buf *out);

/*
 * Returns until when the last of the certificates is valid, ms; text is PEM, which may be in base64 once more, as Kubernetes
 * writes it into objects.  0: none of them can be read.
 */
int64_t pem_valid_until(struct str text);

/* Returns true when der is one X.509 certificate and nothing follows it. */
bool der_is_certificate(struct str der);

#endif
