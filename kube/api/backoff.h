/* SPDX-License-Identifier: Apache-2.0 */
/* How long to wait before the next attempt: longer each time, with jitter. */
#ifndef KUBE_API_BACKOFF_H
#define KUBE_API_BACKOFF_H

#include <stdint.h>

struct backoff {
	uint64_t random;
	int64_t wait, last; /* ms: the wait before the next attempt, and when the last one was asked for */
};

void backoff_start(struct backoff *b, uint64_t seed);
void backoff_reset(struct backoff *b);
/*
 * Returns the ms until the next attempt: 0.8 s, doubled up to 30 s, plus a random part of up to the same length; it
 * starts again after 2 min without a call.  These are the values of client-go's reflector.
 */
int64_t backoff_next(struct backoff *b, int64_t now);
/* Returns a number from 0 to limit - 1.  It spreads load and hides nothing. */
int64_t backoff_jitter(struct backoff *b, int64_t limit);

#endif
