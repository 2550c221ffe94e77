/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 and certificates, by OpenSSL. */
#ifndef KUBE_BASE_CRYPTO_H
#define KUBE_BASE_CRYPTO_H

#include "kube/base/buf.h"

/* Appends bytes as base64, with padding, in one line. */
void base64_add(struct buf *out, struct str bytes);
/*
 * Appends what text encodes, as Go's base64.StdEncoding reads it: padding is required, line ends may stand anywhere.
 * Returns -1, or the position in text that Go's error names (0 is the first); then nothing is appended.
 */
int64_t base64_decode(struct str text, struct buf *out);
/* The same as Go's base64.RawURLEncoding, for tokens: '-' and '_', no padding.  False when text is not of that form. */
bool base64_url_decode(struct str text, struct buf *out);

/* der is one X.509 certificate, and nothing follows it. */
bool der_is_certificate(struct str der);

#endif
