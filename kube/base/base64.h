/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE_BASE64_H
#define KUBE_BASE_BASE64_H

#include "kube/base/buf.h"

/* With padding, in one line. */
void base64_add(struct buf *out, struct str bytes);
/*
 * As Go's StdEncoding: padding is required, line ends may stand anywhere.
 * Returns -1, or the position that cannot be decoded.
 */
int64_t base64_decode(struct str text, struct buf *out);
/* As Go's RawURLEncoding, for tokens: '-' and '_', no padding.  False when it is not. */
bool base64_url_decode(struct str text, struct buf *out);

#endif
