/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/timers.h"

#include "kube/base/assert.h"

#include <string.h>

void timers_set(struct timers *t, unsigned timer, int64_t at, int64_t left)
{
	assert(timer < TIMERS_MAX);
	t->set[timer] = (struct timer){ at, left };
}

/*
 * Returns true when a timer is due at the time at which it was due before.  In the millisecond itself it may have been
 * served, and set anew to the same time.
 */
static bool is_unserved(const struct timer *before, const struct timer *now)
{
	return before->at && before->at == now->at && before->left < 0 && now->left < 0;
}

int64_t timers_wait(struct timers *t)
{
	int64_t wait = -1;

	t->unserved = 0;
	for (unsigned i = 0; i < TIMERS_MAX; i++) {
		int64_t left = t->set[i].left > 0 ? t->set[i].left : 0;

		if (!t->set[i].at)
			continue;
		if (is_unserved(&t->waited[i], &t->set[i])) {
			t->unserved |= 1u << i;
			left = TIMER_UNSERVED;
		}
		wait = wait < 0 || left < wait ? left : wait;
	}
	memcpy(t->waited, t->set, sizeof(t->waited));
	memset(t->set, 0, sizeof(t->set));
	return wait;
}

void timers_put_off(struct timers *t)
{
	memset(t->waited, 0, sizeof(t->waited));
}
