/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timers of an event loop.  In each turn the owner calls timers_set() for every timer that runs, then
 * timers_wait(), and does what is due, so that the timer gets another time or runs no longer.  A due timer with an
 * unchanged time is an error of its owner; timers_wait() then waits a little, so that the error does not keep the
 * processor busy.
 */
#ifndef PLUGIN_DASHBOARD_TIMERS_H
#define PLUGIN_DASHBOARD_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMERS_MAX = 16 };
enum { TIMER_UNSERVED = 33 };	/* ms between two wake-ups by a timer that nobody serves */

struct timer {
	int64_t at;	/* the time, by any clock, which identifies the timer's run; 0: it does not run */
	int64_t left;	/* ms until then by the caller's clock; negative: it was due before */
};

/* All timers of one event loop; starts as { 0 }. */
struct timers {
	struct timer set[TIMERS_MAX], waited[TIMERS_MAX];
	unsigned unserved;	/* a bit (1 << timer) for each due timer that the last timers_wait() found unchanged */
};

/*
 * Sets a timer for the next timers_wait(): at is its time, left is how many ms are left until then.  at 0: it does not
 * run.
 */
void timers_set(struct timers *t, unsigned timer, int64_t at, int64_t left);
/* Returns how long to wait for an event, ms; -1: without a limit.  All timers must be set again afterwards. */
int64_t timers_wait(struct timers *t);
/* Allows due timers to stay unchanged once, for a turn that does other things first. */
void timers_put_off(struct timers *t);

#endif
