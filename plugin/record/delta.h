/* SPDX-License-Identifier: Apache-2.0 */
/* Stores a text as its difference from a base text. */
#ifndef PLUGIN_RECORD_DELTA_H
#define PLUGIN_RECORD_DELTA_H

#include "kube/base/buf.h"

#include <stdint.h>

enum { DELTA_PLACES = 4096 };	/* a power of two */

/* Positions of pieces of the base, by their hash. */
struct delta_index {
	uint16_t windows[DELTA_PLACES];
};

void delta_index(struct str base, struct delta_index *out);
/* Appends the difference of text from base to out; index is that of base.  base may be "". */
void delta_encode(const struct delta_index *index, struct str base, struct str text, struct buf *out);
/* Appends the text that delta was made of; base must be the same as for delta_encode(). */
void delta_decode(struct str base, struct str delta, struct buf *out);

#endif
