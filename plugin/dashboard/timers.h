/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an event loop has to do something without an event.  In each turn the owner calls timers_set() for every timer
 * that runs, then timers_wait(), and serves what is due: its time moves, or it runs no longer.  A timer that was due and
 * stands where it stood is an error of its owner.  It must not keep the processor busy: it is waited for a little.
 */
#ifndef PLUGIN_DASHBOARD_TIMERS_H
#define PLUGIN_DASHBOARD_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMERS_MAX = 16, TIMER_UNSERVED = 33 /* ms between two looks at a timer that nobody serves */ };

struct timer {
	int64_t at;	/* by any clock; 0: it does not run */
	int64_t left;	/* ms by the clock of the user; negative: it was due before */
};

/* Begins as { 0 }. */
struct timers {
	struct timer set[TIMERS_MAX], waited[TIMERS_MAX];
	unsigned unserved;	/* 1 << timer, of the last timers_wait() */
};

/* The time of one timer, for the next timers_wait(): at identifies it, left ms are left until then.  at 0: it does not run. */
void timers_set(struct timers *t, unsigned timer, int64_t at, int64_t left);
/* How long to wait for an event, ms; -1: for ever.  All timers must be set again afterwards. */
int64_t timers_wait(struct timers *t);
/* This turn serves other things first: what is due stays due until the next one. */
void timers_put_off(struct timers *t);

#endif
