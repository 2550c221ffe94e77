/* SPDX-License-Identifier: Apache-2.0 */
/* How long to wait before the next try: longer each time, with jitter. */
#ifndef KUBE_API_BACKOFF_H
#define KUBE_API_BACKOFF_H

#include <stdint.h>

struct backoff {
	uint64_t random;
	int64_t wait, last; /* ms: of the next try, when the last was asked for */
};

void backoff_start(struct backoff *b, uint64_t seed);
void backoff_reset(struct backoff *b);
/*
 * ms until the next try: 0.8 s, doubled up to 30 s, plus a random part of up to as much
 * again; starts over after 2 min without a call.  As client-go's reflector.
 */
int64_t backoff_next(struct backoff *b, int64_t now);
/* 0 <= result < limit.  Spreads load, hides nothing. */
int64_t backoff_jitter(struct backoff *b, int64_t limit);

#endif
