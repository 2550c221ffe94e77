/* SPDX-License-Identifier: Apache-2.0 */
/* A text as what it has in common with another one, and the rest. */
#ifndef PLUGIN_DELTA_H
#define PLUGIN_DELTA_H

#include "kube/base/buf.h"

#include <stdint.h>

enum { DELTA_PLACES = 4096 };	/* a power of two */

/* Where pieces of a base are found. */
struct delta_index {
	uint16_t windows[DELTA_PLACES];
};

void delta_index(struct str base, struct delta_index *out);
/* Appends text, as it differs from base, whose index that is; base "" is allowed. */
void delta_encode(const struct delta_index *index, struct str base, struct str text, struct buf *out);
/* Appends the text again; base must be the one that it was encoded with. */
void delta_decode(struct str base, struct str delta, struct buf *out);

#endif
