/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a fuzz target as a sequence of steps, each of some bytes; what is behind its end is 0. */
#ifndef TESTS_FUZZ_STEPS_H
#define TESTS_FUZZ_STEPS_H

#include "kube/base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct steps {
	const uint8_t *data;
	size_t size, at;
};

static inline uint8_t step_byte(struct steps *s)
{
	return s->at < s->size ? s->data[s->at++] : 0;
}

static inline bool steps_left(const struct steps *s)
{
	return s->at < s->size;
}

/* Ends the target where something differs from the model. */
static inline void expect(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "wrong: %s\n", what);
	abort();
}

/* Makes the text of a version, of about that many bytes, none of which could be those of another one. */
static inline void version_text(unsigned object, unsigned version, size_t size, struct buf *out)
{
	char part[64];
	int n = snprintf(part, sizeof(part), "%u of %u, ", version, object);

	buf_reset(out);
	buf_add_char(out, '"');
	do
		buf_add(out, (struct str){ part, (size_t)n });
	while (out->len < size);
	buf_add_char(out, '"');
}

#endif
