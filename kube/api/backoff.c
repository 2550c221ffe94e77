/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/api/backoff.h"

#include "kube/base/time.h"

static const int64_t first = 800;
static const int64_t longest = SECONDS(30);
static const int64_t forgotten = MINUTES(2);

void backoff_start(struct backoff *b, uint64_t seed)
{
	*b = (struct backoff){ .random = seed | 1, .wait = first };
}

void backoff_reset(struct backoff *b)
{
	b->wait = first;
}

/* xorshift64 */
int64_t backoff_jitter(struct backoff *b, int64_t limit)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 7;
	b->random ^= b->random << 17;
	return (int64_t)(b->random % (uint64_t)limit);
}

int64_t backoff_next(struct backoff *b, int64_t now)
{
	int64_t wait;

	if (now - b->last > forgotten)
		b->wait = first;
	wait = b->wait + backoff_jitter(b, b->wait);
	b->wait = b->wait * 2 < longest ? b->wait * 2 : longest;
	b->last = now + wait;
	return wait;
}
