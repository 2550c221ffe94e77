/* SPDX-License-Identifier: Apache-2.0 */
/* Random texts of what shells, chats and terminals take for something else. */
#ifndef TESTS_UNIT_HOSTILE_H
#define TESTS_UNIT_HOSTILE_H

#include "kube/base/buf.h"

static inline unsigned hostile_random(uint64_t *random, unsigned n)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*random >> 33) % n);
}

/* 1 to most characters of those in from, which ends with NULL. */
static inline void hostile_text(uint64_t *random, const char *const *from, unsigned most, struct buf *out)
{
	unsigned n = 0, length = 1 + hostile_random(random, most);

	while (from[n])
		n++;
	buf_reset(out);
	for (unsigned i = 0; i < length; i++)
		buf_add_cstr(out, from[hostile_random(random, n)]);
}

#endif
