/* SPDX-License-Identifier: Apache-2.0 */
/* A text as what it has in common with another one, and the rest. */
#ifndef PLUGIN_DELTA_H
#define PLUGIN_DELTA_H

#include "kube/base/buf.h"

/* Appends text, as it differs from base; base "" is allowed. */
void delta_encode(struct str base, struct str text, struct buf *out);
/* Appends the text again; base must be the one that it was encoded with. */
void delta_decode(struct str base, struct str delta, struct buf *out);

#endif
